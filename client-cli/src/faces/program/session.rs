//! The games of one program on a server, as a pure state machine around the client's core.
//!
//! The core finds games, keeps the connection and the view, and repeats commands without an answer.
//! What it receives about the game goes into the [`Dialogue`], and the dialogue's commands go into
//! the core.
//!
//! A program does not notice lost connections and server restarts. A command stays wanted until the
//! server has accepted it. A refusal that is not about the rules (the server stops, its store is
//! away) leads to another try a second later.

use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    ClientToServer, Code, CommandId, Exit, GameCommand, GameEvent, Phase, SeenOutcome, ServerToClient,
};
use flagfall_umpire::bout;
use flagfall_umpire::fault::Fault;
use flagfall_umpire::line::can_tell;

use super::dialogue::{self, Dialogue, Limits};
use super::failure::Failure;
use crate::model::{Effect, Link, Message, Model, OpenGame};
use crate::{text, texts, update};

/// Longest time in seconds to give up a game when the program is asked to stop.
const STOP_TICKS: u32 = 3;

#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// For the client: its connection, the server, time.
    Client(Message),
    /// For the program of the running game.
    Program(bout::Input),
    /// A request to stop. The second one stops at once.
    Stop,
}

/// What a session wants done, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// An effect for the client's shell.
    Client(Effect),
    Start(GameId, Side),
    /// Send these lines to the program.
    Tell(String),
    /// Read no more from the program.
    Mute,
    Finish,
    /// Report why the game is given up or the session ends.
    Complain(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub won: u32,
    pub drawn: u32,
    pub lost: u32,
    pub aborted: u32,
}

impl Tally {
    fn add(&mut self, side: Side, outcome: Option<&SeenOutcome>) {
        *match outcome {
            Some(SeenOutcome { winner: Some(winner), .. }) if *winner == side => &mut self.won,
            Some(SeenOutcome { winner: Some(_), .. }) => &mut self.lost,
            Some(SeenOutcome { winner: None, reason }) if reason != "aborted" => &mut self.drawn,
            Some(_) | None => &mut self.aborted,
        } += 1;
    }

    pub const fn games(&self) -> u32 {
        self.won + self.drawn + self.lost + self.aborted
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { won, drawn, lost, aborted } = self;
        let (games, won, drawn, lost, aborted) = (self.games(), *won, *drawn, *lost, *aborted);
        f.write_str(&text!("tally", games, won, drawn, lost, aborted))
    }
}

/// One program on one server.
#[derive(Clone, PartialEq, Debug)]
pub struct Session {
    pub model: Model,
    limits: Limits,
    /// How many games to play; `None` for no limit.
    games: Option<u32>,
    tally: Tally,
    seat: Option<Seat>,
    failure: Option<Failure>,
    stopping: Option<Stopping>,
}

/// The program's seat in the running game.
#[derive(Clone, PartialEq, Debug)]
struct Seat {
    game: GameId,
    side: Side,
    dialogue: Dialogue,
    /// The command that is repeated until the server accepts it.
    wanted: Option<GameCommand>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stopping {
    ticks: u32,
}

/// The part of a message that matters to the dialogue or the session.
enum Heard {
    Nothing,
    Event(GameId, GameEvent),
    Whole(GameId, Vec<GameEvent>),
    Accepted(GameCommand),
    Refused { asked: Option<GameCommand>, game: Option<GameId>, code: Code, message: String },
    Tick,
}

impl Session {
    /// A session that has not begun. `games` is how many to play; `None` for no limit.
    pub fn new(model: Model, limits: Limits, games: Option<u32>) -> Session {
        Session { model, limits, games, tally: Tally::default(), seat: None, failure: None, stopping: None }
    }

    /// When to wake the session because the program is late.
    pub fn deadline(&self) -> Option<Duration> {
        self.seat.as_ref().and_then(|seat| seat.dialogue.deadline())
    }

