//! One side's house player in one game.

use flagfall_board::Side;
use flagfall_rules::{Command, Move, Phase, Setup, View};

use crate::good::GoodMind;
use crate::onward;
use crate::simple::SimpleMind;
use crate::{Chance, Effort, Level, random_setup, sensible_setup};

/// How a level chooses its moves in one game.
///
/// It is shown its own side's views, in their order but not necessarily all of them or from the first; it takes along whatever it
/// wants to remember.
pub(crate) trait Mind: Send {
    /// A move in a view in which it is this side's turn; none only when there is no legal one. Whatever it answers is legal in the view.
    fn choose(&mut self, view: &View, chance: &mut Chance) -> Option<Move>;

    /// A view in which it is not this side's turn.
    fn watch(&mut self, _view: &View) {}
}

/// Any legal move.
struct RandomMind;

impl Mind for RandomMind {
    fn choose(&mut self, view: &View, chance: &mut Chance) -> Option<Move> {
        let moves = view.legal_moves().filter(|moves| !moves.is_empty())?;
        moves.nth(chance.below(moves.len()))
    }
}

/// Any legal command.
fn any_command(view: &View, chance: &mut Chance) -> Option<Command> {
    let commands = view.legal_commands().filter(|commands| !commands.is_empty())?;
    commands.nth(chance.below(commands.len()))
}

/// One side's house player in one game. It remembers what it saw there; one that begins in the middle of a game, after a
/// restart, plays on with what the view tells.
pub struct HousePlayer {
    level: Level,
    side: Side,
    chance: Chance,
    mind: Box<dyn Mind>,
}

impl HousePlayer {
    /// A player of this level; the same seed gives the same choices.
    #[must_use]
    pub fn new(level: Level, side: Side, seed: u64, effort: Effort) -> HousePlayer {
        let mind: Box<dyn Mind> = match level {
            Level::Random => Box::new(RandomMind),
            Level::Simple => Box::new(SimpleMind::new(side)),
            Level::Good => Box::new(GoodMind::new(side, effort)),
        };
        HousePlayer { level, side, chance: Chance::new(seed), mind }
    }

    /// What it does in a view of its own side: a command, or nothing when it has nothing to do. Every view shown to it is remembered,
    /// so it may be shown more views than those of its own turns.
    pub fn choose(&mut self, view: &View) -> Option<Command> {
        match view.phase {
            Phase::Deploying => (!view.ready[self.side]).then(|| Command::Deploy(self.setup(view))),
            Phase::Playing if view.turn == Some(self.side) => self.act(view),
            Phase::Playing if view.ruleset.reserve => None,
            Phase::Playing => {
                self.mind.watch(view);
                None
            }
            Phase::Over => None,
        }
    }

    /// A command of the board. Where plies are more than moves the levels above random play in one plain way.
    fn act(&mut self, view: &View) -> Option<Command> {
        let chance = &mut self.chance;
        match self.level {
            _ if !view.ruleset.reserve => {
                self.mind.choose(view, chance).map(|squares| Command::Move(squares.into()))
            }
            Level::Random => any_command(view, chance),
            Level::Simple | Level::Good => onward::choose(view, self.side, chance),
        }
    }

    fn setup(&mut self, view: &View) -> Setup {
        match self.level {
            Level::Random => random_setup(view.ruleset, self.side, &mut self.chance),
            Level::Simple | Level::Good => {
                sensible_setup(view.ruleset, view.lakes, self.side, &mut self.chance)
            }
        }
    }
}
