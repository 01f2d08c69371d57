//! Checks that client messages are parsed strictly: unknown fields, unknown kinds and malformed
//! text are refused, and the parser never panics.

mod messages;

use flagfall_board::{Rank, RankSet, Side, Square};
use flagfall_protocol::{ClientToServer, CommandId, HexBytes, Laid};
use flagfall_rules::{Identity, Move, SeenPiece};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::messages::client_messages;

#[test]
fn every_message_of_a_client_reads_back() {
    for message in client_messages() {
        let text = serde_json::to_string(&message).expect("JSON");
        assert_eq!(serde_json::from_str::<ClientToServer>(&text).expect(&text), message);
    }
}

/// Returns copies of the value. Each copy has an additional field in one of the value's objects.
/// The copy with a field in the outermost object comes first.
fn with_one_more_field(value: &Value) -> Vec<Value> {
    let Value::Object(fields) = value else { return Vec::new() };
    let mut outer = fields.clone();
    outer.insert("surprise".to_owned(), json!(1));
    let mut all = vec![Value::Object(outer)];
    for (name, inner) in fields {
        for changed in with_one_more_field(inner) {
            let mut outer = fields.clone();
            outer.insert(name.clone(), changed);
            all.push(Value::Object(outer));
        }
    }
    all
}

#[test]
fn unknown_fields_are_refused_in_every_message_at_every_depth() {
    let mut tried = 0;
    for message in client_messages() {
        for changed in with_one_more_field(&serde_json::to_value(&message).expect("JSON")) {
            assert!(serde_json::from_value::<ClientToServer>(changed.clone()).is_err(), "taken: {changed}");
            assert!(
                serde_json::from_str::<ClientToServer>(&changed.to_string()).is_err(),
                "taken: {changed}"
            );
            tried += 1;
        }
    }
    assert!(tried > 35, "{tried}");
}

#[test]
fn a_missing_field_is_refused() {
    for message in client_messages() {
        let Value::Object(fields) = serde_json::to_value(&message).expect("JSON") else {
            panic!("an object")
        };
        for name in fields.keys().filter(|name| {
            ![
                "token", "name", "client", "session", "side", "rating", "since", "secret", "epoch",
                "changes", "filter",
            ]
            .contains(&name.as_str())
        }) {
            let mut fewer = fields.clone();
            fewer.remove(name);
            let fewer = Value::Object(fewer);
            assert!(serde_json::from_value::<ClientToServer>(fewer.clone()).is_err(), "taken: {fewer}");
        }
    }
}

#[test]
fn kinds_that_do_not_exist_are_refused() {
    for text in [
        "",
        "null",
        "[]",
        "{}",
        "\"hello\"",
        r#"{"type":"hi"}"#,
        r#"{"type":"Hello","protocol":1}"#,
        r#"{"type":"my_games","type":"my_games"}"#,
        r#"{"type":"hello","protocol":1,"protocol":1}"#,
        r#"{"type":"hello","protocol":-1}"#,
        r#"{"type":"hello","protocol":1.5}"#,
        r#"{"type":"pong","id":18446744073709551616}"#,
        r#"{"type":"command","cmd_id":"1","game":"k3v9q2m7x4ab","ply":65536,"command":{"kind":"resign"}}"#,
        r#"{"type":"command","cmd_id":"1","game":"K3V9Q2M7X4AB","ply":1,"command":{"kind":"resign"}}"#,
        r#"{"type":"command","cmd_id":"1","game":"k3v9q2m7x4ab","ply":1,"command":{"kind":"win"}}"#,
        r#"{"type":"command","cmd_id":"1","game":"k3v9q2m7x4ab","ply":1,"command":{"kind":"move","move":"a4"}}"#,
        r#"{"type":"command","cmd_id":"","game":"k3v9q2m7x4ab","ply":1,"command":{"kind":"resign"}}"#,
        r#"{"type":"command","cmd_id":"a b","game":"k3v9q2m7x4ab","ply":1,"command":{"kind":"resign"}}"#,
        r#"{"type":"my_games"} {}"#,
    ] {
        assert!(serde_json::from_str::<ClientToServer>(text).is_err(), "taken: {text}");
    }
}

#[test]
fn command_ids_have_1_to_36_plain_characters() {
    for text in ["a", "A-_9", &"x".repeat(36), "123e4567-e89b-12d3-a456-426614174000"] {
        assert_eq!(text.parse::<CommandId>().expect(text).as_str(), text);
    }
    for text in ["", " ", "a b", "é", "a\n", &"x".repeat(37)] {
        assert!(text.parse::<CommandId>().is_err(), "{text:?}");
    }
}

