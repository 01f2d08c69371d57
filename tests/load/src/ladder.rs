//! Recomputes the ladder from its records: computes every rating game by game, and compares it
//! with the server's rating.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{
    GameEvent, GameRecord, GameSummary, Leaderboard, RatingChange, RatingHistory, RatingPoint,
};
use flagfall_rating::{Entrant, Rating, Score, rate};

use crate::error::LoadError;
use crate::http;

const DAY_MS: f64 = 24.0 * 3_600_000.0;
/// The time in which the server must rate the last games.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest number of faults that are printed.
const SHOWN_MAX: usize = 20;
/// The highest deviation with which a player is on the leaderboard. If a computed deviation is
/// within `CLOSE` of this limit, the test accepts both outcomes.
const LISTED_DEVIATION: f64 = 75.0;
const CLOSE: f64 = 0.5;

#[derive(Clone, Copy)]
struct Standing {
    rating: Rating,
    /// The time at which the player's last game ended.
    at: u64,
}

/// Reads every record and history, computes all ratings in the order of the histories, and
/// compares.
///
/// Returns true if all agree.
///
/// # Errors
/// [`LoadError`] if a record or history cannot be read.
pub(crate) async fn judge(
    address: &str,
    names: &HashMap<String, String>,
    games: &BTreeMap<GameId, GameSummary>,
    told: &BTreeMap<GameId, RatingChange>,
) -> Result<bool, LoadError> {
    let mut faults = Faults::default();
    let records = read_records(address, games).await?;
    let mut lengths: Vec<u64> =
        records.values().map(|record| ended(record).saturating_sub(record.created)).collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    println!("a game:      median {:.1} s from pairing to its end", median as f64 / 1_000.0);
    overlaps(&records, &mut faults);
    let orders = read_orders(address, names, &records).await?;
    let changes = read_changes(address, &records).await?;
    for (game, change) in told {
        faults.check(changes.get(game) == Some(change), || {
            format!("{game}: its players were told a different change")
        });
    }
    let ladder = compute(&records, &changes, orders, &mut faults);
    let listed = compare_board(address, names, &ladder, &mut faults).await?;
    println!(
        "recomputed: {} games of {} bots from their records, {listed} places of the leaderboard; {} differences",
        changes.len(),
        ladder.len(),
        faults.count
    );
    Ok(faults.count == 0)
}

/// The disagreements that were found.
#[derive(Default)]
struct Faults {
    count: usize,
}

impl Faults {
    fn check(&mut self, is_right: bool, what: impl FnOnce() -> String) {
        if !is_right {
            self.count += 1;
            if self.count <= SHOWN_MAX {
                println!("DIFFERS: {}", what());
            }
        }
    }
}

async fn read_records(
    address: &str,
    games: &BTreeMap<GameId, GameSummary>,
) -> Result<BTreeMap<GameId, GameRecord>, LoadError> {
    let mut records = BTreeMap::new();
    for game in games.keys() {
        records.insert(*game, http::get(address, &format!("/api/games/{game}/record")).await?);
    }
    Ok(records)
}

fn ended(record: &GameRecord) -> u64 {
    record.events.last().map_or(record.created, |last| last.at)
}

/// Checks that no player is in two games at once.
fn overlaps(records: &BTreeMap<GameId, GameRecord>, faults: &mut Faults) {
    let mut of_player: HashMap<&str, Vec<(u64, u64, GameId)>> = HashMap::new();
    for (game, record) in records {
        for side in Side::BOTH {
            let games = of_player.entry(&record.players[side].id).or_default();
            games.push((record.created, ended(record), *game));
        }
    }
    for (player, mut games) in of_player {
        games.sort_unstable();
        for pair in games.windows(2) {
            faults.check(pair[0].1 <= pair[1].0, || {
                format!("{player} was in {} and {} at the same time", pair[0].2, pair[1].2)
            });
        }
    }
}

