//! The content of the log as rows. There is one row for each game, with the positions of the
//! game's entries, and one row for each side record.
//!
//! A layer contains the rows that have changed since a point in the log. Its rows override older
//! rows in a deeper layer or in the database.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use flagfall_board::{GameId, Stamp};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::change::{Change, Entries, bytes_of, put};
use super::files::Place;
use crate::store::Write;
use crate::value::{Hash, Head, Key};

/// A frame with entries of a game: the number of its first entry, and its place.
pub(super) type EntriesAt = (u64, Place);

/// The maximum number of earlier rows that a row continues, directly or through other rows.
const DEPTH_MAX: usize = 8;
/// The maximum length of an encoded frame of a row.
const ENCODED_BYTES_MAX: usize = 25;
/// The smallest number of bytes by which the buffer with the encoded frames grows.
const GROWTH_MIN: usize = 64;
/// The bytes of a frame with one expiring record, without the record's key and value. If fewer
/// bytes were counted, compacting small records would seem to free space again and again.
pub(super) const FRAME_BYTES: usize = 26;

/// The row of a game: its head, and the frames that contain its entries, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameRow {
    pub(super) head: Head,
    /// A row with earlier frames. It is shared with a checkpoint or a reader, so new frames
    /// cannot be added to it, and copying it would cost more the longer the game is.
    earlier: Option<Arc<GameRow>>,
    /// The frames after those of `earlier`, encoded as in the database, because that takes a
    /// third of the memory. There are four numbers for each frame. The first two are the entry
    /// number and the segment, as differences from the previous frame. The others are the frame's
    /// position and length.
    encoded: Vec<u8>,
    count: usize,
    last: EntriesAt,
}

/// Decodes the frames of a row.
#[derive(Default)]
struct Frames<'a> {
    rest: &'a [u8],
    /// The parts of the encoded frames that come after `rest`, last part first.
    later: Vec<&'a [u8]>,
    last: EntriesAt,
}

