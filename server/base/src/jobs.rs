//! Jobs: work that follows from an event. It is done once, by any server that can do it.
//!
//! A job is a side record that is written in the same append or update as its cause, so that no
//! crash can separate the two. Its value is a JSON object with the state of the job (`State`) and
//! the fields that its kind needs. Any other value, for example one of version 0.1, is a job that
//! has not been tried yet.
//!
//! A runner finds jobs, leases them, and calls the handler of their kind. The handler does its
//! work in one update that also deletes the job, on the condition that the job is still as it was
//! claimed ([`Claimed::finish`]). So the work is done once, even if several servers try. A failed
//! job is tried again after increasing waits. After the last attempt it becomes a dead letter,
//! which operators can see and retry.

mod dead;
mod error;
mod record;
mod runner;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flagfall_board::Stamp;
use flagfall_store::Key;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::Notify;

pub use self::dead::{DeadJob, WaitingJobs, dead_jobs, discard, retry, waiting_jobs};
pub use self::error::JobError;
use self::record::State;
pub use self::record::{Claimed, not_before};
pub use self::runner::Jobs;
use crate::keys::{LEAVING, NOTICES, PLANS, PLAYED_DUE, PROOF_DUE, RATING_DUE, TURN_DUE};
use crate::random::random_code;

/// How long a job is reserved for the server that wrote or claimed it, in milliseconds.
pub const LEASE_MS: u64 = 5_000;
/// The time between two regular looks at the jobs of a kind. A wake-up causes an extra look.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The most jobs that a wake-up can name. If there are more, the runner looks at all jobs of the
/// kind.
const TOLD_MAX: usize = 64;

/// All kinds of jobs: the first part of their keys.
const KINDS: [&str; 7] =
    [RATING_DUE.name, PLAYED_DUE.name, PROOF_DUE.name, TURN_DUE.name, NOTICES.name, PLANS.name, LEAVING.name];

#[derive(Clone, Debug)]
pub struct JobKind {
    /// The first part of the keys of this kind's jobs.
    pub name: &'static str,
    pub look: Duration,
    pub at_once: usize,
    /// The most jobs to run at once with the same first part of their id.
    pub per_key: usize,
    /// True if the record must have fields. A record that is not a JSON object then becomes a
    /// dead letter.
    pub has_fields: bool,
    /// True if the handler takes the lease itself, immediately before it begins.
    pub leases_itself: bool,
    /// How long a job is kept after it was written, in milliseconds; `None` if it is kept until
    /// it is done.
    pub keep_ms: Option<u64>,
}

impl JobKind {
    /// Makes a kind with default settings: four jobs at once, a look every five seconds, no
    /// fields, and records that are kept until the job is done.
    ///
    /// # Panics
    /// If `name` is not a kind of jobs.
    pub fn new(name: &str) -> JobKind {
        let Some(name) = KINDS.into_iter().find(|known| *known == name) else {
            panic!("{name} is no kind of jobs")
        };
        JobKind {
            name,
            look: LOOK_EVERY,
            at_once: 4,
            per_key: usize::MAX,
            has_fields: false,
            leases_itself: false,
            keep_ms: None,
        }
    }
}

pub type Handler = Arc<dyn Fn(Claimed) -> BoxFuture<'static, Result<(), JobError>> + Send + Sync>;

/// Writes jobs for this server and wakes its runner. Cheap to clone; all clones are one server.
#[derive(Clone)]
pub struct JobWriter(Arc<Writer>);

/// Wakes the runner of one kind of jobs.
#[derive(Default)]
struct Waker {
    notify: Notify,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    jobs: Vec<Key>,
    /// True if there are so many jobs that a look at all of them is faster.
    is_all: bool,
}

impl Waker {
    fn wake(&self, job: Option<Key>) {
        let mut told = self.told.lock();
        match job {
            Some(key) if told.jobs.len() < TOLD_MAX => told.jobs.push(key),
            _ => told.is_all = true,
        }
        drop(told);
        self.notify.notify_one();
    }

    fn take(&self) -> Told {
        std::mem::take(&mut *self.told.lock())
    }
}

struct Writer {
    /// The name by which leases identify this server.
    server: String,
    /// The number of jobs written so far, which makes every record unique.
    written: AtomicU64,
    wakers: Mutex<HashMap<&'static str, Arc<Waker>>>,
}

impl Default for JobWriter {
    fn default() -> JobWriter {
        let (written, wakers) = (AtomicU64::new(0), Mutex::default());
        // A server does not start without random bits. Even with an empty name, no work would be
        // done twice.
        JobWriter(Arc::new(Writer { server: random_code().unwrap_or_default(), written, wakers }))
    }
}

impl JobWriter {
    /// Returns the value of a new job without fields, leased to this server for [`LEASE_MS`].
    pub fn job(&self, now: Stamp) -> Vec<u8> {
        self.job_with(b"", now)
    }

    /// Like [`JobWriter::job`], with the fields of the JSON object `fields`.
    pub fn job_with(&self, fields: &[u8], now: Stamp) -> Vec<u8> {
        let Writer { server, written, .. } = &*self.0;
        State {
            by: Some(server.clone()),
            number: written.fetch_add(1, Ordering::Relaxed),
            at: now.0.saturating_add(LEASE_MS),
            since: now.0,
            ..State::default()
        }
        .over(fields)
    }

    /// Makes the runner look at all jobs of a kind immediately.
    pub fn wake(&self, kind: &'static str) {
        self.waker(kind).wake(None);
    }

    /// Makes the runner look at this job immediately, but not at others.
    pub fn wake_for(&self, kind: &'static str, job: Key) {
        self.waker(kind).wake(Some(job));
    }

    fn waker(&self, kind: &'static str) -> Arc<Waker> {
        let mut wakers = self.0.wakers.lock();
        wakers.entry(kind).or_default().clone()
    }
}
