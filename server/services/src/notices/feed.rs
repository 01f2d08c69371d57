//! A feed of a player's turns and finished games, at a secret address.

use flagfall_board::Stamp;
use flagfall_protocol::{Feed, FeedItem, MadeFeed, OwnGame, PlayedGame, Secret, Time};
use flagfall_store::{StoreError, Write};

use super::{Notices, no_such};
use crate::histories::{Histories, Page};
use crate::refused::{Refused, check_account};
use flagfall_base::identity::{Principal, Token};
use flagfall_base::keys::{FEED_OF, FEEDS};
use flagfall_base::names::player_named;
use flagfall_base::transact::{delete, write};
use flagfall_words::counted;

const ENDED_MAX: usize = 20;
const DAY_MS: u64 = 24 * 3_600_000;

impl Notices {
    /// Makes or replaces the requester's feed. This invalidates an earlier address.
    pub async fn make_feed(&self, asker: &Principal) -> Result<MadeFeed, Refused> {
        check_account(asker, "webhooks")?;
        self.forget_feed(&asker.player.id).await?;
        let token = Token::random()?;
        let hash = token.hash();
        let put = |key, value: &str| Write::Put { key, value: value.as_bytes().to_vec(), expires: None };
        let own = put(FEED_OF.key([&asker.player.id])?, &hash);
        write(&*self.store, vec![own, put(FEEDS.key([&hash])?, &asker.player.id)]).await?;
        Ok(MadeFeed { path: Secret::new(format!("/api/feeds/{}", token.expose())) })
    }

    pub async fn remove_feed(&self, asker: &Principal) -> Result<(), Refused> {
        if !self.has_feed(&asker.player.id).await? {
            return Err(no_such("feed"));
        }
        Ok(self.forget_feed(&asker.player.id).await?)
    }

    pub async fn has_feed(&self, player: &str) -> Result<bool, StoreError> {
        Ok(self.store.get(FEED_OF.key([&player])?).await?.is_some())
    }

    pub async fn feed(&self, secret: &str, histories: &Histories) -> Result<Feed, Refused> {
        let token: Token = secret.parse().map_err(|_| no_such("feed"))?;
        let id = self.store.get(FEEDS.key([&token.hash()])?).await?.ok_or_else(|| no_such("feed"))?;
        let id = String::from_utf8(id).map_err(|_| no_such("feed"))?;
        let player = player_named(&*self.store, &id).await?.ok_or_else(|| no_such("feed"))?;
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
        delete(&*self.store, vec![own, FEEDS.key([&hash])?]).await
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
            "Game {}, {}, after {}.{}",
            game.game,
            game.reason.replace('_', " "),
            counted(game.plies, "ply", "plies"),
            if game.erased { " The operator of the server has erased it." } else { "" }
        ),
        date_published: Some(moment(game.ended)),
    }
}

/// Formats a time in milliseconds since 1970 as RFC 3339, in UTC.
fn moment(ms: u64) -> String {
    let utc = Stamp(ms).utc();
    let (day, time) = utc.trim_end_matches(" UTC").split_once(' ').unwrap_or_default();
    format!("{day}T{time}:{:02}Z", ms / 1_000 % 60)
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
