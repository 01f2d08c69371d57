//! The stores under test.

use std::sync::Arc;

use flagfall_board::Stamp;
use flagfall_store::{EmbeddedOptions, EmbeddedStore, RedisOptions, Store};
use flagfall_store_testing::{ManualClock, TestStore};

use crate::common::redis::RedisServer;
use crate::common::scratch;

pub(crate) const NOON: Stamp = Stamp(1_700_000_000_000);

/// A store under test. Its clock starts at noon.
pub(crate) struct World {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
    // Dropping these fields removes the data. They come after the store, because fields are
    // dropped in order, and the store must be dropped first.
    _folder: Option<tempfile::TempDir>,
    _redis: Option<RedisServer>,
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
    let store = EmbeddedStore::open(folder.path(), clock.clone(), options).unwrap();
    World { store: Arc::new(store), clock, _folder: Some(folder), _redis: None }
}

pub(crate) async fn memory() -> World {
    let clock = Arc::new(ManualClock::new(NOON));
    World { store: Arc::new(TestStore::announcing(clock.clone())), clock, _folder: None, _redis: None }
}

pub(crate) async fn in_redis() -> World {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let store = redis.open(RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() }).await;
    World { store: Arc::new(store), clock, _folder: None, _redis: Some(redis) }
}
