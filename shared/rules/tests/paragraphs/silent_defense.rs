//! §D: only the attacker must reveal its rank.

use flagfall_board::{GameId, PerSide, Rank, Side, Square, Stamp};
use flagfall_rules::rulesets::{CLASSIC, SILENT_DEFENSE};
use flagfall_rules::{
    Command, Entropy, Event, Fate, Game, GameEvent, GameTerms, Identity, SeenPiece, SeenStrike, TimeControl,
    Viewer, decide, evolve, see, see_change, view,
};

use crate::board::{Playthrough, check};

#[test]
fn d1_board_army_moves_and_repetition_are_those_of_classic() {
    assert_eq!(SILENT_DEFENSE.shape, CLASSIC.shape);
    assert_eq!(SILENT_DEFENSE.army, CLASSIC.army);
    assert_eq!(SILENT_DEFENSE.two_squares_limit, CLASSIC.two_squares_limit);
    check(&SILENT_DEFENSE, "8 | bS\n2 | r9", "a2a8", "8 | r9'*");
    Playthrough::new(&SILENT_DEFENSE, Side::Red, "4 | r5")
        .play("a4a5 i10i9 a5a4 i9h9 a4a5 h9g9")
        .refuses("a5a4", "two_squares");
}

#[test]
fn d1_the_attacker_wins_between_equals() {
    for rank in ["1", "2", "3", "4", "5", "6", "7", "8", "9", "S"] {
        check(&SILENT_DEFENSE, &format!("5 | b{rank}\n4 | r{rank}"), "a4a5", &format!("5 | r{rank}'*"));
        check(&SILENT_DEFENSE, &format!("7 | b{rank}\n6 | r{rank}"), "blue a7a6", &format!("6 | b{rank}'*"));
    }
}

#[test]
fn d1_a_defender_that_wins_stays_hidden() {
    for (attacker, defender) in [("5", "4"), ("2", "1"), ("7", "B"), ("S", "5"), ("S", "B"), ("8", "7")] {
        let picture = format!("5 | b{defender}\n4 | r{attacker}");
        check(&SILENT_DEFENSE, &picture, "a4a5", &format!("5 | b{defender}"));
    }
}

#[test]
fn d1_a_defender_known_to_both_sides_stays_known() {
    check(&SILENT_DEFENSE, "5 | b4*\n4 | r5", "a4a5", "5 | b4*");
}

#[test]
fn d1_a_scouts_defender_is_shown_whatever_happens() {
    check(&SILENT_DEFENSE, "5 | b4\n4 | r9", "a4a5", "5 | b4*");
    check(&SILENT_DEFENSE, "5 | bB\n4 | r9", "a4a5", "5 | bB*");
    check(&SILENT_DEFENSE, "8 | b1\n2 | r9", "a2a8", "8 | b1*");
    check(&SILENT_DEFENSE, "8 | b9\n2 | r9", "a2a8", "8 | r9'*");
}

#[test]
fn d1_an_attacker_that_wins_is_shown() {
    check(&SILENT_DEFENSE, "5 | b5\n4 | r4", "a4a5", "5 | r4'*");
    check(&SILENT_DEFENSE, "5 | bB\n4 | r8", "a4a5", "5 | r8'*");
}

#[test]
fn d1_the_flag_is_taken_as_ever() {
    check(&SILENT_DEFENSE, "5 | bF\n4 | rS", "a4a5", "5 | rS'*\n=> red flag_captured");
}

#[test]
fn d1_and_a12_a_strike_counts_the_quiet_plies_anew() {
    let mut line = Playthrough::after(&SILENT_DEFENSE, Side::Red, 300, 199, "4 | r7 bB");
    line.play("a4b4 i10i9 i1i2");
}

