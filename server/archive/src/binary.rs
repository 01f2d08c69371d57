//! Format 1: the beginning of the game, then its acts.

use flagfall_board::{GameId, Stamp};
use flagfall_game::replay::{self, ReplayError, ReplayedEntry};
use flagfall_rules::{Event, evolve_compensated};
use flagfall_store::StoredEntry;
use flagfall_store::record::{self, EntryError};

use crate::act::{Act, body};
use crate::bytes::{Reader, put_varint};
use crate::error::DecodeError;
use crate::front::Front;
use crate::game::Content;

const ENTRY: DecodeError = DecodeError::Damaged("an entry cannot be written");

/// The error for a log that this format cannot express, because this version cannot replay the
/// log, or because a stamp is earlier than the one before it.
pub(crate) struct NotBinary;

impl From<ReplayError> for NotBinary {
    fn from(_: ReplayError) -> NotBinary {
        NotBinary
    }
}

impl From<EntryError> for NotBinary {
    fn from(_: EntryError) -> NotBinary {
        NotBinary
    }
}

pub(crate) fn encode(id: GameId, log: &[StoredEntry]) -> Result<Content, NotBinary> {
    let (first, rest) = log.split_first().ok_or(NotBinary)?;
    let (header, mut game) = replay::open(id, first)?;
    let entries = rest.iter().map(|stored| replay::entry(&header, stored));
    let entries = entries.collect::<Result<Vec<ReplayedEntry>, _>>()?;
    let has_lags = entries.iter().any(|entry| entry.lag_ms > 0);
    let mut bytes = Vec::new();
    Front { created: first.at, header, has_lags }.write(&mut bytes);
    put_varint(&mut bytes, entries.len() as u64);
    let mut bodies = Vec::with_capacity(entries.len());
    let (mut latest, mut left) = (first.at, &entries[..]);
    while let Some(next) = left.first() {
        let act = Act::of(&game, &next.event);
        let events = act.events(&game).filter(|events| are_next(events, left));
        let (act, count) = match events {
            Some(events) => (act, events.len()),
            None => (Act::Event(next.event.clone()), 1),
        };
        put_varint(&mut bytes, act.tag());
        if has_lags {
            put_varint(&mut bytes, u64::from(next.lag_ms));
        }
        put_varint(&mut bytes, next.at.0.checked_sub(latest.0).ok_or(NotBinary)?);
        act.write(&game, &mut bytes)?;
        let (taken, rest) = left.split_at(count);
        for ReplayedEntry { event, at, lag_ms, command: _ } in taken {
            bodies.push(body(event, *lag_ms)?);
            evolve_compensated(&mut game, event, *at, *lag_ms);
        }
        (latest, left) = (next.at, rest);
    }
    Ok(Content { bytes, bodies })
}

/// True if the next entries of the log contain these events, in the form in which a single append
/// writes them: all with the same stamp, and only the first with lag compensation.
fn are_next(events: &[Event], left: &[ReplayedEntry]) -> bool {
    let Some((taken, first)) = left.get(..events.len()).zip(left.first()) else { return false };
    let follows = |entry: &ReplayedEntry| entry.at == first.at && entry.lag_ms == 0;
    events.iter().zip(taken).all(|(event, entry)| *event == entry.event) && taken.iter().skip(1).all(follows)
}

pub(crate) fn decode(id: GameId, reader: &mut Reader<'_>) -> Result<Vec<StoredEntry>, DecodeError> {
    let Front { created, header, has_lags } = Front::read(reader)?;
    let body_of_header = record::encode_header(&header).map_err(|_| ENTRY)?;
    let first = StoredEntry { seq: 1, at: created, body: body_of_header };
    let (_, mut game) = replay::open(id, &first).map_err(|error| match error {
        ReplayError::Ruleset => DecodeError::Ruleset,
        ReplayError::NoHeader | ReplayError::Entry { .. } => ENTRY,
    })?;
    let count: u64 = reader.varint()?;
    let (mut seq, mut at) = (1, created);
    let mut entries = vec![first];
    while seq <= count {
        let tag = reader.varint()?;
        let mut lag_ms = if has_lags { reader.varint()? } else { 0 };
        let later = at.0.checked_add(reader.varint()?);
        at = later.map(Stamp).ok_or(DecodeError::Damaged("a stamp is too late"))?;
        let act = Act::read(tag, &game, reader)?;
        let events = act.events(&game).ok_or(DecodeError::Damaged("an act is against the rules"))?;
        for event in &events {
            let lag_ms = std::mem::take(&mut lag_ms);
            seq += 1;
            entries.push(StoredEntry { seq, at, body: body(event, lag_ms).map_err(|_| ENTRY)? });
            evolve_compensated(&mut game, event, at, lag_ms);
        }
    }
    if seq != count + 1 {
        return Err(DecodeError::Damaged("there are more events than it says"));
    }
    Ok(entries)
}
