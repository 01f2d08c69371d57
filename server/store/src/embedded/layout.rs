//! What lies where in the database, byte by byte. Numbers inside keys are big-endian, so that keys sort by them.

use flagfall_board::{GameId, Stamp};

pub(super) use crate::encoding::{
    entry_value, head_value, parse_entry, parse_head, parse_record, record_value, stamp_entry,
};
use crate::value::Key;

/// The version of everything in this file. Another layout gets another number.
pub(super) const SCHEMA: u64 = 1;

/// What lies where. The numbers are those the database gives its keyspaces, for they are made in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Space {
    /// Schema, epoch, number of the last commit, quarantines.
    Meta = 1,
    /// The entries of all games.
    Logs = 2,
    /// The head of every game.
    Heads = 3,
    /// The side records.
    Records = 4,
    /// Which records expire when.
    Expiries = 5,
}

impl Space {
    /// All of them, in the order in which they are made.
    pub(super) const ALL: [Space; 5] =
        [Space::Meta, Space::Logs, Space::Heads, Space::Records, Space::Expiries];

    /// The name of its keyspace.
    pub(super) fn name(self) -> &'static str {
        match self {
            Space::Meta => "meta",
            Space::Logs => "logs",
            Space::Heads => "heads",
            Space::Records => "records",
            Space::Expiries => "expiries",
        }
    }

    pub(super) fn from_id(id: u64) -> Option<Space> {
        Space::ALL.into_iter().find(|space| *space as u64 == id)
    }
}

/// A row that a commit writes, or removes.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) space: Space,
    pub(super) key: Vec<u8>,
    /// None for a row that is removed.
    pub(super) value: Option<Vec<u8>>,
}

impl Row {
    pub(super) fn put(space: Space, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Row {
        Row { space, key: key.into(), value: Some(value.into()) }
    }

    pub(super) fn remove(space: Space, key: impl Into<Vec<u8>>) -> Row {
        Row { space, key: key.into(), value: None }
    }

    /// The row that tells the number of a commit. Each commit begins with it.
    pub(super) fn of_commit(commit: u64, at: Stamp) -> Row {
        Row::put(Space::Meta, META_COMMIT, commit_value(commit, at))
    }
}

/// Keys in the keyspace `meta`.
pub(super) const META_SCHEMA: &[u8] = b"schema";
pub(super) const META_EPOCH: &[u8] = b"epoch";
pub(super) const META_COMMIT: &[u8] = b"commit";
pub(super) const META_QUARANTINE: &[u8] = b"quarantine/";

/// Where an entry lies in the keyspace `logs`: the game, then the number.
pub(super) fn entry_key(game: GameId, seq: u64) -> Vec<u8> {
    let mut key = Vec::with_capacity(game.as_str().len() + 8);
    key.extend_from_slice(game.as_str().as_bytes());
    key.extend_from_slice(&seq.to_be_bytes());
    key
}

/// The game in an entry's key.
pub(super) fn entry_game(key: &[u8]) -> Option<GameId> {
    let (game, _) = key.split_last_chunk::<8>()?;
    parse_game(game)
}

/// The game in the key of a head.
pub(super) fn parse_game(key: &[u8]) -> Option<GameId> {
    std::str::from_utf8(key).ok()?.parse().ok()
}

/// The number in an entry's key.
pub(super) fn entry_seq(key: &[u8]) -> Option<u64> {
    key.last_chunk().copied().map(u64::from_be_bytes)
}

/// A key of the keyspace `expiries`: when, then which record.
pub(super) fn expiry_key(expires: Stamp, key: &Key) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + key.as_bytes().len());
    bytes.extend_from_slice(&expires.0.to_be_bytes());
    bytes.extend_from_slice(key.as_bytes());
    bytes
}

pub(super) fn parse_expiry_key(bytes: &[u8]) -> Option<(Stamp, &[u8])> {
    let (expires, key) = bytes.split_first_chunk::<8>()?;
    Some((Stamp(u64::from_be_bytes(*expires)), key))
}

/// The record of the last commit: its number and its stamp.
pub(super) fn commit_value(commit: u64, at: Stamp) -> [u8; 16] {
    let mut value = [0; 16];
    value[..8].copy_from_slice(&commit.to_le_bytes());
    value[8..].copy_from_slice(&at.0.to_le_bytes());
    value
}

pub(super) fn parse_commit(value: &[u8]) -> Option<(u64, Stamp)> {
    let (commit, at) = value.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*commit), Stamp(parse_number(at)?)))
}

pub(super) fn parse_number(value: &[u8]) -> Option<u64> {
    value.try_into().ok().map(u64::from_le_bytes)
}

/// Where a game's quarantine is noted in the keyspace `meta`.
pub(super) fn quarantine_key(game: GameId) -> Vec<u8> {
    [META_QUARANTINE, game.as_str().as_bytes()].concat()
}

pub(super) fn parse_quarantine_key(key: &[u8]) -> Option<GameId> {
    std::str::from_utf8(key.strip_prefix(META_QUARANTINE)?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Hash, Head, SecretBytes};

    #[test]
    fn what_is_written_reads_back() {
        let game = GameId::from_random([7; 12]);
        let key = Key::new("players/x").unwrap();
        let head = Head { seq: 9, hash: Hash([3; 32]) };
        let mut value = entry_value(head.hash, &SecretBytes::new(vec![1, 2]));
        stamp_entry(&mut value, Stamp(77));
        assert_eq!(parse_entry(&value), Some((Stamp(77), head.hash, &[1, 2][..])));
        assert_eq!(entry_seq(&entry_key(game, 258)), Some(258));
        assert_eq!(entry_game(&entry_key(game, 258)), Some(game));
        assert_eq!(parse_head(&head_value(head)), Some(head));
        assert_eq!(parse_record(&record_value(b"v", Some(Stamp(5)))), Some((&b"v"[..], Some(Stamp(5)))));
        assert_eq!(parse_record(&record_value(b"", None)), Some((&b""[..], None)));
        assert_eq!(parse_expiry_key(&expiry_key(Stamp(5), &key)), Some((Stamp(5), key.as_bytes())));
        assert_eq!(parse_commit(&commit_value(4, Stamp(6))), Some((4, Stamp(6))));
        assert_eq!(parse_quarantine_key(&quarantine_key(game)), Some(game));
    }

    #[test]
    fn what_is_too_short_is_nothing() {
        for length in 0..8 {
            let bytes = vec![1; length];
            assert_eq!(parse_entry(&bytes), None);
            assert_eq!(parse_head(&bytes), None);
            assert_eq!(parse_record(&bytes), None);
            assert_eq!(parse_expiry_key(&bytes), None);
            assert_eq!(parse_commit(&bytes), None);
            assert_eq!(parse_number(&bytes), None);
            assert_eq!(entry_seq(&bytes), None);
            assert_eq!(parse_quarantine_key(&bytes), None);
        }
    }

    #[test]
    fn spaces_are_known_by_their_ids() {
        for space in Space::ALL {
            assert_eq!(Space::from_id(space as u64), Some(space));
        }
        assert_eq!((Space::from_id(0), Space::from_id(6)), (None, None));
    }

    #[test]
    fn entries_sort_by_number() {
        let game = GameId::from_random([7; 12]);
        assert!(entry_key(game, 255) < entry_key(game, 256));
    }
}
