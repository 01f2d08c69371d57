//! The open game: the server's view of it, and the user's input.

use flagfall_board::{PerSide, Side, Square};
use flagfall_protocol::{GameSummary, GameView, Phase, Presence, RatingPoint, Time, Viewer};
use flagfall_rules::{Move, Ruleset, SeenPiece, Target, View};

use crate::deployments::editor::DeployEditor;
use crate::replay::Replay;

/// The first square of every board.
const A1: Square = match Square::new(0, 0) {
    Some(square) => square,
    None => panic!("every board has a first square"),
};

/// Below this remaining time, the clock shows a warning.
const LOW_MS: u64 = 30_000;

#[derive(Clone, PartialEq, Debug)]
pub struct OpenGame {
    pub summary: GameSummary,
    /// The ruleset. `None` if this client does not support it.
    pub ruleset: Option<&'static Ruleset>,
    pub audience: Viewer,
    /// True if this connection may act in the game.
    pub driving: bool,
    /// True if another connection has taken the seat.
    pub superseded: bool,
    /// The game's epoch. A new epoch means that the server lost the game's latest moves.
    pub epoch: u64,
    pub seq: u64,
    pub view: GameView,
    pub presence: PerSide<Presence>,
    /// Each player's rating for games of this kind, if known.
    pub ratings: PerSide<Option<RatingPoint>>,
    /// For each player who is away, true if they left on purpose.
    pub left: PerSide<bool>,
    /// For each player who is away, the time at which the opponent can claim the game, in
    /// milliseconds since 1970 by the server's clock.
    pub claimable_at: PerSide<Option<u64>>,
    pub is_claim_told: bool,
    pub is_muted: bool,
    pub rematch: Vec<Side>,
    /// True if the game was requested again and has not arrived yet.
    pub reopening: bool,
    pub editor: Option<DeployEditor>,
    pub cursor: Square,
    pub selected: Option<Square>,
    pub premove: Option<Premove>,
    pub typed: String,
    /// True if the server cannot serve the game.
    pub unavailable: bool,
}

/// A move planned during the opponent's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Premove {
    pub squares: Move,
    /// The pieces that were on the move's two squares when the player planned the move.
    pub pieces: [Option<SeenPiece>; 2],
}

impl OpenGame {
    /// Creates an open game from the first view that the server sends.
    pub fn new(summary: GameSummary, audience: Viewer, view: GameView) -> OpenGame {
        let ruleset = Ruleset::find(&view.ruleset);
        // The middle of the player's front row.
        let middle = ruleset.and_then(|ruleset| {
            let place = usize::from(ruleset.shape.columns) / 2;
            ruleset.shape.home_square(audience.side().unwrap_or(Side::Red), place)
        });
        OpenGame {
            summary,
            ruleset,
            audience,
            driving: false,
            superseded: false,
            epoch: 0,
            seq: 0,
            view,
            presence: PerSide::new(Presence::Present, Presence::Present),
            ratings: PerSide::default(),
            left: PerSide::default(),
            claimable_at: PerSide::default(),
            is_claim_told: false,
            is_muted: false,
            rematch: Vec::new(),
            reopening: false,
            editor: None,
            cursor: middle.unwrap_or(A1),
            selected: None,
            premove: None,
            typed: String::new(),
            unavailable: false,
        }
    }

    /// Creates an open game that shows a position of a record, as a spectator sees it.
    pub fn of_replay(replay: &Replay) -> OpenGame {
        let record = &replay.record;
        // A finished game has no running clock.
        let view = GameView { clock: None, deploy_deadline: None, ..replay.view.clone() };
        let summary = GameSummary {
            id: record.game,
            terms: record.terms.clone(),
            players: record.players.clone(),
            created: record.created,
            phase: view.phase,
            ply: view.ply,
            turn: view.turn,
            outcome: record.outcome.clone(),
        };
        let cursor = replay.ruleset.shape.home_square(Side::Red, 0).unwrap_or(A1);
        OpenGame { ruleset: Some(replay.ruleset), cursor, ..OpenGame::new(summary, Viewer::Public, view) }
    }

    /// Returns the player's side. `None` for spectators.
    pub fn own_side(&self) -> Option<Side> {
        self.audience.side()
    }

