//! The writer: the one thread that adds to the log.
//!
//! It takes all waiting requests and processes them in order. Each request sees the heads and
//! records as the previous requests leave them. The writer then writes all changes as one group
//! with one sync, and answers. Requests that arrive during the sync form the next group. After a
//! group of several requests, the writer gives their callers a moment to send again, because one
//! sync for all of them costs less than several. No request is answered before the sync, even if
//! it wrote nothing, because its answer may depend on changes in the group.

mod checkpoint;
mod compaction;
mod retire;

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flagfall_board::{GameId, Stamp};
use rustc_hash::FxHashMap;
use tokio::sync::mpsc;

use super::access_error::AccessError;
use super::change::{Change, Entries};
use super::compact::Compaction;
use super::disk;
use super::files::{Place, Point, Tail};
use super::index::Checkpoint;
use super::notes::{GroupHeads, Notes};
use super::reader::Reader;
use super::request::{Answer, Answers, Prepared, Request, SWEEP_STEP, Verdict};
use super::shared::Shared;
use crate::clock::StampClock;
use crate::guard::Guard;
use crate::outages::OutageList;
use crate::segment::FrameWriter;
use crate::store::{
    AppendOutcome, CLOCKS_FIRST, OUTAGES_KEY, Outage, RetireOutcome, StoreError, Update, UpdateOutcome, Write,
};
use crate::value::{Head, Key};

/// The maximum number of requests in one group.
const GROUP_MAX: usize = 1024;
/// The approximate limit for the bytes of entries and values in one group.
const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The maximum time to wait for the next request of a group. An answered caller needs about a
/// microsecond to send again.
const PATIENCE: Duration = Duration::from_micros(10);

/// The number of requests that may use a stamp after the first one. The writer needs less than a
/// microsecond for each of them, and stamps are in milliseconds.
const STAMP_USES: u8 = 15;

/// A value, and the moment at which it expires.
type Expiring = (Vec<u8>, Option<Stamp>);

/// The changes of a group so far, and their effects on later requests.
#[derive(Default)]
pub(super) struct Stage {
    /// The frames of the changes so far.
    group: Option<FrameWriter>,
    changes: Vec<(Change, Place)>,
    /// The heads of the changed logs; [`Head::START`] for a deleted log.
    heads: FxHashMap<GameId, Head>,
    /// The games and entry numbers in `heads`, encoded for the notes.
    noted: GroupHeads,
    /// The games whose logs the group deletes.
    deleted: Vec<GameId>,
    /// The games that the group puts into quarantine, with the reasons.
    quarantines: Vec<(GameId, String)>,
    /// The records that the group has changed; `None` for a deleted record.
    records: HashMap<Key, Option<Expiring>>,
    epoch: Option<u64>,
    /// A recent stamp, and the number of requests that may still use it.
    recent: Option<(Stamp, u8)>,
}

impl Stage {
    /// Returns a stamp. Reads the clock only for some requests of a group, because readings for
    /// all of them would take a third of the writer's time.
    fn stamp(&mut self, clock: &StampClock) -> Stamp {
        let (stamp, left) = match self.recent {
            Some((recent, left @ 1..)) => (clock.recent(recent), left - 1),
            _ => (clock.stamp(), STAMP_USES),
        };
        self.recent = Some((stamp, left));
        stamp
    }

    fn note(&mut self, writes: &[Write]) {
        for write in writes {
            let row = match write {
                Write::Put { value, expires, .. } => Some((value.clone(), *expires)),
                Write::Delete { .. } => None,
            };
            self.records.insert(write.key().clone(), row);
        }
    }

    /// Encodes a change immediately, because more requests usually arrive in the meantime.
    fn push(&mut self, change: Change) {
        let place = change.push(group_of(&mut self.group));
        self.changes.push((change, place));
    }

    /// Encodes the entries of an append.
    fn push_entries(&mut self, entries: &Entries, writes: Vec<Write>) {
        let place = entries.push(&writes, group_of(&mut self.group));
        self.changes.push((Change::Entries { entries: entries.without_bodies(), writes }, place));
    }

    fn set_head(&mut self, game: GameId, head: Head) {
        self.heads.insert(game, head);
        self.noted.push(game, head.seq);
    }

    fn delete_log(&mut self, game: GameId) {
        self.set_head(game, Head::START);
        self.push(Change::DeleteLog(game));
        self.deleted.push(game);
    }

    fn quarantine(&mut self, game: GameId, reason: String) {
        self.push(Change::Quarantine { game, reason: reason.clone() });
        self.quarantines.push((game, reason));
    }

