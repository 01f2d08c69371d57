//! What a table does, and what waits for it. There is one thing at a time.

use std::collections::VecDeque;

use flagfall_base::delivery::Outbox;
use flagfall_base::request_id::RequestId;
use flagfall_board::{Side, Stamp};
use flagfall_rules::{Event, Events};
use flagfall_store::Head;

use super::command::{Asked, Done};

/// Commands of one player that may wait while an append is under way.
const WAITING_MAX: usize = 8;
/// Delay before something that the store did not take is tried again, in milliseconds.
const RETRY_MS: u64 = 1_000;

/// What is under way. Everything else waits for it.
pub(crate) enum Flight {
    Command {
        asked: Box<Asked>,
        done: Done,
        side: Side,
        lag_ms: u32,
        events: Box<Events>,
    },
    /// The append of events that no command caused.
    ByItself {
        events: Vec<Event>,
        cause: Cause,
    },
    Search,
    /// A check whether the log has gone on, before a command is refused.
    Confirm {
        asked: Box<Asked>,
    },
    /// A read of what other servers have written.
    Follow,
}

/// Why the table appends events that no command caused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    Deadline,
    Recovery,
    Stop,
}

/// The store's clock has not reached a time that is up by the local clock.
#[derive(Clone, Copy)]
pub(crate) struct Early {
    /// The time in question.
    flag_fall: Stamp,
    /// When the store's clock gets there, in local time. The wait is how far the store was behind.
    until: Stamp,
}

/// What is under way, what waits for it, and what is to be retried.
#[derive(Default)]
pub(crate) struct Work {
    /// Commands that wait, in the order in which they are judged.
    pub(crate) queue: VecDeque<Box<Asked>>,
    pub(super) flight: Option<Flight>,
    /// The log's head with which the append under way conflicted. The log is being read up to it.
    pub(super) conflict: Option<Box<Head>>,
    /// When to retry what the store did not take.
    pub(super) retry_at: Option<Stamp>,
    /// Set if the store's clock was behind the local one.
    early: Option<Box<Early>>,
}

impl Work {
    /// True if the player has as many commands waiting as the table allows. Each player has a limit
    /// of their own, so neither can crowd out the other.
    pub(super) fn is_full_for(&self, player_id: &str) -> bool {
        self.queue.iter().filter(|other| other.player_id == player_id).count() >= WAITING_MAX
    }

    pub(super) fn is_empty(&self) -> bool {
        self.flight.is_none() && self.queue.is_empty()
    }

    /// The command that is under way.
    fn asked(&self) -> Option<&Asked> {
        match &self.flight {
            Some(Flight::Command { asked, .. } | Flight::Confirm { asked }) => Some(asked),
            Some(Flight::ByItself { .. } | Flight::Search | Flight::Follow) | None => None,
        }
    }

    pub(crate) fn request(&self) -> Option<RequestId> {
        self.asked()?.reply.request()
    }

    /// The connections that wait for the answer to a command.
    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Outbox> {
        let waiting = self.queue.iter().map(|asked| &**asked).chain(self.asked());
        waiting.filter_map(|asked| asked.reply.outbox())
    }

    /// True if the store did not take something and is not asked again yet.
    pub(super) fn is_retrying(&self) -> bool {
        self.retry_at.is_some()
    }

    pub(super) fn retry_later(&mut self, now: Stamp) {
        self.retry_at = Some(now.plus_ms(RETRY_MS));
    }

    /// The store's clock, which says `at`, is behind: wait here as long as is missing there.
    pub(super) fn note_early(&mut self, now: Stamp, at: Stamp, flag_fall: Option<Stamp>) {
        self.early = flag_fall.map(|flag_fall| {
            let up_at = flag_fall.plus_ms(1);
            Box::new(Early { flag_fall, until: now.plus_ms(up_at.ms_since(at)).max(up_at) })
        });
    }

    /// The first moment at which this deadline has passed, by the local clock.
    pub(super) fn passed_at(&self, flag_fall: Stamp) -> Stamp {
        let early = self.early.as_deref().filter(|early| early.flag_fall == flag_fall);
        // A command at the deadline itself is still in time.
        early.map_or(flag_fall.plus_ms(1), |early| early.until)
    }
}
