//! A whole store as lines of text: to inspect it, to move it, or to back it up.
//!
//! # The format
//! One JSON value per line. The first line names the format:
//! `{"flagfall_store":1,"epoch":…,"alive":…}`, with the epoch of the exported store and the last
//! moment at which a server was alive there, in milliseconds since 1970. The games follow in the
//! order of their ids, each with all its entries in order. Then come the side records in the
//! order of their keys:
//!
//! ```text
//! {"entry":{"game":"0fxm529wdncz","seq":1,"at":1764000000000,"body":"…"}}
//! {"quarantine":{"game":"0fxm529wdncz","reason":"entry 7: its hash does not fit"}}
//! {"record":{"key":"live/0fxm529wdncz","value":"","expires":1764000300000}}
//! {"end":{"games":1,"entries":1,"records":1,"sha256":"…"}}
//! ```
//!
//! Bodies, keys and values are text; bytes that are not text are written as `{"hex":"…"}`. For a
//! game in quarantine, the export contains only the entries before the damage. The last line
//! contains the counts and the SHA-256 of all lines before it. **An export contains information
//! that is hidden from players**: protect it like the store.
//!
//! An import restores all bytes and stamps exactly, and computes the hashes from the bodies. So
//! an export can write the entries in an older form ([`Rewrite`]), for import by an older
//! version. The target store has its own epoch, so clients load their games anew.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, Write as IoWrite};

