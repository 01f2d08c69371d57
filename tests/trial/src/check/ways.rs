//! Where pieces may go: steps and runs, joints of the board, lines of chips, and what a move proves
//! about its piece (§A5, §C2, §O1, §Q, §S2, §S3).

use serde_json::Value;

use super::board::{Board, Laid, Piece, Reserve};
use super::rules::{COIN, Color, Letters, chip_of, is_movable, is_runner, letter_of};
use super::square::{At, read_move};

/// The four directions: rows and columns to add. Ascending ones come first.
const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
/// Columns that join row 10 to row 1, and rows that join column p to column a (§S2.6).
const JOINED_COLUMNS: &str = "abcghijnop";
const JOINED_ROWS: [i8; 8] = [1, 2, 3, 4, 7, 8, 9, 10];

/// A path that a piece may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// The squares it enters.
    pub squares: Vec<At>,
    /// Whether it is a flash (§S3.2).
    pub is_flash: bool,
}

/// How far a piece flashes (§S3.2).
fn flash_range(letter: char) -> usize {
    match letter {
        '2' => 2,
        '3' => 3,
        '4' => 4,
        _ => 0,
    }
}

impl Board {
    /// The next square in a direction, through a joint if there is one.
    fn next(&self, at: At, (rows, columns): (i8, i8)) -> Option<At> {
        let (height, width) = (self.rules.rows, self.rules.columns);
        let next = At { row: at.row + rows, column: at.column + columns };
        if (0..height).contains(&next.row) && (0..width).contains(&next.column) {
            return Some(next);
        }
        let letter = char::from(b'a' + at.column.unsigned_abs());
        let is_joined =
            if rows != 0 { JOINED_COLUMNS.contains(letter) } else { JOINED_ROWS.contains(&(at.row + 1)) };
        let around = At { row: next.row.rem_euclid(height), column: next.column.rem_euclid(width) };
        (self.rules.chips && is_joined).then_some(around)
    }

    /// The squares up to the last one in each direction that leads there, and the direction's
    /// index.
    fn lines(&self, (from, to): (At, At)) -> Vec<(Vec<At>, usize)> {
        let line = |direction: usize| {
            let (mut at, mut squares) = (from, Vec::new());
            loop {
                at = self.next(at, DIRECTIONS[direction]).filter(|next| *next != from)?;
                squares.push(at);
                if at == to {
                    return Some((squares, direction));
                }
            }
        };
        let mut lines: Vec<_> = (0..DIRECTIONS.len()).filter_map(line).collect();
        // The shorter path comes first; of two equal ones the ascending one (§S2.7).
        lines.sort_by_key(|(squares, direction)| (squares.len(), *direction));
        lines
    }

    fn is_empty(&self, at: At) -> bool {
        self.is_open(at) && self.piece(at).is_none()
    }

    /// The letter that a piece moves like; none if it cannot move.
    ///
    /// A coin moves like a Scout while its pool has one, and not at all if the reserve rule forbids
    /// it.
    fn mover(&self, color: Color, at: At) -> Option<char> {
        let piece = self.piece(at).filter(|piece| piece.color == color)?;
        if piece.letter != COIN {
            return Some(piece.letter).filter(|letter| is_movable(*letter));
        }
        if !piece.is_moved && !self.may_spare(color) {
            return None;
        }
        Some(self.coin_mover(color))
    }

    fn coin_mover(&self, color: Color) -> char {
        if self.pools[color].get(&'9').is_some_and(|count| *count > 0) { '9' } else { '8' }
    }

    /// The path on which a side's piece goes from one square to another, without repetition rules;
    /// of two paths the named one.
    #[must_use]
    pub(super) fn way(&self, color: Color, squares: (At, At), path: Option<&str>) -> Option<Way> {
        let letter = self.mover(color, squares.0)?;
        let is_named = |direction: usize| match path {
            Some("+") => direction < 2,
            Some("-") => direction >= 2,
            _ => true,
        };
        let lines = self.lines(squares).into_iter().filter(|(_, direction)| is_named(*direction));
        lines.map(|(line, _)| line).find_map(|line| self.carry((color, letter), squares.0, line))
    }

    fn carry(&self, (color, letter): (Color, char), from: At, line: Vec<At>) -> Option<Way> {
        let (to, before) = line.split_last()?;
        let is_strike = self.piece(*to).is_some_and(|target| target.color != color);
        if !before.iter().all(|at| self.is_empty(*at)) || !(is_strike || self.is_empty(*to)) {
            return None;
        }
        let is_far = line.len() > 1;
        if is_strike && is_far && !(is_runner(letter) && self.rules.strikes_afar) {
            return None;
        }
        let is_flash = if !is_far || is_runner(letter) || self.is_supply_line(from, &line) {
            false
        } else if self.rules.lines
            && line.len() <= flash_range(letter)
            && self.chip(from).is_some()
            && line.iter().all(|at| self.chip(*at).is_some())
        {
            true
        } else {
            return None;
        };
        Some(Way { squares: line, is_flash })
    }

    fn is_supply_line(&self, from: At, line: &[At]) -> bool {
        let color = self.chip(from).filter(|_| self.rules.lines);
        color.is_some() && line.iter().all(|at| self.chip(*at) == color)
    }

