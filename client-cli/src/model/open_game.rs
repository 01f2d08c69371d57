//! The open game: what the server showed of it, and the user's place in it.

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

/// Less remaining time than this is shown as a warning.
const LOW_MS: u64 = 30_000;

#[derive(Clone, PartialEq, Debug)]
pub struct OpenGame {
    pub summary: GameSummary,
    /// The ruleset. `None` if this client does not know it.
    pub ruleset: Option<&'static Ruleset>,
    pub audience: Viewer,
    /// True if this connection drives the game.
    pub driving: bool,
    /// True if another connection took over the seat.
    pub superseded: bool,
    /// The epoch. It changes if the server lost the game's last moves.
    pub epoch: u64,
    pub seq: u64,
    pub view: GameView,
    pub presence: PerSide<Presence>,
    /// Each player's rating for such games, as far as it is known.
    pub ratings: PerSide<Option<RatingPoint>>,
    /// The players who left on purpose.
    pub left: PerSide<bool>,
    /// When the game can be claimed because this player is gone, in milliseconds since 1970 by the
    /// server's clock.
    pub claimable_at: PerSide<Option<u64>>,
    pub is_claim_told: bool,
    pub is_muted: bool,
    pub rematch: Vec<Side>,
    /// The game was requested again and has not arrived yet.
    pub reopening: bool,
    pub editor: Option<DeployEditor>,
    pub cursor: Square,
    pub selected: Option<Square>,
    pub premove: Option<Premove>,
    pub typed: String,
    /// The server can no longer serve the game.
    pub unavailable: bool,
}

/// A move planned during the opponent's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Premove {
    pub squares: Move,
    /// What stood on the two squares when it was planned.
    pub pieces: [Option<SeenPiece>; 2],
}

impl OpenGame {
    /// A game as the server shows it the first time.
    pub fn new(summary: GameSummary, audience: Viewer, view: GameView) -> OpenGame {
        let ruleset = Ruleset::find(&view.ruleset);
        // The middle of the player's own front row.
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

    /// A position of a record, as for a spectator.
    pub fn of_replay(replay: &Replay) -> OpenGame {
        let record = &replay.record;
        // No clock runs in a past game.
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

    /// The player's own side. `None` for spectators.
    pub fn own_side(&self) -> Option<Side> {
        self.audience.side()
    }

    pub fn is_own_turn(&self) -> bool {
        self.own_side().is_some_and(|side| self.view.is_to_act(side))
    }

    /// True if the player has yet to choose what their struck coin is (§Q4).
    pub fn is_choosing(&self) -> bool {
        self.view.pending_strike.is_some() && self.is_own_turn()
    }

    /// True if the player owes the color of a chip before anything else (§S2.4).
    pub fn is_owing_color(&self) -> bool {
        self.view.owed_color.is_some_and(|owed| self.own_side() == Some(owed.side)) && self.is_acting()
    }

    pub fn is_over(&self) -> bool {
        self.view.phase == Phase::Over
    }

    pub fn is_aborted(&self) -> bool {
        self.view.outcome.as_ref().is_some_and(|outcome| outcome.reason == "aborted")
    }

    /// True if this client may act in the game.
    pub fn is_acting(&self) -> bool {
        self.own_side().is_some() && self.driving && !self.superseded && !self.unavailable
    }

    /// True if a move can be planned: the opponent is to move, and the player after them, on a
    /// clock. In games with days for each turn the server keeps a queue.
    pub fn may_plan(&self) -> bool {
        let is_slow = matches!(self.summary.terms.time, Time::Correspondence { .. });
        let opponent = self.own_side().map(Side::opponent).filter(|_| !is_slow);
        opponent.is_some() && self.view.turn == opponent && !self.is_over() && self.is_acting()
    }

    /// Where the player's piece on a square can go: this turn, or on their next one if nothing
    /// changes until then.
    pub fn reach(&self, from: Square) -> Vec<Target> {
        let Some(ruleset) = self.ruleset else { return Vec::new() };
        let turn = if self.may_plan() { self.own_side() } else { self.view.turn };
        View { seen: GameView { turn, ..self.view.clone() }, ruleset }.targets(from)
    }

    pub fn is_offered_draw(&self) -> bool {
        self.view.draw_offer.is_some() && self.view.draw_offer == self.own_side().map(Side::opponent)
    }

    /// True if the player may still call the game off: they have made no move.
    pub fn is_abortable(&self) -> bool {
        let own_first_ply = match self.own_side() {
            Some(Side::Red) => 0,
            Some(Side::Blue) => 1,
            None => return false,
        };
        let has_struck = self.view.pending_strike.is_some() && self.view.turn == self.own_side();
        self.is_acting() && self.view.phase != Phase::Over && self.view.ply <= own_first_ply && !has_struck
    }

    /// Milliseconds until the player may claim the game that the opponent left. `None` if they may
    /// not.
    pub fn claimable_in_ms(&self, server_now: u64) -> Option<u64> {
        let is_playing = self.view.phase == Phase::Playing;
        let own = self.own_side().filter(|_| is_playing)?;
        Some(self.claimable_at[own.opponent()]?.saturating_sub(server_now))
    }

    /// A side's remaining time at this moment of the server's clock.
    pub fn remaining_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        let gone = self.gone_ms(side, server_now)?;
        Some(clock.remaining_ms[side].saturating_sub(gone.saturating_sub(clock.free_ms[side])))
    }

    pub fn is_low_on_time(&self, side: Side, server_now: u64) -> bool {
        let remaining = self.remaining_ms(side, server_now);
        self.view.phase == Phase::Playing && remaining.is_some_and(|ms| ms < LOW_MS)
    }

    /// The remaining free time of a side's turn, while it runs.
    pub fn free_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        clock.running.filter(|running| running.includes(side))?;
        let left = clock.free_ms[side].saturating_sub(self.gone_ms(side, server_now)?);
        Some(left).filter(|left| *left > 0)
    }

    /// How long a side's clock has run since the server sent it.
    fn gone_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        let runs = clock.running.is_some_and(|running| running.includes(side));
        let is_running = runs && !self.view.paused && self.view.phase != Phase::Over;
        Some(if is_running { server_now.saturating_sub(clock.at.0) } else { 0 })
    }
}
