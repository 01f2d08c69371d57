//! The database's tables, read by ourselves, block by block: for when the database cannot open them any more.
//!
//! A table is a row of blocks, each with a checksum over its header and one over its data, so whatever is damaged, the
//! blocks beside it can be read. Which tables there are is told by the keyspace's manifest if that is whole; else every
//! file in the folder is taken for one. A row that stands in several tables has its newest version.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::layout::Space;
use super::precheck::{self, entries};

const BLOCK_MARK: &[u8; 4] = b"LSM\x03";
/// Mark, kind, checksum of the data, length of the data as stored and as it was, checksum of all that.
const BLOCK_HEADER: usize = 4 + 1 + 16 + 4 + 4 + 4;
const DATA_BLOCK: u8 = 0;
/// Bytes looked through at a time for the next block behind damage.
const STRIDE: usize = 64 * 1024;
/// What a block of ours may hold at most: a value and its neighbors.
const BLOCK_BYTES_MAX: u32 = 16 * 1024 * 1024;
/// What lies behind a block's rows.
const BLOCK_TRAILER: usize = 31;
const END_OF_ROWS: u8 = 255;
const VALUE: u8 = 0;

/// The rows of a keyspace's tables, in the order of their keys.
pub(super) struct Tables {
    tables: Vec<Table>,
    next: BinaryHeap<Reverse<Version>>,
    is_whole: bool,
}

impl Tables {
    /// Opens the tables of a keyspace.
    pub(super) fn open(database: &Path, keyspace: u64) -> io::Result<Tables> {
        let folder = precheck::keyspace(database, keyspace);
        let listed = precheck::tables(&folder)?;
        let mut found = BTreeSet::new();
        let mut tables = Vec::new();
        for path in entries(&folder.join("tables"))? {
            let number = path.file_name().and_then(|name| name.to_str()?.parse::<u64>().ok());
            if number.is_some_and(|number| listed.as_ref().is_none_or(|listed| listed.contains(&number))) {
                found.extend(number);
                tables.push(Table::open(&path)?);
            }
        }
        // Without a manifest nothing tells how many tables there should be; but none at all are too few.
        let is_whole = listed.map_or_else(|| !tables.is_empty(), |listed| listed.is_subset(&found));
        let mut merged = Tables { tables, next: BinaryHeap::new(), is_whole };
        for table in 0..merged.tables.len() {
            merged.advance(table)?;
        }
        Ok(merged)
    }

    /// Whether nothing was missing, as far as the rows have been read.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole && self.tables.iter().all(|table| !table.is_damaged)
    }

    fn advance(&mut self, table: usize) -> io::Result<()> {
        if let Some((key, seqno, value)) = self.tables[table].next_row()? {
            self.next.push(Reverse(Version { key, seqno: Reverse(seqno), table, value }));
        }
        Ok(())
    }

    /// The newest version of the next key; removed rows are left out.
    pub(super) fn next_row(&mut self) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        while let Some(Reverse(newest)) = self.next.pop() {
            self.advance(newest.table)?;
            while let Some(Reverse(older)) = self.next.peek()
                && older.key == newest.key
            {
                let table = older.table;
                self.next.pop();
                self.advance(table)?;
            }
            if let Some(value) = newest.value {
                return Ok(Some((newest.key, value)));
            }
        }
        Ok(None)
    }
}

