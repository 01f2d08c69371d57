//! Board pictures, and the functions that play plies in them. All tests of plies use this module.
//!
//! A picture has one line per row, `row | cell cell …`, beginning with column a. Squares that are
//! left out are empty, and the ruleset's lakes need not be drawn. A cell is `..` (empty), `~~`
//! (lake) or a piece as in position texts, such as `r9` or `bB`. A piece is followed by `'` if it
//! has moved and by `*` if its rank is public.
//!
//! In rulesets with a reserve, more lines may follow: the reserves (`red 9:2,8:1` and `blue …`),
//! the chips (`chips a4r,b5g`) and the square whose color must be named (`owed a4`), in the form
//! of position texts. In rulesets with coins, `red` and `blue` are the pools, and `strike
//! a4a5,r9` is the pending strike.
//!
//! [`check`] and [`Playthrough`] add two bystanders in the far corner of each side, if the
//! picture leaves room: a Flag and a piece that can move. They prevent games from ending because
//! a side has no legal move. [`Playthrough::bare`] adds no bystanders.

use flagfall_board::{Rank, Side, Square, SquareSet};
use flagfall_rules::{
    Choice, Command, Entropy, Events, MoveCommand, Outcome, Position, Referee, Refusal, Ruleset, Start,
};

/// A position in which a test plays commands.
pub(crate) struct Playthrough {
    pub(crate) position: Position,
}

type Cells = Vec<(Square, String)>;

fn parse_cells(picture: &str) -> Cells {
    let mut cells = Vec::new();
    for line in picture.lines().map(str::trim).filter(|line| line.contains('|')) {
        let (row, rest) = line.split_once('|').expect("a row and its cells");
        let row: u8 = row.trim().parse().expect("a row number");
        for (column, cell) in rest.split_whitespace().enumerate() {
            if cell != ".." && cell != "~~" {
                let square = Square::new(column as u8, row - 1).expect("a square");
                cells.push((square, cell.to_owned()));
            }
        }
    }
    cells
}

fn with_bystanders(ruleset: &Ruleset, mut cells: Cells) -> Cells {
    let last = ruleset.shape.columns - 1;
    for (side, row) in [('r', 0), ('b', ruleset.shape.rows - 1)] {
        let has = |cells: &Cells, letter: char| {
            cells.iter().filter(|(_, cell)| cell.starts_with(&format!("{side}{letter}"))).count()
        };
        let corner = Square::new(last, row).expect("a square");
        let beside = Square::new(last - 1, row).expect("a square");
        // In rulesets with coins, bystanders are revealed, and a Flag is never added, because a
        // side with a revealed Flag has lost.
        let has_coins = ruleset.start == Start::Coins;
        let mark = if has_coins { "*" } else { "" };
        if !has_coins && has(&cells, 'F') == 0 && cells.iter().all(|(square, _)| *square != corner) {
            cells.push((corner, format!("{side}F")));
        }
        let walker = [Rank::Miner, Rank::Sergeant, Rank::General, Rank::Spy]
            .into_iter()
            .find(|rank| has(&cells, rank.letter()) < usize::from(ruleset.army.count(*rank)));
        if let Some(walker) = walker
            && cells.iter().all(|(square, _)| *square != beside)
        {
            cells.push((beside, format!("{side}{}{mark}", walker.letter())));
        }
    }
    cells
}

/// Returns the lakes of all pictures. If the ruleset draws lakes at random, these are the lakes
/// of `classic`.
pub(crate) fn lakes(ruleset: &Ruleset) -> SquareSet {
    ruleset.draw_lakes(&Entropy([15; 32]))
}

fn board_text(ruleset: &Ruleset, cells: &Cells) -> String {
    let rows = (0..ruleset.shape.rows).rev().map(|row| {
        (0..ruleset.shape.columns)
            .map(|column| {
                let square = Square::new(column, row).expect("a square");
                match cells.iter().find(|(taken, _)| *taken == square) {
                    Some((_, cell)) => cell.clone(),
                    None if lakes(ruleset).contains(square) => "~".to_owned(),
                    None => ".".to_owned(),
                }
            })
            .collect::<String>()
    });
    rows.collect::<Vec<_>>().join("/")
}

/// Returns the fields that follow the board in a position text: reserves, chips and owed color,
/// or pools and pending strike.
fn shadow_text(ruleset: &Ruleset, picture: &str) -> String {
    let field = |name: &str| {
        let mut lines = picture.lines().map(str::trim);
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).unwrap_or("-").trim()
    };
    let more = match (ruleset.reserve, ruleset.start) {
        (true, _) => vec![field("red"), field("blue"), field("chips"), field("owed")],
        (false, Start::Coins) => vec![field("red"), field("blue"), field("strike")],
        (false, Start::Deployments) => vec![],
    };
    more.into_iter().map(|field| format!(" {field}")).collect()
}

