//! Opens the store that the operator chose, for a server or for a maintenance command.

mod archive;
mod backup;
mod check;
mod dump;
mod report;

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use flagfall_store::embedded::backup::BackupError;
use flagfall_store::redis::Demand;
use flagfall_store::{
    EmbeddedOpenError, EmbeddedOptions, EmbeddedStore, MemoryStore, RedisOpenError, RedisOptions, RedisStore,
    Store, StoreError, SystemClock, Transfer,
};
use flagfall_transfer::{
    Examined, Rewrite, Tally, TransferError, alive_at_export, check_export, export, import,
};
use thiserror::Error;

use self::archive::ArchiveFailure;
use self::report::{Progress, say};
use crate::config::{
    ArchiveCommand, ArchivePlace, Config, JobsCommand, OfPlayer, OperatorCommand, StoreCommand, StoreKind,
};
use crate::redis_tls::RedisTlsError;
use flagfall_archive::{Archive, ArchivedStore};
use flagfall_base::jobs::{dead_jobs, waiting_jobs};
use flagfall_game::{InForm, note_outage};
use flagfall_services::archive::{Archiver, ArchivingError, list_all};
use flagfall_services::dump::DumpError;
use flagfall_services::operator::{self, Operator, OperatorError};
use flagfall_services::proof::KeyError;
use flagfall_services::prune::{Lifetimes, Pruned, Run, prune_all};

const DAMAGED_SHOWN: usize = 100;

/// A store, open for a server.
pub struct Opened {
    /// The store, with the games of the archive.
    pub store: Arc<dyn Store>,
    /// The archive, and the store without its games. `None` if there is no archive.
    pub archive: Option<(Archive, Arc<dyn Store>)>,
    /// The same store if it is the embedded store. Only an embedded store can fail permanently,
    /// so its type is needed to check for that.
    pub embedded: Option<Arc<EmbeddedStore>>,
    /// A description, for people, of where the store is and how durable it is.
    pub place: String,
    /// A description, for people, of where finished games are archived.
    pub archive_place: String,
}

