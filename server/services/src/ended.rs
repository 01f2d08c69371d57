//! The records of games that have ended and will be archived.

use std::time::Duration;

use flagfall_base::keys::{ENDED, time16};
use flagfall_board::{GameId, Stamp};
use flagfall_game::{TableError, finished};
use flagfall_store::{Store, StoreError, Transfer, Write};

use crate::records::mark;

/// Returns the record of a game that ends now. It is written in the append that ends the game.
pub(crate) fn ended(game: GameId, at: Stamp) -> Option<Write> {
    let key = ENDED.key([&time16(at), &game]).ok()?;
    Some(mark(key, None))
}

pub(crate) fn is_old(store: &dyn Store, at: Stamp, after: Duration) -> bool {
    u128::from(store.now().ms_since(at)) >= after.as_millis()
}

/// Calls `work` for all games that ended at least `after` ago, even for games without a record of
/// their end. Returns the number of games for which `work` returned true, and the number of games
/// in the store. After each game, calls `told` with both counts so far.
pub(crate) async fn with_finished(
    store: &dyn Transfer,
    after: Duration,
    work: impl AsyncFn(GameId, Stamp) -> Result<bool, StoreError>,
    mut told: impl FnMut(usize, usize),
) -> Result<(usize, usize), StoreError> {
    let games = store.games().await?;
    let (mut done, mut seen) = (0, 0);
    for game in games {
        seen += 1;
        match finished(store, game).await {
            Ok(Some(finished)) if is_old(store, finished.ended, after) => {
                done += usize::from(work(game, finished.ended).await?);
            }
            Ok(_) => {}
            Err(error @ (TableError::Unavailable | TableError::Failed)) => {
                return Err(StoreError::Unavailable { why: error.to_string() });
            }
            // An operator must look at a damaged game first.
            Err(TableError::NotFound | TableError::Quarantined | TableError::TooNew) => {}
        }
        told(done, seen);
    }
    Ok((done, seen))
}
