//! Checks whether a record is true.
//!
//! A record contains what one audience saw of a game. If the record opens both deployments, the
//! check replays the game with the engine, command by command. It compares every event with what
//! that audience would have seen. Otherwise, it finds ranks that are consistent with the record,
//! and replays the game with them. Facts that depend on these ranks are reported as not checked.

mod beginning;
mod compare;
mod facts;
mod fit;
mod knowledge;
mod replay;

use std::collections::BTreeSet;

use flagfall_protocol::{GameRecord, RECORD_FORMAT, RecordedEvent};
use flagfall_rules::Ruleset;
use serde::Deserialize;
use serde_json::Value;

use crate::finding::{Falsehood, Finding, Report, Status, Unchecked, UncheckedKind};
use crate::signature::{PublicKeys, SignatureStatus, is_signed};
use beginning::{Begin, begin};
pub(crate) use beginning::{Beginning, beginning};
pub(crate) use facts::{NAME_LEN_MAX, lakes_of};
use knowledge::knowledge_of;
use replay::{Replay, Replayed};
pub(crate) use replay::{command_of, decide_move};

/// Checks a JSON value that should be a record, including its fields. If public keys of servers
/// are given, also verifies the signature.
pub fn check_value_with(value: &Value, keys: Option<&PublicKeys>) -> Report {
    // Check the format first, because a record in another format may have other fields.
    if let Some(format) = value.get("format").filter(|format| **format != RECORD_FORMAT) {
        return unreadable(
            Falsehood::Format,
            format!("the record has format {format}, but this program reads format {RECORD_FORMAT}"),
        );
    }
    match GameRecord::deserialize(value) {
        Ok(record) => {
            let mut report = check_with(&record, keys);
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
    let findings = vec![Finding::whole((code, detail))];
    Report { status: Status::False, findings, ..Report::default() }
}

/// Collects the paths of fields that records do not define. A null value counts as an absent
/// field.
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
pub fn check(record: &GameRecord) -> Report {
    check_with(record, None)
}

/// Checks a record. If public keys of servers are given, also verifies the signature.
pub fn check_with(record: &GameRecord, keys: Option<&PublicKeys>) -> Report {
    let mut report = Report { findings: facts::check(record), ..unreported(record) };
    let knowledge = knowledge_of(record);
    facts::name_unchecked(record, knowledge, &mut report.unchecked);
    let mut public = None;
    if let Some(ruleset) = Ruleset::find(&record.terms.ruleset)
        && report.findings.iter().all(|finding| finding.code != Falsehood::Setup)
    {
        match begin(record, ruleset, knowledge) {
            Ok(Some(beginning)) => {
                public = Replay::new(record, ruleset, knowledge, beginning, &mut report).run().public;
            }
            Ok(None) => {
                let detail = if record.start.is_some() {
                    "every ply: the ranks in the position it began with are not open"
                } else {
                    "every ply: no ranks were found that fit everything the record says about a side's pieces"
                };
                let detail = detail.to_owned();
                report.unchecked.push(Unchecked { code: UncheckedKind::Rest, detail });
                let wrong = facts::check_found_flag(record).err();
                report.findings.extend(wrong.map(|(index, wrong)| Finding::at(record, index, wrong)));
            }
            Err(Begin::Start(detail)) => {
                report.findings.push(Finding::whole((Falsehood::Start, detail)));
            }
            Err(Begin::Impossible(index)) => {
                let detail = "no deployment makes possible what the record tells up to here".to_owned();
                report.findings.push(Finding::at(record, index, (Falsehood::Impossible, detail)));
            }
        }
    }
    check_signature(record, keys, public.as_deref(), &mut report);
    if report.signature != Some(SignatureStatus::Verified) {
        facts::name_long_pause(record, &mut report.unchecked);
    }
    report.status = match (report.findings.is_empty(), report.unchecked.is_empty()) {
        (false, _) => Status::False,
        (true, false) => Status::Partly,
        (true, true) => Status::Good,
    };
    report
}

/// Returns a report in which nothing has been checked.
fn unreported(record: &GameRecord) -> Report {
    Report {
        game: Some(record.game),
        ruleset: Some(record.terms.ruleset.clone()),
        audience: Some(record.audience),
        plies: record.events.iter().filter(|told| told.event.is_ply()).count(),
        reason: record.outcome.as_ref().map(|outcome| outcome.reason.clone()),
        ..Report::default()
    }
}

/// Verifies the signature. `public` contains the events as the public saw them, if the whole game
/// was replayed.
fn check_signature(
    record: &GameRecord,
    keys: Option<&PublicKeys>,
    public: Option<&[RecordedEvent]>,
    report: &mut Report,
) {
    let mut leave = |detail: String| {
        report.unchecked.push(Unchecked { code: UncheckedKind::Signature, detail });
        Some(SignatureStatus::NotVerifiable)
    };
    report.signature = match (&record.signature, keys) {
        (None, None) => None,
        (Some(_), None) => Some(SignatureStatus::NotVerified),
        (None, Some(_)) => leave("the signature: there is none".to_owned()),
        (Some(signature), Some(keys)) => {
            let digest = record.digest().or_else(|| record.digest_with(public?));
            match (keys.find(&signature.key), digest) {
                (None, _) => {
                    leave(format!("the signature: the key {} is not among those given", signature.key))
                }
                (Some(key), Some(digest)) if is_signed(digest, signature, key) => {
                    Some(SignatureStatus::Verified)
                }
                (Some(_), Some(_)) => {
                    let detail = "the server signed something else than this record tells".to_owned();
                    report.findings.push(Finding::whole((Falsehood::Signature, detail)));
                    Some(SignatureStatus::False)
                }
                (Some(_), None) => {
                    leave("the signature: what the public was told cannot be made out".to_owned())
                }
            }
        }
    };
}

/// Adds the changes that records of version 0.1 omit, up to the first event that is false or
/// cannot be replayed. A record that already has changes, or has an unknown ruleset, is returned
/// unchanged.
pub fn with_changes(mut record: GameRecord) -> GameRecord {
    let Some(ruleset) = Ruleset::find(&record.terms.ruleset).filter(|_| record.kind.is_none()) else {
        return record;
    };
    let known = knowledge_of(&record);
    let begun = begin(&record, ruleset, known).ok().flatten();
    let is_playable = begun.is_some();
    let mut report = unreported(&record);
    let replay = Replay::new(&record, ruleset, known, begun.unwrap_or_default(), &mut report);
    // Changes must not show squares that are only guessed.
    let is_playable = is_playable && !replay.has_hidden_squares();
    let Replayed { first_view, changes, public: _ } = replay.run();
    record.kind = Some(facts::kind_of(&record));
    record.first_view = Some(first_view);
    for (told, change) in record.events.iter_mut().zip(changes).filter(|_| is_playable) {
        told.change = Some(change);
    }
    record
}
