//! The runner of jobs. It finds jobs, leases them, calls their handlers, and handles failures.

use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::Stamp;
use flagfall_store::{Key, Record, Store, StoreError};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use metrics::{counter, gauge};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::dead::{bury, dead_jobs};
use super::error::JobError;
use super::record::{Claimed, Moment, State, fields_of, id_of};
use super::{Handler, JobKind, JobWriter, KINDS, LEASE_MS, Told, Waker};
use crate::cluster::{OTHERS_WAIT_MS, Peers};
use crate::keys::jobs_of;
use crate::scan::Scan;
use crate::store_errors::note_refusal;
use crate::telemetry as names;

/// The maximum number of jobs of a kind that are in memory while they wait to run.
const BACKLOG_MAX: usize = 4_096;
/// The number of failed attempts after which a job becomes a dead letter.
const TRIES_MAX: u32 = 12;
/// The number of attempts with damaged data after which a job becomes a dead letter.
const DAMAGED_TRIES_MAX: u32 = 4;
/// The wait after the first failure, in milliseconds. Each later wait is twice as long as the one
/// before.
const WAIT_MS: u64 = 5_000;
/// The longest wait after a failure, in milliseconds.
const WAIT_MS_MAX: u64 = 10 * 60_000;
const DEAD_LOOK: Duration = Duration::from_secs(60);

/// The jobs of a store, and this server's handlers of jobs. Cheap to clone; all clones are the
/// same runner.
#[derive(Clone)]
pub struct Jobs {
    store: Arc<dyn Store>,
    writer: JobWriter,
    peers: Option<Peers>,
    queues: Vec<Arc<Queue>>,
}

impl Jobs {
    /// Returns a runner without handlers. `writer` is the writer of this server's jobs.
    pub fn new(store: Arc<dyn Store>, writer: JobWriter) -> Jobs {
        Jobs { store, writer, peers: None, queues: Vec::new() }
    }

    /// Leaves each job to the server that guards it, until the job is overdue. Call this before
    /// [`Jobs::with`].
    pub fn shared_among(self, peers: Peers) -> Jobs {
        Jobs { peers: Some(peers), ..self }
    }

    pub fn writer(&self) -> &JobWriter {
        &self.writer
    }

    pub fn with(mut self, kind: JobKind, handler: Handler) -> Jobs {
        self.queues.push(Arc::new(Queue {
            store: self.store.clone(),
            server: self.writer.0.server.clone(),
            peers: self.peers.clone(),
            wake: self.writer.waker(kind.name),
            running: Mutex::default(),
            running_count: watch::Sender::new(0),
            looked_to: Mutex::default(),
            kind,
            handler,
        }));
        self
    }

    /// Runs jobs until the future is dropped. Jobs that this server writes run immediately. Jobs
    /// of other servers are found every few seconds.
    ///
    /// # Panics
    /// If a queue panics. A panic in a handler only makes its job fail.
    pub async fn run(&self) {
        // Start one task for each kind of job, so that no kind has to wait for another.
        let mut tasks = JoinSet::new();
        for queue in &self.queues {
            let queue = queue.clone();
            tasks.spawn(async move { queue.run().await });
        }
        let queues = async {
            while let Some(ended) = tasks.join_next().await {
                if let Some(panic) = ended.err().and_then(|error| error.try_into_panic().ok()) {
                    resume_unwind(panic);
                }
            }
        };
        tokio::join!(queues, self.count_dead());
    }

    /// Runs all due jobs of a kind, and returns when none of them is running. After an error, the
    /// remaining jobs will be found later.
    pub async fn run_due(&self, kind: &str) -> Result<(), StoreError> {
        self.run_due_at(kind, self.store.now()).await
    }

    pub async fn run_due_at(&self, kind: &str, now: Stamp) -> Result<(), StoreError> {
        match self.queues.iter().find(|queue| queue.kind.name == kind) {
            Some(queue) => queue.run_due(now).await,
            None => Ok(()),
        }
    }

    /// Begins no more jobs of these kinds, because the server is stopping. Returns when none of
    /// them is running.
    pub async fn finish(&self, kinds: &[&str]) {
        let ending = || self.queues.iter().filter(|queue| kinds.contains(&queue.kind.name));
        ending().for_each(|queue| queue.running.lock().is_ending = true);
        for queue in ending() {
            let mut counts = queue.running_count.subscribe();
            // This cannot fail, because the sender exists as long as `self`.
            counts.wait_for(|count| *count == 0).await.ok();
        }
    }

