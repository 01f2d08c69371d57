//! The board: letters on squares, reserves, chips, pools, and the effect of a step on them.

use std::sync::Arc;

use crate::repetition::{Noted, Repetition};
use crate::rules::{COIN, Color, Counts, Letters, Rules, is_movable};
use crate::square::{At, SQUARES};
use crate::strikes::Strike;

/// A piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The piece's side.
    pub color: Color,
    /// The letter of the piece's rank (§P4), or the letter of a coin.
    pub letter: char,
    /// True if the piece has moved.
    pub is_moved: bool,
    /// True if everybody knows the piece's rank.
    pub is_revealed: bool,
    /// True if the piece is labeled, so that everybody sees its rank from then on (§S2.1).
    pub is_labeled: bool,
    /// The ranks that are possible, judging by the moves that the piece has made (§S3.4).
    pub could_be: Letters,
    /// Distinguishes the piece from all others. A piece that comes from a reserve gets a new id.
    pub id: u16,
}

/// Chips that changed, in ascending order, and their new color.
pub type Laid = (Vec<At>, char);

/// Something that happened on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BoardEvent {
    /// A ply from one square to another.
    Moved {
        /// The square that the piece left.
        from: At,
        /// The square that the piece entered.
        to: At,
        /// The chips that changed.
        laid: Option<Laid>,
        /// The ranks of both pieces in a strike, which events report only in rulesets with coins.
        ranks: Option<(char, char)>,
    },
    /// A strike that waits for choices.
    Struck {
        /// The square of the attacker.
        from: At,
        /// The square of the defender.
        to: At,
    },
    /// A ply: a piece moved from the board to its reserve.
    Removed(At),
    /// A ply: a piece moved from its reserve to the board. The letter is `?` for an audience that
    /// must not know it.
    Placed {
        /// The square.
        at: At,
        /// The letter of the piece.
        letter: char,
        /// True if it is a labeled piece.
        is_labeled: bool,
        /// The chip under the piece.
        chip: Option<char>,
    },
    /// A side chose the color of a chip that it owed. This is not a ply.
    Colored(At, char),
}

impl BoardEvent {
    /// True if this is a side's turn.
    #[must_use]
    pub fn is_ply(&self) -> bool {
        !matches!(self, BoardEvent::Struck { .. } | BoardEvent::Colored(..))
    }
}

/// A strike that waits for choices (§Q4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The side that struck.
    pub color: Color,
    /// The square of the attacker, and the square that it struck.
    pub squares: (At, At),
    /// The sides whose coins take part in the strike.
    pub owes: [bool; 2],
    /// The choices made so far, if this board was told about them.
    pub chosen: [Option<char>; 2],
}

/// The pieces in a side's reserve, which may be placed on the board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reserve {
    /// The pieces without a label.
    pub unlabeled: Counts,
    /// The labeled pieces.
    pub labeled: Counts,
}

impl Reserve {
    pub(crate) fn of(&mut self, is_labeled: bool) -> &mut Counts {
        if is_labeled { &mut self.labeled } else { &mut self.unlabeled }
    }

    /// The labeled pieces, or those without a label.
    #[must_use]
    pub fn held(&self, is_labeled: bool) -> &Counts {
        if is_labeled { &self.labeled } else { &self.unlabeled }
    }

    /// The number of pieces.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.unlabeled.values().chain(self.labeled.values()).sum()
    }
}

/// A position with its hidden ranks and its history.
#[derive(Clone, Debug)]
pub struct Board {
    /// The ruleset.
    pub rules: Arc<Rules>,
    /// The lakes in ascending order of row and column.
    pub lakes: Arc<[At]>,
    pub(crate) cells: Vec<Option<Piece>>,
    /// The side whose turn it is.
    pub turn: Color,
    /// Turns taken.
    pub ply: u64,
    /// Plies since the last capture or label.
    pub quiet: u64,
    /// The pieces that each side has lost.
    pub captured: [Counts; 2],
    /// The pieces that each side may place on the board.
    pub reserves: [Reserve; 2],
    /// The pieces that each side's coins can still become (§Q8).
    pub pools: [Counts; 2],
    /// The color of each square's chip.
    pub(crate) chips: Vec<Option<char>>,
    /// The square of a piece whose side must still lay its chip. The piece belongs to the side to
    /// move (§S2.4).
    pub owed: Option<At>,
    /// The strike that waits for choices.
    pub pending: Option<Pending>,
    /// True if a Flag was taken, which ends the game.
    pub is_flag_taken: bool,
    pub(crate) repetition: Repetition,
    last_id: u16,
}

