//! Cross-origin requests: pages of allowed origins may call `/api` with a token and read the
//! answer.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use flagfall_base::origin::Origin;

use crate::api::own_page::page_origin;

/// Returns the request's origin if the request is for `/api` and the operator allows the origin.
/// The server's own pages need no permission.
pub(super) fn allowed_origin<B>(request: &Request<B>, allowed: &[Origin]) -> Option<HeaderValue> {
    let path = request.uri().path();
    if path != "/api" && !path.starts_with("/api/") {
        return None;
    }
    let origin = page_origin(request.headers()).ok()??;
    request.headers().get(ORIGIN).filter(|_| allowed.contains(&origin)).cloned()
}

/// Returns the answer to a browser's preflight request. `None` for any other request.
pub(super) fn preflight<B>(request: &Request<B>) -> Option<Response> {
    let is_preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    is_preflight.then(|| {
        let headers = [
            (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE"),
            (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type"),
            (ACCESS_CONTROL_MAX_AGE, "600"),
        ];
        (StatusCode::NO_CONTENT, headers).into_response()
    })
}

pub(super) fn permit(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after, x-request-id"));
}

/// Tells caches that the answer depends on the request's origin. This is also needed if the origin
/// is not allowed, because a cache must not return that answer to an allowed origin.
pub(super) fn vary(headers: &mut HeaderMap) {
    headers.append(VARY, HeaderValue::from_static("origin"));
}
