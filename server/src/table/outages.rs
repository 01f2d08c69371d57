//! When there was no server. The store's last sign of life is moved on by every new server, but a server may be lost before
//! all logs tell of the outage that it came back from: so the beginnings of the latest outages are kept in the store.

use flagfall_board::Stamp;
use flagfall_store::{Key, Store, StoreError, Update, UpdateOutcome, Write};
use serde::{Deserialize, Serialize};

/// Outages kept: so many servers in a row may be lost before one of them has told every log.
const KEPT_MAX: usize = 32;

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

    /// Those the store knows of. A list that cannot be read is a list of nothing: the outage that ends now is known from the heartbeat.
    async fn known(store: &dyn Store) -> Result<Outages, StoreError> {
        let value = store.get(Key::new("outages")?).await?;
        let kept: Vec<Kept> = value.and_then(|value| serde_json::from_slice(&value).ok()).unwrap_or_default();
        let outage = |kept: Kept| match kept {
            Kept::Span(since, until) => Outage { since, until },
            Kept::Beginning(since) => Outage { since, until: since },
        };
        Ok(Outages(kept.into_iter().map(outage).collect()))
    }

    async fn note_since(store: &dyn Store, since: Stamp) -> Result<Outages, StoreError> {
        let mut outages = Outages::known(store).await?;
        outages.add(Outage { since, until: store.now().max(since) });
        let kept: Vec<Kept> = outages.0.iter().map(|outage| Kept::Span(outage.since, outage.until)).collect();
        let value = serde_json::to_vec(&kept).unwrap_or_default();
        let writes = vec![Write::Put { key: Key::new("outages")?, value, expires: None }];
        match store.update(Update { conditions: Vec::new(), writes }).await? {
            UpdateOutcome::Ok => Ok(outages),
            UpdateOutcome::Conflict | UpdateOutcome::Unknown => {
                Err(StoreError::Unavailable { why: "it did not say that it took a record".to_owned() })
            }
        }
    }

    fn add(&mut self, outage: Outage) {
        self.0.retain(|known| known.since < outage.since);
        self.0.push(outage);
        let surplus = self.0.len().saturating_sub(KEPT_MAX);
        self.0.drain(..surplus);
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
        (1..=40).for_each(|stamp| outages.add(at(stamp)));
        outages.add(at(40));
        assert_eq!(outages.0.len(), KEPT_MAX);
        assert_eq!(outages.since(Stamp(0)), Some(Stamp(9)));
        assert_eq!(outages.since(Stamp(40)), Some(Stamp(40)));
    }
}
