//! One game between two programs, as a pure state machine: lines, faults and time come in, lines to say come out. It knows no process.
//!
//! A program is judged at its own turn: what it does while it is not asked (a line too many, its end) counts when its turn comes, so that a
//! verdict depends on what the programs did and not on which of them was quicker. While they deploy, both are asked at once; it is then
//! Red's turn.

use std::time::Duration;

use flagfall_board::{GameId, PerSide, Ply, Rank, Side, SquareSet, Stamp};
use flagfall_protocol::{GameRecord, Player, PlayerKind, Recorder, Terms, Time};
use flagfall_rules::{
    Army, Command, EndReason, Entropy, Events, Game, GameEvent, GameTerms, Outcome, Phase, Refusal, Ruleset,
    Setup, TimeControl, Viewer, decide, decide_verdict, evolve, see, view,
};

use crate::environment;
use crate::fault::Fault;
use crate::line::{self, Answer, GameResult, Opening, Quit, Step, Told, quoted};
use crate::lines::Cut;

/// How much longer than the umpire the game itself takes deployments: the umpire's verdict on a late one comes first.
const VERDICT_MS: u64 = 24 * 60 * 60 * 1000;

/// How long a program may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For each answer at its turn.
    pub turn: Duration,
    /// For the deployment.
    pub deploy: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { turn: Duration::from_secs(2), deploy: Duration::from_secs(2) }
    }
}

/// What a bout is made with.
#[derive(Clone, Debug)]
pub struct BoutTerms {
    /// The game's id.
    pub game: GameId,
    /// By which rules it is played.
    pub ruleset: &'static Ruleset,
    /// The lakes: the ruleset's, or those drawn for this game (§U2). Programs find them in their
    /// environment ([`Bout::variables`]); the dialogue shows them with the first board, too late to deploy.
    pub lakes: SquareSet,
    /// When it begins.
    pub created: Stamp,
    /// The programs' names, each a word of the protocol.
    pub names: PerSide<String>,
    /// How long they may take.
    pub limits: Limits,
    /// Chance for the commitments' salts.
    pub entropy: PerSide<Entropy>,
}

/// What happens to a bout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A program printed something.
    Said(Side, Cut),
    /// A program ended or closed its output.
    Gone(Side),
    /// So much waits to be read by a program that no more can be kept.
    Unread(Side),
    /// Time has passed.
    Tick,
    /// The umpire is to break the game off.
    Stop,
}

/// What a bout wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Tell a program these lines, each with its end.
    Tell(Side, String),
    /// Read no more from a program until the game is over: it has said more than it may.
    Mute(Side),
}

/// How much a program thought.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thinking {
    /// Answers at its turns.
    pub answers: u32,
    /// Time for all of them.
    pub total: Duration,
    /// Time for the slowest.
    pub longest: Duration,
}

/// How a bout ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The line both programs were told.
    pub quit: Quit,
    /// The end of the game.
    pub outcome: Outcome,
    /// What was wrong with which program.
    pub faults: PerSide<Option<Fault>>,
}

/// One game between two programs.
pub struct Bout {
    terms: BoutTerms,
    game: Game,
    recorder: Recorder,
    deploying: PerSide<Deploying>,
    /// What a program did while it was not asked.
    unasked: PerSide<Option<Fault>>,
    /// When the side to move was asked, or both sides for their deployments.
    asked: Duration,
    thinking: PerSide<Thinking>,
    moves: Vec<String>,
    ending: Option<Ending>,
}

#[derive(Default)]
struct Deploying {
    lines: Vec<String>,
    result: Option<Result<Setup, Fault>>,
}

impl Bout {
    /// A bout whose programs have not been asked for anything yet.
    #[must_use]
    pub fn new(terms: BoutTerms) -> Bout {
        let game = Game::new(GameTerms {
            game: terms.game,
            ruleset: terms.ruleset,
            lakes: terms.lakes,
            // The umpire's limits are per answer: no clock of the game's has such a form.
            time: TimeControl::Unlimited,
            deploy_ms: millis(terms.limits.deploy).saturating_add(VERDICT_MS),
            created: terms.created,
            secret: PerSide::new(false, false),
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
        }
    }

    /// What both programs find in their environment when they are started.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        environment::variables(self.terms.ruleset.id, self.terms.lakes)
    }

    /// Asks both programs for their deployments. Time counts from here.
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

