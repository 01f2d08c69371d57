//! Slots of a Redis Cluster: the slot of a key, and the master of a slot.

use parking_lot::Mutex;
use redis::Value;

use super::request_error::{RequestError, checked};

/// The number of slots of a Redis Cluster.
const SLOTS: usize = 16_384;

/// Returns the slot of the keys with this hash tag.
pub(super) fn slot_of(tag: &str) -> u16 {
    crc16(tag.as_bytes()) % 16_384
}

/// The checksum from which Redis Cluster computes slots (CRC-16/XMODEM).
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, byte| {
        let sum = sum ^ (u16::from(*byte) << 8);
        (0..8).fold(sum, |sum, _| if sum & 0x8000 == 0 { sum << 1 } else { (sum << 1) ^ 0x1021 })
    })
}

/// Returns the hash tags of the buckets. Their slots are spread evenly, so that masters with
/// equally many slots have equally many buckets. The tags never change, because keys contain
/// them.
pub(super) fn tags(buckets: usize) -> Vec<String> {
    let share = |number: usize| number * SLOTS / buckets;
    let tag = |number: usize| {
        let is_inside =
            |tag: &String| (share(number)..share(number + 1)).contains(&usize::from(slot_of(tag)));
        // There are far more suffixes than slots, so one of them fits.
        (0_u32..).map(|suffix| format!("b{number:03}-{suffix}")).find(is_inside).unwrap_or_default()
    };
    (0..buckets).map(tag).collect()
}

/// The known nodes of a cluster.
#[derive(Debug)]
pub(super) struct Nodes {
    /// The nodes that the address names.
    seeds: Vec<(String, u16)>,
    /// The masters, according to the last answer of a node.
    masters: Mutex<Vec<(String, u16)>>,
}

impl Nodes {
    pub(super) fn new(seeds: Vec<(String, u16)>) -> Nodes {
        Nodes { seeds, masters: Mutex::default() }
    }

    /// Returns the nodes in the order in which to ask them. The last known masters come first.
    pub(super) fn all(&self) -> Vec<(String, u16)> {
        let mut nodes = self.masters.lock().clone();
        nodes.extend(self.seeds.iter().cloned());
        nodes
    }

    /// Processes a node's answer to `CLUSTER SLOTS`. Returns the master that has a slot.
    pub(super) fn learn(
        &self,
        node: &(String, u16),
        answer: Result<Value, RequestError>,
        slot: u16,
    ) -> Result<(String, u16), RequestError> {
        let answer = answer.and_then(checked).map_err(|error| {
            // Next time, the other nodes are asked first.
            self.masters.lock().retain(|master| master != node);
            RequestError::not_done(format!("{}:{}: {error}", node.0, node.1))
        })?;
        let ranges = ranges(&answer, &node.0);
        let owner = ranges.iter().find(|range| (range.first..=range.last).contains(&slot));
        let owner = owner.map(|range| range.master.clone());
        let owner =
            owner.ok_or_else(|| RequestError::not_done("the Redis Cluster has no master for a slot"))?;
        let mut masters: Vec<_> = ranges.into_iter().map(|range| range.master).collect();
        masters.sort_unstable();
        masters.dedup();
        *self.masters.lock() = masters;
        Ok(owner)
    }
}

/// A range of slots, and their master.
#[derive(PartialEq, Eq, Debug)]
struct Range {
    first: u16,
    last: u16,
    master: (String, u16),
}

/// Parses the answer to `CLUSTER SLOTS`. A node that does not know its own name leaves it out. In
/// that case, it gets the name under which it was asked. Entries that cannot be parsed are left
/// out.
fn ranges(answer: &Value, asked: &str) -> Vec<Range> {
    let Value::Array(rows) = answer else { return Vec::new() };
    let number = |value: &Value| match value {
        Value::Int(number) => u16::try_from(*number).ok(),
        _ => None,
    };
    let range = |row: &Value| {
        let Value::Array(row) = row else { return None };
        let [first, last, Value::Array(master), ..] = &row[..] else { return None };
        let [host, port, ..] = &master[..] else { return None };
        let host = match host {
            Value::BulkString(host) if !host.is_empty() => std::str::from_utf8(host).ok()?,
            Value::SimpleString(host) if !host.is_empty() => host,
            _ => asked,
        };
        Some(Range { first: number(first)?, last: number(last)?, master: (host.to_owned(), number(port)?) })
    };
    rows.iter().filter_map(range).collect()
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    #[test]
    fn slots_are_those_of_redis() {
        // The first value is the standard test value of the checksum. The others are answers of
        // `CLUSTER KEYSLOT`.
        assert_eq!(crc16(b"123456789"), 0x31c3);
        assert_eq!((slot_of("foo"), slot_of("bar"), slot_of("")), (12_182, 5_061, 0));
    }

    #[test]
    fn buckets_are_spread_evenly_and_their_tags_stay_the_same() {
        for buckets in [1, 4, 64, 256] {
            let tags = tags(buckets);
            for (number, tag) in tags.iter().enumerate() {
                assert_eq!(usize::from(slot_of(tag)) * buckets / SLOTS, number, "{tag}");
            }
        }
        // These values were computed by another program. Existing stores contain keys with these
        // tags, so if this test fails, do not change the values.
        let tags = tags(64);
        assert_eq!([0, 1, 31, 63].map(|bucket| &*tags[bucket]), ["b000-68", "b001-8", "b031-42", "b063-168"]);
        assert_eq!(xxh3_64(tags.join(" ").as_bytes()), 0x9749_61a9_eaee_4247);
    }

    fn row(first: i64, last: i64, host: &str, port: i64) -> Value {
        let node = Value::Array(vec![Value::BulkString(host.into()), Value::Int(port)]);
        Value::Array(vec![Value::Int(first), Value::Int(last), node])
    }

    #[test]
    fn a_node_that_answers_names_the_master() {
        let [a, b, c] = [("a", 1), ("b", 2), ("c", 3)].map(|(host, port)| (host.to_owned(), port));
        let nodes = Nodes::new(vec![a.clone(), b.clone()]);
        assert_eq!(nodes.all(), [a.clone(), b.clone()]);
        let answer = || Ok(Value::Array(vec![row(0, 99, "c", 3), row(100, 16_383, "", 2)]));
        assert_eq!(nodes.learn(&b, answer(), 99), Ok(c.clone()));
        assert_eq!(nodes.learn(&b, answer(), 100), Ok(b.clone()), "it left its own name out");
        assert_eq!(nodes.all(), [b.clone(), c.clone(), a.clone(), b.clone()]);
        let away = nodes.learn(&b, Err(RequestError::not_done("away")), 99).unwrap_err().to_string();
        assert_eq!(away, "b:2: away");
        assert_eq!(nodes.all()[0], c, "it is not asked first any more");
        let gap = Ok(Value::Array(vec![row(0, 99, "c", 3)]));
        assert!(nodes.learn(&c, gap, 100).unwrap_err().to_string().contains("no master"));
    }
}
