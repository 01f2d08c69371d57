//! Reads games in Flagfall's own text format.

use flagfall_board::{ChipColor, GameId, PerSide, Side, Square, Stamp};
use flagfall_protocol::{
    Commitment, GameEvent, GameRecord, HexBytes, Laid, Move, Opened, PendingStrike, RECORD_FORMAT,
    RecordedEvent, SeenMove, SeenPlacing, SeenStrike, Time, Viewer,
};
use flagfall_rules::{Fate, Identity, Ruleset, strike_fates};
use flagfall_words::refusal_text;

use super::error::ImportError;
use super::plain::{blank, named, squeezed};
use super::told::{self, outcome_of};

/// The words with which text in this format begins.
pub(super) const FIRST_WORDS: &str = "Flagfall record";

/// Reads a game in this format and replays it to create the record. The results of strikes in the
/// text must be correct.
pub(super) fn read(text: &str) -> Result<GameRecord, ImportError> {
    let lines: Vec<(usize, &str)> =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
    let (acts, facts): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(_, line)| is_act(line));
    let facts = Facts(facts);
    let wanted = format!("{FIRST_WORDS} {RECORD_FORMAT}");
    if facts.0.first().is_none_or(|(_, line)| line.trim() != wanted) {
        return Err(ImportError::Form(format!("the text does not begin with {wanted:?}")));
    }
    let id = facts.of("Rules")?;
    let ruleset = Ruleset::parse(id).map_err(|error| refusal_text(&error))?;
    let mut told = facts.record(ruleset)?;
    for (line, act) in &acts {
        let event = act_of(act, ruleset).ok_or_else(|| ImportError::Line {
            line: *line,
            what: "a number, a side and a move are wanted, as in 1 Red a4a5".to_owned(),
        })?;
        told.events.push(RecordedEvent::new(Stamp(0), 0, event));
    }
    let (record, _) = told::play(&told, ruleset)?;
    if told.has_started() && !record.has_started() {
        return Err("the game was over before it began: the line \"Started: no\" is missing".into());
    }
    let written = record.to_string();
    let mut truths = written.lines().filter(|line| is_act(line));
    for (line, told) in &acts {
        let truth = truths.next().unwrap_or("nothing");
        if told.split_whitespace().ne(truth.split_whitespace()) {
            let what = format!("the text says {:?}, but the ply is {:?}", told.trim(), truth.trim());
            return Err(ImportError::Line { line: *line, what });
        }
    }
    Ok(record)
}

/// True if a line describes a ply or an event between plies.
fn is_act(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit() || first.is_whitespace())
}

/// The lines that consist of a name, a colon and a value, with their line numbers.
struct Facts<'a>(Vec<(usize, &'a str)>);

