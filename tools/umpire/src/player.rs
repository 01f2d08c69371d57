//! A program's side of the protocol. It reads lines, keeps a view of the game, and returns the
//! answers of a chooser. This module does not handle processes.

use flagfall_board::{Rank, Side, Square, SquareSet};
use flagfall_rules::{Command, FoggedGame, Misheard, Ruleset, SetupRefusal, StrikeOutcome, View};

use crate::line::{self, Answer, LineError, MoveReport, MoveText, Opening, Outcome, quoted};

/// Why a program cannot continue: a line from the umpire or a command from the chooser is
/// invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum PlayerError {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(
        "this is not possible by the rules of {ruleset} (does the umpire use another ruleset?): {misheard}"
    )]
    Misheard { ruleset: &'static str, misheard: Misheard },
    #[error("the umpire's board has {width}x{height} squares, but {ruleset} has a different board")]
    Size { ruleset: &'static str, width: u8, height: u8 },
    #[error("the umpire shows row {row} of the board as {shown:?}, but by the moves it should be {known:?}")]
    Board { row: usize, shown: String, known: String },
    #[error("the player's own deployment: {0}")]
    Deployment(SetupRefusal),
    #[error("the player wants an act that the line protocol cannot express")]
    NoWord,
}

/// A program that speaks the protocol and takes its answers from a chooser.
///
/// The chooser is a function that gets views of the game, at least on each of its turns. It
/// returns a command, or `None` if it has nothing to do.
pub struct LinePlayer<C, M> {
    ruleset: &'static Ruleset,
    /// The lakes that are known before the first board.
    lakes: SquareSet,
    state: State<C, M>,
}

#[expect(clippy::large_enum_variant, reason = "a player has one")]
enum State<C, M> {
    /// The program waits for the opening. The chooser is created later, when the program's side
    /// is known.
    Opening(M),
    Playing(Seat<C>, Next),
    Over,
}

struct Seat<C> {
    ruleset: &'static Ruleset,
    side: Side,
    chooser: C,
    own: Vec<(Square, Rank)>,
}

/// The part of the dialogue that comes next.
enum Next {
    /// `START`, or the opponent's first move.
    First,
    /// The rows of the first board. Holds the rows read so far, and the move that was reported
    /// before them, if any.
    FirstBoard(Vec<String>, Option<MoveReport>),
    /// The outcome of the program's own move.
    Outcome(FoggedGame),
    /// The opponent's move.
    Move(FoggedGame),
    /// The rows of a board.
    Board(FoggedGame, Vec<String>),
}

/// The lines that the program prints, and whether the game is over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reaction {
    /// Lines to print.
    pub lines: Vec<String>,
    /// True if the game is over.
    pub is_over: bool,
}

impl<C: FnMut(&View) -> Option<Command>, M: FnOnce(Side) -> C> LinePlayer<C, M> {
    /// Creates a program. It calls `make` to create its chooser as soon as it knows its side.
    pub fn new(ruleset: &'static Ruleset, make: M) -> LinePlayer<C, M> {
        LinePlayer { ruleset, lakes: ruleset.shape.lakes, state: State::Opening(make) }
    }

    /// Sets the randomly drawn lakes, so that the chooser can take them into account when it
    /// deploys.
    pub fn with_lakes(self, lakes: SquareSet) -> LinePlayer<C, M> {
        LinePlayer { lakes, ..self }
    }

    /// Handles a line.
    ///
    /// # Errors
    /// [`PlayerError`]. The program should report the reason and end.
    pub fn hear(&mut self, line: &str) -> Result<Reaction, PlayerError> {
        let state = std::mem::replace(&mut self.state, State::Over);
        // Ignore the result, which is only for people.
        if line.split_ascii_whitespace().next() == Some("QUIT") {
            return Ok(Reaction { lines: Vec::new(), is_over: true });
        }
        let mut lines = Vec::new();
        self.state = match state {
            State::Opening(make) => {
                let (seat, deployment) = open(self.ruleset, self.lakes, make, line)?;
                lines = deployment;
                State::Playing(seat, Next::First)
            }
            State::Playing(mut seat, next) => {
                let next = seat.hear(next, line, &mut lines)?;
                State::Playing(seat, next)
            }
            State::Over => State::Over,
        };
        Ok(Reaction { lines, is_over: false })
    }
}

