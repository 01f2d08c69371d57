//! The moves that pieces can make: steps and runs, joints of the board, lines of chips, and the
//! facts that a move proves about its piece (§A5, §C2, §O1, §Q, §S2, §S3).

use crate::board::{Board, Laid, Piece};
use crate::rules::{COIN, Color, Letters, is_movable, is_runner};
use crate::square::At;

/// The four directions, as rows and columns to add. Ascending directions come first.
const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
/// The columns in which row 10 is joined to row 1, and the rows in which column p is joined to
/// column a (§S2.6).
const JOINED_COLUMNS: &str = "abcghijnop";
const JOINED_ROWS: [i8; 8] = [1, 2, 3, 4, 7, 8, 9, 10];

/// A path along which a piece may move.
pub(crate) struct Way {
    /// The squares that the piece enters.
    pub(crate) squares: Vec<At>,
    /// True if the path is a flash (§S3.2).
    pub(crate) is_flash: bool,
}

/// Returns the sign of a direction's paths: `+` for an ascending direction (§S2.7).
fn sign_of(direction: usize) -> char {
    if direction < 2 { '+' } else { '-' }
}

/// The number of squares that a piece can cover with a flash (§S3.2).
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

    /// Returns, for each direction that leads to the target square, the squares on the path and
    /// the direction's index.
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
        // The shorter path comes first. If both are equally long, the ascending path comes first
        // (§S2.7).
        lines.sort_by_key(|(squares, direction)| (squares.len(), *direction));
        lines
    }

    fn is_empty(&self, at: At) -> bool {
        self.is_open(at) && self.piece(at).is_none()
    }

    /// Returns the letter of the rank that determines how a piece moves. None if the piece cannot
    /// move.
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

    /// Returns the path on which a side's piece goes from one square to another, ignoring
    /// repetition rules. If there are two paths, returns the one that is named.
    #[must_use]
    pub(crate) fn way(&self, color: Color, squares: (At, At), path: Option<char>) -> Option<Way> {
        let letter = self.mover(color, squares.0)?;
        let is_named = |direction: usize| path.is_none_or(|path| path == sign_of(direction));
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

    /// Returns the letters of all pieces that could have moved from one square to another and
    /// left the chips in this state (§S3.4).
    #[must_use]
    pub(crate) fn could_have_gone(&self, (from, to): (At, At), laid: Option<&Laid>) -> Letters {
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

    /// True if a flash over this line would leave the chips in this state. Every square of the
    /// line must have had a chip, and exactly the chips of other colors must have changed.
    fn fits_flash(&self, from: At, line: &[At], laid: Option<&Laid>) -> bool {
        let Some((squares, color)) = laid.filter(|_| self.rules.lines) else { return false };
        let changed = |at: &At| self.chip(*at) != Some(*color);
        let mut expected: Vec<At> = line.iter().copied().filter(changed).collect();
        expected.sort_unstable();
        self.chip(from) == Some(*color)
            && line.iter().all(|at| self.chip(*at).is_some())
            && expected == *squares
    }

    /// Returns every path of a side's pieces with its sign, ignoring repetition rules. If
    /// `is_free` is true, also ignores the reserve rule of coins.
    pub(crate) fn ways(&self, color: Color, is_free: bool) -> Vec<(At, char, Way)> {
        let mut ways = Vec::new();
        for (from, piece) in self.pieces().filter(|(_, piece)| piece.color == color) {
            let letter = match self.mover(color, from) {
                None if is_free && piece.letter == COIN => self.coin_mover(color),
                None => continue,
                Some(letter) => letter,
            };
            for (direction, step) in DIRECTIONS.into_iter().enumerate() {
                let (mut at, mut line) = (from, Vec::new());
                while let Some(to) = self.next(at, step).filter(|to| *to != from && self.is_open(*to)) {
                    line.push(to);
                    let way = self.carry((color, letter), from, line.clone());
                    ways.extend(way.map(|way| (from, sign_of(direction), way)));
                    if self.piece(to).is_some() || !(is_runner(letter) || self.rules.lines) {
                        break;
                    }
                    at = to;
                }
            }
        }
        ways
    }

    fn moves(&self, color: Color, is_free: bool) -> impl Iterator<Item = (At, At)> {
        let ways = self.ways(color, is_free).into_iter();
        ways.filter_map(|(from, _, way)| Some((from, *way.squares.last()?)))
    }

    /// True if a choice must be made or a color named before the next ply.
    pub(crate) fn is_waiting(&self) -> bool {
        self.pending.is_some() || self.owed.is_some()
    }

    /// The moves of a side that a repetition rule forbids.
    #[must_use]
    pub fn refused(&self, color: Color) -> Vec<(At, At)> {
        let may_refuse = self.rules.two_squares.is_some_and(|limit| self.repetition.is_chained(color, limit))
            || (self.rules.more_squares && self.repetition.is_chasing(color));
        if !may_refuse || self.is_waiting() {
            return Vec::new();
        }
        self.moves(color, false).filter(|squares| self.is_refused(color, *squares)).collect()
    }

    /// True if a side could act if it had the turn. It could move, or, in rulesets with a
    /// reserve, remove or place a piece (§S1.8).
    pub(crate) fn can_act(&self, color: Color) -> bool {
        if self.rules.reserve {
            let removable = |piece: &Piece| piece.color == color && piece.letter != 'F';
            return self.reserves[color].size() > 0
                || self.owed.is_some()
                || self.pieces().any(|(_, piece)| removable(&piece));
        }
        self.is_waiting() || self.moves(color, false).any(|squares| !self.is_refused(color, squares))
    }

    /// True if the reserve rule is the only reason why a side cannot act (§Q6).
    #[must_use]
    pub fn is_held_by_reserve(&self, color: Color) -> bool {
        self.rules.coins && self.moves(color, true).any(|squares| !self.is_refused(color, squares))
    }
}
