//! Tests signed records. The signature can be verified in the record of every audience. With the
//! key, the check finds every falsification.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    GameEvent, GameRecord, HexBytes, LagQuota, PlayerKind, RecordSignature, RecordedEvent, SeenOutcome,
    SignatureText, Time, key_id, signed_message,
};
use flagfall_records::{Falsehood, PublicKeys, SignatureStatus, Status, check, check_with};
use flagfall_rules::{Phase, Ruleset, Viewer};
use flagfall_tests::Chance;
use ring::signature::{Ed25519KeyPair, KeyPair};

use crate::games::{End, Manner, Played, of_every_ruleset, play};

fn pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key")
}

fn public() -> HexBytes {
    HexBytes(pair().public_key().as_ref().try_into().expect("32 bytes"))
}

fn keys() -> PublicKeys {
    let mut keys = PublicKeys::default();
    keys.add(&public().to_string()).expect("a key");
    keys
}

/// Returns a server's signature of the game. It covers the game as the public sees it.
fn signature_of(played: &Played) -> RecordSignature {
    let digest = played.record(Viewer::Public).digest().expect("the game is over");
    let signature = pair().sign(&signed_message(digest));
    let value = SignatureText(signature.as_ref().try_into().expect("64 bytes"));
    RecordSignature { key: key_id(&public()), value }
}

fn signed(played: &Played, viewer: Viewer) -> GameRecord {
    GameRecord { signature: Some(signature_of(played)), ..played.record(viewer) }
}

#[test]
fn every_audience_computes_the_digest_that_was_signed() {
    let mut ends = std::collections::BTreeMap::<String, usize>::new();
    let ways = [End::Resign, End::Draw, End::OutOfTime, End::Abort];
    for secret in [false, true] {
        let manner = |game: u64| Manner {
            secret: flagfall_board::PerSide::new(secret, false),
            ..Manner::new([5_000, 0, 25, 1][(game % 4) as usize], ways[(game / 2 % 4) as usize])
        };
        for (seed, played) in of_every_ruleset(62_001, 8, manner) {
            if played.game.phase() != Phase::Over {
                continue;
            }
            for viewer in Viewer::ALL {
                let report = check_with(&signed(&played, viewer), Some(&keys()));
                let told = (report.signature, report.findings.is_empty());
                assert_eq!(told, (Some(SignatureStatus::Verified), true), "{seed} {viewer:?} {report:#?}");
                assert_eq!(check(&signed(&played, viewer)).signature, Some(SignatureStatus::NotVerified));
                *ends.entry(report.reason.unwrap_or_default()).or_default() += 1;
            }
        }
    }
    println!("{ends:?}");
    for reason in ["resigned", "draw_agreed", "out_of_time", "aborted", "flag_captured"] {
        assert!(ends.contains_key(reason), "no game ended with {reason}: {ends:?}");
    }
}

#[test]
fn a_new_name_an_opened_deployment_and_new_fields_leave_it_valid() {
    let ruleset = Ruleset::find("shadowflash-3").expect("a ruleset");
    let played = play(ruleset, Manner::new(60, End::Resign), &mut Chance::new(3));
    let mut record = signed(&played, Viewer::Public);
    record.players.red.name = "somebody else".to_owned();
    record.players.red.kind = PlayerKind::Account;
    let mut value = serde_json::to_value(&record).expect("JSON");
    value["invented"] = serde_json::json!({ "later": true });
    let report = flagfall_records::check_value_with(&value, Some(&keys()));
    assert_eq!(report.signature, Some(SignatureStatus::Verified), "{report:#?}");
    let hidden = Played {
        manner: Manner { secret: flagfall_board::PerSide::new(true, true), ..played.manner },
        ..played
    };
    // The digest covers whether the game is secret, because this is one of the game's terms. The
    // digest does not cover which deployments are open.
    let mut told = hidden.record(Viewer::Public);
    let open = told.digest();
    told.deployments = Default::default();
    assert_eq!(told.digest(), open);
}

