//! Parses the answers of the scripts in Redis.

use flagfall_board::Stamp;
use redis::Value;

use super::layout::{WriteArguments, parse_intent, take_piece};
use super::request_error::{RequestError, checked, parsed};
use crate::encoding::{parse_entry, parse_head};
use crate::store::{Outage, RetireOutcome, UpdateOutcome};
use crate::value::Head;

/// The result of an append in Redis.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Appended {
    Ok(Stamp),
    Conflict(Head),
    Late(Stamp),
    Early(Stamp),
    /// The game is in quarantine. The field is the reason.
    Quarantined(String),
    /// The log is damaged. The field is the number of the damaged entry.
    Damaged(String),
    /// The log's key contains a value of another type.
    WrongType,
    /// Redis was silent for so long that there may have been an outage.
    Silence,
}

/// The answer to a heartbeat.
pub(super) struct Beat {
    pub(super) at: Stamp,
    /// The outages that this process may not know yet, oldest first.
    pub(super) outages: Vec<Outage>,
}

pub(super) fn strange() -> RequestError {
    RequestError::InDoubt("a script in Redis gave an unexpected answer".to_owned())
}

fn text(bytes: &[u8]) -> Result<String, RequestError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| strange())
}

/// Requests that were added to a pipeline together: either appends that share one call, or a single
/// request of another kind.
pub(super) struct Sent {
    /// The number of commands in the pipeline. Only the answer to the last command is used.
    pub(super) commands: usize,
    /// The number of appends; `None` for a request that is not an append.
    pub(super) appends: Option<usize>,
}

/// Returns the answers in order, one for each append or other request.
pub(super) fn of_each(sent: Vec<Sent>, answers: Vec<Value>) -> impl Iterator<Item = Value> {
    let mut answers = answers.into_iter();
    sent.into_iter().flat_map(move |Sent { commands, appends }| {
        let answer = answers.by_ref().take(commands).last().unwrap_or(Value::Nil);
        match appends {
            Some(count) => each(answer, count),
            None => vec![answer],
        }
    })
}

/// Splits the answer to one call into the answers to the appends in that call.
fn each(answer: Value, count: usize) -> Vec<Value> {
    let Value::BulkString(text) = answer else { return vec![answer; count] };
    let mut left = text.as_slice();
    let mut next = || take_piece(&mut left).map_or(Value::Nil, |said| Value::BulkString(said.to_vec()));
    (0..count).map(|_| next()).collect()
}

/// Parses the result of one append.
pub(super) fn appended(answer: Value) -> Result<Appended, RequestError> {
    let said: Vec<u8> = parsed(answer)?;
    let moment = |bytes: &[u8]| Ok(Stamp(u64::from_le_bytes(bytes.try_into().map_err(|_| strange())?)));
    Ok(match said.as_slice() {
        [b'o', at @ ..] => Appended::Ok(moment(at)?),
        [b'e', at @ ..] => Appended::Early(moment(at)?),
        [b'l', at @ ..] => Appended::Late(moment(at)?),
        [b'c', head @ ..] => Appended::Conflict(parse_head(head).ok_or_else(strange)?),
        [b'w'] => Appended::WrongType,
        [b's'] => Appended::Silence,
        [b'q', reason @ ..] => Appended::Quarantined(text(reason)?),
        [b'd', id @ ..] => Appended::Damaged(text(id)?.split('-').next().unwrap_or_default().to_owned()),
        [b'x', error @ ..] => return Err(RequestError::of_words(&text(error)?)),
        _ => return Err(strange()),
    })
}

/// Parses a script's answer that consists of a word and numbers.
fn words(answer: Value) -> Result<(String, Vec<u64>), RequestError> {
    let words: Vec<String> = parsed(answer)?;
    let (word, numbers) = words.split_first().ok_or_else(strange)?;
    let numbers = numbers.iter().map(|number| number.parse::<u64>()).collect::<Result<_, _>>();
    Ok((word.clone(), numbers.map_err(|_| strange())?))
}

pub(super) fn updated(answer: Value) -> Result<(UpdateOutcome, Stamp), RequestError> {
    let (word, numbers) = words(answer)?;
    match (word.as_str(), &numbers[..]) {
        ("ok", [at]) => Ok((UpdateOutcome::Ok, Stamp(*at))),
        ("conflict", [at]) => Ok((UpdateOutcome::Conflict, Stamp(*at))),
        _ => Err(strange()),
    }
}

