//! A table's mailbox: bounded, with many senders and one reader.
//!
//! A server has a table for every running game in memory, and most mailboxes are empty most of
//! the time. So a mailbox reserves no space for future messages. A Tokio channel would take up a
//! kilobyte. Most of that is space for future messages, and padding against contention between
//! senders and the reader, which is rare here.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::coop::cooperative;

/// The maximum number of messages that may wait for a table.
const MAILBOX_MAX: usize = 64;
/// The capacity that an empty queue may keep. Extra capacity that a burst needed is freed.
const IDLE_CAPACITY: usize = 4;

pub(super) struct Sender<T> {
    mail: Arc<Mail<T>>,
}

pub(super) struct Mailbox<T> {
    mail: Arc<Mail<T>>,
}

/// A reserved place for one message. It can still be used after the mailbox has been closed.
pub(super) struct Room<'a, T> {
    mail: &'a Mail<T>,
    place: Option<SemaphorePermit<'a>>,
}

struct Mail<T> {
    /// The free places. The semaphore is closed when no more places may be reserved.
    places: Semaphore,
    state: Mutex<State<T>>,
}

struct State<T> {
    queue: VecDeque<T>,
    reader: Option<Waker>,
}

pub(super) fn mailbox<T>() -> (Sender<T>, Mailbox<T>) {
    let state = Mutex::new(State { queue: VecDeque::new(), reader: None });
    let mail = Arc::new(Mail { places: Semaphore::new(MAILBOX_MAX), state });
    (Sender { mail: mail.clone() }, Mailbox { mail })
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender { mail: self.mail.clone() }
    }
}

impl<T> Sender<T> {
    /// Reserves a place if the mailbox has a free one and is not closed.
    pub(super) fn try_reserve(&self) -> Option<Room<'_, T>> {
        let place = self.mail.places.try_acquire().ok()?;
        Some(Room { mail: &self.mail, place: Some(place) })
    }

    /// Waits for a place. Callers get places in the order in which they asked. `None` if the
    /// mailbox is closed.
    pub(super) async fn reserve(&self) -> Option<Room<'_, T>> {
        let place = self.mail.places.acquire().await.ok()?;
        Some(Room { mail: &self.mail, place: Some(place) })
    }
}

impl<T> Room<'_, T> {
    pub(super) fn send(mut self, message: T) {
        let Some(place) = self.place.take() else { return };
        // The reader frees the place when it takes the message.
        place.forget();
        let reader = {
            let mut state = self.mail.state.lock();
            state.queue.push_back(message);
            state.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

impl<T> Drop for Room<'_, T> {
    /// Frees the unused place, and wakes the reader. If the mailbox is closed and this was its
    /// last place, the reader learns that no more messages will come.
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            drop(place);
            let reader = self.mail.state.lock().reader.take();
            if let Some(reader) = reader {
                reader.wake();
            }
        }
    }
}

impl<T> Mailbox<T> {
    /// Waits for the next message. Returns `None` if the mailbox is closed and empty. Dropping
    /// the future loses no message.
    pub(super) async fn recv(&mut self) -> Option<T> {
        // `cooperative` makes the task yield from time to time. A mailbox that never empties
        // would otherwise starve other tasks.
        cooperative(poll_fn(|cx| self.poll_recv(cx))).await
    }

    fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut state = self.mail.state.lock();
        if let Some(message) = state.queue.pop_front() {
            if state.queue.is_empty() && state.queue.capacity() > IDLE_CAPACITY {
                state.queue = VecDeque::new();
            }
            drop(state);
            self.mail.places.add_permits(1);
            return Poll::Ready(Some(message));
        }
        let places = &self.mail.places;
        // Senders that hold a place can still use it, so the mailbox ends only when all places
        // are free.
        if places.is_closed() && places.available_permits() == MAILBOX_MAX {
            return Poll::Ready(None);
        }
        match &mut state.reader {
            Some(reader) => reader.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Closes the mailbox, so that no more places can be reserved. Places that were reserved
    /// before can still be used.
    pub(super) fn close(&mut self) {
        self.mail.places.close();
    }

    /// True if no message waits and no place is reserved.
    pub(super) fn is_empty(&self) -> bool {
        self.mail.places.available_permits() == MAILBOX_MAX
    }

    pub(super) fn senders(&self) -> usize {
        Arc::strong_count(&self.mail) - 1
    }
}

impl<T> Drop for Mailbox<T> {
    /// Drops unread messages, so that callers who wait for a reply learn that none will come.
    fn drop(&mut self) {
        self.close();
        let unread = std::mem::take(&mut self.mail.state.lock().queue);
        drop(unread);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn fill(sender: &Sender<usize>) {
        (0..MAILBOX_MAX).for_each(|number| sender.try_reserve().unwrap().send(number));
    }

    #[tokio::test]
    async fn messages_come_in_order_and_wake_a_waiting_reader() {
        let (sender, mut mailbox) = mailbox();
        assert!(mailbox.recv().now_or_never().is_none());
        let waiting = tokio::spawn(async move { [mailbox.recv().await, mailbox.recv().await] });
        tokio::task::yield_now().await;
        sender.try_reserve().unwrap().send(1);
        tokio::task::yield_now().await;
        sender.clone().reserve().await.unwrap().send(2);
        assert_eq!(waiting.await.unwrap(), [Some(1), Some(2)]);
    }

    #[tokio::test]
    async fn a_full_mailbox_serves_waiting_senders_in_order() {
        let (sender, mut mailbox) = mailbox();
        fill(&sender);
        assert!(sender.try_reserve().is_none());
        let waiting = [100, 101].map(|number| {
            let sender = sender.clone();
            async move { sender.reserve().await.unwrap().send(number) }
        });
        let [mut first, mut second] = waiting.map(Box::pin);
        assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
        assert_eq!(mailbox.recv().await, Some(0));
        // A new sender does not overtake senders who already wait.
        assert!(sender.try_reserve().is_none());
        assert!(second.as_mut().now_or_never().is_none());
        assert!(first.as_mut().now_or_never().is_some());
        drop(second);
        for number in (1..MAILBOX_MAX).chain([100]) {
            assert_eq!(mailbox.recv().await, Some(number));
        }
        assert!(mailbox.is_empty());
    }

    #[tokio::test]
    async fn a_closed_mailbox_delivers_accepted_and_reserved_messages() {
        let (sender, mut mailbox) = mailbox();
        sender.try_reserve().unwrap().send(1);
        let (used, unused) = (sender.try_reserve().unwrap(), sender.try_reserve().unwrap());
        mailbox.close();
        assert!(sender.try_reserve().is_none() && sender.reserve().await.is_none());
        assert_eq!(mailbox.recv().await, Some(1));
        assert!(!mailbox.is_empty());
        used.send(2);
        assert_eq!(mailbox.recv().await, Some(2));
        let mut end = Box::pin(mailbox.recv());
        assert!(end.as_mut().now_or_never().is_none());
        drop(unused);
        assert_eq!(end.await, None);
    }

    #[tokio::test]
    async fn a_dropped_mailbox_takes_nothing() {
        let (sender, mailbox) = mailbox();
        fill(&sender);
        let waiting = sender.clone();
        let waiting = tokio::spawn(async move { waiting.reserve().await.is_none() });
        tokio::task::yield_now().await;
        drop(mailbox);
        assert!(waiting.await.unwrap());
        assert!(sender.try_reserve().is_none());
    }

    #[test]
    fn senders_are_counted_and_a_burst_leaves_no_room_behind() {
        let (sender, mut mailbox) = mailbox();
        let other = sender.clone();
        assert_eq!(mailbox.senders(), 2);
        drop(other);
        assert_eq!(mailbox.senders(), 1);
        fill(&sender);
        while mailbox.recv().now_or_never().is_some() {}
        assert_eq!(mailbox.mail.state.lock().queue.capacity(), 0);
    }
}
