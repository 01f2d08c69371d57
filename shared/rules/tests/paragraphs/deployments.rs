//! §A4, §P4, §B1: deployments, and every reason to refuse a setup.

use flagfall_board::{Rank, Side, Square};
use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM_SMALL};
use flagfall_rules::{Refusal, Ruleset, Setup, SetupRefusal};

pub(crate) const CLASSIC_SETUP: &str = "9394924939 56691S9575 574BB7668B 88BF7B88B9";
pub(crate) const SMALL_SETUP: &str = "97835942 S7848579 987BBFBB";
pub(crate) const BARRAGE_SETUP: &str = "81..S9.... .......... F9........ B2........";

pub(crate) const SHADOWFLASH_SETUP: &str =
    "9796959493979695 1827364758697B8S 8B8B8B7B6B5S4S39 8BBBFBBB99997766";

pub(crate) fn setup_text(ruleset: &Ruleset) -> &'static str {
    match (ruleset.shape.columns, ruleset.army.len()) {
        (8, _) => SMALL_SETUP,
        (_, 8) => BARRAGE_SETUP,
        (16, _) => SHADOWFLASH_SETUP,
        _ => CLASSIC_SETUP,
    }
}

fn square(text: &str) -> Square {
    text.parse().expect("a square")
}

fn pieces(text: &str, ruleset: &Ruleset) -> Vec<(Square, Rank)> {
    text.chars()
        .filter(|letter| !letter.is_whitespace())
        .enumerate()
        .filter_map(|(place, letter)| {
            Some((ruleset.shape.home_square(Side::Red, place)?, Rank::from_letter(letter)?))
        })
        .collect()
}

#[track_caller]
fn refused(ruleset: &Ruleset, pieces: Vec<(Square, Rank)>) -> SetupRefusal {
    Setup::new(pieces).deploy(Side::Red, ruleset).expect_err("a refusal")
}

#[test]
fn a4_every_ruleset_takes_its_army_for_both_sides() {
    for ruleset in Ruleset::all() {
        for side in Side::BOTH {
            let setup = Setup::from_text(setup_text(ruleset), side, ruleset).expect("a setup");
            assert!(setup.deploy(side, ruleset).is_ok(), "{} {side}", ruleset.id);
        }
    }
}

#[test]
fn a4_a_rank_over_or_under_is_named() {
    let over = refused(&CLASSIC, {
        let mut pieces = pieces(CLASSIC_SETUP, &CLASSIC);
        let scout = pieces.iter_mut().find(|(_, rank)| *rank == Rank::Scout).expect("a Scout");
        scout.1 = Rank::Marshal;
        pieces
    });
    // The refusal names the first rank with a wrong count, in the order that begins with the
    // Flag. Here, one Scout is missing, so the refusal names the Scout.
    assert_eq!(over, SetupRefusal::WrongCount { rank: Rank::Scout, have: 7, want: 8 });
    let over = refused(&CLASSIC, {
        let mut pieces = pieces(CLASSIC_SETUP, &CLASSIC);
        let marshal = pieces.iter_mut().find(|(_, rank)| *rank == Rank::Marshal).expect("a Marshal");
        marshal.1 = Rank::Flag;
        pieces
    });
    assert_eq!(over, SetupRefusal::WrongCount { rank: Rank::Flag, have: 2, want: 1 });
}

#[test]
fn a4_a_rank_that_the_army_does_not_have_is_refused() {
    let mut with_phoenix = pieces(CLASSIC_SETUP, &CLASSIC);
    with_phoenix.pop();
    let mut with_marshal = pieces(SMALL_SETUP, &PBM_SMALL);
    with_phoenix.push((square("j1"), Rank::Phoenix));
    assert!(matches!(refused(&CLASSIC, with_phoenix), SetupRefusal::WrongCount { rank: Rank::Scout, .. }));
    let general = with_marshal.iter_mut().find(|(_, rank)| *rank == Rank::General).expect("a General");
    general.1 = Rank::Marshal;
    assert!(matches!(
        refused(&PBM_SMALL, with_marshal),
        SetupRefusal::WrongCount { rank: Rank::General, .. }
    ));
}

#[test]
fn a4_a_square_outside_the_home_rows_is_named() {
    for outside in ["a5", "a7", "k1", "p10"] {
        let mut pieces = pieces(CLASSIC_SETUP, &CLASSIC);
        pieces[0].0 = square(outside);
        assert_eq!(refused(&CLASSIC, pieces), SetupRefusal::Outside { square: square(outside) });
    }
    let mut pieces = pieces(SMALL_SETUP, &PBM_SMALL);
    pieces[0].0 = square("a4");
    assert_eq!(refused(&PBM_SMALL, pieces), SetupRefusal::Outside { square: square("a4") });
}

