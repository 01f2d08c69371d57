//! Side records of appends, which may be in other buckets than the game.
//!
//! Before an append is made, it is listed as pending in the game's bucket. The entries that it adds
//! to the log also contain its side records. Then the side records are written: first those in the
//! game's bucket, then those in the others. Each is written only once, in the order of the log.
//! When all are written, the append is removed from the list. If the append's server is lost before
//! that, any other server completes the work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use futures_util::future::{join_all, try_join_all};
use tokio::time::{MissedTickBehavior, interval};

use super::all::Buckets;
use super::transaction::{Decision, Name};
use super::updates::Pauses;
use crate::clock::{SystemClock, WallClock};
use crate::redis::layout::{WriteArguments, parse_pending_member, pending_member, write_arguments};
use crate::redis::link::{Link, Script};
use crate::redis::request_error::RequestError;
use crate::redis::{RedisStore, answers};
use crate::store::{Append, AppendOutcome, Store as _, StoreError};

/// The time between two checks for pending appends that only this process finishes.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The number of looks (checks for unfinished work) that together cover all buckets. The servers
/// take turns, so there is one look per second, no matter how many servers there are.
const LOOKS_PER_ROUND: u64 = 5;
/// The age, in milliseconds, at which any server may finish an append or a transaction.
const LEFT_BEHIND_MS: u64 = 5_000;
/// The age, in milliseconds, at which a pending append that has no entry counts as abandoned.
const ABANDONED_MS: u64 = 60_000;
/// The time, in milliseconds, for which an aborted transaction is remembered.
const ABORTED_MS: u64 = 10 * 60_000;

/// An append whose side records must be written.
#[derive(Clone, Copy)]
struct Appended {
    game: GameId,
    seq: u64,
    /// The game's bucket.
    bucket: usize,
}

/// Regularly finishes the appends that this process has listed as pending after a loss of data. No
/// other server would finish them soon.
pub(super) async fn tend(all: Arc<Buckets>) {
    let mut ticks = interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        all.tend_buckets(|_, bucket| bucket.shared.has_pending.load(Ordering::SeqCst)).await;
    }
}

impl Buckets {
    /// Finishes the work of lost servers in the buckets that this look covers.
    pub(super) async fn tend_share(&self, look: u64) {
        self.tend_buckets(|number, _| number as u64 % LOOKS_PER_ROUND == look % LOOKS_PER_ROUND).await;
    }

    async fn tend_buckets(&self, is_due: impl Fn(usize, &RedisStore) -> bool) {
        let due = self.buckets.iter().enumerate().filter(|(number, bucket)| is_due(*number, bucket));
        let looks = due.map(async |(number, _)| (number, self.tend_bucket(number).await));
        for (bucket, done) in join_all(looks).await {
            if let Err(error) = done {
                // A later look tries again.
                tracing::debug!(bucket, %error, "a bucket cannot be tended");
            }
        }
    }

    /// Makes an append. The caller has checked it against the limits.
    pub(super) async fn append(self: Arc<Buckets>, append: Append) -> Result<AppendOutcome, StoreError> {
        let (game, bucket) = (append.game, self.placement.of_game(append.game));
        let writes = write_arguments(&append.writes);
        let outcome = self.buckets[bucket].append(append).await?;
        match outcome {
            AppendOutcome::Ok { head, .. } if !writes.is_empty() => {
                self.step().await;
                let appended = Appended { game, seq: head.seq, bucket };
                let written = self.write_all(appended, &writes).await;
                // The outcome is unknown until the side records are written. Any server may do
                // that.
                Ok(if written.is_ok() { outcome } else { AppendOutcome::Unknown })
            }
            outcome => Ok(outcome),
        }
    }

    /// Writes the side records of an append, after those of earlier appends to the same game.
    async fn write_all(&self, appended: Appended, writes: &[WriteArguments]) -> Result<(), RequestError> {
        let earlier = self.write(appended, writes, true).await?;
        if earlier.is_empty() {
            return Ok(());
        }
        for earlier in earlier {
            self.write_entry(Appended { seq: earlier, ..appended }).await?;
        }
        // If an earlier append is listed now, another server has listed it again after it was
        // finished. That does no harm.
        self.write(appended, writes, false).await.map(drop)
    }

