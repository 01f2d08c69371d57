//! The HTTP API: health, rulesets, games, records, players and their credentials.

mod accounts;
mod answer;
mod cors;
mod documents;
mod endpoints;
mod error;
mod games;
mod health;
mod histories;
mod me;
mod openapi;
mod ratings;
mod request;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode, Version};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{any, get};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use metrics::counter;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

pub use error::ApiError;

use self::endpoints::endpoints;
use self::error::BODY_BYTES_MAX;
use self::request::address_of;

use crate::api::ws::{Peer, upgrade};
use crate::app::App;
use flagfall_base::request_id::RequestId;
use flagfall_base::telemetry::HTTP_REQUESTS;

/// Returns the routes of the game listener.
pub(crate) fn router(app: Arc<App>) -> Router {
    let router = Router::new().route("/", get(page)).route("/ws", any(open_socket));
    endpoints()
        .into_iter()
        .fold(router, |router, endpoint| router.route(endpoint.path, endpoint.routed))
        .fallback(async || ApiError::NoSuchPath)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(app.clone(), around))
        .layer(middleware::from_fn(named))
        .layer(middleware::map_response(close_after))
        .with_state(app)
}

async fn open_socket(State(app): State<Arc<App>>, request: Request) -> Result<Response, ApiError> {
    Ok(upgrade(app, request)?)
}

pub(crate) fn metrics_router(app: Arc<App>, handle: PrometheusHandle) -> Router {
    let render = async move || {
        app.sample_metrics();
        ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], handle.render())
    };
    Router::new()
        .route("/metrics", get(render))
        .fallback(async || ApiError::NoSuchPath)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(middleware::from_fn(named))
        .layer(middleware::map_response(close_after))
}

/// Gives a request its id. The answer and the log lines of the request contain the id.
async fn named(request: Request, next: Next) -> Response {
    let id = RequestId::next();
    let span = tracing::debug_span!("http", request = %id);
    error::finish(next.run(request).instrument(span).await, id)
}

/// Closes the connection after each request. Only WebSockets stay open; their sessions have their
/// own limits. (Turning keep-alive off in hyper has the same effect, but also removes
/// `Connection: upgrade` from upgrades.)
async fn close_after(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Applies limits, headers and the metrics to every request.
async fn around(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let origin = cors::allowed_origin(&request, &app.settings.allowed_origins);
    let is_api = request.uri().path().starts_with("/api");
    let answered = async {
        if let Err(refused) = let_in(&app, &mut request) {
            return refused.into_response();
        }
        match origin.as_ref().and_then(|_| cors::preflight(&request)) {
            Some(answer) => answer,
            None => carry_out(&app, request, next).await,
        }
    };
    let answer = timeout(app.settings.times.http_request, answered).await;
    let mut response = answer.unwrap_or_else(|_| ApiError::TimedOut.into_response());
    let route = route.map_or_else(|| "none".to_owned(), |route| route.as_str().to_owned());
    counter!(HTTP_REQUESTS, "route" => route, "status" => response.status().as_u16().to_string())
        .increment(1);
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Views depend on the caller, so proxies must not cache them, unless the handler allows it.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_api && !app.settings.allowed_origins.is_empty() {
        cors::vary(headers);
    }
    if let Some(origin) = origin {
        cors::permit(headers, origin);
    }
    response
}

/// Identifies the client of a request, and checks the client's limits.
fn let_in(app: &App, request: &mut Request) -> Result<(), ApiError> {
    let (path, now) = (request.uri().path(), Instant::now());
    let (is_upgrade, is_check) = (path == "/ws", matches!(path, "/health" | "/ready"));
    let address = address_of(app, request.extensions(), request.headers());
    let client = app.admission.client(address);
    if let Some(Peer { seat, .. }) = request.extensions().get::<Peer>() {
        app.admission.name_client(seat, client, now)?;
        // A WebSocket that has sent no hello may still be evicted.
        if !is_upgrade {
            app.admission.note_request(seat);
        }
    }
    if !is_upgrade && !is_check {
        app.admission.take_request(client, now)?;
    }
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() >= Version::HTTP_11 {
        return Err(ApiError::HostExpected);
    }
    request.extensions_mut().insert(client);
    Ok(())
}

/// Runs a request. A request that may change something runs to its end even if its connection
/// closes.
async fn carry_out(app: &App, request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // Read the body before taking one of the limited places, so that a slow sender does not
    // occupy a place. Replace a body that is too long with one that is a byte over the limit, so
    // that the route refuses it.
    let body = match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(body) => Body::from(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Body::from(vec![0; BODY_BYTES_MAX + 1]),
        Err(_) => return ApiError::BadBody.into_response(),
    };
    app.committed.run(next.run(Request::from_parts(parts, body))).await
}

async fn page() -> Html<&'static str> {
    Html(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Flagfall</title><p>This is a Flagfall server: \
         Stratego over the network. To play, type <code>flagfall play</code> in a terminal, with this \
         server's address after <code>--server</code>. To watch, type <code>flagfall watch</code>.</p></html>",
    )
}
