//! §U: the umpire's rules.

use flagfall_board::{Numbering, Rank, Side, Square, SquareSet};
use flagfall_rules::rulesets::{CLASSIC, COURSE};
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{
    Command, EndReason, Entropy, Game, GameTerms, Identity, MoveCommand, Phase, Position, PositionTextError,
    Referee, Setup, TimeControl, Viewer, decide, see, view,
};

use crate::board::{Playthrough, check};
use crate::deployments::CLASSIC_SETUP;
use crate::table::{FISCHER, Table, deploy, step};

use Side::{Blue, Red};

#[test]
fn u1_ten_columns_and_rows_and_forty_pieces() {
    assert_eq!((COURSE.shape.columns, COURSE.shape.rows), (10, 10));
    assert_eq!(COURSE.army, CLASSIC.army);
    assert_eq!(COURSE.shape.home(Red), CLASSIC.shape.home(Red));
    assert_eq!(COURSE.shape.home(Blue), CLASSIC.shape.home(Blue));
}

#[test]
fn u1_piece_codes_are_for_people_and_follow_us_figures() {
    assert_eq!(Rank::Marshal.figure(Numbering::Us), "1");
    assert_eq!(Rank::Scout.figure(Numbering::Us), "9");
}

/// Returns all pairs of 2x2 lakes in rows 5 and 6 that have no square in common.
fn all_pairs() -> Vec<SquareSet> {
    let lake = |column: u8| -> SquareSet {
        [(column, 4), (column + 1, 4), (column, 5), (column + 1, 5)]
            .into_iter()
            .filter_map(|(column, row)| Square::new(column, row))
            .collect()
    };
    let mut pairs = Vec::new();
    for one in 0..=8 {
        for other in one..=8 {
            let both = lake(one) | lake(other);
            if (lake(one) & lake(other)).is_empty() {
                pairs.push(both);
            }
        }
    }
    pairs
}

#[test]
fn u2_every_pair_of_lakes_is_drawn_and_none_more_often_than_another() {
    let pairs = all_pairs();
    assert_eq!(pairs.len(), 28);
    let mut drawn = vec![0; pairs.len()];
    for byte in 0..=255 {
        // A first byte of 252 or more is skipped, because it would favor some pairs. The second
        // byte then draws the last pair.
        let mut bytes = [0; 32];
        bytes[0] = byte;
        bytes[1] = 27;
        let lakes = COURSE.draw_lakes(&Entropy(bytes));
        if byte >= 252 {
            assert_eq!(lakes, pairs[27]);
        } else {
            let pair = pairs.iter().position(|pair| *pair == lakes);
            drawn[pair.expect("one of the pairs")] += 1;
        }
    }
    assert_eq!(drawn, vec![9; 28]);
    for pair in &pairs {
        assert!(COURSE.allows_lakes(*pair));
        assert_eq!(pair.len(), 8);
        let homes = COURSE.shape.home(Red) | COURSE.shape.home(Blue);
        assert!((homes & *pair).is_empty());
    }
}

#[test]
fn u2_no_other_lakes_are_the_courses() {
    let squares = |text: &str| -> SquareSet {
        text.split(' ').map(|name| name.parse::<Square>().expect("a square")).collect()
    };
    for wrong in
        ["a5 b5 a6 b6", "a5 b5 a6 b6 b5 c5 b6 c6", "a4 b4 a5 b5 d5 e5 d6 e6", "a5 b5 a6 b6 d5 e5 d6 f6"]
    {
        assert!(!COURSE.allows_lakes(squares(wrong)), "{wrong}");
    }
    assert!(!COURSE.allows_lakes(SquareSet::EMPTY));
    assert!(!CLASSIC.allows_lakes(all_pairs()[0]));
    assert!(CLASSIC.allows_lakes(CLASSIC.draw_lakes(&Entropy([9; 32]))));
}

