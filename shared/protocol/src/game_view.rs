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

/// Everything an audience knows of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameView {
    /// Who looks.
    pub audience: Audience,
    /// The ruleset's id.
    pub ruleset: String,
    /// Deploying, playing or over.
    pub phase: Phase,
    /// Whether the clocks stand still because the service is down or stopping.
    #[serde(default, skip_serializing_if = "is_false")]
    pub paused: bool,
    /// Which sides have a deployment in.
    pub ready: PerSide<bool>,
    /// Until when deployments are taken, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy_deadline: Option<u64>,
    /// One's own deployment as handed in, while deploying (§P4 without blanks).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_deployment: Option<String>,
    /// Squares that nothing enters.
    pub lakes: Vec<Square>,
    /// The pieces on the board, by rising row and column.
    pub pieces: Vec<PieceText>,
    /// How many pieces of each rank each side has lost; ranks without losses are left out.
    pub captured: PerSide<BTreeMap<Rank, u8>>,
    /// Turns taken.
    pub ply: Ply,
    /// Whose turn it is, while the game is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// The last ply, if it was a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_move: Option<SeenMove>,
    /// The last ply, if it went between board and reserve (§S1.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_exchange: Option<SeenExchange>,
    /// Each side's reserve, in rulesets with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<PerSide<Reserve>>,
    /// The squares with chips by color, in rulesets with chips (§S2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chips: Option<BTreeMap<ChipColor, Vec<Square>>>,
    /// The chip whose color the side to move must name before anything else (§S2.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed_color: Option<OwedColor>,
    /// What each side's coins can still become, in rulesets with coins (§Q8); ranks without any left are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pools: Option<PerSide<BTreeMap<Rank, u8>>>,
    /// The strike that waits for choices (§Q4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_strike: Option<PendingStrike>,
    /// One's own moves that a repetition rule refuses this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_moves: Vec<MoveText>,
    /// Both clocks; none when time is unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// Who has a draw offer standing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_offer: Option<Side>,
    /// Plies left until a limit draws the game, once it is near (§A12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies_to_limit: Option<Ply>,
    /// Each side's commitment to its deployment.
    pub commitments: PerSide<Option<HexBytes>>,
    /// Deployments that were opened to this audience at the end.
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
    /// The sides deploy.
    Deploying,
    /// The game is played.
    Playing,
    /// The game is over.
    Over,
}

/// Both clocks at a moment of the server's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// The moment, in milliseconds since 1970.
    pub at: u64,
    /// What is left to each side then, in milliseconds.
    pub remaining_ms: PerSide<u64>,
    /// What is left then of a turn's free time, which goes first, in milliseconds; only with a delay.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub free_ms: PerSide<u64>,
    /// Whose time runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<Running>,
}

fn is_nothing(free_ms: &PerSide<u64>) -> bool {
    free_ms.red == 0 && free_ms.blue == 0
}

/// Whose time runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Running {
    /// Red's.
    Red,
    /// Blue's.
    Blue,
    /// Both sides': each owes a choice in a strike (§Q4).
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
    /// Who won; nobody in a draw and in a game that was called off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
    /// Why: one of the frozen codes of §A11.
    pub reason: String,
}

/// A deployment that was opened, with the salt of its commitment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    /// §P4 without blanks.
    pub setup: String,
    /// The salt.
    pub salt: HexBytes,
}

/// What an audience sees of an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GameEvent {
    /// One's own deployment was taken.
    Deployed {
        /// §P4 without blanks.
        setup: String,
    },
    /// Another side is ready.
    Ready {
        /// Which.
        side: Side,
    },
    /// Both sides are ready; the game has started.
    Started {
        /// Each side's commitment to its deployment.
        commitments: PerSide<Option<HexBytes>>,
    },
    /// A ply.
    Moved(SeenMove),
    /// A strike with a coin in it; the ply comes when whoever owes a choice has made it (§Q4).
    Struck(PendingStrike),
    /// One's own choice was taken. Nobody else is told, not even that it was made; the record of a game that is over tells the choices of every strike that
    /// was resolved (§Q4).
    Chosen {
        /// Who.
        side: Side,
        /// What.
        rank: Rank,
    },
    /// A ply: a side took a piece off the board into its reserve (§S1.5).
    Removed {
        /// Whose.
        side: Side,
        /// From where.
        square: Square,
    },
    /// A ply: a side brought a piece on from its reserve (§S1.5).
    Placed(SeenPlacing),
    /// A side laid the chip it owed (§S2.4). No ply.
    Colored {
        /// Who.
        side: Side,
        /// Where.
        square: Square,
        /// The color.
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
    /// The clocks stand still since then.
    Paused {
        /// In milliseconds since 1970.
        since: u64,
    },
    /// The clocks run again.
    Resumed {
        /// Since when, in milliseconds since 1970: named where nobody had the game open when the pause was over, and the log is told of it later. Otherwise since the event's
        /// own time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<u64>,
    },
    /// The game is over.
    Ended {
        /// How.
        outcome: Outcome,
        /// The deployments that are open to this audience from now on.
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

/// A piece that came from a reserve as an audience saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenPlacing {
    /// Whose.
    pub side: Side,
    /// Where to.
    pub square: Square,
    /// What it is: known to its owner, and to everybody when it is labeled.
    pub piece: IdentityText,
    /// Whether it is labeled (§S2.1).
    #[serde(default, skip_serializing_if = "is_false")]
    pub labeled: bool,
    /// The color of its chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<ChipColor>,
}

/// A ply between board and reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SeenExchange {
    /// A piece left the board.
    Removed {
        /// Whose.
        side: Side,
        /// From where.
        square: Square,
    },
    /// A piece came onto the board.
    Placed(SeenPlacing),
}