use flagfall_board::{GameId, Stamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::limits::{BODIES_MAX, BODY_BYTES_MAX, KEY_BYTES_MAX, READ_MAX, VALUE_BYTES_MAX};
use crate::store::{
    AppendOutcome, ReadError, Store, StoreError, StoreResult, StoredEntry, Update, UpdateOutcome, Write,
};
use crate::value::{Head, Key, SecretBytes};

/// The version of the format.
const FORMAT: u32 = 1;
/// The number of records to read or write at a time.
const RECORDS_CHUNK: usize = 32;
/// The maximum length of a line, in bytes. JSON may escape one byte of text as six bytes.
const LINE_BYTES_MAX: u64 = (6 * (BODY_BYTES_MAX + VALUE_BYTES_MAX + KEY_BYTES_MAX)) as u64 + 1024;

#[derive(Debug, Error)]
pub enum ArchiveError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("the file cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The file is not an export, or is incomplete. `what` quotes nothing from the file.
    #[error("line {line}: {what}")]
    Form { line: u64, what: &'static str },
    #[error("the store has another game {game} already: import into an empty one")]
    Other { game: GameId },
    /// The store did not report whether a write succeeded.
    #[error("the store did not say what became of a write: import again, which goes on where it stopped")]
    Unknown,
}

/// A complete side record: key, value, and the moment at which it expires.
pub type FullRecord = (Key, Vec<u8>, Option<Stamp>);

/// A store whose content can be exported and imported as a whole.
pub trait Archive: Store {
    fn games(&self) -> StoreResult<'_, Vec<GameId>>;

    /// Returns at most `limit` side records in the order of their keys, starting after the key
    /// `after`. Expired records are left out.
    fn records(&self, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<FullRecord>>;

    /// Appends at most [`BODIES_MAX`] entries that already have stamps, and keeps the stamps. In
    /// all other respects it works like [`Store::append`].
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn take_over(
        &self,
        game: GameId,
        expected: Head,
        entries: Vec<StoredEntry>,
    ) -> StoreResult<'_, AppendOutcome>;

    fn put_aside(&self, game: GameId, reason: String) -> StoreResult<'_, ()>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// The number of games, including damaged ones.
    pub games: u64,
    pub entries: u64,
    pub records: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { games, entries, records } = self;
        write!(f, "{games} games with {entries} entries, {records} small records")
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Examined {
    pub tally: Tally,
    /// The damaged games, each with a description of the damage.
    pub damaged: Vec<(GameId, String)>,
}

/// Reads all logs and records. Reports damage but does not repair it. After each game, calls
/// `told` with the counts so far.
pub async fn examine(store: &dyn Archive, mut told: impl FnMut(&Tally)) -> Result<Examined, StoreError> {
    let mut examined = Examined::default();
    for game in sorted_games(store).await? {
        let (entries, damage) = read_game(store, game, |_| Ok::<(), StoreError>(())).await?;
        examined.damaged.extend(damage.map(|what| (game, what)));
        examined.tally.games += 1;
        examined.tally.entries += entries;
        told(&examined.tally);
    }
    for (game, reason) in store.quarantined().await? {
        if examined.damaged.iter().all(|(damaged, _)| *damaged != game) {
            examined.damaged.push((game, reason));
        }
    }
    examined.tally.records = read_records(store, |_| Ok::<(), StoreError>(())).await?;
    Ok(examined)
}

/// Reads all records in chunks. Returns their number.
async fn read_records<E: From<StoreError>>(
    store: &dyn Archive,
    mut each: impl FnMut(FullRecord) -> Result<(), E>,
) -> Result<u64, E> {
    let (mut count, mut after) = (0, None);
    loop {
        let records = store.records(after, RECORDS_CHUNK).await?;
        let Some((last, ..)) = records.last() else { return Ok(count) };
        after = Some(last.clone());
        count += records.len() as u64;
        records.into_iter().try_for_each(&mut each)?;
    }
}

async fn sorted_games(store: &dyn Archive) -> Result<Vec<GameId>, StoreError> {
    let mut games = store.games().await?;
    games.sort_unstable();
    Ok(games)
}

/// Reads a log in chunks. Returns the number of intact entries and, if the entry after them is
/// damaged, a description of the damage.
async fn read_game<E: From<StoreError>>(
    store: &dyn Archive,
    game: GameId,
    mut each: impl FnMut(&StoredEntry) -> Result<(), E>,
) -> Result<(u64, Option<String>), E> {
    let mut after_seq = 0;
    let mut limit = READ_MAX;
    loop {
        match store.read(game, after_seq, limit).await {
            Ok(entries) => {
                let Some(last) = entries.last() else { break };
                entries.iter().try_for_each(&mut each)?;
                after_seq = last.seq;
            }
            Err(error @ ReadError::Unavailable { .. }) => return Err(StoreError::from(error).into()),
            Err(ReadError::Damaged { seq, what, .. }) => {
                // The next read is limited, so that it ends before the damaged entry.
                limit = usize::try_from(seq.saturating_sub(after_seq + 1)).unwrap_or(0);
                if limit == 0 {
                    return Ok((after_seq, Some(format!("entry {seq}: {what}"))));
                }
            }
        }
    }
    match store.head(game).await {
        Ok(_) => Ok((after_seq, None)),
        Err(error @ ReadError::Unavailable { .. }) => Err(StoreError::from(error).into()),
        Err(ReadError::Damaged { seq, what, .. }) => Ok((after_seq, Some(format!("entry {seq}: {what}")))),
    }
}

/// Bytes, written as text if they are valid UTF-8, and otherwise as hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Bytes {
    Text(String),
    Hex { hex: String },
}

impl Bytes {
    fn of(bytes: &[u8]) -> Bytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Hex { hex: hex(bytes) },
        }
    }

    fn into_bytes(self) -> Option<Vec<u8>> {
        let digits = match self {
            Bytes::Text(text) => return Some(text.into_bytes()),
            Bytes::Hex { hex } => hex,
        };
        let pairs = digits.as_bytes().chunks(2);
        pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    flagfall_store: u32,
    epoch: u64,
    alive: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Entry { game: GameId, seq: u64, at: Stamp, body: Bytes },
    Quarantine { game: GameId, reason: String },
    Record { key: Bytes, value: Bytes, expires: Option<Stamp> },
    End { games: u64, entries: u64, records: u64, sha256: String },
}

/// Writes lines, and computes the hash of all of them.
struct LineWriter<'a> {
    out: &'a mut dyn IoWrite,
    hasher: Sha256,
}

impl LineWriter<'_> {
    fn write(&mut self, line: &impl Serialize) -> Result<(), ArchiveError> {
        let mut bytes = serde_json::to_vec(line).map_err(io::Error::other)?;
        bytes.push(b'\n');
        self.hasher.update(&bytes);
        Ok(self.out.write_all(&bytes)?)
    }
}