#[test]
fn u2_positions_carry_their_lakes_through_text() {
    for lakes in all_pairs() {
        let setup = |side| Setup::from_text(CLASSIC_SETUP, side, &COURSE).expect("a setup");
        let position = Referee.deployed(&COURSE, lakes, &setup(Red), &setup(Blue)).expect("deployments");
        let text = Referee.position_text(&position);
        let again = Position::from_text(&text).expect("a position");
        assert_eq!((again.lakes(), Referee.position_text(&again)), (lakes, text));
    }
    let broken = "course red 0 0 bF.8b6/.10/.10/.10/~3.7/~3.7/.10/.10/.10/rF.8r6";
    assert_eq!(Position::from_text(broken).expect_err("no lakes"), PositionTextError::DrawnLakes);
}

#[test]
fn u2_lakes_are_public_before_deployment_and_nothing_enters_them() {
    for lakes in all_pairs() {
        let mut table = Table::new(&COURSE, TimeControl::Unlimited);
        table.game = Game::new(GameTerms { lakes, ..*table.game.terms() });
        let now = table.now;
        let seen = |game: &Game| Viewer::ALL.map(|viewer| view(game, viewer, now).lakes);
        assert_eq!(seen(&table.game), [lakes; 3]);
        for side in Side::BOTH {
            table.does(side, &deploy(CLASSIC_SETUP, side, &COURSE));
        }
        assert_eq!(seen(&table.game), [lakes; 3]);
        let legal = table.game.legal_moves().expect("moves");
        assert!(legal.iter().all(|squares| !lakes.contains(squares.to)));
        assert_eq!(view(&table.game, Viewer::Player(Red), table.now).legal_moves(), Some(legal));
        assert_eq!(view(&table.game, Viewer::Player(Red), table.now).lakes, table.game.position().lakes());
    }
}

#[test]
fn u3_a_miner_removes_a_bomb_and_goes_there() {
    check(&COURSE, "5 | bB\n4 | r8", "a4a5", "5 | r8'*");
}

#[test]
fn u3_a_bomb_and_any_other_attacker_both_leave() {
    for attacker in ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r9", "rS"] {
        check(&COURSE, &format!("5 | bB\n4 | {attacker}"), "a4a5", "5 | ..");
    }
    check(&COURSE, "8 | bB\n2 | r9", "a2a8", "8 | ..");
}

#[test]
fn u4_the_winner_goes_to_the_square_of_the_loser() {
    check(&COURSE, "5 | b5\n4 | r4", "a4a5", "5 | r4'*");
    check(&COURSE, "5 | b4\n4 | r5", "a4a5", "4 | b4'*");
    // The winner also moves if the attacker struck from several squares away.
    check(&COURSE, "8 | b4\n2 | r9", "a2a8", "2 | b4'*");
}

#[test]
fn u5_the_spy_beats_marshal_and_flag_and_leaves_with_a_spy() {
    check(&COURSE, "5 | b1\n4 | rS", "a4a5", "5 | rS'*");
    check(&COURSE, "5 | bS\n4 | rS", "a4a5", "5 | ..");
    check(&COURSE, "5 | b9\n4 | rS", "a4a5", "4 | b9'*");
    check(&COURSE, "5 | bS\n4 | r9", "a4a5", "5 | r9'*");
    check(&COURSE, "5 | bF\n4 | rS", "a4a5", "5 | rS'*\n=> red flag_captured");
}

#[test]
fn u6_the_scout_strikes_at_range_and_a_long_move_shows_it() {
    check(&COURSE, "8 | bS\n2 | r9", "a2a8", "8 | r9'*");
    check(&COURSE, "2 | r9", "a2a8", "8 | r9'*");
    check(&COURSE, "3 | r9", "a3a4", "4 | r9'");
}

#[test]
fn u8_no_legal_move_loses_and_a_flag_taken_wins() {
    Playthrough::bare(&COURSE, Red, "10 | bF bB\n1 | r7 rF").ends("a1a2", "red no_legal_move");
    Playthrough::bare(&COURSE, Red, "5 | bF\n4 | r7\n1 | rF").ends("a4a5", "red flag_captured");
    // After this strike, neither side has a movable piece, because the Bomb leaves the board
    // together with its attacker.
    Playthrough::bare(&COURSE, Red, "10 | bF\n5 | bB\n4 | r7\n1 | rF").ends("a4a5", "nobody both_blocked");
}

