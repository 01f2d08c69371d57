//! The bounded send queue of a connection.
//!
//! The connection's task writes the queued messages to the socket. Waking that task for each
//! message costs more than the write, so a game that tells its players about a move writes to
//! their sockets itself ([`together`]), as long as the sockets accept the bytes at once.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use flagfall_board::GameId;
use std::time::Duration;

use flagfall_protocol::{CloseCode, GameHead, PoolStatus};

use super::payload::{PAYLOAD_BYTES_MAX, Payload};
use parking_lot::Mutex;
use smallvec::SmallVec;

/// The largest number of messages in an outbox. If there are more, the client is too slow.
pub const OUTBOX_MESSAGES_MAX: usize = 64;
/// The largest number of bytes in an outbox. If there are more, the client is too slow.
pub const OUTBOX_BYTES_MAX: usize = 256 * 1024;

/// The capacity that an empty queue may keep. A larger buffer, left from a burst, is freed.
const IDLE_CAPACITY: usize = 8;

/// The maximum number of connections to which [`together`] writes. The tasks of the others, who
/// are spectators of a popular game, are woken, so that all processors share that work.
const WRITTEN_TOGETHER_MAX: usize = 4;

/// The state of [`together`] on one thread.
struct Together {
    is_running: bool,
    /// The outboxes into which messages were put.
    outboxes: Vec<Outbox>,
}

thread_local! {
    static TOGETHER: RefCell<Together> =
        const { RefCell::new(Together { is_running: false, outboxes: Vec::new() }) };
}

/// The number of a connection. It is unique while the process runs, and never sent to clients.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConnectionId(u64);

impl ConnectionId {
    pub fn next() -> ConnectionId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ConnectionId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

/// The sending end of a connection's queue. It is bounded, cheap to clone, and never blocks.
///
/// An outbox has room for [`OUTBOX_MESSAGES_MAX`] messages and [`OUTBOX_BYTES_MAX`] bytes. If a
/// message does not fit, the connection is closed with [`CloseCode::Slow`]; the client then
/// reconnects and resumes. Messages to a closed connection are dropped.
#[derive(Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

/// The receiving end of a connection's send queue. Each queue has exactly one.
pub struct OutboxReader {
    shared: Arc<Shared>,
}

struct Shared {
    connection: ConnectionId,
    state: Mutex<State>,
}

/// The writing half of a connection's socket. It never waits.
pub trait Sink: Send + Sync {
    /// Writes messages until the socket accepts no more bytes or `next` returns `None`. Returns
    /// true in the second case, when all bytes are accepted. The sink keeps the rest of a message
    /// of which the socket accepted only a part.
    fn write(&self, next: &mut dyn FnMut() -> Option<Payload>) -> io::Result<bool>;

    /// Waits until the socket accepts bytes again.
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}

#[derive(Default)]
struct State {
    queue: VecDeque<Payload>,
    bytes: usize,
    close: Option<CloseCode>,
    is_closed: bool,
    has_said_goodbye: bool,
    credit: u32,
    stored: u32,
    /// The last two measured round trips, in milliseconds.
    round_trips_ms: [u32; 2],
    /// Most connections have one game open at most.
    heads: SmallVec<[GameHead; 1]>,
    pool: Option<PoolStatus>,
    waker: Option<Waker>,
    sink: Option<Arc<dyn Sink>>,
    /// True while a call of [`together`] is going to write the queued messages or wake the task.
    is_awaited: bool,
}

/// The number of messages to credit to a connection's rate limit, and the number of bytes that
/// its commands have stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Account {
    /// The number of messages to credit to the rate limit.
    pub credit: u32,
    pub stored: u32,
}

#[must_use]
pub fn outbox(connection: ConnectionId) -> (Outbox, OutboxReader) {
    let shared = Arc::new(Shared { connection, state: Mutex::new(State::default()) });
    (Outbox { shared: shared.clone() }, OutboxReader { shared })
}

impl State {
    fn begin_close(&mut self, code: CloseCode) -> Option<Waker> {
        if self.close.is_none() {
            self.close = Some(code);
            if code == CloseCode::Slow {
                self.queue = VecDeque::new();
                self.bytes = 0;
            }
        }
        self.waker.take()
    }

