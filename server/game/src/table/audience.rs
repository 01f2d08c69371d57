//! The three audiences of a table: their sequence numbers, latest events and connections.

use flagfall_base::delivery::{ConnectionId, Outbox, Payload};
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Abort, GameEvent, ServerToClient};
use flagfall_rules::{Event, Game, Viewer, see, see_change};

use super::compact_ply::CompactPly;

/// The number of events that are kept for each audience, to send them to connections that return.
const RECENT_MAX: u64 = 8;
/// The queue length above which a spectator gets the newest view instead of every event.
const SPECTATOR_QUEUE_MAX: usize = 16;

/// One connection that has the game open.
pub(crate) struct Subscriber {
    pub(super) outbox: Outbox,
    pub(super) viewer: Viewer,
    /// True if this is the player's newest connection. Only the newest connection may act.
    pub(crate) is_driving: bool,
    /// True if the connection has missed events, and gets the whole view next.
    pub(super) is_behind: bool,
}

/// An event that can be sent again, in eight bytes.
#[derive(Clone, Copy, Default)]
enum Kept {
    Ply(CompactPly),
    Ready(Side),
    Started,
    /// The event is in [`Shown::others`].
    #[default]
    Other,
}

const _: () = assert!(size_of::<Kept>() == 8, "each table keeps 24 of them");

impl Kept {
    fn new(event: &GameEvent) -> Kept {
        match event {
            GameEvent::Moved(seen) => CompactPly::new(seen).map_or(Kept::Other, Kept::Ply),
            GameEvent::Ready { side } => Kept::Ready(*side),
            GameEvent::Started { .. } => Kept::Started,
            _ => Kept::Other,
        }
    }
}

/// The events that one audience has been shown.
#[derive(Default)]
pub(crate) struct Shown {
    /// The sequence number of the last event that this audience was shown (invariant 8 of
    /// docs/ARCHITECTURE.md).
    pub(crate) seq: u64,
    /// The latest events. The place of an event is its sequence number modulo [`RECENT_MAX`].
    recent: Box<[Kept; RECENT_MAX as usize]>,
    /// The latest events that do not fit into [`Kept`], oldest first, with their sequence numbers.
    #[expect(clippy::box_collection, reason = "most games have none, and a box less room than a list")]
    others: Option<Box<Vec<(u64, GameEvent)>>>,
}

impl Shown {
    /// Returns the events after `seq`. Empty if some of them are not in memory.
    pub(crate) fn events_after(&self, seq: u64, game: &Game) -> Vec<GameEvent> {
        if self.seq.checked_sub(seq).is_none_or(|missed| missed > RECENT_MAX) {
            return Vec::new();
        }
        (seq + 1..=self.seq).filter_map(|seq| self.event(seq, game)).collect()
    }

    fn event(&self, seq: u64, game: &Game) -> Option<GameEvent> {
        match self.recent[(seq % RECENT_MAX) as usize] {
            Kept::Ply(ply) => Some(GameEvent::Moved(ply.seen())),
            Kept::Ready(side) => Some(GameEvent::Ready { side }),
            // The commitments never change after the start.
            Kept::Started => Some(GameEvent::Started { commitments: game.commitments() }),
            Kept::Other => {
                let mut others = self.others.iter().flat_map(|others| others.iter());
                others.find(|(number, _)| *number == seq).map(|(_, event)| event.clone())
            }
        }
    }

    fn push(&mut self, event: &GameEvent) {
        self.seq += 1;
        let kept = Kept::new(event);
        self.recent[(self.seq % RECENT_MAX) as usize] = kept;
        if matches!(kept, Kept::Other) {
            let others = self.others.get_or_insert_default();
            others.reserve_exact(1);
            others.push((self.seq, event.clone()));
        }
        if let Some(others) = &mut self.others {
            others.retain(|(number, _)| number + RECENT_MAX > self.seq);
            if others.is_empty() {
                self.others = None;
            }
        }
    }
}

pub(crate) struct Audiences {
    pub(super) id: GameId,
    sides: PerSide<Shown>,
    public: Shown,
    /// The connections of the players. They are few, so they are kept apart from the many
    /// connections of spectators.
    pub(super) players: Vec<Subscriber>,
    pub(super) spectators: Vec<Subscriber>,
    /// The number of spectators that are behind.
    pub(crate) behind: u32,
}

