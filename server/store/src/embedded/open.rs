//! Opening: locks, checks, and the comparison with the witness.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, OnceLock, RwLock};
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use flagfall_board::{GameId, Stamp};
use thiserror::Error;

use super::base::Origin;
use super::journal::Survey;
use super::layout::{
    META_COMMIT, META_EPOCH, META_QUARANTINE, META_SCHEMA, SCHEMA, Space, commit_value, parse_commit,
    parse_game, parse_head, parse_number, parse_quarantine_key,
};
use super::mirror::{Mirror, Reflection};
use super::place::Place;
use super::reader::{Spaces, UNREADABLE};
use super::salvage::{self, Salvage, Sources};
use super::witness::{Found, Witness};
use super::{Counters, LostTail, Options, Shared, precheck, tables};
use crate::clock::{StampClock, WallClock};

pub(super) const DATABASE: &str = "db";
const DATABASE_NEW: &str = "db.new";
pub(super) const MIRROR: &str = "mirror";
const MIRROR_NEW: &str = "mirror.new";
/// Is there after the database gave up while it ran, or could not read a row: its tables are looked after at the next
/// start.
pub(super) const SUSPICION: &str = "suspicion";
pub(super) const LOCK: &str = "lock";
/// The database's own, in its folder.
const DATABASE_LOCK: &str = "lock";
pub(super) const WITNESS: &str = "witness";
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
    /// Commits that were acknowledged are gone, and nothing tells which games they belong to.
    #[error(
        "the store in {folder} acknowledged {acknowledged} commits, but {lost} of them are lost and nothing tells \
         which games they belong to ({what}). Restore a better copy of the whole folder, or accept the loss: \
         what is whole goes on, games that are seen to be short are kept apart, and a new epoch begins"
    )]
    LostTail {
        /// The folder.
        folder: PathBuf,
        /// Commits that were acknowledged.
        acknowledged: u64,
        /// Those of them that are lost.
        lost: u64,
        /// What was found.
        what: String,
    },
    /// Nothing tells whether commits are missing.
    #[error(
        "the store in {folder} holds {found} commits, but its file `{WITNESS}` and its folder `{MIRROR}`, which tell \
         whether more were acknowledged, are missing or damaged. Restore it, or accept what is there: a new epoch then begins"
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
    pub(super) mirror: Mirror,
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
    salvage::finish(folder).map_err(failed)?;
    let witness_path = folder.join(WITNESS);
    let witness = Witness::look(&witness_path).map_err(failed)?;
    let reflection = Reflection::of(&folder.join(MIRROR)).map_err(failed)?;
    let testimony = match witness {
        Found::Testimony(testimony) => Some(testimony),
        Found::Nothing | Found::Damage => None,
    };
    let acknowledged = testimony.map(|testimony| testimony.commit).max(reflection.last_commit());
    if !folder.join(DATABASE).try_exists().map_err(failed)? && acknowledged.unwrap_or(0) == 0 {
        let epoch = clock.now().0.max(1);
        in_background(folder, "creating", {
            let folder = folder.to_owned();
            move || {
                let created = create(&folder.join(DATABASE_NEW), epoch);
                created.map_err(|obstacle| obstacle.of_folder(&folder)).and_then(|()| settle(&folder))
            }
        })?;
    }
    let is_new = acknowledged.is_none() && witness == Found::Nothing;
    let (loaded, salvage) = in_background(folder, "opening", {
        let (folder, options, now) = (folder.to_owned(), options.clone(), clock.now());
        move || load_or_salvage(&folder, &options, reflection, acknowledged.unwrap_or(0), now)
    })?;
    let Loaded { spaces, contents: mut found, mirror } = loaded;
    let heartbeat = testimony.map_or(Stamp(0), |testimony| testimony.heartbeat);
    let alive = heartbeat.max(found.committed_at);
    let clock = StampClock::new(clock, alive);
    // A process that ended while it made the store leaves no witness.
    if acknowledged.is_none() && !(is_new && found.commit == 0) {
        let problem = OpenError::NoWitness { folder: folder.to_owned(), found: found.commit };
        if options.lost_tail == LostTail::Refuse {
            return Err(problem);
        }
        tracing::error!(%problem, "going on as told");
        found.epoch = clock.stamp().0.max(found.epoch + 1);
        let mut batch = spaces.db.batch().durability(Some(PersistMode::SyncAll));
        batch.insert(&spaces.meta, META_EPOCH, found.epoch.to_le_bytes());
        batch.commit().map_err(|error| damaged(folder, &error.to_string()))?;
    }
    let mirror = settle_mirror(folder, mirror).map_err(failed)?;
    let witness = Witness::create(&witness_path, found.commit, alive).map_err(failed)?;
    clock.watch_start();
    let shared = Shared {
        clock,
        epoch: AtomicU64::new(found.epoch),
        last_heartbeat: (alive.0 > 0).then_some(alive),
        quarantined: RwLock::new(found.quarantined),
        failed: OnceLock::new(),
        witness: Mutex::new(witness),
        counters: Counters::default(),
        salvage,
        place: Place::of(folder).map_err(failed)?,
        suspicion: folder.join(SUSPICION),
        _lock: lock,
    };
    Ok(Opened { shared, spaces, mirror, commit: found.commit })
}

