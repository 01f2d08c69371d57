//! The writer: the one thread that adds to the log.
//!
//! It takes every request that waits, decides each against the heads and records as the requests
//! before it left them, writes all that there is to write in one group with one sync, and answers.
//! While it waits for the disk, the next group gathers; there is no timer. No request is answered
//! before the sync, not even one that wrote nothing: its answer may rest on what the group writes.

mod checkpoint;

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use flagfall_board::{GameId, Stamp};
use rustc_hash::FxHashMap;
use tokio::sync::mpsc;

use super::change::{Change, Link};
use super::compact::Compaction;
use super::disk;
use super::files::{Place, Point, Tail};
use super::index::Checkpoint;
use super::notes::Notes;
use super::reader::Reader;
use super::request::{Answer, Answers, Prepared, Request, SWEEP_STEP, Verdict, answer};
use super::shared::Shared;
use super::trouble::Trouble;
use crate::outages::OutageList;
use crate::store::{
    AppendOutcome, CLOCKS_FIRST, OUTAGES_KEY, Outage, StoreError, Update, UpdateOutcome, Write,
};
use crate::value::{Head, Key};

/// Requests in one group, at most.
const GROUP_MAX: usize = 1024;
/// Bytes of entries and values in one group, about.
const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A value, and when it expires.
type Expiring = (Vec<u8>, Option<Stamp>);

/// The changes of a group so far, and what follows from them for the requests to come.
#[derive(Default)]
struct Stage {
    changes: Vec<Change>,
    heads: FxHashMap<GameId, Head>,
    /// Values, and when they expire; `None` for a record that was deleted.
    records: HashMap<Key, Option<Expiring>>,
    epoch: Option<u64>,
}

impl Stage {
    fn note(&mut self, writes: &[Write]) {
        for write in writes {
            let row = match write {
                Write::Put { value, expires, .. } => Some((value.clone(), *expires)),
                Write::Delete { .. } => None,
            };
            self.records.insert(write.key().clone(), row);
        }
    }
}

/// A checkpoint that is not in the index's database yet.
pub(super) struct Unstored {
    checkpoint: Checkpoint,
    /// The number of the notes that go when it is.
    noted: u64,
}

pub(super) struct Writer {
    pub(super) reader: Reader,
    pub(super) tail: Tail,
    pub(super) notes: Notes,
    /// Where the last group ended. After a group that was taken back, the tail may be in a segment
    /// that has none yet.
    pub(super) end: Point,
    pub(super) shared: Arc<Shared>,
    pub(super) answers: Answers,
    pub(super) checkpoint: Option<JoinHandle<Option<Unstored>>>,
    /// A checkpoint for which there was no room.
    pub(super) unstored: Option<Unstored>,
    /// Damage that was found and is not in the log yet, because there was no room.
    pub(super) unkept: Vec<Change>,
    /// Bytes of the log from one checkpoint to the next.
    pub(super) checkpoint_bytes: u64,
    /// Bytes of the log from which on it is compacted.
    pub(super) compact_bytes: u64,
    pub(super) compaction: Option<Compaction>,
}

