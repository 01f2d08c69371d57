//! Tests of programs against a minimal server, which uses the engine directly.

mod dialogue;
mod host;
mod session;

use flagfall_board::Side;
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_rules::{Command, Ruleset, View};
use flagfall_umpire::bout::Input;
use flagfall_umpire::lines::Cut;
use flagfall_umpire::player::LinePlayer;

/// A program that runs a house player. With the same seed, it always makes the same choices.
pub(super) struct Program(LinePlayer<Chooser, Maker>);

type Chooser = Box<dyn FnMut(&View) -> Option<Command>>;
type Maker = Box<dyn FnOnce(Side) -> Chooser>;

impl Program {
    pub(super) fn new(ruleset: &'static Ruleset, seed: u64) -> Program {
        let make: Maker = Box::new(move |side| {
            let mut player = HousePlayer::new(Level::Random, side, seed, Effort::default());
            Box::new(move |view| player.choose(view))
        });
        Program(LinePlayer::new(ruleset, make))
    }

    /// Returns the program's answer to text that consists of whole lines.
    pub(super) fn hear(&mut self, text: &str) -> Vec<String> {
        assert!(text.ends_with('\n'), "{text:?}");
        text.lines().flat_map(|line| self.0.hear(line).expect("a valid line").lines).collect()
    }
}

pub(super) fn said(line: &str) -> Input {
    Input::Said(Side::Red, Cut::Line(line.to_owned()))
}
