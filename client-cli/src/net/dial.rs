//! Connects to a server, with or without TLS, and explains failures.

use std::fmt;
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
use crate::words;

/// Advice when nothing answers at the address.
pub(crate) const NAME_ANOTHER: &str =
    "Is the server running there? Name another one with --server HOST:PORT or https://HOST.";

/// A connection, with or without TLS.
pub type Stream = Box<dyn Duplex>;

/// A stream that can be read and written.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Makes connections. Cheap to clone.
#[derive(Clone)]
pub struct Dialer {
    tls: TlsConnector,
}

impl fmt::Debug for Dialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dialer")
    }
}

/// Why the server cannot be talked to. `Display` gives the reason, [`advice`](Self::advice) says
/// what to do.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// No connection.
    #[error("{}", plain(.0))]
    Unreachable(io::Error),
    /// No answer within this many seconds.
    #[error("no answer within {0} seconds")]
    Timeout(u64),
    /// Connected, but the TLS handshake failed.
    #[error("{0}")]
    Handshake(HandshakeFault),
    /// Asked without TLS, it answered with 400 or without HTTP, as TLS servers do.
    #[error("it does not understand a request without TLS")]
    NotUnderstood,
    /// Asked without TLS, it hung up, as some TLS servers do.
    #[error("it hung up without an answer")]
    HungUp,
    /// Asked without TLS, it redirected to TLS.
    #[error("it wants an encrypted connection")]
    WantsTls,
    /// It answered, but not like a Flagfall server.
    #[error("{0}")]
    Odd(String),
}

/// True if an HTTP response redirects to TLS.
pub(crate) fn leads_to_tls<B>(response: &Response<B>) -> bool {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    response.status().is_redirection() && location.is_some_and(|address| address.starts_with("https://"))
}

/// The system's error text without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

impl DialError {
    /// What the user can do about it, as a sentence.
    #[must_use]
    pub fn advice(&self, address: &Address) -> String {
        let other_way = address.other_way();
        match self {
            DialError::Unreachable(_) | DialError::Timeout(_) | DialError::Odd(_) => NAME_ANOTHER.to_owned(),
            DialError::NotUnderstood => format!("It may speak TLS: connect with --server {other_way}."),
            DialError::HungUp => format!("If it speaks TLS, connect with --server {other_way}."),
            DialError::WantsTls => format!("Connect with --server https://{}.", address.host),
            DialError::Handshake(fault) => match fault {
                HandshakeFault::UntrustedIssuer => "If it is the server of a club with an authority of its own, name that authority's certificate with --ca FILE; otherwise somebody may be listening on the way.".to_owned(),
                HandshakeFault::WrongName { named } => match named.first() {
                    Some(name) if !name.contains('*') => {
                        format!("If you trust that name, connect with --server https://{name}:{}.", address.port)
                    }
                    _ => "Ask whoever runs the server for its right name.".to_owned(),
                },
                HandshakeFault::Expired { at_ms } => {
                    let since = at_ms.map(|at| format!(" since {}", words::date(at))).unwrap_or_default();
                    format!("It is void{since}: whoever runs the server has to renew it. Or is this computer's clock wrong?")
                }
                HandshakeFault::NotYetValid => "Is this computer's clock wrong?".to_owned(),
                HandshakeFault::NoTls | HandshakeFault::HungUp => {
                    format!("If it is meant to be without TLS, as in a network you trust, connect with --server {other_way}.")
                }
                HandshakeFault::Unacceptable(_) | HandshakeFault::Other(_) => {
                    "Tell whoever runs the server.".to_owned()
                }
            },
        }
    }
}

impl Dialer {
    /// Trusts the authorities that browsers trust, and those in the file.
    ///
    /// # Errors
    /// [`AuthorityError`] if the file cannot be used.
    pub fn new(authorities: Option<&Path>) -> Result<Dialer, AuthorityError> {
        Ok(Dialer { tls: Trust::with_authorities(authorities)?.connector() })
    }

    /// Connects to a server.
    ///
    /// # Errors
    /// [`DialError`].
    pub async fn dial(&self, address: &Address) -> Result<Stream, DialError> {
        let stream = TcpStream::connect(&address.authority).await.map_err(DialError::Unreachable)?;
        stream.set_nodelay(true).map_err(DialError::Unreachable)?;
        if !address.is_encrypted {
            return Ok(Box::new(stream));
        }
        let name = ServerName::try_from(address.certified_name().to_owned())
            .map_err(|_| DialError::Odd("no certificate can be for such a name".to_owned()))?;
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
