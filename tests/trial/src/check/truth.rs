//! The true course of a game, reconstructed from its full records on the checker's own board.

use std::sync::Arc;

use flagfall_second_opinion::{
    At, Board, BoardEvent, Color, Rules, Strike, chip_of, letter_of, read_move, read_squares, rules,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::findings::{Fault, Findings};
use crate::log::GameLog;

/// The sides' names in messages, by color.
pub(super) const SIDES: [&str; 2] = ["red", "blue"];

/// A fact about a game, as one audience sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fact {
    /// The audience's own deployment was accepted.
    Deployed(String),
    Ready(Color),
    Started,
    /// An event on the board, caused by this side.
    Board(Color, BoardEvent),
    /// A side's choice for its coin in a strike (§Q4).
    Chosen(Color, char),
    DrawOffered(Color),
    DrawDeclined(Color),
    /// The clocks have been stopped since this moment.
    Paused(u64),
    /// The clocks run again, since this moment if it is given.
    Resumed(Option<u64>),
    /// The end: who won, and why.
    Ended(Option<Color>, String),
}

impl Fact {
    /// True if the fact is a ply, which ends its side's turn.
    fn is_ply(&self) -> bool {
        matches!(self, Fact::Board(_, step) if step.is_ply())
    }

    /// True if two audiences were told the same. The rank of a piece from a reserve may differ,
    /// because one of the audiences must not know it.
    fn is_like(&self, other: &Fact) -> bool {
        let letter = |fact: &Fact| match fact {
            Fact::Board(_, BoardEvent::Placed { letter, .. }) => Some(*letter),
            _ => None,
        };
        let mut veiled = [self, other].map(Clone::clone);
        if [self, other].into_iter().any(|fact| letter(fact) == Some('?')) {
            for fact in &mut veiled {
                if let Fact::Board(_, BoardEvent::Placed { letter, .. }) = fact {
                    *letter = '?';
                }
            }
        }
        veiled[0] == veiled[1]
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct StampedFact {
    /// The stamp, in milliseconds since 1970.
    pub at: u64,
    /// The lag compensation for the side that acted, in milliseconds.
    pub lag: u64,
    /// True if the fact is only in the record, because it is the other side's choice.
    pub is_hidden: bool,
    /// The fact.
    pub fact: Fact,
}

/// A step on the board and its result.
#[derive(Debug)]
pub(super) struct Taken {
    pub color: Color,
    /// The ply at which the step was made.
    pub ply: u64,
    pub step: BoardEvent,
    pub strike: Option<Strike>,
}

impl Taken {
    /// Returns the squares, if the step is a ply between two squares.
    #[must_use]
    pub(super) fn squares(&self) -> Option<(At, At)> {
        match self.step {
            BoardEvent::Moved { from, to, .. } => Some((from, to)),
            _ => None,
        }
    }
}

/// The truth of a game that ended.
#[derive(Debug)]
pub(super) struct Truth {
    /// The game's id.
    pub game: String,
    /// The ruleset's id and its rules.
    pub ruleset: String,
    pub rules: Arc<Rules>,
    /// The time at which the game was created.
    pub created: u64,
    /// Base time and increment in milliseconds.
    pub time: Option<(u64, u64)>,
    /// The sides whose deployments stay hidden from the public.
    pub secret: [bool; 2],
    /// The revealed deployments and salts. Empty if the ruleset has none.
    pub setups: [String; 2],
    pub salts: [String; 2],
    /// Commitments, as published.
    pub commitments: [Value; 2],
    /// The facts that Red, Blue and the public were told, in order.
    pub timelines: [Vec<StampedFact>; 3],
    /// The board before the first step and after each step.
    pub boards: Vec<Board>,
    /// The steps.
    pub steps: Vec<Taken>,
}

#[must_use]
pub(super) fn color_of(value: &Value) -> Option<Color> {
    SIDES.iter().position(|name| value.as_str() == Some(name))
}

fn letter_in(value: &Value) -> Option<char> {
    value.as_str()?.chars().next()
}

/// Returns the step on the board, if the event is one.
fn step_of(event: &Value, rules: &Rules) -> Option<BoardEvent> {
    let square = || At::read(event["square"].as_str()?);
    let chip = || event["color"].as_str().and_then(chip_of);
    Some(match event["kind"].as_str()? {
        "moved" => {
            let (from, to) = read_move(event["move"].as_str()?)?;
            let laid = match event["laid"].as_str() {
                Some(laid) => {
                    let (squares, color) = laid.split_once('=')?;
                    Some((read_squares(squares)?, color.chars().next()?))
                }
                None => None,
            };
            let strike = event.get("strike").filter(|_| rules.coins);
            let ranks =
                strike.and_then(|strike| letter_in(&strike["attacker"]).zip(letter_in(&strike["defender"])));
            BoardEvent::Moved { from, to, laid, ranks }
        }
        "struck" => {
            let (from, to) = read_move(event["move"].as_str()?)?;
            BoardEvent::Struck { from, to }
        }
        "removed" => BoardEvent::Removed(square()?),
        "placed" => BoardEvent::Placed {
            at: square()?,
            letter: letter_in(&event["piece"])?,
            is_labeled: event["labeled"] == true,
            chip: chip(),
        },
        "colored" => BoardEvent::Colored(square()?, chip()?),
        _ => return None,
    })
}

fn fact_of(event: &Value, rules: &Rules) -> Option<Fact> {
    let side = || color_of(&event["side"]);
    Some(match event["kind"].as_str()? {
        "deployed" => Fact::Deployed(event["setup"].as_str()?.to_owned()),
        "ready" => Fact::Ready(side()?),
        "started" => Fact::Started,
        "chosen" => Fact::Chosen(side()?, letter_of(event["rank"].as_str()?)?),
        "draw_offered" => Fact::DrawOffered(side()?),
        "draw_declined" => Fact::DrawDeclined(side()?),
        "paused" => Fact::Paused(event["since"].as_u64()?),
        "resumed" => Fact::Resumed(event["since"].as_u64()),
        "ended" => {
            let outcome = &event["outcome"];
            Fact::Ended(color_of(&outcome["winner"]), outcome["reason"].as_str()?.to_owned())
        }
        _ => Fact::Board(side()?, step_of(event, rules)?),
    })
}

fn timeline(
    (record, audience): (&Value, usize),
    (name, rules): (&str, &Rules),
    findings: &mut Findings,
) -> Option<Vec<StampedFact>> {
    let mut told: Vec<StampedFact> = Vec::new();
    for one in record["events"].as_array()? {
        let fact = fact_of(&one["event"], rules)?;
        let is_once = matches!(fact, Fact::Board(..) | Fact::Started | Fact::Ended(..));
        if is_once && told.last().is_some_and(|last| last.fact == fact) {
            findings.fault(Fault::Doubled, format!("{name}: twice in the record: {fact:?}"));
            continue;
        }
        let is_hidden = matches!(fact, Fact::Chosen(color, _) if color != audience);
        told.push(StampedFact {
            at: one["at"].as_u64()?,
            lag: one["lag_ms"].as_u64().unwrap_or(0),
            is_hidden,
            fact,
        });
    }
    Some(told)
}

fn is_of_deploying(fact: &Fact) -> bool {
    matches!(fact, Fact::Deployed(_) | Fact::Ready(_))
}

/// Returns the index of the first choice in a strike that was never resolved. Such choices stay
/// private (§Q4).
fn first_unresolved(timeline: &[StampedFact]) -> usize {
    let is_ply = |told: &StampedFact| told.fact.is_ply();
    timeline.iter().rposition(is_ply).map_or(0, |last| last + 1)
}

/// Returns the lakes of a game, ordered by row and column: the ruleset's lakes, or two lakes that
/// were drawn (§U2).
fn lakes_of(record: &Value, rules: &Rules) -> Option<Arc<[At]>> {
    let Some(fixed) = rules.lakes else {
        let drawn = record["lakes"].as_array()?.iter().map(|square| At::read(square.as_str()?));
        let drawn: Vec<At> = drawn.collect::<Option<_>>()?;
        let row = |row: i8| drawn.iter().filter(move |at| at.row == row).map(|at| at.column);
        let columns: Vec<i8> = row(4).collect();
        let is_pair = matches!(columns[..], [a, b, c, d] if b == a + 1 && c > b && d == c + 1);
        return (is_pair && drawn.len() == 8 && row(5).eq(columns)).then(|| drawn.into());
    };
    fixed.iter().map(|square| At::read(square)).collect()
}

impl Truth {
    /// Reads a game's records. If faults prevent this, counts the faults and returns `None`.
    pub(super) fn read(log: &GameLog, findings: &mut Findings) -> Option<Truth> {
        let parsed: Vec<Value> =
            log.records.iter().filter_map(|record| serde_json::from_str(record).ok()).collect();
        // The command that ended the game was acknowledged, so the end must be in the record.
        let is_cut = |record: &Value| {
            record["events"]
                .as_array()
                .is_some_and(|events| !events.last().is_some_and(|last| last["event"]["kind"] == "ended"))
        };
        if parsed.iter().any(is_cut) && log.was_end_shown() {
            findings.fault(Fault::Missing, format!("{}: the end that its clients saw", log.game));
        }
        let truth = Truth::from_records(log, &parsed, findings);
        if truth.is_none() {
            findings.fault(
                Fault::Unended,
                format!("{}: the record cannot be read: {:?}", log.game, log.records[0]),
            );
        }
        truth
    }

    fn from_records(log: &GameLog, records: &[Value], findings: &mut Findings) -> Option<Truth> {
        let [red, blue, public] = records else { return None };
        let ruleset = red["terms"]["ruleset"].as_str()?.to_owned();
        let rules = Arc::new(rules(&ruleset)?);
        let mut timeline = |record, audience| timeline((record, audience), (&log.game, &rules), findings);
        let timelines = [timeline(red, 0)?, timeline(blue, 1)?, timeline(public, 2)?];
        let open = |of: &str, what: &str| match red["deployments"][of][what].as_str() {
            None if rules.coins => Some(String::new()),
            found => found.map(str::to_owned),
        };
        let time = &red["terms"]["time"];
        let time = match time["kind"].as_str()? {
            "unlimited" => None,
            _ => Some((time["base_s"].as_u64()? * 1000, time["increment_s"].as_u64()? * 1000)),
        };
        let setups = [open("red", "setup")?, open("blue", "setup")?];
        let mut truth = Truth {
            game: log.game.clone(),
            boards: vec![Board::start(Arc::clone(&rules), lakes_of(red, &rules)?, [&setups[0], &setups[1]])?],
            ruleset,
            rules: Arc::clone(&rules),
            created: red["created"].as_u64()?,
            time,
            secret: [log.plan.terms.secret, log.plan.is_blue_secret],
            setups,
            salts: [open("red", "salt")?, open("blue", "salt")?],
            commitments: SIDES.map(|side| red["commitments"][side].clone()),
            timelines,
            steps: Vec::new(),
        };
        truth.replay(findings);
        truth.compare_timelines(findings);
        truth.compare_choices(findings);
        if !truth.rules.coins {
            truth.verify_commitments(findings);
        }
        Some(truth)
    }

    /// True if the game ended because a side's flag fell.
    #[must_use]
    pub(super) fn is_out_of_time(&self) -> bool {
        matches!(self.timelines[0].last(), Some(StampedFact { fact: Fact::Ended(_, reason), .. }) if reason == "out_of_time")
    }

    /// Returns every deployment that a side submitted, including those that it later replaced.
    pub(crate) fn deployments_of(&self, color: Color) -> impl Iterator<Item = &String> {
        let handed_in = self.timelines[color].iter().filter_map(|told| match &told.fact {
            Fact::Deployed(setup) => Some(setup),
            _ => None,
        });
        handed_in.chain([&self.setups[color]])
    }

    fn replay(&mut self, findings: &mut Findings) {
        let mut chosen = [None; 2];
        for told in &self.timelines[0] {
            match &told.fact {
                Fact::Board(color, step) => {
                    let Some(mut board) = self.boards.last().cloned() else { return };
                    let wrong = |why: &str| format!("{}: an unlawful step: {step:?}: {why}", self.game);
                    if *color != board.turn {
                        findings.fault(Fault::Differs, wrong("it was the other side's turn"));
                        continue;
                    }
                    let ply = board.ply;
                    match board.take(step) {
                        Ok(strike) => {
                            self.boards.push(board);
                            let step = step.clone();
                            if let Some(why) = said_otherwise(&mut chosen, *color, &step) {
                                findings.fault(Fault::Differs, format!("{}: {why}", self.game));
                            }
                            self.steps.push(Taken { color: *color, ply, step, strike });
                        }
                        Err(why) => findings.fault(Fault::Differs, wrong(&why)),
                    }
                }
                Fact::Chosen(color, letter) => {
                    let before = chosen[*color].replace(*letter);
                    before.iter().for_each(|_| {
                        findings.fault(Fault::Doubled, format!("{}: a choice was made twice", self.game));
                    });
                }
                Fact::Ended(winner, reason) => {
                    if let Err(why) = self.judge_end(*winner, reason) {
                        findings.fault(Fault::Differs, format!("{}: ended by {reason}: {why}", self.game));
                    }
                    *findings.ended.entry(reason.clone()).or_default() += 1;
                }
                _ => {}
            }
        }
        findings.plies += self.boards.last().map_or(0, |board| board.ply);
        if !matches!(self.timelines[0].last(), Some(StampedFact { fact: Fact::Ended(..), .. })) {
            findings.fault(Fault::Unended, format!("{}: the record has no end", self.game));
        }
    }

    /// Checks that the end agrees with the board.
    fn judge_end(&self, winner: Option<Color>, reason: &str) -> Result<(), &'static str> {
        let Some(board) = self.boards.last() else { return Err("there is no board") };
        let other = 1 - board.turn;
        let is_right = match (board.verdict(), reason) {
            (Some(verdict), _) => (verdict.reason, verdict.winner) == (reason, winner),
            (None, "draw_agreed") => winner.is_none(),
            (None, "illegal_act") => self.rules.illegal_loses && winner == Some(other),
            (None, "resigned") => winner.is_some(),
            // If both sides' time runs out at the same moment, neither side wins (§Q4).
            (None, "out_of_time") => winner.is_some() || board.pending.is_some(),
            _ => false,
        };
        if is_right { Ok(()) } else { Err("the board says otherwise") }
    }

    /// Checks that all audiences were told the same, except for deployments and choices that were
    /// never resolved.
    fn compare_timelines(&self, findings: &mut Findings) {
        let shared = |audience: usize| {
            let timeline = &self.timelines[audience];
            let end = first_unresolved(timeline);
            let told = timeline.iter().enumerate();
            told.filter(move |(at, told)| {
                let is_unresolved = *at >= end && matches!(told.fact, Fact::Chosen(..));
                !is_unresolved && !is_of_deploying(&told.fact)
            })
            .map(|(_, told)| told)
        };
        for audience in 1..3 {
            let is_alike = |one: &StampedFact, other: &StampedFact| {
                (one.at, one.lag) == (other.at, other.lag) && one.fact.is_like(&other.fact)
            };
            let are_as_many = shared(0).count() == shared(audience).count();
            if !are_as_many || !shared(0).zip(shared(audience)).all(|(one, other)| is_alike(one, other)) {
                findings
                    .fault(Fault::Differs, format!("{}: the records of the audiences disagree", self.game));
            }
        }
        for (audience, timeline) in self.timelines.iter().enumerate() {
            for color in 0..2 {
                let expected = usize::from(audience != color && !self.rules.coins);
                let ready = timeline.iter().filter(|told| told.fact == Fact::Ready(color)).count();
                if ready != expected {
                    findings.fault(Fault::Differs, format!("{}: ready was told {ready} times", self.game));
                }
            }
        }
    }

    /// Checks that the choices in a strike that was never resolved are not shown to the other
    /// side, not even in the record.
    fn compare_choices(&self, findings: &mut Findings) {
        for timeline in &self.timelines {
            let end = first_unresolved(timeline);
            if timeline[end..].iter().any(|told| told.is_hidden) {
                findings.fault(Fault::Leak, format!("{}: a choice that was never resolved", self.game));
            }
        }
    }

    fn verify_commitments(&self, findings: &mut Findings) {
        for (color, side) in SIDES.into_iter().enumerate() {
            findings.commitments += 1;
            let mut hash = Sha256::new();
            hash.update(b"flagfall-commitment-1\0");
            hash.update(self.game.as_bytes());
            hash.update([0]);
            hash.update(side.as_bytes());
            hash.update([0]);
            hash.update(self.setups[color].as_bytes());
            hash.update([0]);
            hash.update(bytes_of(&self.salts[color]).unwrap_or_default());
            let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            if self.commitments[color].as_str() != Some(hex.as_str()) {
                findings.fault(Fault::Commitment, format!("{}: {side}'s commitment", self.game));
            }
        }
    }
}

/// Returns a description of the problem if the pieces of a strike differ from the sides' choices.
/// Clears the choices when the strike is resolved.
fn said_otherwise(chosen: &mut [Option<char>; 2], color: Color, step: &BoardEvent) -> Option<String> {
    let BoardEvent::Moved { ranks, .. } = step else { return None };
    let of = std::mem::take(chosen);
    let (attacker, defender) = (*ranks)?;
    let is_as_chosen = |color: Color, letter: char| of[color].is_none_or(|chosen| chosen == letter);
    let is_right = is_as_chosen(color, attacker) && is_as_chosen(1 - color, defender);
    (!is_right).then(|| format!("{step:?} is not what was chosen: {of:?}"))
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect()
}
