//! The notation of positions as one line of text. The board of a view has the same notation.
//!
//! A position has five fields, separated by spaces: the ruleset's id, the side to move (`red` or
//! `blue`), the number of plies so far, the number of plies since the last capture, and the
//! board.
//!
//! The board lists its rows from the highest to the lowest, separated by `/`, and the squares of
//! each row from column `a` on. A square is `.` (empty), `~` (lake), or a piece: `r` or `b`, its
//! letter of §P4 (`?` in a view that hides the rank), `'` if it has moved, `*` if its rank is
//! public. A number after `.` or `~` is the number of consecutive squares of this kind. In
//! rulesets with labels, `^` marks a labeled piece. If a piece's moves have narrowed down its
//! possible ranks, these ranks follow in brackets, as in `r?'[9P]`.
//!
//! Rulesets with a reserve have four more fields: Red's reserve, Blue's reserve, the chips, and
//! the square of a chip whose color the side to move must still name. A reserve is a list of
//! ranks and counts, as in `B:7,9:10,9^:1` (`^` for labeled pieces). Chips are a list of squares
//! and color letters, as in `a4r,b5g`. `-` marks an empty field.
//!
//! Rulesets with coins have three more fields: Red's pool, Blue's pool, and the pending strike,
//! as in `a4a5`. The ranks that were already chosen follow the strike, as in `a4a5,r9`, where Red
//! has chosen the Scout. A coin's letter is `o`.
//!
//! A piece of the army that is neither on the board nor in a reserve or pool counts as captured.
//! Like FEN in chess, the text says nothing about earlier moves, so the repetition rules start
//! with an empty history.

use std::fmt::Write as _;

use flagfall_board::{ChipColor, PerSide, Ply, Rank, RankSet, Side, Square, SquareSet};
use flagfall_view::{Identity, Move, RankCounts, SeenPiece};

use crate::command::{Choice, rank_of};
use crate::custom::NoSuchRuleset;
use crate::decide::{choose, play};
use crate::event::EventKind;
use crate::position::Position;
use crate::ruleset::{Lakes, Ruleset, Start};
use crate::seen::View;

/// The error for text that is not a valid position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum PositionTextError {
    /// The number of fields is wrong. A position has five fields, or nine in rulesets with a
    /// reserve, or eight in rulesets with coins.
    #[error(
        "a position has five fields: ruleset, side to move, plies, quiet plies, board; where there is a reserve four more: red's, blue's, chips, owed color; where there are coins three more: red's pool, blue's pool, pending strike"
    )]
    Fields,
    /// A reserve is not a valid list of ranks and counts.
    #[error("a reserve is a list like B:7,9:10,9^:1, or - for nothing")]
    Reserve,
    /// A pool is not a valid list of ranks and counts.
    ///
    /// A side's pool must have as many pieces as the side has coins, and the side must obey the
    /// reserve rule (§Q6).
    #[error(
        "{side}'s pool is a list like F:1,B:6,9:8, or - for nothing: as many pieces as there are coins, and no more Bombs and Flag than unmoved coins"
    )]
    Pool { side: Side },
    /// The pending strike, or a choice made in it, is impossible in this position (§Q4).
    #[error(
        "the pending strike is a move of the side to move with a coin in it, then the choices made, like a4a5,r9; or - for nothing"
    )]
    PendingStrike,
    /// The chips are not a valid list of squares and colors without duplicates, or the ruleset
    /// has no chips.
    #[error("chips are a list like a4r,b5g of squares on the board that are no lakes, or - for nothing")]
    Chips,
    /// The square whose chip color must still be named does not hold a piece of the side to move,
    /// or the ruleset has no chips.
    #[error("the owed color is the square of a piece of the side to move, or - for nothing")]
    Owed,
    /// No ruleset has this id.
    #[error(transparent)]
    Ruleset(NoSuchRuleset),
    /// The side to move is neither `red` nor `blue`.
    #[error("the side to move is red or blue")]
    Turn,
    /// A field for a number of plies does not contain a number.
    #[error("plies are a number from 0 to 65535")]
    Plies,
    /// The board does not have the rows and columns of the ruleset.
    #[error("row {row} of the board does not have the squares of this ruleset's board")]
    Shape { row: usize },
    /// The board has an unknown character at this byte.
    #[error("character {at} of the board has no meaning")]
    Character { at: usize },
    /// The lakes differ from those of the ruleset.
    #[error("{square}: the lakes are not where this ruleset has them")]
    Lakes { square: Square },
    /// Lakes in these places can never be drawn in this ruleset (§U2).
    #[error("the lakes are not two of 2x2 squares in rows 5 and 6 that do not overlap")]
    DrawnLakes,
    /// A side has more pieces of a rank than its army contains.
    #[error("{side} has more pieces of the rank {rank} than its army has")]
    TooMany { side: Side, rank: Rank },
}

