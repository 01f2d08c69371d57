//! One line of text for a position or a view, and back.
//!
//! Five fields with a space between: the ruleset's id, the side to move (`red`, `blue`), the plies taken, the plies without a capture, and
//! the board: rows from the highest down with `/` between, squares from `a` on. A square is `.` (empty), `~` (lake), or a piece: `r` or
//! `b`, its letter of §P4 (in a view `?` where the rank is hidden), `'` if it has moved, `*` if its rank is public. `.` and `~` may be followed by a
//! number: that many of them. What the army has and the board lacks counts as captured. Like chess's FEN it tells nothing of earlier
//! moves, so the repetition rules start anew.

use std::fmt::Write as _;

use flagfall_board::{Ply, Rank, Side, Square, SquareSet};

use crate::lakes::Lakes;
use crate::position::Position;
use crate::ruleset::Ruleset;
use crate::view::{Identity, View};

/// Why a text is no position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionTextError {
    /// Five fields are wanted.
    #[error("a position has five fields: ruleset, side to move, plies, quiet plies, board")]
    Fields,
    /// No ruleset has this id.
    #[error("there is no ruleset of that name")]
    Ruleset,
    /// `red` or `blue` is wanted.
    #[error("the side to move is red or blue")]
    Turn,
    /// A number is wanted.
    #[error("plies are a number from 0 to 65535")]
    Plies,
    /// The board has not the ruleset's rows and columns.
    #[error("row {row} of the board does not have the squares of this ruleset's board")]
    Shape {
        /// The row's number.
        row: usize,
    },
    /// A character that stands for nothing, at this byte of the board.
    #[error("character {at} of the board stands for nothing")]
    Character {
        /// Its place, from 0.
        at: usize,
    },
    /// The lakes are not those of the ruleset.
    #[error("{square}: the lakes are not where this ruleset has them")]
    Lakes {
        /// The first square that differs.
        square: Square,
    },
    /// The lakes cannot have been drawn for a game of this ruleset (§U2).
    #[error("the lakes are not two of 2x2 squares, apart from each other in rows 5 and 6")]
    DrawnLakes,
    /// A side has more of a rank than its army.
    #[error("{side} has more pieces of one rank ({rank}) than its army")]
    TooMany {
        /// Whose.
        side: Side,
        /// Which.
        rank: Rank,
    },
}

impl Position {
    /// Reads a position.
    ///
    /// # Errors
    /// [`PositionTextError`] says what is wrong and where.
    pub fn from_text(text: &str) -> Result<Position, PositionTextError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [ruleset, turn, ply, quiet_plies, board] = fields[..] else {
            return Err(PositionTextError::Fields);
        };
        let ruleset = Ruleset::find(ruleset).ok_or(PositionTextError::Ruleset)?;
        Position::read(ruleset, [turn, ply, quiet_plies, board])
    }

    /// Reads the fields after the ruleset's id.
    pub(crate) fn read(
        ruleset: &'static Ruleset,
        [turn, ply, quiet_plies, board]: [&str; 4],
    ) -> Result<Position, PositionTextError> {
        let turn = Side::from_name(turn).ok_or(PositionTextError::Turn)?;
        let ply: Ply = ply.parse().map_err(|_| PositionTextError::Plies)?;
        let quiet_plies: Ply = quiet_plies.parse().map_err(|_| PositionTextError::Plies)?;
        let mut position = Position::empty(ruleset, SquareSet::EMPTY);
        let lakes = BoardReader { ruleset, text: board, at: 0 }.read(&mut position)?;
        if !ruleset.allows_lakes(lakes) {
            let own = ruleset.shape.lakes;
            let differs = lakes.without(own).first().or(own.without(lakes).first());
            return Err(match (ruleset.lakes, differs) {
                (Lakes::OfTheShape, Some(square)) => PositionTextError::Lakes { square },
                (Lakes::OfTheShape | Lakes::Drawn, _) => PositionTextError::DrawnLakes,
            });
        }
        position.set_lakes(lakes);
        for side in Side::BOTH {
            for rank in Rank::ALL {
                let count = position.pieces().filter(|(_, p)| p.side == side && p.rank == rank).count();
                if count > usize::from(ruleset.army.count(rank)) {
                    return Err(PositionTextError::TooMany { side, rank });
                }
            }
        }
        position.count_missing_as_captured();
        position.set_turn(turn, ply, quiet_plies);
        Ok(position)
    }

    #[cfg(feature = "referee")]
    pub(crate) fn text(&self) -> String {
        let board = board_text(self.ruleset(), self.lakes(), |square| {
            self.piece(square)
                .map(|piece| (piece.side, piece.rank.letter(), piece.is_moved, piece.is_revealed))
        });
        format!("{} {} {} {} {board}", self.ruleset().id, self.turn().name(), self.ply(), self.quiet_plies())
    }
}

