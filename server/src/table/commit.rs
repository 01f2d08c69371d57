//! How a command becomes fact: judged, appended, carried out, in this order.

use flagfall_board::{GameId, Side, Stamp};
use flagfall_protocol::{Code, GameCommand};
use flagfall_rules::{Command, Event, Game, Refusal, Setup, Viewer, decide, decide_deadline};
use flagfall_store::record::{self, CommandStamp, LogBody, LogEntry};
use flagfall_store::{Append, AppendOutcome, Key, StoreError, StoredEntry, Write};

use super::answers::{is_same_command, stamp_of};
use super::core::{Asked, Done, Flight, Output, RECENT_MAX, ReadFailure, ReadingBecause, Table};
use super::header::GameHeader;
use super::replay::{self, ReplayError};
use crate::gateway::Outbox;

/// How long until something that happens by itself is tried again when the store did not take it.
const RETRY_MS: u64 = 1_000;

impl Table {
    /// Judges one command and starts its append.
    pub(super) fn judge(&mut self, now: Stamp, asked: Box<Asked>, outputs: &mut Vec<Output>) {
        let Some(side) = self.header.side_of(&asked.player_id) else {
            let message = "you have no seat in this game";
            return self.refuse_asked(&asked, Code::new(Code::NOT_YOUR_GAME), message);
        };
        let stamp = stamp_of(&asked);
        if let Some(done) = self.recent.iter().find(|done| is_same_command(&done.stamp, &stamp)).cloned() {
            return self.answer_done(&asked, &stamp, &done);
        }
        let connection = asked.outbox.as_ref().map(Outbox::connection);
        if connection.and_then(|id| self.audiences.find(id)).is_some_and(|subscriber| !subscriber.is_driving)
        {
            let message = "you play this game from a newer connection; open it again to take it back";
            return self.refuse_asked(&asked, Code::new(Code::SUPERSEDED), message);
        }
        let decided = command_of(&asked.command, side, &self.game)
            .and_then(|command| decide(&self.game, side, asked.ply, &command, now, &asked.entropy));
        let events = match decided {
            Ok(events) => events,
            // It may be an old command, repeated: what was accepted is never refused.
            Err(refusal) if self.commands > self.recent.len() => {
                return outputs.push(Output::FindOld { asked, refusal });
            }
            Err(refusal) => return self.refuse_asked(&asked, Code::from(&refusal), &refusal.to_string()),
        };
        let deadline = self.game.deadline();
        match self.append_of(events.iter(), Some(&stamp), deadline) {
            Some(append) => {
                outputs.push(Output::Append(append));
                self.flight = Some(Flight::Command { asked, stamp, side, events });
            }
            None => {
                self.refuse_asked(&asked, Code::new(Code::INTERNAL), "the server could not write that down");
            }
        }
    }

    pub(super) fn append_by_itself(&mut self, events: Vec<Event>) -> Option<Append> {
        if events.is_empty() {
            return None;
        }
        let append = self.append_of(events.iter(), None, None)?;
        self.flight = Some(Flight::ByItself { events });
        Some(append)
    }

