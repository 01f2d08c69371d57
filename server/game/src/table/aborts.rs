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
    /// Returns why this event aborts the game; `None` if it does not. Call this before the event is
    /// applied.
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
        match self {
            AbortCause::CalledOff(by) => PerSide::from_fn(|side| side == by),
            AbortCause::NotDeployed(sides) => sides,
        }
    }
}

impl From<AbortCause> for Abort {
    fn from(cause: AbortCause) -> Abort {
        match cause {
            AbortCause::CalledOff(by) => Abort { called_off_by: Some(by), not_deployed: Vec::new() },
            AbortCause::NotDeployed(sides) => {
                let not_deployed = Side::BOTH.into_iter().filter(|side| sides[*side]).collect();
                Abort { called_off_by: None, not_deployed }
            }
        }
    }
}
