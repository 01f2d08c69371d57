//! §A5–§A8: moves of one square, and strikes.

use flagfall_board::{Rank, Side};
use flagfall_rules::rulesets::CLASSIC;
use flagfall_rules::{Position, Referee, Ruleset};

use crate::board::{Playthrough, check};

#[test]
fn a5_a_piece_steps_one_square_in_each_of_the_four_directions() {
    for (to, after) in
        [("b5", "5 | .. r7'"), ("b3", "3 | .. r7'"), ("a4", "4 | r7' .."), ("c4", "4 | .. .. r7'")]
    {
        check(&CLASSIC, "4 | .. r7", &format!("b4{to}"), after);
    }
}

#[test]
fn a5_blue_moves_by_the_same_rules() {
    check(&CLASSIC, "7 | b6", "blue a7a6", "6 | b6'");
    check(&CLASSIC, "7 | b6\n6 | r3", "blue a7a6", "6 | r3*");
}

#[test]
fn a5_red_moves_first_in_a_new_position() {
    let text = "classic red 0 0 bFb7.8/.10/.10/.10/..~2..~2../..~2..~2../.10/.10/.10/rFr7.8";
    assert_eq!(Position::from_text(text).expect("a position").turn(), Side::Red);
}

#[test]
fn a6_the_higher_rank_wins_and_takes_the_square() {
    check(&CLASSIC, "5 | b5\n4 | r4", "a4a5", "5 | r4'*");
}

#[test]
fn a6_the_lower_attacker_leaves_and_the_defender_stays_unmoved() {
    check(&CLASSIC, "5 | b4\n4 | r5", "a4a5", "5 | b4*");
}

#[test]
fn a6_equal_ranks_both_leave() {
    check(&CLASSIC, "5 | b5\n4 | r5", "a4a5", "5 | ..");
}

#[test]
fn a6_any_piece_takes_the_flag_and_wins() {
    for attacker in ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "rS"] {
        let flag = "10 | .. .. .. .. .. .. .. .. .. ..\n5 | bF";
        check(
            &CLASSIC,
            &format!("{flag}\n4 | {attacker}"),
            "a4a5",
            &format!("5 | {attacker}'*\n=> red flag_captured"),
        );
    }
}

#[test]
fn a6_a_bomb_beats_every_attacker_but_the_miner() {
    for attacker in ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r9", "rS"] {
        check(&CLASSIC, &format!("5 | bB\n4 | {attacker}"), "a4a5", "5 | bB*");
    }
}

#[test]
fn a6_a_miner_removes_a_bomb_and_takes_its_square() {
    check(&CLASSIC, "5 | bB\n4 | r8", "a4a5", "5 | r8'*");
}

#[test]
fn a6_spy_striking_the_marshal_wins() {
    check(&CLASSIC, "5 | b1\n4 | rS", "a4a5", "5 | rS'*");
}

#[test]
fn a6_spy_struck_by_anything_loses() {
    for attacker in ["r1", "r2", "r9", "r8"] {
        check(&CLASSIC, &format!("5 | bS\n4 | {attacker}"), "a4a5", &format!("5 | {attacker}'*"));
    }
}

#[test]
fn a6_spy_striking_anything_but_marshal_spy_and_flag_loses() {
    for defender in ["b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "bB"] {
        check(&CLASSIC, &format!("5 | {defender}\n4 | rS"), "a4a5", &format!("5 | {defender}*"));
    }
}

#[test]
fn a6_spy_strikes_spy_and_both_leave() {
    check(&CLASSIC, "5 | bS\n4 | rS", "a4a5", "5 | ..");
}

/// The result of every strike as a table, which was written independently of the engine.
///
/// Rows are attackers, and columns are defenders. The letters mean: `w`, the attacker wins; `l`,
/// the attacker loses; `b`, both pieces leave the board; `m`, the defender wins and moves, if the
/// ruleset has this rule.
const TABLE: &str = "
      1 2 3 4 5 6 7 8 9 S B F
    1 b w w w w w w w w w l w
    2 l b w w w w w w w w l w
    3 l l b w w w w w w w l w
    4 l l l b w w w w w w l w
    5 l l l l b w w w w w l w
    6 l l l l l b w w w w l w
    7 l l l l l l b w w w l w
    8 l l l l l l l b w w w w
    9 l l l l l l l l b w l w
    S w l l l l l l l l b l w
";

