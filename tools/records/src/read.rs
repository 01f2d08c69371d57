//! Records out of a stream: one, or one after another.

use std::io::{self, Read};

use serde_json::Value;

/// Bytes of the longest record that is read. One of 5,000 plies, printed widely, has about two million.
pub const SIZE_MAX: u64 = 16 * 1024 * 1024;

/// Why nothing more is read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The stream itself.
    #[error("{0}")]
    Stream(io::Error),
    /// What it carries.
    #[error("this is no JSON: {0}")]
    Json(serde_json::Error),
    /// Too long.
    #[error("a record has more than {SIZE_MAX} bytes")]
    TooLong,
    /// Nothing in it.
    #[error("there is no record in it")]
    Empty,
    /// Some other JSON.
    #[error("this is JSON, but no record of a game")]
    NoRecord,
}

/// Takes the JSON values of a stream one after another: a file of one record, or lines of them.
pub struct Reader<R: Read> {
    values: serde_json::StreamDeserializer<'static, serde_json::de::IoRead<Budgeted<R>>, Value>,
    spent: std::rc::Rc<std::cell::Cell<u64>>,
    is_first: bool,
    is_done: bool,
}

/// Reads no more bytes than one record may have.
struct Budgeted<R> {
    inner: R,
    spent: std::rc::Rc<std::cell::Cell<u64>>,
}

impl<R: Read> Read for Budgeted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.spent.get() > SIZE_MAX {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let count = self.inner.read(buffer)?;
        self.spent.set(self.spent.get().saturating_add(count as u64));
        Ok(count)
    }
}

impl<R: Read> Reader<R> {
    /// A reader of this stream. It reads byte by byte: the stream should be buffered.
    pub fn new(stream: R) -> Reader<R> {
        let spent = std::rc::Rc::default();
        let budgeted = Budgeted { inner: stream, spent: std::rc::Rc::clone(&spent) };
        let values = serde_json::Deserializer::from_reader(budgeted).into_iter();
        Reader { values, spent, is_first: true, is_done: false }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Value, ReadError>;

    fn next(&mut self) -> Option<Result<Value, ReadError>> {
        if self.is_done {
            return None;
        }
        self.spent.set(0);
        let next = match self.values.next() {
            None if self.is_first => Err(ReadError::Empty),
            None => return None,
            Some(Ok(value)) if is_record(&value) => Ok(value),
            Some(Ok(_)) => Err(ReadError::NoRecord),
            Some(Err(error)) if error.io_error_kind() == Some(io::ErrorKind::FileTooLarge) => {
                Err(ReadError::TooLong)
            }
            Some(Err(error)) if error.is_io() => Err(ReadError::Stream(error.into())),
            Some(Err(error)) => Err(ReadError::Json(error)),
        };
        self.is_first = false;
        self.is_done = next.is_err();
        Some(next)
    }
}

/// Whether a JSON value wants to be a record, so that whatever is wrong with it is a falsehood.
fn is_record(value: &Value) -> bool {
    ["format", "game", "events"].iter().filter(|field| value.get(field).is_some()).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let told = |next: Result<Value, ReadError>| match next {
            Ok(value) => value["game"].to_string(),
            Err(error) => error.to_string(),
        };
        Reader::new(text.as_bytes()).map(told).collect()
    }

    #[test]
    fn one_record_or_many_come_out() {
        assert_eq!(read(r#" {"format":1,"game":7} "#), ["7"]);
        assert_eq!(read("{\"format\":1,\"game\":7}\n{\"format\":1,\n \"game\":8}\n\n"), ["7", "8"]);
    }

    #[test]
    fn what_is_no_record_is_said_to_be_none_and_ends_the_stream() {
        assert_eq!(read(""), ["there is no record in it"]);
        assert_eq!(read("[]"), ["this is JSON, but no record of a game"]);
        assert_eq!(read("{\"format\":1,\"game\":7}{}{\"format\":1,\"game\":8}").len(), 2);
        assert!(read("{\"format\":1,\"game\"")[0].starts_with("this is no JSON"));
        assert!(read(&"[".repeat(100_000))[0].starts_with("this is no JSON"));
    }

    #[test]
    fn a_record_beyond_the_limit_is_not_read_to_its_end() {
        let endless = io::repeat(b' ');
        let next = Reader::new(io::BufReader::new(endless)).next();
        assert!(matches!(next, Some(Err(ReadError::TooLong))));
    }

    #[test]
    fn the_limit_is_of_each_record() {
        let blanks = " ".repeat(9 * 1024 * 1024);
        let record = r#"{"format":1,"game":7}"#;
        let text = format!("{blanks}{record}").repeat(2);
        assert_eq!(Reader::new(io::BufReader::new(text.as_bytes())).filter(Result::is_ok).count(), 2);
    }
}
