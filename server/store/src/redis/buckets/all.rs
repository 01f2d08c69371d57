//! The buckets of a store, and requests to one of them.

use std::sync::atomic::{AtomicBool, AtomicU64};

use flagfall_board::Stamp;
use parking_lot::Mutex;
use redis::Value;

use super::transaction::Name;
use crate::outages::OutageList;
use crate::redis::layout::Keys;
use crate::redis::link::Script;
use crate::redis::placement::Placement;
use crate::redis::request::Request;
use crate::redis::request_error::{RequestError, parsed};
use crate::redis::shared::Common;
use crate::redis::{RedisStore, answers};
use crate::store::StoreError;

/// The buckets of a store. They are shared with tasks that may outlive their callers.
pub(super) struct Buckets {
    pub(super) buckets: Vec<RedisStore>,
    pub(super) placement: Placement,
    pub(super) common: Common,
    /// The number of transactions that this process has begun.
    pub(super) transactions: AtomicU64,
    /// The record of outages, as it was last read or written. It stays correct while its bucket
    /// does not answer, because only a server that starts while no other server runs changes it.
    pub(super) outages: Mutex<Option<OutageList>>,
    /// For each bucket, true while a heartbeat waits for its answer.
    pub(super) beating: Vec<AtomicBool>,
    /// The number of further steps of transactions and appends before this process acts as if it
    /// had ended.
    #[cfg(feature = "testing")]
    pub(super) steps_left: AtomicU64,
    #[cfg(feature = "testing")]
    pub(super) is_stopped: AtomicBool,
}

/// The answer of a script in a bucket: a word, and the texts that follow it.
pub(super) struct Said {
    pub(super) word: String,
    pub(super) rest: Vec<String>,
}

impl Buckets {
    pub(super) fn bucket(&self, number: usize) -> Result<&RedisStore, RequestError> {
        self.buckets.get(number).ok_or_else(|| RequestError::damaged(0, "a lock names an unknown bucket"))
    }

    pub(super) fn keys(&self, bucket: usize) -> Result<&Keys, RequestError> {
        Ok(&self.bucket(bucket)?.shared.keys)
    }

    pub(super) async fn run(
        &self,
        bucket: usize,
        script: Script,
        keys: &[&str],
        arguments: Vec<Vec<u8>>,
    ) -> Result<Said, RequestError> {
        let bucket = self.bucket(bucket)?;
        let keys = keys.iter().map(ToString::to_string).collect();
        let answer = bucket.send(|reply| Request::Run { script, keys, arguments, reply }).await?;
        let missing = || RequestError::InDoubt("the store is closed".to_owned());
        let answer: Value = answer.await.unwrap_or_else(|_| Err(missing()))?;
        let words: Vec<String> = parsed(answer)?;
        let mut words = words.into_iter();
        let (word, at) = words.next().zip(words.next()).ok_or_else(answers::strange)?;
        bucket.shared.learn_time(at.parse().map(Stamp).map_err(|_| answers::strange())?);
        Ok(Said { word, rest: words.collect() })
    }

    /// Waits forever if a test has stopped this store.
    #[cfg(feature = "testing")]
    pub(super) async fn step(&self) {
        use std::sync::atomic::Ordering::SeqCst;
        let left = self.steps_left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        if left.is_err() {
            self.is_stopped.store(true, SeqCst);
            std::future::pending::<()>().await;
        }
    }

    #[cfg(not(feature = "testing"))]
    pub(super) async fn step(&self) {}
}

impl Said {
    /// Returns the transaction that has locked a record. `None` if the answer does not name a lock.
    pub(super) fn lock(&self) -> Result<Option<Name>, RequestError> {
        if self.word != "locked" {
            return Ok(None);
        }
        self.rest.first().ok_or_else(answers::strange).and_then(|lock| parse_lock(lock)).map(Some)
    }
}

pub(super) fn parse_lock(lock: &str) -> Result<Name, RequestError> {
    lock.parse().map_err(|()| RequestError::damaged(0, "the lock of a record cannot be parsed"))
}

/// The error for a request that gave up because of locks.
pub(super) fn too_busy() -> StoreError {
    StoreError::Unavailable { why: "the same records are being changed by other requests".to_owned() }
}
