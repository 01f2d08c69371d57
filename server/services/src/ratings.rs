//! Ratings. Each rated game changes them exactly once.
//!
//! The append that ends a rated game also writes a job (`rating_due/GAME`), so even after a
//! crash, each rated game has its job. One update does the job and writes all records of the
//! rating, on the condition that the job still exists. So only one update succeeds, even if
//! several servers try. After a crash, either the job still exists or it is done. If a job comes
//! back, the game's own records show that it is done.

mod first_move;
mod known;
mod listed;
mod record;
mod undo;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{
    Leaderboard, LeaderboardEntry, Player, PlayerKind, RatedGame, RatingChange, RatingHistory, RatingInfo,
    RatingPoint, ServerToClient, Speed,
};
use flagfall_rating::{Rating, Score, rate};
use flagfall_rules::{EndReason, Ruleset};
use flagfall_store::{Expect, Store, StoreError, SystemClock, Update, WallClock, Write};
use metrics::counter;
use parking_lot::Mutex;
use tokio::time::Instant;

use self::first_move::FirstMoves;
pub use self::first_move::in_older_form as first_moves_in_older_form;
use self::known::Known;
use self::record::{Class, class_of, history_key, history_of, leader_key, leaders_of, rating_key};
pub(crate) use self::record::{RatingRecord, point};
use crate::histories::{HistoryRecord, Lines, entry, line_of, number_of, score_of};
use crate::players::is_closed;
use crate::records::{damaged, find, put};
use flagfall_base::delivery::Connections;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::names::player_shown;
use flagfall_base::scan::Scan;
use flagfall_base::telemetry as names;
use flagfall_base::transact::{Transaction, delete, delete_all, expect};
use flagfall_game::{Finished, RATED_PLIES_MIN, TableError, Tables};

pub use self::undo::{UndoError, rated_games, undo};
use flagfall_base::keys::{GONE, LEADERS, RATED, RATING_DUE, RATING_HISTORY, RATINGS};

const HISTORY_MAX: usize = 200;
const PLACES_MAX: usize = 100;
/// The maximum number of records that are read to fill the places of a leaderboard.
const LEADERS_READ_MAX: usize = 4_096;
/// The time for which a leaderboard is cached. If a game on this server changes the leaderboard,
/// it is read again sooner.
const BOARD_KEPT: Duration = Duration::from_secs(5);

/// Cached leaderboards, with the times at which they were read. The `bool` in the key is true for
/// leaderboards of bots.
type Boards = HashMap<(Class, bool), (Instant, Leaderboard)>;

#[derive(Clone)]
pub struct Ratings {
    store: Arc<dyn Store>,
    tables: Tables,
    connections: Connections,
    ignores_first_move: bool,
    boards: Arc<Mutex<Boards>>,
    known: Arc<Mutex<Known>>,
    first_moves: Arc<FirstMoves>,
    lines: Lines,
}

/// True if games of this ruleset can be rated. Games of custom rulesets cannot.
pub(crate) fn has_class(ruleset: &str) -> bool {
    Ruleset::find(ruleset).is_some_and(|ruleset| ruleset.changes().next().is_none())
}

/// Returns why a game with these terms and players cannot be rated, for use in a refusal. `None`
/// if the game can be rated.
pub fn why_unrated(
    ruleset: &str,
    time: flagfall_protocol::Time,
    kinds: [PlayerKind; 2],
) -> Option<&'static str> {
    if !has_class(ruleset) {
        Some("custom_rules")
    } else if Speed::of(time).is_none() {
        Some("no_clock")
    } else {
        match kinds {
            [PlayerKind::House, _] | [_, PlayerKind::House] => Some("house_player"),
            [PlayerKind::Account, PlayerKind::Account] | [PlayerKind::Bot, PlayerKind::Bot] => None,
            [PlayerKind::Account, PlayerKind::Bot] | [PlayerKind::Bot, PlayerKind::Account] => {
                Some("bots_and_people")
            }
            _ => Some("guest"),
        }
    }
}

impl Ratings {
    pub fn new(
        store: Arc<dyn Store>,
        tables: Tables,
        connections: Connections,
        ignores_first_move: bool,
    ) -> Ratings {
        Ratings {
            lines: Lines::new(store.clone()),
            store,
            tables,
            connections,
            ignores_first_move,
            boards: Arc::default(),
            known: Arc::default(),
            first_moves: Arc::default(),
        }
    }

    /// Rates this game immediately, if the store has a rating job for it.
    pub async fn rate_now(&self, game: GameId) -> Result<(), JobError> {
        match Claimed::now(&self.store, RATING_DUE.key([&game])?).await? {
            Some(job) => self.do_job(&job).await,
            None => Ok(()),
        }
    }

