//! Errors of the HTTP API and their status codes.

use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flagfall_protocol::{Code, NotOpened, Refusal, RefusalArg, RefusalArgs};
use flagfall_store::StoreError;
use serde::Serialize;
use thiserror::Error;

use crate::api::own_page::ForeignPage;
use crate::api::ws::UpgradeRefusal;
use flagfall_base::admission::TooMany;
use flagfall_base::refusals;
use flagfall_base::request_id::RequestId;
use flagfall_game::{RecordError, TableError};
use flagfall_services::players::PlayerError;

pub(super) const BODY_BYTES_MAX: usize = 8 * 1024;

/// Why a request was refused. Contains nothing about the state of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", Refusal::from(self))]
pub enum ApiError {
    NoSuchPath,
    MethodNotAllowed,
    Unauthorized,
    TokenExpected,
    BadBody,
    /// The query cannot be parsed. The value names the kind of query.
    BadQuery(&'static str),
    NoSuchRuleset,
    NoSuchSpeed,
    NotRated,
    BodyTooLarge,
    /// An HTTP/1.1 request must have exactly one Host header.
    HostExpected,
    /// Only this server's own page can use sessions.
    ForeignPage,
    /// The answer took too long.
    TimedOut,
    Refused(Refusal),
}

/// The result of most handlers.
pub(super) type Answer<T> = Result<T, ApiError>;

/// The JSON body of an error.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ErrorBody {
    /// The reason, as a stable code for programs.
    code: Code,
    /// The values that the message contains, such as numbers and names.
    #[serde(skip_serializing_if = "RefusalArgs::is_empty")]
    args: RefusalArgs,
    /// The reason, with advice on what to do, for people.
    message: String,
    /// The id of the request, as in the header `x-request-id`. The server's log contains this id.
    request: String,
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Adds the body of an error. Also adds the id of the request, because an [`ApiError`] does not
/// contain the id.
pub(super) fn finish(response: Response, request: RequestId) -> Response {
    let (mut head, mut body) = response.into_parts();
    if let Some(UnwrittenRefusal(refusal)) = head.extensions.remove() {
        refusals::log(&refusal, request, None, None);
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

/// The refusal of a response whose body still has to be written by [`finish`].
#[derive(Clone)]
pub(super) struct UnwrittenRefusal(pub(super) Refusal);

impl ApiError {
    pub(crate) fn status(&self) -> StatusCode {
        let refusal = Refusal::from(self);
        match (refusal.code.as_str(), refusal.reason().unwrap_or_default()) {
            (
                Code::BAD_DEPLOYMENT
                | Code::BAD_EMAIL
                | Code::BAD_PASSWORD
                | Code::BAD_PREFERENCES
                | Code::BAD_TOKEN_TERMS
                | Code::BAD_WEBHOOK
                | Code::MALFORMED
                | "bad_query"
                | "host_expected",
                _,
            )
            | (Code::BAD_NAME, "characters" | "length")
            | (Code::BAD_QUEUE, "length")
            | (Code::OWN_OFFER, "block") => StatusCode::BAD_REQUEST,
            (Code::BAD_TOKEN, _) => StatusCode::UNAUTHORIZED,
            (
                Code::ACCOUNT_CLOSED
                | Code::ACCOUNT_EXPECTED
                | Code::RECORD_NOT_OPENED
                | Code::SCOPE_MISSING
                | Code::WRONG_PASSWORD
                | Code::WRONG_RECOVERY_CODE
                | "foreign_origin",
                _,
            ) => StatusCode::FORBIDDEN,
            (
                Code::NO_SUCH_CHALLENGE
                | Code::NO_SUCH_DEPLOYMENT
                | Code::NO_SUCH_EMAIL
                | Code::NO_SUCH_GAME
                | Code::NO_SUCH_PLAYER
                | Code::NO_SUCH_RULESET
                | Code::NO_SUCH_SPEED
                | Code::NO_SUCH_TOKEN
                | Code::NO_SUCH_WEBHOOK
                | "no_such_path",
                _,
            )
            | (Code::NOT_RATED, "unchanged") => StatusCode::NOT_FOUND,
            ("method_not_allowed", _) => StatusCode::METHOD_NOT_ALLOWED,
            (Code::GAME_QUARANTINED, _) => StatusCode::GONE,
            ("body_too_large", _) => StatusCode::PAYLOAD_TOO_LARGE,
            ("upgrade_expected", _) => StatusCode::UPGRADE_REQUIRED,
            // Waiting does not help here: the player must first remove something, such as a block
            // or a token.
            (Code::TOO_MANY, "blocks" | "deployments" | "opponent" | "tokens") => StatusCode::CONFLICT,
            (Code::SERVER_TOO_OLD | Code::STORE_UNAVAILABLE | Code::STOPPING | "timed_out", _)
            | (Code::TOO_MANY, "server_connections") => StatusCode::SERVICE_UNAVAILABLE,
            (Code::TOO_MANY | Code::TOO_MANY_ATTEMPTS, _) => StatusCode::TOO_MANY_REQUESTS,
            (Code::MAIL_OFF, _) => StatusCode::NOT_IMPLEMENTED,
            (Code::INTERNAL, _) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::CONFLICT,
        }
    }
}

impl From<&ApiError> for Refusal {
    fn from(error: &ApiError) -> Refusal {
        match error {
            ApiError::NoSuchPath => Refusal::new("no_such_path"),
            ApiError::MethodNotAllowed => Refusal::new("method_not_allowed"),
            ApiError::Unauthorized => Refusal::new(Code::BAD_TOKEN).because("unknown_to_http"),
            ApiError::TokenExpected => Refusal::new(Code::BAD_TOKEN).because("missing"),
            ApiError::BadBody => Refusal::new(Code::MALFORMED).because("body"),
            ApiError::BadQuery(reason) => Refusal::new("bad_query").because(reason),
            ApiError::NoSuchRuleset => Refusal::new(Code::NO_SUCH_RULESET).because("rated"),
            ApiError::NoSuchSpeed => Refusal::new(Code::NO_SUCH_SPEED),
            ApiError::NotRated => Refusal::new(Code::NOT_RATED).because("unchanged"),
            ApiError::BodyTooLarge => Refusal::new("body_too_large").with("kib", BODY_BYTES_MAX / 1024),
            ApiError::HostExpected => Refusal::new("host_expected"),
            ApiError::ForeignPage => Refusal::new("foreign_origin").because("session"),
            ApiError::TimedOut => Refusal::new("timed_out"),
            ApiError::Refused(refusal) => refusal.clone(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, refusal) = (self.status(), Refusal::from(&self));
        let header = match (status, refusal.args.get("seconds")) {
            (StatusCode::UNAUTHORIZED, _) => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            (
                StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS,
                Some(RefusalArg::Number(seconds)),
            ) => Some((RETRY_AFTER, (*seconds).into())),
            (StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS, _) => {
                Some((RETRY_AFTER, 2.into()))
            }
            _ => None,
        };
        let mut response = status.into_response();
        response.headers_mut().extend(header);
        response.extensions_mut().insert(UnwrittenRefusal(refusal));
        response
    }
}

macro_rules! refused {
    ($($error:ty),+) => {
        $(impl From<$error> for ApiError {
            fn from(error: $error) -> ApiError {
                ApiError::Refused(Refusal::from(&error))
            }
        })+
    };
}

refused!(TableError, TooMany, UpgradeRefusal);

impl From<flagfall_services::Refused> for ApiError {
    fn from(flagfall_services::Refused(refusal): flagfall_services::Refused) -> ApiError {
        ApiError::Refused(refusal)
    }
}

impl From<PlayerError> for ApiError {
    fn from(error: PlayerError) -> ApiError {
        match error {
            PlayerError::UnknownToken => ApiError::Unauthorized,
            other => ApiError::Refused(Refusal::from(&other)),
        }
    }
}

impl From<ForeignPage> for ApiError {
    fn from(ForeignPage: ForeignPage) -> ApiError {
        ApiError::ForeignPage
    }
}

impl From<RecordError> for ApiError {
    fn from(error: RecordError) -> ApiError {
        match error {
            RecordError::Table(error) => ApiError::from(error),
            RecordError::NotOpened(NotOpened) => ApiError::Refused(Refusal::new(Code::RECORD_NOT_OPENED)),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        flagfall_base::store_errors::note_refusal(&error, "the store refused a request over HTTP");
        ApiError::Refused(refusals::store_away())
    }
}
