//! Plays the games of one program on a server. This is a pure state machine around the client's
//! core.
//!
//! The core finds games, keeps the connection and the view, and resends commands that have not
//! been answered. The session passes the core's news about the game to the [`Dialogue`], and the
//! dialogue's commands to the core.
//!
//! A program does not notice lost connections or server restarts, because the session repeats
//! each command until the server accepts it. If the server refuses a command because it is
//! stopping or its store is unavailable, the session tries again a second later.

use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    ClientToServer, Code, Exit, GameCommand, GameEvent, Phase, SeenOutcome, ServerToClient,
};
use flagfall_umpire::bout;
use flagfall_umpire::fault::Fault;
use flagfall_umpire::line::can_tell;

use super::dialogue::{Dialogue, DialogueOutput, Limits};
use super::failure::Failure;
use crate::model::{Effect, Link, Message, Model, OpenGame};
use crate::{text, texts, update};

/// The time within which a session must give up its game after a request to stop, in ticks of one
/// second.
const STOP_TICKS: u32 = 3;

#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// Input for the client's core: the connection, the server, time.
    Client(Message),
    Program(bout::Input),
    /// A request to stop. After a second request, the session ends immediately.
    Stop,
}

/// An action that a session requests from its runner, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    Client(Effect),
    Start(GameId, Side),
    Tell(String),
    Mute,
    Finish,
    /// Report why the session gives up the game or ends.
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

#[derive(Clone, PartialEq, Debug)]
pub struct Session {
    pub model: Model,
    limits: Limits,
    /// Number of games to play; `None` for no limit.
    games: Option<u32>,
    pub(crate) tally: Tally,
    seat: Option<Seat>,
    failure: Option<Failure>,
    /// The number of ticks since the request to stop.
    stopping: Option<u32>,
    out: Vec<Output>,
}

#[derive(Clone, PartialEq, Debug)]
struct Seat {
    game: GameId,
    side: Side,
    dialogue: Dialogue,
    /// The command that is repeated until the server accepts it.
    wanted: Option<GameCommand>,
}

impl Session {
    /// Creates a session that has not begun. `games` is the number of games; `None` for no limit.
    pub fn new(model: Model, limits: Limits, games: Option<u32>) -> Session {
        Session {
            model,
            limits,
            games,
            tally: Tally::default(),
            seat: None,
            failure: None,
            stopping: None,
            out: Vec::new(),
        }
    }

    /// Returns the time after which the program's answer is late. The caller must wake the session
    /// at that time.
    pub fn deadline(&self) -> Option<Duration> {
        self.seat.as_ref().and_then(|seat| seat.dialogue.deadline())
    }

    pub const fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// True if the program failed because it was late.
    pub const fn is_late(&self) -> bool {
        matches!(self.failure, Some(Failure::FlagFell | Failure::Fault(Fault::Late { .. })))
    }

    /// Handles an input. `now` is the time since the program started.
    #[must_use]
    pub fn step(&mut self, now: Duration, input: Input) -> Vec<Output> {
        match input {
            Input::Client(message) => self.client(now, message),
            Input::Program(input) => {
                if let (Some(seat), Some(game)) = (&mut self.seat, &self.model.game) {
                    let said = seat.dialogue.hear(now, input, &game.view);
                    self.carry_out(said);
                }
            }
            Input::Stop => self.stop(),
        }
        std::mem::take(&mut self.out)
    }

    fn client(&mut self, now: Duration, message: Message) {
        let (heard, asked) = (message.clone(), self.asked(&message));
        let (before, was_shown) = (self.seq(), self.model.game.clone());
        self.update(message);
        match heard {
            Message::Tick => self.tick(),
            Message::Received(heard) => match *heard {
                ServerToClient::Event { game, event, .. } if before != self.seq() => {
                    self.follow(now, game, &[event], false);
                }
                ServerToClient::Game { game, events, .. } => {
                    if was_shown.is_some_and(|shown| self.is_another_position(&shown)) {
                        self.turn_back();
                    }
                    self.whole(now, game.id, &events);
                }
                ServerToClient::Accepted { .. } => {
                    if let Some(command) = asked {
                        self.accepted(&command);
                    }
                }
                ServerToClient::Refused { cmd_id, game, code, args, message, request, .. }
                    if cmd_id.is_none() || asked.is_some() =>
                {
                    let message = texts::server_refusal(&code, &args, &message, request.as_deref());
                    self.refused(asked.as_ref(), game, &code, message);
                }
                _ => {}
            },
            _ => {}
        }
        self.check_seat();
    }