/// A row as a table has it; the first of a key is the newest.
#[derive(PartialEq, Eq)]
struct Version {
    key: Vec<u8>,
    seqno: Reverse<u64>,
    table: usize,
    value: Option<Vec<u8>>,
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        (&self.key, self.seqno, self.table).cmp(&(&other.key, other.seqno, other.table))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Key, sequence number, and the value unless the row is removed.
type TableRow = (Vec<u8>, u64, Option<Vec<u8>>);

struct Table {
    file: File,
    length: u64,
    at: u64,
    rows: std::vec::IntoIter<TableRow>,
    /// Behind the blocks of rows lie others.
    has_ended: bool,
    is_damaged: bool,
}

impl Table {
    fn open(path: &Path) -> io::Result<Table> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Table { file, length, at: 0, rows: Vec::new().into_iter(), has_ended: false, is_damaged: false })
    }

    fn next_row(&mut self) -> io::Result<Option<TableRow>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            match self.next_block()? {
                Some(rows) => self.rows = rows.into_iter(),
                None => return Ok(None),
            }
        }
    }

    /// The rows of the next block that is whole.
    fn next_block(&mut self) -> io::Result<Option<Vec<TableRow>>> {
        while self.at < self.length {
            let Some(header) = Header::read(&self.file, self.at)? else {
                self.skip_damage()?;
                continue;
            };
            if header.kind != DATA_BLOCK {
                // Rows come first in a table: there are none behind this.
                self.has_ended = true;
                self.at = self.length;
                break;
            }
            let mut data = vec![0; header.stored_length as usize];
            let is_there = self.file.read_exact_at(&mut data, self.at + BLOCK_HEADER as u64).is_ok();
            self.at += BLOCK_HEADER as u64 + u64::from(header.stored_length);
            match header.rows(&data).filter(|_| is_there) {
                Some(rows) => return Ok(Some(rows)),
                None => self.is_damaged = true,
            }
        }
        self.is_damaged |= !self.has_ended;
        Ok(None)
    }

    fn skip_damage(&mut self) -> io::Result<()> {
        self.is_damaged = true;
        let mut bytes = vec![0; STRIDE];
        let mut from = self.at + 1;
        while from < self.length {
            let found = self.file.read_at(&mut bytes, from)?;
            let marks = bytes[..found].windows(BLOCK_MARK.len()).enumerate();
            for (at, _) in marks.filter(|(_, window)| *window == BLOCK_MARK) {
                if Header::read(&self.file, from + at as u64)?.is_some() {
                    self.at = from + at as u64;
                    return Ok(());
                }
            }
            from += (STRIDE - BLOCK_MARK.len()) as u64;
        }
        self.at = self.length;
        Ok(())
    }
}

struct Header {
    kind: u8,
    checksum: u128,
    stored_length: u32,
    length: u32,
}

impl Header {
    /// The header of the block here, if there is one.
    fn read(file: &File, at: u64) -> io::Result<Option<Header>> {
        let mut bytes = [0; BLOCK_HEADER];
        match file.read_exact_at(&mut bytes, at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            result => result?,
        }
        Ok(Header::parse(&bytes))
    }

    fn parse(bytes: &[u8; BLOCK_HEADER]) -> Option<Header> {
        let rest = bytes.strip_prefix(BLOCK_MARK)?;
        let ([kind], rest) = rest.split_first_chunk::<1>()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (stored_length, rest) = rest.split_first_chunk()?;
        let (length, check) = rest.split_first_chunk()?;
        let told = xxh3_128(&bytes[..BLOCK_HEADER - 4]).to_le_bytes();
        let header = Header {
            kind: *kind,
            checksum: u128::from_le_bytes(*checksum),
            stored_length: u32::from_le_bytes(*stored_length),
            length: u32::from_le_bytes(*length),
        };
        (check == &told[..4] && header.stored_length.max(header.length) <= BLOCK_BYTES_MAX).then_some(header)
    }

    /// The rows of the block's data, if that is whole.
    fn rows(&self, data: &[u8]) -> Option<Vec<TableRow>> {
        if xxh3_128(data) != self.checksum {
            return None;
        }
        // Nothing says whether a block is compressed, but that its length has changed.
        let as_stored = if self.stored_length == self.length { parse_rows(data) } else { None };
        as_stored.or_else(|| {
            let length = usize::try_from(self.length).ok()?;
            parse_rows(&lz4_flex::block::decompress(data, length).ok()?)
        })
    }
}

