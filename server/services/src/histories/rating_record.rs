//! The stored records of rating changes, in the form of version 0.1.

use flagfall_base::keys::RATING_HISTORY;
use flagfall_board::GameId;
use flagfall_protocol::{GameScore, RatingPoint, Speed};
use flagfall_store::{Key, StoreError};
use serde::{Deserialize, Serialize};

use super::line::{Change, Line};
use crate::records::parse;

/// The maximum number of a player's games. Keys contain this limit minus the number of the game,
/// so the latest entry of a history comes first.
pub(crate) const GAMES_MAX: u32 = 99_999_999;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct HistoryRecord {
    pub(crate) game: GameId,
    pub(crate) at: u64,
    pub(crate) opponent: String,
    pub(crate) score: GameScore,
    /// True if only the two players can see the game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) private: bool,
    pub(crate) before: RatingPoint,
    pub(crate) after: RatingPoint,
    /// True if an operator has undone the effect of the game on ratings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) undone: bool,
}

impl HistoryRecord {
    pub(crate) fn read(bytes: &[u8]) -> Result<HistoryRecord, StoreError> {
        parse(bytes, "a history")
    }
}

/// Returns the key of the rating change that a player's game made. `number` counts the player's
/// games in this class.
pub(crate) fn rating_history_key(
    player: &str,
    ruleset: &str,
    speed: Speed,
    number: u32,
) -> Result<Key, StoreError> {
    let left = GAMES_MAX.saturating_sub(number);
    RATING_HISTORY.key([&player, &ruleset, &speed.name(), &format_args!("{left:08}")])
}

/// Returns the number of the game from the key of a rating change.
pub(crate) fn number_of(key: &Key) -> u32 {
    let left = RATING_HISTORY.rest(key).and_then(|rest| rest.rsplit('/').next()?.parse().ok());
    GAMES_MAX.saturating_sub(left.unwrap_or_default())
}

/// Returns the record of a line's rating change, in the form of version 0.1.
pub(crate) fn entry(line: Line, change: Change) -> HistoryRecord {
    HistoryRecord {
        game: line.game,
        at: line.ended,
        opponent: line.opponent,
        score: line.score,
        private: line.private,
        before: change.before,
        after: change.after,
        undone: change.undone,
    }
}
