//! §Q: coins, pools, choices and the reserve rule.

use flagfall_board::{GameId, PerSide, Rank, Side, Square, Stamp};
use flagfall_rules::rulesets::{CLASSIC, QUANTUM};
use flagfall_rules::{
    Command, EndReason, Game, GameEvent, GameTerms, Identity, PendingStrike, Phase, Position,
    PositionTextError, RankCounts, Referee, Ruleset, Running, SeenPiece, Start, TimeControl, View, Viewer,
    clock_seen, decide, decide_deadline, decide_pause, decide_resume, evolve, see, view,
};

use crate::board::{Playthrough, check, command};
use crate::deployments::CLASSIC_SETUP;
use crate::table::{FISCHER, Table, deploy};

use Side::{Blue, Red};

/// The pool of a whole army, beginning with the Flag.
const WHOLE_POOL: &str = "F:1,B:6,S:1,9:8,8:5,7:4,6:4,5:4,4:3,3:2,2:1,1:1";

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn piece(view: &View, name: &str) -> Option<SeenPiece> {
    view.pieces.iter().find(|piece| piece.square == square(name)).copied()
}

fn seen_by(table: &Table, viewer: Viewer) -> View {
    view(&table.game, viewer, table.now)
}

/// Returns a game that continues from a picture.
fn table(side: Side, picture: &str, time: TimeControl) -> Table {
    let position = Playthrough::new(&QUANTUM, side, picture).position;
    let now = Stamp(1_000_000);
    let terms = GameTerms {
        game: GameId::from_random([3; 12]),
        ruleset: &QUANTUM,
        lakes: QUANTUM.shape.lakes,
        time,
        deploy_ms: 0,
        created: now,
        secret: PerSide::default(),
    };
    Table { game: Game::from_position(terms, position), now }
}

/// Two coins stand next to each other, and the reserve rule allows each side to choose any rank.
const FACE_TO_FACE: &str = "10 | bo\n5 | bo'\n4 | ro'\n1 | ro\nred 5:1,F:1\nblue 4:1,F:1";

fn choice(letter: &str) -> Command {
    command(&format!("!{letter}"))
}

#[test]
fn q1_board_army_and_every_other_rule_are_those_of_classic() {
    let other = Ruleset { id: "classic", start: CLASSIC.start, changeable: CLASSIC.changeable, ..QUANTUM };
    assert_eq!(other, CLASSIC);
    assert_eq!(QUANTUM.start, Start::Coins);
}

#[test]
fn q1_a_game_starts_at_once_with_unmoved_coins_on_all_home_squares() {
    let mut table = Table::new(&QUANTUM, FISCHER);
    assert_eq!((table.game.phase(), table.game.turn()), (Phase::Playing, Some(Red)));
    let row = |letter| format!("{letter}o").repeat(10);
    let (blue, red) = ([row('b'), row('b'), row('b'), row('b')], [row('r'), row('r'), row('r'), row('r')]);
    let lakes = ".2~2.2~2.2/.2~2.2~2.2";
    let wanted =
        format!("quantum red 0 0 {}/{lakes}/{} {WHOLE_POOL} {WHOLE_POOL} -", blue.join("/"), red.join("/"));
    assert_eq!(Referee.position_text(table.game.position()), wanted);
    for viewer in Viewer::ALL {
        let seen = seen_by(&table, viewer);
        assert_eq!(seen.pieces.len(), 80);
        assert!(seen.pieces.iter().all(|piece| piece.identity == Identity::Coin && !piece.is_moved));
        assert_eq!(seen.commitments, PerSide::default());
        let running = seen.clock.expect("a clock").running;
        assert_eq!(running, Some(Running::Red));
    }
    for side in Side::BOTH {
        table.refuses(side, &deploy(CLASSIC_SETUP, side, &CLASSIC), "not_deploying");
    }
}

#[test]
fn q1_and_c3_the_two_squares_rule_holds_for_coins() {
    let mut line = Playthrough::new(&QUANTUM, Red, "5 | ..\n4 | ro'\nred 5:1");
    line.play("a4a5 i10i9 a5a4 i9i10 a4a5 i10i9").refuses("a5a4", "two_squares");
}

