//! The content of a frame: the change that one request makes to the store, encoded with postcard.
//!
//! The frame's tag says which kind of change it contains. A request is stored completely or not
//! at all, because the frame's checksum covers the whole request.

use flagfall_board::{GameId, Stamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    Entries { game: GameId, entries: Vec<Link>, writes: Vec<Write> },
    /// Contains copies of entries from an older segment, made by a compaction.
    Moved { game: GameId, entries: Vec<Link> },
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

impl Link {
    pub(super) fn head(&self) -> Head {
        Head { seq: self.entry.seq, hash: self.hash }
    }
}

/// The error for a frame that this program cannot parse. The field is the frame's tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a change of kind {0} that cannot be parsed")]
pub(super) struct UnknownChange(u8);

/// The content of a frame with entries: the game, the number and stamp of the first entry, all
/// entries, and the side records.
type RawEntries<'a> = (GameId, u64, u64, Vec<RawEntry<'a>>, Vec<RawWrite<'a>>);

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
            Change::Moved { .. } => MOVED,
            Change::Records { .. } => RECORDS,
            Change::Epoch(_) => EPOCH,
            Change::Quarantine { .. } => QUARANTINE,
            Change::Release(_) => RELEASE,
            Change::DeleteLog(_) => DELETE_LOG,
        }
    }

    /// Adds the change as a frame to a group. Returns the frame's position and length.
    pub(super) fn push(&self, group: &mut FrameWriter) -> (u64, u32) {
        group.push(self.tag(), |buffer| self.encode(buffer))
    }

    fn encode(&self, buffer: &mut Vec<u8>) {
        match self {
            Change::Moved { game, entries } => encode_entries(*game, entries, &[], buffer),
            Change::Entries { game, entries, writes } => encode_entries(*game, entries, writes, buffer),
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
                let (game, entries, writes) = entries(payload).ok_or(unknown)?;
                Ok(Change::Entries { game, entries, writes })
            }
            MOVED => {
                let (game, entries, _) = entries(payload).ok_or(unknown)?;
                Ok(Change::Moved { game, entries })
            }
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
            Change::Entries { entries, .. } | Change::Moved { entries, .. } => {
                entries.iter().map(|link| link.entry.at).max()
            }
            Change::Records { at, .. } => Some(*at),
            Change::Epoch(_) | Change::Quarantine { .. } | Change::Release(_) | Change::DeleteLog(_) => None,
        }
    }
}

/// Encodes entries in the form of [`RawEntries`]. Copies hashes and bodies as slices, which is
/// faster than serde, because serde would write them byte by byte.
fn encode_entries(game: GameId, entries: &[Link], writes: &[Write], buffer: &mut Vec<u8>) {
    let (first, at) = entries.first().map_or((0, 0), |first| (first.entry.seq, first.entry.at.0));
    put(&(game, first, at, entries.len()), buffer);
    for Link { entry, hash } in entries {
        put(&entry.at.0.saturating_sub(at), buffer);
        buffer.extend_from_slice(&hash.0);
        put(&entry.body.len(), buffer);
        buffer.extend_from_slice(entry.body.expose());
    }
    put_writes(writes, buffer);
}

fn put_writes(writes: &[Write], buffer: &mut Vec<u8>) {
    put(&writes.iter().map(RawWrite::of).collect::<Vec<_>>(), buffer);
}

/// The decoded content of a frame with entries: the game, its entries, and the side records.
type Parts = (GameId, Vec<Link>, Vec<Write>);

fn entries(payload: &[u8]) -> Option<Parts> {
    let (game, first, at, entries, writes): RawEntries<'_> = take(payload)?;
    let link = |(seq, (later, hash, body)): (u64, RawEntry<'_>)| Link {
        entry: StoredEntry {
            seq,
            at: Stamp(at.saturating_add(later)),
            body: SecretBytes::new(body.to_vec()),
        },
        hash: Hash(hash),
    };
    let is_numbered = first > 0 && !entries.is_empty() && first.checked_add(entries.len() as u64).is_some();
    let entries = is_numbered.then(|| (first..).zip(entries).map(link).collect())?;
    Some((game, entries, owned(writes)?))
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
    let written = postcard::to_extend(value, std::mem::take(buffer));
    *buffer = written.unwrap_or_else(|error| unreachable!("written into memory: {error}"));
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
        vec![
            Change::Entries { game, entries: vec![link(9, 50, b"one"), link(10, 70, b"")], writes: vec![] },
            Change::Entries { game, entries: vec![link(1, 1_800_000_000_000, b"a")], writes: writes.clone() },
            Change::Moved { game, entries: vec![link(3, 50, b"one")] },
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
        let entries = vec![Link { entry, hash: Hash([3; 32]) }];
        let bytes = encoded(&Change::Entries { game, entries, writes: Vec::new() });
        assert_eq!(bytes.len() - 36, 51);
    }
}
