//! Reads the messages of a connection one by one, for tests. The tests of other crates include
//! this file as well.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

use flagfall_base::delivery::{OutboxReader, Payload, Sink};
use flagfall_protocol::CloseCode;
use parking_lot::Mutex;

/// A socket that accepts one message at the first write, and none later.
#[derive(Default)]
struct OneMessage(Mutex<Slot>);

#[derive(Default)]
struct Slot {
    is_used: bool,
    message: Option<Payload>,
}

impl Sink for OneMessage {
    fn write(&self, next: &mut dyn FnMut() -> Option<Payload>) -> io::Result<bool> {
        let mut slot = self.0.lock();
        if std::mem::replace(&mut slot.is_used, true) {
            return Ok(false);
        }
        slot.message = next();
        Ok(slot.message.is_none())
    }

    fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
}

/// Returns the next message, or the code with which the connection is closed after the last one.
pub(crate) fn poll_next(reader: &mut OutboxReader, cx: &mut Context<'_>) -> Poll<Result<Payload, CloseCode>> {
    let socket = Arc::new(OneMessage::default());
    reader.connect(socket.clone());
    let closed = reader.poll_write(cx);
    match socket.0.lock().message.take() {
        Some(message) => Poll::Ready(Ok(message)),
        None => closed.map(|code| Err(code.unwrap())),
    }
}

/// Waits for the next message, or for the code with which the connection is closed.
pub(crate) async fn next(reader: &mut OutboxReader) -> Result<Payload, CloseCode> {
    std::future::poll_fn(|cx| poll_next(reader, cx)).await
}
