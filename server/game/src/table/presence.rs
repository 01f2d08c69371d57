//! The players who are present, on this server or another one. If a player has several
//! connections, only one of them, the driving connection, may act.
//!
//! A table learns from [`Seats`](flagfall_base::cluster::Seats) which players are connected to
//! other servers. Absence counts only while this server hears from the other servers. After an
//! interruption, the count starts from zero.

use flagfall_base::cluster::Elsewhere;
use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{Presence, ServerToClient};

use super::audience::Audiences;
use crate::header::GameHeader;
use crate::listing::Absence;

/// The time after which a player whose connection is gone counts as away, in milliseconds.
const AWAY_AFTER_MS: u64 = 30_000;

/// A player's presence and connections.
#[derive(Clone, Copy, Default)]
struct Seat {
    /// The presence that was last sent to clients.
    presence: Presence,
    /// True if the player announced that they are leaving, and has not come back.
    is_on_purpose: bool,
    /// The time at which the player was seen to leave. For a player who was never present, this
    /// is the time at which the table was opened.
    left_at: Option<Stamp>,
    /// The time at which the player last acted, according to the log.
    acted_at: Option<Stamp>,
    /// The time at which the player last opened the game with a new connection to this server.
    here_since: Option<Stamp>,
}

pub(crate) struct Attendance {
    seats: PerSide<Seat>,
    /// The players' newest connections to other servers. Boxed, because many servers have no
    /// others.
    elsewhere: Option<Box<PerSide<Option<Elsewhere>>>>,
    /// The start of the period in which this server has known the players' connections to other
    /// servers. `None` while it does not know them.
    pub(crate) sighted_since: Option<Stamp>,
}

impl Attendance {
    /// Returns the attendance of a game that was just opened: all people are away, and all house
    /// players are present.
    pub(super) fn new(header: &GameHeader) -> Attendance {
        let presence = |side| if header.is_house(side) { Presence::Present } else { Presence::Away };
        Attendance {
            seats: PerSide::from_fn(|side| Seat { presence: presence(side), ..Seat::default() }),
            elsewhere: None,
            // If the log is not shared, there are no other servers, so connections to them count
            // as known.
            sighted_since: Some(Stamp(0)),
        }
    }

    pub(super) fn presence(&self) -> PerSide<Presence> {
        PerSide::from_fn(|side| self.seats[side].presence)
    }

    /// True if a player is absent because they left on purpose.
    pub(super) fn has_left(&self, side: Side) -> bool {
        self.seats[side].presence != Presence::Present && self.seats[side].is_on_purpose
    }

    /// True if a player has left on purpose, or has been gone for half a minute.
    pub(super) fn is_gone(&self, side: Side) -> bool {
        self.seats[side].presence == Presence::Away || self.has_left(side)
    }

    /// Records that a player who may not have the game open has done something. They then have
    /// half a minute to open it.
    pub(super) fn note_sign(&mut self, now: Stamp, side: Side, audiences: &Audiences) {
        let seat = &mut self.seats[side];
        if seat.presence != Presence::Present {
            (seat.left_at, seat.is_on_purpose) = (Some(now), false);
            self.set_presence(side, Presence::Reconnecting, audiences);
        }
    }

    /// Returns which players left on purpose and have not come back.
    pub(crate) fn gone_on_purpose(&self) -> PerSide<bool> {
        PerSide::from_fn(|side| self.seats[side].is_on_purpose)
    }

    /// Records whether the player closed their latest connection on purpose.
    pub(super) fn note_leaving(&mut self, side: Side, is_on_purpose: bool) {
        self.seats[side].is_on_purpose = is_on_purpose;
    }

    pub(super) fn note_act(&mut self, side: Side, at: Stamp) {
        self.seats[side].acted_at = Some(at);
    }

    pub(super) fn acted_at(&self, side: Side) -> Option<Stamp> {
        self.seats[side].acted_at
    }

    /// Returns the start of a player's absence: the time at which they left, but not before this
    /// server began to receive notices from the other servers. `None` if the player is present,
    /// or if this server receives no such notices.
    pub(crate) fn absent_since(&self, side: Side) -> Option<Stamp> {
        Some(self.seats[side].left_at?.max(self.sighted_since?))
    }

