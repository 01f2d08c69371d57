//! Splits a stream of bytes into lines.

/// Maximum length of a line in bytes, without the line ending.
pub const LINE_BYTES_MAX: usize = 65_536;

/// A line of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Line<'a> {
    /// The bytes of the line, without the line ending.
    Whole(&'a [u8]),
    /// A line of more than [`LINE_BYTES_MAX`] bytes, which were discarded.
    TooLong,
}

/// A buffer for the start of an incomplete line.
#[derive(Default)]
pub(crate) struct LineBuffer {
    begun: Vec<u8>,
    is_too_long: bool,
}

impl LineBuffer {
    /// Adds bytes, and passes each complete line to `take`.
    pub(crate) fn push<E>(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(Line<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let whole = part.strip_suffix(b"\n");
            self.keep(whole.unwrap_or(part));
            if whole.is_some() {
                self.finish(&mut take)?;
            }
        }
        Ok(())
    }

    /// Handles the end of the input. The last line need not end with a line break.
    pub(crate) fn end<E>(&mut self, mut take: impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.begun.is_empty() && !self.is_too_long { Ok(()) } else { self.finish(&mut take) }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.begun.len() + bytes.len() > LINE_BYTES_MAX;
        if self.is_too_long {
            self.begun.clear();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    fn finish<E>(&mut self, take: &mut impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let line = if self.is_too_long { Line::TooLong } else { Line::Whole(&self.begun) };
        let result = take(line);
        self.begun.clear();
        self.is_too_long = false;
        result
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Returns the length of each line in these reads. `None` for a line that is too long.
    fn lengths(reads: &[&[u8]]) -> Vec<Option<usize>> {
        let mut found = Vec::new();
        let mut lines = LineBuffer::default();
        let mut take = |line: Line<'_>| -> Result<(), Infallible> {
            found.push(match line {
                Line::Whole(bytes) => Some(bytes.len()),
                Line::TooLong => None,
            });
            Ok(())
        };
        for read in reads {
            let Ok(()) = lines.push(read, &mut take);
            assert!(lines.begun.len() <= LINE_BYTES_MAX);
        }
        let Ok(()) = lines.end(&mut take);
        found
    }

    #[test]
    fn lines_come_whole_in_pieces_and_without_an_end() {
        assert_eq!(lengths(&[b"one\n\nthree\n"]), [Some(3), Some(0), Some(5)]);
        assert_eq!(lengths(&[b"on", b"e", b"\nt", b"wo"]), [Some(3), Some(3)]);
        assert_eq!(lengths(&[b"one\n", b""]), [Some(3)]);
        assert_eq!(lengths(&[]), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_one_line_and_the_next_is_whole_again() {
        let long = vec![b'x'; LINE_BYTES_MAX];
        assert_eq!(lengths(&[&long, b"\nok\n"]), [Some(LINE_BYTES_MAX), Some(2)]);
        assert_eq!(lengths(&[&long, b"x\nok\n"]), [None, Some(2)]);
        assert_eq!(lengths(&[&long, &long, &long, b"\nok"]), [None, Some(2)]);
        assert_eq!(lengths(&[&[&long[..], b"x\nok\n"].concat()]), [None, Some(2)]);
        assert_eq!(lengths(&[&long, b"x"]), [None]);
    }
}