impl Writer {
    /// Works until the last sender is gone. A panic fails the store; later requests are refused.
    pub(super) fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut is_busy = false;
        while let Some(first) = self.next(&mut requests) {
            if is_busy {
                // Those who were answered just now may have their next requests ready in a moment:
                // one sync for all costs less than one for each.
                std::thread::yield_now();
            }
            self.guarded(|writer| {
                is_busy = writer.run_group(first, &mut requests) > 1;
                writer.compact();
            });
        }
        self.finish();
    }

    fn guarded(&mut self, work: impl FnOnce(&mut Writer)) {
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            self.shared.fail("the writer panicked; the process must be started again");
        }
    }

    /// Waits for a request, and compacts meanwhile. `None` when the last sender is gone.
    fn next(&mut self, requests: &mut mpsc::Receiver<Request>) -> Option<Request> {
        while self.compaction.as_ref().is_some_and(|compaction| compaction.copied.is_none()) {
            match requests.try_recv() {
                Ok(request) => return Some(request),
                Err(mpsc::error::TryRecvError::Disconnected) => return None,
                Err(mpsc::error::TryRecvError::Empty) => self.guarded(Writer::compact),
            }
        }
        requests.blocking_recv()
    }

    /// Runs a request together with those that wait. Returns how many they were.
    fn run_group(&mut self, first: Request, requests: &mut mpsc::Receiver<Request>) -> usize {
        let mut stage = Stage::default();
        stage.changes.append(&mut self.unkept);
        let (mut answers, mut count, mut bytes) = (Vec::new(), 0, 0);
        let mut next = Some(first);
        while let Some(request) = next {
            count += 1;
            bytes += request.bytes();
            answers.extend(self.stage(&mut stage, request));
            let is_full = count >= GROUP_MAX || bytes >= GROUP_BYTES_MAX;
            next = if is_full { None } else { requests.try_recv().ok() };
        }
        // The first group after an outage records it.
        let outage = self.stage_outage(&mut stage);
        let found = |change: &&Change| matches!(change, Change::Quarantine { .. });
        let quarantines: Vec<Change> = stage.changes.iter().filter(found).cloned().collect();
        let verdict = self.write(stage.changes, answers);
        if matches!(verdict, Verdict::Refused(_)) {
            self.unkept = quarantines;
            outage.into_iter().for_each(|outage| self.shared.clock.put_back_unkept(outage));
        }
        let has_failed = self.shared.check_available().is_err();
        if !has_failed && self.reader.index.fresh_bytes() >= self.checkpoint_bytes {
            self.begin_checkpoint();
            self.look_at_size();
        }
        count
    }

    /// Decides a request, and returns the answer for the time when the group is durable.
    fn stage(&mut self, stage: &mut Stage, request: Request) -> Option<Answer> {
        Some(match request {
            Request::Append { append, reply } => {
                let outcome = self.stage_append(stage, append);
                let has_written = matches!(outcome, Ok(AppendOutcome::Ok { .. }));
                answer(reply, outcome, has_written.then_some(AppendOutcome::Unknown))
            }
            Request::Update { update, reply } => {
                let outcome = self.stage_update(stage, update);
                let has_written = matches!(outcome, Ok(UpdateOutcome::Ok));
                answer(reply, outcome, has_written.then_some(UpdateOutcome::Unknown))
            }
            Request::BumpEpoch { reply } => {
                let current = stage.epoch.unwrap_or_else(|| self.shared.epoch.load(Ordering::SeqCst));
                let epoch = self.shared.clock.stamp().0.max(current + 1);
                stage.epoch = Some(epoch);
                stage.changes.push(Change::Epoch(epoch));
                answer(reply, Ok(epoch), None)
            }
            Request::Quarantine { game, reason } => {
                stage.changes.push(Change::Quarantine { game, reason });
                return None;
            }
            Request::Release { game, reply } => {
                stage.changes.push(Change::Release(game));
                answer(reply, Ok(()), None)
            }
            Request::KeepOutage { reply } => answer(reply, Ok(()), None),
            Request::LookForRoom { reply } => {
                self.look_for_room();
                answer(reply, Ok(()), None)
            }
            Request::DeleteLog { game, reply } => {
                stage.heads.insert(game, Head::START);
                stage.changes.push(Change::DeleteLog(game));
                answer(reply, Ok(()), None)
            }
            Request::Sweep { reply } => answer(reply, self.stage_sweep(stage), None),
        })
    }

    /// Refuses changes when the store has failed or pauses.
    fn check_open(&self) -> Result<(), StoreError> {
        self.shared.check_available()?;
        self.shared.room.check()
    }

    fn stage_append(&self, stage: &mut Stage, append: Prepared) -> Result<AppendOutcome, StoreError> {
        self.check_open()?;
        let game = append.game;
        if let Some(reason) = self.shared.quarantine_of(game) {
            return Ok(AppendOutcome::Quarantined { reason });
        }
        let head = match stage.heads.get(&game) {
            Some(head) => Ok(*head),
            None => self.head(game),
        };
        let head = match head {
            Ok(head) => head,
            Err(Trouble::Unavailable { why } | Trouble::NoRoom { why }) => {
                return Err(StoreError::Unavailable { why });
            }
            Err(Trouble::Damaged { seq, what }) => {
                let reason = format!("entry {seq}: {what}");
                self.shared.quarantine(game, &reason);
                stage.changes.push(Change::Quarantine { game, reason: reason.clone() });
                return Ok(AppendOutcome::Quarantined { reason });
            }
        };
        if head != append.expected {
            return Ok(AppendOutcome::Conflict { head });
        }
        if let Some(stamped) = append.stamped {
            self.shared.clock.raise(stamped);
        }
        let at = append.stamped.unwrap_or_else(|| self.shared.clock.stamp());
        if append.stamped.is_none()
            && append.deadline.is_some()
            && self.shared.clock.outage() != append.outage
        {
            return Err(StoreError::Unavailable { why: CLOCKS_FIRST.to_owned() });
        }
        if append.deadline.is_some_and(|deadline| at > deadline) {
            return Ok(AppendOutcome::Late { at });
        }
        if append.not_before.is_some_and(|first| at < first) {
            return Ok(AppendOutcome::Early { at });
        }
        let Prepared { mut entries, writes, stamped, .. } = append;
        if stamped.is_none() {
            entries.iter_mut().for_each(|link| link.entry.at = at);
        }
        let head = entries.last().map_or(head, Link::head);
        stage.heads.insert(game, head);
        stage.note(&writes);
        stage.changes.push(Change::Entries { game, entries, writes });
        Ok(AppendOutcome::Ok { at, head })
    }

    /// Where a log stands. Its last frame is looked at once after a start, and after a checkpoint.
    fn head(&self, game: GameId) -> Result<Head, Trouble> {
        self.reader.index.fresh_head(game).map_or_else(|| self.reader.head(game), Ok)
    }

    fn record(&self, stage: &Stage, key: &Key, now: Stamp) -> Result<Option<Vec<u8>>, Trouble> {
        match stage.records.get(key) {
            Some(staged) => {
                let staged = staged.iter().find(|(_, expires)| expires.is_none_or(|expires| now < expires));
                Ok(staged.map(|(value, _)| value.clone()))
            }
            None => self.reader.get(key, now),
        }
    }

    fn stage_update(&self, stage: &mut Stage, update: Update) -> Result<UpdateOutcome, StoreError> {
        self.check_open()?;
        let now = self.shared.clock.stamp();
        for (key, expect) in &update.conditions {
            if !expect.holds(self.record(stage, key, now)?.as_deref()) {
                return Ok(UpdateOutcome::Conflict);
            }
        }
        stage.note(&update.writes);
        stage.changes.push(Change::Records { at: now, writes: update.writes });
        Ok(UpdateOutcome::Ok)
    }

    fn stage_sweep(&self, stage: &mut Stage) -> Result<usize, StoreError> {
        self.shared.check_available()?;
        let now = self.shared.clock.stamp();
        let mut expired = self.reader.index.expired(now, SWEEP_STEP)?;
        // A record that this group writes again is not what was found.
        expired.retain(|key| !stage.records.contains_key(key));
        let count = expired.len();
        let writes: Vec<Write> = expired.into_iter().map(|key| Write::Delete { key }).collect();
        if !writes.is_empty() {
            stage.note(&writes);
            stage.changes.push(Change::Records { at: now, writes });
        }
        Ok(count)
    }

    /// Adds an outage that was found to the record of outages.
    fn stage_outage(&self, stage: &mut Stage) -> Option<Outage> {
        let key = Key::new(OUTAGES_KEY).ok()?;
        let outage = self.shared.clock.take_unkept()?;
        // A record that cannot be read is begun anew: it lists nothing to other readers either.
        let record = self.record(stage, &key, outage.until).unwrap_or_default();
        let mut outages = OutageList::parse(record.as_deref());
        outages.add(outage);
        let writes = vec![Write::Put { key, value: outages.to_record(), expires: None }];
        stage.changes.push(Change::Records { at: outage.until, writes });
        Some(outage)
    }

    /// Writes a group, durably, answers, and takes it into the index.
    fn write(&mut self, changes: Vec<Change>, answers: Vec<Answer>) -> Verdict {
        if changes.is_empty() {
            self.answers.give(answers, Verdict::Durable);
            return Verdict::Durable;
        }
        let places = match self.persist(&changes) {
            Ok(places) => places,
            Err(verdict) => {
                self.answers.give(answers, verdict.clone());
                return verdict;
            }
        };
        // Callers are answered first and go on at once. Readers wait for the index until it has the
        // group.
        let answer = || self.answers.give(answers, Verdict::Durable);
        match self.reader.index.apply(changes.into_iter().zip(places), answer) {
            Ok(gaps) if gaps.is_empty() => {}
            // The heads were checked above: only a defect gets here.
            Ok(gaps) => drop(self.shared.fail(&format!("entries were written out of order: {gaps:?}"))),
            Err(trouble) => drop(self.shared.fail(&format!("the index cannot be used: {trouble:?}"))),
        }
        Verdict::Durable
    }

    /// Writes a group into the log, durably, and notes it. Returns where each change lies.
    fn persist(&mut self, changes: &[Change]) -> Result<Vec<Place>, Verdict> {
        let usable = self.shared.check_available().and_then(|()| self.shared.room.check_usable());
        if let Err(StoreError::Unavailable { why }) = usable {
            return Err(Verdict::Refused(why));
        }
        let mut group = match self.tail.group() {
            Ok(group) => group,
            Err(error) => {
                let what = "the next part of the log cannot be begun";
                return Err(Verdict::Refused(self.shared.note_failed(what, error.into())));
            }
        };
        let begun = self.tail.point;
        let places = changes.iter().map(|change| self.tail.place(change.push(&mut group))).collect();
        if let Err(error) = self.tail.write(group) {
            return Err(self.take_back(begun, "the log cannot be written", &error));
        }
        if let Err(why) = self.shared.place.check_one(&self.tail.name) {
            return Err(Verdict::Unknown(self.shared.fail(&why)));
        }
        // What is about to be acknowledged is noted first. The log is safe without the notes: they
        // tell what damage to it costs.
        if let Err(error) = self.notes.add(self.end, self.tail.point, &heads_of(changes)) {
            if disk::is_no_room(&error) {
                return Err(self.take_back(begun, "what is to be acknowledged cannot be noted", &error));
            }
            tracing::error!(%error, "what is acknowledged cannot be noted");
        }
        self.end = self.tail.point;
        match self.shared.note_end(self.end) {
            Ok(()) => {}
            // The log has it, and so have the notes.
            Err(error) if disk::is_no_room(&error) => {
                drop(self.shared.pause("the end of the log cannot be noted", &error));
            }
            Err(error) => tracing::error!(%error, "the end of the log cannot be noted"),
        }
        let mut stats = self.shared.stats.lock();
        stats.commits += 1;
        for change in changes {
            match change {
                Change::Entries { entries, .. } => {
                    stats.appends += 1;
                    stats.entries += entries.len() as u64;
                }
                Change::Epoch(epoch) => self.shared.epoch.store(*epoch, Ordering::SeqCst),
                Change::Release(game) | Change::DeleteLog(game) => self.shared.release(*game),
                Change::Moved { .. } | Change::Records { .. } | Change::Quarantine { .. } => {}
            }
        }
        Ok(places)
    }

    /// After a write that found no room: takes the group back that began here. After any other
    /// error, or if that is impossible, the next start may find the group, and the store fails.
    fn take_back(&mut self, begun: Point, what: &str, error: &io::Error) -> Verdict {
        let fail =
            |error: &dyn Display| self.shared.fail(&format!("{what} ({error}); start the process again"));
        if !disk::is_no_room(error) {
            return Verdict::Unknown(fail(error));
        }
        if let Err(error) = self.notes.cut().and_then(|()| self.tail.cut(begun)) {
            return Verdict::Unknown(fail(&error));
        }
        if error.kind() == io::ErrorKind::FileTooLarge {
            self.tail.end_segment();
        }
        Verdict::Refused(self.shared.pause(what, error))
    }

    /// Begins to compact the oldest segment if too much of the log does not count any more, unless
    /// one is being compacted or cannot be. While the store pauses for want of room, an eighth is
    /// too much.
    fn look_at_size(&mut self) {
        if self.compaction.is_some() || self.shared.room.check_usable().is_err() {
            return;
        }
        match self.find_compaction() {
            Ok(compaction) => self.compaction = compaction,
            Err(trouble) => {
                self.shared
                    .fail(&format!("the log cannot be looked at ({trouble:?}); start the process again"));
            }
        }
    }

    fn find_compaction(&self) -> Result<Option<Compaction>, Trouble> {
        let total = self.reader.segments.total_bytes()?;
        let is_worth_it = match self.shared.room.is_paused() {
            true => self.reader.index.dead_bytes()? > total / 8,
            false => total >= self.compact_bytes && self.reader.index.dead_bytes()? > total / 2,
        };
        let oldest = self.reader.segments.numbers().first().copied();
        let oldest = oldest.filter(|oldest| is_worth_it && *oldest < self.tail.point.segment);
        Ok(oldest.map(|oldest| Compaction::begin(&self.reader, oldest)).transpose()?)
    }

    /// A step of the compaction. It ends when the store fails.
    fn compact(&mut self) {
        let Some(mut compaction) = self.compaction.take() else { return };
        if self.shared.check_available().is_err() {
            return;
        }
        match self.compact_step(&mut compaction) {
            Ok(true) => {}
            Ok(false) => self.compaction = Some(compaction),
            // It is begun again when there is room.
            Err(_) if self.shared.room.check_usable().is_err() => {}
            Err(trouble) => drop(self.shared.note_failed("the log cannot be compacted", trouble)),
        }
    }

    /// Copies the next part. When everything is copied, and in a checkpoint, the segment goes:
    /// true.
    fn compact_step(&mut self, compaction: &mut Compaction) -> Result<bool, Trouble> {
        let Some(copied) = compaction.copied else {
            match compaction.step(&self.reader, &self.shared)? {
                Some(changes) => {
                    self.write(changes, Vec::new()).check()?;
                }
                None => compaction.finish(self.tail.point),
            }
            return Ok(false);
        };
        let stored = self.reader.index.state()?.unwrap_or_default();
        if stored.until < copied {
            self.begin_checkpoint();
            return Ok(false);
        }
        let segment = compaction.seal.number;
        let bytes = self.reader.segments.remove(segment, compaction.is_damaged)?;
        self.reader.index.removed(bytes);
        tracing::info!(segment, bytes, "a segment of the log is compacted");
        Ok(true)
    }
}

/// The last entry of each append; 0 for a log that is deleted.
fn heads_of(changes: &[Change]) -> Vec<(GameId, u64)> {
    let head = |change: &Change| match change {
        Change::Entries { game, entries, .. } => entries.last().map(|link| (*game, link.entry.seq)),
        Change::DeleteLog(game) => Some((*game, 0)),
        Change::Moved { .. }
        | Change::Records { .. }
        | Change::Epoch(_)
        | Change::Quarantine { .. }
        | Change::Release(_) => None,
    };
    changes.iter().filter_map(head).collect()
}
