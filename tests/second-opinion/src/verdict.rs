//! The ways in which a position ends its game (§A10, §A12, §Q6, §S1.8).

use crate::board::Board;
use crate::rules::Color;

/// The maximum number of plies of a game (§A12).
const PLY_LIMIT: u64 = 5_000;

/// An end of the game that follows from the board alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The code of the reason.
    pub reason: &'static str,
    /// The side that wins. `None` if the game is drawn.
    pub winner: Option<Color>,
}

impl Board {
    /// Returns the end that this position causes. `None` if the game goes on.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        let (mover, other) = (self.turn, 1 - self.turn);
        let won = |reason| Some(Verdict { reason, winner: Some(other) });
        let drawn = |reason| Some(Verdict { reason, winner: None });
        if self.is_flag_taken {
            won("flag_captured")
        } else if self.is_waiting() {
            None
        } else if !self.can_act(mover) {
            if self.is_held_by_reserve(mover) {
                won("forfeited_reserve")
            } else if self.rules.reserve || self.can_act(other) {
                won("no_legal_move")
            } else {
                drawn("both_blocked")
            }
        } else if self.rules.quiet_limit.is_some_and(|limit| self.quiet >= limit) {
            drawn("quiet_limit")
        } else if self.ply >= PLY_LIMIT {
            drawn("ply_limit")
        } else {
            None
        }
    }
}
