//! Signatures of finished games, and the public keys that verify them.

use flagfall_protocol::{HexBytes, RecordSignature, SigningKeys, key_id, signed_message};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::Serialize;

/// The status of a record's signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureStatus {
    /// There is a signature, but no keys were given.
    NotVerified,
    /// One of the given keys signed this game.
    Verified,
    /// Keys were given, but the signature could not be verified with them.
    NotVerifiable,
    /// The signature does not match: the key signed a different game, or different facts.
    False,
}

/// The public keys of servers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PublicKeys(Vec<HexBytes>);

/// The error for text that contains no keys.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "this contains no public keys: it must have 64 hexadecimal digits per line, or be the answer of a server at /api/keys"
)]
pub struct KeysError;

impl PublicKeys {
    /// Adds the keys in `text`, which consists of lines of hexadecimal digits or is a server's
    /// answer at `/api/keys`.
    pub fn add(&mut self, text: &str) -> Result<(), KeysError> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let keys = if text.starts_with('{') {
            let keys: SigningKeys = crate::strict::from_str(text).map_err(|_| KeysError)?;
            keys.keys.into_iter().map(|key| key.public).collect()
        } else {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(str::parse::<HexBytes>).collect::<Result<Vec<_>, _>>().map_err(|_| KeysError)?
        };
        if keys.is_empty() {
            return Err(KeysError);
        }
        self.0.extend(keys);
        Ok(())
    }

    /// Returns the key with this id. The id is always computed from the key, because an id in a
    /// file could be wrong.
    pub fn find(&self, id: &str) -> Option<&HexBytes> {
        self.0.iter().find(|key| key_id(key) == id)
    }
}

/// True if the key signed this digest.
pub(crate) fn is_signed(digest: HexBytes, signature: &RecordSignature, key: &HexBytes) -> bool {
    let key = UnparsedPublicKey::new(&ED25519, key.0);
    key.verify(&signed_message(digest), &signature.value.0).is_ok()
}
