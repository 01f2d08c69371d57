//! The lists of running games.
//!
//! - `live/GAME` exists for every running game. Its value is a [`Listing`] with the game's due time
//!   and the players who were away.
//! - `seat/PLAYER/GAME` exists for every running game of a player.
//! - `flags/TIME/GAME` lists the same due times in order. A due time is never later than the fall
//!   of the flag, so no flag is missed if all due games are opened. In a game without a clock, it
//!   is not later than the end of a game in which nothing happens. Earlier versions remove such a
//!   due time, and a server of this version sets it again. A check can move a due time to
//!   a later moment, on the condition that the listing is unchanged. Plies do not change due times.
//!   The due time of a game that has ended is deleted when it comes, or by the archiver.
//! - `house/GAME` exists while a house player has to act in the game. Its value is the time at
//!   which the house player's turn began.
//! - `news/GAME` exists for games created in the last minute.
//! - `awake/GAME` is for servers of version 0.1, which keep these games in memory: all games on a
//!   live clock, and slower games while a house player has to act.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Player, Time};
use flagfall_store::{Expect, Key, Update, Write};
use serde::{Deserialize, Serialize};

use super::header::GameHeader;
use flagfall_base::keys::{AWAKE, FLAGS, HOUSE, LIVE, NEWS, SEAT, time16};

/// The record of a running game. Version 0.1 wrote no such record for games on a live clock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Listing {
    pub(super) created: Stamp,
    /// The due time: the game does not end by itself before it. `None` if an earlier version wrote
    /// the listing of a game without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) due: Option<Stamp>,
    /// The names of the people who play. They are shown if the players' records cannot be read, or
    /// have expired, because the log has no names.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) names: PerSide<String>,
    /// The players who were away when the game was put to rest.
    #[serde(flatten)]
    pub(super) absence: Absence,
}

/// The players who are away from a game. This is stored while the game rests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Absence {
    /// For each player, true if they left on purpose and have not returned.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) gone: PerSide<bool>,
    /// The time at which each player left, if absence counts against them (live clocks only).
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) left: PerSide<Option<Stamp>>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Changes to the time at which a player left are not written to the store if they are smaller
/// than this, in milliseconds. Such changes occur because servers notice at slightly different
/// times that a player has left.
const LEFT_DIFFERENCE_MS: u64 = 5_000;

impl Absence {
    /// True if both are the same except for small differences in time.
    pub(super) fn is_like(&self, other: &Absence) -> bool {
        let is_near = |side| match (self.left[side], other.left[side]) {
            (Some(one), Some(other)) => one.ms_since(other).max(other.ms_since(one)) < LEFT_DIFFERENCE_MS,
            (one, other) => one == other,
        };
        self.gone == other.gone && Side::BOTH.into_iter().all(is_near)
    }
}

impl Listing {
    /// Reads the value of `live/GAME`; `None` for the value that version 0.1 wrote for a live
    /// clock.
    pub(super) fn read(value: &[u8]) -> Option<Listing> {
        serde_json::from_slice(value).ok()
    }

    /// Returns the listing of a new game. A clock may run from the start, because both sides may
    /// deploy right away.
    fn opening(header: &GameHeader, now: Stamp) -> Listing {
        let base_ms = match header.terms.time {
            Time::Fischer { base_s, .. } | Time::Delay { base_s, .. } => u64::from(base_s) * 1_000,
            Time::Correspondence { .. } | Time::Unlimited {} => u64::MAX,
        };
        let due = Some(now.plus_ms(base_ms.min(header.deploy_ms)));
        Listing { created: now, due, names: names_of(header), absence: Absence::default() }
    }

    /// Returns the listing with a due time, if it has none. The game is then looked at within a
    /// day. The times of different games are spread over the day, because a store may have many
    /// such games.
    pub(super) fn dated(self, game: GameId, now: Stamp) -> Option<Listing> {
        const SOON_MS: u64 = 60_000;
        const SPREAD_MS: u64 = 24 * 60 * 60_000;
        let due = now.plus_ms(SOON_MS + number_of(game.as_str()) % SPREAD_MS);
        self.due.is_none().then_some(Listing { due: Some(due), ..self })
    }

    /// Adds the names that the log does not have.
    pub(super) fn fill_in(&self, players: &mut PerSide<Player>) {
        for side in Side::BOTH {
            if players[side].name.is_empty() {
                players[side].name.clone_from(&self.names[side]);
            }
        }
    }

    fn write(self, game: GameId) -> Vec<Write> {
        let value = serde_json::to_vec(&self).unwrap_or_default();
        let live = LIVE.key([&game]).ok().map(|key| Write::Put { key, value, expires: None });
        let due = self.due.and_then(|due| due_key(due, game));
        live.into_iter().chain(due.map(|key| Write::Put { key, value: Vec::new(), expires: None })).collect()
    }

    /// Replaces the game's listing, on the condition that its value is still `before`.
    pub(super) fn replace(self, game: GameId, before: Vec<u8>) -> Option<Update> {
        let due = Listing::read(&before).and_then(|before| due_key(before.due?, game));
        let mut writes: Vec<Write> = due.map(|key| Write::Delete { key }).into_iter().collect();
        writes.extend(self.write(game));
        Some(Update { conditions: vec![(LIVE.key([&game]).ok()?, Expect::Value(before))], writes })
    }
}

/// Returns the names of the people who play; empty for house players.
pub(super) fn names_of(header: &GameHeader) -> PerSide<String> {
    PerSide::from_fn(|side: Side| match header.is_house(side) {
        true => String::new(),
        false => header.players[side].name.clone(),
    })
}