    fn append_of<'a>(
        &self,
        events: impl Iterator<Item = &'a Event>,
        stamp: Option<&CommandStamp>,
        deadline: Option<Stamp>,
    ) -> Option<Append> {
        let mut bodies = Vec::with_capacity(2);
        let mut writes = Vec::new();
        for event in events {
            if event.is_end() {
                writes.extend(end_of_index(self.id, &self.header));
            }
            let entry =
                LogEntry::<GameHeader> { command: stamp.cloned(), body: LogBody::Event(event.clone()) };
            bodies.push(record::encode(entry).ok()?);
        }
        Some(Append { game: self.id, expected: self.head, deadline, bodies, writes })
    }

    pub(super) fn appended(
        &mut self,
        now: Stamp,
        outcome: Result<AppendOutcome, StoreError>,
        outputs: &mut Vec<Output>,
    ) {
        match outcome {
            Ok(AppendOutcome::Ok { at, head }) => {
                self.head = head;
                self.retry_at = None;
                match self.flight.take() {
                    Some(Flight::Command { asked, stamp, side, events }) => {
                        events.iter().for_each(|event| self.carry_out(event, at));
                        let done = Done { stamp, seq: self.seq_of(side) };
                        self.note_done(done.clone());
                        self.accept(&asked, &done);
                    }
                    Some(Flight::ByItself { events }) => {
                        events.iter().for_each(|event| self.carry_out(event, at));
                        if self.is_stopping {
                            self.is_stopped = true;
                            outputs.push(Output::Stopped);
                        }
                    }
                    None => {}
                }
            }
            Ok(AppendOutcome::Conflict { head: _ }) => self.read(ReadingBecause::Conflict, outputs),
            Ok(AppendOutcome::Unknown) => self.read(ReadingBecause::Unknown, outputs),
            Ok(AppendOutcome::Late { at }) => {
                if let Some(Flight::Command { asked, .. }) = self.flight.take() {
                    self.refuse_asked(
                        &asked,
                        Code::from(&Refusal::OutOfTime),
                        &Refusal::OutOfTime.to_string(),
                    );
                }
                // The store's time has passed the deadline: what happens by itself, happens now.
                let events: Vec<Event> = decide_deadline(&self.game, at.max(now)).into_iter().collect();
                if let Some(append) = self.append_by_itself(events) {
                    outputs.push(Output::Append(append));
                }
            }
            Ok(AppendOutcome::Quarantined { .. }) => self.quarantine(),
            Err(_) => self.give_up(now, outputs),
        }
    }

    /// The store did not take what was under way, and will not have it.
    fn give_up(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        match self.flight.take() {
            Some(Flight::Command { asked, .. }) => self.refuse_unavailable(&asked),
            Some(Flight::ByItself { .. }) if self.is_stopping => {
                self.is_stopped = true;
                outputs.push(Output::Stopped);
            }
            Some(Flight::ByItself { .. }) => self.retry_at = Some(now.plus_ms(RETRY_MS)),
            None => {}
        }
    }

    fn read(&mut self, because: ReadingBecause, outputs: &mut Vec<Output>) {
        self.reading = Some(because);
        outputs.push(Output::Read { after: self.head.seq });
    }

    pub(super) fn read_on(&mut self, read: Result<Vec<StoredEntry>, ReadFailure>) {
        let because = self.reading.take();
        let flight = self.flight.take();
        let caught_up = match read {
            Ok(stored) => self.catch_up(&stored).map_err(|_| ReadFailure::Damaged),
            Err(failure) => Err(failure),
        };
        let Some(Flight::Command { asked, stamp, .. }) = flight else {
            if matches!(caught_up, Err(ReadFailure::Damaged)) {
                self.quarantine();
            }
            return;
        };
        match (caught_up, because) {
            (Err(ReadFailure::Damaged), _) => {
                self.quarantine();
                self.refuse_quarantined(&asked);
            }
            (Err(ReadFailure::Unavailable), _) => self.refuse_unavailable(&asked),
            (Ok(()), _) if self.recent.iter().any(|done| done.stamp == stamp) => self.line.push_front(asked),
            (Ok(()), Some(ReadingBecause::Unknown) | None) => self.refuse_unavailable(&asked),
            // Another server was first: judge again.
            (Ok(()), Some(ReadingBecause::Conflict)) => self.line.push_front(asked),
        }
    }

    /// Carries out entries another server, or this one before, has written.
    pub(super) fn catch_up(&mut self, stored: &[StoredEntry]) -> Result<(), ReplayError> {
        for stored in stored {
            let entry = replay::entry(stored)?;
            self.head = self.head.then(self.id, &stored.body);
            self.carry_out(&entry.event, entry.at);
            if let Some(stamp) = entry.command {
                let side = self.header.side_of(&stamp.player);
                let seq = side.map_or(0, |side| self.seq_of(side));
                self.note_done(Done { stamp, seq });
            }
        }
        Ok(())
    }

    /// Carries an event out that is in the log, and shows it.
    fn carry_out(&mut self, event: &Event, at: Stamp) {
        flagfall_rules::evolve(&mut self.game, event, at);
        self.audiences.publish(self.id, &self.game, event, at);
    }

    fn note_done(&mut self, done: Done) {
        // The events of one command carry the same stamp: the last one tells its outcome.
        if let Some(last) = self.recent.back_mut().filter(|last| last.stamp == done.stamp) {
            last.seq = done.seq;
            return;
        }
        self.commands += 1;
        if self.recent.len() == RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(done);
    }

    pub(super) fn seq_of(&self, side: Side) -> u64 {
        self.audiences.shown(Viewer::Player(side)).seq
    }

    fn quarantine(&mut self) {
        self.is_quarantined = true;
        if let Some(Flight::Command { asked, .. }) = self.flight.take() {
            self.refuse_quarantined(&asked);
        }
        tracing::error!(game = %self.id, "the game's log is damaged: the game is in quarantine, others go on");
        self.audiences.tell_all(&self.unavailable());
    }
}

fn command_of(command: &GameCommand, side: Side, game: &Game) -> Result<Command, Refusal> {
    Ok(match command {
        GameCommand::Deploy { setup } => {
            Command::Deploy(Setup::from_text(setup, side, game.terms().ruleset)?)
        }
        GameCommand::Move { squares } => Command::Move(squares.0),
        GameCommand::OfferDraw {} => Command::OfferDraw,
        GameCommand::AcceptDraw {} => Command::AcceptDraw,
        GameCommand::DeclineDraw {} => Command::DeclineDraw,
        GameCommand::Resign {} => Command::Resign,
        GameCommand::Abort {} => Command::Abort,
    })
}

/// The index records of a running game.
pub(super) fn index_keys(game: GameId, header: &GameHeader) -> impl Iterator<Item = Key> {
    let seats = Side::BOTH.map(|side| format!("seat/{}/{game}", header.players[side].id));
    std::iter::once(format!("live/{game}")).chain(seats).filter_map(|key| Key::new(key).ok())
}

fn end_of_index(game: GameId, header: &GameHeader) -> impl Iterator<Item = Write> {
    index_keys(game, header).map(|key| Write::Delete { key })
}
