//! The writer: the one thread that changes the database.
//!
//! It takes every request that is waiting, decides each against the heads and records as the requests before it
//! left them, puts all that is to be written into one batch, commits it with one fsync and answers. While it
//! waits for the disk the next group gathers; there is no timer. Nobody is answered before the commit, not even
//! those who wrote nothing, for their answer may rest on what the group writes.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use fjall::PersistMode;
use flagfall_board::{GameId, Stamp};
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::heads::HeadCache;
use super::layout::{
    META_EPOCH, Row, Space, entry_key, expiry_key, head_value, parse_expiry_key, parse_record,
    quarantine_key, record_value, stamp_entry,
};
use super::mirror::Mirror;
use super::reader::{Spaces, Trouble, trouble};
use crate::outages::OutageList;
use crate::store::{
    AppendOutcome, CLOCKS_FIRST, Expect, OUTAGES_KEY, Outage, StoreError, Update, UpdateOutcome, Write,
};
use crate::value::{Head, Key};

/// Requests in one commit, at most.
const GROUP_MAX: usize = 1024;
/// Bytes of entries in one commit, about.
const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Expired records looked at in one commit of a sweep.
pub(super) const SWEEP_STEP: usize = 1000;

pub(super) type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// An append whose chain its caller has computed, so that the writer need not.
pub(super) struct Prepared {
    pub(super) game: GameId,
    pub(super) expected: Head,
    pub(super) deadline: Option<Stamp>,
    pub(super) not_before: Option<Stamp>,
    /// The entries' values, their stamps missing, unless there is `stamped`.
    pub(super) values: Vec<Vec<u8>>,
    /// The latest of the stamps that the values have already.
    pub(super) stamped: Option<Stamp>,
    /// The latest outage that was known when it was asked for.
    pub(super) outage: Option<Outage>,
    /// The head after them.
    pub(super) head: Head,
    pub(super) writes: Vec<Write>,
}

/// What the writer is asked to do.
pub(super) enum Request {
    Append {
        append: Prepared,
        reply: Reply<AppendOutcome>,
    },
    Update {
        update: Update,
        reply: Reply<UpdateOutcome>,
    },
    BumpEpoch {
        reply: Reply<u64>,
    },
    /// Keeps what a reader has found, and already told [`Shared`].
    Quarantine {
        game: GameId,
        reason: String,
    },
    /// Lifts a quarantine.
    Release {
        game: GameId,
        reply: Reply<()>,
    },
    /// Puts an outage that was found into the record of outages, as any other commit does.
    KeepOutage {
        reply: Reply<()>,
    },
    /// Deletes the log of a game.
    DeleteLog {
        game: GameId,
        reply: Reply<()>,
    },
    /// Throws out at most [`SWEEP_STEP`] expired records; answers how many it found and how many it deleted.
    Sweep {
        reply: Reply<Swept>,
    },
}

impl Request {
    fn bytes(&self) -> usize {
        match self {
            Request::Append { append, .. } => append.values.iter().map(Vec::len).sum(),
            Request::Update { update, .. } => update
                .writes
                .iter()
                .map(|write| match write {
                    Write::Put { value, .. } => value.len(),
                    Write::Delete { .. } => 0,
                })
                .sum(),
            Request::BumpEpoch { .. }
            | Request::KeepOutage { .. }
            | Request::Quarantine { .. }
            | Request::Release { .. }
            | Request::DeleteLog { .. }
            | Request::Sweep { .. } => 0,
        }
    }
}

/// What a step of a sweep did.
#[derive(Clone, Copy, Default)]
pub(super) struct Swept {
    pub(super) found: usize,
    pub(super) deleted: u64,
}

/// An answer that waits for the commit.
enum Answer {
    Append(Reply<AppendOutcome>, Result<AppendOutcome, StoreError>),
    Update(Reply<UpdateOutcome>, Result<UpdateOutcome, StoreError>),
    Epoch(Reply<u64>, u64),
    Done(Reply<()>),
}

