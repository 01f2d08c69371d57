//! All running games of one player, whichever servers have them open.

use flagfall_board::GameId;
use flagfall_protocol::{OwnGame, OwnGames};
use flagfall_store::{Key, StoreError};

use super::registry::{TableError, Tables};
use crate::keys::game_after;

/// Games of one player that are looked at; more he cannot have unless the operator lets him.
const OWN_GAMES_MAX: usize = 512;

impl Tables {
    /// The running games of a player, the most urgent first. The store's list of seats tells which they are, not what this server has in memory.
    ///
    /// # Errors
    /// [`StoreError`] when the list cannot be read. Single games that cannot be shown are named in the answer.
    pub async fn own_games(&self, player: &str) -> Result<OwnGames, StoreError> {
        let prefix = Key::new(format!("seat/{player}/"))?;
        let seats = self.store().scan(prefix.clone(), None, OWN_GAMES_MAX).await?;
        let mut own = OwnGames { server_time: self.now().0, ..OwnGames::default() };
        for (key, _) in seats {
            let Some(game) = game_after(&key, &prefix) else { continue };
            match self.own_game(game, player).await {
                Ok(Some(found)) => own.games.push(found),
                Ok(None) => {}
                Err(_) => own.unavailable.push(game),
            }
        }
        OwnGame::sort(&mut own.games);
        Ok(own)
    }

    /// A game as one of its players sees it; none when it has ended meanwhile, or he does not play it.
    async fn own_game(&self, game: GameId, player: &str) -> Result<Option<OwnGame>, TableError> {
        let (summary, audience, view) = self.find(game).await?.look(Some(player)).await?;
        let side = audience.side().filter(|_| summary.outcome.is_none());
        Ok(side.map(|side| OwnGame::new(summary, side, &view)))
    }
}
