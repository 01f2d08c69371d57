//! Commitments. A hash of each deployment is published when the game starts. When the game ends,
//! the deployment is opened, so that anyone can verify its hash.

use std::fmt;
use std::str::FromStr;

use flagfall_board::{GameId, Side};
use sha2::{Digest, Sha256};

use crate::text::TextError;

/// The version tag at the start of every hashed text. It keeps these hashes distinct from other
/// uses of SHA-256.
const TAG: &[u8] = b"flagfall-commitment-1\0";

/// A public SHA-256 hash of a version tag, the game id, the side, the deployment's text and the
/// salt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Commitment(pub [u8; 32]);

impl Commitment {
    /// Computes the commitment to an opened deployment from the deployment's text (§P4, without
    /// spaces) and its salt.
    ///
    /// With this function, anyone can verify a published commitment.
    pub fn of_text(game: GameId, side: Side, deployment: &str, salt: &[u8; 32]) -> Commitment {
        let mut hasher = Sha256::new();
        hasher.update(TAG);
        hasher.update(game.as_str());
        hasher.update(b"\0");
        hasher.update(side.name());
        hasher.update(b"\0");
        hasher.update(deployment);
        hasher.update(b"\0");
        hasher.update(salt);
        Commitment(hasher.finalize().into())
    }
}

impl fmt::Display for Commitment {
    /// Writes the hash as 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&HexBytes(self.0), f)
    }
}

impl fmt::Debug for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Commitment {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Commitment, TextError> {
        text.parse().map(|HexBytes(bytes)| Commitment(bytes))
    }
}

#[cfg(feature = "serde")]
flagfall_board::text_serde!(Commitment);

/// 32 bytes, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema), schemars(with = "String"))]
pub struct HexBytes(pub [u8; 32]);

impl fmt::Display for HexBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for HexBytes {
    type Err = TextError;

    fn from_str(text: &str) -> Result<HexBytes, TextError> {
        const ERROR: TextError = TextError("64 hexadecimal digits are wanted");
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ERROR);
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| ERROR)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| ERROR)?;
        }
        Ok(HexBytes(bytes))
    }
}

#[cfg(feature = "serde")]
flagfall_board::text_serde!(HexBytes);

/// A deployment that was opened at the end of the game, with the salt of its commitment.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct Opened {
    /// The deployment's text, without spaces.
    pub setup: String,
    /// The 32 random bytes that were hashed together with the deployment.
    pub salt: HexBytes,
}
