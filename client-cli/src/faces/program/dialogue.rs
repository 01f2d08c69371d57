//! The umpire's dialogue with one program in one game, as a pure state machine.
//!
//! Inputs are the server's views and events, and the program's lines. Outputs are lines for the
//! program, and commands for the server.
//!
//! A dialogue sends the same lines as the umpire of `flagfall-umpire`, so a program cannot tell
//! the two apart. A program is judged only on its own turn. The server never receives the
//! program's violations, unless the ruleset makes a violation lose the game (§U7). In that case
//! the server receives the violation unchanged and ends the game.

use std::time::Duration;

use flagfall_board::{PerSide, Ply, Rank, Side};
use flagfall_protocol::{GameCommand, GameEvent, GameSummary, GameView, Phase, SeenMove};
use flagfall_rules::{EndReason, Move, Outcome, Ruleset, Setup};
use flagfall_umpire::bout::{Input, result, turn, values};
use flagfall_umpire::fault::Fault;
use flagfall_umpire::line::{self, Answer, MoveReport, MoveText, Opening, Quit, fit_name, quoted};
use flagfall_umpire::lines::Cut;

use super::failure::Failure;
use crate::targets;

/// The time limits of a program. `None` means the default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    pub turn: Option<Duration>,
    pub deploy: Option<Duration>,
}

/// A program's time limit in a game without a clock.
pub const UNTIMED_LIMIT: Duration = Duration::from_secs(2);
/// The program's time limit for the deployment is shorter than the server's by this amount.
const DEPLOY_MARGIN_MS: u64 = 1_000;

#[derive(Clone, PartialEq, Debug)]
pub enum DialogueOutput {
    /// Send these lines to the program, including their line endings.
    Tell(String),
    /// Stop reading from the program for the rest of this game.
    Mute,
    Command(GameCommand),
    /// The program failed, and the dialogue gives up the game.
    Fail(Failure),
    /// The game is over, and the program has received the result.
    Over,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Dialogue {
    side: Side,
    ruleset: &'static Ruleset,
    names: PerSide<String>,
    limits: Limits,
    stage: Stage,
    /// Number of plies that the dialogue has seen, including the held one.
    plies: Ply,
    /// The latest ply, held back until it is known whether it ended the game. A ply that ends the
    /// game is not reported to the program.
    held: Option<MoveReport>,
    /// The time after which the program's answer is late, and the length of the time limit.
    deadline: Option<(Duration, Duration)>,
    /// The program's first fault outside its turn.
    unasked: Option<Fault>,
    /// The violation that was sent to the server, because it loses the game in this ruleset.
    misdeed: Option<Failure>,
    /// Outputs since the caller last collected them.
    outputs: Vec<DialogueOutput>,
}

#[derive(Clone, PartialEq, Debug)]
enum Stage {
    /// The program is sending the lines of its deployment.
    Deploying(Vec<String>),
    /// It is the program's turn, and the dialogue waits for its answer.
    Asked,
    /// The dialogue waits for the server. Holds the program's last move until the server reports
    /// it.
    Waiting(Option<MoveText>),
    /// The dialogue has given up the game and waits for the game to end.
    Leaving,
    Over,
}

impl Dialogue {
    /// Creates the dialogue of a game in which both sides still have to deploy.
    pub fn new(side: Side, ruleset: &'static Ruleset, summary: &GameSummary, limits: Limits) -> Dialogue {
        Dialogue {
            side,
            ruleset,
            names: PerSide::from_fn(|side| fit_name(&summary.players[side].name)),
            limits,
            stage: Stage::Deploying(Vec::new()),
            plies: 0,
            held: None,
            deadline: None,
            unasked: None,
            misdeed: None,
            outputs: Vec::new(),
        }
    }

