//! Reads a whole store, to check it or to export it.

use std::borrow::Cow;
use std::io::Write;

use flagfall_board::GameId;
use flagfall_store::limits::READ_MAX;
use flagfall_store::{FullRecord, ReadError, SecretBytes, StoreError, StoreFuture, StoredEntry, Transfer};
use futures_util::FutureExt as _;
use futures_util::stream::{self, BoxStream, StreamExt as _};

use crate::lines::{Bytes, FORMAT, HeaderLine, Line, LineWriter};
use crate::{Examined, GAMES_AT_ONCE, RECORDS_CHUNK, Tally, TransferError};

/// Reads all logs and records. Reports damage but does not repair it. After each game, calls
/// `told` with the counts so far.
pub async fn examine(store: &dyn Transfer, mut told: impl FnMut(&Tally)) -> Result<Examined, StoreError> {
    let mut examined = Examined::default();
    let mut games = read_games(store).await?;
    while let Some((game, read)) = games.next().await {
        let (entries, damage) = read?;
        examined.damaged.extend(damage.map(|what| (game, what)));
        examined.tally.games += 1;
        examined.tally.entries += entries.len() as u64;
        told(&examined.tally);
    }
    for (game, reason) in store.quarantined().await? {
        if examined.damaged.iter().all(|(damaged, _)| *damaged != game) {
            examined.damaged.push((game, reason));
        }
    }
    let mut pages = store.all_records(RECORDS_CHUNK);
    while let Some(records) = pages.next().await.transpose()? {
        examined.tally.records += records.len() as u64;
    }
    Ok(examined)
}

/// The intact entries of a log and, if the entry after them is damaged, a description of the
/// damage.
type ReadGame = (Vec<StoredEntry>, Option<String>);

/// Reads all games in the order of their ids. Reads several games at the same time.
async fn read_games(
    store: &dyn Transfer,
) -> Result<BoxStream<'_, (GameId, Result<ReadGame, StoreError>)>, StoreError> {
    let mut games = store.games().await?;
    games.sort_unstable();
    let read = move |game| async move { (game, read_game(store, game).await) }.boxed();
    Ok(stream::iter(games).map(read).buffered(GAMES_AT_ONCE).boxed())
}

/// Reads a log in chunks.
async fn read_game(store: &dyn Transfer, game: GameId) -> Result<ReadGame, StoreError> {
    let mut entries: Vec<StoredEntry> = Vec::new();
    let mut limit = READ_MAX;
    loop {
        let after_seq = entries.last().map_or(0, |last| last.seq);
        match store.read(game, after_seq, limit).await {
            Ok(read) if read.is_empty() => break,
            Ok(read) => entries.extend(read),
            Err(error @ ReadError::Unavailable { .. }) => return Err(error.into()),
            Err(ReadError::Damaged { seq, what, .. }) => {
                // Read again, but only up to the damaged entry.
                limit = usize::try_from(seq.saturating_sub(after_seq + 1)).unwrap_or(0);
                if limit == 0 {
                    return Ok((entries, Some(format!("entry {seq}: {what}"))));
                }
            }
        }
    }
    match store.head(game).await {
        Ok(_) => Ok((entries, None)),
        Err(error @ ReadError::Unavailable { .. }) => Err(error.into()),
        Err(ReadError::Damaged { seq, what, .. }) => Ok((entries, Some(format!("entry {seq}: {what}")))),
    }
}

/// Converts the bodies of entries during an export. Gets the entries of each game in order, and
/// returns the body to export instead.
///
/// If an entry cannot be converted, returns the reason, which must not quote the entry. The
/// export of this game then ends before this entry.
pub type Rewrite<'a> = dyn FnMut(GameId, &StoredEntry) -> Result<SecretBytes, String> + Send + 'a;

/// Converts a side record during an export. Returns the records to export instead.
pub type RewriteRecord<'a> =
    dyn Fn(FullRecord) -> StoreFuture<'a, Result<Vec<FullRecord>, StoreError>> + Send + Sync + 'a;

/// Exports the whole store. `rewrite` converts the bodies of entries, and `rewrite_record` converts
/// side records, if these functions are given. No server should change the store during the export.
/// After each game and each chunk of records, calls `told` with the counts so far.
///
/// # Errors
/// [`TransferError`]: the output is incomplete, and its last line is missing.
pub async fn export(
    store: &dyn Transfer,
    out: &mut (dyn Write + Send),
    mut rewrite: Option<&mut Rewrite<'_>>,
    rewrite_record: Option<&RewriteRecord<'_>>,
    mut told: impl FnMut(&Tally) + Send,
) -> Result<Examined, TransferError> {
    let mut lines = LineWriter::new(out);
    let (epoch, alive) = (store.epoch().await?, store.last_heartbeat().await?);
    lines.write(&HeaderLine { flagfall_store: FORMAT, epoch, alive })?;
    let mut examined = Examined::default();
    let known = store.quarantined().await?;
    let mut games = read_games(store).await?;
    while let Some((game, read)) = games.next().await {
        let (read, damage) = read?;
        let (mut entries, mut unreadable) = (0, None);
        for entry in &read {
            let StoredEntry { seq, at, body } = entry;
            let rewritten = match &mut rewrite {
                None => Ok(Cow::Borrowed(body)),
                Some(rewrite) => rewrite(game, entry).map(Cow::Owned),
            };
            match rewritten {
                Ok(body) => {
                    entries += 1;
                    lines.write(&Line::Entry { game, seq: *seq, at: *at, body: Bytes::of(body.expose()) })?;
                }
                Err(what) => {
                    unreadable = Some(format!("entry {seq}: {what}"));
                    break;
                }
            }
        }
        let reason = || known.iter().find(|(other, _)| *other == game).map(|(_, reason)| reason.clone());
        if let Some(reason) = unreadable.or(damage).or_else(reason) {
            lines.write(&Line::Quarantine { game, reason: reason.clone() })?;
            examined.damaged.push((game, reason));
        }
        examined.tally.games += 1;
        examined.tally.entries += entries;
        told(&examined.tally);
    }
    let mut pages = store.all_records(RECORDS_CHUNK);
    while let Some(records) = pages.next().await.transpose()? {
        for record in records {
            let rewritten = match rewrite_record {
                Some(rewrite) => rewrite(record).await?,
                None => vec![record],
            };
            for (key, value, expires) in rewritten {
                examined.tally.records += 1;
                let (key, value) = (Bytes::of(key.as_bytes()), Bytes::of(&value));
                lines.write(&Line::Record { key, value, expires })?;
            }
        }
        told(&examined.tally);
    }
    lines.end(examined.tally)?;
    Ok(examined)
}
