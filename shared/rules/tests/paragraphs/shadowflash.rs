//! §S1 and §S2: the first two sets of rules of Shadowflash.

use flagfall_board::{Direction, Rank, Side, Square, SquareSet};
use flagfall_rules::rulesets::{ORIGINAL, SHADOWFLASH_1, SHADOWFLASH_2, SHADOWFLASH_3};
use flagfall_rules::secret::to_record;
use flagfall_rules::{
    Identity, Referee, Ruleset, Running, SeenExchange, Setup, SetupRefusal, TimeControl, View, Viewer, view,
};

use crate::board::{Playthrough, check, command};
use crate::deployments::SHADOWFLASH_SETUP;
use crate::table::{FISCHER, Table};

const ALL: [&Ruleset; 3] = [&SHADOWFLASH_1, &SHADOWFLASH_2, &SHADOWFLASH_3];
const WITH_CHIPS: [&Ruleset; 2] = [&SHADOWFLASH_2, &SHADOWFLASH_3];

fn squares(names: &str) -> SquareSet {
    names.split_whitespace().map(|name| name.parse().expect("a square")).collect()
}

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

// Set 1

#[test]
fn s_and_a12_the_limits_are_six_hundred_quiet_plies_and_five_thousand() {
    for ruleset in ALL {
        assert_eq!((ruleset.quiet_limit, ruleset.ply_limit), (Some(600), 5_000));
        let walk = if ruleset.chips { "o1o2=r" } else { "o1o2" };
        Playthrough::after(ruleset, Side::Red, 700, 598, "5 | r9").play(walk);
        Playthrough::after(ruleset, Side::Red, 700, 599, "5 | r9").ends(walk, "nobody quiet_limit");
        Playthrough::after(ruleset, Side::Red, 4_998, 0, "5 | r9").play(walk);
        Playthrough::after(ruleset, Side::Red, 4_999, 0, "5 | r9").ends(walk, "nobody ply_limit");
    }
}

#[test]
fn s1_1_the_board_has_sixteen_columns_ten_rows_and_the_rules_of_the_original_box() {
    for ruleset in ALL {
        assert_eq!((ruleset.shape.columns, ruleset.shape.rows), (16, 10));
        assert_eq!(ruleset.shape.home(Side::Red), SquareSet::rectangle(0..16, 0..4));
        assert_eq!(ruleset.shape.home(Side::Blue), SquareSet::rectangle(0..16, 6..10));
        assert_eq!(
            (ruleset.ties, ruleset.disclosure, ruleset.bombs),
            (ORIGINAL.ties, ORIGINAL.disclosure, ORIGINAL.bombs)
        );
        assert_eq!((ruleset.strikes_afar, ruleset.winner_advances), (false, true));
        assert_eq!((ruleset.two_squares_limit, ruleset.more_squares), (None, false));
    }
}

#[test]
fn s1_1_strikes_are_those_of_the_original_box() {
    check(&SHADOWFLASH_1, "5 | b5\n4 | r4", "a4a5", "5 | r4'*");
    check(&SHADOWFLASH_1, "5 | b4\n4 | r5", "a4a5", "4 | b4'*");
    check(&SHADOWFLASH_1, "5 | bB\n4 | r5", "a4a5", "5 | bB*");
    check(&SHADOWFLASH_1, "5 | b5\n4 | r5", "a4a5", "5 | ..");
    check(&SHADOWFLASH_1, "8 | bS\n2 | r9", "a2a8", "refused strike_from_afar");
}

#[test]
fn s1_2_the_islands_are_three_columns_wide() {
    for ruleset in ALL {
        assert_eq!(ruleset.shape.lakes, squares("d5 e5 f5 d6 e6 f6 k5 l5 m5 k6 l6 m6"));
    }
    check(&SHADOWFLASH_1, "4 | .. .. .. r5", "d4d5", "refused lake");
}

