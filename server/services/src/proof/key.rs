//! The key that signs finished games. Other modules get signatures, but never the key.

use std::convert::Infallible;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use flagfall_protocol::{HexBytes, RecordSignature, SignatureText, key_id, signed_message};
use ring::signature::{Ed25519KeyPair, KeyPair};

use crate::secret_or_file::{SecretFileError, SecretOrFile};
use flagfall_base::random::{ChanceError, random_bytes};

/// The name of the key file in the data folder. It is used if a server has no `--signing-key`.
pub const KEY_FILE: &str = "signing.key";
/// The name to which a damaged key file is renamed.
pub const DAMAGED_KEY_FILE: &str = "signing.key.damaged";
/// The prefix of the message that is signed for a dump.
const DUMP_PREFIX: &[u8] = b"flagfall-dump-1\0";

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("--signing-key {0}")]
    File(#[from] SecretFileError),
    /// The file or the text is not a key. The path is empty if the text comes from an environment
    /// variable.
    #[error("--signing-key {}: a key must be 64 hexadecimal digits, as printed by `openssl rand -hex 32`", path.display())]
    Form { path: PathBuf },
    /// The operating system provides no random bits for a new key.
    #[error(transparent)]
    Chance(#[from] ChanceError),
}

/// A signing key. It does not implement `Debug`, and no function returns its secret half.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    pub public: HexBytes,
    /// The id of the public key.
    pub id: String,
}

impl SigningKey {
    pub fn from_seed(seed: &[u8; 32]) -> Option<SigningKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
        let public = HexBytes(pair.public_key().as_ref().try_into().ok()?);
        Some(SigningKey { id: key_id(&public), pair, public })
    }

    /// Parses the setting that specifies the key: its hexadecimal digits, or a file.
    pub fn source(text: &str) -> Result<SecretOrFile, Infallible> {
        let is_key = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(SecretOrFile::parse(text, is_key))
    }

    /// Reads the key that the operator specified. Errors never contain the content of the file.
    pub fn read(source: &SecretOrFile) -> Result<SigningKey, KeyError> {
        let seed = source.read()?.expose().parse::<HexBytes>().ok();
        let key = seed.and_then(|HexBytes(seed)| SigningKey::from_seed(&seed));
        key.ok_or_else(|| match source {
            SecretOrFile::File(path) => KeyError::Form { path: path.clone() },
            SecretOrFile::Secret(_) => KeyError::Form { path: PathBuf::new() },
        })
    }

    /// Reads the key from a data folder. If there is none, makes one in a file that only the
    /// server's user can read.
    ///
    /// If the key is damaged, the server starts anyway: the file is renamed, and a new key is
    /// made for new signatures. Old signatures stay valid, because the old public key is
    /// published.
    pub fn of_folder(folder: &Path) -> Result<SigningKey, KeyError> {
        let path = folder.join(KEY_FILE);
        let source = SecretOrFile::File(path.clone());
        let failed = |error| SecretFileError { path: path.clone(), error };
        let is_damaged = match SigningKey::read(&source) {
            Err(KeyError::Form { .. }) => true,
            Err(KeyError::File(SecretFileError { error, .. })) => error.kind() == io::ErrorKind::InvalidData,
            _ => false,
        };
        if is_damaged {
            let aside = folder.join(DAMAGED_KEY_FILE);
            std::fs::rename(&path, &aside).map_err(failed)?;
            tracing::error!(file = %aside.display(), "the signing key was damaged and has been replaced with a new key");
        }
        if !path.exists() {
            let seed = random_bytes()?;
            let write = || {
                let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
                writeln!(file, "{}", HexBytes(seed))?;
                file.sync_all()?;
                File::open(folder)?.sync_all()
            };
            write().map_err(failed)?;
        }
        SigningKey::read(&source)
    }

    pub fn sign(&self, digest: HexBytes) -> Option<RecordSignature> {
        self.sign_message(&signed_message(digest))
    }

    /// Signs the description of a monthly dump.
    pub fn sign_dump(&self, text: &str) -> Option<RecordSignature> {
        self.sign_message(&[DUMP_PREFIX, text.as_bytes()].concat())
    }

    fn sign_message(&self, message: &[u8]) -> Option<RecordSignature> {
        let signature = self.pair.sign(message);
        let value = SignatureText(signature.as_ref().try_into().ok()?);
        Some(RecordSignature { key: self.id.clone(), value })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_new_key_is_readable_by_its_user_alone_and_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let key = SigningKey::of_folder(folder.path()).unwrap();
        let path = folder.path().join(KEY_FILE);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(SigningKey::of_folder(folder.path()).unwrap().public, key.public);
        assert_eq!(SigningKey::read(&SecretOrFile::File(path)).unwrap().id, key.id);
    }

    #[test]
    fn a_damaged_key_of_a_folder_is_set_aside_for_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let before = SigningKey::of_folder(folder.path()).unwrap();
        for damaged in [&b"5ec4e7"[..], b"", b"\xff\xfe"] {
            std::fs::write(folder.path().join(KEY_FILE), damaged).unwrap();
            let key = SigningKey::of_folder(folder.path()).unwrap();
            assert_ne!(key.id, before.id);
            assert_eq!(SigningKey::of_folder(folder.path()).unwrap().id, key.id);
            assert_eq!(std::fs::read(folder.path().join(DAMAGED_KEY_FILE)).unwrap(), damaged);
        }
    }

    #[test]
    fn invalid_signing_keys_are_refused_without_repeating_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let secret = "5ec4e7".repeat(11);
        std::fs::write(&path, &secret).unwrap();
        let Err(error) = SigningKey::read(&SecretOrFile::File(path)) else { panic!("66 digits are no key") };
        assert!(error.to_string().contains("64 hexadecimal digits"), "{error}");
        assert!(!format!("{error}{error:?}").contains("5ec4e7"));
        let digits = SigningKey::source(&"5e".repeat(32)).unwrap();
        assert!(SigningKey::read(&digits).is_ok());
        assert!(!format!("{digits:?}").contains("5e5e"));
    }
}
