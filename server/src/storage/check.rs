//! Checks a store or a backup, and the archive.

use std::path::Path;
use std::sync::Arc;

use flagfall_archive::{Archive, ArchivedStore, Check, Examine, KnownArchive, Report, Settings};
use flagfall_board::GameId;
use flagfall_protocol::SigningKeys;
use flagfall_services::histories;
use flagfall_services::proof::{check_signature, signing_keys};
use flagfall_store::embedded::Inspection;
use flagfall_store::embedded::backup::{ARCHIVE, is_backup};
use flagfall_store::{
    EmbeddedOptions, EmbeddedStore, Head, ReadError, Store, StoreError, SystemClock, Transfer,
};
use flagfall_transfer::examine;
use flagfall_words::counted;
use tempfile::TempDir;

use super::archive::{ArchiveFailure, check_known, objects_to_read};
use super::backup::{check as check_backup, copy as copy_backup};
use super::open::{DAMAGED_SHOWN, OpenFailure, StoreFailure, open_redis, progress, tell_damaged};
use super::report::{Progress, say};
use crate::config::{ArchivePlace, Config, StoreKind};

/// The number of archived games that a check replays, unless it replays all games.
const SAMPLE: u64 = 1_000;

/// The numbers of errors that were found and listed.
#[derive(Default)]
struct Errors {
    games: usize,
    others: usize,
}

/// Checks the store and the archive. Replays all archived games if `all` is true, otherwise a
/// sample of them.
pub(super) async fn check(config: &Config, all: bool) -> Result<(), StoreFailure> {
    let mut errors = Errors::default();
    let (mut keys, mut known, mut place) = (None, None, config.archive_place());
    // The copies must exist as long as the store.
    let (mut inspected, mut copied) = (None, None);
    let mut inner: Option<Arc<dyn Transfer>> = None;
    match &config.store {
        StoreKind::Memory => return Err(StoreFailure::Memory),
        StoreKind::Embedded => {
            let opened = if is_backup(&config.data) {
                let folder = config.data.join(ARCHIVE);
                if folder.is_dir() {
                    place = ArchivePlace::Folder(folder);
                }
                errors.others += check_backup(&config.data)?;
                // A damaged backup cannot be restored.
                (errors.others == 0).then(|| open_backup(&config.data, &mut copied)).transpose()?
            } else {
                let inspection = inspected.insert(Inspection::of(&config.data).map_err(OpenFailure::from)?);
                Some(EmbeddedStore::open_copy(inspection, SystemClock).map_err(OpenFailure::from)?)
            };
            if let Some(store) = opened {
                keys = Some(check_store(&store, store.losses(), &mut errors).await?);
                known = KnownArchive::of(&store).await?;
                inner = Some(Arc::new(store));
            }
        }
        StoreKind::Redis(address) => {
            // A check only reads, so it can use a Redis that may lose acknowledged writes.
            let config = Config { accept_weak_redis: true, redis_replicas: 0, ..config.clone() };
            let (store, durability) = open_redis(address, &config).await?;
            say(&format!("{address}: {durability}"));
            let finding =
                |weakness: &String| format!("this Redis promises less than a game needs: {weakness}");
            let findings: Vec<String> = store.weaknesses().iter().map(finding).collect();
            keys = Some(check_store(&*store, &findings, &mut errors).await?);
            known = KnownArchive::of(&*store).await?;
            inner = Some(store.into());
        }
    }
    let found = match objects_to_read(&place).map_err(OpenFailure::from)? {
        Some(objects) => Archive::open_to_read(objects, Settings::default()).await,
        None => Ok(None),
    };
    let mut archive = None;
    match found {
        Ok(found) => {
            let id = found.as_ref().map(Archive::id);
            check_known(config, known.as_ref(), id).map_err(OpenFailure::from)?;
            if found.is_none() && place != ArchivePlace::Off {
                say("there is no archived game yet");
            }
            archive = found;
        }
        Err(error) if error.is_damage() => {
            say(&error.to_string());
            errors.others += 1;
            // Histories cannot be checked without their volumes in the archive.
            inner = None;
        }
        Err(error) => return Err(OpenFailure::from(ArchiveFailure::from(error)).into()),
    }
    if let Some(inner) = inner {
        check_histories(inner, archive.as_ref(), all, &mut errors).await?;
    }
    // A server may use the store while the archive is checked.
    drop((inspected, copied));
    if let Some(archive) = archive {
        check_archive(&archive, keys, all, &mut errors).await?;
    }
    let Errors { games, others: files } = errors;
    if games > 0 || files > 0 {
        return Err(StoreFailure::Damaged { games, files });
    }
    say("no errors found");
    Ok(())
}

