//! Deletes guests who never played, and finished casual games of guests.
//!
//! When a guest is stored, they are listed under `new_guests/TIME/ID`. When a casual game without
//! an account ends, the append that ends it lists the game under `guest_ended/TIME/GAME`. Servers
//! go through these two lists, oldest entry first, a few entries at a time. Earlier versions did
//! not write these lists, so `flagfall-server store prune` checks the whole store.
//!
//! Four kinds of games are kept: rated games, games in which an account plays (a guest may have
//! become an account since then), games with a report that is still stored, and damaged games.

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Player, PlayerKind};
use flagfall_store::{Key, Record, Store, StoreError, Transfer, Write};
use futures_util::stream::{self, StreamExt as _};
use metrics::counter;
use tokio::time::sleep;

use crate::ended::is_old;
use crate::histories;
use crate::players::{Listed, idle_guest, new_guest, player_kind, stored_guest};
use crate::records::mark;
use crate::settings::Times;
use flagfall_base::keys::{
    DEAD_JOBS, ENDED, GUEST_ENDED, NEW_GUESTS, PLAYED_DUE, PLAYERS, PROOF, PROOF_DUE, QUEUE, REMATCH,
    REPORT_OF, TOLD, TURN_DUE, time16,
};
use flagfall_base::scan::Scan;
use flagfall_base::telemetry::PRUNED;
use flagfall_base::transact::delete;
use flagfall_game::{Finished, GameHeader, TableError, finished};

/// The maximum number of guests, and of games, that a server deletes in one round.
const AT_A_LOOK: usize = 200;
/// The number of games that are read at the same time. Reading an archived game takes a while.
const READS_MAX: usize = 16;
const OF_A_GAME_MAX: usize = 16;

/// The times for which guests and their games are kept. `None` keeps them forever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lifetimes {
    pub new_guest: Option<Duration>,
    pub guest_game: Option<Duration>,
}

impl Lifetimes {
    pub fn of(times: &Times) -> Lifetimes {
        Lifetimes { new_guest: times.new_guest, guest_game: times.guest_game }
    }
}

/// The numbers of deleted guests and games. In a dry run, these are the numbers that would have
/// been deleted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pruned {
    pub guests: usize,
    pub games: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    Real,
    Dry,
}

pub(crate) fn guest_ended(game: GameId, header: &GameHeader, at: Stamp) -> Option<Write> {
    if header.terms.rated || !is_of_guests(&header.players) {
        return None;
    }
    let key = GUEST_ENDED.key([&time16(at), &game]).ok()?;
    Some(mark(key, None))
}

/// True if each player is a guest or a house player, and at least one is a guest.
fn is_of_guests(players: &PerSide<Player>) -> bool {
    let kinds = Side::BOTH.map(|side| players[side].kind);
    kinds.iter().all(|kind| matches!(kind, PlayerKind::Guest | PlayerKind::House))
        && kinds.contains(&PlayerKind::Guest)
}

/// Prunes a limited number of entries at intervals of `every`, until the future is dropped.
pub async fn prune_old(store: Arc<dyn Store>, lifetimes: Lifetimes, every: Duration) {
    loop {
        match prune_due(&*store, lifetimes, AT_A_LOOK).await {
            Ok(Pruned { guests: 0, games: 0 }) => {}
            Ok(Pruned { guests, games }) => {
                tracing::info!(guests, games, "deleted guests who never played and finished games of guests");
            }
            Err(error) => {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "pruning was interrupted; it will continue",
                );
            }
        }
        sleep(every).await;
    }
}

pub async fn prune_due(store: &dyn Store, lifetimes: Lifetimes, max: usize) -> Result<Pruned, StoreError> {
    let mut pruned = Pruned::default();
    if let Some(age) = lifetimes.new_guest {
        pruned.guests = prune_new_guests(store, age, max).await?;
    }
    if let Some(age) = lifetimes.guest_game {
        pruned.games = prune_listed_games(store, age, max).await?;
    }
    Ok(pruned)
}

