//! Which players are present, on this server or another, and which of a player's connections
//! drives (may act).
//!
//! A table learns of connections to other servers from [`Seats`](flagfall_base::cluster::Seats).
//! Absence counts only while this server hears the other servers. After an interruption the count
//! begins anew.

use flagfall_base::cluster::Elsewhere;
use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{Presence, ServerToClient};

use super::audience::Audiences;
use crate::header::GameHeader;
use crate::listing::Absence;

/// How long a player may be gone before they count as away, in milliseconds.
const AWAY_AFTER_MS: u64 = 30_000;

/// What a table knows of one player's connections.
#[derive(Clone, Copy, Default)]
struct Seat {
    /// The presence that clients were told.
    presence: Presence,
    /// True if the player said that they leave, and has not come back.
    is_on_purpose: bool,
    /// When the player was seen to leave. If they were never seen, when the table was opened.
    left_at: Option<Stamp>,
    /// When the player last acted, according to the log.
    acted_at: Option<Stamp>,
    /// When the player's driving connection on this server, or the last one that drove, took the
    /// seat.
    here_since: Option<Stamp>,
    elsewhere: Option<Elsewhere>,
}

pub(crate) struct Attendance {
    seats: PerSide<Seat>,
    /// Since when connections on other servers are known; `None` while they are not.
    pub(crate) sighted_since: Option<Stamp>,
}

impl Attendance {
    /// Returns the attendance of players who are all away, except house players, who are always
    /// present.
    pub(super) fn new(header: &GameHeader) -> Attendance {
        let presence = |side| if header.is_house(side) { Presence::Present } else { Presence::Away };
        Attendance {
            seats: PerSide::from_fn(|side| Seat { presence: presence(side), ..Seat::default() }),
            // Without a shared log there are no other servers to hear.
            sighted_since: Some(Stamp(0)),
        }
    }

    pub(super) fn presence(&self) -> PerSide<Presence> {
        PerSide::from_fn(|side| self.seats[side].presence)
    }

    /// True if a player is not there because they left on purpose.
    pub(super) fn has_left(&self, side: Side) -> bool {
        self.seats[side].presence != Presence::Present && self.seats[side].is_on_purpose
    }

    /// Players who left on purpose and have not come back.
    pub(crate) fn gone_on_purpose(&self) -> PerSide<bool> {
        PerSide::from_fn(|side| self.seats[side].is_on_purpose)
    }

    /// Notes whether a player's latest connection was closed on purpose.
    pub(super) fn note_leaving(&mut self, side: Side, is_on_purpose: bool) {
        self.seats[side].is_on_purpose = is_on_purpose;
    }

    pub(super) fn note_act(&mut self, side: Side, at: Stamp) {
        self.seats[side].acted_at = Some(at);
    }

    pub(super) fn acted_at(&self, side: Side) -> Option<Stamp> {
        self.seats[side].acted_at
    }

    /// Returns since when a player has been on no server, if this server can be sure of that.
    /// `None` while they are present, and while this server does not hear the other servers.
    pub(crate) fn absent_since(&self, side: Side) -> Option<Stamp> {
        Some(self.seats[side].left_at?.max(self.sighted_since?))
    }

    /// True if a player has gone away, on purpose or for half a minute.
    pub(super) fn is_away(&self, side: Side, now: Stamp) -> bool {
        let is_away = |since: Stamp| self.seats[side].is_on_purpose || now >= since.plus_ms(AWAY_AFTER_MS);
        self.absent_since(side).is_some_and(is_away)
    }

    /// Who is away, and since when, if that counts against them (live clocks, no house player).
    pub(super) fn absence(&self, header: &GameHeader) -> Absence {
        let counts = |side| !header.is_slow() && !header.is_house(side);
        let left = PerSide::from_fn(|side| self.seats[side].left_at.filter(|_| counts(side)));
        Absence { gone: self.gone_on_purpose(), left }
    }

    /// Restores who was away when the game went to rest. A player who has acted since then counts
    /// as having left after that.
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
            let seat = &mut self.seats[side];
            seat.elsewhere = elsewhere[side];
            let is_after = |(there, here): (Elsewhere, Stamp)| there.is_after(here);
            if seat.elsewhere.zip(seat.here_since).is_some_and(is_after) {
                audiences.supersede(side);
            }
        }
    }

    /// Makes a player's connection here the newest of all.
    pub(super) fn take_seat(&mut self, now: Stamp, side: Side, audiences: &mut Audiences) {
        audiences.supersede(side);
        let seat = &mut self.seats[side];
        let after = seat.elsewhere.map_or(now, |there| there.since.plus_ms(1));
        seat.here_since = Some(now.max(after));
        seat.left_at = None;
        self.set_presence(side, Presence::Present, audiences);
    }

    /// Returns when the driving connections here took their seats, for players with a connection
    /// here. A connection that has stopped driving counts too.
    pub(crate) fn seats_here(&self, audiences: &Audiences) -> PerSide<Option<Stamp>> {
        PerSide::from_fn(|side| self.seats[side].here_since.filter(|_| audiences.has_side(side)))
    }

    /// When players who are reconnecting will count as away.
    pub(super) fn away_at(&self) -> impl Iterator<Item = Stamp> {
        let is_gone = |side: &Side| self.seats[*side].presence == Presence::Reconnecting;
        let gone = Side::BOTH.into_iter().filter(is_gone);
        gone.filter_map(|side| self.absent_since(side)).map(|since| since.plus_ms(AWAY_AFTER_MS))
    }

    pub(super) fn update(&mut self, now: Stamp, header: &GameHeader, audiences: &Audiences) {
        for side in Side::BOTH.into_iter().filter(|side| !header.is_house(*side)) {
            let seat = &mut self.seats[side];
            if audiences.has_side(side) || seat.elsewhere.is_some() {
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

    fn set_presence(&mut self, side: Side, presence: Presence, audiences: &Audiences) {
        if std::mem::replace(&mut self.seats[side].presence, presence) != presence {
            let left = self.has_left(side);
            audiences.tell_all(&ServerToClient::Presence { game: audiences.id, side, presence, left });
        }
    }
}
