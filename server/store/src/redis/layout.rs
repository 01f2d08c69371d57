//! The layout of the data in Redis.
//!
//! There are two layouts. In a store on one Redis, all keys of a game contain the same hash tag,
//! and all keys of side records share another tag. In a store of several buckets, all keys of a
//! bucket share a tag. Either way, no script uses keys with two different tags, so in a cluster,
//! all keys of a script are in one slot.

use std::ops::Bound;

use flagfall_board::GameId;

use crate::encoding::record_value;
use crate::store::{Topic, Write};
use crate::value::KeyRange;

use super::address::Prefix;
use super::placement::Placement;

/// The version of the layout and of the scripts for a store on one Redis. Any change to the layout
/// requires a new number.
pub(super) const SCHEMA: u64 = 1;
/// The version of the layout and of the scripts for a store of several buckets.
const BUCKET_SCHEMA: u64 = 2;

/// The names of keys and channels.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// The beginning of the names of all topics' channels and games' keys. The id follows.
    pub(super) topics: String,
    /// The bucket with these keys; `None` for a store on one Redis.
    bucket: Option<Bucket>,
    /// The schema, as text.
    pub(super) schema: String,
    /// Hash: the schema, the epoch, and the last heartbeat.
    pub(super) meta: String,
    /// Hash: the side records by their keys. Each value contains the expiry time and the record's
    /// value.
    pub(super) values: String,
    /// Sorted set with equal scores: the keys of all side records, in byte order.
    pub(super) names: String,
    /// Sorted set: the keys of the expiring side records, ordered by expiry time.
    pub(super) expiries: String,
    /// Hash: for each game, the number of the last entry whose side records have been applied.
    pub(super) applied: String,
    /// Sorted set, by time: appends whose side records may still have to be applied. See
    /// [`pending_member`].
    pub(super) pending: String,
    /// Hash: games in quarantine, with the reason.
    pub(super) quarantined: String,
    /// Channel: announcements of all appends, for servers of version 0.1, which cannot follow
    /// single games. Each message begins with the number by which the sender is recognized. It
    /// continues with a line for each append of one call.
    pub(super) announcements: String,
    /// Channel: the retired logs. Each message is the id of a game.
    pub(super) retired: String,
    /// Channel: messages to all servers.
    pub(super) notices: String,
    /// Shard channel without receivers. A server sends a message here to check that it is allowed
    /// to send messages.
    pub(super) check: String,
    /// The keys for transactions, which change records of several buckets; empty in a store on one
    /// Redis.
    pub(super) transactions: TransactionKeys,
}

/// A bucket of a store.
#[derive(Clone, Debug)]
struct Bucket {
    placement: Placement,
    number: usize,
}

/// The keys of a bucket for transactions.
#[derive(Clone, Debug, Default)]
pub(super) struct TransactionKeys {
    /// Hash: for each locked record, the transaction that has locked it.
    pub(super) locks: String,
    /// Sorted set with equal scores: the locked records, in byte order.
    pub(super) locked: String,
    /// Hash: for each prepared transaction, its conditions and writes in this bucket.
    pub(super) intents: String,
    /// Sorted set: the prepared transactions, by time.
    pub(super) prepared: String,
    /// Hash: for each transaction with this primary bucket, the decision: `a` for aborted, or `c`
    /// for committed and the numbers of the other buckets.
    pub(super) decisions: String,
    /// Sorted set: the transactions in `decisions`, by the time of the decision.
    pub(super) decided: String,
}

impl Keys {
    pub(super) fn new(prefix: &Prefix) -> Keys {
        let prefix = prefix.as_str();
        Keys {
            announcements: format!("{prefix}:appends"),
            retired: format!("{prefix}:retired"),
            notices: format!("{prefix}:notices"),
            ..Keys::with_tag(prefix, prefix)
        }
    }

