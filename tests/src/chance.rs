use std::ops::{Deref, DerefMut};

/// Random numbers from a seed. The same seed gives the same games.
#[derive(Clone, Debug)]
pub struct Chance(flagfall_board::Chance);

impl Deref for Chance {
    type Target = flagfall_board::Chance;

    fn deref(&self) -> &flagfall_board::Chance {
        &self.0
    }
}

impl DerefMut for Chance {
    fn deref_mut(&mut self) -> &mut flagfall_board::Chance {
        &mut self.0
    }
}

impl Chance {
    /// A generator with this seed.
    #[must_use]
    pub fn new(seed: u64) -> Chance {
        Chance(flagfall_board::Chance::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    /// Creates a generator with the seed in `FLAGFALL_SEED`, or with this seed if it is unset.
    /// Tests print the seed.
    #[must_use]
    pub fn seed_or(seed: u64) -> u64 {
        std::env::var("FLAGFALL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed)
    }

    /// Returns the number of games in `FLAGFALL_GAMES`, or this number if it is unset.
    #[must_use]
    pub fn games_or(games: u64) -> u64 {
        std::env::var("FLAGFALL_GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(games)
    }

    /// Returns true with a probability of one in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// 32 random bytes.
    pub fn bytes(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| self.bits() as u8)
    }
}
