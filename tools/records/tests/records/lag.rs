//! The lag compensation and the whole turns in records.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use flagfall_board::{GameId, PerSide, Rank, Side, Stamp};
use flagfall_protocol::{GameRecord, LagQuota, Recorder, Terms, Time};
use flagfall_records::Falsehood::{self, FlagFall, Lag, TimeLeft};
use flagfall_records::{Finding, Status, check};
use flagfall_rules::{
    Choice, Command, Entropy, Game, GameTerms, Ruleset, TimeControl, Viewer, decide, decide_deadline,
    evolve_compensated,
};

use crate::games::players;

const QUOTA: LagQuota = LagQuota { per_ply_ms: 500, stock_ms: 800 };
const TIME: Time = Time::Fischer { base_s: 60, increment_s: 0 };

/// Returns a new quantum game, which needs no deployments.
fn quantum(time: Time) -> Game {
    let ruleset = Ruleset::find("quantum").unwrap();
    Game::new(GameTerms {
        game: GameId::from_random([1; 12]),
        ruleset,
        lakes: ruleset.shape.lakes,
        time: TimeControl::from(time),
        deploy_ms: 300_000,
        created: Stamp(1_000),
        secret: PerSide::default(),
    })
}

fn terms(time: Time) -> Terms {
    Terms { ruleset: "quantum".to_owned(), time, private: false, secret: false, rated: false }
}

/// Returns the record of a quantum game. Each ply is given as the
/// time that its side uses and the lag compensation, in milliseconds. A flag falls at the end.
fn record(plies: &[(u64, u32)]) -> GameRecord {
    let mut game = quantum(TIME).with_lag_quota(QUOTA);
    let mut recorder = Recorder::new(game.clone()).with_lag_quota(Some(QUOTA));
    let mut now = Stamp(1_000);
    for (thinks_ms, lag_ms) in plies {
        now = now.plus_ms(*thinks_ms);
        let side = game.turn().unwrap();
        let foes = game.position().occupied(side.opponent());
        let moves = game.legal_moves().unwrap();
        let step = moves.iter().find(|step| !foes.contains(step.to)).map(|step| Command::Move(step.into()));
        let judged = now.minus_ms((*lag_ms).into());
        let events = decide(&game, side, game.ply(), &step.unwrap(), judged, &Entropy([1; 32])).unwrap();
        for event in events.iter() {
            evolve_compensated(&mut game, event, now, *lag_ms);
            recorder.note_compensated(event, now, *lag_ms);
        }
    }
    now = game.flag_fall().unwrap().plus_ms(1);
    for event in decide_deadline(&game, now) {
        evolve_compensated(&mut game, &event, now, 0);
        recorder.note(&event, now);
    }
    recorder.record(Viewer::Public, terms(TIME), players())
}

fn first_finding(record: &GameRecord) -> Option<(Falsehood, Option<usize>)> {
    check(record).findings.first().map(|Finding { code, event, .. }| (*code, *event))
}

#[test]
fn lag_compensation_within_the_quota_is_valid() {
    // Red's first ply arrives 300 ms late, but Red sent it in time.
    let record = record(&[(60_300, 400), (1_000, 0), (50, 50), (2_000, 800)]);
    assert_eq!(record.outcome.as_ref().unwrap().winner, Some(Side::Blue));
    let report = check(&record);
    assert_eq!((report.status, report.findings), (Status::Good, Vec::new()));
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<GameRecord>(&text).unwrap(), record);
}

#[test]
fn more_than_the_quota_has_is_found() {
    let mut more = record(&[(10_000, 400), (1_000, 0), (10_000, 400), (1_000, 0)]).without_changes();
    // Red's quota was 800 ms. It lost the 400 ms that were used and gained 500 ms for the ply.
    // Because 800 ms is the maximum, the quota is 800 ms again.
    more.events[2].lag_ms = 800;
    assert_eq!(first_finding(&more), Some((TimeLeft, Some(4))), "Red has more time left now");
    more.events[2].lag_ms = 801;
    assert_eq!(first_finding(&more), Some((Lag, Some(2))));
}

#[test]
fn more_than_was_used_is_found() {
    let mut more = record(&[(10, 10)]);
    more.events[0].lag_ms = 11;
    assert_eq!(first_finding(&more), Some((Lag, Some(0))));
}

#[test]
fn a_late_ply_without_it_is_found() {
    let mut late = record(&[(60_300, 400), (1_000, 0)]);
    late.events[0].lag_ms = 299;
    assert_eq!(first_finding(&late), Some((FlagFall, Some(0))));
}

#[test]
fn lag_compensation_needs_a_quota() {
    let mut none = record(&[(10_000, 400), (1_000, 0)]);
    none.lag_quota = None;
    assert_eq!(first_finding(&none), Some((Lag, Some(0))));
}

#[test]
fn a_turn_after_a_choice_has_its_whole_time_if_the_record_says_so() {
    for time in [Time::Delay { base_s: 60, free_s: 10 }, Time::Correspondence { days: 1 }] {
        let mut game = quantum(time).with_whole_turns(true);
        let mut recorder = Recorder::new(game.clone());
        let plies = [
            (Side::Red, Command::Move("a4a7".parse().unwrap())),
            (Side::Blue, Command::Choose(Choice(Rank::Sergeant))),
            (Side::Blue, Command::Resign),
        ];
        for (at, (side, command)) in (1..).zip(plies) {
            let at = Stamp(5_000 * at);
            for event in decide(&game, side, game.ply(), &command, at, &Entropy([1; 32])).unwrap() {
                evolve_compensated(&mut game, &event, at, 0);
                recorder.note(&event, at);
            }
        }
        let mut record = recorder.record(Viewer::Public, terms(time), players());
        assert_eq!(check(&record).findings, []);
        record.whole_turns = false;
        assert!(first_finding(&record).is_some());
    }
}
