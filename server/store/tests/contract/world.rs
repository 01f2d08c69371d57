//! The stores under test.

use std::sync::Arc;

use flagfall_board::{GameId, Stamp};
use flagfall_store::{EmbeddedOptions, EmbeddedStore, RedisOptions, Store, Transfer};
use flagfall_store_testing::{ManualClock, TestStore};

use crate::common::cluster::Cluster;
use crate::common::redis::RedisServer;
use crate::common::scratch;

pub(crate) const NOON: Stamp = Stamp(1_700_000_000_000);

/// A store under test. Its clock starts at noon.
pub(crate) struct World {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
    /// True if several servers can use this store.
    pub(crate) is_shared: bool,
    /// The same store, if it can put games into quarantine.
    transfer: Option<Arc<dyn Transfer>>,
    /// The same store, if it is the store in memory.
    memory: Option<TestStore>,
    // Dropping these fields removes the data. They come after the store, because fields are
    // dropped in order, and the store must be dropped first.
    _folder: Option<tempfile::TempDir>,
    _redis: Option<RedisServer>,
}

impl World {
    pub(crate) async fn put_aside(&self, game: GameId) {
        if let Some(transfer) = &self.transfer {
            transfer.put_aside(game, "entry 1: it is damaged".to_owned()).await.unwrap();
        }
        if let Some(memory) = &self.memory {
            memory.damage(game, 1);
            assert!(memory.read(game, 0, 1).await.is_err());
        }
    }
}

pub(crate) async fn embedded() -> World {
    embedded_with(&EmbeddedOptions::default())
}

/// Returns an embedded store in which almost every group begins a new segment and a checkpoint.
pub(crate) async fn embedded_with_checkpoints() -> World {
    embedded_with(&EmbeddedOptions {
        segment_bytes: 100,
        checkpoint_bytes: 100,
        ..EmbeddedOptions::default()
    })
}

fn embedded_with(options: &EmbeddedOptions) -> World {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let store = Arc::new(EmbeddedStore::open(folder.path(), clock.clone(), options).unwrap());
    let transfer: Option<Arc<dyn Transfer>> = Some(store.clone());
    World { store, clock, is_shared: false, transfer, memory: None, _folder: Some(folder), _redis: None }
}

pub(crate) async fn memory() -> World {
    let clock = Arc::new(ManualClock::new(NOON));
    let store = TestStore::announcing(clock.clone());
    let memory = Some(store.clone());
    let store = Arc::new(store);
    World { store, clock, is_shared: false, transfer: None, memory, _folder: None, _redis: None }
}

/// Returns a store of several buckets, all of which are in one Redis.
pub(crate) async fn in_buckets() -> World {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let options = RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() };
    let store = Arc::new(redis.open_buckets(options, 4).await);
    let transfer: Option<Arc<dyn Transfer>> = Some(store.clone());
    World { store, clock, is_shared: true, transfer, memory: None, _folder: None, _redis: Some(redis) }
}

/// Returns a store of several buckets in a Redis Cluster. Stores with different numbers have
/// nothing in common.
pub(crate) async fn in_cluster(cluster: &Cluster, number: usize) -> World {
    let clock = Arc::new(ManualClock::new(NOON));
    let prefix = format!("store-{number}").parse().unwrap();
    let options = RedisOptions { clock: Some(clock.clone()), prefix, ..RedisOptions::default() };
    let store = Arc::new(cluster.open(options, 6).await);
    let transfer: Option<Arc<dyn Transfer>> = Some(store.clone());
    World { store, clock, is_shared: true, transfer, memory: None, _folder: None, _redis: None }
}

pub(crate) async fn in_redis() -> World {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let store = redis.open(RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() }).await;
    let store = Arc::new(store);
    let transfer: Option<Arc<dyn Transfer>> = Some(store.clone());
    World { store, clock, is_shared: true, transfer, memory: None, _folder: None, _redis: Some(redis) }
}
