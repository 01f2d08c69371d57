//! The two boards of the play-by-mail server (§P).

use flagfall_board::{BoardShape, Rank, SquareSet};

use super::CLASSIC;
use crate::ruleset::{Army, Ruleset};

/// The 10x10 game (§P1), without a repetition rule.
pub const PBM: Ruleset = Ruleset { id: "pbm", two_squares_limit: None, ..CLASSIC };

/// The 8x8 game (§P2, §P3).
pub const PBM_SMALL: Ruleset = Ruleset {
    id: "pbm-small",
    shape: BoardShape { columns: 8, rows: 8, home_rows: 3, lakes: SMALL_LAKES, ..CLASSIC.shape },
    army: Army::of(&[
        (Rank::Flag, 1),
        (Rank::Bomb, 4),
        (Rank::Spy, 1),
        (Rank::Scout, 4),
        (Rank::Miner, 4),
        (Rank::Sergeant, 4),
        (Rank::Captain, 2),
        (Rank::Major, 2),
        (Rank::Colonel, 1),
        (Rank::General, 1),
    ]),
    spy_beats: Rank::General,
    ..PBM
};

/// The lakes c4 c5 and f4 f5.
const SMALL_LAKES: SquareSet = SquareSet::rectangle(2..3, 3..5).union(SquareSet::rectangle(5..6, 3..5));