    /// Returns the keys of the bucket with this number and this hash tag.
    pub(super) fn of_bucket(prefix: &Prefix, placement: Placement, number: usize, tag: &str) -> Keys {
        let keys = Keys::with_tag(prefix.as_str(), tag);
        let topics = format!("{}:{{{tag}}}:", prefix.as_str());
        let record = |name: &str| format!("{topics}{name}");
        Keys {
            bucket: Some(Bucket { placement, number }),
            schema: format!("{BUCKET_SCHEMA} with {} buckets", placement.buckets()),
            transactions: TransactionKeys {
                locks: record("locks"),
                locked: record("locked"),
                intents: record("intents"),
                prepared: record("prepared"),
                decisions: record("decisions"),
                decided: record("decided"),
            },
            topics,
            ..keys
        }
    }

    fn with_tag(prefix: &str, tag: &str) -> Keys {
        let record = |name: &str| format!("{prefix}:{{{tag}}}:{name}");
        Keys {
            topics: format!("{prefix}:{{"),
            bucket: None,
            schema: SCHEMA.to_string(),
            transactions: TransactionKeys::default(),
            meta: record("meta"),
            values: record("values"),
            names: record("names"),
            expiries: record("expiries"),
            applied: record("applied"),
            pending: record("pending"),
            quarantined: record("quarantined"),
            announcements: record("appends"),
            retired: record("retired"),
            notices: record("notices"),
            check: record("check"),
        }
    }

    /// True for a bucket, false for a store on one Redis.
    pub(super) fn is_bucket(&self) -> bool {
        self.bucket.is_some()
    }

    /// True if the log of this game is stored under these keys, and not in another bucket.
    pub(super) fn has_game(&self, game: GameId) -> bool {
        self.bucket.as_ref().is_none_or(|bucket| bucket.placement.of_game(game) == bucket.number)
    }

    /// True if the side record with this key is stored under these keys, and not in another bucket.
    pub(super) fn has_record(&self, key: &[u8]) -> bool {
        self.bucket.as_ref().is_none_or(|bucket| bucket.placement.of_key(key) == bucket.number)
    }

    /// Returns the end of the name of a game's channel, which follows the game's id.
    pub(super) fn of_game(&self) -> String {
        format!("{}:game", self.after_id())
    }

    /// The end of the hash tag, if it is the id.
    fn after_id(&self) -> &'static str {
        if self.is_bucket() { "" } else { "}" }
    }

    /// Returns the name of a key or channel for the game or player with this id.
    fn of(&self, id: &str, what: &str) -> String {
        [&self.topics, id, self.after_id(), ":", what].concat()
    }

    /// Returns the game to which a key or channel with this ending belongs.
    fn game_of(&self, name: &[u8], what: &str) -> Option<GameId> {
        let rest = std::str::from_utf8(name.strip_prefix(self.topics.as_bytes())?).ok()?;
        rest.strip_suffix(what)?.strip_suffix(':')?.strip_suffix(self.after_id())?.parse().ok()
    }

    /// Shard channel: announcements of appends to a game, and messages about a topic. The name
    /// contains the hash tag of the game's keys, so the script that appends to the game can also
    /// announce the append. A message begins with the letter `t`. An announcement begins with the
    /// letter `a`; see [`listener`](super::listener).
    pub(super) fn channel(&self, topic: &Topic) -> String {
        match topic {
            Topic::Game(game) => self.of(game.as_str(), "game"),
            Topic::Player(player) => self.of(player, "player"),
            Topic::Server(server) => self.of(server, "server"),
        }
    }

    /// Returns the game to which this channel belongs. `None` if it is not the channel of a game.
    pub(super) fn game_of_channel(&self, channel: &[u8]) -> Option<GameId> {
        self.game_of(channel, "game")
    }

    /// Stream: the entries of a game, with their numbers as ids. The field `e` contains stamp,
    /// hash and body. If an append has side records, its last entry also has a field `w` that
    /// contains them; see [`intent`].
    pub(super) fn log(&self, game: GameId) -> String {
        self.of(game.as_str(), "log")
    }

    /// String: the packed log of a finished game; see [`super::packing`].
    pub(super) fn packed(&self, game: GameId) -> String {
        self.of(game.as_str(), "packed")
    }

    /// String that expires: the guard of a retired log.
    pub(super) fn guard(&self, game: GameId) -> String {
        self.of(game.as_str(), "guard")
    }

    /// String: why a game is in quarantine.
    pub(super) fn quarantine(&self, game: GameId) -> String {
        self.of(game.as_str(), "quarantine")
    }

    /// Returns the keys of the scripts that remove a log.
    pub(super) fn of_log(&self, game: GameId) -> [String; 4] {
        [self.log(game), self.packed(game), self.quarantine(game), self.guard(game)]
    }

    /// A pattern that matches all logs, and few other keys; see [`Keys::game_of_log`].
    pub(super) fn log_pattern(&self) -> String {
        self.of("*", "log")
    }

    /// Returns the game whose log has this key.
    pub(super) fn game_of_log(&self, key: &[u8]) -> Option<GameId> {
        self.game_of(key, "log")
    }
}