#[track_caller]
fn check_table(ruleset: &Ruleset, skip: impl Fn(Rank) -> bool, change: impl Fn(char, char, char) -> char) {
    let mut rows = TABLE.lines().filter(|line| !line.trim().is_empty());
    let columns: Vec<char> = rows.next().expect("a head").split_whitespace().flat_map(str::chars).collect();
    for row in rows {
        let mut cells = row.split_whitespace().flat_map(str::chars);
        let attacker = cells.next().expect("a rank");
        for (defender, result) in columns.iter().zip(cells) {
            let ranks = [attacker, *defender].map(|letter| Rank::from_letter(letter).expect("a rank"));
            if ranks.into_iter().any(&skip) {
                continue;
            }
            let result = change(attacker, *defender, result);
            let mut line =
                Playthrough::new(ruleset, Side::Red, &format!("5 | b{defender}\n4 | r{attacker}\n1 | rF"));
            let outcome = line.play_one("a4a5").expect("a strike");
            assert_eq!(outcome.is_some(), *defender == 'F');
            let on_board: Vec<_> = Referee
                .pieces(&line.position)
                .into_iter()
                .filter(|(at, ..)| ["a4", "a5"].contains(&at.to_string().as_str()))
                .collect();
            let wanted = match result {
                'w' => vec![("a5", Side::Red, ranks[0])],
                'l' => vec![("a5", Side::Blue, ranks[1])],
                'm' => vec![("a4", Side::Blue, ranks[1])],
                _ => vec![],
            };
            let found: Vec<_> = on_board
                .iter()
                .filter_map(|(at, side, rank)| Some((at.to_string(), *side, (*rank)?)))
                .collect();
            let wanted: Vec<_> =
                wanted.into_iter().map(|(at, side, rank)| (at.to_owned(), side, rank)).collect();
            assert_eq!(found, wanted, "{}: {attacker} strikes {defender}", ruleset.id);
        }
    }
}

#[test]
fn a6_every_attacker_against_every_defender() {
    check_table(&CLASSIC, |_| false, |_, _, result| result);
    check_table(&flagfall_rules::rulesets::PBM, |_| false, |_, _, result| result);
    check_table(&flagfall_rules::rulesets::TOURNAMENT, |_| false, |_, _, result| result);
}

#[test]
fn b1_every_attacker_against_every_defender_in_barrage() {
    let barrage = &flagfall_rules::rulesets::BARRAGE;
    check_table(barrage, |rank| barrage.army.count(rank) == 0, |_, _, result| result);
}

#[test]
fn p2_without_a_marshal_the_spy_takes_the_general() {
    let small = &flagfall_rules::rulesets::PBM_SMALL;
    check_table(
        small,
        |rank| small.army.count(rank) == 0,
        |attacker, defender, result| if (attacker, defender) == ('S', '2') { 'w' } else { result },
    );
}

#[test]
fn o1_every_attacker_against_every_defender_in_the_original() {
    check_table(
        &flagfall_rules::rulesets::ORIGINAL,
        |_| false,
        |_, defender, result| if result == 'l' && defender != 'B' { 'm' } else { result },
    );
}

#[test]
fn d1_every_attacker_against_every_defender_in_silent_defense() {
    check_table(
        &flagfall_rules::rulesets::SILENT_DEFENSE,
        |_| false,
        |_, _, result| if result == 'b' { 'w' } else { result },
    );
}

#[test]
fn u3_u4_u5_every_attacker_against_every_defender_of_the_course() {
    check_table(
        &flagfall_rules::rulesets::COURSE,
        |_| false,
        |_, defender, result| match (result, defender) {
            ('l', 'B') => 'b',
            ('l', _) => 'm',
            _ => result,
        },
    );
}

#[test]
fn a7_a_strike_shows_both_ranks() {
    check(&CLASSIC, "5 | b4\n4 | r5", "a4a5", "5 | b4*");
    check(&CLASSIC, "5 | b5\n4 | r4", "a4a5", "5 | r4'*");
}

#[test]
fn a7_identity_follows_the_piece() {
    let mut line = Playthrough::new(&CLASSIC, Side::Red, "7 | b9\n5 | b5\n4 | r4");
    line.play("a4a5 i10i9 a5b5 i9i10 b5b6");
    assert_eq!(line.cell("b6"), "r4'*");
}

#[test]
fn a8_captured_pieces_are_counted_with_their_rank() {
    let mut line = Playthrough::new(&CLASSIC, Side::Red, "5 | b5 bB .. .. b6\n4 | r4 r7 .. .. r6");
    let before = line.position.captured(Side::Blue);
    line.play("a4a5 i10i9 b4b5 i9i10 e4e5");
    let after = line.position.captured(Side::Blue);
    let gone = |rank: Rank| after[rank] - before[rank];
    assert_eq!((gone(Rank::Captain), gone(Rank::Bomb), gone(Rank::Lieutenant)), (1, 0, 1));
    let red = line.position.captured(Side::Red);
    assert_eq!(red[Rank::Sergeant], 4, "all four Sergeants are gone, three before the picture");
}

#[test]
fn a9_a_piece_that_moved_is_marked_and_one_that_was_struck_is_not() {
    check(&CLASSIC, "4 | r7", "a4a5", "5 | r7'");
    check(&CLASSIC, "5 | bB\n4 | r7", "a4a5", "5 | bB*");
}
