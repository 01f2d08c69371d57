//! The program's side of the protocol. Lines come in, a view is kept, and a chooser's answers go
//! out. It does not handle processes.

use flagfall_board::{Rank, Side, Square, SquareSet};
use flagfall_rules::{Command, FoggedGame, Misheard, Ruleset, SetupRefusal, StrikeOutcome, View};

use crate::line::{self, Answer, LineError, MoveReport, MoveText, Opening, Outcome, quoted};

/// Why a program cannot go on: the umpire's lines or the chooser's commands make no sense.
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

/// A program of the protocol around a chooser: a function that answers views, at least those of its
/// own turns, with a command or `None` if there is nothing to do.
pub struct LinePlayer<C, M> {
    ruleset: &'static Ruleset,
    /// The lakes, as known before the first board.
    lakes: SquareSet,
    state: State<C, M>,
}

#[expect(clippy::large_enum_variant, reason = "a player has one")]
enum State<C, M> {
    /// The opening comes next. The chooser is made once its side is known.
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

/// What comes next in the dialogue.
enum Next {
    /// `START`, or the opponent's first move.
    First,
    /// The rows of the first board. The move is the one told before it.
    FirstBoard(Vec<String>, Option<MoveReport>),
    /// The outcome of the program's own move.
    Outcome(FoggedGame),
    /// The opponent's move.
    Move(FoggedGame),
    /// The rows of a board.
    Board(FoggedGame, Vec<String>),
}

/// What the program says, and whether it is done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reaction {
    /// Lines to print.
    pub lines: Vec<String>,
    /// True if the game is over.
    pub is_over: bool,
}

impl<C: FnMut(&View) -> Option<Command>, M: FnOnce(Side) -> C> LinePlayer<C, M> {
    /// A program that makes its chooser once it knows its side.
    pub fn new(ruleset: &'static Ruleset, make: M) -> LinePlayer<C, M> {
        LinePlayer { ruleset, lakes: ruleset.shape.lakes, state: State::Opening(make) }
    }

    /// The same with drawn lakes, so that the chooser can deploy for them.
    pub fn with_lakes(self, lakes: SquareSet) -> LinePlayer<C, M> {
        LinePlayer { lakes, ..self }
    }

    /// Handles a line.
    ///
    /// # Errors
    /// [`PlayerError`]. The program should say why and end.
    pub fn hear(&mut self, line: &str) -> Result<Reaction, PlayerError> {
        let state = std::mem::replace(&mut self.state, State::Over);
        // The result is for people. Programs need not understand it.
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
    /// Handles a line after the opening. Returns what comes next.
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
                // The chooser sees the outcome of its move. It is not its turn, so it has nothing
                // to do.
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

    /// Returns the game at its start: the first board, with the move before it undone.
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

    /// Checks the board that was shown, and answers it.
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
