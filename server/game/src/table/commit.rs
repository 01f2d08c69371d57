//! Handles the store's answers to appends and reads.

use flagfall_base::refusals;
use flagfall_board::Stamp;
use flagfall_protocol::Refusal;
use flagfall_rules::{Event, decide_deadline};
use flagfall_store::{AppendOutcome, Head, StoreError, StoredEntry};

use super::command::{Asked, Done};
use super::input::Output;
use super::state::{Stopping, Table};
use super::work::{Cause, Flight};
use crate::error::TableError;
use crate::reply::Reply;

/// Why the table has read entries that the replica lacks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// An append failed with a conflict, because the log has this head.
    Conflict(Head),
    /// The replica must be compared with the log, which has this head.
    Look(Head),
    /// The log may have new entries.
    Hint,
}

impl Table {
    pub(super) fn appended(
        &mut self,
        now: Stamp,
        outcome: Result<AppendOutcome, StoreError>,
        outputs: &mut Vec<Output>,
    ) {
        match outcome {
            Ok(AppendOutcome::Ok { at, head }) => self.committed(at, head, outputs),
            Ok(AppendOutcome::Conflict { head }) => {
                self.work.conflict = Some(Box::new(head));
                outputs.push(Output::Read { after: self.head.seq });
            }
            Ok(AppendOutcome::Unknown) => outputs.push(Output::Read { after: self.head.seq }),
            Ok(AppendOutcome::Late { at }) => {
                if let Some(Flight::Command { asked, .. }) = self.work.flight.take() {
                    self.refuse(*asked, Refusal::from(&flagfall_rules::Refusal::OutOfTime));
                }
                // By the store's clock, the deadline has passed. So handle the consequences of
                // the deadline now.
                let events: Vec<Event> = decide_deadline(&self.game, at.max(now)).into_iter().collect();
                outputs.extend(self.append_by_itself(at.max(now), events, Cause::Deadline));
            }
            Ok(AppendOutcome::Early { at }) => {
                self.work.flight = None;
                self.work.note_early(now, at, self.ends_after());
            }
            Ok(AppendOutcome::Quarantined { .. }) => self.give_log_up(TableError::Quarantined),
            Err(_) => self.give_up(now, outputs),
        }
    }

    fn committed(&mut self, at: Stamp, head: Head, outputs: &mut Vec<Output>) {
        self.head = head;
        self.work.retry_at = None;
        match self.work.flight.take() {
            Some(Flight::Command { asked, mut done, side, mut lag_ms, events }) => {
                for event in events.iter() {
                    self.carry_out(event, at, std::mem::take(&mut lag_ms), Some(side));
                }
                done.seq = self.seq_of(side);
                self.accepted.note(done);
                if let Some(outbox) = asked.reply.outbox() {
                    outbox.credit();
                }
                self.accept(*asked, &done);
            }
            Some(Flight::ByItself { events, cause }) => {
                events.iter().for_each(|event| self.carry_out(event, at, 0, None));
                match cause {
                    Cause::Deadline => {}
                    Cause::Recovery => self.outage.note_recorded(&self.game, self.header.is_slow()),
                    Cause::Stop => self.finish_stop(outputs),
                }
            }
            Some(Flight::Search | Flight::Confirm { .. } | Flight::Follow) | None => {}
        }
    }

    pub(super) fn finish_stop(&mut self, outputs: &mut Vec<Output>) {
        self.stopping = Stopping::Done;
        outputs.push(Output::Stopped);
    }

