//! Reads new entries of the log, for connections that have the game open or wait for it.
//!
//! Announcements from the store are only hints: they may come late, twice or never. If the table
//! has connections, it reads the log as soon as it gets a hint about new entries. Without
//! connections it waits a little, to read many entries at a time. A client must not be shown an
//! older state of the game than it has already seen. So if no connection has the game open, the
//! first client that opens it waits until the table has read the log's head. While the store is
//! unreachable, this client is shown the replica, unless more entries are known to exist. An audit
//! compares the replica's head, including its hash, with the head of the log.

use crate::reply::Opener;
use flagfall_base::delivery::{ConnectionId, Outbox};
use flagfall_board::Stamp;

/// The longest time that a hint may wait if no connection on this server has the game open, in
/// milliseconds.
const UNHURRIED_MS: u64 = 3_000;

/// The announced log entries that the replica lacks. In the methods, `head` is the number of the
/// replica's last entry.
#[derive(Default)]
pub(crate) struct Following {
    /// True if other servers may write to the log.
    pub(super) is_shared: bool,
    /// The highest entry number that was announced.
    heard: u64,
    /// The time at which to read the announced entries if no connection on this server has the
    /// game open.
    pub(super) due_at: Option<Stamp>,
    /// True if the replica must be compared with the log, regardless of announcements.
    pub(super) is_to_look: bool,
    /// The connections that wait until the table has read the head of the log.
    #[expect(clippy::box_collection, reason = "few tables have any, and a box takes less room than a list")]
    openers: Option<Box<Vec<Opener>>>,
}

pub(super) enum ToRead {
    Nothing,
    Entries,
    /// Read the new entries and the log's head, to check that the log matches the replica.
    Head,
}

impl Following {
    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Outbox> {
        self.openers.iter().flat_map(|openers| openers.iter()).map(|opener| &opener.outbox)
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.openers.is_none()
    }

    /// True if the replica has all announced entries, and nothing waits for the log to be read.
    pub(super) fn is_caught_up(&self, head: u64) -> bool {
        self.is_quiet() && !self.is_to_look && !self.is_behind(head)
    }

    /// True if entries that the replica lacks were announced.
    pub(super) fn is_behind(&self, head: u64) -> bool {
        self.heard > head
    }

    /// True if the replica lacks this entry and no earlier hint announced the entry.
    pub(crate) fn is_news(&self, head: u64, seq: u64) -> bool {
        seq > head && seq > self.heard
    }

    pub(super) fn hear(&mut self, now: Stamp, head: u64, seq: u64) {
        if self.is_news(head, seq) {
            self.heard = seq;
            self.due_at.get_or_insert(now.plus_ms(UNHURRIED_MS));
        }
    }

    pub(super) fn add(&mut self, opener: Opener) {
        self.openers.get_or_insert_default().push(opener);
    }

    pub(super) fn take_openers(&mut self) -> Vec<Opener> {
        self.openers.take().map(|openers| *openers).unwrap_or_default()
    }

    /// Removes a connection from the openers that wait.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.openers.take_if(|openers| {
            openers.retain(|opener| opener.outbox.connection() != connection);
            openers.is_empty()
        });
    }

    /// Returns the part of the log that the table should read next. `is_open` is true if a
    /// connection has the game open.
    pub(super) fn next_read(&mut self, now: Stamp, head: u64, is_open: bool) -> ToRead {
        if !self.is_behind(head) {
            self.due_at = None;
        }
        if std::mem::take(&mut self.is_to_look) || !self.is_quiet() {
            return ToRead::Head;
        }
        let is_due = self.due_at.is_some_and(|due_at| now >= due_at);
        if self.is_behind(head) && (is_due || is_open) { ToRead::Entries } else { ToRead::Nothing }
    }

    /// Records that the replica has just been found to match the log.
    pub(super) fn note_match(&mut self, head: u64) {
        // The log ends at `head`, so ignore announcements of later entries.
        self.heard = self.heard.min(head);
        self.due_at = None;
    }
}
