//! Updates of one or several buckets.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::try_join_all;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::{Instant, sleep};

use super::all::{Buckets, Said, too_busy};
use super::transaction::{Answer, Call, Decision, LIFETIME_MS, Machine, Name, Outcome, others_text};
use crate::outages::OutageList;
use crate::redis::answers;
use crate::redis::layout::write_arguments;
use crate::redis::link::Script;
use crate::redis::request_error::RequestError;
use crate::store::{Expect, OUTAGES_KEY, StoreError, Update, UpdateOutcome, Write};
use crate::value::Key;

/// The time for which a request that meets locks is tried again. The lock of a lost server does not
/// last as long.
pub(super) const PATIENCE: Duration = Duration::from_millis(3 * LIFETIME_MS);
/// The shortest and the longest time between two attempts.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(64));

/// The part of an update that concerns one bucket.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    conditions: Vec<(Key, Expect)>,
    writes: Vec<Write>,
}

impl Part {
    /// Returns the arguments of a script: the number of conditions, the conditions, the writes.
    fn arguments(&self) -> Vec<Vec<u8>> {
        let condition = |(key, expect): &(Key, Expect)| match expect {
            Expect::Absent => [b"A".to_vec(), key.as_bytes().to_vec(), Vec::new()],
            Expect::Value(value) => [b"V".to_vec(), key.as_bytes().to_vec(), value.clone()],
        };
        let mut arguments = vec![self.conditions.len().to_string().into_bytes()];
        arguments.extend(self.conditions.iter().flat_map(condition));
        arguments.extend(write_arguments(&self.writes).into_iter().flatten());
        arguments
    }
}

/// The pauses between attempts.
pub(super) struct Pauses {
    until: Instant,
    next: Duration,
}

impl Pauses {
    pub(super) fn new() -> Pauses {
        Pauses { until: Instant::now() + PATIENCE, next: PAUSE.0 }
    }

    /// Waits before the next attempt. Returns false if there is no time for another one.
    pub(super) async fn wait(&mut self) -> bool {
        if Instant::now() >= self.until {
            return false;
        }
        // Two conflicting requests must wait for different times.
        let random = RandomState::new().hash_one(0) % 1_000;
        sleep(self.next + self.next.mul_f64(random as f64 / 1_000.0)).await;
        self.next = (self.next * 2).min(PAUSE.1);
        true
    }
}

impl Buckets {
    /// Checks that the keys of each bucket are in one slot. If they were not, all requests would
    /// fail.
    pub(super) async fn test(&self) -> Result<(), RequestError> {
        let nothing = Part::default();
        let here = self.buckets.iter().enumerate().filter(|(_, bucket)| !bucket.was_away);
        try_join_all(here.map(|(bucket, _)| self.change(bucket, &nothing))).await.map(drop)
    }

    fn split(&self, update: Update) -> BTreeMap<usize, Part> {
        let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
        for condition in update.conditions {
            let bucket = self.placement.of_key(condition.0.as_bytes());
            parts.entry(bucket).or_default().conditions.push(condition);
        }
        for write in update.writes {
            let bucket = self.placement.of_key(write.key().as_bytes());
            parts.entry(bucket).or_default().writes.push(write);
        }
        parts
    }

    /// Makes an update. The caller has checked it against the limits.
    pub(super) async fn update(self: Arc<Buckets>, update: Update) -> Result<UpdateOutcome, StoreError> {
        let outages = update.writes.iter().find_map(outages_written);
        let parts = self.split(update);
        let copied: Vec<(usize, Vec<Write>)> = parts
            .iter()
            .map(|(bucket, part)| (*bucket, self.buckets[*bucket].shared.kept.lock().copied(&part.writes)))
            .collect();
        let outcome = match parts.len() {
            0 => return Ok(UpdateOutcome::Ok),
            1 => self.update_one(parts).await,
            _ => self.update_several(parts).await,
        };
        if let Some(written) = outages {
            *self.outages.lock() = (outcome == Ok(UpdateOutcome::Ok)).then_some(written);
        }
        for (bucket, copied) in copied {
            let mut kept = self.buckets[bucket].shared.kept.lock();
            match &outcome {
                Ok(UpdateOutcome::Ok) => kept.note(copied),
                Ok(UpdateOutcome::Unknown) => kept.forget_all(&copied),
                Ok(UpdateOutcome::Conflict) | Err(_) => {}
            }
        }
        outcome
    }

