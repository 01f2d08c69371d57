//! The steps of a table. Each step handles one input. Then it does everything that can be done
//! before the store answers.

use super::command::{Asked, Author, Done};
use super::follow::ToRead;
use super::house_turns::{HOUSE_TAKEOVER_MS, is_awaited, moment};
use super::input::{Input, Output, TableInput};
use super::rematch::RematchRequest;
use super::state::{Health, Stopping, Table};
use super::work::{Cause, Flight};
use crate::error::TableError;
use crate::reply::Reply;
use flagfall_base::refusals;
use flagfall_board::{Side, Stamp};
use flagfall_protocol::{Accepted, Code, CommandId, Player, Refusal};
use flagfall_rules::{
    EndReason, Event, Outcome, Phase, Viewer, decide_deadline, decide_pause, decide_verdict, view,
};

impl Table {
    pub(crate) fn step(&mut self, now: Stamp, input: Input) -> Vec<Output> {
        // The latest entry may have a stamp that is ahead of this server's clock, because another
        // server wrote it.
        let now = now.max(self.game.latest());
        let mut outputs = Vec::new();
        match input {
            Input::Player(TableInput::Open(opener)) => self.open(now, opener),
            Input::Player(TableInput::Close { connection, is_on_purpose }) => {
                self.close(connection, is_on_purpose);
            }
            Input::Player(TableInput::Command(asked)) => self.enqueue(asked),
            Input::Player(TableInput::Rematch { reply, player, cmd_id }) => {
                self.request_rematch(now, reply, &player, cmd_id, &mut outputs);
            }
            Input::RematchOffered { side } => {
                self.attendance.note_sign(now, side, &self.audiences);
                if self.rematch.hear_offer(side, &self.audiences) {
                    outputs.push(Output::MakeRematch);
                }
            }
            Input::RematchMade(made) => self.rematch.note_made(&made, &self.audiences),
            Input::Appended(outcome) => self.appended(now, outcome, &mut outputs),
            Input::ReadOn(read) => self.read_on(now, read, &mut outputs),
            Input::Searched { asked, found } => self.searched(asked, found),
            Input::Heard { seq } => self.following.hear(now, self.head.seq, seq),
            Input::Audit => self.following.is_to_look = !self.is_over(),
            Input::Looked(looked) => self.looked(now, looked, &mut outputs),
            Input::Outage(outage) => {
                self.outage.note_outage(&self.game, self.header.is_slow(), outage);
                // The store answers again, so retry immediately.
                self.work.retry_at = None;
            }
            Input::Elsewhere(elsewhere) => {
                self.note_elsewhere(elsewhere);
                // A server that has just opened the game does not know of the offers.
                let offers = self.rematch.open_offers().filter(|side| self.audiences.has_side(*side));
                outputs.extend(offers.map(|side| Output::TellRematchOffered { side }));
            }
            Input::Tick => {}
            Input::Stop { is_last } => {
                if self.stopping != Stopping::Done {
                    self.stopping = Stopping::Asked { pauses: is_last };
                }
            }
        }
        self.work.retry_at = self.work.retry_at.filter(|retry_at| now < *retry_at);
        self.remove_closed();
        self.attendance.update(now, &self.header, &self.audiences);
        for side in Side::BOTH.into_iter().filter(|side| self.attendance.is_gone(*side)) {
            self.rematch.withdraw(side, &self.audiences);
        }
        // Update the claims before and after anything is judged.
        self.update_claims(now);
        self.go_on(now, &mut outputs);
        self.update_claims(now);
        self.send_newest_views(now);
        outputs
    }

    fn update_claims(&mut self, now: Stamp) {
        let is_playable = self.game.phase() == Phase::Playing
            && !self.game.is_paused()
            && !self.outage.is_unrecorded()
            && !self.is_unreadable();
        let wait_ms = self.claim_wait_ms();
        self.claims.update(now, is_playable, wait_ms, &mut self.attendance, &self.audiences);
    }

    /// Returns the time by which the table wants an [`Input::Tick`].
    pub(crate) fn wake_at(&self) -> Option<Stamp> {
        let is_waiting = self.work.flight.is_some() || self.is_unreadable() || self.is_stopping();
        let due = || {
            let takeover_at = self.house_turns.as_ref().and_then(|turns| turns.takeover_at);
            let time_is_up_at = self.time_is_up_at().filter(|_| !self.settings.is_relay);
            time_is_up_at.into_iter().chain(self.following.due_at).chain(takeover_at).min()
        };
        let own = if is_waiting { None } else { self.work.retry_at.or_else(due) };
        self.attendance.away_at().chain(own).chain(self.behind_look_at).min()
    }

