//! Runs a session between two pipes.

use std::fs::File;
use std::io::{self, Read, Write};

use crate::Session;
use crate::lines::{Line, LineBuffer};

/// Maximum number of bytes in answers that the client has not read yet. If there are more, the
/// referee stops reading the client's lines.
pub const PENDING_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum number of bytes to read at a time. A pipe holds this many bytes.
const READ_BYTES: usize = 65_536;
/// Number of bytes that can be written to a writable pipe without blocking (`PIPE_BUF`).
const WRITE_BYTES: usize = 4096;

/// The operation that is possible without blocking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ready {
    Read,
    Write,
}

/// Answers every line of the input until the input ends.
///
/// Answers are written before the next read can block, so a client may wait for each answer.
/// Lines that arrive together are answered together. A closed output is not an error, because it
/// only means that the client has stopped reading.
///
/// # Errors
/// Errors of reading and writing.
pub fn serve(input: impl Read, output: impl Write) -> io::Result<()> {
    quietly(converse(input, output, |_| Ok(Ready::Write)))
}

/// Runs [`serve`] between standard input and standard output.
///
/// A client may write many lines before it reads. Up to [`PENDING_BYTES_MAX`] bytes of answers
/// wait for the client.
///
/// # Errors
/// Errors of reading and writing.
pub fn serve_standard() -> io::Result<()> {
    let (input, output) = standard()?;
    quietly(converse(&input, &output, |is_full| ready(&input, &output, is_full)))
}

#[cfg(unix)]
fn standard() -> io::Result<(File, File)> {
    use std::os::fd::AsFd;
    // Avoid the standard library's buffers, because `poll` does not report data in them.
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

/// Waits until answers can be written or a line can be read. If too many answers are already
/// waiting, waits only for writing.
#[cfg(unix)]
fn ready(input: &File, output: &File, is_full: bool) -> io::Result<Ready> {
    use rustix::event::{PollFd, PollFlags, poll};
    loop {
        let mut wanted = [PollFd::new(output, PollFlags::OUT), PollFd::new(input, PollFlags::IN)];
        let count = if is_full { 1 } else { 2 };
        match poll(&mut wanted[..count], None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            // The end of the input or an error also counts as ready. The next read or write
            // reports it.
            Ok(_) if wanted[0].revents().is_empty() => return Ok(Ready::Read),
            Ok(_) => return Ok(Ready::Write),
        }
    }
}

#[cfg(not(unix))]
fn ready(_input: &File, _output: &File, _is_full: bool) -> io::Result<Ready> {
    Ok(Ready::Write)
}

fn quietly(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
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

/// Answers a line. If too many bytes of answers are waiting, writes them before the next line is
/// handled, because a short line can have a long answer.
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

/// Answers that have not been written yet.
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

    /// Writes at most `bytes_max` of the waiting bytes.
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
            // Do not remove the written bytes after every write, so that each byte is moved only
            // once on average.
            self.bytes.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }
}
