//! Parsing of the answers that scripts in Redis give.

use flagfall_board::Stamp;
use redis::Value;

use super::fault::{Fault, checked, parsed};
use super::layout::{WriteArguments, parse_intent};
use crate::encoding::parse_entry;
use crate::store::{Outage, UpdateOutcome};
use crate::value::{Hash, Head};

/// The result of an append in Redis.
#[derive(PartialEq, Eq, Debug)]
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
    /// The key of the log holds a value of another type.
    WrongType,
    /// Redis was silent for so long that there may have been an outage.
    Silence,
}

/// The answer to a heartbeat.
pub(super) struct Beat {
    pub(super) at: Stamp,
    /// The latest outage; zeros if there was none.
    pub(super) outage: Outage,
}

pub(super) fn strange() -> Fault {
    Fault::InDoubt("a script in Redis gave an unexpected answer".to_owned())
}

/// The parts of an answer.
fn words(value: Value) -> Result<Vec<Vec<u8>>, Fault> {
    parsed(value)
}

fn text(bytes: &[u8]) -> Result<String, Fault> {
    String::from_utf8(bytes.to_vec()).map_err(|_| strange())
}

fn decimal(bytes: &[u8]) -> Result<u64, Fault> {
    text(bytes)?.parse().map_err(|_| strange())
}

/// The result of each append of a call. Always returns `count` results.
pub(super) fn appended(value: Value, count: usize) -> Vec<Result<Appended, Fault>> {
    let text: Vec<u8> = match parsed(value) {
        Ok(text) => text,
        Err(fault) => return (0..count).map(|_| Err(fault.clone())).collect(),
    };
    let mut left = text.as_slice();
    let mut next = || {
        let (length, rest) = left.split_first_chunk::<4>()?;
        let (said, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        left = rest;
        Some(said)
    };
    (0..count).map(|_| appended_one(next().ok_or_else(strange)?)).collect()
}

fn appended_one(said: &[u8]) -> Result<Appended, Fault> {
    let moment = |bytes: &[u8]| Ok(Stamp(u64::from_le_bytes(bytes.try_into().map_err(|_| strange())?)));
    Ok(match said {
        [b'o', at @ ..] => Appended::Ok { at: moment(at)? },
        [b'e', at @ ..] => Appended::Early { at: moment(at)? },
        [b'l', at @ ..] => Appended::Late { at: moment(at)? },
        [b'c', head @ ..] => {
            let (seq, hash) = head.split_first_chunk::<8>().ok_or_else(strange)?;
            let hash = Hash(hash.try_into().map_err(|_| strange())?);
            Appended::Conflict { head: Head { seq: u64::from_le_bytes(*seq), hash } }
        }
        [b'w'] => Appended::WrongType,
        [b's'] => Appended::Silence,
        [b'q', reason @ ..] => Appended::Quarantined { reason: text(reason)? },
        [b'd', id @ ..] => {
            Appended::Damaged { entry: text(id)?.split('-').next().unwrap_or_default().to_owned() }
        }
        [b'x', error @ ..] => return Err(Fault::of_words(&text(error)?)),
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
        [b"emptied"] => Err(Fault::Emptied),
        _ => Err(strange()),
    }
}

/// True if the log is packed, by this call or before.
pub(super) fn packed(value: Value) -> Result<bool, Fault> {
    let words = words(value)?;
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    match words[..] {
        [b"packed"] => Ok(true),
        [b"other"] => Ok(false),
        _ => Err(strange()),
    }
}

/// The number in a script's answer.
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

/// The entries of a stream. `None` if they are not entries that this store writes.
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

/// Where a log stands, by its last entry as `XREVRANGE` returns it, unchecked. `None` if that entry
/// is damaged.
pub(super) fn head(value: Value) -> Option<Head> {
    match stream(value).ok()??.first() {
        None => Some(Head::START),
        Some(entry) => entry.head(),
    }
}

impl StreamEntry {
    /// Where the log stands after it, by the hash it carries, unchecked.
    pub(super) fn head(&self) -> Option<Head> {
        parse_entry(&self.value).map(|(_, hash, _)| Head { seq: self.seq, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(all: &[&[u8]]) -> Value {
        let one = |said: &&[u8]| [&(said.len() as u32).to_le_bytes()[..], said].concat();
        Value::BulkString(all.iter().flat_map(one).collect())
    }

    #[test]
    fn each_append_of_a_call_gets_its_own_answer() {
        let at = 5_u64.to_le_bytes();
        let ok = [b"o", &at[..]].concat();
        let conflict = [b"c", &at[..], &[7; 32]].concat();
        let found = appended(said(&[&ok, &conflict, b"s", b"qwhy", b"d12-0", b"xOOM too much"]), 6);
        let head = Head { seq: 5, hash: Hash([7; 32]) };
        assert_eq!(found[..2], [Ok(Appended::Ok { at: Stamp(5) }), Ok(Appended::Conflict { head })]);
        assert_eq!(found[2], Ok(Appended::Silence));
        assert_eq!(found[3], Ok(Appended::Quarantined { reason: "why".to_owned() }));
        assert_eq!(found[4], Ok(Appended::Damaged { entry: "12".to_owned() }));
        assert!(matches!(&found[5], Err(Fault::NotDone(why)) if why.contains("memory")));
    }

    #[test]
    fn an_append_without_an_answer_is_unknown() {
        let at = 5_u64.to_le_bytes();
        let ok = [b"o", &at[..]].concat();
        let found = appended(said(&[&ok]), 2);
        assert!(found[0].is_ok() && matches!(found[1], Err(Fault::InDoubt(_))));
        let found = appended(said(&[&ok[..4], b"?"]), 2);
        assert!(found.iter().all(|one| matches!(one, Err(Fault::InDoubt(_)))), "{found:?}");
        assert_eq!(appended(Value::Nil, 2).len(), 2);
    }
}