    pub fn is_own_turn(&self) -> bool {
        self.own_side().is_some_and(|side| self.view.is_to_act(side))
    }

    /// True if the player still has to choose the rank of their struck coin (§Q4).
    pub fn is_choosing(&self) -> bool {
        self.view.pending_strike.is_some() && self.is_own_turn()
    }

    /// True if the player must first choose the color of a chip (§S2.4).
    pub fn is_owing_color(&self) -> bool {
        self.view.owed_color.is_some_and(|owed| self.own_side() == Some(owed.side)) && self.is_acting()
    }

    pub fn is_over(&self) -> bool {
        self.view.phase == Phase::Over
    }

    /// True if the game was aborted, or ended before its second ply, so it does not count.
    pub fn is_spoiled(&self) -> bool {
        let outcome = self.view.outcome.as_ref();
        outcome.is_some_and(|outcome| outcome.reason == "aborted" || self.view.ply < 2)
    }

    /// True if this client may act in the game.
    pub fn is_acting(&self) -> bool {
        self.own_side().is_some() && self.driving && !self.superseded && !self.unavailable
    }

    /// True if the player can plan a move for their next turn, because it is the opponent's turn.
    /// False in correspondence games, because the server keeps a queue of moves for them.
    pub fn may_plan(&self) -> bool {
        let is_slow = matches!(self.summary.terms.time, Time::Correspondence { .. });
        let opponent = self.own_side().map(Side::opponent).filter(|_| !is_slow);
        opponent.is_some() && self.view.turn == opponent && !self.is_over() && self.is_acting()
    }

    /// Returns the squares that the piece on `from` can reach on this turn. While the player can
    /// plan a move, returns the squares that the piece could reach on the next turn from the
    /// current position.
    pub fn reach(&self, from: Square) -> Vec<Target> {
        let Some(ruleset) = self.ruleset else { return Vec::new() };
        let turn = if self.may_plan() { self.own_side() } else { self.view.turn };
        View { seen: GameView { turn, ..self.view.clone() }, ruleset }.targets(from)
    }

    pub fn is_offered_draw(&self) -> bool {
        self.view.draw_offer.is_some() && self.view.draw_offer == self.own_side().map(Side::opponent)
    }

    /// True if the player may still abort the game because they have made no move.
    pub fn is_abortable(&self) -> bool {
        let own_first_ply = match self.own_side() {
            Some(Side::Red) => 0,
            Some(Side::Blue) => 1,
            None => return false,
        };
        let has_struck = self.view.pending_strike.is_some() && self.view.turn == self.own_side();
        self.is_acting() && self.view.phase != Phase::Over && self.view.ply <= own_first_ply && !has_struck
    }

    /// Returns in how many milliseconds the player may claim the game that the opponent left.
    /// `None` if the game cannot be claimed.
    pub fn claimable_in_ms(&self, server_now: u64) -> Option<u64> {
        let is_playing = self.view.phase == Phase::Playing;
        let own = self.own_side().filter(|_| is_playing)?;
        Some(self.claimable_at[own.opponent()]?.saturating_sub(server_now))
    }

    /// Returns a side's remaining time. `server_now` is the current time by the server's clock.
    pub fn remaining_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        let gone = self.gone_ms(side, server_now)?;
        Some(clock.remaining_ms[side].saturating_sub(gone.saturating_sub(clock.free_ms[side])))
    }

    pub fn is_low_on_time(&self, side: Side, server_now: u64) -> bool {
        let remaining = self.remaining_ms(side, server_now);
        self.view.phase == Phase::Playing && remaining.is_some_and(|ms| ms < LOW_MS)
    }

    /// Returns the free time that is left in a side's current turn. `None` if the side's clock is
    /// not running, or if no free time is left.
    pub fn free_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        clock.running.filter(|running| running.includes(side))?;
        let left = clock.free_ms[side].saturating_sub(self.gone_ms(side, server_now)?);
        Some(left).filter(|left| *left > 0)
    }

    /// Returns the time that a side's clock has run since the server last sent its value.
    fn gone_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        let runs = clock.running.is_some_and(|running| running.includes(side));
        let is_running = runs && !self.view.paused && self.view.phase != Phase::Over;
        Some(if is_running { server_now.saturating_sub(clock.at.0) } else { 0 })
    }
}