/// A conversion of the entries' bodies during an export.
pub trait Rewrite: Send {
    /// Returns the body that the export contains instead of this entry's body. The entries of a
    /// game are passed to this method in order.
    ///
    /// # Errors
    /// Returns why the entry cannot be converted. The reason must not quote the entry. The export
    /// of this game then ends before this entry.
    fn rewrite(&mut self, game: GameId, entry: &StoredEntry) -> Result<SecretBytes, String>;
}

/// Exports the whole store. If `rewrite` is given, it converts the bodies. No server should
/// change the store during the export. After each game, calls `told` with the counts so far.
///
/// # Errors
/// [`ArchiveError`]: the output is incomplete, and its last line is missing.
pub async fn export(
    store: &dyn Archive,
    out: &mut (dyn IoWrite + Send),
    mut rewrite: Option<&mut dyn Rewrite>,
    mut told: impl FnMut(&Tally) + Send,
) -> Result<Examined, ArchiveError> {
    let mut lines = LineWriter { out, hasher: Sha256::new() };
    let (epoch, alive) = (store.epoch().await?, store.last_heartbeat().await?);
    lines.write(&HeaderLine { flagfall_store: FORMAT, epoch, alive })?;
    let mut examined = Examined::default();
    let known = store.quarantined().await?;
    for game in sorted_games(store).await? {
        let (mut entries, mut unreadable) = (0, None);
        let (_, damage) = read_game(store, game, |entry| {
            let StoredEntry { seq, at, body } = entry;
            let rewritten = match &mut rewrite {
                _ if unreadable.is_some() => return Ok(()),
                None => Ok(Cow::Borrowed(body)),
                Some(rewrite) => rewrite.rewrite(game, entry).map(Cow::Owned),
            };
            match rewritten {
                Ok(body) => {
                    entries += 1;
                    lines.write(&Line::Entry { game, seq: *seq, at: *at, body: Bytes::of(body.expose()) })
                }
                Err(what) => {
                    unreadable = Some(format!("entry {seq}: {what}"));
                    Ok(())
                }
            }
        })
        .await?;
        let reason = || known.iter().find(|(other, _)| *other == game).map(|(_, reason)| reason.clone());
        if let Some(reason) = unreadable.or(damage).or_else(reason) {
            lines.write(&Line::Quarantine { game, reason: reason.clone() })?;
            examined.damaged.push((game, reason));
        }
        examined.tally.games += 1;
        examined.tally.entries += entries;
        told(&examined.tally);
    }
    let write = |(key, value, expires): FullRecord| {
        lines.write(&Line::Record { key: Bytes::of(key.as_bytes()), value: Bytes::of(&value), expires })
    };
    examined.tally.records = read_records(store, write).await?;
    let Tally { games, entries, records } = examined.tally;
    let sha256 = hex(&lines.hasher.clone().finalize());
    lines.write(&Line::End { games, entries, records, sha256 })?;
    lines.out.flush()?;
    Ok(examined)
}

/// Reads lines, and computes the hash of all of them.
struct LineReader<'a> {
    input: &'a mut (dyn BufRead + Send),
    hasher: Sha256,
    line: u64,
}

impl LineReader<'_> {
    fn wrong<T>(&self, what: &'static str) -> Result<T, ArchiveError> {
        Err(ArchiveError::Form { line: self.line, what })
    }

    /// Returns the next line, and the hash of all lines before it.
    fn next<T: for<'de> Deserialize<'de>>(&mut self) -> Result<(T, String), ArchiveError> {
        self.line += 1;
        let mut bytes = Vec::new();
        io::Read::take(&mut *self.input, LINE_BYTES_MAX).read_until(b'\n', &mut bytes)?;
        if bytes.last() != Some(&b'\n') {
            return self.wrong(if bytes.is_empty() {
                "the file ends too early"
            } else {
                "the line is cut off, or too long"
            });
        }
        let before = hex(&self.hasher.clone().finalize());
        self.hasher.update(&bytes);
        match serde_json::from_slice(&bytes) {
            Ok(line) => Ok((line, before)),
            // serde's error message may quote the line, so it is not passed on.
            Err(_) => self.wrong("this is no line of an export that this version knows"),
        }
    }
}

