//! The reader, which has its own connection and checks everything that it reads from Redis.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flagfall_board::GameId;
use redis::{Cmd, FromRedisValue};
use tokio::sync::Mutex;

use super::answers::{self, StreamEntry};
use super::held::HeldEntry;
use super::layout::scan_bounds;
use super::link::{Link, Script};
use super::packing::{self, PackedLog};
use super::request_error::{RequestError, of_right_type};
use super::shared::Shared;
use crate::encoding::{parse_entry, parse_record};
use crate::guard::Guard;
use crate::limits::READ_MAX;
use crate::store::{FullRecord, StoredEntry};
use crate::value::{Head, Key, KeyRange, SecretBytes};

/// The maximum number of entries that one request reads. While Redis reads them, it serves no
/// other client.
const READ_CHUNK: usize = 512;
/// The maximum number of record names that one request reads.
const SCAN_CHUNK: usize = 256;

/// Checks that an entry follows this head. Returns the entry and the new head.
fn follow(game: GameId, before: Head, entry: &StreamEntry) -> Result<(StoredEntry, Head), RequestError> {
    let seq = before.seq + 1;
    if entry.seq != seq {
        return Err(RequestError::damaged(seq, "it is missing"));
    }
    let (at, hash, body) = parse_entry(&entry.value).ok_or_else(|| too_short(seq))?;
    let body = SecretBytes::new(body.to_vec());
    let head = before.then(game, &body);
    if head.hash != hash {
        return Err(RequestError::damaged(seq, "its hash does not fit"));
    }
    Ok((StoredEntry { seq, at, body }, head))
}

fn too_short(seq: u64) -> RequestError {
    RequestError::damaged(seq, "it is too short")
}

/// A side record that was read.
pub(super) struct Found {
    /// The value; `None` if there is no record.
    pub(super) value: Option<Vec<u8>>,
    /// The transaction that has locked the record.
    pub(super) lock: Option<String>,
}

pub(super) struct Reader {
    shared: Arc<Shared>,
    place: Mutex<Place>,
    /// The number of failed attempts to connect.
    failures: AtomicU64,
}

/// The reader's connection, if it has one.
struct Place {
    /// The connection, and the number of connections that the writer had made when this one was
    /// made.
    link: Option<(u64, Link)>,
    /// Why the last attempt to connect failed.
    error: RequestError,
}

impl Reader {
    pub(super) fn new(shared: Arc<Shared>) -> Reader {
        let place = Place { link: None, error: RequestError::not_done("Redis was not asked yet") };
        Reader { shared, place: Mutex::new(place), failures: AtomicU64::new(0) }
    }

    /// Returns the connection. If the writer has a new connection, the reader makes a new one as
    /// well, because after a failover the old one may lead to the old primary.
    ///
    /// If connecting fails, callers that waited for it get the same error. If each of them tried
    /// again, the last caller would wait for all the timeouts in turn.
    async fn link(&self) -> Result<(u64, Link), RequestError> {
        let failures = self.failures.load(Ordering::SeqCst);
        let mut place = self.place.lock().await;
        let generation = self.shared.stats.lock().connections;
        if let Some((made, link)) = &place.link
            && *made == generation
        {
            return Ok((generation, link.clone()));
        }
        if self.failures.load(Ordering::SeqCst) != failures {
            return Err(place.error.clone());
        }
        match self.connect().await {
            Ok(link) => {
                place.link = Some((generation, link.clone()));
                Ok((generation, link))
            }
            Err(error) => {
                self.failures.fetch_add(1, Ordering::SeqCst);
                place.error = error.clone();
                Err(error)
            }
        }
    }

    async fn connect(&self) -> Result<Link, RequestError> {
        let Shared { address, options, keys, .. } = &*self.shared;
        let client = Link::client(address, options).await?;
        let link = Link::connect(client, address, options, keys).await?;
        if self.shared.is_of_known_run(&link) {
            return Ok(link);
        }
        // Redis was restarted and may have lost recent entries, and the writer has not noticed
        // that yet. The entries must be given back before anything is read.
        self.shared.is_in_doubt.store(true, Ordering::SeqCst);
        Err(RequestError::not_done("Redis was started anew, and has to get back what it may have lost"))
    }

