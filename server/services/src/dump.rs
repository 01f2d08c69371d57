//! Monthly dumps: the public records of finished games, as lines of JSON.
//!
//! A dump contains the archived games that ended in a given month and at least seven days ago,
//! sorted by the time of their end. Private and aborted games are left out. Each line is the
//! record that anyone can read at `GET /api/games/ID/record`, except for the names and ids of the
//! players. Each player has a pseudonym that changes every year, unless they have chosen another
//! listing (`dump_listing/PLAYER`). A record with a pseudonym has no signature, because the
//! signature covers the ids of the players.

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;
use std::time::Duration;

use flagfall_archive::{Archive, ArchiveError, Log};
use flagfall_base::identity::Principal;
use flagfall_base::keys::{DUMP_LISTING, SECRETS};
use flagfall_base::names::players_today;
use flagfall_base::random::{ChanceError, random_bytes};
use flagfall_base::transact::{delete, read_or_create, write};
use flagfall_board::{GameId, Side, Stamp};
use flagfall_game::recorder;
use flagfall_protocol::{DumpListing, Player, PlayerKind};
use flagfall_rules::{EndReason, Viewer};
use flagfall_store::{Store, StoreError};
use thiserror::Error;

use crate::ended::is_old;
use crate::mac::mac;
use crate::records::{bytes, damaged, find, put};
use crate::refused::{Refused, check_account};

/// The time between the end of a game and the first dump that may contain it.
const AFTER: Duration = Duration::from_hours(7 * 24);
/// The length of a pseudonym in bytes. It is written in hexadecimal digits.
const PSEUDONYM_BYTES: usize = 8;
/// The domain separator of the keyed hash.
const PURPOSE: &[u8] = b"flagfall dump 1\0";

/// A month of the calendar, in UTC, such as `2026-10`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Month(String);

/// The error for text that is not a month.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a month must have a year and a number, such as 2026-10")]
pub struct MonthError;

impl FromStr for Month {
    type Err = MonthError;

    fn from_str(text: &str) -> Result<Month, MonthError> {
        let (year, month) = text.split_once('-').ok_or(MonthError)?;
        let is_number = |text: &str, len| text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_month = month.parse().is_ok_and(|month: u8| (1..=12).contains(&month));
        let is_valid = is_number(year, 4) && is_number(month, 2) && is_month;
        is_valid.then(|| Month(text.to_owned())).ok_or(MonthError)
    }
}

impl Month {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn year(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }

    fn has(&self, at: Stamp) -> bool {
        at.utc().strip_prefix(&self.0).is_some_and(|rest| rest.starts_with('-'))
    }
}

/// Why a dump cannot be made.
#[derive(Debug, Error)]
pub enum DumpError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Chance(#[from] ChanceError),
}

/// Returns how dumps show a player.
pub async fn listing(store: &dyn Store, player: &str) -> Result<DumpListing, StoreError> {
    let found = find(store, DUMP_LISTING.key([&player])?, "a choice about dumps").await?;
    Ok(found.map(|(listing, _)| listing).unwrap_or_default())
}

/// Sets how dumps show the requester.
pub async fn set_listing(store: &dyn Store, asker: &Principal, listing: DumpListing) -> Result<(), Refused> {
    check_account(asker, "other")?;
    let key = DUMP_LISTING.key([&asker.player.id])?;
    Ok(match listing {
        DumpListing::Pseudonym => delete(store, vec![key]).await,
        DumpListing::Name | DumpListing::None => write(store, vec![put(key, &listing, None)?]).await,
    }?)
}

/// Deletes the listing that a deleted account has chosen. Keeps the choice to be left out of
/// dumps, so that it also applies to later dumps.
pub(crate) async fn forget(store: &dyn Store, player: &str) -> Result<(), StoreError> {
    match listing(store, player).await? {
        DumpListing::Name => delete(store, vec![DUMP_LISTING.key([&player])?]).await,
        DumpListing::Pseudonym | DumpListing::None => Ok(()),
    }
}

/// Makes the lines of a dump.
pub struct Dump<'a> {
    store: &'a dyn Store,
    archive: &'a Archive,
    month: Month,
    key: [u8; 32],
    listings: HashMap<String, DumpListing>,
}

