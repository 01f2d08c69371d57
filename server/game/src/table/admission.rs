//! Decides when the game is shown to a connection that opens it.

use flagfall_base::delivery::{ConnectionId, Outbox, Payload};
use flagfall_base::refusals;
use flagfall_base::request_id::RequestId;
use flagfall_board::{PerSide, Stamp};
use flagfall_protocol::{
    CloseCode, Code, EventPosition, GameEvent, GameView, Presence, Refusal, ServerToClient,
};
use flagfall_rules::{Viewer, view};

use super::audience::Subscriber;
use super::state::{Health, Table};
use crate::error::TableError;
use crate::reply::Opener;

/// The time between two checks of whether lagging spectators have emptied their queues, in
/// milliseconds.
const BEHIND_LOOK_MS: u64 = 200;

impl Table {
    pub(crate) fn look(&self, now: Stamp, viewer: Viewer) -> GameView {
        view(&self.game, viewer, self.shown_at(now)).seen
    }

    pub(crate) fn presence(&self) -> PerSide<Presence> {
        self.attendance.presence()
    }

    pub(super) fn open(&mut self, now: Stamp, opener: Opener) {
        if opener.outbox.is_closed() || self.waits_for_log(&opener) {
            return;
        }
        self.admit(now, opener);
    }

    /// Makes an opener (a connection that opens the game) wait if the replica may be behind the
    /// log. Returns true if the opener waits.
    fn waits_for_log(&mut self, opener: &Opener) -> bool {
        let Opener { outbox, player, since, .. } = opener;
        if !self.following.is_shared || self.is_over() || self.is_unreadable() {
            return false;
        }
        let Some(viewer) = self.header.viewer(player.as_deref()) else { return false };
        let is_store_away = self.outage.is_log_away();
        let shown = self.audiences.shown(viewer).seq;
        // The client may have seen entries that the replica lacks. Sequence numbers are compared
        // even if the epochs differ, because servers learn of a new epoch at different times.
        let is_ahead = |since: EventPosition| {
            // If the client's epoch is newer, the replica may contain lost events. While the store
            // is unreachable, the table cannot find out.
            since.seq > shown || (is_store_away && since.epoch > self.epoch)
        };
        let has_seen_more = since.is_some_and(is_ahead);
        self.following.forget(outbox.connection());
        // While the store is unreachable, the table cannot read the log, so it can only show the
        // replica.
        let is_followed = !self.audiences.is_empty() || is_store_away;
        if is_followed && !self.following.is_behind(self.head.seq) && !has_seen_more {
            if !self.outage.is_store_reached() {
                // Show the game now, and again when it is known whether other servers have
                // continued the game and whether its clocks were stopped.
                self.following.add(Opener { since: None, ..opener.clone() });
            }
            return false;
        }
        if is_store_away {
            // The game is shown when the store answers again. Until then, tell the client that the
            // game waits for the store.
            let game = (!self.outage.is_store_away).then(|| self.id());
            outbox.send(Payload::new(&ServerToClient::StoreState { available: false, game }));
        }
        self.following.add(opener.clone());
        true
    }

    /// Tells all connections when the game's part of the store stops answering while other parts
    /// answer, and when it answers again.
    pub(crate) fn note_part(&mut self, is_away: bool) {
        if self.outage.is_part_away == is_away || (is_away && self.is_over()) {
            return;
        }
        self.outage.is_part_away = is_away;
        let told = self.part_state();
        let is_shown = |outbox: &Outbox| {
            self.audiences.all().any(|subscriber| subscriber.outbox.connection() == outbox.connection())
        };
        let waiting = self.following.outboxes().filter(|outbox| !is_shown(outbox));
        let shown = self.audiences.all().map(|subscriber| &subscriber.outbox);
        shown.chain(waiting).for_each(|outbox| outbox.send(told.clone()));
    }

    fn part_state(&self) -> Payload {
        let (available, game) = (!self.outage.is_part_away, Some(self.id()));
        Payload::new(&ServerToClient::StoreState { available, game })
    }

    pub(super) fn admit_openers(&mut self, now: Stamp) {
        for opener in self.following.take_openers() {
            self.admit(now, opener);
        }
    }

    /// Shows the game to those openers that have not seen more than the replica has, because a
    /// stopping server no longer reads the log. The others see the game at the next server, since
    /// their connections are closed in a moment.
    pub(super) fn admit_openers_before_stop(&mut self, now: Stamp) {
        for opener in self.following.take_openers() {
            let viewer = self.header.viewer(opener.player.as_deref());
            let shown = viewer.map(|viewer| self.audiences.shown(viewer).seq);
            if opener.since.zip(shown).is_none_or(|(since, shown)| since.seq <= shown) {
                self.admit(now, opener);
            }
        }
    }

