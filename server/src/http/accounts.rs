//! `/api` routes for players: sign-up, login, tokens, profiles, export and deletion.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, StatusCode};
use flagfall_protocol::{
    AccountExport, BlockList, Confirmation, LoggedIn, Login, MadeToken, Me, NewPassword, NewRecoveryCode,
    NewToken, PlayerKind, Profile, Recover, Recovered, Scope, SignUp, SignedUp, TokenList,
};
use serde::de::DeserializeOwned;

use super::{ApiError, credential};
use crate::app::App;
use crate::blocks::{BlockRefusal, blocked_by, set_blocked};
use crate::conduct::conduct_of;
use crate::gateway::Peer;
use crate::notices::WebhookError;
use crate::players::PlayerError;
use flagfall_base::identity::Identity;
use flagfall_base::keys::LEAVING;

/// Attempts to carry out a request while its guest's record changes.
const STANDING_ATTEMPTS: usize = 8;

/// A JSON request body. An error never quotes the body, which may hold a password.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Body<T>, ApiError> {
        let Json(body) =
            Json::from_request(request, app).await.map_err(|rejection| match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => ApiError::BodyTooLarge,
                _ => ApiError::BadBody,
            })?;
        Ok(Body(body))
    }
}

/// The client address of a request.
pub(super) struct From(IpAddr);

impl FromRequestParts<Arc<App>> for From {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<From, ApiError> {
        Ok(From(address_of(app, &parts.extensions, &parts.headers)))
    }
}

/// The client address of a request, as far as it is known.
pub(super) fn address_of(app: &App, extensions: &Extensions, headers: &HeaderMap) -> IpAddr {
    let peer = extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.address);
    app.settings.proxies.client_address(peer, headers)
}

/// The player whose token came with the request. Without a token the request is refused.
pub(super) struct Asker(pub(super) Identity);

impl FromRequestParts<Arc<App>> for Asker {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Asker, ApiError> {
        let token = credential(&parts.headers)?.ok_or(ApiError::TokenExpected)?;
        Ok(Asker(app.players.authenticate(token).await?))
    }
}

/// A player whose token may do more than play as a bot.
pub(super) struct Owner(pub(super) Identity);

impl FromRequestParts<Arc<App>> for Owner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Owner, ApiError> {
        let Asker(identity) = Asker::from_request_parts(parts, app).await?;
        match identity.scope {
            Scope::Play => Ok(Owner(identity)),
            Scope::Bot => Err(PlayerError::ScopeMissing.into()),
        }
    }
}

/// The player whose token came with the request, if there was one: a guest who signs up.
pub(super) struct MaybeGuest(Option<Identity>);

impl FromRequestParts<Arc<App>> for MaybeGuest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<MaybeGuest, ApiError> {
        let Some(token) = credential(&parts.headers)? else { return Ok(MaybeGuest(None)) };
        Ok(MaybeGuest(Some(app.players.authenticate(token).await?)))
    }
}

type Shared = State<Arc<App>>;

pub(super) async fn sign_up(
    State(app): Shared,
    From(address): From,
    MaybeGuest(guest): MaybeGuest,
    Body(SignUp { name, password, bot }): Body<SignUp>,
) -> Result<(StatusCode, Json<SignedUp>), ApiError> {
    let kind = if bot { PlayerKind::Bot } else { PlayerKind::Account };
    let made = app.players.sign_up(address, guest.as_ref(), &name, &password, kind).await?;
    if guest.is_some() {
        // Connections opened as the guest reconnect as the account.
        app.peers.renew(&app.connections, &made.player.id).await;
    }
    Ok((StatusCode::CREATED, Json(made)))
}

pub(super) async fn export(State(app): Shared, Owner(asker): Owner) -> Result<Json<AccountExport>, ApiError> {
    let id = &asker.player.id;
    let own = app.players.export(&asker).await?;
    let webhook = match app.notices.info(&asker).await {
        Ok(info) => Some(info),
        Err(WebhookError::NotFound) => None,
        Err(error) => return Err(error.into()),
    };
    let mut queues = Vec::new();
    for game in &own.games {
        match app.turns.queued(*game, id).await {
            Ok(queue) if queue.moves.is_empty() => {}
            Ok(queue) => queues.push(queue),
            // If a game cannot be read now, its queue is left out. The rest can still be exported.
            Err(error) => tracing::debug!(%game, %error, "an export leaves out a queue"),
        }
    }
    Ok(Json(AccountExport {
        ratings: app.ratings.of_player(id).await?,
        played: app.histories.all_games(asker.player.clone()).await?,
        statistics: app.histories.statistics(id).await?,
        deployments: app.deployments.list(&asker).await?.deployments,
        webhook,
        has_feed: app.notices.has_feed(id).await?,
        challenges: app.lobby.invitations(&asker.player).await?.challenges,
        blocks: blocked_by(&*app.store, id).await?,
        queues,
        conduct: conduct_of(&*app.store, id).await?,
        ..own
    }))
}

