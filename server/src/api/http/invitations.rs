//! `/api/me/challenges`: challenges addressed to players by name.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use flagfall_protocol::{Invitation, Invitations, Invite};

use super::error::ApiError;
use super::request::{Asker, Body, Path, Shared};

pub(super) async fn list(State(app): Shared, Asker(asker): Asker) -> Result<Json<Invitations>, ApiError> {
    Ok(Json(app.lobby.invitations(&asker.player).await?))
}

pub(super) async fn invite(
    State(app): Shared,
    Asker(asker): Asker,
    Body(Invite { challenge, name }): Body<Invite>,
) -> Result<Json<Invitation>, ApiError> {
    let player = app.players.addressee(&name).await?;
    Ok(Json(app.lobby.invite(&asker.player, &challenge, &player).await?))
}

pub(super) async fn decline(
    State(app): Shared,
    Asker(asker): Asker,
    Path(challenge): Path<String>,
) -> Result<NoContent, ApiError> {
    app.lobby.decline(&asker.player, &challenge).await?;
    Ok(NoContent)
}
