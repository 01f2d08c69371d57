//! What an audience may know, as data: views of games and of events. They hold nothing that is
//! hidden from that audience.

use flagfall_board::{ChipColor, Chips, PerSide, Ply, Rank, RankSet, Side, Square, SquareSet, Stamp};

use crate::command::Move;
use crate::commitment::Commitment;
use crate::event::{Fate, Laid};
use crate::game::Phase;
use crate::outcome::Outcome;
use crate::ruleset::Ruleset;

/// One of the three audiences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// A player, who knows their own pieces.
    Player(Side),
    /// Everybody else. They know what both players know.
    Public,
}

impl Viewer {
    /// The three audiences.
    pub const ALL: [Viewer; 3] = [Viewer::Player(Side::Red), Viewer::Player(Side::Blue), Viewer::Public];

    /// Whether the viewer is the player of this side.
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
    /// One of these ranks (only in Shadowflash).
    OneOf(RankSet),
    /// It has no rank yet, not even for its owner (§Q1).
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
    /// Whether its rank is public. On one's own pieces: whether the other side knows it.
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

/// A ply between board and reserve, as a viewer saw it (§S1.7).
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
        /// What it is. Only its owner knows, unless it is labeled.
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
    /// How many of each rank lie face down; none for viewers who may not know.
    pub unlabeled: Option<[u8; Rank::COUNT]>,
}

/// A chip whose color a side must name before it does anything else (§S2.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwedColor {
    /// Who.
    pub side: Side,
    /// The square on which its piece now stands.
    pub square: Square,
}

/// A strike that waits for the owners of its coins to choose what they are (§Q4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingStrike {
    /// Who struck.
    pub side: Side,
    /// From where.
    pub from: Square,
    /// To where.
    pub to: Square,
    /// Which sides have a coin in the strike. No viewer learns that one of two sides has already
    /// chosen.
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
    /// What is left of each side's free time, in milliseconds. It runs before the remaining time.
    pub free_ms: PerSide<u64>,
    /// Which clocks run: both while both sides owe a choice (§Q4).
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

/// Everything that a viewer knows of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Who looks.
    pub viewer: Viewer,
    /// The rules the game is played by.
    pub ruleset: &'static Ruleset,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Whether the clocks are stopped because the service is down or stopping.
    pub is_paused: bool,
    /// Which sides have a deployment in.
    pub ready: PerSide<bool>,
    /// The deadline for deployments, in the deployment phase.
    pub deploy_deadline: Option<Stamp>,
    /// The viewer's own deployment as submitted (§P4), in the deployment phase.
    pub own_deployment: Option<String>,
    /// Squares that nothing enters.
    pub lakes: SquareSet,
    /// The pieces on the board, in ascending order of squares.
    pub pieces: Vec<SeenPiece>,
    /// How many pieces of each rank each side has lost (indexed by rank, Flag first).
    pub captured: PerSide<[u8; Rank::COUNT]>,
    /// Turns taken.
    pub ply: Ply,
    /// The side to move, while the game runs.
    pub turn: Option<Side>,
    /// The last ply, if it was a move.
    pub last_move: Option<SeenMove>,
    /// The last ply, if it went between board and reserve.
    pub last_exchange: Option<SeenExchange>,
    /// Each side's reserve, in rulesets with reserves.
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The chips on the board, in rulesets with chips.
    pub chips: Option<Chips>,
    /// The chip whose color the side to move must name first.
    pub owed_color: Option<OwedColor>,
    /// What each side's coins can still become, in rulesets with coins: counts indexed by rank,
    /// Flag first (§Q8).
    pub pools: Option<PerSide<[u8; Rank::COUNT]>>,
    /// The strike that waits for choices.
    pub pending_strike: Option<PendingStrike>,
    /// The viewer's own moves that a repetition rule refuses this turn.
    pub refused_moves: Vec<Move>,
    /// Both clocks; none when time is unlimited.
    pub clock: Option<SeenClock>,
    /// The side whose draw offer stands.
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

/// What else in a view changed with an event.
///
/// These are derived facts with their new values, so that a client can update its view without
/// knowing the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenChange {
    /// The deadline for deployments, in the deployment phase.
    pub deploy_deadline: Option<Stamp>,
    /// The side to move, while the game runs.
    pub turn: Option<Side>,
    /// Both clocks.
    pub clock: Option<SeenClock>,
    /// Plies left until a limit draws the game, once it is announced.
    pub plies_to_limit: Option<Ply>,
    /// The viewer's own moves that a repetition rule refuses this turn.
    pub refused_moves: Vec<Move>,
    /// All captures so far, if the event captures.
    pub captured: Option<PerSide<[u8; Rank::COUNT]>>,
    /// The pieces on the squares of a ply, or all pieces at the start and the end; otherwise none.
    pub pieces: Option<Vec<SeenPiece>>,
    /// Both reserves, if the event may have changed them or what the viewer knows of them.
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The chip whose color the side to move must name first.
    pub owed_color: Option<OwedColor>,
    /// Both pools, if the event may have changed them.
    pub pools: Option<PerSide<[u8; Rank::COUNT]>>,
    /// The strike that waits for choices.
    pub pending_strike: Option<PendingStrike>,
}

/// What a viewer sees of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeenEvent {
    /// The viewer's own deployment was accepted.
    Deployed {
        /// The text of §P4 without blanks.
        text: String,
    },
    /// The other side (or, for the public, either side) is ready.
    Ready {
        /// Which.
        side: Side,
    },
    /// Both sides are ready, and the game has started.
    Started {
        /// The commitments to both deployments.
        commitments: PerSide<Option<Commitment>>,
    },
    /// A ply.
    Moved(SeenMove),
    /// A strike with a coin in it, which waits for the choices that are owed.
    Struck(PendingStrike),
    /// The viewer's own choice was accepted. Nobody else learns even that it was made.
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
    /// The clocks are stopped since this moment.
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
        /// The deployments that are now open to this viewer.
        opened: PerSide<Option<OpenedDeployment>>,
    },
}
