//! Tests that the changes in all records are true, and that the check finds falsified changes.

use flagfall_board::{PerSide, Rank, Side};
use flagfall_protocol::{GameRecord, RecordKind, RecordScope, SeenClock, ViewChange};
use flagfall_records::Falsehood::{self, Change, FirstView};
use flagfall_records::{SIZE_MAX, Status, check, with_changes};
use flagfall_rules::{Identity, SeenPiece, Viewer};

use crate::games::{End, Manner, Played, of_every_ruleset, tells_choices};

fn games(seed: u64) -> Vec<(u64, Played)> {
    let ends = [End::Resign, End::Open, End::OutOfTime, End::Abort];
    of_every_ruleset(seed, 4, |game| Manner::new(30 + 20 * game as u16, ends[(game % 4) as usize]))
}

/// Returns every record of a game that any audience can request.
fn scoped(played: &Played) -> Vec<GameRecord> {
    let requests = Viewer::ALL.into_iter().flat_map(|viewer| RecordScope::ALL.map(|scope| (scope, viewer)));
    requests.filter_map(|(scope, viewer)| played.record_as(scope, viewer)).collect()
}

#[test]
fn the_record_of_every_scope_is_true() {
    let mut live_after_the_end = 0;
    for (seed, played) in games(65_001) {
        for record in scoped(&played) {
            let report = check(&record);
            assert_eq!(report.findings, [], "seed {seed} {:?} {:?}", record.audience, record.kind);
            let is_opened = record.kind == Some(RecordKind::Opened)
                && (record.commitments.red.is_some() || tells_choices(&record));
            assert!(!is_opened || report.status == Status::Good, "seed {seed}: {report:#?}");
            live_after_the_end +=
                usize::from(record.kind == Some(RecordKind::Live) && record.outcome.is_some());
        }
    }
    assert!(live_after_the_end > 50, "{live_after_the_end}");
}

fn code_at(record: &GameRecord, event: Option<usize>) -> Option<Falsehood> {
    let report = check(record);
    report.findings.iter().find(|finding| finding.event == event).map(|finding| finding.code)
}

#[test]
fn a_falsified_change_is_found_at_its_event() {
    let mut found = 0;
    for (seed, played) in games(66_001) {
        for record in scoped(&played) {
            let omits_clocks = record.omits_choices() || record.outcome.is_none();
            let every = 1 + record.events.len() / 6;
            for index in (0..record.events.len()).step_by(every) {
                let edits: [fn(&mut ViewChange); 7] = [
                    |change| change.turn = if change.turn.is_none() { Some(Side::Red) } else { None },
                    |change| change.plies_to_limit = Some(change.plies_to_limit.map_or(3, |left| left + 1)),
                    |change| {
                        change.captured =
                            Some(PerSide::from_fn(|_| [(Rank::Marshal, 3)].into_iter().collect()));
                    },
                    |change| {
                        change.deploy_deadline = Some(change.deploy_deadline.unwrap_or_default().plus_ms(1));
                    },
                    |change| {
                        let Some(piece) = change.pieces.iter_mut().flatten().next() else {
                            return;
                        };
                        piece.is_moved = !piece.is_moved;
                    },
                    |change| {
                        let Some(piece) = change.pieces.iter_mut().flatten().last() else {
                            return;
                        };
                        let is_marshal = piece.identity == Identity::Known(Rank::Marshal);
                        let rank = if is_marshal { Rank::Scout } else { Rank::Marshal };
                        *piece = SeenPiece { identity: Identity::Known(rank), ..*piece };
                    },
                    |change| {
                        let Some(SeenClock { remaining_ms, .. }) = &mut change.clock else { return };
                        remaining_ms.red += 1;
                    },
                ];
                for (number, edit) in edits.into_iter().enumerate() {
                    let mut changed = record.clone();
                    changed.events[index].change.iter_mut().for_each(edit);
                    // A live record shows neither the times of choices nor the values of the
                    // clocks after them.
                    let is_unknown = number == 6 && omits_clocks;
                    // A live record in which the last event shows different pieces in the reserve
                    // may be a true record of another game.
                    let is_end = record.kind == Some(RecordKind::Live) && index + 1 == record.events.len();
                    if changed == record || is_unknown || number == 5 && is_end {
                        continue;
                    }
                    // The check reports a different code if no deployment fits the falsified pieces
                    // at the start.
                    let code = check(&changed).findings.first().map(|finding| finding.code);
                    let is_found =
                        code_at(&changed, Some(index)) == Some(Change) || code == Some(Falsehood::Impossible);
                    assert!(is_found, "seed {seed}, edit {number} of event {index}: {code:?}");
                    found += 1;
                }
                let mut without = record.clone();
                without.events[index].change = None;
                let code = check(&without).findings.first().map(|finding| finding.code);
                assert!(matches!(code, Some(Change | Falsehood::Impossible)), "seed {seed}: {code:?}");
            }
        }
    }
    println!("{found} falsified changes were found");
    assert!(found > 2_000, "{found}");
}

