//! The store: the log of every game, on disk, in Redis or in memory.
//!
//! A store keeps the entries of each log. It numbers them, gives them time stamps, and links them
//! in a hash chain, without reading their content. Next to the logs it keeps small side records
//! under keys. [`Store`] is the trait. [`EmbeddedStore`] is durable and lives in the process,
//! [`RedisStore`] is shared by several servers, and [`MemoryStore`] keeps its data only in
//! memory. The same test suite runs against all three stores.

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

mod checks;
pub mod clock;
mod compact_log;
pub mod embedded;
mod encoding;
mod error;
mod forward;
mod guard;
pub mod limits;
pub mod memory;
mod outages;
#[cfg(feature = "planted-faults")]
pub mod planted;
pub mod record;
pub mod redis;
pub mod segment;
mod store;
mod transfer;
mod value;

pub use clock::{SystemClock, WallClock};
pub use embedded::{EmbeddedOpenError, EmbeddedOptions, EmbeddedStore};
pub use error::{ReadError, StoreError};
pub use guard::Guard;
pub use memory::MemoryStore;
pub use outages::{OUTAGES_KEY, OUTAGES_MAX, Outage, OutageList};
pub use store::{
    ARCHIVED_RECORDS, Announcement, Append, AppendOutcome, DiskSpace, Expect, FullRecord, Reached,
    ReadResult, Record, RetireOutcome, Store, StoreFuture, StoreMessage, StoreResult, StoredEntry, Topic,
    Update, UpdateOutcome, Write,
};
pub use transfer::{ARCHIVE_KEY, IMPORT_KEY, Pages, Transfer};
pub use value::{Hash, Head, Key, SecretBytes, StoreMemory};

// Lets the tests of this crate include the source of `ManualClock`, which imports this crate by
// its name.
#[cfg(test)]
extern crate self as flagfall_store;

pub use self::redis::{RedisAddress, RedisOpenError, RedisOptions, RedisStore};