#[test]
fn q1_and_a12_the_limits_are_those_of_classic() {
    Playthrough::after(&QUANTUM, Red, 300, 198, "5 | r9*").play("i1i2");
    Playthrough::after(&QUANTUM, Red, 300, 199, "5 | r9*").ends("i1i2", "nobody quiet_limit");
    Playthrough::after(&QUANTUM, Red, 4999, 0, "5 | r9*").ends("i1i2", "nobody ply_limit");
    let mut line = Playthrough::after(&QUANTUM, Red, 300, 199, FACE_TO_FACE);
    line.play("a4a5 !5 !4 i10i9");
}

#[test]
fn q2_a_coin_moves_one_square_like_a_piece_and_is_moved_for_good() {
    check(&QUANTUM, "2 | ro\nred 5:1", "a2a3", "3 | ro'\nred 5:1");
    check(&QUANTUM, "3 | ro'\nred 5:1", "a3b3", "3 | .. ro'\nred 5:1");
    check(&QUANTUM, "3 | ro'\nred 5:1", "a3b4", "refused not_in_line");
    check(&QUANTUM, "4 | .. .. ro'\nred 5:1", "c4c5", "refused lake");
    check(&QUANTUM, "4 | ro' r5*\nred 5:1", "a4b4", "refused own_piece");
    check(&QUANTUM, "4 | bo'\nblue 5:1", "a4a5", "refused not_your_piece");
}

#[test]
fn q3_a_coin_that_goes_several_squares_is_a_scout_from_the_pool() {
    check(&QUANTUM, "2 | ro\nred 9:1", "a2a5", "5 | r9'*");
    check(&QUANTUM, "2 | ro ro'\nred 9:2", "b2b8", "8 | .. r9'*\n2 | ro\nred 9:1");
    check(&QUANTUM, "3 | r5*\n2 | ro\nred 9:1", "a2a4", "refused blocked");
}

#[test]
fn q3_without_a_scout_in_the_pool_a_coin_goes_one_square() {
    check(&QUANTUM, "2 | ro\nred 5:1", "a2a4", "refused no_scout_left");
    let mut line = Playthrough::new(&QUANTUM, Red, "2 | ro ro\nred 9:1,5:1");
    line.play("a2a5 i10i9").refuses("b2b4", "no_scout_left").play("b2b3");
}

#[test]
fn q3_what_a_coin_became_is_public_and_an_ordinary_scout() {
    let mut table = table(Red, "2 | ro\nred 9:1", TimeControl::Unlimited);
    table.moves("a2a5");
    for viewer in Viewer::ALL {
        let scout = piece(&seen_by(&table, viewer), "a5").expect("a piece");
        assert_eq!(
            (scout.identity, scout.is_moved, scout.is_revealed),
            (Identity::Known(Rank::Scout), true, true)
        );
        let last = seen_by(&table, viewer).last_move.expect("a move");
        assert_eq!(last.piece, Identity::Known(Rank::Scout));
    }
    table.moves("i10i9").moves("a5a10");
}

#[test]
fn q4_a_struck_coin_is_what_its_owner_names() {
    // Only the defender is a coin. Its owner chooses and already knows the attacker's rank.
    let picture = "5 | bo'\n4 | r5*\nblue 4:1";
    let mut line = Playthrough::new(&QUANTUM, Red, picture);
    line.play("a4a5 !4");
    assert_eq!((line.cell("a4"), line.cell("a5")), (String::new(), "b4'*".to_owned()));
    // Only the attacker is a coin. Its owner chooses and already knows the defender's rank.
    let mut line = Playthrough::new(&QUANTUM, Red, "5 | b4*\n4 | ro\nred 3:1");
    line.play("a4a5 !3");
    assert_eq!((line.cell("a4"), line.cell("a5")), (String::new(), "r3'*".to_owned()));
}

