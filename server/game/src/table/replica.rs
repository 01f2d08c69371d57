//! The replica of a game: it is built from the game's log, and kept up to date with it.

use flagfall_base::refusals;
use flagfall_board::{Side, Stamp};
use flagfall_protocol::Refusal;
use flagfall_rules::{Event, evolve_compensated};
use flagfall_store::{Head, StoredEntry};

use super::aborts::AbortCause;
use super::command::{CommandKey, Done};
use super::input::Output;
use super::state::{Health, Table};
use super::work::Flight;
use crate::error::TableError;
use crate::replay::{self, ReplayError};

impl Table {
    /// Applies entries that are already in the log, written by any server.
    pub(crate) fn catch_up(&mut self, stored: &[StoredEntry]) -> Result<(), ReplayError> {
        for stored in stored {
            let entry = replay::entry(&self.header, stored)?;
            self.head = self.head.then(self.id(), &stored.body);
            let asker = entry.command.as_ref().and_then(|stamp| self.header.side_of(&stamp.player));
            self.carry_out(&entry.event, entry.at, entry.lag_ms, asker);
            if let (Some(stamp), Some(side)) = (entry.command, asker) {
                self.attendance.note_act(side, entry.at);
                let key = CommandKey::new(side, &stamp.cmd_id);
                self.accepted.note(Done { key, fingerprint: stamp.fingerprint, seq: self.seq_of(side) });
            }
        }
        Ok(())
    }

    pub(super) fn carry_out(&mut self, event: &Event, at: Stamp, lag_ms: u32, asker: Option<Side>) {
        self.aborted = AbortCause::of(event, &self.game, asker).or(self.aborted);
        let before = (self.game.phase(), self.game.ply());
        evolve_compensated(&mut self.game, event, at, lag_ms);
        if let Some(side) = asker {
            self.note_command(side, at, before != (self.game.phase(), self.game.ply()));
        }
        let abort = self.abort();
        self.audiences.publish(&self.game, event, at, abort.as_ref());
    }

    /// True if adding these entries to the replica leads to this head.
    pub(super) fn leads_to(&self, head: Head, stored: &[StoredEntry]) -> bool {
        let mut at = self.head;
        for stored in stored {
            at = at.then(self.id(), &stored.body);
            if at.seq == head.seq {
                return at == head;
            }
        }
        false
    }

    pub(super) fn diverge(&mut self, outputs: &mut Vec<Output>) {
        tracing::error!(game = %self.id(), "the store lost acknowledged events of this game; the game continues from the store's log");
        if let Some(Flight::Command { asked, .. }) = self.work.flight.take() {
            self.refuse(*asked, refusals::store_unclear());
        }
        self.health = Health::Diverged;
        outputs.push(Output::Diverged);
    }

    /// Handles a log that this server cannot read. From then on, this server accepts no commands
    /// for the game.
    pub(super) fn give_log_up(&mut self, why: TableError) {
        self.health = Health::Unreadable(why);
        if let Some(Flight::Command { asked, .. } | Flight::Confirm { asked }) = self.work.flight.take() {
            self.refuse(*asked, Refusal::from(&why));
        }
        tracing::error!(game = %self.id(), reason = %why, "the game accepts no more commands on this server; other games continue");
        self.tell_unavailable(why);
    }
}
