//! A store in memory, for tests. It keeps its data only as long as the process runs, and can fail
//! on demand.
//!
//! It fulfills the contract of [`Store`] except for durability. In addition, a test can make the
//! next append fail like a real store ([`Fault`]), hold appends back
//! ([`MemoryStore::hold_appends`]), remove the end of a log ([`MemoryStore::lose_tail`]), and
//! damage an entry ([`MemoryStore::damage`]).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flagfall_board::{GameId, Stamp};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit, broadcast, watch};

use crate::checks::{check_append, check_notice, check_update};
use crate::clock::{StampClock, SystemClock, WallClock};
use crate::limits::READ_MAX;
use crate::outages::OutageList;
use crate::store::{
    Announcement, Append, AppendOutcome, CLOCKS_FIRST, Notice, OUTAGES_KEY, Outage, ReadError, ReadResult,
    Record, Store, StoreError, StoreResult, StoredEntry, Update, UpdateOutcome, Write,
};
use crate::value::{Head, Key, SecretBytes};

/// The most appends and updates inside the store at a time. Further ones wait.
const APPENDS_MAX: u32 = 1024;
/// The most announcements that wait for a receiver.
const ANNOUNCEMENTS_MAX: usize = 64;

/// A way in which an append or an update fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The request is carried out, and the answer is `Unknown`.
    UnknownAfterWriting,
    /// The request is not carried out, and the answer is `Unknown`.
    UnknownBeforeWriting,
    /// The request is not carried out, and the answer is [`StoreError::Unavailable`].
    Unavailable,
}

/// A store in memory. Clones are handles to the same store, as if two servers used it.
#[derive(Clone)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

struct Shared {
    clock: StampClock,
    state: Mutex<State>,
    gate: Arc<Semaphore>,
    /// The number of appends and updates that wait at the gate.
    held: watch::Sender<usize>,
    announcements: Option<broadcast::Sender<Announcement>>,
    notices: Option<broadcast::Sender<Notice>>,
    reads: AtomicU64,
}

#[derive(Default)]
struct State {
    logs: HashMap<GameId, Log>,
    records: BTreeMap<Key, Held>,
    quarantined: BTreeMap<GameId, String>,
    faults: VecDeque<Fault>,
    epoch: u64,
    last_heartbeat: Option<Stamp>,
    last_alive: Option<Stamp>,
}

/// Entries, each with the head after it.
type Log = Vec<(StoredEntry, Head)>;

fn head_of(log: &[(StoredEntry, Head)]) -> Head {
    log.last().map_or(Head::START, |(_, head)| *head)
}

struct Held {
    value: Vec<u8>,
    expires: Option<Stamp>,
}

impl Held {
    fn is_alive(&self, now: Stamp) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

/// Appends and updates wait as long as this guard exists. See [`MemoryStore::hold_appends`].
#[derive(Debug)]
pub struct AppendsHeld {
    _permits: OwnedSemaphorePermit,
}

struct Waiting<'a>(&'a watch::Sender<usize>);

impl Waiting<'_> {
    fn at(held: &watch::Sender<usize>) -> Waiting<'_> {
        held.send_modify(|held| *held += 1);
        Waiting(held)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|held| *held -= 1);
    }
}

impl Default for MemoryStore {
    fn default() -> MemoryStore {
        MemoryStore::new(SystemClock)
    }
}

impl MemoryStore {
    #[must_use]
    pub fn new(clock: impl WallClock) -> MemoryStore {
        MemoryStore::make(clock, None)
    }

    /// Creates an empty store that announces appends, like a store that several servers share.
    #[must_use]
    pub fn announcing(clock: impl WallClock) -> MemoryStore {
        MemoryStore::make(clock, Some(broadcast::channel(ANNOUNCEMENTS_MAX).0))
    }

    fn make(clock: impl WallClock, announcements: Option<broadcast::Sender<Announcement>>) -> MemoryStore {
        let clock = StampClock::new(clock, Stamp(0));
        let state = State { epoch: clock.stamp().0.max(1), ..State::default() };
        let gate = Arc::new(Semaphore::new(APPENDS_MAX as usize));
        MemoryStore {
            shared: Arc::new(Shared {
                clock,
                state: Mutex::new(state),
                gate,
                held: watch::channel(0).0,
                notices: announcements.as_ref().map(|_| broadcast::channel(ANNOUNCEMENTS_MAX).0),
                announcements,
                reads: AtomicU64::new(0),
            }),
        }
    }

    #[must_use]
    pub fn reads(&self) -> u64 {
        self.shared.reads.load(Ordering::Relaxed)
    }

    /// Sends an announcement to all receivers, even if it is not true.
    pub fn announce(&self, announcement: Announcement) {
        if let Some(announcements) = &self.shared.announcements {
            // An error only means that there is no receiver.
            announcements.send(announcement).ok();
        }
    }

    /// Makes the next append or update fail. Several calls queue up, one failure each.
    pub fn fail_next(&self, fault: Fault) {
        self.shared.state.lock().faults.push_back(fault);
    }

