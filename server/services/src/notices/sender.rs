//! Sends one POST request to a player's webhook or push service. Does not follow redirects, and
//! uses only the status of the answer.

use super::address::{Target, check_address};
use crate::mac::mac;
use crate::settings::Reach;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flagfall_base::SERVER;
use flagfall_protocol::{HexBytes, Notice, WebhookAttempt};
use flagfall_store::{SystemClock, WallClock};
use flagfall_tls::{HandshakeFault, Trust};
use futures_util::future::BoxFuture;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper::header::{HOST, USER_AGENT};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

const DIAL_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The message for every kind of failed connection. It must not tell players whether a name
/// exists, or a port is open, in the operator's network.
const UNREACHABLE: &str = "this address cannot be reached from here";
const UNWRITABLE: &str = "the notice cannot be written";
const SECRET_PREFIX: &str = "whsec_";

#[derive(Clone)]
pub struct Sender {
    pub(super) reach: Reach,
    dial: Arc<dyn Dial>,
}

pub(super) struct Sent {
    pub(super) attempt: WebhookAttempt,
    /// True if the destination answered, with any status. Such a destination does not keep places
    /// occupied for long.
    pub(super) is_well: bool,
}

impl Sender {
    pub fn new(reach: Reach, trust: &Trust) -> Sender {
        Sender { reach, dial: Arc::new(Network::new(reach, trust)) }
    }

    #[cfg(test)]
    pub(super) fn dialing(reach: Reach, dial: Arc<dyn Dial>) -> Sender {
        Sender { reach, dial }
    }

    pub(super) async fn send(&self, url: &str, secret: &str, notice: &Notice) -> Sent {
        let result = Box::pin(self.exchange(url, secret, notice)).await;
        let at = SystemClock.now().0;
        let (delivered, is_well, result) = match result {
            Ok(status) => {
                let result = format!("answered with {}", status.as_u16());
                (status.is_success(), true, result)
            }
            Err(result) => (false, false, result.to_owned()),
        };
        Sent { attempt: WebhookAttempt { at, delivered, result }, is_well }
    }

    async fn exchange(&self, url: &str, secret: &str, notice: &Notice) -> Result<StatusCode, &'static str> {
        let body = serde_json::to_vec(notice).map_err(|_| UNWRITABLE)?;
        let timestamp = SystemClock.now().0 / 1_000;
        let headers = vec![
            ("content-type", "application/json".to_owned()),
            ("webhook-id", notice.id.clone()),
            ("webhook-timestamp", timestamp.to_string()),
            ("webhook-signature", signature(secret, &notice.id, timestamp, &body)),
            // Also send the headers of version 0.1, because receivers may check them.
            ("flagfall-delivery", notice.id.clone()),
            ("flagfall-signature", format!("sha256={}", body_signature(secret, &body))),
        ];
        self.post(url, headers, body).await
    }

    /// Sends a request, and returns the status of the answer.
    pub(super) async fn post(
        &self,
        url: &str,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    ) -> Result<StatusCode, &'static str> {
        let target = Target::parse(url, self.reach).map_err(|_| UNREACHABLE)?;
        let line = match timeout(DIAL_TIMEOUT, self.dial.dial(&target)).await {
            Ok(Ok(line)) => line,
            Ok(Err(why)) => {
                tracing::debug!(host = target.host, reason = %why, "could not connect to a webhook's address");
                return Err(UNREACHABLE);
            }
            Err(_) => return Err(UNREACHABLE),
        };
        let posted = timeout(ANSWER_TIMEOUT, post(line, &target, headers, body)).await;
        posted.map_err(|_| "it did not answer in time")?
    }
}

async fn post(
    line: Box<dyn Line>,
    target: &Target,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
) -> Result<StatusCode, &'static str> {
    const BROKEN: &str = "it closed the connection without an answer";
    let (mut sender, connection) = handshake(TokioIo::new(line)).await.map_err(|_| BROKEN)?;
    // Dropping `driver` ends the connection's task.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let request = Request::post(&target.path).header(HOST, &target.authority).header(USER_AGENT, SERVER);
    let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    let request = request.body(Full::new(Bytes::from(body))).map_err(|_| UNWRITABLE)?;
    let answer = sender.send_request(request).await.map_err(|_| BROKEN)?;
    drop(driver);
    Ok(answer.status())
}

pub(super) fn secret_of(bits: [u8; 32]) -> String {
    format!("{SECRET_PREFIX}{}", BASE64.encode(bits))
}

