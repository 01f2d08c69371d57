//! Reads the log concurrently with the writer, and checks everything that it reads from the disk.

use std::sync::Arc;

use flagfall_board::{GameId, Stamp};

use super::access_error::AccessError;
use super::change::{Change, Entries, Link};
use super::files::{Place, Segments};
use super::index::Index;
use super::layer::GameRow;
use crate::limits::READ_MAX;
use crate::store::StoredEntry;
use crate::value::{Hash, Head, Key};

#[derive(Clone)]
pub(super) struct Reader {
    pub(super) index: Arc<Index>,
    pub(super) segments: Arc<Segments>,
}

impl Reader {
    /// Returns the entries of a frame. It is an error if they belong to another game or do not
    /// begin with the number `first`.
    fn entries(&self, game: GameId, first: u64, place: Place) -> Result<Vec<Link>, AccessError> {
        let frame = self.segments.frame(place).map_err(|error| AccessError::of_io(&error, first))?;
        let frame = frame.ok_or_else(|| AccessError::damaged(first, "its frame is damaged"))?;
        match Change::parse(frame.tag, &frame.payload) {
            Ok(Change::Entries { entries, .. } | Change::Moved(entries))
                if (entries.game, entries.first) == (game, first) =>
            {
                Ok(entries.decode())
            }
            Ok(_) | Err(_) => Err(AccessError::damaged(first, "its frame holds something else")),
        }
    }

    /// True if the index says that these entries are at this place.
    pub(super) fn is_at(&self, entries: &Entries, place: Place) -> Result<bool, AccessError> {
        let row = self.index.game(entries.game)?;
        Ok(row.is_some_and(|row| row.frames().any(|frame| frame == (entries.first, place))))
    }

    /// Calls `read` with the row of a game. Calls it again if a compaction has moved the game's
    /// entries in the meantime.
    fn with_row<T>(
        &self,
        game: GameId,
        none: T,
        read: impl Fn(&GameRow) -> Result<T, AccessError>,
    ) -> Result<T, AccessError> {
        loop {
            let Some(row) = self.index.game(game)? else { return Ok(none) };
            let found = read(&row);
            let is_stale = || self.index.game(game).is_ok_and(|now| now.as_ref() != Some(&row));
            if !matches!(found, Err(AccessError::Damaged { .. })) || !is_stale() {
                return found;
            }
        }
    }

    /// Returns the chain hash after an entry, as it is stored with the entry.
    fn hash_at(&self, game: GameId, row: &GameRow, seq: u64) -> Result<Hash, AccessError> {
        let Some((first, place)) = row.frames_from(seq).next() else { return Ok(Hash::ZERO) };
        let entries = self.entries(game, first, place)?;
        let link = entries.iter().find(|link| link.entry.seq == seq);
        Ok(link.ok_or_else(|| AccessError::damaged(seq, "it is missing"))?.hash)
    }

    /// Returns the head of a log, after checking that the last entry has the same hash.
    pub(super) fn head(&self, game: GameId) -> Result<Head, AccessError> {
        self.with_row(game, Head::START, |row| {
            if self.hash_at(game, row, row.head.seq)? != row.head.hash {
                return Err(AccessError::damaged(row.head.seq, "its hash is not that of the head"));
            }
            Ok(row.head)
        })
    }

    /// Returns entries of a log, after checking them.
    pub(super) fn read(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<StoredEntry>, AccessError> {
        let limit = limit.min(READ_MAX);
        self.with_row(game, Vec::new(), |row| self.read_row(game, row, after_seq, limit))
    }

    fn read_row(
        &self,
        game: GameId,
        row: &GameRow,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<StoredEntry>, AccessError> {
        let start = after_seq.min(row.head.seq);
        let mut at = Head { seq: start, hash: self.hash_at(game, row, start)? };
        let mut entries = Vec::new();
        for (first, place) in row.frames_from(start + 1) {
            if entries.len() >= limit {
                break;
            }
            if first > at.seq + 1 {
                return Err(AccessError::damaged(at.seq + 1, "it is missing"));
            }
            for Link { entry, hash } in self.entries(game, first, place)? {
                if entry.seq <= at.seq || entries.len() >= limit {
                    continue;
                }
                if at.then(game, &entry.body) != (Head { seq: entry.seq, hash }) {
                    return Err(AccessError::damaged(entry.seq, "its hash does not fit"));
                }
                at = Head { seq: entry.seq, hash };
                entries.push(entry);
            }
        }
        if entries.len() < limit && at != row.head {
            return Err(AccessError::damaged(at.seq + 1, "it is missing"));
        }
        Ok(entries)
    }

    /// Checks a whole log, entry by entry. Returns its head.
    pub(super) fn verify(&self, game: GameId) -> Result<Head, AccessError> {
        let mut after_seq = 0;
        loop {
            match self.read(game, after_seq, READ_MAX)?.last() {
                Some(last) => after_seq = last.seq,
                None => return self.head(game),
            }
        }
    }

    /// Returns the value of a record, unless it has expired at this time.
    pub(super) fn get(&self, key: &Key, now: Stamp) -> Result<Option<Vec<u8>>, AccessError> {
        let row = self.index.record(key)?.filter(|row| row.is_alive(now));
        Ok(row.map(|row| Arc::unwrap_or_clone(row).value.into()))
    }
}
