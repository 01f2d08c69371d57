//! The store: the log of every game, kept on disk or in memory.
//!
//! This is the layer of bytes. It numbers, chains, stamps and keeps entries without knowing what they say; beside
//! the logs it keeps small side records under keys. [`Store`] is the trait, [`EmbeddedStore`] the durable
//! implementation inside the process, [`MemoryStore`] the one for tests. One suite of tests holds for all.

pub mod clock;
pub mod embedded;
pub mod limits;
pub mod memory;
pub mod record;
mod store;
mod value;

pub use clock::{ManualClock, SystemClock, WallClock};
pub use embedded::{EmbeddedStore, OpenError, Options};
pub use memory::MemoryStore;
pub use store::{
    Append, AppendOutcome, Expect, ReadError, Record, Store, StoreError, StoreFuture, StoredEntry, Update,
    UpdateOutcome, Write,
};
pub use value::{Hash, Head, Key, SecretBytes};
