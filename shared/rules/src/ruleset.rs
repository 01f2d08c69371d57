//! Rulesets as data. Each field refers to its paragraph (§) of the rules.

use flagfall_board::{BoardShape, Rank};

/// The rules of a game, with one field for each difference between rulesets. The engine bases its
/// decisions on these fields, never on the id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ruleset {
    /// The ruleset's id in messages and text. The meaning of an id never changes.
    ///
    /// The id of a custom game contains its changes.
    pub id: &'static str,
    /// The named ruleset on which a custom ruleset is based. `None` for the named rulesets.
    ///
    /// Games of custom rulesets are never rated.
    pub base: Option<&'static Ruleset>,
    /// The rules that custom games may change.
    pub changeable: &'static [RuleOption],
    /// The size, home rows and fixed lakes of the board (§A3, §P2, §P3).
    pub shape: BoardShape,
    /// The origin of the lakes: fixed or drawn at random (§A3, §U2).
    pub lakes: Lakes,
    /// The pieces that each side owns (§A2, §P2, §B1).
    pub army: Army,
    /// The way in which the army covers the home rows: it fills them (§A4), or it leaves squares
    /// empty (§B1).
    pub fill: Fill,
    /// The rank that a Spy beats when the Spy is the attacker (§A6, §P2).
    pub spy_beats: Rank,
    /// The result of a strike between equal ranks (§A6, §D1).
    pub ties: Ties,
    /// The ranks that a strike makes public (§A7, §D1).
    pub disclosure: Disclosure,
    /// The fate of a Bomb that beats its attacker (§A6, §U3).
    pub bombs: Bombs,
    /// True if a piece that moves any distance may strike at the end of a long move (§C2, §O1).
    pub strikes_afar: bool,
    /// True if a defender that wins moves to the attacker's square (§O1, §U4). A piece that can
    /// never move stays on its square.
    pub winner_advances: bool,
    /// True if a side that breaks the rules loses immediately (§U7). If false, the command is
    /// refused, and the side may try again.
    pub illegal_act_loses: bool,
    /// The maximum number of moves in a row in which a piece may cross the same border between
    /// two squares (§C3). A further crossing is illegal.
    pub two_squares_limit: Option<u8>,
    /// True if a side that chases a piece without a break must not recreate an earlier position
    /// (§T1, §T2).
    pub more_squares: bool,
    /// The way in which a game begins (§A4, §Q1).
    pub start: Start,
    /// True if the army is larger than the home rows, so that some pieces start in a reserve
    /// (§S1.3–§S1.7).
    ///
    /// In such rulesets, a ply can also be the removal of a piece from the board or the placing
    /// of a piece.
    pub reserve: bool,
    /// True if a piece stays face up permanently after a Scout or a Phoenix has discovered its
    /// rank (§S2.1, §S2.2).
    pub labels: bool,
    /// True if a piece lays a chip on the square where it lands (§S2.3).
    pub chips: bool,
    /// True if pieces can move along lines of chips of one color (§S3.1).
    pub supply_lines: bool,
    /// True if the General, the Colonel and the Major can flash over chips (§S3.2).
    pub shadowflash: bool,
    /// True if the game is a draw when neither side can move (§A10, §S1.8).
    pub blocked_draws: bool,
    /// The number of plies without a capture after which the game is a draw (§A12).
    pub quiet_limit: Option<u16>,
    /// The total number of plies after which the game is a draw (§A12).
    pub ply_limit: u16,
}

/// The origin of a ruleset's lakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lakes {
    /// The fixed lakes of the board's shape.
    OfTheShape,
    /// Two 2x2 lakes in rows 5 and 6, drawn at random for every game (§U2). The two lakes may
    /// touch but not overlap.
    Drawn,
}

flagfall_board::named! {
    /// A rule that a custom game may change. Ruleset ids list the changed rules in the order of
    /// these variants.
    ///
    /// [`Ruleset::changeable`] lists the options that may be changed in a ruleset.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum RuleOption, name, from_name {
        /// The result of a strike between equal ranks.
        Ties = "ties",
        /// The ranks that a strike makes public.
        Disclosure = "disclosure",
        /// The fate of a Bomb that beats its attacker.
        Bombs = "bombs",
        /// The rule on whether a Scout can strike at the end of a long move.
        ScoutStrike = "scout-strike",
        /// The square on which the winner of a strike ends up.
        Winner = "winner",
        /// The maximum number of times that a piece may move back and forth.
        TwoSquares = "two-squares",
        /// The rule on whether a chase may recreate an earlier position.
        MoreSquares = "more-squares",
        /// The number of plies without a capture after which the game is a draw.
        Quiet = "quiet",
        /// The places of the islands in Shadowflash (§S1.2).
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

/// The way in which a game begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Each side deploys its army in secret (§A4).
    Deployments,
    /// The game begins immediately, with coins on all home squares. A coin takes a rank from the
    /// pool when its rank must be known (§Q1).
    Coins,
}

/// The way in which a deployment covers the home rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Every home square has a piece (§A4).
    EveryHomeSquare,
    /// The player chooses the home squares for the pieces, and the other home squares stay empty
    /// (§B1).
    AnyHomeSquares,
}

/// The result of a strike between equal ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// Both pieces leave the board (§A6).
    BothLeave,
    /// The attacker wins (§D1).
    AttackerWins,
    /// The defender wins. Only custom games have this rule.
    DefenderWins,
}

/// The ranks that a strike makes public. The rank of a piece that leaves the board always becomes
/// public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disclosure {
    /// A strike reveals both ranks (§A7).
    Both,
    /// A strike reveals the attacker's rank. It reveals the defender's rank only if the defender
    /// loses or the attacker is a Scout (§D1).
    SilentDefense,
}

/// The fate of a Bomb that beats its attacker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bombs {
    /// The Bomb stays on its square (§A6).
    Stay,
    /// The Bomb leaves the board together with its attacker (§U3).
    LeaveWithAttacker,
}

/// The number of pieces of each rank that a side owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Army([u8; Rank::COUNT]);

impl Army {
    /// Creates an army with these counts. Ranks that are not listed have no pieces.
    pub const fn of(counts: &[(Rank, u8)]) -> Army {
        let mut army = [0; Rank::COUNT];
        let mut index = 0;
        while index < counts.len() {
            army[counts[index].0 as usize] = counts[index].1;
            index += 1;
        }
        Army(army)
    }

    /// Returns a copy of the army with `count` pieces of a rank.
    #[must_use]
    pub const fn with(mut self, rank: Rank, count: u8) -> Army {
        self.0[rank as usize] = count;
        self
    }

    /// The number of pieces of this rank in the army.
    pub const fn count(&self, rank: Rank) -> u8 {
        self.0[rank as usize]
    }

    /// The total number of pieces in the army.
    pub fn len(&self) -> usize {
        self.0.iter().map(|count| usize::from(*count)).sum()
    }

    /// True if the army has no pieces.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranks in the army with their counts, beginning with the Flag.
    pub fn iter(&self) -> impl Iterator<Item = (Rank, u8)> + '_ {
        Rank::ALL.into_iter().map(|rank| (rank, self.count(rank))).filter(|(_, count)| *count > 0)
    }
}

impl Ruleset {
    /// Views show a limit once it is at most this many plies away (§A12).
    pub const LIMIT_NOTICE: u16 = 20;
}
