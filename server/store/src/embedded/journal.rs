//! The database's journal, read by ourselves: which commits it holds whole, and where it does not say what was written.
//!
//! The database believes parts of its journal without a check, takes some damage for the journal's end and cuts off what
//! comes after, and for other damage refuses to open at all. So the files are looked at here first, byte by byte, and the
//! database only gets to see journals without a fault. What is whole of a damaged one is read from here.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::layout::{META_COMMIT, Row, Space, parse_commit};
use super::precheck::entries;

const TAG_START: u8 = 1;
const TAG_ITEM: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
const END_MARK: &[u8; 4] = b"FJL\x03";
const VALUE: u8 = 0;
const TOMBSTONE: u8 = 1;
const WEAK_TOMBSTONE: u8 = 2;
const NOT_COMPRESSED: u8 = 0;
const LZ4: u8 = 1;
/// No value of ours is longer.
const VALUE_BYTES_MAX: u32 = 16 * 1024 * 1024;
/// Bytes read at a time.
const CHUNK: usize = 1024 * 1024;
static ZEROS: [u8; CHUNK] = [0; CHUNK];
/// A batch's tag, count of items and sequence number.
const START_LENGTH: usize = 1 + 4 + 8;
/// Bytes at the beginning of a journal in which the number of its first commit is looked for.
const FIRST_LOOK: usize = 4096;

/// A batch that is there from its first byte to its last, its checksum right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Batch {
    seqno: u64,
    /// The number of the commit, 0 for what a new store is made with; none for a batch of another hand.
    pub(super) commit: Option<u64>,
    /// Where its items lie in the file.
    pub(super) items: Range<usize>,
    /// Whether the count of items, which the checksum does not cover, is right.
    has_right_count: bool,
}

/// What a journal consists of.
#[derive(Default)]
struct Journal {
    batches: Vec<Batch>,
    /// Stretches that belong to no batch, but for zeros at the end.
    garbage: Vec<Range<usize>>,
}

/// A batch, and where it lies.
pub(super) struct Placed {
    pub(super) file: usize,
    pub(super) batch: Batch,
}

/// What all journals of a database hold.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) files: Vec<PathBuf>,
    /// The whole batches, in the order in which they were written.
    pub(super) batches: Vec<Placed>,
    /// Stretches of damage: the file, and where in it.
    pub(super) garbage: Vec<(usize, Range<usize>)>,
    /// The first thing that is wrong with what lies ahead of the last whole batch, if something is.
    pub(super) problem: Option<String>,
}

impl Survey {
    /// Reads the journals of this database.
    pub(super) fn of(database: &Path) -> io::Result<Survey> {
        let mut survey = Survey { files: journals(database)?, ..Survey::default() };
        let (mut seqno, mut commit) = (None, None);
        for file in 0..survey.files.len() {
            let journal = read_journal(&read_written(&survey.files[file])?);
            let is_last = file + 1 == survey.files.len();
            let written = journal.batches.last().map_or(0, |batch| batch.items.end);
            if let Some(garbage) = journal.garbage.iter().find(|garbage| !is_last || garbage.start < written)
            {
                survey.note(file, &format!("the bytes {} to {} are damaged", garbage.start, garbage.end));
            }
            if journal.batches.is_empty() && !is_last {
                survey.note(file, "it is empty");
            }
            for batch in journal.batches {
                if !batch.has_right_count || seqno.is_some_and(|before| batch.seqno <= before) {
                    survey.note(
                        file,
                        &format!("the batch before byte {} has a damaged header", batch.items.start),
                    );
                }
                if let (Some(before), Some(number)) = (commit, batch.commit)
                    && number != before + 1
                    && number != 0
                {
                    survey.note(file, &format!("commit {number} comes after commit {before}"));
                }
                seqno = Some(batch.seqno);
                commit = batch.commit.or(commit);
                survey.batches.push(Placed { file, batch });
            }
            survey.garbage.extend(journal.garbage.into_iter().map(|garbage| (file, garbage)));
        }
        Ok(survey)
    }

