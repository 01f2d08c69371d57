//! What a game's course tells of the enemy's hidden pieces: where each began, and what its moves make likely.

use flagfall_board::{Ply, Rank, RankSet, Side, Square};
use flagfall_rules::{Fate, Fill, Identity, Move, Ruleset, SeenMove, SeenPiece, View, strike_fates};

use super::belief::{PerRank, Suspect};
use super::grid::{cell, is_adjacent};

/// An enemy piece on the board.
#[derive(Clone)]
pub(super) struct Foe {
    pub(super) square: Square,
    /// Where it was deployed, as far as that was seen.
    origin: Option<Square>,
    possible: RankSet,
    /// What its behavior did to the chance of each rank.
    behavior: PerRank<f64>,
}

/// All enemy pieces, carried from view to view.
#[derive(Clone, Default)]
pub(super) struct Foes {
    list: Vec<Foe>,
    ply: Option<Ply>,
    /// The last own move, and the ply it was made at.
    own_move: Option<(Ply, Move)>,
}

const IMMOVABLE: RankSet = RankSet::only(Rank::Flag).union(RankSet::only(Rank::Bomb));

/// How much likelier a piece that moves is of each rank than one that does not: Spies and Miners are kept back.
const ROVING: PerRank<f64> = [1.0, 1.0, 0.5, 1.0, 0.5, 0.8, 0.9, 1.2, 1.4, 1.6, 1.6, 1.5, 1.0];

/// How often people put a rank into each of four rows, the back row first, in thousandths: where the army fills its rows.
const ROWS_FILLED: PerRank<[u16; 4]> = [
    [868, 87, 24, 21],
    [384, 317, 171, 128],
    [57, 428, 391, 124],
    [187, 206, 276, 331],
    [462, 290, 156, 92],
    [285, 217, 197, 301],
    [157, 205, 254, 384],
    [151, 224, 280, 345],
    [144, 312, 288, 256],
    [58, 334, 400, 208],
    [21, 136, 514, 329],
    [25, 158, 473, 344],
    [250, 250, 250, 250],
];

/// The same where squares stay empty.
const ROWS_OPEN: PerRank<[u16; 4]> = [
    [610, 192, 91, 107],
    [413, 255, 122, 210],
    [130, 210, 200, 460],
    [259, 240, 172, 329],
    [225, 202, 200, 373],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [250, 250, 250, 250],
    [152, 187, 192, 469],
    [113, 172, 165, 550],
    [250, 250, 250, 250],
];

/// How likely each rank is on a home square it was deployed on, on no particular scale. Half of it is doubt: not everybody deploys as
/// most people do.
pub(super) fn prior(ruleset: &Ruleset, side: Side, origin: Option<Square>) -> PerRank<f64> {
    let Some(origin) = origin else { return [1.0; Rank::COUNT] };
    let shape = &ruleset.shape;
    let depth = match side {
        Side::Red => origin.row(),
        Side::Blue => shape.rows.saturating_sub(1).saturating_sub(origin.row()),
    };
    let span = usize::from(shape.home_rows.max(2)) - 1;
    // Boards with fewer or more home rows read the table at the nearest share of the depth.
    let row = (usize::from(depth).min(span) * 3 + span / 2) / span;
    let table = match ruleset.fill {
        Fill::EveryHomeSquare => &ROWS_FILLED,
        Fill::AnyHomeSquares => &ROWS_OPEN,
    };
    table.map(|rows| f64::from(rows[row]) / 250.0 + 0.25)
}

impl Foes {
    /// Takes a view in. The same view twice changes nothing.
    pub(super) fn see(&mut self, view: &View, me: Side) {
        if self.ply == Some(view.ply) && self.list.len() == count(view, me) {
            return;
        }
        let before = std::mem::take(self);
        let last = view.last_move.filter(|last| last.side != me);
        let own = before.own_move_until(view, me);
        let is_carried = before.ply.is_some_and(|ply| {
            ply <= view.ply && view.ply - ply == Ply::from(own.is_some()) + Ply::from(last.is_some())
        });
        for piece in view.pieces.iter().filter(|piece| piece.side != me) {
            let known = if is_carried { before.find(piece.square, own, last) } else { None };
            let mut foe = known.unwrap_or_else(|| Foe::new(piece));
            foe.square = piece.square;
            foe.narrow(piece);
            self.list.push(foe);
        }
        if let (true, Some(last)) = (is_carried, last) {
            self.note_behavior(view, me, &last);
        }
        self.ply = Some(view.ply);
        self.own_move = before.own_move.filter(|(ply, _)| *ply >= view.ply);
    }

    /// Remembers an own move that is about to be made.
    pub(super) fn note_own_move(&mut self, ply: Ply, squares: Move) {
        self.own_move = Some((ply, squares));
    }

    /// Where the piece on this square began, as far as that was seen.
    #[cfg(test)]
    pub(super) fn origin(&self, square: Square) -> Option<Square> {
        self.list.iter().find(|foe| foe.square == square)?.origin
    }