impl View {
    /// The view's board in the notation of positions, hidden ranks as `?`.
    #[must_use]
    pub fn board_text(&self) -> String {
        board_text(self.ruleset, self.lakes, |square| {
            self.pieces.iter().find(|piece| piece.square == square).map(|piece| {
                let letter = match piece.identity {
                    Identity::Known(rank) => rank.letter(),
                    Identity::OneOf(_) | Identity::Hidden => '?',
                };
                (piece.side, letter, piece.is_moved, piece.is_revealed)
            })
        })
    }
}

struct BoardReader<'a> {
    ruleset: &'static Ruleset,
    text: &'a str,
    at: usize,
}

impl BoardReader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn skip(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    /// How many of the same follow: a number from 1 to 99, or one when none is written.
    fn count(&mut self) -> u8 {
        let mut count: Option<u8> = None;
        while let Some(digit) = self.peek().and_then(|character| character.to_digit(10)) {
            let more = count.unwrap_or(0).saturating_mul(10).saturating_add(digit as u8);
            if more > 99 {
                break;
            }
            count = Some(more);
            self.at += 1;
        }
        count.unwrap_or(1)
    }

    /// Reads the whole board into the position and returns the lakes it has.
    fn read(&mut self, position: &mut Position) -> Result<SquareSet, PositionTextError> {
        let shape = &self.ruleset.shape;
        let mut lakes = SquareSet::EMPTY;
        for row in (0..shape.rows).rev() {
            let wrong_shape = PositionTextError::Shape { row: usize::from(row) + 1 };
            let mut column = 0;
            while column < shape.columns {
                let start = self.at;
                match self.next() {
                    Some('.') => column += self.count(),
                    Some('~') => {
                        for _ in 0..self.count() {
                            lakes.insert(Square::new(column, row).ok_or(wrong_shape.clone())?);
                            column += 1;
                        }
                    }
                    Some(side @ ('r' | 'b')) => {
                        let side = if side == 'r' { Side::Red } else { Side::Blue };
                        let rank = self.next().and_then(Rank::from_letter);
                        let rank = rank.ok_or(PositionTextError::Character { at: start + 1 })?;
                        let (is_moved, is_revealed) = (self.skip('\''), self.skip('*'));
                        let square = Square::new(column, row).ok_or(wrong_shape.clone())?;
                        if !position.add(square, side, rank, is_moved, is_revealed) {
                            return Err(wrong_shape);
                        }
                        column += 1;
                    }
                    Some('/') | None => return Err(wrong_shape),
                    Some(_) => return Err(PositionTextError::Character { at: start }),
                }
            }
            let is_closed = if row == 0 { self.peek().is_none() } else { self.skip('/') };
            if column != shape.columns || !is_closed {
                return Err(wrong_shape);
            }
        }
        Ok(lakes)
    }
}

/// A square's piece: side, letter, moved, revealed.
type Cell = (Side, char, bool, bool);

fn board_text(ruleset: &Ruleset, lakes: SquareSet, piece_at: impl Fn(Square) -> Option<Cell>) -> String {
    let mut text = String::with_capacity(256);
    let shape = &ruleset.shape;
    for row in (0..shape.rows).rev() {
        let mut run: (char, u8) = ('.', 0);
        let flush = |text: &mut String, run: (char, u8)| match run {
            (_, 0) => {}
            (character, 1) => text.push(character),
            (character, count) => {
                // Writing to a string cannot fail.
                let _infallible = write!(text, "{character}{count}");
            }
        };
        for square in (0..shape.columns).filter_map(|column| Square::new(column, row)) {
            let blank = if lakes.contains(square) { '~' } else { '.' };
            if let Some((side, letter, is_moved, is_revealed)) = piece_at(square) {
                flush(&mut text, std::mem::replace(&mut run, (blank, 0)));
                text.push(if side == Side::Red { 'r' } else { 'b' });
                text.push(letter);
                text.push_str(if is_moved { "'" } else { "" });
                text.push_str(if is_revealed { "*" } else { "" });
            } else if run.0 == blank {
                run.1 += 1;
            } else {
                flush(&mut text, std::mem::replace(&mut run, (blank, 1)));
            }
        }
        flush(&mut text, run);
        if row > 0 {
            text.push('/');
        }
    }
    text
}