    pub const fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// True if the program failed by being late.
    pub const fn is_late(&self) -> bool {
        matches!(self.failure, Some(Failure::FlagFell | Failure::Fault(Fault::Late { .. })))
    }

    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Handles an input. `now` is the time since the start.
    #[must_use]
    pub fn step(&mut self, now: Duration, input: Input) -> Vec<Output> {
        let mut out = Vec::new();
        match input {
            Input::Client(message) => self.client(now, message, &mut out),
            Input::Program(input) => {
                if let (Some(seat), Some(game)) = (&mut self.seat, &self.model.game) {
                    let said = seat.dialogue.hear(now, input, &game.view);
                    self.carry_out(said, &mut out);
                }
            }
            Input::Stop => self.stop(&mut out),
        }
        out
    }

    fn client(&mut self, now: Duration, message: Message, out: &mut Vec<Output>) {
        let heard = self.heard(&message);
        let before = self.seq();
        let was_shown = self.model.game.clone().filter(|_| matches!(heard, Heard::Whole(..)));
        self.update(message, out);
        match heard {
            Heard::Event(id, event) => {
                if before != self.seq() {
                    self.follow(now, id, &[event], false, out);
                }
            }
            Heard::Whole(id, events) => {
                if was_shown.is_some_and(|shown| self.is_another_position(&shown)) {
                    self.turn_back(out);
                }
                self.whole(now, id, &events, out);
            }
            Heard::Accepted(command) => self.accepted(&command, out),
            Heard::Refused { asked, game, code, message } => {
                self.refused(asked.as_ref(), game, &code, message, out);
            }
            Heard::Tick => self.tick(out),
            Heard::Nothing => {}
        }
        self.check_seat(out);
    }

    fn heard(&self, message: &Message) -> Heard {
        let asked = |cmd_id: &CommandId| {
            self.model.connection.pending.iter().find(|pending| pending.cmd_id == *cmd_id).and_then(
                |pending| match &pending.message {
                    ClientToServer::Command { command, .. } => Some(command.clone()),
                    _ => None,
                },
            )
        };
        let Message::Received(message) = message else {
            return if *message == Message::Tick { Heard::Tick } else { Heard::Nothing };
        };
        match &**message {
            ServerToClient::Event { game, event, .. } => Heard::Event(*game, event.clone()),
            ServerToClient::Game { game, events, .. } => Heard::Whole(game.id, events.clone()),
            ServerToClient::Accepted { cmd_id, .. } => asked(cmd_id).map_or(Heard::Nothing, Heard::Accepted),
            ServerToClient::Refused { cmd_id, game, code, args, message, request, .. } => {
                let asked = cmd_id.as_ref().and_then(asked);
                if cmd_id.is_some() && asked.is_none() {
                    return Heard::Nothing;
                }
                let message = texts::server_refusal(code, args, message, request.as_deref());
                Heard::Refused { asked, game: *game, code: code.clone(), message }
            }
            _ => Heard::Nothing,
        }
    }

    fn seq(&self) -> Option<u64> {
        self.model.game.as_ref().map(|game| game.seq)
    }

    /// Passes a message to the core and collects its effects.
    fn update(&mut self, message: Message, out: &mut Vec<Output>) {
        for effect in update(&mut self.model, message) {
            if let Effect::Exit { code } = effect {
                self.exit(code, out);
            } else {
                out.push(Output::Client(effect));
            }
        }
    }

    /// Ends the session, and the program if one runs.
    fn exit(&mut self, code: u8, out: &mut Vec<Output>) {
        let was_playing = self.seat.take().is_some();
        if was_playing {
            out.push(Output::Finish);
        }
        let code = match (&self.failure, self.stopping) {
            (Some(failure), _) => failure.code(),
            (None, Some(_)) if was_playing => Exit::Interrupted.code(),
            (None, Some(_)) => Exit::Done.code(),
            (None, None) => code,
        };
        if self.tally.games() > 0 {
            self.model.say(self.tally.to_string());
        }
        out.push(Output::Client(Effect::Exit { code }));
    }