    /// Removes everything, but keeps the memory for the next group.
    fn clear(&mut self) {
        self.changes.clear();
        self.heads.clear();
        self.noted.clear();
        self.deleted.clear();
        self.quarantines.clear();
        self.records.clear();
        self.records.shrink_to(GROUP_MAX);
        (self.epoch, self.recent) = (None, None);
    }
}

/// A checkpoint that is not in the index's database yet.
pub(super) struct Unstored {
    checkpoint: Checkpoint,
    /// The number of the last file of notes to remove after the checkpoint is stored.
    noted: u64,
}

pub(super) struct Writer {
    pub(super) reader: Reader,
    pub(super) tail: Tail,
    pub(super) notes: Notes,
    /// The point at which the last written group ended. The tail may be later: if a group was
    /// undone, the tail may be in a new segment that is still empty.
    pub(super) end: Point,
    pub(super) shared: Arc<Shared>,
    pub(super) answers: Answers,
    pub(super) checkpoint: Option<JoinHandle<Option<Unstored>>>,
    /// A checkpoint that could not be written because the disk was full.
    pub(super) unstored: Option<Unstored>,
    /// Quarantines that are not in the log yet, because a write found no space.
    pub(super) unkept: Vec<(GameId, String)>,
    /// The length of the log between two checkpoints, in bytes.
    pub(super) checkpoint_bytes: u64,
    /// The minimum length of the log for compaction, in bytes.
    pub(super) compact_bytes: u64,
    pub(super) compaction: Option<Compaction>,
    /// The changes of the current group. Empty between groups, but kept so that its memory is
    /// reused.
    pub(super) stage: Stage,
    /// The time that the last group took to become durable. Waiting longer than that for more
    /// requests would cost more than another group.
    pub(super) group_time: Duration,
}