#[test]
fn a4_the_other_sides_home_rows_are_outside() {
    let setup = Setup::from_text(CLASSIC_SETUP, Side::Red, &CLASSIC).expect("a setup");
    assert_eq!(
        setup.deploy(Side::Blue, &CLASSIC).expect_err("a refusal"),
        SetupRefusal::Outside { square: square("a4") }
    );
}

#[test]
fn a4_a_double_square_is_named() {
    let mut pieces = pieces(CLASSIC_SETUP, &CLASSIC);
    pieces[1].0 = square("a4");
    assert_eq!(refused(&CLASSIC, pieces), SetupRefusal::Double { square: square("a4") });
}

#[test]
fn a4_a_setup_that_is_too_large_is_refused() {
    let mut pieces = pieces(CLASSIC_SETUP, &CLASSIC);
    let again = pieces.clone();
    pieces.extend(again);
    assert_eq!(refused(&CLASSIC, pieces), SetupRefusal::Double { square: square("a4") });
}

#[test]
fn a4_no_piece_at_all_is_refused() {
    assert!(matches!(
        refused(&CLASSIC, Vec::new()),
        SetupRefusal::WrongCount { rank: Rank::Flag, have: 0, want: 1 }
    ));
}

#[test]
fn p4_a_text_that_is_too_short_says_how_much_is_missing() {
    assert_eq!(
        Setup::from_text("9394 924", Side::Red, &CLASSIC),
        Err(SetupRefusal::TooShort { have: 7, want: 40 })
    );
    assert_eq!(
        Setup::from_text("", Side::Red, &PBM_SMALL),
        Err(SetupRefusal::TooShort { have: 0, want: 24 })
    );
}

#[test]
fn p4_a_letter_that_stands_for_no_piece_is_named() {
    for letter in ['0', 'x', 'M', '?', 'ß'] {
        let text = CLASSIC_SETUP.replacen('S', &letter.to_string(), 1);
        assert_eq!(Setup::from_text(&text, Side::Red, &CLASSIC), Err(SetupRefusal::UnknownLetter { letter }));
    }
}

#[test]
fn p4_a_square_left_empty_is_refused_where_the_home_rows_are_filled() {
    let text = CLASSIC_SETUP.replacen('S', ".", 1);
    let setup = Setup::from_text(&text, Side::Red, &CLASSIC).expect("a setup");
    assert_eq!(
        setup.deploy(Side::Red, &CLASSIC),
        Err(SetupRefusal::WrongCount { rank: Rank::Spy, have: 0, want: 1 })
    );
}

#[test]
fn b1_the_pieces_stand_on_any_of_the_home_squares_and_the_rest_stay_empty() {
    let setup = Setup::from_text(BARRAGE_SETUP, Side::Blue, &BARRAGE).expect("a setup");
    assert!(setup.deploy(Side::Blue, &BARRAGE).is_ok());
    let crowded = "12S8 99BF.. .......... .......... ..........";
    assert!(
        Setup::from_text(crowded, Side::Red, &BARRAGE).expect("a setup").deploy(Side::Red, &BARRAGE).is_ok()
    );
}

#[test]
fn b1_seven_pieces_are_no_army() {
    let text = BARRAGE_SETUP.replacen('S', ".", 1);
    let setup = Setup::from_text(&text, Side::Red, &BARRAGE).expect("a setup");
    assert_eq!(
        setup.deploy(Side::Red, &BARRAGE),
        Err(SetupRefusal::WrongCount { rank: Rank::Spy, have: 0, want: 1 })
    );
}

#[test]
fn every_refusal_of_a_setup_has_a_code_of_its_own() {
    let square = square("a1");
    let codes = [
        SetupRefusal::TooShort { have: 0, want: 1 },
        SetupRefusal::TooLong { have: 2, want: 1 },
        SetupRefusal::UnknownLetter { letter: 'x' },
        SetupRefusal::Outside { square },
        SetupRefusal::Double { square },
        SetupRefusal::Empty { square },
        SetupRefusal::WrongCount { rank: Rank::Spy, have: 0, want: 1 },
    ]
    .map(|refusal| Refusal::from(refusal).code());
    assert_eq!(
        codes,
        [
            "setup_too_short",
            "setup_too_long",
            "setup_unknown_letter",
            "setup_outside_home",
            "setup_double_square",
            "setup_empty_square",
            "setup_wrong_count"
        ]
    );
}
