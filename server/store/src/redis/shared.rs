//! The state that the tasks of the Redis store share with its handle.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use flagfall_board::{GameId, Stamp};
use parking_lot::Mutex;
use redis::{Cmd, Pipeline, Value};
use tokio::sync::broadcast;
use tokio::time::{Interval, MissedTickBehavior, interval_at};

use super::address::RedisAddress;
use super::durability::Durability;
use super::heard::Heard;
use super::held::Held;
use super::interest::Interest;
use super::kept::Kept;
use super::layout::Keys;
use super::link::{Link, Script};
use super::masters::Masters;
use super::options::RedisOptions;
use super::request_error::{RequestError, parsed};
use crate::outages::OutageList;
use crate::store::{Announcement, Outage, StoreMessage};

/// The maximum number of announcements that wait for a receiver. A slower receiver misses some.
const ANNOUNCEMENTS_MAX: usize = 4096;
/// The reason for the quarantine of a game if its log's key has a value of another type.
pub(super) const OVERWRITTEN: &str =
    "its key holds a value of another type: something else has written there";
/// The largest time by which a stamp may be ahead of this process's estimate of the time, in
/// milliseconds. A stamp that is further ahead is accepted only after a heartbeat.
const AHEAD_MAX_MS: u64 = 1_000;

/// Statistics about the store since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RedisStats {
    /// The number of entries given back after Redis had lost them.
    pub restored: u64,
    /// The number of connections that the writer has made.
    pub connections: u64,
}

pub(super) struct Shared {
    pub(super) address: RedisAddress,
    pub(super) options: RedisOptions,
    pub(super) keys: Keys,
    heard: Mutex<Heard>,
    /// A random number by which this process recognizes its own announcements.
    pub(super) mark: u64,
    /// The epoch, which all buckets of a store share.
    pub(super) epoch: Arc<AtomicU64>,
    pub(super) quarantined: Mutex<BTreeMap<GameId, String>>,
    /// Redis's durability at the last check; `None` before the first connection.
    pub(super) durability: Mutex<Option<Durability>>,
    /// The outages since this process opened the store.
    new_outages: Mutex<OutageList>,
    /// The known outages of this bucket, including those that were read from Redis when the store
    /// was opened. Only used in a store of several buckets.
    pub(super) outages: Mutex<OutageList>,
    /// True if a received stamp is too far ahead, or came after a silence. A heartbeat must then
    /// determine whether game clocks stood still.
    pub(super) is_time_doubtful: AtomicBool,
    /// True if the outcome of a write is unknown.
    pub(super) is_in_doubt: AtomicBool,
    /// True if this process has listed appends of this bucket as pending after a loss of data, and
    /// may have to finish them.
    pub(super) has_pending: AtomicBool,
    /// True if messages about retired logs may have been missed.
    pub(super) are_guards_missed: AtomicBool,
    /// The id of the last Redis process to which the writer has given back all held entries.
    run_id: Mutex<String>,
    /// True if a failure has been logged since the last connection.
    has_failed: AtomicBool,
    /// The held logs, which all buckets of a store share.
    pub(super) held: Arc<Mutex<Held>>,
    pub(super) kept: Mutex<Kept>,
    pub(super) interest: Interest,
    pub(super) announcements: broadcast::Sender<Announcement>,
    pub(super) notices: broadcast::Sender<StoreMessage>,
    pub(super) masters: Arc<Masters>,
    pub(super) stats: Mutex<RedisStats>,
}

/// The state that all buckets of a store share.
#[derive(Clone)]
pub(super) struct Common {
    pub(super) epoch: Arc<AtomicU64>,
    held: Arc<Mutex<Held>>,
    pub(super) announcements: broadcast::Sender<Announcement>,
    pub(super) notices: broadcast::Sender<StoreMessage>,
    masters: Arc<Masters>,
}

impl Common {
    pub(super) fn new(held_bytes_max: usize) -> Common {
        Common {
            epoch: Arc::default(),
            held: Arc::new(Mutex::new(Held::new(held_bytes_max))),
            announcements: broadcast::channel(ANNOUNCEMENTS_MAX).0,
            notices: broadcast::channel(ANNOUNCEMENTS_MAX).0,
            masters: Arc::default(),
        }
    }
}

impl Shared {
    pub(super) fn new(address: RedisAddress, options: RedisOptions) -> Shared {
        let keys = Keys::new(&options.prefix);
        let common = Common::new(options.held_bytes_max);
        Shared::with(address, options, keys, common)
    }

