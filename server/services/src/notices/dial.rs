//! Connects to a webhook's address.

use std::net::SocketAddr;

use flagfall_tls::{HandshakeFault, Trust};
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::{Target, check_address};
use crate::settings::Reach;

/// A connection to a destination.
pub(super) trait Line: AsyncRead + AsyncWrite + Unpin + Send {}

impl<L: AsyncRead + AsyncWrite + Unpin + Send> Line for L {}

/// A way to connect to destinations.
pub(super) trait Dial: Send + Sync {
    /// Connects to a destination. The reason for a failure is only for the operator's log.
    fn dial<'a>(&'a self, target: &'a Target) -> BoxFuture<'a, Result<Box<dyn Line>, String>>;
}

/// Connections over the real network.
pub(super) struct Network {
    reach: Reach,
    tls: TlsConnector,
}

impl Network {
    pub(super) fn new(reach: Reach, trust: &Trust) -> Network {
        Network { reach, tls: trust.connector() }
    }

    /// Resolves the name and checks the result. The connection uses exactly this address, so that a
    /// changed DNS answer cannot lead elsewhere.
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
