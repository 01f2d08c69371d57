//! Rulesets with a reserve (§S): moves, what to bring on and where, whom to take off, and which chips to lay.

use flagfall_board::{ChipColor, Rank, Side, Square, SquareSet};
use flagfall_rules::{Command, LegalCommands, MoveCommand, Placing, View};

use super::board::neighbors;
use super::danger::danger;
use super::{BOLDNESS, Turn, WHIM};
use crate::Chance;
use crate::memory::OwnMove;

/// What it is worth to bring a piece on, for each that the other side has more on the board.
const OUTNUMBERED: f32 = 0.12;
/// The most that is worth.
const OUTNUMBERED_MAX: f32 = 1.0;
/// The part of an attraction that a piece brought on near it counts for.
const NEARNESS: f32 = 0.12;
/// The part of its worth that a piece on the board counts for more than one in reserve.
const FIELDED: f32 = 0.04;
/// What a turn costs that takes a piece off: it has to come back yet.
const REMOVED: f32 = 0.5;
/// The part of its secrecy that a known piece has again when it comes back.
const REFIT: f32 = 0.5;
/// Ways to bring a piece on that are looked at closely.
const PLACINGS_MAX: usize = 12;

/// A command, and what to remember of it: nothing of one that is no move.
pub(super) struct Chosen {
    pub(super) command: Command,
    pub(super) remembered: Option<OwnMove>,
}

/// The color a side lays: chips of one color make supply lines of one's own, and break the other side's.
fn own_color(side: Side) -> ChipColor {
    match side {
        Side::Red => ChipColor::Red,
        Side::Blue => ChipColor::Blue,
    }
}

/// The best so far.
struct Best<'a> {
    chance: &'a mut Chance,
    best: Option<(f32, Command)>,
}

impl Best<'_> {
    fn try_out(&mut self, score: f32, command: Command) {
        let score = score + WHIM * self.chance.below(1000) as f32 / 1000.0;
        if self.best.as_ref().is_none_or(|(high, _)| score > *high) {
            self.best = Some((score, command));
        }
    }
}

impl Turn<'_> {
    /// The best of all legal commands.
    pub(super) fn best_command(&mut self, view: &View, chance: &mut Chance) -> Option<Chosen> {
        let commands = view.legal_commands().filter(|commands| !commands.is_empty())?;
        let color = own_color(self.side);
        if view.owed_color.is_some() {
            return Some(Chosen { command: Command::Color(color), remembered: None });
        }
        let mut best = Best { chance, best: None };
        for asked in moves(&commands).filter(|asked| asked.color.is_none_or(|asked| asked == color)) {
            best.try_out(self.score(asked.squares), Command::Move(asked));
        }
        for (score, placing) in self.placings(view, &commands) {
            best.try_out(score, Command::Place(placing));
        }
        for square in self.board.own.iter() {
            if let Some(score) = self.score_of_removing(view, square) {
                best.try_out(score, Command::Remove(square));
            }
        }
        let (_, command) = best.best?;
        let remembered = match &command {
            Command::Move(asked) => self.own_move(asked.squares),
            _ => None,
        };
        Some(Chosen { command, remembered })
    }

    fn fear(&self) -> f32 {
        1.0 - (1.0 - BOLDNESS) * self.boldness
    }

    /// The likeliest ways to bring a piece on, each with how good it is.
    fn placings(&mut self, view: &View, commands: &LegalCommands) -> Vec<(f32, Placing)> {
        let color = own_color(self.side);
        let more = self.foes.len() as f32 - self.board.own.len() as f32;
        let lack = (OUTNUMBERED * more).clamp(0.0, OUTNUMBERED_MAX);
        let guarded: SquareSet =
            self.board.flag.map_or(SquareSet::EMPTY, |flag| neighbors(&self.board, flag).collect());
        let mut likely: Vec<(f32, Placing)> = placings(commands)
            .filter(|placing| placing.color.is_none_or(|placing| placing == color))
            .map(|placing| (self.wanted(&placing, lack, guarded), placing))
            .collect();
        likely.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        likely.truncate(PLACINGS_MAX);
        let fear = self.fear();
        let own = view.ruleset;
        for (score, placing) in &mut likely {
            let after = self.board.after_placing(placing.square, placing.rank, placing.is_labeled);
            *score -= fear * danger(own, &after, &self.foes, &self.worths);
        }
        likely
    }

    /// How much a piece is wanted on a square, whatever the other side does about it.
    fn wanted(&mut self, placing: &Placing, lack: f32, guarded: SquareSet) -> f32 {
        let Placing { square, rank, .. } = *placing;
        if rank == Rank::Bomb {
            // Bombs are for the Flag; elsewhere they only stand in the way.
            return if guarded.contains(square) { lack + 1.0 } else { -1.0 };
        }
        lack + NEARNESS * self.pull(rank, square) + FIELDED * self.worths.own[rank as usize]
    }

    /// How good it is to take a piece off: it is safe then, and nobody knows it any more.
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

fn moves(commands: &LegalCommands) -> impl Iterator<Item = MoveCommand> + '_ {
    (0..commands.moves_len()).filter_map(|n| match commands.nth(n)? {
        Command::Move(asked) => Some(asked),
        _ => None,
    })
}

fn placings(commands: &LegalCommands) -> impl Iterator<Item = Placing> + '_ {
    (commands.moves_len()..commands.len()).filter_map(|n| match commands.nth(n)? {
        Command::Place(placing) => Some(placing),
        _ => None,
    })
}