    fn follow(
        &mut self,
        now: Duration,
        id: GameId,
        events: &[GameEvent],
        is_whole: bool,
        out: &mut Vec<Output>,
    ) {
        if let (Some(seat), Some(game)) = (&mut self.seat, &self.model.game)
            && seat.game == id
            && game.summary.id == id
        {
            let said = seat.dialogue.follow(now, events, &game.view, is_whole);
            self.carry_out(said, out);
        }
    }

    /// True if the server lost moves and others were made instead: the same number, on another
    /// board.
    fn is_another_position(&self, shown: &OpenGame) -> bool {
        self.model.game.as_ref().is_some_and(|game| {
            game.summary.id == shown.summary.id
                && game.epoch != shown.epoch
                && game.view.ply == shown.view.ply
                && game.view.pieces != shown.view.pieces
        })
    }

    /// The program's board is not the game's any more, and the line protocol cannot say so.
    fn turn_back(&mut self, out: &mut Vec<Output>) {
        if let Some(seat) = &mut self.seat {
            let said = seat.dialogue.turn_back();
            self.carry_out(said, out);
        }
    }

    /// The server has shown a game: the program's again, or a new one.
    fn whole(&mut self, now: Duration, id: GameId, events: &[GameEvent], out: &mut Vec<Output>) {
        if self.seat.is_some() {
            return self.follow(now, id, events, true, out);
        }
        let server_now = self.model.server_now();
        let Some(game) = self.model.game.as_ref().filter(|game| game.summary.id == id) else { return };
        let obstacle = match (game.own_side(), game.ruleset, game.view.phase) {
            (None, _, _) => text!("session-no-seat"),
            (Some(side), Some(ruleset), Phase::Deploying) if can_tell(ruleset) => {
                let mut dialogue = Dialogue::new(side, ruleset, &game.summary, self.limits);
                let said = dialogue.open(now, server_now, &game.view);
                self.seat = Some(Seat { game: id, side, dialogue, wanted: None });
                out.push(Output::Start(id, side));
                return self.carry_out(said, out);
            }
            (Some(_), Some(ruleset), _) if can_tell(ruleset) => {
                text!("session-too-late")
            }
            (Some(_), _, _) => {
                let server = self.model.options.server_flag();
                text!("session-no-words", ruleset = &game.view.ruleset, server, game = id)
            }
        };
        self.leave(&obstacle, out);
    }

    /// Ends the session for a reason on the server's side.
    fn leave(&mut self, why: &str, out: &mut Vec<Output>) {
        out.push(Output::Complain(why.to_owned()));
        self.exit(Exit::Refused.code(), out);
    }

    fn carry_out(&mut self, said: Vec<dialogue::DialogueOutput>, out: &mut Vec<Output>) {
        for output in said {
            match output {
                dialogue::DialogueOutput::Tell(text) => out.push(Output::Tell(text)),
                dialogue::DialogueOutput::Mute => out.push(Output::Mute),
                dialogue::DialogueOutput::Command(command) => self.command(command, out),
                dialogue::DialogueOutput::Fail(failure) => {
                    out.push(Output::Complain(text!("program-failed", failure = failure.to_string())));
                    self.failure.get_or_insert(failure);
                }
                dialogue::DialogueOutput::Over => self.over(out),
            }
        }
    }

    fn command(&mut self, command: GameCommand, out: &mut Vec<Output>) {
        if let Some(seat) = self.seat.as_mut().filter(|_| command != GameCommand::DeclineDraw {}) {
            seat.wanted = Some(command.clone());
        }
        self.update(Message::Command(command), out);
    }

    fn over(&mut self, out: &mut Vec<Output>) {
        let (Some(seat), Some(game)) = (&self.seat, &self.model.game) else { return };
        self.tally.add(seat.side, game.view.outcome.as_ref());
        if self.failure.is_some()
            || self.stopping.is_some()
            || self.games.is_some_and(|games| games <= self.tally.games())
        {
            return self.exit(0, out);
        }
        self.seat = None;
        out.push(Output::Finish);
        self.update(Message::Again, out);
    }

