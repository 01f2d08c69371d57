//! The advantage of the first move in each ruleset, from the results of its rated games.
//!
//! The update that rates a game also counts its result. If all results of a ruleset were in one
//! record, the updates of games that end at the same time would fail and be repeated again and
//! again. So there are several records, and the last letter of a game's id tells which one counts
//! the game.

use std::collections::HashMap;
use std::time::Duration;

use flagfall_base::keys::{FIRST_MOVE, FIRST_MOVES};
use flagfall_base::scan::Scan;
use flagfall_base::transact::expect;
use flagfall_board::{GameId, Side};
use flagfall_store::{FullRecord, Key, Store, StoreError, Update};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::records::{bytes, parse, put};

/// The number of rated games that a ruleset must have before the advantage of the first move is
/// used.
const GAMES_MIN: u32 = 1_000;
/// The largest advantage of the first move, in rating points.
const POINTS_MAX: f64 = 100.0;
/// The time for which an advantage is used after it was computed. It changes slowly.
const KEPT: Duration = Duration::from_secs(60);

/// The advantages that were computed lately, by ruleset, and the times at which their records were
/// read.
#[derive(Default)]
pub(super) struct FirstMoves(Mutex<HashMap<String, (Instant, i32)>>);

impl FirstMoves {
    /// Returns the advantage in whole rating points.
    pub(super) async fn points(&self, store: &dyn Store, ruleset: &str) -> Result<i32, StoreError> {
        let kept = self.0.lock().get(ruleset).copied();
        if let Some((_, points)) = kept.filter(|(read, _)| read.elapsed() < KEPT) {
            return Ok(points);
        }
        let read = Instant::now();
        let points = read_all(store, ruleset).await?.0.points();
        self.0.lock().insert(ruleset.to_owned(), (read, points));
        Ok(points)
    }
}

/// Adds a write to `update` that counts this game.
pub(super) async fn count(
    store: &dyn Store,
    ruleset: &str,
    game: GameId,
    winner: Option<Side>,
    update: &mut Update,
) -> Result<(), StoreError> {
    let id = game.as_str();
    let key = FIRST_MOVES.key([&ruleset, &&id[id.len() - 1..]])?;
    let value = store.get(key.clone()).await?;
    let mut record = read_record(value.as_deref())?;
    record.count(winner);
    update.conditions.push((key.clone(), expect(value)));
    update.writes.push(put(key, &record, None)?);
    Ok(())
}

/// Returns the results of all games of a ruleset, and the first key with results that version 0.1
/// does not read.
async fn read_all(store: &dyn Store, ruleset: &str) -> Result<(FirstMoveRecord, Option<Key>), StoreError> {
    // Version 0.1 counts all games of a ruleset in this record.
    let mut all = read_record(store.get(FIRST_MOVE.key([&ruleset])?).await?.as_deref())?;
    let newer = Scan::all(store, FIRST_MOVES.under([&ruleset])?).await?;
    for (_, value) in &newer {
        all.add(read_record(Some(value))?);
    }
    Ok((all, newer.into_iter().next().map(|(key, _)| key)))
}

/// Converts a record with results of first moves to the form of version 0.1, which has one record
/// for each ruleset. Returns `None` if `key` is that of another record.
///
/// # Errors
/// [`StoreError`] if the results cannot be read.
pub async fn in_older_form(store: &dyn Store, key: &Key) -> Result<Option<Vec<FullRecord>>, StoreError> {
    let ruleset =
        FIRST_MOVE.rest(key).or(FIRST_MOVES.rest(key).and_then(|rest| Some(rest.split_once('/')?.0)));
    let Some(ruleset) = ruleset else { return Ok(None) };
    let (all, first) = read_all(store, ruleset).await?;
    // The whole count takes the place of one record: the first newer one, if there is any.
    let is_whole = first.is_none_or(|first| first == *key);
    let record = (FIRST_MOVE.key([&ruleset])?, bytes(&all)?, None);
    Ok(Some(is_whole.then_some(record).into_iter().collect()))
}

fn read_record(value: Option<&[u8]>) -> Result<FirstMoveRecord, StoreError> {
    value.map_or(Ok(FirstMoveRecord::default()), |value| parse(value, "the value of the first move"))
}

/// The results of a ruleset's rated games, as wins and losses of the player with the first move.
/// Pairing gives each player the first move in about half of their games, so differences in
/// strength cancel out over many games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct FirstMoveRecord {
    won: u32,
    drawn: u32,
    lost: u32,
}

