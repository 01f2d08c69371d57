//! The line protocol. All lines of the protocol are written and parsed here. See RULES.md, "The
//! umpire's line protocol".
//!
//! Coordinates count from 0: (x, y) is column x, row y + 1. `UP` is toward smaller y, which is
//! toward Red's back row. The protocol shows this row at the top of the board.

use std::fmt;
use std::str::FromStr;

use flagfall_board::{BoardShape, Direction, PerSide, Rank, Side, Square};
use flagfall_rules::{
    Fill, GameView, Identity, Move, Ruleset, SeenMove, SeenStrike, Setup, Start, StrikeOutcome, ToldMove,
    ToldStrike,
};

/// Maximum length of a line in bytes, without the line ending.
pub const LINE_BYTES_MAX: usize = 1024;

/// A malformed line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum LineError {
    #[error("{0:?} is neither x y UP|DOWN|LEFT|RIGHT [n] nor SURRENDER")]
    Answer(String),
    #[error("the move {0:?} leaves the board")]
    OffBoard(String),
    #[error("line {line} of the deployment has {have} letters, but must have {want}")]
    Width { line: usize, have: usize, want: usize },
    #[error("{letter:?} in line {line} of the deployment is not a piece: use 1-9, s, B, F{empty}")]
    Letter { line: usize, letter: char, empty: &'static str },
    #[error("{line:?} is not {wanted}")]
    Umpire { line: String, wanted: &'static str },
}

/// Maximum number of characters of a line to quote in an error.
const QUOTED_MAX: usize = 60;

/// Shortens a line for quotation in an error.
pub fn quoted(line: &str) -> String {
    let mut text: String = line.chars().take(QUOTED_MAX).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}

/// Returns the protocol's letter for a rank. It is the usual letter, except that the Spy's is a
/// lower-case `s`.
pub const fn letter(rank: Rank) -> char {
    match rank {
        Rank::Spy => 's',
        other => other.letter(),
    }
}

/// Returns the rank for a letter. `S` is not accepted, because programs send `s` for the Spy.
pub fn rank(letter: char) -> Option<Rank> {
    Rank::ALL.into_iter().find(|rank| self::letter(*rank) == letter)
}

/// Returns a side's name in the protocol.
pub const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Red => "RED",
        Side::Blue => "BLUE",
    }
}

fn side(name: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| side_name(*side) == name)
}

/// True if the protocol can express everything that may happen in a ruleset. The protocol has no
/// words for joints, reserves, chips, coins, or strikes after which both pieces stay.
pub fn can_tell(ruleset: &Ruleset) -> bool {
    let BoardShape { joined_columns, joined_rows, .. } = ruleset.shape;
    let has_joints = joined_columns != 0 || joined_rows != 0;
    let is_moves_alone = !ruleset.reserve && !ruleset.chips && ruleset.start == Start::Deployments;
    !has_joints && is_moves_alone && ruleset.army.count(Rank::Phoenix) == 0
}

/// The first line that a program receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The side of the program that receives the line.
    pub side: Side,
    /// The other program's name.
    pub opponent: String,
    /// The number of columns of the board.
    pub width: u8,
    /// The number of rows of the board.
    pub height: u8,
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", side_name(self.side), self.opponent, self.width, self.height)
    }
}

impl FromStr for Opening {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Opening, LineError> {
        let error = || LineError::Umpire { line: quoted(line), wanted: "RED|BLUE opponent width height" };
        let [colour, opponent, width, height] = words(line)[..] else { return Err(error()) };
        Ok(Opening {
            side: side(colour).ok_or_else(error)?,
            opponent: opponent.to_owned(),
            width: number(width).ok_or_else(error)?,
            height: number(height).ok_or_else(error)?,
        })
    }
}

/// A move as a program writes it: a direction, and optionally a distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveText {
    /// The starting square and the target square.
    pub squares: Move,
    /// True if the program wrote the distance although it is 1.
    pub says_one: bool,
}

