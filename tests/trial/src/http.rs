//! HTTP requests to the server.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::error::TrialError;

const ANSWER_MAX: Duration = Duration::from_secs(30);

/// Returns the record of a game as the token's owner may see it. Without a token, returns the
/// public record.
///
/// # Errors
/// [`TrialError::Client`] if the answer is not a record.
pub(crate) async fn record(
    address: SocketAddr,
    game: &str,
    token: Option<&str>,
) -> Result<String, TrialError> {
    get(address, game, "/record", token).await
}

/// The resource under a game's path.
///
/// # Errors
/// [`TrialError::Client`] if there is none.
pub(crate) async fn get(
    address: SocketAddr,
    game: &str,
    under: &str,
    token: Option<&str>,
) -> Result<String, TrialError> {
    let failed = |what: String| TrialError::Client {
        who: "a reader over HTTP".to_owned(),
        game: game.to_owned(),
        what,
    };
    let answer = timeout(ANSWER_MAX, exchange(address, game, under, token))
        .await
        .map_err(|_| failed("no answer in time".to_owned()))?
        .map_err(|error| failed(error.to_string()))?;
    let answer = String::from_utf8(answer).map_err(|_| failed("not UTF-8".to_owned()))?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| failed("no HTTP answer".to_owned()))?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    if status != "200" {
        return Err(failed(format!("HTTP status {status}: {body}")));
    }
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    if is_chunked {
        unchunked(body).ok_or_else(|| failed("broken chunks".to_owned()))
    } else {
        Ok(body.to_owned())
    }
}

async fn exchange(
    address: SocketAddr,
    game: &str,
    under: &str,
    token: Option<&str>,
) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    let credential = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request = format!(
        "GET /api/games/{game}{under} HTTP/1.1\r\nHost: {address}\r\n{credential}Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn unchunked(body: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), body);
    loop {
        let (length, after) = rest.split_once("\r\n")?;
        let length = usize::from_str_radix(length.split(';').next()?.trim(), 16).ok()?;
        if length == 0 {
            return Some(text);
        }
        text.push_str(after.get(..length)?);
        rest = after.get(length..)?.strip_prefix("\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together() {
        assert_eq!(unchunked("3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n").as_deref(), Some("abcde"));
        assert_eq!(unchunked("9\r\nabc\r\n"), None);
    }
}
