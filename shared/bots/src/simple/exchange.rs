//! Play in rulesets with a reserve (§S). This module chooses moves, pieces to place on squares,
//! pieces to remove, and the colors of chips.

use flagfall_board::{Chance, ChipColor, Rank, Side, Square, SquareSet};
use flagfall_rules::{Command, Placing, View};

use super::board::neighbors;
use super::danger::danger;
use super::{Turn, WHIM};
use crate::mind::Best;

/// The additional value of placing a piece, for each piece by which the side is outnumbered on
/// the board.
const OUTNUMBERED: f32 = 0.12;
/// The maximum additional value of placing a piece for a side that is outnumbered.
const OUTNUMBERED_MAX: f32 = 1.0;
/// The weight of a square's attraction when a piece is placed on the square.
const NEARNESS: f32 = 0.12;
/// The additional value of a piece on the board, compared with one in the reserve, as a share of
/// the piece's value.
const FIELDED: f32 = 0.04;
/// The cost of removing a piece. It takes another turn to bring the piece back.
const REMOVED: f32 = 0.5;
/// The value of making a known piece secret again by removing and later placing it, as a share of
/// the value of a secret rank.
const REFIT: f32 = 0.5;
/// The maximum number of placings that are examined closely.
const PLACINGS_MAX: usize = 12;

/// Returns the color of the chips that a side lays. Chips of this color form the side's supply
/// lines and interrupt those of the enemy.
fn own_color(side: Side) -> ChipColor {
    match side {
        Side::Red => ChipColor::Red,
        Side::Blue => ChipColor::Blue,
    }
}

impl Turn<'_> {
    pub(super) fn best_command(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        let commands = view.legal_commands().filter(|commands| !commands.is_empty())?;
        let color = own_color(self.side);
        if view.owed_color.is_some() {
            return Some(Command::Color(color));
        }
        let mut best = Best::new(chance, WHIM);
        let mut placings = Vec::new();
        for command in commands.iter() {
            match command {
                Command::Move(asked) if asked.color.is_none_or(|asked| asked == color) => {
                    best.try_out(self.score(asked.squares), command);
                }
                Command::Place(placing) if placing.color.is_none_or(|asked| asked == color) => {
                    placings.push(placing);
                }
                _ => {}
            }
        }
        for (score, placing) in self.placings(view, placings) {
            best.try_out(score, Command::Place(placing));
        }
        for square in self.board.own.iter() {
            if let Some(score) = self.score_of_removing(view, square) {
                best.try_out(score, Command::Remove(square));
            }
        }
        best.choice()
    }

    /// Returns the most promising placings with their scores.
    fn placings(&mut self, view: &View, placings: Vec<Placing>) -> Vec<(f32, Placing)> {
        let more = self.foes.len() as f32 - self.board.own.len() as f32;
        let lack = (OUTNUMBERED * more).clamp(0.0, OUTNUMBERED_MAX);
        let guarded: SquareSet =
            self.board.flag.map_or(SquareSet::EMPTY, |flag| neighbors(&self.board, flag).collect());
        let mut likely: Vec<(f32, Placing)> =
            placings.into_iter().map(|placing| (self.wanted(&placing, lack, guarded), placing)).collect();
        likely.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        likely.truncate(PLACINGS_MAX);
        let fear = self.fear();
        for (score, placing) in &mut likely {
            let after = self.board.after_placing(placing.square, placing.rank, placing.is_labeled);
            *score -= fear * danger(view.ruleset, &after, &self.foes, &self.worths);
        }
        likely
    }

    /// Returns the value of placing a piece on a square, ignoring the enemy's reply.
    fn wanted(&mut self, placing: &Placing, lack: f32, guarded: SquareSet) -> f32 {
        let Placing { square, rank, .. } = *placing;
        if rank == Rank::Bomb {
            // Bombs are useful next to the Flag. Elsewhere they only block the way.
            return if guarded.contains(square) { lack + 1.0 } else { -1.0 };
        }
        lack + NEARNESS * self.pull(rank, square) + FIELDED * self.worths.own[rank as usize]
    }

    /// Returns the value of removing a piece, which makes the piece safe and its rank unknown.
    fn score_of_removing(&mut self, view: &View, square: Square) -> Option<f32> {
        let own = self.board.own_at(square).filter(|own| own.rank != Rank::Flag)?;
        let is_labeled = view.pieces.iter().any(|piece| piece.square == square && piece.is_labeled);
        let worth = self.worths.own[own.rank as usize];
        let refit = if own.is_revealed && !is_labeled { REFIT * self.secrecy * worth } else { 0.0 };
        let after = self.board.after_loss(square);
        let danger = danger(view.ruleset, &after, &self.foes, &self.worths);
        let left = NEARNESS * self.pull(own.rank, square) + FIELDED * worth;
        Some(refit - REMOVED - left - self.fear() * danger)
    }
}