    async fn count_dead(&self) {
        loop {
            match dead_jobs(&*self.store).await {
                Ok(dead) => {
                    for kind in KINDS {
                        let count = dead.iter().filter(|dead| dead.kind == kind).count();
                        gauge!(names::DEAD_JOBS, "kind" => kind).set(count as f64);
                    }
                }
                Err(error) => note_refusal(&error, "cannot count dead letters; will try again"),
            }
            sleep(DEAD_LOOK).await;
        }
    }
}

struct Queue {
    store: Arc<dyn Store>,
    server: String,
    peers: Option<Peers>,
    kind: JobKind,
    handler: Handler,
    wake: Arc<Waker>,
    running: Mutex<Running>,
    running_count: watch::Sender<usize>,
    /// The last job of the previous check. `None` unless that check found more jobs than fit into
    /// memory.
    looked_to: Mutex<Option<Key>>,
}

#[derive(Default)]
struct Running {
    /// True if no more jobs may begin.
    is_ending: bool,
    keys: HashSet<Key>,
    /// How many jobs are running, by the first part of their ids.
    groups: HashMap<String, usize>,
}

struct Place<'queue> {
    queue: &'queue Queue,
    key: Key,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut running = self.queue.running.lock();
        running.keys.remove(&self.key);
        let group = group_of(&self.key);
        if let Some(count) = running.groups.get_mut(&group) {
            *count -= 1;
            if *count == 0 {
                running.groups.remove(&group);
            }
        }
        self.queue.running_count.send_replace(running.keys.len());
    }
}

type Found = (VecDeque<Record>, bool);

enum Begin<'queue> {
    Now(Place<'queue>),
    IsRunning,
    WaitsForPlace,
}

impl Queue {
    async fn run(&self) {
        let mut running = FuturesUnordered::new();
        loop {
            let now = self.store.now();
            let moment = Moment::at(now);
            // True if at least one job has changed. If all jobs fail with `JobError::NotNow`,
            // another check would only find the same jobs.
            let mut has_done_some = false;
            let (mut backlog, is_more_left) =
                self.read_while(self.look(now), &mut running).await.unwrap_or_default();
            let next_look = self.wait_for_turn();
            tokio::pin!(next_look);
            loop {
                self.begin(&mut backlog, moment, &mut running);
                tokio::select! {
                    Some((_, is_done)) = running.next(), if !running.is_empty() => {
                        has_done_some |= is_done;
                        if is_more_left && has_done_some && backlog.is_empty() {
                            break;
                        }
                    }
                    () = self.wake.notify.notified() => match self.wake.take() {
                        Told { is_all: true, .. } => break,
                        Told { jobs, .. } => {
                            let told = self.read_while(self.look_at(jobs, moment.now()), &mut running).await;
                            let (told, _) = told.unwrap_or_default();
                            backlog.retain(|(key, _)| told.iter().all(|(other, _)| other != key));
                            backlog.extend(told);
                        }
                    },
                    () = &mut next_look => break,
                }
            }
        }
    }

    async fn wait_for_turn(&self) {
        match &self.peers {
            Some(peers) => peers.my_turn(self.kind.look).await,
            None => sleep(self.kind.look).await,
        }
    }

    /// Reads jobs while other jobs run. Leaves out jobs that ended during the read, because their
    /// values may have been read before the end.
    async fn read_while(
        &self,
        reading: impl Future<Output = Result<Found, StoreError>>,
        running: &mut FuturesUnordered<BoxFuture<'_, (Key, bool)>>,
    ) -> Option<Found> {
        let (read, ended) = while_running(reading, running).await;
        match read {
            Ok((mut found, is_more_left)) => {
                found.retain(|(key, _)| !ended.contains(key));
                Some((found, is_more_left))
            }
            Err(error) => {
                note_refusal(&error, "cannot look for jobs; will try again");
                None
            }
        }
    }

    async fn look_at(&self, keys: Vec<Key>, now: Stamp) -> Result<Found, StoreError> {
        let mut found = VecDeque::new();
        for key in keys {
            let value = self.store.get(key.clone()).await?;
            found.extend(
                value.filter(|value| self.is_due(&key, &State::of(value), now)).map(|value| (key, value)),
            );
        }
        Ok((found, false))
    }

    fn is_due(&self, key: &Key, state: &State, now: Stamp) -> bool {
        // A handler that leases its jobs itself has already started on this job. The handler is
        // either still working or was interrupted, so wait for the lease to end.
        let is_at_work = self.kind.leases_itself && state.attempts > 0;
        let is_guarded_elsewhere = self.peers.as_ref().is_some_and(|peers| !peers.guards(&group_of(key)));
        let wait_ms = if is_guarded_elsewhere { OTHERS_WAIT_MS } else { 0 };
        state.at.saturating_add(wait_ms) <= now.0 || (!is_at_work && state.is_leased_to(&self.server, now))
    }

