//! Turns the records of earlier forms into lines.
//!
//! Version 0.1 stores each game in a history as several records. The games of guests are still
//! stored in this way, because they may be deleted. When all servers can read lines, each server
//! converts the records of those accounts whose guardian it is (each player has one server as
//! guardian). Each update writes the lines of a few games and deletes their records, so a reader
//! always finds a game in exactly one of the two forms.
//!
//! The job that rates a game also writes a record. This record becomes a part of the game's line
//! when the player's next game is written, or in the next round.

use std::collections::HashMap;
use std::time::Duration;

use flagfall_base::keys::{
    FIGURES, HISTORY_DUE, PLAYED, RATED, RATING_HISTORY, RecordKind, TALLY, VOLUMES, last_part,
};
use flagfall_base::scan::Scan;
use flagfall_base::store_errors::note_refusal;
use flagfall_base::transact::{Transaction, delete_all, write_if};
use flagfall_board::GameId;
use flagfall_protocol::{PlayedGame, PlayerKind, RatingChange};
use flagfall_store::{Expect, Key, Store, StoreError, Update, Write};
use tokio::time::sleep;

use super::Histories;
use super::book::{Opened, Volume, amend};
use super::line::{Change, Line};
use super::rating_record::{HistoryRecord, number_of};
use super::record::{Figures, Shelf, played_key, played_of, versus_key};
use crate::players::stored_kind;
use crate::records::{find, parse};

/// The number of games that one update converts.
const AT_ONCE: usize = 8;
/// Game records are converted in one of this many rounds, and rating records in every round.
const WHOLE: u32 = 60;

/// The work that a server does for the players whose guardian it is.
#[derive(Clone, Copy)]
enum Work {
    Fold,
    Shelve,
}

/// The rating records of games, as keys and values.
type Ratings = HashMap<GameId, (Key, Vec<u8>)>;

impl Histories {
    /// Turns records into lines at intervals of `every`, until the future is dropped.
    pub async fn fold_all(&self, every: Duration) {
        let mut rounds = 0;
        loop {
            if self.tables.peers().can_write_volumes() {
                if let Err(error) = self.fold_round(rounds % WHOLE == 0).await {
                    note_refusal(
                        &error,
                        "records of histories could not be converted; the server will try again",
                    );
                }
                rounds += 1;
            }
            sleep(every).await;
        }
    }

    async fn fold_round(&self, is_whole: bool) -> Result<(), StoreError> {
        self.for_players(&RATING_HISTORY, Work::Fold).await?;
        if is_whole {
            self.for_players(&PLAYED, Work::Fold).await?;
            // The archive may have been set up after these volumes were written, so write the jobs
            // that archive them.
            if self.store.archives_records() && self.tables.peers().can_archive() {
                self.for_players(&VOLUMES, Work::Shelve).await?;
            }
        }
        Ok(())
    }

