//! Connects to a server, with or without TLS, and explains failures.

use std::io;
use std::path::Path;

use flagfall_tls::{AuthorityError, HandshakeFault, Trust};
use hyper::Response;
use hyper::header::LOCATION;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::net::address::Address;
use crate::{text, words};

/// A connection, with or without TLS.
pub type Stream = Box<dyn Duplex>;

pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Opens connections. Cheap to clone.
#[derive(Clone)]
pub struct Dialer {
    tls: TlsConnector,
}

/// Why the client cannot communicate with the server. `Display` gives the reason, and
/// [`advice`](Self::advice) says what the user can do.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    #[error("{}", plain(.0))]
    Unreachable(io::Error),
    /// The server did not answer within this many seconds.
    #[error("{}", text!("dial-timeout", seconds = *.0))]
    Timeout(u64),
    /// The connection was established, but the TLS handshake failed.
    #[error("{0}")]
    Handshake(HandshakeFault),
    /// The client sent a request without TLS. The server answered with status 400 or with
    /// something other than HTTP, as TLS servers do.
    #[error("{}", text!("dial-not-understood"))]
    NotUnderstood,
    /// The server closed a connection without TLS, as some TLS servers do.
    #[error("{}", text!("dial-hung-up"))]
    HungUp,
    /// The server redirected a request without TLS to TLS.
    #[error("{}", text!("dial-wants-tls"))]
    WantsTls,
    /// The server answered, but not as a Flagfall server does.
    #[error("{0}")]
    Odd(String),
}

pub(crate) fn leads_to_tls<B>(response: &Response<B>) -> bool {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    response.status().is_redirection() && location.is_some_and(|address| address.starts_with("https://"))
}

/// The text that the standard library puts before the number of an operating system error.
const OS_ERROR: &str = " (os error";

/// Returns the text of an operating system error without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(OS_ERROR).next().unwrap_or_default().to_lowercase()
}

impl DialError {
    /// Returns a sentence that says what the user can do.
    pub fn advice(&self, address: &Address) -> String {
        match self {
            DialError::Unreachable(_) | DialError::Timeout(_) | DialError::Odd(_) => {
                text!("advice-other-server")
            }
            DialError::NotUnderstood => text!("advice-may-speak-tls", address = address.other_way()),
            DialError::HungUp => text!("advice-if-tls", address = address.other_way()),
            DialError::WantsTls => text!("advice-use-tls", host = &address.host),
            DialError::Handshake(fault) => match fault {
                HandshakeFault::UntrustedIssuer => text!("advice-untrusted"),
                HandshakeFault::WrongName { named } => match named.first() {
                    Some(name) if !name.contains('*') => {
                        text!("advice-other-name", name, port = address.port.to_string())
                    }
                    _ => text!("advice-right-name"),
                },
                HandshakeFault::Expired { at_ms: Some(at) } => {
                    text!("advice-expired-since", since = words::date(*at))
                }
                HandshakeFault::Expired { at_ms: None } => text!("advice-expired"),
                HandshakeFault::NotYetValid => text!("advice-clock"),
                HandshakeFault::NoTls | HandshakeFault::HungUp => {
                    text!("advice-no-tls", address = address.other_way())
                }
                HandshakeFault::Unacceptable(_) | HandshakeFault::Other(_) => text!("advice-tell-operator"),
            },
        }
    }
}

impl Dialer {
    /// Creates a dialer that trusts the certificate authorities that browsers trust, and those in
    /// the file.
    pub fn new(authorities: Option<&Path>) -> Result<Dialer, AuthorityError> {
        Ok(Dialer { tls: Trust::with_authorities(authorities)?.connector() })
    }

    pub async fn dial(&self, address: &Address) -> Result<Stream, DialError> {
        let stream = TcpStream::connect(&address.authority).await.map_err(DialError::Unreachable)?;
        stream.set_nodelay(true).map_err(DialError::Unreachable)?;
        if !address.is_encrypted {
            return Ok(Box::new(stream));
        }
        let name = ServerName::try_from(address.certified_name().to_owned())
            .map_err(|_| DialError::Odd(text!("dial-no-such-certificate")))?;
        let stream = self.tls.connect(name, stream).await;
        Ok(Box::new(stream.map_err(|error| DialError::Handshake(HandshakeFault::from(&error)))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_comes_with_something_to_do() {
        let address = Address::parse("https://play.example:8443").expect("an address");
        let advice = |error: DialError| error.advice(&address);
        assert!(advice(DialError::Unreachable(io::ErrorKind::ConnectionRefused.into())).contains("--server"));
        assert!(advice(DialError::Handshake(HandshakeFault::UntrustedIssuer)).contains("--ca FILE"));
        let named = vec!["club.example".to_owned()];
        let wrong = advice(DialError::Handshake(HandshakeFault::WrongName { named }));
        assert!(wrong.contains("https://club.example:8443"), "{wrong}");
        let named = vec!["*.example".to_owned()];
        assert!(advice(DialError::Handshake(HandshakeFault::WrongName { named })).contains("right name"));
        let expired = advice(DialError::Handshake(HandshakeFault::Expired { at_ms: Some(0) }));
        assert!(expired.contains("1970") && expired.contains("renew"), "{expired}");
        assert!(advice(DialError::Handshake(HandshakeFault::NoTls)).contains("http://play.example:8443"));
        let address = Address::parse("play.example:8443").expect("an address");
        assert!(DialError::NotUnderstood.advice(&address).contains("https://play.example:8443"));
    }
}
