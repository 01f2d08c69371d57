//! Why the archive cannot do something.

use flagfall_board::GameId;
use thiserror::Error;

use crate::error::DecodeError;
use crate::objects::{ObjectError, ObjectName};

/// Why the archive cannot do something. Reveals nothing about the content of games.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// An object cannot be read or written. Part of the operation may have been done, but it is
    /// safe to repeat the operation.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// An object is damaged.
    #[error("the archive's object {object} is damaged: {what}")]
    Damaged {
        /// The object.
        object: ObjectName,
        /// A description of the damage. Quotes nothing from the object.
        what: &'static str,
    },
    /// A game is damaged or is not at its place.
    #[error("game {game} is damaged in the archive's object {object}")]
    Game {
        /// The game.
        game: GameId,
        /// The segment with the game.
        object: ObjectName,
    },
    /// The bytes of a game are undamaged, but cannot be decoded.
    #[error("game {game} of the archive cannot be decoded: {error}")]
    Decode {
        /// The game.
        game: GameId,
        /// The reason.
        error: DecodeError,
    },
    /// The game was removed from the archive.
    #[error("game {0} was removed from the archive")]
    Removed(GameId),
    /// The manifest was written by a newer version.
    #[error("the archive's manifest has format {0}, and this version supports format 1")]
    NewerFormat(u32),
    /// An encoded game does not have the id under which it was to be added.
    #[error("the encoded game is not game {0}")]
    WrongGame(GameId),
    /// An object was written, but reading it returned different bytes.
    #[error("the archive's object {0} does not have the bytes that were written")]
    ReadBack(ObjectName),
    /// The archive has another record under this name.
    #[error("the archive has another record in its object {0}")]
    Taken(ObjectName),
    /// The store overwrites existing objects, so games could be lost.
    #[error("the storage of the archive ignores the condition that an object must not exist yet")]
    Overwrites,
    /// The storage has another archive, or none.
    #[error("archive {wanted:016x} is not there, but {}", there(*found))]
    Other {
        /// The id of the archive that should be there.
        wanted: u64,
        /// The id of the archive that is there.
        found: Option<u64>,
    },
    /// The storage did not answer in time.
    #[error("the storage of the archive does not answer")]
    Silent,
    /// In every attempt, another server was first to publish a manifest.
    #[error("other servers are writing to the archive: try again later")]
    Busy,
    /// All numbers of objects are used, or the manifest is too long because
    /// [`Archive::tidy`](super::Archive::tidy) was not called.
    #[error("the archive has used all numbers of objects, or it must be tidied")]
    Full,
    /// The operating system returned no random number.
    #[error("no random number: {0}")]
    Random(getrandom::Error),
}

fn there(found: Option<u64>) -> String {
    found.map_or_else(|| "no archive".to_owned(), |found| format!("archive {found:016x}"))
}

pub(crate) fn damaged(object: &ObjectName, what: &'static str) -> ArchiveError {
    ArchiveError::Damaged { object: object.clone(), what }
}

impl ArchiveError {
    /// True if the storage cannot be reached at the moment.
    #[must_use]
    pub fn is_away(&self) -> bool {
        matches!(self, ArchiveError::Object(ObjectError::Unavailable { .. }) | ArchiveError::Silent)
    }

    /// True if an object is damaged or missing, so that trying again does not help. A game that
    /// only newer versions can decode does not count as damaged.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            ArchiveError::Decode { error, .. } => {
                matches!(error, DecodeError::Damaged(_) | DecodeError::Checksum)
            }
            ArchiveError::Damaged { .. }
            | ArchiveError::Game { .. }
            | ArchiveError::Object(ObjectError::Absent(_) | ObjectError::Range(_)) => true,
            ArchiveError::Object(ObjectError::Unavailable { .. })
            | ArchiveError::Removed(_)
            | ArchiveError::NewerFormat(_)
            | ArchiveError::WrongGame(_)
            | ArchiveError::ReadBack(_)
            | ArchiveError::Taken(_)
            | ArchiveError::Overwrites
            | ArchiveError::Other { .. }
            | ArchiveError::Silent
            | ArchiveError::Busy
            | ArchiveError::Full
            | ArchiveError::Random(_) => false,
        }
    }
}
