//! Tests the check with records in which a field was changed, or an event was removed, repeated
//! or swapped.
//!
//! Over 600 lines: each kind of tampering has its own small test, and all tests share one set-up.

use std::collections::BTreeMap;

use flagfall_board::{ChipColor, GameId, PerSide, Rank, Side, Square};
use flagfall_protocol::{
    Fate, GameEvent, GameRecord, Imported, Opened, PendingStrike, PlayerKind, RecordedEvent, SeenOutcome,
    SeenPlacing, SeenStrike, Time,
};
use flagfall_records::Falsehood::{self, *};
use flagfall_records::{Status, check};
use flagfall_rules::{Disclosure, EndReason, Identity, Ruleset, Viewer};
use flagfall_tests::Chance;
use proptest::prelude::*;

use crate::games::{Manner, Played, of_every_ruleset, play};
use crate::oracle::is_a_true_record;

/// A record with a single change.
struct Tampered {
    /// What was changed.
    what: &'static str,
    record: GameRecord,
    /// The check must report at least one of these codes.
    codes: &'static [Falsehood],
    /// The event at which the check must find the change. `None` if this is not certain.
    event: Option<usize>,
}

/// Changes that can turn a record into a true record of another game, each with the reason why
/// nothing in the record contradicts the change.
const MEANINGLESS: [(&str, &str); 20] = [
    ("ruleset", "the same plies are a game by other rules too, and the commitments do not cover the ruleset"),
    ("time", "the stamps fit another clock too"),
    ("private", "nothing follows from it"),
    ("secret", "only the public's record shows what was kept"),
    ("name", "a name is bound by nothing in the record"),
    ("player", "an id is bound by nothing in the record"),
    ("kind", "what kind of player moved makes no difference"),
    ("created", "an earlier making only moves the deadline of the deployments"),
    ("deploy_ms", "another deadline was kept as well"),
    ("stamp", "another moment between its neighbors is as good, while no clock runs out"),
    (
        "drop",
        "an offer, an answer, a pause or the last ply before a decision leaves no trace in what follows",
    ),
    ("double", "a deployment handed in twice"),
    ("swap", "which side was ready first, or what was offered first, makes no difference"),
    ("earlier deployment", "only the last deployment is committed to"),
    ("offer side", "either side may offer"),
    ("since", "the clock stood still from another moment"),
    ("winner", "either side may resign"),
    ("reason", "decisions leave the same trace: nobody but the players knows which it was"),
    ("squares", "the last ply before a decision may have been another one"),
    ("imported", "a record may say that it comes from elsewhere"),
];

#[test]
fn every_change_is_found_or_makes_another_valid_record() {
    let mut outcomes = BTreeMap::<&str, (usize, usize)>::new();
    let mut codes = BTreeMap::<&str, usize>::new();
    let manner = |game: u64| {
        let plies = if game == 0 { 5_000 } else { 12 + 3 * game as u16 };
        Manner::new(plies, Manner::ENDS[(game % 3) as usize])
    };
    for (number, (seed, played)) in of_every_ruleset(80_001, 4, manner).into_iter().enumerate() {
        // Leave out the changes of the view, because they repeat the other fields and have their
        // own test.
        let record = played.record(Viewer::ALL[number % 3]).without_changes();
        if record.deployments.red.is_none() || record.commitments.red.is_none() {
            // Other tests cover records without open deployments, and games that never started.
            continue;
        }
        assert_eq!(check(&record).status, Status::Good, "seed {seed}");
        assert!(is_a_true_record(&record), "seed {seed}: the oracle knows a true record");
        // Change about ten events of a long game, and all events of a short game.
        let every = 1 + record.events.len() / 10;
        for tampered in tamper(&record, every) {
            judge(seed, &record, &tampered, &mut outcomes, &mut codes);
        }
    }
    for (what, (found, meaningless)) in &outcomes {
        println!("{what}: found {found} times, meaningless {meaningless} times");
    }
    println!("{codes:?}");
    for code in &Falsehood::ALL {
        // Other tests cover these codes, because they need different records.
        let elsewhere = [
            Malformed,
            Start,
            Impossible,
            AfterEnd,
            TimeLeft,
            FlagFall,
            NotEnded,
            Missing,
            Change,
            FirstView,
            Falsehood::Signature,
        ];
        assert!(codes.contains_key(code.code()) || elsewhere.contains(code), "{code:?} was never found");
    }
}

