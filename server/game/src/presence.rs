//! Which players are there, on this server or another, and which of a player's connections drives.
//!
//! A table knows of connections to other servers what [`Seats`](flagfall_base::cluster::Seats)
//! hears. Absence counts only while this server hears the others; afterwards it begins anew.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{Presence, ServerToClient};
use flagfall_rules::Viewer;

use super::table::Table;
use flagfall_base::cluster::Elsewhere;
use flagfall_base::delivery::Payload;

/// How long a player may be gone before they count as away, in milliseconds.
pub(super) const AWAY_AFTER_MS: u64 = 30_000;

/// What a table knows of one player's connections.
#[derive(Clone, Copy, Default)]
pub(super) struct Attendance {
    /// The presence that clients were told.
    presence: Presence,
    /// When the player was seen to leave. If they were never seen, when the table was opened.
    left_at: Option<Stamp>,
    /// When the connection that drives here, or did, took the seat.
    here_since: Option<Stamp>,
    elsewhere: Option<Elsewhere>,
}

impl Attendance {
    /// The state of a player who is not there, or of a house player, who always is.
    pub(super) fn new(is_house: bool) -> Attendance {
        let presence = if is_house { Presence::Present } else { Presence::Away };
        Attendance { presence, ..Attendance::default() }
    }
}

impl Table {
    /// The presence of both players, as told to clients.
    pub(super) fn presence(&self) -> PerSide<Presence> {
        PerSide::from_fn(|side| self.attendance[side].presence)
    }

    /// True if a player is not there because they left on purpose.
    pub(super) fn has_left(&self, side: Side) -> bool {
        self.attendance[side].presence != Presence::Present && self.gone_on_purpose()[side]
    }

    /// Since when a player has been on no server, as far as this server can vouch for it. `None`
    /// while they are there, and while this server does not hear the others.
    pub(super) fn absent_since(&self, side: Side) -> Option<Stamp> {
        Some(self.attendance[side].left_at?.max(self.sighted_since?))
    }

    /// Since when each player has been away, if being away counts against them (live clocks, no
    /// house player).
    pub(super) fn left(&self) -> PerSide<Option<Stamp>> {
        let may_be_missed = |side| !self.header.is_slow() && !self.header.is_house(side);
        PerSide::from_fn(|side| self.attendance[side].left_at.filter(|_| may_be_missed(side)))
    }

    /// Restores absence after rest: players have been away since then, or since they last acted.
    pub(super) fn set_left(&mut self, left: PerSide<Option<Stamp>>) {
        for side in Side::BOTH {
            let acted_at = self.acted_at(side);
            self.attendance[side].left_at = left[side].map(|left| left.max(acted_at.unwrap_or(left)));
        }
    }

    /// Notes where the players' newest connections on other servers are.
    pub(super) fn note_elsewhere(&mut self, elsewhere: PerSide<Option<Elsewhere>>) {
        for side in Side::BOTH {
            self.attendance[side].elsewhere = elsewhere[side];
            let here_since = self.attendance[side].here_since;
            let is_after = |(there, here): (Elsewhere, Stamp)| there.is_after(here);
            if elsewhere[side].zip(here_since).is_some_and(is_after) {
                self.supersede(side);
            }
        }
    }

    /// Notes since when this server has heard the others; `None` while it does not.
    pub(super) fn note_sight(&mut self, since: Option<Stamp>) {
        self.sighted_since = since;
    }

    /// Makes a player's connection here the newest of all.
    pub(super) fn take_seat(&mut self, now: Stamp, side: Side) {
        self.supersede(side);
        let after = self.attendance[side].elsewhere.map_or(now, |there| there.since.plus_ms(1));
        self.attendance[side].here_since = Some(now.max(after));
        self.attendance[side].left_at = None;
        self.set_presence(side, Presence::Present);
    }

    /// Since when a connection here drives or did, for each player who has one open here.
    pub(super) fn seats_here(&self) -> PerSide<Option<Stamp>> {
        PerSide::from_fn(|side| self.attendance[side].here_since.filter(|_| self.audiences.has_side(side)))
    }

    /// Stops connections here from driving the side.
    fn supersede(&mut self, side: Side) {
        let superseded = Payload::new(&ServerToClient::Superseded { game: self.id });
        let players = &mut self.audiences.players;
        for player in players.iter_mut().filter(|player| player.viewer == Viewer::Player(side)) {
            if std::mem::replace(&mut player.is_driving, false) {
                player.outbox.send(superseded.clone());
            }
        }
    }

    /// When players who are reconnecting will count as away.
    pub(super) fn away_at(&self) -> impl Iterator<Item = Stamp> {
        let is_gone = |side: &Side| self.attendance[*side].presence == Presence::Reconnecting;
        let gone = Side::BOTH.into_iter().filter(is_gone);
        gone.filter_map(|side| self.absent_since(side)).map(|since| since.plus_ms(AWAY_AFTER_MS))
    }

    /// Updates who is there, and tells all clients what has changed.
    pub(super) fn settle_presence(&mut self, now: Stamp) {
        for side in Side::BOTH {
            if self.header.is_house(side) {
                continue;
            }
            let is_there = self.audiences.has_side(side) || self.attendance[side].elsewhere.is_some();
            let attendance = &mut self.attendance[side];
            if is_there {
                attendance.left_at = None;
                self.set_presence(side, Presence::Present);
            } else if attendance.left_at.is_none() {
                attendance.left_at = Some(now);
                if attendance.presence == Presence::Present {
                    self.set_presence(side, Presence::Reconnecting);
                }
            } else if self.absent_since(side).is_some_and(|since| now >= since.plus_ms(AWAY_AFTER_MS)) {
                self.set_presence(side, Presence::Away);
            }
        }
    }

    fn set_presence(&mut self, side: Side, presence: Presence) {
        if std::mem::replace(&mut self.attendance[side].presence, presence) != presence {
            let left = self.has_left(side);
            self.audiences.tell_all(&ServerToClient::Presence { game: self.id, side, presence, left });
        }
    }
}
