//! The rules of the modern editions of the board game, and the rules that tournaments add (§A,
//! §C, §T, §B).

use flagfall_board::{BoardShape, Rank};

use crate::lakes::lake;
use crate::ruleset::{Army, Bombs, Disclosure, Fill, Lakes, RuleOption, Ruleset, Start, Ties};

/// The classic rules: §A and §C.
pub const CLASSIC: Ruleset = Ruleset {
    id: "classic",
    base: None,
    changeable: RuleOption::BOX,
    shape: BoardShape {
        columns: 10,
        rows: 10,
        home_rows: 4,
        lakes: lake(2).union(lake(6)),
        joined_columns: 0,
        joined_rows: 0,
    },
    army: Army::of(&[
        (Rank::Flag, 1),
        (Rank::Bomb, 6),
        (Rank::Spy, 1),
        (Rank::Scout, 8),
        (Rank::Miner, 5),
        (Rank::Sergeant, 4),
        (Rank::Lieutenant, 4),
        (Rank::Captain, 4),
        (Rank::Major, 3),
        (Rank::Colonel, 2),
        (Rank::General, 1),
        (Rank::Marshal, 1),
    ]),
    lakes: Lakes::OfTheShape,
    fill: Fill::EveryHomeSquare,
    spy_beats: Rank::Marshal,
    ties: Ties::BothLeave,
    disclosure: Disclosure::Both,
    bombs: Bombs::Stay,
    strikes_afar: true,
    winner_advances: false,
    illegal_act_loses: false,
    two_squares_limit: Some(3),
    more_squares: false,
    start: Start::Deployments,
    reserve: false,
    labels: false,
    chips: false,
    supply_lines: false,
    shadowflash: false,
    blocked_draws: true,
    quiet_limit: Some(200),
    ply_limit: 5000,
};

/// The tournament rules (§T).
pub const TOURNAMENT: Ruleset = Ruleset { id: "tournament", more_squares: true, ..CLASSIC };

/// The barrage rules (§B).
pub const BARRAGE: Ruleset = Ruleset {
    id: "barrage",
    army: Army::of(&[
        (Rank::Flag, 1),
        (Rank::Bomb, 1),
        (Rank::Spy, 1),
        (Rank::Scout, 2),
        (Rank::Miner, 1),
        (Rank::General, 1),
        (Rank::Marshal, 1),
    ]),
    fill: Fill::AnyHomeSquares,
    ..TOURNAMENT
};
