//! Opens the store that the operator chose, and its archive.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use flagfall_archive::{Archive, ArchivedStore};
use flagfall_base::keys::IMPORTING;
use flagfall_services::archive::ArchivingError;
use flagfall_services::dump::DumpError;
use flagfall_services::operator::OperatorError;
use flagfall_services::proof::KeyError;
use flagfall_services::settings::Role;
use flagfall_store::embedded::backup::BackupError;
use flagfall_store::redis::buckets::{BUCKETS, BucketStore};
use flagfall_store::redis::{Demand, Durability};
use flagfall_store::{
    EmbeddedOpenError, EmbeddedOptions, EmbeddedStore, MemoryStore, RedisAddress, RedisOpenError,
    RedisOptions, RedisStore, Store, StoreError, SystemClock, Transfer,
};
use flagfall_transfer::{Examined, Tally, TransferError};
use flagfall_words::counted;
use thiserror::Error;

use super::archive::{ArchiveFailure, open as open_archive};
use super::report::{Progress, say};
use crate::config::{ArchivePlace, Config, StoreKind};
use crate::redis_tls::RedisTlsError;

pub(super) const DAMAGED_SHOWN: usize = 100;

/// A store, open for a server.
pub struct Opened {
    /// The store, with the games of the archive.
    pub store: Arc<dyn Store>,
    /// The archive, and the store without the archive's games. `None` if there is no archive.
    pub archive: Option<(Archive, Arc<dyn Store>)>,
    /// The same store with its own type, if it is the embedded store. This type is needed to
    /// check for permanent failures, which no other store has.
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
    #[error("an import into this store is not complete: repeat `store import` with the same file")]
    Unfinished,
    #[error("the store cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error(
        "a part of the store is away that every server needs when it starts: {0}. Bring that master back, or make its replica the master, then start the server again"
    )]
    Needed(StoreError),
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
        "{}: {error}. The archive is not restored: delete it and the data folder, make room, then repeat the command",
        folder.display()
    )]
    ArchiveNotRestored { folder: PathBuf, error: io::Error },
    #[error(
        "--store memory keeps no data after the server stops: name a data folder (--data) or a Redis (--store redis://…)"
    )]
    Memory,
    #[error("servers are running on this store: stop them all, and try again")]
    InUse,
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
        "the store is damaged: {}, {} (listed above); to repair it, restore a backup",
        counted(*.games, "damaged game", "damaged games"),
        counted(*.files, "other error", "other errors")
    )]
    Damaged { games: usize, files: usize },
}

/// The longest time that a read from the archive may take. While a connection waits for a read, the
/// connection's other messages wait too.
const ARCHIVE_PATIENCE: Duration = Duration::from_secs(3);

/// Opens the store and the archive for a server.
pub async fn open(config: &Config) -> Result<Opened, OpenFailure> {
    let (inner, embedded, place) = open_store(config).await?;
    if inner.get(IMPORTING.key([])?).await.map_err(OpenFailure::Needed)?.is_some() {
        return Err(OpenFailure::Unfinished);
    }
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
    let archive = open_archive(config, &*inner).await?.map(|archive| (archive, inner.clone()));
    let store = match &archive {
        Some((archive, inner)) => {
            Arc::new(ArchivedStore::new(inner.clone(), archive.clone()).with_patience(ARCHIVE_PATIENCE))
        }
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
            let (store, durability) = open_in_redis(address, redis_options(config)).await?;
            for weakness in store.weaknesses() {
                tracing::warn!(redis = %address, %weakness, "this Redis promises less than a game needs; continuing because of --accept-weak-redis");
            }
            let place = format!("data in {address} (prefix {}). {durability}", config.redis_prefix.as_str());
            (Arc::<dyn Transfer>::from(store), None, place)
        }
    })
}

/// Opens a store in one Redis, or in several buckets in a Redis Cluster.
async fn open_in_redis(
    address: &RedisAddress,
    options: RedisOptions,
) -> Result<(Box<dyn Transfer>, Durability), RedisOpenError> {
    if address.is_cluster() {
        let store = BucketStore::open(address, options, BUCKETS).await?;
        let durability = store.durability();
        return Ok((Box::new(store), durability));
    }
    let store = RedisStore::open(address.clone(), options).await?;
    let durability = store.durability();
    Ok((Box::new(store), durability))
}

pub(super) fn open_embedded(config: &Config, folder: &Path) -> Result<EmbeddedStore, EmbeddedOpenError> {
    let options = EmbeddedOptions { accept_lost_tail: config.accept_lost_tail, ..EmbeddedOptions::default() };
    EmbeddedStore::open(folder, SystemClock, &options)
}

fn redis_options(config: &Config) -> RedisOptions {
    RedisOptions {
        prefix: config.redis_prefix.clone(),
        replicas: config.redis_replicas,
        // Commands on a store need all of it.
        may_lack_buckets: config.command.is_none(),
        is_onlooker: config.settings.role == Role::Relay,
        demand: if config.accept_weak_redis { Demand::Anything } else { Demand::Full },
        ..RedisOptions::default()
    }
}

pub(super) async fn open_for_transfer(config: &Config) -> Result<Box<dyn Transfer>, StoreFailure> {
    Ok(match &config.store {
        StoreKind::Memory => return Err(StoreFailure::Memory),
        StoreKind::Embedded => Box::new(open_embedded(config, &config.data).map_err(OpenFailure::from)?),
        StoreKind::Redis(address) => open_redis(address, config).await?.0,
    })
}

/// Opens a Redis without heartbeats, because no server runs on it here.
pub(super) async fn open_redis(
    address: &RedisAddress,
    config: &Config,
) -> Result<(Box<dyn Transfer>, Durability), OpenFailure> {
    let options = RedisOptions { pulse: Duration::ZERO, ..redis_options(config) };
    Ok(open_in_redis(&config.redis_tls.apply(address)?, options).await?)
}

pub(super) fn tell_damaged(examined: &Examined) {
    for (game, what) in examined.damaged.iter().take(DAMAGED_SHOWN) {
        say(&format!("game {game} is damaged: {what}"));
    }
    let more = examined.damaged.len().saturating_sub(DAMAGED_SHOWN);
    if more > 0 {
        say(&format!("and {}", counted(more, "more game", "more games")));
    }
}

pub(super) fn progress(what: &'static str) -> impl FnMut(&Tally) + Send {
    let mut progress = Progress::begin();
    move |tally| progress.tell(format_args!("{what} so far: {tally}"))
}
