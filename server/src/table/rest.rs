//! Games at rest: running games that have left memory because nobody has them open.
//!
//! Those are games with days per move and games without a clock; a clock that runs keeps its game in memory, which ends soon enough. Whoever asks for a game at rest has
//! it opened from its log. A flag falls by the table, which is opened shortly before, on every server, so it falls whoever is alive, and the append decides who was first.
//!
//! A server that starts, and one that has lost the store for a while, opens none of them: outages are kept in the store, and whoever opens a game has its log told of those it has
//! missed. When a game is due need not move with an outage: it is a moment before which no flag falls, and an outage makes flags fall later.

use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::Phase;
use flagfall_store::{Expect, Key, Record, StoreError, Update, Write};
use futures_util::StreamExt as _;
use tokio::time::sleep;

use super::actor::{Stay, TableHandle};
use super::core::Table;
use super::listing::{AWAKE, FLAGS, LIVE, Listing, awake_key, due_of, game_of, live_key};
use super::registry::{SCAN_CHUNK, TableError, Tables};

/// How long before its flag may fall a game is opened, in milliseconds.
const NEAR_MS: u64 = 60_000;
/// How long until a game that could not be opened for its flag is looked at again, in milliseconds.
const DAMAGED_MS: u64 = 60 * 60_000;
/// Running games opened at once when a server starts.
const OPEN_AT_ONCE: usize = 64;
/// Games that are due, read at once.
const DUE_AT_ONCE: usize = 64;
/// Looks between two times at which all players in the list of public games are looked up anew.
const LOOKS_PER_NAMES: u32 = 12;
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

/// A walk through the list of all running games, a piece at each look: what it finds wrong it mends.
#[derive(Default)]
pub(super) struct Round {
    after: Option<Key>,
    at_rest: usize,
}

/// The record that says that the lists beside that of all running games are whole: stores of earlier versions do not have them.
pub(super) const LISTS_WHOLE: &str = "lists_whole";

impl Tables {
    /// Opens the games that have to be in memory, for their clocks to run on. Games at rest are told of the time in which there was no server when they are opened next; in a store
    /// of an earlier version every running game is opened once, and gets its place in all lists.
    pub(super) async fn recover(&self) -> Result<(), StoreError> {
        let whole = Key::new(LISTS_WHOLE)?;
        let is_whole = self.store().get(whole.clone()).await?.is_some();
        let (recovered, damaged) = self.open_listed(if is_whole { AWAKE } else { LIVE }).await?;
        if recovered + damaged > 0 {
            tracing::info!(recovered, damaged, "running games go on; no clock ran while the server was down");
        }
        if !is_whole {
            let writes = vec![Write::Put { key: whole, value: Vec::new(), expires: None }];
            self.store().update(Update { conditions: Vec::new(), writes }).await?;
        }
        Ok(())
    }