    /// Waits for the appends in progress, then holds all later ones until the returned guard is
    /// dropped.
    pub async fn hold_appends(&self) -> AppendsHeld {
        let permits = self.shared.gate.clone().acquire_many_owned(APPENDS_MAX).await;
        AppendsHeld { _permits: permits.unwrap_or_else(|_| unreachable!("the gate is never closed")) }
    }

    /// Waits until at least `count` appends and updates are held back. Their callers have then
    /// finished reading.
    pub async fn wait_for_held(&self, count: usize) {
        // This store owns the sender, so there is no error.
        self.shared.held.subscribe().wait_for(|held| *held >= count).await.ok();
    }

    /// Passes the gate. Waits while appends are held back.
    async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        // A caller that does not have to wait is not counted.
        if let Ok(inside) = self.shared.gate.try_acquire() {
            return Some(inside);
        }
        let _waiting = Waiting::at(&self.shared.held);
        self.shared.gate.acquire().await.ok()
    }

    /// Removes the entries after `seq`, as if the store had lost its newest writes without
    /// noticing.
    pub fn lose_tail(&self, game: GameId, seq: u64) {
        if let Some(log) = self.shared.state.lock().logs.get_mut(&game) {
            log.retain(|(entry, _)| entry.seq <= seq);
        }
    }

    /// Flips a bit in the body of the entry `seq`, so that the entry no longer fits its hash.
    pub fn damage(&self, game: GameId, seq: u64) {
        if let Some(log) = self.shared.state.lock().logs.get_mut(&game)
            && let Some((entry, _)) = log.iter_mut().find(|(entry, _)| entry.seq == seq)
        {
            let mut bytes = entry.body.expose().to_vec();
            match bytes.first_mut() {
                Some(first) => *first ^= 1,
                None => bytes.push(0),
            }
            entry.body = SecretBytes::new(bytes);
        }
    }

    /// Simulates a restart of the server: the store remains, and its newest sign of life becomes
    /// the last heartbeat.
    pub fn reopen(&self) {
        self.shared.clock.forget_beat();
        let mut state = self.shared.state.lock();
        state.last_heartbeat = state.last_alive;
    }

    /// Adds a newly detected outage to the record of outages.
    fn keep_outage(&self, state: &mut State) {
        let (Some(outage), Ok(key)) = (self.shared.clock.take_unkept(), Key::new(OUTAGES_KEY)) else {
            return;
        };
        let mut outages = OutageList::parse(state.records.get(&key).map(|record| record.value.as_slice()));
        outages.add(outage);
        state.records.insert(key, Held { value: outages.to_record(), expires: None });
    }

    /// Appends. `known` is the latest outage that was known when the caller requested the append.
    fn append_now(&self, append: Append, known: Option<Outage>) -> Result<AppendOutcome, StoreError> {
        check_append(&append)?;
        let mut state = self.shared.state.lock();
        if let Some(reason) = state.quarantined.get(&append.game) {
            return Ok(AppendOutcome::Quarantined { reason: reason.clone() });
        }
        let head = state.logs.get(&append.game).map_or(Head::START, |log| head_of(log));
        if head != append.expected {
            return Ok(AppendOutcome::Conflict { head });
        }
        let at = self.shared.clock.stamp();
        self.keep_outage(&mut state);
        if append.deadline.is_some() && self.shared.clock.outage() != known {
            return Err(StoreError::Unavailable { why: CLOCKS_FIRST.to_owned() });
        }
        if append.deadline.is_some_and(|deadline| at > deadline) {
            return Ok(AppendOutcome::Late { at });
        }
        if append.not_before.is_some_and(|first| at < first) {
            return Ok(AppendOutcome::Early { at });
        }
        let fault = state.faults.pop_front();
        match fault {
            Some(Fault::Unavailable) => return Err(told_to_fail()),
            Some(Fault::UnknownBeforeWriting) => return Ok(AppendOutcome::Unknown),
            Some(Fault::UnknownAfterWriting) | None => {}
        }
        let mut head = head;
        let log = state.logs.entry(append.game).or_default();
        for body in append.bodies {
            head = head.then(append.game, &body);
            log.push((StoredEntry { seq: head.seq, at, body }, head));
        }
        state.write(append.writes);
        state.last_alive = Some(at);
        drop(state);
        self.announce(Announcement::Appended { game: append.game, seq: head.seq });
        Ok(if fault.is_some() { AppendOutcome::Unknown } else { AppendOutcome::Ok { at, head } })
    }

    fn read_now(&self, game: GameId, after_seq: u64, limit: usize) -> Result<Vec<StoredEntry>, ReadError> {
        let mut state = self.shared.state.lock();
        let Some(log) = state.logs.get(&game) else { return Ok(Vec::new()) };
        let skipped = usize::try_from(after_seq).unwrap_or(usize::MAX).min(log.len());
        let (before, after) = log.split_at(skipped);
        let mut head = head_of(before);
        let mut entries = Vec::new();
        for (entry, known) in after.iter().take(limit.min(READ_MAX)) {
            head = head.then(game, &entry.body);
            if head != *known {
                let seq = entry.seq;
                let what = "its hash does not fit".to_owned();
                state.quarantined.insert(game, format!("entry {seq}: {what}"));
                return Err(ReadError::Damaged { game, seq, what });
            }
            entries.push(entry.clone());
        }
        Ok(entries)
    }

    fn update_now(&self, update: Update) -> Result<UpdateOutcome, StoreError> {
        check_update(&update)?;
        let mut state = self.shared.state.lock();
        let now = self.shared.clock.stamp();
        self.keep_outage(&mut state);
        let hold = update.conditions.iter().all(|(key, expect)| {
            let record = state.records.get(key).filter(|record| record.is_alive(now));
            expect.holds(record.map(|record| &record.value[..]))
        });
        if !hold {
            return Ok(UpdateOutcome::Conflict);
        }
        let fault = state.faults.pop_front();
        match fault {
            Some(Fault::Unavailable) => return Err(told_to_fail()),
            Some(Fault::UnknownBeforeWriting) => return Ok(UpdateOutcome::Unknown),
            Some(Fault::UnknownAfterWriting) | None => {}
        }
        state.write(update.writes);
        state.last_alive = Some(now);
        Ok(if fault.is_some() { UpdateOutcome::Unknown } else { UpdateOutcome::Ok })
    }
}