#[test]
fn s1_3_an_army_is_three_boxes_less_two_flags_and_three_bombs() {
    let counts = [1, 15, 3, 24, 15, 12, 12, 12, 9, 6, 3, 3];
    for (rank, count) in Rank::ALL.into_iter().zip(counts) {
        assert!(ALL.iter().all(|ruleset| ruleset.army.count(rank) == count), "{rank}");
    }
    assert_eq!(ALL.map(|ruleset| ruleset.army.len()), [115, 116, 116]);
    assert_eq!(ALL.map(|ruleset| ruleset.army.count(Rank::Phoenix)), [0, 1, 1]);
}

fn deploy(text: &str, ruleset: &Ruleset) -> Result<(), SetupRefusal> {
    Setup::from_text(text, Side::Red, ruleset)?.deploy(Side::Red, ruleset).map(|_| ())
}

#[test]
fn s1_4_any_64_of_the_army_are_deployed_the_flag_among_them() {
    for ruleset in ALL {
        assert_eq!(deploy(SHADOWFLASH_SETUP, ruleset), Ok(()));
        // All pieces of a rank may stay in the reserve. The only exception is the Flag.
        let text = format!(
            "{}{}{}{}{}",
            "F",
            "S".repeat(3),
            "B".repeat(15),
            "9".repeat(24),
            "8".repeat(15) + &"7".repeat(6)
        );
        assert_eq!(deploy(&text, ruleset), Ok(()));
    }
}

#[test]
fn s1_4_a_wrong_deployment_is_refused_with_its_reason() {
    use SetupRefusal::{Empty, TooMany, TooShort, WrongCount};
    let with =
        |from: &str, to: &str, count| deploy(&SHADOWFLASH_SETUP.replacen(from, to, count), &SHADOWFLASH_1);
    assert_eq!(with("F", "9", 1), Err(WrongCount { rank: Rank::Flag, have: 0, want: 1 }));
    assert_eq!(with("S", "F", 1), Err(TooMany { rank: Rank::Flag, have: 2, most: 1 }));
    assert_eq!(with("B", "S", 1), Err(TooMany { rank: Rank::Spy, have: 4, most: 3 }));
    assert_eq!(with("9", "P", 1), Err(TooMany { rank: Rank::Phoenix, have: 1, most: 0 }));
    assert_eq!(with("9", ".", 1), Err(Empty { square: square("a4") }));
    assert_eq!(with("9", "", 1), Err(TooShort { have: 63, want: 64 }));
    let phoenix = |count| deploy(&SHADOWFLASH_SETUP.replacen('9', "P", count), &SHADOWFLASH_2);
    assert_eq!(phoenix(1), Ok(()));
    assert_eq!(phoenix(2), Err(TooMany { rank: Rank::Phoenix, have: 2, most: 1 }));
}

/// Returns what a viewer may see of a side's reserve: the number of pieces and, if visible, the
/// number of unlabeled Scouts.
fn reserve(table: &Table, viewer: Viewer, side: Side) -> (u16, Option<u8>) {
    let seen = view(&table.game, viewer, table.now).reserve.expect("a reserve")[side];
    (seen.size, seen.unlabeled.map(|counts| counts[Rank::Scout]))
}

#[test]
fn s1_4_the_rest_of_the_army_is_the_reserve_and_others_see_its_size() {
    let table = Table::started(&SHADOWFLASH_1, TimeControl::Unlimited);
    let scouts = 24 - SHADOWFLASH_SETUP.matches('9').count() as u8;
    assert_eq!(reserve(&table, Viewer::Player(Side::Red), Side::Red), (51, Some(scouts)));
    for viewer in [Viewer::Player(Side::Blue), Viewer::Public] {
        assert_eq!(reserve(&table, viewer, Side::Red), (51, None));
    }
}

