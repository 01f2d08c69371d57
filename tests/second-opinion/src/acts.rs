//! The acts of sides on the board, in the notation of commands.

use std::collections::BTreeSet;

use crate::board::{Board, BoardEvent, Pending};
use crate::rules::{CHIPS, COIN, Color};
use crate::square::{At, read_move};
use crate::ways::Way;

/// A command on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// A move such as `a4a5`. It has `+` or `-` if there are two paths, and may name the color of
    /// the chip to lay, as in `a4a5+=r`.
    Move {
        /// The square that the piece leaves, and the square that it enters.
        squares: (At, At),
        /// The sign (`+` or `-`) of the path.
        path: Option<char>,
        /// The color of the chip to lay.
        chip: Option<char>,
    },
    /// A removal such as `-a4`: a piece goes to its reserve.
    Remove(At),
    /// A placing such as `9@a4`: a piece comes from its reserve. A labeled piece comes with its
    /// chip, as in `9^@a4=r`.
    Place {
        /// The square.
        at: At,
        /// The letter of the piece.
        letter: char,
        /// True if the piece is labeled.
        is_labeled: bool,
        /// The color of the piece's chip.
        chip: Option<char>,
    },
    /// A color such as `=r`, for a chip that the side must still lay.
    Color(char),
    /// A choice such as `!9`: the rank that a coin gets.
    Choose(char),
}

impl Act {
    /// Reads a command.
    #[must_use]
    pub fn read(text: &str) -> Option<Act> {
        let (act, chip) = match text.split_once('=') {
            Some((act, chip)) => (act, Some(chip.chars().next()?)),
            None => (text, None),
        };
        if act.is_empty() {
            return chip.map(Act::Color);
        }
        if let Some(letter) = act.strip_prefix('!') {
            return letter.chars().next().map(Act::Choose);
        }
        if let Some(square) = act.strip_prefix('-') {
            return At::read(square).map(Act::Remove);
        }
        if let Some((piece, square)) = act.split_once('@') {
            let (letter, is_labeled) = (piece.chars().next()?, piece.ends_with('^'));
            return Some(Act::Place { at: At::read(square)?, letter, is_labeled, chip });
        }
        let path = act.chars().next_back().filter(|sign| matches!(sign, '+' | '-'));
        Some(Act::Move { squares: read_move(act.trim_end_matches(['+', '-']))?, path, chip })
    }
}

impl Board {
    /// Returns the side that acts next. If both sides must choose, this is the side that struck.
    #[must_use]
    pub fn actor(&self) -> Color {
        match &self.pending {
            Some(Pending { color, owes, chosen, .. }) if !owes[*color] || chosen[*color].is_some() => {
                1 - color
            }
            _ => self.turn,
        }
    }

    /// Every legal command of the side that acts next.
    #[must_use]
    pub fn legal(&self) -> BTreeSet<String> {
        let color = self.actor();
        if self.pending.is_some() {
            let letters = self.pools[color].keys().filter(|letter| self.may_choose(color, **letter));
            return letters.map(|letter| format!("!{letter}")).collect();
        }
        let chips: Vec<String> = match self.rules.chips {
            true => CHIPS.into_iter().map(|(chip, _)| format!("={chip}")).collect(),
            false => vec![String::new()],
        };
        if self.owed.is_some() {
            return chips.into_iter().collect();
        }
        let mut all = BTreeSet::new();
        for (from, sign, Way { squares, is_flash }) in self.ways(color, false) {
            let Some(to) = squares.last().copied().filter(|to| !self.is_refused(color, (from, *to))) else {
                continue;
            };
            let sign = if self.rules.chips { sign.to_string() } else { String::new() };
            let squares = format!("{}{}{sign}", from.text(), to.text());
            if is_flash {
                all.insert(squares);
            } else {
                all.extend(chips.iter().map(|chip| format!("{squares}{chip}")));
            }
        }
        if self.rules.reserve {
            let removable = self.pieces().filter(|(_, piece)| piece.color == color && piece.letter != 'F');
            all.extend(removable.map(|(at, _)| format!("-{}", at.text())));
            let free = self.squares().filter(|at| self.is_home(color, *at) && self.piece(*at).is_none());
            for square in free.map(At::text) {
                let reserve = &self.reserves[color];
                for (held, label) in [(&reserve.unlabeled, ""), (&reserve.labeled, "^")] {
                    for letter in held.iter().filter(|(_, count)| **count > 0).map(|(letter, _)| letter) {
                        all.extend(chips.iter().map(|chip| format!("{letter}{label}@{square}{chip}")));
                    }
                }
            }
        }
        all
    }

