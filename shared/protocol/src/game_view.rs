//! A game as an audience knows it, and how an event makes the next view of the one before.

mod from_rules;

use std::collections::BTreeMap;

use flagfall_board::{ChipColor, Chips, PerSide, Ply, Rank, Side, Square};
use flagfall_rules as rules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::from_rules::chips_of;
use crate::server_to_client::Audience;
use crate::text::{HexBytes, IdentityText, LaidText, MoveText, PieceText};

/// Everything that a client may know of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameView {
    /// Who the view is for.
    pub audience: Audience,
    /// The ruleset's id.
    pub ruleset: String,
    /// How far the game is.
    pub phase: Phase,
    /// True while the clocks are stopped because the service is down or stopping.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// Which sides have handed in a deployment.
    pub ready: PerSide<bool>,
    /// The deadline for deployments, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy_deadline: Option<u64>,
    /// The player's own deployment as handed in, while deploying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_deployment: Option<String>,
    /// The lake squares, which no piece enters.
    pub lakes: Vec<Square>,
    /// The pieces on the board, by rising row and column.
    pub pieces: Vec<PieceText>,
    /// How many pieces of each rank each side has lost. Ranks without losses are left out.
    pub captured: PerSide<BTreeMap<Rank, u8>>,
    /// Turns taken so far.
    pub ply: Ply,
    /// Whose turn it is, while the game is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// The last turn, if it was a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_move: Option<SeenMove>,
    /// The last turn, if it went between board and reserve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_exchange: Option<SeenExchange>,
    /// Each side's reserve, in rulesets with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<PerSide<Reserve>>,
    /// The squares with chips, by color, in rulesets with chips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chips: Option<BTreeMap<ChipColor, Vec<Square>>>,
    /// The chip whose color the side to move must name before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed_color: Option<OwedColor>,
    /// What each side's coins can still become, in rulesets with coins. Ranks with none left are
    /// left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pools: Option<PerSide<BTreeMap<Rank, u8>>>,
    /// The strike that waits for choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_strike: Option<PendingStrike>,
    /// The player's own moves that a repetition rule refuses this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_moves: Vec<MoveText>,
    /// Both clocks. Absent if time is unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The side whose draw offer is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_offer: Option<Side>,
    /// Plies until a limit draws the game. Present only when a limit is near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies_to_limit: Option<Ply>,
    /// Each side's commitment to its deployment.
    pub commitments: PerSide<Option<HexBytes>>,
    /// The deployments opened to this client at the end.
    #[serde(default)]
    pub opened: PerSide<Option<Opened>>,
    /// How the game ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How far a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Both sides deploy.
    Deploying,
    /// The game is played.
    Playing,
    /// The game has ended.
    Over,
}

/// Both clocks at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// The moment, in milliseconds since 1970.
    pub at: u64,
    /// The time left to each side at that moment, in milliseconds.
    pub remaining_ms: PerSide<u64>,
    /// The free time left in the current turn, in milliseconds. It runs before `remaining_ms`.
    /// Present only with a delay.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub free_ms: PerSide<u64>,
    /// Whose clock runs. Absent if neither does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<Running>,
}

fn is_nothing(free_ms: &PerSide<u64>) -> bool {
    free_ms.red == 0 && free_ms.blue == 0
}

/// Whose clock runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Running {
    /// Red's clock.
    Red,
    /// Blue's clock.
    Blue,
    /// Both clocks: each side owes a choice in a strike.
    Both,
}

impl Running {
    fn of(is_running: PerSide<bool>) -> Option<Running> {
        match is_running {
            PerSide { red: true, blue: true } => Some(Running::Both),
            PerSide { red: true, blue: false } => Some(Running::Red),
            PerSide { red: false, blue: true } => Some(Running::Blue),
            PerSide { red: false, blue: false } => None,
        }
    }

    /// Whether a side's time runs.
    #[must_use]
    pub fn includes(self, side: Side) -> bool {
        match self {
            Running::Red => side == Side::Red,
            Running::Blue => side == Side::Blue,
            Running::Both => true,
        }
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The winner. Absent after a draw and in an aborted game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
    /// Why the game ended: one of the end reasons.
    pub reason: String,
}

/// An opened deployment, with the salt of its commitment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    /// The deployment, without blanks.
    pub setup: String,
    /// The 32 random bytes of the commitment.
    pub salt: HexBytes,
}

