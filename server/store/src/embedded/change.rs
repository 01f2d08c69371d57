//! The content of a frame: the change that one request makes to the store, encoded with postcard.
//!
//! The frame's tag says which kind of change it contains. A request is stored completely or not
//! at all, because the frame's checksum covers the whole request.

use flagfall_board::{GameId, Stamp};
use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::files::Place;
use crate::segment::FrameWriter;
use crate::store::{StoredEntry, Write};
use crate::value::{Hash, Head, Key, SecretBytes};

const ENTRIES: u8 = 1;
const RECORDS: u8 = 2;
pub(super) const EPOCH: u8 = 3;
const QUARANTINE: u8 = 4;
const RELEASE: u8 = 5;
const DELETE_LOG: u8 = 6;
const MOVED: u8 = 7;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// Adds at least one entry to a log, and changes side records.
    Entries { entries: Entries, writes: Vec<Write> },
    /// Contains copies of entries from an older segment, made by a compaction.
    Moved(Entries),
    /// Changes side records, and shows that a server was alive at the time `at`.
    Records { at: Stamp, writes: Vec<Write> },
    /// Begins a new epoch.
    Epoch(u64),
    /// Puts a damaged game into quarantine.
    Quarantine { game: GameId, reason: String },
    /// Lifts a quarantine. Older logs may contain this change, but this version does not write
    /// it.
    Release(GameId),
    /// Deletes a log.
    DeleteLog(GameId),
}

/// An entry, with the hash of the log's chain after that entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Link {
    pub(super) entry: StoredEntry,
    pub(super) hash: Hash,
}

/// The error for a frame that this program cannot parse. The field is the frame's tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a change of kind {0} that cannot be parsed")]
pub(super) struct UnknownChange(u8);

/// At least one entry of a game, without gaps. They are encoded by the caller, so that the writer
/// only copies bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entries {
    pub(super) game: GameId,
    /// The number of the first entry.
    pub(super) first: u64,
    /// The stamp of the first entry.
    at: Stamp,
    /// The latest stamp of the entries.
    pub(super) latest: Stamp,
    /// The head of the log after these entries.
    pub(super) head: Head,
    /// The entries, as they are encoded in a frame.
    encoded: SecretBytes,
}

/// The beginning of a frame with entries: the game, and the number and stamp of the first entry.
/// A list of [`RawEntry`] and a list of [`RawWrite`] follow.
type RawStart = (GameId, u64, u64);

/// An entry in a frame: the milliseconds between its stamp and that of the first entry, the hash,
/// and the body.
type RawEntry<'a> = (u64, [u8; 32], &'a [u8]);

#[derive(Serialize, Deserialize)]
enum RawWrite<'a> {
    Put { key: &'a [u8], value: &'a [u8], expires: Option<u64> },
    Delete { key: &'a [u8] },
}

impl<'a> RawWrite<'a> {
    fn of(write: &'a Write) -> RawWrite<'a> {
        match write {
            Write::Put { key, value, expires } => {
                RawWrite::Put { key: key.as_bytes(), value, expires: expires.map(|expires| expires.0) }
            }
            Write::Delete { key } => RawWrite::Delete { key: key.as_bytes() },
        }
    }

    fn into_write(self) -> Option<Write> {
        let key = |key: &[u8]| Key::new(key).ok();
        Some(match self {
            RawWrite::Put { key: named, value, expires } => {
                Write::Put { key: key(named)?, value: value.to_vec(), expires: expires.map(Stamp) }
            }
            RawWrite::Delete { key: named } => Write::Delete { key: key(named)? },
        })
    }
}

impl Change {
    const fn tag(&self) -> u8 {
        match self {
            Change::Entries { .. } => ENTRIES,
            Change::Moved(_) => MOVED,
            Change::Records { .. } => RECORDS,
            Change::Epoch(_) => EPOCH,
            Change::Quarantine { .. } => QUARANTINE,
            Change::Release(_) => RELEASE,
            Change::DeleteLog(_) => DELETE_LOG,
        }
    }

    /// Adds the change as a frame to a group. Returns the frame's place in the log.
    pub(super) fn push(&self, group: &mut FrameWriter) -> Place {
        push_frame(group, self.tag(), |buffer| self.encode(buffer))
    }

    fn encode(&self, buffer: &mut Vec<u8>) {
        match self {
            Change::Moved(entries) => entries.encode(&[], buffer),
            Change::Entries { entries, writes } => entries.encode(writes, buffer),
            Change::Records { at, writes } => {
                put(&at.0, buffer);
                put_writes(writes, buffer);
            }
            Change::Epoch(epoch) => put(epoch, buffer),
            Change::Quarantine { game, reason } => put(&(game, reason), buffer),
            Change::Release(game) | Change::DeleteLog(game) => put(game, buffer),
        }
    }