fn judge(
    seed: u64,
    record: &GameRecord,
    tampered: &Tampered,
    outcomes: &mut BTreeMap<&'static str, (usize, usize)>,
    seen: &mut BTreeMap<&'static str, usize>,
) {
    let Tampered { what, record: changed, codes, event } = tampered;
    if changed == record {
        return;
    }
    let report = check(changed);
    let count = outcomes.entry(what).or_default();
    if report.status == Status::False {
        count.0 += 1;
        let found = &report.findings;
        *seen.entry(found[0].code.code()).or_default() += 1;
        // The oracle does not check players, terms or secrecy, because the rules of the game do
        // not depend on them.
        let is_of_the_game = !["secret", "lakes", "a lake less"].contains(what)
            && !found.iter().all(|finding| [Format, Terms, Players].contains(&finding.code));
        assert!(
            !is_of_the_game || !is_a_true_record(changed),
            "seed {seed}, {what}: a false alarm, {found:#?}"
        );
        let is_right = |finding: &flagfall_records::Finding| {
            codes.contains(&finding.code) && event.is_none_or(|event| finding.event == Some(event))
        };
        assert!(found.iter().any(is_right), "seed {seed}, {what} at {event:?}, {codes:?}: {found:#?}");
    } else {
        count.1 += 1;
        assert!(MEANINGLESS.iter().any(|(name, _)| name == what), "seed {seed}: {what} was not found");
        // The engine never ends a game as abandoned. Only an umpire can.
        let is_word = report.on_trust
            && !["resigned", "draw_agreed", "aborted"].contains(&report.reason.as_deref().unwrap_or(""));
        assert!(
            is_word || is_a_true_record(changed),
            "seed {seed}: {what} was not found, and it is the record of no game"
        );
    }
}

fn tamper(record: &GameRecord, every: usize) -> Vec<Tampered> {
    let mut list = tamper_whole(record);
    for index in 0..record.events.len() {
        let is_far_from_the_ends = index > 4 && index + 3 < record.events.len();
        if every < 8 || !is_far_from_the_ends || index % every == 0 {
            tamper_event(record, index, &mut list);
        }
    }
    list
}

/// Adds a clone of the record with one change.
fn change(
    list: &mut Vec<Tampered>,
    record: &GameRecord,
    what: &'static str,
    codes: &'static [Falsehood],
    event: Option<usize>,
    edit: impl FnOnce(&mut GameRecord),
) {
    let mut record = record.clone();
    edit(&mut record);
    list.push(Tampered { what, record, codes, event });
}

