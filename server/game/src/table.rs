//! The table as a pure state machine: `step(now, Input) -> Vec<Output>`.
//!
//! At most one append is under way; everything that arrives meanwhile waits in a short queue. A
//! command is judged against the replica and appended with the head it was judged at. Only then is
//! it carried out, shown and acknowledged. A conflict means that another server was first: read on
//! and judge again. An unknown outcome is resolved by looking for the command in the log, never by
//! writing again.

use std::collections::VecDeque;
use std::sync::Arc;

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{
    Code, CommandId, GameCommand, GameSummary, GameView, Phase, Player, Position, SeenOutcome, ServerToClient,
};
use flagfall_rules::{
    Entropy, Event, Events, Game, View, Viewer, decide_deadline, decide_pause, decide_resume,
    decide_resume_since, view,
};
use flagfall_store::{Append, AppendOutcome, Head, Outage, StoreError, StoredEntry};

use super::aborts::AbortCause;
use super::answers::{CommandKey, Done};
use super::audience::{Audiences, Subscriber};
use super::claims::Claims;
use super::error::ReadFailure;
use super::follow::Following;
use super::header::GameHeader;
use super::outages::{Outages, Untold};
use super::presence::Attendance;
use super::rematch::RematchAsker;
use super::replay::{self, ReplayError};
use super::reply::{Refusal, Reply};
use super::settings::TableSettings;
use flagfall_base::cluster::Elsewhere;
use flagfall_base::delivery::{ConnectionId, Outbox, Payload};

/// Commands of one player that may wait while an append is under way.
const LINE_MAX: usize = 8;
/// Outcomes of commands kept in memory; older ones are found in the log.
pub(super) const RECENT_MAX: usize = 4;
/// Growth step of [`Table::known`], in commands.
const KNOWN_STEP: usize = 16;
/// Interval at which the queues of lagging spectators are checked, in milliseconds.
const BEHIND_LOOK_MS: u64 = 200;

/// A command that waits or is being handled.
pub(super) struct Asked {
    /// Where the answer goes.
    pub(super) reply: Reply,
    pub(super) player_id: String,
    pub(super) cmd_id: CommandId,
    pub(super) ply: Ply,
    /// The epoch in which the command was made, if known.
    pub(super) epoch: Option<u64>,
    pub(super) command: GameCommand,
    pub(super) entropy: Entropy,
    /// True if the log was searched for its id without success.
    pub(super) is_new: bool,
    /// True if the replica was found to match the log, so that a refusal is correct.
    pub(super) is_current: bool,
}

/// What a table receives.
pub(super) enum Input {
    Open {
        outbox: Outbox,
        player: Player,
        since: Option<Position>,
    },
    Close {
        connection: ConnectionId,
        /// True if the player said so. A dropped connection says nothing.
        is_on_purpose: bool,
    },
    Command(Box<Asked>),
    Rematch {
        reply: Reply,
        player: Player,
        cmd_id: CommandId,
    },
    /// The rematch that both asked for exists, or could not be made.
    RematchMade(Result<GameId, Refusal>),
    /// The answer to [`Output::Append`].
    Appended(Result<AppendOutcome, StoreError>),
    /// The answer to [`Output::Read`].
    ReadOn(Result<Vec<StoredEntry>, ReadFailure>),
    /// The answer to [`Output::Search`].
    Searched {
        asked: Box<Asked>,
        found: Result<Option<Done>, ReadFailure>,
    },
    /// The log is said to reach at least this entry.
    Heard {
        seq: u64,
    },
    /// Announcements may have been missed: compare the replica with the log.
    Audit,
    /// The answer to [`Output::Look`]: where the log stands, and its entries after the number.
    Looked(Result<(Head, Vec<StoredEntry>), ReadFailure>),
    /// No server could write to the store for a while, although servers were running.
    Outage(Outage),
    /// The players' newest connections on other servers.
    Elsewhere(PerSide<Option<Elsewhere>>),
    /// The time that [`Table::wake_at`] named has come.
    Tick,
    /// A planned stop of the server.
    Stop {
        /// True if no other server continues the game; then its clocks stand still.
        is_last: bool,
    },
}

