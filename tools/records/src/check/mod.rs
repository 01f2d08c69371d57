//! Is a record true?
//!
//! A record tells what one audience was told of a game. Where it opens both deployments, the game is played again with the engine, command
//! by command, and every event must be what that audience would have been told. Where it does not, the ranks that are missing are found so that all that is
//! told could have happened, and the game is played with those: what depends on them beyond that is named as not checked.

mod compare;
mod facts;
mod fit;
mod replay;

use std::collections::BTreeSet;

use flagfall_board::{PerSide, Ply, Side};
use flagfall_protocol::{GameEvent, GameRecord, RECORD_FORMAT};
use flagfall_rules::{Position, Ruleset, Start};
use serde::Deserialize;
use serde_json::Value;

use crate::finding::{Falsehood, Finding, Report, Status, Unchecked, UncheckedKind};
use replay::Replay;

/// A falsehood at no place yet.
type Wrong = (Falsehood, String);

/// What is known of a side's deployment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Knowledge {
    /// Opened at the end, with its salt; or there is none, and nothing hidden.
    Opened,
    /// As the player was told to have handed it in.
    Own,
    /// Nothing but what was shown.
    Shown,
}

/// Checks a JSON value that should be a record: its form as well as its truth.
#[must_use]
pub fn check_value(value: &Value) -> Report {
    // A record of another format may have other fields: that word comes first.
    if let Some(format) = value.get("format").filter(|format| **format != RECORD_FORMAT) {
        return unreadable(
            Falsehood::Format,
            format!("it has format {format}; this program reads {RECORD_FORMAT}"),
        );
    }
    match GameRecord::deserialize(value) {
        Ok(record) => {
            let mut report = check(&record);
            let mut fields = BTreeSet::new();
            if let Ok(known) = serde_json::to_value(&record) {
                unknown_fields(value, &known, "", &mut fields);
            }
            if !fields.is_empty() {
                let names: Vec<&str> = fields.iter().map(String::as_str).take(10).collect();
                let detail = format!("fields this program does not know: {}", names.join(", "));
                report.unchecked.push(Unchecked { code: UncheckedKind::Fields, detail });
                if report.status == Status::Good {
                    report.status = Status::Partly;
                }
            }
            report
        }
        Err(error) => unreadable(Falsehood::Malformed, error.to_string()),
    }
}

fn unreadable(code: Falsehood, detail: String) -> Report {
    Report {
        status: Status::False,
        game: None,
        ruleset: None,
        audience: None,
        plies: 0,
        plies_checked: 0,
        reason: None,
        on_trust: false,
        findings: vec![Finding { code, event: None, ply: None, detail }],
        unchecked: Vec::new(),
    }
}

/// The paths of fields that the record's form does not have. A null says as much as a field that is left out.
fn unknown_fields(told: &Value, known: &Value, path: &str, unknown: &mut BTreeSet<String>) {
    match (told, known) {
        (Value::Object(told), Value::Object(known)) => {
            for (name, value) in told {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match known.get(name) {
                    Some(inner) => unknown_fields(value, inner, &path, unknown),
                    None if value.is_null() => {}
                    None => {
                        unknown.insert(path);
                    }
                }
            }
        }
        (Value::Array(told), Value::Array(known)) => {
            for (told, known) in told.iter().zip(known) {
                unknown_fields(told, known, path, unknown);
            }
        }
        _ => {}
    }
}

