//! A whole store as lines of text: to look through it, to take it elsewhere, to keep it.
//!
//! # The format
//! JSON, a line each. The first line says what it is and from when: `{"flagfall_store":1,"epoch":…,"alive":…}` (the epoch of the store it was
//! taken from, and the last moment at which a server was alive there, in milliseconds since 1970). Then come the games in the order of
//! their ids, each with all its entries in order, then the small records in the order of their keys:
//!
//! ```text
//! {"entry":{"game":"0fxm529wdncz","seq":1,"at":1764000000000,"body":"…"}}
//! {"quarantine":{"game":"0fxm529wdncz","reason":"entry 7: its hash does not fit"}}
//! {"record":{"key":"live/0fxm529wdncz","value":"","expires":1764000300000}}
//! {"end":{"games":1,"entries":1,"records":1,"sha256":"…"}}
//! ```
//!
//! Bodies, keys and values are text; what is no text is `{"hex":"…"}`. A game in quarantine has the entries ahead of its damage. The last line
//! counts and has the SHA-256 of all lines before it. **It holds what no player may see**: keep it as you keep the store.
//!
//! What is imported is what was exported, byte for byte and stamp for stamp; hashes follow from the bodies. The store it is imported
//! into has an epoch of its own, so clients load their games anew.

use std::fmt;
use std::io::{self, BufRead, Write as IoWrite};

use flagfall_board::{GameId, Stamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::limits::{BODIES_MAX, BODY_BYTES_MAX, KEY_BYTES_MAX, READ_MAX, VALUE_BYTES_MAX};
use crate::store::{
    AppendOutcome, ReadError, Store, StoreError, StoreFuture, StoredEntry, Update, UpdateOutcome, Write,
};
use crate::value::{Head, Key, SecretBytes};

/// The version of the format.
const FORMAT: u32 = 1;
/// Records read, and written, at a time.
const RECORDS_CHUNK: usize = 32;
/// Bytes of a line: text may take six times its bytes, and a little.
const LINE_BYTES_MAX: u64 = (6 * (BODY_BYTES_MAX + VALUE_BYTES_MAX + KEY_BYTES_MAX)) as u64 + 1024;

/// A side record as it lies in the store: its key, its value, and the moment from which on it no longer exists.
pub type FullRecord = (Key, Vec<u8>, Option<Stamp>);

/// A store whose content can be taken out and put in as a whole.
pub trait Archive: Store {
    /// Every game that has a log.
    ///
    /// # Errors
    /// [`StoreError`].
    fn games(&self) -> StoreFuture<'_, Result<Vec<GameId>, StoreError>>;

    /// Side records in the order of their keys, beyond the key `after`, at most `limit`. Expired ones are left out.
    ///
    /// # Errors
    /// [`StoreError`].
    fn records(
        &self,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<FullRecord>, StoreError>>;

    /// Appends entries with the stamps they have, at most [`BODIES_MAX`]. Otherwise as [`Store::append`].
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    fn take_over(
        &self,
        game: GameId,
        expected: Head,
        entries: Vec<StoredEntry>,
    ) -> StoreFuture<'_, Result<AppendOutcome, StoreError>>;

    /// Puts a game into quarantine.
    ///
    /// # Errors
    /// [`StoreError`].
    fn put_aside(&self, game: GameId, reason: String) -> StoreFuture<'_, Result<(), StoreError>>;
}

/// What was gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Games, damaged ones included.
    pub games: u64,
    /// Entries in them.
    pub entries: u64,
    /// Small records.
    pub records: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { games, entries, records } = self;
        write!(f, "{games} games with {entries} entries, {records} small records")
    }
}

/// What came of going through a store.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Examined {
    /// What was gone through.
    pub tally: Tally,
    /// Games that are damaged, and how.
    pub damaged: Vec<(GameId, String)>,
}

/// Why a store was not exported or imported.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The store does not do as asked.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The file does not.
    #[error("the file cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The file is no export, or not whole.
    #[error("line {line}: {what}")]
    Form {
        /// Which line, from 1.
        line: u64,
        /// What is wrong, in words without content of the file.
        what: &'static str,
    },
    /// The store has this game already, and it went another way there.
    #[error("the store has another game {game} already: import into an empty one")]
    Other {
        /// The game.
        game: GameId,
    },
    /// The store may have taken something or not.
    #[error("the store did not say what became of a write: import again, which goes on where it stopped")]
    Unknown,
}