impl<'a> Dump<'a> {
    /// Prepares a dump. The first dump from a store creates the key for pseudonyms.
    pub async fn new(
        store: &'a dyn Store,
        archive: &'a Archive,
        month: Month,
    ) -> Result<Dump<'a>, DumpError> {
        let key = pseudonym_key(store).await?;
        Ok(Dump { store, archive, month, key, listings: HashMap::new() })
    }

    /// Returns the archived games that ended in this month and at least seven days ago, sorted by
    /// the time of their end. Calls `told` with the number of games that were read so far.
    ///
    /// # Errors
    /// [`DumpError`], also if a part of the archive is damaged, because a dump must be complete.
    pub async fn games(&self, mut told: impl FnMut(u64)) -> Result<Vec<GameId>, DumpError> {
        let (mut ended, mut after, mut read) = (BTreeSet::new(), None, 0);
        while let Some(page) = self.archive.games(after).await? {
            if let Some(damage) = page.damage {
                return Err(damage.into());
            }
            let mut fault = None;
            let each = |game, log: Result<Log, ArchiveError>| {
                read += 1;
                told(read);
                match log {
                    Ok(log) => {
                        let end = log.entries.last().map(|entry| entry.at);
                        let is_due = |at: &Stamp| self.month.has(*at) && is_old(self.store, *at, AFTER);
                        ended.extend(end.filter(is_due).map(|at| (at, game)));
                    }
                    Err(error) if error.is_damage() => fault = Some(error),
                    // Leave out games that only another version can read.
                    Err(_) => {}
                }
            };
            self.archive.read_segment(page.segment, each).await?;
            if let Some(fault) = fault {
                return Err(fault.into());
            }
            after = Some(page.segment);
        }
        Ok(ended.into_iter().map(|(_, game)| game).collect())
    }

    /// Returns the line of a game, without a line ending. `None` if dumps do not show the game.
    pub async fn line(&mut self, log: &Log) -> Result<Option<Vec<u8>>, DumpError> {
        // A game that this version cannot replay has no record.
        let Ok((header, recorder)) = recorder(log.game, &log.entries) else { return Ok(None) };
        let players = players_today(self.store, &header.players).await;
        let mut record = recorder.record(Viewer::Public, header.terms, players);
        let is_complete =
            record.outcome.as_ref().is_some_and(|outcome| outcome.reason != EndReason::Aborted.code());
        if record.terms.private || !is_complete {
            return Ok(None);
        }
        let mut is_unchanged = true;
        for side in Side::BOTH {
            let player = &mut record.players[side];
            match self.listing(player).await? {
                DumpListing::Name => {}
                DumpListing::Pseudonym => {
                    let pseudonym = pseudonym(&self.key, self.month.year(), &player.id);
                    *player = Player { id: pseudonym.clone(), name: pseudonym, kind: player.kind };
                    is_unchanged = false;
                }
                DumpListing::None => return Ok(None),
            }
        }
        record.signature = log.signature.clone().filter(|_| is_unchanged);
        Ok(Some(bytes(&record)?))
    }

    async fn listing(&mut self, player: &Player) -> Result<DumpListing, StoreError> {
        if player.kind == PlayerKind::House {
            return Ok(DumpListing::Name);
        }
        if let Some(known) = self.listings.get(&player.id) {
            return Ok(*known);
        }
        let found = listing(self.store, &player.id).await?;
        self.listings.insert(player.id.clone(), found);
        Ok(found)
    }
}

fn pseudonym(key: &[u8; 32], year: &str, player: &str) -> String {
    let digest = mac(key, &[PURPOSE, year.as_bytes(), b"\0", player.as_bytes()]);
    digest.iter().take(PSEUDONYM_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the key for pseudonyms. If the store has none, creates it.
async fn pseudonym_key(store: &dyn Store) -> Result<[u8; 32], DumpError> {
    let new_key = random_bytes::<32>()?;
    let make = || Ok(new_key.to_vec());
    let stored = read_or_create(store, SECRETS.key([&"dumps"])?, "the key of pseudonyms", make).await?;
    Ok(stored.try_into().map_err(|_| damaged("the key of pseudonyms has the wrong length"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_its_days_alone() {
        for text in ["2026", "2026-13", "2026-00", "2026-1", "26-10", "2026-10-01", "+026-10", "2026-+1"] {
            assert_eq!(Month::from_str(text), Err(MonthError), "{text}");
        }
        let month = Month::from_str("2026-02").unwrap();
        let at = |ms: u64| month.has(Stamp(ms));
        let (begins, ends) = (1_769_904_000_000, 1_772_323_200_000);
        assert_eq!([at(begins - 1), at(begins), at(ends - 1), at(ends)], [false, true, true, false]);
        assert_eq!(month.year(), "2026");
    }

    #[test]
    fn a_pseudonym_depends_on_the_key_the_year_and_the_player() {
        let mut all: Vec<String> = [[1; 32], [2; 32]]
            .iter()
            .flat_map(|key| ["2026", "2027"].map(|year| (key, year)))
            .flat_map(|(key, year)| ["ann", "bob"].map(|player| pseudonym(key, year, player)))
            .collect();
        assert!(all.iter().all(|name| name.len() == 2 * PSEUDONYM_BYTES), "{all:?}");
        // HMAC-SHA256 with this key, as other implementations compute it.
        assert_eq!(all[0], "70c6f1ace239ab3e");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 8);
    }
}
