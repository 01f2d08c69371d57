//! Determines the bucket of a game or a side record.

use flagfall_board::GameId;
use xxhash_rust::xxh3::xxh3_64;

use crate::store::Topic;
use crate::value::Key;

/// Places games and side records in a number of buckets.
///
/// A game is in the bucket of its id. A record is in the bucket of its owner: the first part of its
/// key, after the name of the kind, that is not a number. So `seat/PLAYER/GAME` is in the player's
/// bucket, and `flags/TIME/GAME` in the game's, together with its log. A key without such a part is
/// its own owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    buckets: usize,
}

impl Placement {
    pub(super) fn new(buckets: usize) -> Placement {
        Placement { buckets: buckets.max(1) }
    }

    pub(super) fn buckets(self) -> usize {
        self.buckets
    }

    pub(super) fn of_game(self, game: GameId) -> usize {
        self.of_owner(game.as_str().as_bytes())
    }

    pub(super) fn of_topic(self, topic: &Topic) -> usize {
        match topic {
            Topic::Game(game) => self.of_game(*game),
            Topic::Player(id) | Topic::Server(id) => self.of_owner(id.as_bytes()),
        }
    }

    pub(super) fn of_key(self, key: &[u8]) -> usize {
        self.of_owner(parts(key).find(|part| !is_number(part)).unwrap_or(key))
    }

    /// Returns the bucket of all keys with this prefix; `None` if they may be in any bucket.
    pub(super) fn of_prefix(self, prefix: Option<&Key>) -> Option<usize> {
        let prefix = prefix?.as_bytes();
        // The last part of the prefix may be incomplete.
        let end = prefix.iter().rposition(|byte| *byte == b'/')?;
        parts(&prefix[..end]).find(|part| !is_number(part)).map(|owner| self.of_owner(owner))
    }

    fn of_owner(self, owner: &[u8]) -> usize {
        // The remainder is smaller than the number of buckets.
        usize::try_from(xxh3_64(owner) % self.buckets as u64).unwrap_or_default()
    }
}

/// Returns the parts of a key after the name of its kind.
fn parts(key: &[u8]) -> impl Iterator<Item = &[u8]> {
    key.split(|byte| *byte == b'/').skip(1)
}

/// True for a time, which has 13 to 16 digits. The id of a game may also consist of digits, but has
/// only 12 characters.
fn is_number(part: &[u8]) -> bool {
    (13..=16).contains(&part.len()) && part.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_with_their_owners() {
        let placement = Placement::new(64);
        let game = GameId::from_random([7; 12]);
        let of = |key: String| placement.of_key(key.as_bytes());
        for key in
            [format!("live/{game}"), format!("flags/0000000000000042/{game}"), format!("queue/{game}/ana")]
        {
            assert_eq!(of(key.clone()), placement.of_game(game), "{key}");
        }
        assert_eq!(of(format!("seat/ana/{game}")), of("players/ana".to_owned()));
        assert_eq!(placement.of_topic(&Topic::Player("ana".into())), of("players/ana".to_owned()));
        assert_ne!(of("players/ana".to_owned()), of("players/bo".to_owned()));
    }

    #[test]
    fn the_bucket_of_a_key_never_changes() {
        // These numbers were computed by another program. Existing stores contain data in these
        // buckets, so if this test fails, do not change the numbers.
        let placement = Placement::new(64);
        for (game, bucket) in
            [("000000000000", 27), ("0fxm529wdncz", 16), ("999999999999", 12), ("k3v9q2m7x4ab", 2)]
        {
            assert_eq!(placement.of_game(game.parse().unwrap()), bucket, "{game}");
        }
        for (key, bucket) in [
            ("archiving", 1),
            ("dead_jobs/rating_due/0fxm529wdncz", 42),
            ("ended/0001764000000000/999999999999", 12),
            ("flags/0001764000000000/0fxm529wdncz", 16),
            ("history/ana", 58),
            ("known_archive", 40),
            ("lists_whole", 44),
            ("live/0fxm529wdncz", 16),
            ("names/ana", 58),
            ("outages", 40),
            ("players/ana", 58),
            ("pool_waves/classic-blitz", 0),
            ("queue/0fxm529wdncz/ana", 16),
            ("ratings/ana/classic/rapid", 58),
            ("reports/0001764000000000-0fxm529wdncz-ana", 35),
            ("seat/ana/0fxm529wdncz", 58),
            ("servers/a1", 60),
            ("tokens/00ff", 52),
        ] {
            assert_eq!(placement.of_key(key.as_bytes()), bucket, "{key}");
        }
    }

    #[test]
    fn a_prefix_has_a_bucket_if_it_names_the_owner() {
        let placement = Placement::new(64);
        let of = |prefix: &str| placement.of_prefix(Some(&Key::new(prefix).unwrap()));
        for prefix in ["seat/ana/", "played/ana/all/", "versus/ana/bo/x"] {
            assert_eq!(of(prefix), Some(placement.of_key(b"players/ana")), "{prefix}");
        }
        for prefix in ["seat/", "seat", "seat/an", "flags/00", "flags/0000000000000042/", "b"] {
            assert_eq!(of(prefix), None, "{prefix}");
        }
        assert_eq!(placement.of_prefix(None), None);
    }
}
