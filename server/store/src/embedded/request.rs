//! The requests to the writer, and its answers.

use flagfall_board::{GameId, Stamp};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use super::change::Entries;
use crate::guard::Guard;
use crate::store::{AppendOutcome, Outage, RetireOutcome, StoreError, Update, UpdateOutcome, Write};
use crate::value::Head;

/// The maximum number of expired records that one step of a sweep removes.
pub(super) const SWEEP_STEP: usize = 1000;

pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// An append whose hashes the caller has already computed, to save the writer's time. A request
/// contains it in a box, because requests are moved several times.
pub(super) struct Prepared {
    pub(super) expected: Head,
    pub(super) deadline: Option<Stamp>,
    pub(super) not_before: Option<Stamp>,
    pub(super) entries: Entries,
    /// True if the entries already have stamps. Otherwise, the writer stamps them.
    pub(super) is_stamped: bool,
    /// The latest outage that was known when the append was requested. Only set if the append has
    /// a deadline.
    pub(super) outage: Option<Outage>,
    pub(super) writes: Vec<Write>,
}

pub(super) enum Request {
    /// Adds entries to a log.
    Append { append: Box<Prepared>, reply: Reply<AppendOutcome> },
    /// Changes side records.
    Update { update: Update, reply: Reply<UpdateOutcome> },
    /// Begins a new epoch.
    BumpEpoch { reply: Reply<u64> },
    /// Writes a quarantine to the log. A reader has already added it to [`Shared`].
    Quarantine { game: GameId, reason: String },
    /// Only starts a group. The first group after an outage writes the outage to the record of
    /// outages.
    KeepOutage { reply: Reply<()> },
    /// Frees space on a full disk as far as possible, and resumes if there is enough.
    LookForRoom { reply: Reply<()> },
    /// Replaces a log with its guard.
    Retire { game: GameId, guard: Guard, reply: Reply<RetireOutcome> },
    /// Deletes a log, or its guard.
    DeleteLog { game: GameId, reply: Reply<()> },
    /// Removes at most [`SWEEP_STEP`] expired records. Answers with the number of removed
    /// records.
    Sweep { reply: Reply<usize> },
}

impl Request {
    /// Returns the total length of the entries and values, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let (entries, writes) = match self {
            Request::Append { append, .. } => (append.entries.bytes(), &append.writes),
            Request::Update { update, .. } => (0, &update.writes),
            _ => return 0,
        };
        entries + writes.iter().map(Write::value_bytes).sum::<usize>()
    }
}

#[derive(Clone)]
pub(super) enum Verdict {
    Durable,
    /// The group may or may not be on the disk.
    Unknown(String),
    /// Nothing was written.
    Refused(String),
}

impl Verdict {
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self {
            Verdict::Durable => Ok(()),
            Verdict::Unknown(why) | Verdict::Refused(why) => {
                Err(StoreError::Unavailable { why: why.clone() })
            }
        }
    }
}

/// An answer that is given after the sync. It depends on whether the sync of its group succeeded.
pub(super) enum Answer {
    /// The answer to an append. Most answers are of this kind, so they are not boxed. The append
    /// comes along because its memory is freed faster on the thread of its caller.
    Append(Reply<AppendOutcome>, Result<AppendOutcome, StoreError>, Box<Prepared>),
    Other(Box<dyn FnOnce(&Verdict) + Send>),
}

impl Answer {
    /// Makes the answer to a request that is not an append. See [`give_one`].
    pub(super) fn other<T: Send + 'static>(
        reply: Reply<T>,
        outcome: Result<T, StoreError>,
        unknown: Option<T>,
    ) -> Answer {
        Answer::Other(Box::new(move |verdict| give_one(reply, outcome, unknown, verdict)))
    }
}

/// Answers a caller after the sync. If the group is durable, the answer is `outcome`. If the
/// group may or may not be on the disk, a request that has written something gets `unknown`.
fn give_one<T>(reply: Reply<T>, outcome: Result<T, StoreError>, unknown: Option<T>, verdict: &Verdict) {
    let settled = match (verdict, unknown) {
        (Verdict::Durable, _) => outcome,
        (Verdict::Unknown(_), Some(unknown)) => Ok(unknown),
        // The outcome may depend on other changes of the group, so it is not valid if the group
        // failed.
        (failed, _) => failed.check().and(outcome),
    };
    // A send error only means that the caller has stopped waiting.
    reply.send(settled).ok();
}

/// The maximum number of groups whose answers wait for the task that gives them.
const GROUPS_MAX: usize = 16;

/// Gives answers to callers. Waking many callers is cheaper inside their runtime than from the
/// writer's thread, so a task does that if the store was opened in a runtime.
pub(super) struct Answers {
    task: Option<mpsc::Sender<(Vec<Answer>, Verdict)>>,
}

impl Answers {
    pub(super) fn new() -> Answers {
        let task = Handle::try_current().ok().map(|runtime| {
            let (sender, mut groups) = mpsc::channel(GROUPS_MAX);
            runtime.spawn(async move {
                while let Some(group) = groups.recv().await {
                    give(group);
                }
            });
            sender
        });
        Answers { task }
    }

    /// Gives the answers of a group, according to the verdict on that group.
    pub(super) fn give(&self, answers: Vec<Answer>, verdict: Verdict) {
        let group = (answers, verdict);
        // Answer the callers directly if there is only one, if the runtime has ended, or if the
        // task is behind.
        let left = match &self.task {
            Some(task) if group.0.len() > 1 => task.try_send(group).err().map(TrySendError::into_inner),
            Some(_) | None => Some(group),
        };
        left.into_iter().for_each(give);
    }
}

fn give((answers, verdict): (Vec<Answer>, Verdict)) {
    for answer in answers {
        match answer {
            Answer::Append(reply, outcome, append) => {
                drop(append);
                let has_written = matches!(outcome, Ok(AppendOutcome::Ok { .. }));
                give_one(reply, outcome, has_written.then_some(AppendOutcome::Unknown), &verdict);
            }
            Answer::Other(give) => give(&verdict),
        }
    }
}
