//! The mirror: every commit a second time, in files beside the database.
//!
//! The newest appends of all games lie in one journal, so damage there would touch them all. What the mirror has whole
//! is taken from it; and its list of what a commit wrote, with a checksum for each row, tells which games and records
//! suffer when both copies are damaged.
//!
//! A commit is mirrored when it is durable, and while those it answers go on. The mirror is not synced: after a killed process
//! it may lack the last commit, after a power cut the last seconds; it is never ahead of the journal. When the store is opened the mirror is written anew from
//! the journals, and segments that lie wholly before the oldest journal are deleted as it grows.
//!
//! A segment is a file named after its first commit. A commit in it is a list (mark, commit, count of rows, for each row
//! its space, lengths and checksum, and a checksum of all that), then the rows' bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::journal;
use super::layout::{Row, Space};
use super::precheck::entries;

/// A segment that is longer gets a successor.
const SEGMENT_BYTES: u64 = 16 * 1024 * 1024;
const MARK: &[u8; 8] = b"flagmir1";
/// Mark, commit, count of rows.
const LIST_HEADER: usize = 8 + 8 + 4;
/// Space, length of key, length of value, checksum.
const LIST_ROW: usize = 1 + 2 + 4 + 8;
const CHECK_LENGTH: usize = 8;
/// The length of a value that is none: the row is removed.
const REMOVED: u32 = u32::MAX;
/// No commit of ours has more rows: a group's entries, heads, records and expiries.
const ROWS_MAX: u32 = 16 * 1024 * 1024;

/// The mirror as it grows.
pub(super) struct Mirror {
    folder: PathBuf,
    database: PathBuf,
    file: File,
    length: u64,
    /// The segments by their first commits, the newest last.
    segments: Vec<u64>,
    /// A commit, ready to be written.
    prepared: Vec<u8>,
}

impl Mirror {
    /// Begins a mirror in an empty or new folder, for the commits from this one on.
    pub(super) fn begin(folder: &Path, database: &Path, first_commit: u64) -> io::Result<Mirror> {
        fs::create_dir_all(folder)?;
        Ok(Mirror {
            file: segment(folder, first_commit)?,
            folder: folder.to_owned(),
            database: database.to_owned(),
            length: 0,
            segments: vec![first_commit],
            prepared: Vec::new(),
        })
    }

    /// Where it lies from now on, for it was moved.
    pub(super) fn moved_to(self, folder: &Path) -> Mirror {
        Mirror { folder: folder.to_owned(), ..self }
    }

    /// Makes a commit ready, before its rows are given away.
    pub(super) fn prepare(&mut self, commit: u64, rows: &[Row]) {
        encode(commit, rows, &mut self.prepared);
    }

    /// Writes what was made ready. When that fails the next commit takes its place.
    pub(super) fn write(&mut self, commit: u64) -> io::Result<()> {
        if self.length >= SEGMENT_BYTES {
            self.file = segment(&self.folder, commit)?;
            self.length = 0;
            self.segments.push(commit);
            self.forget()?;
        }
        self.file.write_all_at(&self.prepared, self.length)?;
        self.length += self.prepared.len() as u64;
        Ok(())
    }

    /// Deletes the segments that end before the oldest journal begins.
    fn forget(&mut self) -> io::Result<()> {
        let Some(needed) = journal::first_commit(&self.database)? else { return Ok(()) };
        while let [oldest, next, ..] = self.segments[..]
            && next <= needed
        {
            fs::remove_file(self.folder.join(name(oldest)))?;
            self.segments.remove(0);
        }
        Ok(())
    }
}

fn name(first_commit: u64) -> String {
    format!("{first_commit}.mirror")
}

fn segment(folder: &Path, first_commit: u64) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(true).write(true).open(folder.join(name(first_commit)))
}