    /// Writes the side records of an append if it is in the log. Otherwise, only removes it from
    /// the list of pending appends.
    async fn write_entry(&self, appended: Appended) -> Result<(), RequestError> {
        let writes = self.writes_of(appended).await?;
        self.write(appended, &writes, false).await.map(drop)
    }

    /// Reads the side records of an append from the log. Empty if there is no such entry.
    async fn writes_of(&self, appended: Appended) -> Result<Vec<WriteArguments>, RequestError> {
        let store = self.bucket(appended.bucket)?;
        let found = store.read_settled(|| store.reader.stream(appended.game, appended.seq, 1)).await?;
        let entry = found.into_iter().find(|entry| entry.seq == appended.seq);
        Ok(entry.map(|entry| entry.writes).unwrap_or_default())
    }

    /// Writes the side records of an append again in those buckets that have lost them, if the
    /// append is in the log.
    pub(super) async fn write_again(&self, game: GameId, seq: u64) -> Result<(), RequestError> {
        let appended = Appended { game, seq, bucket: self.placement.of_game(game) };
        let writes = self.writes_of(appended).await?;
        if writes.is_empty() {
            return Ok(());
        }
        self.write(appended, &writes, false).await.map(drop)
    }

    /// Writes the side records of an append. If `looks_for_earlier`, first looks for earlier
    /// appends to the same game that may be unfinished. If there are any, returns their numbers and
    /// writes nothing.
    async fn write(
        &self,
        appended: Appended,
        writes: &[WriteArguments],
        looks_for_earlier: bool,
    ) -> Result<Vec<u64>, RequestError> {
        let mut parts: BTreeMap<usize, Vec<WriteArguments>> = BTreeMap::new();
        for write in writes {
            parts.entry(self.placement.of_key(&write[1])).or_default().push(write.clone());
        }
        let own = parts.remove(&appended.bucket).unwrap_or_default();
        let member = pending_member(appended.game, appended.seq);
        let is_last = parts.is_empty();
        let last = if is_last { member.as_str() } else { "" };
        let earlier = self.share(appended, appended.bucket, &own, looks_for_earlier, last).await?;
        if !earlier.is_empty() || is_last {
            return Ok(earlier);
        }
        self.step().await;
        #[cfg(feature = "planted-faults")]
        if appended.seq > 1 && crate::planted::is_planted(crate::planted::NEVER_SHARED) {
            parts.clear();
        }
        let others = parts.iter().map(|(bucket, writes)| self.share(appended, *bucket, writes, false, ""));
        try_join_all(others).await?;
        self.step().await;
        self.share(appended, appended.bucket, &[], false, &member).await
    }

    /// Writes the side records of an append that are in this bucket.
    async fn share(
        &self,
        appended: Appended,
        bucket: usize,
        writes: &[WriteArguments],
        looks_for_earlier: bool,
        member: &str,
    ) -> Result<Vec<u64>, RequestError> {
        let keys = self.keys(bucket)?;
        let locks = &keys.transactions.locks;
        let names = [&keys.values, &keys.names, &keys.expiries, locks, &keys.applied, &keys.pending];
        let looks_for_earlier = u8::from(looks_for_earlier).to_string();
        let mut arguments = vec![
            appended.game.as_str().as_bytes().to_vec(),
            appended.seq.to_string().into_bytes(),
            looks_for_earlier.into_bytes(),
            member.as_bytes().to_vec(),
        ];
        arguments.extend(writes.iter().flatten().cloned());
        let mut pauses = Pauses::new();
        loop {
            let said = self.run(bucket, Script::Share, &names.map(String::as_str), arguments.clone()).await?;
            match (said.word.as_str(), said.lock()?) {
                ("ok", _) => return Ok(Vec::new()),
                ("earlier", _) => {
                    let numbers = said.rest.iter().map(|seq| seq.parse::<u64>());
                    let mut numbers =
                        numbers.collect::<Result<Vec<_>, _>>().map_err(|_| answers::strange())?;
                    numbers.sort_unstable();
                    return Ok(numbers);
                }
                (_, Some(lock)) => {
                    if !self.resolve(&lock, bucket).await? && !pauses.wait().await {
                        return Err(RequestError::not_done("a side record is locked for too long"));
                    }
                }
                _ => return Err(answers::strange()),
            }
        }
    }