/// What a commit came to.
enum Verdict {
    /// It is on the disk.
    Durable,
    /// It may be on the disk or not.
    Unknown(String),
    /// It is not on the disk.
    Refused(String),
}

/// What the requests of a group so far are going to write. One row a key: the database must not be given two
/// values for one key in one batch.
#[derive(Default)]
struct Stage {
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    heads: HashMap<GameId, Head>,
    records: HashMap<Key, Option<StagedRecord>>,
    quarantines: BTreeMap<GameId, Option<String>>,
    epoch: Option<u64>,
    appends: u64,
}

struct StagedRecord {
    value: Vec<u8>,
    expires: Option<Stamp>,
}

impl Stage {
    fn is_empty(&self) -> bool {
        self.entries.is_empty()
            && self.records.is_empty()
            && self.quarantines.is_empty()
            && self.epoch.is_none()
    }

    fn write(&mut self, writes: Vec<Write>) {
        for write in writes {
            match write {
                Write::Put { key, value, expires } => {
                    self.records.insert(key, Some(StagedRecord { value, expires }));
                }
                Write::Delete { key } => {
                    self.records.insert(key, None);
                }
            }
        }
    }
}

pub(super) struct Writer {
    spaces: Spaces,
    shared: Arc<Shared>,
    heads: HeadCache,
    mirror: Mirror,
    /// The number of the last commit.
    commit: u64,
    /// The last commit, while the mirror has not got it yet.
    unmirrored: Option<u64>,
}

impl Writer {
    pub(super) fn new(
        spaces: Spaces,
        shared: Arc<Shared>,
        mirror: Mirror,
        heads_cached: usize,
        commit: u64,
    ) -> Writer {
        Writer { spaces, shared, heads: HeadCache::new(heads_cached), mirror, commit, unmirrored: None }
    }

