//! Reads an export, to check it or to import it.

use std::collections::BTreeMap;
use std::io::BufRead;

use flagfall_board::{GameId, Stamp};
use flagfall_store::limits::{BODIES_MAX, WRITES_MAX};
use flagfall_store::{
    AppendOutcome, Head, IMPORT_KEY, Key, ReadError, SecretBytes, StoreError, StoredEntry, Transfer, Update,
    UpdateOutcome, Write,
};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};

use crate::lines::{FORMAT, HeaderLine, Line, LineReader};
use crate::{GAMES_AT_ONCE, Tally, TransferError};

/// Reads a complete export and passes its parts to the importer. Returns the number of games,
/// entries and records.
async fn read_export(
    input: &mut (dyn BufRead + Send),
    mut importer: Importer<'_>,
) -> Result<Tally, TransferError> {
    let mut lines = LineReader::new(input);
    let (header, _) = lines.next::<HeaderLine>()?;
    if header.flagfall_store != FORMAT {
        return lines.wrong("this export is of another version of the format");
    }
    importer.begin(&header).await?;
    loop {
        match lines.next::<Line>()? {
            (Line::Entry { game, seq, at, body }, _) => {
                let Some(body) = body.into_bytes() else {
                    return lines.wrong("the body is no text and no hexadecimal");
                };
                if !importer.open(game).await? {
                    return lines.wrong("the games are not in order");
                }
                if !importer.push_entry(StoredEntry { seq, at, body: SecretBytes::new(body) }) {
                    return lines.wrong("an entry is missing");
                }
            }
            (Line::Quarantine { game, reason }, _) => {
                // This may be the game's only line, because a damaged game may have no intact
                // entry.
                if !importer.open(game).await? {
                    return lines.wrong("the games are not in order");
                }
                importer.game.iter_mut().for_each(|game| game.damage = Some(reason.clone()));
            }
            (Line::Record { key, value, expires }, _) => {
                let key = key.into_bytes().and_then(|key| Key::new(key).ok());
                let (Some(key), Some(value)) = (key, value.into_bytes()) else {
                    return lines.wrong("the record has no key, or one that is too long");
                };
                importer.push_record(key, value, expires).await?;
            }
            (Line::End { games, entries, records, sha256: told }, sha256) => {
                if told != sha256 || importer.read != (Tally { games, entries, records }) {
                    return lines.wrong("the file is not what was exported: it was changed or damaged");
                }
                importer.close_game().await?;
                importer.write_records().await?;
                importer.finish().await?;
                return Ok(importer.read);
            }
        }
    }
}

/// Checks that a file is a complete export and counts its content.
pub async fn check_export(input: &mut (dyn BufRead + Send)) -> Result<Tally, TransferError> {
    read_export(input, Importer::new(None, &mut |_| {})).await
}

/// Returns the time at which a server was last alive on the exported store.
pub fn alive_at_export(input: &mut (dyn BufRead + Send)) -> Result<Option<Stamp>, TransferError> {
    let mut lines = LineReader::new(input);
    Ok(lines.next::<HeaderLine>()?.0.alive)
}

/// The maximum total length of the log entries that are waiting to be written, in bytes. If there
/// are more, the import stops reading until some are written.
const WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The number of records to collect before they are written.
const RECORDS_MAX: usize = 4_096;

/// A game of an export.
struct ReadGame {
    id: GameId,
    last_seq: u64,
    entries: Vec<StoredEntry>,
    /// Why the game is to be put into quarantine.
    damage: Option<String>,
}

/// The result of a write: what it has stored, and the total length of its log entries in bytes.
type Written = Result<(Tally, usize), TransferError>;

/// Writes the parts of an export into a store. Without a store, only counts them.
///
/// First writes many games at the same time, and then many chunks of records.
struct Importer<'a> {
    store: Option<&'a dyn Transfer>,
    /// The game that is being read.
    game: Option<ReadGame>,
    /// The records that were read but not written yet, for each part of the store.
    records: BTreeMap<usize, Vec<Write>>,
    waiting_records: usize,
    running: FuturesUnordered<BoxFuture<'a, Written>>,
    /// The bytes of the log entries that are being written.
    running_bytes: usize,
    read: Tally,
    written: Tally,
    told: &'a mut (dyn FnMut(&Tally) + Send),
}

