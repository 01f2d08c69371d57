//! Random games a second through the public API: the legal moves of a view's owner, `decide`, `evolve`. One element is one ply.
//!
//! `cargo bench -p flagfall-rules` prints plies a second for each ruleset (targets: `classic` 12 million, the others 3 million).

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_rules::{Command, Entropy, Game, GameTerms, Ruleset, Setup, TimeControl, decide, evolve};

/// xorshift64* (Vigna 2016).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) * end as u64) >> 32) as usize
    }
}

/// A game of random deployments, about to begin.
fn started(ruleset: &'static Ruleset, chance: &mut Chance) -> Game {
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([0; 12]),
        ruleset,
        time: TimeControl::Unlimited,
        deploy_ms: 0,
        created: Stamp(0),
        secret: PerSide::default(),
    });
    for side in Side::BOTH {
        let mut letters: Vec<char> = ruleset
            .army
            .iter()
            .flat_map(|(rank, count)| std::iter::repeat_n(rank.letter(), usize::from(count)))
            .collect();
        letters.resize(ruleset.shape.home_len(), '.');
        for end in (1..letters.len()).rev() {
            letters.swap(end, chance.below(end + 1));
        }
        let text: String = letters.into_iter().collect();
        let setup = Setup::from_text(&text, side, ruleset).expect("an army");
        let events = decide(&game, side, 0, &Command::Deploy(setup), Stamp(0), &Entropy([0; 32]))
            .expect("a deployment");
        events.iter().for_each(|event| evolve(&mut game, event, Stamp(0)));
    }
    game
}

/// Plays to the end; how many plies.
fn play(game: &mut Game, chance: &mut Chance) -> u64 {
    let entropy = Entropy([0; 32]);
    while let Some(moves) = &game.legal_moves() {
        let squares = moves.nth(chance.below(moves.len())).expect("a move");
        let side = game.position().turn();
        let events = decide(game, side, game.ply(), &Command::Move(squares), Stamp(0), &entropy)
            .expect("a legal move");
        events.iter().for_each(|event| evolve(game, event, Stamp(0)));
    }
    u64::from(game.ply())
}

fn random_games(criterion: &mut Criterion) {
    const GAMES: u64 = 64;
    let mut group = criterion.benchmark_group("random_games");
    for ruleset in Ruleset::all() {
        let games = || -> Vec<(Game, Chance)> {
            (0..GAMES)
                .map(|seed| {
                    let mut chance = Chance(seed * 2 + 1);
                    (0..8).for_each(|_| {
                        chance.below(2);
                    });
                    (started(ruleset, &mut chance), chance)
                })
                .collect()
        };
        let plies: u64 = games().iter_mut().map(|(game, chance)| play(game, chance)).sum();
        group.throughput(Throughput::Elements(plies));
        group.bench_function(ruleset.id, |bencher| {
            bencher.iter_batched_ref(
                games,
                |games| {
                    for (game, chance) in games {
                        black_box(play(game, chance));
                    }
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(3));
    targets = random_games
}
criterion_main!(benches);
