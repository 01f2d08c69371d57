//! Plays random games through the public API: legal moves, `decide` and `evolve`. The throughput
//! is measured in plies.
//!
//! `cargo bench -p flagfall-rules` prints plies per second for each ruleset. The target is 12
//! million for `classic` and 3 million for the others.
//!
//! It also prints `replays`: the speed at which the recorded events of `classic` games are
//! applied again, without decisions and random choices. A slow or busy machine lowers the numbers
//! for `classic` and `replays` alike, so their ratio depends only on the engine.
//!
//! Finally, it prints `views`: the time to build one audience's view, averaged over positions
//! before and after 100 random plies. The target for `classic` is 1 µs.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use flagfall_board::{Chance, GameId, PerSide, Side, Stamp};
use flagfall_rules::{
    Command, Entropy, Event, Game, GameTerms, Phase, Ruleset, Setup, Start, TimeControl, Viewer, decide,
    evolve, view,
};

/// Returns a game with random deployments, before the first ply.
fn started(ruleset: &'static Ruleset, chance: &mut Chance) -> Game {
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([0; 12]),
        ruleset,
        lakes: ruleset.draw_lakes(&Entropy([0; 32])),
        time: TimeControl::Unlimited,
        deploy_ms: 0,
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
        let events = decide(&game, side, 0, &Command::Deploy(setup), Stamp(0), &Entropy([0; 32]))
            .expect("a deployment");
        events.iter().for_each(|event| evolve(&mut game, event, Stamp(0)));
    }
    game
}

/// Returns a random command. Most are moves. Some are other commands, so that pieces also leave
/// and enter the board.
fn any_command(game: &Game, chance: &mut Chance) -> Command {
    let commands = game.position().legal_commands();
    let end =
        if commands.moves_len() > 0 && chance.below(8) > 0 { commands.moves_len() } else { commands.len() };
    commands.nth(chance.below(end)).expect("a command")
}

/// Plays a game to its end. Calls `show` with every event, and returns the number of plies.
#[inline]
fn play(game: &mut Game, chance: &mut Chance, show: impl FnMut(&Event)) -> u64 {
    play_until(game, chance, u64::MAX, show)
}

/// Plays a game to its end, or until the ply `last`.
#[inline]
fn play_until(game: &mut Game, chance: &mut Chance, last: u64, mut show: impl FnMut(&Event)) -> u64 {
    let entropy = Entropy([0; 32]);
    while game.phase() == Phase::Playing && u64::from(game.ply()) < last {
        let command = if game.terms().ruleset.reserve || game.terms().ruleset.start == Start::Coins {
            any_command(game, chance)
        } else {
            let moves = game.position().legal_moves();
            Command::Move(moves.nth(chance.below(moves.len())).expect("a move").into())
        };
        let side = game.position().actor();
        match &decide(game, side, game.ply(), &command, Stamp(0), &entropy) {
            Ok(events) => events.iter().for_each(|event| {
                evolve(game, event, Stamp(0));
                show(event);
            }),
            Err(refusal) => panic!("{command:?}: {refusal}"),
        }
    }
    u64::from(game.ply())
}

const GAMES: u64 = 64;

/// Returns games before their first ply. The games are the same in every run.
fn games(ruleset: &'static Ruleset) -> Vec<(Game, Chance)> {
    (0..GAMES)
        .map(|seed| {
            let mut chance = Chance::new(seed * 2 + 1);
            (0..8).for_each(|_| {
                chance.below(2);
            });
            (started(ruleset, &mut chance), chance)
        })
        .collect()
}

fn random_games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random_games");
    for ruleset in Ruleset::all() {
        let plies: u64 = games(ruleset).iter_mut().map(|(game, chance)| play(game, chance, |_| ())).sum();
        group.throughput(Throughput::Elements(plies));
        group.bench_function(ruleset.id, |bencher| {
            bencher.iter_batched_ref(
                || games(ruleset),
                |games| {
                    for (game, chance) in games {
                        black_box(play(game, chance, |_| ()));
                    }
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn replays(criterion: &mut Criterion) {
    let ruleset = &flagfall_rules::rulesets::CLASSIC;
    let mut plies = 0;
    let records: Vec<Vec<Event>> = games(ruleset)
        .iter_mut()
        .map(|(game, chance)| {
            let mut record = Vec::new();
            plies += play(game, chance, |event| record.push(event.clone()));
            record
        })
        .collect();
    let mut group = criterion.benchmark_group("replays");
    group.throughput(Throughput::Elements(plies));
    group.bench_function(ruleset.id, |bencher| {
        bencher.iter_batched_ref(
            || games(ruleset),
            |games| {
                for ((game, _), record) in games.iter_mut().zip(&records) {
                    record.iter().for_each(|event| evolve(game, event, Stamp(0)));
                    black_box(game);
                }
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn views(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("views");
    for ruleset in Ruleset::all() {
        let mut positions = Vec::new();
        for (mut game, mut chance) in games(ruleset) {
            positions.push(game.clone());
            play_until(&mut game, &mut chance, 100, |_| ());
            positions.push(game);
        }
        group.throughput(Throughput::Elements(3 * positions.len() as u64));
        group.bench_function(ruleset.id, |bencher| {
            bencher.iter(|| {
                for game in &positions {
                    for viewer in [Viewer::Player(Side::Red), Viewer::Player(Side::Blue), Viewer::Public] {
                        black_box(view(game, viewer, Stamp(0)));
                    }
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(3));
    targets = random_games, replays, views
}
criterion_main!(benches);
