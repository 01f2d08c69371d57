//! §P1–§P4.

use flagfall_board::{Rank, Side};
use flagfall_rules::rulesets::{PBM, PBM_SMALL};
use flagfall_rules::{Referee, Setup, SetupRefusal};

use crate::board::check;

#[test]
fn p1_the_scout_strikes_at_range() {
    check(&PBM, "8 | bS\n2 | r9", "a2a8", "8 | r9'*");
    check(&PBM_SMALL, "6 | bS\n2 | r9", "a2a6", "6 | r9'*");
}

#[test]
fn p2_the_spy_striking_the_general_wins_on_the_small_board_only() {
    check(&PBM_SMALL, "4 | b2\n3 | rS", "a3a4", "4 | rS'*");
    check(&PBM, "4 | b2\n3 | rS", "a3a4", "4 | b2*");
}

#[test]
fn p2_the_general_striking_the_spy_wins() {
    check(&PBM_SMALL, "4 | bS\n3 | r2", "a3a4", "4 | r2'*");
}

#[test]
fn p4_the_text_begins_with_the_row_nearest_the_enemy_from_the_players_left() {
    let text = "9394924939 56691S9575 574BB7668B 88BF7B88B9";
    let setup = |side| Setup::from_text(text, side, &PBM).expect("a setup");
    let position =
        Referee.deployed(&PBM, PBM.shape.lakes, &setup(Side::Red), &setup(Side::Blue)).expect("deployments");
    let pieces = Referee.pieces(&position);
    let at = |name: &str| {
        pieces
            .iter()
            .find(|(square, ..)| square.to_string() == name)
            .and_then(|(_, side, rank)| Some((*side, (*rank)?)))
    };
    assert_eq!(at("a4"), Some((Side::Red, Rank::Scout)));
    assert_eq!(at("b4"), Some((Side::Red, Rank::Colonel)));
    assert_eq!(at("e3"), Some((Side::Red, Rank::Marshal)));
    assert_eq!(at("d1"), Some((Side::Red, Rank::Flag)));
    assert_eq!(at("j1"), Some((Side::Red, Rank::Scout)));
    // From Blue's point of view, column j is the leftmost column.
    assert_eq!(at("j7"), Some((Side::Blue, Rank::Scout)));
    assert_eq!(at("i7"), Some((Side::Blue, Rank::Colonel)));
    assert_eq!(at("f8"), Some((Side::Blue, Rank::Marshal)));
    assert_eq!(at("g10"), Some((Side::Blue, Rank::Flag)));
    assert_eq!(at("a10"), Some((Side::Blue, Rank::Scout)));
}

#[test]
fn p4_blanks_and_case_do_not_matter_and_nothing_is_cut_off() {
    let read = |text: &str| Setup::from_text(text, Side::Red, &PBM);
    let plain = read("9394924939566 91S9575574BB7668B88BF7B88B9");
    assert_eq!(plain, read("\t9394924939\n566 91s9575\r\n574bb7668b 88bf7b88b9 \n"));
    assert!(plain.is_ok());
    let longer = read("9394924939566 91S9575574BB7668B88BF7B88B9 9");
    assert_eq!(longer, Err(SetupRefusal::TooLong { have: 41, want: 40 }));
}