    pub(super) fn with(address: RedisAddress, options: RedisOptions, keys: Keys, common: Common) -> Shared {
        let Common { epoch, held, announcements, notices, masters } = common;
        Shared {
            address,
            keys,
            heard: Mutex::new(Heard::new(options.silence, Instant::now())),
            // `RandomState` has random keys, so the hash is a random number.
            mark: RandomState::new().hash_one(std::process::id()),
            epoch,
            quarantined: Mutex::default(),
            durability: Mutex::default(),
            new_outages: Mutex::default(),
            outages: Mutex::default(),
            is_time_doubtful: AtomicBool::new(false),
            is_in_doubt: AtomicBool::new(false),
            has_pending: AtomicBool::new(false),
            are_guards_missed: AtomicBool::new(false),
            run_id: Mutex::default(),
            has_failed: AtomicBool::new(false),
            held,
            kept: Mutex::default(),
            interest: Interest::default(),
            announcements,
            notices,
            masters,
            stats: Mutex::default(),
            options,
        }
    }

    /// Begins the call of a script that needs the time. Its first two arguments are the time
    /// (empty to use Redis's clock) and the floor.
    pub(super) fn call(&self, link: &Link, script: Script, keys: &[&str]) -> Cmd {
        let now = self.options.clock.as_ref().map(|clock| clock.now().0.to_string()).unwrap_or_default();
        link.call(script, keys).arg(now).arg(self.running().0).take()
    }

