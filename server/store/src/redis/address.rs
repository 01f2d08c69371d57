//! The address of a Redis: the URL of one server, Sentinels that name the primary, or nodes of a
//! Redis Cluster that name the masters.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use redis::{
    Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, ProtocolVersion,
    TlsCertificates,
};
use thiserror::Error;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

use super::request_error::{RequestError, within};
use super::slots::Nodes;

const SENTINEL_PORT: u16 = 26_379;
const PORT: u16 = 6_379;
/// The maximum number of Sentinels in one address.
const SENTINELS_MAX: usize = 16;
/// The maximum number of nodes of a cluster in one address.
const NODES_MAX: usize = 64;

/// The address of a Redis, with its password. The address is printed without the password and the
/// user.
///
/// One of these forms:
///
/// - `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`
/// - `unix:///PATH`
/// - `redis+sentinel://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]/NAME[/DATABASE]`
/// - `redis+cluster://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]`: some nodes of a Redis Cluster,
///   which name the others
///
/// NAME is the Sentinels' name of the primary. The user and the password are for the Redis
/// servers; the Sentinels need none. `rediss://`, `rediss+sentinel://` and `rediss+cluster://`
/// use TLS, both for the Sentinels and for Redis.
#[derive(Clone)]
pub struct RedisAddress {
    place: Arc<Place>,
    shown: Arc<str>,
    /// The certificates for TLS; `None` without TLS.
    certificates: Option<Arc<TlsCertificates>>,
}

enum Place {
    Server(ConnectionInfo),
    Sentinels {
        sentinels: Vec<(String, u16)>,
        name: String,
        /// The connection settings for the primary. The host and port are replaced by those that
        /// a Sentinel returns.
        primary: ConnectionInfo,
    },
    /// A Redis Cluster.
    Cluster {
        nodes: Arc<Nodes>,
        /// The connection settings for a master. The host and port are replaced by those of the
        /// master that has the slot.
        settings: ConnectionInfo,
        /// The slot to whose master this address leads; `None` for the whole cluster.
        slot: Option<u16>,
    },
}

/// Certificates for TLS connections to Redis, in PEM form. The default trusts the same
/// authorities as browsers.
#[derive(Clone, Default)]
pub struct RedisTls {
    /// The certificates of the authorities to trust instead of the default ones.
    pub authorities: Option<Vec<u8>>,
    /// The client's certificate chain and key, for a Redis that requires client certificates.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl fmt::Debug for RedisTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisTls").finish_non_exhaustive()
    }
}

/// Why some text is not a usable address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum AddressError {
    /// The text does not have the form of an address.
    #[error(
        "a Redis is redis://HOST:PORT, redis://:PASSWORD@HOST:PORT/DATABASE, unix:///PATH, redis+sentinel://HOST:PORT,HOST:PORT/NAME, or redis+cluster://HOST:PORT,HOST:PORT; with TLS rediss://, rediss+sentinel:// or rediss+cluster://"
    )]
    Form,
    /// The address asks for TLS without verification of certificates.
    #[error("TLS without looking at certificates protects nothing: name the authority that signed Redis's")]
    Insecure,
    /// The certificates or the key are not in PEM form.
    #[error("the certificates or the key for Redis are none in PEM form")]
    Certificates,
}

impl FromStr for RedisAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<RedisAddress, AddressError> {
        for (prefix, scheme) in [("redis+sentinel://", "redis"), ("rediss+sentinel://", "rediss")] {
            if let Some(rest) = text.strip_prefix(prefix) {
                return parse_sentinels(scheme, rest).ok_or(AddressError::Form);
            }
        }
        for (prefix, scheme) in [("redis+cluster://", "redis"), ("rediss+cluster://", "rediss")] {
            if let Some(rest) = text.strip_prefix(prefix) {
                return parse_cluster(scheme, rest).ok_or(AddressError::Form);
            }
        }
        let info = text.into_connection_info().map_err(|_| AddressError::Form)?;
        let database = info.redis_settings().db();
        let (shown, is_tls) = match info.addr() {
            ConnectionAddr::Tcp(host, port) => (format!("redis://{host}:{port}/{database}"), false),
            ConnectionAddr::TcpTls { insecure: true, .. } => return Err(AddressError::Insecure),
            ConnectionAddr::TcpTls { host, port, .. } => (format!("rediss://{host}:{port}/{database}"), true),
            ConnectionAddr::Unix(path) => (format!("unix://{}", path.display()), false),
            _ => return Err(AddressError::Form),
        };
        Ok(RedisAddress::new(Place::Server(info), shown, is_tls))
    }
}

