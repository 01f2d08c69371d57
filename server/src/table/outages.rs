//! When there was no server. The store's last sign of life is moved on by every new server, but a server may be lost before
//! all logs tell of the outage that it came back from: so the beginnings of the latest outages are kept in the store.

use flagfall_board::Stamp;
use flagfall_store::{Key, Store, StoreError, Update, UpdateOutcome, Write};

/// Beginnings kept: so many servers in a row may be lost before one of them has told every log.
const KEPT_MAX: usize = 32;

/// The beginnings of the latest outages, oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Outages(Vec<Stamp>);

impl Outages {
    /// Those the store knows of, and the one that ends now. It is in the store when this returns.
    pub(super) async fn note(store: &dyn Store) -> Result<Outages, StoreError> {
        let Some(since) = store.last_heartbeat().await? else { return Ok(Outages::default()) };
        let key = Key::new("outages")?;
        // A list that cannot be read is a list of nothing: the outage that ends now is known from the heartbeat.
        let known: Option<Vec<Stamp>> =
            store.get(key.clone()).await?.and_then(|value| serde_json::from_slice(&value).ok());
        let mut outages = Outages(known.unwrap_or_default());
        outages.add(since);
        let value = serde_json::to_vec(&outages.0).unwrap_or_default();
        let writes = vec![Write::Put { key, value, expires: None }];
        match store.update(Update { conditions: Vec::new(), writes }).await? {
            UpdateOutcome::Ok => Ok(outages),
            UpdateOutcome::Conflict | UpdateOutcome::Unknown => {
                Err(StoreError::Unavailable { why: "it did not say that it took a record".to_owned() })
            }
        }
    }

    fn add(&mut self, since: Stamp) {
        self.0.retain(|known| *known < since);
        self.0.push(since);
        let surplus = self.0.len().saturating_sub(KEPT_MAX);
        self.0.drain(..surplus);
    }

    /// When the outage began that a running game's log does not tell of, its last entry being of then: the oldest one,
    /// for whoever came back from it would have told it.
    pub(super) fn since(&self, latest: Stamp) -> Option<Stamp> {
        self.0.iter().copied().find(|since| latest <= *since)
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
        assert_eq!(second.since(Stamp(6_050)), None);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut outages = Outages::default();
        (1..=40).for_each(|stamp| outages.add(Stamp(stamp)));
        outages.add(Stamp(40));
        assert_eq!(outages.0.len(), KEPT_MAX);
        assert_eq!(outages.since(Stamp(0)), Some(Stamp(9)));
        assert_eq!(outages.since(Stamp(40)), Some(Stamp(40)));
    }
}
