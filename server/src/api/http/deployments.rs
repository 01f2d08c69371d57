//! `/api/me/deployments`: an account's saved deployments.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use flagfall_protocol::{SaveDeployment, SavedDeployment, SavedDeployments};

use super::error::ApiError;
use super::request::{Body, Owner};
use crate::app::App;

pub(super) async fn list(
    State(app): State<Arc<App>>,
    Owner(asker): Owner,
) -> Result<Json<SavedDeployments>, ApiError> {
    Ok(Json(app.deployments.list(&asker).await?))
}

pub(super) async fn save(
    State(app): State<Arc<App>>,
    Path((ruleset, name)): Path<(String, String)>,
    Owner(asker): Owner,
    Body(SaveDeployment { setup }): Body<SaveDeployment>,
) -> Result<Json<SavedDeployment>, ApiError> {
    Ok(Json(app.deployments.save(&asker, &ruleset, &name, &setup).await?))
}

pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Path((ruleset, name)): Path<(String, String)>,
    Owner(asker): Owner,
) -> Result<StatusCode, ApiError> {
    app.deployments.remove(&asker, &ruleset, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
