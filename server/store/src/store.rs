//! The trait every store implements, and the words of its requests and answers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use flagfall_board::{GameId, Stamp};
use thiserror::Error;
use tokio::sync::broadcast;

use crate::limits::LimitError;
use crate::value::{Head, Key, SecretBytes};

/// What the methods of [`Store`] return: a future that may cross threads and borrows the store alone.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A side record: its key and its value.
pub type Record = (Key, Vec<u8>);

/// One atomic addition to a game's log, with the side records that go with it.
#[derive(Clone, Debug)]
pub struct Append {
    /// The game.
    pub game: GameId,
    /// Where the caller believes the log to stand. Number and hash must both be right.
    pub expected: Head,
    /// The last moment at which this still counts. The store's stamp decides, not the caller's clock.
    pub deadline: Option<Stamp>,
    /// The first moment at which this counts, for what happens because a time is up. Here, too, the store's stamp decides.
    pub not_before: Option<Stamp>,
    /// The entries' bodies, in order; they get the numbers after `expected.seq`.
    pub bodies: Vec<SecretBytes>,
    /// Side records to write if, and only if, the entries are.
    pub writes: Vec<Write>,
}

/// What became of an append.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AppendOutcome {
    /// All of it is in the store and survives a crash.
    Ok {
        /// The moment it counts as made.
        at: Stamp,
        /// Where the log stands now.
        head: Head,
    },
    /// The log stands elsewhere. Nothing was written: read on, decide again.
    Conflict {
        /// Where it stands.
        head: Head,
    },
    /// The moment had passed. Nothing was written.
    Late {
        /// The stamp it would have had.
        at: Stamp,
    },
    /// The moment has not come: the caller's clock is ahead of the store's. Nothing was written.
    Early {
        /// The stamp it would have had.
        at: Stamp,
    },
    /// The game's log is damaged; the store takes nothing for it until somebody has looked. Nothing was written.
    Quarantined {
        /// What was found, in words without content of the log.
        reason: String,
    },
    /// It may be in the store or not. Never write again: read, and look whether it is there.
    Unknown,
}

/// One entry as it lies in the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEntry {
    /// Its number; the first is 1.
    pub seq: u64,
    /// When it was written. Never before the entry ahead of it.
    pub at: Stamp,
    /// What it says.
    pub body: SecretBytes,
}

/// A change to one side record.
#[derive(Clone, PartialEq, Eq)]
pub enum Write {
    /// The record holds this from now on.
    Put {
        /// Which record.
        key: Key,
        /// Its value, at most [`VALUE_BYTES_MAX`](crate::limits::VALUE_BYTES_MAX) bytes.
        value: Vec<u8>,
        /// The moment from which on it no longer exists; `None` for a record that stays.
        expires: Option<Stamp>,
    },
    /// The record exists no longer. Deleting what is not there is no error.
    Delete {
        /// Which record.
        key: Key,
    },
}

impl Write {
    /// The record this is about.
    #[must_use]
    pub fn key(&self) -> &Key {
        match self {
            Write::Put { key, .. } | Write::Delete { key } => key,
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

/// What a record must be for an update to happen.
#[derive(Clone, PartialEq, Eq)]
pub enum Expect {
    /// There is none, or it has expired.
    Absent,
    /// It holds exactly this.
    Value(Vec<u8>),
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
    /// What must hold.
    pub conditions: Vec<(Key, Expect)>,
    /// What is then written, in order: of two writes to one key the later stays.
    pub writes: Vec<Write>,
}

/// What became of an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateOutcome {
    /// It is in the store and survives a crash.
    Ok,
    /// A condition did not hold. Nothing was written.
    Conflict,
    /// It may be in the store or not. Read, don't write again.
    Unknown,
}

/// Why a store did not do as asked. Nothing was written, whichever it is.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StoreError {
    /// The request is beyond a limit.
    #[error("beyond a limit: {0}")]
    Limit(#[from] LimitError),
    /// The store takes no requests: it is closed, out of reach, or has failed and says so.
    #[error("the store is unavailable: {why}")]
    Unavailable {
        /// What happened to it.
        why: String,
    },
    /// A side record cannot be read back as it was written.
    #[error("a side record is damaged: {what}")]
    Damaged {
        /// What is wrong, in words without content of the record.
        what: String,
    },
}

/// Why a log could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReadError {
    /// The log is not what was written. The game is in quarantine from now on.
    #[error("the log of game {game} is damaged at entry {seq}: {what}")]
    Damaged {
        /// The game.
        game: GameId,
        /// The first entry that cannot be vouched for.
        seq: u64,
        /// What is wrong with it, in words without content of the log.
        what: String,
    },
    /// The store cannot answer at all.
    #[error("the store is unavailable: {why}")]
    Unavailable {
        /// What happened to it.
        why: String,
    },
}

/// A hint that a log has gone on. It may come late, twice, or never; whoever acts on it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Announcement {
    /// This game's log reaches at least to this entry.
    Appended {
        /// The game.
        game: GameId,
        /// The number of the entry.
        seq: u64,
    },
    /// Announcements may have been missed: any log may have gone on.
    Everything,
}