    /// Works until nobody can ask any more.
    pub(super) fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        // What expired while the store was closed goes first, a step at a time between the groups.
        let mut is_sweeping = true;
        loop {
            let first = if is_sweeping { requests.try_recv().ok() } else { requests.blocking_recv() };
            let is_idle = first.is_none();
            if is_idle && !is_sweeping {
                return;
            }
            let mut bytes = 0;
            let mut group = Vec::new();
            let mut next = first;
            while let Some(request) = next {
                bytes += request.bytes();
                group.push(request);
                next = if group.len() < GROUP_MAX && bytes < GROUP_BYTES_MAX {
                    requests.try_recv().ok()
                } else {
                    None
                };
            }
            // A panic drops the replies of the group, which their callers read as `Unknown`.
            let worked = catch_unwind(AssertUnwindSafe(|| {
                self.run_group(group);
                is_sweeping && self.sweep_step().is_ok_and(|swept| swept.found == SWEEP_STEP)
            }));
            is_sweeping = worked.unwrap_or_else(|_| {
                self.shared.fail("the writer panicked; the process must be started again");
                false
            });
        }
    }

    fn run_group(&mut self, group: Vec<Request>) {
        let mut stage = Stage::default();
        let mut answers = Vec::with_capacity(group.len());
        let (mut sweeps, mut deletions) = (Vec::new(), Vec::new());
        for request in group {
            match request {
                Request::Append { append, reply } => {
                    let outcome = self.stage_append(&mut stage, append);
                    answers.push(Answer::Append(reply, outcome));
                }
                Request::Update { update, reply } => {
                    let outcome = self.stage_update(&mut stage, update);
                    answers.push(Answer::Update(reply, outcome));
                }
                Request::BumpEpoch { reply } => {
                    let current = stage.epoch.unwrap_or_else(|| self.shared.epoch.load(Ordering::SeqCst));
                    let epoch = self.shared.clock.stamp().0.max(current + 1);
                    stage.epoch = Some(epoch);
                    answers.push(Answer::Epoch(reply, epoch));
                }
                Request::Quarantine { game, reason } => {
                    stage.quarantines.insert(game, Some(reason));
                }
                Request::Release { game, reply } => {
                    stage.quarantines.insert(game, None);
                    answers.push(Answer::Done(reply));
                }
                Request::KeepOutage { reply } => answers.push(Answer::Done(reply)),
                Request::DeleteLog { game, reply } => deletions.push((game, reply)),
                Request::Sweep { reply } => sweeps.push(reply),
            }
        }
        // Whatever is written after an outage is not in the store without it.
        self.stage_outage(&mut stage);
        let verdict = self.commit_stage(stage);
        for answer in answers {
            answer.give(&verdict);
        }
        self.mirror_commit();
        for (game, reply) in deletions {
            reply.send(self.delete_log(game)).ok();
        }
        for reply in sweeps {
            // A caller that went away needs no answer, here as everywhere below.
            reply.send(self.sweep_step()).ok();
        }
    }

    fn stage_append(&mut self, stage: &mut Stage, append: Prepared) -> Result<AppendOutcome, StoreError> {
        self.shared.check_available()?;
        let game = append.game;
        if let Some(reason) = self.shared.quarantine_of(game) {
            return Ok(AppendOutcome::Quarantined { reason });
        }
        let head = match stage.heads.get(&game).copied().or_else(|| self.heads.get(game)) {
            Some(head) => head,
            None => match self.spaces.head(game) {
                Ok(head) => {
                    self.heads.put(game, head);
                    head
                }
                Err(Trouble::Unavailable { why }) => return Err(StoreError::Unavailable { why }),
                Err(Trouble::Damaged { seq, what }) => {
                    let reason = format!("entry {seq}: {what}");
                    self.shared.quarantine(game, &reason);
                    stage.quarantines.insert(game, Some(reason.clone()));
                    return Ok(AppendOutcome::Quarantined { reason });
                }
            },
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
        for (seq, mut value) in (append.expected.seq + 1..).zip(append.values) {
            if append.stamped.is_none() {
                stamp_entry(&mut value, at);
            }
            stage.entries.push((entry_key(game, seq), value));
        }
        stage.heads.insert(game, append.head);
        stage.write(append.writes);
        stage.appends += 1;
        Ok(AppendOutcome::Ok { at, head: append.head })
    }

    fn stage_update(&self, stage: &mut Stage, update: Update) -> Result<UpdateOutcome, StoreError> {
        self.shared.check_available()?;
        let now = self.shared.clock.stamp();
        for (key, expect) in &update.conditions {
            let found = match stage.records.get(key) {
                Some(staged) => staged
                    .as_ref()
                    .filter(|record| record.expires.is_none_or(|expires| now < expires))
                    .map(|record| record.value.clone()),
                None => self.spaces.get(key, now).map_err(Trouble::of_record)?,
            };
            let holds = match (found, expect) {
                (None, Expect::Absent) => true,
                (Some(found), Expect::Value(value)) => found == *value,
                (None, Expect::Value(_)) | (Some(_), Expect::Absent) => false,
            };
            if !holds {
                return Ok(UpdateOutcome::Conflict);
            }
        }
        stage.write(update.writes);
        Ok(UpdateOutcome::Ok)
    }

    /// Adds an outage that was found to the record of outages.
    fn stage_outage(&self, stage: &mut Stage) {
        let (Some(outage), Ok(key)) = (self.shared.clock.take_unkept(), Key::new(OUTAGES_KEY)) else {
            return;
        };
        let record = match stage.records.get(&key) {
            Some(staged) => staged.as_ref().map(|record| record.value.clone()),
            // A record that cannot be read is begun anew: it lists nothing to anybody else either.
            None => self.spaces.get(&key, outage.until).unwrap_or_default(),
        };
        let mut outages = OutageList::parse(record.as_deref());
        outages.add(outage);
        stage.records.insert(key, Some(StagedRecord { value: outages.to_record(), expires: None }));
    }

    fn commit_stage(&mut self, stage: Stage) -> Verdict {
        if stage.is_empty() {
            return Verdict::Durable;
        }
        let entries = stage.entries.len() as u64;
        let mut rows = Vec::with_capacity(1 + stage.entries.len() + stage.heads.len() + stage.records.len());
        rows.push(self.commit_row());
        rows.extend(stage.entries.into_iter().map(|(key, value)| Row::put(Space::Logs, key, value)));
        let heads = stage.heads.iter();
        rows.extend(heads.map(|(game, head)| Row::put(Space::Heads, game.as_str(), head_value(*head))));
        for (key, record) in stage.records {
            match record {
                Some(StagedRecord { value, expires }) => {
                    if let Some(expires) = expires {
                        rows.push(Row::put(Space::Expiries, expiry_key(expires, &key), []));
                    }
                    rows.push(Row::put(Space::Records, key.as_bytes(), record_value(&value, expires)));
                }
                None => rows.push(Row::remove(Space::Records, key.as_bytes())),
            }
        }
        for (game, reason) in &stage.quarantines {
            rows.push(match reason {
                Some(reason) => Row::put(Space::Meta, quarantine_key(*game), reason.as_bytes()),
                None => Row::remove(Space::Meta, quarantine_key(*game)),
            });
        }
        rows.extend(stage.epoch.map(|epoch| Row::put(Space::Meta, META_EPOCH, epoch.to_le_bytes())));
        let verdict = self.commit(rows);
        if matches!(verdict, Verdict::Durable) {
            for (game, head) in stage.heads {
                self.heads.put(game, head);
            }
            for (game, reason) in stage.quarantines {
                self.heads.forget(game);
                if reason.is_none() {
                    self.shared.release(game);
                }
            }
            if let Some(epoch) = stage.epoch {
                self.shared.epoch.store(epoch, Ordering::SeqCst);
            }
            self.shared.counters.appends.fetch_add(stage.appends, Ordering::Relaxed);
            self.shared.counters.entries.fetch_add(entries, Ordering::Relaxed);
        }
        verdict
    }

    /// The row that every commit begins with.
    fn commit_row(&self) -> Row {
        Row::of_commit(self.commit + 1, self.shared.clock.stamp())
    }

    /// Commits, durably, and tells the witness. The mirror is told by [`Writer::mirror_commit`].
    fn commit(&mut self, rows: Vec<Row>) -> Verdict {
        if let Err(StoreError::Unavailable { why }) = self.shared.check_available() {
            return Verdict::Refused(why);
        }
        let commit = self.commit + 1;
        self.mirror.prepare(commit, &rows);
        let mut batch = self.spaces.db.batch().durability(Some(PersistMode::SyncData));
        self.spaces.fill(&mut batch, rows);
        match batch.commit() {
            Ok(()) => {}
            // The database looks at this flag before it writes anything.
            Err(fjall::Error::Poisoned) => {
                self.shared.suspect("");
                let why = "the database stopped after an earlier failure; start the process again";
                return Verdict::Refused(self.shared.fail(why));
            }
            Err(error) => {
                let why = format!("a commit failed ({error}); start the process again");
                return Verdict::Unknown(self.shared.fail(&why));
            }
        }
        if let Err(StoreError::Unavailable { why }) = self.shared.check_place() {
            return Verdict::Unknown(why);
        }
        self.commit = commit;
        self.unmirrored = Some(commit);
        self.shared.counters.commits.fetch_add(1, Ordering::Relaxed);
        let mut witness = self.shared.witness.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = witness.note_commit(commit) {
            // The commit is safe; only a loss of this very one would go unnoticed.
            tracing::error!(%error, "the store's witness file cannot be written");
        }
        Verdict::Durable
    }

    /// Gives the mirror what was committed last. Callers have their answers by then and go on: the journal is what they rest on.
    fn mirror_commit(&mut self) {
        let Some(commit) = self.unmirrored.take() else { return };
        if let Err(error) = self.mirror.write(commit) {
            // The commit is safe; only damage to this very one could not be mended.
            tracing::error!(%error, "the store's mirror cannot be written");
        }
    }

    /// Deletes the entries and the head of a log in one commit.
    fn delete_log(&mut self, game: GameId) -> Result<(), StoreError> {
        self.shared.check_available()?;
        let mut rows = vec![self.commit_row()];
        for row in self.spaces.logs.prefix(game.as_str()) {
            let key = row.key().map_err(|error| trouble(&error, 0).of_record())?;
            rows.push(Row::remove(Space::Logs, &*key));
        }
        rows.push(Row::remove(Space::Heads, game.as_str()));
        rows.push(Row::remove(Space::Meta, quarantine_key(game)));
        let verdict = self.commit(rows);
        self.mirror_commit();
        verdict.check()?;
        self.heads.forget(game);
        self.shared.release(game);
        Ok(())
    }

    fn sweep_step(&mut self) -> Result<Swept, StoreError> {
        self.shared.check_available()?;
        let now = self.shared.clock.stamp();
        let bound = now.0.saturating_add(1).to_be_bytes();
        let mut swept = Swept::default();
        let mut rows = vec![self.commit_row()];
        for row in self.spaces.expiries.range(..bound).take(SWEEP_STEP) {
            let row = row.key().map_err(|error| trouble(&error, 0).of_record())?;
            swept.found += 1;
            // The record may have been written again since, with another expiry or none.
            if let Some((expires, key)) = parse_expiry_key(&row) {
                let record = self.spaces.records.get(key).map_err(|error| trouble(&error, 0).of_record())?;
                if record
                    .is_some_and(|record| parse_record(&record).is_some_and(|(_, at)| at == Some(expires)))
                {
                    rows.push(Row::remove(Space::Records, key));
                    swept.deleted += 1;
                }
            }
            rows.push(Row::remove(Space::Expiries, &*row));
        }
        if swept.found == 0 {
            return Ok(swept);
        }
        let verdict = self.commit(rows);
        self.mirror_commit();
        match verdict {
            Verdict::Durable => Ok(swept),
            Verdict::Unknown(why) | Verdict::Refused(why) => Err(StoreError::Unavailable { why }),
        }
    }
}

