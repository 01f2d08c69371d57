//! Shows how each audience sees the same strike. In the silent defense ruleset, a defender that
//! wins stays hidden.
//!
//! `cargo run -p flagfall-rules --example hidden_information`

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use flagfall_rules::rulesets::SILENT_DEFENSE;
use flagfall_rules::{
    Command, Entropy, Game, GameEvent, GameTerms, Identity, Position, Side, Stamp, Viewer, evolve, see,
};

fn main() -> Result<(), Box<dyn Error>> {
    // Red's Sergeant stands next to Blue's Colonel.
    let board = ".6bF.3/.10/.10/.10/.2~2.2~2.2/.2~2r7b3~2.2/.10/.10/.10/rFr9.8";
    let text = format!("silent-defense red 40 3 {board}");
    let mut game = Game::from_position(GameTerms::untimed(&SILENT_DEFENSE), Position::from_text(&text)?);

    let now = Stamp(0);
    let strike = Command::Move("e5f5".parse()?);
    let events = flagfall_rules::decide(&game, Side::Red, game.ply(), &strike, now, &Entropy([0; 32]))?;
    for event in events {
        evolve(&mut game, &event, now);
        for viewer in Viewer::ALL {
            if let Some(GameEvent::Moved(seen)) = see(&event, &game, viewer)
                && let Some(strike) = seen.strike
            {
                let (attacker, defender) = (name(strike.attacker), name(strike.defender));
                println!("{viewer:?}: {attacker} strikes {defender}");
            }
        }
    }
    Ok(())
}

fn name(identity: Identity) -> String {
    match identity {
        Identity::Known(rank) => format!("the {rank}"),
        Identity::OneOf(_) | Identity::Coin | Identity::Hidden => "a hidden piece".to_owned(),
    }
}