fn tamper_whole(record: &GameRecord) -> Vec<Tampered> {
    let mut list = Vec::new();
    let all = &Falsehood::ALL;
    let mut whole = |what, codes, edit: &mut dyn FnMut(&mut GameRecord)| {
        change(&mut list, record, what, codes, None, edit);
    };
    whole("format", &[Format], &mut |r| r.format += 1);
    whole("game", &[Commitment], &mut |r| r.game = GameId::from_random([1; 12]));
    for ruleset in Ruleset::all() {
        whole("ruleset", all, &mut |r| r.terms.ruleset = ruleset.id.to_owned());
    }
    whole("no such ruleset", &[Terms], &mut |r| r.terms.ruleset.push('x'));
    for (base_s, increment_s) in [(10, 0), (59, 2), (61, 2), (60, 1), (60, 3), (86_400, 3_600)] {
        whole("time", all, &mut |r| r.terms.time = Time::Fischer { base_s, increment_s });
    }
    whole("time", all, &mut |r| r.terms.time = Time::Unlimited {});
    for (base_s, increment_s) in [(0, 2), (9, 2), (86_401, 2), (60, 3_601)] {
        whole("bad time", &[Terms], &mut |r| r.terms.time = Time::Fischer { base_s, increment_s });
    }
    whole("lakes", &[Lakes], &mut |r| r.lakes = Some(Vec::new()));
    whole("a lake less", &[Lakes], &mut |r| r.lakes.iter_mut().for_each(|lakes| lakes.truncate(7)));
    whole("lakes turned round", &[Lakes], &mut |r| r.lakes.iter_mut().for_each(|lakes| lakes.reverse()));
    whole("private", &[], &mut |r| r.terms.private = true);
    whole("secret", &[Opened_], &mut |r| r.terms.secret = true);
    for side in Side::BOTH {
        whole("name", &[], &mut |r| r.players[side].name.push('x'));
        whole("no name", &[Players], &mut |r| r.players[side].name.clear());
        whole("bad name", &[Players], &mut |r| r.players[side].name.push('\u{7}'));
        whole("long name", &[Players], &mut |r| r.players[side].name = "x".repeat(65));
        whole("player", &[], &mut |r| r.players[side].id.push('x'));
        whole("no player", &[Players], &mut |r| r.players[side].id.clear());
        whole("kind", &[], &mut |r| r.players[side].kind = PlayerKind::House);
        for byte in [0, 31] {
            whole("commitment", &[CommitmentsDiffer], &mut |r| {
                r.commitments[side].iter_mut().for_each(|hex| hex.0[byte] ^= 1);
            });
            whole("salt", &[Commitment], &mut |r| {
                r.deployments[side].iter_mut().for_each(|opened| opened.salt.0[byte] ^= 128);
            });
        }
        whole("no commitment", &[CommitmentsDiffer], &mut |r| r.commitments[side] = None);
        whole("no deployment", &[Opened_], &mut |r| r.deployments[side] = None);
        let setup = record.deployments[side].as_ref().map_or("", |opened| &opened.setup);
        for place in 1..setup.len() {
            let mut letters: Vec<char> = setup.chars().collect();
            letters.swap(place - 1, place);
            let text: String = letters.into_iter().collect();
            whole("exchanged letters", &[Commitment], &mut |r| set_setup(r, side, &text));
        }
        whole("another letter", &[Setup, Commitment], &mut |r| {
            set_setup(r, side, &setup.replacen('8', "7", 1));
        });
        whole("small letters", &[Setup], &mut |r| set_setup(r, side, &setup.to_lowercase()));
        whole("a letter more", &[Setup], &mut |r| set_setup(r, side, &format!("{setup}8")));
        whole("blanks", &[Setup], &mut |r| set_setup(r, side, &setup.replacen('8', " 8", 1)));
        whole("a letter less", &[Setup], &mut |r| set_setup(r, side, &setup[1..]));
        whole("no letter", &[Setup], &mut |r| set_setup(r, side, &setup.replacen('8', "x", 1)));
    }
    for created in [0, record.created - 1, record.created + 1, u64::MAX] {
        whole("created", &[Stamp, FlagFall], &mut |r| r.created = created);
    }
    for deploy_ms in [0, 299_999, 300_001] {
        whole("deploy_ms", &[FlagFall], &mut |r| r.deploy_ms = Some(deploy_ms));
    }
    for audience in [Viewer::Player(Side::Red), Viewer::Player(Side::Blue), Viewer::Public] {
        whole("audience", &[Audience_, Deployment, Unexpected, Shown], &mut |r| r.audience = audience);
    }
    whole("no outcome", &[Falsehood::Outcome], &mut |r| r.outcome = None);
    whole("outcome's winner", &[Falsehood::Outcome], &mut |r| flip_winner(r.outcome.as_mut()));
    whole("outcome's reason", &[Falsehood::Outcome], &mut |r| {
        r.outcome.iter_mut().for_each(|outcome| outcome.reason.push('x'));
    });
    whole("no end", &[Missing], &mut |r| {
        r.events.pop();
    });
    whole("after the end", &[AfterEnd], &mut |r| r.events.extend(r.events.last().cloned()));
    whole("imported", &[Stamp], &mut |r| r.imported = Some(Imported { from: "text".to_owned() }));
    whole("no events", &[CommitmentsDiffer, Missing], &mut |r| r.events.clear());
    list
}

