//! Our text for people, read back.

use flagfall_board::{GameId, PerSide, Side, Square};
use flagfall_protocol::{GameRecord, HexBytes, Time};
use flagfall_rules::{Move, Ruleset};

use super::ImportError;
use super::plain::{Bonds, Plain, outcome_of, squeezed};

/// How such a text begins.
pub(super) const FIRST_WORDS: &str = "Flagfall record";

/// The game of the text. What it tells of strikes must be what comes of them.
pub(super) fn read(text: &str) -> Result<GameRecord, ImportError> {
    let lines: Vec<(usize, &str)> =
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).collect();
    let is_ply = |line: &str| line.trim_start().starts_with(|first: char| first.is_ascii_digit());
    let (plies, facts): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(_, line)| is_ply(line));
    let facts = Facts(facts);
    let wanted = format!("{FIRST_WORDS} {}", flagfall_protocol::RECORD_FORMAT);
    if facts.0.first().is_none_or(|(_, line)| line.trim() != wanted) {
        return Err(ImportError::Form(format!("the text does not begin with {wanted:?}")));
    }
    let id = facts.of("Rules")?;
    let ruleset = Ruleset::parse(id).map_err(|error| ImportError::Rules(error.to_string()))?;
    let per_side = |what: &str| -> Result<PerSide<&str>, ImportError> {
        Ok(PerSide::new(facts.of(&format!("Red{what}"))?, facts.of(&format!("Blue{what}"))?))
    };
    let names = per_side("")?;
    let deployed = per_side(" deployed").map_err(|_| {
        ImportError::Form("the text does not tell both deployments: only whole games can be read".to_owned())
    })?;
    let salts = per_side(" salt")?;
    let mut bonds = Bonds {
        game: facts.parse::<GameId>("Game")?,
        salts: PerSide::new(hex("Red", salts.red)?, hex("Blue", salts.blue)?),
        commitments: PerSide::default(),
    };
    for side in Side::BOTH {
        if let Ok(commitment) = facts.of(&format!("{side} committed")) {
            bonds.commitments[side] = Some(hex(&side.to_string(), commitment)?);
        }
    }
    let outcome = outcome_of(facts.of("Result")?)
        .ok_or_else(|| ImportError::Form("the result is not one of a game that is over".to_owned()))?;
    let lakes = match facts.of("Lakes") {
        Err(_) => None,
        Ok(told) => Some(
            told.split_whitespace()
                .map(str::parse::<Square>)
                .collect::<Result<_, _>>()
                .map_err(|error| ImportError::Form(error.to_string()))?,
        ),
    };
    let mut moves = Vec::with_capacity(plies.len());
    for (line, told) in &plies {
        let squares = told.split_whitespace().nth(2).and_then(|word| word.parse::<Move>().ok());
        moves.push(squares.ok_or_else(|| ImportError::Line {
            line: *line,
            what: "a number, a side and a move are wanted, as in 1 Red a4a5".to_owned(),
        })?);
    }
    let plain = Plain {
        ruleset,
        lakes,
        time: time_of(facts.of("Time")?)?,
        players: PerSide::new(names.red.to_owned(), names.blue.to_owned()),
        deployments: PerSide::new(squeezed(deployed.red), squeezed(deployed.blue)),
        moves,
        outcome,
        bonds: Some(bonds),
    };
    let record = plain.into_record("text")?;
    let written = record.to_string();
    let true_plies = written.lines().filter(|line| is_ply(line));
    for ((line, told), truth) in plies.iter().zip(true_plies) {
        if told.split_whitespace().ne(truth.split_whitespace()) {
            let what = format!("the ply is told as {:?}, and is {:?}", told.trim(), truth.trim());
            return Err(ImportError::Line { line: *line, what });
        }
    }
    Ok(record)
}

/// Lines of a name, a colon and a value.
struct Facts<'a>(Vec<(usize, &'a str)>);

impl<'a> Facts<'a> {
    fn of(&self, name: &str) -> Result<&'a str, ImportError> {
        let value = |line: &&'a str| line.strip_prefix(name)?.strip_prefix(':').map(str::trim);
        let found = self.0.iter().find_map(|(_, line)| value(line));
        found.ok_or_else(|| ImportError::Form(format!("a line {name:?} is missing")))
    }

    fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(&self, name: &str) -> Result<T, ImportError> {
        self.of(name)?.parse().map_err(|error| ImportError::Form(format!("{name}: {error}")))
    }
}

fn hex(name: &str, text: &str) -> Result<HexBytes, ImportError> {
    text.parse().map_err(|error| ImportError::Form(format!("{name}: {error}")))
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
    time.ok_or_else(|| {
        ImportError::Form(
            "the time is wanted as in 600 s + 5 s a move, 600 s, 5 s of each turn free, 3 days a move, or no clock"
                .to_owned(),
        )
    })
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
