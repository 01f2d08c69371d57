//! `/api/games/ID/queue`: moves queued for turns to come.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use flagfall_board::GameId;
use flagfall_protocol::{MoveQueue, NewQueue};

use super::error::ApiError;
use super::request::{Asker, Body, Path, Shared};
use flagfall_game::TableError;

fn game(id: &str) -> Result<GameId, ApiError> {
    id.parse().map_err(|_| TableError::NotFound.into())
}

pub(super) async fn show(
    State(app): Shared,
    Path(id): Path<String>,
    Asker(asker): Asker,
) -> Result<Json<MoveQueue>, ApiError> {
    Ok(Json(app.turns.queued(game(&id)?, &asker.player.id).await?))
}

pub(super) async fn replace(
    State(app): Shared,
    Path(id): Path<String>,
    Asker(asker): Asker,
    Body(new): Body<NewQueue>,
) -> Result<Json<MoveQueue>, ApiError> {
    Ok(Json(app.turns.queue(game(&id)?, &asker.player.id, new).await?))
}

pub(super) async fn clear(
    State(app): Shared,
    Path(id): Path<String>,
    Asker(asker): Asker,
) -> Result<NoContent, ApiError> {
    app.turns.clear_queue(game(&id)?, &asker.player.id).await?;
    Ok(NoContent)
}