impl State {
    fn write(&mut self, writes: Vec<Write>) {
        for write in writes {
            match write {
                Write::Put { key, value, expires } => {
                    self.records.insert(key, Held { value, expires });
                }
                Write::Delete { key } => {
                    self.records.remove(&key);
                }
            }
        }
    }
}

fn told_to_fail() -> StoreError {
    StoreError::Unavailable { why: "told to fail".to_owned() }
}

impl Store for MemoryStore {
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome> {
        Box::pin(async move {
            let known = self.shared.clock.outage();
            let _inside = self.enter().await;
            self.append_now(append, known)
        })
    }

    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>> {
        self.shared.reads.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { self.read_now(game, after_seq, limit) })
    }

    fn head(&self, game: GameId) -> ReadResult<'_, Head> {
        Box::pin(async move {
            Ok(self.shared.state.lock().logs.get(&game).map_or(Head::START, |log| head_of(log)))
        })
    }

    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            let state = self.shared.state.lock();
            Ok(state
                .records
                .get(&key)
                .filter(|record| record.is_alive(now))
                .map(|record| record.value.clone()))
        })
    }

    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            let from = match after {
                Some(after) if after >= prefix => Bound::Excluded(after),
                Some(_) | None => Bound::Included(prefix.clone()),
            };
            Ok(self
                .shared
                .state
                .lock()
                .records
                .range((from, Bound::Unbounded))
                .take_while(|(key, _)| key.as_bytes().starts_with(prefix.as_bytes()))
                .filter(|(_, record)| record.is_alive(now))
                .take(limit.min(READ_MAX))
                .map(|(key, record)| (key.clone(), record.value.clone()))
                .collect())
        })
    }

    fn update(&self, update: Update) -> StoreResult<'_, UpdateOutcome> {
        Box::pin(async move {
            let _inside = self.enter().await;
            self.update_now(update)
        })
    }

    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        Box::pin(async move {
            let mut state = self.shared.state.lock();
            state.logs.remove(&game);
            state.quarantined.remove(&game);
            Ok(())
        })
    }

    fn sweep(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            let mut state = self.shared.state.lock();
            let before = state.records.len();
            state.records.retain(|_, record| record.is_alive(now));
            Ok((before - state.records.len()) as u64)
        })
    }

    fn now(&self) -> Stamp {
        self.shared.clock.stamp()
    }

    fn heartbeat(&self) -> StoreResult<'_, Stamp> {
        Box::pin(async move {
            let at = self.shared.clock.beat();
            let mut state = self.shared.state.lock();
            state.last_alive = Some(at);
            self.keep_outage(&mut state);
            Ok(at)
        })
    }

    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>> {
        Box::pin(async move { Ok(self.shared.state.lock().last_heartbeat) })
    }

    fn epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(async move { Ok(self.shared.state.lock().epoch) })
    }

    fn bump_epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            let mut state = self.shared.state.lock();
            state.epoch = now.0.max(state.epoch + 1);
            Ok(state.epoch)
        })
    }

    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>> {
        Box::pin(async move {
            Ok(self.shared.state.lock().quarantined.iter().map(|(game, why)| (*game, why.clone())).collect())
        })
    }

    fn outage(&self) -> Option<Outage> {
        self.shared.clock.outage()
    }

    fn announcements(&self) -> Option<broadcast::Receiver<Announcement>> {
        self.shared.announcements.as_ref().map(broadcast::Sender::subscribe)
    }

    fn tell(&self, notice: Vec<u8>) -> StoreResult<'_, ()> {
        Box::pin(async move {
            check_notice(&notice)?;
            if let Some(notices) = &self.shared.notices {
                // An error only means that there is no receiver.
                notices.send(Notice::Told(notice.into())).ok();
            }
            Ok(())
        })
    }

    fn notices(&self) -> Option<broadcast::Receiver<Notice>> {
        self.shared.notices.as_ref().map(broadcast::Sender::subscribe)
    }
}
