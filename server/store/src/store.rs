//! The trait that every store implements, with its requests and answers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use flagfall_board::{GameId, Stamp};
use thiserror::Error;
use tokio::sync::broadcast;

use crate::limits::LimitError;
use crate::value::{Head, Key, SecretBytes};

/// The return type of [`Store`]'s methods: a future that is `Send` and borrows only the store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What most methods of [`Store`] return.
pub type StoreResult<'a, T> = StoreFuture<'a, Result<T, StoreError>>;

/// What reading a log returns.
pub type ReadResult<'a, T> = StoreFuture<'a, Result<T, ReadError>>;

/// A side record: its key and its value.
pub type Record = (Key, Vec<u8>);

/// One atomic addition to a game's log, with the side records that go with it.
#[derive(Clone, Debug)]
pub struct Append {
    pub game: GameId,
    /// Where the caller believes the log stands. Both number and hash must match.
    pub expected: Head,
    /// The last moment at which this append counts. The store's stamp decides, not the caller's
    /// clock.
    pub deadline: Option<Stamp>,
    /// The first moment at which this append counts, for events caused by an expired time. Here,
    /// too, the store's stamp decides.
    pub not_before: Option<Stamp>,
    /// The entries' bodies, in order. They get the numbers after `expected.seq`.
    pub bodies: Vec<SecretBytes>,
    /// Side records to write if, and only if, the entries are.
    pub writes: Vec<Write>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AppendOutcome {
    /// All of it is in the store and survives a crash, as far as the store promises that.
    Ok { at: Stamp, head: Head },
    /// The log stands elsewhere. Nothing was written: read on and decide again.
    Conflict { head: Head },
    /// The deadline had passed. Nothing was written.
    Late { at: Stamp },
    /// The first moment has not come: the caller's clock is ahead of the store's. Nothing was
    /// written.
    Early { at: Stamp },
    /// The game's log is damaged. The store accepts nothing for it until an operator has looked.
    /// Nothing was written.
    Quarantined {
        /// What was found, without any content of the log.
        reason: String,
    },
    /// It may be in the store or not. Never write again: read the log to find out.
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEntry {
    /// Its number; the first is 1.
    pub seq: u64,
    /// When it was written. Never earlier than the entry before it.
    pub at: Stamp,
    pub body: SecretBytes,
}

/// A change to one side record.
#[derive(Clone, PartialEq, Eq)]
pub enum Write {
    Put {
        key: Key,
        /// Its value, at most [`VALUE_BYTES_MAX`](crate::limits::VALUE_BYTES_MAX) bytes.
        value: Vec<u8>,
        /// The moment at which it expires; `None` for a record that stays.
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

    /// How long its value is; 0 for a record that is removed.
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

/// A condition on a record for an update to happen.
#[derive(Clone, PartialEq, Eq)]
pub enum Expect {
    /// There is none, or it has expired.
    Absent,
    /// It holds exactly this.
    Value(Vec<u8>),
}

impl Expect {
    /// True if the value of the record is as expected; `None` if there is none.
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

/// An atomic change to side records: all of the writes if all of the conditions hold, else none.
#[derive(Clone, Debug, Default)]
pub struct Update {
    pub conditions: Vec<(Key, Expect)>,
    /// The writes, in order: of two writes to one key, the later one wins.
    pub writes: Vec<Write>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateOutcome {
    /// It is in the store and survives a crash.
    Ok,
    /// A condition did not hold. Nothing was written.
    Conflict,
    /// It may be in the store or not. Read; don't write again.
    Unknown,
}

/// Why a store did not do as asked. After a failed append or update nothing was written.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StoreError {
    #[error("beyond a limit: {0}")]
    Limit(#[from] LimitError),
    /// The store accepts no requests: it is closed, unreachable, or has failed.
    #[error("the store is unavailable: {why}")]
    Unavailable { why: String },
    /// Stored data cannot be read back as written: a side record, or a log to be archived.
    #[error("damaged: {what}")]
    Damaged {
        /// What is wrong, without any content of the record.
        what: String,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReadError {
    /// The log is not what was written. The game is now in quarantine.
    #[error("the log of game {game} is damaged at entry {seq}: {what}")]
    Damaged {
        game: GameId,
        /// The first entry that cannot be trusted.
        seq: u64,
        /// What is wrong with it, without any content of the log.
        what: String,
    },
    /// The store cannot answer at all.
    #[error("the store is unavailable: {why}")]
    Unavailable { why: String },
}

/// A hint that a log has grown. It may come late, twice, or never, so a receiver acts on it by
/// reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Announcement {
    /// This game's log reaches at least to this entry.
    Appended { game: GameId, seq: u64 },
    /// Announcements may have been missed: any log may have grown.
    Everything,
}

/// A message between servers through the store. It is not stored, and may come late, twice or
/// never.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// A server, perhaps this one, sent this with [`Store::tell`].
    Told(Arc<[u8]>),
    /// Nothing was received for a while: messages may have been missed.
    Missed,
}

/// Why an append is refused that was judged before an outage was known: its clocks ran during the
/// outage.
pub(crate) const CLOCKS_FIRST: &str = "the server did not run for a while: clocks are set right first";

/// The key of the record of outages: a JSON list of pairs of stamps, the oldest first. Games at
/// rest learn of outages from it when they are opened.
pub const OUTAGES_KEY: &str = "outages";
/// The most outages kept in that record.
pub const OUTAGES_MAX: usize = 1_024;

/// A time in which no server could write to the store, though servers were running.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outage {
    /// The last sign of life before it.
    pub since: Stamp,
    /// The first sign of life after it.
    pub until: Stamp,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskSpace {
    /// Free bytes of its file system, as of the last heartbeat.
    pub free_bytes: u64,
    /// True if the store takes nothing because too little is free.
    pub is_paused: bool,
}

/// The logs of all games, and small side records under keys.
///
/// A game's log is a gapless sequence of entries numbered from 1. The store does not read their
/// content. Any number of servers may use one shared store at a time: there is no lock, no lease
/// and no owner. Of two appends that expect the same head, one gets `Ok` and the other `Conflict`.
///
/// All methods may be called concurrently from any task. After a returned future is dropped, its
/// request is done either completely or not at all.
pub trait Store: Send + Sync + 'static {
    /// Appends entries to a log, all or none.
    ///
    /// The checks come in this order: quarantine, head, deadline, first moment. A stamp equal to
    /// the deadline or to the first moment is in time. Stamps never go back, neither within a game
    /// nor behind the last heartbeat.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome>;

    /// The entries after number `after_seq`, oldest first, at most `limit` and never more than
    /// [`READ_MAX`](crate::limits::READ_MAX). An empty answer means that there are none after
    /// `after_seq`.
    ///
    /// All entries returned have been checked against the hash chain, starting from entry
    /// `after_seq`.
    ///
    /// # Errors
    /// [`ReadError`]. The entries before the damage can still be read with a smaller `limit`.
    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>>;

    /// Where a log stands; [`Head::START`] for a game that the store does not know.
    fn head(&self, game: GameId) -> ReadResult<'_, Head>;

    /// The value of a side record; `None` if there is none or it has expired.
    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>>;

    /// The records whose keys begin with `prefix`, in the order of their keys, after the key
    /// `after`, at most `limit` and never more than [`READ_MAX`](crate::limits::READ_MAX). Expired
    /// records are left out.
    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>>;

    /// Changes side records if they are as expected.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn update(&self, update: Update) -> StoreResult<'_, UpdateOutcome>;

    /// Removes expired records and returns how many. Reads never show them anyway; this only frees
    /// their space.
    fn sweep(&self) -> StoreResult<'_, u64>;

    /// The current time by the clock that gives the stamps, as far as this process can tell without
    /// asking. It is never ahead of the stamps to come.
    fn now(&self) -> Stamp;

    /// Records that a server is alive now, and returns the time. Meant to be called once a second.
    /// The record survives the end of the process, but not necessarily a power cut.
    fn heartbeat(&self) -> StoreResult<'_, Stamp>;

    /// The last moment at which a server is known to have been alive before this store was opened:
    /// its last heartbeat or its last write. `None` in a new store, or if another server was alive
    /// at that time.
    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>>;

    /// The store's epoch, below 2^53. It is part of every position that a client holds. After a
    /// change of epoch, earlier positions mean nothing.
    fn epoch(&self) -> StoreResult<'_, u64>;

    /// Begins a new epoch, above all earlier ones, and returns it. For use after acknowledged
    /// entries were lost.
    ///
    /// # Errors
    /// [`StoreError`]. After `Unavailable` the new epoch may have begun all the same.
    fn bump_epoch(&self) -> StoreResult<'_, u64>;

    /// The games whose logs were found damaged, each with what was found.
    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>>;

    /// Moves the log of a game that is over out of the store's expensive memory. Reads work as
    /// before.
    ///
    /// Returns true if it is out. False means that it may be tried again later: the log has just
    /// grown, or side records of its appends are still to be written. A store that keeps its logs
    /// on disk has nothing to do.
    ///
    /// # Errors
    /// [`StoreError`]: the log is as it was.
    fn archive_log(&self, game: GameId) -> StoreResult<'_, bool> {
        let _ = game;
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Deletes the log of a game that is over, for good: afterwards the store does not know the
    /// game. Deleting a missing log is not an error. Side records stay; the caller deletes those
    /// first.
    ///
    /// # Errors
    /// [`StoreError`]: part of the log may be left. The call may be repeated.
    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        let why = format!("this store does not delete logs, so {game} stays");
        Box::pin(std::future::ready(Err(StoreError::Unavailable { why })))
    }

    /// The latest outage since this store was opened. Clocks stood still during it. It is known
    /// before the store accepts anything again.
    fn outage(&self) -> Option<Outage> {
        None
    }

    /// The room on the disk, if this process writes to one.
    fn disk_space(&self) -> Option<DiskSpace> {
        None
    }

    /// Ways in which the store currently promises less than a game needs, as text for operators.
    fn weaknesses(&self) -> Vec<String> {
        Vec::new()
    }

    /// Keeps copies of side records in memory for this owner, replacing the owner's earlier copies.
    ///
    /// A store that can be emptied while servers run restores the copies then, unless the records
    /// have been written again by that time. Later writes through this store update the copies too.
    /// Memory is bounded: if there is no room, nothing is kept.
    fn keep_copies(&self, owner: &str, records: Vec<Write>) {
        let _ = (owner, records);
    }

    fn drop_copies(&self, owner: &str) {
        let _ = owner;
    }

    fn owners_of_copies(&self) -> Vec<String> {
        Vec::new()
    }

    /// The time of the last answer from the store, if that is so long ago that perhaps no server
    /// could write since. Whether clocks stood still is known once the store answers again, before
    /// anything is read from it.
    fn silent_since(&self) -> Option<Stamp> {
        None
    }

    /// Announcements of appends from now on, at least of those by other servers. `None` if only
    /// this process can append. A receiver that has lagged has missed announcements, which means
    /// [`Announcement::Everything`].
    fn announcements(&self) -> Option<broadcast::Receiver<Announcement>> {
        None
    }

    /// Sends a message to every server on this store, this one included: at most once each, in no
    /// order. It does nothing if only this process uses the store. At most
    /// [`NOTICE_BYTES_MAX`](crate::limits::NOTICE_BYTES_MAX) bytes.
    ///
    /// # Errors
    /// [`StoreError`]: the message reached no server, as far as is known.
    fn tell(&self, notice: Vec<u8>) -> StoreResult<'_, ()> {
        drop(notice);
        Box::pin(std::future::ready(Ok(())))
    }

    /// Messages from now on; `None` if only this process uses the store. A receiver that has lagged
    /// has missed messages, which means [`Notice::Missed`].
    fn notices(&self) -> Option<broadcast::Receiver<Notice>> {
        None
    }
}