fn open<C: FnMut(&View) -> Option<Command>>(
    ruleset: &'static Ruleset,
    lakes: SquareSet,
    make: impl FnOnce(Side) -> C,
    line: &str,
) -> Result<(Seat<C>, Vec<String>), PlayerError> {
    let Opening { side, opponent: _, width, height } = line.parse()?;
    if (width, height) != (ruleset.shape.columns, ruleset.shape.rows) {
        return Err(PlayerError::Size { ruleset: ruleset.id, width, height });
    }
    let mut chooser = make(side);
    let Some(Command::Deploy(setup)) = chooser(&FoggedGame::before(ruleset, lakes, side)) else {
        return Err(PlayerError::NoWord);
    };
    let text = setup.deploy(side, ruleset).map_err(PlayerError::Deployment)?.into_text();
    let lines = line::deployment(&text, side, &ruleset.shape);
    let own = line::pieces(&text, side, &ruleset.shape);
    Ok((Seat { ruleset, side, chooser, own }, lines))
}

impl<C: FnMut(&View) -> Option<Command>> Seat<C> {
    /// Handles a line after the opening. Returns the next part of the dialogue.
    fn hear(&mut self, next: Next, line: &str, lines: &mut Vec<String>) -> Result<Next, PlayerError> {
        let height = usize::from(self.ruleset.shape.rows);
        Ok(match next {
            Next::First if line.trim() == "START" => Next::FirstBoard(Vec::new(), None),
            Next::First => Next::FirstBoard(Vec::new(), Some(line.parse()?)),
            Next::FirstBoard(mut rows, told) => {
                rows.push(line.to_owned());
                if rows.len() < height {
                    return Ok(Next::FirstBoard(rows, told));
                }
                let mut game = self.begin(&rows, told.as_ref())?;
                if let Some(told) = told {
                    follow(&mut game, &told)?;
                }
                self.answer(game, &rows, lines)?
            }
            Next::Outcome(mut game) => {
                follow(&mut game, &line.parse()?)?;
                // Show the chooser the outcome of its move. Ignore its answer, because it is the
                // opponent's turn.
                let _nothing = (self.chooser)(&game.view());
                Next::Move(game)
            }
            Next::Move(mut game) => {
                follow(&mut game, &line.parse()?)?;
                Next::Board(game, Vec::new())
            }
            Next::Board(game, mut rows) => {
                rows.push(line.to_owned());
                if rows.len() < height { Next::Board(game, rows) } else { self.answer(game, &rows, lines)? }
            }
        })
    }

    /// Returns the game at its start. Derives it from the first board, by undoing the move that
    /// was reported before the board.
    fn begin(&self, rows: &[String], told: Option<&MoveReport>) -> Result<FoggedGame, PlayerError> {
        let shown = |wanted| -> SquareSet {
            rows.iter()
                .zip(0..)
                .flat_map(|(row, y)| row.chars().zip(0..).map(move |(letter, x)| (letter, x, y)))
                .filter(|(letter, _, _)| *letter == wanted)
                .filter_map(|(_, x, y)| Square::new(x, y))
                .collect()
        };
        let mut foes = shown('#');
        if let Some(MoveReport { played, outcome }) = told {
            let has_arrived = match outcome {
                Outcome::Fine => true,
                Outcome::Strike(strike) => strike.outcome == StrikeOutcome::DefenderLeft,
                Outcome::Illegal => false,
            };
            if has_arrived {
                foes.remove(played.squares.to);
            }
            foes.insert(played.squares.from);
        }
        FoggedGame::begin(self.ruleset, self.side, shown('+'), &self.own, foes)
            .map_err(|misheard| PlayerError::Misheard { ruleset: self.ruleset.id, misheard })
    }

    /// Checks the board that the umpire showed, and answers it.
    fn answer(
        &mut self,
        game: FoggedGame,
        rows: &[String],
        lines: &mut Vec<String>,
    ) -> Result<Next, PlayerError> {
        let view = game.view();
        for (row, (shown, known)) in
            rows.iter().zip(line::board(&self.ruleset.shape, self.side, &view)).enumerate()
        {
            if shown.trim_ascii_end() != known {
                return Err(PlayerError::Board { row: row + 1, shown: quoted(shown), known });
            }
        }
        let answer = match (self.chooser)(&view) {
            Some(Command::Move(asked)) => Answer::Move(MoveText::new(asked.squares)),
            Some(Command::Resign) | None => Answer::Surrender,
            Some(_) => return Err(PlayerError::NoWord),
        };
        lines.push(answer.to_string());
        Ok(Next::Outcome(game))
    }
}

fn follow(game: &mut FoggedGame, told: &MoveReport) -> Result<(), PlayerError> {
    let Some(moved) = told.to_follow() else {
        let line = quoted(&told.to_string());
        return Err(PlayerError::Line(LineError::Umpire { line, wanted: "a move that was made" }));
    };
    game.hear(&moved).map_err(|misheard| PlayerError::Misheard { ruleset: game.ruleset().id, misheard })
}

#[cfg(test)]
#[path = "player/tests.rs"]
mod tests;
