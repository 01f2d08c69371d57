//! The table as a pure state machine: `step(now, Input) -> Vec<Output>`.
//!
//! One append is under way at a time; what comes meanwhile waits in a short line. A command is judged against the replica, appended with the
//! head it was judged at, and only then carried out, shown and acknowledged. A conflict means that another server was first: read on, judge again. An unknown outcome
//! is resolved by reading for the command, never by writing again.

use std::collections::VecDeque;

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{
    Accepted, Audience, Code, CommandId, GameCommand, GameSummary, GameView, Outcome, Phase, Player,
    Position, Presence, ServerToClient,
};
use flagfall_rules::{
    Command, Entropy, Event, Events, Game, Refusal, Setup, View, Viewer, decide, decide_deadline,
    decide_pause, decide_resume, view,
};
use flagfall_store::record::{self, CommandStamp, LogBody, LogEntry};
use flagfall_store::{Append, AppendOutcome, Head, Key, StoreError, StoredEntry, Write};
use sha2::{Digest, Sha256};

use super::audience::{Audiences, Subscriber, audience_of};
use super::header::GameHeader;
use super::replay::{self, ReplayError};
use crate::gateway::{ConnectionId, Outbox, Payload};

/// Commands that may wait while an append is under way.
const LINE_MAX: usize = 16;
/// Outcomes of commands kept at hand; older ones are found in the log.
const RECENT_MAX: usize = 32;
/// How long a player may be gone before he counts as away, in milliseconds.
const AWAY_AFTER_MS: u64 = 30_000;
/// How long until something that happens by itself is tried again when the store did not take it.
const RETRY_MS: u64 = 1_000;

/// A command on its way.
pub(super) struct Asked {
    /// Where the answer goes; nowhere for house players.
    pub(super) outbox: Option<Outbox>,
    pub(super) player_id: String,
    pub(super) cmd_id: CommandId,
    pub(super) ply: Ply,
    pub(super) command: GameCommand,
    pub(super) entropy: Entropy,
}

/// What comes to a table.
pub(super) enum Input {
    Open {
        outbox: Outbox,
        player: Player,
        since: Option<Position>,
    },
    Close {
        connection: ConnectionId,
    },
    Command(Box<Asked>),
    Rematch {
        outbox: Outbox,
        player: Player,
        cmd_id: CommandId,
    },
    /// The rematch both asked for exists, or could not be made.
    RematchMade(Result<GameSummary, Code>),
    /// The answer to [`Output::Append`].
    Appended(Result<AppendOutcome, StoreError>),
    /// The answer to [`Output::Read`].
    ReadOn(Result<Vec<StoredEntry>, ReadFailure>),
    /// The answer to [`Output::FindOld`].
    Old {
        asked: Box<Asked>,
        refusal: Refusal,
        found: Option<Done>,
    },
    /// The time [`Table::wake_at`] named has come.
    Tick,
    /// The server stops as planned.
    Stop,
}

/// Why a log could not be read on.
pub(super) enum ReadFailure {
    Unavailable,
    Damaged,
}

/// What a table wants done.
pub(super) enum Output {
    /// Append this and answer with [`Input::Appended`].
    Append(Append),
    /// Read the entries after this number and answer with [`Input::ReadOn`].
    Read { after: u64 },
    /// Look for the command in the log and answer with [`Input::Old`].
    FindOld { asked: Box<Asked>, refusal: Refusal },
    /// A house player is to act.
    HouseTurn { side: Side, view: Box<View> },
    /// Make the rematch and answer with [`Input::RematchMade`].
    MakeRematch,
    /// The table has stopped: its pause is in the log, or could not be written.
    Stopped,
}

/// The outcome of a command that was accepted.
#[derive(Clone)]
pub(super) struct Done {
    pub(super) stamp: CommandStamp,
    /// The number of its last event for its own side.
    pub(super) seq: u64,
}

