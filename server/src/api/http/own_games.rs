//! `/api/me/games`: the caller's running games, and whose turn it is.

use axum::Json;
use axum::extract::State;
use flagfall_protocol::OwnGames;

use super::error::ApiError;
use super::request::{Asker, Shared};

pub(super) async fn list(State(app): Shared, Asker(asker): Asker) -> Result<Json<OwnGames>, ApiError> {
    Ok(Json(app.tables.own_games(&asker.player.id).await?))
}
