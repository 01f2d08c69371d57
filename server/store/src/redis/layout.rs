//! The layout of the data in Redis.
//!
//! All keys of a game contain the same hash tag, and all keys of side records share another tag.
//! No script uses keys with two different tags. So in a cluster, all keys of a script would be in
//! one slot.

use std::ops::Bound;

use flagfall_board::GameId;

use crate::encoding::record_value;
use crate::store::{Topic, Write};
use crate::value::KeyRange;

use super::address::Prefix;

/// The version of the layout and of the scripts. Any change to the layout requires a new number.
pub(super) const SCHEMA: u64 = 1;

/// The names of keys and channels.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    prefix: String,
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
    /// Channel: announcements of all appends, for servers that follow no games. It is used only
    /// while there may be such servers. Each message contains the number by which the sender is
    /// recognized, and a line for each append of one call, or for a log that was retired.
    pub(super) announcements: String,
    /// Channel: announcements for servers that do not even listen to
    /// [`announcements`](Self::announcements). Each message has one line, for one append. If
    /// there are no such servers, only the last append of each call is announced here.
    pub(super) single_announcements: String,
    /// Channel: the retired logs. Each message is the id of a game.
    pub(super) retired: String,
    /// Channel: messages to all servers.
    pub(super) notices: String,
    /// Shard channel: nothing. A server checks here that it may send messages.
    pub(super) check: String,
}

/// What follows the game's id in the name of the channel of a game.
pub(super) const OF_GAME: &str = "}:game";
/// What follows the player's id in the name of the channel of a player.
const OF_PLAYER: &str = "}:player";
/// What follows the server's id in the name of the channel of a server.
const OF_SERVER: &str = "}:server";

impl Keys {
    pub(super) fn new(prefix: &Prefix) -> Keys {
        let prefix = prefix.as_str();
        let record = |name: &str| format!("{prefix}:{{{prefix}}}:{name}");
        Keys {
            prefix: prefix.to_owned(),
            meta: record("meta"),
            values: record("values"),
            names: record("names"),
            expiries: record("expiries"),
            applied: record("applied"),
            pending: record("pending"),
            quarantined: record("quarantined"),
            announcements: format!("{prefix}:appends"),
            single_announcements: format!("{prefix}:appended"),
            retired: format!("{prefix}:retired"),
            notices: format!("{prefix}:notices"),
            check: record("check"),
        }
    }

    /// The beginning of the name of each channel of a topic. The id of the topic follows.
    pub(super) fn topics(&self) -> String {
        format!("{}:{{", self.prefix)
    }

    /// Shard channel: announcements of appends to a game, or messages about a topic. A script can
    /// announce an append of the game, because the name contains the hash tag of the game's keys.
    /// Each message is an [`announcement`](super::listener), or the letter `t` and a message.
    pub(super) fn channel(&self, topic: &Topic) -> String {
        match topic {
            Topic::Game(game) => format!("{}{game}{OF_GAME}", self.topics()),
            Topic::Player(player) => format!("{}{player}{OF_PLAYER}", self.topics()),
            Topic::Server(server) => format!("{}{server}{OF_SERVER}", self.topics()),
        }
    }

    /// Returns the game that has this channel.
    pub(super) fn game_of_channel(&self, channel: &[u8]) -> Option<GameId> {
        let rest = channel.strip_prefix(self.prefix.as_bytes())?.strip_prefix(b":{")?;
        std::str::from_utf8(rest.strip_suffix(OF_GAME.as_bytes())?).ok()?.parse().ok()
    }

    /// Stream: the entries of a game, with their numbers as ids. The field `e` contains stamp,
    /// hash and body. If an append has side records, its last entry also has a field `w` that
    /// contains them; see [`intent`].
    pub(super) fn log(&self, game: GameId) -> String {
        format!("{}:{{{game}}}:log", self.prefix)
    }

    /// String: the packed log of a finished game; see [`super::packing`].
    pub(super) fn packed(&self, game: GameId) -> String {
        format!("{}:{{{game}}}:packed", self.prefix)
    }

    /// String that expires: the guard of a retired log.
    pub(super) fn guard(&self, game: GameId) -> String {
        format!("{}:{{{game}}}:guard", self.prefix)
    }

    /// String: why a game is in quarantine.
    pub(super) fn quarantine(&self, game: GameId) -> String {
        format!("{}:{{{game}}}:quarantine", self.prefix)
    }

    /// A pattern that matches all logs, and few other keys; see [`Keys::game_of_log`].
    pub(super) fn log_pattern(&self) -> String {
        format!("{}:{{*}}:log", self.prefix)
    }

    /// Returns the game whose log has this key.
    pub(super) fn game_of_log(&self, key: &[u8]) -> Option<GameId> {
        let rest = key.strip_prefix(self.prefix.as_bytes())?.strip_prefix(b":{")?;
        std::str::from_utf8(rest.strip_suffix(b"}:log")?).ok()?.parse().ok()
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
    fn a_scan_ends_behind_its_prefix() {
        let (prefix, after) = (key("a/"), key("a/x"));
        let bounds = |prefix, after| scan_bounds(&KeyRange::new(prefix, after).unwrap());
        assert_eq!(bounds(Some(&prefix), None), (b"[a/".to_vec(), b"(a0".to_vec()));
        assert_eq!(bounds(Some(&prefix), Some(&after)), (b"(a/x".to_vec(), b"(a0".to_vec()));
        assert_eq!(bounds(None, None), (b"[".to_vec(), b"+".to_vec()));
    }
}