async fn prune_new_guests(store: &dyn Store, age: Duration, max: usize) -> Result<usize, StoreError> {
    let (mut guests, mut list) = (0, Scan::new(store, NEW_GUESTS.all()?));
    while let Some(entries) = list.next().await? {
        for (entry, _) in entries {
            let Some((at, id)) = new_guest(&entry) else { continue };
            if !is_old(store, at, age) || guests >= max {
                return Ok(guests);
            }
            match idle_guest(store, &id, false).await? {
                Listed::Idle => {
                    guests += 1;
                    counter!(PRUNED, "kind" => "guest").increment(1);
                }
                Listed::Busy => continue,
                Listed::Settled => {}
            }
            delete(store, vec![entry]).await?;
        }
    }
    Ok(guests)
}

async fn prune_listed_games(store: &dyn Store, age: Duration, max: usize) -> Result<usize, StoreError> {
    let mut games = 0;
    let mut list = Scan::new(store, GUEST_ENDED.all()?);
    while let Some(entries) = list.next().await? {
        let (mut due, mut done) = (Vec::new(), Vec::new());
        let is_last = look_at(store, age, entries, max - games, &mut due, &mut done).await;
        games += due.len();
        // Even if looking at a game failed, delete the games before it.
        delete_games(store, due).await?;
        for entries in done {
            delete(store, entries).await?;
        }
        if is_last? {
            break;
        }
    }
    Ok(games)
}

/// Finds the games that are `due`, and the entries of the lists that are then `done`. Returns true
/// if there is nothing more to do in this round.
async fn look_at(
    store: &dyn Store,
    age: Duration,
    entries: Vec<Record>,
    max: usize,
    due: &mut Vec<(GameId, Finished)>,
    done: &mut Vec<Vec<Key>>,
) -> Result<bool, StoreError> {
    for (entry, _) in entries {
        let Some((at, game)) = GUEST_ENDED.time_and_game(&entry) else { continue };
        if !is_old(store, at, age) || due.len() >= max {
            return Ok(true);
        }
        match judge(store, game, age).await? {
            Verdict::Due(over) => due.push((game, *over)),
            Verdict::Later => continue,
            Verdict::Kept => {}
        }
        done.push(vec![ENDED.key([&time16(at), &game])?, entry]);
    }
    Ok(false)
}

/// Prunes all players and games of a store. Calls `told` with the numbers of players and games
/// checked so far. After an error, this can be called again. Deletions that were already made
/// remain.
pub async fn prune_all(
    store: &dyn Transfer,
    lifetimes: Lifetimes,
    run: Run,
    mut told: impl FnMut(usize, usize),
) -> Result<Pruned, StoreError> {
    let (mut pruned, mut players_seen, mut games_seen) = (Pruned::default(), 0, 0);
    let as_store: &dyn Store = store;
    if let Some(age) = lifetimes.new_guest {
        let mut players = Scan::new(as_store, PLAYERS.all()?);
        while let Some(records) = players.next().await? {
            for (created, id) in records.iter().filter_map(|(_, record)| stored_guest(record)) {
                players_seen += 1;
                let is_idle = is_old(as_store, created, age)
                    && idle_guest(as_store, &id, run == Run::Dry).await? == Listed::Idle;
                pruned.guests += usize::from(is_idle);
                told(players_seen, games_seen);
            }
        }
    }
    if let Some(age) = lifetimes.guest_game {
        for games in store.games().await?.chunks(AT_A_LOOK) {
            let mut due = Vec::new();
            let judging = games.iter().map(async |game| (*game, judge(as_store, *game, age).await));
            let mut judged = stream::iter(judging).buffered(READS_MAX);
            while let Some((game, verdict)) = judged.next().await {
                games_seen += 1;
                if let Verdict::Due(over) = verdict? {
                    due.push((game, *over));
                }
                told(players_seen, games_seen);
            }
            pruned.games += due.len();
            if run == Run::Real {
                delete_games(as_store, due).await?;
            }
        }
    }
    Ok(pruned)
}

