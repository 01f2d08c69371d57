//! All running games of one player, in memory or at rest, on any server.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use flagfall_board::GameId;
use flagfall_protocol::{GameSummary, OwnGame, OwnGames};
use flagfall_store::StoreError;
use futures_util::StreamExt as _;
use tokio::time::timeout;

use super::error::TableError;
use super::registry::Tables;
use flagfall_base::keys::SEAT;

/// The maximum number of a player's games that are listed. A player has more running games than
/// this only if the operator has raised `--games-per-player` far above its default.
const OWN_GAMES_MAX: usize = 512;
const OPEN_AT_ONCE: usize = 8;
const LIST_TIMEOUT: Duration = Duration::from_secs(1);

impl Tables {
    /// Returns the running games of a player, most urgent first. Takes the games from the store's
    /// list of seats, because the player may have games that are not in this server's memory.
    /// Games that cannot be shown are named in `unavailable`. Returns [`StoreError`] if the list
    /// cannot be read.
    pub async fn own_games(&self, player: &str) -> Result<OwnGames, StoreError> {
        let mut own = OwnGames { server_time: self.now().0, ..OwnGames::default() };
        for game in self.seats_of(player).await? {
            match self.own_game(game, player).await {
                Ok(Some(found)) => own.games.push(found),
                Ok(None) => {}
                Err(_) => own.unavailable.push(game),
            }
        }
        OwnGame::sort(&mut own.games);
        Ok(own)
    }

    async fn own_game(&self, game: GameId, player: &str) -> Result<Option<OwnGame>, TableError> {
        let (summary, audience, view) = self.find(game).await?.look(Some(player)).await?;
        let side = audience.side().filter(|_| summary.outcome.is_none());
        Ok(side.map(|side| OwnGame::new(summary, side, &view)))
    }

    pub(super) async fn seats_of(&self, player: &str) -> Result<BTreeSet<GameId>, StoreError> {
        let seats = self.store().scan(SEAT.under([&player])?, None, OWN_GAMES_MAX).await?;
        Ok(seats.iter().filter_map(|(key, _)| SEAT.game(key)).collect())
    }

    /// Returns the running games of a player, newest first. While the store is unreachable, returns
    /// only the games in memory.
    pub async fn games_of(&self, player: &str) -> Vec<GameSummary> {
        let mut games = self.residents().games_of(player);
        if !self.connections().is_store_away() {
            match timeout(LIST_TIMEOUT, self.listed_of(player, &games)).await {
                Ok(Ok(listed)) => games = listed,
                Ok(Err(error)) => tracing::debug!(%error, "a player's games at rest could not be listed"),
                Err(_) => tracing::debug!("the store took too long for the list of a player's games"),
            }
        }
        let opened = games.into_iter().map(|game| self.find(game));
        let mut opened = futures_util::stream::iter(opened).buffer_unordered(OPEN_AT_ONCE);
        let mut summaries = Vec::new();
        while let Some(found) = opened.next().await {
            summaries.extend(found.ok().filter(|handle| handle.is_running()).map(|handle| handle.summary()));
        }
        summaries.sort_by_key(|summary| Reverse((summary.created, summary.id)));
        summaries
    }

    async fn listed_of(
        &self,
        player: &str,
        at_hand: &BTreeSet<GameId>,
    ) -> Result<BTreeSet<GameId>, StoreError> {
        let mut games = self.seats_of(player).await?;
        let unlisted: Vec<GameId> = at_hand.difference(&games).copied().collect();
        for game in unlisted {
            // This server may not know yet that the game has ended on another server, because a
            // table without connections reads new entries with a delay.
            let is_behind = match (self.residents().handle(game), self.store().head(game).await) {
                (Some(handle), Ok(head)) => head.seq > handle.facts.head(),
                _ => false,
            };
            if !is_behind {
                games.insert(game);
            }
        }
        Ok(games)
    }

    /// Returns the number of a player's running games. If the player would reach the limit, damaged
    /// games are not counted.
    pub async fn count_games_of(&self, player: &str) -> Result<usize, TableError> {
        let games = self.seats_of(player).await.map_err(|_| TableError::Unavailable)?;
        if games.len() < self.host.settings.games_per_player_max {
            return Ok(games.len());
        }
        self.count_playable(&games).await
    }

    /// Returns the number of these games that can be played or are being created.
    pub(super) async fn count_playable(&self, games: &BTreeSet<GameId>) -> Result<usize, TableError> {
        let mut playable = 0;
        for game in games {
            match self.find(*game).await {
                Ok(handle) => playable += usize::from(handle.is_running()),
                Err(TableError::NotFound | TableError::TooNew) => playable += 1,
                Err(TableError::Quarantined) => {}
                Err(error @ (TableError::Unavailable | TableError::Failed)) => return Err(error),
            }
        }
        Ok(playable)
    }
}
