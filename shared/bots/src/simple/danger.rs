//! Estimates how much the enemy could gain with its next move.

use flagfall_board::{Rank, Square, SquareSet};
use flagfall_rules::{Fate, Ruleset, strike_fates};

use super::belief::{Enemy, PerRank};
use super::board::{Board, Own, neighbors};
use super::worth::FLAG;

/// The distance from the Flag within which enemy pieces count as intruders, in steps.
const WATCH: usize = 5;
/// For each distance from the Flag, the amount by which an intruder reduces the Flag's safety.
const INTRUSION: [f32; WATCH + 1] = [0.0, 0.0, 0.16, 0.08, 0.03, 0.01];

/// The value of each rank, for each side.
pub(super) struct Worths {
    pub(super) own: PerRank,
    pub(super) foe: PerRank,
}

/// Returns the expected loss if the enemy moves next. The largest possible loss counts in full,
/// and the other losses count in part.
pub(super) fn danger(ruleset: &Ruleset, board: &Board, foes: &[Enemy], worths: &Worths) -> f32 {
    let (mut worst, mut all) = (0.0_f32, 0.0);
    for square in board.own.iter() {
        let Some(own) = board.own_at(square) else { continue };
        let loss = neighbors(board, square)
            .filter_map(|next| board.foe_at(foes, next))
            .map(|foe| loss_to(ruleset, board, square, own, foe, worths))
            .fold(0.0, f32::max);
        worst = worst.max(loss);
        all += loss;
    }
    let intrusion = board.flag.map_or(0.0, |flag| intrusion(board, foes, flag));
    worst + 0.15 * (all - worst) + intrusion
}

/// Returns the loss if this neighboring enemy piece strikes, weighted by the probability that it
/// strikes.
fn loss_to(ruleset: &Ruleset, board: &Board, square: Square, own: Own, foe: &Enemy, worths: &Worths) -> f32 {
    let mine = own_worth(board, square, own, worths);
    let gain = |rank: Rank| {
        let (attacker, defender) = strike_fates(ruleset, rank, own.rank);
        let lost = if defender == Fate::Leaves { mine } else { 0.0 };
        let paid = if attacker == Fate::Leaves { worths.foe[rank as usize] } else { 0.0 };
        (lost, paid)
    };
    let movable = foe.ranks().filter(|(rank, _)| rank.is_movable());
    let loss: f32 = if own.is_revealed {
        // The enemy knows the rank of the piece, so the enemy strikes if it expects a gain.
        movable
            .map(|(rank, chance)| {
                let (lost, paid) = gain(rank);
                chance * (lost - paid).max(0.0)
            })
            .sum()
    } else {
        let willing = if own.is_moved { 0.6 } else { 0.35 };
        let balance: f32 = movable
            .map(|(rank, chance)| {
                let (lost, paid) = gain(rank);
                chance * (lost - 0.7 * paid)
            })
            .sum();
        willing * balance.max(0.0)
    };
    let active = if foe.is_moved || foe.known.is_some() { 1.0 } else { 0.5 };
    (active * (loss - revenge(ruleset, board, square, foe, worths))).max(0.0)
}

/// Returns the value that the side would win back if a neighbor of the lost piece can capture the
/// enemy piece that struck.
fn revenge(ruleset: &Ruleset, board: &Board, square: Square, foe: &Enemy, worths: &Worths) -> f32 {
    let Some(rank) = foe.known else { return 0.0 };
    let is_avenged = neighbors(board, square)
        .filter_map(|next| board.own_at(next))
        .any(|own| own.rank.is_movable() && strike_fates(ruleset, own.rank, rank).1 == Fate::Leaves);
    if is_avenged { 0.5 * worths.foe[rank as usize] } else { 0.0 }
}

fn own_worth(board: &Board, square: Square, own: Own, worths: &Worths) -> f32 {
    let worth = worths.own[own.rank as usize];
    let is_guard = own.rank == Rank::Bomb && neighbors(board, square).any(|next| Some(next) == board.flag);
    if is_guard { worth + 6.0 } else { worth }
}

/// Returns the Flag's exposure to enemy pieces that could walk up to it.
fn intrusion(board: &Board, foes: &[Enemy], flag: Square) -> f32 {
    let mut seen = SquareSet::only(flag);
    let mut edge = seen;
    let mut exposed = 0.0;
    for weight in INTRUSION.into_iter().skip(1) {
        let next: SquareSet =
            edge.iter().flat_map(|square| neighbors(board, square)).collect::<SquareSet>().without(seen);
        seen |= next;
        let movable = |square| board.foe_at(foes, square).map_or(0.0, |foe| foe.movable_chance());
        exposed += weight * (next & board.foes).iter().map(movable).sum::<f32>();
        edge = next.without(board.own).without(board.foes);
    }
    FLAG * exposed
}