impl<'a> Importer<'a> {
    fn new(store: Option<&'a dyn Transfer>, told: &'a mut (dyn FnMut(&Tally) + Send)) -> Importer<'a> {
        Importer {
            store,
            game: None,
            records: BTreeMap::new(),
            waiting_records: 0,
            running: FuturesUnordered::new(),
            running_bytes: 0,
            read: Tally::default(),
            written: Tally::default(),
            told,
        }
    }

    /// Marks the store as the target of this import. The store must be empty, or marked by an
    /// earlier attempt to import the same export.
    async fn begin(&self, header: &HeaderLine) -> Result<(), TransferError> {
        let Some(store) = self.store else { return Ok(()) };
        let (key, value) = (Key::new(IMPORT_KEY).map_err(StoreError::from)?, serde_json::to_vec(header));
        let value = value.map_err(std::io::Error::other)?;
        match store.get(key.clone()).await? {
            Some(mark) if mark == value => return Ok(()),
            Some(_) => return Err(TransferError::OtherImport),
            None => {}
        }
        if !store.records(None, 1).await?.is_empty() || !store.games().await?.is_empty() {
            return Err(TransferError::NotEmpty);
        }
        write(store, vec![Write::Put { key, value, expires: None }]).await
    }

    /// Begins a game, unless it has already begun. Returns false if the games are not in order.
    async fn open(&mut self, id: GameId) -> Result<bool, TransferError> {
        match &self.game {
            Some(open) if open.id == id => return Ok(true),
            Some(open) if open.id > id => return Ok(false),
            _ => {}
        }
        self.close_game().await?;
        self.game = Some(ReadGame { id, last_seq: 0, entries: Vec::new(), damage: None });
        self.read.games += 1;
        Ok(true)
    }

    /// Adds an entry to the game. Returns false if an earlier one is missing.
    fn push_entry(&mut self, entry: StoredEntry) -> bool {
        let Some(game) = self.game.as_mut().filter(|game| game.last_seq + 1 == entry.seq) else {
            return false;
        };
        game.last_seq = entry.seq;
        self.read.entries += 1;
        if self.store.is_some() {
            game.entries.push(entry);
        }
        true
    }

    /// Begins to write the game that was read.
    async fn close_game(&mut self) -> Result<(), TransferError> {
        let (Some(game), Some(store)) = (self.game.take(), self.store) else { return Ok(()) };
        let bytes: usize = game.entries.iter().map(|entry| entry.body.expose().len()).sum();
        let tally = Tally { games: 1, entries: game.entries.len() as u64, records: 0 };
        let writing = async move {
            write_game(store, game).await?;
            Ok((tally, bytes))
        };
        self.start(writing.boxed(), bytes).await
    }

    async fn push_record(
        &mut self,
        key: Key,
        value: Vec<u8>,
        expires: Option<Stamp>,
    ) -> Result<(), TransferError> {
        self.close_game().await?;
        self.read.records += 1;
        let Some(store) = self.store else { return Ok(()) };
        let part = self.records.entry(store.part_of(&key)).or_default();
        part.push(Write::Put { key, value, expires });
        self.waiting_records += 1;
        if self.waiting_records == RECORDS_MAX { self.write_records().await } else { Ok(()) }
    }

    async fn write_records(&mut self) -> Result<(), TransferError> {
        // Write all logs before the records, because a record may say that something is in a log.
        self.finish().await?;
        self.waiting_records = 0;
        let Some(store) = self.store else { return Ok(()) };
        for mut records in std::mem::take(&mut self.records).into_values() {
            while !records.is_empty() {
                let rest = records.split_off(records.len().min(WRITES_MAX));
                let records = std::mem::replace(&mut records, rest);
                let tally = Tally { records: records.len() as u64, ..Tally::default() };
                let writing = async move {
                    write(store, records).await?;
                    Ok((tally, 0))
                };
                self.start(writing.boxed(), 0).await?;
            }
        }
        Ok(())
    }

    /// Starts a write as soon as there is room for it.
    async fn start(&mut self, writing: BoxFuture<'a, Written>, bytes: usize) -> Result<(), TransferError> {
        while self.running.len() >= GAMES_AT_ONCE
            || (self.running_bytes + bytes > WAITING_BYTES_MAX && !self.running.is_empty())
        {
            self.await_one().await?;
        }
        self.running_bytes += bytes;
        self.running.push(writing);
        Ok(())
    }

    /// Waits until one of the writes is complete.
    async fn await_one(&mut self) -> Result<(), TransferError> {
        let Some(written) = self.running.next().await else { return Ok(()) };
        let (tally, bytes) = written?;
        self.running_bytes -= bytes;
        self.written.games += tally.games;
        self.written.entries += tally.entries;
        self.written.records += tally.records;
        (self.told)(&self.written);
        Ok(())
    }

    /// Waits until all writes are complete.
    async fn finish(&mut self) -> Result<(), TransferError> {
        while !self.running.is_empty() {
            self.await_one().await?;
        }
        Ok(())
    }
}

