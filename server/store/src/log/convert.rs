//! Data folders of the layout before this one: a database alone, with a mirror and a witness.
//!
//! They are converted when they are opened. The log is built beside the database and gets its name
//! when all of it is on the disk, so a conversion that is cut short begins again. The folders of
//! before are removed last. A folder of that time whose database is damaged is not converted: its
//! own version of the program mends it.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use flagfall_board::{GameId, Stamp};
use sha2::{Digest, Sha256};

use super::change::{Change, Link};
use super::files::{Segments, Tail};
use super::trouble::Trouble;
use crate::encoding::{parse_entry, parse_head, parse_record};
use crate::store::{StoredEntry, Write};
use crate::value::{Head, Key, SecretBytes};

/// What the old layout consists of.
const DATABASE: &str = "db";
const WITNESS: &str = "witness";
const OTHERS: [&str; 4] = [WITNESS, "mirror", "db.new", "mirror.new"];
/// The version of that layout.
const SCHEMA: u64 = 1;
/// Bytes that are written with one sync, about.
const GROUP_BYTES: usize = 8 * 1024 * 1024;
/// Entries or records in one frame.
const FRAME_PARTS: usize = 64;
/// How often the progress is logged.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// True if this folder holds a store of the old layout, and no log.
pub(super) fn is_needed(folder: &Path, log: &str) -> bool {
    folder.join(DATABASE).is_dir() && !folder.join(log).exists()
}

/// True if something of that layout is left beside the log.
pub(super) fn has_rest(folder: &Path) -> bool {
    folder.join(DATABASE).exists()
}

/// The keyspaces of the database.
struct Before {
    meta: Keyspace,
    logs: Keyspace,
    heads: Keyspace,
    records: Keyspace,
}