    fn note(&mut self, file: usize, what: &str) {
        let name = self.files[file].file_name().unwrap_or_default().to_string_lossy();
        self.problem.get_or_insert_with(|| format!("journal {name}: {what}"));
    }

    /// The first commit in the journals.
    pub(super) fn first_commit(&self) -> Option<u64> {
        self.batches.iter().find_map(|placed| placed.batch.commit)
    }

    /// The last commit in the journals.
    pub(super) fn last_commit(&self) -> Option<u64> {
        self.batches.iter().rev().find_map(|placed| placed.batch.commit)
    }

    /// The rows of a batch; none when they cannot be read from here.
    pub(super) fn rows(&self, placed: &Placed) -> io::Result<Option<Vec<Row>>> {
        let mut bytes = vec![0; placed.batch.items.len()];
        File::open(&self.files[placed.file])?.read_exact_at(&mut bytes, placed.batch.items.start as u64)?;
        Ok(rows(&bytes))
    }

    /// Every row that can be made out in the damaged stretches: nothing vouches for any of them.
    pub(super) fn doubtful_rows(&self) -> io::Result<Vec<Row>> {
        let mut found = Vec::new();
        for (file, garbage) in &self.garbage {
            let mut bytes = vec![0; garbage.len()];
            File::open(&self.files[*file])?.read_exact_at(&mut bytes, garbage.start as u64)?;
            let mut at = 0;
            while at < bytes.len() {
                match parse_item(&bytes, at) {
                    Some((row, end)) if bytes[at] == TAG_ITEM => {
                        found.extend(row);
                        at = end;
                    }
                    Some(_) | None => at += 1,
                }
            }
        }
        Ok(found)
    }

    /// Cuts off what lies behind the last whole batch: a write that was never finished. How many bytes that was.
    pub(super) fn cut_torn_tail(&self) -> io::Result<usize> {
        let Some((file, garbage)) = self.garbage.last() else { return Ok(0) };
        let file = File::options().write(true).open(&self.files[*file])?;
        file.set_len(garbage.start as u64)?;
        file.sync_all()?;
        Ok(garbage.len())
    }
}

/// The journals, the oldest first.
pub(super) fn journals(database: &Path) -> io::Result<Vec<PathBuf>> {
    let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jnl");
    let mut found: Vec<PathBuf> = entries(database)?.into_iter().filter(is_journal).collect();
    found.sort_by_key(number);
    Ok(found)
}

/// The number of the first commit in the journals, from a look at the beginning of the oldest.
pub(super) fn first_commit(database: &Path) -> io::Result<Option<u64>> {
    let Some(oldest) = journals(database)?.into_iter().next() else { return Ok(None) };
    let mut bytes = vec![0; FIRST_LOOK];
    let length = File::open(oldest)?.read_at(&mut bytes, 0)?;
    // The writer puts the number ahead of everything else.
    let first = parse_item(&bytes[..length], START_LENGTH);
    Ok(first.and_then(|(row, _)| commit_of(&row?)))
}

/// Where journals of this database go on, once all its journals are gone from it.
pub(super) fn next_journal(database: &Path) -> io::Result<String> {
    let last = journals(database)?.pop();
    let number = last.and_then(|path| path.file_stem()?.to_str()?.parse::<u64>().ok());
    Ok(format!("{}.jnl", number.map_or(0, |number| number + 1)))
}

/// A file without the zeros at its end: the database makes its journals long before it fills them.
fn read_written(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let (mut bytes, mut chunk, mut zeros) = (Vec::new(), vec![0; CHUNK], 0);
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            bytes.truncate(written);
            return Ok(bytes);
        }
        if chunk[..count] == ZEROS[..count] {
            zeros += count;
        } else {
            bytes.resize(bytes.len() + std::mem::take(&mut zeros), 0);
            bytes.extend_from_slice(&chunk[..count]);
        }
    }
}

