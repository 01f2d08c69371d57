//! The list of running games: `live/GAME`, and `seat/PLAYER/GAME` for each of its players.
//!
//! A game with days per move, or without a clock, may leave memory. Its place in the list says so, and by when somebody has to look at it; `flags/TIME/GAME` says the
//! same in the order of time, so whoever looks after games at rest reads what is due and nothing else. That moment is never after the flag. Whoever looks moves it on, by one update on
//! the condition that the list still has it: a ply writes nothing, and the end takes the game out of the list and leaves the rest to whoever looks next.
//!
//! `awake/GAME` names the games that have to be in memory: those on a clock, and slow ones whose house player is to act. Whoever starts, or compares what he has with the store, reads
//! those, and none of the games at rest.

use flagfall_board::{GameId, PerSide, Stamp};
use flagfall_store::{Expect, Key, Update, Write};
use serde::{Deserialize, Serialize};

use super::commit::index_keys;
use super::header::GameHeader;

/// What the list says of a game that may leave memory; of all others it says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Listing {
    /// When the game was made.
    pub(super) created: Stamp,
    /// When it is to be looked at: no flag falls before. Never, where time is unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) due: Option<Stamp>,
    /// Who had gone on purpose, and not come back, when the last server put the game to rest.
    #[serde(default, skip_serializing_if = "is_nobody")]
    pub(super) gone: PerSide<bool>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_nobody(gone: &PerSide<bool>) -> bool {
    *gone == PerSide::default()
}

impl Listing {
    /// What the list says; nothing of a game that stays in memory.
    pub(super) fn read(value: &[u8]) -> Option<Listing> {
        serde_json::from_slice(value).ok()
    }

    /// A game of this header that is made now; nothing for one that stays in memory.
    fn opening(header: &GameHeader, now: Stamp) -> Option<Listing> {
        header.is_slow().then(|| Listing {
            created: now,
            due: Some(now.plus_ms(header.deploy_ms)),
            gone: PerSide::default(),
        })
    }

    fn write(self, game: GameId) -> Vec<Write> {
        let value = serde_json::to_vec(&self).unwrap_or_default();
        let live = live_key(game).map(|key| Write::Put { key, value, expires: None });
        let due = self.due.and_then(|due| due_key(due, game));
        live.into_iter().chain(due.map(|key| Write::Put { key, value: Vec::new(), expires: None })).collect()
    }

    /// The change of what the list says of a game, if it says `before` still.
    pub(super) fn replace(self, game: GameId, before: Vec<u8>) -> Option<Update> {
        let due = Listing::read(&before).and_then(|before| due_key(before.due?, game));
        let mut writes: Vec<Write> = due.map(|key| Write::Delete { key }).into_iter().collect();
        writes.extend(self.write(game));
        Some(Update { conditions: vec![(live_key(game)?, Expect::Value(before))], writes })
    }
}

/// Puts a game that is made now into the list.
pub(super) fn opening(game: GameId, header: &GameHeader, now: Stamp) -> Vec<Write> {
    let empty = |key, expires| Write::Put { key, value: Vec::new(), expires };
    let mut writes: Vec<Write> = index_keys(game, header).map(|key| empty(key, None)).collect();
    if let Some(listing) = Listing::opening(header, now) {
        writes.extend(listing.write(game));
        writes.extend(news_key(game).map(|key| empty(key, Some(now.plus_ms(NEWS_MS)))));
    }
    // A house player deploys first of all, and where there is nothing to deploy it may be his turn.
    if !header.is_slow() || header.has_house() {
        writes.extend(awake_key(game).map(|key| empty(key, None)));
    }
    writes
}

/// Has a slow game whose house player is to act, or not any more, in memory until it has acted.
pub(super) fn house_turn(game: GameId, is_awaited: bool) -> Option<Write> {
    let key = awake_key(game)?;
    Some(if is_awaited {
        Write::Put { key, value: Vec::new(), expires: None }
    } else {
        Write::Delete { key }
    })
}

/// What all places in the list begin with.
pub(super) const LIVE: &str = "live/";
/// What the keys of all games begin with that have to be in memory.
pub(super) const AWAKE: &str = "awake/";
/// What the keys of all slow games begin with that were made a moment ago.
pub(super) const NEWS: &str = "news/";
/// How new a game is at most of which its players are told, in milliseconds.
pub(super) const NEWS_MS: u64 = 60_000;
/// What the keys of all dues begin with.
pub(super) const FLAGS: &str = "flags/";

pub(super) fn live_key(game: GameId) -> Option<Key> {
    Key::new(format!("{LIVE}{game}")).ok()
}

pub(super) fn awake_key(game: GameId) -> Option<Key> {
    Key::new(format!("{AWAKE}{game}")).ok()
}

fn news_key(game: GameId) -> Option<Key> {
    Key::new(format!("{NEWS}{game}")).ok()
}

/// Moments have one width, so that keys stand in the order of time.
fn due_key(due: Stamp, game: GameId) -> Option<Key> {
    Key::new(format!("{FLAGS}{:016}/{game}", due.0)).ok()
}

/// The game a key of one of the lists is of.
pub(super) fn game_of(key: &Key) -> Option<GameId> {
    let (list, game) = std::str::from_utf8(key.as_bytes()).ok()?.split_once('/')?;
    ["live", "awake", "news"].contains(&list).then(|| game.parse().ok())?
}

/// When which game is due.
pub(super) fn due_of(key: &Key) -> Option<(Stamp, GameId)> {
    let (due, game) = std::str::from_utf8(key.as_bytes()).ok()?.strip_prefix(FLAGS)?.split_once('/')?;
    Some((Stamp(due.parse().ok()?), game.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::harness::header;
    use super::*;

    #[test]
    fn dues_stand_in_the_order_of_time_and_say_of_which_game_they_are() {
        let game = GameId::from_random([7; 12]);
        let keys = [9, 10, 1_764_000_000_000].map(|due| due_key(Stamp(due), game).unwrap());
        assert!(keys.is_sorted());
        assert_eq!(due_of(&keys[2]), Some((Stamp(1_764_000_000_000), game)));
        assert_eq!(due_of(&live_key(game).unwrap()), None);
        assert_eq!(game_of(&live_key(game).unwrap()), Some(game));
    }

    #[test]
    fn the_list_says_nothing_of_games_that_stay_in_memory() {
        assert_eq!(Listing::opening(&header("classic"), Stamp(5)), None);
        assert_eq!(Listing::read(b""), None);
        let mut slow = header("classic");
        slow.terms.time = flagfall_protocol::Time::Unlimited {};
        let listing = Listing::opening(&slow, Stamp(5)).unwrap();
        assert_eq!(listing.due, Some(Stamp(5).plus_ms(slow.deploy_ms)));
        assert_eq!(Listing::read(&serde_json::to_vec(&listing).unwrap()), Some(listing));
    }
}