    pub(super) fn parse(tag: u8, payload: &[u8]) -> Result<Change, UnknownChange> {
        let unknown = UnknownChange(tag);
        match tag {
            ENTRIES => {
                let (entries, writes) = Entries::parse(payload).ok_or(unknown)?;
                Ok(Change::Entries { entries, writes })
            }
            MOVED => Entries::parse(payload).map(|(entries, _)| Change::Moved(entries)).ok_or(unknown),
            RECORDS => {
                let (at, writes) = take(payload).ok_or(unknown)?;
                Ok(Change::Records { at: Stamp(at), writes: owned(writes).ok_or(unknown)? })
            }
            EPOCH => take(payload).map(Change::Epoch).ok_or(unknown),
            QUARANTINE => {
                let (game, reason) = take(payload).ok_or(unknown)?;
                Ok(Change::Quarantine { game, reason })
            }
            RELEASE => take(payload).map(Change::Release).ok_or(unknown),
            DELETE_LOG => take(payload).map(Change::DeleteLog).ok_or(unknown),
            _ => Err(unknown),
        }
    }

    /// Returns the latest stamp in the change.
    pub(super) fn at(&self) -> Option<Stamp> {
        match self {
            Change::Entries { entries, .. } | Change::Moved(entries) => Some(entries.latest),
            Change::Records { at, .. } => Some(*at),
            Change::Epoch(_) | Change::Quarantine { .. } | Change::Release(_) | Change::DeleteLog(_) => None,
        }
    }
}

/// The usual length of an encoded entry. Most entries are moves.
const ENTRY_BYTES: usize = 80;

impl Entries {
    pub(super) fn new(game: GameId, links: impl ExactSizeIterator<Item = Link>) -> Entries {
        let mut encoded = Vec::with_capacity(links.len() * ENTRY_BYTES);
        put(&links.len(), &mut encoded);
        let (mut first, mut latest, mut head) = (None, Stamp(0), Head::START);
        for Link { entry: StoredEntry { seq, at, body }, hash } in links {
            let (_, since) = *first.get_or_insert((seq, at));
            // Hash and body are copied as slices, because serde would write them byte by byte.
            put(&at.ms_since(since), &mut encoded);
            encoded.extend_from_slice(&hash.0);
            put(&body.len(), &mut encoded);
            encoded.extend_from_slice(body.expose());
            (latest, head) = (latest.max(at), Head { seq, hash });
        }
        let (first, at) = first.unwrap_or_default();
        Entries { game, first, at, latest, head, encoded: SecretBytes::new(encoded) }
    }

    fn parse(payload: &[u8]) -> Option<(Entries, Vec<Write>)> {
        let ((game, first, at), rest): (RawStart, _) = postcard::take_from_bytes(payload).ok()?;
        let (entries, writes): (Vec<RawEntry<'_>>, _) = postcard::take_from_bytes(rest).ok()?;
        let encoded = SecretBytes::new(rest[..rest.len() - writes.len()].to_vec());
        let (_, hash, _) = entries.last().filter(|_| first > 0)?;
        let head = Head { seq: first.checked_add(entries.len() as u64)? - 1, hash: Hash(*hash) };
        let later = entries.iter().map(|(later, ..)| *later).max().unwrap_or_default();
        let (at, latest) = (Stamp(at), Stamp(at).plus_ms(later));
        Some((Entries { game, first, at, latest, head, encoded }, owned(take(writes)?)?))
    }

    fn encode(&self, writes: &[Write], buffer: &mut Vec<u8>) {
        let start: RawStart = (self.game, self.first, self.at.0);
        put(&start, buffer);
        buffer.extend_from_slice(self.encoded.expose());
        put_writes(writes, buffer);
    }

    /// Stamps all entries. They must all have the same stamp before that.
    pub(super) fn stamp(&mut self, at: Stamp) {
        (self.at, self.latest) = (at, at);
    }

    /// Adds the entries and the changes of side records as one frame to a group. Returns the
    /// frame's place in the log.
    pub(super) fn push(&self, writes: &[Write], group: &mut FrameWriter) -> Place {
        push_frame(group, ENTRIES, |buffer| self.encode(writes, buffer))
    }

    /// Returns the same entries without their bodies, which the index does not need.
    pub(super) fn without_bodies(&self) -> Entries {
        Entries { encoded: SecretBytes::new(Vec::new()), ..*self }
    }

    /// Returns the length of the encoded entries.
    pub(super) fn bytes(&self) -> usize {
        self.encoded.len()
    }

    pub(super) fn decode(&self) -> Vec<Link> {
        let entries: Vec<RawEntry<'_>> = take(self.encoded.expose())
            .unwrap_or_else(|| unreachable!("entries are encoded or checked before they get here"));
        let link = |(seq, (later, hash, body)): (u64, RawEntry<'_>)| Link {
            entry: StoredEntry { seq, at: self.at.plus_ms(later), body: SecretBytes::new(body.to_vec()) },
            hash: Hash(hash),
        };
        (self.first..).zip(entries).map(link).collect()
    }
}

fn push_frame(group: &mut FrameWriter, tag: u8, fill: impl FnOnce(&mut Vec<u8>)) -> Place {
    let (at, length) = group.push(tag, fill);
    Place::of(group.seal().number, at, length)
}

fn put_writes(writes: &[Write], buffer: &mut Vec<u8>) {
    if writes.is_empty() {
        return put(&0_usize, buffer);
    }
    put(&writes.iter().map(RawWrite::of).collect::<Vec<_>>(), buffer);
}

fn owned(writes: Vec<RawWrite<'_>>) -> Option<Vec<Write>> {
    writes.into_iter().map(RawWrite::into_write).collect()
}

pub(super) fn bytes_of<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(value, &mut bytes);
    bytes
}

/// Appends a value to a buffer. This cannot fail, because the buffer is in memory and all types
/// used here can be serialized.
pub(super) fn put<T: Serialize>(value: &T, buffer: &mut Vec<u8>) {
    let written = postcard::serialize_with_flavor(value, Added(buffer));
    written.unwrap_or_else(|error| unreachable!("written into memory: {error}"));
}

/// Adds bytes to a buffer. It copies slices as a whole, while postcard's own flavor for buffers
/// copies them byte by byte.
struct Added<'a>(&'a mut Vec<u8>);

