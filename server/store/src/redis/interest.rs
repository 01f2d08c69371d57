//! The topics that this process follows in Redis.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use crate::store::Topic;

/// The callers that wait until Redis has confirmed a subscription.
type Waiting = Vec<oneshot::Sender<()>>;

/// The topics that this process follows, and whether servers of earlier versions may use the
/// store.
pub(super) struct Interest {
    state: Mutex<State>,
    has_former: AtomicBool,
    /// Wakes the listener after a change.
    changed: Notify,
}

#[derive(Default)]
struct State {
    followed: HashSet<Topic>,
    /// The topics that were followed or unfollowed, but for which the listener has not yet
    /// changed the subscription.
    changes: HashMap<Topic, Waiting>,
}

/// A topic whose subscription the listener must change.
pub(super) struct Change {
    pub(super) topic: Topic,
    pub(super) is_followed: bool,
    pub(super) waiting: Waiting,
}

impl Default for Interest {
    fn default() -> Interest {
        Interest { state: Mutex::default(), has_former: AtomicBool::new(true), changed: Notify::new() }
    }
}

impl Interest {
    /// Begins to follow a topic. The receiver gets a message when Redis has confirmed the
    /// subscription.
    pub(super) fn follow(&self, topic: Topic) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state.lock();
        state.followed.insert(topic.clone());
        state.changes.entry(topic).or_default().push(sender);
        drop(state);
        self.changed.notify_one();
        receiver
    }

    pub(super) fn unfollow(&self, topic: &Topic) {
        let mut state = self.state.lock();
        if state.followed.remove(topic) {
            state.changes.insert(topic.clone(), Waiting::new());
            drop(state);
            self.changed.notify_one();
        }
    }

    pub(super) fn serve_former(&self, are_there: bool) {
        if self.has_former.swap(are_there, Ordering::SeqCst) != are_there {
            self.changed.notify_one();
        }
    }

    /// True if servers of earlier versions may use the store.
    pub(super) fn has_former(&self) -> bool {
        self.has_former.load(Ordering::SeqCst)
    }

    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Takes the topics whose subscriptions must be changed.
    pub(super) fn take_changes(&self) -> Vec<Change> {
        let mut state = self.state.lock();
        let State { followed, changes } = &mut *state;
        let change = |(topic, waiting)| Change { is_followed: followed.contains(&topic), topic, waiting };
        changes.drain().map(change).collect()
    }

    /// Takes all followed topics, for a new connection without subscriptions.
    pub(super) fn take_all(&self) -> Vec<Change> {
        let mut state = self.state.lock();
        let mut changes = std::mem::take(&mut state.changes);
        let change = |topic: &Topic| Change {
            topic: topic.clone(),
            is_followed: true,
            waiting: changes.remove(topic).unwrap_or_default(),
        };
        state.followed.iter().map(change).collect()
    }
}