    /// True if a side may do this now.
    #[must_use]
    pub fn is_lawful(&self, color: Color, act: &Act) -> bool {
        match *act {
            Act::Choose(letter) => return self.may_choose(color, letter),
            Act::Color(_) => return self.turn == color && self.owed.is_some(),
            _ if self.turn != color || self.is_waiting() => return false,
            _ => {}
        }
        match *act {
            Act::Move { squares, path, chip } => {
                let way = self.way(color, squares, path);
                way.is_some_and(|way| chip.is_some() == (self.rules.chips && !way.is_flash))
                    && !self.is_refused(color, squares)
            }
            Act::Remove(at) => self
                .piece(at)
                .is_some_and(|piece| self.rules.reserve && piece.color == color && piece.letter != 'F'),
            Act::Place { at, letter, is_labeled, chip } => {
                let held = self.reserves[color].held(is_labeled).get(&letter);
                self.is_home(color, at)
                    && self.piece(at).is_none()
                    && held.is_some_and(|count| *count > 0)
                    && chip.is_some() == self.rules.chips
            }
            Act::Color(_) | Act::Choose(_) => false,
        }
    }

    /// Carries out a command of the side that acts next.
    ///
    /// # Errors
    /// Why the command is not lawful.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        let act = Act::read(text).ok_or_else(|| format!("{text} is no command"))?;
        let color = self.actor();
        if !self.is_lawful(color, &act) {
            return Err(format!("{text} is not lawful"));
        }
        let event = match act {
            Act::Remove(at) => BoardEvent::Removed(at),
            Act::Place { at, letter, is_labeled, chip } => {
                BoardEvent::Placed { at, letter, is_labeled, chip }
            }
            Act::Color(chip) => match self.owed {
                Some(at) => BoardEvent::Colored(at, chip),
                None => return Err("no color is owed".to_owned()),
            },
            Act::Choose(letter) => {
                let Some(pending) = &mut self.pending else { return Err("no strike waits".to_owned()) };
                pending.chosen[color] = Some(letter);
                match self.resolved() {
                    Some(event) => event,
                    None => return Ok(()),
                }
            }
            Act::Move { squares, path, chip } => self.moved(squares, path, chip)?,
        };
        self.take(&event).map(|_| ())
    }

    /// Resolves the pending strike, if all choices have been made.
    fn resolved(&self) -> Option<BoardEvent> {
        let Pending { color, squares: (from, to), owes, chosen } = self.pending?;
        let letter = |at: At, color: Color| match owes[color] {
            true => chosen[color],
            false => self.piece(at).map(|piece| piece.letter),
        };
        let ranks = Some((letter(from, color)?, letter(to, 1 - color)?));
        Some(BoardEvent::Moved { from, to, laid: None, ranks })
    }

    fn moved(
        &self,
        (from, to): (At, At),
        path: Option<char>,
        chip: Option<char>,
    ) -> Result<BoardEvent, String> {
        let (way, mover) = self
            .way(self.turn, (from, to), path)
            .zip(self.piece(from))
            .ok_or_else(|| "no such move".to_owned())?;
        let is_far = way.squares.len() > 1;
        let target = self.piece(to);
        let is_coin = mover.letter == COIN && !is_far;
        if target.is_some_and(|target| is_coin || target.letter == COIN) {
            return Ok(BoardEvent::Struck { from, to });
        }
        let lands = target
            .is_none_or(|target| self.rules.strike(mover.letter, target.letter).attacker.1 == "advances");
        let (mut changed, chip) =
            if way.is_flash { (way.squares, self.chip(from)) } else { (vec![to], chip.filter(|_| lands)) };
        changed.retain(|at| self.chip(*at) != chip);
        changed.sort_unstable();
        let laid = chip.map(|chip| (changed, chip)).filter(|(changed, _)| !changed.is_empty());
        Ok(BoardEvent::Moved { from, to, laid, ranks: None })
    }

    /// Counts the positions that can be reached with this many acts. The capture of a Flag ends a
    /// game.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        if self.is_flag_taken {
            return 0;
        }
        let legal = self.legal();
        if depth == 1 {
            return legal.len() as u64;
        }
        let after = |act: &String| {
            let mut after = self.clone();
            after.play(act).map_or(0, |()| after.perft(depth - 1))
        };
        legal.iter().map(after).sum()
    }
}
