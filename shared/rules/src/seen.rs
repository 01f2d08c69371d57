//! What an audience may know, as data: views of games and of events, and nothing in them that is hidden from it.

use flagfall_board::{ChipColor, Chips, PerSide, Ply, Rank, RankSet, Side, Square, SquareSet, Stamp};

use crate::command::Move;
use crate::commitment::Commitment;
use crate::event::{Fate, Laid};
use crate::game::Phase;
use crate::outcome::Outcome;
use crate::ruleset::Ruleset;

/// Who looks. There are three audiences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// A player, who knows his own pieces.
    Player(Side),
    /// Everybody else: what both players know.
    Public,
}

impl Viewer {
    /// The three audiences.
    pub const ALL: [Viewer; 3] = [Viewer::Player(Side::Red), Viewer::Player(Side::Blue), Viewer::Public];

    /// Whether the viewer knows what this side alone knows.
    #[must_use]
    pub fn is_side(self, side: Side) -> bool {
        self == Viewer::Player(side)
    }
}

/// What a viewer knows of a piece's rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// The rank.
    Known(Rank),
    /// One of these ranks (Shadowflash alone).
    OneOf(RankSet),
    /// It has none yet: nobody knows more, not even its owner (§Q1).
    Coin,
    /// Nothing.
    Hidden,
}

/// A piece on the board as a viewer knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenPiece {
    /// Where it stands.
    pub square: Square,
    /// Whose it is.
    pub side: Side,
    /// What it is.
    pub identity: Identity,
    /// Whether it has moved (§A9).
    pub is_moved: bool,
    /// Whether everybody knows its rank; on one's own pieces: whether the other side does.
    pub is_revealed: bool,
    /// Whether it is face up for the rest of the game (§S2.1).
    pub is_labeled: bool,
}

/// A ply as a viewer saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenMove {
    /// Who moved.
    pub side: Side,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// What the viewer knows of the piece after the ply.
    pub piece: Identity,
    /// What came of the strike, if it was one.
    pub strike: Option<SeenStrike>,
    /// The chips that changed (§S3.3).
    pub laid: Option<Laid>,
}

/// A ply between board and reserve as a viewer saw it (§S1.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeenExchange {
    /// A piece left the board.
    Removed {
        /// Whose.
        side: Side,
        /// From where.
        square: Square,
    },
    /// A piece came onto the board.
    Placed {
        /// Whose.
        side: Side,
        /// Where to.
        square: Square,
        /// What it is, for its owner, and for everybody when it is labeled.
        piece: Identity,
        /// Whether it is labeled.
        is_labeled: bool,
        /// The color of its chip.
        color: Option<ChipColor>,
    },
}

/// A side's reserve as a viewer knows it (§S1.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenReserve {
    /// How many pieces it has.
    pub size: u16,
    /// How many of each rank lie face up (indexed by rank, Flag first).
    pub labeled: [u8; Rank::COUNT],
    /// How many of each rank lie face down, for whoever knows that side's ranks.
    pub unlabeled: Option<[u8; Rank::COUNT]>,
}

/// A chip that a side has yet to name the color of, before anything else (§S2.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwedColor {
    /// Who.
    pub side: Side,
    /// Where its piece has come to stand.
    pub square: Square,
}

/// A strike that waits until whoever owes a choice has said what his coin is (§Q4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingStrike {
    /// Who struck.
    pub side: Side,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// Whose coins are in it. That one of two has chosen already is shown to nobody.
    pub owes: PerSide<bool>,
    /// The viewer's own choice, once it is made.
    pub own_choice: Option<Rank>,
}

/// A strike as a viewer saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenStrike {
    /// The piece that moved.
    pub attacker: Identity,
    /// Where the attacker is now.
    pub attacker_fate: Fate,
    /// The piece that was struck.
    pub defender: Identity,
    /// Where the defender is now.
    pub defender_fate: Fate,
}

/// Both clocks at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenClock {
    /// The moment.
    pub at: Stamp,
    /// Each side's remaining time in milliseconds.
    pub remaining_ms: PerSide<u64>,
    /// What is left to each side of a turn's free time, before its remaining time is counted, in milliseconds.
    pub free_ms: PerSide<u64>,
    /// Whose time runs: both sides' while both owe a choice (§Q4).
    pub is_running: PerSide<bool>,
}

/// A deployment that was opened at the end, with the salt of its commitment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenedDeployment {
    /// The text of §P4 without blanks.
    pub text: String,
    /// The 32 bytes that went into the commitment.
    pub salt: [u8; 32],
}

