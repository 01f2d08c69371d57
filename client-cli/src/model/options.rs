//! How the client is run.

use std::path::{Path, PathBuf};

use flagfall_board::Numbering;

pub const DEFAULT_SERVER: &str = "ws://127.0.0.1:7171/ws";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The server's address as the user typed it.
    pub server: String,
    /// The file with the server's own certificate authority, if one was given.
    pub authority_file: Option<PathBuf>,
    /// The name a new guest asks for.
    pub name: Option<String>,
    pub numbering: Numbering,
    /// True if the player's own side is at the bottom.
    pub flip: bool,
    /// Path of the credential file, to show to the user.
    pub credential_file: String,
    pub color: bool,
    pub face: Face,
}

impl Options {
    pub fn server_flag(&self) -> String {
        server_flag(&self.server, self.authority_file.as_deref())
    }
}

/// The flags that name a server and its authority on a command line. Empty for the defaults.
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

/// Who uses the client, and through what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// A person at the full screen.
    Screen,
    /// A person who types lines.
    Lines,
    /// Lines from a pipe. Each waits until it can be carried out, and no question is asked.
    Script,
    /// A program that plays through its own protocol. Boards, moves and hints are left out.
    Program,
}

impl Face {
    pub const fn is_screen(self) -> bool {
        matches!(self, Face::Screen)
    }

    /// True if everything is printed, line by line.
    pub const fn prints(self) -> bool {
        !self.is_screen()
    }

    /// True for lines, typed or from a pipe.
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
