//! Settings of the Redis store.

use std::sync::Arc;
use std::time::Duration;

use super::address::Prefix;
use crate::clock::WallClock;

/// Settings of the store.
#[derive(Clone)]
pub struct RedisOptions {
    /// The prefix of all keys.
    pub prefix: Prefix,
    /// The number of replicas that must have an append before it is acknowledged. Default 0.
    pub replicas: u32,
    /// The durability that Redis must have.
    pub demand: Demand,
    /// The maximum number of requests that wait for the writer. Callers wait while the queue is
    /// full. Default 4,096.
    pub queue_length: usize,
    /// The maximum time for connecting. Default 1 s.
    pub connect_timeout: Duration,
    /// The maximum time to wait for an answer before the connection is dropped. Default 2 s.
    pub answer_timeout: Duration,
    /// The time after a restart of Redis during which servers give back the data that Redis has
    /// lost, and write nothing else. This time must be longer than the longest pause between two
    /// attempts to connect, which is 1 s. Default 1.5 s.
    pub give_back: Duration,
    /// The maximum number of bytes of logs that are held in memory, so that they can be written
    /// to Redis again if it loses them. Default 64 MiB.
    pub held_bytes_max: usize,
    /// The time between two messages `Announcement::Everything`, which make up for lost
    /// announcements. Default 30 s.
    pub audit: Duration,
    /// The time without a heartbeat after which a server counts as gone. Default 2.5 s.
    pub pulse: Duration,
    /// The time without a heartbeat from any server after which there is an outage, during which
    /// game clocks stand still. Default 2.5 s.
    pub silence: Duration,
    /// The time between two readings of Redis's durability settings, which can change while Redis
    /// runs. Default 15 s.
    pub durability_every: Duration,
    /// True if a store of several buckets may be opened although some of them are away. More than
    /// half must be there, and the one with the record of outages. Default false.
    pub may_lack_buckets: bool,
    /// True if this server runs no games. Its heartbeats do not show that a server is alive, so
    /// they end no outage. Default false.
    pub is_onlooker: bool,
    /// A clock that tests use for the stamps instead of Redis's clock.
    pub clock: Option<Arc<dyn WallClock>>,
}

impl Default for RedisOptions {
    fn default() -> RedisOptions {
        RedisOptions {
            prefix: Prefix::default(),
            replicas: 0,
            demand: Demand::Full,
            queue_length: 4096,
            connect_timeout: Duration::from_secs(1),
            answer_timeout: Duration::from_secs(2),
            give_back: Duration::from_millis(1_500),
            held_bytes_max: 64 * 1024 * 1024,
            audit: Duration::from_secs(30),
            pulse: Duration::from_millis(2_500),
            silence: Duration::from_millis(2_500),
            durability_every: Duration::from_secs(15),
            may_lack_buckets: false,
            is_onlooker: false,
            clock: None,
        }
    }
}

/// The durability that Redis must have for the store to accept requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Demand {
    /// Redis loses no acknowledged write: it has no [`Weakness`](super::Weakness).
    #[default]
    Full,
    /// Redis may have any weakness that does not stop the store from working.
    Anything,
}