fn take_one(counts: &mut Counts, letter: char) -> bool {
    let Some(count) = counts.get_mut(&letter).filter(|count| **count > 0) else { return false };
    *count -= 1;
    true
}

impl Board {
    pub(crate) fn empty(rules: Arc<Rules>, lakes: Arc<[At]>) -> Board {
        Board {
            rules,
            lakes,
            cells: vec![None; SQUARES],
            turn: 0,
            ply: 0,
            quiet: 0,
            captured: Default::default(),
            reserves: Default::default(),
            pools: Default::default(),
            chips: vec![None; SQUARES],
            owed: None,
            pending: None,
            is_flag_taken: false,
            repetition: Repetition::default(),
            last_id: 0,
        }
    }

    /// Creates the board at the start of a game, with two deployments in text form, or with coins
    /// if the ruleset has no deployments.
    #[must_use]
    pub fn start(rules: Arc<Rules>, lakes: Arc<[At]>, setups: [&str; 2]) -> Option<Board> {
        let mut board = Board::empty(Arc::clone(&rules), lakes);
        let coins = COIN.to_string().repeat(usize::from((rules.columns * rules.home).unsigned_abs()));
        for (color, setup) in setups.into_iter().enumerate() {
            let mut left = rules.counts();
            let letters: Vec<char> = if rules.coins { &coins } else { setup }.chars().collect();
            if letters.len() != coins.len() {
                return None;
            }
            for (place, letter) in (0_i8..).zip(letters) {
                if letter == '.' {
                    continue;
                }
                let (depth, along) = (place / rules.columns, place % rules.columns);
                // The first letter is in the row nearest the enemy, on the player's own left.
                let at = if color == 0 {
                    At { row: rules.home - 1 - depth, column: along }
                } else {
                    At { row: rules.rows - rules.home + depth, column: rules.columns - 1 - along }
                };
                board.cells[at.index()] = Some(board.new_piece(color, letter));
                if letter != COIN && !take_one(&mut left, letter) {
                    return None;
                }
            }
            if rules.reserve {
                board.reserves[color].unlabeled = left;
            } else if rules.coins {
                board.pools[color] = left;
            }
        }
        board.remember();
        Some(board)
    }

    pub(crate) fn new_piece(&mut self, color: Color, letter: char) -> Piece {
        self.last_id += 1;
        Piece {
            color,
            letter,
            is_moved: false,
            is_revealed: false,
            is_labeled: false,
            could_be: Letters::ALL,
            id: self.last_id,
        }
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece(&self, at: At) -> Option<Piece> {
        self.cells.get(at.index()).copied().flatten()
    }

    /// The color of the chip on a square.
    #[must_use]
    pub fn chip(&self, at: At) -> Option<char> {
        self.chips.get(at.index()).copied().flatten()
    }

    /// The pieces in ascending order of row and column.
    pub fn pieces(&self) -> impl Iterator<Item = (At, Piece)> + '_ {
        self.squares().filter_map(|at| Some((at, self.piece(at)?)))
    }