    /// Returns the first moment at which the game ends by itself, by the local clock.
    fn time_is_up_at(&self) -> Option<Stamp> {
        self.ends_after().map(|flag_fall| self.work.passed_at(flag_fall))
    }

    /// Returns the events that end the game by itself at this time.
    fn decide_end(&self, now: Stamp) -> Vec<Event> {
        let events = if self.idle_until().is_some() {
            let nobody = Outcome { winner: None, reason: EndReason::Aborted };
            decide_verdict(&self.game, nobody)
        } else {
            decide_deadline(&self.game, now)
        };
        events.into_iter().collect()
    }

    /// Does everything that can be done, until the table has to wait for the store.
    fn go_on(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        while self.work.flight.is_none() {
            if self.health != Health::Sound {
                if self.is_unreadable() {
                    self.admit_openers(now);
                }
                let Some(asked) = self.work.queue.pop_front() else { break };
                let refusal = match &self.health {
                    Health::Unreadable(why) => Refusal::from(why),
                    Health::Sound | Health::Diverged => refusals::store_unclear(),
                };
                self.refuse(*asked, refusal);
                continue;
            }
            if self.is_stopping() {
                self.admit_openers_before_stop(now);
                return self.stop(now, outputs);
            }
            if self.follow(now, outputs) {
                break;
            }
            if self.following.is_shared {
                self.outage.note_pause(&self.game);
            }
            self.outage.put_off(&self.game);
            // A relay leaves flags and outages to other servers, unless a command must be judged.
            let is_left_to_others = self.settings.is_relay && self.work.queue.is_empty();
            if self.outage.is_unrecorded() {
                let events = self.outage.decide_recovery(&self.game);
                if events.is_empty() {
                    self.outage.note_recorded(&self.game, self.header.is_slow());
                    continue;
                }
                if is_left_to_others {
                    break;
                }
                if self.work.is_retrying() {
                    // Clocks kept running while no server could write, so they are wrong, and the
                    // command cannot be judged by them.
                    let Some(asked) = self.work.queue.pop_front() else { break };
                    self.refuse(*asked, refusals::store_unclear());
                    continue;
                }
                outputs.extend(self.append_by_itself(now, events, Cause::Recovery));
                break;
            }
            let is_time_up = self.time_is_up_at().is_some_and(|time_is_up_at| now >= time_is_up_at);
            if is_time_up && !is_left_to_others && !self.work.is_retrying() {
                let events = self.decide_end(now);
                if let Some(append) = self.append_by_itself(now, events, Cause::Deadline) {
                    outputs.push(append);
                    break;
                }
            }
            let Some(asked) = self.work.queue.pop_front() else {
                self.wake_house_players(now, outputs);
                break;
            };
            self.judge(now, asked, outputs);
        }
        if matches!(self.stopping, Stopping::Asked { .. }) && self.health != Health::Sound {
            self.finish_stop(outputs);
        }
    }

    /// Starts reading the log if there is a reason to. Returns true if a read was started.
    fn follow(&mut self, now: Stamp, outputs: &mut Vec<Output>) -> bool {
        if self.work.is_retrying() {
            return false;
        }
        let after = self.head.seq;
        let read = match self.following.next_read(now, after, !self.audiences.is_empty()) {
            ToRead::Nothing => return false,
            ToRead::Entries => Output::Read { after },
            ToRead::Head => Output::Look { after },
        };
        self.work.flight = Some(Flight::Follow);
        outputs.push(read);
        true
    }

    fn stop(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        while let Some(asked) = self.work.queue.pop_front() {
            self.refuse(*asked, Refusal::new(Code::STOPPING).because("pausing"));
        }
        let Stopping::Asked { pauses } = self.stopping else { return };
        // If the log lacks an outage, no clock has run since the outage began.
        let since = self.outage.unrecorded_since().unwrap_or(now);
        // An outage that is over needs no pause, because the next server that opens the game
        // records the outage.
        let pause = (pauses && !self.outage.is_over()).then(|| decide_pause(&self.game, since));
        match self.append_by_itself(now, pause.into_iter().flatten().collect(), Cause::Stop) {
            Some(append) => outputs.push(append),
            None => self.finish_stop(outputs),
        }
    }

