//! The store of the archive's objects: whole files that are written once and read in parts.

use std::fmt;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::str::FromStr;

use thiserror::Error;

/// The return type of [`ArchiveStore`]'s methods.
pub type ObjectResult<'a, T> = Pin<Box<dyn Future<Output = Result<T, ObjectError>> + Send + 'a>>;

/// The maximum length of an object's name.
const NAME_BYTES_MAX: usize = 128;

/// A store for the archive's objects. Each object is written once, as a whole. It never changes,
/// and is deleted as a whole.
///
/// All methods may be called concurrently, even by several servers.
pub trait ArchiveStore: Send + Sync + 'static {
    /// Writes an object, unless an object with this name exists. If it was written, returns true,
    /// and the object survives a crash.
    ///
    /// # Errors
    /// [`ObjectError`]: the object may have been written.
    fn put_if_absent(&self, name: &ObjectName, bytes: Vec<u8>) -> ObjectResult<'_, bool>;

    /// Returns the bytes in this range of an object. The range must be within the object.
    ///
    /// # Errors
    /// [`ObjectError::Absent`] if there is no such object. [`ObjectError::Range`] if the object
    /// is too short.
    fn get(&self, name: &ObjectName, range: Range<u64>) -> ObjectResult<'_, Vec<u8>>;

    /// Returns the length of an object; `None` if there is no such object.
    fn length(&self, name: &ObjectName) -> ObjectResult<'_, Option<u64>>;

    /// Returns the names of all objects in a folder and its subfolders, sorted.
    fn list(&self, folder: &ObjectName) -> ObjectResult<'_, Vec<ObjectName>>;

    /// Deletes an object. Deleting a missing object is not an error.
    fn delete(&self, name: &ObjectName) -> ObjectResult<'_, ()>;
}

/// Why an object cannot be written or read.
#[derive(Debug, Error)]
pub enum ObjectError {
    /// There is no object with this name.
    #[error("there is no object {0}")]
    Absent(ObjectName),
    /// The object ends before the end of the requested range.
    #[error("the object {0} is too short")]
    Range(ObjectName),
    /// The store cannot be reached, or refuses the request.
    #[error("the object {name} cannot be read or written: {error}")]
    Unavailable {
        /// The object or the folder.
        name: ObjectName,
        /// The reason.
        error: io::Error,
    },
}

/// The name of an object or a folder. It consists of words of lowercase letters, digits and
/// hyphens, separated by slashes, so it is also a safe path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ObjectName(String);

/// The error for text that is not a valid name of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("an object's name consists of words of small letters, digits and hyphens, separated by slashes")]
pub struct ObjectNameError;

impl ObjectName {
    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ObjectName {
    type Err = ObjectNameError;

    fn from_str(text: &str) -> Result<ObjectName, ObjectNameError> {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_letter);
        if text.len() <= NAME_BYTES_MAX && text.split('/').all(is_word) {
            Ok(ObjectName(text.to_owned()))
        } else {
            Err(ObjectNameError)
        }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_safe_path() {
        for good in ["a", "segments/2026/11/26/00000001", "manifest/7", "a-b/0"] {
            assert_eq!(good.parse::<ObjectName>().map(|name| name.to_string()), Ok(good.to_owned()));
        }
        let long = "a".repeat(NAME_BYTES_MAX + 1);
        for bad in ["", "/", "/a", "a/", "a//b", "..", "a/../b", "a.b", "A", "a b", "a\\b", &long] {
            assert_eq!(bad.parse::<ObjectName>(), Err(ObjectNameError), "{bad}");
        }
    }
}
