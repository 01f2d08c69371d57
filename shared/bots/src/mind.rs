//! The parts that all levels of house players have in common.

use flagfall_board::{Rank, Side, Square};
use flagfall_rules::{Command, Ruleset, View};

use crate::Chance;

/// How a level chooses its moves in one game.
///
/// It sees views of its own side in order, but perhaps not all of them, and perhaps not from the
/// start. It keeps what it wants to remember.
pub(crate) trait Mind: Send {
    /// Returns a command for a view in which this side has to act, or `None` if there is nothing
    /// to do. The command is always legal in the view.
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command>;

    /// Takes note of a view in which it is not this side's turn.
    fn watch(&mut self, _view: &View) {}
}

/// The best choice so far. Choices whose scores differ by less than `whim` are chosen at random.
pub(crate) struct Best<'a, T> {
    chance: &'a mut Chance,
    whim: f32,
    best: Option<(f32, T)>,
}

impl<'a, T> Best<'a, T> {
    pub(crate) fn new(chance: &'a mut Chance, whim: f32) -> Best<'a, T> {
        Best { chance, whim, best: None }
    }

    pub(crate) fn try_out(&mut self, score: f32, choice: T) {
        let score = score + self.whim * self.chance.below(1000) as f32 / 1000.0;
        if self.best.as_ref().is_none_or(|(high, _)| score > *high) {
            self.best = Some((score, choice));
        }
    }

    pub(crate) fn choice(self) -> Option<T> {
        self.best.map(|(_, choice)| choice)
    }
}

/// How many pieces of each rank a side has left, which is public.
pub(crate) fn counts_left(view: &View, side: Side) -> [u8; Rank::COUNT] {
    Rank::ALL.map(|rank| view.ruleset.army.count(rank).saturating_sub(view.captured[side][rank]))
}

/// How many rows a square lies ahead of a side's back row.
pub(crate) fn rows_ahead(ruleset: &Ruleset, side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.row(),
        Side::Blue => (ruleset.shape.rows - 1).saturating_sub(square.row()),
    }
}

/// Offers the processor to other threads. A thinking player calls this about every 0.2 ms, so that
/// it does not slow down a server with few cores.
pub(crate) fn give_way() {
    std::thread::yield_now();
}
