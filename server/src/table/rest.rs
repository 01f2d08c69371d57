//! Games at rest: running games that have left memory because nobody has them open.
//!
//! Those are games with days per move and games without a clock; a clock that runs keeps its game in memory, which ends soon enough. Whoever asks for a game at rest has
//! it opened from its log. A flag falls by the table, which is opened shortly before, on every server, so it falls whoever is alive, and the append decides who was first.

use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{GameId, Side, Stamp};
use flagfall_store::{Expect, Key, Outage, Record, StoreError, Update, Write};
use futures_util::StreamExt as _;
use tokio::time::sleep;

use super::actor::{Stay, TableHandle};
use super::core::Table;
use super::listing::{FLAGS, LIVE, Listing, due_of, game_of, live_key};
use super::registry::{SCAN_CHUNK, TableError, Tables};

/// How long before its flag may fall a game is opened, in milliseconds.
const NEAR_MS: u64 = 60_000;
/// How long until a game that could not be opened for its flag is looked at again, in milliseconds.
const DAMAGED_MS: u64 = 60 * 60_000;
/// Running games opened at once: at the start, and after an outage.
const OPEN_AT_ONCE: usize = 64;
/// Looks between two counts of the games at rest.
const LOOKS_PER_COUNT: u32 = 12;
/// Looks between two times at which the list of public games is told how far games in memory are.
const LOOKS_PER_NOTE: u32 = 6;

impl Table {
    /// Whether the game may leave memory though it goes on: nobody has it open, nothing is under way, and nothing happens by itself soon.
    pub(super) fn may_rest(&self, now: Stamp) -> bool {
        let header = self.header();
        header.is_slow()
            && !self.is_over()
            && !self.is_quarantined
            && self.is_at_peace()
            && self.no_flag_before(now).is_none_or(|flag| flag > now.plus_ms(2 * NEAR_MS))
            && Side::BOTH.into_iter().filter(|side| header.is_house(*side)).all(|side| !self.is_awaited(side))
    }
}

impl Tables {
    /// Opens every running game of the store, for its log to tell of the time in which there was no server. Slow games rest again at once.
    pub(super) async fn recover(&self) -> Result<(), StoreError> {
        let (mut recovered, mut damaged) = (0_usize, 0_usize);
        let mut told = std::time::Instant::now();
        let mut after = None;
        while let Some(records) = self.listed_after(LIVE, &mut after).await? {
            let loads = records.into_iter().filter_map(|(key, value)| Some((game_of(&key)?, value)));
            let loads = loads.map(|(game, listed)| {
                let tables = self.clone();
                // A task of its own: it may use another core, and a defect in one game's replay ends nothing else.
                tokio::spawn(async move {
                    let found = tables.find_for(game, Stay::Short).await;
                    if let Ok(handle) = &found {
                        tables.keep_listed(handle, listed).await;
                    }
                    (game, found.map(drop))
                })
            });
            let mut loads = futures_util::stream::iter(loads).buffer_unordered(OPEN_AT_ONCE);
            while let Some(loaded) = loads.next().await {
                match loaded {
                    Ok((_, Ok(()))) => recovered += 1,
                    Ok((game, Err(error))) => {
                        damaged += 1;
                        tracing::error!(%game, %error, "a running game cannot go on; all others do");
                    }
                    Err(_) => damaged += 1,
                }
                if told.elapsed().as_secs() >= 1 {
                    told = std::time::Instant::now();
                    tracing::info!(recovered, "recovering running games");
                }
            }
        }
        if recovered + damaged > 0 {
            tracing::info!(recovered, damaged, "running games go on; no clock ran while the server was down");
        }
        Ok(())
    }

    /// The next records of a list; none after the last one.
    async fn listed_after(
        &self,
        list: &str,
        after: &mut Option<Key>,
    ) -> Result<Option<Vec<Record>>, StoreError> {
        let records = self.store().scan(Key::new(list)?, after.take(), SCAN_CHUNK).await?;
        *after = records.last().map(|(last, _)| last.clone());
        Ok((!records.is_empty()).then_some(records))
    }

    /// A slow game of an earlier version, or one that was listed anew, gets its place among the dues.
    async fn keep_listed(&self, handle: &TableHandle, listed: Vec<u8>) {
        let (header, created) = (&handle.shared.header, handle.shared.created);
        if !header.is_slow() || Listing::read(&listed).is_some() {
            return;
        }
        let listing = Listing { created, due: Some(self.now().plus_ms(NEAR_MS)) };
        if let Some(update) = listing.replace(handle.id(), listed)
            && let Err(error) = self.store().update(update).await
        {
            tracing::warn!(game = %handle.id(), %error, "the list of running games has nothing of when this one is due; it will");
        }
    }