pub(super) fn opening(game: GameId, header: &GameHeader, now: Stamp) -> Vec<Write> {
    let empty = |key, expires| Write::Put { key, value: Vec::new(), expires };
    let mut writes: Vec<Write> = seat_keys(game, header).map(|key| empty(key, None)).collect();
    writes.extend(Listing::opening(header, now).write(game));
    let players = PerSide::from_fn(|side: Side| header.players[side].id.as_str());
    // Serializing two ids cannot fail.
    let value = serde_json::to_vec(&players).unwrap_or_default();
    let expires = Some(now.plus_ms(NEWS_MS));
    writes.extend(NEWS.key([&game]).ok().map(|key| Write::Put { key, value, expires }));
    // The house player has to act from the start of a new game. It has to deploy, or to move if
    // the ruleset has no deployments.
    if header.has_house() {
        writes.extend(house_turn(game, header, Some(now)));
    }
    if !header.is_slow() {
        writes.extend(AWAKE.key([&game]).ok().map(|key| empty(key, None)));
    }
    writes
}

pub(super) fn index_keys(game: GameId, header: &GameHeader) -> impl Iterator<Item = Key> {
    LIVE.key([&game]).into_iter().chain(seat_keys(game, header))
}

fn seat_keys(game: GameId, header: &GameHeader) -> impl Iterator<Item = Key> {
    Side::BOTH.map(|side| SEAT.key([&header.players[side].id, &game])).into_iter().flatten()
}

/// Returns the writes that remove a game from the lists when it ends.
pub(super) fn closing(game: GameId, header: &GameHeader) -> impl Iterator<Item = Write> {
    let keys = index_keys(game, header).chain(AWAKE.key([&game]).ok());
    keys.chain(HOUSE.key([&game]).ok().filter(|_| header.has_house())).map(|key| Write::Delete { key })
}

/// Returns the writes that update the list of games in which a house player has to act. If
/// `since` is given, the game is added to the list, with `since` as the start of the house
/// player's turn. If `since` is `None`, the game is removed from the list.
pub(super) fn house_turn(game: GameId, header: &GameHeader, since: Option<Stamp>) -> Vec<Write> {
    let house = HOUSE.key([&game]).ok().map(|key| match since {
        Some(since) => Write::Put { key, value: since.0.to_string().into_bytes(), expires: None },
        None => Write::Delete { key },
    });
    // Only servers of version 0.1 read this list. A game on a live clock stays on it until the
    // game ends.
    let awake = AWAKE.key([&game]).ok().filter(|_| header.is_slow()).map(|key| match since {
        Some(_) => Write::Put { key, value: Vec::new(), expires: None },
        None => Write::Delete { key },
    });
    house.into_iter().chain(awake).collect()
}

/// Returns the time at which the house player's turn began, from the value of `house/GAME`.
pub(super) fn house_since(value: &[u8]) -> Stamp {
    Stamp(std::str::from_utf8(value).ok().and_then(|since| since.parse().ok()).unwrap_or_default())
}

/// The age up to which a new game is news for its players, in milliseconds. Players are not
/// notified of older games.
pub(super) const NEWS_MS: u64 = 60_000;

/// Returns a hash of an id. It is constant within this process.
pub(super) fn number_of(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Returns the key of a due time. Times have a fixed width, so keys sort by time.
fn due_key(due: Stamp, game: GameId) -> Option<Key> {
    FLAGS.key([&time16(due), &game]).ok()
}

#[cfg(test)]
mod tests {
    use super::super::tests::harness::header;
    use super::*;

    #[test]
    fn due_keys_sort_by_time_and_name_their_game() {
        let game = GameId::from_random([7; 12]);
        let keys = [9, 10, 1_764_000_000_000].map(|due| due_key(Stamp(due), game).unwrap());
        assert!(keys.is_sorted());
        assert_eq!(FLAGS.time_and_game(&keys[2]), Some((Stamp(1_764_000_000_000), game)));
        assert_eq!(FLAGS.time_and_game(&LIVE.key([&game]).unwrap()), None);
        assert_eq!(LIVE.game(&LIVE.key([&game]).unwrap()), Some(game));
    }

    #[test]
    fn a_new_game_is_due_when_its_first_flag_may_fall() {
        let mut header = header("classic");
        let due = |header: &GameHeader| Listing::opening(header, Stamp(5)).due.unwrap().ms_since(Stamp(5));
        assert_eq!(due(&header), 60_000, "both may deploy at once");
        header.terms.time = Time::Unlimited {};
        assert_eq!(due(&header), header.deploy_ms);
    }

    #[test]
    fn listings_are_read_as_version_0_1_wrote_them_and_the_other_way_around() {
        /// The listing that version 0.1 wrote.
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct Earlier {
            created: Stamp,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            due: Option<Stamp>,
            #[serde(default)]
            gone: PerSide<bool>,
        }
        assert_eq!(Listing::read(b""), None, "of a live clock");
        let (created, due, gone) = (Stamp(5), Some(Stamp(9)), PerSide::new(true, false));
        let absence = Absence { gone, left: PerSide::new(Some(Stamp(7)), None) };
        let names = PerSide::new("ana".to_owned(), String::new());
        let listing = Listing { created, due, names, absence };
        let value = serde_json::to_vec(&listing).unwrap();
        assert_eq!(Listing::read(&value), Some(listing));
        let earlier: Earlier = serde_json::from_slice(&value).unwrap();
        assert_eq!(earlier, Earlier { created, due, gone });
        let absence = Absence { gone, ..Absence::default() };
        let value = serde_json::to_vec(&earlier).unwrap();
        let names = PerSide::default();
        assert_eq!(Listing::read(&value), Some(Listing { created, due, names, absence }));
    }
}
