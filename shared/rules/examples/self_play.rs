//! Plays a random game and prints the final position and the outcome, as the public sees them.
//!
//! `cargo run -p flagfall-rules --example self_play -- [RULESET] [SEED]`

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use flagfall_board::Chance;
use flagfall_rules::{
    Command, Entropy, Game, GameTerms, PerSide, Phase, RankCounts, Ruleset, Side, Stamp, Viewer, view,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let ruleset = Ruleset::parse(arguments.next().as_deref().unwrap_or("classic"))?;
    // Good enough for an example. A server must take random bytes from the operating system.
    let mut chance = Chance::new(arguments.next().map_or(Ok(1), |seed| seed.parse())?);

    let now = Stamp(0);
    let mut game = Game::new(GameTerms::untimed(ruleset));
    for side in Side::BOTH {
        if let Some(setup) = ruleset.sample_setup(side) {
            game.play(side, &Command::Deploy(setup), now, &Entropy(chance.bytes()))?;
        }
    }
    while game.phase() == Phase::Playing {
        // The player's view is enough to choose a command.
        let player = Viewer::Player(game.position().actor());
        let commands = view(&game, player, now).legal_commands().ok_or("nobody is to act")?;
        let command = commands.nth(chance.below(commands.len())).ok_or("no command is left")?;
        game.play(game.position().actor(), &command, now, &Entropy(chance.bytes()))?;
    }

    let seen = view(&game, Viewer::Public, now);
    let outcome = seen.outcome.as_ref().ok_or("the game is over without an outcome")?;
    println!("{}", seen.board_text().replace('/', "\n"));
    let PerSide { red, blue } = seen.captured;
    let lost = |counts: RankCounts| counts.iter().map(|(_, count)| u32::from(count)).sum::<u32>();
    println!("Red lost {} pieces, Blue {} in {} plies.", lost(red), lost(blue), seen.ply);
    match outcome.winner {
        Some(side) => println!("{side} wins: {}.", outcome.reason),
        None => println!("A draw: {}.", outcome.reason),
    }
    Ok(())
}