#[test]
fn s1_5_a_piece_is_removed_into_the_reserve_instead_of_a_move() {
    check(&SHADOWFLASH_1, "5 | r4'*", "-a5", "5 | ..\nred 4:1");
    check(&SHADOWFLASH_1, "2 | rB\nred B:3", "-a2", "2 | ..\nred B:4");
    check(&SHADOWFLASH_1, "9 | b9", "blue -a9", "9 | ..\nblue 9:1");
    check(&SHADOWFLASH_1, "2 | rF", "-a2", "refused flag_stays");
    check(&SHADOWFLASH_1, "2 | b5", "-a2", "refused not_your_piece");
    check(&SHADOWFLASH_1, "2 | r5", "-b2", "refused no_piece");
    check(&ORIGINAL, "2 | r5", "-a2", "refused no_reserve");
}

#[test]
fn s1_5_a_piece_is_placed_on_an_empty_home_square_instead_of_a_move() {
    check(&SHADOWFLASH_1, "1 | ..\nred 9:2", "9@a4", "4 | r9\nred 9:1");
    check(&SHADOWFLASH_1, "1 | ..\nred B:1", "B@c1", "1 | .. .. rB");
    check(
        &SHADOWFLASH_1,
        "1 | ..\nblue 1:3",
        "blue 1@p7",
        "7 | .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. b1\nblue 1:2",
    );
    for (to, code) in [
        ("9@a5", "not_home"),
        ("9@a7", "not_home"),
        ("9@b2", "not_empty"),
        ("9@c3", "not_empty"),
        ("8@a4", "not_in_reserve"),
        ("F@a4", "not_in_reserve"),
        ("9^@a4", "not_in_reserve"),
        ("9@a4=g", "color_refused"),
    ] {
        check(&SHADOWFLASH_1, "3 | .. .. b7\n2 | .. r5\nred 9:2", to, &format!("refused {code}"));
    }
    check(&ORIGINAL, "2 | r5", "9@a4", "refused no_reserve");
}

#[test]
fn s1_5_removing_and_placing_are_plies_of_the_side_to_move_with_a_clock() {
    let mut table = Table::started(&SHADOWFLASH_1, FISCHER);
    table.refuses(Side::Blue, &command("-a7"), "not_your_turn");
    table.later(10_000).does(Side::Red, &command("-a1"));
    assert_eq!((table.game.ply(), table.game.turn()), (1, Some(Side::Blue)));
    table.refuses(Side::Red, &command("9@a1"), "not_your_turn");
    table.does(Side::Blue, &command("-a7")).does(Side::Red, &command("9@a1"));
    assert_eq!((table.game.ply(), table.game.turn()), (3, Some(Side::Blue)));
    let remaining =
        flagfall_rules::clock_seen(&table.game, Viewer::Public, table.now).expect("clocks").remaining_ms;
    assert_eq!((remaining.red, remaining.blue), (54_000, 62_000));
}

#[test]
fn s1_5_and_a12_removing_and_placing_are_quiet_and_a_capture_is_not() {
    let after =
        |quiet: u16| Playthrough::after(&SHADOWFLASH_1, Side::Red, 700, quiet, "5 | b5\n4 | r4\nred 9:1");
    after(599).ends("-a4", "nobody quiet_limit");
    after(599).ends("9@b1", "nobody quiet_limit");
    after(598).play("-a4").ends("-a5", "nobody quiet_limit");
    after(599).play("a4a5");
    Playthrough::after(&SHADOWFLASH_1, Side::Red, 4_999, 0, "4 | r4").ends("-a4", "nobody ply_limit");
}

#[test]
fn s1_6_a_captured_piece_does_not_enter_the_reserve() {
    let mut line = Playthrough::new(&SHADOWFLASH_1, Side::Red, "5 | b5\n4 | r4");
    line.play("a4a5");
    assert!(line.picture().ends_with(" - - - -"), "{}", line.picture());
    assert_eq!(line.position.captured(Side::Blue)[Rank::Captain], 12);
}

fn seen(table: &Table, viewer: Viewer) -> View {
    view(&table.game, viewer, table.now)
}