    fn wake_house_players(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        let Some(turns) = &mut self.house_turns else { return };
        turns.takeover_at = None;
        if self.game.is_paused() || self.work.is_retrying() || self.settings.is_relay {
            return;
        }
        for side in Side::BOTH.into_iter().filter(|side| self.header.is_house(*side)) {
            if turns.asked_at[side] == Some(moment(&self.game)) || !is_awaited(&self.game, side) {
                continue;
            }
            // The server where the opponent has the game open makes the house player's move, so
            // wait. Spectators are no reason to think about a move.
            let takeover_at = self.game.latest().plus_ms(HOUSE_TAKEOVER_MS);
            let is_opponent_here = self.audiences.has_side(side.opponent());
            if self.following.is_shared && !is_opponent_here && now < takeover_at {
                turns.takeover_at = Some(takeover_at);
                continue;
            }
            turns.asked_at[side] = Some(moment(&self.game));
            let view = Box::new(view(&self.game, Viewer::Player(side), now));
            outputs.push(Output::HouseTurn { side, view });
        }
    }
}

impl Table {
    pub(super) fn accept(&self, asked: Asked, done: &Done) {
        let accepted = Accepted::Game { game: self.id(), seq: done.seq };
        asked.reply.answer(self.id(), asked.cmd_id, Ok(accepted), None);
    }

    /// Gives a repeated command the answer that it got when it was accepted.
    pub(super) fn accept_again(&self, asked: Asked, done: &Done) {
        if done.fingerprint == asked.fingerprint() {
            self.accept(asked, done);
        } else {
            self.refuse(asked, Refusal::new(Code::CMD_ID_REUSED));
        }
    }

    /// Tells the requester why the command is not carried out. The message includes the latest
    /// sequence number of their side.
    pub(super) fn refuse(&self, asked: Asked, refusal: Refusal) {
        let seq = asked.side().map(|side| self.seq_of(side));
        asked.reply.answer(self.id(), asked.cmd_id, Err(refusal), seq);
    }

    /// Returns the refusal for a person who does not play in the game. It does not reveal that a
    /// private game exists.
    pub(super) fn stranger(&self) -> Refusal {
        if self.header.terms.private {
            Refusal::from(&TableError::NotFound)
        } else {
            Refusal::new(Code::NOT_YOUR_GAME)
        }
    }

    pub(super) fn enqueue(&mut self, mut asked: Box<Asked>) {
        let side = match &asked.author {
            Author::Seat(side) => Some(*side),
            Author::Player(id) => self.header.side_of(id),
        };
        let Some(side) = side else {
            return asked.reply.answer(self.id(), asked.cmd_id, Err(self.stranger()), None);
        };
        asked.author = Author::Seat(side);
        if self.work.is_full_for(side) {
            return self.refuse(*asked, Refusal::new(Code::TOO_MANY).because("commands"));
        }
        self.work.queue.push_back(asked);
    }

    pub(super) fn request_rematch(
        &mut self,
        now: Stamp,
        reply: Reply,
        player: &Player,
        cmd_id: CommandId,
        outputs: &mut Vec<Output>,
    ) {
        let Some(side) = self.header.side_of(&player.id) else {
            return reply.answer(self.id(), cmd_id, Err(self.stranger()), None);
        };
        if !self.is_over() {
            return reply.answer(self.id(), cmd_id, Err(Refusal::new(Code::NOT_OVER)), None);
        }
        self.attendance.note_sign(now, side, &self.audiences);
        let was_offered = self.rematch.wanted_by().any(|offerer| offerer == side);
        let is_stopping = self.is_stopping();
        let is_house_game = self.header.is_house(side.opponent());
        let request = RematchRequest { reply, cmd_id, side };
        if self.rematch.request(request, is_house_game, is_stopping, &self.audiences) {
            outputs.push(Output::MakeRematch);
        }
        let is_offered = self.rematch.wanted_by().any(|offerer| offerer == side);
        if is_offered && !was_offered && self.following.is_shared {
            outputs.push(Output::TellRematchOffered { side });
        }
    }
}
