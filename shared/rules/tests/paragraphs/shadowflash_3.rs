//! §S3: the third set of rules of Shadowflash, with supply lines, flashes, and the ranks that a
//! move proves.

use flagfall_board::{Rank, RankSet, Side};
use flagfall_rules::Ruleset;
use flagfall_rules::rulesets::{SHADOWFLASH_1, SHADOWFLASH_2, SHADOWFLASH_3};

use crate::board::{Playthrough, check, command};

#[test]
fn s3_1_a_piece_goes_along_squares_of_its_own_color() {
    let line = "chips a1g,a2g,a3g,a4g,a5g,a6g";
    let after = |to: &str| {
        format!(
            "{} | r5'\nchips {}",
            &to[1..],
            line["chips ".len()..].replace(&format!("{to}g"), &format!("{to}b"))
        )
    };
    for to in ["a2", "a3", "a6"] {
        check(&SHADOWFLASH_3, &format!("1 | r5\n{line}"), &format!("a1{to}=b"), &after(to));
    }
    // The last green chip of the supply line is on a6, so the line does not reach a7.
    check(&SHADOWFLASH_3, &format!("1 | r5\n{line}"), "a1a7+=b", "refused no_supply_line");
    check(&SHADOWFLASH_3, &format!("1 | r5\n{line},a7y"), "a1a7+=b", "refused no_supply_line");
    check(&SHADOWFLASH_3, &format!("1 | r5\n{line}"), "a1a3", "refused color_wanted");
    check(&SHADOWFLASH_2, &format!("1 | r5\n{line}"), "a1a3=b", "refused too_far");
}

#[test]
fn s3_1_supply_lines_move_no_flag_or_bomb_pass_no_piece_and_do_not_strike() {
    let line = "chips a1g,a2g,a3g,a4g";
    check(&SHADOWFLASH_3, &format!("1 | rB\n{line}"), "a1a3=b", "refused immovable");
    check(&SHADOWFLASH_3, &format!("2 | b7\n1 | r5\n{line}"), "a1a3=b", "refused blocked");
    check(&SHADOWFLASH_3, &format!("3 | b7\n1 | r5\n{line}"), "a1a3=b", "refused strike_from_afar");
    check(&SHADOWFLASH_3, &format!("3 | r7\n1 | r5\n{line}"), "a1a3=b", "refused own_piece");
}

#[test]
fn s3_1_a_supply_line_runs_through_joints() {
    check(&SHADOWFLASH_3, "2 | r5\nchips a2g,a1g,a10g,a9g", "a2a9=g", "9 | r5'\nchips a2g,a1g,a10g,a9g");
}

#[test]
fn s3_2_general_colonel_and_major_flash_two_three_and_four_squares() {
    let colors = "chips a1g,a2r,a3y,a4b,a5r,a6r";
    for (piece, range) in [("r2", 2), ("r3", 3), ("r4", 4), ("r5", 0), ("r1", 0)] {
        for distance in 2..=5 {
            let to = distance + 1;
            let before = format!("1 | {piece}\n{colors}");
            if distance > range {
                check(&SHADOWFLASH_3, &before, &format!("a1a{to}+"), "refused no_supply_line");
                continue;
            }
            let mut line = Playthrough::new(&SHADOWFLASH_3, Side::Red, &before);
            line.play(&format!("a1a{to}+"));
            for row in 1..=6 {
                let square = format!("a{row}").parse().expect("a square");
                let chip = line.position.chips().and_then(|chips| chips.color(square));
                let was = ["g", "r", "y", "b", "r", "r"][row - 1];
                let wanted = if row <= to { "g" } else { was };
                assert_eq!(
                    chip.map(|chip| chip.letter().to_string()).as_deref(),
                    Some(wanted),
                    "{piece} a1a{to}: a{row}"
                );
            }
        }
    }
}

#[test]
fn s3_2_a_flash_wants_chips_everywhere_names_no_color_and_does_not_strike() {
    check(&SHADOWFLASH_3, "1 | r4\nchips a1g,a2r,a4r", "a1a4+", "refused no_supply_line");
    check(&SHADOWFLASH_3, "1 | r4\nchips a2r,a3r", "a1a3+", "refused no_supply_line");
    check(&SHADOWFLASH_3, "1 | r4\nchips a1g,a2r,a3r", "a1a3+=g", "refused color_refused");
    check(&SHADOWFLASH_3, "3 | b7\n1 | r4\nchips a1g,a2r,a3r", "a1a3+", "refused strike_from_afar");
    check(&SHADOWFLASH_3, "1 | r4\nchips a1g,a2r", "a1a2", "refused color_wanted");
    check(&SHADOWFLASH_2, "1 | r4\nchips a1g,a2r,a3r", "a1a3+", "refused too_far");
}

