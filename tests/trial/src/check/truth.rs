//! What really happened in a game: read from its full records, played again on the checker's own board.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::board::{At, Board, Color, Strike, read_move};
use super::findings::{Fault, Findings};
use crate::log::GameLog;

/// The sides' names in messages, by color.
pub(super) const SIDES: [&str; 2] = ["red", "blue"];

/// Something that happened, as one audience is told it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fact {
    /// The audience's own deployment was taken.
    Deployed(String),
    /// A side is ready.
    Ready(Color),
    /// The game started.
    Started,
    /// A ply.
    Moved(At, At),
    /// A draw was offered.
    DrawOffered(Color),
    /// An offer was declined.
    DrawDeclined(Color),
    /// Clocks stand still since then.
    Paused(u64),
    /// Clocks run again, since then if it is named.
    Resumed(Option<u64>),
    /// The end: who won, and why.
    Ended(Option<Color>, String),
}

/// A fact and its stamp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Told {
    /// In milliseconds since 1970.
    pub at: u64,
    /// What of the network's delay was given back to the side that moved, in milliseconds.
    pub lag: u64,
    /// What.
    pub fact: Fact,
}

/// The truth of a game that ended.
#[derive(Debug)]
pub(super) struct Truth {
    /// The game's id.
    pub game: String,
    /// The ruleset's id.
    pub ruleset: String,
    /// When it was made.
    pub created: u64,
    /// Base time and increment in milliseconds.
    pub time: Option<(u64, u64)>,
    /// Whose deployment stays private to the public.
    pub secret: [bool; 2],
    /// Deployments, opened.
    pub setups: [String; 2],
    /// Salts, opened.
    pub salts: [String; 2],
    /// Commitments, as published.
    pub commitments: [Value; 2],
    /// What Red, Blue and the public were told, by their numbers from 1.
    pub timelines: [Vec<Told>; 3],
    /// The board before the first ply and after each.
    pub boards: Vec<Board>,
    /// What came of each ply's strike.
    pub strikes: Vec<Option<Strike>>,
    /// The squares of each ply.
    pub moves: Vec<(At, At)>,
}

/// A side's color.
#[must_use]
pub(super) fn color_of(value: &Value) -> Option<Color> {
    SIDES.iter().position(|name| value.as_str() == Some(name))
}

fn fact_of(event: &Value) -> Option<Fact> {
    let side = || color_of(&event["side"]);
    Some(match event["kind"].as_str()? {
        "deployed" => Fact::Deployed(event["setup"].as_str()?.to_owned()),
        "ready" => Fact::Ready(side()?),
        "started" => Fact::Started,
        "moved" => {
            let (from, to) = read_move(event["move"].as_str()?)?;
            Fact::Moved(from, to)
        }
        "draw_offered" => Fact::DrawOffered(side()?),
        "draw_declined" => Fact::DrawDeclined(side()?),
        "paused" => Fact::Paused(event["since"].as_u64()?),
        "resumed" => Fact::Resumed(event["since"].as_u64()),
        "ended" => {
            let outcome = &event["outcome"];
            Fact::Ended(color_of(&outcome["winner"]), outcome["reason"].as_str()?.to_owned())
        }
        _ => return None,
    })
}

fn timeline(record: &Value, name: &str, findings: &mut Findings) -> Option<Vec<Told>> {
    let mut told: Vec<Told> = Vec::new();
    for one in record["events"].as_array()? {
        let fact = fact_of(&one["event"])?;
        let is_ply = matches!(fact, Fact::Moved(..) | Fact::Started | Fact::Ended(..));
        if is_ply && told.last().is_some_and(|last| last.fact == fact) {
            findings.fault(Fault::Doubled, format!("{name}: twice in the record: {fact:?}"));
            continue;
        }
        told.push(Told { at: one["at"].as_u64()?, lag: one["lag_ms"].as_u64().unwrap_or(0), fact });
    }
    Some(told)
}

fn is_of_deploying(fact: &Fact) -> bool {
    matches!(fact, Fact::Deployed(_) | Fact::Ready(_))
}

