//! A store in memory that a test controls.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::future::ready;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use flagfall_board::{GameId, Stamp};
use flagfall_store::limits::{LimitError, NOTICE_BYTES_MAX};
use flagfall_store::{
    Announcement, Append, AppendOutcome, Guard, Head, Key, MemoryStore, Outage, Reached, ReadError,
    ReadResult, Record, RetireOutcome, Store, StoreError, StoreFuture, StoreMessage, StoreResult,
    StoredEntry, SystemClock, Topic, Update, UpdateOutcome, WallClock, Write,
};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit, broadcast, watch};

/// The maximum number of appends and updates that the store processes at the same time. Other
/// requests wait.
const WRITES_MAX: u32 = 1024;
/// The maximum number of announcements that wait for a receiver.
const ANNOUNCEMENTS_MAX: usize = 64;

/// A way in which an append or an update fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteFault {
    /// The request is carried out, and the answer is `Unknown`.
    UnknownAfterWriting,
    /// The request is not carried out, and the answer is `Unknown`.
    UnknownBeforeWriting,
    /// The request is not carried out, and the answer is [`StoreError::Unavailable`].
    Unavailable,
}

/// A memory store that a test controls. Clones are handles to the same store, as if two servers
/// used it. Each clone follows topics of its own.
pub struct TestStore {
    shared: Arc<Shared>,
    listener: Option<Arc<Listener>>,
}

impl Clone for TestStore {
    fn clone(&self) -> TestStore {
        TestStore::listening(self.shared.clone())
    }
}

struct Shared {
    memory: MemoryStore,
    /// The outcomes of the next writes, in order. `None` is a write that succeeds.
    faults: Mutex<VecDeque<Option<WriteFault>>>,
    gate: Arc<Semaphore>,
    /// The number of appends and updates that wait at the gate.
    held: watch::Sender<usize>,
    /// The listeners of the handles; `None` if only one process can use the store.
    listeners: Option<Mutex<Vec<Weak<Listener>>>>,
    reads: AtomicU64,
    state: Mutex<State>,
}

/// The effects that the test has had on the store.
#[derive(Default)]
struct State {
    /// The damaged entries. Reading one of them reveals the damage.
    damaged: HashSet<(GameId, u64)>,
    quarantined: BTreeMap<GameId, String>,
    /// The time of the last heartbeat before the store was reopened.
    last_heartbeat: Option<Stamp>,
    last_alive: Option<Stamp>,
    /// The beginnings of the keys whose part of the store is away.
    away: Vec<String>,
    /// True if appends are made wherever the log ends.
    is_unchecked: bool,
}

impl State {
    fn is_away(&self, key: &Key) -> bool {
        self.away.iter().any(|prefix| key.as_bytes().starts_with(prefix.as_bytes()))
    }
}

/// The announcements and notices that a handle receives if several servers share the store.
struct Listener {
    announcements: broadcast::Sender<Announcement>,
    notices: broadcast::Sender<StoreMessage>,
    followed: Mutex<HashSet<Topic>>,
    has_former: AtomicBool,
}

impl Listener {
    fn new() -> Listener {
        Listener {
            announcements: broadcast::channel(ANNOUNCEMENTS_MAX).0,
            notices: broadcast::channel(ANNOUNCEMENTS_MAX).0,
            followed: Mutex::default(),
            has_former: AtomicBool::new(true),
        }
    }

    fn hears(&self, announcement: Announcement) -> bool {
        let Announcement::Appended { game, .. } = announcement else { return true };
        self.has_former.load(Ordering::Relaxed) || self.followed.lock().contains(&Topic::Game(game))
    }
}

/// A guard that makes appends and updates wait until it is dropped. See
/// [`TestStore::hold_appends`].
#[derive(Debug)]
pub struct AppendsHeld {
    _permits: OwnedSemaphorePermit,
}

/// A guard that counts a request as waiting at the gate until it is dropped.
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

impl Default for TestStore {
    fn default() -> TestStore {
        TestStore::new(SystemClock)
    }
}