/// Reads the whole store. Returns the published keys for signatures.
async fn check_store(
    store: &dyn Transfer,
    findings: &[String],
    errors: &mut Errors,
) -> Result<SigningKeys, StoreFailure> {
    let examined = examine(store, progress("read")).await?;
    findings.iter().for_each(|finding| say(finding));
    tell_damaged(&examined);
    say(&format!("read: {}", examined.tally));
    errors.games += examined.damaged.len();
    errors.others += findings.len();
    Ok(signing_keys(store).await?)
}

/// Opens a copy of a backup, which is made in the system's folder for temporary files.
fn open_backup(backup: &Path, copied: &mut Option<TempDir>) -> Result<EmbeddedStore, StoreFailure> {
    let failed = |error| StoreFailure::File { file: std::env::temp_dir(), error };
    let copy = copied.insert(tempfile::tempdir().map_err(failed)?).path();
    copy_backup(backup, copy)?;
    // The store may have been damaged before it was backed up.
    let options = EmbeddedOptions { accept_lost_tail: true, ..EmbeddedOptions::default() };
    Ok(EmbeddedStore::open(copy, SystemClock, &options).map_err(OpenFailure::from)?)
}

/// Reads the histories of all players, whose volumes are in the store or in the archive, and looks
/// there for the latest games of each player, or for all games.
async fn check_histories(
    inner: Arc<dyn Transfer>,
    archive: Option<&Archive>,
    all: bool,
    errors: &mut Errors,
) -> Result<(), StoreFailure> {
    let store: Arc<dyn Store> = match archive {
        Some(archive) => Arc::new(ArchivedStore::new(inner.clone(), archive.clone())),
        None => inner.clone(),
    };
    let has_game = async |game| match inner.head(game).await {
        Ok(Head::START) => match archive {
            Some(archive) => is_archived(archive, game).await,
            None => Ok(false),
        },
        // Damage was reported when the game was read.
        Ok(_) | Err(ReadError::Damaged { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    };
    let damaged = histories::check(&*store, all, has_game).await?;
    for (player, what) in damaged.iter().take(DAMAGED_SHOWN) {
        say(&format!("the history of player {player} is damaged: {what}"));
    }
    let more = damaged.len().saturating_sub(DAMAGED_SHOWN);
    if more > 0 {
        say(&format!("and {}", counted(more, "more player", "more players")));
    }
    errors.others += damaged.len();
    Ok(())
}

/// True if the archive has or had a game.
async fn is_archived(archive: &Archive, game: GameId) -> Result<bool, StoreError> {
    match archive.find(game).await {
        Ok(found) => Ok(found.is_some()),
        // The check of the archive reports its damage.
        Err(error) if error.is_damage() => Ok(true),
        Err(error) => Err(StoreError::Unavailable { why: error.to_string() }),
    }
}

/// Checks the archive. Without keys, signatures are not checked.
async fn check_archive(
    archive: &Archive,
    keys: Option<SigningKeys>,
    all: bool,
    errors: &mut Errors,
) -> Result<(), StoreFailure> {
    let depth = if all { Check::All } else { Check::Sample(SAMPLE) };
    let examine: Examine = Arc::new(move |log| match &keys {
        Some(keys) => check_signature(keys, log),
        None => Ok(()),
    });
    let mut progress = Progress::begin();
    let told = |done, all| {
        let objects = counted(all, "object", "objects");
        progress.tell(format_args!("checked so far: {done} of {objects} of the archive"));
    };
    let report = archive.check_with(depth, examine, told).await;
    let report = report.map_err(|error| OpenFailure::from(ArchiveFailure::from(error)))?;
    let Report { segments, index_parts, games, replayed, unsupported, records, damage } = report;
    for damage in damage {
        say(&damage.what);
        for game in damage.games.iter().take(DAMAGED_SHOWN) {
            say(&format!("  game {game}"));
        }
        let more = damage.games.len().saturating_sub(DAMAGED_SHOWN);
        if more > 0 {
            say(&format!("  and {}", counted(more, "more game", "more games")));
        }
        errors.games += damage.games.len();
        errors.others += usize::from(damage.games.is_empty());
    }
    say(&format!(
        "read the archive: {} in {}, {} of the index; replayed {}",
        counted(games, "game", "games"),
        counted(segments, "segment", "segments"),
        counted(index_parts, "part", "parts"),
        counted(replayed, "game", "games")
    ));
    if records > 0 {
        say(&format!("read the archive: {} of players' histories", counted(records, "volume", "volumes")));
    }
    if unsupported > 0 {
        say(&format!("not replayed, because only other versions can read them: {unsupported}"));
    }
    Ok(())
}
