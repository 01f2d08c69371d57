//! Random bytes for a game. They come from a seed, so that a session can be repeated exactly, or
//! from the operating system.

use flagfall_board::GameId;
use flagfall_rules::Entropy;
use sha2::{Digest, Sha256};

use crate::refused::Refused;

/// A game's source of randomness. A command's random bytes depend on its number, so a command
/// that is repeated after going back gets the same bytes.
pub(crate) struct Chance {
    key: [u8; 32],
}

impl Chance {
    /// Creates a source from a seed. Without a seed, uses a key from the operating system.
    pub(crate) fn new(seed: Option<u64>) -> Result<Chance, Refused> {
        let mut key = [0; 32];
        match seed {
            Some(seed) => key[..8].copy_from_slice(&seed.to_le_bytes()),
            None => getrandom::fill(&mut key).map_err(|_| Refused::NoChance)?,
        }
        Ok(Chance { key })
    }

    /// Returns the entropy for the game's command with this number.
    pub(crate) fn entropy(&self, step: usize) -> Entropy {
        Entropy(self.draw(b"step", step))
    }

    /// Returns the id of the game.
    pub(crate) fn game_id(&self) -> GameId {
        let bytes = self.draw(b"game", 0);
        GameId::from_random(std::array::from_fn(|index| bytes[index]))
    }

    /// Returns the entropy for the lakes, for rulesets with random lakes.
    pub(crate) fn lakes(&self) -> Entropy {
        Entropy(self.draw(b"lake", 0))
    }

    fn draw(&self, what: &[u8; 4], number: usize) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(b"flagfall-referee\0");
        hasher.update(what);
        hasher.update((number as u64).to_le_bytes());
        hasher.update(self.key);
        hasher.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_again_and_every_use_something_else() {
        let draw = |seed, step| Chance::new(seed).unwrap().entropy(step).0;
        assert_eq!(draw(Some(7), 1), draw(Some(7), 1));
        assert_ne!(draw(Some(7), 1), draw(Some(7), 2));
        assert_ne!(draw(Some(7), 1), draw(Some(8), 1));
        assert_ne!(draw(None, 1), draw(None, 1));
        let id = |seed| Chance::new(Some(seed)).unwrap().game_id();
        assert_eq!(id(7), id(7));
        assert_ne!(id(7), id(8));
    }
}
