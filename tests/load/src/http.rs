//! One HTTP request with a JSON answer.

use flagfall_protocol::SignedUp;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::error::LoadError;

/// One password for all accounts, because passwords are not measured.
const PASSWORD: &str = "correct horse battery";

/// Sends a request and reads the answer as JSON.
///
/// # Errors
/// [`LoadError::Answer`] for any status outside the 200s, and for a body that is not the expected
/// JSON.
pub(crate) async fn ask<T: DeserializeOwned>(
    address: &str,
    method: &str,
    path: &str,
    body: &str,
) -> Result<T, LoadError> {
    let text = fetch(address, method, path, body).await?;
    serde_json::from_str(&text).map_err(|error| LoadError::Answer(format!("{method} {path}: {error}")))
}

/// Sends a request and reads the body of the answer.
///
/// # Errors
/// [`LoadError::Answer`] for any status outside the 200s.
async fn fetch(address: &str, method: &str, path: &str, body: &str) -> Result<String, LoadError> {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let wrong = |what: &str| LoadError::Answer(format!("{method} {path}: {what}"));
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| wrong("no answer"))?;
    let is_good = head.split(' ').nth(1).is_some_and(|status| status.starts_with('2'));
    if !is_good {
        return Err(wrong(&answer));
    }
    Ok(body.to_owned())
}

/// Sends a GET request.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn get<T: DeserializeOwned>(address: &str, path: &str) -> Result<T, LoadError> {
    ask(address, "GET", path, "").await
}

/// Sends a GET request and returns the body of the answer as it is.
///
/// # Errors
/// As [`ask`], but any body will do.
pub(crate) async fn get_text(address: &str, path: &str) -> Result<String, LoadError> {
    fetch(address, "GET", path, "").await
}

/// Creates an account.
///
/// # Errors
/// As [`ask`].
pub(crate) async fn sign_up(address: &str, name: &str, is_bot: bool) -> Result<SignedUp, LoadError> {
    let body = format!(r#"{{"name":"{name}","password":"{PASSWORD}","bot":{is_bot}}}"#);
    ask(address, "POST", "/api/account", &body).await
}