enum Flight {
    Command { asked: Box<Asked>, stamp: CommandStamp, side: Side, events: Events },
    ByItself { events: Vec<Event> },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadingBecause {
    Conflict,
    Unknown,
}

/// A player's chair.
#[derive(Default, Clone, Copy)]
struct Seat {
    presence: Presence,
    left_at: Option<Stamp>,
    wants_rematch: bool,
    /// The phase and ply at which its house player was last asked to act.
    asked_at: Option<(flagfall_rules::Phase, Ply)>,
}

/// The replica of one game and everybody who has it open.
pub(super) struct Table {
    id: GameId,
    epoch: u64,
    header: GameHeader,
    game: Game,
    head: Head,
    audiences: Audiences,
    spectators_max: usize,
    seats: PerSide<Seat>,
    recent: VecDeque<Done>,
    /// Commands in the log, those not at hand included.
    commands: usize,
    line: VecDeque<Box<Asked>>,
    flight: Option<Flight>,
    reading: Option<ReadingBecause>,
    retry_at: Option<Stamp>,
    is_stopping: bool,
    is_stopped: bool,
    is_quarantined: bool,
    rematch: Option<GameId>,
}

impl Table {
    /// The table of a log.
    pub(super) fn from_log(
        id: GameId,
        epoch: u64,
        spectators_max: usize,
        stored: &[StoredEntry],
    ) -> Result<Table, ReplayError> {
        let (first, rest) = stored.split_first().ok_or(ReplayError::NoHeader)?;
        let (header, game) = replay::open(id, first)?;
        let mut table = Table {
            id,
            epoch,
            game,
            head: Head::START.then(id, &first.body),
            audiences: Audiences::default(),
            spectators_max,
            seats: PerSide::from_fn(|side| Seat {
                presence: if header.is_house(side) { Presence::Present } else { Presence::Away },
                ..Seat::default()
            }),
            header,
            recent: VecDeque::new(),
            commands: 0,
            line: VecDeque::new(),
            flight: None,
            reading: None,
            retry_at: None,
            is_stopping: false,
            is_stopped: false,
            is_quarantined: false,
            rematch: None,
        };
        table.catch_up(rest)?;
        Ok(table)
    }

    /// The game goes on after an outage: the clocks stood still since then.
    pub(super) fn recover(&mut self, since: Stamp) -> Option<Append> {
        let mut events: Vec<Event> = decide_pause(&self.game, since).into_iter().collect();
        let mut paused = self.game.clone();
        for event in &events {
            flagfall_rules::evolve(&mut paused, event, since);
        }
        events.extend(decide_resume(&paused));
        (!events.is_empty()).then(|| self.append_by_itself(events)).flatten()
    }

    /// Takes an input in.
    pub(super) fn step(&mut self, now: Stamp, input: Input) -> Vec<Output> {
        let mut outputs = Vec::new();
        match input {
            Input::Open { outbox, player, since } => self.open(now, outbox, &player, since),
            Input::Close { connection } => self.close(now, connection),
            Input::Command(asked) => self.line_up(asked),
            Input::Rematch { outbox, player, cmd_id } => {
                self.rematch(&outbox, &player, &cmd_id, &mut outputs);
            }
            Input::RematchMade(made) => {
                if let Ok(summary) = made {
                    self.rematch = Some(summary.id);
                } else {
                    Side::BOTH.into_iter().for_each(|side| self.seats[side].wants_rematch = false);
                }
            }
            Input::Appended(outcome) => self.appended(now, outcome, &mut outputs),
            Input::ReadOn(read) => self.read_on(read),
            Input::Old { asked, refusal, found } => self.answer_old(&asked, refusal, found),
            Input::Tick => self.notice_absence(now),
            Input::Stop => self.is_stopping = true,
        }
        self.go_on(now, &mut outputs);
        self.send_newest_views(now);
        outputs
    }

    /// When the table wants a [`Input::Tick`] at the latest.
    pub(super) fn wake_at(&self) -> Option<Stamp> {
        let absences = Side::BOTH.into_iter().filter_map(|side| self.seats[side].left_at);
        let is_idle = self.flight.is_none() && self.reading.is_none() && !self.is_quarantined;
        // The deadline itself is still in time.
        let deadline = self.game.deadline().filter(|_| is_idle).map(|deadline| deadline.plus_ms(1));
        let deadline = deadline.map(|deadline| self.retry_at.map_or(deadline, |retry| retry.max(deadline)));
        absences.map(|left_at| left_at.plus_ms(AWAY_AFTER_MS)).chain(deadline).min()
    }

    /// Whether nobody needs the table: the game is over and nobody has it open.
    pub(super) fn is_idle(&self) -> bool {
        let is_done = self.game.outcome().is_some() || self.is_quarantined;
        is_done && self.audiences.subscribers.is_empty() && self.flight.is_none() && self.line.is_empty()
    }

    pub(super) fn header(&self) -> &GameHeader {
        &self.header
    }

    /// Phase and ply: what changes with the game.
    pub(super) fn progress(&self) -> (Phase, Ply) {
        (Phase::from(self.game.phase()), self.game.ply())
    }