#[test]
fn u9_no_repetition_is_refused_and_the_house_limits_stand() {
    Playthrough::new(&COURSE, Red, "4 | r2").play("a4a5 i10i9 a5a4 i9h9 a4a5 h9g9 a5a4 g9f9 a4a5 f9e9 a5a4");
    Playthrough::after(&COURSE, Red, 300, 199, "5 | r9").ends("i1i2", "nobody quiet_limit");
}

// §U7: illegal acts

fn started() -> Table {
    Table::started(&COURSE, FISCHER)
}

#[test]
fn u7_an_illegal_move_loses_at_once() {
    for (squares, refusal) in [
        ("e5e6", "no_piece"),
        ("j7j6", "not_your_piece"),
        ("a4a3", "own_piece"),
        ("c4c5", "lake"),
        ("a4b5", "not_in_line"),
        ("b4b6", "too_far"),
        ("a4a4", "not_in_line"),
        ("a4k4", "off_board"),
        ("a1a2", "own_piece"),
        ("c4c8", "blocked"),
    ] {
        let mut classic = Table::started(&CLASSIC, FISCHER);
        classic.refuses(Red, &step(squares), refusal);
        let mut table = started();
        table.does(Red, &step(squares));
        assert_eq!(table.ended(), (Some(Blue), EndReason::IllegalAct), "{squares}");
        assert_eq!(table.game.ply(), 0, "the move was not made");
    }
}

#[test]
fn u7_an_immovable_piece_that_is_moved_loses_the_game() {
    let mut table = started();
    let bomb = Referee
        .pieces(table.game.position())
        .into_iter()
        .find(|(at, side, rank)| (*side, *rank) == (Red, Some(Rank::Bomb)) && at.to_string() != "j1");
    let (at, ..) = bomb.expect("a Bomb");
    table.does(Red, &step(&format!("{at}{}", at.neighbor(flagfall_board::Direction::Up).expect("a square"))));
    assert_eq!(table.ended(), (Some(Blue), EndReason::IllegalAct));
}

#[test]
fn u7_blue_loses_by_an_illegal_move_as_well() {
    let mut table = started();
    table.moves("a4a5").does(Blue, &step("a5a6"));
    assert_eq!(table.ended(), (Some(Red), EndReason::IllegalAct));
}

#[test]
fn u7_commands_that_are_not_moves_are_refused_without_a_loss() {
    let mut table = started();
    // Commands out of turn are refused without a loss, whether they are legal or illegal.
    table.refuses(Blue, &step("a1a9"), "not_your_turn").refuses(Blue, &step("j7j6"), "not_your_turn");
    // A command for another ply than the current one is refused without a loss.
    let events = decide(&table.game, Red, 7, &step("a1a9"), table.now, &Entropy([0; 32]));
    assert_eq!(events.err().map(|refusal| refusal.code()), Some("stale_ply"));
    // Commands that are not moves are refused without a loss.
    table.refuses(Red, &Command::AcceptDraw, "no_draw_offer");
    table.refuses(Red, &deploy(CLASSIC_SETUP, Red, &COURSE), "not_deploying");
    // A command after the deadline is refused without a loss.
    table.later(61_000).refuses(Red, &step("a1a9"), "out_of_time");
    assert_eq!(table.game.phase(), Phase::Playing);
    // Commands before the start of the game and after its end are refused without a loss.
    let mut table = Table::new(&COURSE, FISCHER);
    table.refuses(Red, &step("a1a9"), "not_playing");
    let mut table = started();
    table.does(Red, &Command::Resign).refuses(Red, &step("a1a9"), "game_over");
}

#[test]
fn u7_a_needless_color_is_refused_and_loses_nothing() {
    let colored = |squares: &str| -> Command {
        let asked: MoveCommand = format!("{squares}=g").parse().expect("a move");
        Command::Move(asked)
    };
    let mut table = started();
    table.refuses(Red, &colored("a4a5"), "color_refused");
    assert_eq!((table.game.phase(), table.game.ply()), (Phase::Playing, 0));
    table.moves("a4a5").refuses(Blue, &colored("a7a6"), "color_refused");
    assert_eq!((table.game.phase(), table.game.ply()), (Phase::Playing, 1));
    // An illegal move still loses the game if it also names an unnecessary color.
    table.does(Blue, &colored("a7a9"));
    assert_eq!(table.ended(), (Some(Red), EndReason::IllegalAct));
}

