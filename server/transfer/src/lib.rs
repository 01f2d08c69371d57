//! A whole store as lines of text: to inspect it, to move it, or to back it up.
//!
//! # The format
//! One JSON value per line. The first line names the format:
//! `{"flagfall_store":1,"epoch":…,"alive":…}`, with the epoch of the exported store and the last
//! moment at which a server was alive there, in milliseconds since 1970. The games follow in the
//! order of their ids, each with all its entries in order. Then come the side records in the
//! order of their keys:
//!
//! ```text
//! {"entry":{"game":"0fxm529wdncz","seq":1,"at":1764000000000,"body":"…"}}
//! {"quarantine":{"game":"0fxm529wdncz","reason":"entry 7: its hash does not fit"}}
//! {"record":{"key":"live/0fxm529wdncz","value":"","expires":1764000300000}}
//! {"end":{"games":1,"entries":1,"records":1,"sha256":"…"}}
//! ```
//!
//! Bodies, keys and values are text; bytes that are not text are written as `{"hex":"…"}`. For a
//! game in quarantine, the export contains only the entries before the damage. The last line
//! contains the counts and the SHA-256 of all lines before it. **An export contains information
//! that is hidden from players**: protect it like the store.
//!
//! An import restores all bytes and stamps exactly, and computes the hashes from the bodies. So
//! an export can write the entries in an older form ([`Rewrite`]), for import by an older
//! version. The target store has its own epoch, so clients load their games anew.
//!
//! The target must be empty. A record in it identifies the export until the import is complete, so
//! that only the same import can be continued.

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

mod export;
mod import;
mod lines;

use std::fmt;
use std::io;

use flagfall_board::GameId;
use flagfall_store::StoreError;
use flagfall_words::counted;
use thiserror::Error;

pub use self::export::{Rewrite, RewriteRecord, examine, export};
pub use self::import::{alive_at_export, check_export, finish_import, import_unfinished};

/// The number of records to read at a time.
const RECORDS_CHUNK: usize = 256;
/// The number of games that are read or written at the same time.
const GAMES_AT_ONCE: usize = 64;

#[derive(Debug, Error)]
pub enum TransferError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("the file cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The file is not an export, or is incomplete. `what` quotes nothing from the file.
    #[error("line {line}: {what}")]
    Form { line: u64, what: &'static str },
    #[error("the store has another game {game} already: import into an empty one")]
    Other { game: GameId },
    #[error(
        "the store is not empty: import into an empty data folder or Redis, or with another --redis-prefix"
    )]
    NotEmpty,
    #[error("an import of another file has begun in this store: complete that one, or use an empty store")]
    OtherImport,
    /// The store did not report whether a write succeeded.
    #[error("the store did not say what became of a write: import again, which goes on where it stopped")]
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// The number of games, including damaged ones.
    pub games: u64,
    pub entries: u64,
    pub records: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { games, entries, records } = self;
        let games = counted(*games, "game", "games");
        let entries = counted(*entries, "entry", "entries");
        write!(f, "{games} with {entries}, {}", counted(*records, "small record", "small records"))
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Examined {
    pub tally: Tally,
    /// The damaged games, each with a description of the damage.
    pub damaged: Vec<(GameId, String)>,
}