fn piece(table: &Table, viewer: Viewer, at: &str) -> flagfall_rules::SeenPiece {
    let view = seen(table, viewer);
    *view.pieces.iter().find(|piece| piece.square == square(at)).expect("a piece")
}

#[test]
fn s1_7_others_see_where_a_piece_left_and_arrived_and_never_which() {
    let mut table = Table::started(&SHADOWFLASH_1, TimeControl::Unlimited);
    let exchange = |table: &Table, viewer| seen(table, viewer).last_exchange;
    table.does(Side::Red, &command("-c4"));
    for viewer in Viewer::ALL {
        let removed = SeenExchange::Removed { side: Side::Red, square: square("c4") };
        assert_eq!(exchange(&table, viewer), Some(removed));
        assert_eq!(seen(&table, viewer).last_move, None);
    }
    table.does(Side::Blue, &command("-a7")).does(Side::Red, &command("1@c4"));
    for viewer in [Viewer::Player(Side::Blue), Viewer::Public] {
        let piece = match exchange(&table, viewer) {
            Some(SeenExchange::Placed(placing)) => placing.piece,
            other => panic!("{other:?}"),
        };
        assert_eq!(piece, Identity::Hidden, "{viewer:?}");
    }
    let own = exchange(&table, Viewer::Player(Side::Red));
    assert!(
        matches!(own, Some(SeenExchange::Placed(placing)) if placing.piece == Identity::Known(Rank::Marshal)),
        "{own:?}"
    );
}

#[test]
fn s1_7_a_placed_piece_is_a_new_one_whatever_it_went_through() {
    // The Scout on a4 makes a long move, which reveals its rank. It is then removed from the
    // board and placed again.
    let mut table = Table::started(&SHADOWFLASH_1, TimeControl::Unlimited);
    table.moves("a4a6").does(Side::Blue, &command("-p7"));
    assert_eq!(piece(&table, Viewer::Public, "a6").identity, Identity::Known(Rank::Scout));
    table
        .does(Side::Red, &command("-a6"))
        .does(Side::Blue, &command("-o7"))
        .does(Side::Red, &command("9@a4"));
    for viewer in [Viewer::Player(Side::Blue), Viewer::Public] {
        let piece = piece(&table, viewer, "a4");
        assert_eq!((piece.identity, piece.is_moved, piece.is_revealed), (Identity::Hidden, false, false));
    }
    let own = piece(&table, Viewer::Player(Side::Red), "a4");
    assert_eq!((own.identity, own.is_moved, own.is_revealed), (Identity::Known(Rank::Scout), false, false));
}

#[test]
fn s1_8_a_side_with_no_act_at_all_loses() {
    let picture = "10 | bF\n5 | b5\n4 | r4\n1 | rF";
    Playthrough::bare(&SHADOWFLASH_1, Side::Red, picture).ends("a4a5", "red no_legal_move");
    let with_reserve = format!("{picture}\nblue 9:1");
    Playthrough::bare(&SHADOWFLASH_1, Side::Red, &with_reserve).play("a4a5 9@a9");
    let with_bomb = picture.replace("bF", "bF bB");
    Playthrough::bare(&SHADOWFLASH_1, Side::Red, &with_bomb).play("a4a5 -b10");
}

#[test]
fn s1_8_blocking_both_sides_is_not_a_draw() {
    // After the strike, each side has only its Flag, and the side to move loses.
    Playthrough::bare(&SHADOWFLASH_1, Side::Red, "10 | bF\n5 | b4\n4 | r4\n1 | rF")
        .ends("a4a5", "red no_legal_move");
    // A side that cannot move a piece on the board may still remove pieces.
    Playthrough::bare(&SHADOWFLASH_1, Side::Red, "10 | bF bB\n9 | bB\n4 | r4\n1 | rF").play("a4a5 -b10");
}

