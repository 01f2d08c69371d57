//! The three audiences of a table: their numbers, what they were shown last, who listens.

use std::collections::VecDeque;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Audience, GameEvent, ServerToClient, ViewChange};
use flagfall_rules::{Event, Game, Viewer, see, see_change};

use crate::gateway::{ConnectionId, Outbox, Payload};

/// Events an audience can be told again when a line came back.
const TAIL_MAX: usize = 16;
/// Messages waiting for a spectator beyond which he is sent the newest view instead of every event.
const SPECTATOR_QUEUE_MAX: usize = 16;

/// One connection that has the game open.
pub(super) struct Subscriber {
    pub(super) outbox: Outbox,
    pub(super) viewer: Viewer,
    /// Whether it may act: a player's newest connection.
    pub(super) is_driving: bool,
    /// Whether it has missed events and gets the whole view next.
    pub(super) is_behind: bool,
}

/// What one audience has been shown.
#[derive(Default)]
pub(super) struct Shown {
    /// Counts what this audience was shown (HOUSE law 8).
    pub(super) seq: u64,
    tail: VecDeque<GameEvent>,
}

impl Shown {
    /// The events after a number this audience has seen; none when they are not all at hand.
    pub(super) fn events_after(&self, seq: u64) -> Vec<GameEvent> {
        let missed = self.seq.checked_sub(seq).and_then(|missed| usize::try_from(missed).ok());
        match missed {
            Some(missed) if missed <= self.tail.len() => {
                self.tail.iter().skip(self.tail.len() - missed).cloned().collect()
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn push(&mut self, event: GameEvent) {
        self.seq += 1;
        if self.tail.len() == TAIL_MAX {
            self.tail.pop_front();
        }
        self.tail.push_back(event);
    }
}

/// The three audiences.
#[derive(Default)]
pub(super) struct Audiences {
    sides: PerSide<Shown>,
    public: Shown,
    pub(super) subscribers: Vec<Subscriber>,
}

impl Audiences {
    pub(super) fn shown(&self, viewer: Viewer) -> &Shown {
        match viewer {
            Viewer::Player(side) => &self.sides[side],
            Viewer::Public => &self.public,
        }
    }

    fn shown_mut(&mut self, viewer: Viewer) -> &mut Shown {
        match viewer {
            Viewer::Player(side) => &mut self.sides[side],
            Viewer::Public => &mut self.public,
        }
    }

    /// Shows an event, already carried out, to everybody who may see it.
    pub(super) fn publish(&mut self, id: GameId, game: &Game, event: &Event, at: Stamp) {
        for viewer in Viewer::ALL {
            let Some(seen) = see(event, game, viewer) else { continue };
            let seen = GameEvent::from(&seen);
            let is_heard = self.subscribers.iter().any(|subscriber| subscriber.viewer == viewer);
            let shown = self.shown_mut(viewer);
            shown.push(seen.clone());
            let seq = shown.seq;
            if !is_heard {
                continue;
            }
            let change = ViewChange::from(&see_change(event, game, viewer, at));
            let payload = Payload::new(&ServerToClient::Event { game: id, seq, event: seen, change });
            for subscriber in self.subscribers.iter_mut().filter(|subscriber| subscriber.viewer == viewer) {
                subscriber.outbox.set_head(id, seq);
                if viewer == Viewer::Public && subscriber.outbox.queued() > SPECTATOR_QUEUE_MAX {
                    subscriber.is_behind = true;
                }
                if !subscriber.is_behind {
                    subscriber.outbox.send(payload.clone());
                }
            }
        }
    }

    /// Sends the same message to every subscriber.
    pub(super) fn tell_all(&self, message: &ServerToClient) {
        if self.subscribers.is_empty() {
            return;
        }
        let payload = Payload::new(message);
        for subscriber in &self.subscribers {
            subscriber.outbox.send(payload.clone());
        }
    }

    /// Takes a connection out and returns what it was.
    pub(super) fn remove(&mut self, connection: ConnectionId) -> Option<Subscriber> {
        let at =
            self.subscribers.iter().position(|subscriber| subscriber.outbox.connection() == connection)?;
        Some(self.subscribers.swap_remove(at))
    }

    pub(super) fn find(&self, connection: ConnectionId) -> Option<&Subscriber> {
        self.subscribers.iter().find(|subscriber| subscriber.outbox.connection() == connection)
    }

    /// Whether a player's side has a connection open.
    pub(super) fn has_side(&self, side: Side) -> bool {
        self.subscribers.iter().any(|subscriber| subscriber.viewer == Viewer::Player(side))
    }

    pub(super) fn spectators(&self) -> usize {
        self.subscribers.iter().filter(|subscriber| subscriber.viewer == Viewer::Public).count()
    }
}

/// The protocol's word for a viewer.
pub(super) fn audience_of(viewer: Viewer) -> Audience {
    Audience::from(viewer)
}