impl MoveText {
    /// Creates a move. If the distance is 1, it is not written.
    pub const fn new(squares: Move) -> MoveText {
        MoveText { squares, says_one: false }
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Move { from, to } = self.squares;
        // A parsed move is always along a row or a column.
        let (direction, distance) = Direction::between(from, to).unwrap_or((Direction::Up, 0));
        write!(f, "{} {} {}", from.column(), from.row(), direction_name(direction))?;
        if distance != 1 || self.says_one {
            write!(f, " {distance}")?;
        }
        Ok(())
    }
}

/// A program's answer on its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A move.
    Move(MoveText),
    /// The program resigns.
    Surrender,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Move(played) => played.fmt(f),
            Answer::Surrender => f.write_str("SURRENDER"),
        }
    }
}

impl FromStr for Answer {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Answer, LineError> {
        match words(line)[..] {
            ["SURRENDER"] => Ok(Answer::Surrender),
            [x, y, way] => move_text(line, x, y, way, None).map(Answer::Move),
            [x, y, way, count] => move_text(line, x, y, way, Some(count)).map(Answer::Move),
            _ => Err(LineError::Answer(quoted(line))),
        }
    }
}

fn move_text(line: &str, x: &str, y: &str, way: &str, count: Option<&str>) -> Result<MoveText, LineError> {
    let error = || LineError::Answer(quoted(line));
    let off_board = || LineError::OffBoard(quoted(line));
    let (x, y) = (number(x).ok_or_else(error)?, number(y).ok_or_else(error)?);
    let direction = direction(way).ok_or_else(error)?;
    let distance = count.map_or(Some(1), number).filter(|distance| *distance > 0).ok_or_else(error)?;
    let from = Square::new(x, y).ok_or_else(off_board)?;
    let mut to = from;
    for _ in 0..distance {
        to = to.neighbor(direction).ok_or_else(off_board)?;
    }
    Ok(MoveText { squares: Move { from, to }, says_one: count.is_some() && distance == 1 })
}

/// Returns the protocol's word for a direction. `UP` is toward row 1, which the protocol shows at
/// the top.
const fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "DOWN",
        Direction::Right => "RIGHT",
        Direction::Down => "UP",
        Direction::Left => "LEFT",
    }
}

fn direction(name: &str) -> Option<Direction> {
    Direction::ALL.into_iter().find(|direction| direction_name(*direction) == name)
}

/// A move and its outcome, as one of the programs sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveReport {
    /// The move.
    pub played: MoveText,
    /// The outcome of the move.
    pub outcome: Outcome,
}

/// The outcome of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The piece moved.
    Fine,
    /// The piece struck another piece.
    Strike(ToldStrike),
    /// The move was illegal.
    Illegal,
}

impl MoveReport {
    /// Returns the report of a move that a viewer saw. `None` for a strike after which both
    /// pieces stay, because the protocol cannot express it.
    pub fn of(seen: &SeenMove, says_one: bool) -> Option<MoveReport> {
        let outcome = match &seen.strike {
            None => Outcome::Fine,
            Some(strike) => Outcome::Strike(told_strike(strike)?),
        };
        let squares = Move { from: seen.squares.from, to: seen.squares.to };
        Some(MoveReport { played: MoveText { squares, says_one }, outcome })
    }

    /// Returns the move for a [`flagfall_rules::FoggedGame`]. `None` if the move was illegal.
    pub const fn to_follow(&self) -> Option<ToldMove> {
        let squares = self.played.squares;
        match self.outcome {
            Outcome::Fine => Some(ToldMove { squares, strike: None }),
            Outcome::Strike(strike) => Some(ToldMove { squares, strike: Some(strike) }),
            Outcome::Illegal => None,
        }
    }
}

fn told_strike(strike: &SeenStrike) -> Option<ToldStrike> {
    let SeenStrike { attacker, attacker_fate, defender, defender_fate } = *strike;
    let outcome = StrikeOutcome::of(attacker_fate, defender_fate)?;
    Some(ToldStrike { outcome, attacker: attacker.rank(), defender: defender.rank() })
}

const fn outcome_name(outcome: StrikeOutcome) -> &'static str {
    match outcome {
        StrikeOutcome::DefenderLeft => "KILLS",
        StrikeOutcome::AttackerLeft => "DIES",
        StrikeOutcome::BothLeft => "BOTHDIE",
    }
}

