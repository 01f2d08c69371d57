//! Reads side records, from one bucket or from all.
//!
//! A record may be locked by a transaction. If the transaction is decided, the reader finishes it
//! and reads again. Otherwise, the record still has its old value.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use futures_util::future::join_all;

use super::all::{Buckets, parse_lock, too_busy};
use crate::limits::READ_MAX;
use crate::redis::layout::scan_bounds;
use crate::redis::link::Link;
use crate::redis::request_error::RequestError;
use crate::store::{FullRecord, Reached, StoreError};
use crate::value::{Key, KeyRange};

/// The maximum number of transactions that a read of one record finishes before it gives up. All
/// but the first were decided during the read.
const TRIES: usize = 64;
/// The minimum number of records that a scan of several buckets requests from each bucket.
const CHUNK_MIN: usize = 16;

/// The progress of a scan in one of several buckets, with the records that were read but not yet
/// returned.
struct Cursor {
    bucket: usize,
    records: VecDeque<FullRecord>,
    after: Option<Key>,
    is_at_end: bool,
}

impl Buckets {
    pub(super) async fn get(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        let bucket = self.placement.of_key(key.as_bytes());
        for _ in 0..TRIES {
            let found = self.bucket(bucket)?.find(key).await?;
            let Some(lock) = found.lock else { return Ok(found.value) };
            if !self.resolve(&parse_lock(&lock)?, bucket).await? {
                return Ok(found.value);
            }
        }
        Err(too_busy())
    }

    /// Returns records in the order of their keys.
    pub(super) async fn scan(
        &self,
        prefix: Option<&Key>,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<FullRecord>, StoreError> {
        self.merge(prefix, after, limit, None).await
    }

    /// Returns records in the order of their keys. Leaves out the records of the `silent` buckets,
    /// and of buckets that cannot be read, unless no bucket can be read.
    pub(super) async fn scan_reachable(
        &self,
        prefix: &Key,
        after: Option<&Key>,
        limit: usize,
        silent: Vec<usize>,
    ) -> Result<Reached, StoreError> {
        let mut missing = BTreeSet::from_iter(silent);
        let found = self.merge(Some(prefix), after, limit, Some(&mut missing)).await?;
        let records = found.into_iter().map(|(key, value, _)| (key, value)).collect();
        Ok(Reached { records, is_whole: missing.is_empty() })
    }

    /// Reads records from all buckets, or from one if the prefix determines the bucket. If
    /// `missing` is given, leaves out the buckets in it, and adds those that cannot be read.
    async fn merge(
        &self,
        prefix: Option<&Key>,
        after: Option<&Key>,
        limit: usize,
        mut missing: Option<&mut BTreeSet<usize>>,
    ) -> Result<Vec<FullRecord>, StoreError> {
        let limit = limit.min(READ_MAX);
        if let Some(bucket) = self.placement.of_prefix(prefix) {
            if let Some(missing) = missing {
                missing.clear();
            }
            return Ok(self.scan_one(bucket, prefix, after, limit).await?);
        }
        let chunk = (2 * limit / self.buckets.len()).max(CHUNK_MIN).min(limit);
        let mut cursors: Vec<Cursor> = (0..self.buckets.len())
            .filter(|bucket| missing.as_ref().is_none_or(|missing| !missing.contains(bucket)))
            .map(|bucket| Cursor {
                bucket,
                records: VecDeque::new(),
                after: after.cloned(),
                is_at_end: chunk == 0,
            })
            .collect();
        let is_empty = |cursor: &Cursor| cursor.records.is_empty() && !cursor.is_at_end;
        let mut merged = Vec::new();
        while merged.len() < limit {
            let empty = cursors.iter_mut().filter(|cursor| is_empty(cursor));
            for failed in join_all(empty.map(|cursor| self.fill(cursor, prefix, chunk))).await {
                let Err((bucket, error)) = failed else { continue };
                let is_damage = matches!(error, RequestError::Damaged { .. });
                let Some(missing) = missing.as_deref_mut().filter(|_| !is_damage) else {
                    return Err(error.into());
                };
                missing.insert(bucket);
                if missing.len() >= self.buckets.len() {
                    return Err(error.into());
                }
            }
            let heads = cursors.iter().enumerate();
            let mut heads: BinaryHeap<Reverse<(Key, usize)>> = heads
                .filter_map(|(number, cursor)| Some(Reverse((cursor.records.front()?.0.clone(), number))))
                .collect();
            if heads.is_empty() {
                break;
            }
            while let Some(Reverse((_, number))) = heads.pop() {
                let cursor = &mut cursors[number];
                merged.extend(cursor.records.pop_front());
                match cursor.records.front() {
                    Some((next, ..)) => heads.push(Reverse((next.clone(), number))),
                    // This bucket's next record may come before those of the others, so it must be
                    // read first.
                    None if !cursor.is_at_end => break,
                    None => {}
                }
            }
        }
        merged.truncate(limit);
        Ok(merged)
    }

    /// Reads the next records of a bucket. A bucket that cannot be read counts as having no more
    /// records.
    async fn fill(
        &self,
        cursor: &mut Cursor,
        prefix: Option<&Key>,
        chunk: usize,
    ) -> Result<(), (usize, RequestError)> {
        let found = self.scan_one(cursor.bucket, prefix, cursor.after.as_ref(), chunk).await;
        cursor.is_at_end = found.as_ref().is_ok_and(|found| found.len() < chunk) || found.is_err();
        let found = found.map_err(|error| (cursor.bucket, error))?;
        cursor.after = found.last().map(|record| record.0.clone());
        cursor.records = found.into();
        Ok(())
    }

    /// Returns records of one bucket.
    async fn scan_one(
        &self,
        bucket: usize,
        prefix: Option<&Key>,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<FullRecord>, RequestError> {
        let store = self.bucket(bucket)?;
        let Some(range) = KeyRange::new(prefix, after) else { return Ok(Vec::new()) };
        let (from, to) = scan_bounds(&range);
        let keys = &store.shared.keys.transactions;
        let look = |_: &Link| redis::cmd("ZRANGEBYLEX").arg(&keys.locked).arg(&from).arg(&to).take();
        let locked: Vec<Vec<u8>> = store.read_settled(|| store.reader.query(look)).await?;
        if !locked.is_empty() {
            let look = |_: &Link| redis::cmd("HMGET").arg(&keys.locks).arg(&locked).take();
            let locks: Vec<Option<String>> = store.reader.query(look).await?;
            let locks: BTreeSet<String> = locks.into_iter().flatten().collect();
            for lock in locks {
                self.resolve(&parse_lock(&lock)?, bucket).await?;
            }
        }
        // The scan may or may not see a transaction that is committed from now on.
        store.read_settled(|| store.reader.scan(prefix, after, limit)).await
    }
}
