//! Tests that a game is refused if the archive would lose part of it.

use flagfall_archive::{Refused, encode, encode_checked};
use flagfall_protocol::{PlayerKind, RecordSignature};
use flagfall_rules::rulesets::CLASSIC;
use flagfall_store::{Hash, Head, record};

use super::played::{Played, game_of};
use super::signature;

fn refused(played: &Played, signature: Option<&RecordSignature>) -> Option<Refused> {
    encode_checked(played.id, &played.log, played.head, signature).err()
}

fn short_game() -> Played {
    game_of(&CLASSIC, 5, 10)
}

#[test]
fn a_log_that_is_not_the_whole_log_is_refused() {
    let mut played = short_game();
    assert_eq!(refused(&played, None), None);
    played.head.hash = Hash([1; 32]);
    assert_eq!(refused(&played, None), Some(Refused::Head));
    let mut played = short_game();
    played.log.remove(3);
    assert_eq!(refused(&played, None), Some(Refused::Incomplete));
    played.log.clear();
    assert_eq!(refused(&played, None), Some(Refused::Incomplete));
    let mut played = short_game();
    played.log.pop();
    played.head = played.log.iter().fold(Head::START, |head, stored| head.then(played.id, &stored.body));
    assert_eq!(refused(&played, None), Some(Refused::Running));
}

#[test]
fn a_key_that_is_no_key_is_refused() {
    let played = short_game();
    for key in ["", "00C0FFEE12345678", "c0ffee", "+0c0ffee12345678", "000c0ffee12345678"] {
        let signature = RecordSignature { key: key.to_owned(), ..signature() };
        assert_eq!(refused(&played, Some(&signature)), Some(Refused::Key), "{key}");
    }
}

/// The name of a house player is not stored, because it follows from the player's id.
#[test]
fn a_difference_is_named() {
    let played = short_game();
    let mut header = played.header.clone();
    header.players.red.id = "house-good".to_owned();
    header.players.red.name = "Good".to_owned();
    header.players.red.kind = PlayerKind::House;
    let mut log = played.log.clone();
    log[0].body = record::encode_header(&header).unwrap();
    let head = encode(played.id, &log, None).unwrap().head();
    let refused = encode_checked(played.id, &log, head, None).unwrap_err();
    assert_eq!(refused.to_string(), "the decoded game differs from the log in the header");
}

#[test]
fn nothing_hidden_is_printed() {
    let played = short_game();
    let encoded = encode(played.id, &played.log, None).unwrap();
    let printed = format!("{encoded:?}");
    let length = encoded.len();
    assert!(
        printed.starts_with(&format!("Encoded {{ bytes: SecretBytes({length} bytes), head")),
        "{printed}"
    );
    assert!(printed.len() < 140, "{printed}");
}