    fn pop(&mut self) -> Option<Payload> {
        let payload = self.queue.pop_front()?;
        self.bytes -= payload.len();
        if self.queue.is_empty() && self.queue.capacity() > IDLE_CAPACITY {
            self.queue = VecDeque::new();
        }
        Some(payload)
    }

    /// Writes the queued messages. Returns true if the socket accepted all of them, and false if
    /// it accepts no more bytes for now or if there is no socket.
    fn write(&mut self) -> io::Result<bool> {
        match self.sink.clone() {
            Some(sink) => sink.write(&mut || self.pop()),
            None => Ok(false),
        }
    }
}

/// Runs `work`, and then writes the messages that it put into outboxes. So several messages to
/// one connection are written together, and its task need not be woken. If a socket does not
/// accept all bytes, or if there are many connections, their tasks write the rest.
pub fn together<T>(work: impl FnOnce() -> T) -> T {
    /// Also delivers the messages if `work` panics.
    struct Delivery;

    impl Drop for Delivery {
        fn drop(&mut self) {
            let mut outboxes = TOGETHER.with_borrow_mut(|together| {
                together.is_running = false;
                std::mem::take(&mut together.outboxes)
            });
            for (number, outbox) in outboxes.drain(..).enumerate() {
                outbox.deliver(number < WRITTEN_TOGETHER_MAX);
            }
            // Keep the memory for the next call, unless there were many connections.
            outboxes.shrink_to(2 * WRITTEN_TOGETHER_MAX);
            TOGETHER.with_borrow_mut(|together| together.outboxes = outboxes);
        }
    }

    let was_running = TOGETHER.with_borrow_mut(|together| std::mem::replace(&mut together.is_running, true));
    let _delivery = (!was_running).then(|| Delivery);
    work()
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Outbox {
    pub fn connection(&self) -> ConnectionId {
        self.shared.connection
    }

    /// Queues a message without blocking. If the message does not fit, or is longer than
    /// [`PAYLOAD_BYTES_MAX`], the connection is closed with [`CloseCode::Slow`].
    pub fn send(&self, payload: Payload) {
        let mut state = self.shared.state.lock();
        if state.is_closed || state.close.is_some() {
            return;
        }
        let is_full =
            state.queue.len() >= OUTBOX_MESSAGES_MAX || state.bytes + payload.len() > OUTBOX_BYTES_MAX;
        let is_too_long = payload.len() > PAYLOAD_BYTES_MAX;
        let waker = if is_full || is_too_long {
            state.begin_close(CloseCode::Slow)
        } else {
            state.bytes += payload.len();
            state.queue.push_back(payload.clone());
            self.wait_for_delivery(&mut state)
        };
        drop(state);
        wake(waker);
        if is_too_long {
            tracing::error!(connection = %self.connection(), ?payload, "message too long to send; connection closed");
        }
    }

    /// Leaves the delivery of the queue to the running call of [`together`], if there is one.
    /// Otherwise, returns the waker of the connection's task.
    fn wait_for_delivery(&self, state: &mut State) -> Option<Waker> {
        if state.is_awaited {
            return None;
        }
        state.is_awaited = TOGETHER.with_borrow_mut(|together| {
            if together.is_running {
                together.outboxes.push(self.clone());
            }
            together.is_running
        });
        if state.is_awaited { None } else { state.waker.take() }
    }

    /// Writes the queued messages at once, or wakes the connection's task.
    fn deliver(&self, at_once: bool) {
        let mut state = self.shared.state.lock();
        state.is_awaited = false;
        // The connection's task handles an error or a full socket.
        let is_written = at_once && state.close.is_none() && matches!(state.write(), Ok(true));
        let waker = if is_written { None } else { state.waker.take() };
        drop(state);
        wake(waker);
    }

    pub fn queued(&self) -> usize {
        self.shared.state.lock().queue.len()
    }

    /// Closes the connection after the queued messages have been sent. With [`CloseCode::Slow`],
    /// the queued messages are dropped instead. If this is called twice, the first code counts.
    pub fn close(&self, code: CloseCode) {
        let waker = self.shared.state.lock().begin_close(code);
        wake(waker);
    }

    pub fn is_closed(&self) -> bool {
        let state = self.shared.state.lock();
        state.is_closed || state.close.is_some()
    }

    pub fn set_head(&self, game: GameId, seq: u64) {
        let mut state = self.shared.state.lock();
        match state.heads.iter_mut().find(|head| head.game == game) {
            Some(head) => head.seq = seq,
            None => state.heads.push(GameHead { game, seq }),
        }
    }

    /// Removes the sequence number of a game, because the connection has closed the game.
    pub fn clear_head(&self, game: GameId) {
        self.shared.state.lock().heads.retain(|head| head.game != game);
    }

    pub fn note_round_trip(&self, time: Duration) {
        let mut state = self.shared.state.lock();
        let [_, last] = state.round_trips_ms;
        state.round_trips_ms = [last, u32::try_from(time.as_millis()).unwrap_or(u32::MAX)];
    }

    /// Returns the shorter of the last two round-trip times, in milliseconds, so a client gains
    /// nothing by delaying a single pong. Zero until two round trips have been measured.
    pub fn round_trip_ms(&self) -> u32 {
        self.shared.state.lock().round_trips_ms.into_iter().min().unwrap_or(0)
    }

    pub fn set_pool(&self, status: Option<PoolStatus>) {
        self.shared.state.lock().pool = status;
    }

    /// Records that the client closed the connection on purpose.
    pub fn say_goodbye(&self) {
        self.shared.state.lock().has_said_goodbye = true;
    }

    /// True if the client closed the connection on purpose. False if the connection was lost.
    pub fn has_said_goodbye(&self) -> bool {
        self.shared.state.lock().has_said_goodbye
    }

    /// Credits one message to the rate limit. This is called for each accepted command, because
    /// accepted commands do not count.
    pub fn credit(&self) {
        let mut state = self.shared.state.lock();
        state.credit = state.credit.saturating_add(1);
    }

    pub fn note_stored(&self, bytes: usize) {
        let mut state = self.shared.state.lock();
        state.stored = state.stored.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outbox({})", self.connection())
    }
}

impl PartialEq for Outbox {
    /// True if the outboxes belong to the same connection.
    fn eq(&self, other: &Outbox) -> bool {
        self.connection() == other.connection()
    }
}

impl Eq for Outbox {}

impl OutboxReader {
    /// Sets the socket to which the messages are written.
    pub fn connect(&mut self, sink: Arc<dyn Sink>) {
        self.shared.state.lock().sink = Some(sink);
    }

    /// Writes the queued messages. Ready when the connection is to be closed, or when the socket
    /// fails.
    pub fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<CloseCode>> {
        let mut state = self.shared.state.lock();
        if let Poll::Ready(Err(error)) = poll_written(&mut state, cx) {
            return Poll::Ready(Err(error));
        }
        if let Some(code) = state.close {
            return Poll::Ready(Ok(code));
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Writes the queued messages. Ready when the socket has accepted all of them.
    pub fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        poll_written(&mut self.shared.state.lock(), cx)
    }

    pub fn pool(&self) -> Option<PoolStatus> {
        self.shared.state.lock().pool
    }

    /// Returns the sequence numbers of the games that the connection has open, for use in a ping.
    pub fn heads(&self) -> Vec<GameHead> {
        self.shared.state.lock().heads.to_vec()
    }

    /// Returns the credit and the stored bytes that were added since the last call.
    #[must_use]
    pub fn take_account(&mut self) -> Account {
        let mut state = self.shared.state.lock();
        Account { credit: std::mem::take(&mut state.credit), stored: std::mem::take(&mut state.stored) }
    }
}

fn poll_written(state: &mut State, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
    while !state.write()? {
        match &state.sink {
            Some(sink) => std::task::ready!(sink.poll_writable(cx))?,
            None => return Poll::Pending,
        }
    }
    Poll::Ready(Ok(()))
}

impl Drop for OutboxReader {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.is_closed = true;
        state.queue = VecDeque::new();
        state.bytes = 0;
        state.heads = SmallVec::new();
        state.waker = None;
        state.sink = None;
    }
}

#[cfg(test)]
mod tests;
