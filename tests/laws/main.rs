//! Laws that hold in every game of every ruleset.
//!
//! Seeds are printed. `FLAGFALL_SEED` and `FLAGFALL_GAMES` choose another seed or number of games.

#![expect(clippy::print_stdout, reason = "a law says what it looked at")]

mod arenas;
#[path = "../engine_events.rs"]
mod engine_events;
mod moves;
mod opinion;
mod records;
mod state;
mod views;

use flagfall_board::PerSide;
use flagfall_rules::{Phase, Refusal, Ruleset, TimeControl};
use flagfall_tests::{Chance, Logged, Match, Step, rulesets};

/// A property that is checked throughout a game.
trait Law {
    /// Called after every event.
    fn event(&mut self, _logged: &Logged) {}
    /// Called before every step, with the step that is about to be taken.
    fn before(&mut self, _table: &Match, _step: &Step, _chance: &mut Chance) {}
    /// Called after a refused step.
    fn refused(&mut self, _step: &Step, _refusal: &Refusal) {}
    fn end(&mut self, _table: &Match) {}
}

/// Plays random games of every ruleset and checks the law in each.
fn hold<L: Law>(name: &str, games: u64, mut law: impl FnMut() -> L) {
    let seed = Chance::seed_or(20_261_121);
    let games = Chance::games_or(games);
    for (number, ruleset) in (0..).zip(rulesets()) {
        let mut plies = 0;
        for game in 0..games {
            let seed = seed + number * 1000 + game;
            plies += play(ruleset, seed, &mut law());
        }
        println!("{name}: {} games of {}, {plies} plies, seed {seed}", games, ruleset.id);
    }
}

fn play(ruleset: &'static Ruleset, seed: u64, law: &mut impl Law) -> u64 {
    let mut chance = Chance::new(seed);
    let time = match chance.below(5) {
        0 => TimeControl::Unlimited,
        1 => TimeControl::Fischer { base_ms: 60_000, increment_ms: 2_000 },
        2 => TimeControl::Delay { base_ms: 60_000, free_ms: 1_000 },
        3 => TimeControl::PerPly { ply_ms: 86_400_000 },
        _ => TimeControl::Fischer { base_ms: 600_000, increment_ms: 0 },
    };
    let secret = PerSide::new(chance.once_in(3), chance.once_in(3));
    let mut table = Match::new(ruleset, time, secret, chance.clone());
    while table.game.phase() != Phase::Over {
        let step = table.random_step(&mut chance);
        law.before(&table, &step, &mut chance);
        match table.step(&step, chance.below(1500) as u64) {
            Ok(logged) => logged.iter().for_each(|logged| law.event(logged)),
            Err(refusal) => {
                law.refused(&step, &refusal);
                // A side without time loses as soon as the clock is checked.
                if let Ok(logged) = table.step(&Step::Wait, 0) {
                    logged.iter().for_each(|logged| law.event(logged));
                }
            }
        }
    }
    law.end(&table);
    u64::from(table.game.ply())
}

/// The sizes of values that the engine stores and passes around must be as stated in LIMITS.
#[test]
fn sizes_are_small() {
    let sizes = [
        ("Position", size_of::<flagfall_rules::Position>(), 1600),
        ("Game", size_of::<flagfall_rules::Game>(), 2048),
        ("Event", size_of::<flagfall_rules::Event>(), 96),
        ("Events", size_of::<flagfall_rules::Events>(), 288),
    ];
    for (name, size, size_max) in sizes {
        println!("size of {name}: {size} bytes");
        assert!(size <= size_max, "{name} has {size} bytes, more than {size_max}");
    }
}
