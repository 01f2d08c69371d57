//! The values of pieces. The value of a Scout is about 1.

use flagfall_board::{Rank, Side};
use flagfall_rules::{Fate, Ruleset, View, strike_fates};

use super::belief::PerRank;
use crate::mind::counts_left;

/// The value of a Flag to either side.
pub(super) const FLAG: f32 = 60.0;

/// Returns the value of each rank for a side at this point of the game.
pub(super) fn worths(view: &View, side: Side) -> PerRank {
    let mine = counts_left(view, side);
    let theirs = counts_left(view, side.opponent());
    Rank::ALL.map(|rank| worth(view.ruleset, rank, &mine, &theirs))
}

fn worth(ruleset: &Ruleset, rank: Rank, mine: &[u8; Rank::COUNT], theirs: &[u8; Rank::COUNT]) -> f32 {
    let has = |rank: Rank| theirs[rank as usize] > 0;
    let base = match rank {
        Rank::Flag => return FLAG,
        Rank::Bomb => return 2.5,
        Rank::Spy => return if has(ruleset.spy_beats) { 4.0 } else { 0.5 },
        Rank::Miner => {
            let is_rare = mine[rank as usize] <= 2 && has(Rank::Bomb);
            return if is_rare { 4.5 } else { 2.5 };
        }
        Rank::Scout => 1.0,
        Rank::Sergeant => 1.6,
        Rank::Lieutenant => 2.3,
        Rank::Captain => 3.2,
        Rank::Major => 4.5,
        Rank::Colonel => 6.0,
        Rank::General => 8.0,
        Rank::Marshal => 10.0,
        Rank::Phoenix => 3.0,
    };
    // A piece is worth more if no piece on the board can beat it.
    let is_beaten = |other: Rank| {
        has(other)
            && other.is_movable()
            && other != Rank::Spy
            && strike_fates(ruleset, other, rank).1 == Fate::Leaves
    };
    if Rank::ALL.into_iter().any(is_beaten) { base } else { base + 2.0 }
}
