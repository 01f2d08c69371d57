//! Reads and writes the [list of public games](super::public_list).

use std::collections::HashMap;

use flagfall_board::{GameId, PerSide};
use flagfall_protocol::{GameSummary, Player};
use flagfall_store::{Expect, Key, Reached, StoreError, Update, UpdateOutcome, Write};
use futures_util::StreamExt as _;

use super::handle::TableHandle;
use super::line_writer::write_line;
use super::public_list::LINES_MAX;
use super::registry::Tables;
use flagfall_base::keys::{LIVE, PUBLIC};
use flagfall_base::names::players_today;

/// The number of games whose lines or players are handled at once.
const AT_ONCE: usize = 16;

impl Tables {
    /// Reads the newest lines, and looks up the players' current names. If `is_thorough` is
    /// false, keeps the names that were looked up before. After an error, the earlier lines stay.
    pub(super) async fn read_public_games(&self, is_thorough: bool) -> Result<(), StoreError> {
        self.residents().public_games.lock().begin_reading();
        let Reached { records, is_whole } =
            self.store().scan_reachable(PUBLIC.all()?, None, LINES_MAX).await?;
        let mut lines: Vec<GameSummary> = Vec::with_capacity(records.len());
        for (key, value) in records {
            // A server of another version may have written a line that this server cannot parse.
            // Such a line is not shown.
            let Ok(line) = serde_json::from_slice::<GameSummary>(&value) else { continue };
            if !(is_thorough && self.clear_line(key, line.id).await?) {
                lines.push(line);
            }
        }
        let mut known: HashMap<GameId, PerSide<Player>> = HashMap::new();
        if !is_thorough {
            known.extend(self.residents().public_games.lock().players());
        }
        let lines = lines.into_iter().map(|mut line| {
            let known = known.remove(&line.id);
            async move {
                line.players = match known {
                    Some(players) => players,
                    None => players_today(self.store(), &line.players).await,
                };
                line
            }
        });
        let mut read: Vec<GameSummary> = futures_util::stream::iter(lines).buffered(AT_ONCE).collect().await;
        let mut known = self.residents().public_games.lock();
        if !is_whole {
            // The store does not answer for these games, so they cannot have changed.
            read.extend(known.missed(&read, |game| self.store().silent_since_of(game).is_some()));
        }
        known.replace(read);
        Ok(())
    }

    /// Deletes the line of a game if the game is not running. Returns true if the line was
    /// deleted.
    async fn clear_line(&self, key: Key, game: GameId) -> Result<bool, StoreError> {
        let live = LIVE.key([&game])?;
        if self.residents().handle(game).is_some() || self.store().get(live.clone()).await?.is_some() {
            return Ok(false);
        }
        let conditions = vec![(live, Expect::Absent)];
        let writes = vec![Write::Delete { key }];
        Ok(self.store().update(Update { conditions, writes }).await? == UpdateOutcome::Ok)
    }

    /// Updates the lines of games in memory that have made progress. Skips games on a live clock
    /// if there are no other servers.
    pub(super) async fn write_lines(&self) {
        let is_missed = |handle: &TableHandle| self.seats().is_some() || handle.facts.header.is_slow();
        let handles = self.residents().running_handles().into_iter();
        let handles = handles.filter(|handle| is_missed(handle) && handle.facts.has_news_for_lists());
        let written = handles.map(|handle| async move {
            if let Err(error) = write_line(&handle.facts).await {
                tracing::debug!(%error, "could not update the list of public games; trying again");
            }
        });
        futures_util::stream::iter(written).buffer_unordered(AT_ONCE).collect::<()>().await;
    }
}
