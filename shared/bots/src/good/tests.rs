use flagfall_board::{Chance, GameId, PerSide, Rank, RankSet, Side, SquareSet, Stamp};
use flagfall_rules::{
    Command, Entropy, Game, GameTerms, Identity, Move, Phase, Ruleset, TimeControl, View, Viewer, decide,
    evolve, view,
};

use super::belief::{matching, narrow};
use super::evaluation::Evaluation;
use super::grid::{cell, square};
use super::piece::Piece;
use super::world::{Step, World};
use super::{Enemies, GoodMind, Scene};
use crate::memory::Memory;
use crate::simple::tests::{odd, seen};
use crate::{Effort, HousePlayer, Level, random_setup};

fn lakes(ruleset: &Ruleset, seed: u64) -> SquareSet {
    ruleset.draw_lakes(&Entropy(Chance::new(seed).bytes()))
}

const EFFORT: Effort = Effort { nodes: 4_000 };

fn chosen(view: &View, seed: u64) -> String {
    let mut player = HousePlayer::new(Level::Good, Side::Red, seed, EFFORT);
    match player.choose(view) {
        Some(Command::Move(squares)) => squares.to_string(),
        other => panic!("a move is wanted, not {other:?}"),
    }
}

/// Asserts that Red always chooses one of the listed moves.
fn must(ruleset: &str, rows_above: &str, rows_below: &str, moves: &[&str]) {
    let view = seen(ruleset, rows_above, rows_below);
    for seed in 1..=10 {
        let chosen = chosen(&view, seed);
        assert!(moves.contains(&chosen.as_str()), "{chosen} in {}", view.board_text());
    }
}

/// Asserts that Red never chooses one of the listed moves.
fn must_not(ruleset: &str, rows_above: &str, rows_below: &str, moves: &[&str]) {
    let view = seen(ruleset, rows_above, rows_below);
    for seed in 1..=10 {
        let chosen = chosen(&view, seed);
        assert!(!moves.contains(&chosen.as_str()), "{chosen} in {}", view.board_text());
    }
}

#[test]
fn a_known_weaker_piece_is_taken() {
    must("classic", "bF.9/.10/.10/.10", ".4b5'*.5/.4r3'.5/.10/rF.9", &["e3e4"]);
}

#[test]
fn a_piece_that_is_guarded_is_left_alone() {
    must_not("classic", "bF.9/.10/.10/.3b1'*.6", ".3b7'*.6/.3r3'*.6/.10/rF.8r9'", &["d3d4"]);
}

#[test]
fn the_spy_waits_where_the_marshal_comes_and_strikes_it() {
    must("classic", "bF.9/.10/.10/.10", ".4b1'*.5/.4rS'.5/.10/rF.8r9'", &["e3e4"]);
}

#[test]
fn the_marshal_does_not_go_beside_what_must_be_the_spy() {
    must_not("classic", "bF.9/.10/.10/.10", ".4bS'.5/.10/.4r1'*.5/rF.8r9'", &["e2e3"]);
}

#[test]
fn a_miner_opens_the_bombs_around_the_flag() {
    must("classic", "bFbB*.8/bB*.9/r8'.9/.8b7'*.", ".10/.10/.10/rF.8r9'", &["a8a9"]);
}

#[test]
fn a_scout_takes_the_flag_from_afar() {
    must("classic", "bF.9/.10/.10/.4b5'*.5", ".10/r9'.9/.10/rF.8r9'", &["a3a10"]);
}

#[test]
fn a_won_endgame_is_finished() {
    // In both positions, Blue's only unmoved piece must be the Flag, and no other piece can
    // protect it.
    must("classic", "bF.9/r1'*.9/.10/.4b5'.5", ".10/.10/.10/rF.8r9'", &["a9a10"]);
    must("classic", "bF.9/.10/r1'*.9/.8b5'*.1", ".10/.10/.10/rF.9", &["a8a9"]);
}

#[test]
fn an_approaching_attacker_is_intercepted_before_the_flag() {
    must_not("classic", "bF.9/.10/.10/.10", "b6'*.9/.10/.3r3'*.6/rF.6r7'.2", &["g1g2", "g1h1", "d2e2"]);
}