/// Returns the member of the set `Keys::pending` for this append.
pub(super) fn pending_member(game: GameId, seq: u64) -> String {
    format!("{game} {seq}")
}

pub(super) fn parse_pending_member(member: &[u8]) -> Option<(GameId, u64)> {
    let (game, seq) = std::str::from_utf8(member).ok()?.split_once(' ')?;
    Some((game.parse().ok()?, seq.parse().ok()?))
}

/// A write as arguments of a script: kind, key, expiry, value.
pub(super) type WriteArguments = [Vec<u8>; 4];

pub(super) fn write_arguments(writes: &[Write]) -> Vec<WriteArguments> {
    let arguments = |write: &Write| match write {
        Write::Put { key, value, expires } => {
            let score = expires.map(|stamp| stamp.0.to_string()).unwrap_or_default();
            [b"P".to_vec(), key.as_bytes().to_vec(), score.into_bytes(), record_value(value, *expires)]
        }
        Write::Delete { key } => [b"D".to_vec(), key.as_bytes().to_vec(), Vec::new(), Vec::new()],
    };
    writes.iter().map(arguments).collect()
}

/// Encodes the side records of an append, to be stored in the append's last entry. Each argument
/// is preceded by its length. Empty if there are no side records.
pub(super) fn intent(writes: &[WriteArguments]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for argument in writes.iter().flatten() {
        // This cannot overflow, because the store's limits allow at most a little more than 64
        // KiB.
        bytes.extend_from_slice(&u32::try_from(argument.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(argument);
    }
    bytes
}

pub(super) fn parse_intent(mut bytes: &[u8]) -> Option<Vec<WriteArguments>> {
    let mut writes = Vec::new();
    loop {
        let mut take = || take_piece(&mut bytes).map(<[u8]>::to_vec);
        writes.push([take()?, take()?, take()?, take()?]);
        if bytes.is_empty() {
            return Some(writes);
        }
    }
}

/// Removes and returns the first chunk of the bytes. Each chunk is preceded by its length.
pub(super) fn take_piece<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (piece, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    *bytes = rest;
    Some(piece)
}

/// Returns the lower and the upper bound for a scan of the names in this range.
pub(super) fn scan_bounds(range: &KeyRange<'_>) -> (Vec<u8>, Vec<u8>) {
    let bound = |bound: Bound<&[u8]>| match bound {
        Bound::Included(key) => [b"[", key].concat(),
        Bound::Excluded(key) => [b"(", key].concat(),
        Bound::Unbounded => b"+".to_vec(),
    };
    let (from, to) = range.bounds();
    (bound(from), bound(to))
}

#[cfg(test)]
mod tests {
    use flagfall_board::Stamp;

    use super::*;
    use crate::value::Key;

    fn key(text: &str) -> Key {
        Key::new(text).unwrap()
    }

    #[test]
    fn what_is_written_reads_back() {
        let game = GameId::from_random([7; 12]);
        let keys = Keys::new(&"arena".parse().unwrap());
        assert_eq!(keys.game_of_log(keys.log(game).as_bytes()), Some(game));
        assert_eq!(keys.game_of_log(keys.quarantine(game).as_bytes()), None);
        let channel = |topic| keys.channel(&topic);
        assert_eq!(keys.game_of_channel(channel(Topic::Game(game)).as_bytes()), Some(game));
        assert_eq!(keys.game_of_channel(channel(Topic::Player(game.as_str().into())).as_bytes()), None);
        assert_eq!(parse_pending_member(pending_member(game, 9).as_bytes()), Some((game, 9)));
        let writes = write_arguments(&[
            Write::Put { key: key("a/1"), value: b"v\0".to_vec(), expires: Some(Stamp(5)) },
            Write::Put { key: key("b"), value: Vec::new(), expires: None },
            Write::Delete { key: key("c") },
        ]);
        assert_eq!(parse_intent(&intent(&writes)), Some(writes));
        assert_eq!((parse_intent(b""), parse_intent(&[9, 0, 0, 0, 1])), (None, None));
    }

    #[test]
    fn keys_of_a_game_share_a_slot_and_so_do_those_of_the_records() {
        let tag = |key: &str| key.split(['{', '}']).nth(1).map(str::to_owned);
        let keys = Keys::new(&"arena".parse().unwrap());
        let game = GameId::from_random([7; 12]);
        let channel = keys.channel(&Topic::Game(game));
        for key in [keys.log(game), keys.packed(game), keys.guard(game), keys.quarantine(game), channel] {
            assert_eq!(tag(&key), Some(game.to_string()), "{key}");
        }
        for key in [&keys.meta, &keys.values, &keys.names, &keys.expiries, &keys.applied, &keys.pending] {
            assert_eq!(tag(key).as_deref(), Some("arena"), "{key}");
        }
    }

    #[test]
    fn all_keys_of_a_bucket_share_a_slot() {
        let game = GameId::from_random([7; 12]);
        let placement = Placement::new(4);
        let of_bucket = |number| Keys::of_bucket(&"arena".parse().unwrap(), placement, number, "b01-2");
        let number = placement.of_game(game);
        let keys = of_bucket(number);
        let is_there =
            |keys: &Keys| (keys.has_game(game), keys.has_record(format!("live/{game}").as_bytes()));
        assert_eq!((is_there(&keys), is_there(&of_bucket(3 - number))), ((true, true), (false, false)));
        assert_eq!(keys.game_of_log(keys.log(game).as_bytes()), Some(game));
        assert_eq!(keys.game_of_log(keys.guard(game).as_bytes()), None);
        let channel = keys.channel(&Topic::Game(game));
        assert_eq!(keys.game_of_channel(channel.as_bytes()), Some(game));
        assert_eq!(channel, format!("{}{game}{}", keys.topics, keys.of_game()));
        let all = [&keys.meta, &keys.values, &keys.pending, &keys.notices, &keys.retired, &keys.check];
        let transactions = &keys.transactions;
        let all = all.into_iter().chain([&transactions.locks, &transactions.decided]).cloned();
        for key in all.chain([keys.log(game), keys.quarantine(game), channel]) {
            assert!(key.starts_with("arena:{b01-2}:"), "{key}");
        }
    }

    #[test]
    fn a_scan_ends_behind_its_prefix() {
        let (prefix, after) = (key("a/"), key("a/x"));
        let bounds = |prefix, after| scan_bounds(&KeyRange::new(prefix, after).unwrap());
        assert_eq!(bounds(Some(&prefix), None), (b"[a/".to_vec(), b"(a0".to_vec()));
        assert_eq!(bounds(Some(&prefix), Some(&after)), (b"(a/x".to_vec(), b"(a0".to_vec()));
        assert_eq!(bounds(None, None), (b"[".to_vec(), b"+".to_vec()));
    }
}
