//! Opens games in which something is due: a flag may fall, or a house player has to act.
//!
//! Due games are found in indexes over stored records (see [`listing`](super::listing)), so memory
//! and work depend on the number of due games, not on the number of running games. The guardian of
//! a game opens it when its flag is about to fall, and all other servers do so if the flag has not
//! fallen some seconds later. The servers take turns to read the indexes, and notify each other of
//! what they find. So flags fall as long as one server is running. If several servers record the
//! fall of the same flag, only the first append succeeds. Tables that are opened here leave memory
//! as soon as nothing is due, and their number is limited.

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use flagfall_store::{Expect, Key, Record, StoreError, Update, Write};
use futures_util::{StreamExt as _, TryStreamExt as _};
use tokio::time::sleep;

use super::error::TableError;
use super::handle::Forecast;
use super::listing::{Listing, house_since};
use super::registry::Tables;
use super::table::{HOUSE_TAKEOVER_MS, NEAR_MS};
use flagfall_base::cluster::OTHERS_WAIT_MS;
use flagfall_base::keys::{FLAGS, HOUSE, LIVE};
use flagfall_base::store_errors::note_refusal;

/// If a game is in memory, its entry in the list of due times is updated only when the entry is
/// overdue by this many milliseconds. Until then, the table is expected to let the flag fall.
const STALE_MS: u64 = 30_000;
/// If a game could not be opened, the server tries again after this delay, in milliseconds.
const DAMAGED_MS: u64 = 60 * 60_000;
/// If a game could not be opened because a newer version wrote it, this server tries again after
/// this delay, in milliseconds. Until then, a newer server is expected to open the game.
const TOO_NEW_MS: u64 = 60_000;
/// The number of due times in the first read of each check. Usually the last of them is far enough
/// in the future, so no second read is needed.
const DUE_AT_FIRST: usize = 8;
const DUE_AT_ONCE: usize = 256;
const OPEN_AT_ONCE: usize = 16;
/// The maximum number of tables that may be in memory because a flag may fall soon.
pub(super) const FLAGS_IN_CARE_MAX: usize = 4_096;
/// The maximum number of tables that may be in memory because a house player has to act. Only a few
/// house players think at the same time.
const HOUSE_IN_CARE_MAX: usize = 128;
/// The pause before the next check if more games are due than may be in memory.
const BACKLOG_PAUSE: Duration = Duration::from_millis(50);

/// A record's key in the list of due times, and the time and the game that the key names.
type DueGame = (Key, (Stamp, GameId));

impl Tables {
    /// Opens the game of a due record that another server has found. Returns false for a record of
    /// another kind.
    pub fn hear_due(&self, key: &Key) -> bool {
        if FLAGS.time_and_game(key).is_some() {
            self.on_demand.told_flags.add(key.clone());
        } else if HOUSE.game(key).is_some() {
            self.on_demand.told_house.add(key.clone());
        } else {
            return false;
        }
        true
    }

    /// Opens games before their flags fall, until the future is dropped. All servers together check
    /// at intervals of `every`.
    pub(super) async fn look_after_flags(&self, every: Duration) {
        const FAILED: &str = "could not open games whose flags are near; trying again";
        loop {
            let looked = self.open_due().await;
            let turn = self.next_look(looked, every, FAILED);
            tokio::pin!(turn);
            while let Some(keys) = self.on_demand.told_flags.next_before(turn.as_mut()).await {
                let told = keys.into_iter().filter_map(|key| FLAGS.time_and_game(&key).map(|due| (key, due)));
                // Games that have another guardian by now are not passed on. If two servers
                // disagree about the guardian, they would pass the game back and forth.
                let (own, _) = self.own_and_others(told.collect());
                if let Err(error) = self.open_flags(own).await {
                    note_refusal(&error, FAILED);
                }
            }
        }
    }

    /// Opens games that no server has in memory and in which a house player has to act.
    pub(super) async fn look_after_house_players(&self, every: Duration) {
        const FAILED: &str = "could not open games of house players; trying again";
        let mut after = None;
        loop {
            let looked = self.open_house_turns(&mut after).await;
            let turn = self.next_look(looked, every, FAILED);
            tokio::pin!(turn);
            while let Some(keys) = self.on_demand.told_house.next_before(turn.as_mut()).await {
                for key in keys {
                    if let Err(error) = self.open_told_house_turn(key).await {
                        note_refusal(&error, FAILED);
                    }
                }
            }
        }
    }

