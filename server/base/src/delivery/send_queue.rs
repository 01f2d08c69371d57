//! The bounded send queue of a connection.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use flagfall_board::GameId;
use std::time::Duration;

use flagfall_protocol::{CloseCode, GameHead, PoolStatus};

use super::payload::{PAYLOAD_BYTES_MAX, Payload};
use parking_lot::Mutex;

/// The largest number of messages in an outbox. If there are more, the client is too slow.
pub const OUTBOX_MESSAGES_MAX: usize = 64;
/// The largest number of bytes in an outbox. If there are more, the client is too slow.
pub const OUTBOX_BYTES_MAX: usize = 256 * 1024;

/// The capacity that an empty queue may keep. A larger buffer, left from a burst, is freed.
const IDLE_CAPACITY: usize = 8;

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
    heads: Vec<GameHead>,
    pool: Option<PoolStatus>,
    waker: Option<Waker>,
}

/// The number of messages to credit to a connection's rate limit, and the number of bytes that
/// its commands have stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Account {
    /// The number of messages to credit to the rate limit.
    pub credit: u32,
    pub stored: u32,
}

#[derive(PartialEq, Eq, Debug)]
pub enum Outgoing {
    Message(Payload),
    /// Closes the connection with this code. No items follow.
    Close(CloseCode),
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
            state.waker.take()
        };
        drop(state);
        wake(waker);
        if is_too_long {
            tracing::error!(connection = %self.connection(), ?payload, "message too long to send; connection closed");
        }
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
            None => {
                // Reserve space for one game only, because most connections have only one game
                // open.
                state.heads.reserve_exact(1);
                state.heads.push(GameHead { game, seq });
            }
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
    /// Returns the next item to write. If there is none, returns `Pending`, and the task is woken
    /// by the next message.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Outgoing> {
        let mut state = self.shared.state.lock();
        if let Some(payload) = state.queue.pop_front() {
            state.bytes -= payload.len();
            if state.queue.is_empty() && state.queue.capacity() > IDLE_CAPACITY {
                state.queue = VecDeque::new();
            }
            return Poll::Ready(Outgoing::Message(payload));
        }
        if let Some(code) = state.close {
            return Poll::Ready(Outgoing::Close(code));
        }
        register(&mut state, cx);
        Poll::Pending
    }

    pub fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<CloseCode> {
        let mut state = self.shared.state.lock();
        if let Some(code) = state.close {
            return Poll::Ready(code);
        }
        register(&mut state, cx);
        Poll::Pending
    }

    pub fn pool(&self) -> Option<PoolStatus> {
        self.shared.state.lock().pool
    }

    /// Returns the sequence numbers of the games that the connection has open, for use in a ping.
    pub fn heads(&self) -> Vec<GameHead> {
        self.shared.state.lock().heads.clone()
    }

    /// Returns the credit and the stored bytes that were added since the last call.
    #[must_use]
    pub fn take_account(&mut self) -> Account {
        let mut state = self.shared.state.lock();
        Account { credit: std::mem::take(&mut state.credit), stored: std::mem::take(&mut state.stored) }
    }
}

fn register(state: &mut State, cx: &Context<'_>) {
    match &mut state.waker {
        Some(waker) => waker.clone_from(cx.waker()),
        none => *none = Some(cx.waker().clone()),
    }
}

impl Drop for OutboxReader {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.is_closed = true;
        state.queue = VecDeque::new();
        state.bytes = 0;
        state.heads = Vec::new();
        state.waker = None;
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use flagfall_protocol::ServerToClient;

    use super::*;

    fn ping(id: u64) -> Payload {
        Payload::new(&ServerToClient::Ping { id, server_time: 0, heads: Vec::new(), pool: None })
    }

    fn long(bytes: usize) -> Payload {
        let game = GameId::from_random([0; 12]);
        let notice = |message| ServerToClient::GameUnavailable { game, code: None, message, request: None };
        let around = Payload::new(&notice(String::new())).len();
        Payload::new(&notice("x".repeat(bytes - around)))
    }

    async fn next(reader: &mut OutboxReader) -> Outgoing {
        poll_fn(|cx| reader.poll_next(cx)).await
    }

    #[tokio::test]
    async fn messages_come_out_in_order_and_a_waiting_reader_is_woken() {
        let (outbox, mut reader) = outbox(ConnectionId::next());
        outbox.send(ping(1));
        outbox.send(ping(2));
        assert_eq!(outbox.queued(), 2);
        assert_eq!(next(&mut reader).await, Outgoing::Message(ping(1)));
        assert_eq!(next(&mut reader).await, Outgoing::Message(ping(2)));
        let waiting = tokio::spawn(async move { next(&mut reader).await });
        tokio::task::yield_now().await;
        outbox.send(ping(3));
        assert_eq!(waiting.await.unwrap(), Outgoing::Message(ping(3)));
    }

    #[tokio::test]
    async fn one_message_too_many_closes_as_slow() {
        let (outbox, mut reader) = outbox(ConnectionId::next());
        for id in 0..OUTBOX_MESSAGES_MAX as u64 {
            outbox.send(ping(id));
        }
        assert!(!outbox.is_closed());
        outbox.send(ping(99));
        assert!(outbox.is_closed());
        assert_eq!(next(&mut reader).await, Outgoing::Close(CloseCode::Slow));
    }

    #[tokio::test]
    async fn bytes_are_bounded_too() {
        let (outbox, mut reader) = outbox(ConnectionId::next());
        let part = OUTBOX_BYTES_MAX / 8;
        for _ in 0..8 {
            outbox.send(long(part));
        }
        assert!(!outbox.is_closed());
        assert_eq!(next(&mut reader).await, Outgoing::Message(long(part)));
        outbox.send(long(part));
        assert!(!outbox.is_closed());
        outbox.send(ping(1));
        assert_eq!(next(&mut reader).await, Outgoing::Close(CloseCode::Slow));
    }

    #[tokio::test]
    async fn a_message_no_socket_takes_closes_the_connection() {
        let (outbox, mut reader) = outbox(ConnectionId::next());
        outbox.send(long(PAYLOAD_BYTES_MAX + 1));
        assert_eq!(next(&mut reader).await, Outgoing::Close(CloseCode::Slow));
    }

    #[tokio::test]
    async fn queued_messages_precede_the_close_and_its_first_code_stays() {
        let (outbox, mut reader) = outbox(ConnectionId::next());
        outbox.send(ping(0));
        outbox.close(CloseCode::Shutdown);
        outbox.close(CloseCode::Slow);
        outbox.send(ping(1));
        assert_eq!(next(&mut reader).await, Outgoing::Message(ping(0)));
        assert_eq!(next(&mut reader).await, Outgoing::Close(CloseCode::Shutdown));
    }

    #[test]
    fn heads_are_those_of_the_open_games() {
        let (outbox, reader) = outbox(ConnectionId::next());
        let games = [1, 2].map(|byte| GameId::from_random([byte; 12]));
        outbox.set_head(games[0], 1);
        outbox.set_head(games[1], 5);
        outbox.set_head(games[0], 2);
        outbox.clear_head(games[1]);
        assert_eq!(reader.heads(), [GameHead { game: games[0], seq: 2 }]);
    }

    #[test]
    fn a_dropped_reader_ends_the_outbox() {
        let (outbox, reader) = outbox(ConnectionId::next());
        outbox.send(ping(1));
        drop(reader);
        outbox.send(ping(2));
        assert!(outbox.is_closed());
        assert_eq!(outbox.queued(), 0);
    }
}
