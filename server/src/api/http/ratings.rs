//! `/api` routes for ratings: leaderboards, histories, and the change of one game.

use axum::Json;
use axum::extract::State;
use flagfall_board::GameId;
use flagfall_protocol::{Leaderboard, RatingChange, RatingHistory, Speed};
use flagfall_rules::Ruleset;
use serde::Deserialize;

use super::error::{Answer, ApiError};
use super::request::{MaybeAsker, Path, Query, QueryFields, Shared};
use flagfall_game::TableError;

/// Selects a leaderboard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ListQuery {
    /// True for the bots' leaderboard.
    #[serde(default)]
    bots: bool,
}

impl QueryFields for ListQuery {
    const REASON: &'static str = "list";
}

pub(super) async fn leaderboard(
    State(app): Shared,
    Path((ruleset, speed)): Path<(String, String)>,
    Query(ListQuery { bots }): Query<ListQuery>,
) -> Answer<Json<Leaderboard>> {
    let (ruleset, speed) = class(&ruleset, &speed)?;
    Ok(Json(app.ratings.leaderboard(ruleset, speed, bots).await?))
}

pub(super) async fn history(
    State(app): Shared,
    Path((name, ruleset, speed)): Path<(String, String, String)>,
    asker: MaybeAsker,
) -> Answer<Json<RatingHistory>> {
    let (ruleset, speed) = class(&ruleset, &speed)?;
    let player = app.players.profile(&name).await?.player;
    Ok(Json(app.ratings.history(player, asker.id(), ruleset, speed).await?))
}

pub(super) async fn change(
    State(app): Shared,
    Path(game): Path<String>,
    asker: MaybeAsker,
) -> Answer<Json<RatingChange>> {
    let game: GameId = game.parse().map_err(|_| ApiError::NotRated)?;
    let change = app.ratings.change(game).await?.ok_or(ApiError::NotRated)?;
    // Only the players of a private game are allowed to find out that it was rated.
    match app.tables.find_for(asker.id(), game).await?.look(asker.id()).await {
        Ok(_) => Ok(Json(change)),
        Err(TableError::NotFound) => Err(ApiError::NotRated),
        Err(error) => Err(error.into()),
    }
}

fn class(ruleset: &str, speed: &str) -> Result<(&'static str, Speed), ApiError> {
    let ruleset = Ruleset::all().iter().find(|known| known.id == ruleset).ok_or(ApiError::NoSuchRuleset)?;
    Ok((ruleset.id, Speed::from_name(speed).ok_or(ApiError::NoSuchSpeed)?))
}