    /// Opens the games of a list, slow ones for as long as it takes; how many there were, and how many of them are damaged.
    async fn open_listed(&self, list: &str) -> Result<(usize, usize), StoreError> {
        let (mut recovered, mut damaged) = (0_usize, 0_usize);
        let mut told = std::time::Instant::now();
        let mut after = None;
        let is_to_list = list == LIVE;
        while let Some(records) = self.listed_after(list, SCAN_CHUNK, &mut after).await? {
            let loads = records.into_iter().filter_map(|(key, _)| game_of(&key)).map(|game| {
                let tables = self.clone();
                // A task of its own: it may use another core, and a defect in one game's replay ends nothing else.
                tokio::spawn(async move {
                    let found = tables.find_for(game, Stay::Short).await;
                    match &found {
                        Ok(handle) if is_to_list => tables.keep_listed(handle).await,
                        Ok(handle) => tables.forget_awake(handle).await,
                        Err(_) => {}
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
        Ok((recovered, damaged))
    }

    /// The next records of a list; none after the last one.
    async fn listed_after(
        &self,
        list: &str,
        limit: usize,
        after: &mut Option<Key>,
    ) -> Result<Option<Vec<Record>>, StoreError> {
        let records = self.store().scan(Key::new(list)?, after.take(), limit).await?;
        *after = records.last().map(|(last, _)| last.clone());
        Ok((!records.is_empty()).then_some(records))
    }

    /// What the list of running games says of one that may leave memory.
    pub(super) async fn listing(&self, game: GameId) -> Result<Option<Listing>, TableError> {
        let Some(live) = live_key(game) else { return Ok(None) };
        let listed = self.store().get(live).await.map_err(|_| TableError::Unavailable)?;
        Ok(listed.as_deref().and_then(Listing::read))
    }

    /// A game of an earlier version, or one that was listed anew, gets its place in the lists. What cannot be written now is found again.
    async fn keep_listed(&self, handle: &TableHandle) {
        let kept = async {
            let Some(live) = live_key(handle.id()) else { return Ok(()) };
            let Some(listed) = self.store().get(live.clone()).await? else { return Ok(()) };
            let (header, created) = (&handle.shared.header, handle.shared.created);
            if !header.is_slow() {
                return self.keep_awake(handle.id(), live, listed).await;
            }
            if Listing::read(&listed).is_none() {
                let listing =
                    Listing { created, due: Some(self.now().plus_ms(NEAR_MS)), gone: PerSide::default() };
                if let Some(update) = listing.replace(handle.id(), listed) {
                    self.store().update(update).await?;
                }
            }
            self.note_line(handle.id(), &handle.shared).await
        };
        if let Err(error) = kept.await {
            let error: StoreError = error;
            tracing::warn!(game = %handle.id(), %error, "the lists have nothing of this running game yet; they will");
        }
    }

    /// Lists a game that has to be in memory, if it still runs.
    async fn keep_awake(&self, game: GameId, live: Key, listed: Vec<u8>) -> Result<(), StoreError> {
        let Some(key) = awake_key(game) else { return Ok(()) };
        if self.store().get(key.clone()).await?.is_none() {
            let writes = vec![Write::Put { key, value: Vec::new(), expires: None }];
            self.store().update(Update { conditions: vec![(live, Expect::Value(listed))], writes }).await?;
        }
        Ok(())
    }

    /// Takes a game that is over out of the list of those that have to be in memory: a server of an earlier version, which let it end, does not know that list.
    pub(super) async fn forget_awake(&self, handle: &TableHandle) {
        let (Some(key), Some(live)) = (awake_key(handle.id()), live_key(handle.id())) else { return };
        if handle.phase() != Phase::Over {
            return;
        }
        let update = Update { conditions: vec![(live, Expect::Absent)], writes: vec![Write::Delete { key }] };
        if let Err(error) = self.store().update(update).await {
            tracing::debug!(game = %handle.id(), %error, "a game that is over stays listed for now");
        }
    }

    /// Looks after games at rest, with so much time between two looks, until the future is dropped.
    pub async fn look_after_games_at_rest(&self, every: Duration) {
        let mut round = Round::default();
        for look in 0_u32.. {
            let looked = async {
                if look.is_multiple_of(LOOKS_PER_NOTE) {
                    self.note_lines().await;
                }
                self.read_public_games(look.is_multiple_of(LOOKS_PER_NAMES)).await?;
                self.open_due().await?;
                self.go_round(&mut round).await.map(drop)
            };
            if let Err(error) = looked.await {
                crate::trouble::note_refusal(&error, "games at rest could not be looked after; they will be");
            }
            sleep(every).await;
        }
    }

    /// Goes on through the list of running games: counts those at rest, and opens those that are to be in memory and are not. Whether it is through.
    pub(super) async fn go_round(&self, round: &mut Round) -> Result<bool, StoreError> {
        let records = self.listed_after(LIVE, SCAN_CHUNK, &mut round.after).await?.unwrap_or_default();
        for (key, listed) in &records {
            let Some(game) = game_of(key) else { continue };
            if self.handle(game).is_some() || self.is_making(game) {
                continue;
            }
            if Listing::read(listed).is_some() {
                round.at_rest += 1;
            } else if let Ok(handle) = self.find(game).await {
                self.keep_listed(&handle).await;
            }
        }
        let is_through = records.len() < SCAN_CHUNK;
        if is_through {
            self.inner.at_rest.store(round.at_rest, Ordering::Relaxed);
            *round = Round::default();
        }
        Ok(is_through)
    }

    /// How many running games are not in memory, as of the last count.
    #[must_use]
    pub fn at_rest(&self) -> usize {
        self.inner.at_rest.load(Ordering::Relaxed)
    }

    /// Opens the games whose flags may fall soon.
    pub(super) async fn open_due(&self) -> Result<(), StoreError> {
        let mut after = None;
        while let Some(records) = self.listed_after(FLAGS, DUE_AT_ONCE, &mut after).await? {
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
