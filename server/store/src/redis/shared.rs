//! The state that the tasks of the Redis store share with its handle.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use flagfall_board::{GameId, Stamp};
use redis::{Cmd, Pipeline, Value};
use tokio::sync::broadcast;

use super::address::RedisAddress;
use super::durability::Durability;
use super::fault::{Fault, parsed};
use super::heard::Heard;
use super::held::Held;
use super::kept::Kept;
use super::layout::Keys;
use super::link::{Link, Timeouts};
use super::options::RedisOptions;
use crate::store::{Announcement, Notice, Outage};

/// Announcements that may wait for a listener. A listener that is further behind has missed some.
const ANNOUNCEMENTS_MAX: usize = 4096;
/// Why a game is in quarantine whose key no longer holds a log.
pub(super) const OVERWRITTEN: &str =
    "its key holds a value of another type: something else has written there";
/// How far a stamp may be ahead of what this process's own clock expects to be accepted without a
/// heartbeat, in milliseconds.
const AHEAD_MAX_MS: u64 = 1_000;

#[derive(Default)]
pub(super) struct Counters {
    pub(super) appends: AtomicU64,
    pub(super) entries: AtomicU64,
    pub(super) restored: AtomicU64,
    pub(super) connections: AtomicU64,
}

/// The state that the tasks and the handle share.
pub(super) struct Shared {
    pub(super) address: RedisAddress,
    pub(super) options: RedisOptions,
    pub(super) keys: Keys,
    heard: Mutex<Heard>,
    /// The mark by which this process recognizes its own announcements.
    pub(super) mark: u64,
    pub(super) epoch: AtomicU64,
    pub(super) quarantined: RwLock<BTreeMap<GameId, String>>,
    pub(super) durability: RwLock<Durability>,
    /// The latest outage since this process opened the store.
    outage: Mutex<Option<Outage>>,
    /// True if a stamp was received that is too far ahead, or after a silence. A heartbeat must
    /// first decide whether clocks stood still.
    pub(super) is_time_doubtful: AtomicBool,
    /// True if the outcome of a write is unknown.
    pub(super) is_in_doubt: AtomicBool,
    /// Counts the writer's connections.
    pub(super) generation: AtomicU64,
    /// The run of Redis that has all that is held, as far as the writer knows.
    run_id: RwLock<String>,
    /// True once its promises have been read.
    pub(super) is_reached: AtomicBool,
    /// True if a failure has been logged since the last connection.
    has_failed: AtomicBool,
    held: Mutex<Held>,
    kept: Mutex<Kept>,
    pub(super) announcements: broadcast::Sender<Announcement>,
    pub(super) notices: broadcast::Sender<Notice>,
    pub(super) counters: Counters,
}

impl Shared {
    pub(super) fn new(address: RedisAddress, options: RedisOptions) -> Shared {
        let (announcements, _) = broadcast::channel(ANNOUNCEMENTS_MAX);
        Shared {
            address,
            keys: Keys::new(&options.prefix),
            heard: Mutex::new(Heard::new(options.silence, Instant::now())),
            // A random number, because the keys of `RandomState` are random.
            mark: RandomState::new().hash_one(std::process::id()),
            epoch: AtomicU64::new(0),
            quarantined: RwLock::default(),
            durability: RwLock::default(),
            outage: Mutex::new(None),
            is_time_doubtful: AtomicBool::new(false),
            is_in_doubt: AtomicBool::new(false),
            generation: AtomicU64::new(0),
            run_id: RwLock::default(),
            is_reached: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            held: Mutex::new(Held::new(options.held_bytes_max)),
            kept: Mutex::default(),
            announcements,
            notices: broadcast::channel(ANNOUNCEMENTS_MAX).0,
            counters: Counters::default(),
            options,
        }
    }

    pub(super) fn timeouts(&self) -> Timeouts {
        Timeouts { connect: self.options.connect_timeout, answer: self.options.answer_timeout }
    }

    /// Adds the two arguments that every script that needs the time takes: the time, if it is not
    /// Redis's own, and the floor.
    pub(super) fn time(&self, command: &mut Cmd) {
        let now = self.options.clock.as_ref().map(|clock| clock.now().0.to_string()).unwrap_or_default();
        command.arg(now).arg(self.running().0);
    }

