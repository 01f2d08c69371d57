//! Random numbers: from the operating system in play, from a seed in tests.

use std::hash::{BuildHasher, RandomState};

use flagfall_board::Chance;
use flagfall_protocol::CommandId;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Random {
    /// Randomness from the operating system. In play the client never uses a seed, because a
    /// deployment from a known seed would not be hidden.
    System,
    /// Randomness from a seed, for tests.
    Seeded(Chance),
}

impl Random {
    pub fn bits(&mut self) -> u64 {
        match self {
            // If the system call fails, fall back to the hash keys of the standard library, which
            // differ between processes.
            Random::System => getrandom::u64().unwrap_or_else(|_| RandomState::new().hash_one(0)),
            Random::Seeded(chance) => chance.bits(),
        }
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // Callers choose among a few dozen values at most, so the bias is below 2^-57.
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// Flips a fair coin: true is heads.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// Creates a command id: a random UUID.
    ///
    /// # Panics
    /// Never: a UUID is a valid command id.
    pub fn command_id(&mut self) -> CommandId {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.bits().to_le_bytes());
        bytes[8..].copy_from_slice(&self.bits().to_le_bytes());
        let uuid = uuid::Builder::from_random_bytes(bytes).into_uuid();
        uuid.to_string().parse().expect("a UUID is a command id")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_the_system_does_not() {
        let draw = |mut chance: Random| (chance.bits(), chance.command_id());
        assert_eq!(draw(Random::Seeded(Chance::new(7))), draw(Random::Seeded(Chance::new(7))));
        assert_ne!(draw(Random::System), draw(Random::System));
    }

    #[test]
    fn numbers_are_below_their_limit() {
        let mut random = Random::Seeded(Chance::new(1));
        let drawn: std::collections::BTreeSet<usize> = (0..500).map(|_| random.below(50)).collect();
        assert_eq!(drawn, (0..50).collect());
        assert_eq!(random.below(0), 0);
    }
}