fn read_journal(bytes: &[u8]) -> Journal {
    let end = bytes.len();
    let mut journal = Journal::default();
    let mut at = 0;
    while at < end {
        if let Some((batch, next)) = parse_batch(bytes, at) {
            journal.batches.push(batch);
            at = next;
            continue;
        }
        let begun = at;
        // A batch whose number nothing tells may be part of something else.
        let next = (begun + 1..end)
            .filter(|at| bytes[*at] == TAG_START)
            .find(|at| parse_batch(bytes, *at).is_some_and(|(batch, _)| batch.commit.is_some()));
        at = next.unwrap_or(end);
        journal.garbage.push(begun..at);
    }
    journal
}

/// The batch that begins here, and where it ends.
fn parse_batch(bytes: &[u8], start: usize) -> Option<(Batch, usize)> {
    if *bytes.get(start)? != TAG_START {
        return None;
    }
    let told = u32::from_le_bytes(take(bytes, start + 1)?);
    let seqno = u64::from_le_bytes(take(bytes, start + 5)?);
    let begin = start + START_LENGTH;
    let (mut at, mut count, mut commit) = (begin, 0, None);
    while *bytes.get(at)? != TAG_END {
        let (row, end) = parse_item(bytes, at)?;
        commit = commit.or(row.as_ref().and_then(commit_of));
        count += 1;
        at = end;
    }
    let checksum = u64::from_le_bytes(take(bytes, at + 1)?);
    let is_whole = take(bytes, at + 9)? == *END_MARK && xxh3_64(&bytes[begin..at]) == checksum;
    let batch = Batch { seqno, commit, items: begin..at, has_right_count: count == told };
    is_whole.then_some((batch, at + 9 + END_MARK.len()))
}

/// The item that begins here and where it ends; no row for what is none of ours, or is compressed.
fn parse_item(bytes: &[u8], at: usize) -> Option<(Option<Row>, usize)> {
    match *bytes.get(at)? {
        TAG_ITEM => {}
        TAG_CLEAR => return (bytes.len() >= at + 9).then_some((None, at + 9)),
        _ => return None,
    }
    let [kind, compression] = take(bytes, at + 1)?;
    let keyspace = u64::from_le_bytes(take(bytes, at + 3)?);
    let key_length = usize::from(u16::from_le_bytes(take(bytes, at + 11)?));
    let length = u32::from_le_bytes(take(bytes, at + 13)?);
    let stored_length = u32::from_le_bytes(take(bytes, at + 17)?) as usize;
    let key = bytes.get(at + 21..)?.get(..key_length)?;
    let value_at = at + 21 + key_length;
    let value = bytes.get(value_at..)?.get(..stored_length)?;
    let value = match (kind, compression) {
        (VALUE, NOT_COMPRESSED) => Some(Some(value.to_vec())),
        (VALUE, LZ4) if length <= VALUE_BYTES_MAX => {
            lz4_flex::block::decompress(value, length as usize).ok().map(Some)
        }
        (TOMBSTONE | WEAK_TOMBSTONE, _) => Some(None),
        _ => None,
    };
    let row = Space::from_id(keyspace).zip(value);
    let row = row.map(|(space, value)| Row { space, key: key.to_vec(), value });
    Some((row, value_at + stored_length))
}

/// The rows of items that lie here without a gap.
fn rows(items: &[u8]) -> Option<Vec<Row>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let is_clear = items[at] == TAG_CLEAR;
        let (row, end) = parse_item(items, at)?;
        if !is_clear {
            found.push(row?);
        }
        at = end;
    }
    Some(found)
}

fn commit_of(row: &Row) -> Option<u64> {
    let value = row.value.as_ref().filter(|_| row.space == Space::Meta && row.key == META_COMMIT)?;
    Some(parse_commit(value)?.0)
}

fn take<const LENGTH: usize>(bytes: &[u8], at: usize) -> Option<[u8; LENGTH]> {
    bytes.get(at..)?.first_chunk().copied()
}