/// Returns an army with one Flag too many and one Bomb too few.
fn wrong_army() -> String {
    CLASSIC_SETUP.replacen('B', "F", 1)
}

fn with_a_gap() -> String {
    CLASSIC_SETUP.replacen('B', ".", 1)
}

#[test]
fn u7_the_side_with_an_illegal_deployment_loses_before_the_first_ply() {
    for wrong in
        [wrong_army(), with_a_gap(), "9".repeat(40), ".".repeat(40), CLASSIC_SETUP.replacen('1', "P", 1)]
    {
        for (first, second) in [(Red, Blue), (Blue, Red)] {
            for (loser, texts) in
                [(first, [wrong.as_str(), CLASSIC_SETUP]), (second, [CLASSIC_SETUP, &wrong])]
            {
                let mut table = Table::new(&COURSE, FISCHER);
                table.does(first, &deploy(texts[0], first, &COURSE));
                assert_eq!(table.game.phase(), Phase::Deploying, "nothing is judged before both are in");
                table.does(second, &deploy(texts[1], second, &COURSE));
                assert_eq!(table.ended(), (Some(loser.opponent()), EndReason::IllegalAct));
                assert_eq!((table.game.ply(), table.game.deadline()), (0, None));
            }
        }
    }
}

#[test]
fn u7_two_illegal_deployments_are_a_draw() {
    let mut table = Table::new(&COURSE, FISCHER);
    table.does(Blue, &deploy(&with_a_gap(), Blue, &COURSE)).does(Red, &deploy(&wrong_army(), Red, &COURSE));
    assert_eq!(table.ended(), (None, EndReason::IllegalAct));
}

#[test]
fn u7_the_others_learn_ready_and_nothing_else() {
    let as_seen = |text: &str, viewer| {
        let mut table = Table::new(&COURSE, FISCHER);
        let before = table.game.clone();
        let events = decide(&before, Red, 0, &deploy(text, Red, &COURSE), table.now, &Entropy([1; 32]));
        table.does(Red, &deploy(text, Red, &COURSE));
        let events = events.expect("a deployment");
        let told: Vec<_> = events.iter().map(|event| see(event, &table.game, viewer)).collect();
        (told, view(&table.game, viewer, table.now))
    };
    for viewer in [Viewer::Player(Blue), Viewer::Public] {
        assert_eq!(as_seen(&wrong_army(), viewer), as_seen(CLASSIC_SETUP, viewer));
    }
    // The side that submitted the illegal deployment sees it unchanged.
    let own = as_seen(&wrong_army(), Viewer::Player(Red)).1.seen.own_deployment;
    assert_eq!(own, Some(wrong_army().replace(' ', "")));
}

#[test]
fn u7_an_illegal_deployment_is_final_and_cannot_be_dodged() {
    let mut table = Table::new(&COURSE, FISCHER);
    table.does(Red, &deploy(CLASSIC_SETUP, Red, &COURSE)).does(Red, &deploy(&wrong_army(), Red, &COURSE));
    table.refuses(Red, &deploy(CLASSIC_SETUP, Red, &COURSE), "deployment_final");
    table.refuses(Red, &deploy(&with_a_gap(), Red, &COURSE), "deployment_final");
    table.refuses(Red, &Command::Abort, "deployment_final");
    table.does(Blue, &deploy(CLASSIC_SETUP, Blue, &COURSE));
    assert_eq!(table.ended(), (Some(Blue), EndReason::IllegalAct));
}

