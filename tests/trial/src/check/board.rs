//! The checker's own board: letters on squares, its own strike table, its own memory of what repeats.
//!
//! Written from the pages of rules, not from the engine: nothing here calls it.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Red or Blue, as numbers 0 and 1.
pub(super) type Color = usize;

/// A ruleset as far as the checker needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Columns, and rows: every board is a square.
    pub size: i8,
    home: i8,
    lakes: &'static [&'static str],
    spy_beats: char,
    two_squares: bool,
    more_squares: bool,
}

const LAKES: &[&str] = &["c5", "d5", "g5", "h5", "c6", "d6", "g6", "h6"];
const CLASSIC: Rules =
    Rules { size: 10, home: 4, lakes: LAKES, spy_beats: '1', two_squares: true, more_squares: false };

/// The ruleset of an id.
#[must_use]
pub(super) fn rules(id: &str) -> Option<Rules> {
    Some(match id {
        "classic" => CLASSIC,
        "tournament" | "barrage" => Rules { more_squares: true, ..CLASSIC },
        "pbm" => Rules { two_squares: false, ..CLASSIC },
        "pbm-small" => Rules {
            size: 8,
            home: 3,
            lakes: &["c4", "f4", "c5", "f5"],
            spy_beats: '2',
            two_squares: false,
            more_squares: false,
        },
        _ => return None,
    })
}

/// A square: column and row, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct At {
    row: i8,
    column: i8,
}

impl At {
    /// Reads `a4`.
    #[must_use]
    pub(super) fn read(text: &str) -> Option<At> {
        let column = text.bytes().next().filter(u8::is_ascii_lowercase)?;
        let row: i8 = text.get(1..)?.parse().ok()?;
        (1..=10).contains(&row).then_some(At { row: row - 1, column: i8::try_from(column - b'a').ok()? })
    }

    /// Writes `a4`.
    #[must_use]
    pub(super) fn text(self) -> String {
        format!("{}{}", char::from(b'a' + self.column.unsigned_abs()), self.row + 1)
    }

    fn index(self) -> usize {
        usize::from(self.row.unsigned_abs()) * 10 + usize::from(self.column.unsigned_abs())
    }

    fn is_beside(self, other: At) -> bool {
        (self.row - other.row).abs() + (self.column - other.column).abs() == 1
    }
}

/// Reads `a4a5`.
#[must_use]
pub(super) fn read_move(text: &str) -> Option<(At, At)> {
    let split = text.bytes().skip(1).position(|byte| byte.is_ascii_lowercase())? + 1;
    Some((At::read(text.get(..split)?)?, At::read(text.get(split..)?)?))
}

/// A piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Whose.
    pub color: Color,
    /// Its letter of §P4.
    pub letter: char,
    /// Whether it has moved.
    pub is_moved: bool,
    /// Whether everybody knows its rank.
    pub is_revealed: bool,
    /// Tells it from all others, for placements.
    id: u8,
}

