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
    Entropy, Event, Events, Game, Refusal, View, Viewer, decide_deadline, decide_pause, decide_resume, view,
};
use flagfall_store::record::CommandStamp;
use flagfall_store::{Append, AppendOutcome, Head, StoreError, StoredEntry};

use super::audience::{Audiences, Subscriber, audience_of};
use super::header::GameHeader;
use super::replay::{self, ReplayError};
use crate::gateway::{ConnectionId, Outbox, Payload};

/// Commands that may wait while an append is under way.
const LINE_MAX: usize = 16;
/// Outcomes of commands kept at hand; older ones are found in the log.
pub(super) const RECENT_MAX: usize = 32;
/// How long a player may be gone before he counts as away, in milliseconds.
const AWAY_AFTER_MS: u64 = 30_000;
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

#[expect(clippy::large_enum_variant, reason = "a table holds one of them, in place")]
pub(super) enum Flight {
    Command { asked: Box<Asked>, stamp: CommandStamp, side: Side, events: Events },
    ByItself { events: Vec<Event> },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadingBecause {
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
    pub(super) id: GameId,
    pub(super) epoch: u64,
    pub(super) header: GameHeader,
    pub(super) game: Game,
    pub(super) head: Head,
    pub(super) audiences: Audiences,
    pub(super) spectators_max: usize,
    pub(super) seats: PerSide<Seat>,
    pub(super) recent: VecDeque<Done>,
    /// Commands in the log, those not at hand included.
    pub(super) commands: usize,
    pub(super) line: VecDeque<Box<Asked>>,
    pub(super) flight: Option<Flight>,
    pub(super) reading: Option<ReadingBecause>,
    pub(super) retry_at: Option<Stamp>,
    pub(super) is_stopping: bool,
    pub(super) is_stopped: bool,
    pub(super) is_quarantined: bool,
    pub(super) rematch: Option<GameId>,
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
        let subscriber =
            Subscriber { outbox, viewer, is_driving: matches!(viewer, Viewer::Player(_)), is_behind: false };
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

    pub(super) fn unavailable(&self) -> ServerToClient {
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
