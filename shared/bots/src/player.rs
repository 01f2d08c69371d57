//! A house player for one side of one game.

use flagfall_board::{Chance, Side};
use flagfall_rules::{Command, Phase, Ruleset, Setup, Start, View};

use crate::good::GoodMind;
use crate::mind::Mind;
use crate::quantum::{GoodQuantumMind, QuantumMind};
use crate::setup::closed_setup;
use crate::simple::SimpleMind;
use crate::{Effort, Level, random_setup, sensible_setup};

struct RandomMind;

impl Mind for RandomMind {
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        let commands = view.legal_commands().filter(|commands| !commands.is_empty())?;
        commands.nth(chance.below(commands.len()))
    }
}

/// Returns the mind of a level. The level *good* plays like *simple* in rulesets that it does not
/// support.
fn mind(level: Level, side: Side, effort: Effort, ruleset: &Ruleset) -> Box<dyn Mind> {
    match level {
        Level::Random => Box::new(RandomMind),
        Level::Simple if ruleset.start == Start::Coins => Box::new(QuantumMind::new(side)),
        Level::Good if ruleset.start == Start::Coins => Box::new(GoodQuantumMind::new(side)),
        Level::Good if GoodMind::plays(ruleset) => Box::new(GoodMind::new(side, effort)),
        Level::Simple | Level::Good => Box::new(SimpleMind::new(side)),
    }
}

/// A house player for one side of one game. It remembers what it has seen. If it starts in the
/// middle of a game, for example after a restart of the server, it plays from the view alone.
pub struct HousePlayer {
    level: Level,
    side: Side,
    effort: Effort,
    chance: Chance,
    /// The mind. It is created with the first view, because only the view names the ruleset.
    mind: Option<Box<dyn Mind>>,
}

impl HousePlayer {
    /// Creates a player of this level. Players with the same seed make the same choices.
    pub fn new(level: Level, side: Side, seed: u64, effort: Effort) -> HousePlayer {
        HousePlayer { level, side, effort, chance: Chance::new(seed), mind: None }
    }

    /// Returns the player's command in a view of its side, or `None` if the player does not have
    /// to act. The player learns from every view, so callers should also show it the views of the
    /// opponent's turns.
    pub fn choose(&mut self, view: &View) -> Option<Command> {
        let (level, side, effort) = (self.level, self.side, self.effort);
        let mind = self.mind.get_or_insert_with(|| mind(level, side, effort, view.ruleset));
        match view.phase {
            Phase::Deploying => (!view.ready[self.side]).then(|| Command::Deploy(self.setup(view))),
            Phase::Playing if view.is_to_act(self.side) => mind.act(view, &mut self.chance),
            Phase::Playing => {
                mind.watch(view);
                None
            }
            Phase::Over => None,
        }
    }

    fn setup(&mut self, view: &View) -> Setup {
        match self.level {
            Level::Random => random_setup(view.ruleset, self.side, &mut self.chance),
            Level::Good if GoodMind::plays(view.ruleset) => {
                closed_setup(view.ruleset, view.lakes, self.side, &mut self.chance)
            }
            Level::Simple | Level::Good => {
                sensible_setup(view.ruleset, view.lakes, self.side, &mut self.chance)
            }
        }
    }
}
