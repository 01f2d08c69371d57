//! What a key can do.

use flagfall_board::{ChipColor, Direction, Rank};
use flagfall_protocol::ClaimedResult;

/// What the user does with a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Leave the program without a question.
    Stop,
    /// Leave the program, after a question if a game is running.
    Leave,
    ShowHistory,
    ShowHelp,
    CloseHelp,
    Confirm,
    /// Answer a question with no, or close a prompt.
    Cancel,
    DeclineChallenge,
    Claim(ClaimedResult),
    Color(ChipColor),
    /// Go to another entry of a list, event of a record or history, or line of the help.
    Go(Jump),
    Pick,
    FindRank(Rank),
    Type(char),
    Erase,
    /// Drop what is typed.
    Clear,
    /// Carry out, send or save what is typed.
    Submit,

    NextGame,
    /// Ask what to do about the latest challenge.
    AnswerChallenge,
    TurnBoard,
    SwitchFigures,
    /// Move the cursor, as the board is shown.
    Step(Direction),
    /// Select the piece under the cursor, or go there with the selected one.
    Select,
    Deselect,
    /// Ask which piece of the reserve to place.
    Place,
    /// Ask whether to take the piece under the cursor into the reserve.
    Remove,
    /// Type the choice of what a struck coin is.
    Choose(Rank),
    DeclineDraw,
    Resign,
    Abort,
    AskClaim,
    Rematch,
    Talk,
    /// Pick up the piece under the cursor, or swap it with the one picked up.
    PickUp,
    PutBack,
    /// Take the piece under the cursor into the hand.
    TakeOff,
    /// Put a piece of this rank from the hand on the square under the cursor.
    Put(Rank),
    Randomize,
    Suggest,
    Save,
    Load,
    HandIn,
}

/// A way through a list, by places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jump {
    Back(usize),
    Forward(usize),
    First,
    Last,
}

impl Jump {
    pub fn from(self, place: usize, last: usize) -> usize {
        match self {
            Jump::Back(places) => place.saturating_sub(places),
            Jump::Forward(places) => (place + places).min(last),
            Jump::First => 0,
            Jump::Last => last,
        }
    }
}