    /// The letters of pieces that the rules let go from one square to another on some path and that
    /// leave the chips like this (§S3.4).
    #[must_use]
    pub(super) fn could_have_gone(&self, (from, to): (At, At), laid: Option<&Laid>) -> Letters {
        let fits_landing = match laid {
            Some((squares, color)) => squares[..] == [to] && self.chip(to) != Some(*color),
            None => self.chip(to).is_some(),
        };
        let lines = self.lines((from, to)).into_iter().map(|(line, _)| line);
        let open: Vec<Vec<At>> = lines.filter(|line| line.iter().all(|at| self.is_empty(*at))).collect();
        let is_possible = |letter: &char| {
            open.iter().any(|line| {
                let is_carried = line.len() == 1 || is_runner(*letter) || self.is_supply_line(from, line);
                let is_in_range = (2..=flash_range(*letter)).contains(&line.len());
                (fits_landing && is_carried) || (is_in_range && self.fits_flash(from, line, laid))
            })
        };
        self.rules.movable().filter(is_possible).collect()
    }

    /// Whether a flash over this line leaves the chips like this: there were chips everywhere, and
    /// those of another color changed.
    fn fits_flash(&self, from: At, line: &[At], laid: Option<&Laid>) -> bool {
        let Some((squares, color)) = laid.filter(|_| self.rules.lines) else { return false };
        let changed = |at: &At| self.chip(*at) != Some(*color);
        let mut expected: Vec<At> = line.iter().copied().filter(changed).collect();
        expected.sort_unstable();
        self.chip(from) == Some(*color)
            && line.iter().all(|at| self.chip(*at).is_some())
            && expected == *squares
    }

    /// Every move of a side on a board without joints and lines, without repetition rules;
    /// `is_free` lifts the reserve rule of coins.
    fn moves(&self, color: Color, is_free: bool) -> Vec<(At, At)> {
        let mut moves = Vec::new();
        for (from, piece) in self.pieces().filter(|(_, piece)| piece.color == color) {
            let letter = match self.mover(color, from) {
                None if is_free && piece.letter == COIN => self.coin_mover(color),
                None => continue,
                Some(letter) => letter,
            };
            for direction in DIRECTIONS {
                let mut at = from;
                let mut is_far = false;
                while let Some(to) = self.next(at, direction).filter(|to| self.is_open(*to)) {
                    let target = self.piece(to);
                    let is_struck = target.is_some_and(|target| target.color != color);
                    if target.is_none() || is_struck && (!is_far || self.rules.strikes_afar) {
                        moves.push((from, to));
                    }
                    if !is_runner(letter) || target.is_some() {
                        break;
                    }
                    (at, is_far) = (to, true);
                }
            }
        }
        moves
    }

    /// Whether a choice or color is due before the next ply.
    fn is_waiting(&self) -> bool {
        self.pending.is_some() || self.owed.is_some()
    }

    /// The moves of a side that a repetition rule refuses.
    #[must_use]
    pub(super) fn refused(&self, color: Color) -> Vec<(At, At)> {
        let may_refuse = (self.rules.two_squares && self.repetition.is_chained(color))
            || (self.rules.more_squares && self.repetition.is_chasing(color));
        if !may_refuse || self.is_waiting() {
            return Vec::new();
        }
        self.moves(color, false).into_iter().filter(|squares| self.is_refused(color, *squares)).collect()
    }

    /// Whether a side could act if it were its turn: move, or with a reserve also remove and place
    /// (§S1.8).
    #[must_use]
    pub(super) fn can_act(&self, color: Color) -> bool {
        if self.rules.reserve {
            let removable = |piece: &Piece| piece.color == color && piece.letter != 'F';
            return self.reserves[color].size() > 0
                || self.owed.is_some()
                || self.pieces().any(|(_, piece)| removable(&piece));
        }
        let mut moves = self.moves(color, false).into_iter();
        self.is_waiting() || moves.any(|squares| !self.is_refused(color, squares))
    }

    /// Whether only the reserve rule keeps a side from acting (§Q6).
    #[must_use]
    pub(super) fn is_held_by_reserve(&self, color: Color) -> bool {
        let mut moves = self.moves(color, true).into_iter();
        self.rules.coins && moves.any(|squares| !self.is_refused(color, squares))
    }

    /// Whether a side may do now what a message asks.
    #[must_use]
    pub(super) fn is_lawful(&self, color: Color, command: &Value) -> bool {
        let square = || command["square"].as_str().and_then(At::read);
        let chip = command["color"].as_str().and_then(chip_of);
        let letter = || command["rank"].as_str().and_then(letter_of);
        let kind = command["kind"].as_str().unwrap_or_default();
        match kind {
            "choose" => return letter().is_some_and(|letter| self.may_choose(color, letter)),
            "color" => return self.turn == color && self.owed.is_some() && chip.is_some(),
            _ if self.turn != color || self.is_waiting() => return false,
            _ => {}
        }
        match kind {
            "move" => command["move"].as_str().and_then(read_move).is_some_and(|squares| {
                let way = self.way(color, squares, command["path"].as_str());
                way.is_some_and(|way| chip.is_some() == (self.rules.chips && !way.is_flash))
                    && !self.is_refused(color, squares)
            }),
            "remove" => square()
                .and_then(|at| self.piece(at))
                .is_some_and(|piece| self.rules.reserve && piece.color == color && piece.letter != 'F'),
            "place" => square().zip(letter()).is_some_and(|(at, letter)| {
                let Reserve { unlabeled, labeled } = &self.reserves[color];
                let held = if command["labeled"] == true { labeled } else { unlabeled };
                self.is_home(color, at)
                    && self.piece(at).is_none()
                    && held.get(&letter).is_some_and(|count| *count > 0)
                    && chip.is_some() == self.rules.chips
            }),
            _ => false,
        }
    }
}
