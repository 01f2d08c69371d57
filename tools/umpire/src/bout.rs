//! One game between two programs, as a pure state machine. The inputs are lines, faults and time.
//! The outputs are lines for the programs. This module does not handle processes.
//!
//! A program is judged only on its own turn. If it prints an extra line or ends before its turn,
//! this counts only when its turn comes. A verdict therefore depends on the programs' actions,
//! not on their speed. Both programs are asked for their deployments at the same time. After
//! that, it is Red's turn.

use std::time::Duration;

use flagfall_board::{GameId, PerSide, Ply, Rank, Side, SquareSet, Stamp};
use flagfall_protocol::{GameRecord, Player, PlayerKind, Recorder, Terms, Time};
use flagfall_rules::{
    Army, Command, EndReason, Entropy, Events, Game, GameEvent, GameTerms, Outcome, Phase, Refusal, Ruleset,
    Setup, Viewer, decide, decide_verdict, evolve, see, view,
};

use crate::environment;
use crate::fault::Fault;
use crate::line::{self, Answer, GameResult, MoveReport, MoveText, Opening, Quit, quoted};
use crate::lines::Cut;

/// The umpire's deadline for deployments is earlier than the engine's by this amount, so that the
/// umpire always judges first.
const VERDICT_MS: u64 = 24 * 60 * 60 * 1000;

/// The time limits for a program's answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The time for each answer during the game.
    pub turn: Duration,
    /// The time for the deployment.
    pub deploy: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { turn: Duration::from_secs(2), deploy: Duration::from_secs(2) }
    }
}

/// The terms of a bout.
#[derive(Clone, Debug)]
pub struct BoutTerms {
    /// The game's id.
    pub game: GameId,
    /// The ruleset.
    pub ruleset: &'static Ruleset,
    /// The lakes: those of the ruleset, or those drawn at random for this game (§U2). Programs
    /// find the lakes in their environment ([`Bout::variables`]), because the dialogue shows
    /// lakes only with the first board, after the deployment.
    pub lakes: SquareSet,
    /// The time at which the game begins.
    pub created: Stamp,
    /// The programs' names. Each name is a single word of the protocol.
    pub names: PerSide<String>,
    /// The time limits.
    pub limits: Limits,
    /// The entropy for the salts of the commitments.
    pub entropy: PerSide<Entropy>,
}

/// An input of a bout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A program printed something.
    Said(Side, Cut),
    /// A program ended or closed its output.
    Gone(Side),
    /// A program has left too many lines unread.
    Unread(Side),
    /// Time has passed.
    Tick,
    /// The umpire stops the game.
    Stop,
}

/// An action that a bout asks its caller to carry out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Send these lines to a program. They include their line endings.
    Tell(Side, String),
    /// Stop reading from a program until the game is over, because the program printed too much.
    Mute(Side),
}

/// The time that a program used for its answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thinking {
    /// The number of answers that the program gave on its turns.
    pub answers: u32,
    /// The total time for these answers.
    pub total: Duration,
    /// The time for the slowest answer.
    pub longest: Duration,
}

/// The end of a bout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The last line, which both programs received.
    pub quit: Quit,
    /// The outcome of the game.
    pub outcome: Outcome,
    /// The fault of each program.
    pub faults: PerSide<Option<Fault>>,
}

/// One game between two programs.
pub struct Bout {
    terms: BoutTerms,
    pub(crate) game: Game,
    recorder: Recorder,
    deploying: PerSide<Deploying>,
    /// The first fault that each program committed outside its turn.
    unasked: PerSide<Option<Fault>>,
    /// The time at which the current answer was requested: a move, or both deployments.
    asked: Duration,
    /// The time that each program used on its turns.
    pub(crate) thinking: PerSide<Thinking>,
    /// The moves, for the umpire's log, with the outcomes that the mover saw.
    pub(crate) moves: Vec<String>,
    ending: Option<Ending>,
    /// The time of the latest event.
    now: Duration,
    /// The outputs of the latest event.
    outputs: Vec<Output>,
}

#[derive(Default)]
struct Deploying {
    lines: Vec<String>,
    result: Option<Result<Setup, Fault>>,
}

impl Bout {
    /// Creates a bout. Its programs have not been asked for anything yet.
    pub fn new(terms: BoutTerms) -> Bout {
        let game = Game::new(GameTerms {
            game: terms.game,
            lakes: terms.lakes,
            deploy_ms: millis(terms.limits.deploy).saturating_add(VERDICT_MS),
            created: terms.created,
            // The game needs no clock, because the umpire limits the time for each answer.
            ..GameTerms::untimed(terms.ruleset)
        });
        Bout {
            terms,
            recorder: Recorder::new(game.clone()),
            game,
            deploying: PerSide::default(),
            unasked: PerSide::default(),
            asked: Duration::ZERO,
            thinking: PerSide::default(),
            moves: Vec::new(),
            ending: None,
            now: Duration::ZERO,
            outputs: Vec::new(),
        }
    }

