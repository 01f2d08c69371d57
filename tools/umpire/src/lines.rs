//! Splits a stream of bytes into lines, whose length is limited. Buffers at most one line.

use crate::line::LINE_BYTES_MAX;

/// Splits a stream of bytes into lines.
#[derive(Default)]
pub struct LineCutter {
    partial: Vec<u8>,
    is_spoiled: bool,
}

/// A piece of the stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// A line, without its line ending and trailing spaces.
    Line(String),
    /// More than [`LINE_BYTES_MAX`] bytes without a line ending. The rest of the stream is
    /// ignored.
    TooLong,
    /// A line that is not UTF-8. The rest of the stream is ignored.
    NotUtf8,
}

impl LineCutter {
    /// Adds bytes, and passes each complete line to `cut`. Reports a line that is too long as
    /// soon as it reaches the limit.
    pub fn push(&mut self, bytes: &[u8], mut cut: impl FnMut(Cut)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.is_spoiled {
                return;
            }
            let whole = part.strip_suffix(b"\n");
            let line = whole.unwrap_or(part);
            let next = if self.partial.len() + line.len() > LINE_BYTES_MAX {
                Some(Cut::TooLong)
            } else {
                self.partial.extend_from_slice(line);
                whole.map(|_| match std::str::from_utf8(&self.partial) {
                    Ok(line) => Cut::Line(line.trim_ascii_end().to_owned()),
                    Err(_) => Cut::NotUtf8,
                })
            };
            if let Some(next) = next {
                self.partial.clear();
                self.is_spoiled = !matches!(next, Cut::Line(_));
                cut(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[&[u8]]) -> Vec<Cut> {
        let mut cutter = LineCutter::default();
        let mut cuts = Vec::new();
        pieces.iter().for_each(|bytes| cutter.push(bytes, |cut| cuts.push(cut)));
        cuts
    }

    fn line(text: &str) -> Cut {
        Cut::Line(text.to_owned())
    }

    #[test]
    fn lines_come_whole_however_the_bytes_come() {
        let whole: &[u8] = b"0 3 DOWN\r\n\nSURRENDER \nrest";
        let expected = [line("0 3 DOWN"), line(""), line("SURRENDER")];
        assert_eq!(cut(&[whole]), expected);
        let single: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(cut(&single), expected);
    }

    #[test]
    fn a_line_of_1_kib_is_one_and_a_longer_one_spoils_the_stream() {
        let longest = "x".repeat(LINE_BYTES_MAX);
        assert_eq!(cut(&[longest.as_bytes(), b"\n"]), [line(&longest)]);
        assert_eq!(cut(&[longest.as_bytes(), b"x", b"\nfine\n"]), [Cut::TooLong]);
        assert_eq!(cut(&[b"fine\n", &vec![0; 1 << 20], b"\n"]), [line("fine"), Cut::TooLong]);
    }

    #[test]
    fn a_line_that_is_not_utf_8_spoils_the_stream() {
        assert_eq!(cut(&["é\n".as_bytes(), b"\xff\nfine\n"]), [line("é"), Cut::NotUtf8]);
    }

    #[test]
    fn no_more_than_a_line_is_kept() {
        let mut cutter = LineCutter::default();
        for _ in 0..10_000 {
            cutter.push(&[b'x'; 4096], |_| ());
            assert!(cutter.partial.capacity() <= 2 * LINE_BYTES_MAX);
        }
    }
}