fn encode(commit: u64, rows: &[Row], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend_from_slice(MARK);
    bytes.extend_from_slice(&commit.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(rows.len()).unwrap_or(u32::MAX).to_le_bytes());
    let list_at = bytes.len();
    bytes.resize(list_at + rows.len() * LIST_ROW + CHECK_LENGTH, 0);
    for (number, row) in rows.iter().enumerate() {
        let begin = bytes.len();
        bytes.extend_from_slice(&row.key);
        bytes.extend_from_slice(row.value.as_deref().unwrap_or_default());
        let check = xxh3_64(&bytes[begin..]);
        let listed = Listed::of(row, check).encode();
        bytes[list_at + number * LIST_ROW..][..LIST_ROW].copy_from_slice(&listed);
    }
    let check_at = list_at + rows.len() * LIST_ROW;
    let check = xxh3_64(&bytes[..check_at]).to_le_bytes();
    bytes[check_at..check_at + CHECK_LENGTH].copy_from_slice(&check);
}

/// What the list of a commit says of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Listed {
    pub(super) space: Space,
    key_length: u16,
    value_length: u32,
    check: u64,
}

impl Listed {
    fn of(row: &Row, check: u64) -> Listed {
        Listed {
            space: row.space,
            key_length: u16::try_from(row.key.len()).unwrap_or(u16::MAX),
            value_length: row
                .value
                .as_ref()
                .map_or(REMOVED, |value| u32::try_from(value.len()).unwrap_or(REMOVED - 1)),
            check,
        }
    }

    /// Whether this is the row that was listed.
    pub(super) fn is(&self, row: &Row) -> bool {
        let bytes = [&row.key[..], row.value.as_deref().unwrap_or_default()].concat();
        *self == Listed::of(row, xxh3_64(&bytes))
    }

    fn length(&self) -> usize {
        usize::from(self.key_length)
            + if self.value_length == REMOVED { 0 } else { self.value_length as usize }
    }

