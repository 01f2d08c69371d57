//! The notes: the position of each group since the last checkpoint, and the number of the last
//! entry that the group added to each game.
//!
//! Without the notes, damage to the newest part of the log would not show which games have lost
//! entries there. Missing notes are detected, because each group begins where the previous one
//! ended. The notes are written after each group but not synced. So they survive the end of the
//! process, but they may be incomplete after a power cut. Each checkpoint begins a new file of
//! notes. When the checkpoint is complete, the older files are removed.
//!
//! A file is a sequence of notes. Each note consists of its length (4 bytes), a checksum (8
//! bytes), and the content in postcard.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use flagfall_board::GameId;
use xxhash_rust::xxh3::xxh3_64;

use super::change::{put, take};
use super::disk;
use super::files::Point;

const PREFIX: &str = "notes-";
const PREFIX_BYTES: usize = 12;

/// The number of the last entry of each game; 0 for a deleted log.
pub(super) type Heads = HashMap<GameId, u64>;

/// A note: the beginning and the end of a group, and the numbers of the last entries that the
/// group added to games. If a game is listed more than once, the last number counts.
type Note = (Point, Point, Vec<(GameId, u64)>);

/// The list of games and entry numbers in a note. Each item is encoded as soon as it is added.
#[derive(Default)]
pub(super) struct GroupHeads {
    count: usize,
    encoded: Vec<u8>,
}

impl GroupHeads {
    pub(super) fn push(&mut self, game: GameId, seq: u64) {
        self.count += 1;
        put(&(game, seq), &mut self.encoded);
    }

    /// Removes everything, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.encoded.clear();
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Noted {
    pub(super) heads: Heads,
    /// The beginning of the first group, and the end of the last group.
    span: Option<(Point, Point)>,
    /// True if a note is damaged or missing.
    has_gap: bool,
}

impl Noted {
    /// True if the notes cover every group from one point to another. Without `to`, the notes may
    /// end at any point.
    pub(super) fn are_complete(&self, from: Point, to: Option<Point>) -> bool {
        let (first, last) = self.span.unwrap_or((from, from));
        !self.has_gap && first <= from && to.is_none_or(|to| to <= last)
    }

    /// Returns the end of the last group.
    pub(super) fn end(&self) -> Option<Point> {
        self.span.map(|(_, end)| end)
    }

    fn add(&mut self, (from, to, heads): Note) {
        let (first, last) = self.span.unwrap_or((from, from));
        self.has_gap |= last != from;
        self.span = Some((first, to));
        self.heads.extend(heads);
    }
}

pub(super) struct Notes {
    folder: PathBuf,
    pub(super) number: u64,
    file: File,
    length: u64,
}

impl Notes {
    /// Reads all files of notes in this folder, in order. Returns `None` if there are none.
    /// Reading a file stops at the first damaged note.
    pub(super) fn look(folder: &Path) -> io::Result<Option<Noted>> {
        let numbers = numbers(folder)?;
        let mut noted = Noted::default();
        for number in &numbers {
            let bytes = fs::read(path(folder, *number))?;
            let mut rest = &bytes[..];
            while let Some((note, after)) = first_note(rest) {
                noted.add(note);
                rest = after;
            }
            noted.has_gap |= !rest.is_empty();
        }
        Ok((!numbers.is_empty()).then_some(noted))
    }

    /// Begins a new file, whose number is higher than those of the existing files.
    pub(super) fn begin(folder: &Path) -> io::Result<Notes> {
        let number = numbers(folder)?.last().copied().unwrap_or(0) + 1;
        Ok(Notes { folder: folder.to_owned(), number, file: create(folder, number)?, length: 0 })
    }

    /// Begins the next file, and returns the number of the previous one.
    pub(super) fn turn(&mut self) -> io::Result<u64> {
        self.file = create(&self.folder, self.number + 1)?;
        (self.number, self.length) = (self.number + 1, 0);
        Ok(self.number - 1)
    }

    /// Adds a note about the group between these points. After an error, the note may be in the
    /// file; [`cut`](Self::cut) removes it.
    pub(super) fn add(&mut self, from: Point, to: Point, heads: &GroupHeads) -> io::Result<()> {
        let mut note = vec![0; PREFIX_BYTES];
        put(&(from, to, heads.count), &mut note);
        note.extend_from_slice(&heads.encoded);
        let length = u32::try_from(note.len() - PREFIX_BYTES).unwrap_or(u32::MAX);
        let checksum = xxh3_64(&note[PREFIX_BYTES..]);
        note[..4].copy_from_slice(&length.to_le_bytes());
        note[4..PREFIX_BYTES].copy_from_slice(&checksum.to_le_bytes());
        disk::write_all_at(&self.file, &note, self.length)?;
        self.length += note.len() as u64;
        Ok(())
    }