#[test]
fn odd_views_are_answered_with_a_legal_move_or_nothing() {
    let mut chance = Chance::new(11);
    for ruleset in Ruleset::all().iter().copied().filter(|ruleset| GoodMind::plays(ruleset)) {
        for seed in 1..=8 {
            let mut players = PerSide::from_fn(|side| HousePlayer::new(Level::Random, side, seed, EFFORT));
            let played =
                flagfall_tests::duel::play(ruleset, lakes(ruleset, 9), PerSide::default(), |side, view| {
                    if view.phase == Phase::Playing && chance.below(20) == 0 {
                        check_odd(&odd(view, &mut chance), side, seed);
                    }
                    players[side].choose(view)
                });
            assert!(played.is_ok(), "{} seed {seed}: {played:?}", ruleset.id);
        }
    }
}

fn check_odd(view: &View, side: Side, seed: u64) {
    let mut player = HousePlayer::new(Level::Good, side, seed, Effort { nodes: 300 });
    let legal = view.legal_moves().expect("it is this side's turn");
    match player.choose(view) {
        Some(Command::Move(asked)) => {
            assert!(legal.contains(asked.squares), "{asked} in {}", view.board_text());
        }
        Some(other) => panic!("{other:?}"),
        None => assert!(legal.is_empty(), "{}", view.board_text()),
    }
}

/// Returns the pieces of both sides with their true ranks. The pieces of the side `first` come
/// first.
fn pieces(views: &PerSide<View>, first: Side) -> Vec<Piece> {
    [first, first.opponent()]
        .into_iter()
        .flat_map(|side| views[side].pieces.iter().filter(move |piece| piece.side == side))
        .map(|piece| {
            let Identity::Known(rank) = piece.identity else { panic!("an own piece is known") };
            Piece {
                is_mine: piece.side == first,
                rank,
                cell: cell(piece.square),
                is_hidden: !piece.is_revealed,
                is_alive: true,
            }
        })
        .collect()
}

fn sorted(pieces: &[Piece]) -> Vec<(u8, bool, Rank, bool)> {
    let alive = pieces.iter().filter(|piece| piece.is_alive);
    let mut sorted: Vec<_> =
        alive.map(|piece| (piece.cell, piece.is_mine, piece.rank, piece.is_hidden)).collect();
    sorted.sort_unstable();
    sorted
}

fn evaluation(view: &View, side: Side) -> Evaluation {
    let mut foes = Enemies::default();
    foes.see(view, side);
    let belief = foes.believe(view, side, &Memory::default(), 0, &mut Chance::new(1));
    Scene::new(view, side, belief, &Memory::default()).evaluation
}

#[test]
fn worlds_move_and_strike_as_the_engine_does_in_every_ruleset() {
    for ruleset in Ruleset::all().iter().copied().filter(|ruleset| GoodMind::plays(ruleset)) {
        for seed in 1..=4 {
            follow(ruleset, seed);
        }
    }
}

/// Plays a random game, and also makes each of its plies in a world.
fn follow(ruleset: &'static Ruleset, seed: u64) {
    let mut chance = Chance::new(seed);
    let lakes = lakes(ruleset, seed);
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([0; 12]),
        ruleset,
        lakes,
        time: TimeControl::Unlimited,
        deploy_ms: 0,
        created: Stamp(0),
        secret: PerSide::default(),
    });
    let carry_out = |game: &mut Game, side: Side, command: &Command| {
        let events = decide(game, side, game.ply(), command, Stamp(0), &Entropy([0; 32]));
        events.expect("a legal command").iter().for_each(|event| evolve(game, event, Stamp(0)));
    };
    for side in Side::BOTH {
        let setup = random_setup(ruleset, side, &mut chance);
        carry_out(&mut game, side, &Command::Deploy(setup));
    }
    let seen = |game: &Game| PerSide::from_fn(|side| view(game, Viewer::Player(side), Stamp(0)));
    while let (Some(side), true) = (game.turn(), game.ply() < 400) {
        let before = seen(&game);
        check_steps(&before, side);
        let moves = before[side].legal_moves().expect("a turn");
        let squares = moves.nth(chance.below(moves.len())).expect("a move");
        carry_out(&mut game, side, &Command::Move(squares.into()));
        if game.phase() == Phase::Playing {
            check_ply(&before, side, squares, &seen(&game));
        }
    }
}

