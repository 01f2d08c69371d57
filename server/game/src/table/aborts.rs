//! Why a game was aborted.

use flagfall_board::{PerSide, Side};
use flagfall_protocol::Abort;
use flagfall_rules::{EndReason, Event, Game, Phase};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AbortCause {
    CalledOff(Side),
    NotDeployed(PerSide<bool>),
}

impl AbortCause {
    /// Why this event aborts the game, if it does. Call it before the event is carried out.
    pub(super) fn of(event: &Event, game: &Game, asker: Option<Side>) -> Option<AbortCause> {
        event.outcome().filter(|outcome| outcome.reason == EndReason::Aborted)?;
        Some(match asker {
            Some(side) => AbortCause::CalledOff(side),
            None => {
                let is_deploying = game.phase() == Phase::Deploying;
                AbortCause::NotDeployed(PerSide::from_fn(|side| is_deploying && !game.is_ready(side)))
            }
        })
    }

    pub(super) fn sides(self) -> PerSide<bool> {
        PerSide::from_fn(|side| self.is_by(side))
    }

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