impl FirstMoveRecord {
    /// Adds a game to the count. Red has the first move.
    fn count(&mut self, winner: Option<Side>) {
        let counter = match winner {
            Some(Side::Red) => &mut self.won,
            None => &mut self.drawn,
            Some(Side::Blue) => &mut self.lost,
        };
        *counter = counter.saturating_add(1);
    }

    fn add(&mut self, other: FirstMoveRecord) {
        self.won = self.won.saturating_add(other.won);
        self.drawn = self.drawn.saturating_add(other.drawn);
        self.lost = self.lost.saturating_add(other.lost);
    }

    fn games(self) -> u32 {
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// Returns the advantage in whole rating points. It is 0 if there are too few games, or if
    /// the results could be due to chance.
    fn points(self) -> i32 {
        let games = f64::from(self.games());
        if self.games() < GAMES_MIN {
            return 0;
        }
        // A draw counts as half a win. One win is added for each side, so the share of wins is
        // never exactly 0 or 1.
        let share = (f64::from(self.won) + f64::from(self.drawn) / 2.0 + 1.0) / (games + 2.0);
        let error = (share * (1.0 - share) / games).sqrt();
        if (share - 0.5).abs() < 2.0 * error {
            return 0;
        }
        let points = 400.0 * (share / (1.0 - share)).log10();
        points.clamp(-POINTS_MAX, POINTS_MAX).round() as i32
    }
}

#[cfg(test)]
mod tests {
    use flagfall_store::{MemoryStore, SystemClock, UpdateOutcome};

    use super::*;

    #[test]
    fn the_first_moves_advantage_follows_from_recorded_games() {
        let worth = |won, drawn, lost| FirstMoveRecord { won, drawn, lost }.points();
        assert_eq!(worth(999, 0, 0), 0, "too few games");
        assert_eq!(worth(505, 0, 495), 0, "this can be chance");
        assert_eq!(worth(5_500, 0, 4_500), 35);
        assert_eq!(worth(4_500, 0, 5_500), -35);
        assert_eq!(worth(5_000, 1_000, 4_000), 35, "a draw is half a game for each");
        assert_eq!(worth(10_000, 0, 0), 100, "the advantage is capped");
    }

    #[tokio::test(start_paused = true)]
    async fn all_records_of_a_ruleset_count_and_games_rarely_share_one() {
        let store = MemoryStore::new(SystemClock);
        let old = FirstMoveRecord { won: 600, drawn: 0, lost: 398 };
        let (conditions, writes) =
            (Vec::new(), vec![put(FIRST_MOVE.key([&"pbm"]).unwrap(), &old, None).unwrap()]);
        assert_eq!(store.update(Update { conditions, writes }).await.unwrap(), UpdateOutcome::Ok);
        let moves = FirstMoves::default();
        assert_eq!(moves.points(&store, "pbm").await.unwrap(), 0, "998 games");
        let mut updates = Vec::new();
        for id in ["00000000000a", "00000000000b"] {
            let mut update = Update::default();
            count(&store, "pbm", id.parse().unwrap(), Some(Side::Red), &mut update).await.unwrap();
            updates.push(update);
        }
        for update in updates {
            let outcome = store.update(update).await.unwrap();
            assert_eq!(outcome, UpdateOutcome::Ok, "both were read before the first was written");
        }
        assert_eq!(moves.points(&store, "pbm").await.unwrap(), 0, "the advantage is kept for a minute");
        tokio::time::advance(KEPT).await;
        assert_eq!(moves.points(&store, "pbm").await.unwrap(), 72, "602 of 1,000 games");
        assert_eq!(moves.points(&store, "classic").await.unwrap(), 0);

        // Version 0.1 gets one record with all of them.
        let mut exported = Vec::new();
        for prefix in [FIRST_MOVE.all().unwrap(), FIRST_MOVES.all().unwrap()] {
            for (key, _) in Scan::all(&store, prefix).await.unwrap() {
                exported.extend(in_older_form(&store, &key).await.unwrap().unwrap());
            }
        }
        let whole = FirstMoveRecord { won: 602, ..old };
        assert_eq!(exported, [(FIRST_MOVE.key([&"pbm"]).unwrap(), bytes(&whole).unwrap(), None)]);
    }
}
