//! A ruleset as data. Each field names its paragraph (§) of the rules.

use flagfall_board::{BoardShape, Rank};

/// The rules of a game, with one field for each question that the engine asks. The engine
/// branches on these fields, never on the id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ruleset {
    /// The ruleset's id in messages and texts. The meaning of an id never changes.
    ///
    /// The id of a custom game contains its changes.
    pub id: &'static str,
    /// The named ruleset that a custom game changes. `None` for the named rulesets themselves.
    ///
    /// Custom games are never rated.
    pub base: Option<&'static Ruleset>,
    /// The rules that custom games may change.
    pub changeable: &'static [RuleOption],
    /// Size, home rows and lakes of the board (§A3, §P2, §P3).
    pub shape: BoardShape,
    /// Where the lakes come from (§A3, §U2).
    pub lakes: Lakes,
    /// The pieces each side owns (§A2, §P2, §B1).
    pub army: Army,
    /// Whether the army fills the home rows (§A4) or leaves squares empty (§B1).
    pub fill: Fill,
    /// The rank that a Spy beats by striking it (§A6, §P2).
    pub spy_beats: Rank,
    /// The result of a strike between equal ranks (§A6, §D1).
    pub ties: Ties,
    /// Whose rank a strike makes public (§A7, §D1).
    pub disclosure: Disclosure,
    /// What becomes of a Bomb that beats its attacker (§A6, §U3).
    pub bombs: Bombs,
    /// Whether a piece that moves any distance may strike at the end of a long move (§C2, §O1).
    pub strikes_afar: bool,
    /// Whether a defender that wins moves onto the attacker's square (§O1, §U4). A defender that
    /// cannot move stays.
    pub winner_advances: bool,
    /// Whether a side that breaks the rules loses at once (§U7). Otherwise, the command is
    /// refused, and the side may act again.
    pub illegal_act_loses: bool,
    /// How many times in a row a piece may cross the same border between two squares (§C3). The
    /// next such move is refused.
    pub two_squares_limit: Option<u8>,
    /// Whether a continuous chase is forbidden to recreate a position (§T1, §T2).
    pub more_squares: bool,
    /// How a game begins (§A4, §Q1).
    pub start: Start,
    /// Whether the army is larger than the home rows, and the rest waits in a reserve
    /// (§S1.3–§S1.7).
    ///
    /// In such rulesets, removing and placing a piece are plies.
    pub reserve: bool,
    /// Whether a piece whose rank a Scout or a Phoenix discovers stays face up permanently
    /// (§S2.1, §S2.2).
    pub labels: bool,
    /// Whether a piece lays a chip on the square on which it lands (§S2.3).
    pub chips: bool,
    /// Whether pieces move along lines of chips of one color (§S3.1).
    pub supply_lines: bool,
    /// Whether General, Colonel and Major flash over chips (§S3.2).
    pub shadowflash: bool,
    /// Whether the game is a draw when neither side can move (§A10, §S1.8).
    pub blocked_draws: bool,
    /// Plies without a capture after which the game is a draw (§A12).
    pub quiet_limit: Option<u16>,
    /// Plies after which any game is a draw (§A12).
    pub ply_limit: u16,
}

/// Where a ruleset's lakes come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lakes {
    /// The lakes of the board's shape.
    OfTheShape,
    /// Two 2x2 lakes in rows 5 and 6, drawn at random for every game (§U2). They may touch but
    /// never overlap.
    Drawn,
}

flagfall_board::named! {
    /// A rule that a custom game may change, in the order in which ruleset ids list them.
    ///
    /// [`Ruleset::changeable`] lists the options that a ruleset allows.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum RuleOption, name, from_name {
        /// The result of a strike between equals.
        Ties = "ties",
        /// Whose rank a strike makes public.
        Disclosure = "disclosure",
        /// What becomes of a Bomb that beats its attacker.
        Bombs = "bombs",
        /// Whether a Scout strikes at range.
        ScoutStrike = "scout-strike",
        /// Where the winner of a strike ends up.
        Winner = "winner",
        /// How often a piece may go back and forth.
        TwoSquares = "two-squares",
        /// Whether a chase may recreate a position.
        MoreSquares = "more-squares",
        /// The number of plies without a capture after which the game is a draw.
        Quiet = "quiet",
        /// Where the islands of Shadowflash lie (§S1.2).
        Islands = "islands",
    }
}

impl RuleOption {
    /// All options except the islands, which only Shadowflash has.
    pub(crate) const BOX: &[RuleOption] = {
        let [of_the_box @ .., _islands] = &RuleOption::ALL;
        of_the_box
    };
}

/// How a game begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Each side deploys its army in secret (§A4).
    Deployments,
    /// The game begins at once, with coins on all home squares. A coin becomes a piece of the
    /// pool when its rank must be known (§Q1).
    Coins,
}

/// How a deployment covers the home rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Every home square has a piece (§A4).
    EveryHomeSquare,
    /// The player chooses which home squares have a piece, and the rest stay empty (§B1).
    AnyHomeSquares,
}

/// The result of a strike between equal ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// Both pieces leave the board (§A6).
    BothLeave,
    /// The attacker wins (§D1).
    AttackerWins,
    /// The defender wins (custom games).
    DefenderWins,
}

/// Whose rank a strike makes public. A piece that leaves the board is always shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disclosure {
    /// Both ranks (§A7).
    Both,
    /// The attacker's rank. The defender's rank is shown only if the defender loses or the
    /// attacker is a Scout (§D1).
    SilentDefense,
}

/// What becomes of a Bomb that beats its attacker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bombs {
    /// It stays (§A6).
    Stay,
    /// It leaves together with its attacker (§U3).
    LeaveWithAttacker,
}

/// How many pieces of each rank a side owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Army([u8; Rank::COUNT]);

impl Army {
    /// Creates an army with these counts. It has no pieces of the ranks that are left out.
    pub const fn of(counts: &[(Rank, u8)]) -> Army {
        let mut army = [0; Rank::COUNT];
        let mut index = 0;
        while index < counts.len() {
            army[counts[index].0 as usize] = counts[index].1;
            index += 1;
        }
        Army(army)
    }

    /// The same army with `count` pieces of a rank.
    #[must_use]
    pub const fn with(mut self, rank: Rank, count: u8) -> Army {
        self.0[rank as usize] = count;
        self
    }

    /// How many pieces of this rank the side owns.
    pub const fn count(&self, rank: Rank) -> u8 {
        self.0[rank as usize]
    }

    /// How many pieces the side owns in all.
    pub fn len(&self) -> usize {
        self.0.iter().map(|count| usize::from(*count)).sum()
    }

    /// Whether the side owns nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranks that the side owns, with their counts, Flag first.
    pub fn iter(&self) -> impl Iterator<Item = (Rank, u8)> + '_ {
        Rank::ALL.into_iter().map(|rank| (rank, self.count(rank))).filter(|(_, count)| *count > 0)
    }
}

impl Ruleset {
    /// How many plies in advance a limit is announced (§A12).
    pub const LIMIT_NOTICE: u16 = 20;
}
