//! TLS for the tests: a certificate authority, and a proxy that terminates TLS for a server.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate authority.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A server's certificate with its key.
pub struct Certificate {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

/// The period in which a certificate is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Validity {
    /// Valid now.
    Now,
    /// Valid only in the year 2020.
    Past,
    /// Not valid yet.
    Future,
}

impl Authority {
    /// A new authority that nobody trusts.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Authority { issuer: CertifiedIssuer::self_signed(params, key).expect("an authority") }
    }

    /// Writes the authority's own certificate to a file in this folder, for `--ca`.
    ///
    /// # Panics
    /// If it cannot be written.
    #[must_use]
    pub fn file(&self, folder: &Path) -> PathBuf {
        let path = folder.join("authority.pem");
        std::fs::write(&path, self.issuer.pem()).expect("written");
        path
    }

    /// A certificate for these names and addresses.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn certificate(&self, names: &[&str], validity: Validity) -> Certificate {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        let years = match validity {
            Validity::Now => (1975, 4096),
            Validity::Past => (2020, 2021),
            Validity::Future => (4000, 4096),
        };
        (params.not_before, params.not_after) = (date_time_ymd(years.0, 1, 1), date_time_ymd(years.1, 1, 1));
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate").der().clone();
        Certificate { certificate, key: PrivateKeyDer::try_from(key.serialize_der()).expect("a key") }
    }
}

impl Default for Authority {
    fn default() -> Authority {
        Authority::new()
    }
}

/// A proxy that terminates TLS. Dropping the value ends it.
pub struct Proxy {
    /// The address at which the proxy listens.
    pub address: SocketAddr,
    _runtime: Runtime,
}

impl Proxy {
    /// Starts a proxy that accepts TLS connections and forwards them without TLS to a server.
    ///
    /// # Panics
    /// If there is no free port, or the certificate is invalid.
    #[must_use]
    pub fn before(server: SocketAddr, certificate: Certificate) -> Proxy {
        let Certificate { certificate, key } = certificate;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("a certificate with its key");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass_on(acceptor.clone(), stream, server));
            }
        });
        Proxy { address, _runtime: runtime }
    }

    /// The URL of the proxy under this name.
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        format!("https://{name}:{}", self.address.port())
    }
}

async fn pass_on(acceptor: TlsAcceptor, stream: TcpStream, server: SocketAddr) {
    // Ignore errors. A client that does not trust the certificate closes the connection, and
    // either end closes it when it is done.
    let Ok(mut outside) = acceptor.accept(stream).await else { return };
    let Ok(mut inside) = TcpStream::connect(server).await else { return };
    let _ended = copy_bidirectional(&mut outside, &mut inside).await;
}