    /// Sends a command. If the connection is lost, sends the command again over a new connection.
    /// Repeating a read is harmless.
    pub(super) async fn query<T: FromRedisValue>(
        &self,
        command: impl Fn(&Link) -> Cmd,
    ) -> Result<T, RequestError> {
        let mut last = RequestError::ScriptGone;
        for _ in 0..2 {
            let (generation, mut link) = self.link().await?;
            match link.query(&command(&link)).await {
                Ok(value) => return Ok(value),
                // The connection itself is intact, so a new one would not help.
                Err(RequestError::WrongType) => return Err(RequestError::WrongType),
                Err(error) => {
                    let mut place = self.place.lock().await;
                    if place.link.as_ref().is_some_and(|(made, _)| *made == generation) {
                        place.link = None;
                    }
                    last = error;
                }
            }
        }
        Err(last)
    }

    /// Returns entries of a game's stream, without checking their hashes. If they do not have the
    /// form that this store writes, reports entry `seq` as damaged.
    async fn entries(&self, seq: u64, command: Cmd) -> Result<Vec<StreamEntry>, RequestError> {
        let found = of_right_type(self.query(|_| command.clone()).await)?;
        let entries = found.map(answers::stream).transpose()?.flatten();
        entries.ok_or_else(|| RequestError::damaged(seq, "its form is another one"))
    }

    /// Returns entries of a game's stream, starting with the number `from`, without checking
    /// their hashes.
    pub(super) async fn stream(
        &self,
        game: GameId,
        from: u64,
        count: usize,
    ) -> Result<Vec<StreamEntry>, RequestError> {
        let mut command = redis::cmd("XRANGE");
        command.arg(self.shared.keys.log(game)).arg(format!("{from}-0")).arg("+");
        self.entries(from, command.arg("COUNT").arg(count).take()).await
    }