fn parse_sentinels(scheme: &str, rest: &str) -> Option<RedisAddress> {
    let (credentials, rest) = rest.rsplit_once('@').map_or((None, rest), |(left, right)| (Some(left), right));
    let (hosts, path) = rest.split_once('/')?;
    let (name, database) = path.split_once('/').unwrap_or((path, "0"));
    let sentinels: Vec<(String, u16)> =
        hosts.split(',').map(|host| host_and_port(host, SENTINEL_PORT)).collect::<Option<_>>()?;
    let is_name = |name: &str| !name.is_empty() && !name.contains(['/', '?', '#']);
    if sentinels.len() > SENTINELS_MAX || !is_name(name) || database.parse::<u16>().is_err() {
        return None;
    }
    let credentials = credentials.map(|credentials| format!("{credentials}@")).unwrap_or_default();
    let primary = format!("{scheme}://{credentials}primary:6379/{database}").into_connection_info().ok()?;
    let shown = format!("{scheme}+sentinel://{hosts}/{name}/{database}");
    let place = Place::Sentinels { sentinels, name: name.to_owned(), primary };
    Some(RedisAddress::new(place, shown, scheme == "rediss"))
}

fn parse_cluster(scheme: &str, rest: &str) -> Option<RedisAddress> {
    let (credentials, hosts) =
        rest.rsplit_once('@').map_or((None, rest), |(left, right)| (Some(left), right));
    let nodes: Vec<(String, u16)> =
        hosts.split(',').map(|host| host_and_port(host, PORT)).collect::<Option<_>>()?;
    if nodes.len() > NODES_MAX || hosts.contains(['/', '?', '#']) {
        return None;
    }
    let credentials = credentials.map(|credentials| format!("{credentials}@")).unwrap_or_default();
    let settings = format!("{scheme}://{credentials}master:{PORT}/0").into_connection_info().ok()?;
    let place = Place::Cluster { nodes: Arc::new(Nodes::new(nodes)), settings, slot: None };
    Some(RedisAddress::new(place, format!("{scheme}+cluster://{hosts}"), scheme == "rediss"))
}

fn host_and_port(text: &str, port: u16) -> Option<(String, u16)> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (text, port),
    };
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisAddress({self})")
    }
}

impl RedisAddress {
    fn new(place: Place, shown: String, is_tls: bool) -> RedisAddress {
        let certificates = is_tls.then(|| Arc::new(TlsCertificates { client_tls: None, root_cert: None }));
        RedisAddress { place: Arc::new(place), shown: shown.into(), certificates }
    }

    /// Returns the address of the Redis that has a slot.
    pub(super) fn of_slot(&self, slot: u16) -> RedisAddress {
        let place = match &*self.place {
            Place::Cluster { nodes, settings, .. } => {
                let (nodes, settings) = (nodes.clone(), settings.clone());
                Arc::new(Place::Cluster { nodes, settings, slot: Some(slot) })
            }
            Place::Server(_) | Place::Sentinels { .. } => self.place.clone(),
        };
        RedisAddress { place, ..self.clone() }
    }

    /// True if this is the address of a Redis Cluster, or of one of its masters.
    #[must_use]
    pub fn is_cluster(&self) -> bool {
        matches!(*self.place, Place::Cluster { .. })
    }