#[test]
fn u7_a_missed_deployment_deadline_aborts_even_after_an_illegal_deployment() {
    for text in [CLASSIC_SETUP, &wrong_army()] {
        let mut table = Table::new(&COURSE, FISCHER);
        table.does(Red, &deploy(text, Red, &COURSE)).later(300_001);
        let events = flagfall_rules::decide_deadline(&table.game, table.now);
        events.iter().for_each(|event| flagfall_rules::evolve(&mut table.game, event, table.now));
        assert_eq!(table.ended(), (None, EndReason::Aborted));
        assert_eq!(view(&table.game, Viewer::Player(Blue), table.now).opened.red, None);
    }
    // The other side may still abort the game, as long as it has not deployed.
    let mut table = Table::new(&COURSE, FISCHER);
    table.does(Red, &deploy(&wrong_army(), Red, &COURSE)).does(Blue, &Command::Abort);
    assert_eq!(table.ended(), (None, EndReason::Aborted));
}

#[test]
fn u7_a_text_that_is_no_setup_is_malformed_and_refused() {
    let short = Setup::from_text(&CLASSIC_SETUP[..30], Red, &COURSE);
    assert_eq!(
        short.err().map(|refusal| flagfall_rules::Refusal::from(refusal).code()),
        Some("setup_too_short")
    );
    let unknown = Setup::from_text(&CLASSIC_SETUP.replacen('B', "x", 1), Red, &COURSE);
    assert_eq!(
        unknown.err().map(|refusal| flagfall_rules::Refusal::from(refusal).code()),
        Some("setup_unknown_letter")
    );
    // A setup cannot be submitted if the text of a deployment cannot represent it.
    let mut table = Table::new(&COURSE, FISCHER);
    let at = |name: &str| name.parse::<Square>().expect("a square");
    let outside = Setup::new(vec![(at("e5"), Rank::Flag)]);
    table.refuses(Red, &Command::Deploy(outside), "setup_outside_home");
    let double = Setup::new(vec![(at("a1"), Rank::Flag), (at("a1"), Rank::Bomb)]);
    table.refuses(Red, &Command::Deploy(double), "setup_double_square");
    assert!(!table.game.is_ready(Red));
}

#[test]
fn u7_the_end_opens_both_deployments_and_commits_to_none() {
    let mut table = Table::new(&COURSE, FISCHER);
    table.does(Red, &deploy(&wrong_army(), Red, &COURSE)).does(Blue, &deploy(CLASSIC_SETUP, Blue, &COURSE));
    for viewer in Viewer::ALL {
        let seen = view(&table.game, viewer, table.now);
        let opened = seen.opened.red.as_ref().expect("opened");
        assert_eq!(opened.setup, wrong_army().replace(' ', ""));
        assert!(seen.opened.blue.is_some() && seen.pieces.is_empty());
        assert_eq!((seen.commitments.red, seen.commitments.blue), (None, None));
    }
}

#[test]
fn u7_the_end_of_an_illegal_move_opens_everything() {
    let mut table = started();
    table.does(Red, &step("a1a9"));
    let seen = view(&table.game, Viewer::Public, table.now);
    assert!(seen.pieces.iter().all(|piece| matches!(piece.identity, Identity::Known(_))));
    assert!(seen.commitments.red.is_some() && seen.opened.red.is_some());
}

#[test]
fn u7_the_other_rulesets_refuse_and_go_on() {
    let mut table = Table::new(&CLASSIC, FISCHER);
    table.refuses(Red, &deploy(&wrong_army(), Red, &CLASSIC), "setup_wrong_count");
    assert!(!table.game.is_ready(Red));
}

#[test]
fn u7_the_log_keeps_an_illegal_deployment_as_it_was() {
    let game = Table::new(&COURSE, FISCHER).game;
    let at = game.latest();
    let events = decide(&game, Red, 0, &deploy(&with_a_gap(), Red, &COURSE), at, &Entropy([1; 32]));
    let record = to_record(events.expect("a deployment").iter().next().expect("an event"));
    let SecretRecord::Deployed { setup, .. } = &record else { panic!("a deployment") };
    assert_eq!(*setup, with_a_gap().replace(' ', ""));
    assert!(
        flagfall_rules::secret::from_record(record).is_ok_and(|event| format!("{event:?}") == "Deployed")
    );
}