/// Converts a folder. `log` is the name of the folder with the segments.
///
/// # Errors
/// What is wrong with the folder; nothing has changed.
pub(super) fn convert(folder: &Path, log: &str, store: u64, segment_bytes: u64) -> Result<(), Trouble> {
    let begun = Instant::now();
    let unfinished = folder.join(format!("{log}.new"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    {
        let db = Database::builder(folder.join(DATABASE)).open()?;
        let keyspace = |name| db.keyspace(name, KeyspaceCreateOptions::default);
        let (meta, logs) = (keyspace("meta")?, keyspace("logs")?);
        let before = Before { meta, logs, heads: keyspace("heads")?, records: keyspace("records")? };
        before.check_schema()?;
        let segments = Arc::new(Segments::create(&unfinished, store)?);
        let point = segments.begin(1, |_| {})?;
        let mut out = Out { tail: Tail::new(segments, point, segment_bytes)?, group: Vec::new(), bytes: 0 };
        let witness = Witness::read(&folder.join(WITNESS))?;
        before.copy(&witness, &mut out)?;
        out.flush()?;
    }
    File::open(&unfinished)?.sync_all()?;
    fs::rename(&unfinished, folder.join(log))?;
    File::open(folder)?.sync_all()?;
    tracing::info!(seconds = begun.elapsed().as_secs(), "the data folder is converted");
    Ok(())
}

/// Removes what is left of the old layout. The log holds all of it.
pub(super) fn remove_rest(folder: &Path) -> io::Result<()> {
    for name in [DATABASE].iter().chain(&OTHERS) {
        let path = folder.join(name);
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

impl Before {
    fn check_schema(&self) -> Result<(), Trouble> {
        match self.meta.get("schema")?.as_deref().and_then(number) {
            Some(SCHEMA) => Ok(()),
            found => {
                let found = found.map_or_else(|| "no version".to_owned(), |found| format!("version {found}"));
                let why = format!("its database has {found} of the layout, and {SCHEMA} can be converted");
                Err(Trouble::Unavailable { why })
            }
        }
    }

    fn copy(&self, witness: &Witness, out: &mut Out) -> Result<(), Trouble> {
        // The number of the last commit, and its stamp.
        let commit = self.meta.get("commit")?;
        let (commit, at) =
            commit.as_deref().and_then(|commit| commit.split_at_checked(8)).unwrap_or_default();
        let (commit, at) = (number(commit).unwrap_or(0), Stamp(number(at).unwrap_or(0)));
        if commit < witness.commit {
            let why =
                format!("its database ends with commit {commit}, and {} were acknowledged", witness.commit);
            return Err(Trouble::Unavailable { why });
        }
        let at = at.max(witness.heartbeat);
        if let Some(epoch) = self.meta.get("epoch")?.as_deref().and_then(number) {
            out.push(Change::Epoch(epoch))?;
        }
        let games = self.heads.len()?;
        let (mut converted, mut told) = (0_u64, Instant::now());
        for row in self.heads.iter() {
            let (name, head) = row.into_inner()?;
            let game = game(&name)?;
            let head = parse_head(&head).ok_or_else(|| damaged(&format!("the head of game {game}")))?;
            if let Err(reason) = self.copy_game(game, head, out)? {
                out.push(Change::Quarantine { game, reason })?;
            }
            converted += 1;
            if told.elapsed() >= PROGRESS_EVERY {
                told = Instant::now();
                tracing::info!(games = converted, of = games, "converting the data folder");
            }
        }
        for row in self.meta.prefix("quarantine/") {
            let (name, reason) = row.into_inner()?;
            let game = game(name.get("quarantine/".len()..).unwrap_or_default())?;
            let reason = String::from_utf8_lossy(&reason).into_owned();
            out.push(Change::Quarantine { game, reason })?;
        }
        let mut writes = Vec::new();
        for row in self.records.iter() {
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

    /// Copies a log, and checks its chain on the way. The inner error says why it ends too early.
    fn copy_game(&self, game: GameId, head: Head, out: &mut Out) -> Result<Result<(), String>, Trouble> {
        let mut at = Head::START;
        let mut entries = Vec::new();
        let missing = |at: Head, what: &str| format!("entry {}: {what}", at.seq + 1);
        let mut outcome = Ok(());
        for row in self.logs.prefix(game.as_str()) {
            let (key, value) = row.into_inner()?;
            let seq = key.last_chunk().copied().map(u64::from_be_bytes);
            let Some((stamp, hash, body)) = parse_entry(&value).filter(|_| seq == Some(at.seq + 1)) else {
                outcome = Err(missing(at, "it is missing"));
                break;
            };
            let body = SecretBytes::new(body.to_vec());
            let next = at.then(game, &body);
            if next.hash != hash {
                outcome = Err(missing(at, "its hash does not fit"));
                break;
            }
            at = next;
            entries.push(Link { entry: StoredEntry { seq: at.seq, at: stamp, body }, hash });
            if entries.len() >= FRAME_PARTS {
                out.push_entries(game, &mut entries)?;
            }
        }
        out.push_entries(game, &mut entries)?;
        Ok(outcome.and(if at == head { Ok(()) } else { Err(missing(at, "it is missing")) }))
    }
}

/// What the file beside the database says: the number of the last acknowledged commit, and the last
/// heartbeat. Of its two slots the one that was written last counts.
struct Witness {
    turn: u64,
    commit: u64,
    heartbeat: Stamp,
}

impl Witness {
    const SLOT_DISTANCE: usize = 4096;
    const SLOT_BYTES: usize = 40;

    fn read(path: &Path) -> Result<Witness, Trouble> {
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

/// The log that is being built.
struct Out {
    tail: Tail,
    group: Vec<Change>,
    bytes: usize,
}

impl Out {
    fn push_entries(&mut self, game: GameId, entries: &mut Vec<Link>) -> Result<(), Trouble> {
        if entries.is_empty() {
            return Ok(());
        }
        self.push(Change::Entries { game, entries: std::mem::take(entries), writes: Vec::new() })
    }

    fn push(&mut self, change: Change) -> Result<(), Trouble> {
        self.bytes += match &change {
            Change::Entries { entries, .. } => entries.iter().map(|link| link.entry.body.len() + 50).sum(),
            Change::Records { writes, .. } => writes
                .iter()
                .map(|write| if let Write::Put { value, .. } = write { value.len() + 50 } else { 50 })
                .sum(),
            _ => 50,
        };
        self.group.push(change);
        if self.bytes >= GROUP_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Trouble> {
        let mut group = self.tail.group()?;
        for change in self.group.drain(..) {
            group.push(change.tag(), |buffer| change.encode(buffer));
        }
        self.tail.write(&group)?;
        self.bytes = 0;
        Ok(())
    }
}

fn number(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_le_bytes)
}

fn game(bytes: &[u8]) -> Result<GameId, Trouble> {
    let text = std::str::from_utf8(bytes).ok();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| damaged("the name of a game"))
}

fn damaged(what: &str) -> Trouble {
    Trouble::damaged(0, &format!("{what} cannot be read"))
}