#[derive(Debug, Error)]
pub enum OpenFailure {
    #[error(transparent)]
    Embedded(#[from] EmbeddedOpenError),
    #[error(transparent)]
    Redis(#[from] RedisOpenError),
    #[error(transparent)]
    RedisTls(#[from] RedisTlsError),
    #[error("{why}. Make room, then start the server again")]
    DiskFull { why: String },
    #[error(transparent)]
    Archive(#[from] ArchiveFailure),
}

#[derive(Debug, Error)]
pub enum StoreFailure {
    #[error(transparent)]
    Open(#[from] OpenFailure),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error("{}: {error}", file.display())]
    File { file: PathBuf, error: io::Error },
    #[error(
        "--store memory keeps no data after the server stops: name a data folder (--data) or a Redis (--store redis://…)"
    )]
    Memory,
    #[error("there is no archive: name a folder with --archive")]
    NoArchive,
    #[error(transparent)]
    Archiving(#[from] ArchivingError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error("this command is for data folders: use deploy/backup and deploy/restore for a Redis")]
    NotOfRedis,
    #[error(transparent)]
    Operator(#[from] OperatorError),
    #[error(transparent)]
    Dump(#[from] DumpError),
    #[error(transparent)]
    Key(KeyError),
    #[error(
        "the store is damaged: {games} damaged games, {files} other errors (listed above); to repair it, restore a backup"
    )]
    Damaged { games: usize, files: usize },
}

/// Opens the store and the archive for a server.
pub async fn open(config: &Config) -> Result<Opened, OpenFailure> {
    let (inner, embedded, place) = open_store(config).await?;
    let archive_place = match config.archive_place() {
        ArchivePlace::Off if matches!(config.store, StoreKind::Redis(_)) => {
            "finished games stay in the memory of Redis; --archive moves them to an archive".to_owned()
        }
        ArchivePlace::Off => {
            "finished games stay in the store; --archive moves them to an archive".to_owned()
        }
        ArchivePlace::Folder(folder) => format!("finished games are archived in {}", folder.display()),
        ArchivePlace::S3(place) => format!("finished games are archived in {place}"),
    };
    let archive = archive::open(config).await?.map(|archive| (archive, inner.clone()));
    let store = match &archive {
        Some((archive, inner)) => Arc::new(ArchivedStore::new(inner.clone(), archive.clone())),
        None => inner,
    };
    Ok(Opened { store, archive, embedded, place, archive_place })
}

/// Opens the store without the archive. Also returns a description of its place.
async fn open_store(
    config: &Config,
) -> Result<(Arc<dyn Store>, Option<Arc<EmbeddedStore>>, String), OpenFailure> {
    Ok(match &config.store {
        StoreKind::Memory => {
            let place = "data only in memory: it is lost when the server stops".to_owned();
            (Arc::new(MemoryStore::new(SystemClock)), None, place)
        }
        StoreKind::Embedded => {
            let store = Arc::new(open_embedded(config, &config.data)?);
            if let Some(why) = store.paused() {
                return Err(OpenFailure::DiskFull { why });
            }
            let folder = std::fs::canonicalize(&config.data).unwrap_or_else(|_| config.data.clone());
            let place = format!("data in {}", folder.display());
            (store.clone(), Some(store), place)
        }
        StoreKind::Redis(address) => {
            let address = &config.redis_tls.apply(address)?;
            let store = RedisStore::open(address.clone(), redis_options(config)).await?;
            let durability = store.durability();
            for weakness in durability.weaknesses() {
                tracing::warn!(redis = %address, %weakness, "this Redis promises less than a game needs; continuing because of --accept-weak-redis");
            }
            let place = format!("data in {address} (prefix {}). {durability}", config.redis_prefix.as_str());
            (Arc::new(store), None, place)
        }
    })
}

fn open_embedded(config: &Config, folder: &Path) -> Result<EmbeddedStore, EmbeddedOpenError> {
    let options = EmbeddedOptions { accept_lost_tail: config.accept_lost_tail, ..EmbeddedOptions::default() };
    EmbeddedStore::open(folder, SystemClock, &options)
}

fn redis_options(config: &Config) -> RedisOptions {
    RedisOptions {
        prefix: config.redis_prefix.clone(),
        replicas: config.redis_replicas,
        demand: if config.accept_weak_redis { Demand::Anything } else { Demand::Full },
        ..RedisOptions::default()
    }
}

pub async fn run(config: &Config, command: &StoreCommand) -> Result<(), StoreFailure> {
    match command {
        StoreCommand::Check { all } => check::check(config, *all).await,
        StoreCommand::Export { file } => export_to(config, file).await,
        StoreCommand::Import { file } => import_from(config, file).await,
        StoreCommand::Backup { folder } => back_up(config, folder),
        StoreCommand::Restore { backup } => restore(config, backup).await,
        StoreCommand::Archive => archive_games(config).await,
        StoreCommand::Prune { dry_run } => prune(config, *dry_run).await,
    }
}

/// Runs a command on the archive.
pub async fn archive(config: &Config, command: &ArchiveCommand) -> Result<(), StoreFailure> {
    let ArchiveCommand::Dump { month, folder } = command;
    dump::dump(config, month, folder).await
}

pub async fn operate(config: &Config, command: &OperatorCommand) -> Result<(), StoreFailure> {
    if matches!(config.store, StoreKind::Memory) {
        return Err(StoreFailure::Memory);
    }
    let Opened { store, .. } = open(config).await?;
    let store = &*store;
    match command {
        OperatorCommand::Reports => {
            let reports = operator::latest_reports(store).await?;
            list("there are no reports", reports.iter().map(operator::report_line));
        }
        OperatorCommand::Jobs { command: None } => {
            let waiting = waiting_jobs(store).await?;
            waiting.iter().map(operator::waiting_line).for_each(|line| say(&line));
            let dead = dead_jobs(store).await?;
            list("no job has failed permanently", dead.iter().map(operator::dead_job_line));
        }
        OperatorCommand::Jobs { command: Some(JobsCommand::Retry { job: Some(job), all: _, reason }) } => {
            let (kind, id) = job.split_once('/').unwrap_or((job, ""));
            Operator::new(store, reason)?.retry(kind, id).await?;
            say(&format!("{job} is put back; a server will try it again within seconds"));
        }
        OperatorCommand::Jobs { command: Some(JobsCommand::Retry { job: None, all: _, reason }) } => {
            let retried = Operator::new(store, reason)?.retry_all().await?;
            say(&format!("jobs put back: {retried}"));
        }
        OperatorCommand::Jobs { command: Some(JobsCommand::Discard { job, yes, reason }) } => {
            let (kind, id) = job.split_once('/').unwrap_or((job, ""));
            Operator::new(store, reason)?.discard(kind, id, *yes).await?;
            say(&format!("{job} is discarded; its work will never be done"));
        }
        OperatorCommand::Log => {
            let acts = operator::acts(store).await?;
            list("the log of operators is empty", acts.iter().map(operator::act_line));
        }
        OperatorCommand::Close(OfPlayer { name, reason }) => {
            Operator::new(store, reason)?.close(name).await?;
            say(&format!(
                "{name} is closed: logins are refused, and servers on this store close its connections within a second"
            ));
        }
        OperatorCommand::Reopen(OfPlayer { name, reason }) => {
            Operator::new(store, reason)?.reopen(name).await?;
            say(&format!("{name} is open again; its tokens and its password are unchanged"));
        }
        OperatorCommand::Undo { game, reason } => {
            let change = Operator::new(store, reason)?.undo(*game).await?;
            say(&format!("undone: {}", operator::change_text(&change)));
        }
        OperatorCommand::Erase { game, reason } => {
            let done = match Operator::new(store, reason)?.erase(*game).await? {
                true => {
                    "is erased; an archive overwrites its bytes later, within a day if a server is running"
                }
                false => "was erased before; nothing of it is left",
            };
            say(&format!("game {game} {done}"));
        }
        OperatorCommand::UndoAll(OfPlayer { name, reason }) => {
            let games = Operator::new(store, reason)?.undo_all(name).await?;
            let games = if games == 1 { "one game".to_owned() } else { format!("{games} games") };
            say(&format!("undone: the effect of {games} of {name} on ratings"));
        }
    }
    Ok(())
}

fn list(nothing: &str, lines: impl ExactSizeIterator<Item = String>) {
    if lines.len() == 0 {
        return say(nothing);
    }
    lines.for_each(|line| say(&line));
}

async fn open_for_transfer(config: &Config) -> Result<Box<dyn Transfer>, StoreFailure> {
    Ok(match &config.store {
        StoreKind::Memory => return Err(StoreFailure::Memory),
        StoreKind::Embedded => Box::new(open_embedded(config, &config.data).map_err(OpenFailure::from)?),
        StoreKind::Redis(address) => Box::new(open_redis(address, config).await?),
    })
}

/// Opens a Redis without heartbeats, because no server runs on it here.
async fn open_redis(
    address: &flagfall_store::RedisAddress,
    config: &Config,
) -> Result<RedisStore, OpenFailure> {
    let options = RedisOptions { pulse: Duration::ZERO, ..redis_options(config) };
    Ok(RedisStore::open(config.redis_tls.apply(address)?, options).await?)
}

fn tell_damaged(examined: &Examined) {
    for (game, what) in examined.damaged.iter().take(DAMAGED_SHOWN) {
        say(&format!("game {game} is damaged: {what}"));
    }
    let more = examined.damaged.len().saturating_sub(DAMAGED_SHOWN);
    if more > 0 {
        say(&format!("and {more} more games"));
    }
}

async fn export_to(config: &Config, file: &Path) -> Result<(), StoreFailure> {
    let inner: Arc<dyn Transfer> = open_for_transfer(config).await?.into();
    let store: Arc<dyn Transfer> = match archive::open(config).await.map_err(OpenFailure::from)? {
        Some(archive) => Arc::new(ArchivedStore::new(inner, archive)),
        None => inner,
    };
    let mut in_form = config.settings.write_format.map(InForm::new);
    let mut rewrite = in_form.as_mut().map(|in_form| move |game, entry: &_| in_form.rewrite(game, entry));
    let rewrite = rewrite.as_mut().map(|rewrite| rewrite as &mut Rewrite<'_>);
    let examined = if file == Path::new("-") {
        // Do not print progress messages, because they would be mixed with the output.
        export(&*store, &mut io::stdout(), rewrite, |_| {}).await?
    } else {
        let failed = |error| StoreFailure::File { file: file.to_owned(), error };
        // The file contains hidden information of games, so only its owner may read it.
        let out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(failed)?;
        let mut out = BufWriter::new(out);
        let examined = export(&*store, &mut out, rewrite, progress("exported")).await?;
        out.into_inner().map_err(|error| failed(error.into_error()))?.sync_all().map_err(failed)?;
        tell_damaged(&examined);
        say(&format!("exported to {}: {}", file.display(), examined.tally));
        examined
    };
    match examined.damaged.len() {
        0 => Ok(()),
        games => Err(StoreFailure::Damaged { games, files: 0 }),
    }
}

async fn import_from(config: &Config, file: &Path) -> Result<(), StoreFailure> {
    let failed = |error| StoreFailure::File { file: file.to_owned(), error };
    let reader = || File::open(file).map(BufReader::new).map_err(failed);
    let whole = check_export(&mut reader()?).await?;
    let alive = alive_at_export(&mut reader()?)?;
    say(&format!("{} is complete: {whole}", file.display()));
    let store = open_for_transfer(config).await?;
    let tally = import(&*store, &mut reader()?, progress("imported")).await?;
    // Record that the clocks of running games have been stopped since the export.
    if let Some(since) = alive {
        note_outage(&*store, since).await?;
    }
    say(&format!("imported: {tally}"));
    Ok(())
}

/// Returns the folder to back up or to restore.
fn data_folder(config: &Config) -> Result<&Path, StoreFailure> {
    match config.store {
        StoreKind::Embedded => Ok(&config.data),
        StoreKind::Memory => Err(StoreFailure::Memory),
        StoreKind::Redis(_) => Err(StoreFailure::NotOfRedis),
    }
}

fn damaged_files(files: usize) -> Result<(), StoreFailure> {
    if files == 0 { Ok(()) } else { Err(StoreFailure::Damaged { games: 0, files }) }
}

async fn restore(config: &Config, source: &Path) -> Result<(), StoreFailure> {
    let data = data_folder(config)?;
    let restored = backup::restore(source, data)?;
    let store = open_embedded(config, data).map_err(OpenFailure::from)?;
    // Record that the clocks of running games have been stopped since the backup.
    if let Some(since) = store.last_heartbeat().await? {
        note_outage(&store, since).await?;
    }
    say(&restored);
    restore_archive(config, source)
}

fn back_up(config: &Config, target: &Path) -> Result<(), StoreFailure> {
    let damaged = backup::back_up(data_folder(config)?, target)?;
    if let ArchivePlace::Folder(folder) = config.archive_place() {
        let failed = |error| StoreFailure::File { file: folder.clone(), error };
        let copied = archive::back_up(&folder, target).map_err(failed)?;
        say(&format!("backed up the archive: {copied} files were new"));
    }
    if let ArchivePlace::S3(place) = config.archive_place() {
        say(&format!(
            "the archive in {place} is not part of the backup: use the storage's own versions or copies"
        ));
    }
    damaged_files(damaged)
}

fn restore_archive(config: &Config, source: &Path) -> Result<(), StoreFailure> {
    let ArchivePlace::Folder(folder) = config.archive_place() else { return Ok(()) };
    let failed = |error| StoreFailure::File { file: folder.clone(), error };
    if archive::is_used(&folder).map_err(failed)? {
        say(&format!("the archive in {} was there already, and is kept as it is", folder.display()));
        return Ok(());
    }
    let copied = archive::restore(source, &folder).map_err(failed)?;
    say(&format!("restored the archive into {}: {copied} files", folder.display()));
    Ok(())
}

async fn archive_games(config: &Config) -> Result<(), StoreFailure> {
    let archive = archive::open(config).await.map_err(OpenFailure::from)?.ok_or(StoreFailure::NoArchive)?;
    let store: Arc<dyn Transfer> = open_for_transfer(config).await?.into();
    let after = config.settings.times.archive_after;
    let mut progress = Progress::begin();
    let told = |listed, seen| {
        progress.tell(format_args!("listed so far: {listed} of {seen} games"));
    };
    let (listed, seen) = list_all(&*store, after, told).await?;
    say(&format!("listed for the archive: {listed} of {seen} games"));
    if matches!(config.store, StoreKind::Embedded) {
        // No server is running on the folder, because the store is open here.
        let mut archiver = Archiver::new(store, archive, "store archive".to_owned(), after);
        let archived = archiver.archive_due(true).await?;
        say(&format!("archived: {} games; {} stay in the store for now", archived.games, archived.waiting));
    }
    Ok(())
}

async fn prune(config: &Config, is_dry: bool) -> Result<(), StoreFailure> {
    let store = open_for_transfer(config).await?;
    let lifetimes = Lifetimes::of(&config.settings.times);
    let run = if is_dry { Run::Dry } else { Run::Real };
    let mut progress = Progress::begin();
    let pruned = prune_all(&*store, lifetimes, run, |guests, games| {
        progress.tell(format_args!("checked so far: {guests} guests, {games} games"));
    })
    .await?;
    let verb = if is_dry { "to be deleted" } else { "deleted" };
    let days = |time: Option<Duration>| {
        time.map_or_else(|| "kept forever".to_owned(), |time| format!("{} days", time.as_secs() / 86_400))
    };
    let Pruned { guests, games } = pruned;
    say(&format!("{verb}: {guests} guests who never played ({})", days(lifetimes.new_guest)));
    say(&format!("{verb}: {games} finished casual games of guests ({})", days(lifetimes.guest_game)));
    Ok(())
}

fn progress(what: &'static str) -> impl FnMut(&Tally) + Send {
    let mut progress = Progress::begin();
    move |tally| progress.tell(format_args!("{what} so far: {tally}"))
}
