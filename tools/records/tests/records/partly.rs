//! Tests records that do not open both deployments: records of running games, and of games with a
//! secret deployment.

use flagfall_board::{PerSide, Rank};
use flagfall_protocol::{Fate, GameEvent, GameRecord, RecordedEvent, SeenMove, Time};
use flagfall_records::Falsehood::{self, *};
use flagfall_records::{Status, UncheckedKind, check};
use flagfall_rules::{Identity, Ruleset, Viewer};
use flagfall_tests::Chance;

use crate::games::{End, Manner, of_every_ruleset, tells_choices};

/// Returns records of running games, and of games with a secret deployment.
fn records() -> Vec<(u64, GameRecord)> {
    let mut records = Vec::new();
    for (seed, played) in of_every_ruleset(90_001, 6, |game| Manner::new(40 * game as u16 + 9, End::Open)) {
        let mut chance = Chance::new(seed);
        for viewer in Viewer::ALL {
            let cut = 1 + chance.below(played.log.len());
            let is_whole = played.log.get(cut).is_none_or(|next| next.at != played.log[cut - 1].at);
            if is_whole {
                records.push((seed, played.record_until(viewer, cut)));
            }
        }
    }
    for secret in [PerSide::new(true, false), PerSide::new(false, true), PerSide::new(true, true)] {
        let manner = |game| Manner {
            secret,
            ..Manner::new(if game == 0 { 5_000 } else { 60 }, Manner::ENDS[(game % 3) as usize])
        };
        for (seed, played) in of_every_ruleset(91_001, 3, manner) {
            records.push((seed, played.record(Viewer::Public)));
            assert_ne!(check(&played.record(Viewer::ALL[0])).status, Status::False, "players see everything");
        }
    }
    records
}

#[test]
fn unchecked_facts_are_listed_and_the_rest_is_verified() {
    let mut left = std::collections::BTreeMap::<&str, usize>::new();
    let mut plies_with_reserve = 0;
    for (seed, record) in records() {
        let report = check(&record);
        let is_opened = record.deployments.red.is_some()
            && record.deployments.blue.is_some()
            && record.commitments.red.is_some()
            || tells_choices(&record);
        let wanted = if is_opened { Status::Good } else { Status::Partly };
        assert_eq!(report.status, wanted, "seed {seed} {:?}: {report:#?}", record.audience);
        report.unchecked.iter().for_each(|unchecked| *left.entry(unchecked.code.code()).or_default() += 1);
        let names_rest = report.unchecked.iter().any(|unchecked| unchecked.code == UncheckedKind::Rest);
        assert!(report.plies_checked == report.plies || names_rest, "seed {seed}");
        // The check must also find fitting ranks in games with a reserve.
        let has_reserve = Ruleset::find(&record.terms.ruleset).is_some_and(|ruleset| ruleset.reserve);
        assert!(!has_reserve || !names_rest, "seed {seed}: {report:#?}");
        plies_with_reserve += if has_reserve { report.plies_checked } else { 0 };
    }
    println!("{left:?}, {plies_with_reserve} plies beside a reserve");
    assert!(left.contains_key("ranks") && left.contains_key("commitment"));
    assert!(plies_with_reserve > 1_000, "{plies_with_reserve}");
}

#[test]
fn a_game_that_no_deployment_allows_is_found() {
    let mut found = std::collections::BTreeMap::<&str, usize>::new();
    for (seed, record) in records() {
        if check(&record).status == Status::Good {
            continue;
        }
        for (index, told) in record.events.iter().enumerate() {
            let GameEvent::Moved(seen) = &told.event else { continue };
            let mut must_be_found = |edit: &dyn Fn(&mut SeenMove)| {
                let mut changed = record.clone();
                if let GameEvent::Moved(seen) = &mut changed.events[index].event {
                    edit(seen);
                }
                if changed == record {
                    return;
                }
                let report = check(&changed);
                assert_eq!(report.status, Status::False, "seed {seed}, event {index}");
                *found.entry(report.findings[0].code.code()).or_default() += 1;
            };
            must_be_found(&|seen| seen.side = seen.side.opponent());
            must_be_found(&|seen| seen.piece = Identity::Known(Rank::Bomb));
            must_be_found(&|seen| seen.piece = Identity::Known(Rank::Phoenix));
            if seen.strike.is_none() {
                continue;
            }
            for fate in [Fate::Stays, Fate::Advances, Fate::Leaves] {
                must_be_found(&|seen| seen.strike.iter_mut().for_each(|strike| strike.attacker_fate = fate));
                must_be_found(&|seen| seen.strike.iter_mut().for_each(|strike| strike.defender_fate = fate));
            }
            must_be_found(&|seen| {
                let flag = Identity::Known(Rank::Flag);
                seen.strike.iter_mut().for_each(|strike| strike.attacker = flag);
            });
        }
    }
    println!("{found:?}");
    assert!(found.contains_key(Impossible.code()), "{found:?}");
}

