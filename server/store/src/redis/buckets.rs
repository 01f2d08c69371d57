//! The store in several buckets, which may be spread over the masters of a Redis Cluster.
//!
//! A bucket is a part of the keyspace whose keys share one hash tag. It is a complete store with
//! its own logs, side records, heartbeat, epoch, and connections. The documentation of the [store
//! in Redis](super) applies to each bucket. So if a master is lost or a slot moves, only its
//! buckets are affected. `docs/adr/0111-buckets-are-stores.md` gives the reasons.
//!
//! A request for a single bucket is carried out there by one script. An append contains all its
//! side records. Those that belong to other buckets are written there after the append
//! (`appends.rs`). An update of several buckets is a transaction (`transaction.rs`).

mod all;
mod appends;
mod outages;
mod reading;
mod store;
mod transaction;
mod updates;

pub use self::store::{BUCKETS, BucketStore};
