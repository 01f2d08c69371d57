//! The core's inputs ([`Message`]) and outputs ([`Effect`]).

use flagfall_board::{GameId, Square};
use flagfall_protocol::{ClientToServer, GameCommand, Secret, ServerToClient};

use crate::commitments::Shown;
use crate::request::Request;

/// An input to the core.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// The program has started.
    Started,
    /// Time has passed.
    Tick,
    /// The connection is up.
    Connected,
    /// Connecting failed.
    ConnectFailed {
        /// The reason, to show to the user.
        why: String,
        /// What the user can do, as a sentence.
        advice: String,
    },
    /// The connection is lost.
    Disconnected {
        /// The close code, if the server sent one.
        code: Option<u16>,
        /// The reason, to show to the user.
        why: String,
    },
    /// A message from the server.
    Received(Box<ServerToClient>),
    /// A message from the server that this client does not understand.
    NotUnderstood {
        /// The reason.
        why: String,
    },
    /// A key on the full screen.
    Key(Key),
    /// A click on a square of the board.
    Click(Square),
    /// A line of the line-based mode.
    Line(String),
    /// A command for the open game from a program, which uses neither lines nor keys.
    Command(GameCommand),
    /// The game is over: find another one in the same way.
    Again,
    /// The input has ended.
    InputEnded,
    /// An HTTP request has an answer.
    Answered {
        /// The request.
        request: Request,
        /// The body, or why there is none, to show to the user.
        answer: Result<Vec<u8>, String>,
    },
    /// The system asks the program to stop.
    Stop,
    /// The credential or the seat could not be saved. The player cannot come back once this client
    /// ends.
    Unsaved {
        /// The reason, to show to the user.
        why: String,
    },
    /// The credential and the seat are saved now.
    Saved,
    /// A file could not be written or read.
    FileError {
        /// The reason, to show to the user.
        why: String,
    },
}

/// A key that the screens handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A letter, digit or symbol.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Ctrl-C.
    Interrupt,
}

/// A side effect that the core asks the shell to carry out.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Connect to the server after this many milliseconds.
    Connect {
        /// 0 means at once.
        delay_ms: u64,
    },
    /// Hang up.
    Disconnect,
    /// Send a message to the server.
    Send(ClientToServer),
    /// Make an HTTP request.
    Request(Request),
    /// Save the guest's credential.
    SaveToken {
        /// The token.
        token: Secret,
        /// The guest's name.
        name: String,
    },
    /// Save that this guest has a seat in a game.
    SaveSeat {
        /// The game.
        game: String,
    },
    /// Make room for a new guest, because the server does not know the saved one.
    SetGuestAside,
    /// Save the commitments that were shown in a game.
    KeepCommitments {
        /// The game.
        game: GameId,
        /// The commitments.
        shown: Shown,
    },
    /// Save a deployment.
    SaveSetup {
        /// The ruleset's id.
        ruleset: String,
        /// The name of the deployment.
        name: String,
        /// The text of §P4.
        text: String,
    },
    /// End the program with this exit code.
    Exit {
        /// A code of [`flagfall_protocol::Exit`], or one that belongs to `flagfall bot --exec`.
        code: u8,
    },
}
