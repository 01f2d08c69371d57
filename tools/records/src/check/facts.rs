//! Checks of a record that do not need a replay of the game.

use flagfall_board::{PerSide, Rank, Side, SquareSet, Stamp};
use flagfall_protocol::{GameEvent, GameRecord, RecordKind, Terms, Viewer};
use flagfall_rules::{Commitment, EndReason, Identity, Lakes, Ruleset, Setup, SetupRefusal};
use flagfall_words::refusal_text;

use super::knowledge::Knowledge;
use crate::finding::{Falsehood, Finding, Mismatch, Unchecked, UncheckedKind, ensure, wrong};

/// Maximum length of a name, in characters.
pub(crate) const NAME_LEN_MAX: usize = 64;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The longest pause that the report does not list. Longer pauses are unlikely to be outages.
const LONG_PAUSE_MS: u64 = 7 * DAY_MS;

pub(super) fn check(record: &GameRecord) -> Vec<Finding> {
    let mut findings = Vec::new();
    let whole = [
        check_format(record),
        check_terms(record),
        check_lakes(record),
        check_players(record),
        check_setups(record),
        check_commitments(record),
        check_opened(record),
        check_kind(record),
    ];
    findings.extend(whole.into_iter().filter_map(Result::err).map(Finding::whole));
    let placed = [check_stamps(record), check_outcome(record)].into_iter().filter_map(Result::err);
    findings.extend(placed.map(|(index, wrong)| Finding::at(record, index, wrong)));
    findings
}

/// Checks that a strike that captures a Flag ends the game. This check works even if the game
/// cannot be replayed.
pub(super) fn check_found_flag(record: &GameRecord) -> Result<(), (usize, Mismatch)> {
    let is_found = |event: &GameEvent| match event {
        GameEvent::Moved(seen) => {
            seen.strike.is_some_and(|strike| strike.defender == Identity::Known(Rank::Flag))
        }
        _ => false,
    };
    let Some(index) = record.events.iter().position(|told| is_found(&told.event)) else { return Ok(()) };
    match record.events.get(index + 1).map(|told| &told.event) {
        Some(GameEvent::Ended { .. }) => Ok(()),
        Some(_) => Err((index + 1, (Falsehood::NotEnded, "the Flag was found before it".to_owned()))),
        None => Err((index, (Falsehood::Missing, "the Flag is found, and no end is told".to_owned()))),
    }
}

fn check_format(record: &GameRecord) -> Result<(), Mismatch> {
    let is_known = record.format == flagfall_protocol::RECORD_FORMAT;
    ensure(is_known, Falsehood::Format, || format!("this program cannot read format {}", record.format))
}

fn check_terms(record: &GameRecord) -> Result<(), Mismatch> {
    let Terms { ruleset, time, .. } = &record.terms;
    let has_ruleset = Ruleset::find(ruleset).is_some();
    ensure(has_ruleset, Falsehood::Terms, || {
        format!("this program does not support the ruleset {ruleset:?}")
    })?;
    ensure(time.is_allowed(), Falsehood::Terms, || "nobody may play with this clock".to_owned())
}

/// Returns the lakes of the record's game.
pub(crate) fn lakes_of(record: &GameRecord, ruleset: &Ruleset) -> SquareSet {
    record.lakes.as_ref().map_or(ruleset.shape.lakes, |lakes| lakes.iter().copied().collect())
}

fn check_lakes(record: &GameRecord) -> Result<(), Mismatch> {
    let Some(ruleset) = Ruleset::find(&record.terms.ruleset) else { return Ok(()) };
    let is_right = match (&record.lakes, ruleset.lakes) {
        (None, Lakes::OfTheShape) => true,
        // A record that starts from a set-up position needs no list of lakes, because the
        // position contains them.
        (None, Lakes::Drawn) => record.start.is_some(),
        (Some(told), Lakes::Drawn) => {
            told.is_sorted()
                && told.len() == lakes_of(record, ruleset).len() as usize
                && ruleset.allows_lakes(lakes_of(record, ruleset))
        }
        (Some(_), Lakes::OfTheShape) => false,
    };
    ensure(is_right, Falsehood::Lakes, || format!("{} does not allow these lakes", ruleset.id))
}

fn check_players(record: &GameRecord) -> Result<(), Mismatch> {
    for side in Side::BOTH {
        let player = &record.players[side];
        let has_id = !player.id.is_empty() || record.imported.is_some();
        ensure(has_id, Falsehood::Players, || format!("{side} has no id"))?;
        let is_name = (1..=NAME_LEN_MAX).contains(&player.name.chars().count())
            && !player.name.chars().any(char::is_control);
        ensure(is_name, Falsehood::Players, || {
            format!("{side}'s name must have 1 to {NAME_LEN_MAX} printable characters")
        })?;
    }
    Ok(())
}

