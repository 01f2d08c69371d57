//! `/api` routes for finished games: histories, head-to-head results, and the caller's
//! statistics.

use axum::Json;
use axum::extract::State;
use flagfall_protocol::{HeadToHead, PlayedGames, Statistics};
use serde::Deserialize;

use super::error::Answer;
use super::request::{MaybeAsker, Owner, Path, Query, QueryFields, Shared};
use flagfall_services::histories::Page;

/// Selects a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PageQuery {
    /// The value of `next` in the previous page. If absent, the first page is returned.
    after: Option<String>,
    /// The maximum number of games on the page.
    limit: Option<usize>,
}

impl QueryFields for PageQuery {
    const REASON: &'static str = "page";
}

impl From<PageQuery> for Page {
    fn from(PageQuery { after, limit }: PageQuery) -> Page {
        Page { after, limit }
    }
}

pub(super) async fn games(
    State(app): Shared,
    Path(name): Path<String>,
    Query(page): Query<PageQuery>,
    asker: MaybeAsker,
) -> Answer<Json<PlayedGames>> {
    let player = app.players.profile(&name).await?.player;
    Ok(Json(app.histories.games(player, asker.id(), &page.into()).await?))
}

pub(super) async fn head_to_head(
    State(app): Shared,
    Path((name, other)): Path<(String, String)>,
    Query(page): Query<PageQuery>,
    asker: MaybeAsker,
) -> Answer<Json<HeadToHead>> {
    let player = app.players.profile(&name).await?.player;
    let opponent = app.players.profile(&other).await?.player;
    Ok(Json(app.histories.head_to_head(player, opponent, asker.id(), &page.into()).await?))
}

pub(super) async fn statistics(State(app): Shared, Owner(asker): Owner) -> Answer<Json<Statistics>> {
    Ok(Json(app.histories.statistics(&asker.player.id).await?))
}