    pub fn open(&mut self, now: Duration, server_now: u64, view: &GameView) -> Vec<DialogueOutput> {
        let left = view.deploy_deadline.filter(|_| view.clock.is_some());
        let left =
            left.map(|deadline| deadline.0.saturating_sub(server_now).saturating_sub(DEPLOY_MARGIN_MS));
        let limit = self.limits.deploy.or(self.limits.turn).or(left.map(Duration::from_millis));
        self.limit(now, limit.unwrap_or(UNTIMED_LIMIT));
        let shape = &self.ruleset.shape;
        let opponent = line::path_of(&self.names[self.side.opponent()]);
        let opening = Opening { side: self.side, opponent, width: shape.columns, height: shape.rows };
        vec![DialogueOutput::Tell(format!("{opening}\n"))]
    }

    fn said(&mut self) -> Vec<DialogueOutput> {
        std::mem::take(&mut self.outputs)
    }

    fn limit(&mut self, now: Duration, limit: Duration) {
        self.deadline = Some((now.saturating_add(limit), limit));
    }

    /// Returns the time after which the program's answer is late. `None` if it is not the
    /// program's turn, or if the server's clock is the only limit.
    pub fn deadline(&self) -> Option<Duration> {
        self.deadline.filter(|_| self.is_asked()).map(|(at, _)| at)
    }

    fn is_asked(&self) -> bool {
        matches!(self.stage, Stage::Deploying(_) | Stage::Asked)
    }

    /// Gives up the game for a reason outside the dialogue. Returns the first command to send.
    pub fn leave(&mut self) -> GameCommand {
        let plies = self.plies + Ply::from(matches!(self.stage, Stage::Waiting(Some(_))));
        self.stage = Stage::Leaving;
        let own = if self.side == Side::Red { plies.div_ceil(2) } else { plies / 2 };
        if own == 0 { GameCommand::Abort {} } else { GameCommand::Resign {} }
    }

    fn fail(&mut self, failure: Failure) {
        let command = self.leave();
        self.outputs.extend([
            DialogueOutput::Mute,
            DialogueOutput::Fail(failure),
            DialogueOutput::Command(command),
        ]);
    }

    /// Handles the latest events in the game, oldest first, and the view after them.
    ///
    /// `is_whole` means that the server showed the whole game, including its end if it is over.
    pub fn follow(
        &mut self,
        now: Duration,
        events: &[GameEvent],
        view: &GameView,
        is_whole: bool,
    ) -> Vec<DialogueOutput> {
        if self.stage == Stage::Over {
            return self.said();
        }
        for event in events {
            match event {
                GameEvent::Moved(seen) => self.note(seen),
                // The line protocol has no message for a draw offer, so decline it for the
                // program.
                GameEvent::DrawOffered { side } if *side != self.side => {
                    self.outputs.push(DialogueOutput::Command(GameCommand::DeclineDraw {}));
                }
                _ => {}
            }
        }
        if let Some(last) = view.last_move.as_ref().filter(|_| view.ply == self.plies + 1) {
            self.note(last);
        }
        if view.ply != self.plies && self.stage != Stage::Leaving && view.phase == Phase::Playing {
            self.fail(Failure::Estranged);
        }
        match view.phase {
            Phase::Over => self.end(view),
            Phase::Playing if matches!(self.stage, Stage::Deploying(_)) => {
                self.fail(Failure::Estranged);
            }
            Phase::Playing => {
                if is_whole {
                    self.tell_held();
                }
                if view.turn == Some(self.side)
                    && self.stage == Stage::Waiting(None)
                    && !targets::is_end_next(view, self.ruleset)
                {
                    self.start_turn(now, view);
                }
            }
            Phase::Deploying => {}
        }
        self.said()
    }

    /// Gives up the game because the server lost the position that the program has seen. The line
    /// protocol has no message for this.
    pub fn turn_back(&mut self) -> Vec<DialogueOutput> {
        if !matches!(self.stage, Stage::Leaving | Stage::Over | Stage::Deploying(_)) {
            self.fail(Failure::Estranged);
        }
        self.said()
    }

