//! What every level of house player has in common.

use flagfall_rules::{Command, Move, View};

use crate::Chance;

/// How a level chooses its moves in one game.
///
/// It is shown its own side's views, in their order but not necessarily all of them or from the
/// first; it takes along whatever it wants to remember.
pub(crate) trait Mind: Send {
    /// A move in a view in which it is this side's turn; none only when there is no legal one.
    /// Whatever it answers is legal in the view.
    fn choose(&mut self, view: &View, chance: &mut Chance) -> Option<Move>;

    /// A command of the board, where plies may be more than moves.
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        self.choose(view, chance).map(|squares| Command::Move(squares.into()))
    }

    /// A view in which it is not this side's turn.
    fn watch(&mut self, _view: &View) {}
}

/// Offers the processor to other threads. Called about every fifth of a millisecond while a player
/// thinks, so that a server on few cores is not late because of it.
pub(crate) fn give_way() {
    std::thread::yield_now();
}
