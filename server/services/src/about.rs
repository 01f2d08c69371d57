//! The operator's own text: who runs the server, how to reach them, privacy, house rules.
//!
//! The text is plain. Blank lines separate paragraphs, and a line that begins with `# ` is a
//! heading. Clients show it as text and interpret nothing else in it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

/// The maximum length of the text, in bytes.
const BYTES_MAX: u64 = 64 * 1024;

/// The text. It has at least one visible character, and its lines are separated by `\n`. Cheap to
/// clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About(Arc<str>);

#[derive(Debug, Error)]
pub enum AboutError {
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{}: has more than {BYTES_MAX} bytes", .0.display())]
    TooLong(PathBuf),
    #[error("{}: is not UTF-8 text", .0.display())]
    NotUtf8(PathBuf),
    #[error("{}: line {line} contains a control character", path.display())]
    ControlCharacter { path: PathBuf, line: usize },
    #[error("{}: is empty", .0.display())]
    Empty(PathBuf),
}

impl About {
    pub fn read(path: &Path) -> Result<About, AboutError> {
        let own_path = || path.to_owned();
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes));
        let count = read.map_err(|error| AboutError::Unreadable { path: own_path(), error })?;
        if count as u64 > BYTES_MAX {
            return Err(AboutError::TooLong(own_path()));
        }
        let text = String::from_utf8(bytes).map_err(|_| AboutError::NotUtf8(own_path()))?;
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let is_control = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
        if let Some(at) = text.lines().position(|line| line.contains(is_control)) {
            return Err(AboutError::ControlCharacter { path: own_path(), line: at + 1 });
        }
        match text.trim() {
            "" => Err(AboutError::Empty(own_path())),
            text => Ok(About(text.into())),
        }
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_checked_and_its_line_endings_are_made_alike() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("about.txt");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            About::read(&path)
                .map(|about| about.text().to_owned())
                .map_err(|error| error.to_string().replace(path.to_str().unwrap(), "FILE"))
        };
        assert_eq!(read("\u{feff}# Ä\r\n\r\n<b>me</b>\r\n".as_bytes()).as_deref(), Ok("# Ä\n\n<b>me</b>"));
        assert_eq!(read(&[b'a'; 65_536]).map(|text| text.len()), Ok(65_536));
        let refused = |bytes: &[u8]| read(bytes).unwrap_err();
        assert_eq!(refused(&[b'a'; 65_537]), "FILE: has more than 65536 bytes");
        assert_eq!(refused(b"caf\xe9"), "FILE: is not UTF-8 text");
        assert_eq!(refused(b"a\n\x1b[2J"), "FILE: line 2 contains a control character");
        assert_eq!(refused(b" \n\n"), "FILE: is empty");
        std::fs::remove_file(&path).unwrap();
        assert!(About::read(&path).unwrap_err().to_string().contains("cannot be read"));
    }
}