    /// Handles the server's acceptance of the program's last move. If the server has not reported
    /// the end of the game by then, the game continues, so the program receives the held ply.
    pub fn acknowledged(&mut self) -> Vec<DialogueOutput> {
        if self.stage == Stage::Waiting(None) && self.plies % 2 == Ply::from(self.side == Side::Red) {
            self.tell_held();
        }
        self.said()
    }

    fn note(&mut self, seen: &SeenMove) {
        self.tell_held();
        self.plies += 1;
        let squares = seen.squares;
        let says_one = match &self.stage {
            Stage::Leaving | Stage::Over => return,
            Stage::Waiting(Some(played)) if seen.side == self.side && played.squares == squares => {
                played.says_one
            }
            Stage::Waiting(None) if seen.side != self.side => false,
            Stage::Deploying(_) | Stage::Asked | Stage::Waiting(_) => {
                return self.fail(Failure::Estranged);
            }
        };
        self.stage = Stage::Waiting(None);
        self.held = MoveReport::of(seen, says_one);
    }

    fn tell_held(&mut self) {
        self.outputs.extend(self.held.take().map(|told| DialogueOutput::Tell(format!("{told}\n"))));
    }

    /// Starts the program's turn: shows the board to the program, or gives up the game if the
    /// program committed a fault outside its turn.
    fn start_turn(&mut self, now: Duration, view: &GameView) {
        self.tell_held();
        if self.plies == 0 {
            self.outputs.push(DialogueOutput::Tell("START\n".to_owned()));
        }
        if let Some(fault) = self.unasked.take() {
            return self.fail(Failure::Fault(fault));
        }
        self.deadline = None;
        match self.limits.turn {
            Some(limit) => self.limit(now, limit),
            None if view.clock.is_none() => self.limit(now, UNTIMED_LIMIT),
            // No limit is needed, because the server's clock limits the turn.
            None => {}
        }
        self.stage = Stage::Asked;
        let rows = line::board(&self.ruleset.shape, self.side, view);
        self.outputs.push(DialogueOutput::Tell(
            rows.iter()
                .flat_map(|row| {
                    [
                        row, "
",
                    ]
                })
                .collect(),
        ));
    }

    /// Handles an event from the program, or a tick.
    pub fn hear(&mut self, now: Duration, input: Input, view: &GameView) -> Vec<DialogueOutput> {
        if matches!(self.stage, Stage::Leaving | Stage::Over) {
            return self.said();
        }
        if let Some((_, limit)) = self.deadline.filter(|(at, _)| self.is_asked() && now > *at) {
            self.fail(Failure::Fault(Fault::Late { limit }));
            return self.said();
        }
        let fault = match input {
            Input::Tick | Input::Stop => return self.said(),
            Input::Said(_, Cut::Line(line)) if self.is_asked() => {
                self.answer(&line, view);
                return self.said();
            }
            Input::Said(_, Cut::Line(line)) => Fault::out_of_turn(&line),
            Input::Said(_, Cut::TooLong) => Fault::LineTooLong,
            Input::Said(_, Cut::NotUtf8) => Fault::NotUtf8,
            Input::Gone(_) => Fault::Gone,
            Input::Unread(_) => Fault::Unread,
        };
        if self.is_asked() {
            self.fail(Failure::Fault(fault));
        } else {
            // Only the first fault counts. It is reported on the program's next turn.
            self.unasked.get_or_insert(fault);
            self.outputs.push(DialogueOutput::Mute);
        }
        self.said()
    }

    fn answer(&mut self, line: &str, view: &GameView) {
        if let Stage::Deploying(lines) = &mut self.stage {
            lines.push(line.to_owned());
            if lines.len() == usize::from(self.ruleset.shape.home_rows) {
                let lines = std::mem::take(lines);
                self.deploy(&lines);
            }
            return;
        }
        match line.parse() {
            Ok(Answer::Move(played)) => self.play(played, line, view),
            Ok(Answer::Surrender) => {
                self.stage = Stage::Leaving;
                self.outputs.push(DialogueOutput::Command(GameCommand::Resign {}));
            }
            Err(error) => self.fail(Failure::Fault(Fault::Garbage(error))),
        }
    }

