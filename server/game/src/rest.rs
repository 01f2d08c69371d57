//! Games at rest: running games that left memory because nobody has them open.
//!
//! Opening a game reads its log. At a start, or after the store was away, no other games are
//! opened: outages are kept in the store and added to the log of a game when it is opened
//! ([`Outages`](super::outages::Outages)). What is due in a game at rest causes it to be opened;
//! see [`due`](super::due). An outage need not postpone a due: it makes flags fall later, never
//! earlier.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use flagfall_board::{GameId, Side, Stamp};
use flagfall_store::{Key, Record, StoreError, Update, UpdateOutcome, Write};
use futures_util::StreamExt as _;
use tokio::time::sleep;

use super::due::NEAR_MS;
use super::error::TableError;
use super::listing::{self, Listing, live_key};
use super::public_games::opening_line;
use super::registry::{SCAN_CHUNK, Tables};
use super::search::read_all;
use super::table::Table;
use flagfall_base::keys::{Kind, LISTS_WHOLE, LIVE};

/// Games missing from some list that are handled at once.
const LIST_AT_ONCE: usize = 16;
/// The lists are checked once for so many checks of what is due.
const LOOKS_PER_LIST: u32 = 5;
/// The players of all listed public games are looked up again once for so many checks of the lists.
const LOOKS_PER_NAMES: u32 = 12;
/// The progress of games in memory is written once for so many checks of the lists.
const LOOKS_PER_NOTE: u32 = 6;
/// The pause between two pieces of the first round, which counts the running games of the store.
const FIRST_ROUND_PAUSE: Duration = Duration::from_millis(10);

impl Table {
    /// True if a running game may leave memory: nobody has it open, nothing is under way, no flag
    /// is near, and no house player is to act.
    pub(super) fn may_rest(&self, now: Stamp) -> bool {
        !self.is_over()
            && !self.is_quarantined()
            && self.is_at_peace()
            && self.no_flag_before(now).is_none_or(|flag| flag > now.plus_ms(2 * NEAR_MS))
            && !self.awaits_house()
    }

    /// True if a house player is to act.
    pub(super) fn awaits_house(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.header().is_house(side) && self.is_awaited(side))
    }
}

/// A walk through the list of all running games, one piece at a time. It repairs the lists.
#[derive(Default)]
pub(super) struct Round {
    after: Option<Key>,
    running: usize,
    at_rest: usize,
    /// Games created minus games ended, as of the beginning of the round.
    changed: i64,
}

/// How many games run, as far as this server knows.
#[derive(Default)]
pub(super) struct RunningCount {
    /// As of the last round.
    counted: AtomicI64,
    /// Games created here minus games ended here since that round began.
    changed: AtomicI64,
}