/// Goes through all logs and records; what is damaged is told, not mended. `told` hears of each game.
///
/// # Errors
/// [`StoreError`] when the store does not answer.
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
    let mut after = None;
    loop {
        let records = store.records(after, RECORDS_CHUNK).await?;
        let Some((last, ..)) = records.last() else { break };
        after = Some(last.clone());
        examined.tally.records += records.len() as u64;
    }
    Ok(examined)
}

async fn sorted_games(store: &dyn Archive) -> Result<Vec<GameId>, StoreError> {
    let mut games = store.games().await?;
    games.sort_unstable();
    Ok(games)
}

/// Reads a log in pieces; how many entries are whole, and what is wrong with the next one, if something is.
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
            Err(ReadError::Unavailable { why }) => return Err(StoreError::Unavailable { why }.into()),
            Err(ReadError::Damaged { seq, what, .. }) => {
                // What is ahead of the damage can still be read.
                limit = usize::try_from(seq.saturating_sub(after_seq + 1)).unwrap_or(0);
                if limit == 0 {
                    return Ok((after_seq, Some(format!("entry {seq}: {what}"))));
                }
            }
        }
    }
    match store.head(game).await {
        Ok(_) => Ok((after_seq, None)),
        Err(ReadError::Unavailable { why }) => Err(StoreError::Unavailable { why }.into()),
        Err(ReadError::Damaged { seq, what, .. }) => Ok((after_seq, Some(format!("entry {seq}: {what}")))),
    }
}

/// Bytes that are text most of the time.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Hex(Hex),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hex {
    hex: String,
}

impl Bytes {
    fn of(bytes: &[u8]) -> Bytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Hex(Hex { hex: hex(bytes) }),
        }
    }

    fn into_bytes(self) -> Option<Vec<u8>> {
        let digits = match self {
            Bytes::Text(text) => return Some(text.into_bytes()),
            Bytes::Hex(Hex { hex }) => hex,
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

/// A file that is being written: its lines are hashed on the way.
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

/// Writes the whole store. No server should be changing it meanwhile. `told` hears of each game.
///
/// # Errors
/// [`ArchiveError`]: what was written is not whole, and has no last line.
pub async fn export(
    store: &dyn Archive,
    out: &mut (dyn IoWrite + Send),
    mut told: impl FnMut(&Tally) + Send,
) -> Result<Examined, ArchiveError> {
    let mut lines = LineWriter { out, hasher: Sha256::new() };
    let (epoch, alive) = (store.epoch().await?, store.last_heartbeat().await?);
    lines.write(&HeaderLine { flagfall_store: FORMAT, epoch, alive })?;
    let mut examined = Examined::default();
    let known = store.quarantined().await?;
    for game in sorted_games(store).await? {
        let (entries, damage) = read_game(store, game, |entry| {
            let StoredEntry { seq, at, body } = entry;
            lines.write(&Line::Entry { game, seq: *seq, at: *at, body: Bytes::of(body.expose()) })
        })
        .await?;
        let reason = || known.iter().find(|(other, _)| *other == game).map(|(_, reason)| reason.clone());
        if let Some(reason) = damage.or_else(reason) {
            lines.write(&Line::Quarantine { game, reason: reason.clone() })?;
            examined.damaged.push((game, reason));
        }
        examined.tally.games += 1;
        examined.tally.entries += entries;
        told(&examined.tally);
    }
    let mut after = None;
    loop {
        let records = store.records(after, RECORDS_CHUNK).await?;
        let Some((last, ..)) = records.last() else { break };
        after = Some(last.clone());
        for (key, value, expires) in records {
            lines.write(&Line::Record {
                key: Bytes::of(key.as_bytes()),
                value: Bytes::of(&value),
                expires,
            })?;
            examined.tally.records += 1;
        }
    }
    let Tally { games, entries, records } = examined.tally;
    let sha256 = hex(&lines.hasher.clone().finalize());
    lines.write(&Line::End { games, entries, records, sha256 })?;
    lines.out.flush()?;
    Ok(examined)
}

/// A file that is being read, line by line.
struct LineReader<'a> {
    input: &'a mut (dyn BufRead + Send),
    hasher: Sha256,
    line: u64,
}

impl LineReader<'_> {
    fn wrong<T>(&self, what: &'static str) -> Result<T, ArchiveError> {
        Err(ArchiveError::Form { line: self.line, what })
    }

    /// The next line, and the hash of all before it.
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
            // What serde says may quote the content.
            Err(_) => self.wrong("this is no line of an export that this version knows"),
        }
    }
}

