//! The parts that all levels of house players share.

use flagfall_board::{Chance, Rank, Side, Square};
use flagfall_rules::{Command, Ruleset, View};

/// A level's way of choosing moves in one game, with the state that it needs.
///
/// A mind receives the views of its side in order, but some views may be missing, and the first
/// view may come from the middle of the game. So the mind must remember the earlier facts that it
/// needs.
pub(crate) trait Mind: Send {
    /// Returns a command for a view in which this side has to act, or `None` if the side has no
    /// legal command. The command is always legal in the view.
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command>;

    /// Updates the mind from a view in which it is not this side's turn.
    fn watch(&mut self, _view: &View) {}
}

/// The best choice so far. If the scores of two choices differ by less than `whim`, either may be
/// chosen at random.
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

/// Returns the number of pieces of each rank that a side has left. These numbers are public.
pub(crate) fn counts_left(view: &View, side: Side) -> [u8; Rank::COUNT] {
    Rank::ALL.map(|rank| view.ruleset.army.count(rank).saturating_sub(view.captured[side][rank]))
}

/// Returns the number of rows from a side's back row forward to a square.
pub(crate) fn rows_ahead(ruleset: &Ruleset, side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.row(),
        Side::Blue => (ruleset.shape.rows - 1).saturating_sub(square.row()),
    }
}

/// Yields to other threads. A player calls this about every 0.2 ms while it thinks, so that it
/// does not slow down a server that has few cores.
pub(crate) fn give_way() {
    std::thread::yield_now();
}
