//! The program's side of the protocol. Lines come in, a view is kept, and a chooser's answers go
//! out. It knows no process.

use flagfall_board::{Rank, Side, Square, SquareSet};
use flagfall_bots::HousePlayer;
use flagfall_rules::{Command, FoggedGame, Misheard, Ruleset, SetupRefusal, StrikeOutcome, View};

use crate::line::{self, Answer, LineError, MoveReport, MoveText, Opening, Outcome, Quit, quoted};

/// A player that answers views, at least those of its own turns.
pub trait Choose {
    /// Its command, or `None` if there is nothing to do.
    fn choose(&mut self, view: &View) -> Option<Command>;
}

impl Choose for HousePlayer {
    fn choose(&mut self, view: &View) -> Option<Command> {
        HousePlayer::choose(self, view)
    }
}

/// Why a program cannot go on: the umpire or the chooser made no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum PlayerError {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("by the rules of {ruleset} that cannot be (is the umpire playing another ruleset?): {misheard}")]
    Misheard { ruleset: &'static str, misheard: Misheard },
    #[error("the umpire's board has {width}x{height} squares, that of {ruleset} has not")]
    Size { ruleset: &'static str, width: u8, height: u8 },
    #[error("row {row} of the board shown is {shown:?}, by the moves told it is {known:?}")]
    Board { row: usize, shown: String, known: String },
    #[error("the player's own deployment: {0}")]
    Deployment(SetupRefusal),
    #[error("the player asks for something the protocol has no word for")]
    NoWord,
}

/// A program of the protocol around a chooser.
pub struct LinePlayer<C, M> {
    ruleset: &'static Ruleset,
    /// The lakes, as known before the first board.
    lakes: SquareSet,
    seat: Seat<C, M>,
    state: State,
}

enum Seat<C, M> {
    /// The chooser is made once its side is known.
    Free(M),
    Taken {
        side: Side,
        chooser: C,
        own: Vec<(Square, Rank)>,
    },
}

/// The state of the dialogue: what comes next.
enum State {
    /// The opening.
    Opening,
    /// `START`, or the opponent's first move.
    First,
    /// The rows of the first board. The move is the one told before it.
    FirstBoard(Vec<String>, Option<MoveReport>),
    /// The outcome of the own move.
    Outcome(FoggedGame),
    /// The opponent's move.
    Move(FoggedGame),
    /// The rows of a board.
    Board(FoggedGame, Vec<String>),
    /// The game is over.
    Over,
}

/// What the program says, and whether it is done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reaction {
    /// Lines to print.
    pub lines: Vec<String>,
    /// True if the game is over.
    pub is_over: bool,
}

impl<C: Choose, M: FnOnce(Side) -> C> LinePlayer<C, M> {
    /// A program that makes its chooser once it knows its side.
    pub fn new(ruleset: &'static Ruleset, make: M) -> LinePlayer<C, M> {
        LinePlayer { ruleset, lakes: ruleset.shape.lakes, seat: Seat::Free(make), state: State::Opening }
    }

    /// The same with drawn lakes, so that the chooser can deploy for them.
    pub fn with_lakes(self, lakes: SquareSet) -> LinePlayer<C, M> {
        LinePlayer { lakes, ..self }
    }

    /// Handles a line.
    ///
    /// # Errors
    /// [`PlayerError`]. The program should say why and end.
    pub fn hear(mut self, line: &str) -> Result<(LinePlayer<C, M>, Reaction), PlayerError> {
        if line.split_ascii_whitespace().next() == Some("QUIT") {
            // The result is for people. Programs need not understand it.
            drop(line.parse::<Quit>());
            self.state = State::Over;
            return Ok((self, Reaction { lines: Vec::new(), is_over: true }));
        }
        let mut lines = Vec::new();
        self.state = match self.state {
            State::Opening => {
                let (seat, deployment) = open(self.ruleset, self.lakes, self.seat, line)?;
                self.seat = seat;
                lines = deployment;
                State::First
            }
            State::First if line.trim() == "START" => State::FirstBoard(Vec::new(), None),
            State::First => State::FirstBoard(Vec::new(), Some(line.parse()?)),
            State::FirstBoard(mut rows, told) => {
                rows.push(line.to_owned());
                if rows.len() < usize::from(self.ruleset.shape.rows) {
                    State::FirstBoard(rows, told)
                } else {
                    let mut game = begin(self.ruleset, &self.seat, &rows, told.as_ref())?;
                    if let Some(told) = told {
                        follow(&mut game, &told)?;
                    }
                    check_board(&game, &rows)?;
                    lines.push(answer(&mut self.seat, &game)?.to_string());
                    State::Outcome(game)
                }
            }
            State::Outcome(mut game) => {
                follow(&mut game, &line.parse()?)?;
                remember(&mut self.seat, &game);
                State::Move(game)
            }
            State::Move(mut game) => {
                follow(&mut game, &line.parse()?)?;
                State::Board(game, Vec::new())
            }
            State::Board(game, mut rows) => {
                rows.push(line.to_owned());
                if rows.len() < usize::from(self.ruleset.shape.rows) {
                    State::Board(game, rows)
                } else {
                    check_board(&game, &rows)?;
                    lines.push(answer(&mut self.seat, &game)?.to_string());
                    State::Outcome(game)
                }
            }
            State::Over => State::Over,
        };
        Ok((self, Reaction { lines, is_over: false }))
    }
}