#[test]
fn a_record_that_is_not_signed_by_these_keys_is_not_good() {
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let played = play(ruleset, Manner::new(20, End::Resign), &mut Chance::new(5));
    let record = signed(&played, Viewer::Public);
    assert_eq!(check(&record).status, Status::Good);
    assert_eq!(check_with(&record, Some(&keys())).status, Status::Good);
    let unsigned = GameRecord { signature: None, ..record.clone() };
    assert_eq!(check_with(&unsigned, Some(&keys())).status, Status::Partly);
    let mut others = PublicKeys::default();
    others.add(&"11".repeat(32)).expect("a key");
    let report = check_with(&record, Some(&others));
    assert_eq!((report.status, report.signature), (Status::Partly, Some(SignatureStatus::NotVerifiable)));
    let mut bent = record;
    bent.signature.iter_mut().for_each(|signature| signature.value.0[9] ^= 1);
    let report = check_with(&bent, Some(&keys()));
    assert_eq!(report.findings.iter().map(|found| found.code).collect::<Vec<_>>(), [Falsehood::Signature]);
}

type Falsify = Box<dyn Fn(&mut GameRecord)>;

/// Falsifications of a game that a side resigned, each with a plausible motive.
fn falsifications() -> Vec<(&'static str, Falsify)> {
    let mut all: Vec<(&'static str, Falsify)> = Vec::new();
    let mut add = |what, edit: Falsify| all.push((what, edit));
    let end = |winner: Option<Side>, reason: &'static str, by: Option<Side>| -> Falsify {
        Box::new(move |record| {
            let told = SeenOutcome {
                winner: winner.or(record.outcome.as_ref().and_then(|end| end.winner)),
                reason: reason.to_owned(),
            };
            if let Some(RecordedEvent { by: named, event: GameEvent::Ended { outcome, .. }, .. }) =
                record.events.last_mut()
            {
                *outcome = told.clone();
                *named = by;
            }
            record.outcome = Some(told);
        })
    };
    add(
        "the winner flipped, the loser named",
        Box::new(|record| {
            let winner = record.outcome.as_ref().and_then(|end| end.winner).map(Side::opponent);
            if let Some(RecordedEvent { by, event: GameEvent::Ended { outcome, .. }, .. }) =
                record.events.last_mut()
            {
                outcome.winner = winner;
                *by = winner.map(Side::opponent);
            }
            record.outcome.iter_mut().for_each(|end| end.winner = winner);
        }),
    );
    add("left, not resigned", end(None, "abandoned", None));
    add("an illegal act", end(None, "illegal_act", None));
    add("out of time", end(None, "out_of_time", None));
    add(
        "called off",
        Box::new(|record| {
            let told = SeenOutcome { winner: None, reason: "aborted".to_owned() };
            if let Some(RecordedEvent { by, event: GameEvent::Ended { outcome, opened }, .. }) =
                record.events.last_mut()
            {
                (*outcome, *opened, *by) = (told.clone(), Default::default(), None);
            }
            (record.outcome, record.deployments) = (Some(told), Default::default());
        }),
    );
    add("the players swapped", Box::new(|r| std::mem::swap(&mut r.players.red, &mut r.players.blue)));
    add("another red player", Box::new(|r| r.players.red.id = "p9".to_owned()));
    add("another blue player", Box::new(|r| r.players.blue.id = "p9".to_owned()));
    for ruleset in ["tournament", "pbm", "classic,quiet=off", "classic,quiet=100", "classic,bombs=leave"] {
        add("another ruleset", Box::new(move |record| record.terms.ruleset = ruleset.to_owned()));
    }
    for time in [
        Time::Unlimited {},
        Time::Fischer { base_s: 61, increment_s: 2 },
        Time::Fischer { base_s: 60, increment_s: 3 },
        Time::Fischer { base_s: 600, increment_s: 10 },
        Time::Delay { base_s: 600, free_s: 5 },
        Time::Correspondence { days: 3 },
    ] {
        add("another clock", Box::new(move |record| record.terms.time = time));
    }
    add("rated", Box::new(|record| record.terms.rated = true));
    add("private", Box::new(|record| record.terms.private = true));
    add("another id", Box::new(|record| record.game = GameId::from_random([9; 12])));
    add("a quota", Box::new(|r| r.lag_quota = Some(LagQuota { per_ply_ms: 500, stock_ms: 3_000 })));
    add("whole turns", Box::new(|record| record.whole_turns = true));
    for days in [1, 3, 8, 30, 400] {
        let ms = days * 24 * 60 * 60 * 1_000;
        add("made earlier", Box::new(move |record| record.created -= ms));
        add(
            "all of it later",
            Box::new(move |record| {
                record.created += ms;
                record.events.iter_mut().for_each(|told| told.at += ms);
            }),
        );
        for place in [0, 1, 2] {
            add("a pause", Box::new(move |record| insert_pause(record, 5 + place, ms)));
        }
    }
    for ms in [1, 1_000] {
        for place in [3, 5, 8] {
            add(
                "a later ply",
                Box::new(move |r| r.events[place..].iter_mut().for_each(|told| told.at += ms)),
            );
        }
        add("a later end", Box::new(move |r| r.events.last_mut().into_iter().for_each(|told| told.at += ms)));
        add("a longer deployment", Box::new(move |r| r.deploy_ms = r.deploy_ms.map(|told| told + ms)));
    }
    add(
        "the last ply left out",
        Box::new(|record| {
            let last = record.events.iter().rposition(|told| matches!(told.event, GameEvent::Moved(_)));
            last.into_iter().for_each(|last| drop(record.events.remove(last)));
        }),
    );
    add(
        "a draw offer",
        Box::new(|record| {
            let at = flagfall_board::Stamp(record.events[6].at);
            record.events.insert(7, RecordedEvent::new(at, 0, GameEvent::DrawOffered { side: Side::Red }));
        }),
    );
    add("told to a player", Box::new(|record| record.audience = Viewer::Player(Side::Red)));
    add("no signature", Box::new(|record| record.signature = None));
    add("another signature", Box::new(|r| r.signature.iter_mut().for_each(|told| told.value.0[0] ^= 1)));
    add("another key", Box::new(|r| r.signature.iter_mut().for_each(|told| told.key = "0".repeat(16))));
    all
}