    pub(crate) async fn do_job(&self, job: &Claimed) -> Result<(), JobError> {
        let game = job.subject()?;
        let mut transaction = Transaction::new(&*self.store, "the ratings of these players");
        loop {
            let mut update = job.finish();
            let outcome = match self.counted(game).await? {
                Some((speed, finished)) if !self.is_rated(game, &finished).await? => {
                    Some(self.rate(game, speed, &finished, &mut update).await?)
                }
                Some(_) | None => None,
            };
            if transaction.commit(update).await? {
                self.tell(game, outcome.as_ref()).await;
                tracing::debug!(%game, ?outcome, "a rating job is done");
                return Ok(());
            }
            // A failed commit can mean three things: another game of these players was rated
            // first, another server has done the job, or this update was written after all.
            if !job.is_held().await? {
                return Ok(());
            }
        }
    }

    /// Returns the game and its speed if the game counts: it is rated, was not aborted, and had
    /// enough plies.
    async fn counted(&self, game: GameId) -> Result<Option<(Speed, Finished)>, JobError> {
        let Some(finished) = self.tables.finished(game).await? else {
            return Err(damaged("the game is not over").into());
        };
        let Finished { terms, players, reason, plies, .. } = &finished;
        let kinds = [players.red.kind, players.blue.kind];
        let is_counted = terms.rated
            && *reason != EndReason::Aborted
            && *plies >= RATED_PLIES_MIN
            && why_unrated(&terms.ruleset, terms.time, kinds).is_none();
        Ok(Speed::of(terms.time).filter(|_| is_counted).map(|speed| (speed, finished)))
    }

