//! The trait that every store implements, with its requests and answers.

use std::fmt;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;

use flagfall_board::{GameId, Stamp};
use tokio::sync::broadcast;

pub(crate) use crate::error::{ReadError, StoreError};
use crate::guard::Guard;
pub(crate) use crate::outages::{OUTAGES_KEY, OUTAGES_MAX, Outage};
use crate::value::{Head, Key, SecretBytes, StoreMemory};

/// The return type of [`Store`]'s methods: a future that is `Send` and borrows only the store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The return type of most methods of [`Store`].
pub type StoreResult<'a, T> = StoreFuture<'a, Result<T, StoreError>>;

/// The return type of the methods that read a log.
pub type ReadResult<'a, T> = StoreFuture<'a, Result<T, ReadError>>;

/// A side record: its key and its value.
pub type Record = (Key, Vec<u8>);

/// One atomic addition to a game's log, and the side records that are written with it.
#[derive(Clone, Debug)]
pub struct Append {
    pub game: GameId,
    /// The head that the log should have. Both number and hash must match.
    pub expected: Head,
    /// The latest time at which this append is valid. The store's stamp decides, not the caller's
    /// clock.
    pub deadline: Option<Stamp>,
    /// The earliest time at which this append is valid, for events caused by the end of a time
    /// limit. The store's stamp decides.
    pub not_before: Option<Stamp>,
    /// The entries' bodies, in order. They get the numbers after `expected.seq`.
    pub bodies: Vec<SecretBytes>,
    /// Changes of records beside the log. They are written only together with the entries.
    pub writes: Vec<Write>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AppendOutcome {
    /// Everything was written, and survives a crash as far as the store's durability allows.
    Ok { at: Stamp, head: Head },
    /// The log has another head than expected. Nothing was written. Read the new entries and
    /// decide again.
    Conflict { head: Head },
    /// The deadline has passed. Nothing was written.
    Late { at: Stamp },
    /// `not_before` is in the future: the caller's clock is ahead of the store's. Nothing was
    /// written.
    Early { at: Stamp },
    /// The game's log is damaged. Nothing was written. The store accepts no append to this log
    /// until an operator has checked the log.
    Quarantined {
        /// The damage, described without any content of the log.
        reason: String,
    },
    /// The entries may or may not have been written. Do not append again before reading the log
    /// to find out.
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEntry {
    /// The number of the entry; the first is 1.
    pub seq: u64,
    /// The time at which the entry was written. Never earlier than the time of the previous
    /// entry.
    pub at: Stamp,
    pub body: SecretBytes,
}

/// A change to one side record.
#[derive(Clone, PartialEq, Eq)]
pub enum Write {
    Put {
        key: Key,
        /// The value, at most [`VALUE_BYTES_MAX`](crate::limits::VALUE_BYTES_MAX) bytes.
        value: Vec<u8>,
        /// The time at which the record expires; `None` if it never expires.
        expires: Option<Stamp>,
    },
    /// Removes the record. Deleting a missing record is not an error.
    Delete { key: Key },
}

impl Write {
    #[must_use]
    pub fn key(&self) -> &Key {
        match self {
            Write::Put { key, .. } | Write::Delete { key } => key,
        }
    }

    /// Returns the length of the value; 0 for a deletion.
    pub(crate) fn value_bytes(&self) -> usize {
        match self {
            Write::Put { value, .. } => value.len(),
            Write::Delete { .. } => 0,
        }
    }
}

impl fmt::Debug for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Write::Put { key, value, expires } => {
                write!(f, "Put({key:?}, {} bytes, expires {expires:?})", value.len())
            }
            Write::Delete { key } => write!(f, "Delete({key:?})"),
        }
    }
}

/// A condition on a side record. An update happens only if its conditions hold.
#[derive(Clone, PartialEq, Eq)]
pub enum Expect {
    /// The record does not exist, or has expired.
    Absent,
    /// The record has exactly this value.
    Value(Vec<u8>),
}