/// Asserts that a world has the same plies as the engine, apart from the plies that a repetition
/// rule forbids.
fn check_steps(views: &PerSide<View>, side: Side) {
    let view = &views[side];
    let evaluation = evaluation(view, side);
    let world = World::new(&evaluation, pieces(views, side));
    let mut steps = Vec::new();
    world.steps(true, false, &mut steps);
    let mut found: Vec<Move> = (steps.iter())
        .map(|step| Move {
            from: square(world.pieces[usize::from(step.piece)].cell).expect("a square"),
            to: square(step.to).expect("a square"),
        })
        .collect();
    let mut legal: Vec<Move> = view.legal_moves().expect("a turn").iter().collect();
    legal.extend(&view.refused_moves);
    found.sort_unstable();
    legal.sort_unstable();
    assert_eq!(found, legal, "{} {}", view.ruleset.id, view.board_text());
}

/// Asserts that a ply leads to the same position in a world as in the game, and that the world
/// can take it back.
fn check_ply(before: &PerSide<View>, side: Side, squares: Move, after: &PerSide<View>) {
    let evaluation = evaluation(&before[side], side);
    let mut world = World::new(&evaluation, pieces(before, side));
    let (start, counted) = (sorted(&world.pieces), world.assess());
    let (piece, _) = world.piece_at(cell(squares.from)).expect("a piece moved");
    let undo = world.make(Step { piece, to: cell(squares.to) });
    let fresh = World::new(&evaluation, pieces(after, side));
    let place = format!("{} {squares} in {}", before[side].ruleset.id, before[side].board_text());
    assert_eq!(sorted(&world.pieces), sorted(&fresh.pieces), "{place}");
    assert_eq!(world.assess(), fresh.assess(), "{place}");
    world.unmake(&undo);
    assert_eq!((sorted(&world.pieces), world.assess()), (start, counted), "{place}");
}

fn set(ranks: &[Rank]) -> RankSet {
    ranks.iter().copied().collect()
}

fn left(counts: &[(Rank, u8)]) -> [u8; Rank::COUNT] {
    let mut left = [0; Rank::COUNT];
    counts.iter().for_each(|(rank, count)| left[*rank as usize] = *count);
    left
}

#[test]
fn counting_decides_what_it_can() {
    use Rank::{Bomb, Flag, Major, Scout, Spy};
    // The first two pieces must be the Flag and the Bomb, in some order. So the third piece is
    // neither of them, although it has never moved.
    let mut sets = vec![
        set(&[Flag, Bomb]),
        set(&[Flag, Bomb]),
        set(&[Flag, Bomb, Scout, Major]),
        set(&[Scout, Spy, Major]),
    ];
    let counts = left(&[(Flag, 1), (Bomb, 1), (Scout, 1), (Major, 1)]);
    let found = matching(&sets, counts).expect("they fit");
    narrow(&mut sets, &found);
    assert_eq!(sets[0], set(&[Flag, Bomb]));
    assert_eq!(sets[2], set(&[Scout, Major]));
    let mut sets = vec![set(&[Scout, Major]), set(&[Major])];
    let found = matching(&sets, left(&[(Scout, 1), (Major, 1)])).expect("they fit");
    narrow(&mut sets, &found);
    assert_eq!(sets[0], set(&[Scout]));
}

/// Plays a game between two levels. On each of Red's turns, calls a function with the belief that
/// the level *good* would have.
fn believed(ruleset: &'static Ruleset, seed: u64, mut check: impl FnMut(&View, &Enemies, &super::Belief)) {
    let mut players = PerSide::from_fn(|side| HousePlayer::new(Level::Simple, side, seed, EFFORT));
    let mut foes = Enemies::default();
    let mut memory = Memory::default();
    let mut chance = Chance::new(seed);
    let played =
        flagfall_tests::duel::play(ruleset, lakes(ruleset, seed), PerSide::default(), |side, view| {
            let command = players[side].choose(view);
            if side == Side::Red && view.phase == Phase::Playing {
                foes.see(view, Side::Red);
                memory.note(view, Side::Red);
                let belief = foes.believe(view, Side::Red, &memory, 400, &mut chance);
                check(view, &foes, &belief);
                if let Some(Command::Move(squares)) = command {
                    foes.note_own_move(view.ply, squares.squares);
                }
            }
            command
        });
    assert!(played.is_ok(), "{} seed {seed}: {played:?}", ruleset.id);
}