async fn write(store: &dyn Transfer, writes: Vec<Write>) -> Result<(), TransferError> {
    match store.update(Update { conditions: Vec::new(), writes }).await? {
        UpdateOutcome::Ok => Ok(()),
        UpdateOutcome::Conflict | UpdateOutcome::Unknown => Err(TransferError::Unknown),
    }
}

async fn write_game(store: &dyn Transfer, game: ReadGame) -> Result<(), TransferError> {
    let ReadGame { id, entries, damage, .. } = game;
    let mut head = Head::START;
    for entries in entries.chunks(BODIES_MAX) {
        append(store, id, head, entries.to_vec()).await?;
        head = entries.iter().fold(head, |at, entry| at.then(id, &entry.body));
    }
    if let Some(reason) = damage {
        store.put_aside(id, reason).await?;
    }
    Ok(())
}

/// Appends entries after this head. Skips entries that an earlier, interrupted import has already
/// written.
async fn append(
    store: &dyn Transfer,
    game: GameId,
    at: Head,
    entries: Vec<StoredEntry>,
) -> Result<(), TransferError> {
    match store.take_over(game, at, entries.clone()).await? {
        AppendOutcome::Ok { .. } | AppendOutcome::Quarantined { .. } => return Ok(()),
        AppendOutcome::Unknown => return Err(TransferError::Unknown),
        AppendOutcome::Conflict { .. } | AppendOutcome::Late { .. } | AppendOutcome::Early { .. } => {}
    }
    let there = match store.read(game, at.seq, entries.len()).await {
        Ok(there) => there,
        Err(ReadError::Damaged { .. }) => return Ok(()),
        Err(error) => return Err(StoreError::from(error).into()),
    };
    let (same, missing) = entries.split_at(there.len().min(entries.len()));
    if same != there {
        return Err(TransferError::Other { game });
    }
    if missing.is_empty() {
        return Ok(());
    }
    let at = same.iter().fold(at, |at, entry| at.then(game, &entry.body));
    match store.take_over(game, at, missing.to_vec()).await? {
        AppendOutcome::Ok { .. } => Ok(()),
        AppendOutcome::Unknown => Err(TransferError::Unknown),
        _ => Err(TransferError::Other { game }),
    }
}

/// Imports an export into an empty store, up to [`finish_import`].
///
/// Until then, the import can be repeated. An interrupted import continues where it stopped. First
/// check with [`check_export`] that the file is complete.
pub async fn import_unfinished(
    store: &dyn Transfer,
    input: &mut (dyn BufRead + Send),
    mut told: impl FnMut(&Tally) + Send,
) -> Result<Tally, TransferError> {
    let tally = read_export(input, Importer::new(Some(store), &mut told)).await?;
    // Clients of the exported store may send log positions that are invalid in this store. The
    // new epoch makes them load their games anew.
    store.bump_epoch().await?;
    Ok(tally)
}

/// Completes an import.
pub async fn finish_import(store: &dyn Transfer) -> Result<(), TransferError> {
    write(store, vec![Write::Delete { key: Key::new(IMPORT_KEY).map_err(StoreError::from)? }]).await
}
