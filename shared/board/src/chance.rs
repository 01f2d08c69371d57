//! Random numbers from a seed.

use std::fmt;

/// A small random number generator (xorshift64*, Vigna 2016). It is good enough to choose moves,
/// but must not be used for secrets.
///
/// `Debug` does not show the state, which would reveal later choices.
#[derive(Clone, PartialEq, Eq)]
pub struct Chance(u64);

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chance(hidden)")
    }
}

impl Chance {
    /// Creates a generator from a seed. Generators with the same seed produce the same numbers.
    pub const fn new(seed: u64) -> Chance {
        Chance(if seed == 0 { 0x9e37_79b9_7f4a_7c15 } else { seed })
    }

    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a random number below `bound`, which must be at least one.
    pub fn below(&mut self, bound: usize) -> usize {
        let high = (u128::from(self.bits()) * bound as u128) >> 64;
        usize::try_from(high).unwrap_or(0)
    }

    /// Returns the next 32 random bytes.
    pub fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for eight in bytes.chunks_exact_mut(8) {
            eight.copy_from_slice(&self.bits().to_le_bytes());
        }
        bytes
    }

    /// Puts a list into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_stays_below_its_bound_and_reaches_all_of_it() {
        let mut chance = Chance::new(7);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[chance.below(5)] = true;
        }
        assert_eq!(seen, [true; 5]);
    }
}
