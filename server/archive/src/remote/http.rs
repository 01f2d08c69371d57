//! HTTP requests to storage, with the same TLS settings as all of Flagfall's programs.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use flagfall_tls::Trust;
use http::header::HOST;
use http::{HeaderValue, Uri};
use http_body_util::BodyExt as _;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

/// The maximum time for connecting, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum time for a request and its whole answer, which may be a segment of about 8 MiB.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// The maximum number of idle connections to a host that are kept open.
const IDLE_MAX: usize = 8;

/// True if requests to this host may be sent without TLS. The host must be this machine, or the
/// link-local address from which cloud machines get their credentials.
fn may_be_plain(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match address {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_loopback(),
        Err(_) => host == "localhost",
    }
}

/// True if games may be sent to this endpoint, because it uses TLS or is on this machine.
pub(super) fn is_allowed_endpoint(endpoint: &str) -> bool {
    let Ok(uri) = endpoint.parse::<Uri>() else { return false };
    match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(host)) => may_be_plain(host),
        _ => false,
    }
}

/// Creates HTTP clients for storage.
#[derive(Debug)]
pub(super) struct Connector(Client);

impl Connector {
    pub(super) fn new(trust: &Trust) -> Connector {
        Connector(Client { shared: Arc::new(Shared { tls: trust.connector(), idle: Mutex::default() }) })
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

/// Sends requests, and keeps idle connections for later requests.
#[derive(Clone)]
struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    tls: TlsConnector,
    idle: Mutex<HashMap<Origin, Vec<SendRequest<HttpRequestBody>>>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

/// The destination of a request.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Origin {
    is_tls: bool,
    host: String,
    port: u16,
}

fn invalid(what: &'static str) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, io::Error::new(io::ErrorKind::InvalidInput, what))
}

impl Origin {
    fn of(uri: &Uri) -> Result<Origin, HttpError> {
        let host = uri.host().ok_or_else(|| invalid("the address has no host"))?.to_owned();
        let is_tls = uri.scheme_str() == Some("https");
        if !is_tls && !may_be_plain(&host) {
            return Err(invalid("requests without TLS are sent to this machine only"));
        }
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        Ok(Origin { is_tls, host, port })
    }

    fn name(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }
}

impl Client {
    async fn connect(&self, origin: &Origin) -> Result<SendRequest<HttpRequestBody>, HttpError> {
        let failed =
            |error: Box<dyn Error + Send + Sync>| HttpError::new_boxed(HttpErrorKind::Connect, error);
        let connect = async {
            let stream = TcpStream::connect((origin.name(), origin.port)).await?;
            stream.set_nodelay(true)?;
            if origin.is_tls {
                let name = ServerName::try_from(origin.name().to_owned())?;
                begin(self.shared.tls.connect(name, stream).await?).await
            } else {
                begin(stream).await
            }
        };
        match timeout(CONNECT_TIMEOUT, connect).await {
            Ok(connected) => connected.map_err(failed),
            Err(elapsed) => Err(failed(elapsed.into())),
        }
    }

    /// Returns an open connection that is idle, if there is one.
    fn idle(&self, origin: &Origin) -> Option<SendRequest<HttpRequestBody>> {
        let mut idle = self.shared.idle.lock();
        let senders = idle.get_mut(origin)?;
        while let Some(sender) = senders.pop() {
            if sender.is_ready() {
                return Some(sender);
            }
        }
        None
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (mut parts, body) = request.into_parts();
        let origin = Origin::of(&parts.uri)?;
        if !parts.headers.contains_key(HOST)
            && let Some(authority) = parts.uri.authority()
        {
            let host = HeaderValue::from_str(authority.as_str());
            parts.headers.insert(HOST, host.map_err(|_| invalid("the host's name is not valid"))?);
        }
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        parts.uri = path.parse().map_err(|_| invalid("the path is not valid"))?;
        let mut sender = match self.idle(&origin) {
            Some(sender) => sender,
            None => self.connect(&origin).await?,
        };
        let request = HttpRequest::from_parts(parts, body);
        let (parts, body) = sender.send_request(request).await.map_err(of_hyper)?.into_parts();
        let body: Bytes = body.collect().await.map_err(of_hyper)?.to_bytes();
        if !sender.is_closed() {
            let mut idle = self.shared.idle.lock();
            let senders = idle.entry(origin).or_default();
            if senders.len() < IDLE_MAX {
                senders.push(sender);
            }
        }
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::from(body)))
    }
}

/// Starts HTTP on a new connection. The connection runs in a separate task, which ends when the
/// sender is dropped. Its errors are returned to the caller that uses the sender.
async fn begin(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<SendRequest<HttpRequestBody>, Box<dyn Error + Send + Sync>> {
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Converts an error. Its kind shows whether the request was certainly not sent, or may have been
/// carried out.
fn of_hyper(error: hyper::Error) -> HttpError {
    let kind = if error.is_canceled() {
        HttpErrorKind::Request
    } else if error.is_parse() {
        HttpErrorKind::Decode
    } else {
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, error)
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        match timeout(ANSWER_TIMEOUT, self.exchange(request)).await {
            Ok(answer) => answer,
            Err(elapsed) => Err(HttpError::new(HttpErrorKind::Timeout, elapsed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_sent_in_the_clear_to_this_machine_only() {
        for good in
            ["https://s3.example.com", "http://127.0.0.1:9000", "http://[::1]:9000", "http://localhost"]
        {
            assert!(is_allowed_endpoint(good), "{good}");
        }
        for bad in
            ["http://s3.example.com", "http://10.0.0.1:9000", "ftp://localhost", "localhost:9000", "", "//a"]
        {
            assert!(!is_allowed_endpoint(bad), "{bad}");
        }
        let uri = "http://s3.example.com/bucket".parse().unwrap();
        assert!(Origin::of(&uri).is_err());
    }
}
