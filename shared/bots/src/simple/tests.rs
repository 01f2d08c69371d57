use flagfall_board::{Chance, GameId, PerSide, Side, Stamp};
use flagfall_rules::{
    Command, Entropy, Game, GameTerms, Move, Phase, Position, Ruleset, TimeControl, View, Viewer, view,
};

use crate::{Effort, HousePlayer, Level};

/// The rows of the 10x10 board that contain the lakes, without pieces.
const LAKES: &str = ".2~2.2~2.2/.2~2.2~2.2";

/// Returns Red's view of a position.
pub(crate) fn seen(ruleset: &str, rows_above: &str, rows_below: &str) -> View {
    let text = format!("{ruleset} red 60 0 {rows_above}/{LAKES}/{rows_below}");
    let position = Position::from_text(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let terms = GameTerms {
        game: GameId::from_random([0; 12]),
        ruleset: position.ruleset(),
        lakes: position.lakes(),
        time: TimeControl::Unlimited,
        deploy_ms: 0,
        created: Stamp(0),
        secret: PerSide::default(),
    };
    view(&Game::from_position(terms, position), Viewer::Player(Side::Red), Stamp(0))
}

fn chosen(view: &View, seed: u64) -> String {
    let mut player = HousePlayer::new(Level::Simple, Side::Red, seed, Effort::default());
    match player.choose(view) {
        Some(Command::Move(asked)) => asked.to_string(),
        other => panic!("a move is wanted, not {other:?}"),
    }
}

/// Asserts that Red always chooses one of the listed moves.
fn must(rows_above: &str, rows_below: &str, moves: &[&str]) {
    let view = seen("classic", rows_above, rows_below);
    for seed in 1..=20 {
        let chosen = chosen(&view, seed);
        assert!(moves.contains(&chosen.as_str()), "{chosen} in {}", view.board_text());
    }
}

/// Asserts that Red never chooses one of the listed moves.
fn must_not(rows_above: &str, rows_below: &str, moves: &[&str]) {
    let view = seen("classic", rows_above, rows_below);
    for seed in 1..=20 {
        let chosen = chosen(&view, seed);
        assert!(!moves.contains(&chosen.as_str()), "{chosen} in {}", view.board_text());
    }
}

#[test]
fn a_known_weaker_piece_is_taken() {
    must("bF.9/.10/.10/.10", ".4b5'*.5/.4r3'.5/.10/rF.9", &["e3e4"]);
    must("bF.9/.10/.10/.10", ".4b8'*.5/.4r5'*.5/.10/rF.9", &["e3e4"]);
}

#[test]
fn the_better_of_two_known_pieces_is_taken() {
    must("bF.9/.10/.10/.10", ".4b5'*.5/.3b3'*r2'.5/.10/rF.9", &["e3d3"]);
}

#[test]
fn a_known_stronger_piece_is_not_struck() {
    must_not("bF.9/.10/.10/.10", ".4b1'*.5/.4r3'.5/.10/rF.9", &["e3e4"]);
    must_not("bF.9/.10/.10/.10", ".4b5'*.5/.4r6'.5/.10/rF.9", &["e3e4"]);
}

#[test]
fn a_known_bomb_is_struck_by_a_miner_alone() {
    must_not("bF.9/.10/.10/.10", ".4bB*.5/.4r3'.5/.10/rF.9", &["e3e4"]);
}

#[test]
fn it_runs_from_the_marshal() {
    must("bF.9/.10/.10/.10", ".4b1'*.5/.4r3'*.5/.10/rF.8r9'", &["e3d3", "e3f3", "e3e2"]);
}

#[test]
fn the_spy_strikes_the_marshal() {
    must("bF.9/.10/.10/.10", ".4b1'*.5/.4rS'.5/.10/rF.8r9'", &["e3e4"]);
}

#[test]
fn the_spy_strikes_nothing_else_it_knows() {
    must_not("bF.9/.10/.10/.10", ".4b2'*.5/.4rS'.5/.10/rF.8r9'", &["e3e4"]);
}

#[test]
fn the_marshal_shuns_a_piece_that_must_be_the_spy() {
    // In this position, Blue has only the Flag and a Spy left, so Red can infer that the piece
    // that moved is the Spy.
    must_not("bF.9/.10/.10/.10", ".4bS'.5/.10/.4r1'*.5/rF.8r9'", &["e2e3"]);
}

#[test]
fn a_miner_opens_the_bombs_around_the_flag() {
    must("bFbB*.8/bB*.9/r8'.9/.10", ".10/.10/.10/rF.8r9'", &["a8a9"]);
}

#[test]
fn the_last_piece_that_has_not_moved_is_the_flag() {
    must("bF.9/r1'*.9/.10/.4b5'.5", ".10/.10/.10/rF.8r9'", &["a9a10"]);
}

#[test]
fn a_piece_that_moved_is_no_bomb() {
    // In this position, Blue has only the Flag, Bombs, and one Scout that has moved.
    must("bFbB.8/.10/.10/.10", ".4b9'.5/.4r5'.5/.10/rF.9", &["e3e4"]);
}

#[test]
fn the_guard_stays_before_the_flag() {
    must_not("bF.9/.10/.10/.10", "b7'*.9/.10/r4'*.9/rFrB.7r9'", &["a2b2"]);
}

#[test]
fn a_piece_blocks_the_way_to_the_flag() {
    must("bF.9/.10/.10/.10", ".10/.10/.1r4'.8/rF.1b8'*.6r9'", &["b2b1"]);
}

#[test]
fn an_attacker_next_to_the_flag_is_captured_first() {
    must("bF.9/.10/.10/.10", ".4b2'*.5/.4r1'*.5/.1r5'.8/rFb7'*.8", &["b2b1"]);
}

#[test]
fn a_side_that_cannot_move_answers_nothing() {
    let mut view = seen("classic", "bF.9/.10/.10/.10", ".10/.10/.10/rF.8r9'");
    view.pieces.clear();
    let mut player = HousePlayer::new(Level::Simple, Side::Red, 1, Effort::default());
    assert_eq!(player.choose(&view), None);
}

#[test]
fn a_placement_is_not_made_over_and_over() {
    // In this position, Red has nothing to gain. Its only movable piece can attack an enemy piece
    // of equal rank, and known Bombs enclose the enemy's Flag.
    let ruleset = Ruleset::find("pbm").expect("a ruleset");
    let mut player = HousePlayer::new(Level::Simple, Side::Red, 3, Effort::default());
    let mut view = seen("pbm", "bFbB*.8/bB*.9/.10/.10", ".10/.4r5'.5/.10/rF.8b5'*");
    let mut squares = Vec::new();
    for ply in 0..40 {
        view.ply = 60 + 2 * ply;
        let Some(Command::Move(asked)) = player.choose(&view) else { panic!("it can move") };
        let Move { from, to } = asked.squares;
        for piece in view.pieces.iter_mut().filter(|piece| piece.square == from) {
            piece.square = to;
        }
        squares.push(to);
    }
    let mut different = squares.clone();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() >= 8, "{}: {squares:?}", ruleset.id);
}