impl RunningCount {
    pub(super) fn note_made(&self) {
        self.changed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn note_end(&self) {
        self.changed.fetch_sub(1, Ordering::Relaxed);
    }

    fn note_round(&self, round: &Round) {
        self.counted.store(i64::try_from(round.running).unwrap_or(i64::MAX), Ordering::Relaxed);
        self.changed.fetch_sub(round.changed, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> usize {
        let sum = self.counted.load(Ordering::Relaxed).saturating_add(self.changed.load(Ordering::Relaxed));
        usize::try_from(sum).unwrap_or(0)
    }
}

impl Tables {
    /// The next records of a list; none after the last one.
    pub(super) async fn listed_after<const N: usize>(
        &self,
        list: Kind<N>,
        limit: usize,
        after: &mut Option<Key>,
    ) -> Result<Option<Vec<Record>>, StoreError> {
        let records = self.store().scan(list.all()?, after.take(), limit).await?;
        *after = records.last().map(|(last, _)| last.clone());
        Ok((!records.is_empty()).then_some(records))
    }

    /// The listing of a running game; `None` if the game is not listed. A game whose record holds
    /// no listing is first added to all lists.
    pub(super) async fn listing(&self, game: GameId) -> Result<Option<Listing>, TableError> {
        let Some(live) = live_key(game) else { return Ok(None) };
        let listed = self.store().get(live).await.map_err(|_| TableError::Unavailable)?;
        match listed {
            None => Ok(None),
            Some(listed) => match Listing::read(&listed) {
                Some(listing) => Ok(Some(listing)),
                None => self.list(game, listed).await.map_err(|_| TableError::Unavailable),
            },
        }
    }

    /// Adds a running game to all lists, from its log. Version 0.1 listed no dues of live clocks,
    /// and a rebuilt list has none.
    async fn list(&self, game: GameId, listed: Vec<u8>) -> Result<Option<Listing>, StoreError> {
        let stored = match read_all(self.store(), game, 0).await.map_err(TableError::from) {
            Ok(stored) => stored,
            Err(TableError::Unavailable) => {
                return Err(StoreError::Unavailable { why: TableError::Unavailable.to_string() });
            }
            Err(error) => {
                tracing::error!(%game, %error, "a running game cannot be opened; other games continue");
                return Ok(None);
            }
        };
        // A replay error was logged; a game that is over belongs on no list.
        let Ok(table) = self.table_of(game, &stored) else { return Ok(None) };
        if table.is_over() {
            return Ok(None);
        }
        let (summary, latest) = (table.summary(), table.game.latest());
        let listing = Listing {
            created: Stamp(summary.created),
            due: table.no_flag_before(latest),
            absence: listing::Absence::default(),
        };
        let Some(mut update) = listing.replace(game, listed) else { return Ok(None) };
        update.writes.extend(opening_line(table.header(), &summary));
        if table.awaits_house() {
            update.writes.extend(listing::house_turn(game, table.header(), Some(latest)));
        }
        let is_listed = self.store().update(update).await? == UpdateOutcome::Ok;
        Ok(is_listed.then_some(listing))
    }

    /// Takes care of games at rest until the future is dropped. `every` is the time between two
    /// checks of what is due.
    pub async fn look_after_games_at_rest(&self, every: Duration) {
        tokio::join!(
            self.look_after_flags(every),
            self.look_after_house_players(every),
            self.look_after_lists(every * LOOKS_PER_LIST),
        );
    }

    async fn look_after_lists(&self, every: Duration) {
        let mut round = Round::default();
        while !self.go_round_first(&mut round).await {
            sleep(FIRST_ROUND_PAUSE.min(every)).await;
        }
        for look in 0_u32.. {
            let looked = async {
                if look.is_multiple_of(LOOKS_PER_NOTE) {
                    self.note_lines().await;
                }
                self.read_public_games(look.is_multiple_of(LOOKS_PER_NAMES)).await?;
                self.go_round(&mut round).await.map(drop)
            };
            if let Err(error) = looked.await {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "could not check games at rest; trying again",
                );
            }
            sleep(every).await;
        }
    }

    /// Handles a piece of the first round, after which all lists are complete. True if the round is
    /// finished, or failed and is left to later rounds.
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
            flagfall_base::store_errors::note_refusal(&error, "could not count running games; trying again");
            true
        })
    }

    /// Handles the next piece of the list of running games: counts games, and adds them to lists
    /// that lack them. True if the round is finished.
    pub(super) async fn go_round(&self, round: &mut Round) -> Result<bool, StoreError> {
        if round.after.is_none() {
            round.changed = self.inner.running.changed.load(Ordering::Relaxed);
        }
        let records = self.listed_after(LIVE, SCAN_CHUNK, &mut round.after).await?.unwrap_or_default();
        let is_through = records.len() < SCAN_CHUNK;
        let mut unlisted = Vec::new();
        for (key, listed) in records {
            let Some(game) = LIVE.game(&key) else { continue };
            round.running += 1;
            round.at_rest += usize::from(self.handle(game).is_none() && !self.is_making(game));
            if Listing::read(&listed).is_none() {
                unlisted.push((game, listed));
            }
        }
        let lists = unlisted.into_iter().map(|(game, listed)| self.list(game, listed));
        let mut lists = futures_util::stream::iter(lists).buffer_unordered(LIST_AT_ONCE);
        while let Some(listed) = lists.next().await {
            listed?;
        }
        if is_through {
            self.inner.at_rest.store(round.at_rest, Ordering::Relaxed);
            self.inner.running.note_round(round);
            *round = Round::default();
        }
        Ok(is_through)
    }

    /// How many running games are not in memory, as of the last count.
    #[must_use]
    pub fn at_rest(&self) -> usize {
        self.inner.at_rest.load(Ordering::Relaxed)
    }

    /// Memory the process may use, in bytes; `None` without a limit.
    #[must_use]
    pub fn memory_limit(&self) -> Option<u64> {
        self.inner.settings.memory.limit()
    }

    /// How many games run, in memory or at rest, as far as this server knows.
    #[must_use]
    pub fn running_count(&self) -> usize {
        self.inner.running.get()
    }
}
