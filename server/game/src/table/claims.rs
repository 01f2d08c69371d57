//! Decides when a player may claim a game that the opponent has left.
//!
//! A player goes through three stages. When their connection is lost, they count as reconnecting.
//! After half a minute, they count as away. After
//! [`claim_wait_ms`](flagfall_rules::TimeControl::claim_wait_ms), or half of that if they left on
//! purpose, the opponent may claim the game. The game continues unless the opponent claims it,
//! and a player who returns in time has lost nothing. The wait counts only while the game can be
//! played and the opponent is present, so an outage of a server or a network never counts against
//! a player.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{Presence, ServerToClient};

use super::audience::Audiences;
use super::presence::Attendance;

/// The times that determine when a player may claim the game.
#[derive(Default, Clone, Copy)]
pub(crate) struct Claims {
    /// The start of the period in which the game has been playable without a break.
    playable_since: Option<Stamp>,
    waits: PerSide<Wait>,
}

#[derive(Default, Clone, Copy)]
struct Wait {
    /// The start of the period in which the player has been present, ignoring short drops of the
    /// connection. `None` while the player is away.
    here_since: Option<Stamp>,
    /// The time from which the opponent may claim the game, as it was last sent to clients.
    told: Option<Stamp>,
}

impl Claims {
    /// Updates the claims after players have come or left, and tells all clients about changes.
    /// `wait_ms` is the time that an opponent has to wait; it is `None` if the game cannot be
    /// claimed at all.
    pub(super) fn update(
        &mut self,
        now: Stamp,
        is_playable: bool,
        wait_ms: Option<u64>,
        attendance: &mut Attendance,
        audiences: &Audiences,
    ) {
        self.playable_since = is_playable.then(|| self.playable_since.unwrap_or(now));
        let presence = attendance.presence();
        for side in Side::BOTH {
            let here_since = &mut self.waits[side].here_since;
            match presence[side] {
                Presence::Present => {
                    attendance.note_leaving(side, false);
                    here_since.get_or_insert(now);
                }
                Presence::Reconnecting => {}
                Presence::Away => *here_since = None,
            }
        }
        for side in Side::BOTH {
            let claim_at = self.claim_at(side, wait_ms, attendance);
            if std::mem::replace(&mut self.waits[side].told, claim_at) != claim_at {
                let at = claim_at.map(|at| at.0);
                audiences.tell_all(&ServerToClient::Claimable { game: audiences.id, gone: side, at });
            }
        }
    }

    /// Returns the time from which the game can be claimed because the player of side `gone` is
    /// away. `None` if it cannot be claimed.
    pub(super) fn claim_at(
        &self,
        gone: Side,
        wait_ms: Option<u64>,
        attendance: &Attendance,
    ) -> Option<Stamp> {
        let absent_since = attendance.absent_since(gone)?.max(attendance.acted_at(gone).unwrap_or_default());
        let since = absent_since.max(self.waits[gone.opponent()].here_since?).max(self.playable_since?);
        let is_on_purpose = attendance.gone_on_purpose()[gone];
        wait_ms.map(|wait_ms| since.plus_ms(if is_on_purpose { wait_ms / 2 } else { wait_ms }))
    }
}
