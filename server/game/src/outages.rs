//! Outages: times in which no server ran, or no server reached the store.
//!
//! A game's log records an outage when the game is next opened. For a game at rest that may be
//! weeks later, so the store keeps a list of the latest outages. When a server starts, it adds
//! the time since the last heartbeat to this list. While servers run, the store detects outages
//! and adds them: see [`flagfall_store::clock`] for stores of one process, and `heartbeat.lua`
//! for Redis.

use flagfall_base::keys::OUTAGES;
use flagfall_base::transact::{Transaction, expect};
use flagfall_board::{GameId, Stamp};
use flagfall_store::{Outage, OutageList, Store, StoreError, Update, Write};

/// Returns the latest outages that concern a game, oldest first.
pub(super) async fn known_outages(store: &dyn Store, game: GameId) -> Result<OutageList, StoreError> {
    Ok(OutageList::parse(store.outages_record(game).await?.as_deref()))
}

/// Adds the time from `since` until now to the list of outages, because no server ran.
pub async fn note_outage(store: &dyn Store, since: Stamp) -> Result<(), StoreError> {
    let key = OUTAGES.key([])?;
    let mut transaction = Transaction::new(store, "the list of outages");
    loop {
        let before = store.get(key.clone()).await?;
        let mut outages = OutageList::parse(before.as_deref());
        outages.add(Outage { since, until: store.now().max(since) });
        let write = Write::Put { key: key.clone(), value: outages.to_record(), expires: None };
        let conditions = vec![(key.clone(), expect(before))];
        // If the store wrote the outage but the confirmation was lost, the loop adds the outage
        // twice, which does no harm.
        if transaction.commit(Update { conditions, writes: vec![write] }).await? {
            return Ok(());
        }
    }
}

/// Returns the outages that a log lacks, combined into one. `latest` is the time of the log's last
/// entry, and `shown` that of the last one that everyone was shown. If the last entry paused the
/// game, `paused_since` is the time of the pause.
///
/// Nothing has happened in the game since `latest`, so only the total time for which the game's
/// clocks were stopped matters. The combined outage begins when the first outage began, and lasts
/// as long as all outages together.
pub(super) fn missing(
    outages: &OutageList,
    latest: Stamp,
    shown: Stamp,
    paused_since: Option<Stamp>,
) -> Option<Outage> {
    let mut missing: Vec<Outage> = outages.iter().filter(|outage| outage.until > latest).copied().collect();
    missing.sort_by_key(|outage| outage.since);
    if let Some(paused_since) = paused_since {
        // The pause lasts until the end of the first outage. Without an outage, the pause took no
        // time, because other servers kept running.
        let until = missing.first().map_or(paused_since, |outage| outage.until);
        missing.insert(0, Outage { since: paused_since, until });
    }
    let first = missing.first()?;
    let since = paused_since.unwrap_or(first.since.max(shown));
    let (mut ms, mut counted) = (0, since);
    for outage in &missing {
        ms += outage.until.ms_since(counted.max(outage.since));
        counted = counted.max(outage.until);
    }
    Some(Outage { since, until: since.plus_ms(ms) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_store::OUTAGES_MAX;
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;

    #[tokio::test]
    async fn the_second_server_knows_of_an_outage_if_the_first_was_lost_at_once() {
        let clock = Arc::new(ManualClock::new(Stamp(1_000)));
        let store = TestStore::new(clock.clone());
        assert_eq!(note(&store).await, OutageList::default(), "a new store knows of no outage");
        store.heartbeat().await.unwrap();
        clock.advance_ms(5_000);
        store.reopen();
        let first = note(&store).await;
        assert_eq!(missing_after(&first, 900), Some((1_000, 6_000)));
        store.heartbeat().await.unwrap();
        clock.advance_ms(100);
        store.reopen();
        let second = note(&store).await;
        assert_eq!(missing_after(&second, 900), Some((1_000, 6_100)), "no log entry covers the first outage");
        assert_eq!(
            missing_after(&second, 6_000),
            Some((6_000, 6_100)),
            "covered by the server that wrote then"
        );
        assert_eq!(
            missing_after(&second, 6_050),
            Some((6_050, 6_100)),
            "written after the last sign of life"
        );
        assert_eq!(missing_after(&second, 6_100), None);
    }

    /// Adds the outage to the list and reads the list, as a starting server does.
    async fn note(store: &TestStore) -> OutageList {
        if let Some(since) = store.last_heartbeat().await.unwrap() {
            note_outage(store, since).await.unwrap();
        }
        known_outages(store, GameId::from_random([7; 12])).await.unwrap()
    }

    /// Returns the start and the end of the outage that a log lacks. `latest` is the time of the
    /// log's last entry.
    fn missing_after(outages: &OutageList, latest: u64) -> Option<(u64, u64)> {
        missing(outages, Stamp(latest), Stamp(latest), None).map(|missing| (missing.since.0, missing.until.0))
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut outages = OutageList::default();
        let at = |stamp| Outage { since: Stamp(stamp), until: Stamp(stamp) };
        (1..=1_032).for_each(|stamp| outages.add(at(stamp)));
        outages.add(at(1_032));
        assert_eq!(outages.len(), OUTAGES_MAX);
        assert_eq!(outages.iter().next().unwrap().since, Stamp(9));
    }

    fn missing_of(outages: &[(u64, u64)], latest: u64, paused: Option<u64>) -> Option<(u64, u64)> {
        let outages =
            outages.iter().map(|(since, until)| Outage { since: Stamp(*since), until: Stamp(*until) });
        let (latest, paused) = (Stamp(latest), paused.map(Stamp));
        let missing = missing(&outages.collect(), latest, latest, paused)?;
        Some((missing.since.0, missing.until.0))
    }

    #[test]
    fn a_log_lacks_all_outages_since_its_last_entry_as_one() {
        let outages = [(100, 200), (500, 550), (900, 1_000)];
        assert_eq!(missing_of(&outages, 50, None), Some((100, 350)));
        assert_eq!(missing_of(&outages, 100, None), Some((100, 350)));
        assert_eq!(
            missing_of(&outages, 130, None),
            Some((130, 350)),
            "it went on a little after the last sign of life"
        );
        assert_eq!(missing_of(&outages, 200, None), Some((500, 650)));
        assert_eq!(missing_of(&outages, 999, None), Some((999, 1_000)));
        assert_eq!(missing_of(&outages, 1_000, None), None);
        // Where outages overlap, the time counts only once.
        assert_eq!(missing_of(&[(100, 200), (100, 210), (205, 300)], 50, None), Some((100, 300)));
        // The log has the beginning of a pause but not its end.
        assert_eq!(missing_of(&outages, 90, Some(80)), Some((80, 350)));
        assert_eq!(missing_of(&outages, 700, Some(650)), Some((650, 1_000)));
        assert_eq!(missing_of(&outages, 2_000, Some(1_900)), Some((1_900, 1_900)), "others were there");
    }
}
