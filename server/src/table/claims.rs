//! From when on a player may claim the game that the other one has left.
//!
//! The third of three timers: a link that is dead is noticed by its connection and its player counts as reconnecting, after half a minute he is away, and after
//! [`claim_wait_ms`](flagfall_rules::TimeControl::claim_wait_ms), half of it when he left on purpose, the other side may claim. Nothing happens by itself, and whoever comes back has lost
//! nothing. Time counts only while the game can be played and the other side is there to wait: a server or a network that was away is nobody's absence.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{Presence, ServerToClient};
use flagfall_rules::{Phase, Viewer};

use super::core::Table;
use super::listing::Absence;
use super::presence::AWAY_AFTER_MS;
use flagfall_base::delivery::ConnectionId;

/// After how long a game can be claimed at the earliest, in milliseconds.
pub(super) const CLAIM_MS: u64 = 60_000;

/// What a table knows of how long its players have been here or gone.
#[derive(Clone, Copy)]
pub(super) struct Claims {
    /// After how long the game can be claimed at the earliest, in milliseconds; slow clocks wait longer.
    least_ms: u64,
    /// Since when the game can be played without a break.
    playable_since: Option<Stamp>,
    waits: PerSide<Wait>,
    /// Who said that he goes.
    is_on_purpose: PerSide<bool>,
}

#[derive(Default, Clone, Copy)]
struct Wait {
    /// When the player acted on another server last.
    acted_at: Option<Stamp>,
    /// Since when he has been here, short drops of the line aside; none while he is away.
    here_since: Option<Stamp>,
    /// From when on the other side may claim the game, as everybody was told.
    told: Option<Stamp>,
}

impl Default for Claims {
    fn default() -> Claims {
        Claims {
            least_ms: CLAIM_MS,
            playable_since: None,
            waits: PerSide::default(),
            is_on_purpose: PerSide::default(),
        }
    }
}

impl Table {
    /// Games can be claimed after this long, slow ones later.
    pub(super) fn set_claim_wait(&mut self, least_ms: u64) {
        self.claims.least_ms = least_ms;
    }

    /// A connection is closed by its player's will, or not.
    pub(super) fn note_leaving(&mut self, connection: ConnectionId, is_on_purpose: bool) {
        if let Some(Viewer::Player(side)) = self.audiences.find_player(connection).map(|player| player.viewer)
        {
            self.claims.is_on_purpose[side] = is_on_purpose;
        }
    }

    /// Other servers say who left on purpose there.
    pub(super) fn note_left_elsewhere(&mut self, left: PerSide<bool>) {
        for side in Side::BOTH.into_iter().filter(|side| left[*side]) {
            self.claims.is_on_purpose[side] = true;
        }
    }

    /// Who has gone on purpose and not come back.
    pub(super) fn gone_on_purpose(&self) -> PerSide<bool> {
        self.claims.is_on_purpose
    }

    /// Who is away.
    pub(super) fn absence(&self) -> Absence {
        Absence { gone: self.claims.is_on_purpose, left: self.left() }
    }

    /// Who was away when the game went to rest: it is the same absence still.
    pub(super) fn set_absence(&mut self, absence: Absence) {
        self.claims.is_on_purpose = absence.gone;
        self.set_left(absence.left);
    }

    /// A player has acted on another server: he was there then.
    pub(super) fn note_act(&mut self, side: Side, at: Stamp) {
        self.claims.waits[side].acted_at = Some(at);
    }

    /// When a player acted last, as the log says.
    pub(super) fn acted_at(&self, side: Side) -> Option<Stamp> {
        self.claims.waits[side].acted_at
    }

    /// Whether a player has gone away, on purpose or for half a minute, from a game at which he has to be: not where a ply has days.
    pub(super) fn has_gone_away(&self, side: Side, now: Stamp) -> bool {
        let has_to_be_here = self.game.terms().time.claim_wait_ms(self.claims.least_ms).is_some();
        let is_away = |since: Stamp| self.claims.is_on_purpose[side] || now >= since.plus_ms(AWAY_AFTER_MS);
        has_to_be_here && self.absent_since(side).is_some_and(is_away)
    }

    /// Looks what comings and goings make of claims, and tells everybody what has changed.
    pub(super) fn settle_claims(&mut self, now: Stamp) {
        let is_playable = self.game.phase() == Phase::Playing
            && !self.game.is_paused()
            && self.outage_since.is_none()
            && !self.is_quarantined;
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

    /// From when on the game can be claimed because this side is gone; none while it is here, and where nobody has to be.
    pub(super) fn claim_at(&self, gone: Side) -> Option<Stamp> {
        let Claims { least_ms, playable_since, waits, is_on_purpose } = &*self.claims;
        let (wait, other) = (&waits[gone], &waits[gone.opponent()]);
        let absent_since = self.absent_since(gone)?.max(wait.acted_at.unwrap_or_default());
        let since = absent_since.max(other.here_since?).max((*playable_since)?);
        let wait_ms = self.game.terms().time.claim_wait_ms(*least_ms)?;
        Some(since.plus_ms(if is_on_purpose[gone] { wait_ms / 2 } else { wait_ms }))
    }
}