// Rename these two codes, because types with the same names are also in use.
use flagfall_records::Falsehood::{Opened as Opened_, Viewer as Audience_};

fn set_setup(record: &mut GameRecord, side: Side, text: &str) {
    let edit = |opened: &mut Option<Opened>| {
        opened.iter_mut().for_each(|opened| opened.setup = text.to_owned());
    };
    edit(&mut record.deployments[side]);
    for told in &mut record.events {
        if let GameEvent::Ended { opened, .. } = &mut told.event {
            edit(&mut opened[side]);
        }
    }
}

fn flip_winner(outcome: Option<&mut SeenOutcome>) {
    if let Some(outcome) = outcome {
        outcome.winner = match outcome.winner {
            Some(side) => Some(side.opponent()),
            None => Some(Side::Red),
        };
    }
}

fn tamper_event(record: &GameRecord, index: usize, list: &mut Vec<Tampered>) {
    let all = &Falsehood::ALL;
    let mut add = |what, codes, event, edit: &mut dyn FnMut(&mut Vec<RecordedEvent>)| {
        change(list, record, what, codes, event, |r| edit(&mut r.events));
    };
    let here = Some(index);
    add("drop", all, None, &mut |events| {
        events.remove(index);
    });
    add("double", all, None, &mut |events| events.insert(index, events[index].clone()));
    if index + 1 < record.events.len() {
        add("swap", all, None, &mut |events| {
            let (left, right) = events.split_at_mut(index + 1);
            std::mem::swap(&mut left[index].event, &mut right[0].event);
        });
    }
    for ms in [1, 1_000, 100_000_000] {
        add("stamp", &[Stamp, FlagFall, TimeLeft], None, &mut |events| events[index].at += ms);
        add("stamp", &[Stamp, FlagFall, TimeLeft], None, &mut |events| events[index].at -= ms);
    }
    for ms in [1, u32::MAX] {
        add("lag", &[Lag], here, &mut |events| events[index].lag_ms = ms);
    }
    match &record.events[index].event {
        GameEvent::Deployed { setup } => {
            let is_last = !record.events[index + 1..]
                .iter()
                .any(|told| matches!(told.event, GameEvent::Deployed { .. }));
            let what = if is_last { "last deployment" } else { "earlier deployment" };
            let swapped: String = setup.chars().rev().collect();
            for text in [swapped, setup.to_lowercase(), setup.replacen('8', "7", 1), String::new()] {
                add(what, &[Deployment, Setup], None, &mut |events| {
                    events[index].event = GameEvent::Deployed { setup: text.clone() };
                });
            }
        }
        GameEvent::Ready { side } => {
            let side = side.opponent();
            add("ready side", &[Audience_, Unexpected], None, &mut |events| {
                events[index].event = GameEvent::Ready { side };
            });
        }
        GameEvent::Started { commitments } => {
            for side in Side::BOTH {
                let mut changed = *commitments;
                changed[side].iter_mut().for_each(|hex| hex.0[7] ^= 1);
                add("started", &[CommitmentsDiffer], None, &mut |events| {
                    events[index].event = GameEvent::Started { commitments: changed };
                });
            }
        }
        GameEvent::Moved(_) => tamper_ply(record, index, list),
        GameEvent::Struck(strike) => {
            let strike = *strike;
            add("struck side", all, None, &mut |events| {
                let side = strike.side.opponent();
                events[index].event = GameEvent::Struck(PendingStrike { side, ..strike });
            });
            add("struck owes", all, None, &mut |events| {
                let owes = PerSide::from_fn(|side| !strike.owes[side]);
                events[index].event = GameEvent::Struck(PendingStrike { owes, ..strike });
            });
        }
        GameEvent::Chosen { side, rank } => {
            let (side, rank) = (*side, *rank);
            add("chosen side", all, None, &mut |events| {
                events[index].event = GameEvent::Chosen { side: side.opponent(), rank };
            });
            add("chosen rank", all, None, &mut |events| {
                let rank = if rank == Rank::Miner { Rank::Sergeant } else { Rank::Miner };
                events[index].event = GameEvent::Chosen { side, rank };
            });
        }
        GameEvent::Removed { side, square } => {
            let (side, square) = (*side, *square);
            add("removed side", all, None, &mut |events| {
                events[index].event = GameEvent::Removed { side: side.opponent(), square };
            });
        }
        GameEvent::Placed(seen) => {
            let seen = *seen;
            add("placed label", all, None, &mut |events| {
                events[index].event = GameEvent::Placed(SeenPlacing { labeled: !seen.labeled, ..seen });
            });
            add("placed color", all, None, &mut |events| {
                let color = if seen.color.is_none() { Some(ChipColor::Red) } else { None };
                events[index].event = GameEvent::Placed(SeenPlacing { color, ..seen });
            });
        }
        GameEvent::Colored { side, square, color } => {
            let (side, square, color) = (side.opponent(), *square, *color);
            add("colored side", all, None, &mut |events| {
                events[index].event = GameEvent::Colored { side, square, color };
            });
        }
        GameEvent::DrawOffered { side } => {
            let side = side.opponent();
            add("offer side", all, None, &mut |events| events[index].event = GameEvent::DrawOffered { side });
            add("offer declined", &[Unexpected], here, &mut |events| {
                events[index].event = GameEvent::DrawDeclined { side };
            });
        }
        GameEvent::DrawDeclined { side } => {
            let side = side.opponent();
            add("declined side", &[Unexpected], here, &mut |events| {
                events[index].event = GameEvent::DrawDeclined { side };
            });
        }
        GameEvent::Paused { since } => {
            let at = since.0;
            for since in [0, at - 1, at + 1, at + 100, u64::MAX].map(flagfall_board::Stamp) {
                add("since", &[Stamp, FlagFall], None, &mut |events| {
                    events[index].event = GameEvent::Paused { since };
                });
            }
        }
        GameEvent::Resumed { since: _ } => {
            let at = record.events[index].at;
            add("resumed", &[Unexpected], here, &mut |events| {
                events[index].event = GameEvent::Paused { since: flagfall_board::Stamp(at) };
            });
        }
        GameEvent::Ended { .. } => tamper_end(record, index, list),
    }
}

