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
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::tcp::OwnedWriteHalf;
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::meter::Meter;
use flagfall_base::delivery::{Payload, Sink};
use flagfall_base::recorder::HOT;

/// Maximum number of frames that did not end a message. Above this number, reading pauses until
/// the connection has counted the frames.
const FRAGMENTS_MAX: u32 = 32;
/// Number of bytes to gather before a write, so that the messages about one event are sent
/// together.
const GATHERED_BYTES: usize = 4 * 1024;
/// The first byte of a close frame.
const CLOSE_FRAME: u8 = 0x88;
/// The close code of a proxy that could not reach its upstream server. The library treats this
/// code as a protocol error.
const BAD_GATEWAY: u16 = 1014;
/// Code 1002, which the library sends in its answer to a close frame with [`BAD_GATEWAY`].
const ANSWERED_AS_FAULT: [u8; 2] = 1002_u16.to_be_bytes();

thread_local! {
    static FRAMES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn add_frame(frames: &mut Vec<u8>, text: &str) {
    let head = FrameHeader { opcode: OpCode::Data(Data::Text), ..FrameHeader::default() };
    // Writing to a vector cannot fail, so ignore the result.
    head.format(text.len() as u64, frames).ok();
    frames.extend_from_slice(text.as_bytes());
}

/// The writing half of a connection, which never waits.
pub(super) trait Output: Send + Sync {
    /// Writes some bytes. The error is `WouldBlock` if the socket accepts none for now.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Waits until the socket accepts bytes again.
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}

impl Output for OwnedWriteHalf {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        OwnedWriteHalf::try_write(self, bytes)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.as_ref().poll_write_ready(cx)
    }
}

/// Writes whole frames from any thread, and never mixes them: a write begins only when the bytes
/// of the previous one are sent.
pub(super) struct FrameSink<W> {
    output: W,
    unsent: Mutex<Unsent>,
}

#[derive(Default)]
struct Unsent {
    /// The bytes of the latest write that the socket did not accept.
    bytes: Vec<u8>,
    /// The number of these bytes that have already been sent.
    sent: usize,
    /// True after a close frame, which no message may follow. Later messages are dropped.
    is_closed: bool,
}

impl<W: Output> FrameSink<W> {
    pub(super) fn new(output: W) -> Arc<FrameSink<W>> {
        Arc::new(FrameSink { output, unsent: Mutex::default() })
    }

