//! How a table keeps up with those of the same game on other servers.
//!
//! What the store announces is a hint: it may come late, twice or never. A table that somebody looks at reads at once when it hears that
//! the log has gone on; one that nobody looks at reads a little later, for many entries at a time. Nobody is shown a game that may be
//! behind what he has seen: whoever opens one that nobody looked at waits for a look at the log. While the store is away he is shown what is at hand, unless
//! more is known to be there. An audit compares head and all.

use flagfall_board::{PerSide, Stamp};
use flagfall_protocol::{Player, Position, ServerToClient};
use flagfall_store::{Head, Outage, StoredEntry};

use super::commit::RETRY_MS;
use super::core::{Flight, Output, Reading, Table};
use super::error::ReadFailure;
use flagfall_base::cluster::Elsewhere;
use flagfall_base::delivery::{ConnectionId, Outbox, Payload};

/// How long what was heard of a game that nobody here looks at may wait, in milliseconds.
const UNHURRIED_MS: u64 = 3_000;
/// A server whose people do not look at a game moves its house player this long after the last entry, in
/// milliseconds.
pub(super) const HOUSE_TAKEOVER_MS: u64 = 5_000;

/// Somebody who opens the game while it may be behind its log.
pub(super) struct Opener {
    outbox: Outbox,
    player: Player,
    since: Option<Position>,
}

/// What a table knows of the log beyond its replica.
#[derive(Default)]
pub(super) struct Following {
    /// Whether other servers may write to the log.
    is_shared: bool,
    /// The highest number of an entry that was heard of.
    heard: u64,
    /// When that is looked after, while nobody here waits for it.
    due_at: Option<Stamp>,
    /// Whether the replica is to be compared with the log, whatever was heard.
    is_to_look: bool,
    /// Whether the store is known to be out of reach.
    is_store_away: bool,
    /// Since when nothing was heard of the store, if clocks may have stood still since.
    silent_since: Option<Stamp>,
    openers: Vec<Opener>,
    /// When the house player is asked, if nobody else has moved it by then.
    house_at: Option<Stamp>,
}

impl Following {
    /// When there is something to do though nothing comes in.
    pub(super) fn wake_at(&self) -> Option<Stamp> {
        self.due_at.into_iter().chain(self.house_at).min()
    }

    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Outbox> {
        self.openers.iter().map(|opener| &opener.outbox)
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.openers.is_empty()
    }

    /// Whether nothing is left to be looked after in the log, which reaches to this entry here.
    pub(super) fn is_settled(&self, head: u64) -> bool {
        self.is_quiet() && !self.is_to_look && self.heard <= head
    }

    /// The connection waits no longer for the game.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.openers.retain(|opener| opener.outbox.connection() != connection);
    }
}

impl Table {
    /// Other servers may write to the log from now on; the players' connections there are known so far.
    pub(super) fn share(&mut self, elsewhere: PerSide<Option<Elsewhere>>) {
        self.following.is_shared = true;
        self.note_elsewhere(elsewhere);
    }

    /// Whether the store is known to be out of reach, and since when nothing was heard of it, if clocks may have stood still since.
    pub(super) fn note_store(&mut self, is_away: bool, silent_since: Option<Stamp>) {
        self.following.is_store_away = is_away;
        self.following.silent_since = silent_since;
    }

    /// The moment for which clocks are shown. As long as the log does not tell of an outage yet, that is its beginning: they have not run since. So it is while nobody
    /// knows whether there is one.
    pub(super) fn shown_at(&self, now: Stamp) -> Stamp {
        let at = match (self.outage_since, self.outage_until) {
            // Clients count a live clock on from the moment shown: a moment in the outage's shadow would
            // let it run through the outage. The log tells of it right after the game was opened.
            (Some(since), Some(until)) if self.header().is_slow() => now.minus_ms(until.ms_since(since)),
            (Some(since), _) => since.min(now),
            (None, _) => self.following.silent_since.map_or(now, |since| since.min(now)),
        };
        at.max(self.game.latest())
    }

    /// Whether it would be news that the log reaches to this entry.
    pub(super) fn is_news(&self, seq: u64) -> bool {
        seq > self.head.seq && seq > self.following.heard
    }

    /// The log reaches at least to this entry.
    pub(super) fn hear(&mut self, now: Stamp, seq: u64) {
        if self.is_news(seq) {
            self.following.heard = seq;
            self.following.due_at.get_or_insert(now.plus_ms(UNHURRIED_MS));
        }
    }