    /// Handles a request that the store did not carry out, or whose outcome is unknown. The
    /// request is retried later, not immediately.
    fn give_up(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        match self.work.flight.take() {
            // The command was judged by clocks that kept running although no server reached the
            // store. Judge the command again after the clocks have been corrected.
            Some(Flight::Command { asked, .. })
                if self.outage.is_unrecorded() && !self.work.is_retrying() =>
            {
                self.work.queue.push_front(asked);
            }
            Some(Flight::Command { asked, side, .. }) => {
                if let (Reply::Discard, Some(turns)) = (&asked.reply, &mut self.house_turns) {
                    // A house player does not repeat its command, so it must be asked again
                    // later.
                    turns.asked_at[side] = None;
                    self.work.retry_later(now);
                }
                self.refuse(*asked, refusals::store_unclear());
            }
            Some(Flight::ByItself { cause: Cause::Stop, .. }) => self.finish_stop(outputs),
            Some(Flight::ByItself { cause: Cause::Deadline | Cause::Recovery, .. }) => {
                self.work.retry_later(now);
            }
            Some(Flight::Confirm { asked }) => self.refuse(*asked, refusals::store_unclear()),
            Some(Flight::Follow) => {
                self.work.retry_later(now);
                self.following.is_to_look = true;
            }
            Some(Flight::Search) | None => {}
        }
    }

    /// Handles log entries that the replica lacks.
    pub(super) fn read_on(
        &mut self,
        now: Stamp,
        read: Result<Vec<StoredEntry>, TableError>,
        outputs: &mut Vec<Output>,
    ) {
        let reading = self.work.conflict.take().map_or(Reading::Hint, |head| Reading::Conflict(*head));
        self.follow_log(now, read.map(|stored| (reading, stored)), outputs);
    }

    /// Handles the log's head, and the entries that the replica lacks.
    pub(super) fn looked(
        &mut self,
        now: Stamp,
        looked: Result<(Head, Vec<StoredEntry>), TableError>,
        outputs: &mut Vec<Output>,
    ) {
        let read = looked.map(|(head, stored)| (Reading::Look(head), stored));
        self.follow_log(now, read, outputs);
    }

    /// Catches up with the entries that were read, and continues the task that was under way.
    fn follow_log(
        &mut self,
        now: Stamp,
        read: Result<(Reading, Vec<StoredEntry>), TableError>,
        outputs: &mut Vec<Output>,
    ) {
        let (reading, stored) = match read {
            Ok(read) => read,
            Err(why @ (TableError::Quarantined | TableError::TooNew)) => return self.give_log_up(why),
            Err(_) => return self.give_up(now, outputs),
        };
        let has_branched = match reading {
            Reading::Conflict(head) => !self.leads_to(head, &stored),
            Reading::Look(head) => head != self.head && !self.leads_to(head, &stored),
            Reading::Hint => false,
        };
        if has_branched {
            return self.diverge(outputs);
        }
        if let Err(error) = self.catch_up(&stored) {
            tracing::error!(game = %self.id(), %error, "this server cannot read new entries of the game's log");
            return self.give_log_up(error.into());
        }
        let is_conflict = matches!(reading, Reading::Conflict(_));
        match self.work.flight.take() {
            // Either the command was written after all, or another server was first. Judging the
            // command again finds out which.
            Some(Flight::Command { asked, done, .. })
                if is_conflict || self.accepted.find(done.key).is_some() =>
            {
                self.work.queue.push_front(asked);
            }
            Some(Flight::Follow) => {
                self.following.note_match(self.head.seq);
                self.admit_openers(now);
            }
            Some(Flight::Confirm { mut asked }) => {
                asked.is_current = stored.is_empty();
                self.work.queue.push_front(asked);
            }
            // If the log has new entries, decide again immediately which events are needed.
            // Otherwise give up for now.
            Some(Flight::ByItself { .. }) if is_conflict || !stored.is_empty() => {}
            flight => {
                self.work.flight = flight;
                self.give_up(now, outputs);
            }
        }
    }

    pub(super) fn searched(&mut self, mut asked: Box<Asked>, found: Result<Option<Done>, TableError>) {
        if matches!(self.work.flight, Some(Flight::Search)) {
            self.work.flight = None;
        }
        match found {
            Ok(Some(done)) => self.accept_again(*asked, &done),
            Ok(None) => {
                asked.is_new = true;
                self.work.queue.push_front(asked);
            }
            Err(why @ (TableError::Quarantined | TableError::TooNew)) => {
                self.give_log_up(why);
                self.refuse(*asked, Refusal::from(&why));
            }
            // It is unknown whether the command was accepted, so the table can neither accept nor
            // refuse it.
            Err(_) => self.refuse(*asked, refusals::store_unclear()),
        }
    }
}
