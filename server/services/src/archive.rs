//! Moves finished games from the store to the archive.
//!
//! The append that ends a game also writes the record `ended/TIME/GAME`. When the record is old
//! enough, a server reads the log, encodes it, and checks that players would see the same game
//! after decoding. The server adds the game to the archive and reads it back. Then it replaces
//! the log by a guard, a small record that expires after an hour, and deletes the record
//! `ended/…`. Each step can be repeated, so a crash between two steps loses nothing, and the next
//! round completes the work.
//!
//! A game that differs after decoding stays in the store, and is reported once.

mod leftovers;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use flagfall_archive::{Archive, ArchiveError, ArchivedStore, Encoded, Refused, encode_checked};
use flagfall_base::cluster::Peers;
use flagfall_base::keys::{ENDED, ERASING, PLAYED_DUE, PROOF, PROOF_DUE, RATING_DUE};
use flagfall_base::scan::Scan;
use flagfall_base::store_errors::note_refusal;
use flagfall_base::telemetry::{ARCHIVE_REFUSED, ARCHIVE_WAITING, GAMES_ARCHIVED};
use flagfall_base::transact::{delete, write};
use flagfall_board::{GameId, Stamp};
use flagfall_game::{last_commands, read_all};
use flagfall_protocol::RecordSignature;
use flagfall_store::{Guard, Head, Key, ReadError, RetireOutcome, Store, StoreError, StoredEntry, Transfer};
use metrics::{counter, gauge};
use tokio::time::{Instant, sleep};

use crate::ended::{ended, is_old, with_finished};
use crate::erased_games::is_erased;
use crate::records::find;

/// The maximum number of games that are added to the archive at once.
const BATCH: usize = 256;
/// The work whose guardian archives for all servers. Two servers that archive at the same time do
/// no harm, but they do the work twice.
const DUTY: &str = "archive";
/// The time after which the work gets another guardian. So if one server cannot write to the
/// archive, games only wait for longer.
const TURN_MS: u64 = 10 * 60 * 1_000;
/// The longest time for which games wait until there are [`BATCH`] of them. It is a third of the
/// time after which games are archived, if that is shorter.
const WAIT_MAX: Duration = Duration::from_secs(10 * 60);
/// The time between two rounds that keep the archive in order.
const TIDY: Duration = Duration::from_secs(10 * 60);

/// Adds all games that ended at least `after` ago to the list of games to archive, even if they
/// were not listed at their end. Returns the number of these games, and the number of games in
/// the store. After each game, calls `told` with both counts so far.
pub async fn list_all(
    store: &dyn Transfer,
    after: Duration,
    told: impl FnMut(usize, usize),
) -> Result<(usize, usize), StoreError> {
    let list = async |game, at| {
        write(store, ended(game, at).into_iter().collect()).await?;
        Ok(true)
    };
    with_finished(store, after, list, told).await
}

/// Why a round of archiving was interrupted. The next round continues.
#[derive(Debug, thiserror::Error)]
pub enum ArchivingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("the server is stopping")]
    Stopping,
}

impl ArchivingError {
    fn is_damage(&self) -> bool {
        match self {
            ArchivingError::Store(error) => matches!(error, StoreError::Damaged { .. }),
            ArchivingError::Archive(error) => error.is_damage(),
            ArchivingError::Stopping => false,
        }
    }
}

impl From<ReadError> for ArchivingError {
    fn from(error: ReadError) -> ArchivingError {
        ArchivingError::Store(error.into())
    }
}

/// Moves finished games from a store to an archive.
pub struct Archiver {
    /// The store without the archive's games.
    store: Arc<dyn Store>,
    archive: Archive,
    /// The store with the archive's games.
    all: ArchivedStore,
    /// The other servers. `None` if no server runs.
    peers: Option<Peers>,
    after: Duration,
    /// True if the store remembered this archive when it was last asked.
    is_claimed: bool,
    /// The games that cannot be archived and were already reported.
    refused: HashSet<GameId>,
    /// The number of games that were due and stayed in the store when games were last archived.
    left: usize,
}

/// When a server does what it does not do in each round.
struct Due {
    group_at: Instant,
    tidy_at: Instant,
}

/// The result of a round of archiving.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Archived {
    /// The number of games that were moved to the archive.
    pub games: usize,
    /// The number of games that ended long enough ago but are still in the store.
    pub waiting: usize,
}