/// Checks a record.
#[must_use]
pub fn check(record: &GameRecord) -> Report {
    let mut report = Report {
        status: Status::Good,
        game: Some(record.game),
        ruleset: Some(record.terms.ruleset.clone()),
        audience: Some(record.audience),
        plies: record.events.iter().filter(|told| told.event.is_ply()).count(),
        plies_checked: 0,
        reason: record.outcome.as_ref().map(|outcome| outcome.reason.clone()),
        on_trust: false,
        findings: facts::check(record),
        unchecked: Vec::new(),
    };
    let has_coins = |ruleset: &Ruleset| ruleset.start == Start::Coins;
    let is_open = record.start.is_some() || Ruleset::find(&record.terms.ruleset).is_some_and(has_coins);
    let knowledge = PerSide::from_fn(|side| {
        if record.deployments[side].is_some() || is_open {
            Knowledge::Opened
        } else if record.audience.side() == Some(side) && own_setup(record).is_some() {
            Knowledge::Own
        } else {
            Knowledge::Shown
        }
    });
    facts::name_unchecked(record, knowledge, &mut report.unchecked);
    if let Some(ruleset) = Ruleset::find(&record.terms.ruleset)
        && report.findings.iter().all(|finding| finding.code != Falsehood::Setup)
    {
        match begin(record, ruleset, knowledge) {
            Ok(Some((setups, start))) => {
                Replay::new(record, ruleset, knowledge, setups, start).run(&mut report);
            }
            Ok(None) => {
                let detail = if record.start.is_some() {
                    "every ply: the ranks in the position it began with are not open"
                } else {
                    "every ply: what a side deployed, and what it keeps in reserve, is not open"
                };
                let detail = detail.to_owned();
                report.unchecked.push(Unchecked { code: UncheckedKind::Rest, detail });
                let wrong = facts::check_found_flag(record).err();
                report.findings.extend(wrong.map(|(index, wrong)| finding_at(record, index, wrong)));
            }
            Err(Begin::Start(detail)) => {
                report.findings.push(Finding { code: Falsehood::Start, event: None, ply: None, detail });
            }
            Err(Begin::Impossible(index)) => {
                let detail = "no deployment makes possible what the record tells up to here".to_owned();
                report.findings.push(finding_at(record, index, (Falsehood::Impossible, detail)));
            }
        }
    }
    report.status = match (report.findings.is_empty(), report.unchecked.is_empty()) {
        (false, _) => Status::False,
        (true, false) => Status::Partly,
        (true, true) => Status::Good,
    };
    report
}

/// Why no game can be begun.
enum Begin {
    /// No deployment fits what is told up to this event.
    Impossible(usize),
    /// The position it began with is none.
    Start(String),
}

/// What a replay begins with: deployments, or a position; nothing when the record hides ranks of the position.
type Beginning = (PerSide<String>, Option<Position>);

fn begin(
    record: &GameRecord,
    ruleset: &'static Ruleset,
    knowledge: PerSide<Knowledge>,
) -> Result<Option<Beginning>, Begin> {
    let Some(text) = &record.start else {
        if ruleset.start == Start::Coins {
            // Nothing is deployed, and whatever a coin becomes is public (§Q8).
            return Ok(Some((PerSide::default(), None)));
        }
        let is_hidden = |side: Side| knowledge[side] == Knowledge::Shown;
        if ruleset.reserve && Side::BOTH.into_iter().any(is_hidden) {
            return Ok(None);
        }
        return fit::fit(record, ruleset, knowledge)
            .map(|setups| Some((setups, None)))
            .map_err(Begin::Impossible);
    };
    if text.contains('?') {
        return Ok(None);
    }
    let position = Position::from_text(text).map_err(|error| Begin::Start(error.to_string()))?;
    if position.ruleset() != ruleset {
        return Err(Begin::Start(format!("the position is one of {}", position.ruleset().id)));
    }
    Ok(Some((PerSide::default(), Some(position))))
}

/// What the player to whom the record is told handed in last.
fn own_setup(record: &GameRecord) -> Option<&str> {
    record.audience.side()?;
    record.events.iter().rev().find_map(|told| match &told.event {
        GameEvent::Deployed { setup } => Some(setup.as_str()),
        _ => None,
    })
}

/// A finding at an event. Its ply is its own, or the last before it.
fn finding_at(record: &GameRecord, index: usize, (code, detail): Wrong) -> Finding {
    let told = record.events.iter().take(index + 1);
    let plies = told.filter(|told| told.event.is_ply()).count();
    Finding { code, event: Some(index), ply: Some(Ply::try_from(plies).unwrap_or(Ply::MAX)), detail }
}
