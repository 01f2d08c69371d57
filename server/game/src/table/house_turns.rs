//! When house players are asked to act.

use flagfall_board::{PerSide, Ply, Side, Stamp};
use flagfall_rules::{Game, Phase};

/// A server where no connection has the game open moves its house player this long after the last
/// entry, in milliseconds.
pub(crate) const HOUSE_TAKEOVER_MS: u64 = 5_000;

/// A moment at which a house player acts: phase, ply, and whether a choice is pending. Before and
/// after a choice, the ply is still to be made (§S2.4, §Q4).
type Moment = (Phase, Ply, bool);

#[derive(Default)]
pub(crate) struct HouseTurns {
    /// When each was last asked to act.
    asked_at: PerSide<Option<Moment>>,
    /// When to ask one that is left to other servers, if none of them has moved it by then.
    pub(super) takeover_at: Option<Stamp>,
}

impl HouseTurns {
    pub(super) fn is_asked(&self, side: Side, game: &Game) -> bool {
        self.asked_at[side] == Some(moment(game))
    }

    pub(super) fn note_asked(&mut self, side: Side, game: &Game) {
        self.asked_at[side] = Some(moment(game));
    }

    /// The side's command was not taken: it is asked again.
    pub(super) fn ask_again(&mut self, side: Side) {
        self.asked_at[side] = None;
    }
}

fn moment(game: &Game) -> Moment {
    let position = game.position();
    let is_choice = position.owed_color().is_some() || position.has_strike_pending();
    (game.phase(), game.ply(), is_choice)
}

pub(super) fn is_awaited(game: &Game, side: Side) -> bool {
    let is_to_deploy = game.phase() == Phase::Deploying && !game.is_ready(side);
    is_to_deploy || game.is_to_act(side)
}