fn position(ruleset: &Ruleset, side: Side, plies: (u16, u16), cells: &Cells, shadow: &str) -> Position {
    let (ply, quiet) = plies;
    let text = format!("{} {} {ply} {quiet} {}{shadow}", ruleset.id, side.name(), board_text(ruleset, cells));
    match Position::from_text(&text) {
        Ok(position) => position,
        Err(error) => panic!("{error}: {text}"),
    }
}

impl Playthrough {
    /// Sets up the picture with bystanders and this side to move.
    pub(crate) fn new(ruleset: &Ruleset, side: Side, picture: &str) -> Playthrough {
        Playthrough::after(ruleset, side, 40, 0, picture)
    }

    /// Sets up the picture without bystanders.
    pub(crate) fn bare(ruleset: &Ruleset, side: Side, picture: &str) -> Playthrough {
        let shadow = shadow_text(ruleset, picture);
        Playthrough { position: position(ruleset, side, (40, 0), &parse_cells(picture), &shadow) }
    }

    /// Sets up the picture with bystanders. `ply` plies have been played, and the last `quiet` of
    /// them captured nothing.
    pub(crate) fn after(ruleset: &Ruleset, side: Side, ply: u16, quiet: u16, picture: &str) -> Playthrough {
        let cells = with_bystanders(ruleset, parse_cells(picture));
        Playthrough {
            position: position(ruleset, side, (ply, quiet), &cells, &shadow_text(ruleset, picture)),
        }
    }

    /// Plays a ply, if the engine allows it. Returns the outcome if the ply ended the game.
    ///
    /// Panics if the engine's decision does not agree with the list of legal commands.
    #[track_caller]
    pub(crate) fn play_one(&mut self, squares: &str) -> Result<Option<Outcome>, Refusal> {
        let command = command(squares);
        let verdict = Referee.judge_command(&self.position, &command);
        assert_eq!(
            verdict.is_ok(),
            self.is_listed(&command),
            "{squares}: the verdict {:?} and the list of legal commands disagree",
            verdict.as_ref().err()
        );
        let events = verdict?;
        Referee.apply(&mut self.position, &events);
        assert!(self.position.is_conserved(), "{squares} lost or made a piece");
        Ok(outcome_of(&events))
    }

    /// True if a command is legal. A move that names no path is legal if it is legal on any path.
    fn is_listed(&self, command: &Command) -> bool {
        let legal: Vec<Command> = self.position.legal_commands().iter().collect();
        let Command::Move(MoveCommand { squares, path: None, color }) = *command else {
            return legal.contains(command);
        };
        let is_same = |other: &Command| matches!(other, Command::Move(other) if other.squares == squares && other.color == color);
        legal.iter().any(is_same)
    }

    /// Plays moves. Panics if a move is illegal or ends the game.
    #[track_caller]
    pub(crate) fn play(&mut self, moves: &str) -> &mut Playthrough {
        for squares in moves.split_whitespace() {
            match self.play_one(squares) {
                Ok(None) => {}
                Ok(Some(outcome)) => panic!("{squares} ended the game: {outcome:?}"),
                Err(refusal) => panic!("{squares} was refused: {}", refusal.code()),
            }
        }
        self
    }

    /// Asserts that the move is refused with this code.
    #[track_caller]
    pub(crate) fn refuses(&mut self, squares: &str, code: &str) -> &mut Playthrough {
        match self.play_one(squares) {
            Err(refusal) => assert_eq!(refusal.code(), code, "{squares}"),
            Ok(_) => panic!("{squares} was not refused; expected {code}"),
        }
        self
    }

    /// Plays a move and asserts that the game ends with this outcome, such as `red flag_captured`
    /// or `nobody quiet_limit`.
    #[track_caller]
    pub(crate) fn ends(&mut self, squares: &str, outcome: &str) {
        match self.play_one(squares) {
            Ok(Some(found)) => assert_eq!(outcome_text(&found), outcome, "{squares}"),
            Ok(None) => panic!("{squares} did not end the game; expected {outcome:?}"),
            Err(refusal) => panic!("{squares} was refused: {}", refusal.code()),
        }
    }

    /// Returns the board as text, so that two boards can be compared.
    pub(crate) fn board(&self) -> String {
        let text = Referee.position_text(&self.position);
        text.split(' ').nth(4).expect("a board").to_owned()
    }