    /// The log may stand anywhere.
    pub(super) fn audit(&mut self) {
        self.following.is_to_look = !self.is_over();
    }

    /// Whether whoever opens the game now has to wait for a look at the log; if so, he is kept.
    pub(super) fn keep_opener(&mut self, outbox: &Outbox, player: &Player, since: Option<Position>) -> bool {
        if !self.following.is_shared || self.is_over() || self.is_quarantined {
            return false;
        }
        let Some(viewer) = self.header.viewer(Some(&player.id)) else { return false };
        let shown = self.audiences.shown(viewer).seq;
        // In another epoch, too: servers learn of a new one at different times.
        let is_ahead = |since: Position| {
            // What is at hand may be a branch that was lost: nobody can look.
            since.seq > shown || (self.following.is_store_away && since.epoch > self.epoch)
        };
        let has_seen_more = since.is_some_and(is_ahead);
        self.following.forget(outbox.connection());
        // While the store is away nobody can look, and what is at hand is all there is to be shown.
        let is_followed = !self.audiences.is_empty() || self.following.is_store_away;
        if is_followed && !self.is_behind() && !has_seen_more {
            if self.following.is_store_away || self.following.silent_since.is_some() {
                // He is shown it now, and once more when it is known whether others have gone on and whether its clocks have stood still.
                self.following.openers.push(Opener {
                    outbox: outbox.clone(),
                    player: player.clone(),
                    since: None,
                });
            }
            return false;
        }
        if self.following.is_store_away {
            // It will be shown when the store is back; until then nobody waits without a word.
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

    /// Looks at the log if there is reason to; whether it does.
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

    /// Where the log stands, and its entries beyond the replica.
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

    /// The replica is what the log was a moment ago.
    pub(super) fn followed(&mut self, now: Stamp) {
        // What was said to be there beyond it is not.
        self.following.heard = self.following.heard.min(self.head.seq);
        self.following.due_at = None;
        self.admit_openers(now);
    }

    /// The store did not say where the log stands.
    pub(super) fn not_followed(&mut self, now: Stamp) {
        self.retry_at = Some(now.plus_ms(RETRY_MS));
        self.following.is_to_look = true;
    }

    /// Clocks stood still in this time, unless the log tells of it or of something later already.
    pub(super) fn stood_still(&mut self, outage: Outage) {
        self.outage_seen = Some(outage);
        // The store is there again.
        self.retry_at = None;
        let latest = self.game.latest();
        if let Some(until) = &mut self.outage_until {
            // One more of which its log will be told.
            *until = until.plus_ms(outage.until.ms_since(outage.since));
        } else if self.outage_since.is_none() && (latest <= outage.since || latest < outage.until) {
            self.recover(Some(outage.since.max(latest)));
            if self.header.is_slow() && self.outage_since.is_some() {
                // Whenever the table comes to it: nobody may be looking.
                self.outage_until = Some(outage.until);
            }
        }
    }

    /// What was written after the last sign of life and came here only now stands before the outage as well: clocks have stood still since then, and its log is not told
    /// of the outage by it.
    pub(super) fn put_off_outage(&mut self) {
        let (Some(since), Some(seen)) = (self.outage_since, self.outage_seen) else { return };
        let latest = self.game.latest();
        let is_of_one = self.outage_until.is_none_or(|until| until == seen.until);
        let is_before = since < latest && latest < seen.until && seen.since < seen.until;
        if is_of_one && is_before && !self.game.is_paused() {
            self.outage_since = Some(seen.since.max(latest));
        }
    }

    /// Whether the table does not know of this outage yet.
    pub(super) fn is_new_outage(&self, outage: Outage) -> bool {
        self.outage_seen.is_none_or(|seen| seen.until < outage.until)
    }

    /// A server that took itself for the last one has paused the game; here it can go on.
    pub(super) fn notice_pause(&mut self) {
        if self.following.is_shared && self.game.is_paused() && self.outage_since.is_none() {
            self.outage_since = Some(self.game.latest());
        }
    }

    /// Moving the house player is nobody's yet.
    pub(super) fn take_house(&mut self) {
        self.following.house_at = None;
    }

    /// Whether moving the house player is left to another server for now: to one whose people look at the game.
    pub(super) fn leaves_house_to_others(&mut self, now: Stamp) -> bool {
        let takeover_at = self.game.latest().plus_ms(HOUSE_TAKEOVER_MS);
        let is_left = self.following.is_shared && self.audiences.is_empty() && now < takeover_at;
        if is_left {
            self.following.house_at = Some(takeover_at);
        }
        is_left
    }
}
