//! Tests that an archived game gives every audience exactly the same record as its log.

#![expect(clippy::disallowed_methods, reason = "the test compares what the log holds")]

use std::collections::BTreeMap;

use flagfall_archive::{decode, encode_checked};
use flagfall_board::{PerSide, Side};
use flagfall_game::recorder;
use flagfall_protocol::{RecordScope, RecordSignature};
use flagfall_rules::Viewer;
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_store::{StoredEntry, record};
use flagfall_tests::{Chance, rulesets};

use super::played::{NAMES, Played, random_game};
use super::{contains, signature};

/// Returns all records that any viewer could request of a game, as JSON.
fn records(played: &Played, log: &[StoredEntry], signature: Option<RecordSignature>) -> Vec<String> {
    let (header, recorder) = recorder(played.id, log).expect("a log");
    let players = &played.header.players;
    let mut records = Vec::new();
    for viewer in Viewer::ALL {
        let mut now = recorder.record(viewer, header.terms.clone(), players.clone());
        now.signature = signature.clone();
        records.push(serde_json::to_string(&now).expect("JSON"));
    }
    for scope in RecordScope::ALL {
        for requester in Viewer::ALL {
            let found = recorder.record_as(scope, requester, header.terms.clone(), players.clone());
            records.push(serde_json::to_string(&found.ok()).expect("JSON"));
        }
    }
    records
}

/// Counts the kinds of events, and special cases of some kinds.
fn count(played: &Played, met: &mut BTreeMap<String, usize>) {
    for stored in &played.log[1..] {
        let entry = record::decode(&stored.body, played.header.seats()).expect("an entry");
        let special = match to_record(&entry.event) {
            SecretRecord::Deployed { is_change: true, .. } => "a changed deployment".to_owned(),
            SecretRecord::Moved { laid: Some(laid), .. } if laid.squares().len() > 1 => "a flash".to_owned(),
            SecretRecord::Resumed { since: Some(_) } => "resumed since".to_owned(),
            SecretRecord::Ended { reason, .. } => reason.code().to_owned(),
            _ => format!("{:?}", entry.event),
        };
        *met.entry(special).or_default() += 1;
    }
}

#[test]
fn an_archived_record_is_the_logs_record() {
    let seed = Chance::seed_or(20_261_126);
    let games = Chance::games_or(4);
    let mut met = BTreeMap::new();
    for (number, ruleset) in (0..).zip(rulesets()) {
        let mut bytes = 0;
        for game in 0..games {
            let seed = seed + number * 1000 + game;
            let played = random_game(ruleset, seed, None);
            let signature = seed.is_multiple_of(2).then(signature);
            let encoded = encode_checked(played.id, &played.log, played.head, signature.as_ref());
            let encoded = encoded.unwrap_or_else(|error| panic!("{}, seed {seed}: {error}", ruleset.id));
            let decoded = decode(encoded.expose()).expect("a decoded game");
            assert_eq!(decoded.signature, signature);
            assert_eq!(decoded.head, played.head);
            let wanted = records(&played, &played.log, signature.clone());
            let found = records(&played, &decoded.entries, decoded.signature);
            for (wanted, found) in wanted.iter().zip(&found) {
                assert_eq!(wanted, found, "{}, seed {seed}", ruleset.id);
            }
            assert_eq!(wanted.len(), found.len());
            check_size(&played, encoded.expose());
            count(&played, &mut met);
            bytes += encoded.len();
        }
        println!("{games} games of {}: {bytes} bytes, seed {seed}", ruleset.id);
    }
    println!("{met:?}");
    let wanted = [
        "Deployed",
        "a changed deployment",
        "Started",
        "Moved",
        "a flash",
        "Struck",
        "Chosen",
        "Removed",
        "Placed",
        "Colored",
        "DrawOffered",
        "DrawDeclined",
        "Paused",
        "Resumed",
        "resumed since",
        "resigned",
        "draw_agreed",
        "out_of_time",
        "abandoned",
        "aborted",
        "illegal_act",
    ];
    let missing: Vec<&str> = wanted.into_iter().filter(|what| !met.contains_key(*what)).collect();
    assert!(missing.is_empty() || games < 4, "no game had {missing:?}");
}

/// Checks that events which follow from acts are not stored, and that no names are stored.
fn check_size(played: &Played, bytes: &[u8]) {
    assert_eq!(bytes[0], 1, "the format");
    let deployments = |stored: &&StoredEntry| {
        let entry = record::decode(&stored.body, played.header.seats()).expect("an entry");
        matches!(to_record(&entry.event), SecretRecord::Deployed { .. })
    };
    let deployments = played.log[1..].iter().filter(deployments).count();
    let most = 300 + 130 * deployments + 8 * played.log.len();
    assert!(bytes.len() <= most, "{} bytes for {} entries", bytes.len(), played.log.len());
    let PerSide { red, blue } = NAMES;
    assert!(!contains(bytes, red) && !contains(bytes, blue), "a name");
    for side in Side::BOTH {
        let name = &decode(bytes).expect("a game").entries[0];
        let header: flagfall_game::GameHeader = record::decode_header(&name.body).expect("a header");
        let is_house = header.players[side].kind == flagfall_protocol::PlayerKind::House;
        assert_eq!(header.players[side].name, if is_house { "simple" } else { "" });
    }
}