impl Expect {
    /// True if the value found is as expected. `found` is `None` if the record does not exist.
    pub(crate) fn holds(&self, found: Option<&[u8]>) -> bool {
        match self {
            Expect::Absent => found.is_none(),
            Expect::Value(value) => found == Some(value.as_slice()),
        }
    }
}

impl fmt::Debug for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expect::Absent => f.write_str("Absent"),
            Expect::Value(value) => write!(f, "Value({} bytes)", value.len()),
        }
    }
}

/// An atomic change to side records. Either all conditions hold and all writes are done, or
/// nothing changes.
#[derive(Clone, Debug, Default)]
pub struct Update {
    pub conditions: Vec<(Key, Expect)>,
    /// The writes, in order. If two writes have the same key, the later one wins.
    pub writes: Vec<Write>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateOutcome {
    /// The writes are done, and survive a crash.
    Ok,
    /// A condition did not hold. Nothing was written.
    Conflict,
    /// The writes may or may not be done. Do not write again before reading the records to find
    /// out.
    Unknown,
}

/// The outcome of a request to retire a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RetireOutcome {
    /// The log was replaced with its guard. This survives a crash. Also the outcome if an earlier
    /// request has retired the log with the same head, and the guard still exists.
    Ok,
    /// The log has another head, or there is none. Nothing has changed.
    Conflict,
    /// Some side records of the log's appends have not been written yet. Nothing has changed. Try
    /// again later.
    Later,
    /// The game's log is damaged. Nothing has changed.
    Quarantined,
    /// The log may or may not have been retired. To find out, retire it again.
    Unknown,
}

/// A hint that a log has grown. A hint may come late, twice, or never, so the receiver reads the
/// log instead of trusting the hint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Announcement {
    /// This game's log contains at least the entries up to `seq`.
    Appended { game: GameId, seq: u64 },
    /// Announcements may have been missed: any log may have grown.
    Everything,
}

/// The subject of announcements and messages that a server can follow: a game, a player or a
/// server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Topic {
    Game(GameId),
    /// The player with this id.
    Player(Arc<str>),
    /// The server with this id.
    Server(Arc<str>),
}

/// A message between servers, passed on by the store. It is not stored, and may come late, twice,
/// or never.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoreMessage {
    /// A message that a server, perhaps this one, sent with [`Store::tell`] or
    /// [`Store::tell_followers`].
    Told(Arc<[u8]>),
    /// The connection was lost for a while, so messages may have been missed.
    Missed,
}

/// The reason given for refusing an append whose clocks were computed before an outage was
/// detected. Such clocks include the time of the outage.
pub(crate) const CLOCKS_FIRST: &str = "the server did not run for a while: clocks are set right first";

/// The key prefix of side records that can be moved to an archive.
pub const ARCHIVED_RECORDS: &str = "volumes/";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskSpace {
    /// The number of free bytes on the store's file system at the last heartbeat.
    pub free_bytes: u64,
    /// True if the store refuses writes because too little space is free.
    pub is_paused: bool,
}

