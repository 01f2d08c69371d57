//! What the scripts answer.

use flagfall_board::Stamp;
use redis::Value;

use super::layout::{WriteArguments, parse_intent};
use super::link::{EMPTIED, Fault, checked, parsed};
use crate::encoding::parse_entry;
use crate::store::{Outage, UpdateOutcome};
use crate::value::{Hash, Head};

/// What became of an append in Redis.
pub(super) enum Appended {
    Ok {
        at: Stamp,
    },
    Conflict {
        head: Head,
    },
    Late {
        at: Stamp,
    },
    Early {
        at: Stamp,
    },
    Quarantined {
        reason: String,
    },
    Damaged {
        entry: String,
    },
    /// Nothing was heard of Redis for so long that no clock may have run.
    Silence,
}

/// The answer to a heartbeat.
pub(super) struct Beat {
    pub(super) at: Stamp,
    /// The latest time without any server, or nothing but zeros.
    pub(super) outage: Outage,
}

fn strange() -> Fault {
    Fault::InDoubt("a script in Redis gave an answer nobody expected".to_owned())
}

/// The words of an answer.
fn words(value: Value) -> Result<Vec<Vec<u8>>, Fault> {
    parsed(value)
}

fn text(bytes: &[u8]) -> Result<String, Fault> {
    String::from_utf8(bytes.to_vec()).map_err(|_| strange())
}

fn decimal(bytes: &[u8]) -> Result<u64, Fault> {
    text(bytes)?.parse().map_err(|_| strange())
}

pub(super) fn appended(value: Value) -> Result<Appended, Fault> {
    let words = words(value)?;
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    Ok(match words[..] {
        [b"ok", at] => Appended::Ok { at: Stamp(decimal(at)?) },
        [b"early", at] => Appended::Early { at: Stamp(decimal(at)?) },
        [b"late", at] => Appended::Late { at: Stamp(decimal(at)?) },
        [b"conflict", seq, hash] => {
            let hash = Hash(hash.try_into().map_err(|_| strange())?);
            Appended::Conflict { head: Head { seq: decimal(seq)?, hash } }
        }
        [b"silence", _] => Appended::Silence,
        [b"quarantined", reason] => Appended::Quarantined { reason: text(reason)? },
        [b"damaged", id] => {
            let id = text(id)?;
            Appended::Damaged { entry: id.split('-').next().unwrap_or_default().to_owned() }
        }
        _ => return Err(strange()),
    })
}

pub(super) fn updated(value: Value) -> Result<(UpdateOutcome, Stamp), Fault> {
    let words = words(value)?;
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    match words[..] {
        [b"ok", at] => Ok((UpdateOutcome::Ok, Stamp(decimal(at)?))),
        [b"conflict", at] => Ok((UpdateOutcome::Conflict, Stamp(decimal(at)?))),
        _ => Err(strange()),
    }
}

pub(super) fn beat(value: Value) -> Result<Beat, Fault> {
    let words = words(value)?;
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    match words[..] {
        [b"ok", at, since, until] => {
            let outage = Outage { since: Stamp(decimal(since)?), until: Stamp(decimal(until)?) };
            Ok(Beat { at: Stamp(decimal(at)?), outage })
        }
        [b"emptied"] => Err(Fault::not_done(EMPTIED)),
        _ => Err(strange()),
    }
}

/// Whether a log was packed, now or before.
pub(super) fn packed(value: Value) -> Result<bool, Fault> {
    let words = words(value)?;
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    match words[..] {
        [b"packed"] => Ok(true),
        [b"other"] => Ok(false),
        _ => Err(strange()),
    }
}

/// The number that a script answers with.
pub(super) fn number(value: Value) -> Result<u64, Fault> {
    let words = words(value)?;
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    match words[..] {
        [b"ok", number] => decimal(number),
        _ => Err(strange()),
    }
}

/// An entry of a stream.
pub(super) struct StreamEntry {
    pub(super) seq: u64,
    /// Stamp, hash, body.
    pub(super) value: Vec<u8>,
    /// The side records that go with it.
    pub(super) writes: Vec<WriteArguments>,
}

/// The entries of a stream. None when they are not of our making.
pub(super) fn stream(value: Value) -> Result<Option<Vec<StreamEntry>>, Fault> {
    let entries: Vec<(String, Vec<Vec<u8>>)> = match checked(value)? {
        Value::Nil => Vec::new(),
        value => match parsed(value) {
            Ok(entries) => entries,
            Err(_) => return Ok(None),
        },
    };
    let entry = |(id, fields): (String, Vec<Vec<u8>>)| {
        let seq = id.strip_suffix("-0")?.parse().ok()?;
        let mut fields = fields.into_iter();
        let (_, value) = (fields.next()?, fields.next()?);
        let writes = match fields.nth(1) {
            Some(intent) => parse_intent(&intent)?,
            None => Vec::new(),
        };
        Some(StreamEntry { seq, value, writes })
    };
    Ok(entries.into_iter().map(entry).collect())
}

/// Where a log stands, by its last entry as `XREVRANGE` gives it, unchecked. None when that is damaged.
pub(super) fn head(value: Value) -> Option<Head> {
    match stream(value).ok()??.first() {
        None => Some(Head::START),
        Some(entry) => entry.head(),
    }
}

impl StreamEntry {
    /// Where the log stands after it, by its own words.
    pub(super) fn head(&self) -> Option<Head> {
        parse_entry(&self.value).map(|(_, hash, _)| Head { seq: self.seq, hash })
    }
}
