//! Opening: locks, checks, and the comparison with the witness.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, OnceLock, RwLock};
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use flagfall_board::{GameId, Stamp};
use thiserror::Error;

use super::layout::{
    META_COMMIT, META_EPOCH, META_QUARANTINE, META_SCHEMA, SCHEMA, commit_value, parse_commit, parse_number,
    parse_quarantine_key,
};
use super::reader::Spaces;
use super::witness::{Found, Witness};
use super::{Counters, LostTail, Options, Shared, precheck};
use crate::clock::{ClampedClock, WallClock};

const DATABASE: &str = "db";
const DATABASE_NEW: &str = "db.new";
const LOCK: &str = "lock";
/// The database's own, in its folder.
const DATABASE_LOCK: &str = "lock";
const WITNESS: &str = "witness";
const KEYSPACES: [&str; 5] = ["meta", "logs", "heads", "records", "expiries"];
/// Journals are replayed at open, so their size bounds how long that takes.
const JOURNAL_BYTES_MAX: u64 = 128 * 1024 * 1024;
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Why a store cannot be opened, and what to do.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process works on the folder.
    #[error("the store in {folder} is in use by another process ({holder}): stop that one first")]
    Locked {
        /// The folder.
        folder: PathBuf,
        /// The other process, as far as it is known.
        holder: String,
    },
    /// The store was written by another version of this program.
    #[error(
        "the store in {folder} has schema {found}, this program knows {SCHEMA}: run the version that wrote it, or \
         migrate"
    )]
    Schema {
        /// The folder.
        folder: PathBuf,
        /// The schema found.
        found: u64,
    },
    /// The database as a whole cannot be read.
    #[error(
        "the store in {folder} is damaged: {what}. Keep a copy of the folder, then restore the last backup of the \
         whole folder; the other way is an empty folder and the loss of all games"
    )]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Commits that were acknowledged are gone.
    #[error(
        "the store in {folder} acknowledged {acknowledged} commits, but holds {found}: the newest are lost. \
         Restore a better copy of the whole folder, or accept the loss: a new epoch then begins"
    )]
    LostTail {
        /// The folder.
        folder: PathBuf,
        /// Commits that were acknowledged.
        acknowledged: u64,
        /// Commits that are there.
        found: u64,
    },
    /// Nothing tells whether commits are missing.
    #[error(
        "the store in {folder} holds {found} commits, but its file `{WITNESS}`, which tells whether more were \
         acknowledged, is missing or damaged. Restore it, or accept what is there: a new epoch then begins"
    )]
    NoWitness {
        /// The folder.
        folder: PathBuf,
        /// Commits that are there.
        found: u64,
    },
    /// The file system says no.
    #[error("the store in {folder} cannot be opened: {source}")]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What it says.
        source: io::Error,
    },
}

/// What an open store is made of.
pub(super) struct Opened {
    pub(super) shared: Shared,
    pub(super) spaces: Spaces,
    /// The number of the last commit.
    pub(super) commit: u64,
}

/// What the database says about itself.
struct Contents {
    commit: u64,
    committed_at: Stamp,
    epoch: u64,
    quarantined: BTreeMap<GameId, String>,
}

