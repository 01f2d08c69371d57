//! Reads whole logs, and searches them for old commands.

use flagfall_board::{GameId, Side};
use flagfall_rules::{Viewer, see};
use flagfall_store::{Head, ReadError, Store, StoredEntry};

use super::error::TableError;
use super::replay;
use super::table::{Asked, CommandKey, Done};
use flagfall_base::background::Background;

const READ_CHUNK: usize = 512;
/// Longer logs are replayed or hashed in the background. A replay of this many entries takes
/// about a millisecond.
const LONG_LOG: usize = 1_000;

impl From<ReadError> for TableError {
    fn from(error: ReadError) -> TableError {
        match error {
            ReadError::Damaged { .. } => {
                tracing::error!(%error, "the game is in quarantine; other games continue");
                TableError::Quarantined
            }
            ReadError::Unavailable { .. } => TableError::Unavailable,
        }
    }
}

/// Returns all entries of a log after the entry number `after`.
pub async fn read_all(store: &dyn Store, game: GameId, after: u64) -> Result<Vec<StoredEntry>, ReadError> {
    let mut all = Vec::new();
    let mut after = after;
    loop {
        let chunk = store.read(game, after, READ_CHUNK).await?;
        let Some(last) = chunk.last() else { return Ok(all) };
        after = last.seq;
        let is_last = chunk.len() < READ_CHUNK;
        all.extend(chunk);
        if is_last {
            return Ok(all);
        }
    }
}

/// Returns the head of a log, and the entries after the entry number `after`.
pub(super) async fn look(
    store: &dyn Store,
    game: GameId,
    after: u64,
) -> Result<(Head, Vec<StoredEntry>), TableError> {
    let head = store.head(game).await?;
    let stored = if head.seq > after { read_all(store, game, after).await? } else { Vec::new() };
    Ok((head, stored))
}

/// Returns the head of a log as it was after this entry. `None` if the log does not contain the
/// entry.
pub(super) async fn head_at(
    background: &Background,
    store: &dyn Store,
    game: GameId,
    seq: u64,
) -> Result<Option<Head>, TableError> {
    let stored = read_all(store, game, 0).await?;
    let find = move |stored: &[StoredEntry]| {
        let mut heads = stored.iter().scan(Head::START, |head, stored| {
            *head = head.then(game, &stored.body);
            Some(*head)
        });
        heads.find(|head| head.seq == seq)
    };
    replay_apart(background, stored, find).await
}

/// Runs work that replays or hashes a log. If the log is long, the work runs in the background, so
/// that it does not delay connections.
pub(super) async fn replay_apart<T: Send + 'static>(
    background: &Background,
    stored: Vec<StoredEntry>,
    work: impl FnOnce(&[StoredEntry]) -> T + Send + 'static,
) -> Result<T, TableError> {
    if stored.len() <= LONG_LOG {
        return Ok(work(&stored));
    }
    background.run(move || work(&stored)).await.map_err(|_| TableError::Unavailable)
}

/// Searches the log for an accepted command whose outcome is not in memory, and returns the
/// outcome.
pub(super) async fn find_command(
    background: &Background,
    store: &dyn Store,
    game: GameId,
    asked: &Asked,
) -> Result<Option<Done>, TableError> {
    let stored = read_all(store, game, 0).await?;
    let (Some(side), cmd_id) = (asked.side(), asked.cmd_id.clone()) else { return Ok(None) };
    replay_apart(background, stored, move |stored| find_in(game, stored, side, cmd_id.as_str())).await?
}

fn find_in(
    game: GameId,
    stored: &[StoredEntry],
    side: Side,
    cmd_id: &str,
) -> Result<Option<Done>, TableError> {
    let Some(first) = stored.first() else { return Ok(None) };
    let (header, _) = replay::open(game, first)?;
    let player = &header.players[side].id;
    let (mut seq, mut done) = (0, None);
    replay::replay(game, stored, |game, entry| {
        seq += u64::from(see(&entry.event, game, Viewer::Player(side)).is_some());
        let stamp = entry.command.as_ref().filter(|stamp| stamp.player == *player);
        if let Some(stamp) = stamp.filter(|stamp| stamp.cmd_id == cmd_id) {
            let key = CommandKey::new(side, &stamp.cmd_id);
            done = Some(Done { key, fingerprint: stamp.fingerprint, seq });
        }
    })?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::thread;

    use flagfall_board::Stamp;
    use flagfall_store::{Append, AppendOutcome, SecretBytes};
    use flagfall_store_testing::{ManualClock, TestStore};
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn only_long_logs_are_replayed_on_another_thread() {
        let background = Background::new("test", 1);
        let entry = StoredEntry { seq: 1, at: Stamp(1), body: SecretBytes::new(Vec::new()) };
        for (entries, is_apart) in [(LONG_LOG, false), (LONG_LOG + 1, true)] {
            let stored = vec![entry.clone(); entries];
            let there = replay_apart(&background, stored, |_| thread::current().id()).await.unwrap();
            assert_eq!(there != thread::current().id(), is_apart, "{entries} entries");
        }
    }

    #[tokio::test]
    async fn the_head_of_a_long_log_is_computed_on_another_thread() {
        let background = Background::new("test", 1);
        let (release, blocked) = mpsc::sync_channel::<()>(1);
        let busy = background.run(move || blocked.recv());
        let (store, game) =
            (TestStore::new(Arc::new(ManualClock::new(Stamp(1)))), GameId::from_random([1; 12]));
        let mut head = Head::START;
        for _ in 0..=LONG_LOG {
            let bodies = vec![SecretBytes::new(vec![1])];
            let append =
                Append { game, expected: head, deadline: None, not_before: None, bodies, writes: Vec::new() };
            let AppendOutcome::Ok { head: after, .. } = store.append(append).await.unwrap() else { panic!() };
            head = after;
        }
        assert!(head_at(&background, &store, game, head.seq).now_or_never().is_none());
        release.send(()).unwrap();
        busy.await.unwrap().unwrap();
        assert_eq!(head_at(&background, &store, game, head.seq).await.unwrap(), Some(head));
        assert_eq!(head_at(&background, &store, game, head.seq + 1).await.unwrap(), None);
    }
}