    async fn open_told_house_turn(&self, key: Key) -> Result<(), StoreError> {
        match self.store().get(key.clone()).await? {
            Some(since) => self.open_house_turn((key, since)).await,
            None => Ok(()),
        }
    }

    /// Waits until this server checks for due work again. `looked` is the result of the last check:
    /// true if it left work behind.
    async fn next_look(&self, looked: Result<bool, StoreError>, every: Duration, failed: &'static str) {
        if let Err(error) = &looked {
            note_refusal(error, failed);
        }
        if matches!(looked, Ok(true)) {
            sleep(BACKLOG_PAUSE.min(every)).await;
        } else {
            self.peers().my_turn(every).await;
        }
    }

    /// Opens the games whose flags may fall soon, and notifies the guardians of the others. Returns
    /// true if more games are due than may be in memory.
    pub(super) async fn open_due(&self) -> Result<bool, StoreError> {
        let (mut after, mut limit) = (None, DUE_AT_FIRST);
        while let Some(records) = self.listed_after(FLAGS, limit, &mut after).await? {
            let is_last = records.len() < limit;
            limit = DUE_AT_ONCE;
            let due_games =
                records.into_iter().filter_map(|(key, _)| FLAGS.time_and_game(&key).map(|due| (key, due)));
            let due_games: Vec<DueGame> = due_games.collect();
            let is_through = is_last || due_games.last().is_some_and(|(_, (due, _))| !self.is_near(*due));
            let (own, others) = self.own_and_others(due_games);
            let others = others.into_iter().map(|(key, (_, game))| (game.to_string(), key));
            let (opened, ()) = tokio::join!(self.open_flags(own), self.peers().hand_over(others));
            opened?;
            if is_through {
                break;
            }
            if Arc::strong_count(&self.on_demand.flags_in_care) > FLAGS_IN_CARE_MAX {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the games whose flags may fall soon: first those that this server should open now,
    /// then those that it leaves to their guardians.
    fn own_and_others(&self, due_games: Vec<DueGame>) -> (Vec<DueGame>, Vec<DueGame>) {
        let now = self.now();
        let is_own = |(_, (due, game)): &DueGame| {
            self.peers().guards(game.as_str()) || due.plus_ms(OTHERS_WAIT_MS) <= now
        };
        due_games.into_iter().filter(|(_, (due, _))| self.is_near(*due)).partition(is_own)
    }

    fn is_near(&self, due: Stamp) -> bool {
        due <= self.now().plus_ms(NEAR_MS)
    }

    async fn open_flags(&self, due_games: Vec<DueGame>) -> Result<(), StoreError> {
        let now = self.now();
        let is_open = |due: Stamp, game| due.plus_ms(STALE_MS) > now && self.is_in_memory(game);
        let looks = due_games
            .into_iter()
            .filter(|(_, (due, game))| !is_open(*due, *game))
            .map(|(key, (due, game))| self.look_at(key, due, game));
        futures_util::stream::iter(looks).buffer_unordered(OPEN_AT_ONCE).try_collect().await
    }

    fn is_in_memory(&self, game: GameId) -> bool {
        self.residents().handle(game).is_some_and(|handle| handle.is_running())
    }

    /// Loads a game that is due. If its flag cannot fall soon, moves the due time to a later
    /// moment.
    async fn look_at(&self, key: Key, due: Stamp, game: GameId) -> Result<(), StoreError> {
        let live = LIVE.key([&game])?;
        let listed = self.store().get(live.clone()).await?;
        let listing = listed.as_deref().and_then(Listing::read).filter(|listing| listing.due == Some(due));
        let (Some(listed), Some(listing)) = (listed.clone(), listing) else {
            // The game is over, or its due time has changed.
            let unchanged = listed.map_or(Expect::Absent, Expect::Value);
            let writes = vec![Write::Delete { key }];
            self.store().update(Update { conditions: vec![(live, unchanged)], writes }).await?;
            return Ok(());
        };
        let later = match self.find_in_care(game, &self.on_demand.flags_in_care).await {
            Ok(handle) => match handle.forecast().await {
                Ok(Some(Forecast { flag, .. })) => flag,
                // The game has just ended, or its table has left memory.
                Ok(None) | Err(_) => return Ok(()),
            },
            Err(TableError::Unavailable | TableError::Failed) => return Err(unavailable()),
            Err(error) => Some(self.now().plus_ms(again_ms(error))),
        };
        if later.is_some_and(|later| later <= self.now().plus_ms(2 * NEAR_MS)) {
            return Ok(());
        }
        if let Some(update) = (Listing { due: later, ..listing }).replace(game, listed) {
            // On a conflict, another server has updated the listing, or the game is over.
            self.store().update(update).await?;
        }
        Ok(())
    }

    /// Opens the next games in which a house player has to act, starting after this key. Returns
    /// true if more games wait.
    pub(super) async fn open_house_turns(&self, after: &mut Option<Key>) -> Result<bool, StoreError> {
        let from = after.take();
        let records = self.store().scan_reachable(HOUSE.all()?, from, HOUSE_IN_CARE_MAX).await?.records;
        let is_last = records.len() < HOUSE_IN_CARE_MAX;
        self.peers().hand_over(self.house_turns_elsewhere(&records)).await;
        for record in records {
            if Arc::strong_count(&self.on_demand.house_in_care) > HOUSE_IN_CARE_MAX {
                // Continue with this game when fewer tables are in memory.
                return Ok(true);
            }
            let key = record.0.clone();
            self.open_house_turn(record).await?;
            *after = Some(key);
        }
        if is_last {
            *after = None;
        }
        Ok(!is_last)
    }

    /// Returns the games in which a house player has to act at once and whose guardians are other
    /// servers.
    fn house_turns_elsewhere(&self, records: &[Record]) -> Vec<(String, Key)> {
        let now = self.now();
        let is_theirs = |(key, since): &Record| {
            let game = HOUSE.game(key).filter(|game| !self.peers().guards(game.as_str()))?;
            let due = house_since(since).plus_ms(self.takeover_ms());
            // This server handles overdue turns itself.
            let is_due = due <= now && now < due.plus_ms(OTHERS_WAIT_MS);
            is_due.then(|| (game.to_string(), key.clone()))
        };
        records.iter().filter_map(is_theirs).collect()
    }

    /// If there are several servers, the one that handled the last ply gets some time to make the
    /// house player's move.
    fn takeover_ms(&self) -> u64 {
        if self.seats().is_some() { HOUSE_TAKEOVER_MS } else { 0 }
    }

    async fn open_house_turn(&self, (key, since): Record) -> Result<(), StoreError> {
        let Some(game) = HOUSE.game(&key) else { return Ok(()) };
        let guardian_ms = if self.peers().guards(game.as_str()) { 0 } else { OTHERS_WAIT_MS };
        let wait_ms = self.takeover_ms() + guardian_ms;
        let is_due = house_since(&since).plus_ms(wait_ms) <= self.now();
        if !is_due || self.residents().is_making(game) || self.is_in_memory(game) {
            return Ok(());
        }
        let unchanged = vec![(key.clone(), Expect::Value(since))];
        let write = match self.find_in_care(game, &self.on_demand.house_in_care).await {
            Ok(handle) => match handle.forecast().await {
                Ok(Some(forecast)) if forecast.awaits_house => return Ok(()),
                // The house player has nothing to do, because a server of version 0.1 already
                // made its move, or ended the game.
                Ok(_) => Write::Delete { key },
                Err(_) => return Ok(()),
            },
            Err(TableError::Unavailable | TableError::Failed) => return Err(unavailable()),
            Err(error) => {
                let later = self.now().plus_ms(again_ms(error)).0.to_string().into_bytes();
                Write::Put { key, value: later, expires: None }
            }
        };
        self.store().update(Update { conditions: unchanged, writes: vec![write] }).await?;
        Ok(())
    }
}

/// Returns the delay before the next attempt to open a game that could not be opened, in
/// milliseconds.
fn again_ms(error: TableError) -> u64 {
    if error == TableError::TooNew { TOO_NEW_MS } else { DAMAGED_MS }
}

fn unavailable() -> StoreError {
    StoreError::Unavailable { why: TableError::Unavailable.to_string() }
}
