//! The witness: a small file beside the database which remembers how much was acknowledged.
//!
//! A journal that ends too early looks like one whose last write was never finished, and the database opens it
//! without a word. So after every commit, once it is durable and before anybody is told, its number is noted
//! here. The note is not synced: it survives the end of the process; after a power cut it may be behind, never
//! ahead, for the kernel gets it only when the commit is on the disk. A database with fewer commits than the
//! witness has seen has therefore lost some.
//!
//! The same file carries the heartbeat. There are two slots a sector apart, written in turn, each with a checksum
//! of its own; the newer valid one counts.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flagfall_board::Stamp;
use sha2::{Digest, Sha256};

const SLOT_DISTANCE: u64 = 4096;
const SLOT_LENGTH: usize = 40;
const MAGIC: &[u8; 8] = b"flagfal1";

/// What the witness says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Testimony {
    /// Counts the notes; the higher of two slots is the newer.
    turn: u64,
    /// The number of the last commit known to be durable.
    pub(super) commit: u64,
    /// The last heartbeat.
    pub(super) heartbeat: Stamp,
}

/// What was found where the witness should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// No file.
    Nothing,
    /// A file that says nothing that can be believed.
    Damage,
    /// A witness.
    Testimony(Testimony),
}

/// The open file.
pub(super) struct Witness {
    file: File,
    last: Testimony,
}

impl Witness {
    /// What the file says, without changing it.
    pub(super) fn look(path: &Path) -> io::Result<Found> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(error),
        };
        let slots = [0, SLOT_DISTANCE].map(|offset| {
            let mut bytes = [0; SLOT_LENGTH];
            // A slot that cannot be read says as little as one whose checksum is wrong.
            file.read_exact_at(&mut bytes, offset).ok().and_then(|()| decode(&bytes))
        });
        Ok(match slots.into_iter().flatten().max_by_key(|testimony| testimony.turn) {
            Some(testimony) => Found::Testimony(testimony),
            None => Found::Damage,
        })
    }

    /// Opens the file, or makes it, and writes this into both slots, durably.
    pub(super) fn create(path: &Path, commit: u64, heartbeat: Stamp) -> io::Result<Witness> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        let mut witness = Witness { file, last: Testimony { turn: 0, commit, heartbeat } };
        witness.write()?;
        witness.write()?;
        witness.file.sync_all()?;
        Ok(witness)
    }

    /// Notes a durable commit.
    pub(super) fn note_commit(&mut self, commit: u64) -> io::Result<()> {
        self.last.commit = commit;
        self.write()
    }

    /// Notes that a server is alive.
    pub(super) fn note_heartbeat(&mut self, at: Stamp) -> io::Result<()> {
        self.last.heartbeat = self.last.heartbeat.max(at);
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        self.last.turn += 1;
        self.file.write_all_at(&encode(&self.last), (self.last.turn % 2) * SLOT_DISTANCE)
    }
}

fn encode(testimony: &Testimony) -> [u8; SLOT_LENGTH] {
    let mut bytes = [0; SLOT_LENGTH];
    bytes[0..8].copy_from_slice(MAGIC);
    bytes[8..16].copy_from_slice(&testimony.turn.to_le_bytes());
    bytes[16..24].copy_from_slice(&testimony.commit.to_le_bytes());
    bytes[24..32].copy_from_slice(&testimony.heartbeat.0.to_le_bytes());
    let check = check(&bytes[..32]);
    bytes[32..].copy_from_slice(&check);
    bytes
}

fn decode(bytes: &[u8; SLOT_LENGTH]) -> Option<Testimony> {
    let number = |at: usize| bytes[at..at + 8].try_into().ok().map(u64::from_le_bytes);
    if bytes[..8] != *MAGIC || bytes[32..] != check(&bytes[..32]) {
        return None;
    }
    Some(Testimony { turn: number(8)?, commit: number(16)?, heartbeat: Stamp(number(24)?) })
}

fn check(bytes: &[u8]) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit_found(path: &Path) -> Option<u64> {
        match Witness::look(path).unwrap() {
            Found::Testimony(testimony) => Some(testimony.commit),
            Found::Nothing | Found::Damage => None,
        }
    }

    #[test]
    fn the_newest_note_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness");
        assert_eq!(Witness::look(&path).unwrap(), Found::Nothing);
        let mut witness = Witness::create(&path, 0, Stamp(5)).unwrap();
        for commit in 1..10 {
            witness.note_commit(commit).unwrap();
            assert_eq!(commit_found(&path), Some(commit));
        }
        witness.note_heartbeat(Stamp(77)).unwrap();
        let Found::Testimony(found) = Witness::look(&path).unwrap() else { panic!("no testimony") };
        assert_eq!((found.commit, found.heartbeat), (9, Stamp(77)));
    }

    #[test]
    fn one_damaged_slot_leaves_the_other_and_two_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness");
        let mut witness = Witness::create(&path, 3, Stamp(5)).unwrap();
        witness.note_commit(4).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for slot in [0, SLOT_DISTANCE as usize] {
            for at in 0..SLOT_LENGTH {
                let mut bytes = whole.clone();
                bytes[slot + at] ^= 0x10;
                std::fs::write(&path, &bytes).unwrap();
                assert!(matches!(commit_found(&path), Some(3 | 4)));
            }
        }
        std::fs::write(&path, b"").unwrap();
        assert_eq!(Witness::look(&path).unwrap(), Found::Damage);
    }
}