    /// When the bout wants to be woken: an answer that comes later is late. None when it is over.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        if self.ending.is_some() {
            return None;
        }
        let Limits { turn, deploy } = self.terms.limits;
        Some(self.asked + if self.game.phase() == Phase::Deploying { deploy } else { turn })
    }

    /// How the bout ended, once it has.
    #[must_use]
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    #[cfg(test)]
    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    /// Turns taken.
    #[must_use]
    pub fn plies(&self) -> Ply {
        self.game.ply()
    }

    /// How much each program thought at its turns.
    #[must_use]
    pub fn thinking(&self) -> &PerSide<Thinking> {
        &self.thinking
    }

    /// The moves with their outcomes, as the mover was told, one a line: for the umpire's log.
    #[must_use]
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// The record of the game.
    #[must_use]
    pub fn record(self) -> GameRecord {
        let terms = Terms {
            ruleset: self.terms.ruleset.id.to_owned(),
            time: Time::Unlimited {},
            private: false,
            secret: false,
            rated: false,
        };
        let players = PerSide::from_fn(|side| {
            let name = self.terms.names[side].clone();
            Player { id: format!("program-{name}"), name, kind: PlayerKind::Guest }
        });
        self.recorder.record(Viewer::Public, terms, players)
    }

    /// Takes in what happened at a moment since the start.
    #[must_use]
    pub fn step(&mut self, now: Duration, input: Input) -> Vec<Output> {
        let mut outputs = Vec::new();
        if self.ending.is_some() {
            return outputs;
        }
        if self.deadline().is_some_and(|deadline| now > deadline) {
            self.time_passed(now, &mut outputs);
        }
        match input {
            Input::Tick => {}
            _ if self.ending.is_some() => {}
            Input::Stop => {
                let outcome = Outcome { winner: None, reason: EndReason::Aborted };
                self.verdict(now, outcome, PerSide::default(), &mut outputs);
            }
            Input::Said(side, cut) if self.is_asked(side) => self.answer(now, side, cut, &mut outputs),
            Input::Gone(side) if self.is_asked(side) => self.fail(now, side, Fault::Gone, &mut outputs),
            Input::Unread(side) if self.is_asked(side) => self.fail(now, side, Fault::Unread, &mut outputs),
            Input::Said(side, cut) => {
                let fault = match cut {
                    Cut::Line(line) => Fault::out_of_turn(&line),
                    Cut::TooLong => Fault::LineTooLong,
                    Cut::NotUtf8 => Fault::NotUtf8,
                };
                self.note_unasked(side, fault);
                outputs.push(Output::Mute(side));
            }
            Input::Gone(side) => self.note_unasked(side, Fault::Gone),
            Input::Unread(side) => self.note_unasked(side, Fault::Unread),
        }
        outputs
    }

    /// The first thing counts.
    fn note_unasked(&mut self, side: Side, fault: Fault) {
        self.unasked[side].get_or_insert(fault);
    }

    /// Whether an answer of this side is awaited.
    fn is_asked(&self, side: Side) -> bool {
        match self.game.phase() {
            Phase::Deploying => self.deploying[side].result.is_none(),
            Phase::Playing => self.game.turn() == Some(side),
            Phase::Over => false,
        }
    }

    fn time_passed(&mut self, now: Duration, outputs: &mut Vec<Output>) {
        let Limits { turn, deploy } = self.terms.limits;
        let limit = if self.game.phase() == Phase::Deploying { deploy } else { turn };
        for side in Side::BOTH {
            if self.ending.is_none() && self.is_asked(side) {
                self.fail(now, side, Fault::Late { limit }, outputs);
                if self.game.phase() == Phase::Playing {
                    return;
                }
            }
        }
    }

    fn answer(&mut self, now: Duration, side: Side, cut: Cut, outputs: &mut Vec<Output>) {
        let line = match cut {
            Cut::Line(line) => line,
            Cut::TooLong => return self.fail(now, side, Fault::LineTooLong, outputs),
            Cut::NotUtf8 => return self.fail(now, side, Fault::NotUtf8, outputs),
        };
        if self.game.phase() == Phase::Deploying {
            self.deployment_line(now, side, line, outputs);
            return;
        }
        let thought = now.saturating_sub(self.asked);
        let thinking = &mut self.thinking[side];
        thinking.answers += 1;
        thinking.total += thought;
        thinking.longest = thinking.longest.max(thought);
        match line.parse() {
            Ok(Answer::Step(step)) => self.play(now, side, step, &line, outputs),
            Ok(Answer::Surrender) => {
                let outcome = Outcome { winner: Some(side.opponent()), reason: EndReason::Resigned };
                self.verdict(now, outcome, PerSide::default(), outputs);
            }
            Err(error) => self.fail(now, side, Fault::Garbage(error), outputs),
        }
    }

    fn deployment_line(&mut self, now: Duration, side: Side, line: String, outputs: &mut Vec<Output>) {
        let ruleset = self.terms.ruleset;
        let deploying = &mut self.deploying[side];
        deploying.lines.push(line);
        if deploying.lines.len() == usize::from(ruleset.shape.home_rows) {
            let setup = line::read_deployment(&deploying.lines, side, ruleset).map_err(Fault::Garbage);
            deploying.result = Some(setup);
            self.judge_deployments(now, outputs);
        }
    }

    /// Once both sides have answered, or failed to, the game starts or is over.
    fn judge_deployments(&mut self, now: Duration, outputs: &mut Vec<Output>) {
        let PerSide { red: Deploying { result: Some(red), .. }, blue: Deploying { result: Some(blue), .. } } =
            &self.deploying
        else {
            return;
        };
        let results = PerSide::new(red.clone(), blue.clone());
        let mut faults: PerSide<Option<Fault>> = PerSide::default();
        for side in Side::BOTH {
            faults[side] = match &results[side] {
                Ok(setup) => self.deploy(now, side, setup),
                Err(fault) => Some(fault.clone()),
            };
        }
        if let Some(outcome) = self.game.outcome() {
            self.end(outcome, Side::Red, faults, outputs);
        } else if let Some(outcome) = lost(&faults) {
            self.verdict(now, outcome, faults, outputs);
        } else {
            outputs.push(Output::Tell(Side::Red, "START\n".to_owned()));
            self.ask(now, outputs);
        }
    }

    /// Hands a deployment in; what is wrong with it. Where a wrong one loses (§U7) the rules take it too, and judge it themselves.
    fn deploy(&mut self, now: Duration, side: Side, setup: &Setup) -> Option<Fault> {
        let refusal = setup.deploy(side, self.terms.ruleset).err();
        if let Ok(events) = self.decide(now, side, &Command::Deploy(setup.clone())) {
            self.evolve(now, events);
        }
        refusal.map(Fault::Deployment)
    }

    fn decide(&self, now: Duration, side: Side, command: &Command) -> Result<Events, Refusal> {
        decide(&self.game, side, self.game.ply(), command, self.stamp(now), &self.terms.entropy[side])
    }

    fn evolve(&mut self, now: Duration, events: Events) {
        let at = self.stamp(now);
        for event in events {
            evolve(&mut self.game, &event, at);
            self.recorder.note(&event, at);
        }
    }

    fn stamp(&self, now: Duration) -> Stamp {
        self.terms.created.plus_ms(millis(now))
    }

    /// Begins a side's turn: shows it the board, unless it has spoiled its turn already.
    fn ask(&mut self, now: Duration, outputs: &mut Vec<Output>) {
        let Some(side) = self.game.turn() else { return };
        if let Some(fault) = self.unasked[side].take() {
            self.fail(now, side, fault, outputs);
            return;
        }
        self.asked = now;
        let seen = view(&self.game, Viewer::Player(side), self.stamp(now));
        let board: String = line::board(&seen).iter().flat_map(|row| [row, "\n"]).collect();
        outputs.push(Output::Tell(side, board));
    }

    fn play(&mut self, now: Duration, side: Side, step: Step, answer: &str, outputs: &mut Vec<Output>) {
        let events = match self.decide(now, side, &Command::Move(step.squares.into())) {
            Ok(events) => events,
            Err(refusal) => {
                let fault = Fault::Move { answer: quoted(answer), refusal: Some(refusal) };
                return self.fail(now, side, fault, outputs);
            }
        };
        let ply = self.game.ply();
        self.evolve(now, events.clone());
        let told = PerSide::from_fn(|viewer| self.told(&events, viewer, step));
        if let Some(told) = told[side] {
            self.moves.push(told.to_string());
        }
        match self.game.outcome() {
            // The ruleset itself punishes illegal acts (§U7).
            Some(outcome) if self.game.ply() == ply => {
                let mut faults = PerSide::default();
                faults[side] = Some(Fault::Move { answer: quoted(answer), refusal: None });
                self.end(outcome, side, faults, outputs);
            }
            Some(outcome) => self.end(outcome, side, PerSide::default(), outputs),
            None => {
                for viewer in [side, side.opponent()] {
                    outputs.extend(told[viewer].map(|told| Output::Tell(viewer, format!("{told}\n"))));
                }
                self.ask(now, outputs);
            }
        }
    }

    /// What a side is told of a ply.
    fn told(&self, events: &Events, viewer: Side, step: Step) -> Option<Told> {
        events.iter().find_map(|event| match see(event, &self.game, Viewer::Player(viewer)) {
            Some(GameEvent::Moved(seen)) => Told::of(&seen, step.says_one),
            _ => None,
        })
    }

    /// A program lost by a fault while it was asked.
    fn fail(&mut self, now: Duration, side: Side, fault: Fault, outputs: &mut Vec<Output>) {
        if self.game.phase() == Phase::Deploying {
            self.deploying[side].result = Some(Err(fault));
            outputs.push(Output::Mute(side));
            self.judge_deployments(now, outputs);
            return;
        }
        let mut faults = PerSide::default();
        faults[side] = Some(fault);
        if let Some(outcome) = lost(&faults) {
            self.verdict(now, outcome, faults, outputs);
        }
    }

    fn verdict(
        &mut self,
        now: Duration,
        outcome: Outcome,
        faults: PerSide<Option<Fault>>,
        outputs: &mut Vec<Output>,
    ) {
        let side = self.game.turn().unwrap_or(Side::Red);
        self.evolve(now, decide_verdict(&self.game, outcome));
        self.end(outcome, side, faults, outputs);
    }

    fn end(
        &mut self,
        outcome: Outcome,
        side: Side,
        faults: PerSide<Option<Fault>>,
        outputs: &mut Vec<Output>,
    ) {
        // The armies stand from the start on, and Flags to the end.
        let has_started = !self.game.position().occupied(Side::Red).is_empty();
        let quit = Quit {
            name: self.terms.names[side].clone(),
            side,
            result: result(outcome, side),
            turn: if has_started { turn(self.game.ply(), side) } else { 0 },
            values: if has_started {
                let position = self.game.position();
                values(&self.terms.ruleset.army, |side, rank| position.captured(side)[rank as usize])
            } else {
                PerSide::new(0, 0)
            },
        };
        for side in Side::BOTH {
            outputs.push(Output::Tell(side, format!("{quit}\n")));
        }
        self.ending = Some(Ending { quit, outcome, faults });
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How a game ends that one side or both lost by a fault; none when nobody did.
fn lost(faults: &PerSide<Option<Fault>>) -> Option<Outcome> {
    match (&faults.red, &faults.blue) {
        (None, None) => None,
        (Some(fault), None) => Some(Outcome { winner: Some(Side::Blue), reason: fault.reason() }),
        (None, Some(fault)) => Some(Outcome { winner: Some(Side::Red), reason: fault.reason() }),
        // Whatever each of them did: neither side kept to the rules of the umpire.
        (Some(_), Some(_)) => Some(Outcome { winner: None, reason: EndReason::IllegalAct }),
    }
}

/// The protocol's word for an end, for the side whose turn it was.
#[must_use]
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

/// The turn of a side when so many plies are complete: Red's first ply and Blue's are both of turn 1. A ply that ended the game is complete, and
/// it was still the mover's turn.
#[must_use]
pub fn turn(plies: Ply, side: Side) -> u16 {
    let is_complete = plies % 2 == if side == Side::Red { 1 } else { 0 } && plies > 0;
    let index = if is_complete { plies - 1 } else { plies };
    index / 2 + 1
}

/// What each side's pieces on the board are worth: the armies less what was captured, both public.
#[must_use]
pub fn values(army: &Army, captured: impl Fn(Side, Rank) -> u8) -> PerSide<u32> {
    PerSide::from_fn(|side| {
        let on_board = |rank: Rank| army.count(rank).saturating_sub(captured(side, rank));
        Rank::ALL.into_iter().map(|rank| line::value(rank) * u32::from(on_board(rank))).sum()
    })
}

#[cfg(test)]
#[path = "bout/tests.rs"]
mod tests;
