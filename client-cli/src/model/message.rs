//! The core's inputs ([`Message`]) and outputs ([`Effect`]).

use flagfall_board::{GameId, Square};
use flagfall_protocol::{ClientToServer, GameCommand, Secret, ServerToClient};

use crate::commitments::Shown;
use crate::request::Request;

#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    Started,
    Tick,
    Connected,
    ConnectFailed {
        why: String,
        /// What the user can do, as a sentence.
        advice: String,
    },
    Disconnected {
        /// The close code, if the server sent one.
        code: Option<u16>,
        why: String,
    },
    Received(Box<ServerToClient>),
    /// A message from the server that this client does not understand.
    NotUnderstood {
        why: String,
    },
    Key(Key),
    Click(Square),
    Line(String),
    /// A command for the open game from a program, which uses neither lines nor keys.
    Command(GameCommand),
    /// The game is over: find another one in the same way.
    Again,
    InputEnded,
    Answered {
        request: Request,
        /// The body, or why there is none, to show to the user.
        answer: Result<Vec<u8>, String>,
    },
    /// The system asks the program to stop.
    Stop,
    /// The credential or the seat could not be saved. The player cannot come back once this client
    /// ends.
    Unsaved {
        why: String,
    },
    Saved,
    FileError {
        why: String,
    },
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
    Connect {
        /// 0 means at once.
        delay_ms: u64,
    },
    Disconnect,
    Send(ClientToServer),
    Request(Request),
    SaveToken {
        token: Secret,
        name: String,
    },
    /// Save that this guest has a seat in a game.
    SaveSeat {
        game: String,
    },
    /// Make room for a new guest, because the server does not know the saved one.
    SetGuestAside,
    KeepCommitments {
        game: GameId,
        shown: Shown,
    },
    SaveSetup {
        ruleset: String,
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