/// Checks that opened deployments are valid and written exactly as they were when they were hashed.
fn check_setups(record: &GameRecord) -> Result<(), Mismatch> {
    let Some(ruleset) = Ruleset::find(&record.terms.ruleset) else { return Ok(()) };
    for side in Side::BOTH {
        let Some(opened) = &record.deployments[side] else { continue };
        let setup = Setup::from_text(&opened.setup, side, ruleset);
        let refusal = match setup {
            Ok(setup) => setup.deploy(side, ruleset).err(),
            Err(refusal) => Some(refusal),
        };
        match refusal {
            // In a ruleset in which an illegal deployment loses (§U7), a player can submit a
            // wrong army. The deployment text must still have the right length.
            Some(SetupRefusal::WrongCount { .. } | SetupRefusal::Empty { .. })
                if ruleset.illegal_act_loses => {}
            Some(refusal) => return Err((Falsehood::Setup, format!("{side}: {}", refusal_text(&refusal)))),
            None => {}
        }
        let is_plain = |letter: char| !letter.is_whitespace() && !letter.is_ascii_lowercase();
        let setup = &opened.setup;
        let is_plain = setup.chars().count() == ruleset.shape.home_len() && setup.chars().all(is_plain);
        ensure(is_plain, Falsehood::Setup, || {
            format!("{side}'s deployment must be written in capital letters without blanks")
        })?;
        let own = record.own_setup().filter(|_| record.audience.side() == Some(side));
        ensure(own.is_none_or(|own| own == setup), Falsehood::Deployment, || {
            format!("the opened deployment is not the last one that {side} handed in")
        })?;
    }
    Ok(())
}

fn check_commitments(record: &GameRecord) -> Result<(), Mismatch> {
    let started = record.events.iter().find_map(|told| match &told.event {
        GameEvent::Started { commitments } => Some(commitments),
        _ => None,
    });
    let nothing = PerSide::<Option<Commitment>>::default();
    ensure(*started.unwrap_or(&nothing) == record.commitments, Falsehood::CommitmentsDiffer, || {
        "the record and the start of the game tell different commitments".to_owned()
    })?;
    for side in Side::BOTH {
        match (&record.deployments[side], record.commitments[side]) {
            (Some(opened), Some(told)) => {
                let truth = Commitment::of_text(record.game, side, &opened.setup, &opened.salt.0);
                ensure(truth == told, Falsehood::Commitment, || {
                    format!(
                        "{side}'s deployment and salt have the hash {truth}, not the one that was published"
                    )
                })?;
            }
            (_, None) if started.is_some() && record.imported.is_none() => {
                return wrong(Falsehood::Commitment, format!("{side} started without a commitment"));
            }
            (_, Some(_)) | (_, None) => {}
        }
    }
    Ok(())
}

/// Checks that no deployment is open before the end of the game. The end must open exactly the
/// deployments that this audience may see.
fn check_opened(record: &GameRecord) -> Result<(), Mismatch> {
    let wrong = |detail: String| Err((Falsehood::Opened, detail));
    let (has_started, opens) = (has_started(record), opens(record));
    if record.kind == Some(RecordKind::Opened) && !opens {
        return wrong("the changes show opened ranks, but the game was not opened at its end".to_owned());
    }
    for side in Side::BOTH {
        match (&record.deployments[side], opens) {
            (Some(_), false) => {
                return wrong(format!("{side}'s deployment is open, but no event has opened it"));
            }
            (None, true) if has_started && record.start.is_none() && record.audience != Viewer::Public => {
                return wrong(format!("{side}'s deployment is hidden, but the end opens it to both players"));
            }
            (Some(_), true) | (None, _) => {}
        }
    }
    let both = record.deployments.red.is_some() && record.deployments.blue.is_some();
    if both && record.terms.secret && record.audience == Viewer::Public {
        return wrong(
            "both deployments are open, and the player who offered the game kept theirs secret".to_owned(),
        );
    }
    if record.imported.as_ref().is_some_and(|imported| imported.from != "text") && !both {
        return wrong("an imported game has both deployments".to_owned());
    }
    Ok(())
}

/// Checks that a record with changes states its kind, because the kind defines what the changes
/// show.
fn check_kind(record: &GameRecord) -> Result<(), Mismatch> {
    let has_changes = record.first_view.is_some() || record.events.iter().any(|told| told.change.is_some());
    ensure(record.kind.is_some() || !has_changes, Falsehood::Change, || {
        "there are changes, and no kind says what they show".to_owned()
    })
}

fn check_stamps(record: &GameRecord) -> Result<(), (usize, Mismatch)> {
    let wrong = |index, detail: String| Err((index, (Falsehood::Stamp, detail)));
    let mut latest = record.created;
    if record.imported.is_some() && record.created != 0 {
        return wrong(0, "an imported game has no stamps, so they must be zero".to_owned());
    }
    for (index, told) in record.events.iter().enumerate() {
        if told.at < latest {
            let before = if index == 0 { "the game was made" } else { "the event ahead of it" };
            return wrong(index, format!("it is stamped {} ms before {before}", latest - told.at));
        }
        if record.imported.is_some() && told.at != 0 {
            return wrong(index, "an imported game has no stamps, so they must be zero".to_owned());
        }
        latest = told.at;
    }
    Ok(())
}