/// A side's reserve as an audience knows it (§S1.7).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reserve {
    /// How many pieces it has.
    pub size: u16,
    /// How many of each rank lie face up; ranks without any are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labeled: BTreeMap<Rank, u8>,
    /// How many of each rank lie face down, for whoever knows that side's ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlabeled: Option<BTreeMap<Rank, u8>>,
}

/// A chip whose color a side must name before anything else (§S2.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwedColor {
    /// Who.
    pub side: Side,
    /// Where its piece has come to stand.
    pub square: Square,
}

/// A strike that waits until whoever owes a choice has said what his coin is (§Q4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PendingStrike {
    /// Who struck.
    pub side: Side,
    /// From and to, as in `a4a5`.
    #[serde(rename = "move")]
    pub squares: MoveText,
    /// Whose coins are in it. That one of two has chosen already is shown to nobody.
    pub owes: PerSide<bool>,
    /// One's own choice, once it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_choice: Option<Rank>,
}

/// A ply as an audience saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenMove {
    /// Who moved.
    pub side: Side,
    /// From and to, as in `a4a5`.
    #[serde(rename = "move")]
    pub squares: MoveText,
    /// What is known of the piece after the ply.
    pub piece: IdentityText,
    /// What came of the strike, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strike: Option<SeenStrike>,
    /// The squares whose chips changed and their color now, as in `a7a8=g` (§S3.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laid: Option<LaidText>,
}

/// A strike as an audience saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeenStrike {
    /// The piece that moved.
    pub attacker: IdentityText,
    /// Where it is now.
    pub attacker_fate: StrikeFate,
    /// The piece that was struck.
    pub defender: IdentityText,
    /// Where it is now.
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

/// What an event changes in a view beyond the event itself: derived facts, absolute, so that none is ever computed twice.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ViewChange {
    /// Both clocks after the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// Until when deployments are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy_deadline: Option<u64>,
    /// Whose turn it is after the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// Plies left until a limit draws the game, once it is near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies_to_limit: Option<Ply>,
    /// One's own moves that a repetition rule refuses this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_moves: Vec<MoveText>,
    /// What each side has lost in all, with a strike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<PerSide<BTreeMap<Rank, u8>>>,
    /// With a ply the pieces that now stand on its squares; with the start and the end all pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<PieceText>>,
    /// Both reserves, with what may have changed them or what is known of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<PerSide<Reserve>>,
    /// The chip whose color the side to move must name before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed_color: Option<OwedColor>,
    /// Both pools, with what may have changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pools: Option<PerSide<BTreeMap<Rank, u8>>>,
    /// The strike that waits for choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_strike: Option<PendingStrike>,
}

impl GameView {
    /// Whether a side owes an act on the board, as far as this audience can know: the choice it has not made in a strike (§Q4), else its turn.
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
    /// What stands on these squares is told anew.
    fn put(&mut self, squares: &[Square], pieces: Option<&[PieceText]>) {
        self.pieces.retain(|piece| !squares.contains(&piece.0.square));
        self.pieces.extend(pieces.into_iter().flatten().copied());
        self.pieces.sort_by_key(|piece| piece.0.square);
    }

    /// A ply was made: what stands on its squares is told anew.
    fn end_turn(&mut self, side: Side, squares: &[Square], pieces: Option<&[PieceText]>) {
        self.put(squares, pieces);
        self.ply = self.ply.saturating_add(1);
        if self.draw_offer == Some(side.opponent()) {
            self.draw_offer = None;
        }
    }

    /// Lays a chip; it replaces the one that was there.
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
