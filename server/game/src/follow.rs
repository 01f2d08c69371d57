//! How a table keeps up with tables of the same game on other servers.
//!
//! Announcements from the store are hints: they may come late, twice or never. A table with
//! connections reads as soon as it hears that the log has gone on. A table without connections
//! reads a little later, to get many entries at a time. No client is shown a game that may be older
//! than what they have seen: if nobody had the game open, the first to open it waits for a look at
//! the log. While the store is away they are shown the replica, unless more is known to exist. An
//! audit compares the replica's head, including its hash, with the log's.

use flagfall_board::{PerSide, Stamp};
use flagfall_protocol::{Player, Position, ServerToClient};
use flagfall_store::{Head, Outage, StoredEntry};

use super::commit::RETRY_MS;
use super::error::ReadFailure;
use super::table::{Flight, Output, Reading, Table};
use flagfall_base::cluster::Elsewhere;
use flagfall_base::delivery::{ConnectionId, Outbox, Payload};

/// How long a hint may wait if nobody on this server has the game open, in milliseconds.
const UNHURRIED_MS: u64 = 3_000;
/// If nobody on a server has the game open, the server moves its house player this long after the
/// last entry, in milliseconds.
pub(super) const HOUSE_TAKEOVER_MS: u64 = 5_000;

/// A client that opens the game while the replica may be behind the log.
pub(super) struct Opener {
    outbox: Outbox,
    player: Player,
    since: Option<Position>,
}

/// What a table knows of the log beyond its replica.
#[derive(Default)]
pub(super) struct Following {
    /// True if other servers may write to the log.
    is_shared: bool,
    /// The highest entry number that was announced.
    heard: u64,
    /// When to read up to that entry, if nobody on this server has the game open.
    due_at: Option<Stamp>,
    /// True if the replica must be compared with the log, regardless of announcements.
    is_to_look: bool,
    /// True if the store is known to be out of reach.
    is_store_away: bool,
    /// Start of the store's silence, if clocks may have stood still since.
    silent_since: Option<Stamp>,
    openers: Vec<Opener>,
    /// When to ask the house player, if no other server has moved it by then.
    house_at: Option<Stamp>,
}

impl Following {
    /// When there is something to do even without input.
    pub(super) fn wake_at(&self) -> Option<Stamp> {
        self.due_at.into_iter().chain(self.house_at).min()
    }

    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Outbox> {
        self.openers.iter().map(|opener| &opener.outbox)
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.openers.is_empty()
    }

    /// True if the replica has caught up with all hints; `head` is its last entry.
    pub(super) fn is_settled(&self, head: u64) -> bool {
        self.is_quiet() && !self.is_to_look && self.heard <= head
    }

    /// Forgets an opener whose connection no longer waits.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.openers.retain(|opener| opener.outbox.connection() != connection);
    }
}

impl Table {
    /// Marks the log as shared with other servers, where the players have these connections.
    pub(super) fn share(&mut self, elsewhere: PerSide<Option<Elsewhere>>) {
        self.following.is_shared = true;
        self.note_elsewhere(elsewhere);
    }

    /// Notes whether the store is out of reach, and since when it is silent, if clocks may have
    /// stood still since.
    pub(super) fn note_store(&mut self, is_away: bool, silent_since: Option<Stamp>) {
        self.following.is_store_away = is_away;
        self.following.silent_since = silent_since;
    }

    /// The moment for which clocks are shown. Before the log records an outage, that is its
    /// beginning, because clocks have not run since. The same holds while it is unknown whether
    /// there is an outage.
    pub(super) fn shown_at(&self, now: Stamp) -> Stamp {
        let at = match (self.outage_since, self.outage_until) {
            // Clients advance a live clock from the moment shown. A moment shifted back by the
            // outage would make it run through the outage. The log records the outage right after
            // the game is opened.
            (Some(since), Some(until)) if self.header().is_slow() => now.minus_ms(until.ms_since(since)),
            (Some(since), _) => since.min(now),
            (None, _) => self.following.silent_since.map_or(now, |since| since.min(now)),
        };
        at.max(self.game.latest())
    }

    /// True if the replica and earlier hints do not reach this entry.
    pub(super) fn is_news(&self, seq: u64) -> bool {
        seq > self.head.seq && seq > self.following.heard
    }

    /// Notes that the log reaches at least this entry.
    pub(super) fn hear(&mut self, now: Stamp, seq: u64) {
        if self.is_news(seq) {
            self.following.heard = seq;
            self.following.due_at.get_or_insert(now.plus_ms(UNHURRIED_MS));
        }
    }

    /// Requests a comparison of the replica with the log.
    pub(super) fn audit(&mut self) {
        self.following.is_to_look = !self.is_over();
    }

