//! The HTTP API (health, rulesets, games, records, players and their credentials), and the routes
//! of the page for browsers.

mod accounts;
mod answer;
mod compression;
mod cors;
mod documents;
mod endpoints;
mod error;
mod games;
mod health;
mod histories;
mod mail;
mod me;
mod openapi;
mod ratings;
mod request;
mod session;
#[cfg(test)]
mod tests;
mod well_known;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, STRICT_TRANSPORT_SECURITY};
use axum::http::{HeaderMap, HeaderValue, Method, Version};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Extension, Router};
use flagfall_page::ROOT_FILES;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use metrics::counter;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

pub use error::ApiError;

use self::endpoints::endpoints;
use self::error::BODY_BYTES_MAX;
use self::request::{Path, address_of, peer_of};

use crate::api::own_page::OwnPage;
use crate::api::page::{self, Page};
use crate::api::ws::{Peer, upgrade};
use crate::app::App;
use flagfall_base::request_id::RequestId;
use flagfall_base::telemetry::HTTP_REQUESTS;

/// The page's assets, served under a path that contains the hash of their build.
const ASSETS: &str = "/assets/{build}/{*path}";

/// Paths that are never answered with the page. A program that requests a wrong path must get an
/// error, not a document.
const NOT_THE_PAGE: [&str; 3] = ["/api", "/assets", "/ws"];

/// Returns the routes of the game listener.
pub(crate) fn router(app: Arc<App>) -> Router {
    let mut router = Router::new()
        .route("/ws", any(open_socket))
        .route(ASSETS, get(asset))
        .route(well_known::CHANGE_PASSWORD, get(well_known::change_password))
        .route(well_known::SECURITY, get(well_known::security))
        .route(mail::CONFIRM, get(mail::show_confirmation).post(mail::confirm))
        .route(mail::UNSUBSCRIBE, get(mail::show_unsubscription).post(mail::unsubscribe));
    for address in page::ADDRESSES {
        router = router.route(address.path, get(show_page));
    }
    for name in ROOT_FILES {
        let answer = async move |Extension(page): Extension<Page>, headers: HeaderMap| {
            page.root_file(name, &headers).await.ok_or(ApiError::NoSuchPath)
        };
        router = router.route(&format!("/{name}"), get(answer));
    }
    endpoints()
        .into_iter()
        .fold(router, |router, endpoint| router.route(endpoint.path, endpoint.routed))
        .fallback(show_page)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(Extension(Page::new(&app.settings.page)))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(app.clone(), around))
        .layer(middleware::from_fn(named))
        .with_state(app)
}

/// Answers with the page. Unknown paths get the page, too, so that a person who mistypes an
/// address can continue from there.
async fn show_page(Extension(page): Extension<Page>, request: Request) -> Result<Response, ApiError> {
    let path = request.uri().path();
    if !matches!(*request.method(), Method::GET | Method::HEAD)
        || NOT_THE_PAGE.iter().any(|other| is_below(path, other))
    {
        return Err(ApiError::NoSuchPath);
    }
    page.open(path, request.headers()).await.ok_or(ApiError::NoSuchPath)
}

/// True if `path` is `other` or lies below it.
fn is_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

async fn asset(
    Extension(page): Extension<Page>,
    Path((build, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    page.asset(&build, &path, &headers).await.ok_or(ApiError::NoSuchPath)
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
}

/// Gives a request its id. The answer and the log lines of the request contain the id.
async fn named(request: Request, next: Next) -> Response {
    let id = RequestId::next();
    let span = tracing::debug_span!("http", request = %id);
    error::finish(next.run(request).instrument(span).await, id)
}

/// Applies limits, headers and the metrics to every request.
async fn around(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let origin = cors::allowed_origin(&request, &app.settings.allowed_origins);
    let is_api = request.uri().path().starts_with("/api");
    let is_check = is_check(request.uri().path());
    let compressed = compression::of(route.as_ref().map(MatchedPath::as_str), &request);
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
    if let Some(compressed) = compressed {
        response = compressed.apply(&app.background, response).await;
    }
    let headers = response.headers_mut();
    page::secure(headers);
    // This header makes browsers use only HTTPS for this host in the future. The header is not sent
    // for a loopback name, because browsers would apply it to all ports of that name.
    if app.settings.public_url.as_ref().is_some_and(|url| url.is_https() && !url.is_loopback()) {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    if is_check {
        // Health checks do not count as requests, so close the connection after each check. The
        // limit on connections then also limits health checks.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    // Views depend on the caller, so proxies must not cache an answer unless its handler allows
    // it.
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
    let (is_upgrade, is_check, is_asset) = (path == "/ws", is_check(path), is_below(path, "/assets"));
    let address = address_of(app, request.extensions(), request.headers());
    let client = app.admission.client(address);
    if let Some(Peer { seat, .. }) = request.extensions().get::<Peer>() {
        // Behind a proxy, each asset may arrive on its own connection. If these connections
        // counted as handshakes of the client, opening one page could exceed the limit of a
        // classroom that shares an address.
        if !is_asset {
            app.admission.name_client(seat, client, now)?;
        }
        // A WebSocket that has not sent its hello can be closed to make room for others.
        if !is_upgrade {
            app.admission.note_request(seat);
        }
    }
    if is_asset {
        app.admission.take_asset(client, now)?;
    } else if !is_upgrade && !is_check {
        app.admission.take_request(client, now)?;
    }
    let hosts = request.headers().get_all(HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() >= Version::HTTP_11 {
        return Err(ApiError::HostExpected);
    }
    if is_upgrade || path.starts_with("/api") {
        let peer = peer_of(request.extensions());
        if let Some(page) = OwnPage::find(&app.settings, peer, request.headers())? {
            request.extensions_mut().insert(page);
        }
    }
    request.extensions_mut().insert(client);
    Ok(())
}

/// True if a path asks for the server's health.
fn is_check(path: &str) -> bool {
    matches!(path, "/health" | "/ready")
}

/// Runs a request. A request that may change something runs to its end even if its connection
/// closes.
async fn carry_out(app: &App, request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // Read the body before taking one of the limited places, so that a slow sender does not occupy
    // a place. If the body exceeds the limit, pass on zeros that exceed the limit by one byte, so
    // that the route refuses the request.
    let body = match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(body) => Body::from(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Body::from(vec![0; BODY_BYTES_MAX + 1]),
        Err(_) => return ApiError::BadBody.into_response(),
    };
    app.committed.run(next.run(Request::from_parts(parts, body))).await
}
