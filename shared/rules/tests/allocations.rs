//! Checks that `decide` and `evolve` allocate no memory per ply.
//!
//! The counting allocator comes from a crate, so this test needs no unsafe code. It counts
//! separately for each thread, because the test harness also allocates memory in other threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use allocation_counter::measure;
use flagfall_board::{Chance, GameId, PerSide, Side, Stamp};
use flagfall_rules::{
    Command, Entropy, Game, GameTerms, Phase, Ruleset, Setup, Start, TimeControl, decide, evolve,
};

fn started(ruleset: &'static Ruleset, chance: &mut Chance) -> Game {
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([0; 12]),
        ruleset,
        lakes: ruleset.draw_lakes(&Entropy([0; 32])),
        time: TimeControl::Fischer { base_ms: 600_000, increment_ms: 1000 },
        deploy_ms: 1000,
        created: Stamp(0),
        secret: PerSide::default(),
    });
    if ruleset.start == Start::Coins {
        return game;
    }
    for side in Side::BOTH {
        let mut letters: Vec<char> = ruleset
            .army
            .iter()
            .flat_map(|(rank, count)| std::iter::repeat_n(rank.letter(), usize::from(count)))
            .collect();
        if ruleset.reserve {
            // The Flag stays first in the list, because it must be deployed. The rest is
            // shuffled, so that random pieces stay in the reserve.
            for end in (2..letters.len()).rev() {
                letters.swap(end, 1 + chance.below(end));
            }
        }
        letters.resize(ruleset.shape.home_len(), '.');
        for end in (1..letters.len()).rev() {
            letters.swap(end, chance.below(end + 1));
        }
        let text: String = letters.into_iter().collect();
        let setup = Setup::from_text(&text, side, ruleset).expect("an army");
        let entropy = Entropy([0; 32]);
        let events =
            decide(&game, side, 0, &Command::Deploy(setup), Stamp(0), &entropy).expect("a deployment");
        events.iter().for_each(|event| evolve(&mut game, event, Stamp(0)));
    }
    game
}

fn played(game: &mut Game, chance: &mut Chance) {
    let entropy = Entropy([0; 32]);
    while game.phase() == Phase::Playing {
        let commands = game.position().legal_commands();
        let (moves, all) = (commands.moves_len(), commands.len());
        let is_move = moves == all || moves > 0 && chance.below(8) > 0;
        let end = if is_move { moves } else { all };
        let command = commands.nth(chance.below(end)).expect("a command");
        let side = game.position().actor();
        let events = decide(game, side, game.ply(), &command, Stamp(1), &entropy).expect("a legal move");
        events.iter().for_each(|event| evolve(game, event, Stamp(1)));
    }
}

#[test]
fn the_counter_counts_what_this_thread_allocates_and_no_other() {
    let (elsewhere, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                std::hint::black_box(Box::new(0_u8));
                elsewhere.fetch_add(1, Ordering::Relaxed);
            }
        });
        let here = measure(|| {
            let before = elsewhere.load(Ordering::Relaxed);
            while elsewhere.load(Ordering::Relaxed) == before {
                std::thread::yield_now();
            }
            std::hint::black_box(Box::new(0_u8));
        });
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(here.count_total, 1);
    });
}

#[test]
fn plies_allocate_nothing() {
    for ruleset in Ruleset::all() {
        // The more-squares rule stores the history of a chase, which takes a few allocations.
        // Their number does not grow with the number of plies.
        let allocations_max = if ruleset.more_squares { 12 } else { 0 };
        for seed in 0..10 {
            let mut chance = Chance::new(seed * 2 + 1);
            let mut game = started(ruleset, &mut chance);
            let allocations = measure(|| played(&mut game, &mut chance)).count_total;
            assert!(
                allocations <= allocations_max,
                "{}: {allocations} allocations in {} plies, seed {seed}",
                ruleset.id,
                game.ply()
            );
        }
    }
}
