//! The socket under a WebSocket, and the framing of outgoing messages.
//!
//! The WebSocket library handles reading, control frames and closing. Outgoing messages bypass
//! the library, because it would copy them to a buffer for each connection. Each of these buffers
//! would stay as large as the connection's longest message. The frames of a server are simple to
//! write, because they need neither a mask nor state. This module assembles frames in one buffer
//! per thread and writes them together. Each connection keeps only the bytes that its socket did
//! not accept.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::meter::Meter;

/// Maximum number of frames that did not end a message. Above this number, reading pauses until
/// the connection has counted the frames.
const FRAGMENTS_MAX: u32 = 32;
/// The close code of a proxy that could not reach its upstream server. The library treats this
/// code as a protocol error.
const BAD_GATEWAY: u16 = 1014;
/// Code 1002, which the library sends in its answer to a close frame with [`BAD_GATEWAY`].
const ANSWERED_AS_FAULT: [u8; 2] = 1002_u16.to_be_bytes();

thread_local! {
    static FRAMES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with an empty buffer for assembling frames. The buffer belongs to the thread, so
/// the closure cannot await.
pub(super) fn with_frames<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    FRAMES.with_borrow_mut(|frames| {
        frames.clear();
        work(frames)
    })
}

pub(super) fn add_frame(frames: &mut Vec<u8>, text: &str) {
    let head = FrameHeader { opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
    // Writing to a vector cannot fail, so ignore the result.
    head.format(text.len() as u64, frames).ok();
    frames.extend_from_slice(text.as_bytes());
}

/// A stream that never mixes frames: a write waits until the previous one is complete.
#[derive(Debug)]
pub(super) struct Wire<S> {
    stream: S,
    /// The bytes of the latest write that the stream did not accept. The next write waits until
    /// they have been sent.
    unsent: Vec<u8>,
    /// The number of bytes of `unsent` that have already been sent.
    sent: usize,
    meter: Meter,
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    pub(super) fn new(stream: S) -> Wire<S> {
        Wire { stream, unsent: Vec::new(), sent: 0, meter: Meter::default() }
    }

    /// Counts bytes that arrived before the wire existed.
    pub(super) fn note_read(&mut self, bytes: &[u8]) {
        self.meter.read(bytes);
    }

    /// Returns the number of frames, since the last call, that did not end a message. The reader
    /// must call this after each poll, because reading pauses after too many of these frames.
    pub(super) fn take_fragments(&mut self) -> u32 {
        self.meter.take_fragments()
    }

    pub(super) const fn stream(&self) -> &S {
        &self.stream
    }

    /// Sends the unsent bytes. Ready once all of them have been sent.
    pub(super) fn poll_sent(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.unsent.get(self.sent..).filter(|rest| !rest.is_empty()) {
            self.sent += ready!(poll_write(&mut self.stream, cx, rest))?;
        }
        if !self.unsent.is_empty() {
            (self.unsent, self.sent) = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }

    /// Writes whole frames, and keeps the bytes that the socket does not accept. Call this only
    /// after [`Wire::poll_sent`] has sent all earlier bytes.
    pub(super) fn write(&mut self, cx: &mut Context<'_>, mut frames: &[u8]) -> io::Result<()> {
        debug_assert!(self.unsent.is_empty(), "frames would be mixed");
        while !frames.is_empty() {
            match poll_write(&mut self.stream, cx, frames) {
                Poll::Ready(written) => frames = frames.get(written?..).unwrap_or_default(),
                Poll::Pending => {
                    (self.unsent, self.sent) = (frames.to_vec(), 0);
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Writes some bytes. Writing zero bytes is an error.
fn poll_write(
    stream: &mut (impl AsyncWrite + Unpin),
    cx: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    match ready!(Pin::new(stream).poll_write(cx, bytes))? {
        0 => Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
        written => Poll::Ready(Ok(written)),
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = &mut *self;
        if wire.meter.fragments() > FRAGMENTS_MAX {
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut wire.stream).poll_read(cx, buffer))?;
        wire.meter.read(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

/// The library's writes: control frames, which are accepted completely or not at all.
impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_sent(cx))?;
        // Write the client's code 1014 instead of the library's 1002, because the answer to a
        // close frame must repeat the code of that frame.
        let is_fault =
            matches!(bytes, [0x88, _, first, second, ..] if [*first, *second] == ANSWERED_AS_FAULT);
        if is_fault && self.meter.close_code() == Some(BAD_GATEWAY) {
            let [first, second] = BAD_GATEWAY.to_be_bytes();
            self.write(cx, &[0x88, 2, first, second])?;
            return Poll::Ready(Ok(bytes.len()));
        }
        self.write(cx, bytes)?;
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_sent(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_sent(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Waker;

    use futures_util::{SinkExt as _, StreamExt as _};
    use tokio::io::AsyncReadExt as _;
    use tokio_tungstenite::WebSocketStream;
    use tokio_tungstenite::tungstenite::Message;
    use tokio_tungstenite::tungstenite::protocol::Role;

    use super::*;

    fn frame(text: &str) -> Vec<u8> {
        let mut frames = Vec::new();
        add_frame(&mut frames, text);
        frames
    }

    #[tokio::test]
    async fn frames_of_every_length_are_what_a_client_reads() {
        let lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000];
        let (near, far) = tokio::io::duplex(1 << 20);
        let mut wire = Wire::new(near);
        let all: Vec<u8> = lengths.iter().flat_map(|length| frame(&"x".repeat(*length))).collect();
        poll_fn(|cx| Poll::Ready(wire.write(cx, &all))).await.unwrap();
        let mut client = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
        for length in lengths {
            assert_eq!(client.next().await.unwrap().unwrap(), Message::text("x".repeat(length)));
        }
    }

    #[tokio::test]
    async fn unfinished_writes_precede_control_frames() {
        let (near, mut far) = tokio::io::duplex(10);
        let mut socket = WebSocketStream::from_raw_socket(Wire::new(near), Role::Server, None).await;
        let said = frame(&"x".repeat(40));
        let mut cx = Context::from_waker(Waker::noop());
        socket.get_mut().write(&mut cx, &said).unwrap();
        assert!(socket.get_mut().poll_sent(&mut cx).is_pending());
        let pinging = tokio::spawn(async move { socket.send(Message::Ping("p".into())).await });
        let mut read = vec![0; said.len() + 3];
        far.read_exact(&mut read).await.unwrap();
        assert_eq!(read, [&said[..], &[0x89, 1, b'p']].concat());
        pinging.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_dead_socket_is_an_error() {
        let (near, far) = tokio::io::duplex(10);
        drop(far);
        let mut wire = Wire::new(near);
        assert!(poll_fn(|cx| Poll::Ready(wire.write(cx, &frame("x")))).await.is_err());
    }
}
