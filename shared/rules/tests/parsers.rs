//! Checks that the parsers of untrusted text never panic, and that accepted text is still the
//! same after parsing and printing.

use flagfall_board::{GameId, Rank, Side, Square};
use flagfall_rules::{Move, Position, Referee, Ruleset, Setup};
use proptest::prelude::*;

fn rulesets() -> impl Strategy<Value = &'static Ruleset> {
    (0..Ruleset::all().len()).prop_map(|index| Ruleset::all()[index])
}

proptest! {
    #[test]
    fn no_text_panics_a_parser(text in "\\PC{0,120}") {
        for ruleset in Ruleset::all() {
            for side in Side::BOTH {
                if let Ok(setup) = Setup::from_text(&text, side, ruleset) {
                    let _deployment = setup.deploy(side, ruleset);
                }
            }
        }
        let _position = Position::from_text(&text);
        let _move = text.parse::<Move>();
        let _square = text.parse::<Square>();
        let _id = text.parse::<GameId>();
    }

    #[test]
    fn no_text_of_army_letters_panics_a_deployment(text in "[1-9SBFP. \\n]{0,90}") {
        for ruleset in Ruleset::all() {
            for side in Side::BOTH {
                if let Ok(setup) = Setup::from_text(&text, side, ruleset) {
                    let _deployment = setup.deploy(side, ruleset);
                }
            }
        }
    }

    #[test]
    fn setups_of_any_pieces_are_judged(
        ruleset in rulesets(),
        pieces in proptest::collection::vec((0..Square::LIMIT, 0..Rank::COUNT), 0..90)
    ) {
        let pieces = pieces
            .into_iter()
            .filter_map(|(square, rank)| Some((Square::from_index(square)?, Rank::ALL[rank])))
            .collect();
        let setup = Setup::new(pieces);
        for side in Side::BOTH {
            let _verdict = setup.deploy(side, ruleset);
        }
    }

    #[test]
    fn moves_print_and_parse_back(from in 0..Square::LIMIT, to in 0..Square::LIMIT) {
        let squares = Move {
            from: Square::from_index(from).expect("a square"),
            to: Square::from_index(to).expect("a square"),
        };
        prop_assert_eq!(squares.to_string().parse(), Ok(squares));
    }

    #[test]
    fn no_text_like_a_position_panics(
        ruleset in rulesets(),
        turn in "red|blue|x",
        plies in 0u32..70_000,
        board in "([.~][0-9]{0,3}|[rb][1-9SBFox?]'?\\*?|/){0,60}",
        more in "( ([BFo1-9^:,-]{0,12}|-)){0,4}"
    ) {
        let text = format!("{} {turn} {plies} {plies} {board}{more}", ruleset.id);
        if let Ok(position) = Position::from_text(&text) {
            let printed = Referee.position_text(&position);
            let again = Position::from_text(&printed).expect("what was printed");
            prop_assert_eq!(Referee.position_text(&again), printed);
        }
    }

    /// The input is a valid position in which a few characters were replaced.
    #[test]
    fn no_broken_position_panics(is_quantum: bool, at in 0usize..300, with in "[.~rbo1-9SBF'*/ ,:0-9]{0,3}") {
        let mut text = if is_quantum {
            "quantum red 10 3 bo.8b6*/.bo.3b9'*.4/..b1'*.7/.10/..~2bo'.~2../..~2ro'.~2../.10/.10/.10/ro.8r6* 4:1,F:1 2:1,9:1,F:1 e5e6,b9"
        } else {
            "classic red 10 3 bF.8b6/.bB.3b9'.4/..b1'*.7/.10/..~2..~2../..~2..~2../.10/.10/.10/rF.8r6"
        }.to_owned();
        let at = at % text.len();
        text.replace_range(at..=at, &with);
        if let Ok(position) = Position::from_text(&text) {
            let printed = Referee.position_text(&position);
            let again = Position::from_text(&printed).expect("what was printed");
            prop_assert_eq!(Referee.position_text(&again), printed);
            for command in position.legal_commands().iter() {
                prop_assert!(Referee.judge_command(&position, &command).is_ok());
            }
        }
    }
}