    fn accepted(&mut self, command: &GameCommand, out: &mut Vec<Output>) {
        let Some(seat) = &mut self.seat else { return };
        if seat.wanted.as_ref() == Some(command) {
            seat.wanted = None;
        }
        if matches!(command, GameCommand::Move { .. }) {
            let said = seat.dialogue.acknowledged();
            self.carry_out(said, out);
        }
    }

    fn refused(
        &mut self,
        asked: Option<&GameCommand>,
        game: Option<GameId>,
        code: &Code,
        message: String,
        out: &mut Vec<Output>,
    ) {
        let Some(seat) = &mut self.seat else { return };
        let (asked, code) = match (asked, code.as_str()) {
            (None, Code::NO_SUCH_GAME | Code::GAME_QUARANTINED) if game.is_none_or(|id| id == seat.game) => {
                return self.leave(&message, out);
            }
            (Some(asked), code) if seat.wanted.as_ref() == Some(asked) => (asked, code),
            _ => return,
        };
        match (asked, code) {
            // Asked again in a second, if that still makes sense.
            (_, "paused" | "stale_ply" | "not_your_turn")
            | (
                _,
                Code::STALE_EPOCH
                | Code::STORE_UNAVAILABLE
                | Code::STOPPING
                | Code::INTERNAL
                | Code::TOO_MANY,
            ) => {}
            // The end is on its way, or another connection caused this.
            (_, "game_over" | "out_of_time" | "deployment_final")
            | (_, Code::SUPERSEDED | Code::NOT_YOUR_GAME) => seat.wanted = None,
            (GameCommand::Abort {}, "too_late_to_abort") => self.command(GameCommand::Resign {}, out),
            (GameCommand::Resign {}, "not_playing") => self.command(GameCommand::Abort {}, out),
            (GameCommand::Abort {} | GameCommand::Resign {}, _) => {}
            _ => {
                let give_up = seat.dialogue.leave();
                let failure = dialogue::DialogueOutput::Fail(Failure::Refused { message });
                self.carry_out(
                    vec![dialogue::DialogueOutput::Mute, failure, dialogue::DialogueOutput::Command(give_up)],
                    out,
                );
            }
        }
    }

    fn tick(&mut self, out: &mut Vec<Output>) {
        if let Some(stopping) = &mut self.stopping {
            stopping.ticks += 1;
            if stopping.ticks > STOP_TICKS {
                return self.update(Message::Stop, out);
            }
        }
        let Some(wanted) = self.seat.as_ref().and_then(|seat| seat.wanted.clone()) else { return };
        let is_on_its_way = self.model.connection.pending.iter().any(|pending| {
            matches!(&pending.message, ClientToServer::Command { command, .. } if *command == wanted)
        });
        let is_current = self.model.game.as_ref().is_some_and(|game| !game.reopening && !game.view.paused);
        if !is_on_its_way && is_current && self.model.connection.link == Link::Online {
            self.update(Message::Command(wanted), out);
        }
    }

    /// Ends the session if the seat cannot be played any more.
    fn check_seat(&mut self, out: &mut Vec<Output>) {
        let Some(game) = self.model.game.as_ref().filter(|_| self.seat.is_some()) else { return };
        if game.superseded {
            self.leave(&text!("session-replaced"), out);
        } else if game.unavailable {
            self.leave(&text!("session-damaged"), out);
        }
    }

    fn stop(&mut self, out: &mut Vec<Output>) {
        let is_first = self.stopping.replace(Stopping { ticks: 0 }).is_none();
        match &mut self.seat {
            Some(seat) if is_first && self.model.connection.link == Link::Online => {
                out.push(Output::Mute);
                // A game that is already being given up only needs time.
                let is_given_up = matches!(seat.wanted, Some(GameCommand::Abort {} | GameCommand::Resign {}));
                if !is_given_up {
                    let command = seat.dialogue.leave();
                    self.command(command, out);
                }
            }
            _ => self.update(Message::Stop, out),
        }
    }
}
