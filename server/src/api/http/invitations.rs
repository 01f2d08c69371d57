//! `/api/me/challenges`: challenges addressed to players by name.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use flagfall_protocol::{Invitation, Invitations, Invite};

use super::error::ApiError;
use super::request::{Asker, Body};
use crate::app::App;

pub(super) async fn list(
    State(app): State<Arc<App>>,
    Asker(asker): Asker,
) -> Result<Json<Invitations>, ApiError> {
    Ok(Json(app.lobby.invitations(&asker.player).await?))
}

pub(super) async fn invite(
    State(app): State<Arc<App>>,
    Asker(asker): Asker,
    Body(Invite { challenge, name }): Body<Invite>,
) -> Result<Json<Invitation>, ApiError> {
    let player = app.players.addressee(&name).await?;
    Ok(Json(app.lobby.invite(&asker.player, &challenge, &player).await?))
}

pub(super) async fn decline(
    State(app): State<Arc<App>>,
    Asker(asker): Asker,
    Path(challenge): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.lobby.decline(&asker.player, &challenge).await?;
    Ok(StatusCode::NO_CONTENT)
}
