//! Reads whole logs, and searches them for old commands.

use flagfall_board::GameId;
use flagfall_rules::{Viewer, see};
use flagfall_store::{Head, ReadError, Store, StoredEntry};

use super::error::TableError;
use super::replay;
use super::table::{Asked, CommandKey, Done};

pub(super) const READ_CHUNK: usize = 512;

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
pub(super) async fn read_all(
    store: &dyn Store,
    game: GameId,
    after: u64,
) -> Result<Vec<StoredEntry>, TableError> {
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
pub(super) async fn head_at(store: &dyn Store, game: GameId, seq: u64) -> Result<Option<Head>, TableError> {
    let stored = read_all(store, game, 0).await?;
    let heads = stored.iter().scan(Head::START, |head, stored| {
        *head = head.then(game, &stored.body);
        Some(*head)
    });
    Ok(heads.into_iter().find(|head| head.seq == seq))
}

/// Searches the log for an accepted command whose outcome is not in memory, and returns the
/// outcome.
pub(super) async fn find_command(
    store: &dyn Store,
    game: GameId,
    asked: &Asked,
) -> Result<Option<Done>, TableError> {
    let stored = read_all(store, game, 0).await?;
    let Some(first) = stored.first() else { return Ok(None) };
    let (header, _) = replay::open(game, first)?;
    let Some(side) = header.side_of(&asked.player_id) else { return Ok(None) };
    let (mut seq, mut done) = (0, None);
    replay::replay(game, &stored, |game, entry| {
        seq += u64::from(see(&entry.event, game, Viewer::Player(side)).is_some());
        let stamp = entry.command.as_ref().filter(|stamp| stamp.player == asked.player_id);
        if let Some(stamp) = stamp.filter(|stamp| stamp.cmd_id == asked.cmd_id.as_str()) {
            let key = CommandKey::new(side, &stamp.cmd_id);
            done = Some(Done { key, fingerprint: stamp.fingerprint, seq });
        }
    })?;
    Ok(done)
}