fn parse_rows(block: &[u8]) -> Option<Vec<TableRow>> {
    let trailer = block.get(block.len().checked_sub(BLOCK_TRAILER)?..)?;
    // Every so many rows a key is written in full; the others share their beginning with it.
    let interval = usize::from(*trailer.first()?).max(1);
    let count = u32::from_le_bytes(*trailer.last_chunk()?) as usize;
    let mut rest = block;
    let mut full_key = Vec::new();
    let mut rows = Vec::new();
    while *rest.first()? != END_OF_ROWS {
        let kind = take(&mut rest, 1)?[0];
        let seqno = take_number(&mut rest)?;
        let is_full = rows.len() % interval == 0;
        let shared = if is_full { 0 } else { usize::try_from(take_number(&mut rest)?).ok()? };
        let own = usize::try_from(take_number(&mut rest)?).ok()?;
        let key = [full_key.get(..shared)?, take(&mut rest, own)?].concat();
        let value = if kind == VALUE {
            let length = usize::try_from(take_number(&mut rest)?).ok()?;
            Some(take(&mut rest, length)?.to_vec())
        } else {
            None
        };
        if is_full {
            full_key.clone_from(&key);
        }
        rows.push((key, seqno, value));
    }
    (rows.len() == count).then_some(rows)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// A number in groups of seven bits, the lowest first.
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Whether every block of rows in the tables of a database can be read.
pub(super) fn are_whole(database: &Path) -> io::Result<bool> {
    for space in Space::ALL {
        let mut tables = Tables::open(database, space as u64)?;
        while tables.next_row()?.is_some() {}
        if !tables.is_whole() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether there is a database here at all.
pub(super) fn are_there(database: &Path) -> bool {
    fs::exists(database.join("keyspaces")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fjall::{Database, KeyspaceCreateOptions};

    use super::*;

    type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

    /// A database whose keyspaces hold these rows in several tables, some compacted into one.
    fn sample(folder: &Path) -> Rows {
        let mut rows = Rows::new();
        let db = Database::builder(folder).open().unwrap();
        for space in Space::ALL {
            db.keyspace(space.name(), KeyspaceCreateOptions::default).unwrap();
        }
        let logs = db.keyspace(Space::Logs.name(), KeyspaceCreateOptions::default).unwrap();
        for round in 0..3_u32 {
            for number in 0..3_000_u32 {
                let key = format!("key {:05}", number * (round + 1)).into_bytes();
                if number % 7 == 3 {
                    logs.remove(&key[..]).unwrap();
                    rows.remove(&key);
                } else {
                    let value = format!("round {round} {}", "x".repeat((number % 200) as usize)).into_bytes();
                    logs.insert(&key[..], &value[..]).unwrap();
                    rows.insert(key, value);
                }
            }
            logs.rotate_memtable_and_wait().unwrap();
            if round == 1 {
                logs.major_compact().unwrap();
            }
        }
        rows
    }

    fn read(folder: &Path) -> (Rows, bool) {
        let mut tables = Tables::open(folder, Space::Logs as u64).unwrap();
        let mut rows = Rows::new();
        while let Some((key, value)) = tables.next_row().unwrap() {
            rows.insert(key, value);
        }
        (rows, tables.is_whole())
    }

    #[test]
    fn all_rows_are_found_with_and_without_a_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let rows = sample(folder.path());
        assert!(rows.len() > 5_000);
        assert!(read(folder.path()) == (rows.clone(), true));
        fs::remove_file(folder.path().join("keyspaces/2/current")).unwrap();
        assert!(read(folder.path()) == (rows, true));
    }

    #[test]
    fn a_damaged_block_costs_its_rows_and_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let rows = sample(folder.path());
        let tables = entries(&folder.path().join("keyspaces/2/tables")).unwrap();
        let table = tables.iter().max_by_key(|path| path.metadata().unwrap().len()).unwrap();
        let bytes = fs::read(table).unwrap();
        let mut damaged = 0;
        for at in (0..bytes.len()).step_by(bytes.len() / 60) {
            let mut broken = bytes.clone();
            broken[at] ^= 4;
            fs::write(table, broken).unwrap();
            let (found, is_whole) = read(folder.path());
            assert!(found.len() + 400 > rows.len(), "byte {at}: {} of {}", found.len(), rows.len());
            assert!(!is_whole || found == rows, "byte {at}");
            damaged += u32::from(!is_whole);
        }
        assert!(damaged > 40, "{damaged}");
        fs::remove_file(table).unwrap();
        assert!(!read(folder.path()).1);
    }
}
