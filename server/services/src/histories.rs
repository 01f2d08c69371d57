//! Histories: lists and statistics of finished games.
//!
//! As with ratings, the append that ends a game also writes a job (`played_due/GAME`). A server
//! that finds the job writes all results of the game in one update. The update has the condition
//! that the job still exists, and a game that the history already has is left out, so each game
//! is counted once.
//!
//! The games of an account are stored as lines in one record and in volumes (see `book`). All
//! lists and tallies are computed from these lines. The games of a guest are stored as separate
//! records, because they may be deleted. While servers of earlier versions use the store, the
//! games of accounts are stored as records too, and `fold` later turns these records into lines.
//! Readers look for both lines and records.

mod book;
mod fold;
mod latest;
mod line;
mod lists;
mod rating_record;
mod record;
mod shelve;
#[cfg(test)]
mod tests;
mod unfold;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    DeploymentTally, GameScore, GameSummary, HeadToHead, PlayedGame, PlayedGames, Player, PlayerKind,
    RulesetStatistics, RulesetTally, Secret, Statistics, Tally,
};
use flagfall_rules::EndReason;
use flagfall_store::{Expect, Key, Store, StoreError, Update};

use self::book::Opened;
pub use self::book::check;
pub(crate) use self::book::{amend, line_of, rated_lines};
use self::latest::latest_key;
use self::line::ended_at;
pub(crate) use self::line::{Change, Line};
pub(crate) use self::lists::Lines;
pub(crate) use self::rating_record::{GAMES_MAX, HistoryRecord, entry, number_of, rating_history_key};
use self::record::{Figures, Pair, Shelf, played_key, played_of, versus_key, versus_of};
use crate::records::{change, damaged, parse, put};
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::{FIGURES, GONE, PLAYED, TALLY, VERSUS, last_part, page_key};
use flagfall_base::names::player_shown;
use flagfall_base::scan::Scan;
use flagfall_base::transact::{Transaction, delete, delete_all, expect};
use flagfall_game::{Archived, Finished, Tables};

pub use self::latest::LATEST_MAX;
pub use self::unfold::in_older_form;

pub const PAGE_MAX: usize = 100;
/// The default number of games on a page.
pub const PAGE: usize = 30;
const EXPORTED_MAX: usize = 1_000;
/// The maximum number of rulesets in a player's statistics. Every custom ruleset counts
/// separately.
const RULESETS_MAX: usize = 200;

#[derive(Clone)]
pub struct Histories {
    store: Arc<dyn Store>,
    tables: Tables,
    lines: Lines,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Page {
    /// The value of `next` on the previous page.
    pub after: Option<String>,
    /// The number of entries to return, at most [`PAGE_MAX`].
    pub limit: Option<usize>,
}

impl Histories {
    pub fn new(store: Arc<dyn Store>, tables: Tables) -> Histories {
        Histories { lines: Lines::new(store.clone()), store, tables }
    }

    pub(crate) async fn do_job(&self, job: &Claimed) -> Result<(), JobError> {
        let game = job.subject()?;
        let Some(archived) = self.tables.archive(game).await? else {
            return Err(damaged("the game is not over").into());
        };
        let mut transaction = Transaction::new(&*self.store, "the histories of these players");
        loop {
            let mut update = job.finish();
            // An aborted game does not count, and its deployments were not revealed.
            if archived.finished.reason != EndReason::Aborted {
                for side in Side::BOTH {
                    self.write_down(game, &archived, side, &mut update).await?;
                }
                latest::list(&*self.store, game, &archived.finished, &mut update).await?;
            }
            // A failed commit can mean three things: another game of these players was counted
            // first, another server has done the job, or this update was written after all.
            if transaction.commit(update).await? || !job.is_held().await? {
                return Ok(());
            }
        }
    }