#[test]
fn q4_two_coins_are_resolved_when_both_have_chosen() {
    let mut line = Playthrough::new(&QUANTUM, Red, FACE_TO_FACE);
    line.play("a4a5");
    assert!(line.position.has_strike_pending());
    assert_eq!((line.position.ply(), line.position.turn()), (40, Red), "the ply waits");
    line.play("!5");
    assert_eq!(
        (line.cell("a4").as_str(), line.cell("a5").as_str()),
        ("ro'", "bo'"),
        "nothing has happened yet"
    );
    line.play("!4");
    assert_eq!((line.cell("a4"), line.cell("a5")), (String::new(), "b4'*".to_owned()));
    assert_eq!((line.position.ply(), line.position.turn()), (41, Blue));
    assert!(!line.position.has_strike_pending());
}

#[test]
fn q4_strikes_are_those_of_a6_whatever_is_named() {
    let ranks = Rank::ALL.into_iter().filter(|rank| CLASSIC.army.count(*rank) > 0);
    for defender in ranks.clone() {
        for attacker in ranks.clone().filter(|rank| !matches!(rank, Rank::Flag | Rank::Bomb)) {
            let (a, d) = (attacker.letter(), defender.letter());
            let picture = format!("5 | bo\n4 | ro\nred {a}:1\nblue {d}:1");
            let mut coins = Playthrough::new(&QUANTUM, Red, &picture);
            coins.play("a4a5").play(&format!("!{a}"));
            let by_coins = coins.play_one(&format!("!{d}")).expect("a choice");
            let mut pieces = Playthrough::new(&CLASSIC, Red, &format!("5 | b{d}*\n4 | r{a}*\n1 | rF"));
            let by_pieces = pieces.play_one("a4a5").expect("a strike");
            assert_eq!(by_coins, by_pieces, "{a} against {d}");
            for at in ["a4", "a5"] {
                assert_eq!(coins.cell(at), pieces.cell(at), "{a} against {d}");
            }
        }
    }
}

#[test]
fn q4_an_attacker_and_a_moved_defender_are_no_bomb_and_no_flag() {
    let many = "10 | bo bo bo bo\n5 | bo'\n4 | ro\n1 | ro ro ro ro\nred B:2,F:1,5:2\nblue B:2,F:1,4:2";
    Playthrough::new(&QUANTUM, Red, many)
        .play("a4a5")
        .refuses("!B", "immovable")
        .refuses("!F", "immovable")
        .play("!5");
    let mut line = Playthrough::new(&QUANTUM, Red, many);
    line.play("a4a5 !5").refuses("!B", "immovable").refuses("!F", "immovable").refuses("!3", "not_in_pool");
    line.play("!4");
}

#[test]
fn q4_an_unmoved_defender_is_any_piece_of_the_pool() {
    let picture = "10 | bo bo bo\n5 | bo\n4 | r5*\nblue B:1,F:1,4:2";
    for (letter, left) in [("B", "bB*"), ("4", "b4*")] {
        let mut line = Playthrough::new(&QUANTUM, Red, picture);
        line.play("a4a5").refuses("!3", "not_in_pool").play(&format!("!{letter}"));
        assert_eq!((line.cell("a4"), line.cell("a5").as_str()), (String::new(), left));
    }
    Playthrough::new(&QUANTUM, Red, picture).play("a4a5").ends("!F", "red flag_captured");
}

#[test]
fn q4_a_coin_that_strikes_from_afar_becomes_a_scout_before_the_choices() {
    let picture = "10 | bo\n7 | bo'\n4 | ro\nred 9:1\nblue 4:1,F:1";
    let mut table = table(Red, picture, TimeControl::Unlimited);
    table.moves("a4a7");
    for viewer in Viewer::ALL {
        let seen = seen_by(&table, viewer);
        let scout = piece(&seen, "a4").expect("a piece");
        assert_eq!((scout.identity, scout.is_moved), (Identity::Known(Rank::Scout), true));
        assert_eq!(seen.pools.expect("pools")[Red], RankCounts::default());
        let strike = seen.pending_strike.expect("a strike");
        assert_eq!(
            (strike.squares, strike.owes),
            ("a4a7".parse().expect("a move"), PerSide::new(false, true))
        );
    }
    table.refuses(Red, &choice("9"), "no_choice").does(Blue, &choice("4"));
    assert_eq!(piece(&seen_by(&table, Viewer::Public), "a4"), None);
    assert_eq!(
        piece(&seen_by(&table, Viewer::Public), "a7").expect("a piece").identity,
        Identity::Known(Rank::Major)
    );
    // Because of the distance, the coin becomes a Scout. It is therefore a piece when it strikes,
    // and no choice is needed.
    check(&QUANTUM, "7 | bS*\n4 | ro\nred 9:1", "a4a7", "7 | r9'*");
}

