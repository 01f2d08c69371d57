//! Tests of the loop around a session: when it writes, and how it ends.

use std::cell::RefCell;
use std::io::{self, Read, Write};

use flagfall_referee::serve;

const LINE: &[u8] = b"{\"type\":\"wait\",\"at\":1}\n";

/// The number of lines that were written, and how many of these were flushed.
#[derive(Default)]
struct Paper {
    written: usize,
    flushed: usize,
}

struct Pen<'a>(&'a RefCell<Paper>);

impl Write for Pen<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Write only a part at a time, as pipes do.
        let count = bytes.len().min(100);
        self.0.borrow_mut().written += bytes[..count].iter().filter(|byte| **byte == b'\n').count();
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut paper = self.0.borrow_mut();
        paper.flushed = paper.written;
        Ok(())
    }
}

/// A client that sends several lines at a time. It waits for all their answers before it sends
/// the next lines.
struct Patient<'a> {
    paper: &'a RefCell<Paper>,
    sent: usize,
    at_a_time: Vec<usize>,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert_eq!(self.paper.borrow().flushed, self.sent, "a client waits for its answer");
        let count = self.at_a_time.pop().unwrap_or(0);
        let bytes = LINE.repeat(count);
        buffer[..bytes.len()].copy_from_slice(&bytes);
        self.sent += count;
        Ok(bytes.len())
    }
}

#[test]
fn every_answer_leaves_before_the_next_read_waits() {
    let paper = RefCell::new(Paper::default());
    serve(Patient { paper: &paper, sent: 0, at_a_time: vec![1, 1, 500, 3, 1] }, Pen(&paper)).unwrap();
    assert_eq!((paper.borrow().written, paper.borrow().flushed), (506, 506));
}

/// A reader and writer that always fails with this error.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
}

#[test]
fn a_closed_output_is_no_error_and_a_full_disk_is_one() {
    assert!(serve(LINE, Broken(io::ErrorKind::BrokenPipe)).is_ok());
    assert_eq!(
        serve(LINE, Broken(io::ErrorKind::StorageFull)).unwrap_err().kind(),
        io::ErrorKind::StorageFull
    );
    assert_eq!(serve(Broken(io::ErrorKind::Other), io::sink()).unwrap_err().kind(), io::ErrorKind::Other);
    assert!(serve(io::empty(), Broken(io::ErrorKind::Other)).is_ok());
}

/// Counts the bytes that are written.
#[derive(Default)]
struct Scale {
    bytes: usize,
}

impl Write for Scale {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn short_lines_with_long_answers_all_come_through() {
    let mut scale = Scale::default();
    let line = b"{\"type\":\"about\"}\n";
    let mut one = Vec::new();
    serve(&line[..], &mut one).unwrap();
    // Send so many lines that their answers exceed the limit for waiting bytes.
    let count = flagfall_referee::PENDING_BYTES_MAX / one.len() + 10;
    serve(&line.repeat(count)[..], &mut scale).unwrap();
    assert_eq!(scale.bytes, one.len() * count);
}