impl<'a> Facts<'a> {
    fn find(&self, name: &str) -> Result<Option<&'a str>, ImportError> {
        let value = |(line, text): &(usize, &'a str)| {
            Some((*line, text.strip_prefix(name)?.strip_prefix(':').map(str::trim)?))
        };
        let mut found = self.0.iter().filter_map(value);
        let first = found.next().map(|(_, text)| text);
        match found.next() {
            Some((line, _)) => {
                Err(ImportError::Line { line, what: format!("the line {name:?} occurs twice") })
            }
            None => Ok(first),
        }
    }

    fn of(&self, name: &str) -> Result<&'a str, ImportError> {
        self.find(name)?.ok_or_else(|| missing(name))
    }

    fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        name: &str,
    ) -> Result<Option<T>, ImportError> {
        let wrong = |error: T::Err| ImportError::Form(format!("{name}: {error}"));
        self.find(name)?.map(|text| text.parse().map_err(wrong)).transpose()
    }

    fn parse_of<T: std::str::FromStr<Err: std::fmt::Display>>(&self, name: &str) -> Result<T, ImportError> {
        self.parse(name)?.ok_or_else(|| missing(name))
    }

    /// Returns a record with everything except the plies.
    fn record(&self, ruleset: &'static Ruleset) -> Result<GameRecord, ImportError> {
        let audience = match self.find("Told to")? {
            None => Viewer::Public,
            Some("Red") => Viewer::Player(Side::Red),
            Some("Blue") => Viewer::Player(Side::Blue),
            Some(_) => return Err("a record is told to Red, to Blue, or to all".into()),
        };
        if self.find("Start")?.is_some() {
            return Err(
                "the game began with a position and not with deployments: only json tells that".into()
            );
        }
        let outcome = match self.of("Result")? {
            "none yet" => None,
            told => {
                let wanted = "the result is wanted as in Red wins (resigned), or none yet";
                Some(outcome_of(told).ok_or(wanted)?)
            }
        };
        let (mut commitments, mut deployments) = (PerSide::default(), PerSide::default());
        let mut names = PerSide::<String>::default();
        let mut events = Vec::new();
        for side in Side::BOTH {
            names[side] = named(self.of(&side.to_string())?);
            commitments[side] = self.parse::<Commitment>(&format!("{side} committed"))?;
            if let Some(setup) = self.find(&format!("{side} deployed"))? {
                let salt = self.parse_of::<HexBytes>(&format!("{side} salt"))?;
                deployments[side] = Some(Opened { setup: squeezed(setup), salt });
            }
            if let Some(setup) = self.find(&format!("{side} handed in"))? {
                if audience.side() != Some(side) {
                    return Err(format!("only {side} can know the deployment that {side} handed in").into());
                }
                let event = GameEvent::Deployed { setup: squeezed(setup) };
                events.push(RecordedEvent::new(Stamp(0), 0, event));
            }
        }
        match self.find("Started")? {
            None => events.push(RecordedEvent::new(Stamp(0), 0, GameEvent::Started { commitments })),
            Some("no") => {}
            Some(_) => return Err("Started: no is wanted, or no such line".into()),
        }
        let game = self.parse_of::<GameId>("Game")?;
        let time = time_of(self.of("Time")?)?;
        let squares = |told: &str| told.split_whitespace().map(str::parse::<Square>).collect();
        let lakes: Result<Option<Vec<Square>>, _> = self.find("Lakes")?.map(squares).transpose();
        let lakes = lakes.map_err(|error| error.to_string())?;
        let blank = blank(game, ruleset, time, &names, "text");
        Ok(GameRecord { lakes, audience, commitments, deployments, events, outcome, ..blank })
    }
}

fn missing(name: &str) -> ImportError {
    ImportError::Form(format!("the line {name:?} is missing"))
}

/// Parses a line into an event: a ply with its number, or an event between plies.
fn act_of(line: &str, ruleset: &Ruleset) -> Option<GameEvent> {
    let mut words = line.split_whitespace().peekable();
    let is_ply = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit())).is_some();
    let side = words.next().and_then(|word| Side::BOTH.into_iter().find(|side| side.to_string() == word))?;
    let word = words.next()?;
    let rest: Vec<&str> = words.collect();
    if !is_ply {
        return match (word, &rest[..]) {
            ("chooses", [rank]) => {
                let Identity::Known(rank) = rank.parse::<Identity>().ok()? else { return None };
                Some(GameEvent::Chosen { side, rank })
            }
            (word, ["strikes"]) => {
                let squares = word.parse::<Move>().ok()?;
                let owes = PerSide::default();
                Some(GameEvent::Struck(PendingStrike { side, squares, owes, own_choice: None }))
            }
            (word, []) => {
                let (square, color) = word.split_once('=')?;
                let (square, color) = (square.parse().ok()?, ChipColor::from_name(color)?);
                Some(GameEvent::Colored { side, square, color })
            }
            _ => None,
        };
    }
    if let Some(square) = word.strip_prefix('-') {
        return Some(GameEvent::Removed { side, square: square.parse().ok()? }).filter(|_| rest.is_empty());
    }
    if let Some((piece, at)) = word.split_once('@') {
        let (piece, labeled) = piece.strip_suffix('^').map_or((piece, false), |piece| (piece, true));
        let (square, color) = match at.split_once('=') {
            Some((square, color)) => (square, Some(ChipColor::from_name(color)?)),
            None => (at, None),
        };
        let (piece, square) = (piece.parse().ok()?, square.parse().ok()?);
        return Some(GameEvent::Placed(SeenPlacing { side, square, piece, labeled, color }))
            .filter(|_| rest.is_empty());
    }
    move_of(side, word, &rest, ruleset).map(GameEvent::Moved)
}

