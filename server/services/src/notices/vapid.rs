//! The key with which push services recognize this server (RFC 8292).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use flagfall_base::keys::SECRETS;
use flagfall_base::transact::read_or_create;
use flagfall_store::{Store, StoreError};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::json;

use crate::records::damaged;

const NAME: &str = "push";
/// The time for which a signature is valid, in seconds. RFC 8292 allows a day.
const VALID_S: u64 = 12 * 3_600;

/// A key that all servers of a store share. It does not implement `Debug`.
pub(super) struct VapidKey {
    pair: EcdsaKeyPair,
}

impl VapidKey {
    /// Returns the key of a store. If the store has none, creates it.
    pub(super) async fn of_store(store: &dyn Store) -> Result<VapidKey, StoreError> {
        const WHAT: &str = "the key for push services";
        let make = || {
            let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
            let unavailable = |_| StoreError::Unavailable { why: "there are no random bits".to_owned() };
            Ok(made.map_err(unavailable)?.as_ref().to_vec())
        };
        let stored = read_or_create(store, SECRETS.key([&NAME])?, WHAT, make).await?;
        VapidKey::read(&stored).ok_or_else(|| damaged(WHAT))
    }

    fn read(pkcs8: &[u8]) -> Option<VapidKey> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, &random).ok()?;
        Some(VapidKey { pair })
    }

    /// Returns the public key in the form that browsers and push services expect: a point in
    /// Base64url.
    pub(super) fn public(&self) -> String {
        BASE64.encode(self.pair.public_key())
    }

    /// Returns the value of `Authorization` for a push service. `contact` is an address of the
    /// operator, which some push services demand.
    pub(super) fn authorization(&self, service: &str, contact: Option<&str>, now_s: u64) -> Option<String> {
        let mut claims = json!({ "aud": service, "exp": now_s + VALID_S });
        if let Some(contact) = contact {
            claims["sub"] = json!(contact);
        }
        let head = BASE64.encode(json!({ "typ": "JWT", "alg": "ES256" }).to_string());
        let signed = format!("{head}.{}", BASE64.encode(claims.to_string()));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        Some(format!("vapid t={signed}.{}, k={}", BASE64.encode(signature), self.public()))
    }
}
