//! Reads one or more records from a stream.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use serde_json::de::IoRead;
use serde_json::{StreamDeserializer, Value};

use crate::strict::Strict;

/// Maximum size of a record in bytes. A test shows that a pretty-printed record of 5,000 plies is
/// smaller.
pub const SIZE_MAX: usize = 16 * 1024 * 1024;

/// Why reading stops.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum ReadError {
    #[error("{0}")]
    Stream(io::Error),
    #[error("not JSON: {0}")]
    Json(serde_json::Error),
    #[error("a record is longer than {SIZE_MAX} bytes")]
    TooLong,
    #[error("it contains no record")]
    Empty,
    #[error("this is JSON, but not the record of a game")]
    NoRecord,
}

/// Reads the JSON values of a stream in order. The stream contains one record, or one record per
/// line.
pub struct Reader<R: Read> {
    #[expect(clippy::type_complexity, reason = "named once")]
    values: StreamDeserializer<'static, IoRead<io::Chain<io::Cursor<Vec<u8>>, Budgeted<R>>>, Strict>,
    spent: Rc<Cell<usize>>,
    /// The error that occurred while the start of the stream was read, if any.
    failed: Option<io::Error>,
    is_first: bool,
    is_done: bool,
}

/// Limits the number of bytes that are read for one record.
struct Budgeted<R> {
    inner: R,
    spent: Rc<Cell<usize>>,
}

impl<R: Read> Read for Budgeted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.spent.get() > SIZE_MAX {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let count = self.inner.read(buffer)?;
        self.spent.set(self.spent.get().saturating_add(count));
        Ok(count)
    }
}

/// The byte order mark that some editors write at the start of UTF-8 files.
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

impl<R: Read> Reader<R> {
    /// Creates a reader for this stream. The stream should be buffered, because the reader reads
    /// single bytes.
    pub fn new(stream: R) -> Reader<R> {
        let spent = Rc::default();
        let mut budgeted = Budgeted { inner: stream, spent: Rc::clone(&spent) };
        let mut first = Vec::with_capacity(MARK.len());
        let failed = budgeted.by_ref().take(MARK.len() as u64).read_to_end(&mut first).err();
        if first == MARK {
            first.clear();
        }
        let values =
            serde_json::Deserializer::from_reader(io::Cursor::new(first).chain(budgeted)).into_iter();
        Reader { values, spent, failed, is_first: true, is_done: false }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Value, ReadError>;

    fn next(&mut self) -> Option<Result<Value, ReadError>> {
        if self.is_done {
            return None;
        }
        if let Some(error) = self.failed.take() {
            self.is_done = true;
            return Some(Err(ReadError::Stream(error)));
        }
        self.spent.set(0);
        let next = match self.values.next() {
            None if self.is_first => Err(ReadError::Empty),
            None => return None,
            Some(Ok(Strict(value))) if is_record(&value) => Ok(value),
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

/// True if a JSON value is probably meant to be a record, so that errors in it are reported as
/// false statements.
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
    fn a_byte_order_mark_is_passed_over_and_a_field_named_twice_is_not() {
        assert_eq!(read("\u{feff}{\"format\":1,\"game\":7}"), ["7"]);
        assert_eq!(read("\u{feff}"), ["it contains no record"]);
        let twice = &read(r#"{"format":1,"game":7,"game":8}"#)[0];
        assert!(twice.contains("the field \"game\" is named twice"), "{twice}");
    }

    #[test]
    fn an_invalid_record_is_reported_and_ends_the_stream() {
        assert_eq!(read(""), ["it contains no record"]);
        assert_eq!(read("[]"), ["this is JSON, but not the record of a game"]);
        assert_eq!(read("{\"format\":1,\"game\":7}{}{\"format\":1,\"game\":8}").len(), 2);
        assert!(read("{\"format\":1,\"game\"")[0].starts_with("not JSON"));
        assert!(read(&"[".repeat(100_000))[0].starts_with("not JSON"));
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
