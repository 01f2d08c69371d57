//! Converts data folders of version 0.1, which contain a database, a mirror of it, and a witness
//! file.
//!
//! A folder is converted when it is opened. The log is built next to the database, and gets its
//! final name when it is complete and durable. So an interrupted conversion starts over the next
//! time. Then the old files are moved to a folder of their own. The conversion deletes none of
//! them, because the database library does not detect all damage. If it detects some, the folder
//! stays unchanged, because version 0.1 can repair it. The conversion opens only a copy of the
//! database, because the database library cuts off data that it considers damaged.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use flagfall_board::{GameId, Stamp};
use sha2::{Digest, Sha256};

use super::access_error::AccessError;
use super::change::{Change, Entries, Link};
use super::disk;
use super::files::{Segments, Tail};
use super::index::{parse_game, quarantines_in};
use super::progress::is_due;
use crate::encoding::{parse_entry, parse_head, parse_record};
use crate::segment::FrameWriter;
use crate::store::{StoredEntry, Write};
use crate::value::{Head, Key, SecretBytes};

/// The files and folders of the old layout. A copy of the witness file stays in its place. If
/// version 0.1 finds this file without a database, it refuses the folder instead of creating an
/// empty store there.
const DATABASE: &str = "db";
pub(super) const WITNESS: &str = "witness";
const OLD: [&str; 6] = [DATABASE, "mirror", "db.new", "db.salvaged", "mirror.new", "suspicion"];
/// The folder to which the old files are moved. It is a data folder of version 0.1, without the
/// signing key.
const KEPT: &str = "version-0.1";
/// A file in the log's folder. It exists from the end of the conversion until the old files are
/// moved.
pub(super) const MARK: &str = "converted";
/// The copy of the database that the conversion reads.
const COPY: &str = "db.copy";
const SCHEMA: u64 = 1;
/// The approximate number of bytes written with one sync.
const GROUP_BYTES: usize = 8 * 1024 * 1024;
/// The maximum number of entries or records in one frame.
const FRAME_PARTS: usize = 64;

/// True if this folder, which has no log, contains a store of the old layout.
pub(super) fn is_needed(folder: &Path) -> bool {
    [DATABASE, WITNESS].iter().any(|name| folder.join(name).exists())
}

pub(super) fn copy(folder: &Path, to: &Path) -> io::Result<()> {
    copy_database(&folder.join(DATABASE), &to.join(DATABASE))?;
    fs::copy(folder.join(WITNESS), to.join(WITNESS)).map(drop)
}

/// True if this log was converted, but the old files may not have been moved yet.
pub(super) fn is_unfinished(log: &Path) -> bool {
    log.join(MARK).exists()
}

/// True if this folder contains an old database.
pub(super) fn has_database(folder: &Path) -> bool {
    folder.join(DATABASE).exists()
}

struct Before {
    meta: Keyspace,
    logs: Keyspace,
    heads: Keyspace,
    records: Keyspace,
}

/// Converts a folder. `log` is the name of the folder for the segments. After an error the store
/// is unchanged.
pub(super) fn convert(folder: &Path, log: &str, store: u64, segment_bytes: u64) -> Result<(), AccessError> {
    let begun = Instant::now();
    tracing::info!("the data folder is of version 0.1: converting it");
    let unfinished = folder.join(format!("{log}.new"));
    let copy = folder.join(COPY);
    if folder.join(KEPT).exists() {
        let why = format!("its folder {KEPT} has the files of an earlier conversion: move them away first");
        return Err(AccessError::Unavailable { why });
    }
    remove(&unfinished)?;
    remove(&copy)?;
    // The database library may panic if a file is damaged.
    let build = AssertUnwindSafe(|| build(folder, &copy, &unfinished, store, segment_bytes));
    let built = catch_unwind(build).unwrap_or_else(|_| Err(damaged("its database")));
    remove(&copy)?;
    if let Err(error) = built {
        remove(&unfinished)?;
        return Err(error);
    }
    fs::rename(&unfinished, folder.join(log))?;
    File::open(folder)?.sync_all()?;
    tracing::info!(
        ms = begun.elapsed().as_millis(),
        "the data folder is converted; its old files stay in version-0.1 until you delete them"
    );
    Ok(())
}