enum Verdict {
    /// The game must be deleted.
    Due(Box<Finished>),
    /// The game is kept permanently, or does not exist.
    Kept,
    /// The game is kept for now and will be checked again.
    Later,
}

async fn judge(store: &dyn Store, game: GameId, age: Duration) -> Result<Verdict, StoreError> {
    let over = match finished(store, game).await {
        Ok(Some(over)) => over,
        Ok(None) => return Ok(Verdict::Later),
        // The log is gone or damaged. After an interrupted deletion, the game has no log but
        // still has this list entry.
        Err(TableError::NotFound | TableError::Quarantined) => return Ok(Verdict::Kept),
        Err(TableError::TooNew) => return Ok(Verdict::Later),
        Err(error @ (TableError::Unavailable | TableError::Failed)) => {
            return Err(StoreError::Unavailable { why: error.to_string() });
        }
    };
    if over.terms.rated || !is_of_guests(&over.players) {
        return Ok(Verdict::Kept);
    }
    if !is_old(store, over.ended, age) || has_more_to_come(store, game).await? {
        return Ok(Verdict::Later);
    }
    for side in Side::BOTH {
        let kind = player_kind(store, &over.players[side]).await?;
        if matches!(kind, Some(PlayerKind::Account | PlayerKind::Bot)) {
            return Ok(Verdict::Kept);
        }
    }
    Ok(Verdict::Due(Box::new(over)))
}

/// True if the store still has a report of the game, or if the game must still be entered into
/// histories. This includes a history job that failed permanently, because an operator may retry
/// it.
async fn has_more_to_come(store: &dyn Store, game: GameId) -> Result<bool, StoreError> {
    let reports = store.scan(REPORT_OF.under([&game])?, None, 1).await?;
    let due = PLAYED_DUE.key([&game])?;
    let is_due = store.get(due).await?.is_some()
        || store.get(DEAD_JOBS.key([&PLAYED_DUE.name, &game])?).await?.is_some();
    Ok(is_due || !reports.is_empty())
}

/// Deletes games. Their logs are deleted last, so that an interrupted deletion is found and
/// continued, and all at once, because an archive writes down each removal.
async fn delete_games(store: &dyn Store, games: Vec<(GameId, Finished)>) -> Result<(), StoreError> {
    if games.is_empty() {
        return Ok(());
    }
    for (game, over) in &games {
        let mut keys = histories::keys_of_game(*game, over)?;
        keys.extend(records_of_game(store, *game, over).await?);
        delete(store, keys).await?;
    }
    store.delete_logs(games.iter().map(|(game, _)| *game).collect()).await?;
    counter!(PRUNED, "kind" => "game").increment(games.len() as u64);
    for (_, over) in &games {
        for side in Side::BOTH {
            let player = &over.players[side];
            // If a player is a deleted guest, delete the guest's tallies together with their last
            // game.
            if player_kind(store, player).await?.is_none() {
                histories::forget_without_games(store, &player.id).await?;
            }
        }
    }
    Ok(())
}

/// Returns the keys of a game's records, except for its log and its entries in lists and
/// histories.
pub(crate) async fn records_of_game(
    store: &dyn Store,
    game: GameId,
    over: &Finished,
) -> Result<Vec<Key>, StoreError> {
    let mut keys = vec![REMATCH.key([&game])?, PROOF.key([&game])?];
    for kind in [&PROOF_DUE, &TURN_DUE] {
        keys.extend([kind.key([&game])?, DEAD_JOBS.key([&kind.name, &game])?]);
    }
    let queues = store.scan(QUEUE.under([&game])?, None, OF_A_GAME_MAX).await?;
    keys.extend(queues.into_iter().map(|(key, _)| key));
    for side in Side::BOTH {
        keys.push(TOLD.key([&over.players[side].id, &game])?);
    }
    Ok(keys)
}
