//! Tests of games that format 1 cannot express.

use flagfall_archive::{decode, encode_checked};
use flagfall_board::{PerSide, Side, Stamp};
use flagfall_rules::rulesets::CLASSIC;
use flagfall_store::record::{self, Form};
use flagfall_store::{Head, SecretBytes, StoredEntry};

use super::played::{NAMES, Played, game_of};
use super::{contains, signature};

/// Returns a game that only a newer version could read. Its ruleset, one of its events, and the
/// form of one entry are unknown.
pub(crate) fn game_of_the_future() -> Played {
    let mut played = game_of(&CLASSIC, 8, 6);
    played.header.terms.ruleset = "hexagonal".to_owned();
    let header = record::encode_header(&played.header).expect("a header");
    let event = br#"{"cmd":{"p":"ana","c":"0190-secret","f":7},"lag":3,"ev":{"t":"teleported","to":"a4"}}"#;
    replace(&mut played, &[(0, header), (2, SecretBytes::new(event.to_vec())), (3, new_form())]);
    played
}

fn new_form() -> SecretBytes {
    SecretBytes::new(vec![3, 1, 4, 1, 5, 9])
}

/// Replaces the bodies of some entries, and computes the head again.
fn replace(played: &mut Played, bodies: &[(usize, SecretBytes)]) {
    for (place, body) in bodies {
        played.log[*place].body = body.clone();
    }
    let chain = played.log.iter().fold(Head::START, |head, stored| head.then(played.id, &stored.body));
    played.head = chain;
}

fn archived(played: &Played) -> Vec<StoredEntry> {
    let encoded = encode_checked(played.id, &played.log, played.head, Some(&signature()));
    let encoded = encoded.expect("an encoded game");
    assert_eq!(encoded.expose()[0], 0, "the format");
    let decoded = decode(encoded.expose()).expect("a game");
    assert_eq!((decoded.game, decoded.head), (played.id, played.head));
    assert_eq!(decoded.signature, Some(signature()));
    decoded.entries
}

#[test]
fn a_game_of_a_newer_version_is_stored_without_commands_and_names() {
    let played = game_of_the_future();
    let entries = archived(&played);
    assert_eq!(entries.len(), played.log.len());
    for (stored, other) in played.log.iter().zip(&entries) {
        assert_eq!((stored.seq, stored.at), (other.seq, other.at));
        let PerSide { red, blue } = NAMES;
        for hidden in [red, blue, "0190", "fingerprint", "cmd"] {
            assert!(!contains(other.body.expose(), hidden), "{hidden} in entry {}", other.seq);
        }
    }
    let event: serde_json::Value = serde_json::from_slice(entries[2].body.expose()).unwrap();
    assert_eq!(event, serde_json::json!({ "lag": 3, "ev": { "t": "teleported", "to": "a4" } }));
    assert_eq!(entries[3].body, new_form());
}

#[test]
fn a_header_that_cannot_be_read_is_stored_as_it_is() {
    let mut played = game_of_the_future();
    let header = SecretBytes::new(br#"{"open":{"what":"a new thing"}}"#.to_vec());
    replace(&mut played, &[(0, header.clone())]);
    assert_eq!(archived(&played)[0].body, header);
}

#[test]
fn stamps_that_go_back_are_kept() {
    let mut played = game_of(&CLASSIC, 8, 6);
    let last = played.log.len() - 1;
    played.log[last].at = Stamp(5);
    let entries = archived(&played);
    assert_eq!(entries[last].at, Stamp(5));
    let has_command =
        |stored: &StoredEntry| record::decode(&stored.body, played.header.seats()).unwrap().command.is_some();
    assert!(played.log[1..].iter().any(has_command) && !entries[1..].iter().any(has_command));
    assert!(entries[1..].iter().all(|stored| Form::of(&stored.body) == Some(Form::Binary)));
    let header: flagfall_game::GameHeader = record::decode_header(&entries[0].body).unwrap();
    assert!(Side::BOTH.into_iter().all(|side| header.players[side].id == played.header.players[side].id));
}
