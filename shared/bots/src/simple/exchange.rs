//! Play in rulesets with a reserve (§S): which moves to make, which pieces to place and where,
//! which to remove, and which chips to lay.

use flagfall_board::{ChipColor, Rank, Side, Square, SquareSet};
use flagfall_rules::{Command, Placing, View};

use super::board::neighbors;
use super::danger::danger;
use super::{Turn, WHIM};
use crate::Chance;
use crate::mind::Best;

/// The value of placing a piece, for each piece by which the enemy outnumbers the side on the
/// board.
const OUTNUMBERED: f32 = 0.12;
/// The most that this value can be.
const OUTNUMBERED_MAX: f32 = 1.0;
/// How much the attraction of its square counts for a placed piece.
const NEARNESS: f32 = 0.12;
/// How much more a piece counts on the board than in reserve, as a share of its worth.
const FIELDED: f32 = 0.04;
/// The cost of a removal, because the piece still has to come back.
const REMOVED: f32 = 0.5;
/// The share of its secrecy that a known piece regains when it comes back.
const REFIT: f32 = 0.5;
/// How many placings are examined closely.
const PLACINGS_MAX: usize = 12;

/// The color that a side lays. Chips of this color make its own supply lines and break the
/// enemy's.
fn own_color(side: Side) -> ChipColor {
    match side {
        Side::Red => ChipColor::Red,
        Side::Blue => ChipColor::Blue,
    }
}

impl Turn<'_> {
    /// The best of all legal commands.
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

    /// The most promising placings, with their scores.
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

    /// How much a piece is wanted on a square, regardless of the enemy's answer.
    fn wanted(&mut self, placing: &Placing, lack: f32, guarded: SquareSet) -> f32 {
        let Placing { square, rank, .. } = *placing;
        if rank == Rank::Bomb {
            // Bombs guard the Flag. Elsewhere they are in the way.
            return if guarded.contains(square) { lack + 1.0 } else { -1.0 };
        }
        lack + NEARNESS * self.pull(rank, square) + FIELDED * self.worths.own[rank as usize]
    }

    /// Returns the value of removing a piece, which is then safe and unknown.
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