/// An event, as a client may see it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GameEvent {
    /// The client's own deployment was accepted.
    Deployed {
        /// The deployment, without blanks.
        setup: String,
    },
    /// Another side is ready.
    Ready {
        /// The side that is ready.
        side: Side,
    },
    /// Both sides are ready and the game has started.
    Started {
        /// Each side's commitment to its deployment.
        commitments: PerSide<Option<HexBytes>>,
    },
    /// A side moved a piece, or struck. This is a turn.
    Moved(SeenMove),
    /// A strike with a coin in it. The turn completes with `moved`, after every side that owes a
    /// choice has made it.
    Struck(PendingStrike),
    /// The client's own choice was accepted. Other clients are not told that it was made. The
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
        /// The square it left.
        square: Square,
    },
    /// A side brought a piece from its reserve onto the board. This is a turn.
    Placed(SeenPlacing),
    /// A side named the color of the chip it owed. This is no turn.
    Colored {
        /// The side that named it.
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
        since: u64,
    },
    /// The clocks run again.
    Resumed {
        /// When they started again, in milliseconds since 1970, if that was before the event.
        /// Absent if they start with the event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<u64>,
    },
    /// The game has ended.
    Ended {
        /// How it ended.
        outcome: Outcome,
        /// The deployments that are open to this client from now on.
        opened: PerSide<Option<Opened>>,
    },
}

impl GameEvent {
    /// Whether a side took its turn.
    #[must_use]
    pub const fn is_ply(&self) -> bool {
        match self {
            GameEvent::Moved(_) | GameEvent::Removed { side: _, square: _ } | GameEvent::Placed(_) => true,
            GameEvent::Deployed { setup: _ }
            | GameEvent::Ready { side: _ }
            | GameEvent::Started { commitments: _ }
            | GameEvent::Struck(_)
            | GameEvent::Chosen { side: _, rank: _ }
            | GameEvent::Colored { side: _, square: _, color: _ }
            | GameEvent::DrawOffered { side: _ }
            | GameEvent::DrawDeclined { side: _ }
            | GameEvent::Paused { since: _ }
            | GameEvent::Resumed { since: _ }
            | GameEvent::Ended { outcome: _, opened: _ } => false,
        }
    }
}

/// A piece that came from a reserve, as a client may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenPlacing {
    /// The side that placed it.
    pub side: Side,
    /// The square.
    pub square: Square,
    /// The rank. Only its owner knows it, unless the piece is labeled.
    pub piece: IdentityText,
    /// True if the piece is labeled.
    #[serde(default, skip_serializing_if = "is_false")]
    pub labeled: bool,
    /// The color of its chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<ChipColor>,
}

/// A turn between board and reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SeenExchange {
    /// A piece left the board.
    Removed {
        /// The side that removed a piece.
        side: Side,
        /// The square it left.
        square: Square,
    },
    /// A piece came onto the board.
    Placed(SeenPlacing),
}

/// A side's reserve, as a client may see it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reserve {
    /// How many pieces it has.
    pub size: u16,
    /// How many pieces of each rank lie face up. Ranks with none are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labeled: BTreeMap<Rank, u8>,
    /// How many pieces of each rank lie face down. Present if the client may know that side's
    /// ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlabeled: Option<BTreeMap<Rank, u8>>,
}

/// A chip whose color a side must name before anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwedColor {
    /// The side that owes it.
    pub side: Side,
    /// The square on which its piece now stands.
    pub square: Square,
}

/// A strike that waits for one or both sides to say what their coin is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PendingStrike {
    /// The side that struck.
    pub side: Side,
    /// From and to, as in `a4a5`.
    #[serde(rename = "move")]
    pub squares: MoveText,
    /// Which sides have a coin in the strike. It does not change when one of two sides has chosen.
    pub owes: PerSide<bool>,
    /// The client's own choice, once made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_choice: Option<Rank>,
}

/// A move, as a client may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenMove {
    /// The side that moved.
    pub side: Side,
    /// From and to, as in `a4a5`.
    #[serde(rename = "move")]
    pub squares: MoveText,
    /// What is known of the piece after the move.
    pub piece: IdentityText,
    /// The strike, if the move was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strike: Option<SeenStrike>,
    /// The squares whose chips changed and their new color, as in `a7a8=g`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laid: Option<LaidText>,
}

/// A strike, as a client may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenStrike {
    /// The piece that moved.
    pub attacker: IdentityText,
    /// Where the attacker is now.
    pub attacker_fate: StrikeFate,
    /// The piece that was struck.
    pub defender: IdentityText,
    /// Where the defender is now.
    pub defender_fate: StrikeFate,
}

/// Where a piece is after a strike.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StrikeFate {
    /// On its own square.
    Stays,
    /// On the other piece's square.
    Advances,
    /// Off the board.
    Leaves,
}

/// What an event changes in a view beyond the event itself. The values are absolute, so a client
/// computes none of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ViewChange {
    /// Both clocks after the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The deadline for deployments, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy_deadline: Option<u64>,
    /// Whose turn it is after the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// Plies until a limit draws the game. Present only when a limit is near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies_to_limit: Option<Ply>,
    /// The player's own moves that a repetition rule refuses this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_moves: Vec<MoveText>,
    /// What each side has lost in all. Present after a strike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<PerSide<BTreeMap<Rank, u8>>>,
    /// After a turn, the pieces that now stand on its squares. After the start and the end, all
    /// pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<PieceText>>,
    /// Both reserves, if they may have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<PerSide<Reserve>>,
    /// The chip whose color the side to move must name before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed_color: Option<OwedColor>,
    /// Both pools, if they may have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pools: Option<PerSide<BTreeMap<Rank, u8>>>,
    /// The strike that waits for choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_strike: Option<PendingStrike>,
}

