use flagfall_board::{ChipColor, PerSide, Rank, Side, Square, Stamp};

use crate::commitment::{Commitment, Opened};
use crate::exchange::SeenPlacing;
use crate::moves::{PendingStrike, SeenMove};
use crate::outcome::SeenOutcome;

/// An event, as a client may see it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
pub enum GameEvent {
    /// The client's own deployment was accepted.
    Deployed {
        /// The deployment, without blanks.
        setup: String,
    },
    /// The other side, or for spectators one of the sides, has submitted its first deployment.
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
    /// A side struck, and a coin is involved. The turn is completed by `moved`, after every side
    /// with a coin in the strike has chosen.
    Struck(PendingStrike),
    /// The client's own choice was accepted. Other clients do not learn that it was made. The
    /// record of a finished game includes the choices of all resolved strikes.
    Chosen {
        /// The side that chose.
        side: Side,
        /// The rank that it chose.
        rank: Rank,
    },
    /// A side moved a piece from the board to its reserve. This is a turn.
    Removed {
        /// The side that removed a piece.
        side: Side,
        /// The square that the piece left.
        square: Square,
    },
    /// A side brought a piece from its reserve onto the board. This is a turn.
    Placed(SeenPlacing),
    /// A side named the color of the chip that it had yet to lay. This is not a turn.
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
        /// The side that offered.
        side: Side,
    },
    /// A side declined the opponent's draw offer.
    DrawDeclined {
        /// The side that declined.
        side: Side,
    },
    /// The clocks stopped.
    Paused {
        /// When they stopped, in milliseconds since 1970.
        since: Stamp,
    },
    /// The clocks run again.
    Resumed {
        /// When they started again, in milliseconds since 1970, if that was before the event.
        /// Absent if they start with the event.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        since: Option<Stamp>,
    },
    /// The game has ended.
    Ended {
        /// How it ended.
        outcome: SeenOutcome,
        /// The deployments that are open to this client from now on.
        opened: PerSide<Option<Opened>>,
    },
}

impl GameEvent {
    /// Whether a side took its turn.
    pub const fn is_ply(&self) -> bool {
        matches!(self, GameEvent::Moved(_) | GameEvent::Removed { .. } | GameEvent::Placed(_))
    }
}
