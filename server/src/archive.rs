//! Games that are long over leave the dear memory of the store; what can be read of them stays the
//! same.
//!
//! The end of a game leaves `ended/TIME/GAME`, in its own append. Whoever finds one that is old
//! enough has the store archive the log, and then takes the record away: a server that is lost in
//! between leaves it to be found again, and archiving twice does nothing.

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use flagfall_store::{Archive, Head, Key, ReadError, Store, StoreError, Update, Write};
use metrics::counter;
use tokio::time::sleep;

use crate::metrics::GAMES_ARCHIVED;
use crate::table::{TableError, finished};

/// Records read at a time.
const CHUNK: usize = 256;
/// What the keys of all ends begin with.
const ENDED: &str = "ended/";

/// The record of a game that ends now; it goes with the append of the end.
pub(crate) fn ended(game: GameId, at: Stamp) -> Option<Write> {
    // Moments have one width, so that keys stand in the order of time.
    let key = Key::new(format!("{ENDED}{:016}/{game}", at.0)).ok()?;
    Some(Write::Put { key, value: Vec::new(), expires: None })
}

fn ended_at(key: &Key) -> Option<(Stamp, GameId)> {
    let (at, game) = std::str::from_utf8(key.as_bytes()).ok()?.strip_prefix(ENDED)?.split_once('/')?;
    Some((Stamp(at.parse().ok()?), game.parse().ok()?))
}

/// Has games archived so long after their end, with so much time between two looks, until the
/// future is dropped. Without a time after the end none is.
pub async fn archive_old_games(store: Arc<dyn Store>, after: Option<Duration>, every: Duration) {
    let Some(after) = after else { return std::future::pending().await };
    loop {
        match archive_due(&*store, after).await {
            Ok(0) => {}
            Ok(games) => tracing::info!(games, "games that are long over were archived"),
            Err(error) => {
                crate::trouble::note_refusal(
                    &error,
                    "games that are long over could not be archived; they will be",
                );
            }
        }
        sleep(every).await;
    }
}

/// Archives the games that ended at least so long ago; how many those were.
///
/// # Errors
/// [`StoreError`]: the others will be found again. A damaged game is no error; it is told and stays
/// as it is.
pub async fn archive_due(store: &dyn Store, after: Duration) -> Result<usize, StoreError> {
    let prefix = Key::new(ENDED)?;
    let (mut archived, mut from) = (0, None);
    loop {
        let records = store.scan(prefix.clone(), from.take(), CHUNK).await?;
        let Some((last, _)) = records.last() else { return Ok(archived) };
        from = Some(last.clone());
        for (key, _) in records {
            let Some((at, game)) = ended_at(&key) else { continue };
            if !is_old(store, at, after) {
                return Ok(archived);
            }
            match store.archive_log(game).await {
                Ok(true) => {
                    archived += 1;
                    counter!(GAMES_ARCHIVED).increment(1);
                }
                // Something of it is still to be done, unless it was deleted.
                Ok(false) if has_log(store, game).await? => continue,
                Ok(false) => {}
                Err(StoreError::Damaged { what }) => {
                    tracing::error!(%game, what, "a game that is over cannot be archived");
                }
                Err(error) => return Err(error),
            }
            store.update(Update { conditions: Vec::new(), writes: vec![Write::Delete { key }] }).await?;
        }
    }
}

async fn has_log(store: &dyn Store, game: GameId) -> Result<bool, StoreError> {
    match store.head(game).await {
        Ok(head) => Ok(head != Head::START),
        Err(ReadError::Damaged { .. }) => Ok(true),
        Err(ReadError::Unavailable { why }) => Err(StoreError::Unavailable { why }),
    }
}

fn is_old(store: &dyn Store, at: Stamp, after: Duration) -> bool {
    u128::from(store.now().ms_since(at)) >= after.as_millis()
}

/// Archives all games of a store that ended at least so long ago, whether or not anything tells of
/// their end: how many were over for so long, of how many. `told` hears of each.
///
/// # Errors
/// [`StoreError`].
pub async fn archive_all(
    store: &dyn Archive,
    after: Duration,
    mut told: impl FnMut(usize, usize),
) -> Result<(usize, usize), StoreError> {
    let games = store.games().await?;
    let (mut archived, mut seen) = (0, 0);
    for game in games {
        seen += 1;
        match finished(store, game).await {
            Ok(Some(finished)) if is_old(store, finished.ended, after) => {
                archived += usize::from(store.archive_log(game).await?);
            }
            Ok(_) => {}
            Err(TableError::Unavailable) => {
                return Err(StoreError::Unavailable { why: TableError::Unavailable.to_string() });
            }
            // It stays as it is: an operator must look at it first.
            Err(TableError::NotFound | TableError::Quarantined) => {}
        }
        told(archived, seen);
    }
    Ok((archived, seen))
}

#[cfg(test)]
mod tests {
    use flagfall_store::{ManualClock, MemoryStore};

    use super::*;

    #[tokio::test]
    async fn a_game_is_archived_when_it_has_been_over_for_long_and_the_record_goes() {
        let clock = Arc::new(ManualClock::new(Stamp(5_000)));
        let store = MemoryStore::new(clock.clone());
        let after = Duration::from_secs(10);
        for number in 1..=3 {
            let game = GameId::from_random([number; 12]);
            let writes = ended(game, Stamp(u64::from(number) * 1_000)).into_iter().collect();
            store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
        }
        assert_eq!(archive_due(&store, after).await, Ok(0));
        clock.advance_ms(7_000);
        assert_eq!(archive_due(&store, after).await, Ok(2), "1,000 and 2,000 are 10 s ago");
        assert_eq!(archive_due(&store, after).await, Ok(0), "and no more");
        clock.advance_ms(60_000);
        assert_eq!(archive_due(&store, after).await, Ok(1));
        assert!(store.scan(Key::new(ENDED).unwrap(), None, 10).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_server_that_is_lost_in_between_leaves_the_rest_to_the_next() {
        use flagfall_store::memory::Fault;
        for fault in [Fault::Unavailable, Fault::UnknownBeforeWriting, Fault::UnknownAfterWriting] {
            let store = MemoryStore::new(Arc::new(ManualClock::new(Stamp(100_000))));
            let games = [1, 2].map(|number| GameId::from_random([number; 12]));
            let writes = games.iter().filter_map(|game| ended(*game, Stamp(1_000))).collect();
            store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
            store.fail_next(fault);
            let first = archive_due(&store, Duration::from_secs(1)).await;
            assert!(first == Ok(2) || fault == Fault::Unavailable, "{first:?}");
            assert!(archive_due(&store, Duration::from_secs(1)).await.is_ok());
            assert!(store.scan(Key::new(ENDED).unwrap(), None, 10).await.unwrap().is_empty());
        }
    }
}
