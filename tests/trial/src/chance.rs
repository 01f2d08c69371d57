//! Random generators with seeds derived from the run's seed.

use flagfall_board::Chance;

/// Returns the generator for one purpose of a run. The same seed, purpose and number give the
/// same choices.
#[must_use]
pub(crate) fn chance_for(seed: u64, purpose: &str, number: usize) -> Chance {
    // FNV-1a (Fowler, Noll, Vo), then a multiplication that spreads small differences over all
    // bits.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325 ^ seed.rotate_left(17);
    for byte in purpose.bytes().chain((number as u64).to_le_bytes()).chain(seed.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 29;
    Chance::new(hash.wrapping_mul(0xbf58_476d_1ce4_e5b9))
}

/// Returns true with a probability of one in `times`. Never returns true if `times` is zero.
pub(crate) fn once_in(chance: &mut Chance, times: usize) -> bool {
    times > 0 && chance.below(times) == 0
}

/// A random number from `low` to `high`, both included.
pub(crate) fn between(chance: &mut Chance, low: usize, high: usize) -> usize {
    low + chance.below(high.saturating_sub(low) + 1)
}
