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
    /// The append of a command.
    Command { asked: Box<Asked>, done: Done, side: Side, lag_ms: u32, events: Box<Events> },
    /// The append of events that no command caused.
    ByItself { events: Vec<Event>, cause: Cause },
    /// A search in the log.
    Search,
    /// A check whether the log has gone on, before a command is refused.
    Confirm { asked: Box<Asked> },
    /// A read of what other servers have written.
    Follow,
}

/// Why the table appends events that no command caused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// A deadline has passed.
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
    /// The log's head when the append under way conflicted with it. The log is being read up to
    /// there.
    pub(super) conflict: Option<Box<Head>>,
    /// When to retry what the store did not take.
    retry_at: Option<Stamp>,
    /// Set if the store's clock was behind the local one.
    early: Option<Box<Early>>,
}

impl Work {
    /// True if the player has as many commands waiting as the table allows. Each player has a limit
    /// of their own, so neither can crowd out the other.
    pub(super) fn is_full_for(&self, player_id: &str) -> bool {
        self.queue.iter().filter(|other| other.player_id == player_id).count() >= WAITING_MAX
    }

    /// True if nothing is under way and nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.flight.is_none() && self.queue.is_empty()
    }

    /// The request whose command is under way.
    pub(super) fn request(&self) -> Option<RequestId> {
        match &self.flight {
            Some(Flight::Command { asked, .. } | Flight::Confirm { asked }) => asked.reply.request(),
            Some(Flight::ByItself { .. } | Flight::Search | Flight::Follow) | None => None,
        }
    }

    /// The connections that wait for the answer to a command.
    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Outbox> {
        let in_flight = match &self.flight {
            Some(Flight::Command { asked, .. } | Flight::Confirm { asked }) => asked.reply.outbox(),
            Some(Flight::ByItself { .. } | Flight::Search | Flight::Follow) | None => None,
        };
        self.queue.iter().filter_map(|asked| asked.reply.outbox()).chain(in_flight)
    }

    /// When the store is asked again; `None` if it took everything.
    pub(super) fn retry_at(&self) -> Option<Stamp> {
        self.retry_at
    }

    /// True if the store did not take something and is not asked again yet.
    pub(super) fn is_retrying(&self) -> bool {
        self.retry_at.is_some()
    }

    /// Does not ask the store for a while.
    pub(super) fn retry_later(&mut self, now: Stamp) {
        self.retry_at = Some(now.plus_ms(RETRY_MS));
    }

    /// The store may be asked at once.
    pub(super) fn retry_now(&mut self) {
        self.retry_at = None;
    }

    pub(super) fn end_delay(&mut self, now: Stamp) {
        self.retry_at = self.retry_at.filter(|retry_at| now < *retry_at);
    }

    /// The store's clock, which says `at`, is behind: the time is up when as much has passed here
    /// as is missing there.
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