#[test]
fn q4_while_a_strike_waits_nothing_else_is_done_on_the_board() {
    let mut table = table(Red, FACE_TO_FACE, TimeControl::Unlimited);
    table.moves("a4a5");
    for (side, code) in [(Red, "choice_pending"), (Blue, "not_your_turn")] {
        let squares = if side == Red { "i1i2" } else { "i10i9" };
        table.refuses(side, &command(squares), code);
        assert!(table.game.legal_moves().expect("a running game").is_empty());
    }
    // After one side's choice, both sides get the same refusals as before.
    table.does(Red, &choice("5"));
    table.refuses(Red, &command("i1i2"), "choice_pending").refuses(Blue, &command("i10i9"), "not_your_turn");
    table.refuses(Blue, &choice("3"), "not_in_pool").does(Blue, &choice("4"));
}

#[test]
fn q4_the_first_choice_is_seen_by_its_own_side_alone() {
    for first in Side::BOTH {
        let mut table = table(Red, FACE_TO_FACE, FISCHER);
        table.moves("a4a5").later(5_000);
        let before = Viewer::ALL.map(|viewer| seen_by(&table, viewer));
        let letter = PerSide::new("5", "4")[first];
        let events = decide(
            &table.game,
            first,
            table.game.ply(),
            &choice(letter),
            table.now,
            &flagfall_rules::Entropy([0; 32]),
        );
        for event in events.expect("a choice").iter() {
            evolve(&mut table.game, event, table.now);
            for viewer in Viewer::ALL {
                let seen = see(event, &table.game, viewer);
                let wanted = viewer.is_side(first).then(|| GameEvent::Chosen {
                    side: first,
                    rank: Rank::from_letter(letter.chars().next().expect("a letter")).expect("a rank"),
                });
                assert_eq!(seen, wanted);
            }
        }
        for (viewer, before) in Viewer::ALL.into_iter().zip(before) {
            let after = seen_by(&table, viewer);
            if viewer.is_side(first) {
                let strike: PendingStrike = after.pending_strike.expect("a strike");
                assert!(strike.own_choice.is_some() && strike.owes == PerSide::new(true, true));
                assert_eq!(after.legal_commands(), None);
            } else {
                assert_eq!(after, before, "{viewer:?}");
            }
        }
    }
}

#[test]
fn q4_legal_commands_are_the_choices_of_the_sides_that_owe_one() {
    let mut table = table(Red, FACE_TO_FACE, TimeControl::Unlimited);
    table.moves("a4a5");
    let commands = |table: &Table, viewer| {
        seen_by(table, viewer).legal_commands().map(|commands| commands.iter().collect::<Vec<_>>())
    };
    assert_eq!(commands(&table, Viewer::Player(Red)), Some(vec![choice("5")]));
    assert_eq!(commands(&table, Viewer::Player(Blue)), Some(vec![choice("4")]));
    assert_eq!(commands(&table, Viewer::Public), None);
    table.does(Red, &choice("5"));
    assert_eq!(commands(&table, Viewer::Player(Red)), None);
    assert_eq!(commands(&table, Viewer::Player(Blue)), Some(vec![choice("4")]));
}

fn clock_of(table: &Table, viewer: Viewer) -> (u64, u64, PerSide<bool>) {
    let seen = clock_seen(&table.game, viewer, table.now).expect("a clock");
    let is_running = |side| seen.running.is_some_and(|running| running.includes(side));
    (seen.remaining_ms.red, seen.remaining_ms.blue, PerSide::from_fn(is_running))
}