impl fmt::Display for MoveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.played)?;
        match self.outcome {
            Outcome::Fine => f.write_str("OK"),
            Outcome::Illegal => f.write_str("ILLEGAL"),
            Outcome::Strike(ToldStrike { outcome, attacker, defender }) => {
                let [attacker, defender] = [attacker, defender].map(|rank| rank.map_or('?', letter));
                write!(f, "{} {attacker} {defender}", outcome_name(outcome))
            }
        }
    }
}

impl FromStr for MoveReport {
    type Err = LineError;

    fn from_str(line: &str) -> Result<MoveReport, LineError> {
        let error = || LineError::Umpire { line: quoted(line), wanted: "a move with its outcome" };
        let words = words(line);
        let is_outcome = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_alphabetic());
        // Find the outcome. It is the first word after the direction that begins with a letter.
        let at = words.iter().enumerate().skip(3).find(|(_, word)| is_outcome(word)).map(|(at, _)| at);
        let (move_words, outcome_words) = words.split_at(at.ok_or_else(error)?);
        let Ok(Answer::Move(played)) = move_words.join(" ").parse() else { return Err(error()) };
        let outcome = match *outcome_words {
            ["OK"] => Outcome::Fine,
            ["ILLEGAL"] => Outcome::Illegal,
            [name, attacker, defender] => {
                use StrikeOutcome::{AttackerLeft, BothLeft, DefenderLeft};
                let outcome = [DefenderLeft, AttackerLeft, BothLeft]
                    .into_iter()
                    .find(|outcome| outcome_name(*outcome) == name)
                    .ok_or_else(error)?;
                let rank_of = |word: &str| match word {
                    "?" => Ok(None),
                    word => word.parse().ok().and_then(rank).map(Some).ok_or_else(error),
                };
                Outcome::Strike(ToldStrike {
                    outcome,
                    attacker: rank_of(attacker)?,
                    defender: rank_of(defender)?,
                })
            }
            _ => return Err(error()),
        };
        Ok(MoveReport { played, outcome })
    }
}

flagfall_board::named! {
    /// The way in which a game ended, from the point of view of the side whose turn it was.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum GameResult, name {
        /// This side won on the board.
        Victory = "VICTORY",
        /// This side lost on the board.
        Defeat = "DEFEAT",
        /// This side resigned.
        Surrender = "SURRENDER",
        /// Neither side could move.
        Draw = "DRAW",
        /// The game reached the maximum length.
        DrawDefault = "DRAW_DEFAULT",
        /// This side lost because its answer was illegal, late or missing.
        Illegal = "ILLEGAL",
        /// The opponent lost because of an illegal, late or missing answer.
        Default = "DEFAULT",
        /// Both sides lost because of illegal, late or missing answers.
        BothIllegal = "BOTH_ILLEGAL",
        /// The umpire stopped the game.
        InternalError = "INTERNAL_ERROR",
    }
}

/// The last line, which both programs receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quit {
    /// The name of the program whose turn it was.
    pub name: String,
    /// The side whose turn it was.
    pub side: Side,
    /// The way in which the game ended for this side.
    pub result: GameResult,
    /// The number of the turn, or 0 during deployment. The first plies of both sides are turn 1.
    pub turn: u16,
    /// The total value of each side's pieces on the board, by [`Rank::strength`].
    pub values: PerSide<u32>,
}

impl fmt::Display for Quit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quit { name, side, result, turn, values } = self;
        let result = result.name();
        write!(f, "QUIT {name} {} {result} {turn} {} {}", side_name(*side), values.red, values.blue)
    }
}

/// Returns the board as a side sees it, with one line for each row. Row 1 comes first.
pub fn board(shape: &BoardShape, side: Side, seen: &GameView) -> Vec<String> {
    let BoardShape { columns, rows, .. } = *shape;
    let mut lines = vec![vec!['.'; usize::from(columns)]; usize::from(rows)];
    let mut put = |square: Square, letter| {
        lines[usize::from(square.row())][usize::from(square.column())] = letter;
    };
    seen.lakes.iter().for_each(|square| put(square, '+'));
    for piece in &seen.pieces {
        let letter = match piece.identity {
            Identity::Known(rank) if piece.side == side => letter(rank),
            Identity::Known(_) | Identity::OneOf(_) | Identity::Coin | Identity::Hidden => '#',
        };
        put(piece.square, letter);
    }
    lines.into_iter().map(String::from_iter).collect()
}