impl Writer {
    /// Runs until the last sender is dropped. After a panic, the store has failed and refuses
    /// later requests.
    pub(super) fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut answered = 0;
        while let Some(first) = self.next(&mut requests) {
            self.guarded(|writer| {
                answered = writer.run_group(first, answered, &mut requests);
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

    /// Waits for a request, and compacts the log in the meantime. Returns `None` when the last
    /// sender is dropped.
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

    /// Processes a request together with all waiting requests, and returns their number. If there
    /// are fewer than `answered`, the number in the previous group, waits a moment for more.
    fn run_group(
        &mut self,
        first: Request,
        answered: usize,
        requests: &mut mpsc::Receiver<Request>,
    ) -> usize {
        let latest = Instant::now() + self.group_time;
        let mut stage = std::mem::take(&mut self.stage);
        stage.group = Some(self.tail.group());
        for (game, reason) in std::mem::take(&mut self.unkept) {
            stage.quarantine(game, reason);
        }
        let (mut answers, mut count, mut bytes) = (Vec::with_capacity(answered), 0, 0);
        let mut next = Some(first);
        while let Some(request) = next {
            count += 1;
            bytes += request.bytes();
            answers.extend(self.stage(&mut stage, request));
            if count >= GROUP_MAX || bytes >= GROUP_BYTES_MAX {
                break;
            }
            next = match requests.try_recv() {
                Ok(request) => Some(request),
                Err(_) if count < answered => {
                    stage.recent = None;
                    wait_for_next(requests, latest)
                }
                Err(_) => None,
            };
        }
        // The first group after an outage also writes the outage to the record of outages.
        let outage = self.stage_outage(&mut stage);
        let verdict = self.write(&mut stage, answers);
        let quarantines = std::mem::take(&mut stage.quarantines);
        stage.clear();
        self.stage = stage;
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

    /// Processes a request. Returns the answer to give once the group is durable.
    fn stage(&mut self, stage: &mut Stage, request: Request) -> Option<Answer> {
        Some(match request {
            Request::Append { mut append, reply } => {
                let outcome = self.stage_append(stage, &mut append);
                Answer::Append(reply, outcome, append)
            }
            Request::Update { update, reply } => {
                let outcome = self.stage_update(stage, update);
                let has_written = matches!(outcome, Ok(UpdateOutcome::Ok));
                Answer::other(reply, outcome, has_written.then_some(UpdateOutcome::Unknown))
            }
            Request::BumpEpoch { reply } => {
                let current = stage.epoch.unwrap_or_else(|| self.shared.epoch.load(Ordering::SeqCst));
                let epoch = self.shared.clock.stamp().0.max(current + 1);
                stage.epoch = Some(epoch);
                stage.push(Change::Epoch(epoch));
                Answer::other(reply, Ok(epoch), None)
            }
            Request::Quarantine { game, reason } => {
                stage.quarantine(game, reason);
                return None;
            }
            Request::KeepOutage { reply } => Answer::other(reply, Ok(()), None),
            Request::LookForRoom { reply } => {
                self.look_for_room();
                Answer::other(reply, Ok(()), None)
            }
            Request::Retire { game, guard, reply } => {
                let outcome = self.stage_retirement(stage, game, &guard);
                let has_written = matches!(outcome, Ok(RetireOutcome::Ok));
                Answer::other(reply, outcome, has_written.then_some(RetireOutcome::Unknown))
            }
            Request::DeleteLog { game, reply } => {
                let outcome = self.stage_deletion(stage, game);
                Answer::other(reply, outcome, None)
            }
            Request::Sweep { reply } => Answer::other(reply, self.stage_sweep(stage), None),
        })
    }

    /// Returns an error if the store has failed or pauses.
    fn check_open(&self) -> Result<(), StoreError> {
        self.shared.check_available()?;
        self.shared.room.check()
    }

    fn stage_append(&self, stage: &mut Stage, append: &mut Prepared) -> Result<AppendOutcome, StoreError> {
        self.check_open()?;
        let game = append.entries.game;
        if let Some(reason) = self.shared.quarantine_of(game) {
            return Ok(AppendOutcome::Quarantined { reason });
        }
        let head = match self.staged_head(stage, game)? {
            Ok(head) => head,
            Err(reason) => return Ok(AppendOutcome::Quarantined { reason }),
        };
        let now = stage.stamp(&self.shared.clock);
        if head == Head::START
            && let Some(Guard { head, .. }) = self.guard(stage, game, now)?
        {
            return Ok(AppendOutcome::Conflict { head });
        }
        if head != append.expected {
            return Ok(AppendOutcome::Conflict { head });
        }
        let at = if append.is_stamped {
            self.shared.clock.raise(append.entries.latest);
            append.entries.latest
        } else {
            now
        };
        if !append.is_stamped && append.deadline.is_some() && self.shared.clock.outage() != append.outage {
            return Err(StoreError::Unavailable { why: CLOCKS_FIRST.to_owned() });
        }
        if append.deadline.is_some_and(|deadline| at > deadline) {
            return Ok(AppendOutcome::Late { at });
        }
        if append.not_before.is_some_and(|first| at < first) {
            return Ok(AppendOutcome::Early { at });
        }
        if !append.is_stamped {
            append.entries.stamp(at);
        }
        let (head, writes) = (append.entries.head, std::mem::take(&mut append.writes));
        stage.set_head(game, head);
        stage.note(&writes);
        stage.push_entries(&append.entries, writes);
        Ok(AppendOutcome::Ok { at, head })
    }

    /// Returns the head of a log as the group leaves it. If the log is damaged, puts the game
    /// into quarantine and returns the reason.
    fn staged_head(&self, stage: &mut Stage, game: GameId) -> Result<Result<Head, String>, StoreError> {
        let head = match stage.heads.get(&game) {
            Some(head) => Ok(*head),
            None => self.head(game),
        };
        match head {
            Ok(head) => Ok(Ok(head)),
            Err(AccessError::Unavailable { why } | AccessError::NoRoom { why }) => {
                Err(StoreError::Unavailable { why })
            }
            Err(AccessError::Damaged { seq, what }) => {
                let reason = format!("entry {seq}: {what}");
                self.shared.quarantine(game, &reason);
                stage.quarantine(game, reason.clone());
                Ok(Err(reason))
            }
        }
    }

    /// Returns the head of a log. Checks the last frame of the log, unless that frame was checked
    /// or written since the last checkpoint.
    fn head(&self, game: GameId) -> Result<Head, AccessError> {
        self.reader.index.fresh_head(game).map_or_else(|| self.reader.head(game), Ok)
    }

    fn record(&self, stage: &Stage, key: &Key, now: Stamp) -> Result<Option<Vec<u8>>, AccessError> {
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
        let now = stage.stamp(&self.shared.clock);
        for (key, expect) in &update.conditions {
            if !expect.holds(self.record(stage, key, now)?.as_deref()) {
                return Ok(UpdateOutcome::Conflict);
            }
        }
        stage.note(&update.writes);
        stage.push(Change::Records { at: now, writes: update.writes });
        Ok(UpdateOutcome::Ok)
    }

    fn stage_sweep(&self, stage: &mut Stage) -> Result<usize, StoreError> {
        self.shared.check_available()?;
        let now = self.shared.clock.stamp();
        let mut expired = self.reader.index.expired(now, SWEEP_STEP)?;
        // Skip the records that this group has already renewed or deleted.
        expired.retain(|key| !stage.records.contains_key(key));
        let count = expired.len();
        let writes: Vec<Write> = expired.into_iter().map(|key| Write::Delete { key }).collect();
        if !writes.is_empty() {
            stage.note(&writes);
            stage.push(Change::Records { at: now, writes });
        }
        Ok(count)
    }

    /// Adds a new outage to the record of outages.
    fn stage_outage(&self, stage: &mut Stage) -> Option<Outage> {
        let key = Key::new(OUTAGES_KEY).ok()?;
        let outage = self.shared.clock.take_unkept()?;
        // If the record cannot be read, a new one replaces it. This loses no information, because
        // other readers could not read the old one either.
        let record = self.record(stage, &key, outage.until).unwrap_or_default();
        let mut outages = OutageList::parse(record.as_deref());
        outages.add(outage);
        let writes = vec![Write::Put { key, value: outages.to_record(), expires: None }];
        stage.push(Change::Records { at: outage.until, writes });
        Some(outage)
    }

    /// Durably writes a group, answers its callers, and moves the group into the index.
    fn write(&mut self, stage: &mut Stage, answers: Vec<Answer>) -> Verdict {
        let group = stage.group.take();
        if stage.changes.is_empty() {
            group.into_iter().for_each(|group| self.tail.drop_group(group));
            self.answers.give(answers, Verdict::Durable);
            return Verdict::Durable;
        }
        let persisted = group.map_or(Ok(()), |group| self.persist(group, stage));
        if let Err(verdict) = persisted {
            self.answers.give(answers, verdict.clone());
            return verdict;
        }
        // Callers are answered before the index is updated, so that they can continue at once. If
        // they read, the read waits until the index contains the group.
        let answer = || self.answers.give(answers, Verdict::Durable);
        match self.reader.index.apply(stage.changes.drain(..), answer) {
            Ok(gaps) if gaps.is_empty() => {}
            // The heads were checked before, so a gap can only come from a bug.
            Ok(gaps) => drop(self.shared.fail(&format!("entries were written out of order: {gaps:?}"))),
            Err(error) => drop(self.shared.fail(&format!("the index cannot be used: {error:?}"))),
        }
        Verdict::Durable
    }

    /// Durably writes a group to the log, and adds it to the notes.
    fn persist(&mut self, group: FrameWriter, stage: &Stage) -> Result<(), Verdict> {
        let usable = self.shared.check_available().and_then(|()| self.shared.room.check_usable());
        if let Err(StoreError::Unavailable { why }) = usable {
            return Err(Verdict::Refused(why));
        }
        if let Err(error) = self.tail.make_ready() {
            let what = "the next part of the log cannot be begun";
            return Err(Verdict::Refused(self.shared.note_failed(what, error.into())));
        }
        let (begun, begun_at) = (self.tail.point, Instant::now());
        if let Err(error) = self.tail.write(group) {
            return Err(self.take_back(begun, "the log cannot be written", &error));
        }
        if let Err(why) = self.shared.place.check_one(&self.tail.name) {
            return Err(Verdict::Unknown(self.shared.fail(&why)));
        }
        // The notes are written before the callers are answered. The log is safe without the
        // notes, but if the log is damaged, the notes show which games are affected.
        if let Err(error) = self.notes.add(self.end, self.tail.point, &stage.noted) {
            if disk::is_no_room(&error) {
                return Err(self.take_back(begun, "what is to be acknowledged cannot be noted", &error));
            }
            tracing::error!(%error, "what is acknowledged cannot be noted");
        }
        self.end = self.tail.point;
        match self.shared.note_end(self.end) {
            Ok(()) => {}
            // The group is safe, because the log and the notes contain it.
            Err(error) if disk::is_no_room(&error) => {
                drop(self.shared.pause("the end of the log cannot be noted", &error));
            }
            Err(error) => tracing::error!(%error, "the end of the log cannot be noted"),
        }
        self.shared.groups.fetch_add(1, Ordering::Relaxed);
        self.group_time = begun_at.elapsed();
        if let Some(epoch) = stage.epoch {
            self.shared.epoch.store(epoch, Ordering::SeqCst);
        }
        stage.deleted.iter().for_each(|game| self.shared.release(*game));
        Ok(())
    }

    /// Undoes the group that begins at `begun`, if its write found no space. After any other
    /// error, or if the group cannot be undone, the store fails, because the next start may find
    /// the group in the log.
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
}

fn group_of(group: &mut Option<FrameWriter>) -> &mut FrameWriter {
    group.as_mut().unwrap_or_else(|| unreachable!("a stage begins with a group"))
}

/// Waits a moment for the next request of a group, but not beyond `latest`. Other threads can run
/// in the meantime.
fn wait_for_next(requests: &mut mpsc::Receiver<Request>, latest: Instant) -> Option<Request> {
    let latest = latest.min(Instant::now() + PATIENCE);
    loop {
        std::thread::yield_now();
        let request = requests.try_recv().ok();
        if request.is_some() || Instant::now() >= latest {
            return request;
        }
    }
}
