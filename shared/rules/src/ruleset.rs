//! A ruleset is data: one field per question, each with its paragraph of RULES.md.

use flagfall_board::{BoardShape, Rank};

/// Every question the engine asks about the rules. The engine branches on these fields, never on
/// the id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ruleset {
    /// The ruleset's id in messages and texts; an id never changes its meaning.
    ///
    /// The id of a custom game contains its changes.
    pub id: &'static str,
    /// The ruleset that a custom game changed; none for the named rulesets.
    ///
    /// Custom games are never rated.
    pub base: Option<&'static Ruleset>,
    /// What custom games may change.
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
    /// Whether a piece that moves any distance may strike at the end of it (§C2, §O1).
    pub strikes_afar: bool,
    /// Whether a defender that wins moves onto the attacker's square (§O1, §U4). Ranks that never
    /// move stay.
    pub winner_advances: bool,
    /// Whether a side that acts against the rules loses at once (§U7), or is refused and may act
    /// again.
    pub illegal_act_loses: bool,
    /// How many moves in a row a piece may cross the same border before the next such move is
    /// refused (§C3).
    pub two_squares_limit: Option<u8>,
    /// Whether a continuous chase may recreate a position (§T1, §T2).
    pub more_squares: bool,
    /// How a game begins (§A4, §Q1).
    pub start: Start,
    /// Whether the army is larger than the home rows, and the rest waits in a reserve
    /// (§S1.3–§S1.7).
    ///
    /// Removing and placing pieces are plies then.
    pub reserve: bool,
    /// Whether a piece found out by a Scout or a Phoenix stays face up for good (§S2.1, §S2.2).
    pub labels: bool,
    /// Whether a piece that lands lays a chip (§S2.3).
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
    /// Two 2x2 lakes in rows 5 and 6, drawn for every game (§U2). They may touch but never
    /// overlap.
    Drawn,
}

flagfall_board::named! {
    /// A rule that a custom game may change, in the order in which ruleset ids list them.
    ///
    /// [`Ruleset::changeable`] lists those that a ruleset allows.
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
        /// Where the winner of a strike stands.
        Winner = "winner",
        /// How often a piece may go back and forth.
        TwoSquares = "two-squares",
        /// Whether a chase may recreate a position.
        MoreSquares = "more-squares",
        /// Plies without a capture until the draw.
        Quiet = "quiet",
        /// Where the islands of Shadowflash lie (§S1.2).
        Islands = "islands",
    }
}

impl RuleOption {
    /// All but the last, the islands, which only Shadowflash has.
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
    /// At once, with coins on all home squares. A coin becomes a piece of the pool when it has to
    /// (§Q1).
    Coins,
}

/// How a deployment covers the home rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Every home square has a piece (§A4).
    EveryHomeSquare,
    /// Any home squares; the rest stay empty (§B1).
    AnyHomeSquares,
}

/// The result of a strike between equal ranks.
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
    /// An army with these counts; ranks that are left out have none.
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
    /// How many plies before a limit it is announced (§A12).
    pub const LIMIT_NOTICE: u16 = 20;
}