/// What a table wants done.
pub(super) enum Output {
    /// Append this and answer with [`Input::Appended`].
    Append(Append),
    /// Read the entries after this number and answer with [`Input::ReadOn`].
    Read { after: u64 },
    /// Read where the log stands and its entries after this number; answer with [`Input::Looked`].
    Look { after: u64 },
    /// Search the log for the command and answer with [`Input::Searched`].
    Search { asked: Box<Asked> },
    /// A house player is to act.
    HouseTurn { side: Side, view: Box<View> },
    /// Make the rematch and answer with [`Input::RematchMade`].
    MakeRematch,
    /// The table has stopped: its pause is in the log, or could not be written.
    Stopped,
    /// The log has diverged from this replica: the table must close and be opened again in a new
    /// epoch.
    Diverged,
}

/// What is under way. There is one at a time; everything else waits for it.
pub(super) enum Flight {
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
pub(super) enum Cause {
    /// A deadline has passed.
    Deadline,
    /// The server is back.
    Recovery,
    /// The server stops.
    Stop,
}

/// Why the log is read beyond the replica.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// An append conflicted: the log stands at this head.
    Conflict(Head),
    /// The outcome of an append is unknown.
    Unknown,
    /// A command is about to be refused.
    Refusal,
    /// The log is said to have gone on.
    Hint,
    /// The replica is compared with the log, which stands at this head.
    Look(Head),
}

/// The store's clock has not reached a time that is up by the local clock.
#[derive(Clone, Copy)]
pub(super) struct Early {
    /// The time in question.
    pub(super) flag_fall: Stamp,
    /// When the store's clock gets there, in local time. The wait is how far the store was behind.
    pub(super) until: Stamp,
}

/// Whether the replica is good to play on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Health {
    /// It is what the log says.
    Sound,
    /// The log is damaged.
    Quarantined,
    /// The log has another branch than the replica.
    Diverged,
}

/// Whether the server stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// It does not.
    No,
    /// It does; the table is still to stop.
    Asked {
        /// True if the stop pauses the game, because no other server continues it.
        pauses: bool,
    },
    /// It does, and the table has stopped.
    Done,
}

/// What the table notes about one side.
#[derive(Default, Clone, Copy)]
pub(super) struct Seat {
    pub(super) wants_rematch: bool,
    /// Phase and ply at which its house player was last asked to act, and whether a choice was
    /// pending: before or after the choice, the ply is still to be made (§S2.4, §Q4).
    pub(super) asked_at: Option<(flagfall_rules::Phase, Ply, bool)>,
}

/// The replica of one game and everybody who has it open.
pub(super) struct Table {
    pub(super) id: GameId,
    pub(super) epoch: u64,
    pub(super) header: Arc<GameHeader>,
    pub(super) game: Game,
    pub(super) head: Head,
    pub(super) audiences: Audiences,
    pub(super) settings: Arc<TableSettings>,
    pub(super) seats: PerSide<Seat>,
    pub(super) attendance: PerSide<Attendance>,
    /// Since when connections on other servers are known; see [`Table::absent_since`].
    pub(super) sighted_since: Option<Stamp>,
    pub(super) claims: Box<Claims>,
    pub(super) recent: VecDeque<Done>,
    /// A few bits of the id of every command in the log. An id with other bits is new.
    pub(super) known: Vec<u16>,
    pub(super) line: VecDeque<Box<Asked>>,
    pub(super) flight: Option<Flight>,
    pub(super) reading: Option<Box<Reading>>,
    pub(super) following: Following,
    /// Start of an outage that the log does not record yet.
    pub(super) outage_since: Option<Stamp>,
    /// End of that outage, where known; clocks have run since.
    pub(super) outage_until: Option<Stamp>,
    /// The latest outage of the store that was taken into account.
    pub(super) outage_seen: Option<Outage>,
    /// When to retry what the store did not take.
    pub(super) retry_at: Option<Stamp>,
    /// Set if the store's clock was behind the local one.
    pub(super) early: Option<Box<Early>>,
    behind_look_at: Option<Stamp>,
    pub(super) stop: Stop,
    pub(super) health: Health,
    /// Why the game was aborted, if it was.
    pub(super) aborted: Option<AbortCause>,
    pub(super) rematch: Option<GameId>,
    /// Who waits for the rematch that is being made.
    pub(super) rematch_askers: Vec<RematchAsker>,
}

