//! A player's turns and finished games as a feed, at a secret address.

use flagfall_protocol::{Feed, FeedItem, MadeFeed, OwnGame, PlayedGame, Secret, Time};
use flagfall_store::{StoreError, Write};

use super::{Notices, WebhookError, check_account};
use crate::histories::{Histories, Page};
use flagfall_base::identity::{Identity, Token};
use flagfall_base::keys::{FEED_OF, FEEDS};
use flagfall_base::names::player_named;

/// Most finished games in a feed.
const ENDED_MAX: usize = 20;
const DAY_MS: u64 = 24 * 3_600_000;

impl Notices {
    /// Makes or replaces the asker's feed. The earlier address stops working.
    pub async fn make_feed(&self, asker: &Identity) -> Result<MadeFeed, WebhookError> {
        check_account(asker)?;
        self.forget_feed(&asker.player.id).await?;
        let token = Token::random().map_err(|_| WebhookError::Chance)?;
        let hash = token.hash();
        let put = |key, value: &str| Write::Put { key, value: value.as_bytes().to_vec(), expires: None };
        let own = put(FEED_OF.key([&asker.player.id])?, &hash);
        self.put(vec![], vec![own, put(FEEDS.key([&hash])?, &asker.player.id)]).await?;
        Ok(MadeFeed { path: Secret::new(format!("/api/feeds/{}", token.expose())) })
    }

    /// Removes the asker's feed.
    ///
    /// # Errors
    /// [`WebhookError::NoSuchFeed`], [`WebhookError::Store`].
    pub async fn remove_feed(&self, asker: &Identity) -> Result<(), WebhookError> {
        if !self.has_feed(&asker.player.id).await? {
            return Err(WebhookError::NoSuchFeed);
        }
        Ok(self.forget_feed(&asker.player.id).await?)
    }

    /// True if a player has a feed.
    pub async fn has_feed(&self, player: &str) -> Result<bool, StoreError> {
        Ok(self.store.get(FEED_OF.key([&player])?).await?.is_some())
    }

    /// Returns the feed with this secret.
    ///
    /// # Errors
    /// [`WebhookError::NoSuchFeed`], [`WebhookError::Store`].
    pub async fn feed(&self, secret: &str, histories: &Histories) -> Result<Feed, WebhookError> {
        let token: Token = secret.parse().map_err(|_| WebhookError::NoSuchFeed)?;
        let id = self.store.get(FEEDS.key([&token.hash()])?).await?.ok_or(WebhookError::NoSuchFeed)?;
        let id = String::from_utf8(id).map_err(|_| WebhookError::NoSuchFeed)?;
        let player = player_named(&*self.store, &id).await?.ok_or(WebhookError::NoSuchFeed)?;
        let own = self.tables.own_games(&id).await?;
        let title = format!("Flagfall: {}", player.name);
        let page = Page { limit: Some(ENDED_MAX), ..Page::default() };
        let ended = histories.games(player, Some(&id), &page).await?.games;
        let turns = own.games.iter().filter(|own| own.to_act).map(turn);
        let items = turns.chain(ended.iter().map(over)).collect();
        Ok(Feed { version: "https://jsonfeed.org/version/1.1".to_owned(), title, items })
    }

    pub(super) async fn forget_feed(&self, player: &str) -> Result<(), StoreError> {
        let own = FEED_OF.key([&player])?;
        let Some(hash) = self.store.get(own.clone()).await? else { return Ok(()) };
        let hash = String::from_utf8(hash).unwrap_or_default();
        self.put(vec![], vec![Write::Delete { key: own }, Write::Delete { key: FEEDS.key([&hash])? }]).await
    }
}

fn turn(own: &OwnGame) -> FeedItem {
    let OwnGame { game, side, to_act: _, deadline, draw_offered } = own;
    let opponent = &game.players[side.opponent()].name;
    let until =
        deadline.map_or_else(String::new, |deadline| format!(" You have time until {}.", moment(deadline)));
    let offer = if *draw_offered { " A draw is offered." } else { "" };
    let began = match (game.terms.time, deadline) {
        (Time::Correspondence { days }, Some(deadline)) => {
            Some(moment(deadline.saturating_sub(u64::from(days) * DAY_MS)))
        }
        _ => None,
    };
    FeedItem {
        id: format!("{}-{}", game.id, game.ply),
        title: format!("Your turn against {opponent}: {}", game.terms.ruleset),
        content_text: format!("Game {}, ply {}, you play {side}.{until}{offer}", game.id, game.ply),
        date_published: began,
    }
}

fn over(game: &PlayedGame) -> FeedItem {
    let score = match game.score {
        flagfall_protocol::GameScore::Won => "won",
        flagfall_protocol::GameScore::Drawn => "drawn",
        flagfall_protocol::GameScore::Lost => "lost",
    };
    FeedItem {
        id: format!("{}-over", game.game),
        title: format!("Game {score} against {}: {}", game.opponent.name, game.ruleset),
        content_text: format!(
            "Game {}, {}, after {} plies.",
            game.game,
            game.reason.replace('_', " "),
            game.plies
        ),
        date_published: Some(moment(game.ended)),
    }
}

/// Formats a time in milliseconds since 1970 as RFC 3339, in UTC.
fn moment(ms: u64) -> String {
    let (days, second) = (ms / DAY_MS, ms % DAY_MS / 1_000);
    // Days since 0000-03-01, so that a leap day ends its year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn moments_are_those_of_rfc_3339() {
        assert_eq!(moment(0), "1970-01-01T00:00:00Z");
        assert_eq!(moment(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(moment(1_795_219_199_999), "2026-11-20T23:59:59Z");
    }
}
