//! Random bits from the operating system, for ids, tokens and sides.

use flagfall_board::{GameId, Side};
use thiserror::Error;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the operating system gives no random bits")]
pub struct ChanceError;

pub fn random_bytes<const N: usize>() -> Result<[u8; N], ChanceError> {
    let mut bytes = [0; N];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => {
            tracing::error!(%error, "the operating system gives no random bits");
            Err(ChanceError)
        }
    }
}

pub fn random_game_id() -> Result<GameId, ChanceError> {
    random_bytes().map(GameId::from_random)
}

pub fn random_code() -> Result<String, ChanceError> {
    random_game_id().map(|id| id.to_string())
}

pub fn random_side() -> Result<Side, ChanceError> {
    random_bytes().map(|[byte]: [u8; 1]| if byte & 1 == 0 { Side::Red } else { Side::Blue })
}

/// Returns a random number less than `below`. It is uniform enough for choosing a name.
pub fn random_below(below: u32) -> Result<u32, ChanceError> {
    random_bytes().map(|bytes| u32::from_le_bytes(bytes) % below.max(1))
}
