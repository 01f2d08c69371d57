//! The socket under a WebSocket, and the way of messages onto it.
//!
//! Reading, control frames and closing are the library's. What the server says goes past it: a message's frame needs neither mask nor state, and the
//! library would copy it into a buffer that every connection keeps, as long as the longest message it ever had. Here frames are put together in one buffer
//! for each thread and written at once; a connection keeps only what its socket did not take.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::meter::Meter;

/// The first byte of a frame that holds a whole text.
const WHOLE_TEXT: u8 = 0x81;
/// The second byte, where the length does not fit into it: two or eight bytes of length follow.
const LENGTH_IN_TWO: u8 = 126;
const LENGTH_IN_EIGHT: u8 = 127;
/// Frames that end no message which are read before the connection has counted them.
const FRAGMENTS_MAX: u32 = 32;
/// A close code that the library takes for a fault: a proxy could not reach what lies behind it.
const BAD_GATEWAY: u16 = 1014;
/// The library's answer to it begins so: a close frame of at least two bytes, of code 1002.
const ANSWERED_AS_FAULT: [u8; 2] = 1002_u16.to_be_bytes();

thread_local! {
    static FRAMES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Gives an empty buffer to put frames together in. It is the thread's, so nothing may wait inside.
pub(super) fn with_frames<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    FRAMES.with_borrow_mut(|frames| {
        frames.clear();
        work(frames)
    })
}

/// Adds the frame of a message.
pub(super) fn add_frame(frames: &mut Vec<u8>, text: &str) {
    frames.push(WHOLE_TEXT);
    match (u8::try_from(text.len()), u16::try_from(text.len())) {
        (Ok(length), _) if length < LENGTH_IN_TWO => frames.push(length),
        (_, Ok(length)) => {
            frames.push(LENGTH_IN_TWO);
            frames.extend_from_slice(&length.to_be_bytes());
        }
        _ => {
            frames.push(LENGTH_IN_EIGHT);
            frames.extend_from_slice(&(text.len() as u64).to_be_bytes());
        }
    }
    frames.extend_from_slice(text.as_bytes());
}

/// A stream on which frames stay whole: whoever writes finds the one before written, or waits.
#[derive(Debug)]
pub(super) struct Wire<S> {
    stream: S,
    /// What the stream did not take. No more is taken before it has gone, so it is bounded by one write.
    unsent: Vec<u8>,
    /// How much of that has gone.
    sent: usize,
    /// What came in.
    meter: Meter,
}

impl<S: AsyncWrite + Unpin> Wire<S> {
    pub(super) fn new(stream: S) -> Wire<S> {
        Wire { stream, unsent: Vec::new(), sent: 0, meter: Meter::default() }
    }

    /// These bytes came in before the wire was there.
    pub(super) fn note_read(&mut self, bytes: &[u8]) {
        self.meter.read(bytes);
    }

    /// The frames since the last call that ended no message. Nothing more is read when they are too many,
    /// until they are taken: whoever polls for a message takes them after each poll.
    pub(super) fn take_fragments(&mut self) -> u32 {
        self.meter.take_fragments()
    }

    /// The stream itself.
    pub(super) const fn stream(&self) -> &S {
        &self.stream
    }

    /// Ready when nothing is left to be written.
    pub(super) fn poll_sent(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.unsent.get(self.sent..).filter(|rest| !rest.is_empty()) {
            self.sent += ready!(poll_write(&mut self.stream, cx, rest))?;
        }
        if !self.unsent.is_empty() {
            (self.unsent, self.sent) = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }

    /// Writes whole frames, or keeps what is not taken now. Everything before must have been sent: see [`Wire::poll_sent`].
    pub(super) fn write(&mut self, cx: &mut Context<'_>, mut frames: &[u8]) -> io::Result<()> {
        debug_assert!(self.unsent.is_empty(), "frames would mingle");
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

/// Writes some; an error where nothing can be written any more.
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

/// What the library writes: control frames. They are taken whole or not at all.
impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_sent(cx))?;
        // The answer to a close frame repeats its code.
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
    async fn what_a_socket_does_not_take_goes_first_and_control_frames_wait_for_it() {
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