/// Returns the home squares of a side, row by row, starting with the smallest y. Each row starts
/// at column 0.
fn home_lines(shape: &BoardShape, side: Side) -> impl Iterator<Item = Vec<Square>> {
    let home = shape.home(side);
    (0..shape.rows).filter_map(move |row| {
        let line: Vec<Square> = home.iter().filter(|square| square.row() == row).collect();
        (!line.is_empty()).then_some(line)
    })
}

/// Parses a deployment. Does not check whether it is a legal army.
pub fn read_deployment(lines: &[String], side: Side, ruleset: &Ruleset) -> Result<Setup, LineError> {
    read_pieces(lines, side, ruleset).map(Setup::new)
}

/// Converts a deployment from the protocol's lines to the text of §P4, without spaces. Does not
/// check whether it is a legal army.
pub fn deployment_text(lines: &[String], side: Side, ruleset: &Ruleset) -> Result<String, LineError> {
    let pieces = read_pieces(lines, side, ruleset)?;
    let rank_on = |square: Square| pieces.iter().find(|(at, _)| *at == square).map(|(_, rank)| *rank);
    let shape = &ruleset.shape;
    let squares = (0..shape.home_len()).filter_map(|place| shape.home_square(side, place));
    Ok(squares.map(|square| rank_on(square).map_or('.', Rank::letter)).collect())
}

fn read_pieces(lines: &[String], side: Side, ruleset: &Ruleset) -> Result<Vec<(Square, Rank)>, LineError> {
    let mut pieces = Vec::new();
    for (index, squares) in home_lines(&ruleset.shape, side).enumerate() {
        let line = lines.get(index).map_or("", String::as_str);
        let (have, want) = (line.chars().count(), squares.len());
        if have != want {
            return Err(LineError::Width { line: index + 1, have, want });
        }
        for (letter, square) in line.chars().zip(squares) {
            match (letter, ruleset.fill) {
                ('.', Fill::AnyHomeSquares) => {}
                (letter, fill) => {
                    let empty = if fill == Fill::AnyHomeSquares { ", and . for an empty square" } else { "" };
                    let error = LineError::Letter { line: index + 1, letter, empty };
                    pieces.push((square, rank(letter).ok_or(error)?));
                }
            }
        }
    }
    Ok(pieces)
}

/// Converts a deployment to the protocol's lines. `text` has the format of §P4, without spaces.
pub fn deployment(text: &str, side: Side, shape: &BoardShape) -> Vec<String> {
    let pieces = pieces(text, side, shape);
    let letter_at = |square: &Square| pieces.iter().find(|(at, _)| at == square).map_or('.', |p| letter(p.1));
    home_lines(shape, side).map(|line| line.iter().map(letter_at).collect()).collect()
}

/// Returns the pieces in a deployment text (§P4).
pub fn pieces(text: &str, side: Side, shape: &BoardShape) -> Vec<(Square, Rank)> {
    text.chars()
        .enumerate()
        .filter_map(|(place, letter)| Some((shape.home_square(side, place)?, Rank::from_letter(letter)?)))
        .collect()
}

fn words(line: &str) -> Vec<&str> {
    line.split_ascii_whitespace().collect()
}

/// Parses a number that consists only of digits, without a sign.
fn number(word: &str) -> Option<u8> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) { word.parse().ok() } else { None }
}

/// Returns a program's name as its opponent receives it. Like the original manager, returns a
/// path, because old programs look for the last `/` in the name and crash if there is none.
pub fn path_of(name: &str) -> String {
    format!("./{name}")
}

/// Converts a name to a single word of the protocol, with at most 32 characters. Replaces all
/// characters except letters, digits, `-`, `_` and `.` with `-`.
pub fn fit_name(name: &str) -> String {
    let fit = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' => letter,
        _ => '-',
    };
    let name: String = name.chars().take(32).map(fit).collect();
    if name.is_empty() { "program".to_owned() } else { name }
}

#[cfg(test)]
#[path = "line/tests.rs"]
mod tests;