impl GameView {
    /// True if a side owes an act on the board, as far as this audience can know: its choice in a
    /// strike (§Q4), or else its turn.
    #[must_use]
    pub fn is_to_act(&self, side: Side) -> bool {
        if self.phase != Phase::Playing {
            return false;
        }
        match &self.pending_strike {
            Some(strike) => {
                let has_chosen = self.audience.side() == Some(side) && strike.own_choice.is_some();
                strike.owes[side] && !has_chosen
            }
            None => self.turn == Some(side),
        }
    }

    /// Makes the view before an event into the view after it.
    pub fn apply(&mut self, event: &GameEvent, change: &ViewChange) {
        let ViewChange {
            clock,
            deploy_deadline,
            turn,
            plies_to_limit,
            refused_moves,
            captured,
            pieces,
            reserve,
            owed_color,
            pools,
            pending_strike,
        } = change;
        self.clock = *clock;
        self.deploy_deadline = *deploy_deadline;
        self.turn = *turn;
        self.plies_to_limit = *plies_to_limit;
        self.refused_moves.clone_from(refused_moves);
        if let Some(captured) = captured {
            self.captured.clone_from(captured);
        }
        if reserve.is_some() {
            self.reserve.clone_from(reserve);
        }
        self.owed_color = *owed_color;
        if pools.is_some() {
            self.pools.clone_from(pools);
        }
        self.pending_strike = *pending_strike;
        match event {
            GameEvent::Deployed { setup } => {
                self.own_deployment = Some(setup.clone());
                if let Some(side) = self.audience.side() {
                    self.ready[side] = true;
                }
            }
            GameEvent::Ready { side } => self.ready[*side] = true,
            GameEvent::Started { commitments } => {
                self.phase = Phase::Playing;
                self.own_deployment = None;
                self.commitments = *commitments;
                self.pieces = pieces.clone().unwrap_or_default();
            }
            GameEvent::Moved(seen) => {
                let rules::Move { from, to } = seen.squares.0;
                if let Some(LaidText(laid)) = &seen.laid {
                    laid.squares().iter().for_each(|square| self.lay(square, laid.color()));
                }
                self.last_move = Some(*seen);
                self.last_exchange = None;
                self.end_turn(seen.side, &[from, to], pieces.as_deref());
            }
            GameEvent::Struck(strike) => self.put(&[strike.squares.0.from], pieces.as_deref()),
            GameEvent::Chosen { side: _, rank: _ } => {}
            GameEvent::Removed { side, square } => {
                self.last_move = None;
                self.last_exchange = Some(SeenExchange::Removed { side: *side, square: *square });
                self.end_turn(*side, &[*square], pieces.as_deref());
            }
            GameEvent::Placed(seen) => {
                if let Some(color) = seen.color {
                    self.lay(seen.square, color);
                }
                self.last_move = None;
                self.last_exchange = Some(SeenExchange::Placed(*seen));
                self.end_turn(seen.side, &[seen.square], pieces.as_deref());
            }
            GameEvent::Colored { side: _, square, color } => self.lay(*square, *color),
            GameEvent::DrawOffered { side } => self.draw_offer = Some(*side),
            GameEvent::DrawDeclined { side: _ } => self.draw_offer = None,
            GameEvent::Paused { since: _ } => self.paused = true,
            GameEvent::Resumed { since: _ } => self.paused = false,
            GameEvent::Ended { outcome, opened } => {
                self.phase = Phase::Over;
                self.paused = false;
                self.draw_offer = None;
                self.own_deployment = None;
                self.outcome = Some(outcome.clone());
                self.opened.clone_from(opened);
                if let Some(pieces) = pieces {
                    self.pieces.clone_from(pieces);
                }
            }
        }
    }
}

impl GameView {
    /// Replaces what stands on these squares.
    fn put(&mut self, squares: &[Square], pieces: Option<&[PieceText]>) {
        self.pieces.retain(|piece| !squares.contains(&piece.0.square));
        self.pieces.extend(pieces.into_iter().flatten().copied());
        self.pieces.sort_by_key(|piece| piece.0.square);
    }

    /// Ends a turn, and replaces what stands on its squares.
    fn end_turn(&mut self, side: Side, squares: &[Square], pieces: Option<&[PieceText]>) {
        self.put(squares, pieces);
        self.ply = self.ply.saturating_add(1);
        if self.draw_offer == Some(side.opponent()) {
            self.draw_offer = None;
        }
    }

    /// Lays a chip, in place of one that was there.
    fn lay(&mut self, square: Square, color: ChipColor) {
        let mut chips: Chips = self
            .chips
            .iter()
            .flatten()
            .flat_map(|(color, squares)| squares.iter().map(|square| (*square, *color)))
            .collect();
        chips.lay(square, color);
        self.chips = Some(chips_of(&chips));
    }
}