const BOTH: PerSide<bool> = PerSide { red: true, blue: true };

#[test]
fn q4_while_both_owe_a_choice_both_clocks_run_and_each_sees_its_own_stop() {
    let mut table = table(Red, FACE_TO_FACE, FISCHER);
    table.later(10_000).moves("a4a5").later(5_000).does(Blue, &choice("4")).later(3_000);
    // Red and the public still see both clocks running since the strike, although Blue has
    // chosen.
    for viewer in [Viewer::Public, Viewer::Player(Red)] {
        assert_eq!(clock_of(&table, viewer), (42_000, 52_000, BOTH), "{viewer:?}");
    }
    assert_eq!(clock_of(&table, Viewer::Player(Blue)), (42_000, 55_000, PerSide::new(true, false)));
    table.does(Red, &choice("5"));
    // The ply is complete: Red gets the increment, and Blue's clock runs for Blue's turn.
    for viewer in Viewer::ALL {
        assert_eq!(clock_of(&table, viewer), (44_000, 55_000, PerSide::new(false, true)));
    }
}

#[test]
fn q4_the_clock_of_the_only_side_that_owes_a_choice_runs_publicly() {
    let mut table = table(Red, "5 | bo'\n4 | r5*\nblue 4:1", FISCHER);
    table.later(10_000).moves("a4a5").later(5_000);
    for viewer in Viewer::ALL {
        assert_eq!(clock_of(&table, viewer), (50_000, 55_000, PerSide::new(false, true)));
    }
    table.does(Blue, &choice("4"));
    assert_eq!(clock_of(&table, Viewer::Public), (52_000, 55_000, PerSide::new(false, true)));
    let mut table = self::table(Red, "5 | b4*\n4 | ro\nred 5:1", FISCHER);
    table.later(10_000).moves("a4a5").later(5_000);
    assert_eq!(clock_of(&table, Viewer::Public), (45_000, 60_000, PerSide::new(true, false)));
}

#[test]
fn q4_running_out_of_time_first_loses_without_showing_choices() {
    let mut table = table(Red, FACE_TO_FACE, FISCHER);
    table.later(10_000).moves("a4a5").does(Red, &choice("5"));
    assert_eq!(table.game.deadline(), Some(table.now.plus_ms(60_000)), "Red's clock is stopped");
    let mut other = self::table(Red, FACE_TO_FACE, FISCHER);
    other.later(10_000).moves("a4a5").does(Blue, &choice("4"));
    assert_eq!(other.game.deadline(), Some(other.now.plus_ms(50_000)));
    for (table, loser) in [(&mut table, Blue), (&mut other, Red)] {
        let deadline = table.game.deadline().expect("a deadline");
        assert!(decide_deadline(&table.game, deadline).is_empty());
        table.now = deadline.plus_ms(1);
        let letter = PerSide::new("5", "4")[loser];
        table.refuses(loser, &choice(letter), "out_of_time");
        for event in decide_deadline(&table.game, table.now) {
            evolve(&mut table.game, &event, table.now);
        }
        assert_eq!(table.ended(), (Some(loser.opponent()), EndReason::OutOfTime));
        for viewer in Viewer::ALL {
            let seen = seen_by(table, viewer);
            assert_eq!(seen.pending_strike, None);
            assert_eq!(piece(&seen, "a5").expect("a piece").identity, Identity::Coin);
        }
    }
}

#[test]
fn q4_of_two_missed_choices_the_earlier_deadline_loses_and_equal_ones_draw() {
    for (before_ms, winner) in [(10_000, Some(Blue)), (0, None)] {
        let mut table = table(Red, FACE_TO_FACE, FISCHER);
        table.later(before_ms).moves("a4a5");
        table.now = table.game.deadline().expect("a deadline").plus_ms(1);
        for event in decide_deadline(&table.game, table.now) {
            evolve(&mut table.game, &event, table.now);
        }
        assert_eq!(table.ended(), (winner, EndReason::OutOfTime));
    }
}