pub(super) fn open(folder: &Path, clock: impl WallClock, options: &Options) -> Result<Opened, OpenError> {
    let failed = |source| OpenError::Io { folder: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    let lock = lock(folder)?;
    let witness_path = folder.join(WITNESS);
    let witness = Witness::look(&witness_path).map_err(failed)?;
    let database = folder.join(DATABASE);
    let exists = database.try_exists().map_err(failed)?;
    if !exists {
        let acknowledged = match witness {
            Found::Testimony(testimony) => testimony.commit,
            Found::Nothing | Found::Damage => 0,
        };
        if acknowledged > 0 && options.lost_tail == LostTail::Refuse {
            return Err(OpenError::LostTail { folder: folder.to_owned(), acknowledged, found: 0 });
        }
        let epoch = clock.now().0.max(1);
        in_background(folder, "creating", {
            let folder = folder.to_owned();
            move || create(&folder, epoch)
        })?;
    } else {
        // Empty, and the database does not open without it: a tool that copies no empty files leaves it out.
        OpenOptions::new().create(true).append(true).open(database.join(DATABASE_LOCK)).map_err(failed)?;
    }
    let cache_bytes = options.cache_bytes;
    let (spaces, mut found) = in_background(folder, "opening", {
        let folder = folder.to_owned();
        move || load(&folder, cache_bytes)
    })?;
    let heartbeat = match witness {
        Found::Testimony(testimony) => testimony.heartbeat,
        Found::Nothing | Found::Damage => Stamp(0),
    };
    let alive = heartbeat.max(found.committed_at);
    let clock = ClampedClock::new(clock, alive);
    if let Some(problem) = missing(folder, witness, found.commit) {
        match options.lost_tail {
            LostTail::Refuse => return Err(problem),
            LostTail::Accept => {
                tracing::error!(%problem, "going on as told");
                found.epoch = clock.stamp().0.max(found.epoch + 1);
                let mut batch = spaces.db.batch().durability(Some(PersistMode::SyncAll));
                batch.insert(&spaces.meta, META_EPOCH, found.epoch.to_le_bytes());
                batch.commit().map_err(|error| damaged(folder, &error.to_string()))?;
            }
        }
    }
    let witness = Witness::create(&witness_path, found.commit, alive).map_err(failed)?;
    let shared = Shared {
        clock,
        epoch: AtomicU64::new(found.epoch),
        last_heartbeat: (alive.0 > 0).then_some(alive),
        quarantined: RwLock::new(found.quarantined),
        failed: OnceLock::new(),
        witness: Mutex::new(witness),
        counters: Counters::default(),
        _lock: lock,
    };
    Ok(Opened { shared, spaces, commit: found.commit })
}

/// What speaks against the database holding all that was acknowledged.
fn missing(folder: &Path, witness: Found, found: u64) -> Option<OpenError> {
    let folder = folder.to_owned();
    match witness {
        Found::Testimony(testimony) if testimony.commit > found => {
            Some(OpenError::LostTail { folder, acknowledged: testimony.commit, found })
        }
        Found::Testimony(_) => None,
        // A process that ended while it made the store leaves none.
        Found::Nothing if found == 0 => None,
        Found::Nothing | Found::Damage => Some(OpenError::NoWitness { folder, found }),
    }
}

fn lock(folder: &Path) -> Result<File, OpenError> {
    let failed = |source| OpenError::Io { folder: folder.to_owned(), source };
    let path = folder.join(LOCK);
    let mut file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Who it is only makes the message better.
            file.read_to_string(&mut holder).ok();
            return Err(OpenError::Locked { folder: folder.to_owned(), holder });
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).map_err(failed)?;
    file.write_all(format!("process {}", std::process::id()).as_bytes()).map_err(failed)?;
    Ok(file)
}

fn damaged(folder: &Path, what: &str) -> OpenError {
    OpenError::Damaged { folder: folder.to_owned(), what: what.to_owned() }
}

/// Runs this on a thread of its own: whatever takes long is reported, whatever panics is an error.
fn in_background<T: Send + 'static>(
    folder: &Path,
    doing: &str,
    work: impl FnOnce() -> Result<T, OpenError> + Send + 'static,
) -> Result<T, OpenError> {
    let begun = Instant::now();
    let (sender, receiver) = sync_channel(1);
    let thread = std::thread::Builder::new()
        .name("store-open".to_owned())
        .spawn(move || sender.send(work()).ok())
        .map_err(|source| OpenError::Io { folder: folder.to_owned(), source })?;
    let result = loop {
        match receiver.recv_timeout(PROGRESS_EVERY) {
            Ok(result) => break result,
            Err(RecvTimeoutError::Timeout) => {
                let seconds = begun.elapsed().as_secs();
                let journal_bytes = journal_bytes(folder);
                tracing::info!(folder = %folder.display(), seconds, journal_bytes, "still {doing} the store");
            }
            Err(RecvTimeoutError::Disconnected) => {
                break Err(damaged(folder, "the database gave up reading it"));
            }
        }
    };
    // It has sent its result or panicked; either way it is over.
    thread.join().ok();
    result
}

fn journal_bytes(folder: &Path) -> u64 {
    let Ok(files) = fs::read_dir(folder.join(DATABASE)) else { return 0 };
    files
        .filter_map(Result::ok)
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "jnl"))
        .filter_map(|file| file.metadata().ok())
        .map(|metadata| metadata.len())
        .sum()
}