impl TestStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new(clock: impl WallClock) -> TestStore {
        TestStore::make(clock, None)
    }

    /// Creates an empty store that announces appends, like a store that several servers share.
    #[must_use]
    pub fn announcing(clock: impl WallClock) -> TestStore {
        TestStore::make(clock, Some(Mutex::default()))
    }

    fn make(clock: impl WallClock, listeners: Option<Mutex<Vec<Weak<Listener>>>>) -> TestStore {
        TestStore::listening(Arc::new(Shared {
            memory: MemoryStore::new(clock),
            faults: Mutex::default(),
            gate: Arc::new(Semaphore::new(WRITES_MAX as usize)),
            held: watch::channel(0).0,
            listeners,
            reads: AtomicU64::new(0),
            state: Mutex::default(),
        }))
    }

    fn listening(shared: Arc<Shared>) -> TestStore {
        let listener = shared.listeners.as_ref().map(|listeners| {
            let listener = Arc::new(Listener::new());
            listeners.lock().push(Arc::downgrade(&listener));
            listener
        });
        TestStore { shared, listener }
    }

    fn listeners(&self) -> Vec<Arc<Listener>> {
        let listeners = self.shared.listeners.as_ref().map(|listeners| listeners.lock().clone());
        listeners.unwrap_or_default().iter().filter_map(Weak::upgrade).collect()
    }

    fn followers(&self, topic: &Topic) -> Vec<Arc<Listener>> {
        let mut listeners = self.listeners();
        listeners.retain(|listener| listener.followed.lock().contains(topic));
        listeners
    }

    /// Returns the number of handles that follow a topic.
    #[must_use]
    pub fn count_followers(&self, topic: &Topic) -> usize {
        self.followers(topic).len()
    }

    /// Returns the number of times that a log was read.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.shared.reads.load(Ordering::Relaxed)
    }

    /// Sends an announcement to all handles that would hear it. The announcement need not be
    /// true.
    pub fn announce(&self, announcement: Announcement) {
        for listener in self.listeners().iter().filter(|listener| listener.hears(announcement)) {
            // A send error only means that there is no receiver.
            listener.announcements.send(announcement).ok();
        }
    }

    /// Makes the next append or update fail. Each call makes one more request fail.
    pub fn fail_next(&self, fault: WriteFault) {
        self.shared.faults.lock().push_back(Some(fault));
    }

    /// Makes one append or update fail, after `count` others that succeed.
    pub fn fail_after(&self, count: usize, fault: WriteFault) {
        let mut faults = self.shared.faults.lock();
        faults.extend(std::iter::repeat_n(None, count).chain([Some(fault)]));
    }

    /// Makes all later requests succeed.
    pub fn stop_failing(&self) {
        self.shared.faults.lock().clear();
    }

    /// Waits for the appends in progress, then holds all later ones until the returned guard is
    /// dropped.
    pub async fn hold_appends(&self) -> AppendsHeld {
        let permits = self.shared.gate.clone().acquire_many_owned(WRITES_MAX).await;
        AppendsHeld { _permits: permits.unwrap_or_else(|_| unreachable!("the gate is never closed")) }
    }

    /// Waits until at least `count` appends and updates are held back. By then, their callers
    /// have finished all reads that come before the write.
    pub async fn wait_for_held(&self, count: usize) {
        // This cannot fail, because the store owns the sender.
        self.shared.held.subscribe().wait_for(|held| *held >= count).await.ok();
    }

    /// Plants a fault: from now on, an append is made at the end of the log, even if that is not
    /// where its caller expects it.
    pub fn stop_checking_heads(&self) {
        self.shared.state.lock().is_unchecked = true;
    }

    /// Removes the entries after `seq`, as if the store had lost its newest writes without
    /// noticing.
    pub fn lose_tail(&self, game: GameId, seq: u64) {
        self.shared.memory.lose_tail(game, seq);
    }

    /// Damages the entry `seq`. The next read of it puts its game into quarantine.
    pub fn damage(&self, game: GameId, seq: u64) {
        self.shared.state.lock().damaged.insert((game, seq));
    }

    /// Simulates a restart of the server. The data remains, and the time at which the server was
    /// last alive is stored as the last heartbeat.
    pub fn reopen(&self) {
        self.shared.memory.forget_beat();
        let mut state = self.shared.state.lock();
        state.last_heartbeat = state.last_alive;
    }

    /// Puts the records whose keys begin with one of these prefixes into a part of the store that
    /// is away from now on. Without prefixes, all parts are back.
    pub fn take_away(&self, prefixes: &[&str]) {
        self.shared.state.lock().away = prefixes.iter().map(ToString::to_string).collect();
    }

    /// Returns the error for a request that needs one of these records while it is away.
    fn reach<'a>(&self, keys: impl IntoIterator<Item = &'a Key>) -> Result<(), StoreError> {
        let state = self.shared.state.lock();
        let is_away = keys.into_iter().any(|key| state.is_away(key));
        if is_away { Err(StoreError::Unavailable { why: "its part is away".to_owned() }) } else { Ok(()) }
    }

    fn note_alive(&self, at: Stamp) {
        self.shared.state.lock().last_alive = Some(at);
    }

    /// Checks entries that were read. Puts the game into quarantine if one of them is damaged.
    fn check(&self, game: GameId, entries: &[StoredEntry]) -> Result<(), ReadError> {
        let mut state = self.shared.state.lock();
        let damaged = entries.iter().find(|entry| state.damaged.contains(&(game, entry.seq)));
        let Some(seq) = damaged.map(|entry| entry.seq) else { return Ok(()) };
        let what = "its hash does not fit".to_owned();
        state.quarantined.insert(game, format!("entry {seq}: {what}"));
        Err(ReadError::Damaged { game, seq, what })
    }

    /// Passes the gate. Waits there while appends are held back.
    async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        // Do not count a request as waiting if it can pass immediately.
        if let Ok(inside) = self.shared.gate.try_acquire() {
            return Some(inside);
        }
        let _waiting = Waiting::at(&self.shared.held);
        self.shared.gate.acquire().await.ok()
    }

    /// Performs a write, or fails if the test has asked for that. `unknown` is the outcome if it
    /// is unknown whether the write was done.
    async fn write<T>(
        &self,
        write: StoreResult<'_, T>,
        is_done: impl FnOnce(&T) -> bool,
        unknown: T,
    ) -> Result<T, StoreError> {
        let _inside = self.enter().await;
        let fault = self.shared.faults.lock().pop_front().flatten();
        match fault {
            Some(WriteFault::Unavailable) => {
                return Err(StoreError::Unavailable { why: "told to fail".to_owned() });
            }
            Some(WriteFault::UnknownBeforeWriting) => return Ok(unknown),
            Some(WriteFault::UnknownAfterWriting) | None => {}
        }
        let outcome = write.await?;
        if !is_done(&outcome) {
            return Ok(outcome);
        }
        self.note_alive(self.now());
        Ok(if fault.is_some() { unknown } else { outcome })
    }
}