#[test]
fn q4_a_choice_takes_nothing_from_the_next_turn_if_turns_are_whole() {
    let delay = TimeControl::Delay { base_ms: 60_000, free_ms: 10_000 };
    for (time, ms) in [(TimeControl::PerPly { ply_ms: 60_000 }, 60_000), (delay, 70_000)] {
        for (is_whole, left_ms) in [(false, ms - 5_000), (true, ms)] {
            let mut table = table(Red, FACE_TO_FACE, time);
            table.game = table.game.with_whole_turns(is_whole);
            table.moves("a4a5").does(Red, &choice("5")).later(5_000).does(Blue, &choice("4"));
            assert_eq!(table.game.deadline(), Some(table.now.plus_ms(left_ms)), "{time:?}");
        }
    }
}

#[test]
fn q4_resigning_loses_without_showing_choices() {
    for side in Side::BOTH {
        for chosen in [None, Some(side), Some(side.opponent())] {
            let mut table = table(Red, FACE_TO_FACE, FISCHER);
            table.moves("a4a5");
            if let Some(chosen) = chosen {
                table.does(chosen, &choice(PerSide::new("5", "4")[chosen]));
            }
            table.does(side, &Command::Resign);
            assert_eq!(table.ended(), (Some(side.opponent()), EndReason::Resigned));
            for viewer in Viewer::ALL {
                let seen = seen_by(&table, viewer);
                assert!(
                    ["a4", "a5"]
                        .iter()
                        .all(|at| piece(&seen, at).expect("a coin").identity == Identity::Coin)
                );
                assert_eq!((seen.pending_strike, seen.ply), (None, 40));
            }
        }
    }
}

#[test]
fn q4_a_draw_can_be_agreed_while_a_strike_waits() {
    let mut table = table(Red, FACE_TO_FACE, FISCHER);
    table.moves("a4a5").does(Red, &Command::OfferDraw).does(Red, &choice("5"));
    table.does(Blue, &Command::AcceptDraw);
    assert_eq!(table.ended(), (None, EndReason::DrawAgreed));
}

#[test]
fn q4_a_side_that_struck_in_its_first_ply_cannot_abort() {
    let mut table = Table::new(&QUANTUM, FISCHER);
    table.moves("a4a7").refuses(Red, &Command::Abort, "too_late_to_abort");
    table.does(Blue, &Command::Abort);
    assert_eq!(table.ended(), (None, EndReason::Aborted));
}

#[test]
fn q4_an_outage_during_a_choice_costs_no_time_and_reveals_nothing() {
    let mut table = table(Red, FACE_TO_FACE, FISCHER);
    table.later(10_000).moves("a4a5").later(5_000).does(Red, &choice("5")).later(1_000);
    let before = Viewer::ALL.map(|viewer| clock_of(&table, viewer));
    for event in decide_pause(&table.game, table.now) {
        evolve(&mut table.game, &event, table.now);
    }
    table.later(100_000);
    assert_eq!(table.game.deadline(), None);
    for event in decide_resume(&table.game) {
        evolve(&mut table.game, &event, table.now);
    }
    assert_eq!(Viewer::ALL.map(|viewer| clock_of(&table, viewer)), before);
    table.later(2_000);
    assert_eq!(clock_of(&table, Viewer::Player(Red)), (45_000, 52_000, PerSide::new(false, true)));
    assert_eq!(clock_of(&table, Viewer::Player(Blue)), (42_000, 52_000, BOTH));
    table.does(Blue, &choice("4"));
    assert_eq!(clock_of(&table, Viewer::Public), (47_000, 52_000, PerSide::new(false, true)));
}

#[test]
fn q5_a_coin_that_has_become_a_piece_stays_that_piece() {
    let mut line = Playthrough::new(&QUANTUM, Red, FACE_TO_FACE);
    line.play("a4a5 !5 !4 a5a4 i1i2 a4a3");
    assert_eq!(line.cell("a3"), "b4'*");
    // The piece has a rank, so its next strike needs no choice.
    let mut line = Playthrough::new(&QUANTUM, Blue, "5 | b4'*\n4 | r5'*");
    line.play("a5a4");
    assert_eq!(line.cell("a4"), "b4'*");
}