impl Position {
    /// Parses a position.
    ///
    /// # Errors
    /// [`PositionTextError`] describes the error and its place.
    pub fn from_text(text: &str) -> Result<Position, PositionTextError> {
        let text = text.trim_ascii();
        let (id, rest) =
            text.split_once(|c: char| c.is_ascii_whitespace()).ok_or(PositionTextError::Fields)?;
        let ruleset = Ruleset::parse(id).map_err(|error| match rest.split_ascii_whitespace().count() {
            4 | 7 | 8 => PositionTextError::Ruleset(error),
            _ => PositionTextError::Fields,
        })?;
        Position::read(ruleset, rest)
    }

    /// Parses all fields except the ruleset's id.
    pub(crate) fn read(ruleset: &'static Ruleset, fields: &str) -> Result<Position, PositionTextError> {
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let (turn, ply, quiet_plies, board, more) = match fields[..] {
            [turn, ply, quiet_plies, board, ref more @ ..] if more.len() == fields_beyond(ruleset) => {
                (turn, ply, quiet_plies, board, more)
            }
            _ => return Err(PositionTextError::Fields),
        };
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
        (position.turn, position.ply, position.quiet_plies) = (turn, ply, quiet_plies);
        if let [red, blue, chips, owed] = more[..] {
            read_reserve(&mut position, Side::Red, red)?;
            read_reserve(&mut position, Side::Blue, blue)?;
            read_chips(&mut position, chips)?;
            read_owed(&mut position, owed)?;
        }
        if let [red, blue, _] = more[..] {
            read_pool(&mut position, Side::Red, red)?;
            read_pool(&mut position, Side::Blue, blue)?;
        }
        for side in Side::BOTH {
            let held = position.held(side);
            if let Some((rank, _)) = held.iter().find(|(rank, count)| *count > ruleset.army.count(*rank)) {
                return Err(PositionTextError::TooMany { side, rank });
            }
        }
        position.captured = PerSide::from_fn(|side| position.missing(side));
        if let [_, _, pending] = more[..] {
            read_pending(&mut position, pending)?;
        }
        Ok(position)
    }