/// Everything a viewer knows of a game. Whoever holds one may know what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Who looks.
    pub viewer: Viewer,
    /// By which rules the game is played.
    pub ruleset: &'static Ruleset,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Whether the clocks stand still because the service is down or stopping.
    pub is_paused: bool,
    /// Which sides have a deployment in.
    pub ready: PerSide<bool>,
    /// Until when deployments are taken, while they are.
    pub deploy_deadline: Option<Stamp>,
    /// The viewer's own deployment as handed in (§P4), while deploying.
    pub own_deployment: Option<String>,
    /// Squares that nothing enters.
    pub lakes: SquareSet,
    /// The pieces on the board, by rising square.
    pub pieces: Vec<SeenPiece>,
    /// How many pieces of each rank each side has lost (indexed by rank, Flag first).
    pub captured: PerSide<[u8; Rank::COUNT]>,
    /// Turns taken.
    pub ply: Ply,
    /// Whose turn it is, while the game runs.
    pub turn: Option<Side>,
    /// The last ply, if it was a move.
    pub last_move: Option<SeenMove>,
    /// The last ply, if it went between board and reserve.
    pub last_exchange: Option<SeenExchange>,
    /// Each side's reserve, where there are any.
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The chips on the board, where there are any.
    pub chips: Option<Chips>,
    /// The chip whose color the side to move must name first.
    pub owed_color: Option<OwedColor>,
    /// How many pieces of each rank each side's coins can still become (indexed by rank, Flag first), where there are coins (§Q8).
    pub pools: Option<PerSide<[u8; Rank::COUNT]>>,
    /// The strike that waits for choices.
    pub pending_strike: Option<PendingStrike>,
    /// The viewer's own moves that a repetition rule refuses this turn.
    pub refused_moves: Vec<Move>,
    /// Both clocks; none when time is unlimited.
    pub clock: Option<SeenClock>,
    /// Who has a draw offer standing.
    pub draw_offer: Option<Side>,
    /// Plies left until the game is drawn by a limit, once it is announced (§A12).
    pub plies_to_limit: Option<Ply>,
    /// Each side's commitment to its deployment, once the game has started.
    pub commitments: PerSide<Option<Commitment>>,
    /// Deployments that were opened to this viewer at the end.
    pub opened: PerSide<Option<OpenedDeployment>>,
    /// How the game ended.
    pub outcome: Option<Outcome>,
}

/// What else of a view is different after an event: derived facts, absolute, so that whoever holds the view before needs
/// no rules to have the view after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenChange {
    /// Until when deployments are taken, while they are.
    pub deploy_deadline: Option<Stamp>,
    /// Whose turn it is, while the game runs.
    pub turn: Option<Side>,
    /// Both clocks.
    pub clock: Option<SeenClock>,
    /// Plies left until a limit draws the game, once it is announced.
    pub plies_to_limit: Option<Ply>,
    /// The viewer's own moves that a repetition rule refuses this turn.
    pub refused_moves: Vec<Move>,
    /// What was captured in all, with an event that captures.
    pub captured: Option<PerSide<[u8; Rank::COUNT]>>,
    /// With a ply the pieces that now stand on its squares; with the start and the end all pieces; else none.
    pub pieces: Option<Vec<SeenPiece>>,
    /// Both reserves, with what may have changed them or what is known of them.
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The chip whose color the side to move must name first.
    pub owed_color: Option<OwedColor>,
    /// Both pools, with what may have changed them.
    pub pools: Option<PerSide<[u8; Rank::COUNT]>>,
    /// The strike that waits for choices.
    pub pending_strike: Option<PendingStrike>,
}

/// What a viewer sees of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeenEvent {
    /// The viewer's own deployment was taken.
    Deployed {
        /// The text of §P4 without blanks.
        text: String,
    },
    /// The other side (or, for the public, a side) is ready.
    Ready {
        /// Which.
        side: Side,
    },
    /// Both sides are ready, the game has started.
    Started {
        /// The commitments to both deployments.
        commitments: PerSide<Option<Commitment>>,
    },
    /// A ply.
    Moved(SeenMove),
    /// A strike with a coin in it: whoever owes a choice is to make it.
    Struck(PendingStrike),
    /// The viewer's own choice was taken. Nobody else is told, not even that it was made.
    Chosen {
        /// Who.
        side: Side,
        /// What.
        rank: Rank,
    },
    /// A ply between board and reserve.
    Exchanged(SeenExchange),
    /// A side laid the chip it owed.
    Colored {
        /// Who.
        side: Side,
        /// Where.
        square: Square,
        /// Its color.
        color: ChipColor,
    },
    /// A side offered a draw.
    DrawOffered {
        /// Which.
        side: Side,
    },
    /// A side declined the other's offer.
    DrawDeclined {
        /// Which.
        side: Side,
    },
    /// The clocks stand still since this moment.
    Paused {
        /// The moment.
        since: Stamp,
    },
    /// The clocks run again.
    Resumed {
        /// Since this moment, if not since the event's own.
        since: Option<Stamp>,
    },
    /// The game is over.
    Ended {
        /// How.
        outcome: Outcome,
        /// The deployments that are open to this viewer from now on.
        opened: PerSide<Option<OpenedDeployment>>,
    },
}