    /// A hidden piece for the belief.
    pub(super) fn suspect(&self, ruleset: &Ruleset, piece: &SeenPiece) -> Suspect {
        let mut suspect = self.list.iter().find(|foe| foe.square == piece.square).map_or_else(
            || Suspect { possible: RankSet::ALL, weight: [1.0; Rank::COUNT] },
            |foe| {
                let mut weight = prior(ruleset, piece.side, foe.origin);
                weight.iter_mut().zip(foe.behavior).for_each(|(weight, factor)| *weight *= factor);
                Suspect { possible: foe.possible, weight }
            },
        );
        if piece.is_moved {
            suspect.possible = suspect.possible.without(IMMOVABLE);
            suspect.weight.iter_mut().zip(ROVING).for_each(|(weight, factor)| *weight *= factor);
        }
        suspect
    }

    /// The own move between the last view and this one.
    fn own_move_until(&self, view: &View, me: Side) -> Option<Move> {
        if let Some(SeenMove { from, to, .. }) = view.last_move.filter(|last| last.side == me) {
            return self.ply.filter(|ply| *ply < view.ply).map(|_| Move { from, to });
        }
        let (ply, squares) = self.own_move?;
        (self.ply == Some(ply) && view.ply == ply + 2).then_some(squares)
    }

    /// The piece of the view before that now stands on this square.
    fn find(&self, square: Square, own: Option<Move>, last: Option<SeenMove>) -> Option<Foe> {
        let came_from = match last {
            Some(last) if last.to == square => last.from,
            Some(_) | None => square,
        };
        // A defender that won may have moved onto the square its attacker came from.
        let stood = match own {
            Some(squares) if squares.from == came_from => squares.to,
            Some(_) | None => came_from,
        };
        self.list.iter().find(|foe| foe.square == stood).cloned()
    }

    /// What the enemy's move, and what he left alone, make likely.
    fn note_behavior(&mut self, view: &View, me: Side, last: &SeenMove) {
        let ruleset = view.ruleset;
        let shown: Vec<(Square, Rank)> = (view.pieces.iter())
            .filter(|piece| piece.side == me && piece.is_revealed)
            .filter_map(|piece| match piece.identity {
                Identity::Known(rank) if !IMMOVABLE.contains(rank) => Some((piece.square, rank)),
                Identity::Known(_) | Identity::OneOf(_) | Identity::Hidden => None,
            })
            .collect();
        for foe in &mut self.list {
            let has_moved = foe.square == last.to;
            if has_moved && last.strike.is_some() {
                continue;
            }
            let stood = if has_moved { last.from } else { foe.square };
            for (square, rank) in &shown {
                let was_beside = is_adjacent(cell(stood), cell(*square));
                let is_beside = is_adjacent(cell(foe.square), cell(*square));
                let factors = match (was_beside, is_beside) {
                    // Fled: what it could have struck it feared.
                    (true, false) => Factors { beats: 0.35, ties: 0.8, loses: 1.3, immovable: 1.0 },
                    // Came: it wants something of that piece.
                    (false, true) => Factors { beats: 2.2, ties: 1.0, loses: 0.45, immovable: 1.0 },
                    // Stood there and let it be.
                    (true, true) => Factors { beats: 0.55, ties: 0.85, loses: 0.9, immovable: 1.15 },
                    (false, false) => continue,
                };
                foe.weigh(ruleset, *rank, &factors);
            }
        }
    }
}

/// By what a behavior toward a piece changes the chances of ranks, by what they do to it.
struct Factors {
    beats: f64,
    ties: f64,
    loses: f64,
    immovable: f64,
}

impl Foe {
    fn new(piece: &SeenPiece) -> Foe {
        Foe {
            square: piece.square,
            origin: (!piece.is_moved).then_some(piece.square),
            possible: RankSet::ALL,
            behavior: [1.0; Rank::COUNT],
        }
    }

    fn narrow(&mut self, piece: &SeenPiece) {
        let seen = match piece.identity {
            Identity::Known(rank) => RankSet::only(rank),
            Identity::OneOf(ranks) => ranks,
            Identity::Hidden => RankSet::ALL,
        };
        self.possible = self.possible.intersection(seen);
        if piece.is_moved {
            self.possible = self.possible.without(IMMOVABLE);
        }
    }

    fn weigh(&mut self, ruleset: &Ruleset, shown: Rank, factors: &Factors) {
        for rank in Rank::ALL {
            let factor = if IMMOVABLE.contains(rank) {
                factors.immovable
            } else {
                match strike_fates(ruleset, rank, shown) {
                    (Fate::Leaves, Fate::Leaves) => factors.ties,
                    (Fate::Leaves, _) => factors.loses,
                    (_, _) => factors.beats,
                }
            };
            let weight = &mut self.behavior[rank as usize];
            *weight = (*weight * factor).clamp(0.02, 50.0);
        }
    }
}

fn count(view: &View, me: Side) -> usize {
    view.pieces.iter().filter(|piece| piece.side != me).count()
}