    /// True if the job is due, but this server leaves it to its guardian.
    fn is_for_guardian(&self, key: &Key, state: &State, now: Stamp) -> bool {
        let is_elsewhere = |peers: &Peers| !peers.guards(&group_of(key));
        state.at <= now.0 && self.peers.as_ref().is_some_and(is_elsewhere)
    }

    async fn run_due(&self, now: Stamp) -> Result<(), StoreError> {
        let moment = Moment::at(now);
        let mut running = FuturesUnordered::new();
        let mut counts = self.running_count.subscribe();
        let (mut backlog, _) = self.look(now).await?;
        loop {
            counts.mark_unchanged();
            self.begin(&mut backlog, moment, &mut running);
            if running.next().await.is_some() {
                continue;
            }
            if backlog.is_empty() {
                break;
            }
            // Wait for a place, because the jobs that `run` has started take up all places. This
            // cannot fail, because the sender exists as long as `self`.
            counts.changed().await.ok();
        }
        counts.wait_for(|count| *count == 0).await.ok();
        Ok(())
    }

    /// Returns the jobs that are due, in the order of their keys. The `bool` is true if there are
    /// more. The next check continues after the last of these jobs, so jobs that stay due do not
    /// block later ones.
    async fn look(&self, now: Stamp) -> Result<Found, StoreError> {
        let (mut waiting, mut oldest, mut is_more_left) = (0_u32, now.0, false);
        let (mut backlog, mut for_guardians) = (VecDeque::new(), Vec::new());
        let after = self.looked_to.lock().take();
        let mut scan = Scan::new(&*self.store, jobs_of(self.kind.name)?).of_reachable();
        while let Some(found) = scan.next().await? {
            for (key, value) in found {
                let state = State::of(&value);
                waiting += 1;
                oldest = oldest.min(if state.since == 0 { now.0 } else { state.since });
                let is_due = self.is_due(&key, &state, now);
                if !is_due && for_guardians.len() < BACKLOG_MAX && self.is_for_guardian(&key, &state, now) {
                    for_guardians.push((group_of(&key), key.clone()));
                }
                let is_behind = after.as_ref().is_none_or(|after| key > *after);
                if is_due && is_behind && backlog.len() < BACKLOG_MAX {
                    backlog.push_back((key, value));
                } else {
                    is_more_left |= is_due;
                }
            }
        }
        if let Some(peers) = &self.peers {
            peers.hand_over(for_guardians).await;
        }
        if is_more_left && backlog.len() == BACKLOG_MAX {
            *self.looked_to.lock() = backlog.back().map(|(key, _): &Record| key.clone());
        }
        gauge!(names::JOBS_WAITING, "kind" => self.kind.name).set(f64::from(waiting));
        let age = Duration::from_millis(now.0.saturating_sub(oldest));
        gauge!(names::JOBS_OLDEST_SECONDS, "kind" => self.kind.name).set(age.as_secs_f64());
        Ok((backlog, is_more_left))
    }