/// A game that can be added to the archive.
struct Ready {
    game: GameId,
    record: Key,
    head: Head,
    encoded: Encoded,
    /// The last commands of the game, which the guard will contain.
    commands: Vec<u8>,
}

/// The next step for a record of a finished game.
enum Step {
    Ready(Box<Ready>),
    /// The game has no log, so its record is no longer needed.
    Gone,
    /// The game stays in the store for now.
    Waits,
}

impl Archiver {
    /// Returns an archiver for games that ended at least `after` ago. `store` is the store
    /// without the archive's games.
    pub fn new(store: Arc<dyn Store>, archive: Archive, after: Duration) -> Archiver {
        let all = ArchivedStore::new(store.clone(), archive.clone());
        Archiver {
            store,
            archive,
            all,
            peers: None,
            after,
            is_claimed: false,
            refused: HashSet::new(),
            left: 0,
        }
    }

    /// Archives games at intervals of `every`, until the future is dropped. Games are archived only
    /// if all servers on the store can read this archive, and only by one of them.
    pub async fn run(mut self, peers: &Peers, every: Duration) {
        self.peers = Some(peers.clone());
        let now = Instant::now();
        let (mut is_failing, mut due) = (false, Due { group_at: now, tidy_at: now + TIDY });
        loop {
            // Servers of earlier versions read signatures and rating changes only from records in
            // the store, so these records must stay while such servers run.
            let round = self.round(peers.can_write_volumes(), &mut due).await;
            match &round {
                Ok(Archived { games, .. }) => {
                    if std::mem::take(&mut is_failing) {
                        tracing::info!("games can be archived again");
                    }
                    if *games > 0 {
                        tracing::debug!(games, "games were archived");
                    }
                }
                Err(ArchivingError::Store(error)) => {
                    note_refusal(error, "games could not be archived; the server will try again");
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::error!(%error, "games cannot be archived; they stay in the store until it is possible again");
                    }
                }
            }
            sleep(every).await;
        }
    }

    async fn round(&mut self, may_remove: bool, due: &mut Due) -> Result<Archived, ArchivingError> {
        let has_turn = self.has_turn();
        // Another server may replace the archive of the store as soon as the servers disagree.
        self.is_claimed &= self.peers.as_ref().is_none_or(|peers| peers.can_archive());
        // Each group of games becomes a segment, and small segments are never merged.
        let is_time = Instant::now() >= due.group_at;
        let archived = self.archive_group(has_turn.then_some(if is_time { 0 } else { BATCH })).await?;
        if has_turn && is_time {
            due.group_at = Instant::now() + self.wait_max();
        }
        // A refresh is also needed to learn which games other servers have removed.
        self.archive.refresh().await?;
        if has_turn && Instant::now() >= due.tidy_at {
            due.tidy_at = Instant::now() + TIDY;
            for damage in self.archive.tidy(self.store.now().0).await?.damage {
                tracing::error!(error = %damage, "the archive is damaged; other games are not affected");
            }
            if may_remove {
                self.remove_leftovers().await?;
            }
        }
        Ok(archived)
    }

    /// Returns how long a game that is due may wait for others.
    fn wait_max(&self) -> Duration {
        (self.after / 3).min(WAIT_MAX)
    }

    /// True if this server archives for all.
    fn has_turn(&self) -> bool {
        let now = self.store.now();
        self.peers.as_ref().is_none_or(|peers| peers.can_archive() && is_turn_of(peers, now))
    }

    /// Archives the games that ended long enough ago, or only counts them.
    ///
    /// # Errors
    /// [`ArchivingError`]: the next call continues.
    pub async fn archive_due(&mut self, is_allowed: bool) -> Result<Archived, ArchivingError> {
        self.archive_group(is_allowed.then_some(0)).await
    }

    /// Like [`Archiver::archive_due`], but archives only if at least this many games are due that
    /// were not due when games were last archived.
    ///
    /// # Errors
    /// [`ArchivingError`]: the next call continues.
    pub async fn archive_group(&mut self, least: Option<usize>) -> Result<Archived, ArchivingError> {
        // Count the games first, so that operators see how many wait while the archive is
        // unreachable.
        let (mut archived, overdue) = self.go_through(false).await?;
        note_waiting(overdue);
        let is_enough = |least| least == 0 || archived.waiting >= self.left + least;
        if archived.waiting > 0 && least.is_some_and(is_enough) {
            (archived, _) = self.go_through(true).await?;
            self.left = archived.waiting;
            note_waiting(archived.waiting.min(overdue));
        }
        Ok(archived)
    }

    /// Archives the games that ended long enough ago, or only counts them. Also returns how many
    /// of them should no longer be waiting for others.
    async fn go_through(&mut self, is_allowed: bool) -> Result<(Archived, usize), ArchivingError> {
        let (mut archived, mut overdue) = (Archived::default(), 0);
        let store = self.store.clone();
        // Games in a part of the store that is away wait until it is back.
        let mut scan = Scan::new(&*store, ENDED.all()?).of_reachable();
        'scan: while let Some(records) = scan.next().await? {
            let mut due = Vec::new();
            let mut is_end = false;
            for (key, _) in records {
                let Some((at, game)) = ENDED.time_and_game(&key) else { continue };
                is_end = !is_old(&*store, at, self.after);
                if is_end {
                    break;
                }
                overdue += usize::from(is_old(&*store, at, self.after + self.wait_max()));
                due.push((key, game));
            }
            for batch in due.chunks(BATCH) {
                let done = if is_allowed { self.archive_batch(batch).await? } else { Batch::default() };
                archived.games += done.archived;
                archived.waiting += batch.len() - done.archived - done.gone;
                if is_allowed && !self.has_turn() {
                    break 'scan;
                }
            }
            if is_end {
                break;
            }
        }
        Ok((archived, overdue))
    }

    async fn archive_batch(&mut self, records: &[(Key, GameId)]) -> Result<Batch, ArchivingError> {
        let (mut done, mut games, mut ready) = (Batch::default(), Vec::new(), Vec::new());
        for (record, game) in records {
            match self.prepare(record.clone(), *game).await? {
                Step::Ready(one) => {
                    games.push((one.game, one.encoded.clone()));
                    ready.push(one);
                }
                Step::Gone => {
                    self.remove_if_erased(*game).await?;
                    delete(&*self.store, vec![record.clone()]).await?;
                    done.gone += 1;
                }
                Step::Waits => {}
            }
        }
        if games.is_empty() {
            return Ok(done);
        }
        match self.all.claim().await {
            Ok(None) => self.is_claimed = true,
            Ok(Some(other)) => {
                self.is_claimed = false;
                return Err(ArchiveError::Other { wanted: other.id, found: Some(self.archive.id()) }.into());
            }
            // The record is in a part of the store that is away. A server with another archive
            // cannot have replaced it since, because then the servers do not agree.
            Err(StoreError::Unavailable { .. }) if self.is_claimed => {}
            Err(error) => return Err(error.into()),
        }
        let places = self.archive.add(games).await?;
        for one in ready {
            // An operator may have erased the game after its log was read.
            self.remove_if_erased(one.game).await?;
            let Some((_, place)) = places.iter().find(|(game, _)| *game == one.game) else {
                // An operator has removed the game from the archive, so it must not come back.
                self.store.delete_log(one.game).await?;
                delete(&*self.store, vec![one.record]).await?;
                done.gone += 1;
                continue;
            };
            let log = match self.archive.read_at(one.game, place).await {
                Ok(log) => log,
                Err(error) if error.is_damage() => {
                    self.refuse(one.game, &error);
                    continue;
                }
                // The game has just been erased. The next round will find that it has no log.
                Err(ArchiveError::Removed(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            if log.head != one.head {
                self.refuse(one.game, &"the archive has another game under this id");
                continue;
            }
            let guard =
                Guard { head: one.head, place: place.to_bytes().to_vec(), commands: one.commands.clone() };
            match self.store.retire(one.game, guard).await? {
                RetireOutcome::Ok => {}
                RetireOutcome::Quarantined => {
                    self.refuse(one.game, &"its log in the store is damaged");
                    continue;
                }
                // The next round tries again.
                RetireOutcome::Conflict | RetireOutcome::Later | RetireOutcome::Unknown => continue,
            }
            delete(&*self.store, vec![one.record]).await?;
            counter!(GAMES_ARCHIVED).increment(1);
            done.archived += 1;
        }
        Ok(done)
    }

    /// Removes a game from the archive if an operator has erased it while it was being archived.
    async fn remove_if_erased(&self, game: GameId) -> Result<(), ArchivingError> {
        if is_erased(&*self.store, game).await? {
            self.archive.remove(game, "deleted").await?;
        }
        Ok(())
    }

    /// Reads a finished game and encodes it.
    async fn prepare(&mut self, record: Key, game: GameId) -> Result<Step, ArchivingError> {
        if self.refused.contains(&game) || self.has_more_to_come(game).await? {
            return Ok(Step::Waits);
        }
        let (head, log) = match self.read(game).await {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(Step::Gone),
            Err(error @ ReadError::Damaged { .. }) => {
                self.refuse(game, &error);
                return Ok(Step::Waits);
            }
            Err(error @ ReadError::Unavailable { .. }) => return Err(error.into()),
        };
        let found = find::<RecordSignature>(&*self.store, PROOF.key([&game])?, "a signature").await?;
        let signature = found.map(|(signature, _)| signature);
        // Encoding and checking a long game takes milliseconds, so do it on another thread.
        let work = move || {
            let encoded = encode_checked(game, &log, head, signature.as_ref())?;
            // If this version cannot replay the log, the guard contains no commands.
            let commands = last_commands(game, &log).unwrap_or_default();
            Ok::<_, Refused>(Ready { game, record, head, encoded, commands })
        };
        let worked = tokio::task::spawn_blocking(work).await;
        match worked {
            Ok(Ok(ready)) => return Ok(Step::Ready(Box::new(ready))),
            Ok(Err(refused)) => self.refuse(game, &refused),
            Err(error) if error.is_panic() => self.refuse(game, &"encoding it panicked"),
            Err(_) => return Err(ArchivingError::Stopping),
        }
        Ok(Step::Waits)
    }

    /// True if the game still has a job: to rate it, to record it in histories, to sign it, or to
    /// erase it. Such a job may need the log, or add the signature that is archived with it.
    async fn has_more_to_come(&self, game: GameId) -> Result<bool, StoreError> {
        for kind in [&RATING_DUE, &PLAYED_DUE, &PROOF_DUE, &ERASING] {
            if self.store.get(kind.key([&game])?).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads a log. The store checks its hash chain. Returns `None` if there is no log.
    async fn read(&self, game: GameId) -> Result<Option<(Head, Vec<StoredEntry>)>, ReadError> {
        match self.store.head(game).await? {
            Head::START => Ok(None),
            head => Ok(Some((head, read_all(&*self.store, game, 0).await?))),
        }
    }

    /// Reports a game that cannot be archived. The game is tried again only after a restart, for
    /// example with another version of the server.
    fn refuse(&mut self, game: GameId, why: &dyn std::fmt::Display) {
        if self.refused.insert(game) {
            counter!(ARCHIVE_REFUSED).increment(1);
            tracing::error!(%game, reason = %why, "a finished game cannot be archived; it stays in the store");
        }
    }
}

/// True if this server is the guardian of archiving at this time.
fn is_turn_of(peers: &Peers, now: Stamp) -> bool {
    peers.guards(&format!("{DUTY}/{}", now.0 / TURN_MS))
}

fn note_waiting(games: usize) {
    #[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
    gauge!(ARCHIVE_WAITING).set(games as f64);
}

/// The result of archiving a batch of games.
#[derive(Default)]
struct Batch {
    archived: usize,
    /// The number of records whose games have no log.
    gone: usize,
}

#[cfg(test)]
mod tests {
    use flagfall_base::cluster::MemberInfo;
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;

    #[tokio::test]
    async fn each_server_archives_for_some_of_the_time() {
        let store: Arc<dyn Store> = Arc::new(TestStore::announcing(ManualClock::new(Stamp(0))));
        let servers = ["1", "2", "3"].map(|id| Peers::new(store.clone(), id.to_owned(), None));
        // All of them have met all others.
        for _ in 0..2 {
            for server in &servers {
                server.meet(&MemberInfo::of_this_version()).await.unwrap();
            }
        }
        let mut turns = [0; 3];
        for turn in 0..60 {
            for at in [0, TURN_MS - 1] {
                let has_turn = |server: &Peers| is_turn_of(server, Stamp(turn * TURN_MS + at));
                let guardians: Vec<usize> = (0..3).filter(|nth| has_turn(&servers[*nth])).collect();
                assert_eq!(guardians.len(), 1, "{turn}");
                turns[guardians[0]] += 1;
            }
        }
        assert!(turns.iter().all(|turns| *turns > 10), "{turns:?}");
    }
}