#[test]
fn odd_views_are_answered_with_a_legal_command_or_nothing() {
    let mut chance = Chance::new(11);
    for ruleset in Ruleset::all().iter().copied().filter(|ruleset| !ruleset.reserve) {
        for seed in 1..=30 {
            let lakes = ruleset.draw_lakes(&Entropy(chance.bytes()));
            let mut players =
                PerSide::from_fn(|side| HousePlayer::new(Level::Random, side, seed, Effort::default()));
            let played = flagfall_tests::duel::play(ruleset, lakes, PerSide::default(), |side, view| {
                if view.phase == Phase::Playing && chance.below(20) == 0 {
                    check_odd(odd(view, &mut chance), seed);
                }
                players[side].choose(view)
            });
            assert!(played.is_ok(), "{} seed {seed}: {played:?}", ruleset.id);
        }
    }
}

/// Returns a view in which random pieces are missing, known, moved or captured, so that the view
/// is inconsistent.
pub(crate) fn odd(view: &View, chance: &mut Chance) -> View {
    use flagfall_rules::Identity;
    let mut odd = view.clone();
    let keep = chance.below(5);
    odd.pieces.retain(|_| chance.below(4) < keep);
    for piece in &mut odd.pieces {
        match chance.below(6) {
            0 => piece.is_moved = !piece.is_moved,
            1 => piece.identity = Identity::Known(flagfall_board::Rank::ALL[chance.below(12)]),
            2 => piece.identity = Identity::Hidden,
            3 => piece.is_revealed = !piece.is_revealed,
            _ => {}
        }
    }
    for side in Side::BOTH {
        for count in &mut odd.captured[side].0 {
            *count = [*count, 0, 8, u8::MAX][chance.below(4)];
        }
    }
    odd
}

fn check_odd(view: View, seed: u64) {
    let Viewer::Player(side) = view.audience else { return };
    let mut player = HousePlayer::new(Level::Simple, side, seed, Effort::default());
    let legal = view.legal_commands().expect("this side is to act");
    match player.choose(&view) {
        Some(command) => assert!(legal.iter().any(|other| other == command), "{command:?}"),
        None => assert!(legal.is_empty(), "nothing in {}", view.board_text()),
    }
}
