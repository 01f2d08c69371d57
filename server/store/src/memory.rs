//! A store in memory. It keeps its data only as long as the process runs.
//!
//! It fulfills the contract of [`Store`] except for durability. Only one process uses this store,
//! so it announces nothing, and its data cannot be damaged. The crate `flagfall-store-testing`
//! wraps it in a store that fails on request.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::future::ready;
use std::ops::ControlFlow;

use flagfall_board::{GameId, Stamp};
use parking_lot::Mutex;

use crate::checks::{check_append, check_update};
use crate::clock::{StampClock, WallClock};
use crate::compact_log::CompactLog;
use crate::guard::{Guard, guard_expires, guard_key};
use crate::limits::READ_MAX;
use crate::outages::OutageList;
use crate::store::{
    Append, AppendOutcome, CLOCKS_FIRST, OUTAGES_KEY, Outage, ReadResult, Record, RetireOutcome, Store,
    StoreError, StoreResult, StoredEntry, Update, UpdateOutcome, Write,
};
use crate::value::{Head, Key, KeyRange};

/// A store in memory.
pub struct MemoryStore {
    clock: StampClock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Boxed, because the map has room for more games than it holds.
    logs: HashMap<GameId, Box<CompactLog>>,
    records: BTreeSet<Row>,
    epoch: u64,
}

/// A record in a single allocation, because there are many small records: the time at which it
/// expires, the length of the key, the key, and the value. Rows are ordered by their keys.
struct Row(Box<[u8]>);

impl Row {
    fn new(key: &Key, value: &[u8], expires: Option<Stamp>) -> Row {
        let expires = expires.map_or(u64::MAX, |expires| expires.0);
        let (key, length) = (key.as_bytes(), (key.as_bytes().len() as u16).to_le_bytes());
        Row([&expires.to_le_bytes()[..], &length, key, value].concat().into())
    }

    fn parts(&self) -> (Stamp, &[u8], &[u8]) {
        let (expires, rest) = self.0.split_first_chunk().unwrap_or((&[0; 8], &[]));
        let (length, rest) = rest.split_first_chunk().unwrap_or((&[0; 2], &[]));
        let (key, value) = rest.split_at(u16::from_le_bytes(*length).into());
        (Stamp(u64::from_le_bytes(*expires)), key, value)
    }

    fn value(&self) -> &[u8] {
        self.parts().2
    }

    fn is_alive(&self, now: Stamp) -> bool {
        now < self.parts().0
    }
}

impl Borrow<[u8]> for Row {
    fn borrow(&self) -> &[u8] {
        self.parts().1
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Row) -> Ordering {
        Borrow::<[u8]>::borrow(self).cmp(other.borrow())
    }
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Row) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Row {}

impl MemoryStore {
    #[must_use]
    pub fn new(clock: impl WallClock) -> MemoryStore {
        let clock = StampClock::new(clock, Stamp(0));
        let state = State { epoch: clock.stamp().0.max(1), ..State::default() };
        MemoryStore { clock, state: Mutex::new(state) }
    }

    /// Removes the entries after `seq`.
    #[cfg(feature = "testing")]
    pub fn lose_tail(&self, game: GameId, seq: u64) {
        self.state.lock().logs.entry(game).and_modify(|log| {
            let mut kept = CompactLog::after(Head::START);
            for (head, entry) in log.with_heads(game).take_while(|(head, _)| head.seq <= seq) {
                kept.push(head, entry.at, entry.body.expose());
            }
            **log = kept;
        });
    }

    /// Forgets the last heartbeat, as if the process had ended.
    #[cfg(feature = "testing")]
    pub fn forget_beat(&self) {
        self.clock.forget_beat();
    }

    /// Adds a newly detected outage to the record of outages.
    fn keep_outage(&self, state: &mut State) {
        let Some(outage) = self.clock.take_unkept() else { return };
        let Ok(key) = Key::new(OUTAGES_KEY) else { return };
        let mut outages = OutageList::parse(state.record(&key).map(Row::value));
        outages.add(outage);
        state.records.replace(Row::new(&key, &outages.to_record(), None));
    }

    /// Performs an append. `known` is the latest outage that was known when the caller requested
    /// the append.
    fn append_now(&self, append: Append, known: Option<Outage>) -> Result<AppendOutcome, StoreError> {
        check_append(&append)?;
        let mut state = self.state.lock();
        let head = match state.logs.get(&append.game) {
            Some(log) => log.head(),
            None => match state.guard(append.game, self.clock.stamp()) {
                Some(Guard { head, .. }) => return Ok(AppendOutcome::Conflict { head }),
                None => Head::START,
            },
        };
        if head != append.expected {
            return Ok(AppendOutcome::Conflict { head });
        }
        let at = self.clock.stamp();
        self.keep_outage(&mut state);
        if append.deadline.is_some() && self.clock.outage() != known {
            return Err(StoreError::Unavailable { why: CLOCKS_FIRST.to_owned() });
        }
        if append.deadline.is_some_and(|deadline| at > deadline) {
            return Ok(AppendOutcome::Late { at });
        }
        if append.not_before.is_some_and(|first| at < first) {
            return Ok(AppendOutcome::Early { at });
        }
        let mut head = head;
        let log = state.logs.entry(append.game).or_insert_with(|| Box::new(CompactLog::after(head)));
        for body in append.bodies {
            head = head.then(append.game, &body);
            log.push(head, at, body.expose());
        }
        state.write(append.writes);
        Ok(AppendOutcome::Ok { at, head })
    }