/// The database, open.
struct Loaded {
    spaces: Spaces,
    contents: Contents,
    mirror: Mirror,
}

/// Opens the database; when it, or what lies in it, is not what was written, what is whole of it is moved into a new one.
fn load_or_salvage(
    folder: &Path,
    options: &Options,
    reflection: Reflection,
    acknowledged: u64,
    now: Stamp,
) -> Result<(Loaded, Option<Salvage>), OpenError> {
    let failed = |source| OpenError::Io { folder: folder.to_owned(), source };
    let survey = Survey::of(&folder.join(DATABASE)).map_err(failed)?;
    let (why, bases) = if has_damaged_table(folder).map_err(failed)? {
        ("a part of a table cannot be read".to_owned(), &POURED[..])
    } else {
        match load(folder, options.cache_bytes, &survey, Some(&reflection), acknowledged) {
            Ok(loaded) => return Ok((loaded, None)),
            Err(OpenError::Damaged { what, .. }) => (what, &TAKEN_OVER_OR_POURED[..]),
            Err(error) => return Err(error),
        }
    };
    tracing::error!(folder = %folder.display(), why, "the store is damaged: what is whole of it is moved into a new one");
    // The database may have written journals into tables before it was found to be damaged.
    let survey = Survey::of(&folder.join(DATABASE)).map_err(failed)?;
    let sources = Sources { survey, reflection, acknowledged };
    let salvage = salvage::run(folder, why, bases, &sources, options.lost_tail, now)?;
    let survey = Survey::of(&folder.join(DATABASE)).map_err(failed)?;
    Ok((load(folder, options.cache_bytes, &survey, None, acknowledged)?, Some(salvage)))
}

const POURED: [Origin; 1] = [Origin::Poured];
const TAKEN_OVER_OR_POURED: [Origin; 2] = [Origin::TakenOver, Origin::Poured];

/// Whether a table was found damaged at the last run.
fn has_damaged_table(folder: &Path) -> io::Result<bool> {
    let suspicion = folder.join(SUSPICION);
    if !suspicion.try_exists()? {
        return Ok(false);
    }
    // The disk may have been full, or a table could not be cleaned up: then the rows tell.
    let is_damaged = fs::read(&suspicion)? == UNREADABLE.as_bytes() || {
        tracing::info!("the database gave up at its last run: its tables are looked through");
        !tables::are_whole(&folder.join(DATABASE))?
    };
    if !is_damaged {
        fs::remove_file(&suspicion)?;
    }
    Ok(is_damaged)
}