#[test]
fn every_army_drawn_fits_what_is_known() {
    for ruleset in Ruleset::all().iter().copied().filter(|ruleset| !ruleset.reserve) {
        believed(ruleset, 3, |view, _, belief| {
            let counts =
                Rank::ALL.map(|rank| view.ruleset.army.count(rank) - view.captured[Side::Blue][rank]);
            for army in &belief.armies {
                let mut counted = [0; Rank::COUNT];
                for piece in view.pieces.iter().filter(|piece| piece.side == Side::Blue) {
                    let rank = army[belief.number(piece.square).expect("a piece that is followed")];
                    counted[rank as usize] += 1;
                    assert!(!piece.is_moved || !matches!(rank, Rank::Flag | Rank::Bomb), "{}", ruleset.id);
                    if let Identity::Known(known) = piece.identity {
                        assert_eq!(rank, known, "{}", ruleset.id);
                    }
                }
                assert_eq!(counted, counts, "{} ply {}", ruleset.id, view.ply);
            }
        });
    }
}

#[test]
fn moves_tell_ranks() {
    // The belief about pieces that have moved but not revealed their rank must be better than a
    // guess among ten ranks.
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let (mut fit, mut shown) = (0.0, 0);
    for seed in 1..=3 {
        let mut hidden: Vec<(usize, [f64; Rank::COUNT])> = Vec::new();
        believed(ruleset, seed, |view, _, belief| {
            for (number, chances) in std::mem::take(&mut hidden) {
                if let Some(rank) = belief.certain(number) {
                    fit += (10.0 * chances[rank as usize]).max(0.01).ln();
                    shown += 1;
                }
            }
            let moved = view.pieces.iter().filter(|piece| piece.side == Side::Blue && piece.is_moved);
            let numbers = moved.filter_map(|piece| belief.number(piece.square));
            hidden.extend(
                numbers
                    .filter(|number| belief.certain(*number).is_none())
                    .map(|number| (number, belief.chances[number])),
            );
        });
    }
    assert!(shown > 20 && fit / f64::from(shown) > 0.5, "{fit} for {shown}");
}

#[test]
fn pieces_are_followed_from_where_they_began() {
    // The level *good* must keep track of the square on which each piece was deployed, even after
    // the piece has moved.
    for ruleset in Ruleset::all().iter().copied().filter(|ruleset| GoodMind::plays(ruleset)) {
        let mut players = PerSide::from_fn(|side| HousePlayer::new(Level::Random, side, 9, EFFORT));
        let mut foes = PerSide::from_fn(|_| Enemies::default());
        let mut started = std::collections::BTreeMap::new();
        let played =
            flagfall_tests::duel::play(ruleset, lakes(ruleset, 9), PerSide::default(), |side, view| {
                if view.phase == Phase::Playing {
                    foes[side].see(view, side);
                    if side == Side::Blue {
                        for piece in view.pieces.iter().filter(|piece| piece.side != side && !piece.is_moved)
                        {
                            assert_eq!(foes[side].origin(piece.square), Some(piece.square), "{}", ruleset.id);
                            started.insert(piece.square, ());
                        }
                        let moved = view.last_move.expect("Red moved first");
                        if let Some(origin) = foes[side].origin(moved.squares.to) {
                            assert!(view.ruleset.shape.home(Side::Red).contains(origin), "{}", ruleset.id);
                        }
                    }
                }
                let command = players[side].choose(view);
                if let (Some(Command::Move(asked)), Viewer::Player(_)) = (&command, view.audience) {
                    foes[side].note_own_move(view.ply, asked.squares);
                }
                command
            });
        assert!(played.is_ok(), "{}: {played:?}", ruleset.id);
        assert!(!started.is_empty());
    }
}