    fn update_now(&self, update: Update) -> Result<UpdateOutcome, StoreError> {
        check_update(&update)?;
        let mut state = self.state.lock();
        let now = self.clock.stamp();
        self.keep_outage(&mut state);
        let hold = update.conditions.iter().all(|(key, expect)| {
            let record = state.record(key).filter(|record| record.is_alive(now));
            expect.holds(record.map(Row::value))
        });
        if !hold {
            return Ok(UpdateOutcome::Conflict);
        }
        state.write(update.writes);
        Ok(UpdateOutcome::Ok)
    }
}

impl State {
    /// Returns a record, even if it has expired.
    fn record(&self, key: &Key) -> Option<&Row> {
        self.records.get(key.as_bytes())
    }

    fn guard(&self, game: GameId, now: Stamp) -> Option<Guard> {
        let record = self.record(&guard_key(game).ok()?)?;
        Guard::parse(record.value()).filter(|_| record.is_alive(now))
    }

    fn write(&mut self, writes: Vec<Write>) {
        for write in writes {
            match write {
                Write::Put { key, value, expires } => {
                    self.records.replace(Row::new(&key, &value, expires));
                }
                Write::Delete { key } => {
                    self.records.remove(key.as_bytes());
                }
            }
        }
    }
}

impl Store for MemoryStore {
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome> {
        let known = self.clock.outage();
        Box::pin(async move { self.append_now(append, known) })
    }

    fn append_at_once(&self, append: Append) -> ControlFlow<Result<AppendOutcome, StoreError>, Append> {
        ControlFlow::Break(self.append_now(append, self.clock.outage()))
    }

    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>> {
        Box::pin(async move {
            let state = self.state.lock();
            let entries = state.logs.get(&game).into_iter().flat_map(|log| log.entries());
            let after = entries.skip_while(|entry| entry.seq <= after_seq);
            Ok(after.take(limit.min(READ_MAX)).map(StoredEntry::from).collect())
        })
    }

    fn head(&self, game: GameId) -> ReadResult<'_, Head> {
        Box::pin(async move { Ok(self.state.lock().logs.get(&game).map_or(Head::START, |log| log.head())) })
    }

    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let (now, state) = (self.clock.stamp(), self.state.lock());
            let record = state.record(&key).filter(|record| record.is_alive(now));
            Ok(record.map(|record| record.value().to_vec()))
        })
    }

    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>> {
        Box::pin(async move {
            let now = self.clock.stamp();
            let Some(range) = KeyRange::new(Some(&prefix), after.as_ref()) else { return Ok(Vec::new()) };
            let state = self.state.lock();
            let alive = state.records.range::<[u8], _>(range.bounds()).filter(|record| record.is_alive(now));
            let found = alive.take(limit.min(READ_MAX)).map(Row::parts);
            found.map(|(_, key, value)| Ok((Key::new(key)?, value.to_vec()))).collect()
        })
    }

    fn update(&self, update: Update) -> StoreResult<'_, UpdateOutcome> {
        Box::pin(async move { self.update_now(update) })
    }

    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        Box::pin(async move {
            let mut state = self.state.lock();
            state.logs.remove(&game);
            state.records.remove(guard_key(game)?.as_bytes());
            Ok(())
        })
    }

    fn retire(&self, game: GameId, guard: Guard) -> StoreResult<'_, RetireOutcome> {
        Box::pin(async move {
            guard.check()?;
            let mut state = self.state.lock();
            let now = self.clock.stamp();
            let is_there = match state.logs.get(&game) {
                Some(log) => log.head() == guard.head,
                None => state.guard(game, now).is_some_and(|before| before.head == guard.head),
            };
            if !is_there {
                return Ok(RetireOutcome::Conflict);
            }
            if state.logs.remove(&game).is_some() {
                state.records.replace(Row::new(&guard_key(game)?, &guard.encode(), guard_expires(now)));
            }
            Ok(RetireOutcome::Ok)
        })
    }

    fn guard(&self, game: GameId) -> ReadResult<'_, Option<Guard>> {
        Box::pin(async move {
            let now = self.clock.stamp();
            Ok(self.state.lock().guard(game, now))
        })
    }

    fn sweep(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            let now = self.clock.stamp();
            let mut state = self.state.lock();
            let before = state.records.len();
            state.records.retain(|record| record.is_alive(now));
            Ok((before - state.records.len()) as u64)
        })
    }

    fn now(&self) -> Stamp {
        self.clock.stamp()
    }

    fn heartbeat(&self) -> StoreResult<'_, Stamp> {
        Box::pin(async move {
            let at = self.clock.beat();
            self.keep_outage(&mut self.state.lock());
            Ok(at)
        })
    }

    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>> {
        Box::pin(ready(Ok(None)))
    }

    fn epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(async move { Ok(self.state.lock().epoch) })
    }

    fn bump_epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            let now = self.clock.stamp();
            let mut state = self.state.lock();
            state.epoch = now.0.max(state.epoch + 1);
            Ok(state.epoch)
        })
    }

    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    fn outage(&self) -> Option<Outage> {
        self.clock.outage()
    }
}
