//! Errors of the HTTP API and their status codes, all mapped here.

use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flagfall_protocol::{Code, NotOpened, Refusal, RefusalArgs};
use flagfall_store::StoreError;
use serde::Serialize;
use thiserror::Error;

use crate::api::ws::UpgradeRefusal;
use flagfall_base::admission::{Scope, TooMany};
use flagfall_base::refusals;
use flagfall_base::request_id::RequestId;
use flagfall_game::{RecordError, StaleEpoch, TableError};
use flagfall_services::blocks::BlockRefusal;
use flagfall_services::deployments::DeploymentError;
use flagfall_services::lobby::LobbyRefusal;
use flagfall_services::notices::WebhookError;
use flagfall_services::players::PlayerError;
use flagfall_services::turns::QueueError;

/// Most bytes in a request's body.
pub(super) const BODY_BYTES_MAX: usize = 8 * 1024;

/// Why a request was refused. Carries no state of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", Refusal::from(self))]
pub enum ApiError {
    NoSuchPath,
    /// The path exists, but not for this method.
    MethodNotAllowed,
    /// No game that this caller may see.
    NoSuchGame,
    /// The game's log is damaged.
    Quarantined,
    StoreUnavailable,
    Unauthorized,
    TokenExpected,
    /// The body is not the expected JSON.
    BadBody,
    /// A player's name, password or token is refused.
    Player(PlayerError),
    Block(BlockRefusal),
    /// The request comes from a page of another origin.
    ForeignOrigin,
    /// `/ws` was requested without an upgrade.
    UpgradeExpected,
    /// A query is not understood. Holds what it is a query of.
    BadQuery(&'static str),
    /// The record would show what is not open to the caller.
    RecordNotOpened(NotOpened),
    NoSuchRuleset,
    NoSuchSpeed,
    NotRated,
    Lobby(LobbyRefusal),
    /// A queue of moves is refused.
    Queue(QueueError),
    TooMany(TooMany),
    BodyTooLarge,
    /// An HTTP/1.1 request must have exactly one Host header.
    HostExpected,
    Deployment(DeploymentError),
    /// A request about a webhook or feed is refused.
    Webhook(WebhookError),
    /// The answer took too long.
    TimedOut,
    Internal,
}

/// An error as its JSON body.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ErrorBody {
    /// Why, as a stable code for programs.
    code: Code,
    /// Numbers and keys that the message mentions.
    #[serde(skip_serializing_if = "RefusalArgs::is_empty")]
    args: RefusalArgs,
    /// Why and what to do, for people.
    message: String,
    /// The id of the request, as in the header `x-request-id`. Operators find it in the server's
    /// log.
    request: String,
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Writes the body of an error and the id of its request. [`ApiError`] knows neither of them.
pub(super) fn finish(response: Response, request: RequestId) -> Response {
    let (mut head, mut body) = response.into_parts();
    if let Some(Refused(refusal)) = head.extensions.remove() {
        refusals::log(&refusal, request);
        let message = flagfall_words::english().refusal(&refusal);
        let Refusal { code, args } = refusal;
        let json = Json(ErrorBody { code, args, message, request: request.to_string() }).into_response();
        let (json, text) = json.into_parts();
        head.headers.extend(json.headers);
        body = text;
    }
    if let Ok(id) = HeaderValue::try_from(request.to_string()) {
        head.headers.insert(REQUEST_ID, id);
    }
    Response::from_parts(head, body)
}

/// The refusal that an answer carries until [`finish`] writes it out.
#[derive(Clone)]
pub(super) struct Refused(pub(super) Refusal);

impl ApiError {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            ApiError::NoSuchPath | ApiError::NoSuchGame => StatusCode::NOT_FOUND,
            ApiError::NoSuchRuleset | ApiError::NoSuchSpeed | ApiError::NotRated => StatusCode::NOT_FOUND,
            ApiError::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::Quarantined => StatusCode::GONE,
            ApiError::StoreUnavailable | ApiError::TimedOut => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Unauthorized | ApiError::TokenExpected => StatusCode::UNAUTHORIZED,
            ApiError::BadBody | ApiError::BadQuery(_) | ApiError::HostExpected => StatusCode::BAD_REQUEST,
            ApiError::ForeignOrigin | ApiError::RecordNotOpened(NotOpened) => StatusCode::FORBIDDEN,
            ApiError::UpgradeExpected => StatusCode::UPGRADE_REQUIRED,
            ApiError::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::Player(error) => status_of(*error),
            ApiError::Block(error) => status_of_block(*error),
            ApiError::Lobby(refusal) => status_of_lobby(refusal),
            ApiError::Queue(error) => status_of_queue(error),
            ApiError::Deployment(error) => status_of_deployment(error),
            ApiError::Webhook(error) => status_of_webhook(error),
            ApiError::TooMany(TooMany { scope: Scope::Server, .. }) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            ApiError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl From<&ApiError> for Refusal {
    fn from(error: &ApiError) -> Refusal {
        match error {
            ApiError::NoSuchPath => Refusal::new("no_such_path"),
            ApiError::MethodNotAllowed => Refusal::new("method_not_allowed"),
            ApiError::NoSuchGame => Refusal::from(&TableError::NotFound),
            ApiError::Quarantined => Refusal::from(&TableError::Quarantined),
            ApiError::StoreUnavailable => refusals::store_away(),
            ApiError::Unauthorized => Refusal::new(Code::BAD_TOKEN).because("unknown_to_http"),
            ApiError::TokenExpected => Refusal::new(Code::BAD_TOKEN).because("missing"),
            ApiError::BadBody => Refusal::new(Code::MALFORMED).because("body"),
            ApiError::Player(error) => Refusal::from(error),
            ApiError::Block(error) => Refusal::from(error),
            ApiError::ForeignOrigin => Refusal::new("foreign_origin"),
            ApiError::UpgradeExpected => Refusal::new("upgrade_expected"),
            ApiError::BadQuery(reason) => Refusal::new("bad_query").because(reason),
            ApiError::RecordNotOpened(NotOpened) => Refusal::new(Code::RECORD_NOT_OPENED),
            ApiError::NoSuchRuleset => Refusal::new(Code::NO_SUCH_RULESET).because("rated"),
            ApiError::NoSuchSpeed => Refusal::new(Code::NO_SUCH_SPEED),
            ApiError::NotRated => Refusal::new(Code::NOT_RATED).because("unchanged"),
            ApiError::Lobby(refusal) => Refusal::from(refusal),
            ApiError::Queue(error) => Refusal::from(error),
            ApiError::TooMany(too_many) => Refusal::from(too_many),
            ApiError::BodyTooLarge => Refusal::new("body_too_large").with("kib", BODY_BYTES_MAX / 1024),
            ApiError::HostExpected => Refusal::new("host_expected"),
            ApiError::Deployment(error) => Refusal::from(error),
            ApiError::Webhook(error) => Refusal::from(error),
            ApiError::TimedOut => Refusal::new("timed_out"),
            ApiError::Internal => refusals::defect(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        let mut response = status.into_response();
        response.extensions_mut().insert(Refused(Refusal::from(&self)));
        let header = match (self, status) {
            (ApiError::Player(PlayerError::TooManyAttempts(seconds)), _) => {
                Some((RETRY_AFTER, seconds.into()))
            }
            (
                ApiError::TooMany(too_many)
                | ApiError::Player(PlayerError::TooMany(too_many))
                | ApiError::Lobby(LobbyRefusal::TooMany(too_many)),
                _,
            ) => Some((RETRY_AFTER, too_many.wait_s().into())),
            (_, StatusCode::UNAUTHORIZED) => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            (_, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) => {
                Some((RETRY_AFTER, 2.into()))
            }
            _ => None,
        };
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

impl From<UpgradeRefusal> for ApiError {
    fn from(refusal: UpgradeRefusal) -> ApiError {
        match refusal {
            UpgradeRefusal::ForeignOrigin => ApiError::ForeignOrigin,
            UpgradeRefusal::NotAsked => ApiError::UpgradeExpected,
            UpgradeRefusal::NoClient => ApiError::Internal,
        }
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> ApiError {
        match error {
            TableError::NotFound => ApiError::NoSuchGame,
            TableError::Quarantined => ApiError::Quarantined,
            TableError::Unavailable => ApiError::StoreUnavailable,
            TableError::Failed => ApiError::Internal,
        }
    }
}

impl From<RecordError> for ApiError {
    fn from(error: RecordError) -> ApiError {
        match error {
            RecordError::Table(error) => ApiError::from(error),
            RecordError::NotOpened(refusal) => ApiError::RecordNotOpened(refusal),
        }
    }
}

impl From<TooMany> for ApiError {
    fn from(too_many: TooMany) -> ApiError {
        ApiError::TooMany(too_many)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        flagfall_base::store_errors::note_refusal(&error, "the store refused a request over HTTP");
        ApiError::StoreUnavailable
    }
}

impl From<PlayerError> for ApiError {
    fn from(error: PlayerError) -> ApiError {
        match error {
            PlayerError::UnknownToken => ApiError::Unauthorized,
            PlayerError::Store => ApiError::StoreUnavailable,
            other => ApiError::Player(other),
        }
    }
}

impl From<LobbyRefusal> for ApiError {
    fn from(refusal: LobbyRefusal) -> ApiError {
        ApiError::Lobby(refusal)
    }
}

impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> ApiError {
        ApiError::Queue(error)
    }
}

impl From<DeploymentError> for ApiError {
    fn from(error: DeploymentError) -> ApiError {
        ApiError::Deployment(error)
    }
}

fn status_of_deployment(error: &DeploymentError) -> StatusCode {
    match error {
        DeploymentError::AccountExpected => StatusCode::FORBIDDEN,
        DeploymentError::NoSuchRuleset | DeploymentError::NotFound => StatusCode::NOT_FOUND,
        DeploymentError::BadName | DeploymentError::BadSetup(_) | DeploymentError::TooLong => {
            StatusCode::BAD_REQUEST
        }
        DeploymentError::TooMany => StatusCode::CONFLICT,
        DeploymentError::Store => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> ApiError {
        ApiError::Webhook(error)
    }
}

fn status_of_webhook(error: &WebhookError) -> StatusCode {
    match error {
        WebhookError::AccountExpected => StatusCode::FORBIDDEN,
        WebhookError::Target(_) => StatusCode::BAD_REQUEST,
        WebhookError::NotFound | WebhookError::NoSuchFeed => StatusCode::NOT_FOUND,
        WebhookError::TooOften | WebhookError::Busy => StatusCode::TOO_MANY_REQUESTS,
        WebhookError::Store => StatusCode::SERVICE_UNAVAILABLE,
        WebhookError::Chance => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn status_of_lobby(refusal: &LobbyRefusal) -> StatusCode {
    match refusal {
        LobbyRefusal::NoSuchChallenge => StatusCode::NOT_FOUND,
        LobbyRefusal::Store | LobbyRefusal::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        LobbyRefusal::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::CONFLICT,
    }
}

fn status_of_queue(error: &QueueError) -> StatusCode {
    match error {
        QueueError::Table(TableError::NotFound) => StatusCode::NOT_FOUND,
        QueueError::Table(TableError::Quarantined) => StatusCode::GONE,
        QueueError::NotQueued
        | QueueError::OwnTurn
        | QueueError::Stale(_)
        | QueueError::StaleEpoch(StaleEpoch) => StatusCode::CONFLICT,
        QueueError::BadQueue => StatusCode::BAD_REQUEST,
        QueueError::Table(TableError::Failed) => StatusCode::INTERNAL_SERVER_ERROR,
        QueueError::Table(TableError::Unavailable) | QueueError::Store => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl From<BlockRefusal> for ApiError {
    fn from(error: BlockRefusal) -> ApiError {
        ApiError::Block(error)
    }
}

fn status_of_block(error: BlockRefusal) -> StatusCode {
    match error {
        BlockRefusal::Yourself => StatusCode::BAD_REQUEST,
        BlockRefusal::TooMany => StatusCode::CONFLICT,
        BlockRefusal::Conflict | BlockRefusal::Store => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn status_of(error: PlayerError) -> StatusCode {
    match error {
        PlayerError::Name(_)
        | PlayerError::Password(_)
        | PlayerError::BadTokenName
        | PlayerError::BotScope => StatusCode::BAD_REQUEST,
        PlayerError::UnknownToken => StatusCode::UNAUTHORIZED,
        PlayerError::WrongPassword
        | PlayerError::WrongRecoveryCode
        | PlayerError::Closed
        | PlayerError::AccountExpected
        | PlayerError::ScopeMissing => StatusCode::FORBIDDEN,
        PlayerError::NoSuchToken | PlayerError::NoSuchPlayer => StatusCode::NOT_FOUND,
        PlayerError::NameTaken
        | PlayerError::AccountNameTaken
        | PlayerError::AlreadyAccount
        | PlayerError::TooManyTokens(_)
        | PlayerError::GamesRunning => StatusCode::CONFLICT,
        PlayerError::TooManyGuests
        | PlayerError::TooManyAttempts(_)
        | PlayerError::TooMany(_)
        | PlayerError::Busy => StatusCode::TOO_MANY_REQUESTS,
        PlayerError::Store | PlayerError::Damaged => StatusCode::SERVICE_UNAVAILABLE,
        PlayerError::Hash | PlayerError::Chance(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