    /// The squares of the board in ascending order of row and column.
    pub fn squares(&self) -> impl Iterator<Item = At> + use<> {
        let (rows, columns) = (self.rules.rows, self.rules.columns);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| At { row, column }))
    }

    /// True if the square is on the board and is not a lake.
    #[must_use]
    pub fn is_open(&self, at: At) -> bool {
        let inside = (0..self.rules.rows).contains(&at.row) && (0..self.rules.columns).contains(&at.column);
        inside && !self.lakes.contains(&at)
    }

    /// True if the square is on a side's home rows.
    #[must_use]
    pub fn is_home(&self, color: Color, at: At) -> bool {
        let depth = if color == 0 { at.row } else { self.rules.rows - 1 - at.row };
        self.is_open(at) && depth < self.rules.home
    }

    /// A side's coins that have not moved.
    fn unmoved_coins(&self, color: Color) -> u64 {
        let is_it = |piece: &Piece| piece.color == color && piece.letter == COIN && !piece.is_moved;
        self.pieces().filter(|(_, piece)| is_it(piece)).count() as u64
    }

    /// True if an unmoved coin may move, or may become a piece that can move (§Q6).
    #[must_use]
    pub fn may_spare(&self, color: Color) -> bool {
        let left = |letter: char| self.pools[color].get(&letter).copied().unwrap_or(0);
        self.unmoved_coins(color) > left('B') + left('F')
    }

    /// True if a side that must choose may choose this letter for its coin (§Q4, §Q6).
    #[must_use]
    pub fn may_choose(&self, color: Color, letter: char) -> bool {
        let Some(Pending { color: striker, squares, owes, .. }) = self.pending else { return false };
        let at = if color == striker { squares.0 } else { squares.1 };
        let Some(coin) = self.piece(at).filter(|piece| owes[color] && piece.letter == COIN) else {
            return false;
        };
        let is_left = self.pools[color].get(&letter).is_some_and(|count| *count > 0);
        let is_allowed =
            if is_movable(letter) { coin.is_moved || self.may_spare(color) } else { !coin.is_moved };
        is_left && is_allowed
    }

    fn threatens(&self, color: Color, at: At) -> bool {
        self.pieces().any(|(square, piece)| piece.color != color && square.is_beside(at))
    }

    /// True if a repetition rule forbids a side this move.
    #[must_use]
    pub fn is_refused(&self, color: Color, squares: (At, At)) -> bool {
        self.is_back_and_forth(color, squares)
            || self.is_endless_chase(color, squares, |one, other| one == other)
    }

    /// True if the two-squares rule forbids a side this move.
    #[must_use]
    pub fn is_back_and_forth(&self, color: Color, squares: (At, At)) -> bool {
        let mover = self.piece(squares.0).map(|piece| piece.id);
        self.rules.two_squares.is_some_and(|limit| {
            mover.is_some_and(|id| self.repetition.is_back_and_forth(color, id, squares, limit))
        })
    }

    /// True if the more-squares rule forbids a side this move. In this check, pieces that are
    /// `alike` count as the same piece, although the rule itself distinguishes all pieces (§T3).
    #[must_use]
    pub fn is_endless_chase(
        &self,
        color: Color,
        squares: (At, At),
        alike: impl Fn(u16, u16) -> bool,
    ) -> bool {
        self.rules.more_squares
            && self.piece(squares.1).is_none()
            && self.threatens(color, squares.1)
            && self.repetition.is_endless_chase(color, squares, alike)
    }

    pub(crate) fn remember(&mut self) {
        if self.rules.more_squares {
            let placement = self.cells.iter().map(|cell| cell.map_or(0, |piece| piece.id)).collect();
            self.repetition.remember(placement);
        }
    }

    /// Makes a step of the side to move if the step is lawful. Returns the result of a strike.
    ///
    /// # Errors
    /// Why the step is not lawful.
    pub fn take(&mut self, step: &BoardEvent) -> Result<Option<Strike>, String> {
        if self.owed.is_some() && !matches!(step, BoardEvent::Colored(..)) {
            return Err("a color is owed first".to_owned());
        }
        if self.pending.is_some() && !matches!(step, BoardEvent::Moved { .. }) {
            return Err("a strike waits".to_owned());
        }
        match step {
            BoardEvent::Moved { from, to, laid, ranks } => {
                self.take_move((*from, *to), laid.as_ref(), *ranks)
            }
            BoardEvent::Struck { from, to } => self.take_clash((*from, *to)).map(|()| None),
            BoardEvent::Removed(at) => self.take_off(*at).map(|()| None),
            BoardEvent::Placed { at, letter, is_labeled, chip } => {
                self.bring_on(*at, *letter, *is_labeled, *chip).map(|()| None)
            }
            BoardEvent::Colored(at, chip) => {
                if self.owed.take() != Some(*at) {
                    return Err(format!("no color is owed on {}", at.text()));
                }
                self.chips[at.index()] = Some(*chip);
                Ok(None)
            }
        }
    }

    fn check_move(&self, squares: (At, At)) -> Result<usize, String> {
        let wrong = |why: &str| format!("{}{}: {why}", squares.0.text(), squares.1.text());
        let way = self.way(self.turn, squares, None).ok_or_else(|| wrong("no such move"))?;
        if self.is_refused(self.turn, squares) {
            return Err(wrong("a repetition rule refuses it"));
        }
        Ok(way.squares.len())
    }

    /// Turns a coin into a piece of its side's pool. The coin must already have been taken off
    /// the board (§Q5).
    fn collapse(&mut self, piece: &mut Piece, letter: char) -> Result<(), String> {
        if !take_one(&mut self.pools[piece.color], letter) {
            return Err(format!("no {letter} is left in the pool"));
        }
        piece.letter = letter;
        Ok(())
    }

    /// Begins a strike that waits for choices (§Q4).
    fn take_clash(&mut self, (from, to): (At, At)) -> Result<(), String> {
        let color = self.turn;
        let distance = self.check_move((from, to))?;
        let Some(mut attacker) = self.piece(from) else { return Err("nothing strikes".to_owned()) };
        let Some(defender) = self.piece(to) else { return Err("nothing is struck".to_owned()) };
        attacker.is_moved = true;
        if distance > 1 {
            if attacker.letter == COIN {
                self.collapse(&mut attacker, '9')?;
            }
            attacker.is_revealed = true;
        }
        self.cells[from.index()] = Some(attacker);
        let mut owes = [false; 2];
        owes[color] = attacker.letter == COIN;
        owes[1 - color] = defender.letter == COIN;
        if owes == [false; 2] {
            return Err("no choice is due".to_owned());
        }
        self.pending = Some(Pending { color, squares: (from, to), owes, chosen: [None; 2] });
        Ok(())
    }

    /// Gives both pieces of a strike their ranks: coins become the chosen pieces.
    fn name_struck(
        &mut self,
        attacker: &mut Piece,
        defender: &mut Piece,
        (ranks, distance): (Option<(char, char)>, usize),
    ) -> Result<(), String> {
        let was_pending = self.pending;
        if attacker.letter == COIN && was_pending.is_none() && distance > 1 {
            self.collapse(attacker, '9')?;
        }
        for (piece, said) in [(attacker, ranks.map(|ranks| ranks.0)), (defender, ranks.map(|ranks| ranks.1))]
        {
            if piece.letter != COIN {
                continue;
            }
            let letter = said.ok_or("a coin has no choice")?;
            if !self.may_choose(piece.color, letter) {
                return Err(format!("a coin cannot become {letter}"));
            }
            self.collapse(piece, letter)?;
        }
        Ok(())
    }

    fn take_move(
        &mut self,
        (from, to): (At, At),
        laid: Option<&Laid>,
        ranks: Option<(char, char)>,
    ) -> Result<Option<Strike>, String> {
        let color = self.turn;
        let wrong = |why: &str| format!("{}{}: {why}", from.text(), to.text());
        let distance = match &self.pending {
            Some(pending) if pending.squares == (from, to) => 1,
            Some(_) => return Err(wrong("another strike waits")),
            None => self.check_move((from, to))?,
        };
        let Some(mut piece) = self.piece(from) else { return Err(wrong("nothing stands there")) };
        let mut struck = None;
        if let Some(mut defender) = self.piece(to) {
            self.name_struck(&mut piece, &mut defender, (ranks, distance))?;
            let mut strike = self.rules.strike(piece.letter, defender.letter);
            strike.labels &= !defender.is_labeled;
            struck = Some((defender, strike));
        } else if piece.letter == COIN && distance > 1 {
            self.collapse(&mut piece, '9')?;
        }
        let lands = struck.is_none_or(|(_, strike)| strike.attacker.1 == "advances");
        if struck.is_some() || !self.rules.chips {
            let is_laid =
                laid.is_some_and(|(squares, chip)| squares[..] == [to] && self.chip(to) != Some(*chip));
            let is_right = laid.is_none() && (!lands || !self.rules.chips || self.chip(to).is_some());
            if !(is_right || is_laid && lands && self.rules.chips) {
                return Err(wrong("the chips cannot lie so"));
            }
        } else {
            let allowed = self.could_have_gone((from, to), laid);
            if !allowed.contains(piece.letter) {
                return Err(wrong("the piece cannot have left the chips so"));
            }
            if allowed != self.rules.movable().collect() {
                piece.could_be = piece.could_be.both(allowed);
            }
        }
        if !self.rules.chips && distance > 1 && piece.letter != COIN {
            piece.could_be = [piece.letter].into_iter().collect();
        }
        piece.is_revealed |= piece.could_be.is_single();
        piece.is_moved = true;
        self.pending = None;
        self.cells[from.index()] = None;
        self.owed = None;
        if let Some((mut defender, strike)) = struck {
            piece.is_revealed = true;
            defender.is_revealed |= strike.is_defender_shown;
            defender.is_labeled |= strike.labels;
            self.cells[to.index()] = None;
            self.is_flag_taken = defender.letter == 'F';
            self.after_strike(piece, strike.attacker.1, (from, to));
            let defender_at = self.after_strike(defender, strike.defender.1, (to, from));
            self.owed = defender_at.filter(|at| self.rules.chips && *at == from);
        } else {
            self.cells[to.index()] = Some(piece);
        }
        if let Some((squares, chip)) = laid {
            squares.iter().for_each(|at| self.chips[at.index()] = Some(*chip));
        }
        let strike = struck.map(|(_, strike)| strike);
        self.repetition.note(&Noted {
            color,
            id: piece.id,
            squares: (from, to),
            is_strike: strike.is_some(),
            threatens: self.rules.more_squares && self.threatens(color, to),
        });
        let is_loud = strike.is_some_and(|strike| {
            strike.labels || [strike.attacker.1, strike.defender.1].contains(&"leaves")
        });
        self.end_turn(is_loud);
        Ok(strike)
    }

    /// After a strike, puts a piece on the square that its fate requires, and returns this
    /// square.
    fn after_strike(&mut self, mut piece: Piece, fate: &str, (own, others): (At, At)) -> Option<At> {
        let at = match fate {
            "stays" => own,
            "advances" => others,
            _ => {
                *self.captured[piece.color].entry(piece.letter).or_default() += 1;
                return None;
            }
        };
        piece.is_moved |= at != own;
        self.cells[at.index()] = Some(piece);
        Some(at)
    }

    fn take_off(&mut self, at: At) -> Result<(), String> {
        let is_own = |piece: &Piece| piece.color == self.turn && piece.letter != 'F' && self.rules.reserve;
        let Some(piece) = self.piece(at).filter(is_own) else {
            return Err(format!("{} cannot be removed", at.text()));
        };
        self.cells[at.index()] = None;
        *self.reserves[piece.color].of(piece.is_labeled).entry(piece.letter).or_default() += 1;
        self.end_turn(false);
        Ok(())
    }

    fn bring_on(&mut self, at: At, letter: char, is_labeled: bool, chip: Option<char>) -> Result<(), String> {
        let color = self.turn;
        let wrong = |why: &str| Err(format!("{letter} on {}: {why}", at.text()));
        if !self.is_home(color, at) || self.piece(at).is_some() {
            return wrong("nothing can be placed there");
        }
        if chip.is_some() != self.rules.chips {
            return wrong("a chip where there is none, or none where there is one");
        }
        if !take_one(self.reserves[color].of(is_labeled), letter) {
            return wrong("it is not in reserve");
        }
        let piece = self.new_piece(color, letter);
        self.cells[at.index()] = Some(Piece { is_labeled, is_revealed: is_labeled, ..piece });
        if chip.is_some() {
            self.chips[at.index()] = chip;
        }
        self.end_turn(false);
        Ok(())
    }

    fn end_turn(&mut self, is_loud: bool) {
        self.quiet = if is_loud { 0 } else { self.quiet + 1 };
        self.ply += 1;
        self.turn = 1 - self.turn;
        self.remember();
    }
}