    /// Does work for the players who have a record of this kind and whose guardian is this
    /// server.
    async fn for_players<const N: usize>(&self, kind: &RecordKind<N>, work: Work) -> Result<(), StoreError> {
        let mut after = None;
        while let Some((key, _)) = self.store.scan(kind.all()?, after.take(), 1).await?.pop() {
            let player = kind.rest(&key).and_then(|rest| rest.split('/').next());
            let Some(player) = player else { return Ok(()) };
            after = Some(kind.past([&player])?);
            if !self.tables.peers().guards(player) {
                continue;
            }
            let done = match work {
                Work::Fold => self.fold(player).await,
                Work::Shelve => self.order_shelving(player).await,
            };
            match done {
                Ok(()) => {}
                Err(StoreError::Damaged { what }) => {
                    tracing::error!(player, reason = %what, "a history cannot be converted; it stays as it is");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes the job that archives a player's volumes, unless there is one.
    async fn order_shelving(&self, player: &str) -> Result<(), StoreError> {
        let key = HISTORY_DUE.key([&player])?;
        let writes = vec![Write::Put { key: key.clone(), value: b"{}".to_vec(), expires: None }];
        write_if(&*self.store, key, None, writes).await.map(drop)
    }

    /// Turns the records of an account into lines. Does nothing for a guest.
    pub(super) async fn fold(&self, player: &str) -> Result<(), StoreError> {
        let store = &*self.store;
        let kind = stored_kind(store, player).await?;
        if !matches!(kind, Some(PlayerKind::Account | PlayerKind::Bot)) {
            return Ok(());
        }
        let mut ratings = Ratings::new();
        for (key, value) in Scan::all(store, RATING_HISTORY.under([&player])?).await? {
            ratings.insert(HistoryRecord::read(&value)?.game, (key, value));
        }
        let mut games = Scan::all(store, played_of(player, Shelf::All)?).await?;
        // Convert the oldest games first, so that the volumes are in chronological order.
        games.reverse();
        let keys: Vec<Key> = games.into_iter().map(|(key, _)| key).collect();
        for keys in keys.chunks(AT_ONCE) {
            self.fold_games(player, keys, &mut ratings).await?;
        }
        if !keys.is_empty() {
            self.fold_figures(player).await?;
        }
        for (game, _) in ratings {
            self.fold_rating(player, game).await?;
        }
        Ok(())
    }

    /// Turns the records of some of a player's games into lines.
    async fn fold_games(&self, player: &str, keys: &[Key], ratings: &mut Ratings) -> Result<(), StoreError> {
        let store = &*self.store;
        let mut transaction = Transaction::new(store, "the history of a player");
        loop {
            let mut opened = Opened::read(store, player).await?;
            let (mut update, mut folded) = (Update::default(), Vec::new());
            for key in keys {
                let Some(value) = store.get(key.clone()).await? else { continue };
                let played: PlayedGame = parse(&value, "a history")?;
                let Some(mut line) = Line::of(played) else { continue };
                update.conditions.push((key.clone(), Expect::Value(value)));
                for shelf in Shelf::BOTH {
                    let played = played_key(player, shelf, line.ended, line.game)?;
                    let versus = versus_key(player, &line.opponent, shelf, line.ended, line.game)?;
                    update.writes.extend([played, versus].map(|key| Write::Delete { key }));
                }
                if let Some((key, value)) = ratings.get(&line.game) {
                    line.change = Some(take_rating(store, &line, key, value, &mut update).await?);
                    folded.push(line.game);
                }
                opened.book.lines.push(line);
            }
            if update.writes.is_empty() {
                return Ok(());
            }
            opened.save(&mut update)?;
            if transaction.commit(update).await? {
                folded.iter().for_each(|game| drop(ratings.remove(game)));
                return Ok(());
            }
            // An operator may have undone the effect of a game, or another server has converted
            // its record. So read the records again.
            for game in folded {
                let Some((key, _)) = ratings.remove(&game) else { continue };
                if let Some(now) = store.get(key.clone()).await? {
                    ratings.insert(game, (key, now));
                }
            }
        }
    }

    /// Moves a player's statistics from records to volumes. Deletes the tallies, because they can
    /// be computed from the lines.
    async fn fold_figures(&self, player: &str) -> Result<(), StoreError> {
        let store = &*self.store;
        delete_all(store, TALLY.under([&player])?).await?;
        let prefix = FIGURES.under([&player])?;
        for (key, _) in Scan::all(store, prefix.clone()).await? {
            let Some(ruleset) = last_part(&key, &prefix) else { continue };
            let mut transaction = Transaction::new(store, "the statistics of a player");
            loop {
                let found = find::<Figures>(store, key.clone(), "a history").await?;
                let Some((figures, value)) = found else { break };
                let mut opened = Opened::read(store, player).await?;
                let conditions = vec![(key.clone(), Expect::Value(value))];
                let mut update = Update { conditions, writes: vec![Write::Delete { key: key.clone() }] };
                let figures = vec![(ruleset.clone(), figures)];
                opened.add(Volume { lines: Vec::new(), figures }, false, &mut update)?;
                opened.save(&mut update)?;
                if transaction.commit(update).await? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Moves a game's rating change from its record to the game's line, if there is a line.
    async fn fold_rating(&self, player: &str, game: GameId) -> Result<(), StoreError> {
        let store = &*self.store;
        let mut transaction = Transaction::new(store, "the history of a player");
        loop {
            let records = Scan::all(store, RATING_HISTORY.under([&player])?).await?;
            let of_game = |(_, value): &&(Key, Vec<u8>)| {
                HistoryRecord::read(value).is_ok_and(|record| record.game == game)
            };
            let Some((key, value)) = records.iter().find(of_game) else { return Ok(()) };
            let ended = HistoryRecord::read(value)?.at;
            let Some(line) = super::book::line_of(store, player, game, ended).await? else { return Ok(()) };
            let mut update = Update::default();
            let change = take_rating(store, &line, key, value, &mut update).await?;
            let amended =
                amend(store, player, game, ended, |line| line.change = Some(change), &mut update).await?;
            if !amended || transaction.commit(update).await? {
                return Ok(());
            }
        }
    }

    /// Moves the rating changes of the latest games from records to those lines that are on the
    /// page.
    pub(super) async fn fold_latest(
        &self,
        player: &str,
        opened: &mut Opened,
        update: &mut Update,
    ) -> Result<(), StoreError> {
        let store = &*self.store;
        for (key, value) in store.scan(RATING_HISTORY.under([&player])?, None, AT_ONCE).await? {
            let game = HistoryRecord::read(&value)?.game;
            if let Some(line) = opened.book.lines.iter_mut().find(|line| line.game == game) {
                line.change = Some(take_rating(store, line, &key, &value, update).await?);
            }
        }
        Ok(())
    }
}

/// Returns the rating change in a record, and adds the deletion of the record to the update.
async fn take_rating(
    store: &dyn Store,
    line: &Line,
    key: &Key,
    value: &[u8],
    update: &mut Update,
) -> Result<Change, StoreError> {
    let HistoryRecord { game, before, after, undone, .. } = HistoryRecord::read(value)?;
    let found = find::<RatingChange>(store, RATED.key([&game])?, "a change").await?;
    let other = line.side.opponent();
    let change = found.map(|(change, _)| change);
    update.conditions.push((key.clone(), Expect::Value(value.to_vec())));
    update.writes.push(Write::Delete { key: key.clone() });
    Ok(Change {
        number: number_of(key),
        first_move: change.as_ref().map_or(0, |change| change.first_move),
        before,
        after,
        other: change.map(|change| (change.before[other], change.after[other])),
        undone,
    })
}
