//! Requests to the writer, and the limits for sending many of them at once.

use flagfall_board::{GameId, Stamp};
use redis::Value;
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use super::held::HeldEntry;
use super::layout::{WriteArguments, write_arguments};
use super::link::Script;
use super::request_error::RequestError;
use crate::guard::Guard;
use crate::store::{AppendOutcome, Outage, RetireOutcome, Topic, Update, UpdateOutcome};
use crate::value::Head;

/// The maximum number of appends in one call. While Redis runs a call, it serves no other client.
pub(super) const APPENDS_MAX: usize = 64;
/// The maximum number of requests in one group.
pub(super) const GROUP_MAX: usize = 1024;
/// The approximate limit for the bytes in one group. While Redis handles a group, it serves no
/// other client.
pub(super) const GROUP_BYTES_MAX: usize = 2 * 1024 * 1024;

pub(super) type Reply<T> = oneshot::Sender<Result<T, RequestError>>;

/// An append whose hashes have been computed.
pub(super) struct Prepared {
    pub(super) game: GameId,
    pub(super) expected: Head,
    pub(super) deadline: Option<Stamp>,
    pub(super) not_before: Option<Stamp>,
    /// The entries as Redis will store them. Their stamps are missing unless `is_stamped`.
    pub(super) entries: Vec<HeldEntry>,
    pub(super) is_stamped: bool,
    /// The latest outage that was known when the append was requested. If another outage has been
    /// detected since then, the append's clocks wrongly include it.
    pub(super) outage: Option<Outage>,
    pub(super) writes: Vec<WriteArguments>,
    /// The caller's span, for log lines about the append.
    pub(super) span: Span,
}

impl Prepared {
    /// Makes an append of entries that already have stamps.
    pub(super) fn stamped(
        game: GameId,
        expected: Head,
        entries: Vec<HeldEntry>,
        writes: Vec<WriteArguments>,
    ) -> Prepared {
        Prepared {
            game,
            expected,
            deadline: None,
            not_before: None,
            entries,
            is_stamped: true,
            outage: None,
            writes,
            span: Span::none(),
        }
    }

    pub(super) fn head(&self) -> Head {
        self.entries.last().map_or(self.expected, |entry| entry.head)
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.value.len()).sum()
    }
}

/// A request to the writer. `Retire` replaces a log with its guard. `ForgetApplied` deletes the
/// data about a retired log that is not under the log's own keys. `Tell` sends a message to all
/// servers, and `TellFollowers` to those that follow a topic. `Run` runs a script that needs the
/// time. `Settle` resolves doubts about the time and about the outcome of earlier writes.
pub(super) enum Request {
    Append { append: Prepared, reply: Reply<AppendOutcome> },
    Update { update: Update, reply: Reply<UpdateOutcome> },
    Heartbeat { reply: Reply<Stamp> },
    BumpEpoch { reply: Reply<u64> },
    Sweep { reply: Reply<(u64, u64)> },
    Quarantine { game: GameId, reason: String, reply: Reply<()> },
    Retire { game: GameId, guard: Guard, reply: Reply<RetireOutcome> },
    ForgetApplied { game: GameId, reply: Reply<()> },
    DeleteLog { game: GameId, reply: Reply<()> },
    Tell { notice: Vec<u8>, reply: Reply<()> },
    TellFollowers { topic: Topic, notice: Vec<u8>, reply: Reply<u64> },
    Run { script: Script, keys: Vec<String>, arguments: Vec<Vec<u8>>, reply: Reply<Value> },
    Settle { reply: Reply<()> },
}

impl Request {
    pub(super) fn as_append(&self) -> Option<&Prepared> {
        match self {
            Request::Append { append, .. } => Some(append),
            _ => None,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Request::Append { append, .. } => append.bytes(),
            Request::Update { update, .. } => {
                write_arguments(&update.writes).iter().flatten().map(Vec::len).sum()
            }
            Request::Run { arguments, .. } => arguments.iter().map(Vec::len).sum(),
            Request::Tell { notice, .. } | Request::TellFollowers { notice, .. } => notice.len(),
            _ => 0,
        }
    }

    /// Tells the caller that the request failed, or may have failed.
    pub(super) fn fail(self, error: &RequestError) {
        let error = error.clone();
        // A send error only means that the caller has stopped waiting.
        match self {
            Request::Append { reply, .. } => reply.send(Err(error)).is_ok(),
            Request::Update { reply, .. } => reply.send(Err(error)).is_ok(),
            Request::Heartbeat { reply } => reply.send(Err(error)).is_ok(),
            Request::BumpEpoch { reply } | Request::TellFollowers { reply, .. } => {
                reply.send(Err(error)).is_ok()
            }
            Request::Sweep { reply } => reply.send(Err(error)).is_ok(),
            Request::Retire { reply, .. } => reply.send(Err(error)).is_ok(),
            Request::Run { reply, .. } => reply.send(Err(error)).is_ok(),
            Request::Quarantine { reply, .. }
            | Request::ForgetApplied { reply, .. }
            | Request::DeleteLog { reply, .. }
            | Request::Tell { reply, .. }
            | Request::Settle { reply } => reply.send(Err(error)).is_ok(),
        };
    }
}

/// Makes a group of this request and other waiting requests, up to the limits of a group.
pub(super) fn gather(first: Request, requests: &mut mpsc::Receiver<Request>) -> Vec<Request> {
    let mut bytes = 0;
    let mut group = Vec::new();
    let mut next = Some(first);
    while let Some(request) = next {
        bytes += request.bytes();
        group.push(request);
        let has_room = group.len() < GROUP_MAX && bytes < GROUP_BYTES_MAX;
        next = if has_room { requests.try_recv().ok() } else { None };
    }
    group
}
