//! The state of the screen: the page, and prompts. A prompt blocks all other input until
//! answered.

use flagfall_board::{ChipColor, GameId, Rank, Square};
use flagfall_protocol::GameCommand;
use flagfall_rules::{Move, MoveCommand};

use crate::replay::Replay;

/// The state of the screen, apart from the game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ui {
    pub page: Page,
    pub prompt: Option<Prompt>,
    /// While the history is open, the number of notes below the visible ones.
    pub history: Option<usize>,
    pub help: Option<Help>,
    pub is_turned: bool,
    /// The record that the user steps through, if this run shows one.
    pub replay: Option<Replay>,
}

/// The scroll position of the help, on a terminal that is too small for all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Help {
    pub first: usize,
    /// The largest value of `first`.
    pub last: usize,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub enum Page {
    /// The player waits, for example for an opponent.
    Waiting { headline: String, lines: Vec<String> },
    /// A list to pick from.
    Choosing(Choices),
    /// The terms of a challenge, which the player can accept or decline.
    Terms { challenge: String, lines: Vec<String> },
    #[default]
    Game,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Choices {
    pub title: String,
    pub entries: Vec<(String, Choice)>,
    pub cursor: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    Open(GameId),
    Accept { seek: String, offer: String },
    Offer,
}

/// A question that blocks all other input until answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prompt {
    Resign,
    Abort,
    /// Leave the running game? Holds the consequences, as text.
    Leave(String),
    /// Accept this challenge? Holds its terms, as text.
    Challenge(String),
    /// Claim the game that the opponent left: as a win or as a draw?
    Claim,
    Say(String),
    /// Make a move that loses because it is illegal (§U7)?
    IllegalMove(Move),
    Remove(Square),
    Color(Uncolored),
    Place {
        square: Square,
        /// The kinds of pieces to choose from: rank, whether it is labeled, count.
        kinds: Vec<(Rank, bool, u8)>,
        cursor: usize,
    },
    SaveAs(String),
    Load {
        entries: Vec<(String, String)>,
        cursor: usize,
    },
}

impl Prompt {
    /// True if the question makes sense only in the current position.
    pub const fn is_about_position(&self) -> bool {
        match self {
            Prompt::Resign
            | Prompt::Abort
            | Prompt::Claim
            | Prompt::IllegalMove(_)
            | Prompt::Remove(_)
            | Prompt::Color(_)
            | Prompt::Place { .. } => true,
            Prompt::Leave(_)
            | Prompt::Challenge(_)
            | Prompt::Say(_)
            | Prompt::SaveAs(_)
            | Prompt::Load { .. } => false,
        }
    }
}

/// A ply whose chip still needs a color.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncolored {
    Move(Move),
    Place { square: Square, rank: Rank, labeled: bool },
}

impl Uncolored {
    pub fn colored(self, color: ChipColor) -> GameCommand {
        match self {
            Uncolored::Move(squares) => {
                GameCommand::from(MoveCommand { squares, path: None, color: Some(color) })
            }
            Uncolored::Place { square, rank, labeled } => {
                GameCommand::Place { square, rank, labeled, color: Some(color) }
            }
        }
    }
}