    pub(super) fn silence_ms(&self) -> u64 {
        u64::try_from(self.options.silence.as_millis()).unwrap_or(u64::MAX)
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The moment after which the time must be checked before anything counts.
    pub(super) fn silent_at(&self) -> Stamp {
        self.heard().silent_at()
    }

    /// The floor of stamps: no stamp is given before this moment.
    fn running(&self) -> Stamp {
        let heard = self.heard();
        if self.options.clock.is_some() { heard.latest() } else { heard.running(Instant::now()) }
    }

    /// Notes a stamp from another server's entry or from an ordinary answer.
    ///
    /// A stamp too far ahead may come from a jump of Redis's clock, and after a silence there may
    /// have been an outage. In both cases the stamp counts for this process only after a heartbeat
    /// has shown whether clocks stood still.
    pub(super) fn learn_time(&self, at: Stamp) {
        let is_known = self.heard().latest() > Stamp(0) && self.options.clock.is_none();
        if is_known && (at > self.now().plus_ms(AHEAD_MAX_MS) || self.silent_since().is_some()) {
            self.is_time_doubtful.store(true, Ordering::SeqCst);
        } else {
            self.raise_floor(at);
        }
    }

    pub(super) fn raise_floor(&self, at: Stamp) {
        self.heard().note(at, Instant::now());
    }

    /// The latest stamp received, if the silence since then is too long. Always `None` with a
    /// test's own clock, which may jump.
    pub(super) fn silent_since(&self) -> Option<Stamp> {
        if self.options.clock.is_some() { None } else { self.heard().silent_since(Instant::now()) }
    }

    /// The current time, extrapolated from the latest stamp.
    pub(super) fn now(&self) -> Stamp {
        let heard = self.heard();
        match &self.options.clock {
            Some(clock) => clock.now().max(heard.latest()),
            None => heard.now(Instant::now()),
        }
    }

    /// Adds the wait for the replicas, if configured.
    pub(super) fn wait(&self, commands: &mut Pipeline) {
        if self.options.replicas > 0 {
            let wait_ms = self.options.answer_timeout.as_millis() / 2;
            commands.cmd("WAIT").arg(self.options.replicas).arg(u64::try_from(wait_ms).unwrap_or(u64::MAX));
        }
    }

    /// Checks that enough replicas confirmed.
    pub(super) fn are_enough(&self, waited: Option<&Value>) -> Result<(), Fault> {
        let wanted = self.options.replicas;
        if wanted == 0 {
            return Ok(());
        }
        let confirmed: u32 = parsed(waited.cloned().unwrap_or(Value::Nil))?;
        if confirmed >= wanted {
            return Ok(());
        }
        Err(Fault::InDoubt(format!("{confirmed} of {wanted} replicas confirmed what was written")))
    }

    pub(super) fn outage(&self) -> Option<Outage> {
        *self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note_outage(&self, outage: Outage) {
        *self.outage.lock().unwrap_or_else(PoisonError::into_inner) = Some(outage);
        let ms = outage.until.ms_since(outage.since);
        tracing::warn!(ms, "no server could write to Redis; no clock ran meanwhile");
        // Subscribers then check everything, the clocks included.
        self.announcements.send(Announcement::Everything).ok();
    }

    pub(super) fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing panics while holding this lock. If it did, what is held would still be true.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note_durability(&self, durability: &Durability) {
        self.is_reached.store(true, Ordering::SeqCst);
        durability.clone_into(&mut self.durability.write().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn is_of_known_run(&self, link: &Link) -> bool {
        *self.run_id.read().unwrap_or_else(PoisonError::into_inner) == link.run_id
    }

    pub(super) fn note_connected(&self, link: &Link) {
        link.run_id.clone_into(&mut self.run_id.write().unwrap_or_else(PoisonError::into_inner));
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.counters.connections.fetch_add(1, Ordering::Relaxed);
        if self.has_failed.swap(false, Ordering::SeqCst) {
            tracing::info!(redis = %self.address, "Redis is there again");
        }
    }

    pub(super) fn note_failure(&self, fault: &Fault) {
        if !self.has_failed.swap(true, Ordering::SeqCst) {
            let why = fault.clone().into_why();
            tracing::error!(redis = %self.address, why, "Redis cannot be used");
        }
    }

    pub(super) fn note_restored(&self, game: GameId, entries: usize) {
        self.counters.restored.fetch_add(entries as u64, Ordering::Relaxed);
        tracing::error!(%game, entries, "Redis had lost the end of a log, which was given back");
    }

    pub(super) fn count(&self, entries: usize) {
        self.counters.appends.fetch_add(1, Ordering::Relaxed);
        self.counters.entries.fetch_add(entries as u64, Ordering::Relaxed);
    }

    pub(super) fn is_quarantined(&self, game: GameId) -> bool {
        self.quarantined.read().unwrap_or_else(PoisonError::into_inner).contains_key(&game)
    }

    pub(super) fn quarantine(&self, game: GameId, reason: &str) {
        let mut quarantined = self.quarantined.write().unwrap_or_else(PoisonError::into_inner);
        if quarantined.insert(game, reason.to_owned()).is_none() {
            tracing::error!(%game, reason, "the log of a game is damaged: it is in quarantine");
        }
    }

    /// Puts a game into quarantine whose log's key holds a value of another type. Other games
    /// continue.
    pub(super) fn quarantine_overwritten(&self, game: GameId) {
        self.quarantine(game, OVERWRITTEN);
        self.held().forget(game);
    }

    pub(super) fn set_quarantined(&self, found: BTreeMap<GameId, String>) {
        *self.quarantined.write().unwrap_or_else(PoisonError::into_inner) = found;
    }

    pub(super) fn release(&self, game: GameId) {
        self.quarantined.write().unwrap_or_else(PoisonError::into_inner).remove(&game);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_is_not_believed_before_a_heartbeat_has_told_of_it() {
        let address = "redis://127.0.0.1:1".parse().unwrap();
        let shared = Shared::new(address, RedisOptions::default());
        shared.learn_time(Stamp(5_000_000));
        assert_eq!(shared.heard().latest(), Stamp(5_000_000), "the first stamp is accepted as it is");
        shared.learn_time(Stamp(5_000_500));
        assert_eq!(shared.heard().latest(), Stamp(5_000_500));
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