    async fn update_one(&self, parts: BTreeMap<usize, Part>) -> Result<UpdateOutcome, StoreError> {
        let Some((bucket, part)) = parts.into_iter().next() else { return Ok(UpdateOutcome::Ok) };
        let mut pauses = Pauses::new();
        loop {
            let said = match self.change(bucket, &part).await {
                Err(error) if error.is_in_doubt() => return Ok(UpdateOutcome::Unknown),
                said => said?,
            };
            match (said.word.as_str(), said.lock()?) {
                ("ok", _) => return Ok(UpdateOutcome::Ok),
                ("conflict", _) => return Ok(UpdateOutcome::Conflict),
                (_, Some(lock)) => {
                    if !self.resolve(&lock, bucket).await? && !pauses.wait().await {
                        return Err(too_busy());
                    }
                }
                _ => return Ok(UpdateOutcome::Unknown),
            }
        }
    }

    /// Changes records of one bucket, without a transaction.
    pub(super) async fn change(&self, bucket: usize, part: &Part) -> Result<Said, RequestError> {
        let keys = self.keys(bucket)?;
        let of = &keys.transactions;
        let names = [&keys.values, &keys.names, &keys.expiries, &of.locks, &of.decisions, &of.decided];
        let mut arguments = vec![Vec::new(); 3];
        arguments.extend(part.arguments());
        self.run(bucket, Script::Decide, &names.map(String::as_str), arguments).await
    }

    async fn update_several(&self, parts: BTreeMap<usize, Part>) -> Result<UpdateOutcome, StoreError> {
        let mut pauses = Pauses::new();
        loop {
            let busy = match self.transact(&parts).await {
                Outcome::Committed => return Ok(UpdateOutcome::Ok),
                Outcome::Conflict => return Ok(UpdateOutcome::Conflict),
                Outcome::Unknown => return Ok(UpdateOutcome::Unknown),
                Outcome::NotDone(why) => return Err(StoreError::Unavailable { why }),
                Outcome::Locked(lock) => Some(lock),
                Outcome::Late => None,
            };
            if let Some(lock) = busy {
                // The locked record may be in any of these buckets. The others ignore this request.
                for bucket in parts.keys() {
                    if !self.resolve(&lock, *bucket).await? {
                        break;
                    }
                }
            }
            // Wait even if the lock is gone. Otherwise, two conflicting transactions would conflict
            // again.
            if !pauses.wait().await {
                return Err(too_busy());
            }
        }
    }

    /// Makes one attempt at a transaction. The first bucket is the primary one.
    async fn transact(&self, parts: &BTreeMap<usize, Part>) -> Outcome {
        let mut buckets = parts.keys().copied();
        let Some(primary) = buckets.next() else { return Outcome::Committed };
        let others: Vec<usize> = buckets.collect();
        let shared = &self.buckets[primary].shared;
        let number = self.transactions.fetch_add(1, Ordering::SeqCst);
        let deadline = shared.now().plus_ms(LIFETIME_MS);
        let name = Name { primary, deadline, id: (shared.mark, number) };
        let mut machine = Machine::new(primary, others.clone());
        let mut running = FuturesUnordered::new();
        loop {
            for call in machine.take_calls() {
                let answer = self.carry_out(&name, &others, parts, call);
                running.push(async move { (call, answer.await) });
            }
            match running.next().await {
                Some((call, answer)) => machine.answer(call, answer),
                None => break,
            }
        }
        machine.outcome().cloned().unwrap_or(Outcome::Unknown)
    }

