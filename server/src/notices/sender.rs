//! One signed POST to a player's webhook: nothing is followed, nothing of the answer is read but its status.

use std::net::SocketAddr;
use std::time::Duration;

use flagfall_protocol::{HexBytes, Notice, WebhookAttempt};
use flagfall_store::{SystemClock, WallClock};
use flagfall_tls::{HandshakeFault, Trust};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper::header::{CONTENT_TYPE, HOST, USER_AGENT};
use hyper::rt::{Read, Write};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use sha2::Sha256;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::{Reach, Target, check_address};
use crate::server::SERVER;

/// How long an attempt may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends notices. Cheap to clone.
#[derive(Clone)]
pub struct Sender {
    reach: Reach,
    tls: TlsConnector,
}

impl Sender {
    /// A sender that reaches so far, and trusts these authorities.
    #[must_use]
    pub fn new(reach: Reach, trust: &Trust) -> Sender {
        Sender { reach, tls: trust.connector() }
    }

    pub(super) fn reach(&self) -> Reach {
        self.reach
    }

    /// Sends a notice, signed with the webhook's secret; what came of it.
    pub(super) async fn send(&self, url: &str, secret: &str, notice: &Notice) -> WebhookAttempt {
        let sent = timeout(PATIENCE, Box::pin(self.exchange(url, secret, notice))).await;
        let result = sent.unwrap_or_else(|_| Err("it did not answer in time".to_owned()));
        let at = SystemClock.now().0;
        match result {
            Ok(status) if status.is_success() => {
                WebhookAttempt { at, delivered: true, result: format!("answered with {}", status.as_u16()) }
            }
            Ok(status) => {
                WebhookAttempt { at, delivered: false, result: format!("answered with {}", status.as_u16()) }
            }
            Err(result) => WebhookAttempt { at, delivered: false, result },
        }
    }

    async fn exchange(&self, url: &str, secret: &str, notice: &Notice) -> Result<StatusCode, String> {
        let target = Target::parse(url, self.reach).map_err(|error| error.to_string())?;
        let body = serde_json::to_vec(notice).map_err(|_| "the notice cannot be written".to_owned())?;
        let stream = TcpStream::connect(self.resolve(&target).await?)
            .await
            .map_err(|error| format!("no connection: {}", error.kind()))?;
        if !target.is_encrypted {
            return post(TokioIo::new(stream), &target, secret, notice, body).await;
        }
        let name = ServerName::try_from(target.host.clone()).map_err(|_| "no certificate has such a name")?;
        let stream = self.tls.connect(name, stream).await;
        let stream =
            stream.map_err(|error| format!("no encrypted connection: {}", HandshakeFault::from(&error)))?;
        post(TokioIo::new(stream), &target, secret, notice, body).await
    }

    /// Where to connect: the very address that was looked at, so that a name which leads elsewhere a moment later changes nothing.
    async fn resolve(&self, target: &Target) -> Result<SocketAddr, String> {
        let found = lookup_host((target.host.as_str(), target.port)).await;
        let found = found.map_err(|_| format!("there is no host {}", target.host))?;
        let mut refusal = None;
        for address in found {
            match check_address(address.ip(), target.is_encrypted, self.reach) {
                Ok(()) => return Ok(address),
                Err(error) => refusal = Some(error.to_string()),
            }
        }
        Err(refusal.unwrap_or_else(|| format!("there is no host {}", target.host)))
    }
}

async fn post(
    stream: impl Read + Write + Unpin + Send + 'static,
    target: &Target,
    secret: &str,
    notice: &Notice,
    body: Vec<u8>,
) -> Result<StatusCode, String> {
    let broken = |error: hyper::Error| format!("the conversation broke: {error}");
    let (mut sender, connection) = handshake(stream).await.map_err(broken)?;
    let driver = AbortOnDrop(tokio::spawn(async move { drop(connection.await) }));
    let request = Request::post(&target.path)
        .header(HOST, &target.authority)
        .header(USER_AGENT, SERVER)
        .header(CONTENT_TYPE, "application/json")
        .header("flagfall-delivery", &notice.id)
        .header("flagfall-signature", format!("sha256={}", signature(secret, &body)))
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| error.to_string())?;
    let answer = sender.send_request(request).await.map_err(broken)?;
    drop(driver);
    Ok(answer.status())
}

/// The connection's task, which ends with whoever waits for it.
struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// HMAC-SHA256 of a body as hexadecimal digits.
fn signature(secret: &str, body: &[u8]) -> String {
    // A key may have any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(body);
    HexBytes(mac.finalize().into_bytes().into()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_hmac_sha256() {
        // Test case 2 of RFC 4231.
        assert_eq!(
            signature("Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_called() {
        let notice = Notice {
            id: "x".to_owned(),
            kind: flagfall_protocol::NoticeKind::Test,
            game: None,
            ruleset: None,
            ply: None,
            deadline: None,
        };
        let attempt =
            Sender::new(Reach::Public, &Trust::default()).send("https://localhost:9/", "s", &notice).await;
        assert!(!attempt.delivered && attempt.result.contains("public addresses"), "{attempt:?}");
    }
}
