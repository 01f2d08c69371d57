//! `/api/me/games`: the caller's running games, and whose turn it is.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flagfall_protocol::OwnGames;

use super::error::ApiError;
use super::request::Asker;
use crate::app::App;

pub(super) async fn list(
    State(app): State<Arc<App>>,
    Asker(asker): Asker,
) -> Result<Json<OwnGames>, ApiError> {
    Ok(Json(app.tables.own_games(&asker.player.id).await?))
}
