//! Turns lines back into records, for an export to a server of an earlier version.

use std::collections::BTreeMap;

use flagfall_base::keys::{FIGURES, HISTORY, HISTORY_DUE, RATED, TALLY, VOLUMES, last_part};
use flagfall_base::scan::Scan;
use flagfall_board::{PerSide, Side};
use flagfall_protocol::{PlayedGame, RatingChange, Speed};
use flagfall_store::{FullRecord, Key, Store, StoreError};
use serde::Serialize;

use super::book::{Volume, read_whole};
use super::line::{Change, Line};
use super::rating_record::{entry, rating_history_key};
use super::record::{Figures, Pair, Shelf, played_key, played_of, versus_key};
use crate::records::{bytes, parse};

/// Converts a record to the forms of version 0.1. A history becomes many records. Records that
/// version 0.1 can read stay as they are. No server may change the store in the meantime.
///
/// # Errors
/// [`StoreError`] if the history cannot be read.
pub async fn in_older_form(store: &dyn Store, record: FullRecord) -> Result<Vec<FullRecord>, StoreError> {
    let (key, ..) = &record;
    if VOLUMES.rest(key).is_some() || HISTORY_DUE.rest(key).is_some() {
        return Ok(Vec::new());
    }
    // Leave out this record, because the converted history includes its counts.
    let counted = TALLY.rest(key).or(FIGURES.rest(key)).and_then(|rest| rest.split('/').next());
    if let Some(player) = counted
        && store.get(HISTORY.key([&player])?).await?.is_some()
    {
        return Ok(Vec::new());
    }
    match HISTORY.rest(key) {
        Some(player) => records_of(store, player).await,
        None => Ok(vec![record]),
    }
}

#[derive(Default)]
struct Records(Vec<FullRecord>);

impl Records {
    fn put(&mut self, key: Key, record: &impl Serialize) -> Result<(), StoreError> {
        self.0.push((key, bytes(record)?, None));
        Ok(())
    }
}

async fn records_of(store: &dyn Store, player: &str) -> Result<Vec<FullRecord>, StoreError> {
    let Volume { mut lines, figures } = read_whole(store, player).await?;
    let mut figures: BTreeMap<String, Figures> = figures.into_iter().collect();
    lines.sort_by_key(|line| line.ended);
    let mut records = Records::default();
    let mut tallies: BTreeMap<(String, String), Pair> = BTreeMap::new();
    let mut tally = |opponent: &str, ruleset: &str, score, is_private: bool| {
        let pair = tallies.entry((opponent.to_owned(), ruleset.to_owned())).or_default();
        pair.all.count(score);
        if !is_private {
            pair.open.count(score);
        }
    };
    for (_, value) in Scan::all(store, played_of(player, Shelf::All)?).await? {
        let played: PlayedGame = parse(&value, "a history")?;
        tally(&played.opponent.id, &played.ruleset, played.score, played.private);
    }
    let prefix = FIGURES.under([&player])?;
    for (key, value) in Scan::all(store, prefix.clone()).await? {
        let Some(ruleset) = last_part(&key, &prefix) else { continue };
        figures.entry(ruleset).or_default().merge(&parse(&value, "a history")?);
    }
    for line in lines {
        tally(&line.opponent, &line.ruleset, line.score, line.private);
        if !line.is_counted {
            let figures = figures.entry(line.ruleset.clone()).or_default();
            figures.count(line.side, line.score, line.setup.as_ref(), line.ended);
        }
        if let (Some(change), Some(speed)) = (line.change, Speed::of(line.time)) {
            let key = rating_history_key(player, &line.ruleset, speed, change.number)?;
            records.put(key, &entry(line.clone(), change))?;
            put_change(store, &line, speed, change, &mut records).await?;
        }
        for shelf in Shelf::BOTH.into_iter().filter(|shelf| shelf.has(&line)) {
            let played = line.clone().played();
            records.put(played_key(player, shelf, line.ended, line.game)?, &played)?;
            records.put(versus_key(player, &line.opponent, shelf, line.ended, line.game)?, &played)?;
        }
    }
    for ((opponent, ruleset), pair) in tallies {
        records.put(TALLY.key([&player, &opponent, &ruleset])?, &pair)?;
    }
    for (ruleset, figures) in figures {
        records.put(FIGURES.key([&player, &ruleset])?, &figures)?;
    }
    Ok(records.0)
}

/// Adds the record of the changes that a game made to both ratings, if the store has none. Adds it
/// only from Red's history, because Blue's history may contain the same game.
async fn put_change(
    store: &dyn Store,
    line: &Line,
    speed: Speed,
    change: Change,
    records: &mut Records,
) -> Result<(), StoreError> {
    let (key, ruleset) = (RATED.key([&line.game])?, line.ruleset.clone());
    let Some(other) = change.other.filter(|_| line.side == Side::Red) else { return Ok(()) };
    if store.get(key.clone()).await?.is_some() {
        return Ok(());
    }
    let Change { first_move, before, after, .. } = change;
    let (before, after) = (PerSide::new(before, other.0), PerSide::new(after, other.1));
    records.put(key, &RatingChange { game: line.game, ruleset, speed, first_move, before, after })
}