impl Iterator for Frames<'_> {
    type Item = EntriesAt;

    fn next(&mut self) -> Option<EntriesAt> {
        while self.rest.is_empty() {
            self.rest = self.later.pop()?;
        }
        let ((entries, segments, at, length), rest): ((u64, u32, u32, u32), _) =
            postcard::take_from_bytes(self.rest).ok()?;
        let (first, Place { segment, .. }) = self.last;
        let place = Place { segment: segment.wrapping_add(segments), at, length };
        (self.rest, self.last) = (rest, (first.wrapping_add(entries), place));
        Some(self.last)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct RecordRow {
    pub(super) value: Box<[u8]>,
    pub(super) expires: Option<Stamp>,
    pub(super) place: Place,
}

/// The beginning of a game's row in the database: the head, and the number of frames.
type RawHead = (u64, [u8; 32], usize);

impl GameRow {
    fn new(head: Head, frames: impl IntoIterator<Item = EntriesAt>) -> GameRow {
        let mut row =
            GameRow { head, earlier: None, encoded: Vec::new(), count: 0, last: EntriesAt::default() };
        frames.into_iter().for_each(|frame| row.push(frame));
        row
    }

    /// Returns a row with the same frames to which more frames can be added.
    fn continuing(row: &Arc<GameRow>) -> GameRow {
        let &GameRow { head, count, last, .. } = &**row;
        let mut parts = row.parts();
        let (earlier, encoded) = match parts.len() {
            0..DEPTH_MAX => (Some(row.clone()), Vec::new()),
            _ => {
                parts.reverse();
                (None, parts.concat())
            }
        };
        GameRow { head, earlier, encoded, count, last }
    }

    /// Returns the encoded frames of this row and of the rows that it continues, last part first.
    fn parts(&self) -> Vec<&[u8]> {
        let rows = std::iter::successors(Some(self), |row| row.earlier.as_deref());
        rows.map(|row| &row.encoded[..]).collect()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let head: RawHead = (self.head.seq, self.head.hash.0, self.count);
        let mut bytes = bytes_of(&head);
        self.parts().iter().rev().for_each(|part| bytes.extend_from_slice(part));
        bytes
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<GameRow> {
        let ((seq, hash, count), encoded): (RawHead, _) = postcard::take_from_bytes(bytes).ok()?;
        let mut frames = Frames { rest: encoded, ..Frames::default() };
        let last = frames.nth(count.checked_sub(1)?)?;
        let head = Head { seq, hash: Hash(hash) };
        let earlier = None;
        frames.rest.is_empty().then(|| GameRow { head, earlier, encoded: encoded.to_vec(), count, last })
    }

    pub(super) fn frames(&self) -> impl Iterator<Item = EntriesAt> {
        Frames { later: self.parts(), ..Frames::default() }
    }

    /// Returns the frame that contains an entry, and all later frames. Returns no frames if the
    /// log has no such entry.
    pub(super) fn frames_from(&self, seq: u64) -> impl Iterator<Item = EntriesAt> {
        let is_there = (1..=self.head.seq).contains(&seq);
        let begun = self.frames().take_while(|(first, _)| is_there && *first <= seq).count();
        self.frames().skip(begun.checked_sub(1).unwrap_or(self.count))
    }

    fn push(&mut self, (first, place): EntriesAt) {
        let (before, Place { segment, .. }) = self.last;
        let later = (first.wrapping_sub(before), place.segment.wrapping_sub(segment));
        if self.encoded.capacity() - self.encoded.len() < ENCODED_BYTES_MAX {
            // Doubling the buffer would leave much of the memory of long games unused.
            self.encoded.reserve_exact((self.encoded.len() / 4).max(GROWTH_MIN));
        }
        put(&(later.0, later.1, place.at, place.length), &mut self.encoded);
        (self.count, self.last) = (self.count + 1, (first, place));
    }

    /// Adds a frame with these entries. The frame replaces a frame with the same first entry; in
    /// that case, returns the place of the replaced frame.
    fn add(&mut self, &Entries { first, head, .. }: &Entries, place: Place) -> Option<Place> {
        let mut before = None;
        // New entries are almost always at the end of the log.
        if first > self.last.0 {
            self.push((first, place));
        } else {
            let mut frames: Vec<EntriesAt> = self.frames().collect();
            match frames.binary_search_by_key(&first, |(first, _)| *first) {
                Ok(at) => before = Some(std::mem::replace(&mut frames[at].1, place)),
                Err(at) => frames.insert(at, (first, place)),
            }
            *self = GameRow::new(self.head, frames);
        }
        if head.seq > self.head.seq {
            self.head = head;
        }
        before
    }
}

impl RecordRow {
    /// Returns the approximate number of bytes that the record takes up in the log.
    pub(super) fn log_bytes(&self, key: &Key) -> i64 {
        (key.as_bytes().len() + self.value.len() + FRAME_BYTES) as i64
    }

    /// True if the record has not expired at this time.
    pub(super) fn is_alive(&self, now: Stamp) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

/// The changed rows. `None` means that the row was removed.
#[derive(Clone, Default, Debug)]
pub(super) struct Layer {
    pub(super) games: FxHashMap<GameId, Option<Arc<GameRow>>>,
    pub(super) records: BTreeMap<Key, Option<Arc<RecordRow>>>,
    pub(super) quarantines: BTreeMap<GameId, Option<String>>,
    pub(super) epoch: Option<u64>,
    /// The latest time at which a server was alive, as far as the changes show.
    pub(super) at: Stamp,
    /// The length of the part of the log that these rows come from, in bytes.
    pub(super) bytes: u64,
    /// The approximate number of bytes in the log that these rows need, minus the bytes that the
    /// replaced rows needed.
    pub(super) live: i64,
}

impl Layer {
    /// Applies a change that was written at this place. If this layer has no row for the game,
    /// `below` returns the row from a deeper layer or the database. Returns a gap if the entries
    /// do not follow the last known entry.
    pub(super) fn apply<E>(
        &mut self,
        change: Change,
        place: Place,
        below: impl FnOnce(GameId) -> Result<Option<Arc<GameRow>>, E>,
    ) -> Result<Result<(), Gap>, E> {
        self.at = self.at.max(change.at().unwrap_or_default());
        self.bytes += u64::from(place.length);
        match change {
            Change::Entries { entries, writes } => {
                let added = self.add(&entries, place, below)?;
                self.write(writes, place);
                return Ok(added);
            }
            Change::Moved(entries) => return self.add(&entries, place, below),
            Change::Records { writes, .. } => self.write(writes, place),
            Change::Epoch(epoch) => self.epoch = Some(epoch),
            Change::Quarantine { game, reason } => {
                self.quarantines.insert(game, Some(reason));
            }
            Change::Release(game) => {
                self.quarantines.insert(game, None);
            }
            Change::DeleteLog(game) => {
                let row = match self.games.insert(game, None) {
                    Some(row) => row,
                    None => below(game)?,
                };
                let frames = row.iter().flat_map(|row| row.frames());
                let lengths = frames.map(|(_, place)| i64::from(place.length));
                self.live -= lengths.sum::<i64>();
                self.quarantines.insert(game, None);
            }
        }
        Ok(Ok(()))
    }

    fn add<E>(
        &mut self,
        entries: &Entries,
        place: Place,
        below: impl FnOnce(GameId) -> Result<Option<Arc<GameRow>>, E>,
    ) -> Result<Result<(), Gap>, E> {
        let Entries { game, first, .. } = *entries;
        let row = match self.games.entry(game) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(below(game)?),
        };
        let next = row.as_ref().map_or(0, |row| row.head.seq) + 1;
        let row = row.get_or_insert_with(|| Arc::new(GameRow::new(Head::START, [])));
        if Arc::strong_count(row) > 1 {
            *row = Arc::new(GameRow::continuing(row));
        }
        let before = Arc::make_mut(row).add(entries, place);
        self.live += i64::from(place.length) - before.map_or(0, |before| i64::from(before.length));
        Ok(if before.is_some() || first == next { Ok(()) } else { Err(Gap { game, from: next }) })
    }

    fn write(&mut self, writes: Vec<Write>, place: Place) {
        for write in writes {
            let (key, row) = match write {
                Write::Put { key, value, expires } => {
                    (key, Some(Arc::new(RecordRow { value: value.into(), expires, place })))
                }
                Write::Delete { key } => (key, None),
            };
            self.live += row.as_ref().map_or(0, |row| row.log_bytes(&key));
            if let Some(Some(before)) = self.records.insert(key.clone(), row) {
                self.live -= before.log_bytes(&key);
            }
        }
    }
}

/// A place in the log where the entries of a game are not in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Gap {
    pub(super) game: GameId,
    /// The number of the entry that should have come next.
    pub(super) from: u64,
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::change::{Link, take};
    use super::*;
    use crate::store::StoredEntry;
    use crate::value::SecretBytes;

    fn place(at: u32) -> Place {
        Place { segment: 3, at, length: 100 }
    }

    fn some(game: GameId, first: u64, count: usize) -> Entries {
        let link = |seq| Link {
            entry: StoredEntry { seq, at: Stamp(seq), body: SecretBytes::new(vec![]) },
            hash: Hash([seq as u8; 32]),
        };
        Entries::new(game, (first..).take(count).map(link).collect::<Vec<_>>().into_iter())
    }

    fn entries(game: GameId, first: u64, count: usize) -> Change {
        Change::Entries { entries: some(game, first, count), writes: vec![] }
    }

    fn apply(layer: &mut Layer, change: Change, at: u32) -> Result<(), Gap> {
        let Ok(applied) = layer.apply(change, place(at), |_| Ok::<_, Infallible>(None));
        applied
    }

    #[test]
    fn rows_are_read_back() {
        let head = Head { seq: 9, hash: Hash([3; 32]) };
        let next_segment = Place { segment: 4, ..place(24) };
        let row = GameRow::new(head, [(1, place(300)), (4, place(400)), (9, next_segment)]);
        let encoded = row.encode();
        let frames = [[1, 3, 172, 2, 100], [3, 0, 144, 3, 100]].concat();
        assert_eq!(encoded, [&[9][..], &[3; 32], &[3], &frames, &[5, 1, 24, 100]].concat());
        assert_eq!(GameRow::parse(&encoded), Some(row));
        for length in 0..encoded.len() {
            assert_eq!(GameRow::parse(&encoded[..length]), None);
        }
        assert_eq!(GameRow::parse(&[&encoded[..], &[0]].concat()), None);
        let row = RecordRow { value: b"v"[..].into(), expires: Some(Stamp(5)), place: place(24) };
        assert_eq!(take(&bytes_of(&row)), Some(row));
        assert_eq!(take::<RecordRow>(b""), None);
    }

    #[test]
    fn rows_take_little_memory() {
        let row = GameRow::new(Head::START, (1..500).map(|seq| (seq, place(seq as u32 * 300))));
        assert!(row.encoded.capacity() <= row.encoded.len() * 5 / 4 + GROWTH_MIN);
        let counts_of_arc = 2 * size_of::<usize>();
        assert!(size_of::<RecordRow>() + counts_of_arc <= 64, "a size class of the allocator");
    }

    #[test]
    fn a_row_that_is_shared_is_continued() {
        let game = GameId::from_random([7; 12]);
        let (mut layer, mut shared) = (Layer::default(), Vec::new());
        for seq in 1..=3 * DEPTH_MAX as u64 {
            assert_eq!(apply(&mut layer, entries(game, seq, 1), seq as u32), Ok(()));
            let row = layer.games[&game].clone().unwrap();
            let frames: Vec<EntriesAt> = (1..=seq).map(|seq| (seq, place(seq as u32))).collect();
            assert_eq!(row.frames().collect::<Vec<_>>(), frames);
            assert_eq!(row.encode(), GameRow::new(row.head, frames).encode());
            assert!(row.parts().len() <= DEPTH_MAX);
            shared.push(row);
        }
    }

    #[test]
    fn every_entry_is_found_in_its_frame() {
        let game = GameId::from_random([7; 12]);
        let mut layer = Layer::default();
        assert_eq!(apply(&mut layer, entries(game, 1, 1), 24), Ok(()));
        assert_eq!(apply(&mut layer, entries(game, 2, 3), 124), Ok(()));
        assert_eq!(apply(&mut layer, entries(game, 5, 1), 224), Ok(()));
        let row = layer.games[&game].clone().unwrap();
        assert_eq!(row.head, Head { seq: 5, hash: Hash([5; 32]) });
        let frames: Vec<Vec<u64>> =
            (0..=6).map(|seq| row.frames_from(seq).map(|(first, _)| first).collect()).collect();
        let [all, last_two] = [vec![1, 2, 5], vec![2, 5]];
        assert_eq!(frames, [&[][..], &all, &last_two, &last_two, &last_two, &[5], &[]]);
        assert_eq!((layer.at, layer.bytes), (Stamp(5), 300));
    }

    #[test]
    fn a_gap_is_noticed() {
        let game = GameId::from_random([7; 12]);
        let mut layer = Layer::default();
        assert_eq!(apply(&mut layer, entries(game, 1, 2), 24), Ok(()));
        assert_eq!(apply(&mut layer, entries(game, 4, 1), 124), Err(Gap { game, from: 3 }));
        let mut layer = Layer::default();
        assert_eq!(apply(&mut layer, entries(game, 2, 1), 24), Err(Gap { game, from: 1 }));
    }

    #[test]
    fn a_frame_that_was_moved_is_found_at_its_new_place() {
        let game = GameId::from_random([7; 12]);
        let moved = |first, count| Change::Moved(some(game, first, count));
        let mut layer = Layer::default();
        apply(&mut layer, entries(game, 1, 2), 24).unwrap();
        apply(&mut layer, entries(game, 3, 2), 124).unwrap();
        let head = layer.games[&game].clone().unwrap().head;
        assert_eq!(apply(&mut layer, moved(1, 2), 900), Ok(()));
        let row = layer.games[&game].clone().unwrap();
        assert_eq!(*row, GameRow::new(head, [(1, place(900)), (3, place(124))]));
        assert_eq!(layer.live, 200);
        // This layer is built from a log after a compaction. The segment with the first entries
        // is gone, and the copies of these entries come last.
        let mut layer = Layer::default();
        assert_eq!(apply(&mut layer, entries(game, 3, 2), 124), Err(Gap { game, from: 1 }));
        assert_eq!(apply(&mut layer, moved(1, 2), 900), Err(Gap { game, from: 5 }));
        let row = layer.games[&game].clone().unwrap();
        assert_eq!(*row, GameRow::new(head, [(1, place(900)), (3, place(124))]));
    }

    #[test]
    fn a_deleted_log_hides_what_lies_below() {
        let game = GameId::from_random([7; 12]);
        let mut layer = Layer::default();
        apply(&mut layer, Change::DeleteLog(game), 24).unwrap();
        assert_eq!(layer.games.get(&game), Some(&None));
        assert_eq!(apply(&mut layer, entries(game, 1, 1), 124), Ok(()), "the id can be used again");
    }
}