fn tamper_end(record: &GameRecord, index: usize, list: &mut Vec<Tampered>) {
    let end = |what, codes, edit: &mut dyn FnMut(&mut SeenOutcome), list: &mut Vec<Tampered>| {
        change(list, record, what, codes, None, |r| {
            if let GameEvent::Ended { outcome, .. } = &mut r.events[index].event {
                edit(outcome);
                r.outcome = Some(outcome.clone());
            }
        });
    };
    end("winner", &[Falsehood::Outcome, EndedEarly], &mut |outcome| flip_winner(Some(outcome)), list);
    end("winner", &[Falsehood::Outcome, EndedEarly], &mut |outcome| outcome.winner = None, list);
    for reason in EndReason::ALL {
        for winner in [Some(Side::Red), Some(Side::Blue), None] {
            let reason = reason.code().to_owned();
            // With a different winner, a different reason may also be possible.
            end(
                "reason",
                &[Falsehood::Outcome, EndedEarly, Unexpected, TimeLeft, FlagFall, Opened_],
                &mut |outcome| *outcome = SeenOutcome { winner, reason: reason.clone() },
                list,
            );
        }
    }
    for side in Side::BOTH {
        change(list, record, "opened", &[Opened_], Some(index), |r| {
            if let GameEvent::Ended { opened, .. } = &mut r.events[index].event {
                opened[side] = None;
            }
        });
    }
}