    /// Returns the position text without the plies and the side to move.
    pub(crate) fn picture(&self) -> String {
        picture_of(&self.position)
    }

    /// Returns the cell of a square, such as `r9'*`. The result is empty if the square has no
    /// piece.
    pub(crate) fn cell(&self, square: &str) -> String {
        let square: Square = square.parse().expect("a square");
        let board = self.board();
        let row = board.rsplit('/').nth(usize::from(square.row())).expect("a row");
        let mut column = 0;
        let mut characters = row.chars().peekable();
        while let Some(character) = characters.next() {
            let mut tail = String::new();
            while let Some(more) = characters.next_if(|next| !matches!(next, '.' | '~' | 'r' | 'b')) {
                tail.push(more);
            }
            let width = if matches!(character, '.' | '~') { tail.parse().unwrap_or(1) } else { 1 };
            if (column..column + width).contains(&usize::from(square.column())) {
                return if width == 1 && matches!(character, 'r' | 'b') {
                    format!("{character}{tail}")
                } else {
                    String::new()
                };
            }
            column += width;
        }
        panic!("row {row} is too short");
    }
}

fn picture_of(position: &Position) -> String {
    let text = Referee.position_text(position);
    text.split(' ').skip(4).collect::<Vec<_>>().join(" ")
}

/// Parses a command that is about the board, such as `a4a5`, `a1a7-=g`, `9@a4=g`, `-a4`, `=g` or
/// `!9`.
pub(crate) fn command(text: &str) -> Command {
    if let Some(square) = text.strip_prefix('-') {
        return Command::Remove(square.parse().expect("a square"));
    }
    if let Some(color) = text.strip_prefix('=') {
        return Command::Color(flagfall_board::ChipColor::from_name(color).expect("a color"));
    }
    if let Some(letter) = text.strip_prefix('!') {
        let rank = letter.chars().next().and_then(Rank::from_letter);
        return Command::Choose(Choice(rank.expect("a rank")));
    }
    if text.contains('@') {
        return Command::Place(text.parse().expect("a placing"));
    }
    Command::Move(text.parse().expect("a move"))
}

pub(crate) fn outcome_text(outcome: &Outcome) -> String {
    format!("{} {}", outcome.winner.map_or("nobody", Side::name), outcome.reason.code())
}

/// Returns the outcome of the game, if one of these events ends it.
pub(crate) fn outcome_of(events: &Events) -> Option<Outcome> {
    events.iter().find_map(|event| match flagfall_rules::secret::to_record(event) {
        flagfall_rules::secret::SecretRecord::Ended { winner, reason } => Some(Outcome { winner, reason }),
        _ => None,
    })
}

/// Plays one move in a picture. The move is Red's, or Blue's if it begins with `blue `.
///
/// `expect` is `refused CODE` or the picture after the move. If the move must end the game, the
/// last line of the picture is `=> WINNER REASON`.
#[track_caller]
pub(crate) fn check(ruleset: &Ruleset, picture: &str, squares: &str, expect: &str) {
    let (side, squares) = match squares.strip_prefix("blue ") {
        Some(squares) => (Side::Blue, squares),
        None => (Side::Red, squares),
    };
    let mut line = Playthrough::new(ruleset, side, picture);
    if let Some(code) = expect.strip_prefix("refused ") {
        line.refuses(squares, code);
        return;
    }
    let (picture_after, outcome) =
        expect.split_once("=>").map_or((expect, None), |(before, end)| (before, Some(end.trim().to_owned())));
    match line.play_one(squares) {
        Ok(found) => assert_eq!(found.as_ref().map(outcome_text), outcome, "{squares}"),
        Err(refusal) => panic!("{squares} was refused: {}", refusal.code()),
    }
    // Both pictures must have the same bystanders, so those of the first picture are added to the
    // second one.
    let before = parse_cells(picture);
    let bystanders = with_bystanders(ruleset, before.clone()).split_off(before.len());
    let mut after = parse_cells(picture_after);
    after.extend(bystanders.into_iter().filter(|(square, _)| {
        !after_has(&parse_cells(picture_after), *square) && !squares.ends_with(&square.to_string())
    }));
    let shadow = shadow_text(ruleset, picture_after);
    let wanted = position(ruleset, side.opponent(), (0, 0), &after, &shadow);
    assert_eq!(line.picture(), picture_of(&wanted), "{squares}");
}

fn after_has(cells: &Cells, square: Square) -> bool {
    cells.iter().any(|(taken, _)| *taken == square)
}
