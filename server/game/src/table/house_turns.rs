//! Decides when house players are asked to act.

use flagfall_board::{PerSide, Ply, Side, Stamp};
use flagfall_rules::{Game, Phase};

/// The delay between the last entry and a house player's move if the opponent does not have the
/// game open on this server, in milliseconds.
pub(crate) const HOUSE_TAKEOVER_MS: u64 = 5_000;

/// A point in the game at which a house player acts: phase, ply, and whether a choice is pending.
/// The pending choice is included because making a choice does not change the ply number (§S2.4,
/// §Q4).
pub(super) type Moment = (Phase, Ply, bool);

#[derive(Default)]
pub(crate) struct HouseTurns {
    /// The point in the game at which each house player was last asked to act.
    pub(super) asked_at: PerSide<Option<Moment>>,
    /// The time at which this server will ask a house player to act, unless another server makes
    /// the move first.
    pub(super) takeover_at: Option<Stamp>,
}

pub(super) fn moment(game: &Game) -> Moment {
    let position = game.position();
    let is_choice = position.owed_color().is_some() || position.has_strike_pending();
    (game.phase(), game.ply(), is_choice)
}

pub(super) fn is_awaited(game: &Game, side: Side) -> bool {
    let is_to_deploy = game.phase() == Phase::Deploying && !game.is_ready(side);
    is_to_deploy || game.is_to_act(side)
}