/// The logs of all games, and small side records under keys.
///
/// A game's log is a gapless sequence of entries numbered from 1. The store does not read their
/// content. Any number of servers may use one shared store at the same time. There are no locks,
/// leases, or owners: if two appends expect the same head, one gets `Ok` and the other
/// `Conflict`.
///
/// All methods may be called concurrently from any task. If a returned future is dropped, its
/// request is still done completely or not at all.
pub trait Store: Send + Sync + 'static {
    /// Appends entries to a log, all or none.
    ///
    /// The store checks quarantine, head, deadline, and `not_before`, in this order. A stamp
    /// equal to the deadline or to `not_before` is in time. Stamps never decrease within a game,
    /// and are never earlier than the last heartbeat.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome>;

    /// Like [`Store::append`], if the store can answer without waiting, as a store in memory can.
    /// Otherwise, does nothing and returns the append, to be passed to [`Store::append`].
    fn append_at_once(&self, append: Append) -> ControlFlow<Result<AppendOutcome, StoreError>, Append> {
        ControlFlow::Continue(append)
    }

    /// Returns the entries after number `after_seq`, oldest first. Returns at most `limit`
    /// entries, and never more than [`READ_MAX`](crate::limits::READ_MAX). An empty answer means
    /// that there are no entries after `after_seq`.
    ///
    /// The store has checked all returned entries against the hash chain, starting from entry
    /// `after_seq`.
    ///
    /// # Errors
    /// [`ReadError`]. The entries before the damage can still be read with a smaller `limit`.
    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>>;

    /// Returns the head of a log; [`Head::START`] if the store has no log of this game.
    fn head(&self, game: GameId) -> ReadResult<'_, Head>;

    /// Returns the value of a side record; `None` if the record does not exist or has expired.
    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>>;

    /// Returns the records whose keys begin with `prefix`, in the order of their keys, starting
    /// after the key `after`. Returns at most `limit` records, and never more than
    /// [`READ_MAX`](crate::limits::READ_MAX). Expired records are left out.
    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>>;

    /// Changes side records if all conditions hold.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn update(&self, update: Update) -> StoreResult<'_, UpdateOutcome>;

    /// Deletes expired records and returns their number. This only frees their space: reads skip
    /// expired records anyway.
    fn sweep(&self) -> StoreResult<'_, u64>;

    /// Returns the current time of the clock that gives the stamps, as this process estimates it
    /// without asking the store. The estimate is never later than any future stamp.
    fn now(&self) -> Stamp;

    /// Records that a server is alive, and returns the time. Servers call this once a second. The
    /// recorded time survives the end of the process, but not necessarily a power cut.
    fn heartbeat(&self) -> StoreResult<'_, Stamp>;

    /// Returns the last moment, before this store was opened, at which a server is known to have
    /// been alive: its last heartbeat or its last write. `None` if the store is new, or if
    /// another server is still alive.
    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>>;

    /// Returns the store's epoch, a number below 2^53. Clients keep the epoch with each position
    /// in a log. When the epoch changes, all earlier positions become invalid.
    fn epoch(&self) -> StoreResult<'_, u64>;

    /// Begins a new epoch, with a higher number than all earlier ones, and returns it. For use
    /// after acknowledged entries were lost.
    ///
    /// # Errors
    /// [`StoreError`]. After `Unavailable` the new epoch may still have begun.
    fn bump_epoch(&self) -> StoreResult<'_, u64>;

    /// Returns the games whose logs are damaged, each with a description of the damage.
    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>>;

    /// Replaces the log of an archived game with a guard, and deletes all other data that belongs
    /// to the log. This is done completely or not at all. The log must have the head
    /// `guard.head`.
    ///
    /// The store keeps the guard for an hour. As long as it exists, an append to the game is a
    /// conflict with the guard's head, and no server restores the log. In all other respects, it
    /// is as if the store never had the game.
    ///
    /// # Errors
    /// [`StoreError`]: nothing has changed.
    fn retire(&self, game: GameId, guard: Guard) -> StoreResult<'_, RetireOutcome> {
        drop(guard);
        let why = format!("this store does not retire logs, so {game} stays");
        Box::pin(std::future::ready(Err(StoreError::Unavailable { why })))
    }

    /// Returns the guard of a retired log. `None` if the guard has expired or never existed.
    fn guard(&self, game: GameId) -> ReadResult<'_, Option<Guard>> {
        let _ = game;
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Permanently deletes the log of a finished game, or its guard. A missing log is not an error.
    /// Side records remain, so delete those first. A shared store keeps a guard with only the head.
    ///
    /// # Errors
    /// [`StoreError`]: part of the log may remain. It is safe to repeat the call.
    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        let why = format!("this store does not delete logs, so {game} stays");
        Box::pin(std::future::ready(Err(StoreError::Unavailable { why })))
    }

    /// Deletes the logs of several games like [`Store::delete_log`].
    ///
    /// # Errors
    /// [`StoreError`]: some logs may remain. It is safe to repeat the call.
    fn delete_logs(&self, games: Vec<GameId>) -> StoreResult<'_, ()> {
        Box::pin(async move {
            for game in games {
                self.delete_log(game).await?;
            }
            Ok(())
        })
    }

    /// True if this store has an archive for side records ([`Store::archive_record`]).
    fn archives_records(&self) -> bool {
        false
    }

    /// Moves a side record to the archive, if the store has one and the record's key begins with
    /// [`ARCHIVED_RECORDS`]. The value of this key must never change again. Afterwards,
    /// [`Store::get`] finds the record, and [`Store::scan`] does not. A missing record is not an
    /// error. Returns false if the archive has another value under this key. The record then stays.
    ///
    /// # Errors
    /// [`StoreError`]: the record is still readable. It is safe to repeat the call.
    fn archive_record(&self, key: Key) -> StoreResult<'_, bool> {
        drop(key);
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Deletes a record that may be in the archive. Deleting a missing record is not an error.
    ///
    /// # Errors
    /// [`StoreError`]: the record may still exist. It is safe to repeat the call.
    fn delete_archived(&self, key: Key) -> StoreResult<'_, ()> {
        let update = Update { conditions: Vec::new(), writes: vec![Write::Delete { key }] };
        Box::pin(async move { self.update(update).await.map(drop) })
    }

    /// Returns the keys of the archived records that begin with a prefix.
    ///
    /// # Errors
    /// [`StoreError`] if the archive cannot be read.
    fn archived_records(&self, prefix: Key) -> StoreResult<'_, Vec<Key>> {
        drop(prefix);
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Returns the signature of an archived game: the id of the key (8 bytes), and the signature.
    /// `None` if the game is not archived or has no signature.
    fn archived_signature(&self, game: GameId) -> ReadResult<'_, Option<Vec<u8>>> {
        let _ = game;
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Returns the latest outage since this store was opened. Game clocks stood still during the
    /// outage. The outage is known before the store accepts any request again.
    fn outage(&self) -> Option<Outage> {
        None
    }

    /// Returns the outages since this store was opened that concern this game and ended after this
    /// time, oldest first. In a store of several parts, an outage may concern only the games of
    /// one part. Otherwise like [`Store::outage`].
    fn outages_of(&self, game: GameId, after: Stamp) -> Vec<Outage> {
        let _all_are_concerned = game;
        self.outage().into_iter().filter(|outage| outage.until > after).collect()
    }

    /// Returns the record of the outages that concern a game: see [`OUTAGES_KEY`].
    fn outages_record(&self, game: GameId) -> StoreResult<'_, Option<Vec<u8>>> {
        let _all_are_concerned = game;
        Box::pin(async move { self.get(Key::new(OUTAGES_KEY)?).await })
    }

    /// Returns the space on the disk, if this process writes to one.
    fn disk_space(&self) -> Option<DiskSpace> {
        None
    }

    /// Returns the memory of a store that keeps its data in memory, as of a moment ago. If the
    /// store has several parts, returns that of the fullest one.
    fn memory(&self) -> Option<StoreMemory> {
        None
    }

    /// Returns the ways in which the store is currently less durable than a game needs, as text
    /// for operators.
    fn weaknesses(&self) -> Vec<String> {
        Vec::new()
    }

    /// Keeps copies of side records in memory for this owner. They replace the owner's earlier
    /// copies.
    ///
    /// A shared store can lose its data while servers run. Such a store then restores the records
    /// from these copies, except those that have been written again by then. Later writes through
    /// this store also update the copies. The memory for copies is limited. If there is no room,
    /// no copies are kept.
    fn keep_copies(&self, _owner: &str, _records: Vec<Write>) {}

    fn drop_copies(&self, _owner: &str) {}

    fn owners_of_copies(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the time of the store's last answer, if that was so long ago that there may be an
    /// outage. The store determines whether there was an outage before it answers any read.
    fn silent_since(&self) -> Option<Stamp> {
        None
    }

    /// Like [`Store::silent_since`], but only for the part of the store that contains this game.
    fn silent_since_of(&self, game: GameId) -> Option<Stamp> {
        let _all_are_concerned = game;
        self.silent_since()
    }

    /// Like [`Store::scan`], but leaves out the parts of the store that do not answer, unless no
    /// part answers.
    fn scan_reachable(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Reached> {
        let scan = self.scan(prefix, after, limit);
        Box::pin(async move { Ok(Reached { records: scan.await?, is_whole: true }) })
    }

    /// Finishes writes to several parts of the store that lost servers have left unfinished. Each
    /// look handles some of the parts, and five looks with consecutive numbers cover all of them.
    /// If something fails, a later look tries again.
    fn finish_left_behind(&self, look: u64) -> StoreFuture<'_, ()> {
        let _there_is_one_part = look;
        Box::pin(std::future::ready(()))
    }

    /// Returns the number of the part of the store that has this record. An update is fastest if
    /// all its records are in the same part.
    fn part_of(&self, _key: &Key) -> usize {
        0
    }

    /// Returns the numbers of the parts of the store that do not answer. Only the games of these
    /// parts stand still. Empty if no part answers.
    fn silent_parts(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Returns a receiver of future announcements. It gets at least those for appends by other
    /// servers to games that this server follows. Returns `None` if only this process can append.
    /// A receiver that has lagged has missed announcements, and must handle that like
    /// [`Announcement::Everything`].
    fn announcements(&self) -> Option<broadcast::Receiver<Announcement>> {
        None
    }

    /// Sends a message to every server that uses this store, including this one. Messages may
    /// arrive in any order, and twice while a part of the store does not answer. Does nothing if
    /// only this process uses the store. A message has at most
    /// [`NOTICE_BYTES_MAX`](crate::limits::NOTICE_BYTES_MAX) bytes.
    ///
    /// # Errors
    /// [`StoreError`]: the message probably reached no server.
    fn tell(&self, notice: Vec<u8>) -> StoreResult<'_, ()> {
        drop(notice);
        Box::pin(std::future::ready(Ok(())))
    }

    /// Begins to follow a topic, so that this process receives its announcements and messages.
    /// The call itself sends the request. The future waits until the store has confirmed the
    /// request, so that nothing is missed from then on. If that takes too long, the future
    /// returns false, and after a later confirmation there is an [`Announcement::Everything`].
    fn follow(&self, topic: Topic) -> StoreFuture<'static, bool> {
        drop(topic);
        Box::pin(std::future::ready(true))
    }

    /// Stops following a topic.
    fn unfollow(&self, topic: &Topic) {
        let _nothing_is_followed = topic;
    }

    /// Sends a message to every server that follows a topic, like [`Store::tell`]. Returns the
    /// number of servers that followed the topic, including this one, as far as the store knows.
    ///
    /// # Errors
    /// [`StoreError`]: the message probably reached no server.
    fn tell_followers(&self, topic: Topic, notice: Vec<u8>) -> StoreResult<'_, u64> {
        drop((topic, notice));
        Box::pin(std::future::ready(Ok(0)))
    }

    /// Sets whether servers of earlier versions, which cannot follow topics, may use the store. If
    /// so, all appends are also announced to all servers, and this process hears of all appends.
    /// Until the first call, the store assumes that there may be such servers.
    fn serve_former(&self, are_there: bool) {
        let _nothing_is_announced = are_there;
    }

    /// Returns a receiver of future messages; `None` if only this process uses the store. A
    /// receiver that has lagged has missed messages, and must handle that like
    /// [`StoreMessage::Missed`].
    fn notices(&self) -> Option<broadcast::Receiver<StoreMessage>> {
        None
    }
}

/// The records that [`Store::scan_reachable`] found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    pub records: Vec<Record>,
    /// False if a part of the store was left out, so that records may be missing.
    pub is_whole: bool,
}

/// A complete side record: key, value, and the moment at which it expires.
pub type FullRecord = (Key, Vec<u8>, Option<Stamp>);
