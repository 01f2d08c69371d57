//! Whether a ply ends the game: by the Flag, for lack of moves, or by a limit (§A10, §A12,
//! §S1.8).

use flagfall_board::{Ply, Rank, Side, Square};
use flagfall_view::Fate;

use crate::event::Moved;
use crate::moves::Field;
use crate::outcome::{EndReason, Outcome};
use crate::position::{Position, Variants};
use crate::repetition::neighbors;
use crate::variants::CoinState;

/// Whether a ply between board and reserve ends the game.
pub(super) fn judge_exchange(position: &Position, side: Side) -> Option<Outcome> {
    if !has_act(position, side.opponent(), None) {
        return Some(Outcome::won(side, EndReason::NoLegalMove));
    }
    judge_limits(position, position.quiet_plies.saturating_add(1), position.ply().saturating_add(1))
}

/// Whether a side with a reserve could act if it were the side's turn, without the piece on
/// `lost`. It can place a piece, or remove any piece but the Flag (§S1.8). The test does not
/// check for an empty home square.
fn has_act(position: &Position, side: Side, lost: Option<Square>) -> bool {
    let has_reserve =
        position.reserve_state().is_some_and(|reserve_state| reserve_state.reserve[side].size() > 0);
    has_reserve
        || position
            .occupied(side)
            .iter()
            .filter(|square| Some(*square) != lost)
            .any(|square| position.piece(square).is_some_and(|piece| piece.rank != Some(Rank::Flag)))
}

/// Whether a ply ends the game, in the order of §A10.
#[inline(always)]
pub(super) fn judge(position: &Position, moved: Moved, variants: Variants<'_>) -> Option<Outcome> {
    let side = moved.side;
    if moved.strike.is_some_and(|strike| strike.defender.rank == Rank::Flag) {
        return Some(Outcome::won(side, EndReason::FlagCaptured));
    }
    if variants.reserve_state.is_some() {
        return judge_with_reserve(position, moved);
    }
    if !is_surely_mobile_after(position, &moved, variants.coin_state)
        && let Some(outcome) = judge_mobility_after(position, moved)
    {
        return Some(outcome);
    }
    judge_limits(position, quiet_plies_after(position, moved), position.ply().saturating_add(1))
}

/// Like [`judge`], for rulesets in which a side without a move may still remove and place (§S1.8).
///
/// If the ply must be followed by a color, the other ends are judged when the color is named.
fn judge_with_reserve(position: &Position, moved: Moved) -> Option<Outcome> {
    let defender = moved.strike.map(|strike| strike.defender.fate);
    if position.ruleset().chips && defender == Some(Fate::Advances) {
        return None;
    }
    let lost = (defender == Some(Fate::Leaves)).then_some(moved.to);
    if !has_act(position, moved.side.opponent(), lost) {
        return Some(Outcome::won(moved.side, EndReason::NoLegalMove));
    }
    judge_limits(position, quiet_plies_after(position, moved), position.ply().saturating_add(1))
}

#[inline]
fn quiet_plies_after(position: &Position, moved: Moved) -> Ply {
    if moved.strike.is_some_and(|strike| strike.is_loud()) {
        0
    } else {
        position.quiet_plies.saturating_add(1)
    }
}

/// Whether these numbers of plies and quiet plies end the game (§A12).
#[inline]
pub(super) fn judge_limits(position: &Position, quiet_plies: Ply, plies: Ply) -> Option<Outcome> {
    let ruleset = position.ruleset();
    if ruleset.quiet_limit.is_some_and(|limit| quiet_plies >= limit) {
        return Some(Outcome::nobody(EndReason::QuietLimit));
    }
    (plies >= ruleset.ply_limit).then(|| Outcome::nobody(EndReason::PlyLimit))
}

/// A cheap test that is true only if the other side can move after this ply. It looks for two
/// one-square moves, because the two-squares rule cannot refuse both.
#[inline]
fn is_surely_mobile_after(position: &Position, moved: &Moved, coin_state: Option<&CoinState>) -> bool {
    let other = moved.side.opponent();
    let field = position.field_with(other, None);
    let (mut own, mut walkers, mut foes, mut open) = (*field.own, *field.walkers, *field.foes, *field.open);
    if let Some(coin_state) = coin_state {
        // The choice for the coin in the strike may keep the unmoved coins from moving (§Q6).
        walkers = walkers.without(coin_state.coins[other].bound_soon());
    }
    foes.remove(moved.from);
    match moved.strike {
        None => foes.insert(moved.to),
        Some(strike) => {
            // Ignore the moves of both pieces of the strike, and treat their squares as occupied
            // where that is possible. The test then never finds a move that does not exist.
            own.insert(moved.to);
            walkers.remove(moved.to);
            if strike.defender.fate == Fate::Advances {
                own.insert(moved.from);
            }
        }
    }
    if position.repetition.is_chasing_next(position.ruleset(), other) {
        // Ignore steps to squares next to enemy pieces, the only steps that the more-squares rule
        // can refuse. After a strike, the rule refuses nothing.
        open = open.without(neighbors(foes));
    }
    Field { own: &own, walkers: &walkers, foes: &foes, open: &open, ..field }.has_two_steps()
}

/// The verdict on the position after a ply.
#[cold]
fn judge_mobility_after(position: &Position, moved: Moved) -> Option<Outcome> {
    let mut after = position.clone();
    after.apply(&moved);
    judge_mobility(&after)
}

/// The verdict on a position. `None` if the side to move can act (§A10) or a strike waits for
/// choices.
pub(crate) fn judge_mobility(position: &Position) -> Option<Outcome> {
    let side = position.turn();
    if position.has_strike_pending() {
        // A side that has to choose always can, because the reserve rule always leaves a choice
        // (§Q4, §Q6).
        return None;
    }
    let can_act = if position.ruleset().reserve {
        position.owed_color().is_some() || has_act(position, side, None)
    } else {
        !position.legal_moves().is_empty()
    };
    if can_act {
        return None;
    }
    if !position.moves_without_reserve_rule(side).is_empty() {
        return Some(Outcome::won(side.opponent(), EndReason::ForfeitedReserve));
    }
    let is_draw =
        position.ruleset().blocked_draws && position.legal_moves_of(side.opponent(), |_| ()).is_empty();
    if is_draw {
        Some(Outcome::nobody(EndReason::BothBlocked))
    } else {
        Some(Outcome::won(side.opponent(), EndReason::NoLegalMove))
    }
}