    fn begin<'queue>(
        &'queue self,
        backlog: &mut VecDeque<Record>,
        moment: Moment,
        running: &mut FuturesUnordered<BoxFuture<'queue, (Key, bool)>>,
    ) {
        backlog.retain(|(key, value)| match self.place(key) {
            Begin::Now(place) => {
                let work = self.work_on(key.clone(), value.clone(), place, moment);
                let key = key.clone();
                running.push(work.map(move |is_done| (key, is_done)).boxed());
                false
            }
            Begin::IsRunning => false,
            Begin::WaitsForPlace => true,
        });
    }

    fn place(&self, key: &Key) -> Begin<'_> {
        let mut running = self.running.lock();
        if running.keys.contains(key) {
            return Begin::IsRunning;
        }
        if running.is_ending || running.keys.len() >= self.kind.at_once {
            return Begin::WaitsForPlace;
        }
        let group = group_of(key);
        let in_group = running.groups.get(&group).copied().unwrap_or_default();
        if in_group >= self.kind.per_key {
            return Begin::WaitsForPlace;
        }
        running.keys.insert(key.clone());
        running.groups.insert(group, in_group + 1);
        self.running_count.send_replace(running.keys.len());
        Begin::Now(Place { queue: self, key: key.clone() })
    }

    /// Claims a job, does its work, and records the result. Returns false if the job did not
    /// change.
    async fn work_on(&self, key: Key, value: Vec<u8>, _place: Place<'_>, moment: Moment) -> bool {
        let is_readable = fields_of(&value).is_some();
        let (store, server) = (self.store.clone(), self.server.clone());
        let mut claimed = Claimed::new(store, server, (key, value), self.kind.keep_ms, moment);
        let outcome = if self.kind.has_fields && !is_readable {
            Err(JobError::Hopeless("its record cannot be read".to_owned()))
        } else {
            match self.claim(&mut claimed, moment.now()).await {
                Ok(true) => self.try_once(claimed.clone()).await,
                // The claim failed, because another server has claimed the job.
                Ok(false) => return true,
                Err(error) => Err(error.into()),
            }
        };
        let result = match outcome {
            Ok(()) => Ok("done"),
            Err(error) => self.note_failure(claimed, &error, moment.now()).await,
        };
        match result {
            Ok(result) => {
                counter!(names::JOBS, "kind" => self.kind.name, "result" => result).increment(1);
                true
            }
            Err(error) => {
                tracing::debug!(kind = self.kind.name, %error, "a job could not run; the next look tries it again");
                false
            }
        }
    }

    async fn claim(&self, claimed: &mut Claimed, now: Stamp) -> Result<bool, StoreError> {
        if self.kind.leases_itself || claimed.state.is_leased_to(&self.server, now) {
            return Ok(true);
        }
        claimed.lease(claimed.leased(LEASE_MS)).await
    }

    /// Calls the handler. A panic makes only this job fail. The panic message is not logged,
    /// because it may contain secrets.
    async fn try_once(&self, claimed: Claimed) -> Result<(), JobError> {
        let id = claimed.id.clone();
        let tried = AssertUnwindSafe(async { (self.handler)(claimed).await }).catch_unwind().await;
        tried.unwrap_or_else(|_| {
            counter!(names::TASK_PANICS, "task" => "jobs").increment(1);
            tracing::error!(kind = self.kind.name, id, "a job panicked: this is a defect of the server");
            Err(JobError::Damaged("the job panicked: this is a defect of the server".to_owned()))
        })
    }

    /// Schedules another attempt of a failed job, or turns it into a dead letter. Only the first
    /// and the last failure of a job are logged above the level "debug". Returns the metrics
    /// label for the result.
    async fn note_failure(
        &self,
        claimed: Claimed,
        error: &JobError,
        now: Stamp,
    ) -> Result<&'static str, JobError> {
        let tries_max = match error {
            JobError::Away(_) | JobError::NotNow => return Err(error.clone()),
            JobError::Later(_) => TRIES_MAX,
            JobError::Damaged(_) => DAMAGED_TRIES_MAX,
            JobError::Hopeless(_) => 0,
        };
        let mut claimed = claimed;
        if self.kind.leases_itself {
            // Read the record again, because the handler may have changed it before it failed.
            let Some(value) = self.store.get(claimed.key.clone()).await? else { return Ok("done") };
            (claimed.state, claimed.value) = (State::of(&value), value);
        }
        let (kind, id) = (self.kind.name, claimed.id.clone());
        let failed = Some(claimed.state.failed.unwrap_or(now.0));
        claimed.state = State { failed, ..claimed.state };
        // If the handler counts attempts itself, failures that it did not count have a separate
        // count.
        let count =
            if self.kind.leases_itself { &mut claimed.state.failures } else { &mut claimed.state.attempts };
        *count += 1;
        let attempts = *count;
        if attempts >= tries_max {
            if bury(&claimed, kind, error, attempts, now).await? {
                tracing::error!(kind, id, %error, attempts, "a job failed permanently and became a dead letter; see `flagfall-server operator jobs`");
                return Ok("dead");
            }
        } else if claimed.put_back(wait_ms(attempts)).await? {
            if attempts == 1 {
                tracing::warn!(kind, id, %error, "a job failed; it will be tried again");
            } else {
                tracing::debug!(kind, id, %error, attempts, "a job failed; it will be tried again");
            }
            return Ok("retried");
        }
        // Another server has claimed the job, or the cause of the job has occurred again.
        Ok("done")
    }
}

/// Waits for an answer from the store while jobs continue to run. Also returns the jobs that
/// ended in the meantime.
pub(super) async fn while_running<T>(
    answer: impl Future<Output = T>,
    running: &mut FuturesUnordered<BoxFuture<'_, (Key, bool)>>,
) -> (T, HashSet<Key>) {
    let mut ended = HashSet::new();
    tokio::pin!(answer);
    loop {
        tokio::select! {
            answer = &mut answer => return (answer, ended),
            Some((key, _)) = running.next(), if !running.is_empty() => {
                ended.insert(key);
            }
        }
    }
}

/// Returns the time that a job waits after this many failures, in milliseconds.
fn wait_ms(attempts: u32) -> u64 {
    WAIT_MS.saturating_mul(1 << attempts.saturating_sub(1).min(16)).min(WAIT_MS_MAX)
}

fn group_of(key: &Key) -> String {
    let id = id_of(key);
    id.split('/').next().unwrap_or_default().to_owned()
}
