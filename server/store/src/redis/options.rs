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
    /// Replicas that must have an append before it is acknowledged. Default 0.
    pub replicas: u32,
    /// What Redis must promise.
    pub demand: Demand,
    /// Requests that may wait for the writer. Beyond that, callers wait. Default 4,096.
    pub queue_length: usize,
    /// How long connecting may take. Default 1 s.
    pub connect_timeout: Duration,
    /// How long an answer may take before the connection is given up. Default 2 s.
    pub answer_timeout: Duration,
    /// How long servers have, after a restart of Redis, to give back what it has lost, before
    /// anything else is written. Must be longer than the longest pause between two tries to
    /// connect, 1 s. Default 1.5 s.
    pub give_back: Duration,
    /// Bytes of logs held in memory, to give back what Redis loses. Default 64 MiB.
    pub held_bytes_max: usize,
    /// The time between two `Announcement::Everything`, in case an announcement was missed.
    /// Default 30 s.
    pub audit: Duration,
    /// How long a server may be without a heartbeat before it counts as gone. Default 2.5 s.
    pub pulse: Duration,
    /// How long all servers may be without a heartbeat before that time counts as an outage, in
    /// which no clock ran. Default 2.5 s.
    pub silence: Duration,
    /// The time between two readings of Redis's durability settings, which can change while it
    /// runs. Default 15 s.
    pub durability_every: Duration,
    /// The clock that gives stamps instead of Redis's own, for tests.
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

/// What Redis must promise for the store to accept anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Demand {
    /// Nothing acknowledged is lost: no [`Weakness`](super::Weakness).
    #[default]
    Full,
    /// Any promises will do.
    Anything,
}
