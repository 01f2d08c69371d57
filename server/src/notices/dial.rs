//! How a webhook's address is reached.

use std::net::SocketAddr;

use flagfall_tls::{HandshakeFault, Trust};
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::{Reach, Target, check_address};

/// A line to a destination.
pub(super) trait Line: AsyncRead + AsyncWrite + Unpin + Send {}

impl<L: AsyncRead + AsyncWrite + Unpin + Send> Line for L {}

/// A way to reach destinations.
pub(super) trait Dial: Send + Sync {
    /// Reaches a destination. Why it cannot is for the operator's log alone.
    fn dial<'a>(&'a self, target: &'a Target) -> BoxFuture<'a, Result<Box<dyn Line>, String>>;
}

/// The network.
pub(super) struct Network {
    reach: Reach,
    tls: TlsConnector,
}

impl Network {
    pub(super) fn new(reach: Reach, trust: &Trust) -> Network {
        Network { reach, tls: trust.connector() }
    }

    /// Where to connect: the very address that was looked at, so that a name which leads elsewhere a moment later changes nothing.
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
