//! The terms of a game.

use flagfall_rules::{Ruleset, TimeControl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The terms of a game. Both players must agree on them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The ruleset's id. The id of a custom game also lists its changes, as in
    /// `classic,ties=attacker,quiet=off`.
    pub ruleset: String,
    /// The time control.
    pub time: Time,
    /// True if only the two players can see the game.
    #[serde(default)]
    pub private: bool,
    /// True if the player who makes the offer wants their deployment and the full record to stay
    /// private after the game.
    #[serde(default)]
    pub secret: bool,
    /// True if the game changes the players' ratings. A rated game needs two accounts or two
    /// bots, a clock, and an unchanged ruleset.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub rated: bool,
}

impl Terms {
    /// Returns the terms of a casual, public game in which nothing stays secret after the end.
    pub fn casual(ruleset: &Ruleset, time: Time) -> Terms {
        Terms { ruleset: ruleset.id.to_owned(), time, private: false, secret: false, rated: false }
    }
}

/// The number of milliseconds in a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The time control of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Time {
    /// No clock.
    Unlimited {},
    /// A base time, plus an increment for each of the player's turns.
    Fischer {
        /// The base time in seconds, 10 to 86,400.
        base_s: u32,
        /// The increment in seconds, 0 to 3,600.
        increment_s: u32,
    },
    /// A base time with a delay: the first seconds of every turn do not count. Unused free
    /// seconds are lost.
    Delay {
        /// The base time in seconds, 10 to 86,400.
        base_s: u32,
        /// The number of free seconds in each turn, 1 to 3,600.
        free_s: u32,
    },
    /// A fixed number of days for the deployment and for each turn.
    Correspondence {
        /// The number of days, 1 to 14.
        days: u32,
    },
}

impl From<Time> for TimeControl {
    fn from(time: Time) -> TimeControl {
        match time {
            Time::Unlimited {} => TimeControl::Unlimited,
            Time::Fischer { base_s, increment_s } => TimeControl::Fischer {
                base_ms: u64::from(base_s) * 1000,
                increment_ms: u64::from(increment_s) * 1000,
            },
            Time::Delay { base_s, free_s } => {
                TimeControl::Delay { base_ms: u64::from(base_s) * 1000, free_ms: u64::from(free_s) * 1000 }
            }
            Time::Correspondence { days } => TimeControl::PerPly { ply_ms: u64::from(days) * DAY_MS },
        }
    }
}

impl Time {
    /// The permitted base times, in seconds.
    pub const BASE_S: std::ops::RangeInclusive<u32> = 10..=86_400;
    /// The permitted increments, in seconds.
    pub const INCREMENT_S: std::ops::RangeInclusive<u32> = 0..=3_600;
    /// The permitted free times of a turn, in seconds.
    pub const FREE_S: std::ops::RangeInclusive<u32> = 1..=3_600;
    /// The permitted numbers of days for each turn.
    pub const DAYS: std::ops::RangeInclusive<u32> = 1..=14;

    /// True if all values of the time control are permitted.
    pub fn is_allowed(&self) -> bool {
        match self {
            Time::Unlimited {} => true,
            Time::Fischer { base_s, increment_s } => {
                Time::BASE_S.contains(base_s) && Time::INCREMENT_S.contains(increment_s)
            }
            Time::Delay { base_s, free_s } => Time::BASE_S.contains(base_s) && Time::FREE_S.contains(free_s),
            Time::Correspondence { days } => Time::DAYS.contains(days),
        }
    }

    /// True if the clock allows days per ply, or time is unlimited.
    pub fn is_slow(&self) -> bool {
        match self {
            Time::Unlimited {} | Time::Correspondence { .. } => true,
            Time::Fischer { .. } | Time::Delay { .. } => false,
        }
    }

    /// True if the server compensates for network delay. This is the case if the clocks count
    /// seconds, not days.
    pub fn gives_lag_back(&self) -> bool {
        !self.is_slow()
    }

    /// Returns the time for the deployment in milliseconds. In correspondence games, players have
    /// as much time for the deployment as for a turn. In other games, the result is
    /// `otherwise_ms`.
    pub fn deploy_ms(&self, otherwise_ms: u64) -> u64 {
        match self {
            Time::Correspondence { days } => u64::from(*days) * DAY_MS,
            Time::Unlimited {} | Time::Fischer { .. } | Time::Delay { .. } => otherwise_ms,
        }
    }
}
