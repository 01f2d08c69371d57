use flagfall_board::{ChipColor, PerSide, Rank, Side, Square, Stamp};

use crate::commitment::{Commitment, Opened};
use crate::exchange::SeenPlacing;
use crate::moves::{PendingStrike, SeenMove};
use crate::outcome::SeenOutcome;

/// An event of a game, reduced to the facts that a client may see.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
pub enum GameEvent {
    /// The client's own deployment was accepted.
    Deployed {
        /// The deployment's text, without spaces.
        setup: String,
    },
    /// A side has submitted its first deployment. Players receive this event only when the
    /// opponent deploys. Spectators receive it for both sides.
    Ready {
        /// The side that has submitted a deployment.
        side: Side,
    },
    /// Both sides have deployed, and the game has started.
    Started {
        /// Each side's commitment to its deployment.
        #[cfg_attr(feature = "serde", schemars(with = "PerSide<Option<crate::HexBytes>>"))]
        commitments: PerSide<Option<Commitment>>,
    },
    /// A side moved a piece, which may have struck another piece. This is a turn.
    Moved(SeenMove),
    /// A side struck, and at least one of the two pieces is a coin. After every side with a coin
    /// in the strike has chosen a rank, the event `moved` completes the turn.
    Struck(PendingStrike),
    /// The client's own choice of a rank for its coin was accepted. Other clients do not learn
    /// that a choice was made. The record of a finished game includes the choices of all resolved
    /// strikes.
    Chosen {
        /// The side that chose.
        side: Side,
        /// The rank that the side chose for its coin.
        rank: Rank,
    },
    /// A side moved a piece from the board to its reserve. This is a turn.
    Removed {
        /// The side that removed a piece.
        side: Side,
        /// The square that the piece left.
        square: Square,
    },
    /// A side moved a piece from its reserve to the board. This is a turn.
    Placed(SeenPlacing),
    /// A side named the color of the chip under its piece, which had won as the defender and
    /// moved. This is not a turn.
    Colored {
        /// The side that named the color.
        side: Side,
        /// The square of the chip.
        square: Square,
        /// The color of the chip.
        color: ChipColor,
    },
    /// A side offered a draw.
    DrawOffered {
        /// The side that offered the draw.
        side: Side,
    },
    /// A side declined the opponent's draw offer.
    DrawDeclined {
        /// The side that declined the offer.
        side: Side,
    },
    /// The clocks stopped.
    Paused {
        /// The time at which the clocks stopped, in milliseconds since 1970.
        since: Stamp,
    },
    /// The clocks are running again.
    Resumed {
        /// The time at which the clocks started again, in milliseconds since 1970, if that was
        /// before this event. If absent, the clocks start with this event.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        since: Option<Stamp>,
    },
    /// The game has ended.
    Ended {
        /// The outcome of the game.
        outcome: SeenOutcome,
        /// The deployments that this client may see after the end of the game.
        opened: PerSide<Option<Opened>>,
    },
}

impl GameEvent {
    /// True if the event is a side's turn.
    pub const fn is_ply(&self) -> bool {
        matches!(self, GameEvent::Moved(_) | GameEvent::Removed { .. } | GameEvent::Placed(_))
    }
}
