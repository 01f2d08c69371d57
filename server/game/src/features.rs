//! Records and jobs that other parts of the server write in the same append as a game's events.

use flagfall_board::{GameId, PerSide, Stamp};
use flagfall_store::Write;

use super::header::GameHeader;

/// An event of a game that can have consequences outside the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Milestone {
    Opened,
    /// Something is appended, after which a side may have to act.
    Acted,
    Ended(GameEnd),
}

/// How a game ends, besides its outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameEnd {
    /// The sides whose player left, or did not deploy. Leaving a house player does not count.
    pub left: PerSide<bool>,
    pub aborted_by: Option<PerSide<bool>>,
}

/// Turns the events of games into records and jobs of features. This crate does not depend on any
/// feature. It writes these records and jobs in the append of the event, so none is lost in a
/// crash.
pub trait Features: Send + Sync + 'static {
    fn writes(&self, game: GameId, header: &GameHeader, milestone: Milestone, now: Stamp) -> Vec<Write>;

    fn note_end(&self, game: GameId);
}