/// What an export is made of, in its order.
enum Part {
    /// The entries of a game, all of them or the next few.
    Entries(GameId, Vec<StoredEntry>),
    Quarantine(GameId, String),
    Records(Vec<Write>),
}

/// Reads an export from beginning to end; `each` gets its parts.
async fn read_export(
    input: &mut (dyn BufRead + Send),
    each: &mut (dyn PartTaker + Send),
) -> Result<Tally, ArchiveError> {
    let mut lines = LineReader { input, hasher: Sha256::new(), line: 0 };
    let (HeaderLine { flagfall_store, .. }, _) = lines.next()?;
    if flagfall_store != FORMAT {
        return lines.wrong("this export is of another version of the format");
    }
    let mut tally = Tally::default();
    let mut game: Option<(GameId, Vec<StoredEntry>, u64)> = None;
    let mut records: Vec<Write> = Vec::new();
    loop {
        let (line, sha256) = lines.next::<Line>()?;
        if let Some((open, entries, _)) = &mut game {
            let is_same = matches!(&line, Line::Entry { game, .. } if game == open);
            if !entries.is_empty() && (!is_same || entries.len() == BODIES_MAX) {
                each.take(Part::Entries(*open, std::mem::take(entries))).await?;
            }
        }
        if records.len() == RECORDS_CHUNK || (matches!(line, Line::End { .. }) && !records.is_empty()) {
            each.take(Part::Records(std::mem::take(&mut records))).await?;
        }
        match line {
            Line::Entry { game: id, seq, at, body } => {
                let Some(body) = body.into_bytes() else {
                    return lines.wrong("the body is no text and no hexadecimal");
                };
                if game.as_ref().is_none_or(|(open, ..)| *open != id) {
                    if game.as_ref().is_some_and(|(open, ..)| *open > id) {
                        return lines.wrong("the games are not in order");
                    }
                    game = Some((id, Vec::new(), 0));
                    tally.games += 1;
                }
                let Some((_, entries, last)) = &mut game else { continue };
                if seq != *last + 1 {
                    return lines.wrong("an entry is missing");
                }
                *last = seq;
                tally.entries += 1;
                entries.push(StoredEntry { seq, at, body: SecretBytes::new(body) });
            }
            Line::Quarantine { game: id, reason } => {
                if game.as_ref().is_none_or(|(open, ..)| *open != id) {
                    // Not even its first entry is whole.
                    tally.games += 1;
                    game = Some((id, Vec::new(), 0));
                }
                each.take(Part::Quarantine(id, reason)).await?;
            }
            Line::Record { key, value, expires } => {
                let key = key.into_bytes().and_then(|key| Key::new(key).ok());
                let (Some(key), Some(value)) = (key, value.into_bytes()) else {
                    return lines.wrong("the record has no key, or one that is too long");
                };
                tally.records += 1;
                records.push(Write::Put { key, value, expires });
            }
            Line::End { games, entries, records, sha256: told } => {
                if told != sha256 || tally != (Tally { games, entries, records }) {
                    return lines.wrong("the file is not what was exported: it was changed or damaged");
                }
                return Ok(tally);
            }
        }
    }
}

/// Whoever gets the parts of an export.
trait PartTaker {
    fn take(&mut self, part: Part) -> StoreFuture<'_, Result<(), ArchiveError>>;
}

/// Only looks.
struct Looker;

impl PartTaker for Looker {
    fn take(&mut self, _: Part) -> StoreFuture<'_, Result<(), ArchiveError>> {
        Box::pin(async { Ok(()) })
    }
}

/// Looks whether a file is a whole export: what is in it, and when a server was last alive where it comes from.
///
/// # Errors
/// [`ArchiveError::Form`] and [`ArchiveError::Io`].
pub async fn check_export(input: &mut (dyn BufRead + Send)) -> Result<Tally, ArchiveError> {
    read_export(input, &mut Looker).await
}