    /// The rematch that was made of this game.
    pub(super) fn set_rematch(&mut self, game: GameId) {
        self.rematch = Some(game);
    }

    /// The game in a line: public.
    pub(super) fn summary(&self) -> GameSummary {
        GameSummary {
            id: self.id,
            terms: self.header.terms.clone(),
            players: self.header.players.clone(),
            created: self.game.terms().created.0,
            phase: Phase::from(self.game.phase()),
            ply: self.game.ply(),
            turn: self.game.turn(),
            outcome: self.game.outcome().as_ref().map(Outcome::from),
        }
    }

    /// As whom somebody sees the game; none when it is private and he has no seat.
    pub(super) fn viewer(&self, player_id: Option<&str>) -> Option<Viewer> {
        match player_id.and_then(|id| self.header.side_of(id)) {
            Some(side) => Some(Viewer::Player(side)),
            None => (!self.header.terms.private).then_some(Viewer::Public),
        }
    }

    /// The game as somebody may know it now.
    pub(super) fn look(&self, now: Stamp, viewer: Viewer) -> (Audience, GameView) {
        (audience_of(viewer), GameView::from(&view(&self.game, viewer, now)))
    }

    fn open(&mut self, now: Stamp, outbox: Outbox, player: &Player, since: Option<Position>) {
        let Some(viewer) = self.viewer(Some(&player.id)) else {
            return self.refuse(
                &outbox,
                None,
                Code::NO_SUCH_GAME,
                "there is no game of that id, or it is private",
            );
        };
        if self.is_quarantined {
            return outbox.send(Payload::new(&self.unavailable()));
        }
        self.audiences.remove(outbox.connection());
        if viewer == Viewer::Public && self.audiences.spectators() >= self.spectators_max {
            let message = "this game has as many spectators as the server allows; try again later";
            return self.refuse(&outbox, None, Code::TOO_MANY, message);
        }
        if let Viewer::Player(side) = viewer {
            let superseded = Payload::new(&ServerToClient::Superseded { game: self.id });
            for other in self.audiences.subscribers.iter_mut().filter(|other| other.viewer == viewer) {
                if std::mem::replace(&mut other.is_driving, false) {
                    other.outbox.send(superseded.clone());
                }
            }
            self.set_presence(side, Presence::Present, None);
        }
        let events = match since {
            Some(since) if since.epoch == self.epoch => self.audiences.shown(viewer).events_after(since.seq),
            Some(_) | None => Vec::new(),
        };
        let subscriber = Subscriber {
            outbox,
            player_id: player.id.clone(),
            viewer,
            is_driving: matches!(viewer, Viewer::Player(_)),
            is_behind: false,
        };
        self.send_game(now, &subscriber, events);
        self.audiences.subscribers.push(subscriber);
    }

    fn send_game(&self, now: Stamp, subscriber: &Subscriber, events: Vec<flagfall_protocol::GameEvent>) {
        let (audience, view) = self.look(now, subscriber.viewer);
        let seq = self.audiences.shown(subscriber.viewer).seq;
        subscriber.outbox.set_head(self.id, seq);
        subscriber.outbox.send(Payload::new(&ServerToClient::Game {
            game: self.summary(),
            audience,
            driving: subscriber.is_driving,
            epoch: self.epoch,
            seq,
            view,
            events,
            presence: PerSide::from_fn(|side| self.seats[side].presence),
            rematch: Side::BOTH.into_iter().filter(|side| self.seats[*side].wants_rematch).collect(),
        }));
    }

    /// Spectators who were too slow for every event get the newest view once their line has emptied.
    fn send_newest_views(&mut self, now: Stamp) {
        let mut subscribers = std::mem::take(&mut self.audiences.subscribers);
        for subscriber in subscribers.iter_mut().filter(|one| one.is_behind && one.outbox.queued() == 0) {
            subscriber.is_behind = false;
            self.send_game(now, subscriber, Vec::new());
        }
        self.audiences.subscribers = subscribers;
    }

    fn close(&mut self, now: Stamp, connection: ConnectionId) {
        let Some(gone) = self.audiences.remove(connection) else { return };
        gone.outbox.clear_head(self.id);
        if let Viewer::Player(side) = gone.viewer
            && !self.audiences.has_side(side)
        {
            self.set_presence(side, Presence::Reconnecting, Some(now));
        }
    }

