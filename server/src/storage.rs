//! The commands on a store and its archive.

mod archive;
mod backup;
mod check;
mod dump;
mod open;
mod report;

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use flagfall_store::record::Form;
use flagfall_store::{ARCHIVE_KEY, FullRecord, Store, StoreFuture, Transfer};
use flagfall_transfer::{
    Rewrite, RewriteRecord, alive_at_export, check_export, export, finish_import, import_unfinished,
};

pub use self::archive::ArchiveFailure;
pub use self::open::{OpenFailure, Opened, StoreFailure, open};
use self::open::{open_embedded, open_for_transfer, progress, tell_damaged};
use self::report::{Progress, say};
use crate::config::{
    ArchiveCommand, ArchivePlace, Config, JobsCommand, OfPlayer, OperatorCommand, StoreCommand, StoreKind,
};
use flagfall_archive::ArchivedStore;
use flagfall_base::jobs::{dead_jobs, waiting_jobs};
use flagfall_base::keys::{PROOF, SERVERS};
use flagfall_game::{InForm, note_outage};
use flagfall_services::archive::{Archiver, list_all};
use flagfall_services::histories::in_older_form;
use flagfall_services::operator::{self, Operator};
use flagfall_services::prune::{Lifetimes, Pruned, Run, prune_all};
use flagfall_services::ratings::first_moves_in_older_form;
use flagfall_words::counted;

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
        OperatorCommand::Decide { game, reporter, decision, reason } => {
            Operator::new(store, reason)?.decide(*game, reporter, (*decision).into()).await?;
            say(&format!("decided: {reporter} can see this among their reports"));
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
            let games = counted(games, "game", "games");
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

/// How long to wait for the record of a killed server to expire. The record expires after 3
/// seconds.
const IDLE_PATIENCE: Duration = Duration::from_secs(5);
const IDLE_LOOK: Duration = Duration::from_millis(200);

/// Checks that no server uses the store.
async fn check_idle(store: &dyn Store) -> Result<(), StoreFailure> {
    let is_idle = async {
        let mut is_told = false;
        while !store.scan(SERVERS.all()?, None, 1).await?.is_empty() {
            if !std::mem::replace(&mut is_told, true) {
                tracing::info!("waiting until no server uses the store");
            }
            tokio::time::sleep(IDLE_LOOK).await;
        }
        Ok(())
    };
    tokio::time::timeout(IDLE_PATIENCE, is_idle).await.unwrap_or(Err(StoreFailure::InUse))
}

async fn export_to(config: &Config, file: &Path) -> Result<(), StoreFailure> {
    let inner: Arc<dyn Transfer> = open_for_transfer(config).await?.into();
    check_idle(&*inner).await?;
    let archive = archive::open(config, &*inner).await.map_err(OpenFailure::from)?;
    let has_archived_games = archive.is_some();
    let store: Arc<dyn Transfer> = match archive {
        Some(archive) => Arc::new(ArchivedStore::new(inner, archive)),
        None => inner,
    };
    let mut in_form = config.settings.write_format.map(InForm::new);
    let changed = in_form.as_ref().map(InForm::changed).unwrap_or_default();
    let mut rewrite = in_form.as_mut().map(|in_form| move |game, entry: &_| in_form.rewrite(game, entry));
    let rewrite = rewrite.as_mut().map(|rewrite| rewrite as &mut Rewrite<'_>);
    // Version 0.1 cannot read histories that are stored as lines.
    let is_older = config.settings.write_format.is_some_and(|form| form != Form::NEWEST);
    let of_store = store.clone();
    let in_records = move |record: FullRecord| -> StoreFuture<'_, _> {
        let store = of_store.clone();
        // If the file has the archived games, the new store does not need this archive.
        let is_left_out = has_archived_games && record.0.as_bytes() == ARCHIVE_KEY.as_bytes();
        // The signature of a game covers its rule of clocks. All games are exported before records.
        let signed = PROOF.rest(&record.0).and_then(|game| game.parse().ok());
        let is_left_out = is_left_out || signed.is_some_and(|game| changed.lock().contains(&game));
        Box::pin(async move {
            match is_left_out {
                true => Ok(Vec::new()),
                false if is_older => match first_moves_in_older_form(&*store, &record.0).await? {
                    Some(records) => Ok(records),
                    None => in_older_form(&*store, record).await,
                },
                false => Ok(vec![record]),
            }
        })
    };
    let in_records = Some(&in_records as &RewriteRecord<'_>);
    let examined = if file == Path::new("-") {
        // Do not print progress messages, because they would be mixed with the output.
        export(&*store, &mut io::stdout(), rewrite, in_records, |_| {}).await?
    } else {
        let failed = |error| StoreFailure::File { file: file.to_owned(), error };
        // The file contains hidden information of games, so only its owner may read it.
        let out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(failed)?;
        let mut out = BufWriter::new(out);
        let examined = export(&*store, &mut out, rewrite, in_records, progress("exported")).await?;
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
    check_idle(&*store).await?;
    let tally = import_unfinished(&*store, &mut reader()?, progress("imported")).await?;
    // Record that the clocks of running games have been stopped since the export.
    if let Some(since) = alive {
        note_outage(&*store, since).await?;
    }
    finish_import(&*store).await?;
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
    say(&restored);
    // The archive comes first, because a store that was damaged when it was backed up does not
    // open.
    restore_archive(config, source)?;
    let store = open_embedded(config, data).map_err(OpenFailure::from)?;
    // Record that the clocks of running games have been stopped since the backup.
    if let Some(since) = store.last_heartbeat().await? {
        note_outage(&store, since).await?;
    }
    Ok(())
}

fn back_up(config: &Config, target: &Path) -> Result<(), StoreFailure> {
    let damaged = backup::back_up(data_folder(config)?, target)?;
    if let ArchivePlace::Folder(folder) = config.archive_place() {
        let failed = |error| StoreFailure::File { file: folder.clone(), error };
        let copied = archive::back_up(&folder, target).map_err(failed)?;
        let files = counted(copied, "file was", "files were");
        say(&format!("backed up the archive: {files} new"));
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
    let failed = |error| StoreFailure::ArchiveNotRestored { folder: folder.clone(), error };
    if archive::is_used(&folder).map_err(failed)? {
        say(&format!("the archive in {} was there already, and is kept as it is", folder.display()));
        return Ok(());
    }
    let copied = archive::restore(source, &folder).map_err(failed)?;
    say(&format!("restored the archive into {}: {}", folder.display(), counted(copied, "file", "files")));
    Ok(())
}

async fn archive_games(config: &Config) -> Result<(), StoreFailure> {
    let store: Arc<dyn Transfer> = open_for_transfer(config).await?.into();
    let archive = archive::open(config, &*store).await.map_err(OpenFailure::from)?;
    let archive = archive.ok_or(StoreFailure::NoArchive)?;
    let after = config.settings.times.archive_after;
    let mut progress = Progress::begin();
    let told = |listed, seen| {
        progress.tell(format_args!("listed so far: {listed} of {}", counted(seen, "game", "games")));
    };
    let (listed, seen) = list_all(&*store, after, told).await?;
    say(&format!("listed for the archive: {listed} of {}", counted(seen, "game", "games")));
    if matches!(config.store, StoreKind::Embedded) {
        // No server is running on the folder, because the store is open here.
        let mut archiver = Archiver::new(store, archive, after);
        let archived = archiver.archive_due(true).await?;
        let games = counted(archived.games, "game", "games");
        say(&format!("archived: {games}; still in the store: {}", archived.waiting));
    }
    Ok(())
}

async fn prune(config: &Config, is_dry: bool) -> Result<(), StoreFailure> {
    let inner: Arc<dyn Transfer> = open_for_transfer(config).await?.into();
    let store: Arc<dyn Transfer> = match archive::open(config, &*inner).await.map_err(OpenFailure::from)? {
        Some(archive) => Arc::new(ArchivedStore::new(inner, archive)),
        None => inner,
    };
    let lifetimes = Lifetimes::of(&config.settings.times);
    let run = if is_dry { Run::Dry } else { Run::Real };
    let mut progress = Progress::begin();
    let pruned = prune_all(&*store, lifetimes, run, |guests, games| {
        let games = counted(games, "game", "games");
        progress.tell(format_args!("checked so far: {}, {games}", counted(guests, "guest", "guests")));
    })
    .await?;
    let verb = if is_dry { "to be deleted" } else { "deleted" };
    let days = |time: Option<Duration>| {
        let days = |time: Duration| counted(time.as_secs() / 86_400, "day", "days").to_string();
        time.map_or_else(|| "kept forever".to_owned(), days)
    };
    let Pruned { guests, games } = pruned;
    let guests = counted(guests, "guest", "guests");
    let games = counted(games, "finished casual game", "finished casual games");
    say(&format!("{verb}: {guests} who never played ({})", days(lifetimes.new_guest)));
    say(&format!("{verb}: {games} of guests ({})", days(lifetimes.guest_game)));
    Ok(())
}
