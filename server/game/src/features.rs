//! Records and jobs that other parts of the server write in the same append as a game's events.

use flagfall_board::{GameId, PerSide, Ply, Stamp};
use flagfall_store::{Store, Write};
use futures_util::future::BoxFuture;

use super::header::GameHeader;

/// The number of plies that a game must have to be rated.
pub const RATED_PLIES_MIN: Ply = 2;

/// An event of a game that can have consequences outside the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Milestone {
    Opened,
    /// Events that may require a side to act are about to be appended.
    Acted,
    Ended(GameEnd),
}

/// Details that the outcome of a game does not contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameEnd {
    /// True for each side whose player left or did not deploy. A player who leaves a game against
    /// a house player does not count.
    pub left: PerSide<bool>,
    /// The sides that aborted the game, did not deploy, or gave up a rated game before it had
    /// enough plies to be rated. `None` if the game ended in another way.
    pub spoiled_by: Option<PerSide<bool>>,
}

/// Turns the events of games into records and jobs for features, such as ratings. The records and
/// jobs are written in the same append as the event, so none is lost in a crash. This crate does
/// not depend on any feature.
pub trait Features: Send + Sync + 'static {
    fn writes(&self, game: GameId, header: &GameHeader, milestone: Milestone, now: Stamp) -> Vec<Write>;

    fn note_end(&self, game: GameId);

    /// True if records show that the player took part in a finished game whose log cannot be read.
    fn has_played<'a>(&'a self, store: &'a dyn Store, player: &'a str, game: GameId) -> BoxFuture<'a, bool>;
}