    #[cfg(feature = "referee")]
    pub(crate) fn text(&self) -> String {
        let board = board_text(self.ruleset(), self.lakes(), |square| {
            let crate::piece::Piece { side, rank, is_moved, is_revealed, id: _ } = self.piece(square)?;
            let identity = rank.map_or(Identity::Coin, Identity::Known);
            let reserve_state = self.reserve_state();
            let is_labeled = reserve_state.is_some_and(|state| state.labeled.contains(square));
            let could_be = reserve_state.filter(|_| !is_revealed).map(|state| state.could_be(square));
            let piece = SeenPiece { square, side, identity, is_moved, is_revealed, is_labeled };
            Some((piece, could_be.unwrap_or(RankSet::ALL)))
        });
        let mut text = format!(
            "{} {} {} {} {board}",
            self.ruleset().id,
            self.turn().name(),
            self.ply(),
            self.quiet_plies
        );
        if let Some(reserve_state) = self.reserve_state() {
            for side in Side::BOTH {
                let crate::variants::Reserve { unlabeled, labeled } = reserve_state.reserve[side];
                text += &format!(" {}", reserve_text(unlabeled, labeled));
            }
            let chips =
                reserve_state.chips.iter().map(|(square, color)| format!("{square}{}", color.letter()));
            let owed = reserve_state.owed.iter().map(Square::to_string);
            text += &format!(" {} {}", list_text(chips), list_text(owed));
        }
        if self.coins(Side::Red).is_some() {
            for side in Side::BOTH {
                let pool = self.pool(side).unwrap_or_default();
                text += &format!(" {}", reserve_text(pool, RankCounts::default()));
            }
            text += &format!(" {}", pending_text(self.pending()));
        }
        text
    }
}

impl View {
    /// The board of a view in the notation of positions. Hidden ranks are written as `?`.
    pub fn board_text(&self) -> String {
        board_text(self.ruleset, self.lakes, |square| {
            let piece = *self.pieces.iter().find(|piece| piece.square == square)?;
            let could_be = if let Identity::OneOf(ranks) = piece.identity { ranks } else { RankSet::ALL };
            Some((piece, could_be))
        })
    }
}

/// The letter that represents a coin.
const COIN: char = 'o';

fn fields_beyond(ruleset: &Ruleset) -> usize {
    match (ruleset.reserve, ruleset.start) {
        (true, _) => 4,
        (false, Start::Coins) => 3,
        (false, Start::Deployments) => 0,
    }
}

fn read_pool(position: &mut Position, side: Side, text: &str) -> Result<(), PositionTextError> {
    let error = PositionTextError::Pool { side };
    let Some(coin_state) = &mut position.coin_state else { return Err(error) };
    let coins = &mut coin_state.coins[side];
    coins.pool = RankCounts::default();
    for item in items(text) {
        match counted(item) {
            Some((rank, false, count)) if coins.pool[rank] == 0 => coins.pool[rank] = count,
            _ => return Err(error),
        }
    }
    let is_whole = u32::from(coins.pool.total()) == coins.all.len() && coins.keeps_reserve();
    position.count_coin_moves();
    if is_whole { Ok(()) } else { Err(error) }
}

/// Parses the pending strike and the choices made in it, and stores them in the position. Returns
/// an error if the rules do not allow them.
fn read_pending(position: &mut Position, text: &str) -> Result<(), PositionTextError> {
    const ERROR: PositionTextError = PositionTextError::PendingStrike;
    if text == "-" {
        return Ok(());
    }
    let mut parts = text.split(',');
    let squares: Move = parts.next().and_then(|squares| squares.parse().ok()).ok_or(ERROR)?;
    // The text must already mark the attacker as moved, and as revealed if it strikes from more
    // than one square away.
    let is_near = squares.from.distance(squares.to) == 1;
    let is_set_out =
        position.piece(squares.from).is_some_and(|piece| piece.is_moved && (is_near || piece.is_revealed));
    let events = play(position, position.turn(), squares.into()).map_err(|_| ERROR)?;
    let strike = events
        .iter()
        .find_map(|event| if let EventKind::Struck(strike) = &event.0 { Some(*strike) } else { None });
    let strike = strike.filter(|_| is_set_out).ok_or(ERROR)?;
    position.await_choices(&strike);
    for part in parts {
        let (side, rank) = match part.split_at_checked(1) {
            Some(("r", rank)) => (Side::Red, rank),
            Some(("b", rank)) => (Side::Blue, rank),
            Some(_) | None => return Err(ERROR),
        };
        let rank = rank_of(rank).ok_or(ERROR)?;
        // The last choice would have resolved the strike, so a pending strike cannot include it.
        let waits = choose(position, side, Choice(rank)).is_ok_and(|events| events.iter().count() == 1);
        if !waits {
            return Err(ERROR);
        }
        position.note_choice(side, rank);
    }
    Ok(())
}