    fn notice_absence(&mut self, now: Stamp) {
        for side in Side::BOTH {
            if self.seats[side].left_at.is_some_and(|left_at| now >= left_at.plus_ms(AWAY_AFTER_MS)) {
                self.set_presence(side, Presence::Away, None);
            }
        }
    }

    fn set_presence(&mut self, side: Side, presence: Presence, left_at: Option<Stamp>) {
        self.seats[side].left_at = left_at;
        if std::mem::replace(&mut self.seats[side].presence, presence) != presence {
            self.audiences.tell_all(&ServerToClient::Presence { game: self.id, side, presence });
        }
    }

    fn rematch(&mut self, outbox: &Outbox, player: &Player, cmd_id: &CommandId, outputs: &mut Vec<Output>) {
        let Some(side) = self.header.side_of(&player.id) else {
            return self.refuse(outbox, Some(cmd_id), Code::NOT_YOUR_GAME, "you have no seat in this game");
        };
        if self.game.outcome().is_none() {
            return self.refuse(
                outbox,
                Some(cmd_id),
                Code::NOT_OVER,
                "a rematch can be offered after the end",
            );
        }
        if self.is_stopping {
            return self.refuse(outbox, Some(cmd_id), Code::STOPPING, "the server is stopping: no new games");
        }
        let accepted = match self.rematch {
            // Sides are swapped.
            Some(game) => Accepted::Started { game, side: side.opponent() },
            None => Accepted::Done {},
        };
        outbox.send(Payload::new(&ServerToClient::Accepted { cmd_id: cmd_id.clone(), outcome: accepted }));
        if self.rematch.is_some() || std::mem::replace(&mut self.seats[side].wants_rematch, true) {
            return;
        }
        self.audiences.tell_all(&ServerToClient::RematchOffered { game: self.id, side });
        let other = side.opponent();
        if self.seats[other].wants_rematch || self.header.is_house(other) {
            outputs.push(Output::MakeRematch);
        }
    }

    fn line_up(&mut self, asked: Box<Asked>) {
        if self.line.len() >= LINE_MAX {
            let message = "too many commands at once: wait for their answers";
            return self.refuse_asked(&asked, Code::new(Code::TOO_MANY), message);
        }
        self.line.push_back(asked);
    }

    /// Does whatever can be done while nothing is under way.
    fn go_on(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        while self.flight.is_none() && self.reading.is_none() {
            if self.is_quarantined {
                let Some(asked) = self.line.pop_front() else { break };
                self.refuse_quarantined(&asked);
                continue;
            }
            if self.is_stopping {
                while let Some(asked) = self.line.pop_front() {
                    let message = "the server is stopping: it will be back, nothing is lost";
                    self.refuse_asked(&asked, Code::new(Code::STOPPING), message);
                }
                if self.is_stopped {
                    break;
                }
                let events: Vec<Event> = decide_pause(&self.game, now).into_iter().collect();
                match self.append_by_itself(events) {
                    Some(append) => outputs.push(Output::Append(append)),
                    None => {
                        self.is_stopped = true;
                        outputs.push(Output::Stopped);
                    }
                }
                break;
            }
            let is_resting = self.retry_at.is_some_and(|retry_at| now < retry_at);
            let events: Vec<Event> = decide_deadline(&self.game, now).into_iter().collect();
            if !is_resting && let Some(append) = self.append_by_itself(events) {
                outputs.push(Output::Append(append));
                break;
            }
            let Some(asked) = self.line.pop_front() else {
                self.wake_house_players(now, outputs);
                break;
            };
            self.judge(now, asked, outputs);
        }
    }

    fn wake_house_players(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        if self.game.is_paused() {
            return;
        }
        let moment = Some((self.game.phase(), self.game.ply()));
        for side in Side::BOTH.into_iter().filter(|side| self.header.is_house(*side)) {
            let is_to_deploy =
                self.game.phase() == flagfall_rules::Phase::Deploying && !self.game.is_ready(side);
            let is_asked = self.seats[side].asked_at == moment;
            if !is_asked && (is_to_deploy || self.game.turn() == Some(side)) {
                self.seats[side].asked_at = moment;
                let view = Box::new(view(&self.game, Viewer::Player(side), now));
                outputs.push(Output::HouseTurn { side, view });
            }
        }
    }

