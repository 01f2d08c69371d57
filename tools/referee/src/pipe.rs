//! The loop between two pipes.

use std::fs::File;
use std::io::{self, Read, Write};

use crate::Session;
use crate::lines::{Line, LineBuffer};

/// How many bytes of answers wait for a client that writes and does not read. Beyond them its next lines wait too.
pub const PENDING_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What a read takes at most: as much as a pipe holds.
const READ_BYTES: usize = 65_536;
/// What a pipe that can be written to takes without keeping the writer waiting (`PIPE_BUF`).
const WRITE_BYTES: usize = 4096;

/// What may be done now without waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ready {
    Read,
    Write,
}

/// Answers every line of the input until it ends. An answer leaves before the next read waits, so a client may wait for each answer; lines that
/// came together are answered together. The end of the output is no error: nobody reads any more.
///
/// # Errors
/// What reading and writing fail with.
pub fn serve(input: impl Read, output: impl Write) -> io::Result<()> {
    talk(input, output, |_| Ok(Ready::Write))
}

/// [`serve`] between standard input and standard output. A client may write many lines before it reads: up to [`PENDING_BYTES_MAX`] of
/// answers wait for it while its lines are taken.
///
/// # Errors
/// What reading and writing fail with.
pub fn serve_standard() -> io::Result<()> {
    let (input, output) = standard()?;
    talk(&input, &output, |is_full| ready(&input, &output, is_full))
}

#[cfg(unix)]
fn standard() -> io::Result<(File, File)> {
    use std::os::fd::AsFd;
    // Without the standard library's buffers: what they hold, waiting for the descriptors would not see.
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((File::from(input), File::from(output)))
}

#[cfg(windows)]
fn standard() -> io::Result<(File, File)> {
    use std::os::windows::io::AsHandle;
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok((File::from(input), File::from(output)))
}

/// Waits until an answer can be written or, unless there are too many already, a line can be read.
#[cfg(unix)]
fn ready(input: &File, output: &File, is_full: bool) -> io::Result<Ready> {
    use rustix::event::{PollFd, PollFlags, poll};
    loop {
        let mut wanted = [PollFd::new(output, PollFlags::OUT), PollFd::new(input, PollFlags::IN)];
        let count = if is_full { 1 } else { 2 };
        match poll(&mut wanted[..count], None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            // An end or an error counts as ready: the call that follows meets it.
            Ok(_) if wanted[0].revents().is_empty() => return Ok(Ready::Read),
            Ok(_) => return Ok(Ready::Write),
        }
    }
}

#[cfg(not(unix))]
fn ready(_input: &File, _output: &File, _is_full: bool) -> io::Result<Ready> {
    Ok(Ready::Write)
}

fn talk(
    input: impl Read,
    output: impl Write,
    ready: impl FnMut(bool) -> io::Result<Ready>,
) -> io::Result<()> {
    match converse(input, output, ready) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn converse(
    mut input: impl Read,
    mut output: impl Write,
    mut ready: impl FnMut(bool) -> io::Result<Ready>,
) -> io::Result<()> {
    let mut session = Session::new();
    let mut lines = LineBuffer::default();
    let mut pending = Pending::default();
    let mut read = vec![0; READ_BYTES];
    loop {
        while !pending.is_empty() && ready(pending.is_full())? == Ready::Write {
            pending.write(&mut output, WRITE_BYTES)?;
        }
        if pending.is_empty() {
            output.flush()?;
        }
        let count = match input.read(&mut read) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if count == 0 {
            break;
        }
        lines.push(&read[..count], |line| answer(&mut session, line, &mut pending, &mut output))?;
    }
    lines.end(|line| answer(&mut session, line, &mut pending, &mut output))?;
    while !pending.is_empty() {
        pending.write(&mut output, usize::MAX)?;
    }
    output.flush()
}

/// Answers a line. Short lines can have long answers: when too much waits, it is written before the next line is looked at.
fn answer(
    session: &mut Session,
    line: Line<'_>,
    pending: &mut Pending,
    output: &mut impl Write,
) -> io::Result<()> {
    session.answer_into(line, &mut pending.bytes);
    while pending.is_full() {
        pending.write(output, WRITE_BYTES)?;
    }
    Ok(())
}

/// Answers that are not written yet.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    written: usize,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.written == self.bytes.len()
    }

    fn is_full(&self) -> bool {
        self.bytes.len() - self.written >= PENDING_BYTES_MAX
    }

    /// Writes some of it, at most so many bytes.
    fn write(&mut self, output: &mut impl Write, bytes_max: usize) -> io::Result<()> {
        let rest = &self.bytes[self.written..];
        match output.write(&rest[..rest.len().min(bytes_max)]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => self.written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if self.is_empty() {
            self.bytes.clear();
            self.written = 0;
        } else if self.written > self.bytes.len() / 2 {
            // Not at every write: each byte is moved once on average.
            self.bytes.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }
}