fn tamper_ply(record: &GameRecord, index: usize, list: &mut Vec<Tampered>) {
    let GameEvent::Moved(seen) = record.events[index].event else { return };
    let here = Some(index);
    let mut ply = |what, codes, event, edit: &mut dyn FnMut(&mut flagfall_protocol::SeenMove)| {
        change(list, record, what, codes, event, |r| {
            if let GameEvent::Moved(seen) = &mut r.events[index].event {
                edit(seen);
            }
        });
    };
    ply("mover", &[IllegalMove], here, &mut |seen| seen.side = seen.side.opponent());
    let neighbors = |square: Square| {
        let step = move |columns: i8, rows: i8| {
            let column = u8::try_from(square.column() as i8 + columns).ok()?;
            Square::new(column, u8::try_from(square.row() as i8 + rows).ok()?)
        };
        [(0, 1), (1, 0), (0, -1), (-1, 0)].into_iter().filter_map(move |(columns, rows)| step(columns, rows))
    };
    for from in neighbors(seen.squares.from) {
        ply("squares", &Falsehood::ALL, None, &mut |seen| seen.squares.from = from);
    }
    for to in neighbors(seen.squares.to) {
        ply("squares", &Falsehood::ALL, None, &mut |seen| seen.squares.to = to);
    }
    ply("squares", &[IllegalMove], here, &mut |seen| seen.squares.to = seen.squares.from);
    let identities = || {
        let known = Rank::ALL.into_iter().map(Identity::Known);
        known.chain([Identity::Hidden, Identity::OneOf(flagfall_board::RankSet::ALL)])
    };
    for identity in identities() {
        ply("piece", &[Falsehood::Rank, Shown], here, &mut |seen| seen.piece = identity);
    }
    let fates = [Fate::Stays, Fate::Advances, Fate::Leaves];
    if seen.strike.is_none() {
        let strike = SeenStrike {
            attacker: Identity::Known(Rank::Marshal),
            attacker_fate: Fate::Advances,
            defender: Identity::Known(Rank::Scout),
            defender_fate: Fate::Leaves,
        };
        ply("strike", &[Strike], here, &mut |seen| seen.strike = Some(strike));
        return;
    }
    ply("strike", &[Strike], here, &mut |seen| seen.strike = None);
    let ruleset = Ruleset::find(&record.terms.ruleset).expect("a ruleset");
    let is_silent = ruleset.disclosure == Disclosure::SilentDefense
        && seen.strike.is_some_and(|strike| strike.defender_fate != Fate::Leaves);
    let mut strike = |what, codes, edit: &mut dyn FnMut(&mut SeenStrike)| {
        ply(what, codes, here, &mut |seen| seen.strike.iter_mut().for_each(&mut *edit));
    };
    for identity in identities() {
        strike("attacker", &[Falsehood::Rank, Shown], &mut |strike| strike.attacker = identity);
        // The check accepts this change, because servers of version 0.1 omitted the rank of a
        // defender that won, even if everyone knew the rank.
        if is_silent && identity == Identity::Hidden {
            continue;
        }
        strike("defender", &[Falsehood::Rank, Shown], &mut |strike| strike.defender = identity);
    }
    for fate in fates {
        strike("attacker's fate", &[Fate], &mut |strike| strike.attacker_fate = fate);
        strike("defender's fate", &[Fate], &mut |strike| strike.defender_fate = fate);
    }
}

