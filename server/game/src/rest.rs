//! Games at rest: running games that are not in memory, because no connection has them open.
//!
//! Opening a game reads its log, so games at rest are opened only when they are needed. Neither
//! the start of a server nor an outage of the store opens them. The store keeps a list of
//! outages, and a game's log records them when the game is opened ([`outages`](super::outages)).
//! A game at rest is opened when something is due in it; see [`due`](super::due). An outage does
//! not have to change any due time, because it makes flags fall later, never earlier.

use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_store::{Key, Record, StoreError, Update, Write};
use futures_util::{StreamExt as _, TryStreamExt as _};
use tokio::time::sleep;

use super::listing::Listing;
use super::registry::Tables;
use flagfall_base::keys::{LISTS_WHOLE, LIVE, RecordKind};
use flagfall_base::store_errors::note_refusal;

/// The number of index records that are read at a time.
const SCAN_CHUNK: usize = 512;
/// The number of games that are added to lists at once.
const LIST_AT_ONCE: usize = 16;
/// The maximum number of due times that one read of the list adds for games that have none.
const DATE_AT_ONCE: usize = 64;
/// The number of checks for due games between two checks of the lists.
const LOOKS_PER_LIST: u32 = 5;
/// After this many reads of the list of public games, all names in it are looked up again.
const LOOKS_PER_NAMES: u32 = 12;
/// After this many checks of the lists, the progress of games in memory is written to the lists.
const LOOKS_PER_NOTE: u32 = 6;
/// The pause between two steps of the first round, which counts the running games of the store.
const FIRST_ROUND_PAUSE: Duration = Duration::from_millis(10);

/// One pass over the list of all running games, a part at a time. It counts the games and
/// repairs the lists.
#[derive(Default)]
pub(super) struct Round {
    after: Option<Key>,
    running: i64,
    at_rest: usize,
    /// The number of running games that this server assumed when the round began.
    began: i64,
}

impl Tables {
    /// Returns the next records of a list. Leaves out records in parts of the store that do not
    /// answer. `None` if there are no more.
    pub(super) async fn listed_after<const N: usize>(
        &self,
        list: RecordKind<N>,
        limit: usize,
        after: &mut Option<Key>,
    ) -> Result<Option<Vec<Record>>, StoreError> {
        let records = self.store().scan_reachable(list.all()?, after.take(), limit).await?.records;
        *after = records.last().map(|(last, _)| last.clone());
        Ok((!records.is_empty()).then_some(records))
    }

    /// Looks after games that are not in memory, until the future is dropped. The servers take
    /// turns: in each interval `every`, one of them looks for due games.
    pub async fn look_after_games_at_rest(&self, every: Duration) {
        let lists = every * LOOKS_PER_LIST;
        tokio::join!(
            self.look_after_flags(every),
            self.look_after_house_players(every),
            self.look_after_lists(lists),
            self.look_after_public_games(lists),
            self.look_after_lines(lists * LOOKS_PER_NOTE),
        );
    }

    async fn look_after_lists(&self, every: Duration) {
        let mut round = Round::default();
        while !self.go_round_first(&mut round).await {
            sleep(FIRST_ROUND_PAUSE.min(every)).await;
        }
        loop {
            if let Err(error) = self.go_round(&mut round).await {
                note_refusal(&error, "could not check games at rest; trying again");
            }
            self.peers().my_turn(every).await;
        }
    }

    /// Reads the list of public games: in each interval while the list is being shown, otherwise
    /// only when it is this server's turn.
    async fn look_after_public_games(&self, every: Duration) {
        for look in 0_u32.. {
            if let Err(error) = self.read_public_games(look.is_multiple_of(LOOKS_PER_NAMES)).await {
                note_refusal(&error, "could not read the list of public games; trying again");
            }
            let shown = async {
                sleep(every).await;
                self.on_demand.public_shown.notified().await;
            };
            tokio::select! {
                () = self.peers().my_turn(every) => {}
                () = shown => {}
            }
        }
    }

    /// Writes the progress of the games in memory, for the lists of other servers.
    async fn look_after_lines(&self, every: Duration) {
        loop {
            self.write_lines().await;
            sleep(every).await;
        }
    }

    /// Handles the next part of the first round, which completes all lists. Returns true when the
    /// round is finished. Also returns true if the round failed, because later rounds will do its
    /// work.
    async fn go_round_first(&self, round: &mut Round) -> bool {
        let gone = async {
            let is_through = self.go_round(round).await?;
            if is_through {
                let key = LISTS_WHOLE.key([])?;
                let writes = vec![Write::Put { key, value: Vec::new(), expires: None }];
                self.store().update(Update { conditions: Vec::new(), writes }).await?;
            }
            Ok::<bool, StoreError>(is_through)
        };
        gone.await.unwrap_or_else(|error| {
            note_refusal(&error, "could not count running games; trying again");
            true
        })
    }

    /// Handles the next part of the list of running games: counts the games, adds games to the
    /// lists in which they are missing, and adds missing due times. Returns true if the round is
    /// finished.
    pub(super) async fn go_round(&self, round: &mut Round) -> Result<bool, StoreError> {
        if round.after.is_none() {
            round.began = self.residents().running.load(Ordering::Relaxed);
        }
        let records = self.listed_after(LIVE, SCAN_CHUNK, &mut round.after).await?.unwrap_or_default();
        let is_through = records.len() < SCAN_CHUNK;
        let (mut unlisted, mut undated) = (Vec::new(), Vec::new());
        for (key, listed) in records {
            let Some(game) = LIVE.game(&key) else { continue };
            round.running += 1;
            round.at_rest +=
                usize::from(self.residents().handle(game).is_none() && !self.residents().is_making(game));
            match Listing::read(&listed) {
                None => unlisted.push((game, listed)),
                Some(listing) => undated.extend(
                    listing.dated(game, self.now()).and_then(|listing| listing.replace(game, listed)),
                ),
            }
        }
        undated.truncate(DATE_AT_ONCE);
        for update in undated {
            // On a conflict, another server has updated the listing, or the game is over.
            self.store().update(update).await?;
        }
        let lists = unlisted.into_iter().map(|(game, listed)| self.list(game, listed));
        let mut lists = futures_util::stream::iter(lists).buffer_unordered(LIST_AT_ONCE);
        while lists.try_next().await?.is_some() {}
        if is_through {
            self.on_demand.at_rest.store(round.at_rest, Ordering::Relaxed);
            self.residents().running.fetch_add(round.running - round.began, Ordering::Relaxed);
            *round = Round::default();
        }
        Ok(is_through)
    }

    /// Returns the number of running games that were not in memory when they were last counted.
    pub fn at_rest(&self) -> usize {
        self.on_demand.at_rest.load(Ordering::Relaxed)
    }

    /// Returns the amount of memory that the process may use, in bytes. `None` if there is no
    /// limit.
    pub fn memory_limit(&self) -> Option<u64> {
        self.host.settings.memory.limit()
    }

    pub fn running_count(&self) -> usize {
        usize::try_from(self.residents().running.load(Ordering::Relaxed)).unwrap_or(0)
    }
}
