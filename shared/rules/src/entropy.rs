//! Random bytes, which callers pass to the engine. The engine generates none.

/// 32 random bytes for a single use: the salt of one deployment, or the lakes of one game.
///
/// `Debug` does not show the bytes.
#[derive(Clone)]
pub struct Entropy(pub [u8; 32]);

impl std::fmt::Debug for Entropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Entropy(hidden)")
    }
}