    /// Looks after games at rest, with so much time between two looks, until the future is dropped.
    pub async fn look_after_games_at_rest(&self, every: Duration) {
        let mut told = None;
        for look in 0_u32.. {
            let looked = async {
                self.tell_of_outage(&mut told).await?;
                if look.is_multiple_of(LOOKS_PER_NOTE) {
                    self.note_lines().await;
                }
                let is_thorough = look.is_multiple_of(LOOKS_PER_COUNT);
                self.read_public_games(is_thorough).await?;
                if is_thorough {
                    self.look_through_list().await?;
                }
                self.open_due().await
            };
            if let Err(error) = looked.await {
                tracing::warn!(%error, "games at rest could not be looked after; they will be");
            }
            sleep(every).await;
        }
    }

    /// Has the logs of all games at rest tell of an outage of the store: later on nobody could say when it ended.
    async fn tell_of_outage(&self, told: &mut Option<Outage>) -> Result<(), StoreError> {
        let outage = self.store().outage();
        if outage == *told {
            return Ok(());
        }
        let mut after = None;
        while let Some(records) = self.listed_after(LIVE, &mut after).await? {
            let games: Vec<GameId> = records.iter().filter_map(|(key, _)| game_of(key)).collect();
            let opened = games.into_iter().map(|game| self.find_for(game, Stay::Short));
            let mut opened = futures_util::stream::iter(opened).buffer_unordered(OPEN_AT_ONCE);
            while let Some(found) = opened.next().await {
                if let Err(error @ TableError::Unavailable) = found {
                    return Err(StoreError::Unavailable { why: error.to_string() });
                }
            }
        }
        *told = outage;
        Ok(())
    }

    /// Counts the games at rest, and opens those that are to be in memory and are not.
    pub(super) async fn look_through_list(&self) -> Result<(), StoreError> {
        let (mut at_rest, mut after) = (0, None);
        while let Some(records) = self.listed_after(LIVE, &mut after).await? {
            for (key, listed) in records {
                let Some(game) = game_of(&key) else { continue };
                if self.handle(game).is_some() || self.is_making(game) {
                    continue;
                }
                if Listing::read(&listed).is_some() {
                    at_rest += 1;
                } else if let Ok(handle) = self.find(game).await {
                    self.keep_listed(&handle, listed).await;
                }
            }
        }
        self.inner.at_rest.store(at_rest, Ordering::Relaxed);
        Ok(())
    }

    /// How many running games are not in memory, as of the last count.
    #[must_use]
    pub fn at_rest(&self) -> usize {
        self.inner.at_rest.load(Ordering::Relaxed)
    }

    /// Opens the games whose flags may fall soon.
    pub(super) async fn open_due(&self) -> Result<(), StoreError> {
        let mut after = None;
        while let Some(records) = self.listed_after(FLAGS, &mut after).await? {
            for (key, _) in records {
                let Some((due, game)) = due_of(&key) else { continue };
                if due > self.now().plus_ms(NEAR_MS) {
                    return Ok(());
                }
                self.look_at(key, due, game).await?;
            }
        }
        Ok(())
    }

    /// Has a game that is due in memory if its flag may fall soon; else it is due later.
    async fn look_at(&self, key: Key, due: Stamp, game: GameId) -> Result<(), StoreError> {
        let Some(live) = live_key(game) else { return Ok(()) };
        let listed = self.store().get(live.clone()).await?;
        let listing = listed.as_deref().and_then(Listing::read).filter(|listing| listing.due == Some(due));
        let (Some(listed), Some(listing)) = (listed.clone(), listing) else {
            // The game is over, or due at another time.
            let unchanged = listed.map_or(Expect::Absent, Expect::Value);
            let writes = vec![Write::Delete { key }];
            self.store().update(Update { conditions: vec![(live, unchanged)], writes }).await?;
            return Ok(());
        };
        let later = match self.find(game).await {
            Ok(handle) => match handle.no_flag_before().await {
                Ok(NoFlag::Before(flag)) if flag <= self.now().plus_ms(2 * NEAR_MS) => return Ok(()),
                Ok(NoFlag::Before(flag)) => Some(flag),
                Ok(NoFlag::Ever) => None,
                // It has just ended, or left.
                Ok(NoFlag::Over) | Err(_) => return Ok(()),
            },
            Err(TableError::Unavailable) => {
                return Err(StoreError::Unavailable { why: TableError::Unavailable.to_string() });
            }
            Err(TableError::NotFound | TableError::Quarantined) => Some(self.now().plus_ms(DAMAGED_MS)),
        };
        if let Some(update) = (Listing { due: later, ..listing }).replace(game, listed) {
            // A conflict means that another server has seen to it, or that the game is over.
            self.store().update(update).await?;
        }
        Ok(())
    }
}

/// When the flag of a game falls at the earliest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoFlag {
    Before(Stamp),
    /// Time is unlimited.
    Ever,
    /// The game is over.
    Over,
}
