//! An archived game, encoded and decoded.

use flagfall_board::GameId;
use flagfall_protocol::RecordSignature;
use flagfall_store::{Head, SecretBytes, StoredEntry};

/// A finished game in encoded form, as the archive stores it. `Debug` shows only the length and
/// the beginning of the hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Encoded {
    pub(crate) bytes: SecretBytes,
    pub(crate) head: Head,
}

impl Encoded {
    /// Returns the bytes. The caller must keep them secret.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        self.bytes.expose()
    }

    /// Returns the bytes. The caller must keep them secret.
    #[must_use]
    pub fn into_exposed(self) -> Vec<u8> {
        self.bytes.into_exposed()
    }

    /// Returns the length in bytes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there are always bytes")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the head of the log from which the game was encoded.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head
    }
}

/// The log of a finished game, decoded from the archive. `Debug` shows no content of the entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// The game.
    pub game: GameId,
    /// The entries, without the ids of commands. The header contains the players' ids and kinds.
    /// A person has an empty name, and the name of a house player is its level.
    pub entries: Vec<StoredEntry>,
    /// The head of the original log. It cannot be computed from `entries`, because their bodies
    /// differ from the original ones.
    pub head: Head,
    /// The server's signature of the result, if the game was signed.
    pub signature: Option<RecordSignature>,
}

/// The part of an encoded game that depends on the format.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    /// The bodies of the decoded entries after the header, for the checksum.
    pub(crate) bodies: Vec<SecretBytes>,
}