    /// True if the game was rated before. A job may come back: a server may give back side records
    /// that Redis has not lost, or Redis may be set back to a backup.
    pub(crate) async fn is_rated(&self, game: GameId, finished: &Finished) -> Result<bool, StoreError> {
        // Read the record before the lines: it is deleted only when a line has the change.
        if self.store.get(RATED.key([&game])?).await?.is_some() {
            return Ok(true);
        }
        for side in Side::BOTH {
            let line = line_of(&*self.store, &finished.players[side].id, game, finished.ended.0).await?;
            if line.is_some_and(|line| line.change.is_some()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) async fn rate(
        &self,
        game: GameId,
        speed: Speed,
        finished: &Finished,
        update: &mut Update,
    ) -> Result<RatingChange, StoreError> {
        let Finished { terms, players, winner, ended, .. } = finished;
        let (class, ended) = (&Class { ruleset: terms.ruleset.clone(), speed }, *ended);
        let mut before = Vec::with_capacity(2);
        // A player who deleted their account has no rating and must not get a new one.
        let mut is_gone = PerSide::default();
        for side in Side::BOTH {
            let gone = GONE.key([&players[side].id])?;
            is_gone[side] = self.store.get(gone.clone()).await?.is_some();
            if !is_gone[side] {
                update.conditions.push((gone, Expect::Absent));
            }
            let key = rating_key(&players[side].id, class)?;
            let value = self.store.get(key.clone()).await?;
            before.push(RatingRecord::read(value.as_deref(), ended)?);
            update.conditions.push((key, expect(value)));
        }
        let before = PerSide::new(before.remove(0), before.remove(0));
        let score = match winner {
            Some(Side::Red) => Score::Win,
            Some(Side::Blue) => Score::Loss,
            None => Score::Draw,
        };
        let first_move = if self.ignores_first_move {
            0
        } else {
            self.first_moves.points(&*self.store, &class.ruleset).await?
        };
        first_move::count(&*self.store, &class.ruleset, game, *winner, update).await?;
        let advantage = f64::from(first_move);
        let (red, blue) = rate(before.red.entrant(ended), before.blue.entrant(ended), score, advantage);
        let rated = PerSide::new(red, blue);
        let change = RatingChange {
            game,
            ruleset: class.ruleset.clone(),
            speed: class.speed,
            first_move,
            before: PerSide::from_fn(|side: Side| point(before[side].now(ended))),
            after: PerSide::from_fn(|side: Side| point(rated[side])),
        };
        for side in Side::BOTH.into_iter().filter(|side| !is_gone[*side]) {
            let (player, opponent) = (&players[side], &players[side.opponent()].id);
            let after = before[side].after(rated[side], side, opponent, ended);
            let history = HistoryRecord {
                game,
                at: ended.0,
                opponent: opponent.clone(),
                score: score_of(*winner, side),
                private: terms.private,
                before: change.before[side],
                after: change.after[side],
                undone: false,
            };
            update.writes.push(put(history_key(&player.id, class, after.games)?, &history, None)?);
            update.writes.extend(replace(player, class, &before[side], &after)?);
        }
        update.conditions.push((RATED.key([&game])?, Expect::Absent));
        update.writes.push(put(RATED.key([&game])?, &change, None)?);
        Ok(change)
    }

    async fn tell(&self, game: GameId, change: Option<&RatingChange>) {
        let result = if change.is_some() { "rated" } else { "not_counted" };
        counter!(names::RATED_GAMES, "result" => result).increment(1);
        let Some(change) = change else { return };
        let is_other = |class: &Class| class.ruleset != change.ruleset || class.speed != change.speed;
        self.boards.lock().retain(|(class, _), _| is_other(class));
        let Ok(Some(finished)) = self.tables.finished(game).await else { return };
        let players = Side::BOTH.map(|side| finished.players[side].id.as_str());
        let rated = ServerToClient::Rated { change: change.clone() };
        self.tables.peers().notify(&self.connections, &players, &rated).await;
    }

    /// Returns the changes that a game made to its players' ratings; `None` if it made none. Some
    /// time after a game was archived, only its players' histories contain the changes.
    pub async fn change(&self, game: GameId) -> Result<Option<RatingChange>, StoreError> {
        match find(&*self.store, RATED.key([&game])?, "a change").await? {
            Some((change, _)) => Ok(Some(change)),
            None => match self.tables.finished(game).await {
                Ok(Some(finished)) if finished.terms.rated => change_of(&*self.store, game, &finished).await,
                Ok(_) | Err(TableError::NotFound | TableError::Quarantined | TableError::TooNew) => Ok(None),
                Err(error @ (TableError::Unavailable | TableError::Failed)) => {
                    Err(StoreError::Unavailable { why: error.to_string() })
                }
            },
        }
    }

    pub async fn of_player(&self, player: &str) -> Result<Vec<RatingInfo>, StoreError> {
        let now = SystemClock.now();
        let mut infos = Vec::new();
        for (key, value) in self.store.scan(RATINGS.under([&player])?, None, LEADERS_READ_MAX).await? {
            let Some(Class { ruleset, speed }) = class_of(&key) else { continue };
            let record = RatingRecord::read(Some(&value), now)?;
            let point = point(record.now(now));
            infos.push(RatingInfo { ruleset, speed, now: point, games: record.games, last: record.at });
        }
        Ok(infos)
    }

    /// Returns a player's latest rated games in one class. Only the player sees their private
    /// games.
    pub async fn history(
        &self,
        player: Player,
        asker: Option<&str>,
        ruleset: &str,
        speed: Speed,
    ) -> Result<RatingHistory, StoreError> {
        let is_own = asker == Some(&player.id);
        let mut known: HashMap<String, Player> = HashMap::new();
        let class = Class { ruleset: ruleset.to_owned(), speed };
        // Read the records before the lines, because a record may become a part of a line in
        // between.
        let mut entries: BTreeMap<Reverse<u32>, HistoryRecord> = BTreeMap::new();
        for (key, value) in self.store.scan(history_of(&player.id, &class)?, None, HISTORY_MAX).await? {
            entries.insert(Reverse(number_of(&key)), HistoryRecord::read(&value)?);
        }
        let rating = rating_of(&*self.store, &player.id, ruleset, speed).await?;
        let wanted = (rating.1.games as usize).min(HISTORY_MAX).saturating_sub(entries.len());
        for line in self.lines.rated(&player.id, ruleset, speed, wanted).await? {
            if let Some(change) = line.change {
                entries.insert(Reverse(change.number), entry(line, change));
            }
        }
        let mut games = Vec::new();
        for record in entries.into_values().take(HISTORY_MAX) {
            let HistoryRecord { game, at, opponent, score, private, before, after, undone } = record;
            if private && !is_own {
                continue;
            }
            let opponent = match known.get(&opponent) {
                Some(opponent) => opponent.clone(),
                None => player_shown(&*self.store, &opponent, player.kind).await?,
            };
            known.insert(opponent.id.clone(), opponent.clone());
            games.push(RatedGame { game, at, opponent, score, before, after, undone });
        }
        Ok(RatingHistory { player, ruleset: class.ruleset, speed, games })
    }

    /// Returns the leaderboard of one class. If a game on this server has changed it, reads it
    /// again. Games on other servers appear in it after a few seconds.
    pub async fn leaderboard(
        &self,
        ruleset: &str,
        speed: Speed,
        bots: bool,
    ) -> Result<Leaderboard, StoreError> {
        let key = (Class { ruleset: ruleset.to_owned(), speed }, bots);
        let kept = self.boards.lock().get(&key).cloned();
        if let Some((_, board)) = kept.filter(|(read, _)| read.elapsed() < BOARD_KEPT) {
            return Ok(board);
        }
        let read = Instant::now();
        let board = self.read_leaderboard(key.0.clone(), bots).await?;
        self.boards.lock().insert(key, (read, board.clone()));
        Ok(board)
    }

    async fn read_leaderboard(&self, class: Class, bots: bool) -> Result<Leaderboard, StoreError> {
        let now = SystemClock.now();
        let kind = if bots { PlayerKind::Bot } else { PlayerKind::Account };
        let mut entries = Vec::new();
        for (key, value) in self.store.scan(leaders_of(kind, &class)?, None, LEADERS_READ_MAX).await? {
            let record = RatingRecord::read(Some(&value), now)?;
            let rating = record.now(now);
            let Some(player) = LEADERS.rest(&key).and_then(|rest| rest.rsplit('/').next()) else { continue };
            if !rating.is_for_leaderboard() || is_closed(&*self.store, player).await? {
                continue;
            }
            let player = player_shown(&*self.store, player, kind).await?;
            let place = u32::try_from(entries.len() + 1).unwrap_or(u32::MAX);
            entries.push(LeaderboardEntry { place, player, now: point(rating), games: record.games });
            if entries.len() == PLACES_MAX {
                break;
            }
        }
        Ok(Leaderboard { ruleset: class.ruleset, speed: class.speed, bots, entries })
    }

    pub async fn forget(&self, player: &Player) -> Result<(), StoreError> {
        let now = SystemClock.now();
        let mut scan = Scan::new(&*self.store, RATINGS.under([&player.id])?);
        while let Some(records) = scan.next().await? {
            let mut keys = Vec::new();
            for (key, value) in records {
                if let (Some(class), Ok(record)) = (class_of(&key), RatingRecord::read(Some(&value), now)) {
                    keys.push(leader_key(player.kind, &class, &record, &player.id)?);
                }
                keys.push(key);
            }
            delete(&*self.store, keys).await?;
        }
        delete_all(&*self.store, RATING_HISTORY.under([&player.id])?).await
    }
}

/// Returns the changes that a game made to its players' ratings, from the histories of its
/// players. `None` if it made none, or both players have deleted their accounts.
pub(crate) async fn change_of(
    store: &dyn Store,
    game: GameId,
    finished: &Finished,
) -> Result<Option<RatingChange>, StoreError> {
    let Finished { terms, players, ended, .. } = finished;
    let Some(speed) = Speed::of(terms.time) else { return Ok(None) };
    let mut points = PerSide::<Option<(RatingPoint, RatingPoint)>>::default();
    let mut first_move = 0;
    for side in Side::BOTH {
        let Some(line) = line_of(store, &players[side].id, game, ended.0).await? else { continue };
        let Some(change) = line.change else { continue };
        points[side] = Some((change.before, change.after));
        points[side.opponent()] = points[side.opponent()].or(change.other);
        first_move = change.first_move;
    }
    let (Some(red), Some(blue)) = (points.red, points.blue) else { return Ok(None) };
    let (ruleset, before) = (terms.ruleset.clone(), PerSide::new(red.0, blue.0));
    Ok(Some(RatingChange { game, ruleset, speed, first_move, before, after: PerSide::new(red.1, blue.1) }))
}

/// Returns the writes that replace a rating and its place on the leaderboard.
fn replace(
    player: &Player,
    class: &Class,
    before: &RatingRecord,
    after: &RatingRecord,
) -> Result<Vec<Write>, StoreError> {
    let old = leader_key(player.kind, class, before, &player.id)?;
    let new = leader_key(player.kind, class, after, &player.id)?;
    let mut writes = Vec::new();
    if old != new {
        writes.push(Write::Delete { key: old });
    }
    writes.push(put(new, after, None)?);
    writes.push(put(rating_key(&player.id, class)?, after, None)?);
    Ok(writes)
}

/// Returns a player's current rating in one class, and its record.
pub(crate) async fn rating_of(
    store: &dyn Store,
    player: &str,
    ruleset: &str,
    speed: Speed,
) -> Result<(Rating, RatingRecord), StoreError> {
    let now = SystemClock.now();
    let key = rating_key(player, &Class { ruleset: ruleset.to_owned(), speed })?;
    let record = RatingRecord::read(store.get(key).await?.as_deref(), now)?;
    Ok((record.now(now), record))
}