impl Flavor for Added<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Parses a value. Returns `None` if the bytes are not valid or if some are left over.
pub(super) fn take<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Some(value),
        Ok(_) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Change> {
        let game = GameId::from_random([7; 12]);
        let key = |text: &str| Key::new(text).unwrap();
        let link = |seq, at, body: &[u8]| Link {
            entry: StoredEntry { seq, at: Stamp(at), body: SecretBytes::new(body.to_vec()) },
            hash: Hash([seq as u8; 32]),
        };
        let writes = vec![
            Write::Put { key: key("live/x"), value: b"v".to_vec(), expires: Some(Stamp(99)) },
            Write::Put { key: key("k"), value: Vec::new(), expires: None },
            Write::Delete { key: key("gone") },
        ];
        let two = [link(9, 50, b"one"), link(10, 70, b"")];
        let entries = Entries::new(game, two.clone().into_iter());
        assert_eq!(
            (entries.decode(), entries.first, entries.head),
            (two.to_vec(), 9, Head { seq: 10, hash: two[1].hash })
        );
        let later = Entries::new(game, [link(1, 1_800_000_000_000, b"a")].into_iter());
        vec![
            Change::Entries { entries, writes: vec![] },
            Change::Entries { entries: later, writes: writes.clone() },
            Change::Moved(Entries::new(game, [link(3, 50, b"one")].into_iter())),
            Change::Records { at: Stamp(8), writes },
            Change::Epoch(1_800_000_000_000),
            Change::Quarantine { game, reason: "entry 7: it is missing".to_owned() },
            Change::Release(game),
            Change::DeleteLog(game),
        ]
    }

    fn encoded(change: &Change) -> Vec<u8> {
        let mut buffer = vec![0xaa];
        change.encode(&mut buffer);
        assert_eq!(buffer.remove(0), 0xaa, "what was in the buffer stays");
        buffer
    }

    #[test]
    fn changes_are_read_back() {
        for change in samples() {
            assert_eq!(Change::parse(change.tag(), &encoded(&change)), Ok(change));
        }
    }

    #[test]
    fn no_part_of_a_change_and_no_longer_one_is_a_change() {
        for change in samples() {
            let bytes = encoded(&change);
            for length in 0..bytes.len() {
                assert!(Change::parse(change.tag(), &bytes[..length]).is_err(), "{change:?}");
            }
            assert!(Change::parse(change.tag(), &[&bytes[..], b"x"].concat()).is_err());
        }
        for tag in [0, 8, 127] {
            assert_eq!(Change::parse(tag, b"x"), Err(UnknownChange(tag)));
        }
    }

    #[test]
    fn a_plain_append_adds_few_bytes_to_its_body() {
        let game = GameId::from_random([7; 12]);
        let entry =
            StoredEntry { seq: 80, at: Stamp(1_800_000_000_000), body: SecretBytes::new(vec![1; 36]) };
        let entries = Entries::new(game, [Link { entry, hash: Hash([3; 32]) }].into_iter());
        let bytes = encoded(&Change::Entries { entries, writes: Vec::new() });
        assert_eq!(bytes.len() - 36, 51);
    }
}