/// Moves the event at index `place` and all later events to a later time, and inserts a pause
/// before them.
fn insert_pause(record: &mut GameRecord, place: usize, ms: u64) {
    let since = flagfall_board::Stamp(record.events[place - 1].at);
    record.events[place..].iter_mut().for_each(|told| told.at += ms);
    let at = since.plus_ms(ms);
    let resumed = RecordedEvent::new(at, 0, GameEvent::Resumed { since: None });
    let paused = RecordedEvent::new(at, 0, GameEvent::Paused { since });
    record.events.splice(place..place, [paused, resumed]);
}

#[test]
fn every_falsification_of_a_resigned_game_is_found_with_the_key() {
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let played = (1..)
        .map(|seed| play(ruleset, Manner::new(20, End::Resign), &mut Chance::new(seed)))
        .find(|played| {
            let record = played.record(Viewer::Public);
            let is_plain = |told: &RecordedEvent| {
                !matches!(told.event, GameEvent::Paused { .. } | GameEvent::DrawOffered { .. })
            };
            record.outcome.as_ref().is_some_and(|end| end.reason == "resigned")
                && record.events.iter().all(is_plain)
        })
        .expect("a game without a pause");
    let all = falsifications();
    assert!(all.len() >= 60, "{}", all.len());
    for viewer in [Viewer::Public, Viewer::Player(Side::Red)] {
        let record = signed(&played, viewer);
        assert_eq!(check_with(&record, Some(&keys())).status, Status::Good);
        let mut without_key = 0;
        for (what, falsify) in &all {
            let mut changed = record.clone();
            falsify(&mut changed);
            if changed == record {
                continue;
            }
            let report = check_with(&changed, Some(&keys()));
            assert_ne!(report.status, Status::Good, "{what}: {report:#?}");
            let is_stripped = ["no signature", "another key"].contains(what);
            assert!(report.status == Status::False || is_stripped, "{what}: {report:#?}");
            without_key += usize::from(check(&changed).status != Status::Good);
        }
        println!("{} falsifications for {viewer:?}, {without_key} of them found without a key", all.len());
        assert!(without_key >= 15, "{without_key}");
    }
}