    /// Writes bytes until the socket accepts no more. Returns the number of written bytes.
    fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut sent = 0;
        while sent < bytes.len() {
            match self.output.try_write(&bytes[sent..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(sent)
    }

    /// Sends the unsent bytes. Returns true once all of them have been sent.
    fn send_unsent(&self, unsent: &mut Unsent) -> io::Result<bool> {
        if !unsent.bytes.is_empty() {
            unsent.sent += self.send(&unsent.bytes[unsent.sent..])?;
            if unsent.sent < unsent.bytes.len() {
                return Ok(false);
            }
            (unsent.bytes, unsent.sent) = (Vec::new(), 0);
        }
        Ok(true)
    }

    /// Sends whole frames, and keeps the bytes that the socket does not accept. Returns true if
    /// it accepted all of them.
    fn send_frames(&self, unsent: &mut Unsent, frames: &[u8]) -> io::Result<bool> {
        debug_assert!(unsent.bytes.is_empty(), "frames would be mixed");
        let sent = self.send(frames)?;
        if sent < frames.len() {
            unsent.bytes = frames[sent..].to_vec();
        }
        Ok(sent == frames.len())
    }

    fn poll_sent(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.send_unsent(&mut self.unsent.lock())? {
            ready!(self.output.poll_writable(cx))?;
        }
        Poll::Ready(Ok(()))
    }
}

impl<W: Output> Sink for FrameSink<W> {
    fn write(&self, next: &mut dyn FnMut() -> Option<Payload>) -> io::Result<bool> {
        let mut unsent = self.unsent.lock();
        loop {
            if !self.send_unsent(&mut unsent)? {
                return Ok(false);
            }
            if unsent.is_closed {
                while next().is_some() {}
                return Ok(true);
            }
            let is_all = FRAMES.with_borrow_mut(|frames| {
                frames.clear();
                while frames.len() < GATHERED_BYTES {
                    let Some(payload) = next() else { break };
                    HOT.message_out(payload.kind());
                    add_frame(frames, payload.as_str());
                }
                self.send_frames(&mut unsent, frames)?;
                io::Result::Ok(frames.len() < GATHERED_BYTES)
            })?;
            if is_all {
                return Ok(unsent.bytes.is_empty());
            }
        }
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.output.poll_writable(cx)
    }
}

/// The stream that the WebSocket library reads from, and to which it writes control frames.
pub(super) struct Wire<R, W> {
    input: R,
    sink: Arc<FrameSink<W>>,
    meter: Meter,
}

impl<R, W> Wire<R, W> {
    pub(super) fn new(input: R, sink: Arc<FrameSink<W>>) -> Wire<R, W> {
        Wire { input, sink, meter: Meter::default() }
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

    pub(super) const fn input(&self) -> &R {
        &self.input
    }

    pub(super) fn sink(&self) -> Arc<FrameSink<W>> {
        self.sink.clone()
    }
}

impl<R: AsyncRead + Unpin, W> AsyncRead for Wire<R, W> {
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
        ready!(Pin::new(&mut wire.input).poll_read(cx, buffer))?;
        wire.meter.read(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

/// The library writes only control frames. They are accepted completely or not at all.
impl<R: Unpin, W: Output> AsyncWrite for Wire<R, W> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        // Write the client's code 1014 instead of the library's 1002, because the answer to a
        // close frame must repeat the code of that frame.
        let is_fault =
            matches!(bytes, [CLOSE_FRAME, _, first, second, ..] if [*first, *second] == ANSWERED_AS_FAULT);
        let [first, second] = BAD_GATEWAY.to_be_bytes();
        let own = [CLOSE_FRAME, 2, first, second];
        let frames = if is_fault && self.meter.close_code() == Some(BAD_GATEWAY) { &own } else { bytes };
        loop {
            let mut unsent = self.sink.unsent.lock();
            if self.sink.send_unsent(&mut unsent)? {
                unsent.is_closed |= frames.first() == Some(&CLOSE_FRAME);
                self.sink.send_frames(&mut unsent, frames)?;
                return Poll::Ready(Ok(bytes.len()));
            }
            drop(unsent);
            ready!(self.sink.output.poll_writable(cx))?;
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.sink.poll_sent(cx)
    }

    /// Only sends the last bytes. The output ends when the writing half is dropped.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.sink.poll_sent(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::future::poll_fn;

    use flagfall_board::GameId;
    use flagfall_protocol::ServerToClient;
    use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
    use tokio::sync::Notify;
    use tokio_tungstenite::WebSocketStream;
    use tokio_tungstenite::tungstenite::Message;
    use tokio_tungstenite::tungstenite::protocol::Role;

    use super::*;

    /// An output that accepts only the bytes for which the test makes room.
    #[derive(Default)]
    struct Narrow {
        /// The bytes that were accepted, and the number of bytes that are accepted from now on.
        state: Mutex<(Vec<u8>, usize)>,
        has_room: Notify,
        is_dead: bool,
    }

    impl Narrow {
        fn make_room(&self, bytes: usize) {
            self.state.lock().1 += bytes;
            self.has_room.notify_one();
        }

        fn accepted(&self) -> Vec<u8> {
            self.state.lock().0.clone()
        }
    }

    impl Output for Arc<Narrow> {
        fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
            let (accepted, room) = &mut *self.state.lock();
            let count = bytes.len().min(*room);
            match count {
                _ if self.is_dead => Err(io::ErrorKind::BrokenPipe.into()),
                0 => Err(io::ErrorKind::WouldBlock.into()),
                _ => {
                    accepted.extend_from_slice(&bytes[..count]);
                    *room -= count;
                    Ok(count)
                }
            }
        }

        fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            // One stored notification is enough, because each test has only one task at a time that
            // waits for room.
            match self.has_room.notified().now_or_never() {
                Some(()) => Poll::Ready(Ok(())),
                None => Poll::Pending,
            }
        }
    }

    /// A message of this many bytes.
    fn message(bytes: usize) -> Payload {
        let notice = |message| ServerToClient::GameUnavailable {
            game: GameId::from_random([0; 12]),
            code: None,
            message,
            request: None,
        };
        let around = Payload::new(&notice(String::new())).len();
        Payload::new(&notice("x".repeat(bytes - around)))
    }

    fn frame(payload: &Payload) -> Vec<u8> {
        let mut frames = Vec::new();
        add_frame(&mut frames, payload.as_str());
        frames
    }

    fn write(sink: &FrameSink<Arc<Narrow>>, messages: &[Payload]) -> (io::Result<bool>, usize) {
        let mut queue: VecDeque<Payload> = messages.iter().cloned().collect();
        let written = sink.write(&mut || queue.pop_front());
        (written, queue.len())
    }

    #[tokio::test]
    async fn frames_of_every_length_are_what_a_client_reads() {
        let messages = [100, 125, 126, 127, 4_096, 59_000].map(message);
        let output = Arc::new(Narrow::default());
        output.make_room(usize::MAX);
        let sink = FrameSink::new(output.clone());
        assert!(matches!(write(&sink, &messages), (Ok(true), 0)));
        let bytes = std::io::Cursor::new(output.accepted());
        let mut client = WebSocketStream::from_raw_socket(bytes, Role::Client, None).await;
        for message in messages {
            assert_eq!(client.next().await.unwrap().unwrap(), Message::text(message.as_str()));
        }
        let mut long = Vec::new();
        add_frame(&mut long, &"x".repeat(70_000));
        assert_eq!(long[..10], [0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]);
    }

    #[test]
    fn messages_wait_in_the_queue_while_the_rest_of_one_is_unsent() {
        let output = Arc::new(Narrow::default());
        let sink = FrameSink::new(output.clone());
        let (first, second) = (message(100), message(110));
        output.make_room(30);
        assert!(matches!(write(&sink, std::slice::from_ref(&first)), (Ok(false), 0)));
        assert!(matches!(write(&sink, std::slice::from_ref(&second)), (Ok(false), 1)));
        output.make_room(1_000);
        assert!(matches!(write(&sink, std::slice::from_ref(&second)), (Ok(true), 0)));
        assert_eq!(output.accepted(), [frame(&first), frame(&second)].concat());
    }

    #[tokio::test]
    async fn unfinished_writes_precede_control_frames_and_nothing_follows_a_close_frame() {
        let output = Arc::new(Narrow::default());
        let sink = FrameSink::new(output.clone());
        let wire = Wire::new(tokio::io::empty(), sink.clone());
        let mut socket = WebSocketStream::from_raw_socket(wire, Role::Server, None).await;
        let said = message(100);
        output.make_room(10);
        assert!(matches!(write(&sink, std::slice::from_ref(&said)), (Ok(false), 0)));
        let mut pinging = Box::pin(socket.send(Message::Ping("p".into())));
        assert!(poll_fn(|cx| Poll::Ready(pinging.poll_unpin(cx).is_pending())).await);
        output.make_room(1_000);
        pinging.await.unwrap();
        assert_eq!(output.accepted(), [&frame(&said)[..], &[0x89, 1, b'p']].concat());
        socket.send(Message::Close(None)).await.unwrap();
        let accepted = output.accepted();
        assert!(accepted.ends_with(&[CLOSE_FRAME, 0]));
        assert!(matches!(write(&sink, &[said]), (Ok(true), 0)));
        assert_eq!(output.accepted(), accepted);
    }

    #[test]
    fn a_dead_socket_is_an_error() {
        let sink = FrameSink::new(Arc::new(Narrow { is_dead: true, ..Narrow::default() }));
        assert!(write(&sink, &[message(100)]).0.is_err());
    }
}
