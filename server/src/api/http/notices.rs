//! `/api/me/webhook` and feeds: how players are notified of their turns.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use flagfall_protocol::{MadeFeed, NewWebhook, WebhookAttempt, WebhookInfo, WebhookSet};

use super::answer::JsonFeed;
use super::error::ApiError;
use super::request::{Body, Owner, Path, Shared};

pub(super) async fn show(State(app): Shared, Owner(asker): Owner) -> Result<Json<WebhookInfo>, ApiError> {
    Ok(Json(app.notices.info(&asker).await?))
}

pub(super) async fn set(
    State(app): Shared,
    Owner(asker): Owner,
    Body(new): Body<NewWebhook>,
) -> Result<Json<WebhookSet>, ApiError> {
    Ok(Json(app.notices.set(&asker, &new).await?))
}

pub(super) async fn remove(State(app): Shared, Owner(asker): Owner) -> Result<NoContent, ApiError> {
    app.notices.remove(&asker).await?;
    Ok(NoContent)
}

pub(super) async fn test(State(app): Shared, Owner(asker): Owner) -> Result<Json<WebhookAttempt>, ApiError> {
    Ok(Json(app.notices.test(&asker).await?))
}

pub(super) async fn make_feed(State(app): Shared, Owner(asker): Owner) -> Result<Json<MadeFeed>, ApiError> {
    Ok(Json(app.notices.make_feed(&asker).await?))
}

pub(super) async fn remove_feed(State(app): Shared, Owner(asker): Owner) -> Result<NoContent, ApiError> {
    app.notices.remove_feed(&asker).await?;
    Ok(NoContent)
}

pub(super) async fn feed(State(app): Shared, Path(secret): Path<String>) -> Result<JsonFeed, ApiError> {
    Ok(JsonFeed(app.notices.feed(&secret, &app.histories).await?))
}