    pub(super) fn silence_ms(&self) -> u64 {
        u64::try_from(self.options.silence.as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the highest stamp that is accepted without a check of the time.
    pub(super) fn silent_at(&self) -> Stamp {
        self.heard.lock().silent_at()
    }

    /// Returns the floor: all new stamps must be at least this high.
    fn running(&self) -> Stamp {
        let heard = self.heard.lock();
        if self.options.clock.is_some() { heard.latest } else { heard.running(Instant::now()) }
    }

    /// Records a stamp from another server's entry or from an ordinary answer.
    ///
    /// A stamp too far ahead may come from a jump of Redis's clock, and after a silence there may
    /// have been an outage. In both cases this process accepts the stamp only after a heartbeat
    /// has shown whether game clocks stood still.
    pub(super) fn learn_time(&self, at: Stamp) {
        let is_known = self.heard.lock().latest > Stamp(0) && self.options.clock.is_none();
        if is_known && (at > self.now().plus_ms(AHEAD_MAX_MS) || self.silent_since().is_some()) {
            self.is_time_doubtful.store(true, Ordering::SeqCst);
        } else {
            self.raise_floor(at);
        }
    }

    pub(super) fn raise_floor(&self, at: Stamp) {
        self.heard.lock().note(at, Instant::now());
    }

    /// Notes that Redis has been away since this time.
    pub(super) fn note_silence(&self, since: Stamp) {
        self.heard.lock().note_silence(since, Instant::now());
    }

    /// Returns the latest stamp received, if no answer has come for too long since then. Always
    /// `None` with a test's clock, which may jump.
    pub(super) fn silent_since(&self) -> Option<Stamp> {
        if self.options.clock.is_some() { None } else { self.heard.lock().silent_since(Instant::now()) }
    }

    /// Returns the current time, extrapolated from the latest stamp.
    pub(super) fn now(&self) -> Stamp {
        let heard = self.heard.lock();
        match &self.options.clock {
            Some(clock) => clock.now().max(heard.latest),
            None => heard.now(Instant::now()),
        }
    }

    /// Returns ticks at whole multiples of `every` on Redis's clock, so that the tasks of all
    /// buckets and the services wake up at the same moments.
    pub(super) fn ticks(&self, every: Duration) -> Interval {
        let every_ms = u64::try_from(every.as_millis()).unwrap_or(u64::MAX).max(1);
        let wait = Duration::from_millis(every_ms - self.now().0 % every_ms);
        let mut ticks = interval_at(tokio::time::Instant::now() + wait, every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        ticks
    }

    /// Adds a command that waits for the replicas, if the store is set to wait for any.
    pub(super) fn wait(&self, commands: &mut Pipeline) {
        if self.options.replicas > 0 {
            let wait_ms = self.options.answer_timeout.as_millis() / 2;
            commands.cmd("WAIT").arg(self.options.replicas).arg(u64::try_from(wait_ms).unwrap_or(u64::MAX));
        }
    }

    /// Checks that enough replicas confirmed the commands before [`wait`](Self::wait). Removes the
    /// answer to `wait`, which is the last of `answers`.
    pub(super) fn are_enough(&self, answers: &mut Vec<Value>) -> Result<(), RequestError> {
        let wanted = self.options.replicas;
        if wanted == 0 {
            return Ok(());
        }
        let confirmed: u32 = parsed(answers.pop().unwrap_or(Value::Nil))?;
        if confirmed >= wanted {
            return Ok(());
        }
        Err(RequestError::InDoubt(format!(
            "replicas that confirmed what was written: {confirmed} of {wanted}"
        )))
    }

    /// Returns the latest outage since this process opened the store.
    pub(super) fn outage(&self) -> Option<Outage> {
        self.new_outages.lock().last().copied()
    }

    /// Returns the outages since this process opened the store that ended after this time.
    pub(super) fn outages_after(&self, after: Stamp) -> Vec<Outage> {
        let outages = self.new_outages.lock();
        let known = outages.partition_point(|outage| outage.until <= after);
        outages[known..].to_vec()
    }

    pub(super) fn note_outage(&self, outage: Outage) {
        self.new_outages.lock().add(outage);
        let ms = outage.until.ms_since(outage.since);
        tracing::warn!(ms, "no server could write to Redis; no clock ran meanwhile");
        // This makes receivers check everything, including the clocks.
        self.announcements.send(Announcement::Everything).ok();
    }

    /// Returns the held games whose logs are in this bucket.
    pub(super) fn held_games(&self) -> Vec<GameId> {
        let mut games = self.held.lock().games();
        games.retain(|game| self.keys.has_game(*game));
        games
    }

    pub(super) fn is_of_known_run(&self, link: &Link) -> bool {
        *self.run_id.lock() == link.durability.run_id
    }

    pub(super) fn note_connected(&self, link: &Link) {
        link.durability.run_id.clone_into(&mut self.run_id.lock());
        self.stats.lock().connections += 1;
        if self.has_failed.swap(false, Ordering::SeqCst) {
            tracing::info!(redis = %self.address, "Redis is there again");
        }
    }

    pub(super) fn note_failure(&self, error: &RequestError) {
        if !self.has_failed.swap(true, Ordering::SeqCst) {
            tracing::error!(redis = %self.address, %error, "Redis cannot be used");
        }
    }

    pub(super) fn note_restored(&self, game: GameId, entries: usize) {
        self.stats.lock().restored += entries as u64;
        tracing::error!(%game, entries, "Redis had lost the end of a log, which was given back");
    }

    pub(super) fn quarantine(&self, game: GameId, reason: &str) {
        if self.quarantined.lock().insert(game, reason.to_owned()).is_none() {
            tracing::error!(%game, reason, "the log of a game is damaged: it is in quarantine");
        }
    }

    /// Puts a game into quarantine because its log's key has a value of another type. Other games
    /// continue.
    pub(super) fn quarantine_overwritten(&self, game: GameId) {
        self.quarantine(game, OVERWRITTEN);
        self.held.lock().forget(game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_is_not_believed_before_a_heartbeat_has_told_of_it() {
        let address = "redis://127.0.0.1:1".parse().unwrap();
        let shared = Shared::new(address, RedisOptions::default());
        shared.learn_time(Stamp(5_000_000));
        assert_eq!(shared.heard.lock().latest, Stamp(5_000_000), "the first stamp is accepted as it is");
        shared.learn_time(Stamp(5_000_500));
        assert_eq!(shared.heard.lock().latest, Stamp(5_000_500));
        let an_hour_later = Stamp(8_600_000);
        shared.learn_time(an_hour_later);
        assert!(shared.now() < Stamp(5_100_000) && shared.is_time_doubtful.load(Ordering::SeqCst));
        shared.raise_floor(an_hour_later);
        let silent_at = shared.silent_at();
        assert!(shared.running() >= an_hour_later && shared.running() <= silent_at);
        assert!(shared.now() >= an_hour_later, "a heartbeat's time counts");
    }

    #[test]
    fn a_silence_is_over_when_a_heartbeat_has_told_of_what_it_was() {
        let address = "redis://127.0.0.1:1".parse().unwrap();
        let options = RedisOptions { silence: Duration::ZERO, ..RedisOptions::default() };
        let shared = Shared::new(address, options);
        shared.learn_time(Stamp(5_000_000));
        while shared.silent_since().is_none() {
            std::thread::yield_now();
        }
        shared.learn_time(Stamp(5_000_500));
        assert_eq!(shared.silent_since(), Some(Stamp(5_000_000)), "an ordinary answer does not count");
        assert!(shared.is_time_doubtful.load(Ordering::SeqCst));
    }
}
