//! Decides whether a ply ends the game. The reason can be a captured Flag, a side without a legal
//! move, or a limit (§A10, §A12, §S1.8).

use flagfall_board::{Ply, Rank, Side, Square};
use flagfall_view::Fate;

use crate::event::Moved;
use crate::moves::Field;
use crate::outcome::{EndReason, Outcome};
use crate::position::{Position, Variants};
use crate::repetition::neighbors;
use crate::variants::CoinState;

/// Returns the outcome if a ply between board and reserve ends the game.
pub(super) fn judge_exchange(position: &Position, side: Side) -> Option<Outcome> {
    if !has_act(position, side.opponent(), None) {
        return Some(Outcome::won(side, EndReason::NoLegalMove));
    }
    judge_limits(position, position.quiet_plies.saturating_add(1), position.ply().saturating_add(1))
}

/// True if a side could still act on its turn after losing the piece on `lost`, by placing a
/// piece from its reserve or by removing a piece other than the Flag (§S1.8). Placing counts even
/// if no home square is empty.
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

/// Returns the outcome if a ply ends the game. The checks are in the order of §A10.
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

/// Like [`judge`], for rulesets with a reserve, in which a side without a move may still remove
/// or place a piece (§S1.8).
///
/// If a side must name a color after the ply, the function returns `None`, and these checks are
/// made when the color is named.
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

/// Returns the outcome if these numbers of plies and quiet plies reach a limit (§A12).
#[inline]
pub(super) fn judge_limits(position: &Position, quiet_plies: Ply, plies: Ply) -> Option<Outcome> {
    let ruleset = position.ruleset();
    if ruleset.quiet_limit.is_some_and(|limit| quiet_plies >= limit) {
        return Some(Outcome::nobody(EndReason::QuietLimit));
    }
    (plies >= ruleset.ply_limit).then(|| Outcome::nobody(EndReason::PlyLimit))
}

/// A cheap check that is enough for most plies. If it returns true, the other side can move after
/// this ply. If it returns false, a full check is needed. The check looks for two one-square
/// moves, because the two-squares rule can forbid at most one of them.
#[inline]
fn is_surely_mobile_after(position: &Position, moved: &Moved, coin_state: Option<&CoinState>) -> bool {
    let other = moved.side.opponent();
    let field = position.field_with(other, None);
    let (mut own, mut walkers, mut foes, mut open) = (*field.own, *field.walkers, *field.foes, *field.open);
    if let Some(coin_state) = coin_state {
        // The rank chosen for the coin in the strike may prevent unmoved coins from moving (§Q6),
        // so this check does not count their moves.
        walkers = walkers.without(coin_state.coins[other].bound_soon());
    }
    foes.remove(moved.from);
    match moved.strike {
        None => foes.insert(moved.to),
        Some(strike) => {
            // Ignore moves of the two pieces in the strike. Treat squares that they may occupy
            // afterwards as occupied, so that the check never counts a move that does not exist.
            own.insert(moved.to);
            walkers.remove(moved.to);
            if strike.defender.fate == Fate::Advances {
                own.insert(moved.from);
            }
        }
    }
    if position.repetition.is_chasing_next(position.ruleset(), other) {
        // Ignore steps to squares next to enemy pieces, because the more-squares rule can forbid
        // only those steps. After a strike, it forbids none.
        open = open.without(neighbors(foes));
    }
    Field { own: &own, walkers: &walkers, foes: &foes, open: &open, ..field }.has_two_steps()
}

/// Like [`judge_mobility`], for the position after a ply.
#[cold]
fn judge_mobility_after(position: &Position, moved: Moved) -> Option<Outcome> {
    let mut after = position.clone();
    after.apply(&moved);
    judge_mobility(&after)
}

/// Returns the outcome if the side to move cannot act (§A10). Returns `None` if the side can act,
/// or while a strike is pending.
pub(crate) fn judge_mobility(position: &Position) -> Option<Outcome> {
    let side = position.turn();
    if position.has_strike_pending() {
        // A side that has to choose a rank always has a choice, because the reserve rule leaves
        // it at least one rank (§Q4, §Q6).
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