impl Store for TestStore {
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome> {
        let (game, seq) = (append.game, append.expected.seq + append.bodies.len() as u64);
        // Make this call before the request waits at the gate, because it records the outages
        // that the caller knows about.
        let appending = self.shared.memory.append(append.clone());
        let announced = Box::pin(async move {
            // Check this after the wait, because the game may have been damaged in the meantime.
            let reason = self.shared.state.lock().quarantined.get(&game).cloned();
            if let Some(reason) = reason {
                return Ok(AppendOutcome::Quarantined { reason });
            }
            let mut outcome = appending.await;
            let is_unchecked = self.shared.state.lock().is_unchecked;
            if let (true, Ok(AppendOutcome::Conflict { head })) = (is_unchecked, &outcome) {
                outcome = self.shared.memory.append(Append { expected: *head, ..append }).await;
            }
            if matches!(outcome, Ok(AppendOutcome::Ok { .. })) {
                self.announce(Announcement::Appended { game, seq });
            }
            outcome
        });
        let is_done = |outcome: &AppendOutcome| matches!(outcome, AppendOutcome::Ok { .. });
        Box::pin(self.write(announced, is_done, AppendOutcome::Unknown))
    }

    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>> {
        self.shared.reads.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let entries = self.shared.memory.read(game, after_seq, limit).await?;
            self.check(game, &entries).map(|()| entries)
        })
    }

    fn head(&self, game: GameId) -> ReadResult<'_, Head> {
        self.shared.memory.head(game)
    }

    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>> {
        let reached = self.reach([&key]);
        Box::pin(async move {
            reached?;
            self.shared.memory.get(key).await
        })
    }

    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>> {
        Box::pin(async move {
            let records = self.shared.memory.scan(prefix, after, limit).await?;
            self.reach(records.iter().map(|(key, _)| key))?;
            Ok(records)
        })
    }

    fn scan_reachable(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Reached> {
        Box::pin(async move {
            let mut records = self.shared.memory.scan(prefix, after, limit).await?;
            let state = self.shared.state.lock();
            records.retain(|(key, _)| !state.is_away(key));
            Ok(Reached { records, is_whole: state.away.is_empty() })
        })
    }

    fn part_of(&self, key: &Key) -> usize {
        usize::from(self.shared.state.lock().is_away(key))
    }

    fn silent_parts(&self) -> Vec<usize> {
        if self.shared.state.lock().away.is_empty() { Vec::new() } else { vec![1] }
    }

    fn update(&self, update: Update) -> StoreResult<'_, UpdateOutcome> {
        let keys = update.conditions.iter().map(|(key, _)| key).chain(update.writes.iter().map(Write::key));
        if let Err(error) = self.reach(keys) {
            return Box::pin(ready(Err(error)));
        }
        let updating = self.shared.memory.update(update);
        let is_done = |outcome: &UpdateOutcome| *outcome == UpdateOutcome::Ok;
        Box::pin(self.write(updating, is_done, UpdateOutcome::Unknown))
    }

    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        let mut state = self.shared.state.lock();
        state.damaged.retain(|(damaged, _)| *damaged != game);
        state.quarantined.remove(&game);
        drop(state);
        self.shared.memory.delete_log(game)
    }

    fn retire(&self, game: GameId, guard: Guard) -> StoreResult<'_, RetireOutcome> {
        let is_quarantined = self.shared.state.lock().quarantined.contains_key(&game);
        if is_quarantined {
            return Box::pin(ready(Ok(RetireOutcome::Quarantined)));
        }
        let retiring = self.shared.memory.retire(game, guard);
        let is_done = |outcome: &RetireOutcome| *outcome == RetireOutcome::Ok;
        Box::pin(self.write(retiring, is_done, RetireOutcome::Unknown))
    }

    fn guard(&self, game: GameId) -> ReadResult<'_, Option<Guard>> {
        self.shared.memory.guard(game)
    }

    fn sweep(&self) -> StoreResult<'_, u64> {
        self.shared.memory.sweep()
    }

    fn now(&self) -> Stamp {
        self.shared.memory.now()
    }

    fn heartbeat(&self) -> StoreResult<'_, Stamp> {
        Box::pin(async move {
            let at = self.shared.memory.heartbeat().await?;
            self.note_alive(at);
            Ok(at)
        })
    }

    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>> {
        Box::pin(ready(Ok(self.shared.state.lock().last_heartbeat)))
    }

    fn epoch(&self) -> StoreResult<'_, u64> {
        self.shared.memory.epoch()
    }

    fn bump_epoch(&self) -> StoreResult<'_, u64> {
        self.shared.memory.bump_epoch()
    }

    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>> {
        let quarantined = self.shared.state.lock().quarantined.clone();
        Box::pin(ready(Ok(quarantined.into_iter().collect())))
    }

    fn outage(&self) -> Option<Outage> {
        self.shared.memory.outage()
    }

    fn announcements(&self) -> Option<broadcast::Receiver<Announcement>> {
        self.listener.as_ref().map(|listener| listener.announcements.subscribe())
    }

    fn tell(&self, notice: Vec<u8>) -> StoreResult<'_, ()> {
        Box::pin(async move { tell(&self.listeners(), notice) })
    }

    fn follow(&self, topic: Topic) -> StoreFuture<'static, bool> {
        if let Some(listener) = &self.listener {
            listener.followed.lock().insert(topic);
        }
        Box::pin(ready(true))
    }

    fn unfollow(&self, topic: &Topic) {
        if let Some(listener) = &self.listener {
            listener.followed.lock().remove(topic);
        }
    }

    fn tell_followers(&self, topic: Topic, notice: Vec<u8>) -> StoreResult<'_, u64> {
        Box::pin(async move {
            let followers = self.followers(&topic);
            tell(&followers, notice)?;
            Ok(followers.len() as u64)
        })
    }

    fn serve_former(&self, are_there: bool) {
        if let Some(listener) = &self.listener {
            listener.has_former.store(are_there, Ordering::Relaxed);
        }
    }

    fn notices(&self) -> Option<broadcast::Receiver<StoreMessage>> {
        self.listener.as_ref().map(|listener| listener.notices.subscribe())
    }
}

fn tell(listeners: &[Arc<Listener>], notice: Vec<u8>) -> Result<(), StoreError> {
    let bytes = notice.len();
    if bytes > NOTICE_BYTES_MAX {
        return Err(LimitError::NoticeLength { bytes }.into());
    }
    let told: Arc<[u8]> = notice.into();
    for listener in listeners {
        // A send error only means that there is no receiver.
        listener.notices.send(StoreMessage::Told(told.clone())).ok();
    }
    Ok(())
}
