//! What each of the other side's pieces can be, and how likely: from the army, what was captured, what is known, which
//! pieces have moved, and what strikes have shown.

use flagfall_board::{Rank, RankSet, Side, Square};
use flagfall_rules::{Fill, Identity, Ruleset, View};

/// Rounds of fitting the pieces' chances to the counts. A handful comes close enough to choose by.
const ROUNDS: usize = 5;

/// A chance beyond which a rank counts as known: what else it could be, the counts rule out.
const CERTAIN: f32 = 0.999;

/// A chance, or an amount, for each rank.
pub(crate) type PerRank = [f32; Rank::COUNT];

/// A piece of the other side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foe {
    pub(crate) square: Square,
    pub(crate) is_moved: bool,
    /// Its rank, where it is known.
    pub(crate) known: Option<Rank>,
    /// The chance of each rank; they add up to one.
    pub(crate) chances: PerRank,
}

impl Foe {
    /// The ranks it can be, each with its chance.
    pub(super) fn ranks(&self) -> impl Iterator<Item = (Rank, f32)> + '_ {
        Rank::ALL
            .into_iter()
            .map(|rank| (rank, self.chances[rank as usize]))
            .filter(|(_, chance)| *chance > 0.0)
    }

    /// The chance that it can move at all.
    pub(super) fn movable_chance(&self) -> f32 {
        1.0 - self.chances[Rank::Flag as usize] - self.chances[Rank::Bomb as usize]
    }
}

/// Every piece of the other side in a view, with what `suspects` says a hidden one on a square can be.
pub(super) fn foes(view: &View, side: Side, suspects: impl Fn(Square) -> RankSet) -> Vec<Foe> {
    let mut left: PerRank = Rank::ALL.map(|rank| {
        let captured = view.captured[side.opponent()][rank];
        let face_up = view.reserve.map_or(0, |reserve| reserve[side.opponent()].labeled[rank]);
        f32::from(view.ruleset.army.count(rank).saturating_sub(captured).saturating_sub(face_up))
    });
    let mut foes = Vec::with_capacity(view.pieces.len());
    for piece in view.pieces.iter().filter(|piece| piece.side != side) {
        let can_be = match piece.identity {
            Identity::Known(rank) => RankSet::only(rank),
            Identity::OneOf(ranks) => ranks.intersection(suspects(piece.square)),
            Identity::Coin | Identity::Hidden => suspects(piece.square),
        };
        let known = can_be.single();
        if let Some(rank) = known {
            left[rank as usize] = (left[rank as usize] - 1.0).max(0.0);
        }
        let may_be = |rank: Rank| {
            can_be.contains(rank) && !(piece.is_moved && matches!(rank, Rank::Flag | Rank::Bomb))
        };
        let depth = depth(view, side.opponent(), piece.square);
        let chances = Rank::ALL.map(|rank| if may_be(rank) { prior(view.ruleset, rank, depth) } else { 0.0 });
        foes.push(Foe { square: piece.square, is_moved: piece.is_moved, known, chances });
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

/// What of the ranks that are left is likely on the board: the Flag, and of the others the same part.
fn field(left: &mut PerRank, foes: &[Foe]) {
    let hidden = foes.iter().filter(|foe| foe.known.is_none()).count() as f32;
    let flag = left[Rank::Flag as usize];
    let others = left.iter().sum::<f32>() - flag;
    if others > 0.0 {
        let part = (hidden - flag).max(0.0) / others;
        left.iter_mut().for_each(|count| *count *= part);
        left[Rank::Flag as usize] = flag;
    }
}

/// How much likelier than elsewhere a piece that has not moved is of this rank, so many rows ahead of its back row.
fn prior(ruleset: &Ruleset, rank: Rank, rows_ahead: u8) -> f32 {
    match (rank, ruleset.fill, rows_ahead) {
        // Behind the back row is the other side's (§S2.6).
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

/// How many rows a square lies ahead of a side's back row.
fn depth(view: &View, side: Side, square: Square) -> u8 {
    match side {
        Side::Red => square.row(),
        Side::Blue => (view.ruleset.shape.rows - 1).saturating_sub(square.row()),
    }
}

/// Fits the chances of hidden pieces to how many there are left of each rank: ranks and pieces in turns (iterative proportional
/// fitting, Deming and Stephan 1940).
fn fit(foes: &mut [Foe], left: &PerRank) {
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

/// Makes the chances add up to one. Where nothing is left that fits, the view is odd: then it can be whatever may stand so.
fn normalize(chances: &mut PerRank, is_moved: bool) {
    let total: f32 = chances.iter().sum();
    if total > 0.0 {
        chances.iter_mut().for_each(|chance| *chance /= total);
        return;
    }
    let may_be = |rank: Rank| !(is_moved && matches!(rank, Rank::Flag | Rank::Bomb)) && rank != Rank::Phoenix;
    let count = Rank::ALL.into_iter().filter(|rank| may_be(*rank)).count() as f32;
    *chances = Rank::ALL.map(|rank| if may_be(rank) { 1.0 / count } else { 0.0 });
}