#[test]
fn s1_8_the_flag_is_won_by_any_piece() {
    for rank in ["rS", "r9", "r8", "r1"] {
        let picture = format!("5 | bF\n4 | {rank}");
        Playthrough::new(&SHADOWFLASH_1, Side::Red, &picture).ends("a4a5", "red flag_captured");
    }
}

// Set 2

#[test]
fn s2_1_a_piece_that_beats_a_striking_scout_is_labeled() {
    check(&SHADOWFLASH_2, "5 | bB\n4 | r9", "a4a5=g", "5 | bB*^");
    check(&SHADOWFLASH_2, "5 | b4\n4 | r9", "a4a5=g", "4 | b4'*^\nowed a4");
    check(&SHADOWFLASH_1, "5 | bB\n4 | r9", "a4a5", "5 | bB*");
    // A Scout does not label a piece if both leave the board, if the Scout wins, or if the Scout
    // is the defender.
    check(&SHADOWFLASH_2, "5 | b9\n4 | r9", "a4a5=g", "5 | ..");
    check(&SHADOWFLASH_2, "5 | bS\n4 | r9", "a4a5=g", "5 | r9'*\nchips a5g");
    check(&SHADOWFLASH_2, "5 | b9\n4 | r4", "a4a5=g", "5 | r4'*\nchips a5g");
    // An attacker of another rank that loses does not label a piece either.
    check(&SHADOWFLASH_2, "5 | bB\n4 | r4", "a4a5=g", "5 | bB*");
}

#[test]
fn s2_1_a_labeled_piece_stays_face_up_on_the_board_and_in_reserve() {
    check(&SHADOWFLASH_2, "5 | r4'*^", "-a5", "5 | ..\nred 4^:1");
    check(&SHADOWFLASH_2, "5 | r4'*^", "a5b5=r", "5 | .. r4'*^\nchips b5r");
    check(&SHADOWFLASH_2, "1 | ..\nred 4:1,4^:1", "4^@a4=b", "4 | r4*^\nred 4:1\nchips a4b");
    check(&SHADOWFLASH_2, "1 | ..\nred 4:1,4^:1", "4@a4=b", "4 | r4\nred 4^:1\nchips a4b");
    check(&SHADOWFLASH_2, "1 | ..\nred 4:1", "4^@a4=b", "refused not_in_reserve");
    check(&SHADOWFLASH_2, "1 | ..\nred 4^:1", "4@a4=b", "refused not_in_reserve");
}

#[test]
fn s2_2_the_phoenix_labels_what_it_strikes_and_returns() {
    for (foe, after) in [("b1", "b1*^"), ("bS", "bS*^"), ("bB", "bB*^"), ("bP", "bP*^"), ("b9'", "b9'*^")] {
        let (before, after) = (format!("5 | {foe}\n4 | rP"), format!("5 | {after}\n4 | rP'*"));
        check(&SHADOWFLASH_2, &before, "a4a5=g", &after);
    }
    check(&SHADOWFLASH_2, "5 | bF\n4 | rP", "a4a5=g", "5 | bF*^\n4 | rP'*\n=> red flag_captured");
}

#[test]
fn s2_2_any_other_piece_that_strikes_the_phoenix_captures_it() {
    for rank in ["S", "9", "8", "1"] {
        let (before, after) = (format!("5 | bP\n4 | r{rank}"), format!("5 | r{rank}'*\nchips a5r"));
        check(&SHADOWFLASH_2, &before, "a4a5=r", &after);
    }
}

#[test]
fn s2_2_the_phoenix_moves_like_a_scout_and_may_be_removed_and_placed() {
    check(&SHADOWFLASH_2, "2 | rP", "a2a9=y", "9 | rP'[9P]\nchips a9y");
    check(&SHADOWFLASH_2, "8 | bS\n2 | rP", "a2a8+=y", "refused strike_from_afar");
    check(&SHADOWFLASH_2, "2 | rP'*", "-a2", "2 | ..\nred P:1");
    check(&SHADOWFLASH_2, "1 | ..\nred P:1", "P@a2=y", "2 | rP\nchips a2y");
}

