//! Encrypts notices for a browser, so that the push service in between cannot read them (RFC
//! 8291, with the encoding `aes128gcm` of RFC 8188).

use flagfall_base::random::random_bytes;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey as Cipher, Nonce};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey as PeerPublic, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;

pub(super) const PUBLIC_KEY_LEN: usize = 65;
pub(super) const AUTH_LEN: usize = 16;
const SALT_LEN: usize = 16;
/// The record size in the header. A notice is a single record, and shorter than this.
const RECORD_SIZE: u32 = 4_096;
/// The byte that ends the content of the last record (RFC 8188).
const LAST_RECORD: u8 = 2;

/// The keys that a browser has made for one subscription. They do not implement `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct BrowserKeys {
    /// A point of P-256, uncompressed.
    pub(super) public: [u8; PUBLIC_KEY_LEN],
    pub(super) auth: [u8; AUTH_LEN],
}

impl BrowserKeys {
    /// Returns the body of a push message. `None` if the browser's key is not a point of P-256, or
    /// if there are no random bits.
    pub(super) fn encrypt(&self, text: &[u8]) -> Option<Vec<u8>> {
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).ok()?;
        let own_public = own.compute_public_key().ok()?;
        let salt = random_bytes().ok()?;
        let browser = PeerPublic::new(&ECDH_P256, self.public);
        agree_ephemeral(own, &browser, |shared| self.seal(shared, own_public.as_ref(), salt, text)).ok()?
    }

    /// Encrypts a text with the secret that the server's key and the browser's key agree on.
    fn seal(&self, shared: &[u8], own_public: &[u8], salt: [u8; SALT_LEN], text: &[u8]) -> Option<Vec<u8>> {
        let (mut secret, mut nonce) = ([0; 32], [0; 12]);
        let agreed = Salt::new(HKDF_SHA256, &self.auth).extract(shared);
        agreed
            .expand(&[&b"WebPush: info\0"[..], &self.public, own_public], Len(32))
            .ok()?
            .fill(&mut secret)
            .ok()?;
        let salted = Salt::new(HKDF_SHA256, &salt).extract(&secret);
        let cipher =
            Cipher::new(salted.expand(&[&b"Content-Encoding: aes128gcm\0"[..]], &AES_128_GCM).ok()?.into());
        salted.expand(&[&b"Content-Encoding: nonce\0"[..]], Len(12)).ok()?.fill(&mut nonce).ok()?;
        let mut record = [text, &[LAST_RECORD]].concat();
        let nonce = Nonce::assume_unique_for_key(nonce);
        cipher.seal_in_place_append_tag(nonce, Aad::empty(), &mut record).ok()?;
        let key_len = u8::try_from(own_public.len()).ok()?;
        Some([&salt[..], &RECORD_SIZE.to_be_bytes(), &[key_len], own_public, &record].concat())
    }
}

/// The length of a key that HKDF derives.
struct Len(usize);

impl KeyType for Len {
    fn len(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

    use super::*;

    fn bytes<const N: usize>(text: &str) -> [u8; N] {
        BASE64.decode(text).unwrap().try_into().unwrap()
    }

    #[test]
    fn the_example_of_rfc_8291_is_encrypted_as_there() {
        // The values are from section 5 of RFC 8291, and the intermediate value `ecdh_secret` is
        // from its Appendix A.
        let keys = BrowserKeys {
            public: bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            ),
            auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
        };
        let shared: [u8; 32] = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let own: [u8; 65] =
            bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let text = b"When I grow up, I want to be a watermelon";
        let body = keys.seal(&shared, &own, bytes("DGv6ra1nlYgDCS1FRnbzlw"), text).unwrap();
        assert_eq!(
            BASE64.encode(body),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz\
             AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn keys_that_are_no_points_are_noticed() {
        let keys = BrowserKeys { public: [4; PUBLIC_KEY_LEN], auth: [0; AUTH_LEN] };
        assert_eq!(keys.encrypt(b"text"), None);
    }
}
