//! When a player may claim a game that the opponent has left.
//!
//! This is the last of three timers. When a connection is dead, its player counts as reconnecting.
//! After half a minute they count as away. After
//! [`claim_wait_ms`](flagfall_rules::TimeControl::claim_wait_ms), or half of it if they left on
//! purpose, the opponent may claim. Nothing happens without a claim, and a player who returns has
//! lost nothing. Time counts only while the game can be played and the opponent is there to wait,
//! so an outage of a server or a network never counts against a player.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{Presence, ServerToClient};
use flagfall_rules::{Phase, Viewer};

use super::listing::Absence;
use super::presence::AWAY_AFTER_MS;
use super::table::Table;
use flagfall_base::delivery::ConnectionId;

/// What a table knows of how long its players have been here or gone.
#[derive(Default, Clone, Copy)]
pub(super) struct Claims {
    /// Since when the game could be played without a break.
    playable_since: Option<Stamp>,
    waits: PerSide<Wait>,
    /// Which players said that they leave.
    is_on_purpose: PerSide<bool>,
}

#[derive(Default, Clone, Copy)]
struct Wait {
    /// When the player last acted, according to the log.
    acted_at: Option<Stamp>,
    /// Since when the player has been here, ignoring short drops of the connection; `None` while
    /// away.
    here_since: Option<Stamp>,
    /// The time told to clients from which the opponent may claim the game.
    told: Option<Stamp>,
}

impl Table {
    /// Notes whether a player closed the connection on purpose.
    pub(super) fn note_leaving(&mut self, connection: ConnectionId, is_on_purpose: bool) {
        if let Some(Viewer::Player(side)) = self.audiences.find_player(connection).map(|player| player.viewer)
        {
            self.claims.is_on_purpose[side] = is_on_purpose;
        }
    }

    /// Notes who left on purpose, as other servers report.
    pub(super) fn note_left_elsewhere(&mut self, left: PerSide<bool>) {
        for side in Side::BOTH.into_iter().filter(|side| left[*side]) {
            self.claims.is_on_purpose[side] = true;
        }
    }

    /// Players who left on purpose and have not come back.
    pub(super) fn gone_on_purpose(&self) -> PerSide<bool> {
        self.claims.is_on_purpose
    }

    /// Who is away.
    pub(super) fn absence(&self) -> Absence {
        Absence { gone: self.claims.is_on_purpose, left: self.left() }
    }

    /// Restores who was away when the game went to rest: the same absence continues.
    pub(super) fn set_absence(&mut self, absence: Absence) {
        self.claims.is_on_purpose = absence.gone;
        self.set_left(absence.left);
    }

    /// Notes that a player acted at this time: they were there then.
    pub(super) fn note_act(&mut self, side: Side, at: Stamp) {
        self.claims.waits[side].acted_at = Some(at);
    }

    /// When a player last acted, as the log says.
    pub(super) fn acted_at(&self, side: Side) -> Option<Stamp> {
        self.claims.waits[side].acted_at
    }

    /// True if a player has gone away, on purpose or for half a minute, from a game that requires
    /// them to be there. A game with days per ply does not.
    pub(super) fn has_gone_away(&self, side: Side, now: Stamp) -> bool {
        let has_to_be_here = self.game.terms().time.claim_wait_ms(self.settings.claim_ms).is_some();
        let is_away = |since: Stamp| self.claims.is_on_purpose[side] || now >= since.plus_ms(AWAY_AFTER_MS);
        has_to_be_here && self.absent_since(side).is_some_and(is_away)
    }

    /// Updates claims after players came or left, and tells all clients what has changed.
    pub(super) fn settle_claims(&mut self, now: Stamp) {
        let is_playable = self.game.phase() == Phase::Playing
            && !self.game.is_paused()
            && self.outage_since.is_none()
            && !self.is_quarantined();
        self.claims.playable_since = is_playable.then(|| self.claims.playable_since.unwrap_or(now));
        let presence = self.presence();
        for side in Side::BOTH {
            let presence = presence[side];
            let Claims { waits, is_on_purpose, .. } = &mut *self.claims;
            let wait = &mut waits[side];
            if presence == Presence::Present {
                is_on_purpose[side] = false;
                wait.here_since.get_or_insert(now);
            } else {
                wait.here_since = wait.here_since.filter(|_| presence == Presence::Reconnecting);
            }
        }
        for side in Side::BOTH {
            let claim_at = self.claim_at(side);
            if std::mem::replace(&mut self.claims.waits[side].told, claim_at) != claim_at {
                let at = claim_at.map(|at| at.0);
                self.audiences.tell_all(&ServerToClient::Claimable { game: self.id, gone: side, at });
            }
        }
    }

    /// When the game can be claimed because side `gone` is gone. `None` while that side is here,
    /// and where players need not be present.
    pub(super) fn claim_at(&self, gone: Side) -> Option<Stamp> {
        let Claims { playable_since, waits, is_on_purpose } = &*self.claims;
        let (wait, other) = (&waits[gone], &waits[gone.opponent()]);
        let absent_since = self.absent_since(gone)?.max(wait.acted_at.unwrap_or_default());
        let since = absent_since.max(other.here_since?).max((*playable_since)?);
        let wait_ms = self.game.terms().time.claim_wait_ms(self.settings.claim_ms)?;
        Some(since.plus_ms(if is_on_purpose[gone] { wait_ms / 2 } else { wait_ms }))
    }
}