fn fjall_error(folder: &Path, error: fjall::Error) -> OpenError {
    match error {
        fjall::Error::Locked => OpenError::Locked { folder: folder.to_owned(), holder: "unknown".to_owned() },
        fjall::Error::Io(source) if source.kind() != io::ErrorKind::UnexpectedEof => {
            OpenError::Io { folder: folder.to_owned(), source }
        }
        error => damaged(folder, &error.to_string()),
    }
}

/// Makes an empty store beside its place and moves it there when it is complete.
fn create(folder: &Path, epoch: u64) -> Result<(), OpenError> {
    let failed = |source| OpenError::Io { folder: folder.to_owned(), source };
    let broken = |error| fjall_error(folder, error);
    let unfinished = folder.join(DATABASE_NEW);
    if unfinished.try_exists().map_err(failed)? {
        fs::remove_dir_all(&unfinished).map_err(failed)?;
    }
    let db = Database::builder(&unfinished).worker_threads(1).open().map_err(broken)?;
    for name in KEYSPACES {
        db.keyspace(name, KeyspaceCreateOptions::default).map_err(broken)?;
    }
    let meta = db.keyspace("meta", KeyspaceCreateOptions::default).map_err(broken)?;
    let mut batch = db.batch().durability(Some(PersistMode::SyncAll));
    batch.insert(&meta, META_SCHEMA, SCHEMA.to_le_bytes());
    batch.insert(&meta, META_EPOCH, epoch.to_le_bytes());
    batch.insert(&meta, META_COMMIT, commit_value(0, Stamp(0)));
    batch.commit().map_err(broken)?;
    drop(meta);
    drop(db);
    fs::rename(&unfinished, folder.join(DATABASE)).map_err(failed)?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Opens the database and reads what it says about itself.
fn load(folder: &Path, cache_bytes: u64) -> Result<(Spaces, Contents), OpenError> {
    let broken = |error| fjall_error(folder, error);
    let problem = precheck::check(&folder.join(DATABASE))
        .map_err(|source| OpenError::Io { folder: folder.to_owned(), source })?;
    if let Some(problem) = problem {
        return Err(damaged(folder, &problem));
    }
    let db = Database::builder(folder.join(DATABASE))
        .cache_size(cache_bytes)
        .max_journaling_size(JOURNAL_BYTES_MAX)
        .open()
        .map_err(broken)?;
    let keyspace = |name: &str| -> Result<Keyspace, OpenError> {
        // Asking for one that is gone would make an empty one.
        if !db.keyspace_exists(name) {
            return Err(damaged(folder, &format!("the keyspace `{name}` is gone")));
        }
        db.keyspace(name, KeyspaceCreateOptions::default).map_err(broken)
    };
    let [meta, logs, heads, records, expiries] = KEYSPACES;
    let spaces = Spaces {
        meta: keyspace(meta)?,
        logs: keyspace(logs)?,
        heads: keyspace(heads)?,
        records: keyspace(records)?,
        expiries: keyspace(expiries)?,
        db: db.clone(),
    };
    let row = |name: &[u8]| -> Result<fjall::Slice, OpenError> {
        let missing = || damaged(folder, &format!("the record `{}` is gone", name.escape_ascii()));
        spaces.meta.get(name).map_err(broken)?.ok_or_else(missing)
    };
    let nonsense = |name: &str| damaged(folder, &format!("the record `{name}` makes no sense"));
    let schema = parse_number(&row(META_SCHEMA)?).ok_or_else(|| nonsense("schema"))?;
    if schema != SCHEMA {
        return Err(OpenError::Schema { folder: folder.to_owned(), found: schema });
    }
    let epoch = parse_number(&row(META_EPOCH)?).ok_or_else(|| nonsense("epoch"))?;
    let (commit, committed_at) = parse_commit(&row(META_COMMIT)?).ok_or_else(|| nonsense("commit"))?;
    let mut quarantined = BTreeMap::new();
    for row in spaces.meta.prefix(META_QUARANTINE) {
        let (key, reason) = row.into_inner().map_err(broken)?;
        let game = parse_quarantine_key(&key).ok_or_else(|| nonsense("quarantine"))?;
        quarantined.insert(game, String::from_utf8_lossy(&reason).into_owned());
    }
    Ok((spaces, Contents { commit, committed_at, epoch, quarantined }))
}
