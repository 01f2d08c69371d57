//! Estimates the ranks of unknown pieces from the squares on which they were deployed.

use flagfall_board::{Chance, Rank, Side, Square, SquareSet};
use flagfall_rules::{Fill, Ruleset};

use super::belief::PerRank;
use crate::mind::rows_ahead;
use crate::setup::sensible_pieces;

/// The number of random deployments that are drawn to learn which ranks are usual on which
/// squares.
const DRAFTS: usize = 200;
const SEED: u64 = 5;
/// The amount that each Bomb next to the Flag adds to the logarithm of a deployment's likelihood.
const BOMB_BESIDE_FLAG: f32 = 2.0;
/// The amount that each piece next to the Flag adds to the logarithm of a deployment's
/// likelihood, in rulesets in which home squares may stay empty.
const COVER: f32 = 2.0;

/// How people distribute the pieces of each rank over four rows, in thousandths, beginning with the
/// back row. For rulesets in which the army fills the home rows.
const ROWS_FILLED: PerRank<[u16; 4]> = [
    [868, 87, 24, 21],
    [384, 317, 171, 128],
    [57, 428, 391, 124],
    [187, 206, 276, 331],
    [462, 290, 156, 92],
    [285, 217, 197, 301],
    [157, 205, 254, 384],
    [151, 224, 280, 345],
    [144, 312, 288, 256],
    [58, 334, 400, 208],
    [21, 136, 514, 329],
    [25, 158, 473, 344],
    [250, 250, 250, 250],
];

/// A table like [`ROWS_FILLED`], for rulesets in which home squares may stay empty.
const ROWS_OPEN: PerRank<[u16; 4]> = [
    [610, 192, 91, 107],
    [413, 255, 122, 210],
    [130, 210, 200, 460],
    [259, 240, 172, 329],
    [225, 202, 200, 373],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [152, 187, 192, 469],
    [113, 172, 165, 550],
    [250, 250, 250, 250],
];

/// Returns the relative likelihood of each rank on a home square, based only on the habits of
/// people.
pub(super) fn habit(ruleset: &Ruleset, side: Side, origin: Option<Square>) -> PerRank<f64> {
    let Some(origin) = origin else { return [1.0; Rank::COUNT] };
    let depth = rows_ahead(ruleset, side, origin);
    let span = usize::from(ruleset.shape.home_rows.max(2)) - 1;
    // The table has four rows. On a board with a different number of home rows, each home row
    // uses the nearest row of the table.
    let row = (usize::from(depth).min(span) * 3 + span / 2) / span;
    let table = match ruleset.fill {
        Fill::EveryHomeSquare => &ROWS_FILLED,
        Fill::AnyHomeSquares => &ROWS_OPEN,
    };
    table.map(|rows| f64::from(rows[row]) / 250.0 + 0.25)
}

/// The likelihood of complete deployments. It is the product of a factor for each piece on its
/// square and a factor for the Flag's neighbors.
pub(super) struct Prior {
    /// The logarithm of the factor for each square and rank.
    squares: Vec<PerRank<f32>>,
    /// The logarithm of the factor for each piece next to the Flag.
    cover: f32,
}

impl Prior {
    /// Computes the likelihoods. The habits of people and the sensible deployments of house
    /// players have equal weight.
    pub(super) fn new(ruleset: &Ruleset, lakes: SquareSet, side: Side) -> Prior {
        let mut counted = vec![[0.0_f32; Rank::COUNT]; Square::LIMIT];
        let mut chance = Chance::new(SEED);
        for _ in 0..DRAFTS {
            let pieces = sensible_pieces(ruleset, lakes, side, &mut chance);
            for (square, rank) in pieces.into_iter().flatten() {
                counted[square.index()][rank as usize] += 1.0;
            }
        }
        let home = ruleset.shape.home(side);
        let share = |rank: Rank| f32::from(ruleset.army.count(rank)) / home.len().max(1) as f32;
        let mut squares = vec![[0.0; Rank::COUNT]; Square::LIMIT];
        for square in home.iter() {
            let habit = habit(ruleset, side, Some(square));
            for rank in Rank::ALL.into_iter().filter(|rank| ruleset.army.count(*rank) > 0) {
                let common = counted[square.index()][rank as usize] / DRAFTS as f32 / share(rank);
                squares[square.index()][rank as usize] =
                    (0.5 * common + 0.5 * habit[rank as usize] as f32).ln();
            }
        }
        let cover = match ruleset.fill {
            Fill::EveryHomeSquare => 0.0,
            Fill::AnyHomeSquares => COVER,
        };
        Prior { squares, cover }
    }

    /// Returns, for each rank, the logarithm of the factor for a piece that was deployed on this
    /// square.
    pub(super) fn of(&self, origin: Option<Square>) -> PerRank<f32> {
        origin.map_or([0.0; Rank::COUNT], |square| self.squares[square.index()])
    }

    /// Returns the logarithm of the factor for a Flag that has `pieces` neighbors, including
    /// `bombs` Bombs.
    pub(super) fn company(&self, pieces: usize, bombs: usize) -> f32 {
        self.cover * pieces as f32 + BOMB_BESIDE_FLAG * bombs as f32
    }
}
