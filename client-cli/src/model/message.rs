//! The inputs ([`Message`]) and outputs ([`Effect`]) of the client's pure core.

use flagfall_board::{GameId, Square};
use flagfall_protocol::{ClientToServer, GameCommand, Secret, ServerToClient};

use crate::commitments::Shown;
use crate::request::Request;

#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// The program has started.
    Started,
    /// Time has passed.
    Tick,
    /// The connection has been established.
    Connected,
    /// The client could not connect. `advice` is a sentence.
    ConnectFailed { why: String, advice: String },
    /// The connection has ended, with the close code if the server sent one.
    Disconnected { code: Option<u16>, why: String },
    /// A message from the server.
    Received(Box<ServerToClient>),
    /// A message from the server that this client does not understand.
    NotUnderstood { why: String },
    /// A key on the full screen.
    Key(Key),
    /// A click on a square of the board.
    Click(Square),
    /// A line of the line-based mode.
    Line(String),
    /// A command for the open game from a program, which uses neither lines nor keys.
    Command(GameCommand),
    /// Look for another game in the same way, because the open game is over.
    Again,
    /// The input has ended.
    InputEnded,
    /// The answer to an HTTP request: the body, or an error message for the user.
    Answered { request: Request, answer: Result<Vec<u8>, String> },
    /// The system asks the program to stop.
    Stop,
    /// The credential or the seat could not be saved. The player cannot return after this client
    /// ends.
    Unsaved { why: String },
    /// The credential and the seat have been saved.
    Saved,
    /// A file could not be written or read.
    FileError { why: String },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    /// Ctrl-C.
    Interrupt,
}

/// A side effect that the core asks the shell to carry out.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Connect to the server after this many milliseconds.
    Connect { delay_ms: u64 },
    /// Close the connection.
    Disconnect,
    /// Send a message to the server.
    Send(ClientToServer),
    /// Make an HTTP request.
    Request(Request),
    /// Save the player's credential.
    SaveToken { token: Secret, name: String },
    /// Save that this guest has a seat in a game.
    SaveSeat { game: String },
    /// Make room for a new guest, because the server does not recognize the saved one.
    SetGuestAside,
    /// Save the commitments that the server showed in a game.
    KeepCommitments { game: GameId, shown: Shown },
    /// Save a deployment. The text has the format of §P4.
    SaveSetup { ruleset: String, name: String, text: String },
    /// End the program with a code of [`flagfall_protocol::Exit`], or with a code that only
    /// `flagfall bot --exec` uses.
    Exit { code: u8 },
}
