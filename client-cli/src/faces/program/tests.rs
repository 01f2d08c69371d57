//! Programs on a minimal server, which is the engine itself.

mod dialogue;
mod host;
mod session;

use flagfall_board::Side;
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_rules::Ruleset;
use flagfall_umpire::bout::Input;
use flagfall_umpire::lines::Cut;
use flagfall_umpire::player::LinePlayer;

/// A random house player as a program. The same seed always plays the same.
pub(super) struct Program(Option<LinePlayer<HousePlayer, Maker>>);

type Maker = Box<dyn FnOnce(Side) -> HousePlayer>;

impl Program {
    pub(super) fn new(ruleset: &'static Ruleset, seed: u64) -> Program {
        let make = move |side| HousePlayer::new(Level::Random, side, seed, Effort::default());
        Program(Some(LinePlayer::new(ruleset, Box::new(make))))
    }

    /// Its answer to a text of whole lines.
    pub(super) fn hear(&mut self, text: &str) -> Vec<String> {
        assert!(text.ends_with('\n'), "{text:?}");
        let mut said = Vec::new();
        for line in text.lines() {
            let (player, reaction) = self.0.take().expect("a player").hear(line).expect("a valid line");
            self.0 = Some(player);
            said.extend(reaction.lines);
        }
        said
    }
}

pub(super) fn said(line: &str) -> Input {
    Input::Said(Side::Red, Cut::Line(line.to_owned()))
}