    fn encode(&self) -> [u8; LIST_ROW] {
        let mut bytes = [0; LIST_ROW];
        bytes[0] = self.space as u8;
        bytes[1..3].copy_from_slice(&self.key_length.to_le_bytes());
        bytes[3..7].copy_from_slice(&self.value_length.to_le_bytes());
        bytes[7..].copy_from_slice(&self.check.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Listed> {
        let ([space], rest) = bytes.split_first_chunk::<1>()?;
        let (key_length, rest) = rest.split_first_chunk()?;
        let (value_length, check) = rest.split_first_chunk()?;
        Some(Listed {
            space: Space::from_id((*space).into())?,
            key_length: u16::from_le_bytes(*key_length),
            value_length: u32::from_le_bytes(*value_length),
            check: u64::from_le_bytes(check.try_into().ok()?),
        })
    }

    /// The row in these bytes, if it is what was listed.
    fn row(&self, bytes: &[u8]) -> Option<Row> {
        let (key, value) = bytes.split_at_checked(self.key_length.into())?;
        let value = (self.value_length != REMOVED).then(|| value.to_vec());
        let row = Row { space: self.space, key: key.to_vec(), value };
        (xxh3_64(bytes) == self.check).then_some(row)
    }
}

/// Where the mirror has a commit.
pub(super) struct MirroredCommit {
    pub(super) commit: u64,
    path: PathBuf,
    begin: u64,
    listed: Vec<Listed>,
}

impl MirroredCommit {
    /// Its rows as listed; those that are damaged are missing.
    pub(super) fn rows(&self) -> io::Result<Vec<(Listed, Option<Row>)>> {
        let length: usize = self.listed.iter().map(Listed::length).sum();
        let mut bytes = vec![0; length];
        let file = File::open(&self.path)?;
        let found = read_up_to(&file, &mut bytes, self.begin)?;
        bytes.truncate(found);
        let mut at = 0;
        let row = |listed: &Listed| {
            let row = bytes.get(at..at + listed.length()).and_then(|bytes| listed.row(bytes));
            at += listed.length();
            (*listed, row)
        };
        Ok(self.listed.iter().map(row).collect())
    }
}

fn read_up_to(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    let mut found = 0;
    while found < bytes.len() {
        match file.read_at(&mut bytes[found..], at + found as u64) {
            Ok(0) => break,
            Ok(count) => found += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// What lies in a mirror.
#[derive(Default)]
pub(super) struct Reflection {
    /// The commit it begins with, by the name of its oldest segment.
    pub(super) first_commit: Option<u64>,
    /// The commits whose lists can be read, in order.
    pub(super) commits: Vec<MirroredCommit>,
}

impl Reflection {
    /// Looks through all segments.
    pub(super) fn of(folder: &Path) -> io::Result<Reflection> {
        let mut reflection = Reflection::default();
        for (first_commit, path) in segments(folder)? {
            reflection.first_commit.get_or_insert(first_commit);
            look_through(&path, &mut reflection.commits)?;
        }
        reflection.commits.sort_by_key(|found| found.commit);
        Ok(reflection)
    }

    /// The newest commit it knows of.
    pub(super) fn last_commit(&self) -> Option<u64> {
        self.commits.last().map(|found| found.commit)
    }
}

fn segments(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let number = |path: PathBuf| {
        let first_commit = path.file_name()?.to_str()?.strip_suffix(".mirror")?.parse().ok()?;
        Some((first_commit, path))
    };
    let mut found: Vec<(u64, PathBuf)> = entries(folder)?.into_iter().filter_map(number).collect();
    found.sort();
    Ok(found)
}

fn look_through(path: &Path, found: &mut Vec<MirroredCommit>) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let mut at = 0;
    while let Some(offset) = find(bytes.get(at..).unwrap_or_default(), MARK) {
        at += offset;
        match parse_list(&bytes[at..]) {
            Some((commit, listed)) => {
                let begin = at + LIST_HEADER + listed.len() * LIST_ROW + CHECK_LENGTH;
                at = begin + listed.iter().map(Listed::length).sum::<usize>();
                found.push(MirroredCommit { commit, path: path.to_owned(), begin: begin as u64, listed });
            }
            None => at += 1,
        }
    }
    Ok(())
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

fn parse_list(bytes: &[u8]) -> Option<(u64, Vec<Listed>)> {
    let commit = u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
    let count = u32::from_le_bytes(*bytes.get(16..)?.first_chunk()?);
    if count > ROWS_MAX {
        return None;
    }
    let end = LIST_HEADER + count as usize * LIST_ROW;
    let list = bytes.get(LIST_HEADER..end)?;
    let check = u64::from_le_bytes(*bytes.get(end..)?.first_chunk()?);
    if xxh3_64(&bytes[..end]) != check {
        return None;
    }
    Some((commit, list.chunks_exact(LIST_ROW).map(Listed::decode).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str, value: Option<&str>) -> Row {
        Row { space: Space::Records, key: text.into(), value: value.map(Into::into) }
    }

    fn sample(commit: u64) -> Vec<Row> {
        vec![row("a", Some(&format!("value {commit}"))), row("gone", None), row("empty", Some(""))]
    }

    fn filled(folder: &Path) {
        let mut mirror = Mirror::begin(folder, folder, 5).unwrap();
        for commit in 5..9 {
            mirror.prepare(commit, &sample(commit));
            mirror.write(commit).unwrap();
        }
    }

    fn found(folder: &Path) -> Vec<(u64, usize)> {
        let whole = |found: &MirroredCommit| {
            let rows: Vec<Row> = found.rows().unwrap().into_iter().filter_map(|(_, row)| row).collect();
            assert!(rows.iter().all(|row| sample(found.commit).contains(row)));
            (found.commit, rows.len())
        };
        Reflection::of(folder).unwrap().commits.iter().map(whole).collect()
    }

    #[test]
    fn what_is_written_is_found() {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path());
        assert_eq!(found(folder.path()), [(5, 3), (6, 3), (7, 3), (8, 3)]);
        assert_eq!(Reflection::of(folder.path()).unwrap().first_commit, Some(5));
    }

    #[test]
    fn a_flipped_byte_costs_at_most_the_commit_it_lies_in() {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path());
        let path = folder.path().join(name(5));
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0x20;
            fs::write(&path, broken).unwrap();
            let found = found(folder.path());
            let rows: usize = found.iter().map(|(_, rows)| rows).sum();
            assert!(rows == 11 || (rows == 9 && found.len() == 3), "byte {at}: {found:?}");
        }
    }

    #[test]
    fn a_file_cut_short_keeps_what_is_ahead() {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path());
        let path = folder.path().join(name(5));
        let bytes = fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let found = found(folder.path());
            let whole = length / (bytes.len() / 4);
            assert!(
                found.len() >= whole && found[..whole].iter().all(|(_, rows)| *rows == 3),
                "{length}: {found:?}"
            );
        }
    }
}
