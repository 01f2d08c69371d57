//! §A2, §A3, §P2, §P3, §B1: armies and boards.

use flagfall_board::{Rank, Side, SquareSet};
use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM, PBM_SMALL, TOURNAMENT};
use flagfall_rules::{Fill, Ruleset};

fn army(ruleset: &Ruleset) -> Vec<(Rank, u8)> {
    ruleset.army.iter().collect()
}

fn squares(names: &str) -> SquareSet {
    names.split_whitespace().map(|name| name.parse().expect("a square")).collect()
}

#[test]
fn a2_the_army_has_forty_pieces() {
    for ruleset in [&CLASSIC, &TOURNAMENT, &PBM] {
        assert_eq!(ruleset.army.len(), 40);
        assert_eq!(
            army(ruleset),
            [
                (Rank::Flag, 1),
                (Rank::Bomb, 6),
                (Rank::Spy, 1),
                (Rank::Scout, 8),
                (Rank::Miner, 5),
                (Rank::Sergeant, 4),
                (Rank::Lieutenant, 4),
                (Rank::Captain, 4),
                (Rank::Major, 3),
                (Rank::Colonel, 2),
                (Rank::General, 1),
                (Rank::Marshal, 1),
            ]
        );
    }
}

#[test]
fn a3_the_board_has_ten_columns_ten_rows_and_two_lakes() {
    for ruleset in [&CLASSIC, &TOURNAMENT, &PBM, &BARRAGE] {
        assert_eq!((ruleset.shape.columns, ruleset.shape.rows), (10, 10));
        assert_eq!(ruleset.shape.lakes, squares("c5 d5 c6 d6 g5 h5 g6 h6"));
    }
}

#[test]
fn a3_home_rows_are_1_to_4_and_7_to_10() {
    for ruleset in [&CLASSIC, &TOURNAMENT, &PBM, &BARRAGE] {
        assert_eq!(ruleset.shape.home(Side::Red), SquareSet::rectangle(0..10, 0..4));
        assert_eq!(ruleset.shape.home(Side::Blue), SquareSet::rectangle(0..10, 6..10));
    }
}

#[test]
fn p2_the_small_army_has_twenty_four_pieces_and_no_marshal() {
    assert_eq!(PBM_SMALL.army.len(), 24);
    assert_eq!(
        army(&PBM_SMALL),
        [
            (Rank::Flag, 1),
            (Rank::Bomb, 4),
            (Rank::Spy, 1),
            (Rank::Scout, 4),
            (Rank::Miner, 4),
            (Rank::Sergeant, 4),
            (Rank::Captain, 2),
            (Rank::Major, 2),
            (Rank::Colonel, 1),
            (Rank::General, 1),
        ]
    );
}

#[test]
fn p2_the_small_board_has_eight_columns_and_rows_with_three_home_rows() {
    assert_eq!((PBM_SMALL.shape.columns, PBM_SMALL.shape.rows), (8, 8));
    assert_eq!(PBM_SMALL.shape.home(Side::Red), SquareSet::rectangle(0..8, 0..3));
    assert_eq!(PBM_SMALL.shape.home(Side::Blue), SquareSet::rectangle(0..8, 5..8));
}

#[test]
fn p3_the_small_lakes_are_c4_c5_and_f4_f5() {
    assert_eq!(PBM_SMALL.shape.lakes, squares("c4 c5 f4 f5"));
}

#[test]
fn b1_a_barrage_army_has_eight_pieces_on_any_home_squares() {
    assert_eq!(BARRAGE.army.len(), 8);
    assert_eq!(BARRAGE.fill, Fill::AnyHomeSquares);
    assert_eq!(
        army(&BARRAGE),
        [
            (Rank::Flag, 1),
            (Rank::Bomb, 1),
            (Rank::Spy, 1),
            (Rank::Scout, 2),
            (Rank::Miner, 1),
            (Rank::General, 1),
            (Rank::Marshal, 1),
        ]
    );
}

#[test]
fn every_army_fits_its_home_rows() {
    for ruleset in Ruleset::all() {
        let home = ruleset.shape.home_len();
        match ruleset.fill {
            Fill::EveryHomeSquare if ruleset.reserve => assert!(ruleset.army.len() > home, "{}", ruleset.id),
            Fill::EveryHomeSquare => assert_eq!(ruleset.army.len(), home, "{}", ruleset.id),
            Fill::AnyHomeSquares => assert!(ruleset.army.len() <= home, "{}", ruleset.id),
        }
        assert!((ruleset.shape.home(Side::Red) & ruleset.shape.lakes).is_empty());
        assert!((ruleset.shape.home(Side::Blue) & ruleset.shape.lakes).is_empty());
    }
}

#[test]
fn every_ruleset_is_found_by_its_id_alone() {
    let ids: Vec<_> = Ruleset::all().iter().map(|ruleset| ruleset.id).collect();
    assert_eq!(
        ids,
        [
            "classic",
            "tournament",
            "barrage",
            "pbm",
            "pbm-small",
            "original",
            "silent-defense",
            "course",
            "shadowflash-1",
            "shadowflash-2",
            "shadowflash-3",
            "quantum"
        ]
    );
    for ruleset in Ruleset::all() {
        assert_eq!(Ruleset::find(ruleset.id), Some(*ruleset));
    }
    assert_eq!(Ruleset::find("Classic"), None);
    assert_eq!(Ruleset::find(""), None);
}