    /// Shows the game to a connection, and subscribes the connection to the game's events.
    fn admit(&mut self, now: Stamp, opener: Opener) {
        let Opener { outbox, player, since, request } = opener;
        let Some(viewer) = self.header.viewer(player.as_deref()) else {
            return refusals::send(&outbox, request, self.stranger(), None, Some(self.id()), None);
        };
        if let Health::Unreadable(why) = self.health {
            refusals::log(&Refusal::from(&why), request, Some(outbox.connection()), Some(self.id()));
            return outbox.send(Payload::new(&self.unavailable(why, Some(request))));
        }
        self.audiences.remove(outbox.connection());
        let shown = self.audiences.shown(viewer);
        let (events, resumed) = match since {
            None => (Vec::new(), None),
            Some(since) if since.epoch != self.epoch => (Vec::new(), Some("epoch")),
            Some(since) => {
                let events = shown.events_after(since.seq, &self.game);
                let is_whole = since.seq + events.len() as u64 == shown.seq;
                (events, Some(if is_whole { "events" } else { "view" }))
            }
        };
        if let Some(outcome) = resumed {
            metrics::counter!(flagfall_base::telemetry::RESUMES, "outcome" => outcome).increment(1);
        }
        let is_driving = matches!(viewer, Viewer::Player(_));
        let subscriber = Subscriber { outbox, viewer, is_driving, is_behind: false };
        match viewer {
            Viewer::Player(side) => {
                self.attendance.take_seat(now, side, &mut self.audiences);
                self.greet(now, &subscriber, events);
                self.audiences.players.push(subscriber);
            }
            Viewer::Public => {
                if self.audiences.spectators.len() >= self.settings.spectators_max {
                    self.audiences.drop_closed_spectators();
                }
                if self.audiences.spectators.len() >= self.settings.spectators_max {
                    let refusal = Refusal::new(Code::TOO_MANY).because("spectators");
                    let id = Some(self.id());
                    return refusals::send(&subscriber.outbox, request, refusal, None, id, None);
                }
                self.greet(now, &subscriber, events);
                self.audiences.spectators.push(subscriber);
            }
        }
    }

    /// Shows the game to a new subscriber.
    fn greet(&self, now: Stamp, subscriber: &Subscriber, events: Vec<GameEvent>) {
        self.send_game(now, subscriber, events);
        if self.outage.is_part_away {
            subscriber.outbox.send(self.part_state());
        }
    }

    fn send_game(&self, now: Stamp, subscriber: &Subscriber, events: Vec<GameEvent>) {
        let seq = self.audiences.shown(subscriber.viewer).seq;
        subscriber.outbox.set_head(self.id(), seq);
        subscriber.outbox.send(Payload::new(&ServerToClient::Game {
            game: self.summary(),
            audience: subscriber.viewer,
            driving: subscriber.is_driving,
            epoch: self.epoch,
            seq,
            view: self.look(now, subscriber.viewer),
            events,
            presence: self.attendance.presence(),
            left: PerSide::from_fn(|side| self.attendance.has_left(side)),
            claimable_at: PerSide::from_fn(|side| self.claim_at(side).map(|at| at.0)),
            rematch: self.rematch.wanted_by().collect(),
            abort: self.abort(),
        }));
    }

    pub(super) fn send_newest_views(&mut self, now: Stamp) {
        self.behind_look_at = None;
        if self.audiences.behind == 0 {
            return;
        }
        for at in 0..self.audiences.spectators.len() {
            let subscriber = &self.audiences.spectators[at];
            if subscriber.is_behind && subscriber.outbox.queued() == 0 {
                self.send_game(now, subscriber, Vec::new());
                self.audiences.spectators[at].is_behind = false;
                self.audiences.behind -= 1;
            }
        }
        // No event tells the table that a queue has become empty, so check again later.
        self.behind_look_at = (self.audiences.behind > 0).then(|| now.plus_ms(BEHIND_LOOK_MS));
    }

    /// Removes a connection. Records whether its player left on purpose.
    pub(super) fn close(&mut self, connection: ConnectionId, is_on_purpose: bool) {
        if let Some(Viewer::Player(side)) = self.audiences.find_player(connection).map(|player| player.viewer)
        {
            self.attendance.note_leaving(side, is_on_purpose);
        }
        self.following.forget(connection);
        if let Some(gone) = self.audiences.remove(connection) {
            gone.outbox.clear_head(self.id());
        }
    }

    /// Removes players' connections that ended without a message.
    pub(super) fn remove_closed(&mut self) {
        while let Some(gone) = self.audiences.players.iter().find(|player| player.outbox.is_closed()) {
            let (connection, has_left) = (gone.outbox.connection(), gone.outbox.has_said_goodbye());
            self.close(connection, has_left);
        }
    }

    /// Tells all connections that this server cannot read the log.
    pub(super) fn tell_unavailable(&self, why: TableError) {
        let unavailable = Payload::new(&self.unavailable(why, None));
        self.audiences.all().for_each(|subscriber| subscriber.outbox.send(unavailable.clone()));
    }

    fn unavailable(&self, why: TableError, request: Option<RequestId>) -> ServerToClient {
        refusals::game_unavailable(Refusal::from(&why), self.id(), request)
    }

    pub(crate) fn close_connections(&self, code: CloseCode) {
        let subscribers = self.audiences.all().map(|subscriber| &subscriber.outbox);
        let waiting = self.work.outboxes().chain(self.following.outboxes()).chain(self.rematch.outboxes());
        waiting.chain(subscribers).for_each(|outbox| outbox.close(code));
    }
}