/// What came of a strike: letter and fate of the attacker, then of the defender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Strike {
    /// The attacker's letter and fate.
    pub attacker: (char, &'static str),
    /// The defender's letter and fate.
    pub defender: (char, &'static str),
}

/// The last plies one piece made in a row, for the two-squares rule.
#[derive(Clone, Debug, Default)]
struct Chain {
    at: Option<At>,
    moves: Vec<(At, At)>,
}

/// A position, hidden ranks included, and how it came about.
#[derive(Clone, Debug)]
pub(super) struct Board {
    rules: Rules,
    cells: Vec<Option<Piece>>,
    /// Whose turn it is.
    pub turn: Color,
    /// Turns taken.
    pub ply: u64,
    /// Plies since the last capture.
    pub quiet: u64,
    /// What each side has lost, by name of rank.
    pub captured: [BTreeMap<&'static str, u64>; 2],
    chains: [Chain; 2],
    last: [Option<(At, At)>; 2],
    chase: [usize; 2],
    /// Placements since the last strike, the current one last.
    placements: Vec<Arc<[u8]>>,
}

/// A rank's name in messages.
#[must_use]
pub(super) fn rank_name(letter: char) -> &'static str {
    match letter {
        'F' => "flag",
        'B' => "bomb",
        'S' => "spy",
        '9' => "scout",
        '8' => "miner",
        '7' => "sergeant",
        '6' => "lieutenant",
        '5' => "captain",
        '4' => "major",
        '3' => "colonel",
        '2' => "general",
        '1' => "marshal",
        _ => "nothing",
    }
}

/// Whether the attacker and the defender survive (§A6, §P2).
fn strike_survivors(rules: Rules, attacker: char, defender: char) -> (bool, bool) {
    match (attacker, defender) {
        (_, 'F') | ('8', 'B') => (true, false),
        (_, 'B') => (false, true),
        ('S', 'S') => (false, false),
        ('S', other) => (other == rules.spy_beats, other != rules.spy_beats),
        (_, 'S') => (true, false),
        // Smaller figures are stronger; equals both leave.
        (one, other) => (one < other, other < one),
    }
}

impl Board {
    /// The board of two deployments' texts.
    #[must_use]
    pub(super) fn deployed(id: &str, setups: [&str; 2]) -> Option<Board> {
        let rules = rules(id)?;
        let mut board = Board {
            rules,
            cells: vec![None; 100],
            turn: 0,
            ply: 0,
            quiet: 0,
            captured: Default::default(),
            chains: Default::default(),
            last: [None; 2],
            chase: [0; 2],
            placements: Vec::new(),
        };
        let mut id = 1;
        for (color, setup) in setups.into_iter().enumerate() {
            let letters: Vec<char> = setup.chars().collect();
            if letters.len() != usize::from((rules.size * rules.home).unsigned_abs()) {
                return None;
            }
            for (place, letter) in (0_i8..).zip(letters) {
                let (depth, along) = (place / rules.size, place % rules.size);
                // The first letter stands in the row nearest the enemy, at the player's own left.
                let at = if color == 0 {
                    At { row: rules.home - 1 - depth, column: along }
                } else {
                    At { row: rules.size - rules.home + depth, column: rules.size - 1 - along }
                };
                if letter != '.' {
                    let piece = Piece { color, letter, is_moved: false, is_revealed: false, id };
                    board.cells[at.index()] = Some(piece);
                    id += 1;
                }
            }
        }
        board.remember();
        Some(board)
    }

    /// What stands on a square.
    #[must_use]
    pub(super) fn piece(&self, at: At) -> Option<Piece> {
        self.cells.get(at.index()).copied().flatten()
    }

    /// The pieces by rising row and column.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (At, Piece)> + '_ {
        self.squares().filter_map(|at| Some((at, self.piece(at)?)))
    }

    /// The lakes' names.
    #[must_use]
    pub(super) fn lakes(&self) -> &'static [&'static str] {
        self.rules.lakes
    }

    fn squares(&self) -> impl Iterator<Item = At> + use<> {
        let size = self.rules.size;
        (0..size).flat_map(move |row| (0..size).map(move |column| At { row, column }))
    }

    fn is_open(&self, at: At) -> bool {
        let inside = (0..self.rules.size).contains(&at.row) && (0..self.rules.size).contains(&at.column);
        inside && !self.rules.lakes.contains(&at.text().as_str())
    }

    /// Every move of a side but for repetition (§A5, §C2).
    fn moves(&self, color: Color) -> Vec<(At, At)> {
        let mut moves = Vec::new();
        for (from, piece) in self.pieces().filter(|(_, piece)| piece.color == color) {
            if piece.letter == 'F' || piece.letter == 'B' {
                continue;
            }
            for (down, right) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                let mut to = At { row: from.row + down, column: from.column + right };
                while self.is_open(to) {
                    let target = self.piece(to);
                    if target.is_some_and(|target| target.color == color) {
                        break;
                    }
                    moves.push((from, to));
                    if piece.letter != '9' || target.is_some() {
                        break;
                    }
                    to = At { row: to.row + down, column: to.column + right };
                }
            }
        }
        moves
    }

    /// The moves of a side that a repetition rule refuses.
    #[must_use]
    pub(super) fn refused(&self, color: Color) -> Vec<(At, At)> {
        let may_refuse = (self.rules.two_squares && self.chains[color].moves.len() >= 3)
            || (self.rules.more_squares && self.chase[color] >= 2);
        if !may_refuse {
            return Vec::new();
        }
        self.moves(color).into_iter().filter(|squares| self.is_refused(color, *squares)).collect()
    }

    /// Whether a side has any legal move.
    #[must_use]
    pub(super) fn can_move(&self, color: Color) -> bool {
        self.moves(color).into_iter().any(|squares| !self.is_refused(color, squares))
    }

    /// Whether the side to move may make this move.
    #[must_use]
    pub(super) fn is_legal(&self, squares: (At, At)) -> bool {
        self.moves(self.turn).contains(&squares) && !self.is_refused(self.turn, squares)
    }

    fn is_refused(&self, color: Color, squares: (At, At)) -> bool {
        (self.rules.two_squares && self.is_back_and_forth(color, squares))
            || (self.rules.more_squares && self.is_endless_chase(color, squares))
    }

    fn is_back_and_forth(&self, color: Color, squares: (At, At)) -> bool {
        let chain = &self.chains[color];
        if chain.at != Some(squares.0) || chain.moves.len() < 3 {
            return false;
        }
        let before = &chain.moves[chain.moves.len() - 3..];
        borders(squares).into_iter().any(|border| before.iter().all(|one| borders(*one).contains(&border)))
    }

    fn is_endless_chase(&self, color: Color, (from, to): (At, At)) -> bool {
        if self.chase[color] < 2 || self.piece(to).is_some() || !self.threatens(color, to) {
            return false;
        }
        if self.last[color] == Some((to, from)) {
            return false;
        }
        let Some(now) = self.placements.last() else { return false };
        let mut after = now.to_vec();
        after.swap(from.index(), to.index());
        // k plies back from now, 1 <= k < chase.
        self.placements.iter().rev().take(self.chase[color]).skip(1).any(|placement| **placement == *after)
    }

    fn threatens(&self, color: Color, at: At) -> bool {
        self.pieces().any(|(square, piece)| piece.color != color && square.is_beside(at))
    }

    fn remember(&mut self) {
        if self.rules.more_squares {
            self.placements.push(self.cells.iter().map(|cell| cell.map_or(0, |piece| piece.id)).collect());
        }
    }

    /// Makes a ply, if it is legal, and tells what came of a strike.
    ///
    /// # Errors
    /// Why it is not legal.
    pub(super) fn play(&mut self, from: At, to: At) -> Result<Option<Strike>, String> {
        let color = self.turn;
        let wrong = |why: &str| format!("{}{}: {why}", from.text(), to.text());
        if !self.moves(color).contains(&(from, to)) {
            return Err(wrong("no such move"));
        }
        if self.is_refused(color, (from, to)) {
            return Err(wrong("a repetition rule refuses it"));
        }
        let Some(mut piece) = self.cells[from.index()].take() else {
            return Err(wrong("nothing stands there"));
        };
        piece.is_moved = true;
        piece.is_revealed |= !from.is_beside(to);
        let defender = self.cells[to.index()].take();
        let mut strike = None;
        let mut now_at = Some(to);
        match defender {
            None => self.cells[to.index()] = Some(piece),
            Some(mut defender) => {
                let (attacker_stays, defender_stays) =
                    strike_survivors(self.rules, piece.letter, defender.letter);
                piece.is_revealed = true;
                defender.is_revealed = true;
                if attacker_stays {
                    self.cells[to.index()] = Some(piece);
                } else {
                    now_at = None;
                    *self.captured[piece.color].entry(rank_name(piece.letter)).or_default() += 1;
                }
                if defender_stays {
                    self.cells[to.index()] = Some(defender);
                } else {
                    *self.captured[defender.color].entry(rank_name(defender.letter)).or_default() += 1;
                    if self.chains[1 - color].at == Some(to) {
                        self.chains[1 - color] = Chain::default();
                    }
                }
                strike = Some(Strike {
                    attacker: (piece.letter, if attacker_stays { "advances" } else { "leaves" }),
                    defender: (defender.letter, if defender_stays { "stays" } else { "leaves" }),
                });
            }
        }
        self.note(color, (from, to), now_at, strike.is_some());
        Ok(strike)
    }

    fn note(&mut self, color: Color, squares: (At, At), now_at: Option<At>, is_strike: bool) {
        let chain = &mut self.chains[color];
        if chain.at != Some(squares.0) {
            chain.moves.clear();
        }
        chain.moves.push(squares);
        chain.at = now_at;
        let other = 1 - color;
        let flees = self.last[other].is_some_and(|(_, there)| squares.0.is_beside(there));
        self.chase[other] = if flees { self.chase[other] + 1 } else { 0 };
        if is_strike {
            self.chase = [0; 2];
            // Fewer pieces stand from now on: no older placement can come back.
            self.placements.clear();
        }
        self.chase[color] = if self.threatens(color, squares.1) { self.chase[color] + 1 } else { 0 };
        self.last[color] = Some(squares);
        self.quiet = if is_strike { 0 } else { self.quiet + 1 };
        self.ply += 1;
        self.turn = other;
        self.remember();
    }
}

