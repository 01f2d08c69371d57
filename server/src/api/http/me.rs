//! `/api` routes for the caller's own data: games and queued moves, deployments, challenges
//! addressed to them, webhook, feed, e-mail and notices to browsers.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use flagfall_board::GameId;
use flagfall_protocol::{
    ChangePreferences, DumpSetting, EmailSetting, Invitation, Invitations, Invite, MadeFeed, MoveQueue,
    NewEmail, NewPush, NewQueue, NewWebhook, OwnGames, OwnReports, Preferences, PushKey, RemovePush,
    SaveDeployment, SavedDeployment, SavedDeployments, WebhookAttempt, WebhookInfo, WebhookSet,
};

use super::answer::JsonFeed;
use super::error::{Answer, ApiError};
use super::request::{Asker, Body, Owner, Path, Shared};
use flagfall_game::TableError;
use flagfall_services::dump;
use flagfall_services::preferences;
use flagfall_services::reports::own_reports;
use serde::Serialize;

pub(super) async fn deployments(State(app): Shared, Owner(asker): Owner) -> Answer<Json<SavedDeployments>> {
    Ok(Json(app.deployments.list(&asker).await?))
}

pub(super) async fn save_deployment(
    State(app): Shared,
    Path((ruleset, name)): Path<(String, String)>,
    Owner(asker): Owner,
    Body(SaveDeployment { setup }): Body<SaveDeployment>,
) -> Answer<Json<SavedDeployment>> {
    Ok(Json(app.deployments.save(&asker, &ruleset, &name, &setup).await?))
}

pub(super) async fn remove_deployment(
    State(app): Shared,
    Path((ruleset, name)): Path<(String, String)>,
    Owner(asker): Owner,
) -> Answer<NoContent> {
    app.deployments.remove(&asker, &ruleset, &name).await?;
    Ok(NoContent)
}

pub(super) async fn invitations(State(app): Shared, Asker(asker): Asker) -> Answer<Json<Invitations>> {
    Ok(Json(app.lobby.invitations(&asker.player).await?))
}

pub(super) async fn invite(
    State(app): Shared,
    Asker(asker): Asker,
    Body(Invite { challenge, name }): Body<Invite>,
) -> Answer<Json<Invitation>> {
    let player = app.players.addressee(&name).await?;
    Ok(Json(app.lobby.invite(&asker.player, &challenge, &player).await?))
}

pub(super) async fn decline(
    State(app): Shared,
    Asker(asker): Asker,
    Path(challenge): Path<String>,
) -> Answer<NoContent> {
    app.lobby.decline(&asker.player, &challenge).await?;
    Ok(NoContent)
}

pub(super) async fn dump_setting(State(app): Shared, Owner(asker): Owner) -> Answer<Json<DumpSetting>> {
    Ok(Json(DumpSetting { dump: dump::listing(&*app.store, &asker.player.id).await? }))
}

pub(super) async fn set_dump(
    State(app): Shared,
    Owner(asker): Owner,
    Body(DumpSetting { dump }): Body<DumpSetting>,
) -> Answer<NoContent> {
    dump::set_listing(&*app.store, &asker, dump).await?;
    Ok(NoContent)
}

pub(super) async fn preferences(State(app): Shared, Owner(asker): Owner) -> Answer<Json<Preferences>> {
    Ok(Json(preferences::preferences(&*app.store, &asker).await?))
}

pub(super) async fn change_preferences(
    State(app): Shared,
    Owner(asker): Owner,
    Body(change): Body<ChangePreferences>,
) -> Answer<Json<Preferences>> {
    Ok(Json(preferences::change(&*app.store, &asker, &change).await?))
}

pub(super) async fn games(State(app): Shared, Asker(asker): Asker) -> Answer<Json<OwnGames>> {
    Ok(Json(app.tables.own_games(&asker.player.id).await?))
}

pub(super) async fn reports(State(app): Shared, Asker(asker): Asker) -> Answer<Json<OwnReports>> {
    Ok(Json(OwnReports { reports: own_reports(&*app.store, &asker.player).await? }))
}

fn game(id: &str) -> Result<GameId, ApiError> {
    id.parse().map_err(|_| TableError::NotFound.into())
}