#[test]
fn q6_an_unmoved_coin_that_the_reserve_needs_does_not_move() {
    let picture = "4 | ro ro ro'\nred B:1,F:1,5:1";
    let mut line = Playthrough::new(&QUANTUM, Red, picture);
    line.refuses("a4a5", "reserve_rule").refuses("b4b5", "reserve_rule").play("c4c3");
    // With one more coin and one more piece in the pool, one unmoved coin may move.
    let mut line = Playthrough::new(&QUANTUM, Red, "4 | ro ro ro ro'\nred B:1,F:1,5:2");
    line.play("a4a5 i10i9").refuses("b4b5", "reserve_rule");
    // A coin that is not allowed to move is not allowed to make a long move or a strike either.
    let mut line = Playthrough::new(&QUANTUM, Red, "5 | .. b4*\n4 | ro ro\nred B:1,F:1");
    line.refuses("a4a6", "reserve_rule").refuses("b4b5", "reserve_rule");
}

#[test]
fn q6_an_unmoved_defender_that_the_reserve_needs_is_a_bomb_or_the_flag() {
    let picture = "7 | bo bo bo'\n6 | r5*\nblue B:1,F:1,4:1";
    let mut line = Playthrough::new(&QUANTUM, Red, picture);
    line.play("a6a7").refuses("!4", "reserve_rule").play("!B");
    assert_eq!(line.cell("a7"), "bB*");
    // A coin that has moved must become a movable piece, even if the reserve rule requires Bombs
    // or a Flag.
    let mut line = Playthrough::new(&QUANTUM, Red, "8 | bo bo bo'\n7 | .. .. r5*\nblue B:1,F:1,4:1");
    line.play("c7c8").refuses("!B", "immovable").play("!4");
}

#[test]
fn q6_a_side_whose_only_moves_break_the_reserve_rule_forfeits() {
    // Blue loses its last movable piece. Its two unmoved coins must stay unmoved, because the
    // pool has a Bomb and the Flag.
    let picture = "10 | bo bo\n5 | b4*\n4 | r3*\nblue B:1,F:1";
    Playthrough::bare(&QUANTUM, Red, picture).ends("a4a5", "red forfeited_reserve");
    // The pool must not have more Bombs and Flags than there are unmoved coins. Choosing a rank can
    // therefore also leave Blue without a movable coin. In the next picture it does not, because
    // the pool has fewer of them than there are unmoved coins. In the last one, the numbers are
    // equal.
    let picture = "10 | bo bo bo\n4 | bo\n3 | r3*\nblue B:1,F:1,4:2";
    Playthrough::bare(&QUANTUM, Red, picture).play("a3a4 !4");
    let picture = "10 | bo bo bo\n4 | bo\n3 | r3*\nblue B:2,F:1,4:1";
    Playthrough::bare(&QUANTUM, Red, picture).play("a3a4").ends("!4", "red forfeited_reserve");
}

#[test]
fn q6_and_a10_a_side_that_is_blocked_besides_has_no_legal_move_or_is_blocked_like_the_other() {
    // In these pictures, the coin on a10 could not move even without the reserve rule, because
    // Bombs enclose it.
    let picture = "10 | bo bB*\n9 | bB*\n5 | .. b4*\n4 | .. r3*\nblue F:1";
    Playthrough::bare(&QUANTUM, Red, picture).ends("b4b5", "red no_legal_move");
    let picture = "10 | bo bB*\n9 | bB*\n5 | .. b3*\n4 | .. r3*\nblue F:1";
    Playthrough::bare(&QUANTUM, Red, picture).ends("b4b5", "nobody both_blocked");
    // In this picture, Red cannot move either, but the engine checks for a forfeit before it
    // checks whether both sides are blocked.
    let picture = "10 | bo\n5 | .. b3*\n4 | .. r3*\nblue F:1";
    Playthrough::bare(&QUANTUM, Red, picture).ends("b4b5", "red forfeited_reserve");
}

