//! The game that is open: what the server showed of it, and where the person is in it.

use flagfall_board::{PerSide, Side, Square};
use flagfall_protocol::{GameSummary, GameView, Phase, Presence, Viewer};
use flagfall_rules::Ruleset;

use crate::deploy::DeployEditor;

/// A game that is open.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenGame {
    /// Who plays what.
    pub summary: GameSummary,
    /// By which rules; none when this client does not know them.
    pub ruleset: Option<&'static Ruleset>,
    /// As whom the client sees it.
    pub audience: Viewer,
    /// Whether the client may act.
    pub driving: bool,
    /// Another connection took the seat.
    pub superseded: bool,
    /// Changes when the log was lost.
    pub epoch: u64,
    /// What has been seen.
    pub seq: u64,
    /// The view at `seq`.
    pub view: GameView,
    /// Each player's presence.
    pub presence: PerSide<Presence>,
    /// Who is not there because they left on purpose.
    pub left: PerSide<bool>,
    /// From when on the game can be claimed because this player is gone, in milliseconds since 1970 by the server's clock.
    pub claimable_at: PerSide<Option<u64>>,
    /// Whether it was said that it can be claimed.
    pub is_claim_told: bool,
    /// Whether what the opponent says is not shown.
    pub is_muted: bool,
    /// Who has asked for a rematch.
    pub rematch: Vec<Side>,
    /// The game was asked for again and has not come yet.
    pub reopening: bool,
    /// The deployment editor, while deploying with a seat.
    pub editor: Option<DeployEditor>,
    /// The square under the cursor.
    pub cursor: Square,
    /// The square of the piece that is to move.
    pub selected: Option<Square>,
    /// What is typed of a move.
    pub typed: String,
    /// The game cannot be served any longer.
    pub unavailable: bool,
}

impl OpenGame {
    /// One's own side, with a seat.
    #[must_use]
    pub fn own_side(&self) -> Option<Side> {
        self.audience.side()
    }

    /// Whether it is one's own turn and one may move.
    #[must_use]
    pub fn is_own_turn(&self) -> bool {
        self.own_side().is_some_and(|side| self.view.is_to_act(side))
    }

    /// Whether one's own side has yet to say what its struck coin is (§Q4).
    #[must_use]
    pub fn is_choosing(&self) -> bool {
        self.view.pending_strike.is_some() && self.is_own_turn()
    }

    /// Whether one's own side owes the color of a chip before anything else (§S2.4).
    #[must_use]
    pub fn is_owing_color(&self) -> bool {
        self.view.owed_color.is_some_and(|owed| self.own_side() == Some(owed.side)) && self.is_acting()
    }

    /// True if the game was aborted.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        self.view.outcome.as_ref().is_some_and(|outcome| outcome.reason == "aborted")
    }

    /// Whether this client may act in the game.
    #[must_use]
    pub fn is_acting(&self) -> bool {
        self.own_side().is_some() && self.driving && !self.superseded && !self.unavailable
    }

    /// In how many milliseconds one may claim the game that the other side has left; none while it is here.
    #[must_use]
    pub fn claimable_in_ms(&self, server_now: u64) -> Option<u64> {
        let is_playing = self.view.phase == Phase::Playing;
        let own = self.own_side().filter(|_| is_playing)?;
        Some(self.claimable_at[own.opponent()]?.saturating_sub(server_now))
    }

    /// What is left to a side at this moment of the server's time.
    #[must_use]
    pub fn remaining_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        let gone = self.gone_ms(side, server_now)?;
        Some(clock.remaining_ms[side].saturating_sub(gone.saturating_sub(clock.free_ms[side])))
    }

    /// What is left to a side of its turn's free time, while that runs.
    #[must_use]
    pub fn free_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        clock.running.filter(|running| running.includes(side))?;
        let left = clock.free_ms[side].saturating_sub(self.gone_ms(side, server_now)?);
        Some(left).filter(|left| *left > 0)
    }

    /// How long a side's time has run since the server told it.
    fn gone_ms(&self, side: Side, server_now: u64) -> Option<u64> {
        let clock = self.view.clock?;
        let runs = clock.running.is_some_and(|running| running.includes(side));
        let is_running = runs && !self.view.paused && self.view.phase != Phase::Over;
        Some(if is_running { server_now.saturating_sub(clock.at.0) } else { 0 })
    }
}