/// The borders between neighboring squares that a move crosses.
fn borders((from, to): (At, At)) -> Vec<(At, At)> {
    let (low, high) = (from.min(to), from.max(to));
    let step = At { row: (high.row - low.row).signum(), column: (high.column - low.column).signum() };
    let mut at = low;
    let mut all = Vec::new();
    while at != high && all.len() < 10 {
        let next = At { row: at.row + step.row, column: at.column + step.column };
        all.push((at, next));
        at = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(attacker: char, defender: char, attacker_stays: bool, defender_stays: bool) {
        let found = strike_survivors(CLASSIC, attacker, defender);
        assert_eq!(found, (attacker_stays, defender_stays), "{attacker} strikes {defender}");
    }

    #[test]
    fn strikes_are_as_the_rules_say() {
        check('1', '2', true, false);
        check('7', '6', false, true);
        check('5', '5', false, false);
        check('S', '1', true, false);
        check('S', '2', false, true);
        check('S', 'S', false, false);
        check('9', 'S', true, false);
        check('1', 'S', true, false);
        check('8', 'B', true, false);
        check('1', 'B', false, true);
        check('S', 'B', false, true);
        check('S', 'F', true, false);
        check('9', 'F', true, false);
    }

    #[test]
    fn squares_and_moves_are_read() {
        assert_eq!(
            read_move("a9a10").map(|(from, to)| (from.text(), to.text())),
            Some(("a9".into(), "a10".into()))
        );
        assert_eq!(read_move("a"), None);
    }

    #[test]
    fn borders_of_a_long_move_are_all_it_crosses() {
        let squares = read_move("a4a1").unwrap();
        assert_eq!(borders(squares).len(), 3);
        assert_eq!(borders(squares), borders((squares.1, squares.0)));
    }
}
