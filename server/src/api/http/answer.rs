//! Types for the answers of handlers. The OpenAPI document is generated from these types.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flagfall_protocol::{Feed, SessionInfo};
use serde::Serialize;

use super::error::ApiError;

pub(super) struct Created<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Json(self.0)).into_response()
    }
}

/// The result of a check: status 200, or status 503 with a body of the same type.
pub(super) struct Checked<T> {
    pub(super) is_ok: bool,
    pub(super) answer: T,
}

impl<T: Serialize> IntoResponse for Checked<T> {
    fn into_response(self) -> Response {
        let status = if self.is_ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        (status, Json(self.answer)).into_response()
    }
}

/// A self-describing JSON document, or status 304 if the client already has the current version.
pub(super) struct AnyJson(pub(super) Response);

impl IntoResponse for AnyJson {
    fn into_response(self) -> Response {
        self.0
    }
}

/// A game's record, as JSON or as text.
pub(super) struct RenderedRecord(pub(super) Response);

impl IntoResponse for RenderedRecord {
    fn into_response(self) -> Response {
        self.0
    }
}

/// The answer when a session begins. Its cookie contains the session's token.
pub(super) struct SessionBegun {
    pub(super) cookie: Option<HeaderValue>,
    pub(super) info: SessionInfo,
}

impl IntoResponse for SessionBegun {
    fn into_response(self) -> Response {
        with_cookie(self.cookie, Json(self.info).into_response())
    }
}

/// The answer when a session ends. It makes the browser delete the data that the page has stored.
pub(super) struct SessionEnded {
    pub(super) cookie: Option<HeaderValue>,
}

impl IntoResponse for SessionEnded {
    fn into_response(self) -> Response {
        // Do not add "cookies", because browsers would then also delete the cookies of other
        // sites of the same domain.
        let cleared = [("clear-site-data", "\"storage\"")];
        with_cookie(self.cookie, (StatusCode::NO_CONTENT, cleared).into_response())
    }
}

/// Adds a cookie to an answer. No cache may keep the answer.
fn with_cookie(cookie: Option<HeaderValue>, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
    response
}

pub(super) struct JsonFeed(pub(super) Feed);

impl IntoResponse for JsonFeed {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/feed+json")], Json(self.0)).into_response()
    }
}

/// The error for a path that does not exist. Operations that need neither the store nor a game
/// return no other error.
pub(super) struct NoSuchPath;

impl IntoResponse for NoSuchPath {
    fn into_response(self) -> Response {
        ApiError::NoSuchPath.into_response()
    }
}