/// Checks that the record's outcome equals the outcome in its last event.
fn check_outcome(record: &GameRecord) -> Result<(), (usize, Mismatch)> {
    let ended = record.events.iter().enumerate().find_map(|(index, told)| match &told.event {
        GameEvent::Ended { outcome, opened } => Some((index, outcome, opened)),
        _ => None,
    });
    let last = record.events.len().saturating_sub(1);
    if let Some((index, outcome, _)) = ended
        && let Some(by) = record.events[index].by
        && (outcome.reason != EndReason::Resigned.code() || outcome.winner != Some(by.opponent()))
    {
        let detail = format!("the record says that {by} resigned, but also that the game ended differently");
        return Err((index, (Falsehood::Outcome, detail)));
    }
    match (&record.outcome, ended) {
        (None, None) => Ok(()),
        (Some(_), None) => Err((last, (Falsehood::Missing, "the end of the game is not told".to_owned()))),
        (told, Some((index, outcome, _))) if told.as_ref() != Some(outcome) => {
            let detail = "the record and the end of the game tell different outcomes".to_owned();
            Err((index, (Falsehood::Outcome, detail)))
        }
        (_, Some((index, _, opened))) if *opened != record.deployments => {
            let detail = "the record and the end of the game open different deployments".to_owned();
            Err((index, (Falsehood::Opened, detail)))
        }
        (Some(_), Some(_)) | (None, Some(_)) => Ok(()),
    }
}

/// Adds the longest pause to `unchecked` if it is too long for an outage, because only the server
/// can confirm the pause.
pub(super) fn name_long_pause(record: &GameRecord, unchecked: &mut Vec<Unchecked>) {
    let mut paused = None;
    let mut longest = 0;
    for told in &record.events {
        match (&told.event, paused) {
            (GameEvent::Paused { since }, _) => paused = Some(*since),
            (GameEvent::Resumed { since }, Some(from)) => {
                longest = longest.max(since.unwrap_or(Stamp(told.at)).ms_since(from));
                paused = None;
            }
            _ => {}
        }
    }
    if longest > LONG_PAUSE_MS {
        let days = longest / DAY_MS;
        let detail = format!("a pause of {days} days, which only the server can confirm");
        unchecked.push(Unchecked { code: UncheckedKind::Pause, detail });
    }
}

/// Returns the kind of the record. Old records do not state their kind. An old record counts as
/// opened if its game has ended.
pub(super) fn kind_of(record: &GameRecord) -> RecordKind {
    let opened = || if opens(record) { RecordKind::Opened } else { RecordKind::Live };
    record.kind.unwrap_or_else(opened)
}

/// True if the game has ended in a way that opens hidden ranks.
fn opens(record: &GameRecord) -> bool {
    record.outcome.as_ref().is_some_and(|outcome| outcome.reason != EndReason::Aborted.code())
}

pub(super) fn has_started(record: &GameRecord) -> bool {
    record.events.iter().any(|told| matches!(told.event, GameEvent::Started { .. }))
}

/// True if the record hides the times of choices in strikes, as live records do (§Q4).
pub(super) fn has_hidden_choices(record: &GameRecord) -> bool {
    kind_of(record) == RecordKind::Live
        && record.events.iter().any(|told| matches!(told.event, GameEvent::Struck(_)))
}

/// Lists the facts that cannot be checked because the record contains too little information.
pub(super) fn name_unchecked(
    record: &GameRecord,
    knowledge: PerSide<Knowledge>,
    unchecked: &mut Vec<Unchecked>,
) {
    let mut name = |code, detail: String| unchecked.push(Unchecked { code, detail });
    for side in Side::BOTH {
        if knowledge[side] == Knowledge::Shown {
            let detail =
                format!("{side}'s ranks that were not shown: the record does not open its deployment");
            name(UncheckedKind::Ranks, detail);
        }
        match (knowledge[side], record.commitments[side]) {
            (Knowledge::Opened, None) if record.start.is_none() && record.deployments[side].is_some() => {
                name(
                    UncheckedKind::Commitment,
                    format!("{side} has no commitment to compare its deployment with"),
                );
            }
            (Knowledge::Own | Knowledge::Shown, Some(_)) => {
                name(UncheckedKind::Commitment, format!("{side}'s commitment: its salt is not opened"));
            }
            (Knowledge::Opened, _) | (Knowledge::Own | Knowledge::Shown, None) => {}
        }
    }
    if has_hidden_choices(record) {
        name(
            UncheckedKind::Deadline,
            "when choices were made, and the clocks after them: a live record does not say".to_owned(),
        );
    }
    if let Some(imported) = &record.imported {
        name(UncheckedKind::Stamps, format!("the times of events: {} does not contain them", imported.from));
    } else if record.deploy_ms.is_none() {
        name(
            UncheckedKind::Deadline,
            "whether deployments came in time: the record names no deadline".to_owned(),
        );
    }
}