/// Opens the database if it holds all that was acknowledged, and mirrors its journals anew.
fn load(
    folder: &Path,
    cache_bytes: u64,
    survey: &Survey,
    reflection: Option<&Reflection>,
    acknowledged: u64,
) -> Result<Loaded, OpenError> {
    let failed = |source| OpenError::Io { folder: folder.to_owned(), source };
    let database = folder.join(DATABASE);
    if !database.try_exists().map_err(failed)? {
        return Err(damaged(folder, "the database is gone"));
    }
    if let Some(problem) = &survey.problem {
        return Err(damaged(folder, problem));
    }
    let short =
        |found| damaged(folder, &format!("it ends with commit {found}, {acknowledged} were acknowledged"));
    if let Some(last) = survey.last_commit().filter(|last| *last < acknowledged) {
        return Err(short(last));
    }
    if let Some(problem) = precheck::check(&database).map_err(failed)? {
        return Err(damaged(folder, &problem));
    }
    let torn = survey.cut_torn_tail().map_err(failed)?;
    if torn > 0 {
        tracing::info!(bytes = torn, "a write that was never finished is cut off the journal");
    }
    // Before the database opens: once it runs it deletes journals that it needs no more.
    let mirrored = reflect(folder, survey).map_err(failed)?;
    let spaces = open_spaces(&database, cache_bytes).map_err(|trouble| trouble.of_folder(folder))?;
    let contents = contents(folder, &spaces)?;
    if contents.commit < acknowledged {
        return Err(short(contents.commit));
    }
    if let Some(reflection) = reflection
        && let Some(game) =
            first_short_game(&spaces, survey, reflection).map_err(|it| it.of_folder(folder))?
    {
        return Err(damaged(
            folder,
            &format!("game {game} is shorter than the mirror knows: a journal is gone"),
        ));
    }
    let mirror = match mirrored {
        Some(mirror) => mirror,
        None => Mirror::begin(&folder.join(MIRROR_NEW), &database, contents.commit + 1).map_err(failed)?,
    };
    Ok(Loaded { spaces, contents, mirror })
}

/// A game with entries in commits that are ahead of all journals, and that the database has not: nothing else would tell
/// that the oldest journal is gone.
fn first_short_game(
    spaces: &Spaces,
    survey: &Survey,
    reflection: &Reflection,
) -> Result<Option<GameId>, Obstacle> {
    let first = survey.first_commit().unwrap_or(u64::MAX);
    let mut newest = BTreeMap::new();
    for mirrored in reflection.commits.iter().take_while(|mirrored| mirrored.commit < first) {
        for row in mirrored.rows().map_err(Obstacle::Io)?.into_iter().filter_map(|(_, row)| row) {
            if row.space == Space::Heads
                && let (Some(game), Some(head)) =
                    (parse_game(&row.key), row.value.as_deref().and_then(parse_head))
            {
                newest.insert(game, head.seq);
            }
        }
    }
    // A log that was deleted since is missed by nobody.
    let later = reflection.commits.iter().filter(|_| !newest.is_empty()).collect::<Vec<_>>();
    for mirrored in later {
        for row in mirrored.rows().map_err(Obstacle::Io)?.into_iter().filter_map(|(_, row)| row) {
            if row.space == Space::Heads
                && row.value.is_none()
                && let Some(game) = parse_game(&row.key)
            {
                newest.remove(&game);
            }
        }
    }
    for (game, seq) in newest {
        match spaces.heads.get(game.as_str()).map(|known| known.and_then(|known| parse_head(&known))) {
            Ok(known) if known.is_none_or(|known| known.seq < seq) => return Ok(Some(game)),
            Ok(_) => {}
            // Whoever reads the game will be told.
            Err(error) => tracing::warn!(%game, %error, "the head of a game cannot be read"),
        }
    }
    Ok(None)
}

/// Mirrors the journals anew, beside the mirror that is there; nothing if they hold no commit.
fn reflect(folder: &Path, survey: &Survey) -> io::Result<Option<Mirror>> {
    let unfinished = folder.join(MIRROR_NEW);
    remove(&unfinished)?;
    let Some(first_commit) = survey.first_commit() else { return Ok(None) };
    let mut mirror = Mirror::begin(&unfinished, &folder.join(DATABASE), first_commit)?;
    for placed in &survey.batches {
        if let (Some(commit), Some(rows)) = (placed.batch.commit, survey.rows(placed)?) {
            mirror.prepare(commit, &rows);
            mirror.write(commit)?;
        }
    }
    Ok(Some(mirror))
}

/// Puts the new mirror into the place of the old one.
fn settle_mirror(folder: &Path, mirror: Mirror) -> io::Result<Mirror> {
    let place = folder.join(MIRROR);
    remove(&place)?;
    fs::rename(folder.join(MIRROR_NEW), &place)?;
    Ok(mirror.moved_to(&place))
}

/// Removes a folder, if it is there.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

