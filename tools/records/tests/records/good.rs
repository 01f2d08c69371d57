use flagfall_board::{PerSide, Rank};
use flagfall_protocol::{GameEvent, PendingStrike, Time};
use flagfall_records::{Status, check, check_value_with};
use flagfall_rules::{Phase, Start, Viewer};

use crate::games::{End, Manner, of_every_ruleset, tells_choices};

#[test]
fn the_record_of_any_game_is_true_for_every_audience() {
    let (mut records, mut plies) = (0, 0);
    let mut reasons = std::collections::BTreeMap::<String, usize>::new();
    let manner = |game: u64| {
        let end = Manner::ENDS[(game % 4) as usize];
        let mut manner = Manner::new(if game.is_multiple_of(3) { 5_000 } else { 20 * game as u16 }, end);
        manner.time = match game % 5 {
            0 => Time::Fischer { base_s: 86_400, increment_s: 0 },
            1 => Time::Fischer { base_s: 60, increment_s: 2 },
            2 => Time::Delay { base_s: 30, free_s: 1 },
            3 => Time::Correspondence { days: 2 },
            _ => Time::Unlimited {},
        };
        manner
    };
    for (seed, played) in of_every_ruleset(70_001, 12, manner) {
        for viewer in Viewer::ALL {
            let record = played.record(viewer);
            let report = check_value_with(&serde_json::to_value(&record).unwrap(), None);
            // A game that ended because of wrong deployments (§U7) has no commitments, so the
            // deployments cannot be checked.
            let is_over = played.game.phase() == Phase::Over && record.commitments.red.is_some()
                || tells_choices(&record);
            let wanted = if is_over { Status::Good } else { Status::Partly };
            assert_eq!(report.status, wanted, "seed {seed} {viewer:?}: {report:#?}");
            // The pieces in the reserve are shown only after the end.
            let is_whole = is_over || !played.game.terms().ruleset.reserve;
            assert!(!is_whole || report.plies_checked == report.plies, "seed {seed} {viewer:?}: {report:#?}");
            records += 1;
            plies += report.plies;
            *reasons.entry(report.reason.unwrap_or_default()).or_default() += 1;
        }
    }
    println!("{records} records of {plies} plies are true: {reasons:?}");
    for reason in ["flag_captured", "resigned", "draw_agreed", "out_of_time"] {
        assert!(reasons.contains_key(reason), "no game ended with {reason}: {reasons:?}");
    }
}

#[test]
fn a_game_called_off_is_true_as_far_as_it_goes() {
    for (seed, played) in of_every_ruleset(71_001, 8, |_| Manner::new(1, End::Abort)) {
        for viewer in Viewer::ALL {
            let report = check(&played.record(viewer));
            assert_eq!(report.findings, [], "seed {seed} {viewer:?}");
            assert_ne!(report.status, Status::False);
        }
    }
}

/// In games with coins, the end of the game opens the choices of every resolved strike.
#[test]
fn a_false_choice_or_coin_strike_is_found() {
    let mut changed = 0;
    let played = of_every_ruleset(73_001, 4, |_| Manner::new(60, End::Resign));
    for (seed, played) in
        played.iter().filter(|(_, played)| played.game.terms().ruleset.start == Start::Coins)
    {
        let record = played.record(Viewer::Public);
        assert_eq!(check(&record).status, Status::Good, "seed {seed}");
        for index in 0..record.events.len() {
            let edits: Vec<Option<GameEvent>> = match &record.events[index].event {
                GameEvent::Chosen { side, rank } => {
                    let other = if *rank == Rank::Miner { Rank::Sergeant } else { Rank::Miner };
                    vec![
                        None,
                        Some(GameEvent::Chosen { side: side.opponent(), rank: *rank }),
                        Some(GameEvent::Chosen { side: *side, rank: other }),
                    ]
                }
                GameEvent::Struck(strike) => {
                    let owes = PerSide::from_fn(|side| !strike.owes[side]);
                    let own_choice = Some(Rank::Marshal);
                    vec![
                        None,
                        Some(GameEvent::Struck(PendingStrike { side: strike.side.opponent(), ..*strike })),
                        Some(GameEvent::Struck(PendingStrike { owes, ..*strike })),
                        Some(GameEvent::Struck(PendingStrike { own_choice, ..*strike })),
                    ]
                }
                _ => continue,
            };
            // The choices of an unresolved strike are never shown, so only the strike itself can
            // be changed.
            let is_resolved =
                record.events[index..].iter().any(|told| matches!(told.event, GameEvent::Moved(_)));
            for edit in edits.into_iter().filter(|_| is_resolved) {
                let mut told = record.clone();
                match edit {
                    Some(event) => told.events[index].event = event,
                    None => drop(told.events.remove(index)),
                }
                let status = check(&told).status;
                assert_eq!(status, Status::False, "seed {seed}, event {index}: {:?}", told.events.get(index));
                changed += 1;
            }
        }
    }
    assert!(changed > 50, "{changed}");
}
