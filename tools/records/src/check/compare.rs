//! Compares a record's events with those of the replay.

use std::collections::BTreeSet;

use flagfall_board::PerSide;
use flagfall_protocol::{GameEvent, SeenMove, SeenOutcome, SeenStrike, ViewChange};
use flagfall_rules::Identity;
use serde_json::{Map, Value};

use super::knowledge::Knowledge;
use crate::finding::{Falsehood, Mismatch, wrong};

/// Compares an event in the record with the same event of the replay.
pub(super) fn compare(
    truth: &GameEvent,
    told: &GameEvent,
    knowledge: PerSide<Knowledge>,
) -> Result<(), Mismatch> {
    match (truth, told) {
        (GameEvent::Moved(truth), GameEvent::Moved(told)) => compare_moves(truth, told),
        (GameEvent::Started { commitments: truth }, GameEvent::Started { commitments: told }) => {
            for side in flagfall_board::Side::BOTH {
                // A commitment can be recomputed only if the record contains the opened
                // deployment and its salt. Records of imported games may lack commitments.
                let is_known = knowledge[side] == Knowledge::Opened && told[side].is_some();
                if is_known && truth[side] != told[side] {
                    return Err((
                        Falsehood::Commitment,
                        format!("{side} had a different commitment at the start"),
                    ));
                }
            }
            Ok(())
        }
        (
            GameEvent::Ended { outcome: truth, opened: true_opened },
            GameEvent::Ended { outcome: told, opened: told_opened },
        ) => {
            if truth != told {
                let detail = format!("the game ended with {}, not {}", in_words(truth), in_words(told));
                return Err((Falsehood::Outcome, detail));
            }
            if true_opened != told_opened {
                return wrong(Falsehood::Opened, "the last event opens different deployments");
            }
            Ok(())
        }
        (GameEvent::Deployed { setup: truth }, GameEvent::Deployed { setup: told }) if truth != told => {
            wrong(Falsehood::Setup, "the deployment must be written in capital letters without blanks")
        }
        (GameEvent::Placed(truth), GameEvent::Placed(told)) if truth.piece != told.piece => {
            compare_identities("the piece", truth.piece, told.piece)
        }
        (GameEvent::Ended { outcome, .. }, _) => {
            Err((Falsehood::NotEnded, format!("the game had already ended: {}", in_words(outcome))))
        }
        (truth, told) if truth == told => Ok(()),
        (truth, told) => {
            let detail = format!("the record has {} where {} must follow", kind_of(told), kind_of(truth));
            Err((Falsehood::Unexpected, detail))
        }
    }
}

/// Compares an event's change in the record with the same change of the replay.
pub(super) fn compare_changes(
    truth: &ViewChange,
    told: Option<&ViewChange>,
    is_clock_open: bool,
) -> Result<(), Mismatch> {
    let Some(told) = told else {
        return Err((Falsehood::Change, "the event has no change".to_owned()));
    };
    let clock = if is_clock_open { told.clock } else { truth.clock };
    let truth = ViewChange { clock, ..truth.clone() };
    if truth == *told {
        return Ok(());
    }
    let fields = |change: &ViewChange| match serde_json::to_value(change) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    };
    let (truth, told) = (fields(&truth), fields(told));
    let names: BTreeSet<&String> = truth.keys().chain(told.keys()).collect();
    let other = names.into_iter().filter(|name| truth.get(*name) != told.get(*name)).map(String::as_str);
    wrong(Falsehood::Change, format!("its change has a different {}", other.collect::<Vec<_>>().join(", ")))
}

fn compare_moves(truth: &SeenMove, told: &SeenMove) -> Result<(), Mismatch> {
    match (&truth.strike, &told.strike) {
        (None, Some(_)) => return Err((Falsehood::Strike, "there was nothing to strike".to_owned())),
        (Some(_), None) => {
            return Err((Falsehood::Strike, "the move was a strike, and none is told".to_owned()));
        }
        (Some(truth), Some(told)) => compare_strikes(truth, told)?,
        (None, None) => {}
    }
    compare_identities("the piece", truth.piece, told.piece)?;
    if truth == told {
        return Ok(());
    }
    Err((Falsehood::Unexpected, "another ply was made".to_owned()))
}

fn compare_strikes(truth: &SeenStrike, told: &SeenStrike) -> Result<(), Mismatch> {
    compare_identities("the attacker", truth.attacker, told.attacker)?;
    compare_identities("the defender", truth.defender, told.defender)?;
    let fates = [
        ("attacker", truth.attacker_fate, told.attacker_fate),
        ("defender", truth.defender_fate, told.defender_fate),
    ];
    match fates.into_iter().find(|(_, truth, told)| truth != told) {
        Some((who, truth, told)) => {
            let detail = format!("the {who} {}, and does not {}", fate_in_words(truth), bare_fate(told));
            Err((Falsehood::Fate, detail))
        }
        None => Ok(()),
    }
}

fn compare_identities(who: &str, truth: Identity, told: Identity) -> Result<(), Mismatch> {
    match (truth, told) {
        (truth, told) if truth == told => Ok(()),
        (Identity::Hidden, _) => Err((
            Falsehood::Shown,
            format!("the record says that {who} is {told}, which this audience could not know"),
        )),
        (_, Identity::Hidden) => {
            Err((Falsehood::Shown, format!("{who} was shown to be {truth}, but the record does not say so")))
        }
        _ => Err((Falsehood::Rank, format!("the record says that {who} is {told}, but it is {truth}"))),
    }
}

fn fate_in_words(fate: flagfall_protocol::Fate) -> &'static str {
    match fate {
        flagfall_protocol::Fate::Stays => "stays",
        flagfall_protocol::Fate::Advances => "advances",
        flagfall_protocol::Fate::Leaves => "leaves",
    }
}

fn bare_fate(fate: flagfall_protocol::Fate) -> &'static str {
    fate_in_words(fate).trim_end_matches('s')
}

/// Describes an outcome in a phrase.
fn in_words(outcome: &SeenOutcome) -> String {
    match outcome.winner {
        Some(side) => format!("{side} winning ({})", outcome.reason),
        None => format!("no winner ({})", outcome.reason),
    }
}

pub(super) fn kind_of(event: &GameEvent) -> &'static str {
    match event {
        GameEvent::Deployed { .. } => "a deployment",
        GameEvent::Ready { .. } => "a side's being ready",
        GameEvent::Started { .. } => "the start",
        GameEvent::Moved(_) => "a ply",
        GameEvent::Struck(_) => "a strike that waits for choices",
        GameEvent::Chosen { .. } => "a choice",
        GameEvent::Removed { .. } => "taking a piece off the board",
        GameEvent::Placed(_) => "bringing a piece on",
        GameEvent::Colored { .. } => "laying a chip",
        GameEvent::DrawOffered { .. } => "a draw offer",
        GameEvent::DrawDeclined { .. } => "a declined draw",
        GameEvent::Paused { .. } => "a pause",
        GameEvent::Resumed { .. } => "the end of a pause",
        GameEvent::Ended { .. } => "the end",
    }
}