    /// Cuts off what was written of a note when adding it failed. After an error, the note may
    /// still be in the file.
    pub(super) fn cut(&self) -> io::Result<()> {
        self.file.set_len(self.length)
    }
}

pub(super) fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(numbers(folder)?.into_iter().map(|number| path(folder, number)).collect())
}

/// Removes the files up to this number, because a checkpoint has made them unnecessary.
pub(super) fn remove_until(folder: &Path, last: u64) -> io::Result<()> {
    let numbers = numbers(folder)?;
    numbers
        .into_iter()
        .filter(|number| *number <= last)
        .try_for_each(|number| fs::remove_file(path(folder, number)))
}

fn create(folder: &Path, number: u64) -> io::Result<File> {
    disk::open(&path(folder, number), OpenOptions::new().create_new(true).write(true))
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

fn first_note(bytes: &[u8]) -> Option<(Note, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<8>()?;
    let (note, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let parsed = take(note).filter(|_| xxh3_64(note).to_le_bytes() == *checksum)?;
    Some((parsed, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u8) -> GameId {
        GameId::from_random([number; 12])
    }

    fn point(at: u64) -> Point {
        Point { segment: 1, at }
    }

    fn heads<const N: usize>(heads: [(GameId, u64); N]) -> GroupHeads {
        let mut list = GroupHeads::default();
        heads.into_iter().for_each(|(game, seq)| list.push(game, seq));
        list
    }

    #[test]
    fn the_last_note_of_a_game_counts() {
        let folder = tempfile::tempdir().unwrap();
        let look = || Notes::look(folder.path()).unwrap();
        let known = || look().unwrap().heads;
        assert_eq!(look(), None);
        let mut notes = Notes::begin(folder.path()).unwrap();
        assert_eq!(look(), Some(Noted::default()));
        notes.add(point(0), point(1), &heads([(game(1), 3), (game(2), 1), (game(1), 4)])).unwrap();
        let before = notes.turn().unwrap();
        notes.add(point(1), point(2), &heads([(game(1), 0)])).unwrap();
        let mut notes = Notes::begin(folder.path()).unwrap();
        notes.add(point(2), point(3), &heads([(game(3), 7)])).unwrap();
        assert_eq!(known(), Heads::from([(game(1), 0), (game(2), 1), (game(3), 7)]));
        remove_until(folder.path(), before).unwrap();
        assert_eq!(known(), Heads::from([(game(1), 0), (game(3), 7)]));
    }

    #[test]
    fn a_note_that_is_not_whole_ends_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut notes = Notes::begin(folder.path()).unwrap();
        notes.add(point(0), point(1), &heads([(game(1), 4)])).unwrap();
        let first = fs::metadata(path(folder.path(), 1)).unwrap().len() as usize;
        notes.add(point(1), point(2), &heads([(game(2), 1)])).unwrap();
        let path = path(folder.path(), 1);
        let bytes = fs::read(&path).unwrap();
        for cut in first..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let noted = Notes::look(folder.path()).unwrap().unwrap();
            assert_eq!(noted.heads, Heads::from([(game(1), 4)]), "{cut}");
            assert_eq!(noted.are_complete(point(0), Some(point(1))), cut == first, "{cut}");
        }
    }

    #[test]
    fn notes_tell_whether_they_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        let are_complete = |from, to: Option<u64>| {
            let noted = Notes::look(folder.path()).unwrap().unwrap();
            noted.are_complete(point(from), to.map(point))
        };
        let mut notes = Notes::begin(folder.path()).unwrap();
        assert!(are_complete(5, None) && are_complete(5, Some(5)) && !are_complete(5, Some(6)));
        notes.add(point(5), point(7), &heads([])).unwrap();
        notes.turn().unwrap();
        notes.add(point(7), point(9), &heads([])).unwrap();
        assert!(are_complete(5, Some(9)) && are_complete(6, None));
        assert!(!are_complete(4, Some(9)) && !are_complete(5, Some(10)));
        notes.add(point(10), point(11), &heads([])).unwrap();
        assert!(!are_complete(5, Some(9)), "a group lies between the last two");
    }
}