/// When a server was last alive where an export comes from.
///
/// # Errors
/// [`ArchiveError::Form`] and [`ArchiveError::Io`].
pub fn alive_at_export(input: &mut (dyn BufRead + Send)) -> Result<Option<Stamp>, ArchiveError> {
    let mut lines = LineReader { input, hasher: Sha256::new(), line: 0 };
    Ok(lines.next::<HeaderLine>()?.0.alive)
}

/// Puts what it gets into a store.
struct Importer<'a, F> {
    store: &'a dyn Archive,
    game: Option<(GameId, Head)>,
    tally: Tally,
    told: F,
}

impl<F: FnMut(&Tally) + Send> Importer<'_, F> {
    async fn import(&mut self, part: Part) -> Result<(), ArchiveError> {
        match part {
            Part::Entries(game, entries) => {
                let at = match self.game {
                    Some((open, at)) if open == game => at,
                    Some(_) | None => {
                        self.tally.games += 1;
                        Head::START
                    }
                };
                self.tally.entries += entries.len() as u64;
                let at = Importer::<F>::import_entries(self.store, game, at, entries).await?;
                self.game = Some((game, at));
                (self.told)(&self.tally);
            }
            Part::Quarantine(game, reason) => self.store.put_aside(game, reason).await?,
            Part::Records(writes) => {
                self.tally.records += writes.len() as u64;
                match self.store.update(Update { conditions: Vec::new(), writes }).await? {
                    UpdateOutcome::Ok => {}
                    UpdateOutcome::Conflict | UpdateOutcome::Unknown => return Err(ArchiveError::Unknown),
                }
            }
        }
        Ok(())
    }

    /// Appends what is not there yet, from an earlier try.
    async fn import_entries(
        store: &dyn Archive,
        game: GameId,
        at: Head,
        entries: Vec<StoredEntry>,
    ) -> Result<Head, ArchiveError> {
        let end = entries.iter().fold(at, |at, entry| at.then(game, &entry.body));
        match store.take_over(game, at, entries.clone()).await? {
            AppendOutcome::Ok { head, .. } => return Ok(head),
            AppendOutcome::Unknown => return Err(ArchiveError::Unknown),
            AppendOutcome::Quarantined { .. } => return Ok(end),
            AppendOutcome::Conflict { .. } | AppendOutcome::Late { .. } | AppendOutcome::Early { .. } => {}
        }
        let there = match store.read(game, at.seq, entries.len()).await {
            Ok(there) => there,
            Err(ReadError::Damaged { .. }) => return Ok(end),
            Err(ReadError::Unavailable { why }) => return Err(StoreError::Unavailable { why }.into()),
        };
        let (same, missing) = entries.split_at(there.len().min(entries.len()));
        if same != there {
            return Err(ArchiveError::Other { game });
        }
        if missing.is_empty() {
            return Ok(end);
        }
        let at = same.iter().fold(at, |at, entry| at.then(game, &entry.body));
        match store.take_over(game, at, missing.to_vec()).await? {
            AppendOutcome::Ok { head, .. } => Ok(head),
            AppendOutcome::Unknown => Err(ArchiveError::Unknown),
            _ => Err(ArchiveError::Other { game }),
        }
    }
}

impl<F: FnMut(&Tally) + Send> PartTaker for Importer<'_, F> {
    fn take(&mut self, part: Part) -> StoreFuture<'_, Result<(), ArchiveError>> {
        Box::pin(self.import(part))
    }
}

/// Puts an export into a store. Nothing of what the store has is changed; a game that it has otherwise ends the import. An import
/// that was cut short is repeated: it goes on where it stopped. Look whether the file is whole first: [`check_export`].
///
/// # Errors
/// [`ArchiveError`].
pub async fn import(
    store: &dyn Archive,
    input: &mut (dyn BufRead + Send),
    told: impl FnMut(&Tally) + Send,
) -> Result<Tally, ArchiveError> {
    let mut importer = Importer { store, game: None, tally: Tally::default(), told };
    let tally = read_export(input, &mut importer).await?;
    // Clients of the store it comes from may come with positions; those of this one have none.
    store.bump_epoch().await?;
    Ok(tally)
}
