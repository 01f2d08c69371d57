use std::panic::AssertUnwindSafe;
use std::task::Wake;

use flagfall_protocol::ServerToClient;

use super::*;
use crate::delivery::reading::next;

fn ping(id: u64) -> Payload {
    Payload::new(&ServerToClient::Ping { id, server_time: 0, heads: Vec::new(), pool: None })
}

fn long(bytes: usize) -> Payload {
    let game = GameId::from_random([0; 12]);
    let notice = |message| ServerToClient::GameUnavailable { game, code: None, message, request: None };
    let around = Payload::new(&notice(String::new())).len();
    Payload::new(&notice("x".repeat(bytes - around)))
}

#[tokio::test]
async fn messages_come_out_in_order_and_a_waiting_reader_is_woken() {
    let (outbox, mut reader) = outbox(ConnectionId::next());
    outbox.send(ping(1));
    outbox.send(ping(2));
    assert_eq!(outbox.queued(), 2);
    assert_eq!(next(&mut reader).await, Ok(ping(1)));
    assert_eq!(next(&mut reader).await, Ok(ping(2)));
    let waiting = tokio::spawn(async move { next(&mut reader).await });
    tokio::task::yield_now().await;
    outbox.send(ping(3));
    assert_eq!(waiting.await.unwrap(), Ok(ping(3)));
}

/// A socket that accepts this many messages.
struct Few {
    room: Mutex<usize>,
    accepted: Mutex<Vec<Payload>>,
}

impl Sink for Few {
    fn write(&self, next: &mut dyn FnMut() -> Option<Payload>) -> io::Result<bool> {
        let (mut room, mut accepted) = (self.room.lock(), self.accepted.lock());
        while *room > 0 {
            let Some(payload) = next() else { return Ok(true) };
            accepted.push(payload);
            *room -= 1;
        }
        Ok(false)
    }

    fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
}

/// A connection whose task waits for messages.
struct Waiting {
    outbox: Outbox,
    reader: OutboxReader,
    socket: Arc<Few>,
    wakes: Arc<AtomicU64>,
}

struct CountWakes(Arc<AtomicU64>);

impl Wake for CountWakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Waiting {
    fn with_room(room: usize) -> Waiting {
        let (outbox, mut reader) = outbox(ConnectionId::next());
        let socket = Arc::new(Few { room: Mutex::new(room), accepted: Mutex::default() });
        reader.connect(socket.clone());
        let mut waiting = Waiting { outbox, reader, socket, wakes: Arc::default() };
        assert!(waiting.poll().is_pending());
        waiting
    }

    fn poll(&mut self) -> Poll<io::Result<CloseCode>> {
        let waker = Waker::from(Arc::new(CountWakes(self.wakes.clone())));
        self.reader.poll_write(&mut Context::from_waker(&waker))
    }

    /// Returns how many messages the socket has accepted, how many are waiting, and how often the
    /// task was woken.
    fn state(&self) -> (usize, usize, u64) {
        let accepted = self.socket.accepted.lock().len();
        (accepted, self.outbox.queued(), self.wakes.load(Ordering::Relaxed))
    }
}

#[test]
fn messages_together_are_written_at_the_end_without_waking_the_task() {
    let [one, two] = [3, 3].map(Waiting::with_room);
    together(|| {
        one.outbox.send(ping(1));
        two.outbox.send(ping(2));
        // A nested call does nothing of its own.
        together(|| one.outbox.send(ping(3)));
        assert_eq!((one.state(), two.state()), ((0, 2, 0), (0, 1, 0)));
    });
    assert_eq!((one.state(), two.state()), ((2, 0, 0), (1, 0, 0)));
    assert_eq!(*one.socket.accepted.lock(), [ping(1), ping(3)]);
    one.outbox.send(ping(4));
    assert_eq!(one.state(), (2, 1, 1), "outside a call, the task is woken");
}

#[test]
fn the_task_writes_what_the_socket_did_not_accept() {
    let mut waiting = Waiting::with_room(1);
    together(|| (1..=3).for_each(|id| waiting.outbox.send(ping(id))));
    assert_eq!(waiting.state(), (1, 2, 1));
    *waiting.socket.room.lock() = 5;
    assert!(waiting.poll().is_pending());
    assert_eq!(*waiting.socket.accepted.lock(), [ping(1), ping(2), ping(3)]);
}

#[test]
fn the_tasks_of_a_crowd_are_woken() {
    let crowd: Vec<Waiting> = (0..WRITTEN_TOGETHER_MAX + 2).map(|_| Waiting::with_room(2)).collect();
    together(|| crowd.iter().for_each(|waiting| waiting.outbox.send(ping(1))));
    let (written, woken) = crowd.split_at(WRITTEN_TOGETHER_MAX);
    assert!(written.iter().all(|waiting| waiting.state() == (1, 0, 0)));
    assert!(woken.iter().all(|waiting| waiting.state() == (0, 1, 1)));
}

#[test]
fn messages_are_delivered_after_a_panic_and_closing_is_left_to_the_task() {
    let [fine, mut closed] = [3, 3].map(Waiting::with_room);
    let panicked = std::panic::catch_unwind(AssertUnwindSafe(|| {
        together(|| {
            fine.outbox.send(ping(1));
            closed.outbox.send(ping(1));
            closed.outbox.close(CloseCode::Shutdown);
            panic!("a defect");
        });
    }));
    assert!(panicked.is_err());
    assert_eq!((fine.state(), closed.state()), ((1, 0, 0), (0, 1, 1)));
    assert!(matches!(closed.poll(), Poll::Ready(Ok(CloseCode::Shutdown))));
    assert_eq!(closed.state(), (1, 0, 1), "queued messages precede the close");
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
    assert_eq!(next(&mut reader).await, Err(CloseCode::Slow));
}

#[tokio::test]
async fn bytes_are_bounded_too() {
    let (outbox, mut reader) = outbox(ConnectionId::next());
    let part = OUTBOX_BYTES_MAX / 8;
    for _ in 0..8 {
        outbox.send(long(part));
    }
    assert!(!outbox.is_closed());
    assert_eq!(next(&mut reader).await, Ok(long(part)));
    outbox.send(long(part));
    assert!(!outbox.is_closed());
    outbox.send(ping(1));
    assert_eq!(next(&mut reader).await, Err(CloseCode::Slow));
}

#[tokio::test]
async fn a_message_no_socket_takes_closes_the_connection() {
    let (outbox, mut reader) = outbox(ConnectionId::next());
    outbox.send(long(PAYLOAD_BYTES_MAX + 1));
    assert_eq!(next(&mut reader).await, Err(CloseCode::Slow));
}

#[tokio::test]
async fn queued_messages_precede_the_close_and_its_first_code_stays() {
    let (outbox, mut reader) = outbox(ConnectionId::next());
    outbox.send(ping(0));
    outbox.close(CloseCode::Shutdown);
    outbox.close(CloseCode::Slow);
    outbox.send(ping(1));
    assert_eq!(next(&mut reader).await, Ok(ping(0)));
    assert_eq!(next(&mut reader).await, Err(CloseCode::Shutdown));
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