    /// Returns the environment variables for both programs.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        environment::variables(self.terms.ruleset.id, self.terms.lakes)
    }

    /// Asks both programs for their deployments, and starts the time limit.
    #[must_use]
    pub fn start(&self) -> Vec<Output> {
        let shape = &self.terms.ruleset.shape;
        Side::BOTH
            .map(|side| {
                let opponent = line::path_of(&self.terms.names[side.opponent()]);
                let opening = Opening { side, opponent, width: shape.columns, height: shape.rows };
                Output::Tell(side, format!("{opening}\n"))
            })
            .into()
    }

    /// Returns the time after which an answer is late. The caller must then send a tick. `None`
    /// if the bout is over.
    pub fn deadline(&self) -> Option<Duration> {
        self.ending.is_none().then(|| self.asked + self.limit())
    }

    /// Returns the time limit for the answer that the bout waits for.
    fn limit(&self) -> Duration {
        let Limits { turn, deploy } = self.terms.limits;
        if self.game.phase() == Phase::Deploying { deploy } else { turn }
    }

    /// Returns how the bout ended, or `None` if it has not.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Returns the record of the game.
    pub fn record(self) -> GameRecord {
        let terms = Terms::casual(self.terms.ruleset, Time::Unlimited {});
        let players = PerSide::from_fn(|side| {
            let name = self.terms.names[side].clone();
            Player { id: format!("program-{name}"), name, kind: PlayerKind::Guest }
        });
        self.recorder.record(Viewer::Public, terms, players)
    }

    /// Handles an event. `now` is the time since the start.
    #[must_use]
    pub fn step(&mut self, now: Duration, input: Input) -> Vec<Output> {
        self.now = now;
        if self.deadline().is_some_and(|deadline| now > deadline) {
            self.time_passed();
        }
        if self.ending.is_none() {
            self.take(input);
        }
        std::mem::take(&mut self.outputs)
    }

    fn take(&mut self, input: Input) {
        let is_word = matches!(input, Input::Said(..));
        let (side, said) = match input {
            Input::Tick => return,
            Input::Stop => {
                let outcome = Outcome { winner: None, reason: EndReason::Aborted };
                return self.verdict(outcome, PerSide::default());
            }
            Input::Said(side, Cut::Line(line)) => (side, Ok(line)),
            Input::Said(side, Cut::TooLong) => (side, Err(Fault::LineTooLong)),
            Input::Said(side, Cut::NotUtf8) => (side, Err(Fault::NotUtf8)),
            Input::Gone(side) => (side, Err(Fault::Gone)),
            Input::Unread(side) => (side, Err(Fault::Unread)),
        };
        match said {
            Ok(line) if self.is_asked(side) => self.answer(side, line),
            Err(fault) if self.is_asked(side) => self.fail(side, fault),
            said => {
                // Keep only the first fault.
                let fault = said.map_or_else(|fault| fault, |line| Fault::out_of_turn(&line));
                self.unasked[side].get_or_insert(fault);
                if is_word {
                    self.outputs.push(Output::Mute(side));
                }
            }
        }
    }

    /// True if the bout waits for an answer from this side.
    fn is_asked(&self, side: Side) -> bool {
        match self.game.phase() {
            Phase::Deploying => self.deploying[side].result.is_none(),
            Phase::Playing => self.game.turn() == Some(side),
            Phase::Over => false,
        }
    }

    fn time_passed(&mut self) {
        let limit = self.limit();
        for side in Side::BOTH {
            if self.ending.is_none() && self.is_asked(side) {
                self.fail(side, Fault::Late { limit });
                if self.game.phase() == Phase::Playing {
                    return;
                }
            }
        }
    }

    fn answer(&mut self, side: Side, line: String) {
        if self.game.phase() == Phase::Deploying {
            return self.deployment_line(side, line);
        }
        let thought = self.now.saturating_sub(self.asked);
        let thinking = &mut self.thinking[side];
        thinking.answers += 1;
        thinking.total += thought;
        thinking.longest = thinking.longest.max(thought);
        match line.parse() {
            Ok(Answer::Move(played)) => self.play(side, played, &line),
            Ok(Answer::Surrender) => {
                let outcome = Outcome { winner: Some(side.opponent()), reason: EndReason::Resigned };
                self.verdict(outcome, PerSide::default());
            }
            Err(error) => self.fail(side, Fault::Garbage(error)),
        }
    }

    fn deployment_line(&mut self, side: Side, line: String) {
        let ruleset = self.terms.ruleset;
        let deploying = &mut self.deploying[side];
        deploying.lines.push(line);
        if deploying.lines.len() == usize::from(ruleset.shape.home_rows) {
            let setup = line::read_deployment(&deploying.lines, side, ruleset).map_err(Fault::Garbage);
            deploying.result = Some(setup);
            self.judge_deployments();
        }
    }

    /// Starts or ends the game once each side has deployed or failed to deploy.
    fn judge_deployments(&mut self) {
        let PerSide { red: Deploying { result: Some(red), .. }, blue: Deploying { result: Some(blue), .. } } =
            &self.deploying
        else {
            return;
        };
        let results = PerSide::new(red.clone(), blue.clone());
        let faults = PerSide::from_fn(|side| match &results[side] {
            Ok(setup) => self.deploy(side, setup),
            Err(fault) => Some(fault.clone()),
        });
        if let Some(outcome) = self.game.outcome() {
            self.end(outcome, Side::Red, faults);
        } else if let Some(outcome) = lost(&faults) {
            self.verdict(outcome, faults);
        } else {
            self.outputs.push(Output::Tell(Side::Red, "START\n".to_owned()));
            self.begin_turn();
        }
    }

    /// Submits a deployment. Returns the side's fault, if any. If an illegal deployment loses
    /// (§U7), the engine accepts it and judges it.
    fn deploy(&mut self, side: Side, setup: &Setup) -> Option<Fault> {
        let refusal = setup.deploy(side, self.terms.ruleset).err();
        if let Ok(events) = self.decide(side, &Command::Deploy(setup.clone())) {
            self.evolve(&events);
        }
        refusal.map(Fault::Deployment)
    }

    fn decide(&self, side: Side, command: &Command) -> Result<Events, Refusal> {
        decide(&self.game, side, self.game.ply(), command, self.stamp(), &self.terms.entropy[side])
    }

    fn evolve(&mut self, events: &Events) {
        let at = self.stamp();
        for event in events.iter() {
            evolve(&mut self.game, event, at);
            self.recorder.note(event, at);
        }
    }

    fn stamp(&self) -> Stamp {
        self.terms.created.plus_ms(millis(self.now))
    }

    /// Begins a side's turn: shows the board to the side, or handles the fault that it committed
    /// outside its turn.
    fn begin_turn(&mut self) {
        let Some(side) = self.game.turn() else { return };
        if let Some(fault) = self.unasked[side].take() {
            return self.fail(side, fault);
        }
        self.asked = self.now;
        let seen = view(&self.game, Viewer::Player(side), self.stamp());
        let board: String =
            line::board(&self.terms.ruleset.shape, side, &seen).iter().flat_map(|row| [row, "\n"]).collect();
        self.outputs.push(Output::Tell(side, board));
    }

    fn play(&mut self, side: Side, played: MoveText, answer: &str) {
        let illegal = |refusal| Fault::Move { answer: quoted(answer), refusal };
        let events = match self.decide(side, &Command::Move(played.squares.into())) {
            Ok(events) => events,
            Err(refusal) => return self.fail(side, illegal(Some(refusal))),
        };
        let ply = self.game.ply();
        self.evolve(&events);
        let told = PerSide::from_fn(|viewer| self.told(&events, viewer, played));
        self.moves.extend(told[side].map(|told| told.to_string()));
        match self.game.outcome() {
            // Here the ruleset itself makes the illegal act lose (§U7).
            Some(outcome) if self.game.ply() == ply => {
                self.end(outcome, side, only(side, illegal(None)));
            }
            Some(outcome) => self.end(outcome, side, PerSide::default()),
            None => {
                for viewer in [side, side.opponent()] {
                    let told = told[viewer].map(|told| Output::Tell(viewer, format!("{told}\n")));
                    self.outputs.extend(told);
                }
                self.begin_turn();
            }
        }
    }

    /// Returns the report of a ply for one side.
    fn told(&self, events: &Events, viewer: Side, played: MoveText) -> Option<MoveReport> {
        events.iter().find_map(|event| match see(event, &self.game, Viewer::Player(viewer)) {
            Some(GameEvent::Moved(seen)) => MoveReport::of(&seen, played.says_one),
            _ => None,
        })
    }

    /// Handles a fault of a program whose answer the bout was waiting for.
    fn fail(&mut self, side: Side, fault: Fault) {
        if self.game.phase() == Phase::Deploying {
            self.deploying[side].result = Some(Err(fault));
            self.outputs.push(Output::Mute(side));
            return self.judge_deployments();
        }
        let faults = only(side, fault);
        if let Some(outcome) = lost(&faults) {
            self.verdict(outcome, faults);
        }
    }

    fn verdict(&mut self, outcome: Outcome, faults: PerSide<Option<Fault>>) {
        let side = self.game.turn().unwrap_or(Side::Red);
        self.evolve(&decide_verdict(&self.game, outcome));
        self.end(outcome, side, faults);
    }

    fn end(&mut self, outcome: Outcome, side: Side, faults: PerSide<Option<Fault>>) {
        // Each side has at least its Flag on the board once the game has started.
        let has_started = !self.game.position().occupied(Side::Red).is_empty();
        let quit = Quit {
            name: self.terms.names[side].clone(),
            side,
            result: result(outcome, side),
            turn: if has_started { turn(self.game.ply(), side) } else { 0 },
            values: if has_started {
                let position = self.game.position();
                values(&self.terms.ruleset.army, |side, rank| position.captured(side)[rank])
            } else {
                PerSide::new(0, 0)
            },
        };
        self.outputs.extend(Side::BOTH.map(|side| Output::Tell(side, format!("{quit}\n"))));
        self.ending = Some(Ending { quit, outcome, faults });
    }
}

