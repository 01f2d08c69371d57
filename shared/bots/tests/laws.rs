//! Checks laws that every house player must obey, for every ruleset and level.

use flagfall_board::{Chance, PerSide, Side};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_rules::{Command, EndReason, Entropy, Ruleset};
use flagfall_tests::duel::{self, Played};

/// The effort of each player: enough to find violations, but small enough for debug builds.
const EFFORT: Effort = Effort { nodes: 200 };

/// Plays one game between two levels. Returns the game and all of its commands.
fn played(ruleset: &'static Ruleset, levels: [Level; 2], seed: u64, life: usize) -> (Played, Vec<Command>) {
    let new = |side: Side| {
        let level = levels[usize::from(side == Side::Blue)];
        HousePlayer::new(level, side, seed * 2 + u64::from(side == Side::Blue), EFFORT)
    };
    let mut players = PerSide::from_fn(new);
    let mut commands = Vec::new();
    let lakes = ruleset.draw_lakes(&Entropy(Chance::new(seed).bytes()));
    let played = duel::play(ruleset, lakes, PerSide::default(), |side, view| {
        if commands.len() % life == life - 1 {
            players[side] = new(side);
        }
        let command = players[side].choose(view);
        commands.extend(command.clone());
        command
    });
    let played = played.unwrap_or_else(|error| panic!("{} {levels:?} seed {seed}: {error:?}", ruleset.id));
    // In some rulesets, an illegal act is accepted and loses the game (§U7). House players must
    // never act illegally.
    assert_ne!(played.outcome.reason, EndReason::IllegalAct, "{} {levels:?} seed {seed}", ruleset.id);
    (played, commands)
}

/// A `life` so long that no player is replaced during a game.
const WHOLE_GAME: usize = usize::MAX;

/// Returns the number of games for each pair of levels: one, unless the variable `FLAGFALL_GAMES`
/// sets another number.
fn games_of_each_pair() -> u64 {
    std::env::var("FLAGFALL_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(1)
}

#[test]
fn every_level_plays_legal_commands_in_every_ruleset() {
    for ruleset in Ruleset::all() {
        for red in Level::ALL {
            for blue in Level::ALL {
                (1..=games_of_each_pair())
                    .for_each(|seed| _ = played(ruleset, [red, blue], seed, WHOLE_GAME));
            }
        }
    }
}

#[test]
fn a_level_that_begins_in_the_middle_plays_on() {
    for ruleset in Ruleset::all() {
        for level in Level::ALL {
            for life in [1, 7] {
                _ = played(ruleset, [level, Level::Simple], 5, life);
            }
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_game() {
    for ruleset in Ruleset::all() {
        for level in Level::ALL {
            let game = |seed| played(ruleset, [level, level], seed, WHOLE_GAME);
            assert_eq!(game(1), game(1), "{} {level:?}", ruleset.id);
            assert_ne!(game(1).1, game(2).1, "{} {level:?}", ruleset.id);
        }
    }
}

#[test]
fn simple_beats_random_in_every_ruleset() {
    for ruleset in Ruleset::all() {
        let won = (1..=20).filter(|seed| {
            let (levels, side) = if seed % 2 == 0 {
                ([Level::Simple, Level::Random], Side::Red)
            } else {
                ([Level::Random, Level::Simple], Side::Blue)
            };
            played(ruleset, levels, *seed, WHOLE_GAME).0.outcome.winner == Some(side)
        });
        let won = won.count();
        assert!(won >= 19, "{}: {won} of 20", ruleset.id);
    }
}

#[test]
fn games_between_simple_players_are_played_out() {
    for ruleset in Ruleset::all() {
        let quiet = (1..=20).filter(|seed| {
            let played = played(ruleset, [Level::Simple, Level::Simple], *seed, WHOLE_GAME).0;
            !matches!(
                played.outcome.reason,
                EndReason::FlagCaptured | EndReason::NoLegalMove | EndReason::ForfeitedReserve
            )
        });
        let quiet = quiet.count();
        assert!(quiet <= 1, "{}: {quiet} of 20", ruleset.id);
    }
}