    /// True if the connection uses TLS.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.certificates.is_some()
    }

    /// Returns the same address with these certificates. Without TLS they have no effect.
    ///
    /// # Errors
    /// [`AddressError::Certificates`].
    pub fn with_tls(self, tls: RedisTls) -> Result<RedisAddress, AddressError> {
        let client_tls =
            tls.identity.map(|(client_cert, client_key)| ClientTlsConfig { client_cert, client_key });
        let certificates = TlsCertificates { client_tls, root_cert: tls.authorities };
        // Without this check, a file without a certificate would count as an empty list.
        let chain = certificates.client_tls.as_ref().map(|tls| &tls.client_cert);
        let is_named = certificates.root_cert.iter().chain(chain).all(|pem| has_certificate(pem));
        let place = address_of("localhost", 1, true).into_connection_info();
        if !is_named || place.and_then(|place| Client::build_with_tls(place, certificates.clone())).is_err() {
            return Err(AddressError::Certificates);
        }
        let certificates = self.is_tls().then(|| Arc::new(certificates));
        Ok(RedisAddress { certificates, ..self })
    }

    /// Returns a client for the current primary. Asks the Sentinels each time, because there may
    /// have been a failover.
    pub(super) async fn client(&self, timeout: Duration) -> Result<Client, RequestError> {
        let info = match &*self.place {
            Place::Server(info) => info.clone(),
            Place::Sentinels { sentinels, name, primary } => {
                let (host, port) = self.find_primary(sentinels, name, timeout).await?;
                primary.clone().set_addr(address_of(&host, port, self.is_tls()))
            }
            Place::Cluster { nodes, slot, settings } => {
                let missing = || RequestError::not_done("a Redis Cluster needs a store of several buckets");
                let slot = slot.ok_or_else(missing)?;
                let (host, port) = self.find_owner(nodes, settings, slot, timeout).await?;
                settings.clone().set_addr(address_of(&host, port, self.is_tls()))
            }
        };
        self.open(info).map_err(|error| RequestError::of_connecting(&error))
    }

    /// Asks one node of a Redis Cluster after the other, until one of them names the master of a
    /// slot.
    async fn find_owner(
        &self,
        nodes: &Nodes,
        settings: &ConnectionInfo,
        slot: u16,
        timeout: Duration,
    ) -> Result<(String, u16), RequestError> {
        let mut error = RequestError::not_done("no node of the cluster is named");
        for node in nodes.all() {
            let asking = async {
                let place = settings.clone().set_addr(address_of(&node.0, node.1, self.is_tls()));
                let mut connection = self.open(place)?.get_multiplexed_async_connection().await?;
                redis::cmd("CLUSTER").arg("SLOTS").query_async(&mut connection).await
            };
            let answer = within(timeout, asking, RequestError::of_connecting).await;
            match nodes.learn(&node, answer, slot) {
                Ok(owner) => return Ok(owner),
                Err(problem) => error = problem,
            }
        }
        Err(error)
    }

    /// Like [`client`](Self::client), but Redis can send messages over the client's connections at
    /// any time.
    pub(super) async fn client_for_messages(&self, timeout: Duration) -> Result<Client, RequestError> {
        let info = self.client(timeout).await?.get_connection_info().clone();
        let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let info = info.set_redis_settings(settings);
        self.open(info).map_err(|error| RequestError::of_connecting(&error))
    }

    fn open(&self, info: ConnectionInfo) -> redis::RedisResult<Client> {
        match &self.certificates {
            None => Client::open(info),
            Some(certificates) => {
                // An error means that the process already has a cryptography provider. This is also
                // `ring`, because no other one is linked.
                ring::default_provider().install_default().ok();
                Client::build_with_tls(info, TlsCertificates::clone(certificates))
            }
        }
    }

    /// Asks one Sentinel after the other, until one of them names the primary.
    async fn find_primary(
        &self,
        sentinels: &[(String, u16)],
        name: &str,
        timeout: Duration,
    ) -> Result<(String, u16), RequestError> {
        let mut error = RequestError::not_done("no Sentinel is named");
        for (host, port) in sentinels {
            let asking = async {
                let sentinel = address_of(host, *port, self.is_tls()).into_connection_info()?;
                let mut connection = self.open(sentinel)?.get_multiplexed_async_connection().await?;
                let mut command = redis::cmd("SENTINEL");
                command.arg("get-master-addr-by-name").arg(name).query_async(&mut connection).await
            };
            match within(timeout, asking, RequestError::of_connecting).await {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => {
                    error = RequestError::NotDone(format!("the Sentinels know of no primary named {name}"));
                }
                Err(problem) => error = problem,
            }
        }
        Err(error)
    }
}

