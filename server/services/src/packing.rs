//! Packs the logs of old finished games in a store without an archive. Packed logs can be read
//! like all others.
//!
//! The append that ends a game also writes the record `ended/TIME/GAME`. When the record is old
//! enough, a server makes the store pack the log, and then deletes the record. If the server
//! crashes in between, the record is found again. Packing a log twice does no harm.

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::GameId;
use flagfall_store::{Head, ReadError, Store, StoreError, Transfer, Update, Write};
use metrics::counter;
use tokio::time::sleep;

use crate::ended::{is_old, with_finished};
use flagfall_base::keys::ENDED;
use flagfall_base::scan::Scan;
use flagfall_base::telemetry::GAMES_PACKED;

pub async fn pack_old_games(store: Arc<dyn Store>, after: Option<Duration>, every: Duration) {
    let Some(after) = after else { return std::future::pending().await };
    loop {
        match pack_due(&*store, after).await {
            Ok(0) => {}
            Ok(games) => tracing::info!(games, "old games were packed"),
            Err(error) => {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "old games could not be packed; the server will try again",
                );
            }
        }
        sleep(every).await;
    }
}

/// Packs the games that ended at least `after` ago, and returns how many were packed. If an
/// error interrupts the work, the next call finds the remaining games. A damaged game does not
/// count as an error. It is reported and not changed.
pub async fn pack_due(store: &dyn Store, after: Duration) -> Result<usize, StoreError> {
    let (mut packed, mut scan) = (0, Scan::new(store, ENDED.all()?));
    while let Some(records) = scan.next().await? {
        for (key, _) in records {
            let Some((at, game)) = ENDED.time_and_game(&key) else { continue };
            if !is_old(store, at, after) {
                return Ok(packed);
            }
            match store.pack_log(game).await {
                Ok(true) => {
                    packed += 1;
                    counter!(GAMES_PACKED).increment(1);
                }
                // The log cannot be packed yet, so try again later. If the log was deleted,
                // delete the record as well.
                Ok(false) if has_log(store, game).await? => continue,
                Ok(false) => {}
                Err(StoreError::Damaged { what }) => {
                    tracing::error!(%game, reason = what, "a finished game cannot be packed");
                }
                Err(error) => return Err(error),
            }
            store.update(Update { conditions: Vec::new(), writes: vec![Write::Delete { key }] }).await?;
        }
    }
    Ok(packed)
}

async fn has_log(store: &dyn Store, game: GameId) -> Result<bool, StoreError> {
    match store.head(game).await {
        Ok(head) => Ok(head != Head::START),
        Err(ReadError::Damaged { .. }) => Ok(true),
        Err(error @ ReadError::Unavailable { .. }) => Err(error.into()),
    }
}

/// Packs all games that ended at least `after` ago, even without a record of their end.
/// Returns how many of these games are packed, and how many games the store has. After each
/// game, calls `told` with both counts so far.
pub async fn pack_all(
    store: &dyn Transfer,
    after: Duration,
    told: impl FnMut(usize, usize),
) -> Result<(usize, usize), StoreError> {
    with_finished(store, after, async |game, _| store.pack_log(game).await, told).await
}

#[cfg(test)]
mod tests {
    use flagfall_board::Stamp;
    use flagfall_store_testing::{ManualClock, TestStore, WriteFault};

    use super::*;
    use crate::ended::ended;

    #[tokio::test]
    async fn a_game_is_packed_when_it_has_been_over_for_long_and_the_record_goes() {
        let clock = Arc::new(ManualClock::new(Stamp(5_000)));
        let store = TestStore::new(clock.clone());
        let after = Duration::from_secs(10);
        for number in 1..=3 {
            let game = GameId::from_random([number; 12]);
            let writes = ended(game, Stamp(u64::from(number) * 1_000)).into_iter().collect();
            store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
        }
        assert_eq!(pack_due(&store, after).await, Ok(0));
        clock.advance_ms(7_000);
        assert_eq!(pack_due(&store, after).await, Ok(2), "1,000 and 2,000 are 10 s ago");
        assert_eq!(pack_due(&store, after).await, Ok(0), "and no more");
        clock.advance_ms(60_000);
        assert_eq!(pack_due(&store, after).await, Ok(1));
        assert!(store.scan(ENDED.all().unwrap(), None, 10).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_server_that_is_lost_in_between_leaves_the_rest_to_the_next() {
        for fault in
            [WriteFault::Unavailable, WriteFault::UnknownBeforeWriting, WriteFault::UnknownAfterWriting]
        {
            let store = TestStore::new(Arc::new(ManualClock::new(Stamp(100_000))));
            let games = [1, 2].map(|number| GameId::from_random([number; 12]));
            let writes = games.iter().filter_map(|game| ended(*game, Stamp(1_000))).collect();
            store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
            store.fail_next(fault);
            let first = pack_due(&store, Duration::from_secs(1)).await;
            assert!(first == Ok(2) || fault == WriteFault::Unavailable, "{first:?}");
            assert!(pack_due(&store, Duration::from_secs(1)).await.is_ok());
            assert!(store.scan(ENDED.all().unwrap(), None, 10).await.unwrap().is_empty());
        }
    }
}
