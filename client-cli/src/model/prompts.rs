//! What stands in the way of everything else until it is answered: lists to pick from, questions, colors to be named.

use flagfall_board::{ChipColor, GameId, Rank, Square};
use flagfall_protocol::GameCommand;
use flagfall_rules::{Move, MoveCommand};

/// A list to pick from.
#[derive(Clone, PartialEq, Debug)]
pub struct Choices {
    /// What is to be picked.
    pub title: String,
    /// The entries: what is shown and what happens.
    pub entries: Vec<(String, Choice)>,
    /// The entry under the cursor.
    pub cursor: usize,
}

/// What picking an entry does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Open this game.
    Open(GameId),
    /// Take this offer.
    Accept {
        /// The seek.
        seek: String,
        /// What it offers, in words.
        offer: String,
    },
    /// Offer a game.
    Offer,
}

/// A question in the way of everything else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prompt {
    /// Really resign?
    Resign,
    /// Really call the game off?
    Abort,
    /// Really leave the running game? With what becomes of it.
    Leave(String),
    /// Is this challenge, in words, accepted?
    Challenge(String),
    /// As what is the game claimed that the other side has left?
    Claim,
    /// What is being said to the opponent.
    Say(String),
    /// Really make a move that loses for being illegal (§U7)?
    IllegalMove(Move),
    /// Really take a piece off the board into the reserve?
    Remove(Square),
    /// The color of the chip that a ply lays.
    Color(Uncolored),
    /// Which piece of the reserve to place.
    Place {
        /// Where.
        square: Square,
        /// The kinds of pieces there are: rank, whether labeled, how many.
        kinds: Vec<(Rank, bool, u8)>,
        /// The one under the cursor.
        cursor: usize,
    },
    /// A name to save the deployment under.
    SaveAs(String),
    /// A saved deployment to load.
    Load {
        /// Names and texts.
        entries: Vec<(String, String)>,
        /// The one under the cursor.
        cursor: usize,
    },
}

impl Prompt {
    /// Whether it is answered in view of a position.
    #[must_use]
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

/// A ply whose chip has no color yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncolored {
    /// A move or a strike.
    Move(Move),
    /// A piece of the reserve.
    Place {
        /// Where.
        square: Square,
        /// Which.
        rank: Rank,
        /// Whether a labeled one.
        labeled: bool,
    },
}

impl Uncolored {
    /// The command with its color.
    #[must_use]
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
