//! Dead letters: jobs that failed permanently. They stay until an operator retries or discards
//! them.

use flagfall_board::Stamp;
use flagfall_store::{Key, Store, StoreError, Update, UpdateOutcome, Write};
use serde::{Deserialize, Serialize};

use super::KINDS;
use super::error::JobError;
use super::record::{Claimed, State, fields_of, id_of};
use crate::keys::{DEAD_JOBS, RATING_ASIDE, RATING_DUE, job_key, jobs_of};
use crate::scan::Scan;
use crate::transact::{Transaction, expect};

const ERROR_LEN_MAX: usize = 300;

#[derive(Serialize, Deserialize)]
struct DeadRecord {
    value: JobValue,
    error: String,
    attempts: u32,
    first: u64,
    last: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum JobValue {
    Text(String),
    Bytes(Vec<u8>),
}

/// A dead letter, as operators see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadJob {
    /// The kind of job: the first part of its key.
    pub kind: String,
    pub id: String,
    pub error: String,
    pub attempts: Option<u32>,
    /// The times of the job's first and last failure, if they are known.
    pub failed: Option<(Stamp, Stamp)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingJobs {
    pub kind: &'static str,
    pub count: usize,
    /// The number of waiting jobs that have already failed at least once.
    pub failed: usize,
}

pub(super) async fn bury(
    claimed: &Claimed,
    kind: &'static str,
    error: &JobError,
    attempts: u32,
    now: Stamp,
) -> Result<bool, StoreError> {
    let value = match String::from_utf8(claimed.value.clone()) {
        Ok(text) => JobValue::Text(text),
        Err(error) => JobValue::Bytes(error.into_bytes()),
    };
    let record = DeadRecord {
        value,
        error: error.to_string().chars().take(ERROR_LEN_MAX).collect(),
        attempts,
        first: claimed.state.failed.unwrap_or(now.0),
        last: now.0,
    };
    let value = serde_json::to_vec(&record).map_err(|_| damaged("a dead letter cannot be written"))?;
    let mut update = claimed.finish();
    update.writes.push(Write::Put { key: DEAD_JOBS.key([&kind, &claimed.id])?, value, expires: None });
    Ok(claimed.store.update(update).await? == UpdateOutcome::Ok)
}

/// Returns all dead letters, including the rating jobs that version 0.1 set aside.
pub async fn dead_jobs(store: &dyn Store) -> Result<Vec<DeadJob>, StoreError> {
    let aside = Scan::all(store, RATING_ASIDE.all()?).await?.into_iter().map(|(key, value)| DeadJob {
        kind: RATING_DUE.name.to_owned(),
        id: id_of(&key),
        error: String::from_utf8_lossy(&value).into_owned(),
        attempts: None,
        failed: None,
    });
    let mut dead: Vec<DeadJob> = aside.collect();
    for (key, value) in Scan::all(store, DEAD_JOBS.all()?).await? {
        let Some((kind, id)) = DEAD_JOBS.rest(&key).and_then(|rest| rest.split_once('/')) else { continue };
        let (kind, id) = (kind.to_owned(), id.to_owned());
        dead.push(match serde_json::from_slice::<DeadRecord>(&value) {
            Ok(DeadRecord { error, attempts, first, last, .. }) => {
                let failed = Some((Stamp(first), Stamp(last)));
                DeadJob { kind, id, error, attempts: Some(attempts), failed }
            }
            Err(_) => {
                let error = "this dead letter itself cannot be read".to_owned();
                DeadJob { kind, id, error, attempts: None, failed: None }
            }
        });
    }
    Ok(dead)
}

/// Turns a dead letter into an untried job, and writes `note` in the same update. Returns false
/// if there is no such dead letter.
pub async fn retry(store: &dyn Store, kind: &str, id: &str, note: &Write) -> Result<bool, StoreError> {
    let Some(job) = job_key(kind, id) else { return Ok(false) };
    remove(store, kind, id, note, Some(job)).await
}

pub async fn discard(store: &dyn Store, kind: &str, id: &str, note: &Write) -> Result<bool, StoreError> {
    remove(store, kind, id, note, None).await
}

/// Deletes a dead letter. If `job` is given, also writes an untried job under this key.
async fn remove(
    store: &dyn Store,
    kind: &str,
    id: &str,
    note: &Write,
    job: Option<Key>,
) -> Result<bool, StoreError> {
    let mut transaction = Transaction::new(store, "this dead letter");
    // If an update succeeds but the store does not confirm it, the next iteration finds no dead
    // letter. In that case, the result is still true.
    let mut is_found = false;
    loop {
        let Some((dead, before)) = letter(store, kind, id).await? else { return Ok(is_found) };
        is_found = true;
        let mut writes = vec![Write::Delete { key: dead.clone() }, note.clone()];
        let mut conditions = Vec::new();
        if let Some(job) = &job {
            let value = job_in(&dead, &before, store.now())?;
            let waiting = store.get(job.clone()).await?;
            // If the cause has occurred again, the job already exists.
            if waiting.is_none() {
                writes.push(Write::Put { key: job.clone(), value, expires: None });
            }
            conditions.push((job.clone(), expect(waiting)));
        }
        conditions.push((dead, expect(Some(before))));
        if transaction.commit(Update { conditions, writes }).await? {
            return Ok(true);
        }
    }
}

async fn letter(store: &dyn Store, kind: &str, id: &str) -> Result<Option<(Key, Vec<u8>)>, StoreError> {
    let key = DEAD_JOBS.key([&kind, &id])?;
    if let Some(value) = store.get(key.clone()).await? {
        return Ok(Some((key, value)));
    }
    if kind != RATING_DUE.name {
        return Ok(None);
    }
    let key = RATING_ASIDE.key([&id])?;
    Ok(store.get(key.clone()).await?.map(|value| (key, value)))
}

/// Returns the value of an untried job, taken from its dead letter.
fn job_in(dead: &Key, letter: &[u8], now: Stamp) -> Result<Vec<u8>, StoreError> {
    if DEAD_JOBS.rest(dead).is_none() {
        return Ok(Vec::new());
    }
    let record: DeadRecord =
        serde_json::from_slice(letter).map_err(|_| damaged("a dead letter cannot be read"))?;
    let job = match record.value {
        JobValue::Text(text) => text.into_bytes(),
        JobValue::Bytes(bytes) => bytes,
    };
    let anew = State { since: now.0, ..State::default() };
    Ok(if fields_of(&job).is_some() { anew.over(&job) } else { job })
}

pub async fn waiting_jobs(store: &dyn Store) -> Result<Vec<WaitingJobs>, StoreError> {
    let mut all = Vec::new();
    for kind in KINDS {
        let (mut count, mut failed) = (0, 0);
        let mut scan = Scan::new(store, jobs_of(kind)?);
        while let Some(records) = scan.next().await? {
            count += records.len();
            failed += records.iter().filter(|(_, value)| State::of(value).has_failed()).count();
        }
        all.push(WaitingJobs { kind, count, failed });
    }
    Ok(all)
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned() }
}
