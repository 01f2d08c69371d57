//! A small file with the last heartbeat and the acknowledged end of the log.
//!
//! The file is written after each group and with each heartbeat, but not synced. So it survives
//! the end of the process, but it may be out of date after a power cut. Two slots in separate
//! sectors are written alternately, each with its own checksum. Readers use the newer valid slot.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use flagfall_board::Stamp;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::change::{bytes_of, take};
use super::disk;
use super::files::Point;

const SLOT_DISTANCE: u64 = 4096;
/// The size of a slot in bytes. A slot contains a checksum, a length, the content, and at its end
/// the number of the first segment. Versions that do not know this number ignore it and write 0.
const SLOT_BYTES: usize = 64;
const FIRST_AT: usize = SLOT_BYTES - size_of::<u32>();

/// The content of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Signs {
    /// The number of writes so far. The slot with the higher number is the newer one.
    turn: u64,
    /// The number that identifies the store, as in the headers of its segments.
    pub(super) store: u64,
    /// The acknowledged end of the log. Everything before this point is durable.
    pub(super) end: Point,
    pub(super) heartbeat: Stamp,
    /// The number of the first segment of the log; 0 if it is not known.
    #[serde(skip)]
    pub(super) first: u32,
}

pub(super) struct Alive {
    file: File,
    last: Signs,
}

impl Alive {
    /// Reads the file. Returns `None` if it does not exist or has no valid slot.
    pub(super) fn look(path: &Path) -> io::Result<Option<Signs>> {
        let Some(file) = disk::if_there(File::open(path))? else { return Ok(None) };
        let slots = [0, SLOT_DISTANCE].map(|offset| {
            let mut bytes = [0; SLOT_BYTES];
            // A slot that cannot be read is treated like one with a wrong checksum.
            file.read_exact_at(&mut bytes, offset).ok().and_then(|()| decode(&bytes))
        });
        Ok(slots.into_iter().flatten().max_by_key(|signs| signs.turn))
    }

    /// Opens or creates the file, and durably writes this content into both slots.
    pub(super) fn create(
        path: &Path,
        store: u64,
        first: u32,
        end: Point,
        heartbeat: Stamp,
    ) -> io::Result<Alive> {
        let file = disk::open(path, OpenOptions::new().create(true).truncate(false).write(true))?;
        let mut alive = Alive { file, last: Signs { turn: 0, store, end, heartbeat, first } };
        alive.write_durably(alive.last)?;
        Ok(alive)
    }

    /// Durably writes the number of the first segment. The segments before it may then be removed.
    pub(super) fn note_first(&mut self, first: u32) -> io::Result<()> {
        self.write_durably(Signs { first, ..self.last })
    }

    fn write_durably(&mut self, signs: Signs) -> io::Result<()> {
        self.write(signs)?;
        self.write(signs)?;
        disk::sync(&self.file)
    }

    /// Writes the point up to which the log is durable.
    pub(super) fn note_end(&mut self, end: Point) -> io::Result<()> {
        self.write(Signs { end, ..self.last })
    }

    /// Writes the time at which a server was alive.
    pub(super) fn note_heartbeat(&mut self, at: Stamp) -> io::Result<()> {
        self.write(Signs { heartbeat: self.last.heartbeat.max(at), ..self.last })
    }

    fn write(&mut self, signs: Signs) -> io::Result<()> {
        let signs = Signs { turn: self.last.turn + 1, ..signs };
        disk::write_all_at(&self.file, &encode(&signs), (signs.turn % 2) * SLOT_DISTANCE)?;
        // After an error, `last` stays unchanged, so that the next write uses the same slot and
        // the other slot stays valid.
        self.last = signs;
        Ok(())
    }
}

fn encode(signs: &Signs) -> [u8; SLOT_BYTES] {
    let payload = bytes_of(signs);
    let mut bytes = [0; SLOT_BYTES];
    bytes[8] = payload.len() as u8;
    bytes[9..9 + payload.len()].copy_from_slice(&payload);
    bytes[FIRST_AT..].copy_from_slice(&signs.first.to_le_bytes());
    let checksum = xxh3_64(&bytes[8..]);
    bytes[..8].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8; SLOT_BYTES]) -> Option<Signs> {
    let (checksum, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first()?;
    let is_whole = xxh3_64(&bytes[8..]).to_le_bytes() == *checksum;
    let signs: Signs = take(rest.get(..usize::from(*length)).filter(|_| is_whole)?)?;
    Some(Signs { first: u32::from_le_bytes(*bytes.last_chunk()?), ..signs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newer_slot_counts_and_a_damaged_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alive");
        assert_eq!(Alive::look(&path).unwrap(), None);
        let point = |at| Point { segment: 1, at };
        let mut alive = Alive::create(&path, 7, 1, point(24), Stamp(5)).unwrap();
        alive.note_end(point(124)).unwrap();
        alive.note_heartbeat(Stamp(9)).unwrap();
        let signs = Alive::look(&path).unwrap().unwrap();
        assert_eq!((signs.end, signs.heartbeat), (point(124), Stamp(9)));
        let newer = (signs.turn % 2) * SLOT_DISTANCE;
        alive.file.write_all_at(b"x", newer + 10).unwrap();
        let signs = Alive::look(&path).unwrap().unwrap();
        assert_eq!((signs.end, signs.heartbeat), (point(124), Stamp(5)));
        alive.note_first(3).unwrap();
        alive.file.write_all_at(b"x", newer + 10).unwrap();
        let signs = Alive::look(&path).unwrap().unwrap();
        assert_eq!((signs.first, signs.end, signs.heartbeat), (3, point(124), Stamp(9)));
        alive.file.write_all_at(b"x", SLOT_DISTANCE - newer + 10).unwrap();
        assert_eq!(Alive::look(&path).unwrap(), None);
    }

    #[test]
    fn the_largest_signs_fit_into_a_slot() {
        let end = Point { segment: u32::MAX, at: u64::MAX };
        let signs =
            Signs { turn: u64::MAX, store: u64::MAX, end, heartbeat: Stamp(u64::MAX), first: u32::MAX };
        assert_eq!(decode(&encode(&signs)), Some(signs));
        assert!(9 + bytes_of(&signs).len() <= FIRST_AT);
    }
}