#[test]
fn q6_views_allow_what_the_engine_allows() {
    for picture in [
        "4 | ro ro ro'\nred B:1,F:1,5:1",
        "4 | ro ro ro ro'\nred B:1,F:1,5:1,9:1",
        "4 | ro ro ro'\nred 9:1,5:2",
    ] {
        let table = table(Red, picture, TimeControl::Unlimited);
        let seen = seen_by(&table, Viewer::Player(Red));
        let engine: Vec<_> = table.game.position().legal_moves().iter().collect();
        assert_eq!(seen.legal_moves().expect("a turn").iter().collect::<Vec<_>>(), engine, "{picture}");
    }
}

#[test]
fn q7_the_flag_falls_when_a_defender_must_name_it() {
    let mut line = Playthrough::new(&QUANTUM, Red, "5 | bo\n4 | ro'\nred 5:1\nblue F:1");
    line.play("a4a5 !5").ends("!F", "red flag_captured");
}

#[test]
fn q8_both_pools_are_public_and_shrink_only_with_what_was_shown() {
    let mut table = table(Red, FACE_TO_FACE, TimeControl::Unlimited);
    let pools = |table: &Table| Viewer::ALL.map(|viewer| seen_by(table, viewer).pools.expect("pools"));
    let before = pools(&table);
    assert_eq!(before[0], before[2]);
    assert_eq!(before[1], before[2]);
    assert_eq!((before[2][Red][Rank::Captain], before[2][Blue][Rank::Major]), (1, 1));
    table.moves("a4a5").does(Red, &choice("5"));
    assert_eq!(pools(&table), before, "a pending choice shrinks no pool");
    table.does(Blue, &choice("4"));
    for pools in pools(&table) {
        assert_eq!((pools[Red][Rank::Captain], pools[Blue][Rank::Major]), (0, 0));
        assert_eq!(pools[Red][Rank::Flag], 1);
    }
}

// Position texts

const PENDING: &str =
    "quantum red 10 3 bo.8b6*/.10/.10/.10/.2~2bo'.~2.2/.2~2ro'.~2.2/.10/.10/.10/ro.8r6* F:1,2:1 F:1,9:1 e5e6";

#[test]
fn a_position_with_coins_is_written_and_read_back() {
    for tail in ["", ",r2", ",b9"] {
        let text = format!("{PENDING}{tail}");
        let position = Position::from_text(&text).expect("a position");
        assert_eq!(Referee.position_text(&position), text);
        assert!(position.is_conserved() && position.has_strike_pending());
        assert_eq!(position.actor(), if tail == ",r2" { Blue } else { Red });
    }
}

#[test]
fn texts_that_no_game_with_coins_comes_to_are_refused() {
    use PositionTextError::{Character, Fields, PendingStrike, Pool, TooMany};
    let change = |from: &str, to: &str| Position::from_text(&PENDING.replacen(from, to, 1)).err();
    assert_eq!(change(" e5e6", ""), Some(Fields));
    assert_eq!(change("quantum", "classic"), Some(Fields));
    assert_eq!(change("F:1,2:1", "F:1"), Some(Pool { side: Red }));
    assert_eq!(change("F:1,9:1", "F:1,B:1"), Some(Pool { side: Blue }));
    assert_eq!(change("F:1,9:1", "-"), Some(Pool { side: Blue }));
    assert_eq!(change("F:1,2:1", "F:1,1:1,1:1"), Some(Pool { side: Red }));
    assert_eq!(change("F:1,2:1 F", "2:2 F"), Some(TooMany { side: Red, rank: Rank::General }));
    assert_eq!(change("ro'", "ro"), Some(PendingStrike), "the attacker counts as moved");
    assert_eq!(change("e5e6", "a1a2"), Some(PendingStrike), "nobody is struck");
    assert_eq!(change("e5e6", "e5e6,rF"), Some(PendingStrike), "an attacker cannot be the Flag");
    assert_eq!(change("e5e6", "e5e6,r2,b9"), Some(PendingStrike), "nothing is left to wait for");
    assert_eq!(change("r6*", "r6"), Some(Character { at: 63 }), "what a coin became is public");
    assert_eq!(change("ro'", "ro'*"), Some(Character { at: 38 }));
}