#[test]
fn s2_2_and_a12_the_first_labeling_resets_the_quiet_count_and_a_second_does_not() {
    let after = |quiet: u16, foe: &str| {
        Playthrough::after(&SHADOWFLASH_2, Side::Red, 700, quiet, &format!("5 | {foe}\n4 | rP'*"))
    };
    after(599, "b7").play("a4a5=g");
    after(599, "b7*").play("a4a5=g");
    after(599, "b7*^").ends("a4a5=g", "nobody quiet_limit");
}

#[test]
fn s2_3_a_chip_is_laid_wherever_a_piece_lands() {
    for ruleset in WITH_CHIPS {
        check(ruleset, "4 | r5", "a4a5=r", "5 | r5'\nchips a5r");
        check(ruleset, "4 | r5\nchips a5g", "a4a5=y", "5 | r5'\nchips a5y");
        check(ruleset, "5 | b5\n4 | r4", "a4a5=b", "5 | r4'*\nchips a5b");
        check(ruleset, "1 | ..\nred 5:1", "5@a4=g", "4 | r5\nchips a4g");
    }
}

#[test]
fn s2_3_the_color_is_compulsory_and_nothing_is_laid_where_there_are_no_chips() {
    for ruleset in WITH_CHIPS {
        check(ruleset, "4 | r5", "a4a5", "refused color_wanted");
        check(ruleset, "5 | b5\n4 | r4", "a4a5", "refused color_wanted");
        check(ruleset, "5 | bB\n4 | r4", "a4a5", "refused color_wanted");
        check(ruleset, "5 | bB\n4 | rP", "a4a5", "refused color_wanted");
        check(ruleset, "1 | ..\nred 5:1", "5@a4", "refused color_wanted");
    }
    check(&SHADOWFLASH_1, "4 | r5", "a4a5=r", "refused color_refused");
    check(&ORIGINAL, "4 | r5", "a4a5=r", "refused color_refused");
}

#[test]
fn s2_3_a_strike_that_does_not_win_lays_nothing() {
    check(&SHADOWFLASH_2, "5 | bB\n4 | r4\nchips a4r,a5g", "a4a5=b", "5 | bB*\nchips a4r,a5g");
    check(&SHADOWFLASH_2, "5 | b4\n4 | r4\nchips a4r", "a4a5=b", "5 | ..\nchips a4r");
    check(&SHADOWFLASH_2, "5 | b7\n4 | rP'*\nchips a4r", "a4a5=b", "5 | b7*^\n4 | rP'*\nchips a4r");
}

#[test]
fn s2_3_the_color_of_a_failed_strike_stays_secret() {
    for picture in ["5 | bB\n4 | r4", "5 | b4\n4 | r4", "5 | b1\n4 | r4", "5 | b7\n4 | rP"] {
        let line = Playthrough::new(&SHADOWFLASH_2, Side::Red, picture);
        let records = ["r", "y", "b", "g"].map(|color| {
            let events = Referee.judge_command(&line.position, &command(&format!("a4a5={color}")));
            let events = events.unwrap_or_else(|refusal| panic!("{}", refusal.code()));
            events.iter().map(to_record).collect::<Vec<_>>()
        });
        // The records are equal for all colors, so they do not contain the color that the command
        // named.
        assert!(records.iter().all(|record| *record == records[0]), "{picture}");
    }
}