fn has_certificate(pem: &[u8]) -> bool {
    matches!(CertificateDer::pem_slice_iter(pem).next(), Some(Ok(_)))
}

fn address_of(host: &str, port: u16, is_tls: bool) -> ConnectionAddr {
    let host = host.to_owned();
    if is_tls {
        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
    } else {
        ConnectionAddr::Tcp(host, port)
    }
}

/// The prefix of all keys of a store, so that several stores can share one Redis. It consists of
/// 1 to 40 lowercase letters, digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prefix(String);

impl Default for Prefix {
    fn default() -> Prefix {
        Prefix("flagfall".to_owned())
    }
}

impl FromStr for Prefix {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Prefix, &'static str> {
        let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        if (1..=40).contains(&text.len()) && text.bytes().all(is_fine) {
            Ok(Prefix(text.to_owned()))
        } else {
            Err("a prefix is 1 to 40 lower-case letters, digits, - and _")
        }
    }
}

impl Prefix {
    /// Returns the prefix as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_ever_shown() {
        let rows = [
            ("redis://127.0.0.1", "redis://127.0.0.1:6379/0"),
            ("redis://ann:secret@db.example:7000/3", "redis://db.example:7000/3"),
            ("redis://:secret@127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
            ("unix:///run/redis.sock?pass=secret", "unix:///run/redis.sock"),
            ("redis+sentinel://:secret@a,b:27000/main", "redis+sentinel://a,b:27000/main/0"),
            ("rediss://ann:secret@db.example:7000/3", "rediss://db.example:7000/3"),
            ("rediss+sentinel://:secret@a,b:27000/main", "rediss+sentinel://a,b:27000/main/0"),
            ("redis+cluster://ann:secret@a:7000,b", "redis+cluster://a:7000,b"),
            ("rediss+cluster://:secret@a", "rediss+cluster://a"),
        ];
        for (text, shown) in rows {
            let address: RedisAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("secret"));
            assert_eq!(address.is_tls(), shown.starts_with("rediss"), "{shown}");
            assert_eq!(address.of_slot(7).to_string(), shown);
            assert_eq!(address.of_slot(7).is_cluster(), shown.contains("cluster"));
        }
    }

    #[test]
    fn invalid_redis_addresses_are_refused_without_repeating_them() {
        for text in [
            "",
            "cloud",
            "http://a",
            "redis+sentinel://a",
            "redis+sentinel:///main",
            "redis+sentinel://a:x/m",
            "redis+cluster://",
            "redis+cluster://a,",
            "redis+cluster://a:x",
            "redis+cluster://a/1",
        ] {
            assert_eq!(text.parse::<RedisAddress>().unwrap_err(), AddressError::Form, "{text}");
        }
        assert_eq!("rediss://a/#insecure".parse::<RedisAddress>().unwrap_err(), AddressError::Insecure);
    }

    #[test]
    fn invalid_certificates_are_reported_before_connecting() {
        let address: RedisAddress = "rediss://a".parse().unwrap();
        for nonsense in
            [&b""[..], b"secret", b"-----BEGIN CERTIFICATE-----\nsecret\n-----END CERTIFICATE-----"]
        {
            let authorities = RedisTls { authorities: Some(nonsense.to_vec()), identity: None };
            let identity =
                RedisTls { authorities: None, identity: Some((nonsense.to_vec(), nonsense.to_vec())) };
            for tls in [authorities, identity] {
                assert!(!format!("{tls:?}").contains("secret"));
                let error = address.clone().with_tls(tls).unwrap_err();
                assert_eq!(error, AddressError::Certificates);
            }
        }
    }

    #[test]
    fn prefixes_have_nothing_a_pattern_or_a_hash_tag_could_trip_over() {
        for text in ["", "a:b", "a*", "{a}", "A", "a b", &"a".repeat(41)] {
            assert!(text.parse::<Prefix>().is_err(), "{text}");
        }
        assert_eq!("arena-2_b".parse::<Prefix>().map(|prefix| prefix.0), Ok("arena-2_b".to_owned()));
    }
}
