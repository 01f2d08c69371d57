//! Jobs: work that is caused by an event. Any server that is able to do the work does it, but
//! only once.
//!
//! A job is a side record that is written in the same append or update as its cause. So a crash
//! cannot separate the job from its cause. The value of the record is a JSON object with the
//! state of the job (`State`), and with fields that depend on the kind of job. Any other value,
//! for example one that version 0.1 wrote, is a job that has not been tried yet.
//!
//! A runner finds jobs, leases them, and calls the handler of their kind. The handler does its
//! work in one update that also deletes the job, on the condition that the job has not changed
//! since it was claimed ([`Claimed::finish`]). So the work is done once, even if several servers
//! try. A failed job is tried again after increasing waits. After the last attempt it becomes a
//! dead letter, which operators can see and retry.

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
use crate::keys::{
    ERASING, HISTORY_DUE, LEAVING, MAILS, NOTICES, PLANS, PLAYED_DUE, PROOF_DUE, PUSHES, RATING_DUE,
    TURN_DUE, jobs_of,
};
use crate::random::random_code;

/// The time for which a job is reserved for the server that has written or claimed it, in
/// milliseconds.
pub const LEASE_MS: u64 = 5_000;
/// The time between two regular checks for jobs of a kind. A wake-up causes an additional check.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The maximum number of jobs that a wake-up can name. If there are more, the runner checks all
/// jobs of the kind.
const TOLD_MAX: usize = 64;

/// The names of all kinds of job. A job's key begins with the name of its kind.
const KINDS: [&str; 11] = [
    RATING_DUE.name,
    PLAYED_DUE.name,
    PROOF_DUE.name,
    TURN_DUE.name,
    NOTICES.name,
    PUSHES.name,
    MAILS.name,
    PLANS.name,
    LEAVING.name,
    ERASING.name,
    HISTORY_DUE.name,
];

#[derive(Clone, Debug)]
pub struct JobKind {
    /// The first part of the keys of this kind's jobs.
    pub name: &'static str,
    /// The time between two regular checks. The servers take turns, so each one checks less often.
    pub look: Duration,
    pub at_once: usize,
    /// The maximum number of running jobs whose ids have the same first part.
    pub per_key: usize,
    /// True if the record must have fields. In that case, a record that is not a JSON object
    /// becomes a dead letter.
    pub has_fields: bool,
    /// True if the handler leases the job itself, immediately before it begins the work.
    pub leases_itself: bool,
    /// The time for which a job is kept after it was written, in milliseconds. `None` if it is
    /// kept until it is done.
    pub keep_ms: Option<u64>,
}

impl JobKind {
    /// Returns a kind with default settings: four jobs at once, a check every five seconds, no
    /// fields, and records that are kept until the job is done.
    ///
    /// # Panics
    /// If there is no kind of job with this name.
    pub fn new(name: &str) -> JobKind {
        let Some(name) = KINDS.into_iter().find(|known| *known == name) else {
            panic!("{name} is not a kind of job")
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

fn is_under(key: &Key, prefix: &Key) -> bool {
    key.as_bytes().starts_with(prefix.as_bytes())
}

pub type Handler = Arc<dyn Fn(Claimed) -> BoxFuture<'static, Result<(), JobError>> + Send + Sync>;

/// Writes jobs for this server and wakes its runner. Cheap to clone; all clones share the same
/// data.
#[derive(Clone)]
pub struct JobWriter(Arc<Writer>);

/// Wakes the runner of one kind of job.
#[derive(Default)]
struct Waker {
    notify: Notify,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    jobs: Vec<Key>,
    /// True if the runner should check all jobs of the kind, because too many jobs were named.
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
    /// True if this server runs jobs, so that it leases those that it writes.
    has_runner: bool,
    /// The number of jobs that this server has written. It makes every record unique.
    written: AtomicU64,
    wakers: Mutex<HashMap<&'static str, Arc<Waker>>>,
}

impl Default for JobWriter {
    fn default() -> JobWriter {
        JobWriter::new(true)
    }
}

impl JobWriter {
    /// Returns a writer for a server that runs jobs or leaves all of them to other servers.
    pub fn new(has_runner: bool) -> JobWriter {
        let (written, wakers) = (AtomicU64::new(0), Mutex::default());
        // This cannot fail here, because a server without random bits does not start. If it did
        // fail, the name would be empty, but still no work would be done twice.
        let server = random_code().unwrap_or_default();
        JobWriter(Arc::new(Writer { server, has_runner, written, wakers }))
    }

    /// Returns the value of a new job without fields. If this server runs jobs, the job is leased
    /// to it for [`LEASE_MS`].
    pub fn job(&self, now: Stamp) -> Vec<u8> {
        self.job_with(b"", now)
    }

    /// Like [`JobWriter::job`], but the value also has the fields of the JSON object `fields`.
    pub fn job_with(&self, fields: &[u8], now: Stamp) -> Vec<u8> {
        let Writer { server, has_runner, written, .. } = &*self.0;
        State {
            by: has_runner.then(|| server.clone()),
            number: written.fetch_add(1, Ordering::Relaxed),
            at: now.0.saturating_add(if *has_runner { LEASE_MS } else { 0 }),
            since: now.0,
            ..State::default()
        }
        .over(fields)
    }

    /// Makes the runner check all jobs of a kind immediately.
    pub fn wake(&self, kind: &'static str) {
        self.waker(kind).wake(None);
    }

    /// Makes the runner check this job immediately.
    pub fn wake_for(&self, kind: &'static str, job: Key) {
        self.waker(kind).wake(Some(job));
    }

    /// Makes the runner check the job with this key immediately. Returns false if the key is not
    /// that of a job.
    pub fn wake_for_key(&self, job: &Key) -> bool {
        let kind = KINDS.into_iter().find(|kind| jobs_of(kind).is_ok_and(|all| is_under(job, &all)));
        if let Some(kind) = kind {
            self.wake_for(kind, job.clone());
        }
        kind.is_some()
    }

    fn waker(&self, kind: &'static str) -> Arc<Waker> {
        let mut wakers = self.0.wakers.lock();
        wakers.entry(kind).or_default().clone()
    }
}
