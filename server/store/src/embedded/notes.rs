//! What was acknowledged since the last checkpoint: for each append its game and last entry.
//!
//! The notes are written after each group and not synced. They survive the end of the process, and
//! after a power cut they may be behind. They are there for damage to the newest part of the log:
//! without them nothing would tell which games have lost entries there. A new file is begun with
//! each checkpoint, and the older ones go when it is complete.
//!
//! A file is a row of notes: length (4), checksum (8), and the pairs of game and number in
//! postcard.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flagfall_board::GameId;
use xxhash_rust::xxh3::xxh3_64;

use super::change::{put, take};

const PREFIX: &str = "notes-";
const PREFIX_BYTES: usize = 12;

/// The number of the last entry of each game; 0 for a log that was deleted.
pub(super) type Noted = HashMap<GameId, u64>;

/// What a note says.
type Heads = Vec<(GameId, u64)>;

/// The notes that are being written.
pub(super) struct Notes {
    folder: PathBuf,
    number: u64,
    file: File,
}

impl Notes {
    /// What the files in this folder say, in their order; `None` if there are none. Reading a file
    /// ends at the first note that is not whole.
    pub(super) fn look(folder: &Path) -> io::Result<Option<Noted>> {
        let numbers = numbers(folder)?;
        let mut noted = Noted::new();
        for number in &numbers {
            let bytes = fs::read(path(folder, *number))?;
            let mut rest = &bytes[..];
            while let Some((heads, after)) = first_note(rest) {
                noted.extend(heads);
                rest = after;
            }
        }
        Ok((!numbers.is_empty()).then_some(noted))
    }

    /// Begins a file after those that are there.
    pub(super) fn begin(folder: &Path) -> io::Result<Notes> {
        let number = numbers(folder)?.last().copied().unwrap_or(0) + 1;
        Ok(Notes { folder: folder.to_owned(), number, file: create(folder, number)? })
    }

    /// Removes the files before this one: a checkpoint holds what they are for.
    pub(super) fn remove_earlier(&self) -> io::Result<()> {
        remove_until(&self.folder, self.number - 1)
    }

    /// Begins the next file, and returns the number of the one before it.
    pub(super) fn turn(&mut self) -> io::Result<u64> {
        self.file = create(&self.folder, self.number + 1)?;
        self.number += 1;
        Ok(self.number - 1)
    }

    /// Adds a note.
    pub(super) fn add(&mut self, heads: &[(GameId, u64)]) -> io::Result<()> {
        if heads.is_empty() {
            return Ok(());
        }
        let mut note = vec![0; PREFIX_BYTES];
        put(&heads, &mut note);
        let length = u32::try_from(note.len() - PREFIX_BYTES).unwrap_or(u32::MAX);
        let checksum = xxh3_64(&note[PREFIX_BYTES..]);
        note[..4].copy_from_slice(&length.to_le_bytes());
        note[4..PREFIX_BYTES].copy_from_slice(&checksum.to_le_bytes());
        self.file.write_all(&note)
    }
}

/// The files with notes in this folder.
pub(super) fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(numbers(folder)?.into_iter().map(|number| path(folder, number)).collect())
}

/// Removes the files up to this number: a checkpoint holds what they are for.
pub(super) fn remove_until(folder: &Path, last: u64) -> io::Result<()> {
    let numbers = numbers(folder)?;
    numbers
        .into_iter()
        .filter(|number| *number <= last)
        .try_for_each(|number| fs::remove_file(path(folder, number)))
}

fn create(folder: &Path, number: u64) -> io::Result<File> {
    OpenOptions::new().create_new(true).append(true).open(path(folder, number))
}

fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number}"))
}

fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse().ok());
        numbers.extend::<Option<u64>>(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn first_note(bytes: &[u8]) -> Option<(Heads, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<8>()?;
    let (note, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let heads = take(note).filter(|_| xxh3_64(note).to_le_bytes() == *checksum)?;
    Some((heads, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u8) -> GameId {
        GameId::from_random([number; 12])
    }

    #[test]
    fn the_last_note_of_a_game_counts() {
        let folder = tempfile::tempdir().unwrap();
        let look = || Notes::look(folder.path()).unwrap();
        assert_eq!(look(), None);
        let mut notes = Notes::begin(folder.path()).unwrap();
        assert_eq!(look(), Some(Noted::new()));
        notes.add(&[(game(1), 4), (game(2), 1)]).unwrap();
        let before = notes.turn().unwrap();
        notes.add(&[(game(1), 0)]).unwrap();
        let mut notes = Notes::begin(folder.path()).unwrap();
        notes.add(&[(game(3), 7)]).unwrap();
        assert_eq!(look(), Some(Noted::from([(game(1), 0), (game(2), 1), (game(3), 7)])));
        remove_until(folder.path(), before).unwrap();
        assert_eq!(look(), Some(Noted::from([(game(1), 0), (game(3), 7)])));
    }

    #[test]
    fn a_note_that_is_not_whole_ends_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut notes = Notes::begin(folder.path()).unwrap();
        notes.add(&[(game(1), 4)]).unwrap();
        notes.add(&[(game(2), 1)]).unwrap();
        let path = path(folder.path(), 1);
        let bytes = fs::read(&path).unwrap();
        for cut in bytes.len() / 2..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            assert_eq!(Notes::look(folder.path()).unwrap(), Some(Noted::from([(game(1), 4)])), "{cut}");
        }
    }
}