/// What servers tell each other through the store. Nothing of it is kept: it may come late, twice or never.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// A server, perhaps this one, told this ([`Store::tell`]).
    Told(Arc<[u8]>),
    /// Nothing was heard for a while: something may have been told.
    Missed,
}

/// Why an append that was judged before an outage was known is not taken: its clocks ran during the outage.
pub(crate) const CLOCKS_FIRST: &str = "the server did not run for a while: clocks are set right first";

/// The record in which outages are kept for games at rest, which are told of them when they are opened: a JSON list of pairs of stamps, the oldest first.
pub const OUTAGES_KEY: &str = "outages";
/// Outages kept there.
pub const OUTAGES_MAX: usize = 1_024;

/// A time in which no server could write to the store, though servers were there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outage {
    /// The last sign of life before.
    pub since: Stamp,
    /// The first one after.
    pub until: Stamp,
}

/// The truth about every game, and a small key-value space beside it.
///
/// A game's log is a gapless sequence of entries numbered from 1. The store knows nothing of what they say. Any
/// number of servers may use one store at a time: there is no lock, no lease and no owner; of two appends that
/// expect the same head one is `Ok` and the other is told `Conflict`.
///
/// All methods may be called at once from any task. Dropping a returned future leaves its request either done
/// completely or not at all.
pub trait Store: Send + Sync + 'static {
    /// Appends entries to a log, all or none.
    ///
    /// The checks come in this order: quarantine, head, deadline, first moment. A stamp equal to either of the last two is in time.
    /// Stamps never go back, neither within a game nor behind the last heartbeat.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn append(&self, append: Append) -> StoreFuture<'_, Result<AppendOutcome, StoreError>>;

    /// The entries after number `after_seq`, oldest first, at most `limit` and never more than
    /// [`READ_MAX`](crate::limits::READ_MAX). No entries means that there are none after `after_seq`.
    ///
    /// Everything returned has been checked against the hash chain, back to the entry `after_seq`.
    ///
    /// # Errors
    /// [`ReadError`]; what is ahead of the damage can still be read with a smaller `limit`.
    fn read(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredEntry>, ReadError>>;

    /// Where a log stands; [`Head::START`] for a game the store has never heard of.
    ///
    /// # Errors
    /// [`ReadError`].
    fn head(&self, game: GameId) -> StoreFuture<'_, Result<Head, ReadError>>;

    /// The value of a side record, unless there is none or it has expired.
    ///
    /// # Errors
    /// [`StoreError`].
    fn get(&self, key: Key) -> StoreFuture<'_, Result<Option<Vec<u8>>, StoreError>>;

    /// The records whose keys begin with `prefix`, in the order of their keys, beyond the key `after`, at most
    /// `limit` and never more than [`READ_MAX`](crate::limits::READ_MAX). Expired ones are left out.
    ///
    /// # Errors
    /// [`StoreError`].
    fn scan(
        &self,
        prefix: Key,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Record>, StoreError>>;

    /// Changes side records if they are as expected.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn update(&self, update: Update) -> StoreFuture<'_, Result<UpdateOutcome, StoreError>>;

    /// Throws out the records that have expired and says how many. Reads never show them anyway; this is for
    /// the space they take.
    ///
    /// # Errors
    /// [`StoreError`].
    fn sweep(&self) -> StoreFuture<'_, Result<u64, StoreError>>;

    /// The time by the clock that gives the stamps, as far as this process can tell without asking: never ahead of the stamps
    /// to come.
    fn now(&self) -> Stamp;

    /// Leaves a note that a server was alive just now, and says when that was. Meant for once a second: it
    /// survives the end of the process, not necessarily a power cut.
    ///
    /// # Errors
    /// [`StoreError`].
    fn heartbeat(&self) -> StoreFuture<'_, Result<Stamp, StoreError>>;

    /// The last moment at which a server is known to have been alive, as it was found when this store was
    /// opened: its last heartbeat or its last write. `None` in a new store, and where another server was alive at the time.
    ///
    /// # Errors
    /// [`StoreError`].
    fn last_heartbeat(&self) -> StoreFuture<'_, Result<Option<Stamp>, StoreError>>;

    /// The store's epoch. It is part of every position a client holds; another epoch means that such positions
    /// say nothing any more. Below 2^53.
    ///
    /// # Errors
    /// [`StoreError`].
    fn epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>>;

    /// Begins a new epoch, above all earlier ones, and returns it. For when acknowledged entries were lost.
    ///
    /// # Errors
    /// [`StoreError`]. After `Unavailable` the epoch may be the new one all the same.
    fn bump_epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>>;

    /// The games whose logs were found damaged, with what was found.
    ///
    /// # Errors
    /// [`StoreError`].
    fn quarantined(&self) -> StoreFuture<'_, Result<Vec<(GameId, String)>, StoreError>>;

    /// Takes the log of a game that is over out of the store's dear memory; everything is read as before. Whether it is out: if not, because the log has just
    /// gone on, or something of it is still to be carried out, it may be asked again later. A store that keeps its logs on disk has nothing to do.
    ///
    /// # Errors
    /// [`StoreError`]: the log is as it was.
    fn archive_log(&self, game: GameId) -> StoreFuture<'_, Result<bool, StoreError>> {
        let _ = game;
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Deletes the log of a game that is over, for good: afterwards the store knows nothing of the
    /// game. Deleting what is not there is no error. Side records stay; the caller deletes those first.
    ///
    /// # Errors
    /// [`StoreError`]: something of it may be left, and it may be asked again.
    fn delete_log(&self, game: GameId) -> StoreFuture<'_, Result<(), StoreError>> {
        let why = format!("this store does not delete logs, so {game} stays");
        Box::pin(std::future::ready(Err(StoreError::Unavailable { why })))
    }

    /// The latest time in which the store took nothing from any server, since it was opened: clocks stood still then. It is known before
    /// anything is taken again.
    fn outage(&self) -> Option<Outage> {
        None
    }

    /// In what ways the store promises less at present than a game needs, in words for operators.
    fn weaknesses(&self) -> Vec<String> {
        Vec::new()
    }

    /// Keeps copies of side records in memory for this owner, instead of those kept for it before. A store that can be emptied while
    /// servers run gives them back then, if nobody else has written them by that time. What is written through this store from now on
    /// is copied as well. Bounded: where there is no room nothing is kept.
    fn keep_copies(&self, owner: &str, records: Vec<Write>) {
        let _ = (owner, records);
    }

    /// Keeps no copies for this owner any more.
    fn drop_copies(&self, owner: &str) {
        let _ = owner;
    }

    /// For whom copies are kept.
    fn owners_of_copies(&self) -> Vec<String> {
        Vec::new()
    }

    /// Since when nothing was heard of the store, if that is for so long now that nobody may have been able to write: whether clocks have stood still since is known
    /// when it is heard of again, before anything is read from it.
    fn silent_since(&self) -> Option<Stamp> {
        None
    }

    /// What is appended from now on, by whomever; `None` when nobody but this process can append. A receiver that has
    /// lagged behind has missed announcements, which means [`Announcement::Everything`].
    fn announcements(&self) -> Option<broadcast::Receiver<Announcement>> {
        None
    }

    /// Tells every server on this store something, this one included: at most once each, in no order, and nothing when nobody but this
    /// process uses the store. At most [`NOTICE_BYTES_MAX`](crate::limits::NOTICE_BYTES_MAX) bytes.
    ///
    /// # Errors
    /// [`StoreError`]: nobody was told, as far as is known.
    fn tell(&self, notice: Vec<u8>) -> StoreFuture<'_, Result<(), StoreError>> {
        drop(notice);
        Box::pin(std::future::ready(Ok(())))
    }

    /// What is told from now on; `None` when nobody but this process uses the store. A receiver that has lagged behind has missed
    /// something, which means [`Notice::Missed`].
    fn notices(&self) -> Option<broadcast::Receiver<Notice>> {
        None
    }
}
