//! A look at the database's files before the database itself sees them.
//!
//! fjall 3.1 takes three kinds of damage badly, and all are cheap to find from outside:
//!
//! * It believes some lengths before it has checked them, and asks for that much memory: the process is then ended
//!   by its allocator, with no error anybody could read. So lengths that cannot be are refused here.
//! * The sequence number of a journal batch has no checksum. A number that does not rise from batch to batch is
//!   refused here; unnoticed it would let an old value win over a newer one.
//! * A manifest, the list of a keyspace's tables, has a checksum in the file `current`, which is written and never
//!   looked at. Flipped bits there lose tables, or skip batches of the journal, without a word.
//!
//! What this module does not understand it leaves to the database: another version of the format is no damage.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

/// No item of ours is longer; what claims to be is damaged.
const ITEM_BYTES_MAX: u32 = 16 * 1024 * 1024;

const TAG_START: u8 = 1;
const TAG_ITEM: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
/// An item's kind, compression, keyspace, lengths of key, value and stored value.
const ITEM_HEADER: usize = 1 + 1 + 8 + 2 + 4 + 4;
/// A batch's checksum and four letters.
const END_LENGTH: u64 = 8 + 4;

const ARCHIVE_TRAILER: usize = 38;
/// A section's place, length and the length of its name.
const ARCHIVE_SECTION: u64 = 18;

/// What is wrong with the files under this folder, if something is.
pub(super) fn check(database: &Path) -> io::Result<Option<String>> {
    let mut last = None;
    for journal in journals(database)? {
        if let Some(problem) = check_journal(&journal, &mut last)? {
            return Ok(Some(format!("{}: {problem}", journal.display())));
        }
    }
    let keyspaces = database.join("keyspaces");
    for keyspace in entries(&keyspaces)? {
        if let Some(problem) = check_manifest(&keyspace)? {
            return Ok(Some(format!("{}: {problem}", keyspace.display())));
        }
        for archive in entries(&keyspace)?.into_iter().chain(entries(&keyspace.join("tables"))?) {
            if archive.is_file()
                && let Some(problem) = check_archive(&archive)?
            {
                return Ok(Some(format!("{}: {problem}", archive.display())));
            }
        }
    }
    Ok(None)
}

/// What lies in a folder; nothing if it is no folder.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => found.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// The journals, the oldest first.
fn journals(database: &Path) -> io::Result<Vec<PathBuf>> {
    let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jnl");
    let mut found: Vec<PathBuf> = entries(database)?.into_iter().filter(is_journal).collect();
    found.sort_by_key(number);
    Ok(found)
}

/// Follows a journal up to where the database will think that it ends. `last` is the newest sequence number so far.
fn check_journal(path: &Path, last: &mut Option<u64>) -> io::Result<Option<String>> {
    let mut reader = BufReader::with_capacity(256 * 1024, File::open(path)?);
    match follow_journal(&mut reader, last) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        result => result,
    }
}

fn follow_journal(reader: &mut BufReader<File>, last: &mut Option<u64>) -> io::Result<Option<String>> {
    loop {
        let [tag] = take(reader)?;
        match tag {
            TAG_START => {
                let _count: [u8; 4] = take(reader)?;
                let seqno = u64::from_le_bytes(take(reader)?);
                if last.is_some_and(|last| seqno <= last) {
                    return Ok(Some(format!("a batch numbered {seqno} comes after a newer one")));
                }
                *last = Some(seqno);
            }
            TAG_ITEM => {
                let header: [u8; ITEM_HEADER] = take(reader)?;
                let [.., key_low, key_high, v0, v1, v2, v3, s0, s1, s2, s3] = header;
                let value = u32::from_le_bytes([v0, v1, v2, v3]);
                let stored = u32::from_le_bytes([s0, s1, s2, s3]);
                if value.max(stored) > ITEM_BYTES_MAX {
                    return Ok(Some(format!("an item claims to be {} bytes long", value.max(stored))));
                }
                skip(reader, u64::from(u16::from_le_bytes([key_low, key_high])) + u64::from(stored))?;
            }
            TAG_END => skip(reader, END_LENGTH)?,
            TAG_CLEAR => skip(reader, 8)?,
            _ => return Ok(None),
        }
    }
}

fn take<const LENGTH: usize>(reader: &mut impl Read) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn skip(reader: &mut impl Read, length: u64) -> io::Result<()> {
    if io::copy(&mut reader.take(length), &mut io::sink())? < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// The file `current` names the manifest in force and has its checksum.
fn check_manifest(keyspace: &Path) -> io::Result<Option<String>> {
    let Some(current) = read_if_there(&keyspace.join("current"))? else { return Ok(None) };
    let Some((id, rest)) = current.split_first_chunk::<8>() else {
        return Ok(Some("the file `current` is too short".to_owned()));
    };
    // The last byte is the kind of checksum; only one is known.
    let Some((checksum, [0])) = rest.split_first_chunk::<16>() else {
        return Ok(Some("the file `current` makes no sense".to_owned()));
    };
    let manifest = keyspace.join(format!("v{}", u64::from_le_bytes(*id)));
    let Some(manifest) = read_if_there(&manifest)? else {
        return Ok(Some("the manifest named by the file `current` is gone".to_owned()));
    };
    if xxh3_128(&manifest) != u128::from_le_bytes(*checksum) {
        return Ok(Some("the manifest does not have the checksum it was written with".to_owned()));
    }
    Ok(None)
}

fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Tables and manifests end with a table of contents, whose length the database believes.
fn check_archive(path: &Path) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let Some(trailer_at) = length.checked_sub(ARCHIVE_TRAILER as u64) else { return Ok(None) };
    let mut trailer = [0; ARCHIVE_TRAILER];
    file.read_exact_at(&mut trailer, trailer_at)?;
    if !trailer.starts_with(b"SFA!") {
        return Ok(None);
    }
    let [.., p0, p1, p2, p3, p4, p5, p6, p7, _, _, _, _, _, _, _, _] = trailer;
    let contents_at = u64::from_le_bytes([p0, p1, p2, p3, p4, p5, p6, p7]);
    let mut contents = [0; 8];
    if contents_at > trailer_at.saturating_sub(8) {
        return Ok(Some("its table of contents lies beyond its end".to_owned()));
    }
    file.read_exact_at(&mut contents, contents_at)?;
    let [t, o, c, bang, count @ ..] = contents;
    let count = u64::from(u32::from_le_bytes(count));
    if [t, o, c, bang] == *b"TOC!" && count * ARCHIVE_SECTION > trailer_at - contents_at {
        return Ok(Some(format!("its table of contents claims {count} sections")));
    }
    Ok(None)
}
