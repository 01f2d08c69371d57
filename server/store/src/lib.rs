//! The store: the log of every game, kept on disk or in memory.
//!
//! This is the layer of bytes. It numbers, chains, stamps and keeps entries without knowing what they say; beside
//! the logs it keeps small side records under keys. [`Store`] is the trait, [`EmbeddedStore`] the durable
//! implementation inside the process, [`RedisStore`] the one that several servers share, [`MemoryStore`] the one for tests. One suite of tests holds for all.

pub mod archive;
pub mod clock;
pub mod embedded;
mod encoding;
pub mod limits;
pub mod memory;
mod outages;
#[cfg(feature = "planted-faults")]
pub mod planted;
pub mod record;
pub mod redis;
mod store;
mod value;

pub use self::redis::{RedisAddress, RedisOpenError, RedisOptions, RedisStore};
pub use archive::Archive;
pub use clock::{ManualClock, SystemClock, WallClock};
pub use embedded::{EmbeddedStore, OpenError, Options};
pub use memory::MemoryStore;
pub use outages::OutageList;
pub use store::{
    Announcement, Append, AppendOutcome, Expect, Notice, OUTAGES_KEY, OUTAGES_MAX, Outage, ReadError, Record,
    Store, StoreError, StoreFuture, StoredEntry, Update, UpdateOutcome, Write,
};
pub use value::{Hash, Head, Key, SecretBytes};
