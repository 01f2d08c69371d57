//! Outages of buckets. Each bucket has its own outages, because the master of one bucket may be
//! unreachable while the others answer.
//!
//! The record of outages lists the times in which no server ran, which concern all games. Each
//! bucket also has a list of its own outages. This process reads these lists when it first
//! connects. Later, the answer to a heartbeat contains all outages that this process does not know
//! yet, and after a silence, a heartbeat comes before any other request.

use flagfall_board::GameId;

use super::all::Buckets;
use crate::outages::OutageList;
use crate::redis::RedisStore;
use crate::store::{FullRecord, OUTAGES_KEY, OUTAGES_MAX, Outage, Store as _, StoreError};
use crate::value::Key;

impl Buckets {
    /// Returns a record of the outages that concern a game.
    pub(super) async fn outages_record(&self, game: GameId) -> Result<Option<Vec<u8>>, StoreError> {
        self.outages_in(std::iter::once(&self.buckets[self.placement.of_game(game)])).await
    }

    /// In these records, which follow the key `after`, replaces the record of outages by one that
    /// also contains the outages of all buckets. Other kinds of stores have no list for each
    /// bucket. So after a move to another store, an outage of one bucket concerns every game
    /// without a later entry.
    pub(super) async fn add_outages(
        &self,
        records: &mut Vec<FullRecord>,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<(), StoreError> {
        let key = Key::new(OUTAGES_KEY)?;
        let is_before = after.is_some_and(|after| *after >= key);
        let is_behind = records.len() >= limit && records.last().is_none_or(|(last, ..)| *last < key);
        if is_before || is_behind {
            return Ok(());
        }
        let Some(value) = self.outages_in(&self.buckets).await? else { return Ok(()) };
        records.retain(|(other, ..)| *other != key);
        let place = records.partition_point(|(other, ..)| *other < key);
        records.insert(place, (key, value, None));
        records.truncate(limit);
        Ok(())
    }

    /// Returns the outages in which no server ran. If the bucket of their record does not answer,
    /// returns the outages that were read last, so that games in other buckets can be opened.
    pub(super) async fn common_outages(&self) -> Result<OutageList, StoreError> {
        let key = Key::new(OUTAGES_KEY)?;
        let known = self.outages.lock().clone();
        // A bucket that is known to be silent is not asked, because the games of other buckets
        // would wait for its answer.
        let is_silent = self.buckets[self.placement.of_key(key.as_bytes())].silent_since().is_some();
        let read = match known {
            Some(known) if is_silent => return Ok(known),
            _ => self.get(&key).await,
        };
        match (read, known) {
            (Err(StoreError::Unavailable { .. }), Some(known)) => Ok(known),
            (read, _) => Ok(self.outages.lock().insert(OutageList::parse(read?.as_deref())).clone()),
        }
    }

    /// Returns a record of the outages in which no server ran, and of the outages of these buckets.
    async fn outages_in(
        &self,
        buckets: impl IntoIterator<Item = &RedisStore>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let common = self.common_outages().await?;
        let lists = buckets.into_iter().map(|bucket| bucket.shared.outages.lock().to_vec());
        let mut all: Vec<Outage> = lists.flatten().chain(common.to_vec()).collect();
        if all.is_empty() {
            return Ok(None);
        }
        all.sort_unstable_by_key(|outage| (outage.since, outage.until));
        all.dedup();
        let surplus = all.len().saturating_sub(OUTAGES_MAX);
        Ok(Some(all.into_iter().skip(surplus).collect::<OutageList>().to_record()))
    }
}
