//! Running games in the order of their players' ratings.

use std::cmp::Reverse;

use flagfall_board::Side;
use flagfall_protocol::{GameSummary, PlayerKind, Speed};
use flagfall_store::{StoreError, SystemClock, WallClock};

use super::record::{Class, RatingRecord, point, rating_key};
use super::{Ratings, has_class};

impl Ratings {
    /// Sorts games by the sum of their two players' ratings, highest first. A player without a
    /// rating for such games counts as 0. Games with the same sum keep their order.
    pub async fn sort_games(&self, games: Vec<GameSummary>) -> Result<Vec<GameSummary>, StoreError> {
        let mut rated = Vec::with_capacity(games.len());
        for game in games {
            rated.push((self.points_in(&game).await?, game));
        }
        rated.sort_by_key(|(points, _)| Reverse(*points));
        Ok(rated.into_iter().map(|(_, game)| game).collect())
    }

    async fn points_in(&self, game: &GameSummary) -> Result<u32, StoreError> {
        let speed = Speed::of(game.terms.time).filter(|_| has_class(&game.terms.ruleset));
        let Some(speed) = speed else { return Ok(0) };
        let class = Class { ruleset: game.terms.ruleset.clone(), speed };
        let mut sum = 0;
        for player in Side::BOTH.map(|side| &game.players[side]) {
            if matches!(player.kind, PlayerKind::Account | PlayerKind::Bot) {
                sum += self.points_of(&player.id, &class).await?;
            }
        }
        Ok(sum)
    }

    async fn points_of(&self, player: &str, class: &Class) -> Result<u32, StoreError> {
        let key = (player.to_owned(), class.clone());
        let known = self.known.lock().get(&key);
        if let Some(points) = known {
            return Ok(points);
        }
        let now = SystemClock.now();
        let points = match self.store.get(rating_key(player, class)?).await? {
            Some(value) => point(RatingRecord::read(Some(&value), now)?.now(now)).rating,
            None => 0,
        };
        self.known.lock().put(key, points);
        Ok(points)
    }
}