pub(super) fn lock(folder: &Path) -> Result<File, OpenError> {
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

/// Why a database cannot be opened.
pub(super) enum Obstacle {
    /// Another process has it.
    Locked,
    /// The file system says no.
    Io(io::Error),
    /// It is damaged.
    Damaged(String),
}

impl From<fjall::Error> for Obstacle {
    fn from(error: fjall::Error) -> Obstacle {
        match error {
            fjall::Error::Locked => Obstacle::Locked,
            fjall::Error::Io(source) if !is_damage(source.kind()) => Obstacle::Io(source),
            error => Obstacle::Damaged(error.to_string()),
        }
    }
}

/// Whether an error of the file system speaks of what lies in files, or is missing, and not of the system.
pub(super) fn is_damage(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
    matches!(kind, UnexpectedEof | InvalidData | InvalidInput | NotFound)
}

impl Obstacle {
    pub(super) fn of_folder(self, folder: &Path) -> OpenError {
        let folder = folder.to_owned();
        match self {
            Obstacle::Locked => OpenError::Locked { folder, holder: "unknown".to_owned() },
            Obstacle::Io(source) => OpenError::Io { folder, source },
            Obstacle::Damaged(what) => OpenError::Damaged { folder, what },
        }
    }
}

/// Makes an empty database here.
pub(super) fn create(place: &Path, epoch: u64) -> Result<(), Obstacle> {
    remove(place).map_err(Obstacle::Io)?;
    let make = || -> Result<(), fjall::Error> {
        let db = Database::builder(place).worker_threads(1).open()?;
        for space in Space::ALL {
            db.keyspace(space.name(), KeyspaceCreateOptions::default)?;
        }
        let meta = db.keyspace(Space::Meta.name(), KeyspaceCreateOptions::default)?;
        let mut batch = db.batch().durability(Some(PersistMode::SyncAll));
        batch.insert(&meta, META_COMMIT, commit_value(0, Stamp(0)));
        batch.insert(&meta, META_SCHEMA, SCHEMA.to_le_bytes());
        batch.insert(&meta, META_EPOCH, epoch.to_le_bytes());
        batch.commit()
    };
    Ok(make()?)
}

/// Moves a database that is complete to its place.
fn settle(folder: &Path) -> Result<(), OpenError> {
    let settled = fs::rename(folder.join(DATABASE_NEW), folder.join(DATABASE))
        .and_then(|()| File::open(folder)?.sync_all());
    settled.map_err(|source| OpenError::Io { folder: folder.to_owned(), source })
}

/// Opens a database. Whatever panics meanwhile is an obstacle.
pub(super) fn open_spaces(database: &Path, cache_bytes: u64) -> Result<Spaces, Obstacle> {
    let open = || -> Result<Spaces, Obstacle> {
        // Empty, and the database does not open without it: a tool that copies no empty files leaves it out.
        let lock = database.join(DATABASE_LOCK);
        OpenOptions::new().create(true).append(true).open(lock).map_err(Obstacle::Io)?;
        let db = Database::builder(database)
            .cache_size(cache_bytes)
            .max_journaling_size(JOURNAL_BYTES_MAX)
            .open()?;
        let keyspace = |space: Space| -> Result<Keyspace, Obstacle> {
            // Asking for one that is gone would make an empty one.
            if !db.keyspace_exists(space.name()) {
                return Err(Obstacle::Damaged(format!("the keyspace `{}` is gone", space.name())));
            }
            Ok(db.keyspace(space.name(), KeyspaceCreateOptions::default)?)
        };
        Ok(Spaces {
            meta: keyspace(Space::Meta)?,
            logs: keyspace(Space::Logs)?,
            heads: keyspace(Space::Heads)?,
            records: keyspace(Space::Records)?,
            expiries: keyspace(Space::Expiries)?,
            db: db.clone(),
        })
    };
    catch_unwind(AssertUnwindSafe(open))
        .unwrap_or_else(|_| Err(Obstacle::Damaged("the database gave up reading it".to_owned())))
}

/// Reads what the database says about itself.
fn contents(folder: &Path, spaces: &Spaces) -> Result<Contents, OpenError> {
    let broken = |error: fjall::Error| Obstacle::from(error).of_folder(folder);
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
    Ok(Contents { commit, committed_at, epoch, quarantined })
}
