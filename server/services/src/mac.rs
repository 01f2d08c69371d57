//! HMAC-SHA256.

use ring::hmac::{Context, HMAC_SHA256, Key as Signer};

/// Returns the code that authenticates these parts as one text.
pub(crate) fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut context = Context::with_key(&Signer::new(HMAC_SHA256, key));
    parts.iter().for_each(|part| context.update(part));
    let mut bytes = [0; 32];
    bytes.copy_from_slice(context.sign().as_ref());
    bytes
}
