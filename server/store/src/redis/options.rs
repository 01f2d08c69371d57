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
    /// How many replicas must have an append before it is acknowledged. Default 0.
    pub replicas: u32,
    /// How durable Redis must be.
    pub demand: Demand,
    /// The most requests that wait for the writer. If the queue is full, callers wait. Default
    /// 4,096.
    pub queue_length: usize,
    /// How long connecting may take. Default 1 s.
    pub connect_timeout: Duration,
    /// How long an answer may take before the connection is dropped. Default 2 s.
    pub answer_timeout: Duration,
    /// How long servers may, after a restart of Redis, give back what it has lost. Until then
    /// servers write nothing else. Must be longer than the longest pause between two attempts to
    /// connect, 1 s. Default 1.5 s.
    pub give_back: Duration,
    /// The most bytes of logs held in memory, to give back what Redis loses. Default 64 MiB.
    pub held_bytes_max: usize,
    /// The time between two `Announcement::Everything`, which make up for lost announcements.
    /// Default 30 s.
    pub audit: Duration,
    /// How long a server may send no heartbeat before it counts as gone. Default 2.5 s.
    pub pulse: Duration,
    /// How long all servers may send no heartbeat before the time counts as an outage, during
    /// which clocks stand still. Default 2.5 s.
    pub silence: Duration,
    /// The time between two readings of Redis's durability settings, which can change while Redis
    /// runs. Default 15 s.
    pub durability_every: Duration,
    /// A clock that gives the stamps instead of Redis's clock, for tests.
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
            clock: None,
        }
    }
}

/// How durable Redis must be for the store to accept requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Demand {
    /// Redis loses no acknowledged write: it has no [`Weakness`](super::Weakness).
    #[default]
    Full,
    /// Redis may have any weakness.
    Anything,
}
