//! One HTTP request: a game's record.

use std::time::Duration;

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::address::Address;
use crate::model::Secret;

const TIMEOUT: Duration = Duration::from_secs(15);
/// A record of 5,000 plies is about a megabyte.
const BODY_BYTES_MAX: usize = 8 << 20;

/// Why nothing came of a request.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// Nobody there.
    #[error("cannot reach {server}: {source}")]
    Unreachable {
        /// Whom.
        server: String,
        /// Why.
        source: std::io::Error,
    },
    /// It took too long.
    #[error("{0} did not answer in time")]
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
        /// Its words.
        message: String,
    },
}

/// Fetches a path.
///
/// # Errors
/// See [`HttpError`].
pub async fn get(address: &Address, path: &str, token: Option<&Secret>) -> Result<Vec<u8>, HttpError> {
    let timed_out = || HttpError::Timeout(address.authority.clone());
    timeout(TIMEOUT, Box::pin(exchange(address, path, token))).await.map_err(|_| timed_out())?
}

async fn exchange(address: &Address, path: &str, token: Option<&Secret>) -> Result<Vec<u8>, HttpError> {
    let server = || address.authority.clone();
    let broken = |why: String| HttpError::Broken { server: server(), why };
    let stream = TcpStream::connect(&address.authority)
        .await
        .map_err(|source| HttpError::Unreachable { server: server(), source })?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| broken(error.to_string()))?;
    let driver = tokio::spawn(connection);
    let mut request = Request::get(path).header(HOST, &address.authority);
    if let Some(Secret(token)) = token {
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = request.body(Empty::<Bytes>::new()).map_err(|error| broken(error.to_string()))?;
    let response = sender.send_request(request).await.map_err(|error| broken(error.to_string()))?;
    let status = response.status();
    let body = Limited::new(response.into_body(), BODY_BYTES_MAX);
    let bytes = body.collect().await.map_err(|error| broken(error.to_string()))?.to_bytes().to_vec();
    driver.abort();
    if status == StatusCode::OK { Ok(bytes) } else { Err(refused(status, &bytes)) }
}

/// The server's own words where it sent some.
fn refused(status: StatusCode, body: &[u8]) -> HttpError {
    let message = serde_json::from_slice::<serde_json::Value>(body)
        .ok()
        .and_then(|value| value.get("message")?.as_str().map(str::to_owned))
        .unwrap_or_else(|| match status {
            StatusCode::NOT_FOUND => "there is no such game here that you may see".to_owned(),
            StatusCode::UNAUTHORIZED => "the server does not know the credential kept for it".to_owned(),
            other => format!("the server answers with HTTP status {other}"),
        });
    HttpError::Refused { status: status.as_u16(), message }
}
