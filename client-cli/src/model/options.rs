//! The options of this run of the client.

use std::path::{Path, PathBuf};

use flagfall_board::Numbering;

pub const DEFAULT_SERVER: &str = "ws://127.0.0.1:7171/ws";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The server's address as the user typed it.
    pub server: String,
    /// The file with additional certificate authorities, if the user gave one.
    pub authority_file: Option<PathBuf>,
    /// The name that a new guest asks for.
    pub name: Option<String>,
    pub numbering: Numbering,
    /// True if the player's side is at the bottom of the board.
    pub flip: bool,
    /// The path of the credential file, for messages.
    pub credential_file: String,
    pub color: bool,
    pub face: Face,
}

impl Options {
    pub fn server_flag(&self) -> String {
        server_flag(&self.server, self.authority_file.as_deref())
    }
}

/// Returns the command-line flags for a server and its certificate authorities. Empty for the
/// defaults.
pub fn server_flag(server: &str, authority: Option<&Path>) -> String {
    let mut flags = String::new();
    if server != DEFAULT_SERVER {
        flags.push_str(&format!(" --server {server}"));
    }
    if let Some(file) = authority {
        flags.push_str(&format!(" --ca {}", file.display()));
    }
    flags
}

/// The interface through which a person or a program uses the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// A person at the full screen.
    Screen,
    /// A person who types lines.
    Lines,
    /// Lines from a pipe. Each line waits until it can be carried out, and the client asks no
    /// questions.
    Script,
    /// A program that plays through its own protocol. The client prints no boards, moves or
    /// hints.
    Program,
}

impl Face {
    pub const fn is_screen(self) -> bool {
        matches!(self, Face::Screen)
    }

    /// True if all messages are printed, line by line.
    pub const fn prints(self) -> bool {
        !self.is_screen()
    }

    /// True for the two faces that read lines.
    pub const fn is_lines(self) -> bool {
        matches!(self, Face::Lines | Face::Script)
    }

    pub const fn is_program(self) -> bool {
        matches!(self, Face::Program)
    }

    /// True if no person can answer a question.
    pub const fn is_unattended(self) -> bool {
        matches!(self, Face::Script | Face::Program)
    }
}
