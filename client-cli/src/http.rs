//! One HTTP request: a game's record, and whatever an account asks for.

use std::time::Duration;

use flagfall_protocol::Code;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

use crate::address::Address;
use crate::dial::{DialError, Dialer, NAME_ANOTHER, leads_to_tls};
use crate::model::Secret;

const TIMEOUT: Duration = Duration::from_secs(15);
/// A record of 5,000 plies has fewer: a test of `flagfall-records` says so.
const BODY_BYTES_MAX: usize = 8 << 20;

/// Why nothing came of a request.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// Nobody there, or nobody to be talked to.
    #[error("cannot reach {server}: {source}. {}", .source.advice(.server))]
    Unreachable {
        /// Whom.
        server: Box<Address>,
        /// Why.
        source: DialError,
    },
    /// It took too long.
    #[error("{0} did not answer in time. {NAME_ANOTHER}")]
    Timeout(String),
    /// The conversation broke.
    #[error("{server} did not answer as it should: {why}")]
    Broken {
        /// Who.
        server: String,
        /// How.
        why: String,
    },
    /// The server said no.
    #[error("{message}")]
    Refused {
        /// The status.
        status: u16,
        /// Why; stable. Empty when whoever answers is no Flagfall server.
        code: String,
        /// Its words.
        message: String,
    },
}

/// Fetches a path.
///
/// # Errors
/// See [`HttpError`].
pub async fn get(
    dialer: &Dialer,
    address: &Address,
    path: &str,
    token: Option<&Secret>,
) -> Result<Vec<u8>, HttpError> {
    ask(dialer, address, Method::GET, path, token, Vec::new()).await
}

/// Makes a request with a JSON body, which may be empty, and reads the answer's.
///
/// # Errors
/// See [`HttpError`].
pub async fn ask(
    dialer: &Dialer,
    address: &Address,
    method: Method,
    path: &str,
    token: Option<&Secret>,
    body: Vec<u8>,
) -> Result<Vec<u8>, HttpError> {
    let timed_out = || HttpError::Timeout(address.authority.clone());
    let asked = Box::pin(exchange(dialer, address, method, path, token, body));
    timeout(TIMEOUT, asked).await.map_err(|_| timed_out())?
}

async fn exchange(
    dialer: &Dialer,
    address: &Address,
    method: Method,
    path: &str,
    token: Option<&Secret>,
    body: Vec<u8>,
) -> Result<Vec<u8>, HttpError> {
    let server = || address.authority.clone();
    let broken = |why: String| HttpError::Broken { server: server(), why };
    let is_plain = !address.is_encrypted;
    let unreachable = |source| HttpError::Unreachable { server: Box::new(address.clone()), source };
    // Whoever waits for TLS answers a request without it in no HTTP, or hangs up.
    let unanswered = |error: hyper::Error| match error.is_parse() {
        true if is_plain => unreachable(DialError::NotUnderstood),
        false if is_plain && (error.is_incomplete_message() || error.is_closed()) => {
            unreachable(DialError::HungUp)
        }
        _ => broken(error.to_string()),
    };
    let stream = dialer.dial(address).await.map_err(unreachable)?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| broken(error.to_string()))?;
    let driver = tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri(path).header(HOST, &address.authority);
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, format!("Bearer {}", token.expose()));
    }
    if !body.is_empty() {
        request = request.header(CONTENT_TYPE, "application/json");
    }
    let request = request.body(Full::new(Bytes::from(body))).map_err(|error| broken(error.to_string()))?;
    let response = sender.send_request(request).await.map_err(unanswered)?;
    let status = response.status();
    if is_plain && leads_to_tls(&response) {
        return Err(unreachable(DialError::WantsTls));
    }
    let body = Limited::new(response.into_body(), BODY_BYTES_MAX);
    let bytes = body.collect().await.map_err(|error| broken(error.to_string()))?.to_bytes().to_vec();
    driver.abort();
    if status.is_success() {
        return Ok(bytes);
    }
    Err(match refused(status, &bytes) {
        // Ours would have said why.
        HttpError::Refused { status: 400, code, .. } if is_plain && code.is_empty() => {
            unreachable(DialError::NotUnderstood)
        }
        refused => refused,
    })
}

/// The server's own words where it sent some.
fn refused(status: StatusCode, body: &[u8]) -> HttpError {
    let told = serde_json::from_slice::<serde_json::Value>(body).unwrap_or_default();
    let text = |field: &str| told.get(field).and_then(|value| value.as_str()).map(str::to_owned);
    let code = text("code").unwrap_or_default();
    let message = text("message").unwrap_or_else(|| match status {
        StatusCode::NOT_FOUND => "there is no such thing here that you may see".to_owned(),
        StatusCode::UNAUTHORIZED => "the server does not know the credential kept for it".to_owned(),
        other => format!("the server answers with HTTP status {other}"),
    });
    HttpError::Refused { status: status.as_u16(), code, message }
}

impl HttpError {
    /// Whether the server refused for this reason.
    #[must_use]
    pub fn is_refused_as(&self, reason: &str) -> bool {
        matches!(self, HttpError::Refused { code, .. } if code == reason)
    }

    /// Whether the server does not know the token.
    #[must_use]
    pub fn is_unknown_token(&self) -> bool {
        self.is_refused_as(Code::BAD_TOKEN)
    }
}
