//! The socket of a WebSocket connection: its frames are read and written here.
//!
//! Connections share buffers: each thread has one for reading, one for assembling frames, and one
//! for the text of a message. A connection keeps only the bytes of a frame that is not complete
//! yet, and the bytes that its socket did not accept. So an idle connection keeps nothing.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::tcp::OwnedWriteHalf;
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Control, Data, OpCode};

use super::frames::{Frame, Frames, Violation};
use flagfall_base::delivery::{Payload, Sink};
use flagfall_base::recorder::HOT;

/// The maximum number of bytes to read at once.
const READ_BYTES: usize = 4 * 1024;
/// Number of bytes to gather before a write, so that the messages about one event are sent
/// together.
const GATHERED_BYTES: usize = 4 * 1024;

thread_local! {
    static READ: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static FRAMES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn add_frame(frames: &mut Vec<u8>, opcode: OpCode, payload: &[u8]) {
    let head = FrameHeader { opcode, ..FrameHeader::default() };
    // Writing to a vector cannot fail, so ignore the result.
    head.format(payload.len() as u64, frames).ok();
    frames.extend_from_slice(payload);
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

    /// Sends a control frame, or keeps it to be sent after the rest of the latest write. A close
    /// frame is sent only once.
    fn send_control(&self, kind: Control, payload: &[u8]) -> io::Result<()> {
        let mut frame = Vec::with_capacity(2 + payload.len());
        add_frame(&mut frame, OpCode::Control(kind), payload);
        let unsent = &mut *self.unsent.lock();
        if unsent.is_closed {
            return Ok(());
        }
        unsent.is_closed = kind == Control::Close;
        if self.send_unsent(unsent)? {
            self.send_frames(unsent, &frame)?;
        } else {
            unsent.bytes.extend_from_slice(&frame);
        }
        Ok(())
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
                    add_frame(frames, OpCode::Data(Data::Text), payload.as_str().as_bytes());
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

/// Both halves of a connection.
pub(super) struct Socket<R, W> {
    input: R,
    sink: Arc<FrameSink<W>>,
    frames: Frames,
    /// The bytes that were read and belong to no whole frame yet, or to a later frame.
    rest: Vec<u8>,
}

/// What a client has sent. Only tests may print it, because a message can be a deployment.
#[derive(PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(super) enum Received {
    /// A message. Give the string back with [`recycle`].
    Text(String),
    Binary,
    /// A frame that does not end its message.
    Fragment,
    /// A ping, which has been answered, or a pong.
    Control,
    /// A close frame with its code. It has been answered.
    Close(Option<u16>),
}

/// Why nothing more can be read.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Broken {
    Violation(Violation),
    /// The connection is lost.
    Gone,
}

impl From<Violation> for Broken {
    fn from(violation: Violation) -> Broken {
        Broken::Violation(violation)
    }
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Broken {
        Broken::Gone
    }
}

/// Keeps the memory of a message's text for the next one.
pub(super) fn recycle(mut text: String) {
    text.clear();
    TEXT.set(text);
}

impl<R: AsyncRead + Unpin, W: Output> Socket<R, W> {
    /// `first` are the bytes that arrived before the socket existed.
    pub(super) fn new(input: R, sink: Arc<FrameSink<W>>, first: &[u8]) -> Socket<R, W> {
        Socket { input, sink, frames: Frames::default(), rest: first.to_vec() }
    }

    pub(super) const fn input(&self) -> &R {
        &self.input
    }

    pub(super) fn sink(&self) -> Arc<FrameSink<W>> {
        self.sink.clone()
    }

    /// Waits for the next frame. After a violation, the frames that follow may only be ignored.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Received, Broken>> {
        loop {
            if !self.rest.is_empty()
                && let Some((received, length)) = take(&mut self.frames, &self.sink, &mut self.rest)?
            {
                self.rest.drain(..length);
                if self.rest.is_empty() {
                    self.rest = Vec::new();
                }
                return Poll::Ready(Ok(received));
            }
            let received = READ.with_borrow_mut(|buffer| {
                buffer.resize(READ_BYTES, 0);
                let mut buffer = ReadBuf::new(buffer);
                ready!(Pin::new(&mut self.input).poll_read(cx, &mut buffer))?;
                let bytes = buffer.filled_mut();
                if bytes.is_empty() {
                    return Poll::Ready(Err(Broken::Gone));
                }
                if !self.rest.is_empty() {
                    self.rest.extend_from_slice(bytes);
                    return Poll::Ready(Ok(None));
                }
                let taken = take(&mut self.frames, &self.sink, bytes)?;
                let length = taken.as_ref().map_or(0, |(_, length)| *length);
                self.rest.extend_from_slice(&bytes[length..]);
                Poll::Ready(Ok(taken.map(|(received, _)| received)))
            });
            if let Some(received) = ready!(received)? {
                return Poll::Ready(Ok(received));
            }
        }
    }

    /// Sends a close frame, after which no message is sent.
    pub(super) async fn close(&self, code: u16, reason: &str) -> io::Result<()> {
        self.sink.send_control(Control::Close, &[&code.to_be_bytes(), reason.as_bytes()].concat())?;
        self.flush().await
    }

    /// Waits until everything that was written has been sent.
    pub(super) async fn flush(&self) -> io::Result<()> {
        poll_fn(|cx| self.sink.poll_sent(cx)).await
    }
}

