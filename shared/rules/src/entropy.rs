//! Chance is an argument.

/// 32 random bytes for whatever a command needs chance for: the salt of a deployment. `Debug` shows none of them.
#[derive(Clone)]
pub struct Entropy(pub [u8; 32]);

impl std::fmt::Debug for Entropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Entropy(hidden)")
    }
}