/// The state after Red's piece on a4 has struck Blue's piece on a5.
struct Struck {
    game: Game,
    event: Event,
}

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn strike(defender: &str, attacker: &str) -> Struck {
    let picture = format!("5 | b{defender}\n4 | r{attacker}");
    let position = Playthrough::new(&SILENT_DEFENSE, Side::Red, &picture).position;
    let terms = GameTerms {
        game: GameId::from_random([7; 12]),
        ruleset: &SILENT_DEFENSE,
        lakes: SILENT_DEFENSE.shape.lakes,
        time: TimeControl::Unlimited,
        deploy_ms: 0,
        created: Stamp(0),
        secret: PerSide::default(),
    };
    let mut game = Game::from_position(terms, position);
    let command = Command::Move("a4a5".parse().expect("a move"));
    let events = decide(&game, Side::Red, game.ply(), &command, Stamp(0), &Entropy([0; 32]));
    let event = events.expect("a strike").into_iter().next().expect("a ply");
    evolve(&mut game, &event, Stamp(0));
    Struck { game, event }
}

impl Struck {
    fn strike(&self, viewer: Viewer) -> SeenStrike {
        match see(&self.event, &self.game, viewer) {
            Some(GameEvent::Moved(seen)) => seen.strike.expect("a strike"),
            other => panic!("{other:?}"),
        }
    }

    fn defender(&self, viewer: Viewer) -> SeenPiece {
        let seen = view(&self.game, viewer, Stamp(0));
        let change = see_change(&self.event, &self.game, viewer, Stamp(0));
        let of = |pieces: &[SeenPiece]| pieces.iter().find(|piece| piece.square == square("a5")).copied();
        let piece = of(&seen.pieces).expect("a piece");
        assert_eq!(of(&change.pieces.expect("pieces")), Some(piece), "view and change agree");
        assert_eq!(seen.last_move.and_then(|seen| seen.strike), Some(self.strike(viewer)));
        piece
    }
}

#[test]
fn d1_both_sides_see_the_attacker_and_the_result() {
    let struck = strike("4", "5");
    for viewer in Viewer::ALL {
        let strike = struck.strike(viewer);
        assert_eq!(strike.attacker, Identity::Known(Rank::Captain));
        assert_eq!((strike.attacker_fate, strike.defender_fate), (Fate::Leaves, Fate::Stays));
        let captured = see_change(&struck.event, &struck.game, viewer, Stamp(0)).captured.expect("a capture");
        assert!(captured.red[Rank::Captain] > 0);
    }
}

#[test]
fn d2_only_the_owner_knows_the_winner_and_that_it_is_hidden() {
    let struck = strike("4", "5");
    for viewer in [Viewer::Player(Side::Red), Viewer::Public] {
        assert_eq!(struck.strike(viewer).defender, Identity::Hidden);
        let piece = struck.defender(viewer);
        assert_eq!((piece.identity, piece.is_revealed, piece.is_moved), (Identity::Hidden, false, false));
    }
    let owner = Viewer::Player(Side::Blue);
    assert_eq!(struck.strike(owner).defender, Identity::Known(Rank::Major));
    let piece = struck.defender(owner);
    assert_eq!((piece.identity, piece.is_revealed), (Identity::Known(Rank::Major), false));
}

#[test]
fn a7_a_defender_known_to_both_sides_is_named_in_the_strike() {
    for defender in ["4", "B"] {
        let struck = strike(&format!("{defender}*"), "5");
        let rank = Rank::from_letter(defender.chars().next().expect("a letter")).expect("a rank");
        for viewer in Viewer::ALL {
            assert_eq!(struck.strike(viewer).defender, Identity::Known(rank), "{viewer:?}");
            assert_eq!(struck.defender(viewer).identity, Identity::Known(rank), "{viewer:?}");
        }
    }
}

#[test]
fn d2_a_piece_the_other_side_has_seen_is_marked_for_its_owner() {
    // Red's Scout struck the piece and has seen its rank.
    let piece = strike("4", "9").defender(Viewer::Player(Side::Blue));
    assert_eq!((piece.identity, piece.is_revealed), (Identity::Known(Rank::Major), true));
    let piece = strike("4", "9").defender(Viewer::Player(Side::Red));
    assert_eq!((piece.identity, piece.is_revealed), (Identity::Known(Rank::Major), true));
}

#[test]
fn d1_a_defender_that_loses_is_shown_to_all_as_it_leaves() {
    let struck = strike("6", "5");
    for viewer in Viewer::ALL {
        assert_eq!(struck.strike(viewer).defender, Identity::Known(Rank::Lieutenant));
    }
}
