//! `/api/me/deployments`: an account's saved deployments.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use flagfall_protocol::{SaveDeployment, SavedDeployment, SavedDeployments};

use super::error::ApiError;
use super::request::{Body, Owner, Path, Shared};

pub(super) async fn list(
    State(app): Shared,
    Owner(asker): Owner,
) -> Result<Json<SavedDeployments>, ApiError> {
    Ok(Json(app.deployments.list(&asker).await?))
}

pub(super) async fn save(
    State(app): Shared,
    Path((ruleset, name)): Path<(String, String)>,
    Owner(asker): Owner,
    Body(SaveDeployment { setup }): Body<SaveDeployment>,
) -> Result<Json<SavedDeployment>, ApiError> {
    Ok(Json(app.deployments.save(&asker, &ruleset, &name, &setup).await?))
}

pub(super) async fn remove(
    State(app): Shared,
    Path((ruleset, name)): Path<(String, String)>,
    Owner(asker): Owner,
) -> Result<NoContent, ApiError> {
    app.deployments.remove(&asker, &ruleset, &name).await?;
    Ok(NoContent)
}
