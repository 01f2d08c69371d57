//! The work of a table: the task that is under way, and the commands that wait.

use std::collections::VecDeque;

use flagfall_base::delivery::Outbox;
use flagfall_base::request_id::RequestId;
use flagfall_board::{Side, Stamp};
use flagfall_rules::{Event, Events};
use flagfall_store::Head;

use super::command::{Asked, Done};

/// The maximum number of one player's commands that may wait while an append is under way.
const WAITING_MAX: usize = 8;
/// The delay before a request that the store did not carry out is retried, in milliseconds.
const RETRY_MS: u64 = 1_000;

/// The task that is under way. Everything else waits for it.
pub(crate) enum Flight {
    Command {
        asked: Box<Asked>,
        done: Done,
        side: Side,
        lag_ms: u32,
        events: Box<Events>,
    },
    /// An append of events that no command caused.
    ByItself {
        events: Vec<Event>,
        cause: Cause,
    },
    Search,
    /// A check that the log has no new entries, made before a command is refused.
    Confirm {
        asked: Box<Asked>,
    },
    /// A read of entries that other servers have written.
    Follow,
}

/// Why the table appends events that no command caused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    Deadline,
    Recovery,
    Stop,
}

/// A flag that has fallen according to the local clock, but not according to the store's clock.
#[derive(Clone, Copy)]
pub(crate) struct Early {
    /// The time at which the flag falls.
    flag_fall: Stamp,
    /// The time, by the local clock, at which the store's clock reaches the fall of the flag.
    until: Stamp,
}

/// The task that is under way, the commands that wait, and the tasks that will be retried.
#[derive(Default)]
pub(crate) struct Work {
    /// The waiting commands, in the order in which they will be judged.
    pub(crate) queue: VecDeque<Box<Asked>>,
    pub(super) flight: Option<Flight>,
    /// The head of the log that made an append fail with a conflict. The table is reading the log
    /// up to this head.
    pub(super) conflict: Option<Box<Head>>,
    /// The time at which to retry a request that the store did not carry out.
    pub(super) retry_at: Option<Stamp>,
    /// The flag to wait for, if the store's clock was found to be behind the local clock.
    early: Option<Box<Early>>,
}

impl Work {
    /// True if the player has as many commands waiting as the table allows. The limit counts per
    /// player, so that no player can crowd out the opponent.
    pub(super) fn is_full_for(&self, side: Side) -> bool {
        self.queue.iter().filter(|other| other.side() == Some(side)).count() >= WAITING_MAX
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flight.is_none() && self.queue.is_empty()
    }

    /// Returns the command of the task that is under way.
    fn current_command(&self) -> Option<&Asked> {
        match &self.flight {
            Some(Flight::Command { asked, .. } | Flight::Confirm { asked }) => Some(asked),
            Some(Flight::ByItself { .. } | Flight::Search | Flight::Follow) | None => None,
        }
    }

    pub(crate) fn request(&self) -> Option<RequestId> {
        self.current_command()?.reply.request()
    }

    /// Returns the outboxes of the connections that wait for an answer to a command.
    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Outbox> {
        let waiting = self.queue.iter().map(|asked| &**asked).chain(self.current_command());
        waiting.filter_map(|asked| asked.reply.outbox())
    }

    /// True if a request to the store has failed and waits to be retried.
    pub(super) fn is_retrying(&self) -> bool {
        self.retry_at.is_some()
    }

    pub(super) fn retry_later(&mut self, now: Stamp) {
        self.retry_at = Some(now.plus_ms(RETRY_MS));
    }

    /// Records that the store's clock, which shows `at`, is behind the local clock. The table
    /// then waits until the flag has fallen by the store's clock.
    pub(super) fn note_early(&mut self, now: Stamp, at: Stamp, flag_fall: Option<Stamp>) {
        self.early = flag_fall.map(|flag_fall| {
            let up_at = flag_fall.plus_ms(1);
            Box::new(Early { flag_fall, until: now.plus_ms(up_at.ms_since(at)).max(up_at) })
        });
    }

    /// Returns the first moment at which this deadline has passed, by the local clock.
    pub(super) fn passed_at(&self, flag_fall: Stamp) -> Stamp {
        let early = self.early.as_deref().filter(|early| early.flag_fall == flag_fall);
        // A command that arrives exactly at the deadline is in time, so add one millisecond.
        early.map_or(flag_fall.plus_ms(1), |early| early.until)
    }
}
