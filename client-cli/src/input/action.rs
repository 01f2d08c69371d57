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
    /// Show what has happened so far.
    ShowHistory,
    ShowHelp,
    CloseHelp,
    /// Answer a question with yes.
    Confirm,
    /// Answer a question with no, or close a prompt.
    Cancel,
    /// Decline the challenge that is shown.
    DeclineChallenge,
    /// Claim the game that the opponent left.
    Claim(ClaimedResult),
    /// Name the color of a chip.
    Color(ChipColor),
    /// Go to the previous entry of a list.
    Previous,
    /// Go to the next entry of a list.
    Next,
    /// Go to the first entry of a list, a record or a history.
    First,
    /// Go to the last entry of a list, a record or a history.
    Last,
    Pick,
    /// Go to the entry of this rank.
    FindRank(Rank),
    Type(char),
    Erase,
    /// Drop what is typed.
    Clear,
    /// Carry out, send or save what is typed.
    Submit,
    /// Go this many events forward in a record or a history.
    Forward(usize),
    /// Go this many events back in a record or a history.
    Back(usize),
    /// Look for the next game that waits for the player.
    NextGame,
    /// Ask what to do about the latest challenge.
    AnswerChallenge,
    TurnBoard,
    /// Show the other kind of figures.
    SwitchFigures,
    /// Move the cursor, as the board is shown.
    Step(Direction),
    /// Select the piece under the cursor, or go there with the selected one.
    Select,
    /// Select nothing.
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
    /// Ask whether to claim a win or a draw.
    AskClaim,
    Rematch,
    /// Begin a message to the opponent.
    Talk,
    /// Pick up the piece under the cursor, or swap it with the one picked up.
    PickUp,
    /// Put the picked-up piece back.
    PutBack,
    /// Take the piece under the cursor into the hand.
    TakeOff,
    /// Put a piece of this rank from the hand on the square under the cursor.
    Put(Rank),
    Randomize,
    Suggest,
    /// Ask for a name to save the deployment under.
    Save,
    Load,
    HandIn,
}