/// Each army has one General. The check reports a second General at the ply at which it appears.
#[test]
fn a_rank_too_many_is_found_where_it_appears() {
    let mut count = 0;
    for (seed, record) in records() {
        let strikes: Vec<(usize, SeenMove)> = record
            .events
            .iter()
            .enumerate()
            .filter_map(|(index, told)| match &told.event {
                GameEvent::Moved(seen) if seen.strike.is_some() => Some((index, *seen)),
                _ => None,
            })
            .collect();
        let has_reserve = Ruleset::find(&record.terms.ruleset).is_some_and(|ruleset| ruleset.reserve);
        if check(&record).status == Status::Good || record.audience.side().is_some() || has_reserve {
            continue;
        }
        let mut changed = record.clone();
        // In these rulesets, two pieces of equal rank both leave. Each such strike could
        // therefore have been one between Generals.
        let both_leave = strikes.iter().filter(|(_, seen)| {
            seen.strike.is_some_and(|strike| {
                strike.attacker_fate == Fate::Leaves && strike.defender_fate == Fate::Leaves
            })
        });
        let places: Vec<usize> = both_leave.map(|(index, _)| *index).take(2).collect();
        let [_, second] = places[..] else { continue };
        for index in places {
            if let GameEvent::Moved(seen) = &mut changed.events[index].event {
                let marshal = Identity::Known(Rank::General);
                seen.piece = marshal;
                seen.strike.iter_mut().for_each(|strike| {
                    strike.attacker = marshal;
                    strike.defender = marshal;
                });
            }
        }
        let report = check(&changed);
        let codes: Vec<Falsehood> = report.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(report.status, Status::False, "seed {seed}");
        if codes == [Impossible] {
            count += usize::from(report.findings[0].event.is_some_and(|event| event <= second));
        }
    }
    assert!(count > 0, "no game had two strikes between equals");
}

/// While a strike is pending, at least one clock runs, so the strike cannot last longer than the
/// remaining times of both sides together.
#[test]
fn a_running_game_with_coins_is_held_to_its_clock() {
    let (mut strikes, mut found) = (0, 0);
    for (seed, record) in records() {
        let is_running = record.outcome.is_none() && tells_strike(&record);
        let Time::Fischer { base_s, increment_s } = record.terms.time else { continue };
        if !is_running {
            continue;
        }
        let report = check(&record);
        assert_eq!(report.findings, [], "seed {seed}");
        // The maximum time that any side can have.
        let most_ms = 1_000 * (u64::from(base_s) + u64::from(increment_s) * record.events.len() as u64);
        for index in 1..record.events.len() {
            let is_ply = matches!(record.events[index].event, GameEvent::Moved(_));
            let is_resolved = is_ply && matches!(record.events[index - 1].event, GameEvent::Struck(_));
            // If a pause comes while a strike is pending, it is unknown whose time passed before
            // the pause.
            let was_paused = |told: &RecordedEvent| matches!(told.event, GameEvent::Paused { .. });
            if !is_ply || record.events[..index].iter().any(was_paused) {
                continue;
            }
            let mut late = record.clone();
            late.events[index..].iter_mut().for_each(|told| told.at += most_ms);
            let report = check(&late);
            assert_eq!(report.status, Status::False, "seed {seed}, event {index}: {:#?}", late.events);
            found += 1;
            strikes += usize::from(is_resolved);
        }
    }
    println!("{found} plies came too late, {strikes} of them out of strikes");
    assert!(found > 50 && strikes > 5, "{found}, {strikes}");
}

fn tells_strike(record: &GameRecord) -> bool {
    record.events.iter().any(|told| matches!(told.event, GameEvent::Struck(_)))
}