    /// Keeps an opener who has to wait for a look at the log; true if they wait.
    pub(super) fn keep_opener(&mut self, outbox: &Outbox, player: &Player, since: Option<Position>) -> bool {
        if !self.following.is_shared || self.is_over() || self.is_quarantined() {
            return false;
        }
        let Some(viewer) = self.header.viewer(Some(&player.id)) else { return false };
        let shown = self.audiences.shown(viewer).seq;
        // Compare across epochs, too: servers learn of a new one at different times.
        let is_ahead = |since: Position| {
            // The replica may be a lost branch, and without the store no look can tell.
            since.seq > shown || (self.following.is_store_away && since.epoch > self.epoch)
        };
        let has_seen_more = since.is_some_and(is_ahead);
        self.following.forget(outbox.connection());
        // While the store is away no look is possible, and the replica is all there is to show.
        let is_followed = !self.audiences.is_empty() || self.following.is_store_away;
        if is_followed && !self.is_behind() && !has_seen_more {
            if self.following.is_store_away || self.following.silent_since.is_some() {
                // Show it now, and again once it is known whether others have gone on and whether
                // clocks stood still.
                self.following.openers.push(Opener {
                    outbox: outbox.clone(),
                    player: player.clone(),
                    since: None,
                });
            }
            return false;
        }
        if self.following.is_store_away {
            // It is shown when the store is back; until then the client knows why it waits.
            outbox.send(Payload::new(&ServerToClient::StoreState { available: false }));
        }
        self.following.openers.push(Opener { outbox: outbox.clone(), player: player.clone(), since });
        true
    }

    /// Shows the game to all who wait for it.
    pub(super) fn admit_openers(&mut self, now: Stamp) {
        for Opener { outbox, player, since } in std::mem::take(&mut self.following.openers) {
            self.admit(now, outbox, &player, since);
        }
    }

    fn is_behind(&self) -> bool {
        self.following.heard > self.head.seq
    }

    /// Reads the log if there is reason to; true if it does.
    pub(super) fn follow(&mut self, now: Stamp, outputs: &mut Vec<Output>) -> bool {
        if self.retry_at.is_some() {
            return false;
        }
        if !self.is_behind() {
            self.following.due_at = None;
        }
        if std::mem::take(&mut self.following.is_to_look) || !self.following.openers.is_empty() {
            self.flight = Some(Flight::Follow);
            outputs.push(Output::Look { after: self.head.seq });
            return true;
        }
        let is_due = self.following.due_at.is_some_and(|due_at| now >= due_at);
        if self.is_behind() && (is_due || !self.audiences.is_empty()) {
            self.flight = Some(Flight::Follow);
            self.read(Reading::Hint, outputs);
            return true;
        }
        false
    }

    /// Handles where the log stands, and its entries beyond the replica.
    pub(super) fn looked(
        &mut self,
        now: Stamp,
        looked: Result<(Head, Vec<StoredEntry>), ReadFailure>,
        outputs: &mut Vec<Output>,
    ) {
        let read = looked.map(|(head, stored)| {
            self.reading = Some(Box::new(Reading::Look(head)));
            stored
        });
        self.read_on(now, read, outputs);
    }

    /// Notes that the replica matched the log a moment ago.
    pub(super) fn followed(&mut self, now: Stamp) {
        // Announced entries beyond it do not exist.
        self.following.heard = self.following.heard.min(self.head.seq);
        self.following.due_at = None;
        self.admit_openers(now);
    }

    /// The store did not say where the log stands: look again later.
    pub(super) fn not_followed(&mut self, now: Stamp) {
        self.retry_at = Some(now.plus_ms(RETRY_MS));
        self.following.is_to_look = true;
    }

    /// Notes an outage in which clocks stood still, unless the log has a later entry.
    pub(super) fn stood_still(&mut self, outage: Outage) {
        self.outage_seen = Some(outage);
        // The store is back.
        self.retry_at = None;
        let latest = self.game.latest();
        if let Some(until) = &mut self.outage_until {
            // One more outage that the log lacks.
            *until = until.plus_ms(outage.until.ms_since(outage.since));
        } else if self.outage_since.is_none() && (latest <= outage.since || latest < outage.until) {
            self.recover(Some(outage.since.max(latest)));
            if self.header.is_slow() && self.outage_since.is_some() {
                // The outage has ended, however late this table handles it.
                self.outage_until = Some(outage.until);
            }
        }
    }

    /// Moves the start of an outage behind an entry that was written after the last heartbeat but
    /// read only now. Clocks stood still from that entry on, and it does not record the outage.
    pub(super) fn put_off_outage(&mut self) {
        let (Some(since), Some(seen)) = (self.outage_since, self.outage_seen) else { return };
        let latest = self.game.latest();
        let is_of_one = self.outage_until.is_none_or(|until| until == seen.until);
        let is_before = since < latest && latest < seen.until && seen.since < seen.until;
        if is_of_one && is_before && !self.game.is_paused() {
            self.outage_since = Some(seen.since.max(latest));
        }
    }

    /// True if the table does not know of this outage yet.
    pub(super) fn is_new_outage(&self, outage: Outage) -> bool {
        self.outage_seen.is_none_or(|seen| seen.until < outage.until)
    }

    /// Resumes a game that another server paused because it took itself for the last one.
    pub(super) fn notice_pause(&mut self) {
        if self.following.is_shared && self.game.is_paused() && self.outage_since.is_none() {
            self.outage_since = Some(self.game.latest());
        }
    }

    /// Forgets the planned takeover of the house player; it is decided anew.
    pub(super) fn take_house(&mut self) {
        self.following.house_at = None;
    }

    /// True if the house player is left to another server for now, where somebody has the game
    /// open.
    pub(super) fn leaves_house_to_others(&mut self, now: Stamp) -> bool {
        let takeover_at = self.game.latest().plus_ms(HOUSE_TAKEOVER_MS);
        let is_left = self.following.is_shared && self.audiences.is_empty() && now < takeover_at;
        if is_left {
            self.following.house_at = Some(takeover_at);
        }
        is_left
    }
}