/// Reads a complete export and passes its parts to the importer. Returns the number of games,
/// entries and records.
async fn read_export(
    input: &mut (dyn BufRead + Send),
    mut importer: Importer<'_>,
) -> Result<Tally, ArchiveError> {
    let mut lines = LineReader { input, hasher: Sha256::new(), line: 0 };
    let (HeaderLine { flagfall_store, .. }, _) = lines.next()?;
    if flagfall_store != FORMAT {
        return lines.wrong("this export is of another version of the format");
    }
    loop {
        match lines.next::<Line>()? {
            (Line::Entry { game, seq, at, body }, _) => {
                let Some(body) = body.into_bytes() else {
                    return lines.wrong("the body is no text and no hexadecimal");
                };
                if importer.game.is_some_and(|open| open > game) {
                    return lines.wrong("the games are not in order");
                }
                importer.open(game).await?;
                if seq != importer.last_seq() + 1 {
                    return lines.wrong("an entry is missing");
                }
                importer.push_entry(StoredEntry { seq, at, body: SecretBytes::new(body) }).await?;
            }
            (Line::Quarantine { game, reason }, _) => {
                // If the game has no intact entry, this is the only line of the game.
                importer.open(game).await?;
                importer.put_aside(game, reason).await?;
            }
            (Line::Record { key, value, expires }, _) => {
                let key = key.into_bytes().and_then(|key| Key::new(key).ok());
                let (Some(key), Some(value)) = (key, value.into_bytes()) else {
                    return lines.wrong("the record has no key, or one that is too long");
                };
                importer.push_record(Write::Put { key, value, expires }).await?;
            }
            (Line::End { games, entries, records, sha256: told }, sha256) => {
                if told != sha256 || importer.tally != (Tally { games, entries, records }) {
                    return lines.wrong("the file is not what was exported: it was changed or damaged");
                }
                importer.write_entries().await?;
                importer.write_records().await?;
                return Ok(importer.tally);
            }
        }
    }
}

/// Checks that a file is a complete export and counts its content.
pub async fn check_export(input: &mut (dyn BufRead + Send)) -> Result<Tally, ArchiveError> {
    read_export(input, Importer::new(None, &mut |_| {})).await
}

/// Returns the time at which a server was last alive on the exported store.
pub fn alive_at_export(input: &mut (dyn BufRead + Send)) -> Result<Option<Stamp>, ArchiveError> {
    let mut lines = LineReader { input, hasher: Sha256::new(), line: 0 };
    Ok(lines.next::<HeaderLine>()?.0.alive)
}

/// Writes the parts of an export into a store, in chunks. Without a store it only counts them.
struct Importer<'a> {
    store: Option<&'a dyn Archive>,
    /// The game that is being imported.
    game: Option<GameId>,
    /// The head of this game's log before the entries in `entries`.
    head: Head,
    entries: Vec<StoredEntry>,
    records: Vec<Write>,
    tally: Tally,
    told: &'a mut (dyn FnMut(&Tally) + Send),
}

