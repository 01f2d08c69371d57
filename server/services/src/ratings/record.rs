//! The stored records of ratings.
//!
//! The job `rating_due/GAME` is written in the append that ends a rated game. One update then
//! removes the job and writes the ratings of both players, their histories and their leaderboard
//! places. It has the condition that the job and the ratings have not changed since they were
//! read.

use crate::histories::{GAMES_MAX, rating_history_key};
use crate::records::parse;
use flagfall_base::keys::{LEADERS, RATING_HISTORY, RATINGS};
use flagfall_board::{Side, Stamp};
use flagfall_protocol::{PlayerKind, RatingPoint, Speed};
use flagfall_rating::{Entrant, Rating};
use flagfall_store::{Key, StoreError};
use serde::{Deserialize, Serialize};

const DAY_MS: f64 = 24.0 * 60.0 * 60.0 * 1_000.0;
/// The maximum rating. Keys contain this limit minus the rating, so the best player of a
/// leaderboard comes first.
const VALUE_MAX: u32 = 9_999;

/// A class of games that has separate ratings: a ruleset and a speed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Class {
    pub(super) ruleset: String,
    pub(super) speed: Speed,
}

/// A player's rating in one class, as it was after their last game in this class.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RatingRecord {
    value: f64,
    deviation: f64,
    volatility: f64,
    pub(super) games: u32,
    /// The number of games in which the player had the first move, minus the number of their
    /// other games.
    pub(crate) surplus: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) last_opponent: Option<String>,
    /// The time at which the player's last game in this class ended.
    pub(super) at: u64,
}

impl RatingRecord {
    /// Reads a record. If `bytes` is `None`, returns the record of a player who has not played in
    /// this class.
    pub(super) fn read(bytes: Option<&[u8]>, now: Stamp) -> Result<RatingRecord, StoreError> {
        let Some(bytes) = bytes else { return Ok(RatingRecord::newcomer(now)) };
        parse(bytes, "a rating")
    }

    pub(crate) fn newcomer(at: Stamp) -> RatingRecord {
        let Rating { value, deviation, volatility } = Rating::START;
        RatingRecord { value, deviation, volatility, games: 0, surplus: 0, last_opponent: None, at: at.0 }
    }

    pub(super) fn rating(&self) -> Rating {
        Rating { value: self.value, deviation: self.deviation, volatility: self.volatility }
    }

    fn idle_days(&self, now: Stamp) -> f64 {
        now.0.saturating_sub(self.at) as f64 / DAY_MS
    }

    /// Returns the rating at the time `now`. It becomes less certain as time passes after the
    /// last game.
    pub(super) fn now(&self, now: Stamp) -> Rating {
        self.rating().aged(self.idle_days(now))
    }

    pub(super) fn entrant(&self, now: Stamp) -> Entrant {
        Entrant { rating: self.rating(), idle_days: self.idle_days(now) }
    }

    pub(super) fn less(&self, points: f64) -> RatingRecord {
        RatingRecord { value: (self.value - points).max(0.0), ..self.clone() }
    }

    pub(super) fn after(&self, rating: Rating, side: Side, opponent: &str, at: Stamp) -> RatingRecord {
        let step = if side == Side::Red { 1 } else { -1 };
        RatingRecord {
            value: rating.value,
            deviation: rating.deviation,
            volatility: rating.volatility,
            games: (self.games + 1).min(GAMES_MAX),
            surplus: self.surplus.saturating_add(step),
            last_opponent: Some(opponent.to_owned()),
            at: at.0.max(self.at),
        }
    }
}

pub(crate) fn point(rating: Rating) -> RatingPoint {
    RatingPoint {
        rating: rating.value.round() as u32,
        deviation: rating.deviation.round() as u32,
        provisional: rating.is_provisional(),
    }
}

pub(super) fn rating_key(player: &str, class: &Class) -> Result<Key, StoreError> {
    RATINGS.key([&player, &class.ruleset, &class.speed.name()])
}

pub(super) fn class_of(key: &Key) -> Option<Class> {
    let mut parts = RATINGS.rest(key)?.split('/').skip(1);
    let (ruleset, speed) = (parts.next()?, parts.next()?);
    Some(Class { ruleset: ruleset.to_owned(), speed: Speed::from_name(speed)? })
}

pub(super) fn history_key(player: &str, class: &Class, games: u32) -> Result<Key, StoreError> {
    rating_history_key(player, &class.ruleset, class.speed, games)
}

/// Returns the key prefix of a player's history in a class. In the order of keys, the latest game
/// comes first.
pub(super) fn history_of(player: &str, class: &Class) -> Result<Key, StoreError> {
    RATING_HISTORY.under([&player, &class.ruleset, &class.speed.name()])
}

pub(super) fn leader_key(
    kind: PlayerKind,
    class: &Class,
    record: &RatingRecord,
    player: &str,
) -> Result<Key, StoreError> {
    let place = VALUE_MAX.saturating_sub(point(record.rating()).rating);
    let Class { ruleset, speed } = class;
    LEADERS.key([&list_of(kind), ruleset, &speed.name(), &format_args!("{place:04}"), &player])
}

/// Returns the key prefix of a leaderboard. In the order of keys, the best player comes first.
pub(super) fn leaders_of(kind: PlayerKind, class: &Class) -> Result<Key, StoreError> {
    LEADERS.under([&list_of(kind), &class.ruleset, &class.speed.name()])
}

fn list_of(kind: PlayerKind) -> &'static str {
    match kind {
        PlayerKind::Bot => "bots",
        PlayerKind::Guest | PlayerKind::Account | PlayerKind::House => "players",
    }
}
