//! Settings that are secrets, or names of files that contain them.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;

use flagfall_protocol::Secret;

const FILE_MAX: u64 = 4_096;

/// A secret, or the path of a file that contains it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecretOrFile {
    Secret(Secret),
    File(PathBuf),
}

/// A file with a secret that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct SecretFileError {
    pub path: PathBuf,
    pub error: io::Error,
}

impl SecretOrFile {
    /// Parses a setting. Text that is not a secret is the path of a file.
    pub(crate) fn parse(text: &str, is_secret: impl Fn(&str) -> bool) -> SecretOrFile {
        let text = text.trim();
        if is_secret(text) {
            SecretOrFile::Secret(Secret::new(text))
        } else {
            SecretOrFile::File(text.into())
        }
    }

    /// True if the setting is empty.
    pub fn is_empty(&self) -> bool {
        matches!(self, SecretOrFile::File(path) if path.as_os_str().is_empty())
    }

    /// Returns the secret. Errors never contain it.
    pub(crate) fn read(&self) -> Result<Secret, SecretFileError> {
        let path = match self {
            SecretOrFile::Secret(secret) => return Ok(secret.clone()),
            SecretOrFile::File(path) => path,
        };
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(FILE_MAX).read_to_string(&mut text));
        read.map_err(|error| SecretFileError { path: path.clone(), error })?;
        Ok(Secret::new(text.trim()))
    }
}
