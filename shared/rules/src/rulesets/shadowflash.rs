//! The three rulesets of Shadowflash (§S), which use one, two or all three of its sets of rules.

use flagfall_board::{BoardShape, Rank, SquareSet};

use super::ORIGINAL;
use crate::ruleset::{Army, RuleOption, Ruleset};

/// The first set of rules alone. It is about mobility (§S1).
pub const SHADOWFLASH_1: Ruleset = Ruleset {
    id: "shadowflash-1",
    changeable: &[RuleOption::Ties, RuleOption::Quiet, RuleOption::Islands],
    shape: BoardShape {
        columns: 16,
        rows: 10,
        home_rows: 4,
        lakes: MIRRORED,
        joined_columns: 0,
        joined_rows: 0,
    },
    army: Army::of(&ARMY),
    reserve: true,
    blocked_draws: false,
    quiet_limit: Some(600),
    ..ORIGINAL
};

/// The army of Shadowflash (§S1.3).
const ARMY: [(Rank, u8); 12] = [
    (Rank::Flag, 1),
    (Rank::Bomb, 15),
    (Rank::Spy, 3),
    (Rank::Scout, 24),
    (Rank::Miner, 15),
    (Rank::Sergeant, 12),
    (Rank::Lieutenant, 12),
    (Rank::Captain, 12),
    (Rank::Major, 9),
    (Rank::Colonel, 6),
    (Rank::General, 3),
    (Rank::Marshal, 3),
];

/// The first two sets of rules. The second set is about information (§S2).
pub const SHADOWFLASH_2: Ruleset = Ruleset {
    id: "shadowflash-2",
    shape: BoardShape {
        // The rows and columns with joints: columns a b c g h i j n o p, and all rows except
        // those of the islands (§S2.6).
        joined_columns: 0b1110_0011_1100_0111,
        joined_rows: 0b11_1100_1111,
        ..SHADOWFLASH_1.shape
    },
    army: Army::of(&ARMY).with(Rank::Phoenix, 1),
    labels: true,
    chips: true,
    ..SHADOWFLASH_1
};

/// All three sets of rules. The third set is about tactics (§S3).
pub const SHADOWFLASH_3: Ruleset =
    Ruleset { id: "shadowflash-3", supply_lines: true, shadowflash: true, ..SHADOWFLASH_2 };

/// The islands in columns d–f and k–m, which are mirror images of each other.
pub(crate) const MIRRORED: SquareSet = island(3).union(island(10));

/// The islands in columns c–e and k–m, as in the printed rules.
pub(crate) const PRINTED: SquareSet = island(2).union(island(10));

/// Returns the island in rows 5 and 6 that is three columns wide and has this left column
/// (§S1.2).
const fn island(column: u8) -> SquareSet {
    SquareSet::rectangle(column..column + 3, 4..6)
}
