//! `/api` routes for ratings: leaderboards, histories, and the change of one game.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use flagfall_board::GameId;
use flagfall_protocol::{Leaderboard, RatingChange, RatingHistory, Speed};
use flagfall_rules::Ruleset;
use serde::Deserialize;

use super::error::ApiError;
use super::request::caller;
use crate::app::App;
use flagfall_game::TableError;

/// Selects a leaderboard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    /// True for the bots' leaderboard.
    #[serde(default)]
    bots: bool,
}

pub(super) async fn leaderboard(
    State(app): State<Arc<App>>,
    Path((ruleset, speed)): Path<(String, String)>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<Leaderboard>, ApiError> {
    let Query(ListQuery { bots }) = query.map_err(|_| ApiError::BadListQuery)?;
    let (ruleset, speed) = class(&ruleset, &speed)?;
    Ok(Json(app.ratings.leaderboard(ruleset, speed, bots).await?))
}

pub(super) async fn history(
    State(app): State<Arc<App>>,
    Path((name, ruleset, speed)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Json<RatingHistory>, ApiError> {
    let (ruleset, speed) = class(&ruleset, &speed)?;
    let asker = caller(&app, &headers).await?;
    let player = app.players.profile(&name).await?.player;
    Ok(Json(app.ratings.history(player, asker.as_deref(), ruleset, speed).await?))
}

pub(super) async fn change(
    State(app): State<Arc<App>>,
    Path(game): Path<String>,
    headers: HeaderMap,
) -> Result<Json<RatingChange>, ApiError> {
    let game: GameId = game.parse().map_err(|_| ApiError::NotRated)?;
    let change = app.ratings.change(game).await?.ok_or(ApiError::NotRated)?;
    // In a private game, only its players may know that it was rated.
    let asker = caller(&app, &headers).await?;
    match app.tables.find(game).await?.look(asker.as_deref()).await {
        Ok(_) => Ok(Json(change)),
        Err(TableError::NotFound) => Err(ApiError::NotRated),
        Err(error) => Err(error.into()),
    }
}

/// Parses a standard ruleset and a speed.
fn class(ruleset: &str, speed: &str) -> Result<(&'static str, Speed), ApiError> {
    let ruleset = Ruleset::all().iter().find(|known| known.id == ruleset).ok_or(ApiError::NoSuchRuleset)?;
    Ok((ruleset.id, Speed::from_name(speed).ok_or(ApiError::NoSuchSpeed)?))
}
