//! What all levels of house player have in common.

use flagfall_rules::{Command, Move, View};

use crate::Chance;

/// How a level chooses its moves in one game.
///
/// It sees views of its own side in order, but perhaps not all of them, and perhaps not from the
/// start. It keeps what it wants to remember.
pub(crate) trait Mind: Send {
    /// A move in a view in which it is this side's turn. `None` only if there is no legal move. The
    /// move is always legal in the view.
    fn choose(&mut self, view: &View, chance: &mut Chance) -> Option<Move>;

    /// A command, for rulesets in which a ply need not be a move.
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        self.choose(view, chance).map(|squares| Command::Move(squares.into()))
    }

    /// Takes note of a view in which it is not this side's turn.
    fn watch(&mut self, _view: &View) {}
}

/// Offers the processor to other threads. A thinking player calls this about every 0.2 ms, so that
/// it does not slow down a server with few cores.
pub(crate) fn give_way() {
    std::thread::yield_now();
}