/// Takes the first frame of `bytes`, answers it if it is a ping or a close frame, and returns it
/// and its length. `None` if the frame is not complete yet.
fn take<W: Output>(
    frames: &mut Frames,
    sink: &FrameSink<W>,
    bytes: &mut [u8],
) -> Result<Option<(Received, usize)>, Broken> {
    let Some((frame, length)) = frames.take(bytes)? else { return Ok(None) };
    let received = match frame {
        Frame::Text(text) => {
            let mut owned = TEXT.take();
            owned.push_str(&text);
            Received::Text(owned)
        }
        Frame::Binary => Received::Binary,
        Frame::Fragment => Received::Fragment,
        Frame::Pong => Received::Control,
        Frame::Ping(payload) => {
            sink.send_control(Control::Pong, payload)?;
            Received::Control
        }
        Frame::Close { code, payload } => {
            sink.send_control(Control::Close, payload)?;
            Received::Close(code)
        }
    };
    Ok(Some((received, length)))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use flagfall_board::GameId;
    use flagfall_protocol::ServerToClient;
    use futures_util::{FutureExt as _, StreamExt as _};
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
        add_frame(&mut frames, OpCode::Data(Data::Text), payload.as_str().as_bytes());
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
        add_frame(&mut long, OpCode::Data(Data::Text), "x".repeat(70_000).as_bytes());
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
        // A ping with the payload `p`, masked with zeros.
        let socket = Socket::new(tokio::io::empty(), sink.clone(), &[0x89, 0x81, 0, 0, 0, 0, b'p']);
        let mut socket = socket;
        let said = message(100);
        output.make_room(10);
        assert!(matches!(write(&sink, std::slice::from_ref(&said)), (Ok(false), 0)));
        assert_eq!(poll_fn(|cx| socket.poll_next(cx)).await, Ok(Received::Control));
        assert_eq!(output.accepted().len(), 10);
        output.make_room(1_000);
        socket.flush().await.unwrap();
        assert_eq!(output.accepted(), [&frame(&said)[..], &[0x8a, 1, b'p']].concat());
        socket.close(1000, "").await.unwrap();
        let accepted = output.accepted();
        assert!(accepted.ends_with(&[0x88, 2, 3, 0xe8]));
        assert!(matches!(write(&sink, &[said]), (Ok(true), 0)));
        sink.send_control(Control::Pong, b"late").unwrap();
        assert_eq!(output.accepted(), accepted);
    }

    #[tokio::test]
    async fn messages_are_read_however_the_bytes_arrive_and_close_frames_are_answered() {
        let hello = [&[0x81, 0x85, 0, 0, 0, 0][..], b"hello"].concat();
        let bytes = [&hello[..], &hello, &[0x88, 0x83, 0, 0, 0, 0, 3, 0xe9, b'x']].concat();
        for cut in 0..bytes.len() {
            let output = Arc::new(Narrow::default());
            output.make_room(1_000);
            let (first, rest) = bytes.split_at(cut);
            let mut socket = Socket::new(rest, FrameSink::new(output.clone()), first);
            let mut next = async || poll_fn(|cx| socket.poll_next(cx)).await;
            for _ in 0..2 {
                assert_eq!(next().await, Ok(Received::Text("hello".to_owned())), "{cut}");
            }
            assert_eq!(next().await, Ok(Received::Close(Some(1001))), "{cut}");
            assert_eq!(next().await, Err(Broken::Gone), "{cut}");
            assert_eq!(output.accepted(), [0x88, 3, 3, 0xe9, b'x'], "{cut}");
        }
    }

    #[test]
    fn a_dead_socket_is_an_error() {
        let sink = FrameSink::new(Arc::new(Narrow { is_dead: true, ..Narrow::default() }));
        assert!(write(&sink, &[message(100)]).0.is_err());
    }
}