    fn deploy(&mut self, lines: &[String]) {
        let (side, ruleset) = (self.side, self.ruleset);
        let setup = match line::deployment_text(lines, side, ruleset) {
            Ok(setup) => setup,
            Err(error) => return self.fail(Failure::Fault(Fault::Garbage(error))),
        };
        if let Err(refusal) =
            Setup::from_text(&setup, side, ruleset).and_then(|setup| setup.deploy(side, ruleset))
        {
            let failure = Failure::Fault(Fault::Deployment(refusal));
            if !ruleset.illegal_act_loses {
                return self.fail(failure);
            }
            self.misdeed = Some(failure);
        }
        self.stage = Stage::Waiting(None);
        self.outputs.push(DialogueOutput::Command(GameCommand::Deploy { setup }));
    }

    fn play(&mut self, played: MoveText, answer: &str, view: &GameView) {
        let Move { from, to } = played.squares;
        if !targets::targets(view, self.ruleset, from).contains(to) {
            let answer = quoted(answer);
            let failure = if view.refused_moves.contains(&played.squares) {
                Failure::Repetition { answer }
            } else {
                Failure::Fault(Fault::Move { answer, refusal: None })
            };
            if !self.ruleset.illegal_act_loses {
                return self.fail(failure);
            }
            self.misdeed = Some(failure);
        }
        self.stage = Stage::Waiting(Some(played));
        self.outputs.push(DialogueOutput::Command(GameCommand::from(played.squares)));
    }

    fn end(&mut self, view: &GameView) {
        let told = view.outcome.as_ref();
        let reason = told.and_then(|outcome| EndReason::from_code(&outcome.reason));
        let winner = told.and_then(|outcome| outcome.winner);
        let outcome = Outcome { winner, reason: reason.unwrap_or(EndReason::Aborted) };
        let is_by_ply = is_end_by_ply(outcome.reason);
        if !is_by_ply && self.stage != Stage::Leaving {
            self.tell_held();
        }
        let has_lost = winner != Some(self.side);
        if has_lost && outcome.reason == EndReason::IllegalAct {
            self.outputs.extend(self.misdeed.take().map(DialogueOutput::Fail));
        }
        if winner == Some(self.side.opponent())
            && outcome.reason == EndReason::OutOfTime
            && self.stage == Stage::Asked
        {
            self.outputs.push(DialogueOutput::Fail(Failure::FlagFell));
        }
        let by_count = if view.ply.is_multiple_of(2) { Side::Red } else { Side::Blue };
        let mover = view.last_move.as_ref().filter(|_| is_by_ply).map(|seen| seen.side);
        let side = mover.unwrap_or(by_count);
        // Commitments exist once both sides have deployed and the game has started.
        let has_started = view.commitments.red.is_some();
        let captured = |side: Side, rank: Rank| view.captured[side][rank];
        let quit = Quit {
            name: self.names[side].clone(),
            side,
            result: result(outcome, side),
            turn: if has_started { turn(view.ply, side) } else { 0 },
            values: if has_started { values(&self.ruleset.army, captured) } else { PerSide::new(0, 0) },
        };
        self.stage = Stage::Over;
        self.outputs.extend([DialogueOutput::Tell(format!("{quit}\n")), DialogueOutput::Over]);
    }
}

/// True if a ply can end the game for this reason.
const fn is_end_by_ply(reason: EndReason) -> bool {
    matches!(
        reason,
        EndReason::FlagCaptured
            | EndReason::NoLegalMove
            | EndReason::BothBlocked
            | EndReason::QuietLimit
            | EndReason::PlyLimit
    )
}
