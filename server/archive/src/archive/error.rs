//! Why the archive cannot do something.

use flagfall_board::GameId;
use thiserror::Error;

use crate::error::DecodeError;
use crate::objects::{ObjectError, ObjectName};

/// Why the archive cannot do something. Reveals nothing about the content of a game.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// An object cannot be read or written. The operation may have been done in part; doing it
    /// again is safe.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// An object is damaged.
    #[error("the archive's object {object} is damaged: {what}")]
    Damaged {
        /// The object.
        object: ObjectName,
        /// What is damaged. Quotes nothing from the object.
        what: &'static str,
    },
    /// A game is damaged, or it is not at its place.
    #[error("game {game} is damaged in the archive's object {object}")]
    Game {
        /// The game.
        game: GameId,
        /// The segment with the game.
        object: ObjectName,
    },
    /// The bytes of a game are whole, but they cannot be decoded.
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
    /// A newer version has written the manifest.
    #[error("the archive's manifest has format {0}, and this version supports format 1")]
    NewerFormat(u32),
    /// The encoded game is not the game that it is said to be.
    #[error("the encoded game is not game {0}")]
    WrongGame(GameId),
    /// An object could be written, but other bytes were read back.
    #[error("the archive's object {0} does not have the bytes that were written")]
    ReadBack(ObjectName),
    /// The store writes objects that exist already. Games would be lost.
    #[error("the storage of the archive ignores the condition that an object must not exist yet")]
    Overwrites,
    /// Other servers published a manifest first, each time.
    #[error("other servers are writing to the archive: try again later")]
    Busy,
    /// All numbers of objects are used, or the manifest is too long because nobody tidies.
    #[error("the archive has used all numbers of objects, or it must be tidied")]
    Full,
    /// The operating system has no random numbers.
    #[error("no random number: {0}")]
    Random(getrandom::Error),
}

pub(crate) fn damaged(object: &ObjectName, what: &'static str) -> ArchiveError {
    ArchiveError::Damaged { object: object.clone(), what }
}

impl ArchiveError {
    /// Returns true if an object is damaged or missing, so that trying again is of no use. A game
    /// that only newer versions can decode is not damaged.
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
            | ArchiveError::Overwrites
            | ArchiveError::Busy
            | ArchiveError::Full
            | ArchiveError::Random(_) => false,
        }
    }
}