fn open<C: Choose, M: FnOnce(Side) -> C>(
    ruleset: &'static Ruleset,
    lakes: SquareSet,
    seat: Seat<C, M>,
    line: &str,
) -> Result<(Seat<C, M>, Vec<String>), PlayerError> {
    let Opening { side, opponent: _, width, height } = line.parse()?;
    if (width, height) != (ruleset.shape.columns, ruleset.shape.rows) {
        return Err(PlayerError::Size { ruleset: ruleset.id, width, height });
    }
    let Seat::Free(make) = seat else { return Err(PlayerError::NoWord) };
    let mut chooser = make(side);
    let Some(Command::Deploy(setup)) = chooser.choose(&FoggedGame::before(ruleset, lakes, side)) else {
        return Err(PlayerError::NoWord);
    };
    let text = setup.deploy(side, ruleset).map_err(PlayerError::Deployment)?.into_text();
    let lines = line::deployment(&text, side, &ruleset.shape);
    let own = line::pieces(&text, side, &ruleset.shape);
    Ok((Seat::Taken { side, chooser, own }, lines))
}

/// The game at its start: the first board, with the move told before it undone.
fn begin<C, M>(
    ruleset: &'static Ruleset,
    seat: &Seat<C, M>,
    rows: &[String],
    told: Option<&MoveReport>,
) -> Result<FoggedGame, PlayerError> {
    let Seat::Taken { side, chooser: _, own } = seat else { return Err(PlayerError::NoWord) };
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
    FoggedGame::begin(ruleset, *side, shown('+'), own, foes)
        .map_err(|misheard| PlayerError::Misheard { ruleset: ruleset.id, misheard })
}

fn follow(game: &mut FoggedGame, told: &MoveReport) -> Result<(), PlayerError> {
    let Some(moved) = told.to_follow() else {
        let line = quoted(&told.to_string());
        return Err(PlayerError::Line(LineError::Umpire { line, wanted: "a move that was made" }));
    };
    game.hear(&moved).map_err(|misheard| PlayerError::Misheard { ruleset: game.ruleset().id, misheard })
}

fn check_board(game: &FoggedGame, rows: &[String]) -> Result<(), PlayerError> {
    let known = line::board(&game.view());
    for (row, (shown, known)) in rows.iter().zip(known).enumerate() {
        if shown.trim_ascii_end() != known {
            return Err(PlayerError::Board { row: row + 1, shown: quoted(shown), known });
        }
    }
    Ok(())
}

fn answer<C: Choose, M>(seat: &mut Seat<C, M>, game: &FoggedGame) -> Result<Answer, PlayerError> {
    let Seat::Taken { side: _, chooser, own: _ } = seat else { return Err(PlayerError::NoWord) };
    match chooser.choose(&game.view()) {
        Some(Command::Move(asked)) => Ok(Answer::Move(MoveText::new(asked.squares))),
        Some(Command::Resign) | None => Ok(Answer::Surrender),
        Some(_) => Err(PlayerError::NoWord),
    }
}

/// Shows the chooser the outcome of its move.
fn remember<C: Choose, M>(seat: &mut Seat<C, M>, game: &FoggedGame) {
    if let Seat::Taken { side: _, chooser, own: _ } = seat {
        // It is not the chooser's turn, so it has nothing to do.
        let _nothing = chooser.choose(&game.view());
    }
}

#[cfg(test)]
#[path = "player/tests.rs"]
mod tests;