/// Waits until all games have been rated, and returns the order in which each player's games were
/// rated.
async fn read_orders(
    address: &str,
    names: &HashMap<String, String>,
    records: &BTreeMap<GameId, GameRecord>,
) -> Result<HashMap<String, Vec<GameId>>, LoadError> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let mut orders = HashMap::new();
        let mut rated = HashSet::new();
        for (id, name) in names {
            let path = format!("/api/players/{name}/ratings/pbm/rapid");
            let history: RatingHistory = http::get(address, &path).await?;
            let order: Vec<GameId> = history.games.iter().rev().map(|game| game.game).collect();
            rated.extend(order.iter().copied());
            orders.insert(id.clone(), order);
        }
        if records.keys().all(|game| rated.contains(game)) {
            return Ok(orders);
        }
        if Instant::now() > deadline {
            let missing = records.keys().find(|game| !rated.contains(game));
            return Err(LoadError::Answer(format!(
                "{missing:?} is not rated, or a history is longer than what is read of it"
            )));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn read_changes(
    address: &str,
    records: &BTreeMap<GameId, GameRecord>,
) -> Result<BTreeMap<GameId, RatingChange>, LoadError> {
    let mut changes = BTreeMap::new();
    for game in records.keys() {
        changes.insert(*game, http::get(address, &format!("/api/games/{game}/ratings")).await?);
    }
    Ok(changes)
}

/// Computes all ratings game by game. A game is computed once it is the next game of both its
/// players.
fn compute(
    records: &BTreeMap<GameId, GameRecord>,
    changes: &BTreeMap<GameId, RatingChange>,
    mut orders: HashMap<String, Vec<GameId>>,
    faults: &mut Faults,
) -> HashMap<String, Standing> {
    let mut ladder: HashMap<String, Standing> = HashMap::new();
    orders.values_mut().for_each(|order| order.reverse());
    loop {
        let next = |id: &str| orders.get(id).and_then(|order| order.last());
        let ready: Vec<GameId> = records
            .iter()
            .filter(|(game, record)| {
                Side::BOTH.into_iter().all(|side| next(&record.players[side].id) == Some(game))
            })
            .map(|(game, _)| *game)
            .collect();
        for game in &ready {
            let record = &records[game];
            if let Some(change) = changes.get(game) {
                rate_game(record, change, &mut ladder, faults);
            }
            for side in Side::BOTH {
                if let Some(order) = orders.get_mut(&record.players[side].id) {
                    order.pop();
                }
            }
        }
        if ready.is_empty() {
            let left: usize = orders.values().map(Vec::len).sum();
            faults.check(left == 0, || format!("{left} history entries fit no order"));
            return ladder;
        }
    }
}

fn rate_game(
    record: &GameRecord,
    change: &RatingChange,
    ladder: &mut HashMap<String, Standing>,
    faults: &mut Faults,
) {
    let at = ended(record);
    let newcomer = Standing { rating: Rating::START, at };
    let before =
        PerSide::from_fn(|side: Side| ladder.get(&record.players[side].id).copied().unwrap_or(newcomer));
    let entrant = |standing: Standing| Entrant {
        rating: standing.rating,
        idle_days: at.saturating_sub(standing.at) as f64 / DAY_MS,
    };
    let winner = record.events.iter().rev().find_map(|recorded| match &recorded.event {
        GameEvent::Ended { outcome, opened: _ } => Some(outcome.winner),
        _ => None,
    });
    let score = match winner.flatten() {
        Some(Side::Red) => Score::Win,
        Some(Side::Blue) => Score::Loss,
        None => Score::Draw,
    };
    let (red, blue) = rate(entrant(before.red), entrant(before.blue), score, f64::from(change.first_move));
    let after = PerSide::new(red, blue);
    for side in Side::BOTH {
        let aged = before[side].rating.aged(entrant(before[side]).idle_days);
        let is_same = change.before[side] == point(aged) && change.after[side] == point(after[side]);
        faults.check(is_same, || {
            let (was, now) = (point(aged), point(after[side]));
            format!(
                "{} for {side}: told {:?} to {:?}, computed {was:?} to {now:?}",
                record.game, change.before[side], change.after[side]
            )
        });
        let standing = Standing { rating: after[side], at: at.max(before[side].at) };
        ladder.insert(record.players[side].id.clone(), standing);
    }
}

fn point(rating: Rating) -> RatingPoint {
    RatingPoint {
        rating: rating.value.round() as u32,
        deviation: rating.deviation.round() as u32,
        provisional: rating.is_provisional(),
    }
}

/// Compares the leaderboard with the computed ratings. Returns its number of places.
async fn compare_board(
    address: &str,
    names: &HashMap<String, String>,
    ladder: &HashMap<String, Standing>,
    faults: &mut Faults,
) -> Result<usize, LoadError> {
    let board: Leaderboard = http::get(address, "/api/leaderboards/pbm/rapid?bots=true").await?;
    for pair in board.entries.windows(2) {
        faults.check(pair[0].now.rating >= pair[1].now.rating, || {
            format!("place {} is not behind the one before", pair[1].place)
        });
    }
    for entry in &board.entries {
        let own = ladder.get(&entry.player.id).map(|standing| standing.rating);
        let is_same = own.is_some_and(|own| {
            own.value.round() as u32 == entry.now.rating && own.deviation <= LISTED_DEVIATION + CLOSE
        });
        faults.check(is_same, || format!("place {}: {:?}, computed {own:?}", entry.place, entry.now));
    }
    // Players with a deviation clearly below the limit must be listed, unless the list is full of
    // better players.
    let last = board.entries.last().map_or(0, |entry| entry.now.rating);
    let is_full = board.entries.len() >= 100;
    for (id, standing) in ladder {
        let is_due = standing.rating.deviation < LISTED_DEVIATION - CLOSE;
        let is_better = !is_full || standing.rating.value.round() as u32 > last;
        let is_listed = board.entries.iter().any(|entry| entry.player.id == *id);
        faults.check(is_listed || !is_due || !is_better, || {
            format!("{:?} is missing on the leaderboard", names.get(id))
        });
    }
    Ok(board.entries.len())
}
