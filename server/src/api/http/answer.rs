//! The answers of handlers, as types from which the OpenAPI document is generated.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use flagfall_protocol::Feed;
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

pub(super) struct JsonFeed(pub(super) Feed);

impl IntoResponse for JsonFeed {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/feed+json")], Json(self.0)).into_response()
    }
}

/// The error for a path that does not exist. It is the only refusal of operations that need
/// neither the store nor a game.
pub(super) struct NoSuchPath;

impl IntoResponse for NoSuchPath {
    fn into_response(self) -> Response {
        ApiError::NoSuchPath.into_response()
    }
}