#[test]
fn s2_4_a_defender_that_wins_names_its_color_before_anything_else() {
    let mut line =
        Playthrough::new(&SHADOWFLASH_2, Side::Red, "5 | b4\n4 | r5\nred 9:1\nblue 9:1\nchips a4r");
    line.play("a4a5=g");
    assert_eq!(line.position.owed_color(), Some(square("a4")));
    for other in ["a4a3=g", "-a4", "9@a7=g", "o10o9=g"] {
        line.refuses(other, "choice_pending");
    }
    let ply = line.position.ply();
    line.play("=y");
    assert_eq!((line.position.ply(), line.position.turn()), (ply, Side::Blue));
    assert!(line.picture().contains("chips a4y") || line.picture().contains(" a4y "), "{}", line.picture());
    line.refuses("=y", "no_choice");
    line.play("a4a3=g");
}

#[test]
fn s2_4_a_bomb_that_wins_stays_and_owes_nothing() {
    Playthrough::new(&SHADOWFLASH_2, Side::Red, "5 | bB\n4 | r5").play("a4a5=g").refuses("=y", "no_choice");
}

#[test]
fn s2_4_resigning_and_draws_stay_open_while_a_color_is_owed_and_its_clock_runs() {
    use flagfall_rules::Command::{OfferDraw, Resign};
    let mut table = Table::started(&SHADOWFLASH_2, FISCHER);
    // The set-up: Blue replaces its piece on a7 with the Marshal. Red's Scout strikes the Marshal
    // and loses, and the Marshal moves to a6.
    let line = "d4d5=g";
    table.refuses(Side::Red, &command(line), "lake");
    table.does(Side::Red, &command("a4a6=g")).does(Side::Blue, &command("-a7"));
    table.does(Side::Red, &command("-p1")).does(Side::Blue, &command("1@a7=r"));
    table.does(Side::Red, &command("a6a7=y"));
    let seen = seen(&table, Viewer::Public);
    let owed = seen.owed_color.expect("a color is owed");
    assert_eq!((owed.side, owed.square), (Side::Blue, square("a6")));
    assert_eq!(seen.clock.expect("clocks").running, Some(Running::Blue));
    table.refuses(Side::Red, &command("=g"), "not_your_turn");
    table.refuses(Side::Blue, &command("a6a5=g"), "choice_pending");
    let mut offered = Table { game: table.game.clone(), now: table.now };
    offered.does(Side::Blue, &OfferDraw).does(Side::Blue, &command("=g"));
    assert_eq!(offered.game.turn(), Some(Side::Blue));
    let mut late = Table { game: table.game.clone(), now: table.now };
    late.later(70_000).refuses(Side::Blue, &command("=g"), "out_of_time");
    table.does(Side::Blue, &Resign);
    assert_eq!(table.ended(), (Some(Side::Red), flagfall_rules::EndReason::Resigned));
}

#[test]
fn s2_4_and_a10_the_ply_limit_is_judged_after_the_color() {
    let mut line = Playthrough::after(&SHADOWFLASH_2, Side::Red, 4_999, 0, "5 | b4\n4 | r5");
    line.play("a4a5=g").ends("=y", "nobody ply_limit");
}

#[test]
fn s2_5_a_chip_stays_when_its_piece_leaves_and_serves_both_sides() {
    check(&SHADOWFLASH_2, "5 | r5'\nchips a5g", "a5b5=r", "5 | .. r5'\nchips a5g,b5r");
    check(&SHADOWFLASH_2, "5 | r5'\nchips a5g", "-a5", "5 | ..\nred 5:1\nchips a5g");
    check(&SHADOWFLASH_3, "5 | b5'\nchips a5g,b5g,c5g", "blue a5c5=y", "5 | .. .. b5'\nchips a5g,b5g,c5y");
}

#[test]
fn s2_6_columns_and_rows_join_but_for_those_of_the_islands() {
    for ruleset in WITH_CHIPS {
        let shape = &ruleset.shape;
        for column in 0..16 {
            let (bottom, top) =
                (Square::new(column, 0).expect("row 1"), Square::new(column, 9).expect("row 10"));
            let is_joined = "abcghijnop".contains(char::from(b'a' + column));
            assert_eq!(shape.neighbor(top, Direction::Up), is_joined.then_some(bottom), "{top}");
        }
        for row in 0..10 {
            let (left, right) =
                (Square::new(0, row).expect("column a"), Square::new(15, row).expect("column p"));
            let is_joined = !matches!(row + 1, 5 | 6);
            assert_eq!(shape.neighbor(right, Direction::Right), is_joined.then_some(left), "{right}");
        }
    }
    assert!(!SHADOWFLASH_1.shape.has_joints());
}

