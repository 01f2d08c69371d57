//! Packed logs of finished games: a compressed string next to a stream that keeps only the last
//! entry. Earlier versions wrote them; this version only reads them, until they are archived.
//!
//! The last entry stays in the stream to protect the log. A server that appends, or that gives
//! entries back after Redis lost data, finds the number and hash of the last entry in the usual
//! place. Later entries are appended to the stream as usual.
//!
//! # Format
//! A packed log begins with a byte for the version and with the head (number and hash). The rest
//! is one block, compressed with LZ4 and preceded by its uncompressed length. For each entry, the
//! block contains the stamp, the length of the body, and the body. Hashes are computed from the
//! bodies; only the last hash is stored, as a check.

use flagfall_board::{GameId, Stamp};
use lz4_flex::block::{decompress, uncompressed_size};

use super::layout::take_piece;
use crate::encoding::parse_head;
use crate::store::StoredEntry;
use crate::value::{Head, SecretBytes};

/// The version of the format.
const FORM: u8 = 1;
/// The maximum size of a log in bytes, which no game reaches. A packed log that claims to be
/// larger is damaged.
const LOG_BYTES_MAX: usize = 64 * 1024 * 1024;
const HEAD_LENGTH: usize = 40;

/// An unpacked log: each entry, with the head after it.
pub(super) struct PackedLog(Vec<(StoredEntry, Head)>);

impl PackedLog {
    /// Returns the head after entry `seq`; [`Head::START`] for 0.
    pub(super) fn head_at(&self, seq: u64) -> Option<Head> {
        match usize::try_from(seq).ok()?.checked_sub(1) {
            None => Some(Head::START),
            Some(at) => self.0.get(at).map(|(_, head)| *head),
        }
    }

    /// Returns the entries after `seq`.
    pub(super) fn after(&self, seq: u64) -> impl Iterator<Item = &(StoredEntry, Head)> {
        self.0.iter().skip(usize::try_from(seq).unwrap_or(usize::MAX))
    }
}

/// Unpacks a log. Returns `None` if its form is not valid, or if the last hash does not match.
pub(super) fn unpack(game: GameId, packed: &[u8]) -> Option<PackedLog> {
    let (form, rest) = packed.split_first()?;
    let (head, compressed) = rest.split_at_checked(HEAD_LENGTH)?;
    let (length, block) = uncompressed_size(compressed).ok()?;
    if *form != FORM || length > LOG_BYTES_MAX {
        return None;
    }
    let bytes = decompress(block, length).ok()?;
    let mut rest = bytes.as_slice();
    let (mut at, mut entries) = (Head::START, Vec::new());
    while !rest.is_empty() {
        let (stamp, after) = rest.split_first_chunk::<8>()?;
        rest = after;
        let body = SecretBytes::new(take_piece(&mut rest)?.to_vec());
        at = at.then(game, &body);
        let stamp = Stamp(u64::from_le_bytes(*stamp));
        entries.push((StoredEntry { seq: at.seq, at: stamp, body }, at));
    }
    (parse_head(head)? == at).then_some(PackedLog(entries))
}

#[cfg(test)]
mod tests {
    use lz4_flex::block::compress_prepend_size;

    use super::*;
    use crate::encoding::head_value;

    fn log(game: GameId, count: u64) -> (Head, Vec<StoredEntry>) {
        let mut head = Head::START;
        let entry = |number: u64| {
            let body = SecretBytes::new(format!("{{\"moved\":{number}}}").into_bytes());
            head = head.then(game, &body);
            StoredEntry { seq: head.seq, at: Stamp(1_700_000_000_000 + number), body }
        };
        let entries = (0..count).map(entry).collect();
        (head, entries)
    }

    /// Packs a log as earlier versions did.
    fn pack(head: Head, entries: &[StoredEntry]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for StoredEntry { seq: _, at, body } in entries {
            bytes.extend_from_slice(&at.0.to_le_bytes());
            bytes.extend_from_slice(&u32::try_from(body.len()).unwrap().to_le_bytes());
            bytes.extend_from_slice(body.expose());
        }
        let mut packed = vec![FORM];
        packed.extend_from_slice(&head_value(head));
        packed.extend_from_slice(&compress_prepend_size(&bytes));
        packed
    }

    #[test]
    fn packed_logs_unpack_byte_for_byte() {
        let game = GameId::from_random([7; 12]);
        for count in [1, 2, 300] {
            let (head, entries) = log(game, count);
            let packed = pack(head, &entries);
            let again = unpack(game, &packed).unwrap();
            assert_eq!(again.after(0).map(|(entry, _)| entry.clone()).collect::<Vec<_>>(), entries);
            assert_eq!((again.head_at(0), again.head_at(count)), (Some(Head::START), Some(head)));
            assert_eq!(again.head_at(count + 1), None);
            assert_eq!(again.after(count).count(), 0);
        }
        let (head, entries) = log(game, 300);
        let bytes: usize = entries.iter().map(|entry| entry.body.len()).sum();
        assert!(pack(head, &entries).len() < bytes);
    }

    #[test]
    fn a_changed_or_cut_packed_log_is_refused_at_every_byte() {
        let game = GameId::from_random([7; 12]);
        let (head, entries) = log(game, 20);
        let packed = pack(head, &entries);
        let is_same = |bytes: &[u8]| {
            let log = unpack(game, bytes)?;
            Some(log.after(0).zip(&entries).all(|((one, _), other)| one.body == other.body))
        };
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x20;
            // Some changes go undetected, because no hash covers the stamps, neither here nor in
            // the log.
            assert_ne!(is_same(&damaged), Some(false), "{at}");
            assert_ne!(is_same(&packed[..at]), Some(false), "{at}");
        }
        assert!(unpack(GameId::from_random([8; 12]), &packed).is_none(), "it is another game's");
    }
}
