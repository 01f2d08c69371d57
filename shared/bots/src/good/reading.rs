//! Draws conclusions from the enemy's moves. For each army that the enemy may have, this module
//! computes the likelihood that a sensible player with this army would have made those moves. The
//! level *simple* serves as the model of a sensible player.
//!
//! The likelihood of a move is its attraction, divided by the sum of the attractions of all
//! possible moves. The attraction of a move depends mainly on the rank of the moving piece, and
//! very little on the ranks of other pieces. Therefore, one table of attractions by piece and
//! rank can be used for all armies.

use flagfall_board::{Rank, RankSet, Side, Square};
use flagfall_rules::{Identity, Move, View};

use super::belief::PerRank;
use crate::memory::{Memory, OwnMove};
use crate::simple::Turn;

/// If the scores of two moves differ by this much, the worse move is chosen about a third as
/// often as the better one. The scores are those of the level *simple*.
const TEMPER: f32 = 0.25;
/// The probability that a move cannot be explained by the model.
const ODD: f32 = 0.05;
/// The maximum and minimum attraction of a move, as logarithms relative to the move that the
/// enemy made.
const DRAW_MAX: f32 = 9.0;
const DRAW_MIN: f32 = -30.0;
/// The maximum number of readings to keep. The oldest readings are dropped first.
const READINGS_MAX: usize = 400;

/// An enemy piece before the enemy's last move.
pub(super) struct Subject {
    /// The square of the piece. `None` if the piece was already captured.
    pub(super) square: Option<Square>,
    /// The ranks that the piece can have, using everything that is known after the move.
    pub(super) possible: RankSet,
    /// The rank that the piece is assumed to have while other pieces are examined.
    pub(super) rank: Rank,
}

/// The data needed to compute the likelihood of one enemy move for any army.
pub(super) struct Reading {
    mover: usize,
    /// The attraction of the move that was made, for each rank that the moving piece may have.
    made: PerRank<f32>,
    /// For each piece and each rank, the sum of the attractions of all moves that the piece could
    /// make.
    drawn: Vec<PerRank<f32>>,
    /// The constant part of every move's likelihood, for moves that the model cannot explain.
    whim: f64,
}

impl Reading {
    /// Creates a reading from the view that the enemy had before its move. The ranks of the
    /// enemy's pieces in that view are ignored. Returns the reading, and the move as an entry for
    /// the enemy's memory.
    pub(super) fn new(
        view: &mut View,
        enemy: Side,
        memory: &Memory,
        subjects: &[Subject],
        made: Move,
    ) -> Option<(Reading, OwnMove)> {
        let mover = subjects.iter().position(|subject| subject.square == Some(made.from))?;
        suppose(view, enemy, subjects, |subject| subject.possible.single().unwrap_or(Rank::Scout));
        let moves: Vec<Move> = view.legal_moves()?.iter().collect();
        suppose(view, enemy, subjects, |subject| subject.rank);
        let mut turn = Turn::supposed(view, enemy, memory);
        let mut drafts = Vec::with_capacity(moves.len() * Rank::COUNT);
        for (number, subject) in subjects.iter().enumerate() {
            let Some(square) = subject.square else { continue };
            let of_piece = || moves.iter().filter(|squares| squares.from == square);
            if of_piece().next().is_none() {
                continue;
            }
            for rank in subject.possible.iter().filter(|rank| rank.is_movable()) {
                turn.suppose(square, rank);
                let rest = turn.rest();
                for squares in of_piece().filter(|squares| can_make(rank, **squares)) {
                    drafts.push((number, rank, turn.score(*squares) - rest, *squares == made));
                }
            }
            turn.suppose(square, subject.rank);
        }
        let scores = drafts.iter().filter(|(.., is_made)| *is_made).map(|(_, _, score, _)| *score);
        let best = scores.reduce(f32::max)?;
        let mut reading = Reading {
            mover,
            made: [0.0; Rank::COUNT],
            drawn: vec![[0.0; Rank::COUNT]; subjects.len()],
            whim: f64::from(ODD) / moves.len() as f64,
        };
        for (number, rank, score, is_made) in drafts {
            let draw = ((score - best) / TEMPER).clamp(DRAW_MIN, DRAW_MAX).exp();
            reading.drawn[number][rank as usize] += draw;
            if is_made {
                reading.made[rank as usize] += draw;
            }
        }
        turn.own_move(made).map(|own_move| (reading, own_move))
    }

