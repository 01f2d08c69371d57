//! The store in several buckets, which may be spread over the masters of a Redis Cluster.
//!
//! A bucket is a part of the keyspace whose keys share one hash tag. It is a whole store: it has
//! logs, side records, a heartbeat, an epoch, and connections of its own, and everything that is
//! said of the [store in Redis](super) holds for each bucket. So if a master is lost or a slot
//! moves, only its buckets notice. `docs/adr/0111-buckets-are-stores.md` gives the reasons.
//!
//! What concerns one bucket is done there, in one script. Side records of an append that are in
//! other buckets are written after the append, which contains them (`appends.rs`). An update of
//! several buckets is a transaction (`transaction.rs`).

mod all;
mod appends;
mod outages;
mod reading;
mod store;
mod transaction;
mod updates;

pub use self::store::{BUCKETS, BucketStore};