/// If a game ended on the board, the check reports a record in which this end is missing, and a
/// record in which the game continues instead of ending.
#[test]
fn a_game_ends_where_the_rules_end_it() {
    for (seed, played) in of_every_ruleset(81_001, 6, |_| Manner::new(5_000, crate::games::End::Open)) {
        let record = played.record(Viewer::Public).without_changes();
        let last = record.events.len() - 1;
        let reason = record.outcome.as_ref().unwrap().reason.clone();
        if ["flag_captured", "no_legal_move", "quiet_limit", "both_blocked"].contains(&reason.as_str()) {
            let mut went_on = record.clone();
            let ply = last as u16; // Any ply will do, because only the missing end matters.
            let mut more = went_on.events[last - 1].clone();
            more.at += u64::from(ply);
            went_on.events[last] = more;
            let codes: Vec<Falsehood> = check(&went_on).findings.iter().map(|found| found.code).collect();
            assert!(codes.contains(&NotEnded), "seed {seed} {reason}: {codes:?}");
            let mut cut = record.clone();
            cut.events.pop();
            cut.outcome = None;
            cut.deployments = Default::default();
            cut.events.iter_mut().for_each(|told| hide_placing(&mut told.event));
            let report = check(&cut);
            let codes: Vec<Falsehood> = report.findings.iter().map(|found| found.code).collect();
            let is_blocked = reason == "no_legal_move" || reason == "both_blocked";
            assert!(codes.contains(&Missing) || is_blocked, "seed {seed} {reason}: {:?}", report.findings);
        }
    }
}

/// Hides the pieces that were placed from a reserve, as in the public record of a running game.
fn hide_placing(event: &mut GameEvent) {
    if let GameEvent::Placed(seen) = event
        && !seen.labeled
    {
        seen.piece = Identity::Hidden;
    }
}

#[test]
fn clocks_are_held_to() {
    let (mut falls, mut lefts) = (0, 0);
    for (_, played) in of_every_ruleset(82_001, 4, |_| Manner::new(30, crate::games::End::OutOfTime)) {
        let record = played.record(Viewer::Public);
        if record.outcome.as_ref().is_none_or(|outcome| outcome.reason != "out_of_time") {
            continue;
        }
        let last = record.events.len() - 1;
        // Tampering: the flag falls immediately, although the side has time left.
        let mut early = record.clone();
        early.events[last].at = early.events[last - 1].at;
        let report = check(&early);
        assert_eq!(
            report.findings.last().map(|found| (found.code, found.event)),
            Some((TimeLeft, Some(last)))
        );
        lefts += 1;
        // Tampering: a side resigns long after its flag has fallen.
        let mut late = record.clone();
        if let GameEvent::Ended { outcome, .. } = &mut late.events[last].event {
            outcome.reason = "resigned".to_owned();
            late.outcome = Some(outcome.clone());
        }
        let report = check(&late);
        assert_eq!(
            report.findings.last().map(|found| (found.code, found.event)),
            Some((FlagFall, Some(last)))
        );
        falls += 1;
    }
    assert!(falls > 3 && lefts > 3, "{falls} flags fell");
}

fn bytes_of(played: &Played, viewer: Viewer) -> Vec<u8> {
    serde_json::to_vec(&played.record(viewer)).expect("JSON")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Changes one byte of a record's text. One of these must happen: the check finds the change,
    /// the JSON is no longer valid, the record becomes a true record of another game, or the
    /// change has no effect on the game.
    #[test]
    fn a_changed_byte_is_found(at in 0_usize..1_000_000, byte in 32_u8..127, seed in 0_u64..12) {
        let rulesets: Vec<_> = Ruleset::all().iter().collect();
        let ruleset = rulesets[seed as usize % rulesets.len()];
        let played = play(ruleset, Manner::new(25, crate::games::End::Resign), &mut Chance::new(seed));
        let viewer = Viewer::ALL[seed as usize % 3];
        let mut bytes = bytes_of(&played, viewer);
        let before: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(()) };
        if value == before {
            return Ok(());
        }
        let report = flagfall_records::check_value_with(&value, None);
        if report.status != Status::False {
            let record: GameRecord = serde_json::from_value(value.clone()).unwrap();
            let is_unknown_field = report.unchecked.iter().any(|left| left.code.code() == "fields");
            prop_assert!(is_unknown_field || is_a_true_record(&record), "byte {at}: {report:#?}");
        }
    }
}
