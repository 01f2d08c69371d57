//! `/api` routes for finished games: histories, head to head, and the caller's statistics.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use flagfall_protocol::{HeadToHead, PlayedGames, Statistics};
use serde::Deserialize;

use super::error::ApiError;
use super::request::{Owner, caller};
use crate::app::App;
use flagfall_services::histories::Page;

/// Selects a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageQuery {
    after: Option<String>,
    limit: Option<usize>,
}

type PageOrNot = Result<Query<PageQuery>, QueryRejection>;

fn page(query: PageOrNot) -> Result<Page, ApiError> {
    let Query(PageQuery { after, limit }) = query.map_err(|_| ApiError::BadPage)?;
    Ok(Page { after, limit })
}

pub(super) async fn games(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    query: PageOrNot,
    headers: HeaderMap,
) -> Result<Json<PlayedGames>, ApiError> {
    let page = page(query)?;
    let asker = caller(&app, &headers).await?;
    let player = app.players.profile(&name).await?.player;
    Ok(Json(app.histories.games(player, asker.as_deref(), &page).await?))
}

pub(super) async fn head_to_head(
    State(app): State<Arc<App>>,
    Path((name, other)): Path<(String, String)>,
    query: PageOrNot,
    headers: HeaderMap,
) -> Result<Json<HeadToHead>, ApiError> {
    let page = page(query)?;
    let asker = caller(&app, &headers).await?;
    let player = app.players.profile(&name).await?.player;
    let opponent = app.players.profile(&other).await?.player;
    Ok(Json(app.histories.head_to_head(player, opponent, asker.as_deref(), &page).await?))
}

pub(super) async fn statistics(
    State(app): State<Arc<App>>,
    Owner(asker): Owner,
) -> Result<Json<Statistics>, ApiError> {
    Ok(Json(app.histories.statistics(&asker.player.id).await?))
}
