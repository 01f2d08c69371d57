//! The three audiences of a table: their numbers, what they were shown last, who listens.

use std::collections::VecDeque;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Abort, GameEvent, ServerToClient};
use flagfall_rules::{Event, Game, Viewer, see, see_change};

use super::brief::{Brief, Told};
use crate::gateway::{ConnectionId, Outbox, Payload};

/// Events an audience can be told again when a line came back.
const TAIL_MAX: usize = 8;
/// Messages waiting for a spectator beyond which he is sent the newest view instead of every event.
const SPECTATOR_QUEUE_MAX: usize = 16;

/// One connection that has the game open.
pub(super) struct Subscriber {
    pub(super) outbox: Outbox,
    pub(super) connection: ConnectionId,
    pub(super) viewer: Viewer,
    /// Whether it may act: a player's newest connection.
    pub(super) is_driving: bool,
    /// Whether it has missed events and gets the whole view next.
    pub(super) is_behind: bool,
}

impl Subscriber {
    pub(super) fn new(outbox: Outbox, viewer: Viewer, is_driving: bool) -> Subscriber {
        Subscriber { connection: outbox.connection(), outbox, viewer, is_driving, is_behind: false }
    }
}

/// What one audience has been shown.
#[derive(Default)]
pub(super) struct Shown {
    /// Counts what this audience was shown (HOUSE law 8).
    pub(super) seq: u64,
    /// The latest events, at most [`TAIL_MAX`].
    tail: VecDeque<Told>,
    /// Those among them that are no [`Told::Ply`], oldest first, each with its number.
    #[expect(clippy::box_collection, reason = "most games have none, and a box less room than a list")]
    apart: Option<Box<Vec<(u64, GameEvent)>>>,
}

impl Shown {
    /// The events after a number this audience has seen; none when they are not all at hand.
    pub(super) fn events_after(&self, seq: u64) -> Vec<GameEvent> {
        let missed = self.seq.checked_sub(seq).and_then(|missed| usize::try_from(missed).ok());
        match missed {
            Some(missed) if missed <= self.tail.len() => {
                let told = self.tail.iter().skip(self.tail.len() - missed);
                told.zip(seq + 1..).filter_map(|(told, seq)| self.event(*told, seq)).collect()
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn event(&self, told: Told, seq: u64) -> Option<GameEvent> {
        match told {
            Told::Ply(ply) => Some(GameEvent::Moved(ply.seen())),
            Told::Apart => {
                let found =
                    self.apart.iter().flat_map(|apart| apart.iter()).find(|(number, _)| *number == seq);
                found.map(|(_, event)| event.clone())
            }
        }
    }

    fn push(&mut self, event: &GameEvent) {
        self.seq += 1;
        if self.tail.len() == TAIL_MAX {
            self.tail.pop_front();
        }
        let told = match event {
            GameEvent::Moved(seen) => Brief::new(seen).map_or(Told::Apart, Told::Ply),
            _ => Told::Apart,
        };
        self.tail.push_back(told);
        self.tend_apart(told, event);
    }

    /// Keeps an event that is no brief ply, and forgets those that are too old.
    fn tend_apart(&mut self, told: Told, event: &GameEvent) {
        if told == Told::Apart {
            self.apart.get_or_insert_default().push((self.seq, event.clone()));
        }
        if let Some(apart) = &mut self.apart {
            apart.retain(|(number, _)| number + TAIL_MAX as u64 > self.seq);
            if apart.is_empty() {
                self.apart = None;
            }
        }
    }
}

/// The three audiences.
#[derive(Default)]
pub(super) struct Audiences {
    sides: PerSide<Shown>,
    public: Shown,
    /// The players' connections: few, and apart from the many.
    pub(super) players: Vec<Subscriber>,
    pub(super) spectators: Vec<Subscriber>,
    /// How many spectators are behind.
    pub(super) behind: usize,
}

impl Audiences {
    pub(super) fn shown(&self, viewer: Viewer) -> &Shown {
        match viewer {
            Viewer::Player(side) => &self.sides[side],
            Viewer::Public => &self.public,
        }
    }

    /// Shows an event, already carried out, to everybody who may see it.
    pub(super) fn publish(
        &mut self,
        id: GameId,
        game: &Game,
        event: &Event,
        at: Stamp,
        abort: Option<&Abort>,
    ) {
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

    /// Sends the same message to everybody who keeps up; the others will find it in their next view.
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

    /// Takes a connection out and returns what it was.
    pub(super) fn remove(&mut self, connection: ConnectionId) -> Option<Subscriber> {
        let is_it = |subscriber: &Subscriber| subscriber.connection == connection;
        if let Some(at) = self.players.iter().position(is_it) {
            let gone = self.players.swap_remove(at);
            if self.players.is_empty() {
                self.players = Vec::new();
            }
            return Some(gone);
        }
        let at = self.spectators.iter().position(is_it)?;
        let gone = self.spectators.swap_remove(at);
        self.behind -= usize::from(gone.is_behind);
        Some(gone)
    }

    /// Spectators whose connection ended without a word make room.
    pub(super) fn drop_closed_spectators(&mut self) {
        self.spectators.retain(|spectator| !spectator.outbox.is_closed());
        self.behind = self.spectators.iter().filter(|spectator| spectator.is_behind).count();
    }

    /// Bytes set aside for the events that can be told again.
    #[cfg(test)]
    pub(super) fn tail_bytes(&self) -> usize {
        let all = [&self.sides[Side::Red], &self.sides[Side::Blue], &self.public];
        let bytes = |shown: &Shown| {
            let apart = shown.apart.iter().map(|apart| apart.capacity() * size_of::<(u64, GameEvent)>());
            shown.tail.capacity() * size_of::<Told>() + apart.sum::<usize>()
        };
        all.map(bytes).iter().sum()
    }

    pub(super) fn find_player(&self, connection: ConnectionId) -> Option<&Subscriber> {
        self.players.iter().find(|player| player.connection == connection)
    }

    /// Whether a player's side has a connection open.
    pub(super) fn has_side(&self, side: Side) -> bool {
        self.players.iter().any(|player| player.viewer == Viewer::Player(side))
    }
}