    /// Returns the likelihood of the move for an army. `made` is the attraction of the move, and
    /// `drawn` is the sum of the attractions of all possible moves.
    fn likelihood(&self, made: f32, drawn: f64) -> f64 {
        let made = f64::from(made);
        // The sum is inexact after many additions and subtractions, so it could be too small.
        let drawn = drawn.max(made);
        if drawn > 0.0 { (1.0 - f64::from(ODD)) * made / drawn + self.whim } else { self.whim }
    }

    /// Returns the amount by which the sum of all attractions changes if two pieces of an army
    /// exchange ranks.
    fn change(&self, army: &[Rank], one: usize, other: usize) -> f32 {
        let (a, b) = (army[one] as usize, army[other] as usize);
        let (at_one, at_other) = (&self.drawn[one], &self.drawn[other]);
        at_one[b] - at_one[a] + at_other[a] - at_other[b]
    }
}

/// Sets the ranks of the enemy's pieces in a view.
fn suppose(view: &mut View, enemy: Side, subjects: &[Subject], rank_of: impl Fn(&Subject) -> Rank) {
    for piece in view.pieces.iter_mut().filter(|piece| piece.side == enemy) {
        if let Some(subject) = subjects.iter().find(|subject| subject.square == Some(piece.square)) {
            piece.identity = Identity::Known(rank_of(subject));
        }
    }
}

/// True if a piece of this rank can make the move. Assumes that a Scout can make any move.
fn can_make(rank: Rank, squares: Move) -> bool {
    rank == Rank::Scout || squares.from.distance(squares.to) == 1
}

/// All readings of a game, and the army for which they are evaluated.
#[derive(Default)]
pub(super) struct Readings {
    list: Vec<Reading>,
    /// For each reading, the sum of the attractions of all moves that the current army could have
    /// made.
    drawn: Vec<f64>,
}

impl Readings {
    pub(super) fn push(&mut self, reading: Reading) {
        if self.list.len() == READINGS_MAX {
            self.list.remove(0);
        }
        self.list.push(reading);
    }

    /// Makes an army the current army.
    pub(super) fn take_up(&mut self, army: &[Rank]) {
        self.drawn.clear();
        self.drawn.extend(self.list.iter().map(|reading| -> f64 {
            reading.drawn.iter().zip(army).map(|(drawn, rank)| f64::from(drawn[*rank as usize])).sum()
        }));
    }

    /// Returns the change in the likelihood of all moves, as a logarithm, if two pieces of the
    /// army exchange ranks.
    pub(super) fn compare(&self, army: &[Rank], one: usize, other: usize) -> f32 {
        let mut ratio = Product { log: 0.0, part: 1.0 };
        for (reading, drawn) in self.list.iter().zip(&self.drawn) {
            let change = reading.change(army, one, other);
            let before = reading.made[army[reading.mover] as usize];
            let after = match reading.mover {
                mover if mover == one => reading.made[army[other] as usize],
                mover if mover == other => reading.made[army[one] as usize],
                _ => before,
            };
            if change != 0.0 || before != after {
                ratio.multiply(
                    reading.likelihood(after, drawn + f64::from(change)) / reading.likelihood(before, *drawn),
                );
            }
        }
        ratio.ln() as f32
    }

    /// Updates the sums after two pieces of the army have exchanged ranks.
    pub(super) fn exchange(&mut self, army: &[Rank], one: usize, other: usize) {
        for (reading, drawn) in self.list.iter().zip(&mut self.drawn) {
            *drawn += f64::from(reading.change(army, one, other));
        }
    }
}

/// A product of many factors that may become extremely large or small, although each factor is
/// moderate.
struct Product {
    log: f64,
    part: f64,
}

impl Product {
    fn multiply(&mut self, factor: f64) {
        self.part *= factor;
        if !(1e-100..1e100).contains(&self.part) {
            self.log += self.part.ln();
            self.part = 1.0;
        }
    }

    fn ln(&self) -> f64 {
        self.log + self.part.ln()
    }
}