    /// True if a player has left on purpose, or has been gone for half a minute.
    pub(super) fn is_away(&self, side: Side, now: Stamp) -> bool {
        let is_away = |since: Stamp| self.seats[side].is_on_purpose || now >= since.plus_ms(AWAY_AFTER_MS);
        self.absent_since(side).is_some_and(is_away)
    }

    /// Returns which players are away. Also returns the times at which players left, if absence
    /// counts against them: house players and players of games with days per move may be away.
    pub(super) fn absence(&self, header: &GameHeader) -> Absence {
        let counts = |side| !header.is_slow() && !header.is_house(side);
        let left = PerSide::from_fn(|side| self.seats[side].left_at.filter(|_| counts(side)));
        Absence { gone: self.gone_on_purpose(), left }
    }

    /// Restores who was away when the game went to rest. If a player has acted since then, they
    /// count as having left after that action.
    pub(crate) fn set_absence(&mut self, absence: Absence) {
        for side in Side::BOTH {
            let seat = &mut self.seats[side];
            seat.is_on_purpose = absence.gone[side];
            seat.left_at = absence.left[side].map(|left| left.max(seat.acted_at.unwrap_or(left)));
        }
    }

    pub(super) fn note_elsewhere(
        &mut self,
        elsewhere: PerSide<Option<Elsewhere>>,
        audiences: &mut Audiences,
    ) {
        for side in Side::BOTH {
            let is_after = |(there, here): (Elsewhere, Stamp)| there.is_after(here);
            if elsewhere[side].zip(self.seats[side].here_since).is_some_and(is_after) {
                audiences.supersede(side);
            }
        }
        self.elsewhere = (elsewhere != PerSide::default()).then(|| Box::new(elsewhere));
    }

    /// Makes a player's connection to this server the newest on all servers.
    pub(super) fn take_seat(&mut self, now: Stamp, side: Side, audiences: &mut Audiences) {
        audiences.supersede(side);
        let after = self.elsewhere(side).map_or(now, |there| there.since.plus_ms(1));
        let seat = &mut self.seats[side];
        seat.here_since = Some(now.max(after));
        seat.left_at = None;
        self.set_presence(side, Presence::Present, audiences);
    }

    /// Returns the time at which each player last opened the game with a new connection to this
    /// server. `None` for a player who is not connected to this server. A connection that no longer
    /// drives counts too.
    pub(crate) fn seats_here(&self, audiences: &Audiences) -> PerSide<Option<Stamp>> {
        PerSide::from_fn(|side| self.seats[side].here_since.filter(|_| audiences.has_side(side)))
    }

    /// Returns the times at which players who are reconnecting will count as away.
    pub(super) fn away_at(&self) -> impl Iterator<Item = Stamp> {
        let is_gone = |side: &Side| self.seats[*side].presence == Presence::Reconnecting;
        let gone = Side::BOTH.into_iter().filter(is_gone);
        gone.filter_map(|side| self.absent_since(side)).map(|since| since.plus_ms(AWAY_AFTER_MS))
    }

    pub(super) fn update(&mut self, now: Stamp, header: &GameHeader, audiences: &Audiences) {
        for side in Side::BOTH.into_iter().filter(|side| !header.is_house(*side)) {
            let is_here = audiences.has_side(side) || self.elsewhere(side).is_some();
            let seat = &mut self.seats[side];
            if is_here {
                seat.left_at = None;
                self.set_presence(side, Presence::Present, audiences);
            } else if seat.left_at.is_none() {
                seat.left_at = Some(now);
                if seat.presence == Presence::Present {
                    self.set_presence(side, Presence::Reconnecting, audiences);
                }
            } else if self.absent_since(side).is_some_and(|since| now >= since.plus_ms(AWAY_AFTER_MS)) {
                self.set_presence(side, Presence::Away, audiences);
            }
        }
    }

    fn elsewhere(&self, side: Side) -> Option<Elsewhere> {
        self.elsewhere.as_ref().and_then(|elsewhere| elsewhere[side])
    }

    fn set_presence(&mut self, side: Side, presence: Presence, audiences: &Audiences) {
        if std::mem::replace(&mut self.seats[side].presence, presence) != presence {
            let left = self.has_left(side);
            audiences.tell_all(&ServerToClient::Presence { game: audiences.id, side, presence, left });
        }
    }
}