impl Truth {
    /// Reads a game's records. Faults that keep it from being read are counted, and nothing comes back.
    pub(super) fn read(log: &GameLog, findings: &mut Findings) -> Option<Truth> {
        let parsed: Vec<Value> =
            log.records.iter().filter_map(|record| serde_json::from_str(record).ok()).collect();
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
        let timelines = [
            timeline(red, &log.game, findings)?,
            timeline(blue, &log.game, findings)?,
            timeline(public, &log.game, findings)?,
        ];
        let open = |of: &str, what: &str| Some(red["deployments"][of][what].as_str()?.to_owned());
        let time = &red["terms"]["time"];
        let time = match time["kind"].as_str()? {
            "unlimited" => None,
            _ => Some((time["base_s"].as_u64()? * 1000, time["increment_s"].as_u64()? * 1000)),
        };
        let ruleset = red["terms"]["ruleset"].as_str()?.to_owned();
        let setups = [open("red", "setup")?, open("blue", "setup")?];
        let mut truth = Truth {
            game: log.game.clone(),
            boards: vec![Board::deployed(&ruleset, [&setups[0], &setups[1]])?],
            ruleset,
            created: red["created"].as_u64()?,
            time,
            secret: [log.plan.terms.secret, log.plan.is_blue_secret],
            setups,
            salts: [open("red", "salt")?, open("blue", "salt")?],
            commitments: SIDES.map(|side| red["commitments"][side].clone()),
            timelines,
            strikes: Vec::new(),
            moves: Vec::new(),
        };
        truth.replay(findings);
        truth.compare_timelines(findings);
        truth.verify_commitments(findings);
        Some(truth)
    }

    /// Whether the game ended by a flag.
    #[must_use]
    pub(super) fn is_out_of_time(&self) -> bool {
        matches!(self.timelines[0].last(), Some(Told { fact: Fact::Ended(_, reason), .. }) if reason == "out_of_time")
    }

    /// Every deployment a side handed in, those it changed among them.
    pub(crate) fn deployments_of(&self, color: Color) -> impl Iterator<Item = &String> {
        let handed_in = self.timelines[color].iter().filter_map(|told| match &told.fact {
            Fact::Deployed(setup) => Some(setup),
            _ => None,
        });
        handed_in.chain([&self.setups[color]])
    }

    fn replay(&mut self, findings: &mut Findings) {
        for told in &self.timelines[0] {
            match &told.fact {
                Fact::Moved(from, to) => {
                    let Some(mut board) = self.boards.last().cloned() else { return };
                    match board.play(*from, *to) {
                        Ok(strike) => {
                            self.boards.push(board);
                            self.strikes.push(strike);
                            self.moves.push((*from, *to));
                        }
                        Err(why) => {
                            findings.fault(Fault::Differs, format!("{}: an unlawful ply: {why}", self.game));
                        }
                    }
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
        findings.plies += self.moves.len() as u64;
        if !matches!(self.timelines[0].last(), Some(Told { fact: Fact::Ended(..), .. })) {
            findings.fault(Fault::Unended, format!("{}: the record has no end", self.game));
        }
    }

    /// Whether the board says what the end says.
    fn judge_end(&self, winner: Option<Color>, reason: &str) -> Result<(), &'static str> {
        let Some(board) = self.boards.last() else { return Err("there is no board") };
        let is_flag = self.strikes.last().copied().flatten().is_some_and(|strike| strike.defender.0 == 'F');
        let (mover, other) = (board.turn, 1 - board.turn);
        let is_blocked = !board.can_move(mover);
        let is_right = match reason {
            "flag_captured" => is_flag && winner == Some(other),
            "no_legal_move" => !is_flag && is_blocked && board.can_move(other) && winner == Some(other),
            "both_blocked" => !is_flag && is_blocked && !board.can_move(other) && winner.is_none(),
            "quiet_limit" => !is_flag && !is_blocked && board.quiet >= 200 && winner.is_none(),
            "ply_limit" => !is_flag && !is_blocked && board.ply >= 5000 && winner.is_none(),
            "draw_agreed" => !is_flag && !is_blocked && winner.is_none(),
            "resigned" | "out_of_time" => !is_flag && !is_blocked && winner.is_some(),
            _ => false,
        };
        if is_right { Ok(()) } else { Err("the board says otherwise") }
    }

    /// All audiences were told the same, but for who deployed what.
    fn compare_timelines(&self, findings: &mut Findings) {
        let shared =
            |audience: usize| self.timelines[audience].iter().filter(|told| !is_of_deploying(&told.fact));
        for audience in 1..3 {
            if !shared(0).eq(shared(audience)) {
                findings
                    .fault(Fault::Differs, format!("{}: the records of the audiences disagree", self.game));
            }
        }
        for (audience, timeline) in self.timelines.iter().enumerate() {
            for color in 0..2 {
                let expected = usize::from(audience != color);
                let ready = timeline.iter().filter(|told| told.fact == Fact::Ready(color)).count();
                if ready != expected {
                    findings.fault(Fault::Differs, format!("{}: ready was told {ready} times", self.game));
                }
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

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect()
}
