//! A ruleset is data: one field, one question, each with its paragraph of RULES.md.

use flagfall_board::{BoardShape, Rank};

/// Every question the engine asks about the rules. The engine branches on these fields, never on the id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ruleset {
    /// The ruleset's name in messages and texts. An id never changes its meaning. A custom game's has its changes in it.
    pub id: &'static str,
    /// The ruleset that a custom game changed; none for those with a name of their own. Custom games are never rated.
    pub base: Option<&'static Ruleset>,
    /// What custom games may change.
    pub changeable: &'static [RuleOption],
    /// What a person calls it.
    pub title: &'static str,
    /// One sentence: what sets it apart.
    pub summary: &'static str,
    /// Size, home rows and lakes of the board (§A3, §P2, §P3).
    pub shape: BoardShape,
    /// Where the lakes come from (§A3, §U2).
    pub lakes: Lakes,
    /// The pieces each side owns (§A2, §P2, §B1).
    pub army: Army,
    /// Whether the army fills the home rows (§A4) or leaves squares empty (§B1).
    pub fill: Fill,
    /// The rank that falls to a Spy's strike (§A6, §P2).
    pub spy_beats: Rank,
    /// What comes of a strike between equal ranks (§A6, §D1).
    pub ties: Ties,
    /// Whose rank a strike makes public (§A7, §D1).
    pub disclosure: Disclosure,
    /// What becomes of a Bomb that beats its attacker (§A6, §U3).
    pub bombs: Bombs,
    /// Whether a piece that moves any distance may strike at the end of it (§C2, §O1).
    pub strikes_afar: bool,
    /// Whether a defender that wins moves onto the square the attacker came from, unless it never moves (§O1, §U4).
    pub winner_advances: bool,
    /// Whether a side that acts against the rules loses at once (§U7), or is refused and may act again.
    pub illegal_act_loses: bool,
    /// How many moves in a row a piece may cross the same border before the next such move is refused (§C3).
    pub two_squares_limit: Option<u8>,
    /// Whether a continuous chase may recreate a position (§T1, §T2).
    pub more_squares: bool,
    /// How a game begins (§A4, §Q1).
    pub start: Start,
    /// Whether the army is larger than the home rows, and its rest waits in a reserve: removing and placing pieces are plies (§S1.3–§S1.7).
    pub reserve: bool,
    /// Whether a piece that a Scout or a Phoenix found out stays face up for good (§S2.1, §S2.2).
    pub labels: bool,
    /// Whether a piece that lands lays a chip (§S2.3).
    pub chips: bool,
    /// Whether pieces go along lines of chips of one color (§S3.1).
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
    /// They are those of the board's shape.
    OfTheShape,
    /// Two of 2x2 in rows 5 and 6 are drawn for every game; they may touch, and never overlap (§U2).
    Drawn,
}

/// A rule that a custom game may change. Which of them a ruleset lets be changed stands in [`Ruleset::changeable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RuleOption {
    /// What comes of a strike between equals.
    Ties,
    /// Whose rank a strike makes public.
    Disclosure,
    /// What becomes of a Bomb that beats its attacker.
    Bombs,
    /// Whether a Scout strikes at range.
    ScoutStrike,
    /// Where the winner of a strike stands.
    Winner,
    /// How often a piece may go back and forth.
    TwoSquares,
    /// Whether a chase may recreate a position.
    MoreSquares,
    /// Plies without a capture until the draw.
    Quiet,
    /// Where the islands of Shadowflash lie (§S1.2).
    Islands,
}

impl RuleOption {
    /// Every option, in the order in which a ruleset's name has them.
    pub const ALL: [RuleOption; 9] = [
        RuleOption::Ties,
        RuleOption::Disclosure,
        RuleOption::Bombs,
        RuleOption::ScoutStrike,
        RuleOption::Winner,
        RuleOption::TwoSquares,
        RuleOption::MoreSquares,
        RuleOption::Quiet,
        RuleOption::Islands,
    ];

    /// All but the islands, which only Shadowflash has.
    pub(crate) const BOX: [RuleOption; 8] = [
        RuleOption::Ties,
        RuleOption::Disclosure,
        RuleOption::Bombs,
        RuleOption::ScoutStrike,
        RuleOption::Winner,
        RuleOption::TwoSquares,
        RuleOption::MoreSquares,
        RuleOption::Quiet,
    ];

    /// As it stands in a ruleset's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RuleOption::Ties => "ties",
            RuleOption::Disclosure => "disclosure",
            RuleOption::Bombs => "bombs",
            RuleOption::ScoutStrike => "scout-strike",
            RuleOption::Winner => "winner",
            RuleOption::TwoSquares => "two-squares",
            RuleOption::MoreSquares => "more-squares",
            RuleOption::Quiet => "quiet",
            RuleOption::Islands => "islands",
        }
    }
}

/// How a game begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Each side deploys its army in secret (§A4).
    Deployments,
    /// At once, coins on all home squares: which piece of the pool one is, is chosen when it matters (§Q1).
    Coins,
}

/// How a deployment covers the home rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Every home square bears a piece (§A4).
    EveryHomeSquare,
    /// Any home squares; the rest stay empty (§B1).
    AnyHomeSquares,
}

/// What comes of a strike between equal ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// Both leave (§A6).
    BothLeave,
    /// The attacker wins (§D1).
    AttackerWins,
    /// The defender wins (custom games).
    DefenderWins,
}

/// Whose rank a strike makes public. A piece that leaves the board is always shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disclosure {
    /// Both (§A7).
    Both,
    /// The attacker's; the defender's when it loses, or when the attacker is a Scout (§D1).
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
    /// The army of these counts; ranks left out count none.
    #[must_use]
    pub const fn of(counts: &[(Rank, u8)]) -> Army {
        let mut army = [0; Rank::COUNT];
        let mut index = 0;
        while index < counts.len() {
            army[counts[index].0 as usize] = counts[index].1;
            index += 1;
        }
        Army(army)
    }

    /// The army with so many pieces of a rank.
    #[must_use]
    pub const fn with(mut self, rank: Rank, count: u8) -> Army {
        self.0[rank as usize] = count;
        self
    }

    /// How many pieces of this rank the side owns.
    #[must_use]
    pub const fn count(&self, rank: Rank) -> u8 {
        self.0[rank as usize]
    }

    /// How many pieces the side owns in all.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|count| usize::from(*count)).sum()
    }

    /// Whether the side owns nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranks the side owns any of, with their counts, Flag first.
    pub fn iter(&self) -> impl Iterator<Item = (Rank, u8)> + '_ {
        Rank::ALL.into_iter().map(|rank| (rank, self.count(rank))).filter(|(_, count)| *count > 0)
    }
}

impl Ruleset {
    /// Plies before a limit from which on the limit is announced (§A12).
    pub const LIMIT_NOTICE: u16 = 20;
}