    /// Adds to the update the writes that record a game in the history of one of its players.
    async fn write_down(
        &self,
        game: GameId,
        archived: &Archived,
        side: Side,
        update: &mut Update,
    ) -> Result<(), StoreError> {
        let Finished { terms, players, winner, reason, plies, ended, .. } = &archived.finished;
        let (player, opponent) = (&players[side], &players[side.opponent()]);
        if player.kind == PlayerKind::House {
            return Ok(());
        }
        // A player who deleted their account has no history and must not get a new one.
        let gone = GONE.key([&player.id])?;
        if self.store.get(gone.clone()).await?.is_some() {
            return Ok(());
        }
        // The job may have come back after it was done. Read the record before the lines, because
        // it may become a line in between.
        let own = played_key(&player.id, Shelf::All, ended.0, game)?;
        if self.store.get(own).await?.is_some()
            || line_of(&*self.store, &player.id, game, ended.0).await?.is_some()
        {
            return Ok(());
        }
        let score = score_of(*winner, side);
        let played = PlayedGame {
            game,
            ended: ended.0,
            ruleset: terms.ruleset.clone(),
            time: terms.time,
            rated: terms.rated,
            private: terms.private,
            side,
            opponent: opponent.clone(),
            score,
            reason: reason.code().to_owned(),
            plies: *plies,
            erased: false,
        };
        let is_kept = matches!(player.kind, PlayerKind::Account | PlayerKind::Bot);
        if is_kept && self.tables.peers().can_write_volumes() {
            let mut opened = Opened::read(&*self.store, &player.id).await?;
            let line = Line::of(played).ok_or_else(|| damaged("the game ended for an unknown reason"))?;
            let setup = archived.deployments[side].clone();
            opened.book.lines.push(Line { is_counted: false, setup, ..line });
            self.fold_latest(&player.id, &mut opened, update).await?;
            return opened.save(update);
        }
        update.conditions.push((gone, Expect::Absent));
        let shelves = if terms.private { &[Shelf::All][..] } else { &Shelf::BOTH };
        for shelf in shelves {
            let own = played_key(&player.id, *shelf, ended.0, game)?;
            let versus = versus_key(&player.id, &opponent.id, *shelf, ended.0, game)?;
            update.writes.extend([put(own, &played, None)?, put(versus, &played, None)?]);
        }
        let key = TALLY.key([&player.id, &opponent.id, &terms.ruleset])?;
        let mut pair: Pair = self.expected(&key, update).await?;
        pair.all.count(score);
        if !terms.private {
            pair.open.count(score);
        }
        update.writes.push(put(key, &pair, None)?);
        let key = FIGURES.key([&player.id, &terms.ruleset])?;
        let mut figures: Figures = self.expected(&key, update).await?;
        figures.count(side, score, archived.deployments[side].as_ref(), ended.0);
        update.writes.push(put(key, &figures, None)?);
        Ok(())
    }

    /// Reads a record, and adds to the update the condition that the record is unchanged.
    async fn expected<T: Default + serde::de::DeserializeOwned>(
        &self,
        key: &Key,
        update: &mut Update,
    ) -> Result<T, StoreError> {
        let value = self.store.get(key.clone()).await?;
        let record = match &value {
            Some(value) => parse(value, "a history")?,
            None => T::default(),
        };
        update.conditions.push((key.clone(), expect(value)));
        Ok(record)
    }

    /// Returns a page of a player's finished games. Only the player sees their private games.
    pub async fn games(
        &self,
        player: Player,
        asker: Option<&str>,
        page: &Page,
    ) -> Result<PlayedGames, StoreError> {
        let shelf = Shelf::of(asker == Some(&player.id));
        let prefix = played_of(&player.id, shelf)?;
        let (games, next) = self.page(&player.id, prefix, page, |line| shelf.has(line)).await?;
        Ok(PlayedGames { player, games, next })
    }

    /// Returns a player's finished games, including private ones, latest first, up to the number
    /// that an export contains.
    pub async fn all_games(&self, player: Player) -> Result<Vec<PlayedGame>, StoreError> {
        let id = player.id.clone();
        let mut page = Page { after: None, limit: Some(PAGE_MAX) };
        let mut all = Vec::new();
        loop {
            let PlayedGames { games, next, .. } = self.games(player.clone(), Some(&id), &page).await?;
            all.extend(games);
            match next {
                Some(next) if all.len() < EXPORTED_MAX => page.after = Some(next),
                _ => return Ok(all),
            }
        }
    }

    /// Returns the public games that ended last, latest first. Aborted games are left out. The
    /// returned flag is false if games are missing because a part of the store is unreachable.
    pub async fn latest(&self, limit: usize) -> Result<(Vec<GameSummary>, bool), StoreError> {
        latest::latest(&*self.store, limit).await
    }

