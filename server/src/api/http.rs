//! The HTTP API: health, rulesets, games, records, players and their credentials.

mod accounts;
mod cors;
mod deployments;
mod documents;
mod error;
mod health;
mod histories;
mod invitations;
mod notices;
mod openapi;
mod own_games;
mod queue;
mod ratings;
mod request;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, MatchedPath, Path, Query, Request, State};
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{any, delete, get, post, put};
use axum::{Extension, Json, Router};
use flagfall_board::GameId;
use flagfall_protocol::{GameSummary, GameView, RecordScope, RulesetInfo, SigningKeys, Viewer};
use flagfall_rules::Ruleset;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use metrics::counter;
use metrics_exporter_prometheus::PrometheusHandle;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout};

pub use error::ApiError;

use self::error::BODY_BYTES_MAX;
use self::request::{address_of, caller};

use crate::api::ws::{Peer, upgrade};
use crate::app::App;
use flagfall_base::admission::Client;
use flagfall_base::telemetry::HTTP_REQUESTS;
use flagfall_game::{TableError, TableHandle};

/// Most games that `/api/games` lists.
const LISTED_GAMES_MAX: usize = 100;

/// Routes of the game listener.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/ws", any(open_socket))
        .route("/health", get(health::health))
        .route("/ready", get(health::ready))
        .route("/api/openapi.json", get(documents::openapi))
        .route("/api/schema", get(documents::schemas))
        .route("/api/schema/{name}", get(documents::schema))
        .route("/api/rulesets", get(rulesets))
        .route("/api/keys", get(keys))
        .route("/api/games", get(games))
        .route("/api/games/{id}", get(game))
        .route("/api/games/{id}/record", get(record))
        .route("/api/games/{id}/record.txt", get(record_as_text))
        .route("/api/account", post(accounts::sign_up).get(accounts::export).delete(accounts::delete))
        .route("/api/account/password", post(accounts::change_password))
        .route("/api/account/recovery_code", post(accounts::renew_recovery_code))
        .route("/api/login", post(accounts::log_in))
        .route("/api/logout", post(accounts::log_out))
        .route("/api/recover", post(accounts::recover))
        .route("/api/me", get(accounts::me))
        .route("/api/me/games", get(own_games::list))
        .route("/api/me/deployments", get(deployments::list))
        .route("/api/me/deployments/{ruleset}/{name}", put(deployments::save).delete(deployments::remove))
        .route("/api/me/webhook", get(notices::show).put(notices::set).delete(notices::remove))
        .route("/api/me/webhook/test", post(notices::test))
        .route("/api/me/feed", post(notices::make_feed).delete(notices::remove_feed))
        .route("/api/feeds/{secret}", get(notices::feed))
        .route("/api/me/statistics", get(histories::statistics))
        .route("/api/me/challenges", get(invitations::list).post(invitations::invite))
        .route("/api/me/challenges/{code}", delete(invitations::decline))
        .route("/api/games/{id}/queue", get(queue::show).put(queue::replace).delete(queue::clear))
        .route("/api/tokens", get(accounts::tokens).post(accounts::make_token))
        .route("/api/tokens/{id}", delete(accounts::revoke_token))
        .route("/api/blocks", get(accounts::blocks))
        .route("/api/blocks/{name}", put(accounts::block).delete(accounts::unblock))
        .route("/api/players/{name}", get(accounts::profile))
        .route("/api/players/{name}/games", get(histories::games))
        .route("/api/players/{name}/against/{other}", get(histories::head_to_head))
        .route("/api/players/{name}/ratings/{ruleset}/{speed}", get(ratings::history))
        .route("/api/leaderboards/{ruleset}/{speed}", get(ratings::leaderboard))
        .route("/api/games/{id}/ratings", get(ratings::change))
        .fallback(async || ApiError::NoSuchPath)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(app.clone(), around))
        .layer(middleware::map_response(close_after))
        .with_state(app)
}

async fn open_socket(State(app): State<Arc<App>>, request: Request) -> Result<Response, ApiError> {
    Ok(upgrade(app, request)?)
}

/// Routes of the metrics listener.
pub(crate) fn metrics_router(app: Arc<App>, handle: PrometheusHandle) -> Router {
    let render = async move || {
        app.sample_metrics();
        ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], handle.render())
    };
    Router::new()
        .route("/metrics", get(render))
        .fallback(async || ApiError::NoSuchPath)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(middleware::map_response(close_after))
}

