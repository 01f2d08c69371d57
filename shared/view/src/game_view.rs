//! The view that one audience has of a game, and how an event turns one view into the next.

use flagfall_board::{ChipColor, Chips, PerSide, Ply, Side, Square, SquareSet, Stamp};

use crate::change::ViewChange;
use crate::clock::SeenClock;
use crate::commitment::{Commitment, Opened};
use crate::event::GameEvent;
use crate::exchange::{OwedColor, SeenExchange, SeenReserve};
use crate::identity::SeenPiece;
use crate::moves::{Move, PendingStrike, SeenMove};
use crate::outcome::SeenOutcome;
use crate::rank_counts::RankCounts;
use crate::viewer::Viewer;

/// Everything that one client may see of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct GameView {
    /// The audience that the view is for.
    pub audience: Viewer,
    /// The ruleset's id.
    pub ruleset: String,
    /// The phase of the game.
    pub phase: Phase,
    /// True while the clocks are stopped because the service is down or stopping.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "crate::is_default"))]
    pub paused: bool,
    /// For each side, true if it has submitted a deployment.
    pub ready: PerSide<bool>,
    /// The deadline for deployments, in milliseconds since 1970.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub deploy_deadline: Option<Stamp>,
    /// The text of the deployment that the player has submitted. Present until the game starts.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub own_deployment: Option<String>,
    /// The lakes: squares that no piece may enter.
    pub lakes: SquareSet,
    /// The pieces on the board, ordered by row and then by column.
    pub pieces: Vec<SeenPiece>,
    /// The number of pieces of each rank that each side has lost. Ranks without losses are left
    /// out.
    pub captured: PerSide<RankCounts>,
    /// The number of turns taken so far.
    pub ply: Ply,
    /// The side to move, while the game is played.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub turn: Option<Side>,
    /// The last turn, if it was a move.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub last_move: Option<SeenMove>,
    /// The last turn, if it moved a piece between board and reserve.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub last_exchange: Option<SeenExchange>,
    /// Each side's reserve, in rulesets with a reserve.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The squares with chips, by color, in rulesets with chips.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub chips: Option<Chips>,
    /// The chip whose color the side to move must name before taking its turn.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub owed_color: Option<OwedColor>,
    /// For each side, the pieces that its coins can still become: the number of pieces of each
    /// rank, without ranks that have none left. Only in rulesets with coins.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub pools: Option<PerSide<RankCounts>>,
    /// The strike in which a side still has to choose the rank of its coin.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub pending_strike: Option<PendingStrike>,
    /// The player's moves that a repetition rule forbids on this turn.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub refused_moves: Vec<Move>,
    /// The moves in `refused_moves` that the more-squares rule forbids. The two-squares rule
    /// forbids the others. Present only if there are refused moves.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub more_squares: Option<Vec<Move>>,
    /// Both clocks. Absent if time is unlimited.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock: Option<SeenClock>,
    /// The side whose draw offer is open.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub draw_offer: Option<Side>,
    /// The number of plies until a limit makes the game a draw. Present only when a limit is
    /// near.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub plies_to_limit: Option<Ply>,
    /// Each side's commitment to its deployment.
    #[cfg_attr(feature = "serde", schemars(with = "PerSide<Option<crate::HexBytes>>"))]
    pub commitments: PerSide<Option<Commitment>>,
    /// The deployments that this client may see after the end of the game.
    #[cfg_attr(feature = "serde", serde(default))]
    pub opened: PerSide<Option<Opened>>,
    /// The outcome of the game, after its end.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub outcome: Option<SeenOutcome>,
}

/// The phase of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Phase {
    /// Both sides deploy.
    Deploying,
    /// Both sides have deployed, and the game is not over.
    Playing,
    /// The game has ended.
    Over,
}

impl GameView {
    /// True if, as far as this audience can see, the game is waiting for this side.
    ///
    /// While a strike is pending, the game waits for each side that has yet to choose (§Q4).
    /// Otherwise, it waits for the side to move.
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

    /// Turns the view before an event into the view after it.
    ///
    /// `change` contains everything that depends on the rules, so this function does not need the
    /// ruleset.
    pub fn apply(&mut self, event: &GameEvent, change: &ViewChange) {
        let ViewChange {
            clock,
            deploy_deadline,
            turn,
            plies_to_limit,
            refused_moves,
            more_squares,
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
        self.more_squares.clone_from(more_squares);
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
                let Move { from, to } = seen.squares;
                if let Some(laid) = &seen.laid {
                    laid.squares().iter().for_each(|square| self.lay(square, laid.color()));
                }
                self.last_move = Some(*seen);
                self.last_exchange = None;
                self.end_turn(seen.side, &[from, to], pieces.as_deref());
            }
            GameEvent::Struck(strike) => self.put(&[strike.squares.from], pieces.as_deref()),
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
    /// Replaces all pieces on these squares with the given pieces.
    fn put(&mut self, squares: &[Square], pieces: Option<&[SeenPiece]>) {
        self.pieces.retain(|piece| !squares.contains(&piece.square));
        self.pieces.extend(pieces.into_iter().flatten().copied());
        self.pieces.sort_by_key(|piece| piece.square);
    }

    /// Ends a turn: replaces the pieces on its squares, adds one to the ply, and removes the
    /// opponent's draw offer.
    fn end_turn(&mut self, side: Side, squares: &[Square], pieces: Option<&[SeenPiece]>) {
        self.put(squares, pieces);
        self.ply = self.ply.saturating_add(1);
        if self.draw_offer == Some(side.opponent()) {
            self.draw_offer = None;
        }
    }

    /// Lays a chip and removes any chip that was on the square.
    fn lay(&mut self, square: Square, color: ChipColor) {
        self.chips.get_or_insert_default().lay(square, color);
    }
}
