//! What the writer is asked, and its answers.

use flagfall_board::{GameId, Stamp};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use super::change::Link;
use crate::store::{AppendOutcome, Outage, StoreError, Update, UpdateOutcome, Write};
use crate::value::Head;

/// Expired records that one step of a sweep removes.
pub(super) const SWEEP_STEP: usize = 1000;

pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// An append whose chain its caller has computed, so that the writer need not.
pub(super) struct Prepared {
    pub(super) game: GameId,
    pub(super) expected: Head,
    pub(super) deadline: Option<Stamp>,
    pub(super) not_before: Option<Stamp>,
    /// The entries. The writer stamps them, unless `stamped` says that they have their stamps.
    pub(super) entries: Vec<Link>,
    /// The latest of the stamps that the entries have already.
    pub(super) stamped: Option<Stamp>,
    /// The latest outage that was known when it was asked for, if there is a deadline.
    pub(super) outage: Option<Outage>,
    pub(super) writes: Vec<Write>,
}

pub(super) enum Request {
    /// Adds entries to a log.
    Append { append: Prepared, reply: Reply<AppendOutcome> },
    /// Changes side records.
    Update { update: Update, reply: Reply<UpdateOutcome> },
    /// Begins a new epoch.
    BumpEpoch { reply: Reply<u64> },
    /// Keeps what a reader has found, and already told [`Shared`].
    Quarantine { game: GameId, reason: String },
    /// Lifts a quarantine.
    Release { game: GameId, reply: Reply<()> },
    /// Puts an outage that was found into the record of outages, as any other group does.
    KeepOutage { reply: Reply<()> },
    /// Makes room on a full disk as far as possible, and goes on if there is enough.
    LookForRoom { reply: Reply<()> },
    /// Deletes a log.
    DeleteLog { game: GameId, reply: Reply<()> },
    /// Removes at most [`SWEEP_STEP`] expired records; answers how many it removed.
    Sweep { reply: Reply<usize> },
}

impl Request {
    /// Bytes of its entries and values.
    pub(super) fn bytes(&self) -> usize {
        let (entries, writes) = match self {
            Request::Append { append, .. } => (&append.entries[..], &append.writes),
            Request::Update { update, .. } => (&[][..], &update.writes),
            _ => return 0,
        };
        let entries: usize = entries.iter().map(|link| link.entry.body.len()).sum();
        entries + writes.iter().map(Write::value_bytes).sum::<usize>()
    }
}

#[derive(Clone)]
pub(super) enum Verdict {
    Durable,
    /// It may be on the disk or not.
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

/// An answer that waits for the sync, and then for the verdict on its group.
pub(super) type Answer = Box<dyn FnOnce(&Verdict) + Send>;

/// Answers with this outcome if the group is durable. `unknown` is the answer of a request that has
/// written, if it may be on the disk or not.
pub(super) fn answer<T: Send + 'static>(
    reply: Reply<T>,
    outcome: Result<T, StoreError>,
    unknown: Option<T>,
) -> Answer {
    Box::new(move |verdict| {
        let settled = match (verdict, unknown) {
            (Verdict::Durable, _) => outcome,
            (Verdict::Unknown(_), Some(unknown)) => Ok(unknown),
            // The outcome may rest on what the group wrote: it says nothing any more.
            (failed, _) => failed.check().and(outcome),
        };
        // A caller that went away needs no answer.
        reply.send(settled).ok();
    })
}

/// Groups whose answers wait to be given, at most.
const GROUPS_MAX: usize = 16;

/// Where answers are given. To wake many callers is cheaper from inside the runtime that runs them
/// than from the writer's thread: a task does it, if the store was opened in a runtime.
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

    /// Gives the answers, now that it is known what became of the group.
    pub(super) fn give(&self, answers: Vec<Answer>, verdict: Verdict) {
        let group = (answers, verdict);
        // One caller is not worth the detour, and the runtime may be gone or behind.
        let left = match &self.task {
            Some(task) if group.0.len() > 1 => task.try_send(group).err().map(TrySendError::into_inner),
            Some(_) | None => Some(group),
        };
        left.into_iter().for_each(give);
    }
}

fn give((answers, verdict): (Vec<Answer>, Verdict)) {
    answers.into_iter().for_each(|answer| answer(&verdict));
}
