//! What comes into the core and what it asks for.

use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, GameCommand, Secret, ServerToClient};

use crate::commitments::Shown;
use crate::errand::Errand;

/// Something that happened outside.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// The program runs: begin.
    Started,
    /// Time passed.
    Tick,
    /// The line is up.
    Connected,
    /// No line could be had.
    ConnectFailed {
        /// Why, for a person.
        why: String,
        /// What he can do, in a sentence of its own.
        advice: String,
    },
    /// The line is gone.
    Disconnected {
        /// The close code, where the server sent one.
        code: Option<u16>,
        /// Why, for a person.
        why: String,
    },
    /// The server said something.
    Received(Box<ServerToClient>),
    /// The server said something that this client does not understand.
    NotUnderstood {
        /// Why.
        why: String,
    },
    /// A key on the full screen.
    Key(Key),
    /// A line of the line-based mode.
    Line(String),
    /// Something to ask of the open game, from whoever plays without lines and keys.
    Ask(GameCommand),
    /// The game is over: find another one in the same way.
    Again,
    /// No more lines will come.
    InputEnded,
    /// What was asked beside the line is answered, or not: then why, for a person.
    Answered {
        /// What was asked.
        errand: Errand,
        /// The body of the answer.
        answer: Result<Vec<u8>, String>,
    },
    /// The system asks the program to stop.
    Stop,
    /// The credential or the seat could not be saved: there is no way back after this client ends.
    Unsaved {
        /// Why, for a person.
        why: String,
    },
    /// It is saved now.
    Saved,
    /// A file could not be written or read.
    FileTrouble {
        /// What, for a person.
        why: String,
    },
}

/// A key, as far as the screens care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A letter, digit or sign.
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

/// Something to be done outside.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Dial the server after so many milliseconds.
    Connect {
        /// Zero for at once.
        delay_ms: u64,
    },
    /// Hang up.
    Disconnect,
    /// Send this.
    Send(ClientToServer),
    /// Ask this beside the line.
    Ask(Errand),
    /// Keep the guest's credential.
    SaveToken {
        /// The token.
        token: Secret,
        /// The guest's name.
        name: String,
    },
    /// Note that this guest has a seat in a game.
    SaveSeat {
        /// The game.
        game: String,
    },
    /// Make room for a new guest: the server does not know the one that is kept.
    SetGuestAside,
    /// Keep the commitments that were shown in a game.
    KeepCommitments {
        /// The game.
        game: GameId,
        /// What was shown.
        shown: Shown,
    },
    /// Keep a deployment.
    SaveSetup {
        /// For which ruleset.
        ruleset: String,
        /// Under which name.
        name: String,
        /// Its text of §P4.
        text: String,
    },
    /// Leave, with this exit code.
    Exit {
        /// A code of [`flagfall_protocol::Exit`], or one of a program's own.
        code: u8,
    },
}