fn build(
    folder: &Path,
    copy: &Path,
    unfinished: &Path,
    store: u64,
    segment_bytes: u64,
) -> Result<(), AccessError> {
    if !folder.join(DATABASE).is_dir() {
        return Err(AccessError::Unavailable { why: "its database is gone".to_owned() });
    }
    copy_database(&folder.join(DATABASE), copy)?;
    // This empty file may be missing if the data folder was itself copied, but the database
    // library needs it.
    create(&copy.join("lock"))?;
    let witness = Witness::read(&folder.join(WITNESS))?;
    let before = Before::open(copy)?;
    before.check_schema()?;
    let segments = Arc::new(Segments::create(unfinished, store)?);
    let point = segments.begin(1, |_| {})?;
    let mut out = Out { tail: Tail::new(segments, point, segment_bytes, 0)?, group: None, entries: 0 };
    before.copy(&witness, &mut out)?;
    out.flush()?;
    create(&unfinished.join(MARK))?;
    Ok(File::open(unfinished)?.sync_all()?)
}

fn create(path: &Path) -> io::Result<File> {
    disk::open(path, OpenOptions::new().create(true).truncate(true).write(true))
}

/// Copies a database. Files in its `tables` folder never change, so hard links to them are
/// enough.
fn copy_database(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        match path.is_dir() {
            true => copy_database(&path, &target)?,
            false if from.ends_with("tables") => fs::hard_link(&path, &target)?,
            false => disk::copy(&path, &target)?,
        }
    }
    Ok(())
}

/// Moves the files of the old layout to a folder of their own.
pub(super) fn put_aside(folder: &Path, log: &Path) -> io::Result<()> {
    let kept = folder.join(KEPT);
    fs::create_dir_all(&kept)?;
    disk::if_there(disk::copy(&folder.join(WITNESS), &kept.join(WITNESS)))?;
    for name in OLD {
        disk::if_there(fs::rename(folder.join(name), kept.join(name)))?;
    }
    for folder in [&kept, folder] {
        File::open(folder)?.sync_all()?;
    }
    remove(&log.join(MARK))
}

/// Removes a file or a folder, if it exists.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    disk::if_there(removed).map(drop)
}

impl Before {
    fn open(database: &Path) -> Result<Before, AccessError> {
        let db = Database::builder(database).open()?;
        let keyspace = |name: &str| match db.keyspace_exists(name) {
            true => Ok(db.keyspace(name, KeyspaceCreateOptions::default)?),
            false => Err(damaged(&format!("the part {name:?} of its database"))),
        };
        let (meta, logs) = (keyspace("meta")?, keyspace("logs")?);
        Ok(Before { meta, logs, heads: keyspace("heads")?, records: keyspace("records")? })
    }

    fn check_schema(&self) -> Result<(), AccessError> {
        match self.meta.get("schema")?.as_deref().and_then(number) {
            Some(SCHEMA) => Ok(()),
            found => {
                let found = found.map_or_else(|| "no version".to_owned(), |found| format!("version {found}"));
                let why = format!("its database has {found} of the layout, and {SCHEMA} can be converted");
                Err(AccessError::Unavailable { why })
            }
        }
    }

    fn copy(&self, witness: &Witness, out: &mut Out) -> Result<(), AccessError> {
        // The number and the stamp of the last commit.
        let commit = self.meta.get("commit")?;
        let (commit, at) =
            commit.as_deref().and_then(|commit| commit.split_at_checked(8)).unwrap_or_default();
        let (commit, at) = (number(commit).unwrap_or(0), Stamp(number(at).unwrap_or(0)));
        if commit < witness.commit {
            let why =
                format!("its database ends with commit {commit}, and {} were acknowledged", witness.commit);
            return Err(AccessError::Unavailable { why });
        }
        let at = at.max(witness.heartbeat);
        if let Some(epoch) = self.meta.get("epoch")?.as_deref().and_then(number) {
            out.push(Change::Epoch(epoch))?;
        }
        let games = self.heads.len()?;
        let quarantined = quarantines_in(&self.meta)?;
        let mut is_whole = true;
        let (mut converted, mut told) = (0_u64, Instant::now());
        for row in self.heads.iter() {
            let (name, head) = row.into_inner()?;
            let game = parse_game(&name)?;
            let head = parse_head(&head).ok_or_else(|| damaged(&format!("the head of game {game}")))?;
            match (self.copy_game(game, head, out)?, quarantined.contains_key(&game)) {
                (at, _) if at == head => {}
                (_, true) => is_whole = false,
                (at, false) => return Err(damaged(&format!("entry {} of game {game}", at.seq + 1))),
            }
            converted += 1;
            if is_due(&mut told) {
                tracing::info!(games = converted, total = games, "converting the data folder");
            }
        }
        if is_whole && self.logs.len()? != out.entries {
            return Err(damaged("the heads of some games"));
        }
        for (game, reason) in quarantined {
            out.push(Change::Quarantine { game, reason })?;
        }
        let (mut writes, mut records) = (Vec::new(), 0_u64);
        for row in self.records.iter() {
            records += 1;
            if is_due(&mut told) {
                tracing::info!(records, "converting the data folder");
            }
            let (key, value) = row.into_inner()?;
            let key = Key::new(key.to_vec()).map_err(|_| damaged("the key of a record"))?;
            let (value, expires) = parse_record(&value).ok_or_else(|| damaged(&format!("{key:?}")))?;
            writes.push(Write::Put { key, value: value.to_vec(), expires });
            if writes.len() >= FRAME_PARTS {
                out.push(Change::Records { at, writes: std::mem::take(&mut writes) })?;
            }
        }
        out.push(Change::Records { at, writes })
    }

