//! Jobs: work that follows from an event, done once, by whichever server can do it.
//!
//! A job is a side record that is written in the same append or update as its cause, so that no
//! crash separates the two. Its value is a JSON object with the state of the job (`State`) and
//! the fields that the kind needs; any other value, such as those of version 0.1, is a job that has
//! not been tried yet.
//!
//! One runner finds jobs, leases them and calls the handler of their kind. A handler does its work
//! in one update that also has the condition "the job is as I claimed it" and deletes the job
//! ([`Claimed::finish`]). So the work is done once, however many servers try. A job that fails is
//! tried again later and later; at last it becomes a dead letter, which operators see and retry.

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

/// How long other servers leave a job to the server that wrote or claimed it, in milliseconds.
pub const LEASE_MS: u64 = 5_000;
/// The time between two looks at the jobs of a kind, besides those that are asked for.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Most jobs that a wake-up names. With more, the runner looks at all jobs of the kind.
const TOLD_MAX: usize = 64;

/// All kinds of jobs: the first part of their keys.
const KINDS: [&str; 7] =
    [RATING_DUE.name, PLAYED_DUE.name, PROOF_DUE.name, TURN_DUE.name, NOTICES.name, PLANS.name, LEAVING.name];

#[derive(Clone, Debug)]
pub struct JobKind {
    /// The first part of the keys of its jobs.
    pub name: &'static str,
    pub look: Duration,
    pub at_once: usize,
    /// Most jobs at once with the same first part of their id.
    pub per_key: usize,
    /// True if the record has fields of its own: one that is no JSON object is a dead letter.
    pub has_fields: bool,
    /// True if the handler takes the lease itself, right before it begins.
    pub leases_itself: bool,
    /// How long a job is kept after it was written, in milliseconds; `None`: until it is done.
    pub keep_ms: Option<u64>,
}

impl JobKind {
    /// The kind of this name, which must be a kind of jobs: four jobs at once, a look every five
    /// seconds, records without fields that stay until they are done.
    ///
    /// # Panics
    /// If it is no kind of jobs.
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

/// Writes jobs of this server and wakes its runner. Cheap to clone; all clones are one server.
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
    /// So many jobs that they are found faster by a look at all.
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
    /// The name of this server in leases.
    server: String,
    /// Jobs written so far, so that no two records are equal.
    written: AtomicU64,
    wakers: Mutex<HashMap<&'static str, Arc<Waker>>>,
}

impl Default for JobWriter {
    fn default() -> JobWriter {
        let (written, wakers) = (AtomicU64::new(0), Mutex::default());
        // Without random bits no server starts. Even then no work would be done twice.
        JobWriter(Arc::new(Writer { server: random_code().unwrap_or_default(), written, wakers }))
    }
}

impl JobWriter {
    /// The value of a new job without fields, leased to this server for [`LEASE_MS`].
    pub fn job(&self, now: Stamp) -> Vec<u8> {
        self.job_with(b"", now)
    }

    /// Like [`JobWriter::job`], with the fields of this JSON object.
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

    /// Makes the runner look at all jobs of a kind now.
    pub fn wake(&self, kind: &'static str) {
        self.waker(kind).wake(None);
    }

    /// Makes the runner look at this job now, and at no other.
    pub fn wake_for(&self, kind: &'static str, job: Key) {
        self.waker(kind).wake(Some(job));
    }

    fn waker(&self, kind: &'static str) -> Arc<Waker> {
        let mut wakers = self.0.wakers.lock();
        wakers.entry(kind).or_default().clone()
    }
}