impl Audiences {
    pub(super) fn new(id: GameId) -> Audiences {
        Audiences {
            id,
            sides: PerSide::default(),
            public: Shown::default(),
            players: Vec::new(),
            spectators: Vec::new(),
            behind: 0,
        }
    }

    pub(crate) fn shown(&self, viewer: Viewer) -> &Shown {
        match viewer {
            Viewer::Player(side) => &self.sides[side],
            Viewer::Public => &self.public,
        }
    }

    /// Shows an event to each audience that may see it. The event must have been applied already.
    pub(super) fn publish(&mut self, game: &Game, event: &Event, at: Stamp, abort: Option<&Abort>) {
        let id = self.id;
        for viewer in Viewer::ALL {
            let Some(seen) = see(event, game, viewer) else { continue };
            let (shown, listeners) = match viewer {
                Viewer::Player(side) => (&mut self.sides[side], &mut self.players),
                Viewer::Public => (&mut self.public, &mut self.spectators),
            };
            shown.push(&seen);
            let seq = shown.seq;
            if !listeners.iter().any(|listener| listener.viewer == viewer) {
                continue;
            }
            let change = see_change(event, game, viewer, at);
            let abort = abort.cloned();
            let payload = Payload::new(&ServerToClient::Event { game: id, seq, event: seen, change, abort });
            for listener in listeners.iter_mut().filter(|listener| listener.viewer == viewer) {
                listener.outbox.set_head(id, seq);
                let is_slow = viewer == Viewer::Public && listener.outbox.queued() > SPECTATOR_QUEUE_MAX;
                if is_slow && !std::mem::replace(&mut listener.is_behind, true) {
                    self.behind += 1;
                }
                if !listener.is_behind {
                    listener.outbox.send(payload.clone());
                }
            }
        }
    }

    pub(super) fn tell_all(&self, message: &ServerToClient) {
        if self.is_empty() {
            return;
        }
        let payload = Payload::new(message);
        for subscriber in self.all().filter(|subscriber| !subscriber.is_behind) {
            subscriber.outbox.send(payload.clone());
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Subscriber> {
        self.players.iter().chain(&self.spectators)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.players.is_empty() && self.spectators.is_empty()
    }

    pub(super) fn remove(&mut self, connection: ConnectionId) -> Option<Subscriber> {
        let is_it = |subscriber: &Subscriber| subscriber.outbox.connection() == connection;
        if let Some(at) = self.players.iter().position(is_it) {
            let gone = self.players.swap_remove(at);
            if self.players.is_empty() {
                self.players = Vec::new();
            }
            return Some(gone);
        }
        let at = self.spectators.iter().position(is_it)?;
        let gone = self.spectators.swap_remove(at);
        self.behind -= u32::from(gone.is_behind);
        Some(gone)
    }

    /// Removes spectators' connections that ended without a message.
    pub(super) fn drop_closed_spectators(&mut self) {
        self.spectators.retain(|spectator| !spectator.outbox.is_closed());
        self.behind = self.spectators.iter().map(|spectator| u32::from(spectator.is_behind)).sum();
    }

    /// Returns the memory used for the events that can be sent again, in bytes.
    #[cfg(test)]
    pub(crate) fn recent_bytes(&self) -> usize {
        let all = [&self.sides[Side::Red], &self.sides[Side::Blue], &self.public];
        let bytes = |shown: &Shown| {
            let others = shown.others.iter().map(|others| others.capacity() * size_of::<(u64, GameEvent)>());
            size_of_val(&*shown.recent) + others.sum::<usize>()
        };
        all.map(bytes).iter().sum()
    }

    pub(crate) fn find_player(&self, connection: ConnectionId) -> Option<&Subscriber> {
        self.players.iter().find(|player| player.outbox.connection() == connection)
    }

    /// Stops all of a side's connections to this server from acting, and notifies them.
    pub(super) fn supersede(&mut self, side: Side) {
        let superseded = Payload::new(&ServerToClient::Superseded { game: self.id });
        for player in self.players.iter_mut().filter(|player| player.viewer == Viewer::Player(side)) {
            if std::mem::replace(&mut player.is_driving, false) {
                player.outbox.send(superseded.clone());
            }
        }
    }

    pub(super) fn has_side(&self, side: Side) -> bool {
        self.players.iter().any(|player| player.viewer == Viewer::Player(side))
    }
}
