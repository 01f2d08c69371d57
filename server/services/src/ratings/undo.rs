//! Undoes the effect of a game on the ratings of its players, at most once, and marks this in
//! their histories.
//!
//! Later games were rated with the changed ratings, and are not rated again. Instead, the points
//! that a player gained by the game are subtracted from their current rating, or the points that
//! they lost are added. The deviation does not change.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Player, RatingChange};
use flagfall_store::{Expect, Store, StoreError, Update, Write};
use thiserror::Error;

use super::record::{Class, RatingRecord, history_of, rating_key};
use super::{change_of, replace};
use crate::histories::{Change, HistoryRecord, Line, amend, rated_lines};
use crate::records::{find, mark, put};
use flagfall_base::keys::{RATED, RATING_DUE, RATING_HISTORY, UNRATED};
use flagfall_base::scan::Scan;
use flagfall_base::transact::Transaction;
use flagfall_game::{TableError, finished};

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UndoError {
    /// The game is casual, does not count, has not ended, or does not exist.
    #[error("this game did not change any rating")]
    NotRated,
    #[error("this game is being rated; try again in a moment")]
    Due,
    #[error("the effect of this game on ratings was already undone")]
    UndoneBefore,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Undoes the effect of a game on ratings, and writes `note` in the same update. After an error,
/// nothing has changed. The exception is [`UndoError::Store`], after which the change may have
/// been written. Calling this again shows whether it was.
pub async fn undo(
    store: &dyn Store,
    game: GameId,
    note: impl Fn(&RatingChange) -> Result<Write, StoreError>,
) -> Result<RatingChange, UndoError> {
    let mut transaction = Transaction::new(store, "the ratings of these players");
    loop {
        if store.get(UNRATED.key([&game])?).await?.is_some() {
            return Err(UndoError::UndoneBefore);
        }
        let found = find::<RatingChange>(store, RATED.key([&game])?, "a change").await?;
        let found = match found {
            Some((change, _)) => Some(change),
            // The record may have been deleted after the game was archived, but the players'
            // histories contain the change.
            None => match finished(store, game).await {
                Ok(Some(finished)) => change_of(store, game, &finished).await?,
                Ok(None) | Err(TableError::NotFound | TableError::Quarantined | TableError::TooNew) => None,
                Err(error @ (TableError::Unavailable | TableError::Failed)) => {
                    return Err(StoreError::Unavailable { why: error.to_string() }.into());
                }
            },
        };
        let Some(change) = found else {
            let is_due = store.get(RATING_DUE.key([&game])?).await?.is_some();
            return Err(if is_due { UndoError::Due } else { UndoError::NotRated });
        };
        let update = update_of(store, &change, note(&change)?).await?;
        // If the commit fails, either another game changed these ratings first, or this update
        // was written after all. The next iteration finds out.
        if transaction.commit(update).await? {
            return Ok(change);
        }
    }
}

async fn update_of(store: &dyn Store, change: &RatingChange, note: Write) -> Result<Update, UndoError> {
    let game = change.game;
    let unreadable = |error: flagfall_game::TableError| StoreError::Unavailable { why: error.to_string() };
    let finished = finished(store, game).await.map_err(unreadable)?.ok_or(UndoError::NotRated)?;
    let class = Class { ruleset: change.ruleset.clone(), speed: change.speed };
    let mut update = Update {
        conditions: vec![(UNRATED.key([&game])?, Expect::Absent)],
        writes: vec![mark(UNRATED.key([&game])?, None), note],
    };
    for side in Side::BOTH {
        let points = f64::from(change.after[side].rating) - f64::from(change.before[side].rating);
        let player = &finished.players[side];
        take(store, player, &class, points, &mut update).await?;
        mark_undone(store, player, &class, game, finished.ended.0, &mut update).await?;
    }
    Ok(update)
}

async fn take(
    store: &dyn Store,
    player: &Player,
    class: &Class,
    points: f64,
    update: &mut Update,
) -> Result<(), StoreError> {
    let key = rating_key(&player.id, class)?;
    // A player who deleted their account has no rating.
    let Some(value) = store.get(key.clone()).await? else { return Ok(()) };
    let before = RatingRecord::read(Some(&value), store.now())?;
    update.conditions.push((key, Expect::Value(value)));
    update.writes.extend(replace(player, class, &before, &before.less(points))?);
    Ok(())
}

/// Marks in a player's history that the effect of the game was undone.
async fn mark_undone(
    store: &dyn Store,
    player: &Player,
    class: &Class,
    game: GameId,
    ended: u64,
    update: &mut Update,
) -> Result<(), StoreError> {
    for (key, value) in Scan::all(store, history_of(&player.id, class)?).await? {
        let record = HistoryRecord::read(&value)?;
        if record.game == game {
            let marked = HistoryRecord { undone: true, ..record };
            update.conditions.push((key.clone(), Expect::Value(value)));
            update.writes.push(put(key, &marked, None)?);
            return Ok(());
        }
    }
    let mark = |line: &mut Line| line.change = line.change.map(|change| Change { undone: true, ..change });
    amend(store, &player.id, game, ended, mark, update).await.map(drop)
}

/// Returns the rated games of a player in all classes, except those whose effect was undone.
pub async fn rated_games(store: &dyn Store, player: &str) -> Result<Vec<GameId>, StoreError> {
    let mut games = Vec::new();
    for (_, value) in Scan::all(store, RATING_HISTORY.under([&player])?).await? {
        let record = HistoryRecord::read(&value)?;
        games.extend(Some(record.game).filter(|_| !record.undone));
    }
    for line in rated_lines(store, player).await? {
        let is_undone = line.change.is_some_and(|change| change.undone);
        games.extend(Some(line.game).filter(|game| !is_undone && !games.contains(game)));
    }
    Ok(games)
}