impl Table {
    /// Builds the table from a log.
    pub(super) fn from_log(
        id: GameId,
        epoch: u64,
        settings: Arc<TableSettings>,
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
            settings,
            seats: PerSide::default(),
            attendance: PerSide::from_fn(|side| Attendance::new(header.is_house(side))),
            // Without a shared log there are no other servers to hear.
            sighted_since: Some(Stamp(0)),
            claims: Box::default(),
            header: Arc::new(header),
            recent: VecDeque::new(),
            known: Vec::new(),
            line: VecDeque::new(),
            flight: None,
            reading: None,
            following: Following::default(),
            outage_since: None,
            outage_until: None,
            outage_seen: None,
            retry_at: None,
            early: None,
            behind_look_at: None,
            stop: Stop::No,
            health: Health::Sound,
            aborted: None,
            rematch: None,
            rematch_askers: Vec::new(),
        };
        table.catch_up(rest)?;
        Ok(table)
    }

    /// Sets the outage right after the game was opened, if its log lacks outages or the end of a
    /// pause. Clocks stood still as long as these took, and have run since.
    pub(super) fn recover_from(&mut self, outages: &Outages) {
        self.outage_seen = outages.over_at().map(|until| Outage { since: until, until });
        if self.is_over() {
            return;
        }
        if let Some(Untold { since, until }) = outages.untold(self.game.latest(), self.game.paused_since()) {
            (self.outage_since, self.outage_until) = (Some(since), Some(until));
        }
    }

    /// The log now records the outage.
    pub(super) fn told_outage(&mut self) {
        (self.outage_since, self.outage_until) = (None, None);
    }

    /// The game continues after an outage that began at `since`, or after a pause in the log.
    /// Clocks stood still, and nothing else happens before the log says so. If the log has an entry
    /// after `since`, the server that wrote it has dealt with the outage.
    pub(super) fn recover(&mut self, since: Option<Stamp>) {
        let is_running = self.game.phase() != flagfall_rules::Phase::Over;
        let since = since.filter(|since| self.game.latest() <= *since);
        if is_running && (since.is_some() || self.game.is_paused()) {
            self.outage_since = Some(since.unwrap_or(self.game.latest()));
        }
    }

    /// The events that end the outage; none if they are in the log already.
    fn decide_recovery(&self, since: Stamp) -> Vec<Event> {
        let mut events: Vec<Event> = if self.game.latest() <= since {
            decide_pause(&self.game, since).into_iter().collect()
        } else {
            Vec::new()
        };
        let mut paused = self.game.clone();
        events.iter().for_each(|event| flagfall_rules::evolve(&mut paused, event, since));
        events.extend(match self.outage_until {
            Some(until) => decide_resume_since(&paused, until),
            None => decide_resume(&paused),
        });
        events
    }

    /// Handles one input.
    pub(super) fn step(&mut self, now: Stamp, input: Input) -> Vec<Output> {
        // Another server's entry may have a stamp that this one's clock has not reached.
        let now = now.max(self.game.latest());
        let mut outputs = Vec::new();
        match input {
            Input::Open { outbox, player, since } => self.open(now, outbox, &player, since),
            Input::Close { connection, is_on_purpose } => {
                self.note_leaving(connection, is_on_purpose);
                self.close(connection);
            }
            Input::Command(asked) => self.line_up(asked),
            Input::Rematch { reply, player, cmd_id } => {
                self.ask_rematch(reply, &player, cmd_id, &mut outputs);
            }
            Input::RematchMade(made) => self.rematch_made(made),
            Input::Appended(outcome) => self.appended(now, outcome, &mut outputs),
            Input::ReadOn(read) => self.read_on(now, read, &mut outputs),
            Input::Searched { asked, found } => self.searched(asked, found),
            Input::Heard { seq } => self.hear(now, seq),
            Input::Audit => self.audit(),
            Input::Looked(looked) => self.looked(now, looked, &mut outputs),
            Input::Outage(outage) => self.stood_still(outage),
            Input::Elsewhere(elsewhere) => self.note_elsewhere(elsewhere),
            Input::Tick => {}
            Input::Stop { is_last } => {
                if self.stop != Stop::Done {
                    self.stop = Stop::Asked { pauses: is_last };
                }
            }
        }
        if self.retry_at.is_some_and(|retry_at| now >= retry_at) {
            self.retry_at = None;
        }
        self.notice_closed();
        self.settle_presence(now);
        // Before anything is judged, and again with what that has changed.
        self.settle_claims(now);
        self.go_on(now, &mut outputs);
        self.settle_claims(now);
        self.send_newest_views(now);
        outputs
    }

    /// True if the game's log is damaged.
    pub(super) fn is_quarantined(&self) -> bool {
        self.health == Health::Quarantined
    }

    /// True if the server stops.
    pub(super) fn is_stopping(&self) -> bool {
        self.stop != Stop::No
    }

    /// True if the server stops and the table has done what it does then.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop == Stop::Done
    }

    /// The latest moment at which the table wants an [`Input::Tick`].
    pub(super) fn wake_at(&self) -> Option<Stamp> {
        let is_waiting = self.flight.is_some() || self.is_quarantined() || self.is_stopping();
        let due = || self.time_is_up_at().into_iter().chain(self.following.wake_at()).min();
        let own = if is_waiting { None } else { self.retry_at.or_else(due) };
        self.away_at().chain(own).chain(self.behind_look_at).min()
    }

    /// The first moment at which a deadline has passed, by the local clock.
    fn time_is_up_at(&self) -> Option<Stamp> {
        let flag_fall = self.game.flag_fall()?;
        let early = self.early.as_deref().filter(|early| early.flag_fall == flag_fall);
        // A command at the deadline itself is still in time.
        Some(early.map_or(flag_fall.plus_ms(1), |early| early.until))
    }

    /// True if the table can go: the game is over or quarantined, and nobody has it open.
    pub(super) fn is_idle(&self) -> bool {
        let is_done = self.game.outcome().is_some() || self.is_quarantined();
        let is_quiet = self.flight.is_none()
            && self.line.is_empty()
            && self.rematch_askers.is_empty()
            && self.following.is_quiet();
        is_done && is_quiet && self.audiences.is_empty()
    }

    /// True if nobody has the game open, nothing is under way, and the log needs nothing.
    pub(super) fn is_at_peace(&self) -> bool {
        self.flight.is_none()
            && self.line.is_empty()
            && self.audiences.is_empty()
            && self.following.is_settled(self.head.seq)
            && self.retry_at.is_none()
            && self.outage_since.is_none()
            && !(self.game.is_paused() || self.is_stopping() || self.health == Health::Diverged)
    }

    /// A moment before which no deadline passes; `None` where time is unlimited.
    pub(super) fn no_flag_before(&self, now: Stamp) -> Option<Stamp> {
        self.game.no_flag_before(now.max(self.game.latest()))
    }

    /// True if a side has to deploy or to act.
    pub(super) fn is_awaited(&self, side: Side) -> bool {
        is_awaited(&self.game, side)
    }

    /// True if the game has ended.
    pub(super) fn is_over(&self) -> bool {
        self.game.outcome().is_some()
    }

    pub(super) fn header(&self) -> &Arc<GameHeader> {
        &self.header
    }

    /// Phase and ply: how far the game is.
    pub(super) fn progress(&self) -> (Phase, Ply) {
        (self.game.phase(), self.game.ply())
    }

    /// The side to move, and the outcome if there is one.
    pub(super) fn state(&self) -> (Option<Side>, Option<SeenOutcome>) {
        (self.game.turn(), self.game.outcome().map(SeenOutcome::from))
    }

    /// Notes the rematch of this game.
    pub(super) fn set_rematch(&mut self, game: GameId) {
        self.rematch = Some(game);
    }

    /// The game's summary, which is public.
    pub(super) fn summary(&self) -> GameSummary {
        GameSummary {
            id: self.id,
            terms: self.header.terms.clone(),
            players: self.header.players.clone(),
            created: self.game.terms().created.0,
            phase: self.game.phase(),
            ply: self.game.ply(),
            turn: self.game.turn(),
            outcome: self.game.outcome().map(SeenOutcome::from),
        }
    }

    /// The game as a viewer may know it now.
    pub(super) fn look(&self, now: Stamp, viewer: Viewer) -> (Viewer, GameView) {
        (viewer, view(&self.game, viewer, self.shown_at(now)).seen)
    }

    fn open(&mut self, now: Stamp, outbox: Outbox, player: &Player, since: Option<Position>) {
        if outbox.is_closed() || self.keep_opener(&outbox, player, since) {
            return;
        }
        self.admit(now, outbox, player, since);
    }

    /// Shows the game to a connection and subscribes it to what happens next.
    pub(super) fn admit(&mut self, now: Stamp, outbox: Outbox, player: &Player, since: Option<Position>) {
        let Some(viewer) = self.header.viewer(Some(&player.id)) else {
            return outbox.send(self.stranger().payload(self.id, None));
        };
        if self.is_quarantined() {
            return outbox.send(Payload::new(&self.unavailable()));
        }
        self.audiences.remove(outbox.connection());
        let shown = self.audiences.shown(viewer);
        let (events, resumed) = match since {
            None => (Vec::new(), None),
            Some(since) if since.epoch != self.epoch => (Vec::new(), Some("epoch")),
            Some(since) => {
                let events = shown.events_after(since.seq);
                let is_whole = since.seq + events.len() as u64 == shown.seq;
                (events, Some(if is_whole { "events" } else { "view" }))
            }
        };
        if let Some(outcome) = resumed {
            metrics::counter!(flagfall_base::telemetry::RESUMES, "outcome" => outcome).increment(1);
        }
        let is_driving = matches!(viewer, Viewer::Player(_));
        let subscriber = Subscriber::new(outbox, viewer, is_driving);
        match viewer {
            Viewer::Player(side) => {
                self.take_seat(now, side);
                self.send_game(now, &subscriber, events);
                self.audiences.players.push(subscriber);
            }
            Viewer::Public => {
                if self.audiences.spectators.len() >= self.settings.spectators_max {
                    self.audiences.drop_closed_spectators();
                }
                if self.audiences.spectators.len() >= self.settings.spectators_max {
                    let message = "this game has as many spectators as the server allows; try again later";
                    let refusal = Refusal::new(Code::TOO_MANY, message);
                    return subscriber.outbox.send(refusal.payload(self.id, None));
                }
                self.send_game(now, &subscriber, events);
                self.audiences.spectators.push(subscriber);
            }
        }
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
            presence: self.presence(),
            left: PerSide::from_fn(|side| self.has_left(side)),
            claimable_at: PerSide::from_fn(|side| self.claim_at(side).map(|at| at.0)),
            rematch: Side::BOTH.into_iter().filter(|side| self.seats[*side].wants_rematch).collect(),
            abort: self.abort(),
        }));
    }

    /// Sends the newest view to spectators who were too slow for every event, once their send queue
    /// is empty.
    fn send_newest_views(&mut self, now: Stamp) {
        self.behind_look_at = None;
        if self.audiences.behind == 0 {
            return;
        }
        for at in 0..self.audiences.spectators.len() {
            let subscriber = &self.audiences.spectators[at];
            if subscriber.is_behind && subscriber.outbox.queued() == 0 {
                self.send_game(now, subscriber, Vec::new());
                self.audiences.spectators[at].is_behind = false;
                self.audiences.behind -= 1;
            }
        }
        // No message reports an empty queue, so look again later.
        self.behind_look_at = (self.audiences.behind > 0).then(|| now.plus_ms(BEHIND_LOOK_MS));
    }

    fn close(&mut self, connection: ConnectionId) {
        self.following.forget(connection);
        if let Some(gone) = self.audiences.remove(connection) {
            gone.outbox.clear_head(self.id);
        }
    }

    /// Removes connections that ended without a message.
    fn notice_closed(&mut self) {
        while let Some(gone) = self.audiences.players.iter().find(|player| player.outbox.is_closed()) {
            let (connection, has_left) = (gone.connection, gone.outbox.has_said_goodbye());
            self.note_leaving(connection, has_left);
            self.close(connection);
        }
    }

    fn line_up(&mut self, asked: Box<Asked>) {
        if self.header.side_of(&asked.player_id).is_none() {
            return asked.reply.answer(self.id, asked.cmd_id, Err(self.stranger()));
        }
        // Each player has a queue of their own, so neither can crowd out the other.
        if self.line.iter().filter(|other| other.player_id == asked.player_id).count() >= LINE_MAX {
            let message = "too many commands at once: wait for their answers";
            return self.refuse_asked(*asked, Refusal::new(Code::TOO_MANY, message));
        }
        self.line.push_back(asked);
    }

    /// Does what can be done until something is under way.
    fn go_on(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        while self.flight.is_none() {
            if self.health != Health::Sound {
                if self.is_quarantined() {
                    self.admit_openers(now);
                }
                let Some(asked) = self.line.pop_front() else { break };
                if self.is_quarantined() {
                    self.refuse_quarantined(*asked);
                } else {
                    self.refuse_asked(*asked, Refusal::unavailable());
                }
                continue;
            }
            if self.is_stopping() {
                self.admit_openers(now);
                return self.stop(now, outputs);
            }
            if self.follow(now, outputs) {
                break;
            }
            self.notice_pause();
            self.put_off_outage();
            let is_resting = self.retry_at.is_some();
            if let Some(since) = self.outage_since {
                let events = self.decide_recovery(since);
                if events.is_empty() {
                    self.told_outage();
                    continue;
                }
                if is_resting {
                    // A command judged now would meet clocks that ran while no server could write.
                    let Some(asked) = self.line.pop_front() else { break };
                    self.refuse_asked(*asked, Refusal::unavailable());
                    continue;
                }
                outputs.extend(self.append_by_itself(now, events, Cause::Recovery));
                break;
            }
            if !is_resting && self.time_is_up_at().is_some_and(|time_is_up_at| now >= time_is_up_at) {
                let events: Vec<Event> = decide_deadline(&self.game, now).into_iter().collect();
                if let Some(append) = self.append_by_itself(now, events, Cause::Deadline) {
                    outputs.push(append);
                    break;
                }
            }
            let Some(asked) = self.line.pop_front() else {
                self.wake_house_players(now, outputs);
                break;
            };
            self.judge(now, asked, outputs);
        }
        if matches!(self.stop, Stop::Asked { .. }) && self.health != Health::Sound {
            self.stop = Stop::Done;
            outputs.push(Output::Stopped);
        }
    }

    fn stop(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        while let Some(asked) = self.line.pop_front() {
            let message = "the server is stopping: it will be back, nothing is lost";
            self.refuse_asked(*asked, Refusal::new(Code::STOPPING, message));
        }
        let Stop::Asked { pauses } = self.stop else { return };
        // If the log lacks an outage, no clock has run since it began.
        let since = self.outage_since.unwrap_or(now);
        // The next server that opens the game records outages that are over.
        let pause = (pauses && self.outage_until.is_none()).then(|| decide_pause(&self.game, since));
        match self.append_by_itself(now, pause.into_iter().flatten().collect(), Cause::Stop) {
            Some(append) => outputs.push(append),
            None => {
                self.stop = Stop::Done;
                outputs.push(Output::Stopped);
            }
        }
    }

    fn wake_house_players(&mut self, now: Stamp, outputs: &mut Vec<Output>) {
        self.take_house();
        if self.game.is_paused() || self.retry_at.is_some() {
            return;
        }
        let position = self.game.position();
        let is_choice = position.owed_color().is_some() || position.has_strike_pending();
        let moment = Some((self.game.phase(), self.game.ply(), is_choice));
        let header = self.header.clone();
        for side in Side::BOTH.into_iter().filter(|side| header.is_house(*side)) {
            let is_asked = self.seats[side].asked_at == moment;
            if !is_asked && self.is_awaited(side) {
                if self.leaves_house_to_others(now) {
                    continue;
                }
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

    /// Closes every connection that waits for this table, so that its client returns to a fresh
    /// one.
    pub(super) fn close_connections(&self, code: flagfall_protocol::CloseCode) {
        let mut waiting: Vec<&Outbox> = self.line.iter().filter_map(|asked| asked.reply.outbox()).collect();
        if let Some(Flight::Command { asked, .. } | Flight::Confirm { asked }) = &self.flight {
            waiting.extend(asked.reply.outbox());
        }
        waiting.extend(self.following.outboxes());
        waiting.extend(self.rematch_askers.iter().filter_map(RematchAsker::outbox));
        waiting.extend(self.audiences.all().map(|subscriber| &subscriber.outbox));
        waiting.into_iter().for_each(|outbox| outbox.close(code));
    }

    /// Notes that a command was accepted.
    pub(super) fn note_done(&mut self, done: Done) {
        // The events of one command carry the same stamp; the last one is its outcome.
        if let Some(last) = self.recent.back_mut().filter(|last| last.key == done.key) {
            last.seq = done.seq;
            return;
        }
        if self.known.len() == self.known.capacity() {
            self.known.reserve_exact(KNOWN_STEP);
        }
        self.known.push(done.key.bits());
        if self.recent.len() == RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(done);
    }

    /// True if the log may have a command with this id that is not in memory.
    pub(super) fn may_know(&self, key: CommandKey) -> bool {
        self.known.contains(&key.bits())
    }
}

/// True if a side has to deploy or to act.
pub(super) fn is_awaited(game: &Game, side: Side) -> bool {
    let is_to_deploy = game.phase() == flagfall_rules::Phase::Deploying && !game.is_ready(side);
    is_to_deploy || game.is_to_act(side)
}
