//! Salts, which keep commitments to deployments from being guessed.

use std::fmt;

use flagfall_board::{GameId, Side};
use flagfall_view::Commitment;

use crate::setup::Deployment;

/// 32 random bytes that keep the deployment behind a commitment from being guessed. They are
/// secret until the deployment is opened.
#[derive(Clone, PartialEq, Eq)]
pub struct Salt(pub(crate) [u8; 32]);

impl Salt {
    pub(crate) fn commit(&self, game: GameId, side: Side, deployment: &Deployment) -> Commitment {
        Commitment::of_text(game, side, &deployment.text(), &self.0)
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(hidden)")
    }
}