/// The items of a list. The text `-` is an empty list.
fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(move |_| text != "-")
}

/// Parses a rank, its label and a count, as in `9^:1`.
fn counted(item: &str) -> Option<(Rank, bool, u8)> {
    let (piece, count) = item.split_once(':')?;
    let (piece, is_labeled) = piece.strip_suffix('^').map_or((piece, false), |piece| (piece, true));
    let count = count.parse().ok().filter(|count| (1..=99).contains(count))?;
    Some((rank_of(piece)?, is_labeled, count))
}

fn read_reserve(position: &mut Position, side: Side, text: &str) -> Result<(), PositionTextError> {
    let labels = position.ruleset().labels;
    let Some(reserve_state) = &mut position.reserve_state else { return Err(PositionTextError::Reserve) };
    for item in items(text) {
        let (rank, is_labeled, count) = counted(item).ok_or(PositionTextError::Reserve)?;
        let place = reserve_state.reserve[side].count_mut(rank, is_labeled);
        if *place > 0 || rank == Rank::Flag || is_labeled && !labels {
            return Err(PositionTextError::Reserve);
        }
        *place = count;
    }
    Ok(())
}

fn read_chips(position: &mut Position, text: &str) -> Result<(), PositionTextError> {
    let has_chips = position.ruleset().chips;
    let open = position.ruleset().shape.squares().without(position.lakes());
    let Some(reserve_state) = &mut position.reserve_state else { return Err(PositionTextError::Chips) };
    for item in items(text) {
        let at = item.char_indices().next_back().map_or(0, |(at, _)| at);
        let (square, color) = item.split_at(at);
        let square: Square = square.parse().map_err(|_| PositionTextError::Chips)?;
        let color = ChipColor::from_name(color).ok_or(PositionTextError::Chips)?;
        if !has_chips || !open.contains(square) || reserve_state.chips.color(square).is_some() {
            return Err(PositionTextError::Chips);
        }
        reserve_state.chips.lay(square, color);
    }
    Ok(())
}

fn read_owed(position: &mut Position, text: &str) -> Result<(), PositionTextError> {
    if text == "-" {
        return Ok(());
    }
    let square: Square = text.parse().map_err(|_| PositionTextError::Owed)?;
    let is_own = position.occupied(position.turn()).contains(square);
    let may_owe = position.ruleset().chips && is_own;
    let reserve_state = position.reserve_state.as_mut().filter(|_| may_owe).ok_or(PositionTextError::Owed)?;
    reserve_state.owed = Some(square);
    Ok(())
}

#[cfg(feature = "referee")]
fn reserve_text(unlabeled: RankCounts, labeled: RankCounts) -> String {
    let unlabeled = unlabeled.iter().map(|(rank, count)| format!("{}:{count}", rank.letter()));
    let labeled = labeled.iter().map(|(rank, count)| format!("{}^:{count}", rank.letter()));
    list_text(unlabeled.chain(labeled))
}

/// Writes a list in the form that [`items`] can read.
#[cfg(feature = "referee")]
fn list_text(items: impl Iterator<Item = String>) -> String {
    let text = items.collect::<Vec<_>>().join(",");
    if text.is_empty() { "-".to_owned() } else { text }
}

