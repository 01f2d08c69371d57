/// Random numbers from a seed: xorshift64* (Vigna 2016). The same seed gives the same games.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// A generator with this seed.
    #[must_use]
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
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

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A random number below `end`, which must not be zero.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.bits() >> 32) as usize * end) >> 32
    }

    /// Returns true with a probability of one in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    /// 32 random bytes.
    pub fn bytes(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| self.bits() as u8)
    }
}
