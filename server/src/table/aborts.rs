//! Why a game was aborted, and who may return to the pool.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::Abort;
use flagfall_rules::{EndReason, Event, Phase};
use flagfall_store::Write;
use flagfall_store::record::CommandStamp;

use super::core::Table;
use flagfall_base::keys::POOL_RETURNS;

/// How long the pool may take a player back after an abort, in milliseconds.
const RETURN_MS: u64 = 60_000;

/// The cause of an abort, which is public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AbortCause {
    /// This side called the game off.
    CalledOff(Side),
    /// These sides had not deployed in time.
    NotDeployed(PerSide<bool>),
}

impl AbortCause {
    fn is_by(self, side: Side) -> bool {
        match self {
            AbortCause::CalledOff(by) => by == side,
            AbortCause::NotDeployed(sides) => sides[side],
        }
    }
}

impl From<AbortCause> for Abort {
    fn from(cause: AbortCause) -> Abort {
        let called_off_by = match cause {
            AbortCause::CalledOff(by) => Some(by),
            AbortCause::NotDeployed(_) => None,
        };
        let has_not_deployed = |side: &Side| called_off_by.is_none() && cause.is_by(*side);
        Abort { called_off_by, not_deployed: Side::BOTH.into_iter().filter(has_not_deployed).collect() }
    }
}

impl Table {
    /// Why this event aborts the game, if it does. Call it before the event is carried out.
    pub(super) fn abort_cause(&self, event: &Event, asker: Option<Side>) -> Option<AbortCause> {
        event.outcome().filter(|outcome| outcome.reason == EndReason::Aborted)?;
        Some(match asker {
            Some(side) => AbortCause::CalledOff(side),
            None => {
                let is_deploying = self.game.phase() == Phase::Deploying;
                AbortCause::NotDeployed(PerSide::from_fn(|side| is_deploying && !self.game.is_ready(side)))
            }
        })
    }

    /// What clients are told of the abort.
    pub(super) fn abort(&self) -> Option<Abort> {
        self.aborted.map(Abort::from)
    }

    /// The note to the pool, in the append of the abort, that players who did not cause it wait
    /// again. The pool knows whether the game came from there.
    pub(super) fn pool_return(
        &self,
        now: Stamp,
        event: &Event,
        stamp: Option<&CommandStamp>,
    ) -> Option<Write> {
        let asker = stamp.and_then(|stamp| self.header.side_of(&stamp.player));
        let cause = self.abort_cause(event, asker)?;
        let innocent: Vec<&str> = Side::BOTH
            .into_iter()
            .filter(|side| !cause.is_by(*side) && !self.header.has_house())
            .map(|side| self.header.players[side].id.as_str())
            .collect();
        if innocent.is_empty() {
            return None;
        }
        let value = serde_json::to_vec(&innocent).ok()?;
        let expires = Some(now.plus_ms(RETURN_MS));
        Some(Write::Put { key: POOL_RETURNS.key([&self.id]).ok()?, value, expires })
    }
}