    fn asked(&self, message: &Message) -> Option<GameCommand> {
        let Message::Received(message) = message else { return None };
        let (ServerToClient::Accepted { cmd_id, .. } | ServerToClient::Refused { cmd_id: Some(cmd_id), .. }) =
            &**message
        else {
            return None;
        };
        let pending = self.model.connection.pending.iter().find(|pending| pending.cmd_id == *cmd_id)?;
        match &pending.message {
            ClientToServer::Command { command, .. } => Some(command.clone()),
            _ => None,
        }
    }

    fn seq(&self) -> Option<u64> {
        self.model.game.as_ref().map(|game| game.seq)
    }

    /// Passes a message to the core and collects its effects.
    fn update(&mut self, message: Message) {
        for effect in update(&mut self.model, message) {
            if let Effect::Exit { code } = effect {
                self.exit(code);
            } else {
                self.out.push(Output::Client(effect));
            }
        }
    }

    /// Ends the session, and the program if there is one.
    fn exit(&mut self, code: u8) {
        let was_playing = self.seat.take().is_some();
        if was_playing {
            self.out.push(Output::Finish);
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
        self.out.push(Output::Client(Effect::Exit { code }));
    }

    fn follow(&mut self, now: Duration, id: GameId, events: &[GameEvent], is_whole: bool) {
        if let (Some(seat), Some(game)) = (&mut self.seat, &self.model.game)
            && seat.game == id
            && game.summary.id == id
        {
            let said = seat.dialogue.follow(now, events, &game.view, is_whole);
            self.carry_out(said);
        }
    }

    /// True if the server lost moves and other moves replaced them: the ply is the same, but the
    /// board differs.
    fn is_another_position(&self, shown: &OpenGame) -> bool {
        self.model.game.as_ref().is_some_and(|game| {
            game.summary.id == shown.summary.id
                && game.epoch != shown.epoch
                && game.view.ply == shown.view.ply
                && game.view.pieces != shown.view.pieces
        })
    }

    /// Tells the dialogue that the server lost the position that the program has seen.
    fn turn_back(&mut self) {
        if let Some(seat) = &mut self.seat {
            let said = seat.dialogue.turn_back();
            self.carry_out(said);
        }
    }

    /// Handles a game that the server has shown: the program's current game, or a new one.
    fn whole(&mut self, now: Duration, id: GameId, events: &[GameEvent]) {
        if self.seat.is_some() {
            return self.follow(now, id, events, true);
        }
        let server_now = self.model.server_now();
        let Some(game) = self.model.game.as_ref().filter(|game| game.summary.id == id) else { return };
        let obstacle = match (game.own_side(), game.ruleset, game.view.phase) {
            (None, _, _) => text!("session-no-seat"),
            (Some(side), Some(ruleset), Phase::Deploying) if can_tell(ruleset) => {
                let mut dialogue = Dialogue::new(side, ruleset, &game.summary, self.limits);
                let said = dialogue.open(now, server_now, &game.view);
                self.seat = Some(Seat { game: id, side, dialogue, wanted: None });
                self.out.push(Output::Start(id, side));
                return self.carry_out(said);
            }
            (Some(_), Some(ruleset), _) if can_tell(ruleset) => text!("session-too-late"),
            (Some(_), _, _) => {
                let server = self.model.options.server_flag();
                text!("session-no-words", ruleset = &game.view.ruleset, server, game = id)
            }
        };
        self.leave(&obstacle);
    }

    /// Ends the session for a reason that comes from the server.
    fn leave(&mut self, why: &str) {
        self.out.push(Output::Complain(why.to_owned()));
        self.exit(Exit::Refused.code());
    }

    fn carry_out(&mut self, said: Vec<DialogueOutput>) {
        for output in said {
            match output {
                DialogueOutput::Tell(text) => self.out.push(Output::Tell(text)),
                DialogueOutput::Mute => self.out.push(Output::Mute),
                DialogueOutput::Command(command) => self.command(command),
                DialogueOutput::Fail(failure) => {
                    self.out.push(Output::Complain(text!("program-failed", failure = failure.to_string())));
                    self.failure.get_or_insert(failure);
                }
                DialogueOutput::Over => self.over(),
            }
        }
    }

    fn command(&mut self, command: GameCommand) {
        if let Some(seat) = self.seat.as_mut().filter(|_| command != GameCommand::DeclineDraw {}) {
            seat.wanted = Some(command.clone());
        }
        self.update(Message::Command(command));
    }

    fn over(&mut self) {
        let (Some(seat), Some(game)) = (&self.seat, &self.model.game) else { return };
        self.tally.add(seat.side, game.view.outcome.as_ref());
        if self.failure.is_some()
            || self.stopping.is_some()
            || self.games.is_some_and(|games| games <= self.tally.games())
        {
            return self.exit(0);
        }
        self.seat = None;
        self.out.push(Output::Finish);
        self.update(Message::Again);
    }

    fn accepted(&mut self, command: &GameCommand) {
        let Some(seat) = &mut self.seat else { return };
        if seat.wanted.as_ref() == Some(command) {
            seat.wanted = None;
        }
        if matches!(command, GameCommand::Move { .. }) {
            let said = seat.dialogue.acknowledged();
            self.carry_out(said);
        }
    }

    fn refused(&mut self, asked: Option<&GameCommand>, game: Option<GameId>, code: &Code, message: String) {
        let Some(seat) = &mut self.seat else { return };
        let (asked, code) = match (asked, code.as_str()) {
            (None, Code::NO_SUCH_GAME | Code::GAME_QUARANTINED) if game.is_none_or(|id| id == seat.game) => {
                return self.leave(&message);
            }
            (Some(asked), code) if seat.wanted.as_ref() == Some(asked) => (asked, code),
            _ => return,
        };
        match (asked, code) {
            // The refusal is temporary, so the next tick repeats the command if it is still
            // pending.
            (_, "paused" | "stale_ply" | "not_your_turn")
            | (
                _,
                Code::STALE_EPOCH
                | Code::STORE_UNAVAILABLE
                | Code::STOPPING
                | Code::INTERNAL
                | Code::TOO_MANY,
            ) => {}
            // Drop the command, because the game is ending or another connection has taken the
            // seat.
            (_, "game_over" | "out_of_time" | "deployment_final")
            | (_, Code::SUPERSEDED | Code::NOT_YOUR_GAME) => seat.wanted = None,
            (GameCommand::Abort {}, "too_late_to_abort") => self.command(GameCommand::Resign {}),
            (GameCommand::Resign {}, "not_playing") => self.command(GameCommand::Abort {}),
            (GameCommand::Abort {} | GameCommand::Resign {}, _) => {}
            _ => {
                let give_up = seat.dialogue.leave();
                let failure = Failure::Refused { message };
                self.carry_out(vec![
                    DialogueOutput::Mute,
                    DialogueOutput::Fail(failure),
                    DialogueOutput::Command(give_up),
                ]);
            }
        }
    }

    fn tick(&mut self) {
        if let Some(ticks) = &mut self.stopping {
            *ticks += 1;
            if *ticks > STOP_TICKS {
                return self.update(Message::Stop);
            }
        }
        let Some(wanted) = self.seat.as_ref().and_then(|seat| seat.wanted.clone()) else { return };
        let is_on_its_way = self.model.connection.pending.iter().any(|pending| {
            matches!(&pending.message, ClientToServer::Command { command, .. } if *command == wanted)
        });
        let is_current = self.model.game.as_ref().is_some_and(|game| !game.reopening && !game.view.paused);
        if !is_on_its_way && is_current && self.model.connection.link == Link::Online {
            self.update(Message::Command(wanted));
        }
    }

    /// Ends the session if the player has lost the seat.
    fn check_seat(&mut self) {
        let Some(game) = self.model.game.as_ref().filter(|_| self.seat.is_some()) else { return };
        if game.superseded {
            self.leave(&text!("session-replaced"));
        } else if game.unavailable {
            self.leave(&text!("session-damaged"));
        }
    }

    fn stop(&mut self) {
        let is_first = self.stopping.replace(0).is_none();
        match &mut self.seat {
            Some(seat) if is_first && self.model.connection.link == Link::Online => {
                self.out.push(Output::Mute);
                // If the session is already giving up the game, no other command is needed.
                let is_given_up = matches!(seat.wanted, Some(GameCommand::Abort {} | GameCommand::Resign {}));
                if !is_given_up {
                    let command = seat.dialogue.leave();
                    self.command(command);
                }
            }
            _ => self.update(Message::Stop),
        }
    }
}
