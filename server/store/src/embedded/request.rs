//! What the writer is asked, and its answers.

use flagfall_board::{GameId, Stamp};
use tokio::runtime::Handle;
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

/// What the writer is asked to do.
pub(super) enum Request {
    Append {
        append: Prepared,
        reply: Reply<AppendOutcome>,
    },
    Update {
        update: Update,
        reply: Reply<UpdateOutcome>,
    },
    BumpEpoch {
        reply: Reply<u64>,
    },
    /// Keeps what a reader has found, and already told [`Shared`].
    Quarantine {
        game: GameId,
        reason: String,
    },
    /// Lifts a quarantine.
    Release {
        game: GameId,
        reply: Reply<()>,
    },
    /// Puts an outage that was found into the record of outages, as any other group does.
    KeepOutage {
        reply: Reply<()>,
    },
    /// Makes room on a full disk as far as possible, and goes on if there is enough.
    LookForRoom {
        reply: Reply<()>,
    },
    DeleteLog {
        game: GameId,
        reply: Reply<()>,
    },
    /// Removes at most [`SWEEP_STEP`] expired records; answers how many it removed.
    Sweep {
        reply: Reply<usize>,
    },
}

impl Request {
    /// Bytes of its entries and values.
    pub(super) fn bytes(&self) -> usize {
        let of_writes = |writes: &[Write]| -> usize {
            writes
                .iter()
                .map(|write| if let Write::Put { value, .. } = write { value.len() } else { 0 })
                .sum()
        };
        match self {
            Request::Append { append, .. } => {
                let entries = append.entries.iter().map(|link| link.entry.body.len()).sum::<usize>();
                entries + of_writes(&append.writes)
            }
            Request::Update { update, .. } => of_writes(&update.writes),
            Request::BumpEpoch { .. }
            | Request::KeepOutage { .. }
            | Request::LookForRoom { .. }
            | Request::Quarantine { .. }
            | Request::Release { .. }
            | Request::DeleteLog { .. }
            | Request::Sweep { .. } => 0,
        }
    }
}

/// An answer that waits for the sync.
pub(super) enum Answer {
    Append(Reply<AppendOutcome>, Result<AppendOutcome, StoreError>),
    Update(Reply<UpdateOutcome>, Result<UpdateOutcome, StoreError>),
    Epoch(Reply<u64>, u64),
    Swept(Reply<usize>, Result<usize, StoreError>),
    Done(Reply<()>),
}

/// What became of a group.
#[derive(Clone)]
pub(super) enum Verdict {
    Durable,
    /// It may be on the disk or not.
    Unknown(String),
    /// Nothing was written.
    Refused(String),
}

impl Answer {
    /// Gives the answer, now that it is known what became of the group.
    pub(super) fn give(self, verdict: &Verdict) {
        // A caller that went away needs no answer.
        match self {
            Answer::Append(reply, outcome) => {
                let has_written = matches!(outcome, Ok(AppendOutcome::Ok { .. }));
                reply.send(settle(outcome, has_written, AppendOutcome::Unknown, verdict)).ok();
            }
            Answer::Update(reply, outcome) => {
                let has_written = matches!(outcome, Ok(UpdateOutcome::Ok));
                reply.send(settle(outcome, has_written, UpdateOutcome::Unknown, verdict)).ok();
            }
            Answer::Epoch(reply, epoch) => drop(reply.send(verdict.check().map(|()| epoch))),
            Answer::Swept(reply, count) => {
                drop(reply.send(count.and_then(|count| verdict.check().map(|()| count))));
            }
            Answer::Done(reply) => drop(reply.send(verdict.check())),
        }
    }
}

/// Where answers are given. To wake many callers is cheaper from inside the runtime that runs them
/// than from the writer's thread: a task does it, if the store was opened in a runtime.
pub(super) struct Answers {
    task: Option<mpsc::UnboundedSender<(Vec<Answer>, Verdict)>>,
}

impl Answers {
    pub(super) fn new() -> Answers {
        let task = Handle::try_current().ok().map(|runtime| {
            // As many answers wait here as there are callers, and they are limited.
            let (sender, mut groups) = mpsc::unbounded_channel::<(Vec<Answer>, Verdict)>();
            runtime.spawn(async move {
                while let Some((answers, verdict)) = groups.recv().await {
                    answers.into_iter().for_each(|answer| answer.give(&verdict));
                }
            });
            sender
        });
        Answers { task }
    }

    /// Gives the answers, now that it is known what became of the group.
    pub(super) fn give(&self, answers: Vec<Answer>, verdict: Verdict) {
        let group = (answers, verdict);
        let left = match &self.task {
            Some(task) if group.0.len() > 1 => task.send(group).err().map(|unsent| unsent.0),
            Some(_) | None => Some(group),
        };
        // One caller is not worth the detour, and the runtime may be gone.
        if let Some((answers, verdict)) = left {
            answers.into_iter().for_each(|answer| answer.give(&verdict));
        }
    }
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

/// The answer to a request once it is known what became of its group.
fn settle<T>(
    outcome: Result<T, StoreError>,
    has_written: bool,
    unknown: T,
    verdict: &Verdict,
) -> Result<T, StoreError> {
    match verdict {
        Verdict::Durable => outcome,
        Verdict::Unknown(_) if has_written => Ok(unknown),
        // The answer may rest on what the group wrote: it says nothing any more.
        Verdict::Unknown(why) | Verdict::Refused(why) => Err(StoreError::Unavailable { why: why.clone() }),
    }
}