fn move_of(side: Side, word: &str, rest: &[&str], ruleset: &Ruleset) -> Option<SeenMove> {
    let mut seen =
        SeenMove { side, squares: word.parse().ok()?, piece: Identity::Hidden, strike: None, laid: None };
    let mut rest = rest;
    if let [laid, more @ ..] = rest
        && laid.contains('=')
    {
        seen.laid = Some(laid.parse::<Laid>().ok()?);
        rest = more;
    }
    match rest {
        [] => {}
        ["is", piece] => seen.piece = piece.parse().ok()?,
        [attacker, "strikes", defender, result @ ..] => {
            let attacker = attacker.parse::<Identity>().ok()?;
            let defender = defender.strip_suffix(':')?.parse::<Identity>().ok()?;
            let (attacker_fate, defender_fate) = match (attacker, defender) {
                (Identity::Known(attacker), Identity::Known(defender)) => {
                    strike_fates(ruleset, attacker, defender)
                }
                _ => match result {
                    ["both", "leave"] => (Fate::Leaves, Fate::Leaves),
                    ["both", "stay"] => (Fate::Stays, Fate::Stays),
                    ["the", "attacker", "leaves"] => (Fate::Leaves, Fate::Stays),
                    ["the", "defender", "leaves"] => (Fate::Advances, Fate::Leaves),
                    _ => return None,
                },
            };
            seen.piece = attacker;
            seen.strike = Some(SeenStrike { attacker, attacker_fate, defender, defender_fate });
        }
        _ => return None,
    }
    Some(seen)
}

fn time_of(text: &str) -> Result<Time, ImportError> {
    if text == "no clock" {
        return Ok(Time::Unlimited {});
    }
    let two = |one: &str, other: &str| Some((one.parse().ok()?, other.parse().ok()?));
    let days = text.strip_suffix(" days a move").or_else(|| text.strip_suffix(" day a move"));
    let time = if let Some(days) = days {
        days.parse().ok().map(|days| Time::Correspondence { days })
    } else if let Some(text) = text.strip_suffix(" s of each turn free") {
        let both = text.split_once(" s, ").and_then(|(base, free)| two(base, free));
        both.map(|(base_s, free_s)| Time::Delay { base_s, free_s })
    } else {
        let text = text.strip_suffix(" s a move").and_then(|text| text.split_once(" s + "));
        let both = text.and_then(|(base, increment)| two(base, increment));
        both.map(|(base_s, increment_s)| Time::Fischer { base_s, increment_s })
    };
    let wanted = "the time is wanted as in 600 s + 5 s a move, 600 s, 5 s of each turn free, 3 days a move, or no clock";
    time.ok_or(wanted.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clock_is_read_as_records_write_it() {
        for (text, time) in [
            ("no clock", Time::Unlimited {}),
            ("600 s + 5 s a move", Time::Fischer { base_s: 600, increment_s: 5 }),
            ("600 s, 5 s of each turn free", Time::Delay { base_s: 600, free_s: 5 }),
            ("1 day a move", Time::Correspondence { days: 1 }),
            ("3 days a move", Time::Correspondence { days: 3 }),
        ] {
            assert_eq!(time_of(text).ok(), Some(time), "{text}");
        }
        for text in ["", "600 s", "days a move", "600 s + 5 s of each turn free"] {
            assert!(time_of(text).is_err(), "{text:?}");
        }
    }
}
