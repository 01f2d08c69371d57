//! A look at the database's tables and manifests before the database itself sees them.
//!
//! fjall 3.1 takes three kinds of damage badly, and all are cheap to find from outside:
//!
//! * It believes some lengths before it has checked them, and asks for that much memory: the process is then ended
//!   by its allocator, with no error anybody could read. So lengths that cannot be are refused here.
//! * A manifest, the list of a keyspace's tables, has a checksum in the file `current`, which is written and never
//!   looked at. Flipped bits there lose tables, or skip batches of the journal, without a word.
//! * A keyspace whose name cannot be found, or which has no file `current`, is deleted.
//!
//! What this module does not understand it leaves to the database: another version of the format is no damage.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::layout::Space;
use super::tables::Tables;

/// The ids of keyspaces: 0 for the names of the others, then ours.
const KEYSPACE_IDS_MAX: u64 = 5;
const ARCHIVE_TRAILER: usize = 38;
/// A section's place, length and the length of its name.
const ARCHIVE_SECTION: u64 = 18;

/// What is wrong with the files under this folder, if something is.
pub(super) fn check(database: &Path) -> io::Result<Option<String>> {
    // Without it the database takes the folder for an empty one.
    if read_if_there(&database.join("version"))?.is_none() {
        return Ok(Some("the database's file `version` is gone".to_owned()));
    }
    for id in 0..=KEYSPACE_IDS_MAX {
        let keyspace = keyspace(database, id);
        let wrong = |problem: &str| Ok(Some(format!("{}: {problem}", keyspace.display())));
        if let Err(problem) = manifest(&keyspace)? {
            return wrong(&problem);
        }
        for archive in entries(&keyspace)?.into_iter().chain(entries(&keyspace.join("tables"))?) {
            if archive.is_file()
                && let Some(problem) = check_archive(&archive)?
            {
                return Ok(Some(format!("{}: {problem}", archive.display())));
            }
        }
    }
    check_names(database)
}

/// The folder of a keyspace.
pub(super) fn keyspace(database: &Path, id: u64) -> PathBuf {
    database.join("keyspaces").join(id.to_string())
}

/// The database deletes every keyspace that has no name, so each of ours must be found to have its own.
fn check_names(database: &Path) -> io::Result<Option<String>> {
    let mut names = Tables::open(database, 0)?;
    let mut missing: Vec<Space> = Space::ALL.into();
    while let Some((key, name)) = names.next_row()? {
        missing.retain(|space| {
            key.strip_prefix(b"n") != Some(&(*space as u64).to_be_bytes()) || name != space.name().as_bytes()
        });
    }
    Ok(missing.first().map(|space| format!("the name of the keyspace `{}` is gone", space.name())))
}

/// What lies in a folder; nothing if it is no folder.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => found.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// The manifest in force, or what is wrong with it: the file `current` names it and has its checksum.
fn manifest(keyspace: &Path) -> io::Result<Result<Vec<u8>, String>> {
    let wrong = |what: &str| Ok(Err(what.to_owned()));
    let Some(current) = read_if_there(&keyspace.join("current"))? else {
        return wrong("the file `current` is gone");
    };
    let Some((id, rest)) = current.split_first_chunk::<8>() else {
        return wrong("the file `current` is too short");
    };
    // The last byte is the kind of checksum; only one is known.
    let Some((checksum, [0])) = rest.split_first_chunk::<16>() else {
        return wrong("the file `current` makes no sense");
    };
    let manifest = keyspace.join(format!("v{}", u64::from_le_bytes(*id)));
    let Some(manifest) = read_if_there(&manifest)? else {
        return wrong("the manifest named by the file `current` is gone");
    };
    if xxh3_128(&manifest) != u128::from_le_bytes(*checksum) {
        return wrong("the manifest does not have the checksum it was written with");
    }
    Ok(Ok(manifest))
}

/// The numbers of a keyspace's tables; none when its manifest does not tell.
pub(super) fn tables(keyspace: &Path) -> io::Result<Option<BTreeSet<u64>>> {
    Ok(manifest(keyspace)?.ok().and_then(|manifest| listed_tables(&manifest)))
}

fn listed_tables(manifest: &[u8]) -> Option<BTreeSet<u64>> {
    let mut rest = section(manifest, b"tables")?;
    let mut found = BTreeSet::new();
    let [levels] = take(&mut rest)?;
    for _ in 0..levels {
        let [runs] = take(&mut rest)?;
        for _ in 0..runs {
            for _ in 0..u32::from_le_bytes(take(&mut rest)?) {
                found.insert(u64::from_le_bytes(take(&mut rest)?));
                // Its checksum's kind, its checksum, the sequence number it begins with.
                take::<{ 1 + 16 + 8 }>(&mut rest)?;
            }
        }
    }
    Some(found)
}

/// A section of an archive.
fn section<'a>(archive: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let trailer_at = archive.len().checked_sub(ARCHIVE_TRAILER)?;
    let contents_at = contents_at(archive[trailer_at..].first_chunk()?)?;
    let mut rest = archive.get(usize::try_from(contents_at).ok()?..trailer_at)?.strip_prefix(b"TOC!")?;
    for _ in 0..u32::from_le_bytes(take(&mut rest)?) {
        let begin = usize::try_from(u64::from_le_bytes(take(&mut rest)?)).ok()?;
        let length = usize::try_from(u64::from_le_bytes(take(&mut rest)?)).ok()?;
        let name_length = u16::from_le_bytes(take(&mut rest)?);
        let (name, others) = rest.split_at_checked(name_length.into())?;
        rest = others;
        if name == wanted {
            return archive.get(begin..)?.get(..length);
        }
    }
    None
}

fn take<const LENGTH: usize>(bytes: &mut &[u8]) -> Option<[u8; LENGTH]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
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
    let Some(contents_at) = contents_at(&trailer) else { return Ok(None) };
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

/// Where an archive's table of contents lies, by its trailer.
fn contents_at(trailer: &[u8; ARCHIVE_TRAILER]) -> Option<u64> {
    let [b'S', b'F', b'A', b'!', .., p0, p1, p2, p3, p4, p5, p6, p7, _, _, _, _, _, _, _, _] = trailer else {
        return None;
    };
    Some(u64::from_le_bytes([*p0, *p1, *p2, *p3, *p4, *p5, *p6, *p7]))
}
