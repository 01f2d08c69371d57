//! Random bytes, which callers pass to the engine as an argument.

/// 32 random bytes for one command or one draw: the salt of a deployment, or the lakes.
///
/// `Debug` does not show the bytes.
#[derive(Clone)]
pub struct Entropy(pub [u8; 32]);

impl std::fmt::Debug for Entropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Entropy(hidden)")
    }
}