    /// True if some side records of a game's appends may not have been written yet.
    pub(super) async fn has_pending(&self, game: GameId) -> Result<bool, RequestError> {
        let bucket = self.placement.of_game(game);
        let pending = self.pending(bucket, None).await?;
        Ok(pending.iter().any(|(other, ..)| *other == game))
    }

    /// Returns the appends that were listed as pending in a bucket before `until`, and the times at
    /// which they were listed. They are sorted, because the latest write to a record must win.
    async fn pending(
        &self,
        bucket: usize,
        until: Option<u64>,
    ) -> Result<Vec<(GameId, u64, u64)>, RequestError> {
        let store = self.bucket(bucket)?;
        let until = until.map_or_else(|| "+inf".to_owned(), |until| until.to_string());
        let look = |_: &Link| {
            let mut look = redis::cmd("ZRANGEBYSCORE");
            look.arg(&store.shared.keys.pending).arg("-inf").arg(&until).arg("WITHSCORES").take()
        };
        let found: Vec<(Vec<u8>, f64)> = store.read_settled(|| store.reader.query(look)).await?;
        let parse = |(member, since): (Vec<u8>, f64)| {
            let (game, seq) = parse_pending_member(&member)?;
            Some((game, seq, since as u64))
        };
        let mut pending: Vec<_> = found.into_iter().filter_map(parse).collect();
        pending.sort_unstable();
        Ok(pending)
    }

    /// Finishes the work of lost servers in a bucket.
    async fn tend_bucket(&self, bucket: usize) -> Result<(), RequestError> {
        // After a loss of data, this process may have listed appends that no other server would
        // finish soon.
        let is_own = self.bucket(bucket)?.shared.has_pending.swap(false, Ordering::SeqCst);
        let now = SystemClock.now().0;
        let until = if is_own { now } else { now.saturating_sub(LEFT_BEHIND_MS) };
        for (game, seq, since) in self.pending(bucket, Some(until)).await? {
            let appended = Appended { game, seq, bucket };
            let store = self.bucket(bucket)?;
            let found = store.read_settled(|| store.reader.stream(game, seq, 1)).await?;
            let is_made = found.first().is_some_and(|entry| entry.seq == seq);
            // If there is no entry, the append was not made, or is being made at this moment.
            if is_made || now.saturating_sub(since) > ABANDONED_MS {
                self.write_entry(appended).await?;
            }
        }
        self.tend_transactions(bucket).await
    }

    async fn tend_transactions(&self, bucket: usize) -> Result<(), RequestError> {
        let store = self.bucket(bucket)?;
        let keys = &store.shared.keys.transactions;
        let now = store.shared.now();
        let Stamp(left_behind) = now.minus_ms(LEFT_BEHIND_MS);
        for (name, _) in self.names(bucket, &keys.prepared, left_behind).await? {
            self.resolve(&name, bucket).await?;
        }
        for (name, since) in self.names(bucket, &keys.decided, left_behind).await? {
            let look = |_: &Link| redis::Cmd::hget(&keys.decisions, name.to_string());
            let decision: Option<String> = store.reader.query(look).await?;
            match decision.and_then(|text| Decision::parse(&text)) {
                Some(Decision::Aborted) if now.0.saturating_sub(since) < ABORTED_MS => continue,
                Some(Decision::Aborted) | None => {}
                Some(Decision::Committed { others }) => {
                    try_join_all(others.iter().map(|other| self.finish(&name, *other, true))).await?;
                }
            }
            self.forget(&name, bucket).await?;
        }
        Ok(())
    }

    /// Returns up to 100 transactions in a sorted set that are older than `until`, and their times.
    async fn names(&self, bucket: usize, key: &str, until: u64) -> Result<Vec<(Name, u64)>, RequestError> {
        let store = self.bucket(bucket)?;
        let look = |_: &Link| {
            let mut look = redis::cmd("ZRANGEBYSCORE");
            look.arg(key).arg("-inf").arg(until).arg("WITHSCORES").arg("LIMIT").arg(0).arg(100).take()
        };
        let found: Vec<(String, f64)> = store.read_settled(|| store.reader.query(look)).await?;
        Ok(found.into_iter().filter_map(|(name, since)| Some((name.parse().ok()?, since as u64))).collect())
    }
}