/// Returns the signature of the Standard Webhooks specification: HMAC-SHA256 of the id, the
/// timestamp and the body. The key is the Base64 text after `whsec_` in the secret. Secrets of
/// version 0.1 do not have this prefix, but are otherwise read in the same way.
fn signature(secret: &str, id: &str, timestamp: u64, body: &[u8]) -> String {
    let text = secret.strip_prefix(SECRET_PREFIX).unwrap_or(secret);
    let key = BASE64.decode(text).unwrap_or_else(|_| text.as_bytes().to_vec());
    let signed = mac(&key, &[id.as_bytes(), b".", timestamp.to_string().as_bytes(), b".", body]);
    format!("v1,{}", BASE64.encode(signed))
}

/// Returns the signature of version 0.1: HMAC-SHA256 of the body, in hexadecimal. The key is the
/// text of the secret.
fn body_signature(secret: &str, body: &[u8]) -> String {
    HexBytes(mac(secret.as_bytes(), &[body])).to_string()
}

pub(super) trait Line: AsyncRead + AsyncWrite + Unpin + Send {}

impl<L: AsyncRead + AsyncWrite + Unpin + Send> Line for L {}

/// A way to connect to destinations.
pub(super) trait Dial: Send + Sync {
    /// Connects to a destination. If this fails, the reason is for the operator's log only.
    fn dial<'a>(&'a self, target: &'a Target) -> BoxFuture<'a, Result<Box<dyn Line>, String>>;
}

pub(super) struct Network {
    reach: Reach,
    tls: TlsConnector,
}

impl Network {
    pub(super) fn new(reach: Reach, trust: &Trust) -> Network {
        Network { reach, tls: trust.connector() }
    }

    /// Resolves the name and checks the resulting address. The connection must use this address
    /// and not resolve the name again, because a DNS answer could have changed by then.
    async fn resolve(&self, target: &Target) -> Result<SocketAddr, String> {
        let found =
            lookup_host((target.host.as_str(), target.port)).await.map_err(|error| error.to_string())?;
        let mut refusal = None;
        for address in found {
            match check_address(address.ip(), target.is_encrypted, self.reach) {
                Ok(()) => return Ok(address),
                Err(error) => refusal = Some(error.to_string()),
            }
        }
        Err(refusal.unwrap_or_else(|| "the name has no address".to_owned()))
    }

    async fn connect(&self, target: &Target) -> Result<Box<dyn Line>, String> {
        let stream = TcpStream::connect(self.resolve(target).await?).await;
        let stream = stream.map_err(|error| error.kind().to_string())?;
        if !target.is_encrypted {
            return Ok(Box::new(stream));
        }
        let name = ServerName::try_from(target.host.clone()).map_err(|error| error.to_string())?;
        match self.tls.connect(name, stream).await {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(HandshakeFault::from(&error).to_string()),
        }
    }
}

impl Dial for Network {
    fn dial<'a>(&'a self, target: &'a Target) -> BoxFuture<'a, Result<Box<dyn Line>, String>> {
        Box::pin(self.connect(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_of_version_0_1_are_hmac_sha256() {
        // Test case 2 of RFC 4231.
        assert_eq!(
            body_signature("Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn signatures_are_those_of_standard_webhooks() {
        // The example from the test suites of the Standard Webhooks libraries.
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#);
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature(secret, id, 1_614_265_330, body), expected);
        // The signature depends on id, timestamp, body and secret.
        for other in [
            signature(secret, "msg_other", 1_614_265_330, body),
            signature(secret, id, 1_614_265_331, body),
            signature(secret, id, 1_614_265_330, b"{}"),
            signature(&secret_of([7; 32]), id, 1_614_265_330, body),
        ] {
            assert_ne!(other, expected);
        }
    }

    #[tokio::test]
    async fn unreachable_webhooks_all_get_the_same_answer() {
        let notice = Notice {
            id: "x".to_owned(),
            kind: flagfall_protocol::NoticeKind::Test,
            game: None,
            ruleset: None,
            ply: None,
            deadline: None,
        };
        let sender = Sender::new(Reach::Public, &Trust::default());
        // The URLs contain a name that resolves to a private address, a name that does not exist,
        // and a private address.
        for url in ["https://localhost:9/", "https://no-such-host.invalid/", "https://127.0.0.1:9/"] {
            let Sent { attempt, is_well } = sender.send(url, "s", &notice).await;
            assert_eq!((attempt.delivered, is_well, attempt.result.as_str()), (false, false, UNREACHABLE));
        }
        // Even if private addresses are allowed, the message for a closed port is the same.
        let sender = Sender::new(Reach::Private, &Trust::default());
        let closed = flagfall_tests::OwnPort::claim().unwrap();
        for url in [format!("http://{}/", closed.address()), "http://no-such-host.invalid/".to_owned()] {
            assert_eq!(sender.send(&url, "s", &notice).await.attempt.result, UNREACHABLE);
        }
    }
}
