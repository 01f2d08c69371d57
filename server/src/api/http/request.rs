//! The extractors of handlers: path, query and body, the client's address, and the caller.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Json;
use axum::extract::{self, FromRequest, FromRequestParts, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, StatusCode};
use flagfall_protocol::{Code, Refusal, Scope};
use serde::de::DeserializeOwned;

use super::error::ApiError;
use crate::api::own_page::OwnPage;
use crate::api::ws::Peer;
use crate::app::App;
use flagfall_base::identity::{Principal, Token};
use flagfall_services::players::PlayerError;

pub(super) type Shared = State<Arc<App>>;

pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<App>> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Path<T>, ApiError> {
        let taken = extract::Path::from_request_parts(parts, app).await;
        taken.map(|extract::Path(path)| Path(path)).map_err(|_| ApiError::NoSuchPath)
    }
}

pub(super) trait QueryFields: DeserializeOwned {
    /// The reason in the refusal `bad_query`.
    const REASON: &'static str;
}

pub(super) struct Query<T>(pub(super) T);

impl<T: QueryFields> FromRequestParts<Arc<App>> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Query<T>, ApiError> {
        let taken = extract::Query::from_request_parts(parts, app).await;
        taken.map(|extract::Query(query)| Query(query)).map_err(|_| ApiError::BadQuery(T::REASON))
    }
}

/// A JSON request body. An error never quotes the body, because it may contain a password.
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

pub(super) struct From(pub(super) IpAddr);

impl FromRequestParts<Arc<App>> for From {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<From, ApiError> {
        Ok(From(address_of(app, &parts.extensions, &parts.headers)))
    }
}

pub(super) fn address_of(app: &App, extensions: &Extensions, headers: &HeaderMap) -> IpAddr {
    app.settings.proxies.client_address(peer_of(extensions), headers)
}

/// The other end of the connection: the client, or the proxy in front of it.
pub(super) fn peer_of(extensions: &Extensions) -> IpAddr {
    extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.address)
}

/// Evidence that a request came from this server's own page. Other requests are refused.
pub(super) struct FromOwnPage(pub(super) OwnPage);

impl FromRequestParts<Arc<App>> for FromOwnPage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Result<FromOwnPage, ApiError> {
        parts.extensions.get::<OwnPage>().cloned().map(FromOwnPage).ok_or(ApiError::ForeignPage)
    }
}

/// Returns the player whose token came with the request, in a header or in the cookie of this
/// server's own page. A wrong token in a header is an error. Returns `None` if there is no token,
/// or if the session of the cookie has ended.
async fn authenticate(app: &App, parts: &Parts) -> Result<Option<Principal>, ApiError> {
    if let Some(token) = credential(&parts.headers)? {
        return Ok(Some(app.players.authenticate(token).await?));
    }
    let Some(token) = session_token(parts) else { return Ok(None) };
    match app.players.look_up(token).await {
        Err(PlayerError::UnknownToken) => Ok(None),
        known => Ok(Some(known?)),
    }
}

fn session_token(parts: &Parts) -> Option<&Token> {
    parts.extensions.get::<OwnPage>()?.token.as_ref()
}

/// The player whose token came with the request. A request without a token is refused.
pub(super) struct Asker(pub(super) Principal);

impl FromRequestParts<Arc<App>> for Asker {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Asker, ApiError> {
        Ok(Asker(authenticate(app, parts).await?.ok_or(ApiError::TokenExpected)?))
    }
}

/// A player whose token allows more than playing as a bot.
pub(super) struct Owner(pub(super) Principal);

impl FromRequestParts<Arc<App>> for Owner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Owner, ApiError> {
        let Asker(identity) = Asker::from_request_parts(parts, app).await?;
        match identity.scope {
            Scope::Play => Ok(Owner(identity)),
            Scope::Bot => Err(ApiError::Refused(Refusal::new(Code::SCOPE_MISSING))),
        }
    }
}

/// True if the caller is identified only by the cookie of this server's own page.
pub(super) struct IsByCookie(pub(super) bool);

impl FromRequestParts<Arc<App>> for IsByCookie {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Result<IsByCookie, Infallible> {
        Ok(IsByCookie(!parts.headers.contains_key(AUTHORIZATION) && session_token(parts).is_some()))
    }
}

/// The player whose token came with the request, if there is a token. A wrong token is an error,
/// because players must not mistake the public view for their own.
pub(super) struct MaybeAsker(pub(super) Option<Principal>);

impl MaybeAsker {
    pub(super) fn id(&self) -> Option<&str> {
        self.0.as_ref().map(|identity| identity.player.id.as_str())
    }
}

impl FromRequestParts<Arc<App>> for MaybeAsker {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<MaybeAsker, ApiError> {
        Ok(MaybeAsker(authenticate(app, parts).await?))
    }
}

/// The token that came with the request. It has not been checked.
pub(super) struct AnyToken(pub(super) Option<String>);

impl FromRequestParts<Arc<App>> for AnyToken {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _app: &Arc<App>) -> Result<AnyToken, Infallible> {
        let token = credential(&parts.headers).ok().flatten().map(str::to_owned);
        Ok(AnyToken(token.or_else(|| session_token(parts).map(Token::expose))))
    }
}

fn credential(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
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