    /// Copies a game's log up to this head, or up to the first break in its hash chain. Returns
    /// the head of the copy.
    fn copy_game(&self, game: GameId, head: Head, out: &mut Out) -> Result<Head, AccessError> {
        let mut at = Head::START;
        let mut entries = Vec::new();
        for row in self.logs.prefix(game.as_str()) {
            let (key, value) = row.into_inner()?;
            let seq = key.last_chunk().copied().map(u64::from_be_bytes);
            let Some((stamp, hash, body)) = parse_entry(&value).filter(|_| seq == Some(at.seq + 1)) else {
                break;
            };
            let body = SecretBytes::new(body.to_vec());
            let next = at.then(game, &body);
            if next.hash != hash || at.seq == head.seq {
                break;
            }
            at = next;
            entries.push(Link { entry: StoredEntry { seq: at.seq, at: stamp, body }, hash });
            if entries.len() >= FRAME_PARTS {
                out.push_entries(game, &mut entries)?;
            }
        }
        out.push_entries(game, &mut entries)?;
        Ok(at)
    }
}

/// The content of the witness file: the last acknowledged commit and the last heartbeat. The file
/// has two slots, and the newer valid one is used.
struct Witness {
    turn: u64,
    commit: u64,
    heartbeat: Stamp,
}

impl Witness {
    const SLOT_DISTANCE: usize = 4096;
    const SLOT_BYTES: usize = 40;

    fn read(path: &Path) -> Result<Witness, AccessError> {
        let bytes = fs::read(path)?;
        let slots =
            [0, Witness::SLOT_DISTANCE].map(|at| Witness::parse(bytes.get(at..at + Witness::SLOT_BYTES)?));
        let newest = slots.into_iter().flatten().max_by_key(|slot| slot.turn);
        newest.ok_or_else(|| damaged("the file that tells how much was acknowledged"))
    }

    fn parse(slot: &[u8]) -> Option<Witness> {
        let (content, checksum) = slot.split_at_checked(32)?;
        let digest = Sha256::digest(content);
        let field = |at: usize| number(content.get(at..at + 8)?);
        let is_whole = content.starts_with(b"flagfal1") && digest.get(..8) == Some(checksum);
        let (turn, commit, heartbeat) = (field(8)?, field(16)?, Stamp(field(24)?));
        is_whole.then_some(Witness { turn, commit, heartbeat })
    }
}

struct Out {
    tail: Tail,
    group: Option<FrameWriter>,
    entries: usize,
}

impl Out {
    fn push_entries(&mut self, game: GameId, entries: &mut Vec<Link>) -> Result<(), AccessError> {
        if entries.is_empty() {
            return Ok(());
        }
        self.entries += entries.len();
        let entries = Entries::new(game, entries.drain(..));
        self.push(Change::Entries { entries, writes: Vec::new() })
    }

    fn push(&mut self, change: Change) -> Result<(), AccessError> {
        let mut group = self.group.take().unwrap_or_else(|| self.tail.group());
        change.push(&mut group);
        let is_full = group.bytes().len() >= GROUP_BYTES;
        self.group = Some(group);
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), AccessError> {
        let Some(group) = self.group.take() else { return Ok(()) };
        self.tail.make_ready()?;
        Ok(self.tail.write(group)?)
    }
}

fn number(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_le_bytes)
}

fn damaged(what: &str) -> AccessError {
    AccessError::damaged(0, &format!("{what} cannot be read"))
}