impl<'a> Importer<'a> {
    fn new(store: Option<&'a dyn Archive>, told: &'a mut (dyn FnMut(&Tally) + Send)) -> Importer<'a> {
        let (entries, records, tally) = (Vec::new(), Vec::new(), Tally::default());
        Importer { store, game: None, head: Head::START, entries, records, tally, told }
    }

    /// Begins to import a game, unless it has already begun.
    async fn open(&mut self, game: GameId) -> Result<(), ArchiveError> {
        if self.game != Some(game) {
            self.write_entries().await?;
            (self.game, self.head) = (Some(game), Head::START);
            self.tally.games += 1;
        }
        Ok(())
    }

    fn last_seq(&self) -> u64 {
        self.entries.last().map_or(self.head.seq, |entry| entry.seq)
    }

    async fn push_entry(&mut self, entry: StoredEntry) -> Result<(), ArchiveError> {
        self.entries.push(entry);
        self.tally.entries += 1;
        if self.entries.len() == BODIES_MAX { self.write_entries().await } else { Ok(()) }
    }

    async fn push_record(&mut self, record: Write) -> Result<(), ArchiveError> {
        self.write_entries().await?;
        self.records.push(record);
        self.tally.records += 1;
        if self.records.len() == RECORDS_CHUNK { self.write_records().await } else { Ok(()) }
    }

    async fn put_aside(&mut self, game: GameId, reason: String) -> Result<(), ArchiveError> {
        self.write_entries().await?;
        if let Some(store) = self.store {
            store.put_aside(game, reason).await?;
        }
        Ok(())
    }

    async fn write_entries(&mut self) -> Result<(), ArchiveError> {
        let (Some(game), false) = (self.game, self.entries.is_empty()) else { return Ok(()) };
        let entries = std::mem::take(&mut self.entries);
        let end = entries.iter().fold(self.head, |at, entry| at.then(game, &entry.body));
        if let Some(store) = self.store {
            append(store, game, self.head, entries).await?;
        }
        self.head = end;
        (self.told)(&self.tally);
        Ok(())
    }

    async fn write_records(&mut self) -> Result<(), ArchiveError> {
        let writes = std::mem::take(&mut self.records);
        let (Some(store), false) = (self.store, writes.is_empty()) else { return Ok(()) };
        match store.update(Update { conditions: Vec::new(), writes }).await? {
            UpdateOutcome::Ok => Ok(()),
            UpdateOutcome::Conflict | UpdateOutcome::Unknown => Err(ArchiveError::Unknown),
        }
    }
}

/// Appends entries after this head. Skips entries that an earlier, interrupted import has already
/// written.
async fn append(
    store: &dyn Archive,
    game: GameId,
    at: Head,
    entries: Vec<StoredEntry>,
) -> Result<(), ArchiveError> {
    match store.take_over(game, at, entries.clone()).await? {
        AppendOutcome::Ok { .. } | AppendOutcome::Quarantined { .. } => return Ok(()),
        AppendOutcome::Unknown => return Err(ArchiveError::Unknown),
        AppendOutcome::Conflict { .. } | AppendOutcome::Late { .. } | AppendOutcome::Early { .. } => {}
    }
    let there = match store.read(game, at.seq, entries.len()).await {
        Ok(there) => there,
        Err(ReadError::Damaged { .. }) => return Ok(()),
        Err(error) => return Err(StoreError::from(error).into()),
    };
    let (same, missing) = entries.split_at(there.len().min(entries.len()));
    if same != there {
        return Err(ArchiveError::Other { game });
    }
    if missing.is_empty() {
        return Ok(());
    }
    let at = same.iter().fold(at, |at, entry| at.then(game, &entry.body));
    match store.take_over(game, at, missing.to_vec()).await? {
        AppendOutcome::Ok { .. } => Ok(()),
        AppendOutcome::Unknown => Err(ArchiveError::Unknown),
        _ => Err(ArchiveError::Other { game }),
    }
}

/// Imports an export into a store. Overwrites the side records whose keys are in the export, and
/// no other data. Stops with an error if the store already contains a different log of one of the
/// games.
///
/// An interrupted import can be repeated, and continues where it stopped. First check with
/// [`check_export`] that the file is complete.
pub async fn import(
    store: &dyn Archive,
    input: &mut (dyn BufRead + Send),
    mut told: impl FnMut(&Tally) + Send,
) -> Result<Tally, ArchiveError> {
    let tally = read_export(input, Importer::new(Some(store), &mut told)).await?;
    // Clients of the exported store may send log positions that are invalid in this store.
    // Because of the new epoch, these clients load their games again.
    store.bump_epoch().await?;
    Ok(tally)
}