#[test]
fn s2_6_adjacent_means_through_a_joint_as_well() {
    check(&SHADOWFLASH_2, "10 | b5\n1 | r4", "a1a10=g", "10 | r4'*\nchips a10g");
    check(
        &SHADOWFLASH_2,
        "3 | b4 .. .. .. .. .. .. .. .. .. .. .. .. .. .. r5",
        "p3a3=g",
        "3 | .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. b4'*\nowed p3",
    );
    check(&SHADOWFLASH_2, "10 | .. .. .. b5\n1 | .. .. .. r4", "d1d10=g", "refused too_far");
    check(&SHADOWFLASH_1, "10 | b5\n1 | r4", "a1a10", "refused too_far");
    check(&SHADOWFLASH_2, "5 | b5 .. .. .. .. .. .. .. .. .. .. .. .. .. .. r4", "p5a5=g", "refused too_far");
}

#[test]
fn s2_6_a_line_runs_through_a_joint_and_never_through_its_own_first_square() {
    check(&SHADOWFLASH_2, "2 | r9", "a2a8-=g", "8 | r9'[9P]\nchips a8g");
    let scout = Playthrough::new(&SHADOWFLASH_2, Side::Red, "2 | .. r9");
    let from = square("b2");
    let targets: SquareSet = scout
        .position
        .legal_moves()
        .iter()
        .filter(|squares| squares.from == from)
        .map(|squares| squares.to)
        .collect();
    assert!(!targets.contains(from));
    // The targets are all other squares of the Scout's row and column, because no piece is in the
    // way. Each can be reached by two paths.
    assert_eq!(targets.len(), 15 + 9);
    let ways = scout.position.legal_moves().iter().filter(|squares| squares.from == from).count();
    assert_eq!(ways, 2 * (15 + 9));
    check(&SHADOWFLASH_2, "2 | .. r9", "b2b2=g", "refused not_in_line");
}

#[test]
fn s2_7_a_command_may_name_its_path() {
    let blocked = "4 | r7\n1 | r9";
    check(&SHADOWFLASH_2, blocked, "a1a7+=g", "refused blocked");
    check(&SHADOWFLASH_2, blocked, "a1a7-=g", "7 | r9'[9P]\n4 | r7\nchips a7g");
    check(&SHADOWFLASH_2, blocked, "a1a7=g", "7 | r9'[9P]\n4 | r7\nchips a7g");
    check(&SHADOWFLASH_2, "1 | .. .. .. r9", "d1d4-=g", "refused no_path");
    check(&SHADOWFLASH_1, "1 | r9", "a1a4-", "refused no_path");
    check(&SHADOWFLASH_1, "1 | r9", "a1a4", "4 | r9'*");
}

#[test]
fn s2_7_without_a_path_the_shorter_legal_one_is_taken_of_equal_ones_the_one_that_counts_up() {
    // In set 3, the two paths leave different chips. On the shorter path, the Major flashes. On
    // the longer path, it uses a supply line.
    let both = "2 | r4\nchips a2r,a1y,a10r,a9r,a3r,a4r,a5r,a6r,a7r,a8r";
    check(&SHADOWFLASH_3, both, "a2a9", "9 | r4'[43]\nchips a1r,a10r,a9r,a2r,a3r,a4r,a5r,a6r,a7r,a8r");
    check(&SHADOWFLASH_3, both, "a2a9+=g", "9 | r4'\nchips a1y,a2r,a3r,a4r,a5r,a6r,a7r,a8r,a9g,a10r");
}