#[test]
fn s3_3_where_a_flash_would_change_no_chip_it_is_a_supply_line() {
    check(&SHADOWFLASH_3, "1 | r4\nchips a1g,a2g,a3g", "a1a3", "refused color_wanted");
    check(&SHADOWFLASH_3, "1 | r4\nchips a1g,a2g,a3g", "a1a3=r", "3 | r4'\nchips a1g,a2g,a3r");
}

/// Returns the cell of the piece that moved, as the public sees it.
fn proved(ruleset: &Ruleset, picture: &str, squares: &str) -> String {
    let mut line = Playthrough::new(ruleset, Side::Red, picture);
    line.play(squares);
    let to = command(squares);
    let flagfall_rules::Command::Move(asked) = to else { panic!("a move") };
    line.cell(&asked.squares.to.to_string())
}

#[test]
fn s3_3_a_scout_on_a_supply_line_is_not_told_apart_from_a_captain() {
    let chips = "chips a1g,a2g,a3g,a4g";
    assert_eq!(proved(&SHADOWFLASH_3, &format!("1 | r9\n{chips}"), "a1a4=r"), "r9'");
    assert_eq!(proved(&SHADOWFLASH_3, &format!("1 | r5\n{chips}"), "a1a4=r"), "r5'");
}

#[test]
fn s3_4_a_move_proves_what_its_squares_and_chips_allow_and_no_more() {
    for (piece, chips, squares, wanted) in [
        ("r9", "-", "a1a4+=r", "r9'[9P]"),
        ("rP", "-", "a1a4+=r", "rP'[9P]"),
        ("r5", "-", "a1a2=r", "r5'"),
        ("r4", "a1g,a2r,a3y,a4b,a5r", "a1a5+", "r4'*"),
        ("r4", "a1g,a2r,a3y,a4b", "a1a4+", "r4'[43]"),
        ("r2", "a1g,a2r,a3y", "a1a3+", "r2'[432]"),
        // In these moves, only the last chip changed, so a Scout or a Phoenix could also have
        // laid it.
        ("r2", "a1g,a2g,a3y", "a1a3+", "r2'[9432P]"),
        ("r9", "a1g,a2g,a3y", "a1a3+=g", "r9'[9432P]"),
        ("r9", "a1g,a2g,a3y", "a1a3+=r", "r9'[9P]"),
        ("r4", "a1g,a2g,a3y,a4y", "a1a4+", "r4'[43]"),
    ] {
        let picture = format!("1 | {piece}\nchips {chips}");
        assert_eq!(proved(&SHADOWFLASH_3, &picture, squares), wanted, "{piece} {squares} over {chips}");
    }
    assert_eq!(proved(&SHADOWFLASH_1, "1 | r9", "a1a4"), "r9'*");
}

#[test]
fn s3_4_the_other_path_counts_as_well() {
    // Two paths lead from a1 to a9. The path down crosses the joint and has two squares, so it
    // can be a flash. The path up is long.
    let chips = "chips a1g,a10r,a9g";
    assert_eq!(proved(&SHADOWFLASH_3, &format!("1 | r2\n{chips}"), "a1a9-"), "r2'[432]");
    // The joint makes a10 a neighbor of a1, so any piece could have moved there, and the long
    // move proves nothing.
    assert_eq!(proved(&SHADOWFLASH_3, "1 | r9", "a1a10+=g"), "r9'");
}

#[test]
fn s3_4_moves_narrow_a_piece_together() {
    let mut line = Playthrough::new(&SHADOWFLASH_3, Side::Red, "1 | r2\nchips a1g,a2r,a3y,b3g,c3y");
    line.play("a1a3+ o10o9=r");
    assert_eq!(line.cell("a3"), "r2'[432]");
    // A Scout or a Phoenix could have made the second move, but the first move has already ruled
    // them out.
    line.play("a3c3+ o9o10=r");
    assert_eq!(line.cell("c3"), "r2'[432]");
    let ranks: RankSet = [Rank::Major, Rank::Colonel, Rank::General].into_iter().collect();
    assert_eq!(ranks.len(), 3);
}
