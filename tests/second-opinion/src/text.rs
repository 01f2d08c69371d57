//! Positions as text.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use crate::board::{Board, Pending, Piece};
use crate::rules::{COIN, Counts, Letters, Rules, rules};
use crate::square::{At, read_squares};

fn number(letters: &mut Peekable<Chars<'_>>) -> i8 {
    let mut digits = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    digits.parse().unwrap_or(1)
}

fn counts<'a>(items: impl Iterator<Item = &'a str>) -> Option<Counts> {
    items.map(|item| Some((item.chars().next()?, item.split_once(':')?.1.parse().ok()?))).collect()
}

fn items(field: &str) -> impl Iterator<Item = &str> {
    field.split(',').filter(|item| *item != "-")
}

/// Leaves out letters with a count of zero.
fn left(counts: &Counts) -> Counts {
    counts.iter().filter(|(_, count)| **count > 0).map(|(letter, count)| (*letter, *count)).collect()
}

impl Board {
    /// Parses the text of a position. The game continues from there, without a history.
    #[must_use]
    pub fn read(text: &str) -> Option<Board> {
        let fields: Vec<&str> = text.split(' ').collect();
        let rules = rules(fields[0])?;
        let mut board = Board::empty(Arc::new(rules), Arc::new([]));
        let mut lakes = Vec::new();
        for (row, text) in (0..board.rules.rows).rev().zip(fields.get(4)?.split('/')) {
            board.read_row(row, text, &mut lakes)?;
        }
        lakes.sort_unstable();
        board.lakes = lakes.into();
        board.turn = usize::from(fields[1] == "blue");
        board.ply = fields[2].parse().ok()?;
        board.quiet = fields[3].parse().ok()?;
        let Rules { coins, reserve, .. } = *board.rules;
        for color in 0..2 {
            let field = || fields.get(5 + color).map(|field| items(field));
            if reserve {
                let is_labeled = |item: &&str| item.contains('^');
                board.reserves[color].labeled = counts(field()?.filter(is_labeled))?;
                board.reserves[color].unlabeled = counts(field()?.filter(|item| !is_labeled(item)))?;
            } else if coins {
                board.pools[color] = counts(field()?)?;
            }
        }
        if reserve {
            for item in items(fields.get(7)?) {
                let (square, chip) = item.split_at(item.len() - 1);
                board.chips[At::read(square)?.index()] = chip.chars().next();
            }
            board.owed = At::read(fields.get(8)?);
        } else if coins {
            board.pending = board.read_pending(fields.get(7)?);
        }
        board.remember();
        Some(board)
    }

    fn read_row(&mut self, row: i8, text: &str, lakes: &mut Vec<At>) -> Option<()> {
        let mut column = 0;
        let mut letters = text.chars().peekable();
        while let Some(first) = letters.next() {
            if first == '.' || first == '~' {
                for _ in 0..number(&mut letters) {
                    if first == '~' {
                        lakes.push(At { row, column });
                    }
                    column += 1;
                }
                continue;
            }
            let mut piece = self.new_piece(usize::from(first == 'b'), letters.next()?);
            let mut has = |mark| letters.next_if_eq(&mark).is_some();
            (piece.is_moved, piece.is_revealed, piece.is_labeled) = (has('\''), has('*'), has('^'));
            if has('[') {
                piece.could_be = letters.by_ref().take_while(|letter| *letter != ']').collect();
            }
            self.cells[At { row, column }.index()] = Some(piece);
            column += 1;
        }
        (column == self.rules.columns).then_some(())
    }

    /// Parses a pending strike with the choices made so far, as in `a6a7,b5`.
    fn read_pending(&self, text: &str) -> Option<Pending> {
        let mut parts = text.split(',');
        let [from, to] = read_squares(parts.next()?)?[..] else { return None };
        let mut pending =
            Pending { color: self.turn, squares: (from, to), owes: [false; 2], chosen: [None; 2] };
        for piece in [self.piece(from)?, self.piece(to)?] {
            pending.owes[piece.color] = piece.letter == COIN;
        }
        for part in parts {
            pending.chosen[usize::from(part.starts_with('b'))] = part.chars().nth(1);
        }
        Some(pending)
    }

    /// True if both positions are the same, apart from their history and captured pieces, which
    /// position texts leave out.
    #[must_use]
    pub fn is_same_position(&self, other: &Board) -> bool {
        let plain = |piece: Piece| {
            let could_be = if piece.is_revealed { Letters::ALL } else { piece.could_be };
            (piece.color, piece.letter, piece.is_moved, piece.is_revealed, piece.is_labeled, could_be)
        };
        let pieces = |board: &Board| board.pieces().map(|(at, piece)| (at, plain(piece))).collect::<Vec<_>>();
        let stock = |board: &Board| {
            let reserves = board.reserves.each_ref();
            (
                reserves.map(|reserve| [left(&reserve.unlabeled), left(&reserve.labeled)]),
                board.pools.each_ref().map(left),
            )
        };
        (self.turn, self.ply, self.quiet, self.owed, self.pending)
            == (other.turn, other.ply, other.quiet, other.owed, other.pending)
            && pieces(self) == pieces(other)
            && stock(self) == stock(other)
            && self.chips == other.chips
            && self.lakes == other.lakes
    }
}