/// Parses the answer to the script that applies the side records of an append. Returns the numbers
/// of earlier appends to the game that may be unfinished, in order. If there are any, no records
/// were applied.
pub(super) fn applied(answer: Value) -> Result<Vec<u64>, RequestError> {
    let (word, mut earlier) = words(answer)?;
    earlier.sort_unstable();
    match word.as_str() {
        "ok" | "earlier" => Ok(earlier),
        _ => Err(strange()),
    }
}

pub(super) fn beat(answer: Value) -> Result<Beat, RequestError> {
    let (word, numbers) = words(answer)?;
    match (word.as_str(), &numbers[..]) {
        ("ok", [at, outages @ ..]) => {
            let (outages, rest) = outages.as_chunks();
            let outage = |[since, until]: &[u64; 2]| Outage { since: Stamp(*since), until: Stamp(*until) };
            let outages = outages.iter().map(outage).collect();
            if rest.is_empty() { Ok(Beat { at: Stamp(*at), outages }) } else { Err(strange()) }
        }
        ("emptied", []) => Err(RequestError::Emptied),
        _ => Err(strange()),
    }
}

pub(super) fn retired(answer: Value) -> Result<RetireOutcome, RequestError> {
    match words(answer)?.0.as_str() {
        "retired" => Ok(RetireOutcome::Ok),
        "other" => Ok(RetireOutcome::Conflict),
        "quarantined" => Ok(RetireOutcome::Quarantined),
        _ => Err(strange()),
    }
}

/// Returns the number in a script's answer.
pub(super) fn number(answer: Value) -> Result<u64, RequestError> {
    let (word, numbers) = words(answer)?;
    match (word.as_str(), &numbers[..]) {
        ("ok", [number]) => Ok(*number),
        _ => Err(strange()),
    }
}

/// An entry of a stream.
pub(super) struct StreamEntry {
    pub(super) seq: u64,
    /// Stamp, hash, body.
    pub(super) value: Vec<u8>,
    /// The side records of an append, if this entry is the last one of that append.
    pub(super) writes: Vec<WriteArguments>,
}

/// Parses the entries of a stream. Returns `None` if they do not have the form that this store
/// writes.
pub(super) fn stream(value: Value) -> Result<Option<Vec<StreamEntry>>, RequestError> {
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

/// Returns the head of a log from the answer to `XREVRANGE`, without checking the hash. `None` if
/// the last entry is damaged.
pub(super) fn head(value: Value) -> Option<Head> {
    match stream(value).ok()??.first() {
        None => Some(Head::START),
        Some(entry) => entry.head(),
    }
}

impl StreamEntry {
    /// Returns the head after this entry. Takes the hash from the entry without checking it.
    pub(super) fn head(&self) -> Option<Head> {
        parse_entry(&self.value).map(|(_, hash, _)| Head { seq: self.seq, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Hash;

    fn said(all: &[&[u8]]) -> Value {
        let one = |said: &&[u8]| [&(said.len() as u32).to_le_bytes()[..], said].concat();
        Value::BulkString(all.iter().flat_map(one).collect())
    }

    fn all_appended(answer: Value, count: usize) -> Vec<Result<Appended, RequestError>> {
        each(answer, count).into_iter().map(appended).collect()
    }

    #[test]
    fn each_append_of_a_call_gets_its_own_answer() {
        let at = 5_u64.to_le_bytes();
        let ok = [b"o", &at[..]].concat();
        let conflict = [b"c", &at[..], &[7; 32]].concat();
        let found = all_appended(said(&[&ok, &conflict, b"s", b"qwhy", b"d12-0", b"xOOM too much"]), 6);
        let head = Head { seq: 5, hash: Hash([7; 32]) };
        assert_eq!(found[..2], [Ok(Appended::Ok(Stamp(5))), Ok(Appended::Conflict(head))]);
        assert_eq!(found[2], Ok(Appended::Silence));
        assert_eq!(found[3], Ok(Appended::Quarantined("why".to_owned())));
        assert_eq!(found[4], Ok(Appended::Damaged("12".to_owned())));
        assert!(matches!(&found[5], Err(RequestError::NotDone(why)) if why.contains("memory")));
    }

    #[test]
    fn an_append_without_an_answer_is_unknown() {
        let at = 5_u64.to_le_bytes();
        let ok = [b"o", &at[..]].concat();
        let found = all_appended(said(&[&ok]), 2);
        assert!(found[0].is_ok() && matches!(found[1], Err(RequestError::InDoubt(_))));
        let found = all_appended(said(&[&ok[..4], b"?"]), 2);
        assert!(found.iter().all(|one| matches!(one, Err(RequestError::InDoubt(_)))), "{found:?}");
        assert_eq!(all_appended(Value::Nil, 2).len(), 2);
    }
}
