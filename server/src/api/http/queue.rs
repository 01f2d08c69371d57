//! `/api/games/ID/queue`: moves queued for turns to come.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use flagfall_board::GameId;
use flagfall_protocol::{MoveQueue, NewQueue};

use super::error::ApiError;
use super::request::{Asker, Body};
use crate::app::App;

fn game(id: &str) -> Result<GameId, ApiError> {
    id.parse().map_err(|_| ApiError::NoSuchGame)
}

pub(super) async fn show(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Asker(asker): Asker,
) -> Result<Json<MoveQueue>, ApiError> {
    Ok(Json(app.turns.queued(game(&id)?, &asker.player.id).await?))
}

pub(super) async fn replace(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Asker(asker): Asker,
    Body(new): Body<NewQueue>,
) -> Result<Json<MoveQueue>, ApiError> {
    Ok(Json(app.turns.queue(game(&id)?, &asker.player.id, new).await?))
}

pub(super) async fn clear(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Asker(asker): Asker,
) -> Result<StatusCode, ApiError> {
    app.turns.clear_queue(game(&id)?, &asker.player.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