    async fn carry_out(
        &self,
        name: &Name,
        others: &[usize],
        parts: &BTreeMap<usize, Part>,
        call: Call,
    ) -> Answer {
        self.step().await;
        let part = |bucket| parts.get(&bucket).map(Part::arguments).unwrap_or_default();
        let said = match call {
            Call::Prepare { bucket } => self.prepare(name, bucket, part(bucket)).await,
            Call::Decide { bucket } => self.decide(name, others, bucket, part(bucket)).await,
            Call::Finish { bucket, is_committed } => self.finish(name, bucket, is_committed).await,
            Call::Forget { bucket } => self.forget(name, bucket).await,
        };
        said.and_then(|said| answer_of(&said)).unwrap_or_else(|error| {
            let why = error.to_string();
            if error.is_in_doubt() { Answer::InDoubt(why) } else { Answer::NotDone(why) }
        })
    }

    async fn prepare(&self, name: &Name, bucket: usize, part: Vec<Vec<u8>>) -> Result<Said, RequestError> {
        let keys = self.keys(bucket)?;
        let of = &keys.transactions;
        let names = [&keys.values, &of.locks, &of.locked, &of.intents, &of.prepared];
        let mut arguments = vec![name.to_string().into_bytes()];
        arguments.extend(part);
        self.run(bucket, Script::Prepare, &names.map(String::as_str), arguments).await
    }

    async fn decide(
        &self,
        name: &Name,
        others: &[usize],
        bucket: usize,
        part: Vec<Vec<u8>>,
    ) -> Result<Said, RequestError> {
        let keys = self.keys(bucket)?;
        let of = &keys.transactions;
        let names = [&keys.values, &keys.names, &keys.expiries, &of.locks, &of.decisions, &of.decided];
        let head = [name.to_string(), name.deadline.0.to_string(), others_text(others)];
        let mut arguments: Vec<Vec<u8>> = head.into_iter().map(String::into_bytes).collect();
        arguments.extend(part);
        self.run(bucket, Script::Decide, &names.map(String::as_str), arguments).await
    }

    /// Finishes a transaction in a bucket that is not its primary one.
    pub(super) async fn finish(
        &self,
        name: &Name,
        bucket: usize,
        is_committed: bool,
    ) -> Result<Said, RequestError> {
        let keys = self.keys(bucket)?;
        let of = &keys.transactions;
        let names =
            [&keys.values, &keys.names, &keys.expiries, &of.locks, &of.locked, &of.intents, &of.prepared];
        let arguments = vec![name.to_string().into_bytes(), u8::from(is_committed).to_string().into_bytes()];
        self.run(bucket, Script::Finish, &names.map(String::as_str), arguments).await
    }

    pub(super) async fn forget(&self, name: &Name, bucket: usize) -> Result<Said, RequestError> {
        let of = &self.keys(bucket)?.transactions;
        let names = [of.decisions.as_str(), &of.decided];
        self.run(bucket, Script::Forget, &names, vec![name.to_string().into_bytes()]).await
    }

    /// Finishes a transaction in a bucket in which it has locked records. Returns false if the
    /// transaction has no decision yet but can still get one.
    pub(super) async fn resolve(&self, name: &Name, bucket: usize) -> Result<bool, RequestError> {
        let of = &self.keys(name.primary)?.transactions;
        let arguments = [name.to_string(), name.deadline.0.to_string()].map(String::into_bytes).to_vec();
        let names = [of.decisions.as_str(), &of.decided];
        let said = self.run(name.primary, Script::Resolve, &names, arguments).await?;
        let Some(decision) = said.rest.first().and_then(|text| Decision::parse(text)) else {
            return Ok(false);
        };
        self.finish(name, bucket, decision.is_committed()).await.map(|_| true)
    }
}

/// Returns the list of outages that this write stores. `None` if it writes another record.
fn outages_written(write: &Write) -> Option<OutageList> {
    match write {
        Write::Put { key, value, .. } if key.as_bytes() == OUTAGES_KEY.as_bytes() => {
            Some(OutageList::parse(Some(value)))
        }
        Write::Put { .. } | Write::Delete { .. } => None,
    }
}

fn answer_of(said: &Said) -> Result<Answer, RequestError> {
    Ok(match (said.word.as_str(), said.lock()?) {
        (_, Some(lock)) => Answer::Locked(lock),
        ("ok", _) => Answer::Ok,
        ("conflict", _) => Answer::Conflict,
        ("late", _) => Answer::Late,
        _ => return Err(answers::strange()),
    })
}