/// Returns this fault for `side`, and none for the other side.
fn only(side: Side, fault: Fault) -> PerSide<Option<Fault>> {
    let mut faults = PerSide::default();
    faults[side] = Some(fault);
    faults
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the outcome of a game that ends because of faults. `None` if there are no faults.
fn lost(faults: &PerSide<Option<Fault>>) -> Option<Outcome> {
    match (&faults.red, &faults.blue) {
        (None, None) => None,
        (Some(fault), None) => Some(Outcome { winner: Some(Side::Blue), reason: fault.reason() }),
        (None, Some(fault)) => Some(Outcome { winner: Some(Side::Red), reason: fault.reason() }),
        // Both programs broke the umpire's rules, so no one wins.
        (Some(_), Some(_)) => Some(Outcome { winner: None, reason: EndReason::IllegalAct }),
    }
}

/// Returns the protocol's word for an outcome. `side` is the side whose turn it was.
pub fn result(outcome: Outcome, side: Side) -> GameResult {
    use EndReason::{
        Abandoned, Aborted, BothBlocked, DrawAgreed, FlagCaptured, ForfeitedReserve, IllegalAct, NoLegalMove,
        OutOfTime, PlyLimit, QuietLimit, Resigned,
    };
    let has_won = outcome.winner.map(|winner| winner == side);
    match (outcome.reason, has_won) {
        (FlagCaptured | ForfeitedReserve | NoLegalMove, Some(true)) => GameResult::Victory,
        (FlagCaptured | ForfeitedReserve | NoLegalMove, Some(false)) => GameResult::Defeat,
        (Resigned, Some(false)) => GameResult::Surrender,
        (OutOfTime | Abandoned | IllegalAct, Some(false)) => GameResult::Illegal,
        (OutOfTime | Abandoned | IllegalAct | Resigned, Some(true)) => GameResult::Default,
        (OutOfTime | Abandoned | IllegalAct, None) => GameResult::BothIllegal,
        (BothBlocked | DrawAgreed, _) => GameResult::Draw,
        (QuietLimit | PlyLimit, _) => GameResult::DrawDefault,
        (Aborted, _) | (FlagCaptured | ForfeitedReserve | NoLegalMove | Resigned, None) => {
            GameResult::InternalError
        }
    }
}

/// Returns the number of the turn after this many plies. Red's first ply and Blue's first ply are
/// both turn 1. If the last ply ended the game, the result is the number of the turn with that
/// ply.
pub fn turn(plies: Ply, side: Side) -> u16 {
    let is_complete = plies % 2 == if side == Side::Red { 1 } else { 0 } && plies > 0;
    let index = if is_complete { plies - 1 } else { plies };
    index / 2 + 1
}

/// Returns the total value of each side's pieces on the board. Computes the values from the army
/// and the captured pieces, which are public.
pub fn values(army: &Army, captured: impl Fn(Side, Rank) -> u8) -> PerSide<u32> {
    PerSide::from_fn(|side| {
        let on_board = |rank: Rank| army.count(rank).saturating_sub(captured(side, rank));
        Rank::ALL.into_iter().map(|rank| u32::from(rank.strength()) * u32::from(on_board(rank))).sum()
    })
}

#[cfg(test)]
#[path = "bout/tests.rs"]
mod tests;
