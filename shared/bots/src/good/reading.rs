//! Reads the enemy's moves: how likely a sensible player would have made them with one army or
//! another. The level *simple* is the model of that player.
//!
//! A move is weighed against all moves that were possible. How much a piece is drawn to its moves
//! depends on its own rank, and hardly on the ranks of other pieces. So one table by piece and
//! rank serves for every army.

use flagfall_board::{Rank, RankSet, Side, Square};
use flagfall_rules::{Identity, Move, View};

use super::belief::PerRank;
use crate::memory::{Memory, OwnMove};
use crate::simple::Turn;

/// A move that looks this much worse, in units of the level *simple*, is made about a third as
/// often.
const TEMPER: f32 = 0.25;
/// The share of moves that the model does not explain.
const ODD: f32 = 0.05;
/// The strongest and the weakest attraction of a move, as logarithms relative to the move made.
const DRAW_MAX: f32 = 9.0;
const DRAW_MIN: f32 = -30.0;
/// The most readings that are kept. The oldest are dropped.
const READINGS_MAX: usize = 400;

/// An enemy piece before the enemy's move.
pub(super) struct Subject {
    /// Its square, if it was on the board.
    pub(super) square: Option<Square>,
    /// The ranks that it can have, as known by now.
    pub(super) possible: RankSet,
    /// Its assumed rank while other pieces are examined.
    pub(super) rank: Rank,
}

/// One enemy move, with which any army can be tested.
pub(super) struct Reading {
    mover: usize,
    /// How much the piece that moved was drawn to this move, for each rank.
    made: PerRank<f32>,
    /// How much each piece was drawn to all its moves together, for each rank.
    drawn: Vec<PerRank<f32>>,
    /// The probability of any one move that the model does not explain.
    whim: f64,
}

impl Reading {
    /// Reads a move from the enemy's view before the move. The ranks of the enemy's pieces in
    /// that view do not matter. Returns the reading, and the move for the enemy's memory.
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

    /// Returns how likely the move is for an army that is drawn to it by `made`, and to all moves
    /// together by `drawn`.
    fn likelihood(&self, made: f32, drawn: f64) -> f64 {
        let made = f64::from(made);
        // Many additions and subtractions make the sum inexact.
        let drawn = drawn.max(made);
        if drawn > 0.0 { (1.0 - f64::from(ODD)) * made / drawn + self.whim } else { self.whim }
    }

    /// Returns how much more an army is drawn to all its moves if two pieces exchange ranks.
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

/// True if a rank can make a move that a Scout can make.
fn can_make(rank: Rank, squares: Move) -> bool {
    rank == Rank::Scout || squares.from.distance(squares.to) == 1
}

/// All readings of a game, and the army that they are applied to.
#[derive(Default)]
pub(super) struct Readings {
    list: Vec<Reading>,
    /// How much the current army was drawn to all its moves, for each reading.
    drawn: Vec<f64>,
}

impl Readings {
    pub(super) fn push(&mut self, reading: Reading) {
        if self.list.len() == READINGS_MAX {
            self.list.remove(0);
        }
        self.list.push(reading);
    }

    /// Applies the readings to an army.
    pub(super) fn take_up(&mut self, army: &[Rank]) {
        self.drawn.clear();
        self.drawn.extend(self.list.iter().map(|reading| -> f64 {
            reading.drawn.iter().zip(army).map(|(drawn, rank)| f64::from(drawn[*rank as usize])).sum()
        }));
    }

    /// How much likelier the moves become, as a logarithm, if two pieces of the army exchange
    /// ranks.
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

    /// Updates the sums for two pieces of the army that exchange ranks.
    pub(super) fn exchange(&mut self, army: &[Rank], one: usize, other: usize) {
        for (reading, drawn) in self.list.iter().zip(&mut self.drawn) {
            *drawn += f64::from(reading.change(army, one, other));
        }
    }
}

/// A product of many moderate numbers that may itself be extreme.
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