#[test]
fn a_false_first_view_and_a_false_kind_are_found() {
    for (seed, played) in games(67_001) {
        for record in scoped(&played) {
            let mut changed = record.clone();
            changed.first_view.iter_mut().for_each(|view| view.ply += 1);
            assert_eq!(code_at(&changed, None), Some(FirstView), "seed {seed}");
            let missing = GameRecord { first_view: None, ..record.clone() };
            assert_eq!(code_at(&missing, None), Some(FirstView), "seed {seed}");
            let unnamed = GameRecord { kind: None, ..record.clone() };
            assert_eq!(code_at(&unnamed, None), Some(Change), "seed {seed}");
            let running = record.outcome.as_ref().is_none_or(|outcome| outcome.reason == "aborted");
            if running {
                let opened = GameRecord { kind: Some(RecordKind::Opened), ..record.clone() };
                assert_eq!(code_at(&opened, None), Some(Falsehood::Opened), "seed {seed}");
            }
        }
    }
}

/// Records of version 0.1 can still be checked, and `with_changes` adds the changes that they
/// lack.
#[test]
fn an_old_record_gets_its_changes_by_being_played() {
    let mut whole = 0;
    for (seed, played) in games(68_001) {
        for viewer in Viewer::ALL {
            let record = played.record(viewer);
            let old = record.clone().without_changes();
            assert_eq!(check(&old).status, check(&record).status, "seed {seed} {viewer:?}");
            let again = with_changes(old);
            if record.kind == Some(RecordKind::Opened) {
                assert!(again == record, "seed {seed} {viewer:?}");
                whole += 1;
            }
            assert_eq!(again.first_view, record.first_view);
            let again = again.events.iter().zip(&record.events);
            let is_true = |told: &ViewChange, truth: &ViewChange| {
                ViewChange { clock: truth.clock, ..told.clone() } == *truth
            };
            let pairs =
                again.filter_map(|(told, truth)| Some((told.change.as_ref()?, truth.change.as_ref()?)));
            assert!(pairs.into_iter().all(|(told, truth)| is_true(told, truth)), "seed {seed} {viewer:?}");
        }
    }
    assert!(whole > 30, "{whole}");
}

/// The digest that servers sign does not depend on the changes, in every record that has a
/// digest.
#[test]
fn changes_leave_the_digest_as_it_was() {
    for (seed, played) in games(69_001) {
        let digest = played.record(Viewer::Public).without_changes().digest();
        for record in
            scoped(&played).into_iter().filter(|record| record.audience == flagfall_protocol::Viewer::Public)
        {
            let expected = digest.filter(|_| !record.omits_choices());
            assert_eq!(record.digest(), expected, "seed {seed} {:?}", record.kind);
        }
    }
}

#[test]
fn the_longest_record_can_be_read() {
    let (mut compact_max, mut wide_max) = (0, 0);
    for (_, played) in games(64_001) {
        let record = played.record(Viewer::Public);
        let plies = record.events.iter().filter(|told| told.event.is_ply()).count().max(1);
        let of_5000 = |bytes: usize| bytes / plies * 5_000;
        if plies >= 20 {
            compact_max = compact_max.max(of_5000(serde_json::to_vec(&record).expect("JSON").len()));
            wide_max = wide_max.max(of_5000(serde_json::to_vec_pretty(&record).expect("JSON").len()));
        }
    }
    println!("5,000 plies have at most {compact_max} bytes, printed widely {wide_max}");
    assert!(compact_max > 0 && compact_max < 8 << 20, "{compact_max}: the client reads no more");
    assert!(wide_max < SIZE_MAX, "{wide_max}");
}
