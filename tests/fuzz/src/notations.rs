use std::fmt::{Debug, Display};
use std::str::FromStr;

use flagfall_board::{GameId, Side, Square};
use flagfall_protocol::{HexBytes, Identity, Laid, SeenPiece};
use flagfall_rules::{Move, MoveCommand, Placing, Position, Referee, Ruleset, Setup};

use crate::text;

/// Parses the input in every notation, writes the result and parses it again.
///
/// The result must be the same. This covers positions, rulesets with changes, setups, moves,
/// squares and pieces.
///
/// # Panics
/// If the results differ.
pub fn notations(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    positions(text);
    rulesets(text);
    setups(text);
    comes_back::<Square>(text);
    comes_back::<GameId>(text);
    comes_back::<Move>(text);
    comes_back::<MoveCommand>(text);
    comes_back::<Placing>(text);
    comes_back::<Identity>(text);
    comes_back::<Laid>(text);
    comes_back::<SeenPiece>(text);
    comes_back::<HexBytes>(text);
}

fn comes_back<T: FromStr + Display + PartialEq + Debug>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        let written = value.to_string();
        assert!(written.parse::<T>().ok().as_ref() == Some(&value), "{text:?} is written {written:?}");
    }
}

fn positions(text: &str) {
    let Ok(position) = Position::from_text(text) else { return };
    assert!(position.is_conserved(), "{text:?}");
    let written = Referee.position_text(&position);
    let back = Position::from_text(&written);
    let rewritten = back.as_ref().map(|back| Referee.position_text(back));
    assert!(rewritten.as_ref() == Ok(&written), "{text:?} is written {written:?}, then {rewritten:?}");
    // Every legal command must be playable and leave a valid position.
    let legal = position.legal_commands();
    for command in legal.iter().take(200) {
        match Referee.judge_command(&position, &command) {
            Ok(events) => {
                let mut after = position.clone();
                Referee.apply(&mut after, &events);
                assert!(after.is_conserved(), "{text:?}: {command:?}");
            }
            Err(refusal) => panic!("{text:?}: {command:?} is legal and refused: {refusal}"),
        }
    }
}

fn rulesets(text: &str) {
    if let Ok(ruleset) = Ruleset::parse(text) {
        let back = Ruleset::parse(ruleset.id);
        assert!(back.is_ok_and(|back| std::ptr::eq(back, ruleset)), "{text:?} is {:?}", ruleset.id);
        assert!(ruleset.changes().count() == ruleset.id.matches(',').count(), "{text:?}");
    }
}

fn setups(text: &str) {
    for ruleset in Ruleset::all() {
        for side in Side::BOTH {
            let Ok(setup) = Setup::from_text(text, side, ruleset) else { continue };
            let Ok(deployment) = setup.deploy(side, ruleset) else { continue };
            let written = deployment.into_text();
            let back = Setup::from_text(&written, side, ruleset).ok();
            let rewritten = back.and_then(|back| back.deploy(side, ruleset).ok());
            let rewritten = rewritten.map(|deployment| deployment.into_text());
            assert!(rewritten.as_ref() == Some(&written), "{text:?}: {written}");
        }
    }
}
