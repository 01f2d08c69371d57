//! Commitments: a hash of each deployment, published when the game starts and opened when it ends.

use std::fmt;

use flagfall_board::{GameId, Side};
use sha2::{Digest, Sha256};

use crate::setup::Deployment;

/// Sets these hashes apart from any other use of SHA-256.
const TAG: &[u8] = b"flagfall-commitment-1\0";

/// 32 random bytes that keep a commitment from being guessed. Secret until the deployment is
/// opened.
#[derive(Clone, PartialEq, Eq)]
pub struct Salt(pub(crate) [u8; 32]);

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(hidden)")
    }
}

/// SHA-256 over a version tag, the game id, the side, the deployment's text and the salt. Public.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Commitment(pub [u8; 32]);

impl Commitment {
    pub(crate) fn of(game: GameId, side: Side, deployment: &Deployment, salt: &Salt) -> Commitment {
        Commitment::of_text(game, side, &deployment.text(), &salt.0)
    }

    /// The commitment to an opened deployment, computed from its text of §P4 without blanks and
    /// its salt.
    ///
    /// Anybody can verify a commitment with this.
    #[must_use]
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
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