fn squares() -> impl Strategy<Value = Square> {
    (0..Square::LIMIT).prop_map(|index| Square::from_index(index).expect("a square"))
}

fn identities() -> impl Strategy<Value = Identity> {
    let rank = (0..Rank::COUNT).prop_map(|index| Rank::ALL[index]);
    prop_oneof![
        Just(Identity::Hidden),
        rank.clone().prop_map(Identity::Known),
        proptest::collection::vec(rank, 1..6)
            .prop_map(|ranks| Identity::OneOf(ranks.into_iter().collect::<RankSet>())),
    ]
}

proptest! {
    #[test]
    fn moves_print_and_parse_back(from in squares(), to in squares()) {
        let text = Move { from, to };
        prop_assert_eq!(text.to_string().parse::<Move>().ok(), Some(text));
    }

    #[test]
    fn identities_print_and_parse_back(identity in identities()) {
        let text = identity;
        prop_assert_eq!(text.to_string().parse::<Identity>().ok(), Some(text));
    }

    #[test]
    fn pieces_print_and_parse_back(
        square in squares(), is_red: bool, identity in identities(), is_moved: bool, is_revealed: bool,
        is_labeled: bool
    ) {
        let side = if is_red { Side::Red } else { Side::Blue };
        let text = SeenPiece { square, side, identity, is_moved, is_revealed, is_labeled };
        prop_assert_eq!(text.to_string().parse::<SeenPiece>().ok(), Some(text));
    }

    #[test]
    fn laid_chips_print_and_parse_back(
        squares in proptest::collection::vec(squares(), 1..5), is_row: bool, color in 0usize..4
    ) {
        // Move all squares to one line, because the chips of a move always lie on one line.
        let first = squares[0];
        let on_line = |at: &Square| if is_row { Square::new(at.column(), first.row()) } else { Square::new(first.column(), at.row()) };
        let squares: flagfall_board::SquareSet = squares.iter().filter_map(on_line).collect();
        let laid = flagfall_rules::Laid::new(squares, flagfall_board::ChipColor::ALL[color]);
        let text = laid.expect("one to four squares of a line");
        prop_assert_eq!(text.to_string().parse::<Laid>().ok(), Some(text));
    }

    #[test]
    fn no_text_like_chips_panics_a_parser(text in "[a-q0-9é]{0,12}=?[rybgx]{0,2}") {
        if let Ok(laid) = text.parse::<Laid>() {
            prop_assert_eq!(laid.to_string().parse::<Laid>().ok(), Some(laid));
        }
    }

    #[test]
    fn hexadecimal_prints_and_parses_back(bytes: [u8; 32]) {
        let text = HexBytes(bytes);
        prop_assert_eq!(text.to_string().parse::<HexBytes>().ok(), Some(text));
    }

    #[test]
    fn no_text_panics_a_parser(text in "\\PC{0,80}") {
        let _move = text.parse::<Move>();
        let _identity = text.parse::<Identity>();
        let _piece = text.parse::<SeenPiece>();
        let _bytes = text.parse::<HexBytes>();
        let _id = text.parse::<CommandId>();
        let _message = serde_json::from_str::<ClientToServer>(&text);
    }

    #[test]
    fn no_text_like_a_piece_panics_a_parser(text in "[a-q]{0,2}[0-9]{0,3}[rb]{0,2}[\\[\\]?SBFP1-9é]{0,4}['*^]{0,4}") {
        if let Ok(piece) = text.parse::<SeenPiece>() {
            prop_assert_eq!(piece.to_string().parse::<SeenPiece>().ok(), Some(piece));
        }
        let _move = text.parse::<Move>();
    }

    /// Changes some bytes of a message. The parser must refuse the result, or a round trip must
    /// not change it.
    #[test]
    fn no_broken_message_panics(index in 0usize..64, at in 0usize..400, with in "\\PC{0,3}") {
        let messages = client_messages();
        let mut text = serde_json::to_string(&messages[index % messages.len()]).expect("JSON");
        let at = at % text.len();
        text.replace_range(at..=at, &with);
        if let Ok(message) = serde_json::from_str::<ClientToServer>(&text) {
            let again = serde_json::to_string(&message).expect("JSON");
            prop_assert_eq!(serde_json::from_str::<ClientToServer>(&again).ok(), Some(message));
        }
    }
}