    /// Returns a page of two players' games against each other. Only these two see their private
    /// games.
    pub async fn head_to_head(
        &self,
        player: Player,
        opponent: Player,
        asker: Option<&str>,
        page: &Page,
    ) -> Result<HeadToHead, StoreError> {
        let is_own = asker.is_some_and(|asker| asker == player.id || asker == opponent.id);
        let shelf = Shelf::of(is_own);
        let is_wanted = |line: &Line| line.opponent == opponent.id && shelf.has(line);
        let tallies = self.tallies(&player.id, &opponent.id, shelf, is_wanted).await?;
        let tallies = tallies.into_iter().take(RULESETS_MAX);
        let tallies = tallies.map(|(ruleset, tally)| RulesetTally { ruleset, tally }).collect();
        let prefix = versus_of(&player.id, &opponent.id, shelf)?;
        let (games, next) = self.page(&player.id, prefix, page, is_wanted).await?;
        Ok(HeadToHead { player, opponent, tallies, games, next })
    }

    /// Returns a player's results against an opponent, by ruleset.
    async fn tallies(
        &self,
        player: &str,
        opponent: &str,
        shelf: Shelf,
        is_wanted: impl Fn(&Line) -> bool + Send + Sync,
    ) -> Result<BTreeMap<String, Tally>, StoreError> {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        // Read the records before the lines, because a record may become a line in between.
        let records = Scan::all(&*self.store, versus_of(player, opponent, shelf)?).await?;
        let whole = self.lines.all(player, is_wanted).await?;
        if whole.is_absent {
            let prefix = TALLY.under([&player, &opponent])?;
            for (key, value) in self.store.scan(prefix.clone(), None, RULESETS_MAX).await? {
                let pair: Pair = parse(&value, "a history")?;
                let tally = if shelf == Shelf::All { pair.all } else { pair.open };
                if let Some(ruleset) = last_part(&key, &prefix).filter(|_| tally.games() > 0) {
                    tallies.insert(ruleset, tally);
                }
            }
            return Ok(tallies);
        }
        let mut counted = HashSet::new();
        for line in whole.lines {
            counted.insert(line.game);
            tallies.entry(line.ruleset).or_default().count(line.score);
        }
        for (_, value) in records {
            let played: PlayedGame = parse(&value, "a history")?;
            if counted.insert(played.game) {
                tallies.entry(played.ruleset).or_default().count(played.score);
            }
        }
        Ok(tallies)
    }

    /// Returns a page of a list. The list contains the records under a prefix and the wanted
    /// lines.
    async fn page(
        &self,
        player: &str,
        prefix: Key,
        page: &Page,
        is_wanted: impl Fn(&Line) -> bool + Send + Sync,
    ) -> Result<(Vec<PlayedGame>, Option<String>), StoreError> {
        let limit = page.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
        let after = page.after.as_deref().and_then(|after| page_key(&prefix, after));
        let place = page.after.as_deref().filter(|_| after.is_some());
        // Read the records before the lines, because a record may become a line in between.
        let mut found: BTreeMap<String, PlayedGame> = BTreeMap::new();
        for (key, value) in self.store.scan(prefix.clone(), after, limit + 1).await? {
            let place = last_part(&key, &prefix).unwrap_or_default();
            found.insert(place, parse(&value, "a history")?);
        }
        let is_after = |line: &Line| place.is_none_or(|place| *line.place() > *place);
        let until = place.map_or(u64::MAX, ended_at);
        let lines = self.lines.latest(player, limit + 1, until, |line| is_wanted(line) && is_after(line));
        found.extend(lines.await?.into_iter().map(|line| (line.place(), line.played())));
        let is_last = found.len() <= limit;
        let shown = found.into_iter().take(limit);
        let (mut next, mut found) = (None, Vec::with_capacity(limit));
        for (place, game) in shown {
            next = Some(place).filter(|_| !is_last);
            found.push(game);
        }
        // Look up each opponent only once, because most pages have only a few opponents.
        let mut known: HashMap<String, Player> = HashMap::new();
        let mut games = Vec::with_capacity(found.len());
        for mut game in found {
            let Player { id, kind, .. } = &game.opponent;
            game.opponent = match known.get(id) {
                Some(opponent) => opponent.clone(),
                None if *kind == PlayerKind::House => game.opponent.clone(),
                None => player_shown(&*self.store, id, *kind).await?,
            };
            known.insert(game.opponent.id.clone(), game.opponent.clone());
            games.push(game);
        }
        Ok((games, next))
    }