/// Closes the connection after each request. Only WebSockets stay open, and their session limits
/// them. (Turning keep-alive off in hyper would do the same, but would also remove
/// `Connection: upgrade` from upgrades.)
async fn close_after(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Applies limits, headers and the count to every request.
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
    // Views depend on the caller, so no proxy may cache them, unless the handler says otherwise.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_api && !app.settings.allowed_origins.is_empty() {
        cors::vary(headers);
    }
    if let Some(origin) = origin {
        cors::permit(headers, origin);
    }
    response
}

/// Identifies the client of a request and decides whether it may be answered.
fn let_in(app: &App, request: &mut Request) -> Result<(), ApiError> {
    let (path, now) = (request.uri().path(), Instant::now());
    let (is_upgrade, is_check) = (path == "/ws", matches!(path, "/health" | "/ready"));
    let address = address_of(app, request.extensions(), request.headers());
    let client = app.admission.client(address);
    if let Some(Peer { seat, .. }) = request.extensions().get::<Peer>() {
        app.admission.name_client(seat, client, now)?;
        // A WebSocket without a hello may still be evicted.
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

/// Plies of a game that cost as much as one request.
const PLIES_PER_REQUEST: u32 = 50;

/// Charges for the extra work of a game with this many plies.
fn charge_plies(app: &App, client: Client, plies: u16) {
    app.admission.charge_request(client, u32::from(plies) / PLIES_PER_REQUEST, Instant::now());
}

/// Runs a request. One that may change something is completed even if its connection closes.
async fn carry_out(app: &App, request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // Read the body before the work begins, so that a slow sender takes no place. A body that is
    // too long gets one byte over the limit, and the route refuses it.
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
         Stratego over the network. To play, type <code>flagfall play</code> in a terminal \
         (<code>--server</code> names this address), or <code>flagfall watch</code> to look on.</p></html>",
    )
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Rulesets {
    rulesets: Vec<RulesetInfo>,
}

async fn rulesets() -> Json<Rulesets> {
    Json(Rulesets { rulesets: Ruleset::all().iter().map(|ruleset| RulesetInfo::new(ruleset)).collect() })
}

/// The public keys for signatures of finished games.
async fn keys(State(app): State<Arc<App>>) -> Result<Json<SigningKeys>, ApiError> {
    Ok(Json(app.proofs.keys().await?))
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Games {
    games: Vec<GameSummary>,
}

async fn games(State(app): State<Arc<App>>) -> Json<Games> {
    Json(Games { games: app.tables.running(LISTED_GAMES_MAX) })
}

/// A game as the caller may know it. Made of a view, like everything that leaves.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Game {
    game: GameSummary,
    audience: Viewer,
    view: GameView,
}

async fn game(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
) -> Result<Json<Game>, ApiError> {
    let (table, player) = find(&app, client, &id, &headers).await?;
    let (game, audience, view) = table.look(player.as_deref()).await?;
    Ok(Json(Game { game, audience, view }))
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    Json,
    Text,
}

#[derive(Deserialize)]
struct RecordQuery {
    format: Option<Format>,
    #[serde(rename = "as")]
    scope: Option<RecordScope>,
}

async fn record(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Extension(client): Extension<Client>,
    query: Result<Query<RecordQuery>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Query(RecordQuery { format, scope }) = query.map_err(|_| ApiError::BadQuery)?;
    let (table, player) = find(&app, client, &id, &headers).await?;
    let mut record = table.record(&app.background, player.as_deref(), scope).await?;
    match format {
        Some(Format::Text) => in_background(&app, move || record.to_string().into_response()).await,
        Some(Format::Json) | None => {
            app.proofs.sign(&mut record).await?;
            in_background(&app, move || Json(record).into_response()).await
        }
    }
}

async fn record_as_text(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (table, player) = find(&app, client, &id, &headers).await?;
    let record = table.record(&app.background, player.as_deref(), None).await?;
    in_background(&app, move || record.to_string().into_response()).await
}

/// Renders a large answer in the background, so that it delays no connection.
async fn in_background(
    app: &App,
    render: impl FnOnce() -> Response + Send + 'static,
) -> Result<Response, ApiError> {
    app.background.run(render).await.map_err(|_| TableError::Unavailable.into())
}

/// The table of a game, and the caller's id if they have a token. Charges for the work: a long game
/// is read from its log and played through.
async fn find(
    app: &App,
    client: Client,
    id: &str,
    headers: &HeaderMap,
) -> Result<(TableHandle, Option<String>), ApiError> {
    let player = caller(app, headers).await?;
    let id: GameId = id.parse().map_err(|_| ApiError::NoSuchGame)?;
    let table = app.tables.find(id).await?;
    charge_plies(app, client, table.summary().ply);
    Ok((table, player))
}
