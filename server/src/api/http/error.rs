//! Errors of the HTTP API and their status codes, all mapped here.

use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flagfall_protocol::{Code, NotOpened};
use flagfall_store::StoreError;
use serde::Serialize;
use thiserror::Error;

use crate::api::ws::UpgradeRefusal;
use flagfall_base::admission::{Scope, TooMany};
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
pub enum ApiError {
    /// No such path.
    #[error(
        "there is nothing at this path; /api/openapi.json lists the paths of the HTTP API, and games are played over the WebSocket at /ws"
    )]
    NoSuchPath,
    /// The path exists, but not for this method.
    #[error("this path is there, but not for this method; the header Allow tells for which")]
    MethodNotAllowed,
    /// No game that this caller may see.
    #[error("there is no game of that id, or it is private")]
    NoSuchGame,
    /// The game's log is damaged.
    #[error("this game's log is damaged; an operator must look at it")]
    Quarantined,
    /// The store cannot be reached.
    #[error("the store cannot be reached now; try again in a moment")]
    StoreUnavailable,
    /// The credential is not valid.
    #[error("unknown token: leave Authorization out to see what everybody sees")]
    Unauthorized,
    /// The request needs a token.
    #[error("this wants a token, as in Authorization: Bearer TOKEN; POST /api/login hands one out")]
    TokenExpected,
    /// The body is not the expected JSON.
    #[error(
        "the body must be a JSON object with the fields that /api/openapi.json names for this path and no others, sent as Content-Type: application/json"
    )]
    BadBody,
    /// A player's name, password or token is refused.
    #[error(transparent)]
    Player(PlayerError),
    /// A block is refused.
    #[error(transparent)]
    Block(BlockRefusal),
    /// The request comes from a page of another origin.
    #[error("pages of this origin may not connect; the operator can allow it")]
    ForeignOrigin,
    /// `/ws` was requested without an upgrade.
    #[error("this path speaks WebSocket version 13: connect with a WebSocket client")]
    UpgradeExpected,
    /// A query of a record is not understood.
    #[error("the query is not understood: format is json or text, as is red, blue, public or all")]
    BadQuery,
    /// The record would show what is not open to the caller.
    #[error(transparent)]
    RecordNotOpened(NotOpened),
    /// A query of a list is not understood.
    #[error("the query is not understood: bots is true or false")]
    BadListQuery,
    /// A query of a page is not understood.
    #[error("the query is not understood: after is what the page before called next, limit a number")]
    BadPage,
    /// No such ruleset.
    #[error("there is no such ruleset; GET /api/rulesets lists them. Custom rules are not rated")]
    NoSuchRuleset,
    /// No such speed.
    #[error("there is no such speed; there is bullet, blitz, rapid, classical and correspondence")]
    NoSuchSpeed,
    /// The game changed no rating.
    #[error("this game has changed no rating: it is not rated, does not count, or is not over")]
    NotRated,
    /// A refusal of the lobby.
    #[error(transparent)]
    Lobby(LobbyRefusal),
    /// A queue of moves is refused.
    #[error(transparent)]
    Queue(QueueError),
    /// Too many connections or requests.
    #[error("{0}")]
    TooMany(TooMany),
    /// The body is too long.
    #[error("the body is too long: it has {} KiB at most", BODY_BYTES_MAX / 1024)]
    BodyTooLarge,
    /// An HTTP/1.1 request must have exactly one Host header.
    #[error("a request has one Host header: name the server's host in it")]
    HostExpected,
    /// A saved deployment is refused.
    #[error(transparent)]
    Deployment(DeploymentError),
    /// A request about a webhook or feed is refused.
    #[error(transparent)]
    Webhook(WebhookError),
    /// The answer took too long.
    #[error("the answer took too long; try again in a moment")]
    TimedOut,
    /// A defect in the server.
    #[error("the server has a defect")]
    Internal,
}

/// An error as its JSON body.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ErrorBody {
    code: &'static str,
    message: String,
}

impl ApiError {
    fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            ApiError::NoSuchPath => (StatusCode::NOT_FOUND, "no_such_path"),
            ApiError::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            ApiError::NoSuchGame => (StatusCode::NOT_FOUND, Code::NO_SUCH_GAME),
            ApiError::Quarantined => (StatusCode::GONE, Code::GAME_QUARANTINED),
            ApiError::StoreUnavailable => (StatusCode::SERVICE_UNAVAILABLE, Code::STORE_UNAVAILABLE),
            ApiError::Unauthorized => (StatusCode::UNAUTHORIZED, Code::BAD_TOKEN),
            ApiError::TokenExpected => (StatusCode::UNAUTHORIZED, Code::BAD_TOKEN),
            ApiError::BadBody => (StatusCode::BAD_REQUEST, Code::MALFORMED),
            ApiError::Player(error) => (status_of(*error), error.code()),
            ApiError::Block(error) => (status_of_block(*error), error.code()),
            ApiError::ForeignOrigin => (StatusCode::FORBIDDEN, "foreign_origin"),
            ApiError::UpgradeExpected => (StatusCode::UPGRADE_REQUIRED, "upgrade_expected"),
            ApiError::BadQuery => (StatusCode::BAD_REQUEST, "bad_query"),
            ApiError::RecordNotOpened(NotOpened) => (StatusCode::FORBIDDEN, Code::RECORD_NOT_OPENED),
            ApiError::BadListQuery => (StatusCode::BAD_REQUEST, "bad_query"),
            ApiError::BadPage => (StatusCode::BAD_REQUEST, "bad_query"),
            ApiError::NoSuchRuleset => (StatusCode::NOT_FOUND, Code::NO_SUCH_RULESET),
            ApiError::NoSuchSpeed => (StatusCode::NOT_FOUND, Code::NO_SUCH_SPEED),
            ApiError::NotRated => (StatusCode::NOT_FOUND, Code::NOT_RATED),
            ApiError::Lobby(refusal) => (status_of_lobby(refusal), refusal.code()),
            ApiError::Queue(error) => (status_of_queue(error), error.code()),
            ApiError::TooMany(TooMany { scope: Scope::Server, .. }) => {
                (StatusCode::SERVICE_UNAVAILABLE, Code::TOO_MANY)
            }
            ApiError::TooMany(_) => (StatusCode::TOO_MANY_REQUESTS, Code::TOO_MANY),
            ApiError::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
            ApiError::HostExpected => (StatusCode::BAD_REQUEST, "host_expected"),
            ApiError::Deployment(error) => (status_of_deployment(error), error.code()),
            ApiError::Webhook(error) => (status_of_webhook(error), error.code()),
            ApiError::TimedOut => (StatusCode::SERVICE_UNAVAILABLE, "timed_out"),
            ApiError::Internal => (StatusCode::INTERNAL_SERVER_ERROR, Code::INTERNAL),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code) = self.status_and_code();
        let mut response = (status, Json(ErrorBody { code, message: self.to_string() })).into_response();
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
        LobbyRefusal::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
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
