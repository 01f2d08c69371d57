//! HTTP requests: records of games and account data.

use std::time::Duration;

use flagfall_protocol::{Code, RefusalArgs};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::time::timeout;

use crate::model::Secret;
use crate::net::address::Address;
use crate::net::dial::{DialError, Dialer, leads_to_tls};
use crate::{text, texts};

const TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum length of a body in bytes. A record of 5,000 plies is shorter, as a test of
/// `flagfall-records` checks.
const BODY_BYTES_MAX: usize = 8 << 20;

#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("{}", text!("http-unreachable", server = .server.to_string(), why = .source.to_string(), advice = .source.advice(.server)))]
    Unreachable { server: Box<Address>, source: DialError },
    #[error("{}", text!("http-timeout", server = .0, advice = text!("advice-other-server")))]
    Timeout(String),
    #[error("{}", text!("http-broken", server, why))]
    Broken { server: String, why: String },
    #[error("{message}")]
    Refused {
        status: u16,
        /// A stable code. Empty if the answer does not come from a Flagfall server.
        code: String,
        message: String,
    },
}

pub async fn get(
    dialer: &Dialer,
    address: &Address,
    path: &str,
    token: Option<&Secret>,
) -> Result<Vec<u8>, HttpError> {
    send(dialer, address, Method::GET, path, token, Vec::new()).await
}

/// Sends a request with a JSON body, which may be empty, and parses the JSON answer.
pub async fn send(
    dialer: &Dialer,
    address: &Address,
    method: Method,
    path: &str,
    token: Option<&Secret>,
    body: Vec<u8>,
) -> Result<Vec<u8>, HttpError> {
    let exchange = async {
        let broken = |why: String| HttpError::Broken { server: address.authority.clone(), why };
        let is_plain = !address.is_encrypted;
        let unreachable = |source| HttpError::Unreachable { server: Box::new(address.clone()), source };
        // If a TLS server gets a request without TLS, it answers with bytes that are not HTTP, or
        // closes the connection.
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
        let request =
            request.body(Full::new(Bytes::from(body))).map_err(|error| broken(error.to_string()))?;
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
            // This answer does not come from a Flagfall server, which would have sent a code.
            HttpError::Refused { status: 400, code, .. } if is_plain && code.is_empty() => {
                unreachable(DialError::NotUnderstood)
            }
            refused => refused,
        })
    };
    let answered = timeout(TIMEOUT, Box::pin(exchange)).await;
    answered.unwrap_or_else(|_| Err(HttpError::Timeout(address.authority.clone())))
}

/// Parses the refusal in an error response, with the server's message if there is one.
fn refused(status: StatusCode, body: &[u8]) -> HttpError {
    let told = serde_json::from_slice::<serde_json::Value>(body).unwrap_or_default();
    let field = |field: &str| told.get(field).and_then(|value| value.as_str()).map(str::to_owned);
    let code = field("code").unwrap_or_default();
    let message = field("message").unwrap_or_else(|| match status {
        StatusCode::NOT_FOUND => text!("http-not-found"),
        StatusCode::UNAUTHORIZED => text!("http-unauthorized"),
        other => text!("http-status", status = other.as_u16()),
    });
    let args = told.get("args").and_then(|args| RefusalArgs::deserialize(args).ok()).unwrap_or_default();
    let request = field("request");
    let message = texts::server_refusal(&Code::new(code.clone()), &args, &message, request.as_deref());
    HttpError::Refused { status: status.as_u16(), code, message }
}

impl HttpError {
    pub fn is_refused_as(&self, reason: &str) -> bool {
        matches!(self, HttpError::Refused { code, .. } if code == reason)
    }

    pub fn is_unknown_token(&self) -> bool {
        self.is_refused_as(Code::BAD_TOKEN)
    }
}
