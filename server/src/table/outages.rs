//! When there was no server, or none that reached the store. A log tells of it when its game is opened next: for a game at rest that may be weeks later, so the latest outages
//! are kept in the store. Whoever opens its database alone notes one when it starts; in Redis the heartbeat that finds a silence notes it in the same step (`heartbeat.lua` writes
//! this very record).

use flagfall_board::Stamp;
use flagfall_store::{
    Expect, Key, OUTAGES_KEY, OUTAGES_MAX, Store, StoreError, Update, UpdateOutcome, Write,
};
use serde::{Deserialize, Serialize};

/// How often the list is read again because another server has written it meanwhile.
const ATTEMPTS: usize = 8;

/// A time without any server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Outage {
    /// The last sign of life.
    since: Stamp,
    /// When a server was there again. A log may have gone on a little after the last sign of life, but not after this.
    until: Stamp,
}

/// An outage as the store keeps it; earlier versions kept its beginning alone.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Span(Stamp, Stamp),
    Beginning(Stamp),
}

/// The outages that a log does not tell of, as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Untold {
    pub(super) since: Stamp,
    /// As long after its beginning as all of them took.
    pub(super) until: Stamp,
}

/// The latest outages, oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Outages(Vec<Outage>);

/// Keeps in the store that there was no server between this moment and now.
///
/// # Errors
/// [`StoreError`].
pub async fn note_outage(store: &dyn Store, since: Stamp) -> Result<(), StoreError> {
    Outages::note_since(store, since).await.map(drop)
}

impl Outages {
    /// Those the store knows of, and the one that ends now. It is in the store when this returns.
    pub(super) async fn note(store: &dyn Store) -> Result<Outages, StoreError> {
        match store.last_heartbeat().await? {
            Some(since) => Outages::note_since(store, since).await,
            None => Outages::known(store).await,
        }
    }

    /// Those the store knows of.
    pub(super) async fn known(store: &dyn Store) -> Result<Outages, StoreError> {
        Ok(Outages::read(store.get(Key::new(OUTAGES_KEY)?).await?.as_deref()))
    }

    /// A list that cannot be read is a list of nothing: the outage that ends now is known from the heartbeat.
    fn read(value: Option<&[u8]>) -> Outages {
        let kept: Vec<Kept> = value.and_then(|value| serde_json::from_slice(value).ok()).unwrap_or_default();
        let outage = |kept: Kept| match kept {
            Kept::Span(since, until) => Outage { since, until },
            Kept::Beginning(since) => Outage { since, until: since },
        };
        Outages(kept.into_iter().map(outage).collect())
    }

    async fn note_since(store: &dyn Store, since: Stamp) -> Result<Outages, StoreError> {
        let key = Key::new(OUTAGES_KEY)?;
        for _ in 0..ATTEMPTS {
            let before = store.get(key.clone()).await?;
            let mut outages = Outages::read(before.as_deref());
            outages.add(Outage { since, until: store.now().max(since) });
            let kept: Vec<Kept> =
                outages.0.iter().map(|outage| Kept::Span(outage.since, outage.until)).collect();
            let value = serde_json::to_vec(&kept).unwrap_or_default();
            let conditions = vec![(key.clone(), before.map_or(Expect::Absent, Expect::Value))];
            let writes = vec![Write::Put { key: key.clone(), value, expires: None }];
            match store.update(Update { conditions, writes }).await? {
                UpdateOutcome::Ok => return Ok(outages),
                UpdateOutcome::Conflict => {}
                UpdateOutcome::Unknown => break,
            }
        }
        Err(StoreError::Unavailable { why: "it did not say that it took a record".to_owned() })
    }

    fn add(&mut self, outage: Outage) {
        self.0.retain(|known| known.since < outage.since);
        self.0.push(outage);
        let surplus = self.0.len().saturating_sub(OUTAGES_MAX);
        self.0.drain(..surplus);
    }

    /// When the latest one was over.
    pub(super) fn over_at(&self) -> Option<Stamp> {
        self.0.iter().map(|outage| outage.until).max()
    }