    /// Judges one command and starts its append.
    fn judge(&mut self, now: Stamp, asked: Box<Asked>, outputs: &mut Vec<Output>) {
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
                self.refuse_asked(&asked, Code::new(Code::INTERNAL), "the server could not write that down")
            }
        }
    }

    fn append_by_itself(&mut self, events: Vec<Event>) -> Option<Append> {
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

    fn appended(
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

    fn read_on(&mut self, read: Result<Vec<StoredEntry>, ReadFailure>) {
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
    fn catch_up(&mut self, stored: &[StoredEntry]) -> Result<(), ReplayError> {
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

    fn seq_of(&self, side: Side) -> u64 {
        self.audiences.shown(Viewer::Player(side)).seq
    }

    fn answer_done(&self, asked: &Asked, stamp: &CommandStamp, done: &Done) {
        if done.stamp.fingerprint == stamp.fingerprint {
            self.accept(asked, done);
        } else {
            let message = "this command id was used for another command";
            self.refuse_asked(asked, Code::new(Code::CMD_ID_REUSED), message);
        }
    }

    fn answer_old(&self, asked: &Asked, refusal: Refusal, found: Option<Done>) {
        match found {
            Some(done) => self.answer_done(asked, &stamp_of(asked), &done),
            None => self.refuse_asked(asked, Code::from(&refusal), &refusal.to_string()),
        }
    }

    fn accept(&self, asked: &Asked, done: &Done) {
        if let Some(outbox) = &asked.outbox {
            outbox.send(Payload::new(&ServerToClient::Accepted {
                cmd_id: asked.cmd_id.clone(),
                outcome: Accepted::Game { game: self.id, seq: done.seq },
            }));
        }
    }

    fn refuse_asked(&self, asked: &Asked, code: Code, message: &str) {
        let Some(outbox) = &asked.outbox else { return };
        metrics::counter!("flagfall_refusals_total", "code" => code.as_str().to_owned()).increment(1);
        outbox.send(Payload::new(&ServerToClient::Refused {
            cmd_id: Some(asked.cmd_id.clone()),
            game: Some(self.id),
            code,
            message: message.to_owned(),
            seq: self.header.side_of(&asked.player_id).map(|side| self.seq_of(side)),
        }));
    }

    fn refuse_unavailable(&self, asked: &Asked) {
        let message = "the store cannot take it now; send the same command again in a moment";
        self.refuse_asked(asked, Code::new(Code::STORE_UNAVAILABLE), message);
    }

    fn refuse_quarantined(&self, asked: &Asked) {
        let message = "this game's log is damaged; an operator must look at it. Other games go on";
        self.refuse_asked(asked, Code::new(Code::GAME_QUARANTINED), message);
    }

    fn refuse(&self, outbox: &Outbox, cmd_id: Option<&CommandId>, code: &'static str, message: &str) {
        metrics::counter!("flagfall_refusals_total", "code" => code).increment(1);
        outbox.send(Payload::new(&ServerToClient::Refused {
            cmd_id: cmd_id.cloned(),
            game: Some(self.id),
            code: Code::new(code),
            message: message.to_owned(),
            seq: None,
        }));
    }

    fn quarantine(&mut self) {
        self.is_quarantined = true;
        if let Some(Flight::Command { asked, .. }) = self.flight.take() {
            self.refuse_quarantined(&asked);
        }
        tracing::error!(game = %self.id, "the game's log is damaged: the game is in quarantine, others go on");
        self.audiences.tell_all(&self.unavailable());
    }

    fn unavailable(&self) -> ServerToClient {
        ServerToClient::GameUnavailable {
            game: self.id,
            message: "this game's log is damaged; an operator must look at it. Nothing else is affected"
                .to_owned(),
        }
    }

    /// Closes every connection that has the game open, so that its client comes back to a fresh table.
    pub(super) fn close_connections(&self, code: flagfall_protocol::CloseCode) {
        self.audiences.subscribers.iter().for_each(|subscriber| subscriber.outbox.close(code));
    }
}

/// What the log keeps of a command so that it is known again. Deployments go in as a hash that stays in the log.
pub(super) fn stamp_of(asked: &Asked) -> CommandStamp {
    let mut hasher = Sha256::new();
    hasher.update(asked.ply.to_be_bytes());
    // A command has JSON always; were it not so, all would have the same fingerprint.
    hasher.update(serde_json::to_vec(&asked.command).unwrap_or_default());
    let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hasher.finalize());
    CommandStamp {
        player: asked.player_id.clone(),
        cmd_id: asked.cmd_id.as_str().to_owned(),
        fingerprint: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
    }
}

/// Whether two stamps are of one command id of one player, whatever the command.
pub(super) fn is_same_command(one: &CommandStamp, other: &CommandStamp) -> bool {
    one.cmd_id == other.cmd_id && one.player == other.player
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
