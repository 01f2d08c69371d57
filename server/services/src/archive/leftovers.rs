//! Removes the side records of archived games.
//!
//! After a game has been archived, its signature is in the archive, and its rating changes are in
//! the histories of its players. The record of a rematch is needed only while a client may repeat
//! the command that asked for it: until the guard (the record that replaces an archived log for an
//! hour) has expired. So the store needs no side records of a game that has neither a log nor a
//! guard.
//!
//! The due time of a game that has ended (`flags/TIME/GAME`) is deleted when it comes. In a game
//! with days per move that is days later, so such due times are also deleted here.

use std::collections::HashSet;

use flagfall_base::keys::{FLAGS, GONE, LIVE, PROOF, RATED, REMATCH, RecordKind, time16};
use flagfall_base::scan::Scan;
use flagfall_base::transact::write_if;
use flagfall_board::{GameId, Side};
use flagfall_game::{TableError, finished};
use flagfall_protocol::{RatingChange, RecordSignature};
use flagfall_store::{Head, Key, StoreError, Write};

use super::{Archiver, ArchivingError};
use crate::ratings::change_of;
use crate::records::parse;

/// Due times that come within this time are left to the servers, in milliseconds.
const SOON_MS: u64 = 60 * 60 * 1_000;

impl Archiver {
    /// Removes the side records of all games that were archived more than an hour ago, and the due
    /// times of games that are over. Returns the number of these records.
    ///
    /// # Errors
    /// [`ArchivingError`]: the next call continues.
    pub async fn remove_leftovers(&self) -> Result<usize, ArchivingError> {
        let mut removed = 0;
        for kind in [&PROOF, &RATED, &REMATCH] {
            let mut scan = Scan::new(&*self.store, kind.all()?);
            while let Some(records) = scan.next().await? {
                for (key, value) in records {
                    let Some(game) = kind.game(&key) else { continue };
                    match self.is_needless(kind, game, &value).await {
                        Ok(true) => removed += usize::from(self.remove(key, value).await?),
                        Ok(false) => {}
                        Err(error) if error.is_damage() => {
                            tracing::warn!(%game, %error, "a record of an archived game stays, because it cannot be compared");
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        Ok(removed + self.remove_due_times().await?)
    }

    /// Removes the due times of games that are over.
    async fn remove_due_times(&self) -> Result<usize, StoreError> {
        let mut running = HashSet::new();
        let mut scan = Scan::new(&*self.store, LIVE.all()?);
        while let Some(records) = scan.next().await? {
            running.extend(records.iter().filter_map(|(key, _)| LIVE.game(key)));
        }
        let mut removed = 0;
        let soon = FLAGS.under([&time16(self.store.now().plus_ms(SOON_MS))])?;
        let mut scan = Scan::new(&*self.store, FLAGS.all()?).after(soon);
        while let Some(records) = scan.next().await? {
            for (key, _) in records {
                let Some(game) = FLAGS.game(&key).filter(|game| !running.contains(game)) else { continue };
                // The game may have begun after the running games were read.
                let writes = vec![Write::Delete { key }];
                removed += usize::from(write_if(&*self.store, LIVE.key([&game])?, None, writes).await?);
            }
        }
        Ok(removed)
    }

    async fn remove(&self, key: Key, value: Vec<u8>) -> Result<bool, StoreError> {
        let writes = vec![Write::Delete { key: key.clone() }];
        write_if(&*self.store, key, Some(value), writes).await
    }

    /// True if the game is archived, and everything in this record is stored elsewhere too.
    async fn is_needless(
        &self,
        kind: &RecordKind<1>,
        game: GameId,
        value: &[u8],
    ) -> Result<bool, ArchivingError> {
        if self.store.head(game).await? != Head::START || self.store.guard(game).await?.is_some() {
            return Ok(false);
        }
        // Keep the record of a game that is not in the archive, for example of an erased game.
        let Some(log) = self.archive.read(game).await? else { return Ok(false) };
        if kind.name == PROOF.name {
            return Ok(log.signature.as_ref() == Some(&parse::<RecordSignature>(value, "a signature")?));
        }
        Ok(kind.name == REMATCH.name || self.is_in_histories(&parse(value, "a change")?).await?)
    }

    /// True if the players' histories contain the same rating change, or if both players have
    /// deleted their accounts.
    async fn is_in_histories(&self, change: &RatingChange) -> Result<bool, ArchivingError> {
        let finished = match finished(&self.all, change.game).await {
            Ok(Some(finished)) => finished,
            Ok(None) | Err(TableError::NotFound | TableError::TooNew | TableError::Quarantined) => {
                return Ok(false);
            }
            Err(error) => return Err(StoreError::Unavailable { why: error.to_string() }.into()),
        };
        let mut gone = 0;
        for side in Side::BOTH {
            let key = GONE.key([&finished.players[side].id])?;
            gone += usize::from(self.store.get(key).await?.is_some());
        }
        Ok(gone == 2 || change_of(&self.all, change.game, &finished).await?.as_ref() == Some(change))
    }
}