pub(super) async fn delete(
    State(app): Shared,
    Owner(asker): Owner,
    Body(Confirmation { password }): Body<Confirmation>,
) -> Result<StatusCode, ApiError> {
    app.players.delete(&asker, &password, app.jobs.writer()).await?;
    // The account is gone already. What fails now is a job that any server finds.
    if let Err(error) = app.erasure.erase_now(&asker.player.id).await {
        tracing::debug!(%error, "something is left of a deleted account; it will go");
        let job = LEAVING.key([&asker.player.id]);
        job.into_iter().for_each(|job| app.jobs.writer().wake_for(LEAVING.name, job));
    }
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn change_password(
    State(app): Shared,
    Owner(asker): Owner,
    Body(NewPassword { password, new_password }): Body<NewPassword>,
) -> Result<StatusCode, ApiError> {
    app.players.change_password(&asker, &password, &new_password).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn renew_recovery_code(
    State(app): Shared,
    Owner(asker): Owner,
    Body(Confirmation { password }): Body<Confirmation>,
) -> Result<Json<NewRecoveryCode>, ApiError> {
    let recovery_code = app.players.renew_recovery_code(&asker, &password).await?;
    Ok(Json(NewRecoveryCode { recovery_code }))
}

pub(super) async fn log_in(
    State(app): Shared,
    From(address): From,
    headers: HeaderMap,
    Body(Login { name, password, token_name }): Body<Login>,
) -> Result<Json<LoggedIn>, ApiError> {
    // The device's earlier token only identifies the device, so a wrong one is not an error.
    let device = credential(&headers).ok().flatten();
    Ok(Json(app.players.log_in(address, device, &name, &password, token_name.as_deref()).await?))
}

pub(super) async fn log_out(State(app): Shared, Asker(asker): Asker) -> Result<StatusCode, ApiError> {
    app.players.revoke_token(&asker, &asker.token_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn recover(
    State(app): Shared,
    From(address): From,
    Body(Recover { name, recovery_code, password }): Body<Recover>,
) -> Result<Json<Recovered>, ApiError> {
    Ok(Json(app.players.recover(address, &name, &recovery_code, &password).await?))
}

pub(super) async fn tokens(State(app): Shared, Owner(asker): Owner) -> Result<Json<TokenList>, ApiError> {
    Ok(Json(TokenList { tokens: app.players.tokens(&asker).await? }))
}

pub(super) async fn make_token(
    State(app): Shared,
    Owner(asker): Owner,
    Body(NewToken { name, scope }): Body<NewToken>,
) -> Result<(StatusCode, Json<MadeToken>), ApiError> {
    Ok((StatusCode::CREATED, Json(app.players.make_token(&asker, &name, scope).await?)))
}

pub(super) async fn revoke_token(
    State(app): Shared,
    Owner(asker): Owner,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    app.players.revoke_token(&asker, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn me(State(app): Shared, Asker(asker): Asker) -> Result<Json<Me>, ApiError> {
    let tokens = app.players.tokens(&asker).await?;
    let token = tokens.into_iter().find(|token| token.current).ok_or(PlayerError::UnknownToken)?;
    let conduct = conduct_of(&*app.store, &asker.player.id).await?;
    Ok(Json(Me { player: asker.player, token, conduct }))
}

pub(super) async fn blocks(State(app): Shared, Asker(asker): Asker) -> Result<Json<BlockList>, ApiError> {
    Ok(Json(BlockList { players: blocked_by(&*app.store, &asker.player.id).await? }))
}

pub(super) async fn block(
    State(app): Shared,
    Asker(asker): Asker,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    block_or_unblock(&app, &asker, &name, true).await
}

pub(super) async fn unblock(
    State(app): Shared,
    Asker(asker): Asker,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    block_or_unblock(&app, &asker, &name, false).await
}

/// Blocks or unblocks a player. A guest who blocks is stored with that.
async fn block_or_unblock(
    app: &App,
    asker: &Identity,
    name: &str,
    is_blocked: bool,
) -> Result<StatusCode, ApiError> {
    let other = app.players.addressee(name).await?;
    for _ in 0..STANDING_ATTEMPTS {
        let standing = app.players.standing(asker).await?;
        match set_blocked(&*app.store, &standing, &other, is_blocked).await {
            Err(BlockRefusal::Conflict) => {}
            other => {
                other?;
                return Ok(StatusCode::NO_CONTENT);
            }
        }
    }
    Err(BlockRefusal::Store.into())
}

pub(super) async fn profile(State(app): Shared, Path(name): Path<String>) -> Result<Json<Profile>, ApiError> {
    let profile = app.players.profile(&name).await?;
    let ratings = app.ratings.of_player(&profile.player.id).await?;
    Ok(Json(Profile { ratings, ..profile }))
}