    /// What a log does not tell of whose last entry is of then; if that entry paused the game, since when.
    ///
    /// Nothing has happened in the game since, so where its clocks stood still in between makes no difference: it is told of all outages as of one that began with the first
    /// and took as long as they did together.
    pub(super) fn untold(&self, latest: Stamp, paused_since: Option<Stamp>) -> Option<Untold> {
        let mut missed: Vec<Outage> = self.0.iter().filter(|outage| outage.until > latest).copied().collect();
        missed.sort_by_key(|outage| outage.since);
        if let Some(paused_since) = paused_since {
            // What paused it is over when the first outage is; where there was none, others were there all the time.
            let until = missed.first().map_or(paused_since, |outage| outage.until);
            missed.insert(0, Outage { since: paused_since, until });
        }
        let first = missed.first()?;
        let since = paused_since.unwrap_or(first.since.max(latest));
        let (mut ms, mut counted) = (0, since);
        for outage in &missed {
            ms += outage.until.ms_since(counted.max(outage.since));
            counted = counted.max(outage.until);
        }
        Some(Untold { since, until: since.plus_ms(ms) })
    }

    /// When the outage began that a running game's log does not tell of, its last entry being of then: the oldest one,
    /// for whoever came back from it would have told it. A log that went on after the last sign of life stood still from there.
    pub(super) fn since(&self, latest: Stamp) -> Option<Stamp> {
        let missed = self.0.iter().find(|outage| latest <= outage.since || latest < outage.until)?;
        Some(missed.since.max(latest))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_store::{ManualClock, MemoryStore};

    use super::*;

    #[tokio::test]
    async fn an_outage_is_known_to_the_second_server_when_the_first_was_lost_at_once() {
        let clock = Arc::new(ManualClock::new(Stamp(1_000)));
        let store = MemoryStore::new(clock.clone());
        assert_eq!(
            Outages::note(&store).await.unwrap(),
            Outages::default(),
            "a new store knows of no outage"
        );
        store.heartbeat().await.unwrap();
        clock.advance_ms(5_000);
        store.reopen();
        let first = Outages::note(&store).await.unwrap();
        assert_eq!(first.since(Stamp(900)), Some(Stamp(1_000)));
        store.heartbeat().await.unwrap();
        clock.advance_ms(100);
        store.reopen();
        let second = Outages::note(&store).await.unwrap();
        assert_eq!(second.since(Stamp(900)), Some(Stamp(1_000)), "nobody has told the first outage");
        assert_eq!(second.since(Stamp(6_000)), Some(Stamp(6_000)), "told by whoever wrote then");
        assert_eq!(second.since(Stamp(6_050)), Some(Stamp(6_050)), "written after the last sign of life");
        assert_eq!(second.since(Stamp(6_100)), None);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut outages = Outages::default();
        let at = |stamp| Outage { since: Stamp(stamp), until: Stamp(stamp) };
        (1..=1_032).for_each(|stamp| outages.add(at(stamp)));
        outages.add(at(1_032));
        assert_eq!(outages.0.len(), OUTAGES_MAX);
        assert_eq!(outages.since(Stamp(0)), Some(Stamp(9)));
        assert_eq!(outages.since(Stamp(1_032)), Some(Stamp(1_032)));
    }

    fn untold(outages: &[(u64, u64)], latest: u64, paused: Option<u64>) -> Option<(u64, u64)> {
        let outages =
            outages.iter().map(|(since, until)| Outage { since: Stamp(*since), until: Stamp(*until) });
        let untold = Outages(outages.collect()).untold(Stamp(latest), paused.map(Stamp))?;
        Some((untold.since.0, untold.until.0))
    }

    #[test]
    fn a_log_is_told_of_all_outages_since_its_last_entry_as_of_one() {
        let outages = [(100, 200), (500, 550), (900, 1_000)];
        assert_eq!(untold(&outages, 50, None), Some((100, 350)));
        assert_eq!(untold(&outages, 100, None), Some((100, 350)));
        assert_eq!(
            untold(&outages, 130, None),
            Some((130, 350)),
            "it went on a little after the last sign of life"
        );
        assert_eq!(untold(&outages, 200, None), Some((500, 650)));
        assert_eq!(untold(&outages, 999, None), Some((999, 1_000)));
        assert_eq!(untold(&outages, 1_000, None), None);
        // One that two have noted, and that went on when it was taken to be over.
        assert_eq!(untold(&[(100, 200), (100, 210), (205, 300)], 50, None), Some((100, 300)));
        // A log that tells of a pause and not of its end.
        assert_eq!(untold(&outages, 90, Some(80)), Some((80, 350)));
        assert_eq!(untold(&outages, 700, Some(650)), Some((650, 1_000)));
        assert_eq!(untold(&outages, 2_000, Some(1_900)), Some((1_900, 1_900)), "others were there");
    }
}