    /// Reads and checks entries of a log, like [`Store::read`](crate::Store::read).
    pub(super) async fn read(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<StoredEntry>, RequestError> {
        let limit = limit.min(READ_MAX);
        let mut entries: Vec<StoredEntry> = Vec::new();
        let mut at = match after_seq {
            0 => Head::START,
            _ => match self.entry(game, after_seq).await? {
                Some(head) => head,
                // The log ends before this entry, so there is nothing to return.
                None => return Ok(Vec::new()),
            },
        };
        while entries.len() < limit {
            let wanted = READ_CHUNK.min(limit - entries.len());
            let found = self.stream(game, at.seq + 1, wanted).await?;
            if found.first().is_some_and(|first| first.seq != at.seq + 1) {
                at = self.read_packed(game, at, limit, &mut entries).await?;
                continue;
            }
            let is_last = found.len() < wanted;
            let before = at;
            let mut held = Vec::with_capacity(found.len());
            for entry in found {
                let (stored, head) = follow(game, at, &entry)?;
                let StreamEntry { value, writes, .. } = entry;
                held.push(HeldEntry { head, value, writes });
                entries.push(stored);
                at = head;
            }
            self.shared.held.lock().note(game, before, held);
            if let Some(last) = entries.last() {
                self.shared.learn_time(last.at);
            }
            if is_last {
                break;
            }
        }
        Ok(entries)
    }

    /// Returns the head after this entry; `None` if the log is shorter. Takes the hash from the
    /// entry without checking it.
    async fn entry(&self, game: GameId, seq: u64) -> Result<Option<Head>, RequestError> {
        match self.stream(game, seq, 1).await?.first() {
            None => Ok(None),
            Some(entry) if entry.seq != seq => Ok(Some(self.packed_head(game, seq).await?)),
            Some(entry) => entry.head().map(Some).ok_or_else(|| too_short(seq)),
        }
    }

    /// Reads entries of a packed log, starting after the head `at`. Returns the head after the last
    /// of them.
    async fn read_packed(
        &self,
        game: GameId,
        at: Head,
        limit: usize,
        entries: &mut Vec<StoredEntry>,
    ) -> Result<Head, RequestError> {
        let missing = || RequestError::damaged(at.seq + 1, "it is missing");
        let packed = self.packed(game).await?.ok_or_else(missing)?;
        if packed.head_at(at.seq) != Some(at) {
            return Err(RequestError::damaged(at.seq + 1, "its hash does not fit"));
        }
        let mut last = None;
        for (entry, head) in packed.after(at.seq).take(limit - entries.len()) {
            entries.push(entry.clone());
            last = Some(*head);
        }
        last.ok_or_else(missing)
    }

    /// Returns the head after a packed entry.
    async fn packed_head(&self, game: GameId, seq: u64) -> Result<Head, RequestError> {
        let packed = self.packed(game).await?;
        packed
            .and_then(|packed| packed.head_at(seq))
            .ok_or_else(|| RequestError::damaged(seq, "it is missing"))
    }

    /// Returns the packed entries of a log after checking them; `None` if the log is not packed.
    async fn packed(&self, game: GameId) -> Result<Option<PackedLog>, RequestError> {
        let found = of_right_type(self.query(|_| Cmd::get(self.shared.keys.packed(game))).await)?;
        let found: Option<Vec<u8>> =
            found.ok_or_else(|| RequestError::damaged(1, "the key of what was packed holds another type"))?;
        let Some(bytes) = found else { return Ok(None) };
        let unpacked = packing::unpack(game, &bytes);
        unpacked.map(Some).ok_or_else(|| RequestError::damaged(1, "what was packed does not fit its hash"))
    }

    /// True if the side records of all appends to a log are applied.
    pub(super) async fn is_applied(&self, game: GameId) -> Result<bool, RequestError> {
        // Look at the last entry first. A game's last append has side records, so this entry is
        // almost always the last one with side records.
        let mut command = redis::cmd("XREVRANGE");
        command.arg(self.shared.keys.log(game)).arg("+").arg("-").arg("COUNT").arg(1);
        let last = self.entries(1, command).await?;
        let last_written = match last.first() {
            None => return Ok(true),
            Some(last) if !last.writes.is_empty() => last.seq,
            Some(_) => self.last_written(game).await?,
        };
        let look = |_: &Link| Cmd::hget(&self.shared.keys.applied, game.as_str());
        let applied: Option<u64> = self.query(look).await?;
        Ok(applied.unwrap_or(0) >= last_written)
    }

    /// Returns the number of the last entry in the stream that has side records; 0 if none has.
    async fn last_written(&self, game: GameId) -> Result<u64, RequestError> {
        let (mut last_written, mut from) = (0, 1);
        loop {
            let found = self.stream(game, from, READ_CHUNK).await?;
            let with_records = found.iter().filter(|entry| !entry.writes.is_empty());
            last_written = with_records.map(|entry| entry.seq).max().unwrap_or(last_written);
            match found.last() {
                Some(last) if found.len() == READ_CHUNK => from = last.seq + 1,
                Some(_) | None => return Ok(last_written),
            }
        }
    }

    pub(super) async fn guard(&self, game: GameId) -> Result<Option<Guard>, RequestError> {
        let found = of_right_type(self.query(|_| Cmd::get(self.shared.keys.guard(game))).await)?;
        let found: Option<Vec<u8>> =
            found.ok_or_else(|| RequestError::damaged(1, "the key of its guard holds another type"))?;
        Ok(found.and_then(|bytes| Guard::parse(&bytes)))
    }

    /// Returns the head of a log, after checking that the last entry follows the entry before it.
    pub(super) async fn head(&self, game: GameId) -> Result<Head, RequestError> {
        let mut command = redis::cmd("XREVRANGE");
        command.arg(self.shared.keys.log(game)).arg("+").arg("-").arg("COUNT").arg(2);
        let found = self.entries(1, command).await?;
        let Some(last) = found.first() else { return Ok(Head::START) };
        let before = match found.get(1) {
            Some(before) => before.head().ok_or_else(|| too_short(before.seq))?,
            None if last.seq == 1 => Head::START,
            None => self.packed_head(game, last.seq - 1).await?,
        };
        follow(game, before, last).map(|(_, head)| head)
    }

    /// Returns all games that have a log, in the order of their ids.
    pub(super) async fn games(&self) -> Result<Vec<GameId>, RequestError> {
        let mut games = std::collections::BTreeSet::new();
        let mut cursor = 0_u64;
        loop {
            let mut command = redis::cmd("SCAN");
            command.arg(cursor).arg("MATCH").arg(self.shared.keys.log_pattern());
            // Keys of other types are included, so that an overwritten log is reported when it is
            // read.
            command.arg("COUNT").arg(1000);
            let (next, keys): (u64, Vec<Vec<u8>>) = self.query(|_| command.clone()).await?;
            games.extend(keys.iter().filter_map(|key| self.shared.keys.game_of_log(key)));
            if next == 0 {
                return Ok(games.into_iter().collect());
            }
            cursor = next;
        }
    }

    pub(super) async fn get(&self, key: &Key) -> Result<Found, RequestError> {
        let keys = &self.shared.keys;
        let names = [keys.values.as_str(), &keys.transactions.locks];
        let names = if keys.is_bucket() { &names[..] } else { &names[..1] };
        let get = |link: &Link| {
            let mut command = self.shared.call(link, Script::Get, names);
            command.arg(key.as_bytes()).take()
        };
        let found: Vec<Vec<u8>> = self.query(get).await?;
        let is_locked = found.len() > 1;
        let mut found = found.into_iter();
        let record = found.next().filter(|record| !(is_locked && record.is_empty()));
        let lock = found.next().map(|lock| String::from_utf8_lossy(&lock).into_owned());
        let Some(bytes) = record else { return Ok(Found { value: None, lock }) };
        let damaged = || RequestError::damaged(0, format!("{key:?} cannot be parsed"));
        let (value, _) = parse_record(&bytes).ok_or_else(damaged)?;
        Ok(Found { value: Some(value.to_vec()), lock })
    }

    /// Returns records in the order of their keys, with their expiry times. If there is a prefix,
    /// returns only records whose keys begin with it.
    pub(super) async fn scan(
        &self,
        prefix: Option<&Key>,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Vec<FullRecord>, RequestError> {
        let Some(range) = KeyRange::new(prefix, after) else { return Ok(Vec::new()) };
        let (mut from, to) = scan_bounds(&range);
        let limit = limit.min(READ_MAX);
        let mut records = Vec::new();
        while records.len() < limit {
            let wanted = SCAN_CHUNK.min(limit - records.len());
            let scan = |link: &Link| {
                let keys = &self.shared.keys;
                let mut command = self.shared.call(link, Script::Scan, &[&keys.values, &keys.names]);
                command.arg(&from).arg(&to).arg(wanted).take()
            };
            let (looked_at, last, found): (usize, Vec<u8>, Vec<Vec<u8>>) = self.query(scan).await?;
            for pair in found.chunks_exact(2) {
                let [name, bytes] = pair else { continue };
                // A damaged record is skipped, because it must not hide the other records from
                // the caller.
                let Ok(key) = Key::new(name.clone()) else {
                    tracing::error!(
                        bytes = name.len(),
                        "the name of a side record is too long: it is left out"
                    );
                    continue;
                };
                match parse_record(bytes) {
                    Some((value, expires)) => records.push((key, value.to_vec(), expires)),
                    None => tracing::error!(?key, "a side record is damaged: it is left out"),
                }
            }
            if looked_at < wanted {
                break;
            }
            from = [b"(", last.as_slice()].concat();
        }
        Ok(records)
    }
}