pub(super) async fn queue(
    State(app): Shared,
    Path(id): Path<String>,
    Asker(asker): Asker,
) -> Answer<Json<MoveQueue>> {
    Ok(Json(app.turns.queued(game(&id)?, &asker.player.id).await?))
}

pub(super) async fn set_queue(
    State(app): Shared,
    Path(id): Path<String>,
    Asker(asker): Asker,
    Body(new): Body<NewQueue>,
) -> Answer<Json<MoveQueue>> {
    Ok(Json(app.turns.queue(game(&id)?, &asker.player.id, new).await?))
}

pub(super) async fn clear_queue(
    State(app): Shared,
    Path(id): Path<String>,
    Asker(asker): Asker,
) -> Answer<NoContent> {
    app.turns.clear_queue(game(&id)?, &asker.player.id).await?;
    Ok(NoContent)
}

pub(super) async fn webhook(State(app): Shared, Owner(asker): Owner) -> Answer<Json<WebhookInfo>> {
    Ok(Json(app.notices.info(&asker).await?))
}

pub(super) async fn set_webhook(
    State(app): Shared,
    Owner(asker): Owner,
    Body(new): Body<NewWebhook>,
) -> Answer<Json<WebhookSet>> {
    Ok(Json(app.notices.set(&asker, &new).await?))
}

pub(super) async fn remove_webhook(State(app): Shared, Owner(asker): Owner) -> Answer<NoContent> {
    app.notices.remove(&asker).await?;
    Ok(NoContent)
}

pub(super) async fn test_webhook(State(app): Shared, Owner(asker): Owner) -> Answer<Json<WebhookAttempt>> {
    Ok(Json(app.notices.test(&asker).await?))
}

pub(super) async fn make_feed(State(app): Shared, Owner(asker): Owner) -> Answer<Json<MadeFeed>> {
    Ok(Json(app.notices.make_feed(&asker).await?))
}

/// Whether the player has a feed. The feed's address is sent only when the feed is made.
#[derive(Serialize)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
pub(super) struct FeedInfo {
    exists: bool,
}

pub(super) async fn feed_info(State(app): Shared, Owner(asker): Owner) -> Answer<Json<FeedInfo>> {
    Ok(Json(FeedInfo { exists: app.notices.has_feed(&asker.player.id).await? }))
}

pub(super) async fn remove_feed(State(app): Shared, Owner(asker): Owner) -> Answer<NoContent> {
    app.notices.remove_feed(&asker).await?;
    Ok(NoContent)
}

pub(super) async fn feed(State(app): Shared, Path(secret): Path<String>) -> Answer<JsonFeed> {
    Ok(JsonFeed(app.notices.feed(&secret, &app.histories).await?))
}

pub(super) async fn push_key(State(app): Shared) -> Answer<Json<PushKey>> {
    Ok(Json(app.notices.push_key().await?))
}

pub(super) async fn subscribe(
    State(app): Shared,
    Owner(asker): Owner,
    Body(new): Body<NewPush>,
) -> Answer<NoContent> {
    app.notices.subscribe(&asker, &new).await?;
    Ok(NoContent)
}

pub(super) async fn unsubscribe(
    State(app): Shared,
    Owner(asker): Owner,
    Body(RemovePush { endpoint }): Body<RemovePush>,
) -> Answer<NoContent> {
    app.notices.unsubscribe(&asker, &endpoint).await?;
    Ok(NoContent)
}

pub(super) async fn email(State(app): Shared, Owner(asker): Owner) -> Answer<Json<EmailSetting>> {
    Ok(Json(app.notices.email(&asker).await?))
}

pub(super) async fn set_email(
    State(app): Shared,
    Owner(asker): Owner,
    Body(new): Body<NewEmail>,
) -> Answer<Json<EmailSetting>> {
    Ok(Json(app.notices.set_email(&asker, &new).await?))
}

pub(super) async fn remove_email(State(app): Shared, Owner(asker): Owner) -> Answer<NoContent> {
    app.notices.remove_email(&asker).await?;
    Ok(NoContent)
}

pub(super) async fn confirm_email_again(State(app): Shared, Owner(asker): Owner) -> Answer<NoContent> {
    app.notices.confirm_again(&asker).await?;
    Ok(NoContent)
}
