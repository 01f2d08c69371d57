//! Reads an export, to check it or to import it.

use std::io::BufRead;

use flagfall_board::{GameId, Stamp};
use flagfall_store::limits::BODIES_MAX;
use flagfall_store::{
    AppendOutcome, Head, Key, ReadError, SecretBytes, StoreError, StoredEntry, Transfer, Update,
    UpdateOutcome, Write,
};

use crate::lines::{FORMAT, HeaderLine, Line, LineReader};
use crate::{RECORDS_CHUNK, Tally, TransferError};

/// Reads a complete export and passes its parts to the importer. Returns the number of games,
/// entries and records.
async fn read_export(
    input: &mut (dyn BufRead + Send),
    mut importer: Importer<'_>,
) -> Result<Tally, TransferError> {
    let mut lines = LineReader::new(input);
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
                // This may be the game's only line, because a damaged game may have no intact
                // entry.
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
pub async fn check_export(input: &mut (dyn BufRead + Send)) -> Result<Tally, TransferError> {
    read_export(input, Importer::new(None, &mut |_| {})).await
}

/// Returns the time at which a server was last alive on the exported store.
pub fn alive_at_export(input: &mut (dyn BufRead + Send)) -> Result<Option<Stamp>, TransferError> {
    let mut lines = LineReader::new(input);
    Ok(lines.next::<HeaderLine>()?.0.alive)
}

/// Writes the parts of an export into a store, in chunks. Without a store it only counts them.
struct Importer<'a> {
    store: Option<&'a dyn Transfer>,
    /// The game that is being imported.
    game: Option<GameId>,
    /// The head of the log before the entries in `entries`.
    head: Head,
    entries: Vec<StoredEntry>,
    records: Vec<Write>,
    tally: Tally,
    told: &'a mut (dyn FnMut(&Tally) + Send),
}

impl<'a> Importer<'a> {
    fn new(store: Option<&'a dyn Transfer>, told: &'a mut (dyn FnMut(&Tally) + Send)) -> Importer<'a> {
        let (entries, records, tally) = (Vec::new(), Vec::new(), Tally::default());
        Importer { store, game: None, head: Head::START, entries, records, tally, told }
    }

    /// Begins the import of a game, unless that import has already begun.
    async fn open(&mut self, game: GameId) -> Result<(), TransferError> {
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

    async fn push_entry(&mut self, entry: StoredEntry) -> Result<(), TransferError> {
        self.entries.push(entry);
        self.tally.entries += 1;
        if self.entries.len() == BODIES_MAX { self.write_entries().await } else { Ok(()) }
    }

    async fn push_record(&mut self, record: Write) -> Result<(), TransferError> {
        self.write_entries().await?;
        self.records.push(record);
        self.tally.records += 1;
        if self.records.len() == RECORDS_CHUNK { self.write_records().await } else { Ok(()) }
    }

    async fn put_aside(&mut self, game: GameId, reason: String) -> Result<(), TransferError> {
        self.write_entries().await?;
        if let Some(store) = self.store {
            store.put_aside(game, reason).await?;
        }
        Ok(())
    }

    async fn write_entries(&mut self) -> Result<(), TransferError> {
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

    async fn write_records(&mut self) -> Result<(), TransferError> {
        let writes = std::mem::take(&mut self.records);
        let (Some(store), false) = (self.store, writes.is_empty()) else { return Ok(()) };
        match store.update(Update { conditions: Vec::new(), writes }).await? {
            UpdateOutcome::Ok => Ok(()),
            UpdateOutcome::Conflict | UpdateOutcome::Unknown => Err(TransferError::Unknown),
        }
    }
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

/// Imports an export into a store. Of the data in the store, it overwrites only side records
/// whose keys are in the export. Stops with an error if the store already contains a different
/// log of one of the games.
///
/// An interrupted import can be repeated, and continues where it stopped. First check with
/// [`check_export`] that the file is complete.
pub async fn import(
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
