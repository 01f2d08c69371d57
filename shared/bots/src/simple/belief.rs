//! Estimates the ranks of enemy pieces. The estimates are based on the army, captures, known
//! ranks, moves, and what strikes have shown.

use flagfall_board::{Rank, RankSet, Side, Square};
use flagfall_rules::{Fill, Identity, Ruleset, View};

use crate::mind::rows_ahead;

/// The number of rounds in which the probabilities are fitted to the counts. A few rounds are
/// accurate enough.
const ROUNDS: usize = 5;

/// The probability above which a rank counts as known.
const CERTAIN: f32 = 0.999;

/// A probability or a number for each rank.
pub(crate) type PerRank = [f32; Rank::COUNT];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Enemy {
    pub(crate) square: Square,
    pub(crate) is_moved: bool,
    /// The rank of the piece, if it is known.
    pub(crate) known: Option<Rank>,
    /// The probability of each rank. The probabilities add up to one.
    pub(crate) chances: PerRank,
}

impl Enemy {
    /// The ranks that the piece can have, with their probabilities.
    pub(super) fn ranks(&self) -> impl Iterator<Item = (Rank, f32)> + '_ {
        Rank::ALL
            .into_iter()
            .map(|rank| (rank, self.chances[rank as usize]))
            .filter(|(_, chance)| *chance > 0.0)
    }

    /// The probability that the piece can move at all.
    pub(super) fn movable_chance(&self) -> f32 {
        1.0 - self.chances[Rank::Flag as usize] - self.chances[Rank::Bomb as usize]
    }
}

/// Returns the enemy pieces of a view. `suspects` is a function that returns the ranks that a
/// hidden piece on a square can have.
pub(super) fn foes(view: &View, side: Side, suspects: impl Fn(Square) -> RankSet) -> Vec<Enemy> {
    let mut left: PerRank = Rank::ALL.map(|rank| {
        let captured = view.captured[side.opponent()][rank];
        let face_up = view.reserve.map_or(0, |reserve| reserve[side.opponent()].labeled[rank]);
        f32::from(view.ruleset.army.count(rank).saturating_sub(captured).saturating_sub(face_up))
    });
    let mut foes = Vec::with_capacity(view.pieces.len());
    for piece in view.pieces.iter().filter(|piece| piece.side != side) {
        let can_be = match piece.identity {
            Identity::Known(rank) => RankSet::only(rank),
            identity => identity.ranks().intersection(suspects(piece.square)),
        };
        let known = can_be.single();
        if let Some(rank) = known {
            left[rank as usize] = (left[rank as usize] - 1.0).max(0.0);
        }
        let may_be = |rank: Rank| can_be.contains(rank) && (!piece.is_moved || rank.is_movable());
        let depth = rows_ahead(view.ruleset, side.opponent(), piece.square);
        let chances = Rank::ALL.map(|rank| if may_be(rank) { prior(view.ruleset, rank, depth) } else { 0.0 });
        foes.push(Enemy { square: piece.square, is_moved: piece.is_moved, known, chances });
    }
    if view.ruleset.reserve {
        field(&mut left, &foes);
    }
    fit(&mut foes, &left);
    for foe in foes.iter_mut().filter(|foe| foe.known.is_none()) {
        foe.known = Rank::ALL.into_iter().find(|rank| foe.chances[*rank as usize] > CERTAIN);
    }
    foes
}

/// Scales the number of remaining pieces of each rank down to the number expected on the board,
/// because some pieces are in the reserve. The Flag counts in full. All other ranks are scaled by
/// the same factor.
fn field(left: &mut PerRank, foes: &[Enemy]) {
    let hidden = foes.iter().filter(|foe| foe.known.is_none()).count() as f32;
    let flag = left[Rank::Flag as usize];
    let others = left.iter().sum::<f32>() - flag;
    if others > 0.0 {
        let part = (hidden - flag).max(0.0) / others;
        left.iter_mut().for_each(|count| *count *= part);
        left[Rank::Flag as usize] = flag;
    }
}

/// Returns how much more likely than average it is that an unmoved piece has this rank.
/// `rows_ahead` is the number of rows from the back row to the piece.
fn prior(ruleset: &Ruleset, rank: Rank, rows_ahead: u8) -> f32 {
    match (rank, ruleset.fill, rows_ahead) {
        // On boards with joints, the Flag is no safer in the back row, because the enemy can
        // reach it from behind (§S2.6).
        (Rank::Flag, _, _) if ruleset.shape.has_joints() => 1.0,
        (Rank::Flag, Fill::EveryHomeSquare, 0) => 8.0,
        (Rank::Flag, Fill::AnyHomeSquares, 0) => 5.0,
        (Rank::Flag, _, 1) => 1.0,
        (Rank::Flag, _, _) => 0.5,
        (Rank::Bomb, _, 0 | 1) => 1.5,
        (Rank::Bomb, _, _) => 0.7,
        _ => 1.0,
    }
}

/// Fits the probabilities of hidden pieces to the number of remaining pieces of each rank. The
/// probabilities of each rank and of each piece are scaled in turn (iterative proportional
/// fitting, Deming and Stephan 1940).
fn fit(foes: &mut [Enemy], left: &PerRank) {
    for _ in 0..ROUNDS {
        let mut totals: PerRank = [0.0; Rank::COUNT];
        for foe in foes.iter().filter(|foe| foe.known.is_none()) {
            totals.iter_mut().zip(foe.chances).for_each(|(total, chance)| *total += chance);
        }
        for foe in foes.iter_mut().filter(|foe| foe.known.is_none()) {
            for (chance, (total, left)) in foe.chances.iter_mut().zip(totals.iter().zip(left)) {
                *chance = if *total > 0.0 { *chance * left / total } else { 0.0 };
            }
            normalize(&mut foe.chances, foe.is_moved);
        }
    }
    foes.iter_mut().for_each(|foe| normalize(&mut foe.chances, foe.is_moved));
}

/// Scales the probabilities so that they add up to one. If all of them are zero, the view is
/// inconsistent, so all ranks that the piece can have become equally likely.
fn normalize(chances: &mut PerRank, is_moved: bool) {
    let total: f32 = chances.iter().sum();
    if total > 0.0 {
        chances.iter_mut().for_each(|chance| *chance /= total);
        return;
    }
    let may_be = |rank: Rank| (!is_moved || rank.is_movable()) && rank != Rank::Phoenix;
    let count = Rank::ALL.into_iter().filter(|rank| may_be(*rank)).count() as f32;
    *chances = Rank::ALL.map(|rank| if may_be(rank) { 1.0 / count } else { 0.0 });
}
