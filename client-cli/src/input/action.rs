//! The actions that a key can have.

use flagfall_board::{ChipColor, Direction, Rank};
use flagfall_protocol::ClaimedResult;

/// An action that the user triggers with a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Leave the program without asking.
    Stop,
    /// Leave the program. If a game is running, ask for confirmation first.
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
    /// Move to another entry of a list or a history, another event of a record, or another line of
    /// the help.
    Go(Jump),
    Pick,
    FindRank(Rank),
    Type(char),
    Erase,
    /// Discard the typed text.
    Clear,
    /// Carry out, send or save the typed text.
    Submit,

    NextGame,
    /// Ask how to answer the latest challenge.
    AnswerChallenge,
    TurnBoard,
    SwitchFigures,
    /// Move the cursor in a direction on the screen.
    Step(Direction),
    /// Select the piece under the cursor, or move the selected piece to the cursor.
    Select,
    Deselect,
    /// Ask which piece of the reserve to place.
    Place,
    /// Ask whether to take the piece under the cursor into the reserve.
    Remove,
    /// Type the rank that a struck coin becomes.
    Choose(Rank),
    DeclineDraw,
    Resign,
    Abort,
    AskClaim,
    Rematch,
    Talk,
    /// Pick up the piece under the cursor, or swap it with the piece that is already picked up.
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

/// A movement in a list by a number of entries.
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
