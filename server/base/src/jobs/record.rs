//! The record of a job: its stored state, and the form in which a handler gets it.

use std::sync::Arc;

use flagfall_board::Stamp;
use flagfall_store::{Expect, Key, Record, Store, StoreError, Update, Write};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::error::JobError;
use crate::transact::write_if;

/// The state of a job, which is part of its record. The fields `attempts` and `at` have the same
/// meaning in notices of version 0.1.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// The server that has leased the job; `None` if the job waits for its time.
    pub(super) by: Option<String>,
    /// The time at which the lease ends or the next attempt is due.
    pub(super) at: u64,
    /// The number of failed attempts. For a handler that leases its own jobs, this is the number
    /// of attempts that have begun.
    pub(super) attempts: u32,
    /// The number of failures that the handler did not count. Used only if the handler leases the
    /// job itself.
    pub(super) failures: u32,
    /// The time at which the job was written; 0 if unknown.
    pub(super) since: u64,
    pub(super) failed: Option<u64>,
    /// A number that distinguishes jobs that a server writes within the same millisecond.
    pub(super) number: u64,
}

impl State {
    pub(super) fn of(value: &[u8]) -> State {
        serde_json::from_slice(value).unwrap_or_default()
    }

    /// Returns the record `value` with this state. The other fields of the record do not change.
    pub(super) fn over(&self, value: &[u8]) -> Vec<u8> {
        let mut fields = fields_of(value).unwrap_or_default();
        if let Ok(Value::Object(state)) = serde_json::to_value(self) {
            fields.extend(state);
        }
        fields.retain(|_, field| !field.is_null());
        Value::Object(fields).to_string().into_bytes()
    }

    pub(super) fn has_failed(&self) -> bool {
        self.attempts > 0 || self.failures > 0
    }

    /// True if this server holds the lease on the job, and may therefore work on the job.
    pub(super) fn is_leased_to(&self, server: &str, now: Stamp) -> bool {
        self.by.as_deref() == Some(server) && self.at > now.0
    }
}

pub(super) fn fields_of(value: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(value).ok()
}

/// Returns the value of a new job with these fields. Servers do not run the job before `at`.
pub fn not_before(fields: &[u8], now: Stamp, at: Stamp) -> Vec<u8> {
    State { at: at.0, since: now.0, ..State::default() }.over(fields)
}

/// A time that was read once from the store's clock and then advances with the clock of this
/// process.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    at: Stamp,
    began: Instant,
}

impl Moment {
    pub(super) fn at(at: Stamp) -> Moment {
        Moment { at, began: Instant::now() }
    }

    pub(super) fn now(self) -> Stamp {
        self.at.plus_ms(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

#[derive(Clone)]
pub struct Claimed {
    pub(super) store: Arc<dyn Store>,
    pub(super) server: String,
    pub(super) key: Key,
    pub(super) id: String,
    pub(super) value: Vec<u8>,
    pub(super) state: State,
    pub(super) keep_ms: Option<u64>,
    pub(super) moment: Moment,
}

impl Claimed {
    /// Reads a job without leasing it, so that the caller can do the work immediately. Returns
    /// `None` if there is no such job.
    pub async fn now(store: &Arc<dyn Store>, key: Key) -> Result<Option<Claimed>, StoreError> {
        let Some(value) = store.get(key.clone()).await? else { return Ok(None) };
        Ok(Some(Claimed::new(store.clone(), String::new(), (key, value), None, Moment::at(store.now()))))
    }

    pub(super) fn new(
        store: Arc<dyn Store>,
        server: String,
        (key, value): Record,
        keep_ms: Option<u64>,
        moment: Moment,
    ) -> Claimed {
        let (state, id) = (State::of(&value), id_of(&key));
        Claimed { store, server, key, id, value, state, keep_ms, moment }
    }

    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the id of the job: the part of its key after the kind.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn subject<T: std::str::FromStr>(&self) -> Result<T, JobError> {
        let last = self.id.rsplit('/').next().unwrap_or_default();
        last.parse().map_err(|_| JobError::Hopeless("its key is not valid".to_owned()))
    }

    pub fn attempts(&self) -> u32 {
        self.state.attempts
    }

    /// Returns the time by which the runner judges whether jobs are due.
    pub fn time(&self) -> Stamp {
        self.moment.now()
    }

    /// Parses the fields of the record. Returns [`JobError::Damaged`] if they cannot be parsed.
    /// The job is then tried a few more times, because a server of another version may have
    /// written the fields, and servers of that version need time to do the job.
    pub fn fields<T: DeserializeOwned>(&self) -> Result<T, JobError> {
        let unreadable = |_| JobError::Damaged("its record cannot be read".to_owned());
        serde_json::from_slice(&self.value).map_err(unreadable)
    }

    /// Returns the update that ends the job, on the condition that the job has not changed since
    /// it was claimed. The handler may add writes to this update, which then take effect only if
    /// the job ends.
    #[must_use]
    pub fn finish(&self) -> Update {
        let conditions = vec![(self.key.clone(), Expect::Value(self.value.clone()))];
        Update { conditions, writes: vec![Write::Delete { key: self.key.clone() }] }
    }

    /// True if the job has not changed since it was claimed. Handlers call this after an update
    /// failed.
    pub async fn is_held(&self) -> Result<bool, StoreError> {
        Ok(self.store.get(self.key.clone()).await?.as_ref() == Some(&self.value))
    }

    pub async fn take(&mut self, ms: u64) -> Result<bool, StoreError> {
        self.lease(State { attempts: self.state.attempts + 1, ..self.leased(ms) }).await
    }

    pub async fn put_back(mut self, ms: u64) -> Result<bool, StoreError> {
        let state = State { by: None, ..self.leased(ms) };
        self.lease(state).await
    }

    /// Puts the job back until `at`, as if it had been written just now. Returns false if the job
    /// has changed since it was claimed.
    pub async fn begin_anew(mut self, at: Stamp) -> Result<bool, StoreError> {
        let state = State { at: at.0, since: self.time().0, ..State::default() };
        self.lease(state).await
    }

    pub(super) fn leased(&self, ms: u64) -> State {
        let at = self.moment.now().plus_ms(ms).0;
        State { by: Some(self.server.clone()), at, ..self.state.clone() }
    }

    pub(super) async fn lease(&mut self, state: State) -> Result<bool, StoreError> {
        let value = state.over(&self.value);
        let expires = self.keep_ms.map(|ms| Stamp(state.since.saturating_add(ms)));
        let write = Write::Put { key: self.key.clone(), value: value.clone(), expires };
        let is_ours = write_if(&*self.store, self.key.clone(), Some(self.value.clone()), vec![write]).await?;
        if is_ours {
            (self.value, self.state) = (value, state);
        }
        Ok(is_ours)
    }
}

/// Returns the id of a job: the part of its key after the kind.
pub(super) fn id_of(key: &Key) -> String {
    let text = String::from_utf8_lossy(key.as_bytes());
    text.split_once('/').map_or("", |(_, id)| id).to_owned()
}
