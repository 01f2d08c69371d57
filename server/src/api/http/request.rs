//! What handlers take out of a request: its body, its address and its caller.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, StatusCode};
use flagfall_protocol::Scope;
use serde::de::DeserializeOwned;

use super::error::ApiError;
use crate::api::ws::Peer;
use crate::app::App;
use flagfall_base::identity::Identity;
use flagfall_services::players::PlayerError;

/// What all handlers share.
pub(super) type Shared = State<Arc<App>>;

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
pub(super) struct From(pub(super) IpAddr);

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
pub(super) struct MaybeGuest(pub(super) Option<Identity>);

impl FromRequestParts<Arc<App>> for MaybeGuest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<MaybeGuest, ApiError> {
        let Some(token) = credential(&parts.headers)? else { return Ok(MaybeGuest(None)) };
        Ok(MaybeGuest(Some(app.players.authenticate(token).await?)))
    }
}

/// The id of the caller. None without a credential, and an error with a wrong one: a player must
/// not mistake the public view for their own.
pub(super) async fn caller(app: &App, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(token) = credential(headers)? else { return Ok(None) };
    Ok(Some(app.players.authenticate(token).await?.player.id))
}

/// The token of a request, if it has a credential.
pub(super) fn credential(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let mut credentials = headers.get_all(AUTHORIZATION).iter();
    let Some(credential) = credentials.next() else { return Ok(None) };
    let (Ok(credential), None) = (credential.to_str(), credentials.next()) else {
        return Err(ApiError::Unauthorized);
    };
    let (scheme, token) = credential.split_once(' ').ok_or(ApiError::Unauthorized)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(ApiError::Unauthorized);
    }
    Ok(Some(token.trim()))
}