    pub async fn statistics(&self, player: &str) -> Result<Statistics, StoreError> {
        let prefix = FIGURES.under([&player])?;
        let mut transaction = Transaction::new(&*self.store, "the statistics of a player");
        loop {
            let records = self.store.scan(prefix.clone(), None, RULESETS_MAX).await?;
            let whole = self.lines.all(player, |line| !line.is_counted).await?;
            // If records have become parts of a volume in the meantime, read again.
            if self.store.scan(prefix.clone(), None, RULESETS_MAX).await? != records {
                transaction.count_conflict()?;
                continue;
            }
            let mut all: BTreeMap<String, Figures> = BTreeMap::new();
            for (ruleset, figures) in whole.figures {
                all.entry(ruleset).or_default().merge(&figures);
            }
            for (key, value) in &records {
                let Some(ruleset) = last_part(key, &prefix) else { continue };
                all.entry(ruleset).or_default().merge(&parse(value, "a history")?);
            }
            // Count the games in the order in which they were played.
            for line in whole.lines.into_iter().rev() {
                let figures = all.entry(line.ruleset).or_default();
                figures.count(line.side, line.score, line.setup.as_ref(), line.ended);
            }
            let rulesets = all.into_iter().take(RULESETS_MAX).map(of_ruleset).collect();
            return Ok(Statistics { rulesets });
        }
    }

    /// Deletes the lists and statistics of a deleted player. The lists of their opponents stay,
    /// but do not show the deleted player's name. After an error, some records may still exist.
    pub async fn forget(&self, player: &Player) -> Result<(), StoreError> {
        forget(&*self.store, &player.id).await?;
        book::forget(&*self.store, &player.id).await
    }
}

fn of_ruleset((ruleset, figures): (String, Figures)) -> RulesetStatistics {
    let Figures { by_side, mut deployments } = figures;
    deployments.sort_by_key(|kept| std::cmp::Reverse((kept.tally.games(), kept.last)));
    let by_deployment = deployments
        .into_iter()
        .map(|kept| DeploymentTally { setup: Secret::new(kept.setup), tally: kept.tally })
        .collect();
    RulesetStatistics { ruleset, by_side, by_deployment }
}

async fn forget(store: &dyn Store, player: &str) -> Result<(), StoreError> {
    for prefix in record::all_of(player)? {
        delete_all(store, prefix).await?;
    }
    Ok(())
}

pub(crate) async fn forget_without_games(store: &dyn Store, player: &str) -> Result<(), StoreError> {
    let has_games = !store.scan(played_of(player, Shelf::All)?, None, 1).await?.is_empty();
    if has_games { Ok(()) } else { forget(store, player).await }
}

/// True if the history of a player has this game.
pub(crate) async fn has_played(store: &dyn Store, player: &str, game: GameId) -> Result<bool, StoreError> {
    if book::find(store, player, game, None).await?.is_some() {
        return Ok(true);
    }
    let mut records = Scan::new(store, played_of(player, Shelf::of(true))?);
    while let Some(records) = records.next().await? {
        if records.iter().any(|(key, _)| key.as_bytes().ends_with(game.as_str().as_bytes())) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn score_of(winner: Option<Side>, side: Side) -> GameScore {
    match winner {
        None => GameScore::Drawn,
        Some(winner) if winner == side => GameScore::Won,
        Some(_) => GameScore::Lost,
    }
}

/// Marks a game as erased in the histories of its players, and removes it from the list of public
/// games.
pub(crate) async fn mark_erased(store: &dyn Store, game: GameId, over: &Finished) -> Result<(), StoreError> {
    for key in keys_of_game(game, over)? {
        if PLAYED.rest(&key).is_none() && VERSUS.rest(&key).is_none() {
            delete(store, vec![key]).await?;
            continue;
        }
        // A player who deleted their account has no history.
        let erase = |found: Option<PlayedGame>| found.map(|played| PlayedGame { erased: true, ..played });
        change(store, key, "a history", erase).await?;
    }
    // A record that was not found may have become a line.
    for side in Side::BOTH {
        let mut transaction = Transaction::new(store, "the history of a player");
        loop {
            let mut update = Update::default();
            let player = &over.players[side].id;
            let is_found =
                amend(store, player, game, over.ended.0, |line| line.erased = true, &mut update).await?;
            if !is_found || transaction.commit(update).await? {
                break;
            }
        }
    }
    Ok(())
}

/// Returns the keys of a game's entries in its players' lists, and in the list of public games.
pub(crate) fn keys_of_game(game: GameId, over: &Finished) -> Result<Vec<Key>, StoreError> {
    let mut keys = vec![latest_key(over.ended.0, game)?];
    for side in Side::BOTH {
        let (player, opponent) = (&over.players[side].id, &over.players[side.opponent()].id);
        for shelf in Shelf::BOTH {
            keys.push(played_key(player, shelf, over.ended.0, game)?);
            keys.push(versus_key(player, opponent, shelf, over.ended.0, game)?);
        }
    }
    Ok(keys)
}