impl Answer {
    fn give(self, verdict: &Verdict) {
        match self {
            Answer::Append(reply, outcome) => {
                let has_written = matches!(outcome, Ok(AppendOutcome::Ok { .. }));
                reply.send(settle(outcome, has_written, AppendOutcome::Unknown, verdict)).ok();
            }
            Answer::Update(reply, outcome) => {
                let has_written = matches!(outcome, Ok(UpdateOutcome::Ok));
                reply.send(settle(outcome, has_written, UpdateOutcome::Unknown, verdict)).ok();
            }
            Answer::Epoch(reply, epoch) => {
                reply.send(verdict.check().map(|()| epoch)).ok();
            }
            Answer::Done(reply) => {
                reply.send(verdict.check()).ok();
            }
        }
    }
}

impl Verdict {
    fn check(&self) -> Result<(), StoreError> {
        match self {
            Verdict::Durable => Ok(()),
            Verdict::Unknown(why) | Verdict::Refused(why) => {
                Err(StoreError::Unavailable { why: why.clone() })
            }
        }
    }
}

/// The answer to a request once it is known what became of its group.
fn settle<T>(
    outcome: Result<T, StoreError>,
    has_written: bool,
    unknown: T,
    verdict: &Verdict,
) -> Result<T, StoreError> {
    match verdict {
        Verdict::Durable => outcome,
        Verdict::Unknown(_) if has_written => Ok(unknown),
        // What was to be answered may rest on what the group wrote: it says nothing any more.
        Verdict::Unknown(why) | Verdict::Refused(why) => Err(StoreError::Unavailable { why: why.clone() }),
    }
}