#[cfg(feature = "referee")]
fn pending_text(pending: Option<&crate::variants::Pending>) -> String {
    let Some(pending) = pending else { return "-".to_owned() };
    let mut text = Move { from: pending.strike.from, to: pending.strike.to }.to_string();
    for side in Side::BOTH {
        if let Some(rank) = pending.chosen[side] {
            text.extend([',', side.letter(), rank.letter()]);
        }
    }
    text
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

    /// Parses the number of consecutive equal squares, from 1 to 99. Without a number, the result
    /// is 1.
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

    /// Parses the marks of a piece in rulesets with labels. Returns `None` if the marks are
    /// invalid.
    fn read_marks(
        &mut self,
        position: &mut Position,
        square: Square,
        rank: Option<Rank>,
        is_revealed: bool,
    ) -> Option<()> {
        let is_labeled = self.skip('^');
        let mut could_be = RankSet::ALL;
        if self.skip('[') {
            could_be = RankSet::EMPTY;
            while !self.skip(']') {
                could_be = could_be.union(RankSet::only(Rank::from_letter(self.next()?)?));
            }
        }
        if !is_labeled && could_be == RankSet::ALL {
            return Some(());
        }
        let has_labels = position.ruleset().labels;
        let reserve_state = position.reserve_state.as_mut().filter(|_| has_labels)?;
        let is_narrowed = could_be != RankSet::ALL;
        let is_true = rank.is_some_and(|rank| could_be.contains(rank))
            && (!is_labeled || is_revealed)
            && !(is_narrowed && (is_revealed || could_be.single().is_some()));
        reserve_state.set_marks(square, is_labeled, could_be);
        is_true.then_some(())
    }

    /// Parses the complete board into the position and returns the board's lakes.
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
                        let has_coins = self.ruleset.start == Start::Coins;
                        let rank = match self.next() {
                            Some(COIN) if has_coins => None,
                            letter => Some(
                                letter
                                    .and_then(Rank::from_letter)
                                    .ok_or(PositionTextError::Character { at: start + 1 })?,
                            ),
                        };
                        let (is_moved, is_revealed) = (self.skip('\''), self.skip('*'));
                        let square = Square::new(column, row).ok_or(wrong_shape.clone())?;
                        // In rulesets with coins, a piece is revealed if and only if it has a
                        // rank (§Q8).
                        if has_coins && rank.is_none() == is_revealed {
                            return Err(PositionTextError::Character { at: start + 1 });
                        }
                        if !position.add(square, side, rank, is_moved, is_revealed) {
                            return Err(wrong_shape);
                        }
                        let marks_at = self.at;
                        self.read_marks(position, square, rank, is_revealed)
                            .ok_or(PositionTextError::Character { at: marks_at })?;
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

/// Returns the text of a board. The argument `piece_at` is a function that returns the piece on a
/// square and the ranks to write in brackets.
fn board_text(
    ruleset: &Ruleset,
    lakes: SquareSet,
    piece_at: impl Fn(Square) -> Option<(SeenPiece, RankSet)>,
) -> String {
    let mut text = String::with_capacity(256);
    let shape = &ruleset.shape;
    for row in (0..shape.rows).rev() {
        let mut run: (char, u8) = ('.', 0);
        let flush = |text: &mut String, run: (char, u8)| match run {
            (_, 0) => {}
            (character, 1) => text.push(character),
            (character, count) => {
                // This result can be ignored, because writing to a string cannot fail.
                let _infallible = write!(text, "{character}{count}");
            }
        };
        for square in (0..shape.columns).filter_map(|column| Square::new(column, row)) {
            let blank = if lakes.contains(square) { '~' } else { '.' };
            if let Some((piece, could_be)) = piece_at(square) {
                flush(&mut text, std::mem::replace(&mut run, (blank, 0)));
                text.push(piece.side.letter());
                text.push(match piece.identity {
                    Identity::Known(rank) => rank.letter(),
                    Identity::Coin => COIN,
                    Identity::OneOf(_) | Identity::Hidden => '?',
                });
                text.push_str(if piece.is_moved { "'" } else { "" });
                text.push_str(if piece.is_revealed { "*" } else { "" });
                text.push_str(if piece.is_labeled { "^" } else { "" });
                if could_be != RankSet::ALL {
                    text.push('[');
                    text.extend(could_be.iter().map(Rank::letter));
                    text.push(']');
                }
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
