//! Where a Redis is: one server by its URL, or the primary that Sentinels name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo};
use thiserror::Error;

use super::link::{Fault, bounded};

/// The port of a Sentinel unless another is named.
const SENTINEL_PORT: u16 = 26_379;
/// Sentinels of one address.
const SENTINELS_MAX: usize = 16;

/// Where a Redis is, and the password for it. Printing shows neither the password nor the user.
///
/// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, `unix:///PATH`, or `redis+sentinel://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]/NAME[/DATABASE]`, where NAME
/// is what the Sentinels call the primary; user and password are those of the Redis servers, the Sentinels have none.
#[derive(Clone)]
pub struct RedisAddress {
    place: Arc<Place>,
    shown: Arc<str>,
}

enum Place {
    Server(ConnectionInfo),
    Sentinels {
        sentinels: Vec<(String, u16)>,
        name: String,
        /// How to speak to the primary, with whatever host.
        primary: ConnectionInfo,
    },
}

/// Why a text is no address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum AddressError {
    /// The form is another one.
    #[error(
        "a Redis is redis://HOST:PORT, redis://:PASSWORD@HOST:PORT/DATABASE, unix:///PATH, or redis+sentinel://HOST:PORT,HOST:PORT/NAME"
    )]
    Form,
    /// This program speaks no TLS.
    #[error(
        "rediss:// is not spoken here: put a TLS tunnel (stunnel, a service mesh) on this machine and name its end as redis://127.0.0.1:PORT"
    )]
    Tls,
}

impl FromStr for RedisAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<RedisAddress, AddressError> {
        if text.starts_with("rediss") || text.starts_with("valkeys") {
            return Err(AddressError::Tls);
        }
        if let Some(rest) = text.strip_prefix("redis+sentinel://") {
            return parse_sentinels(rest).ok_or(AddressError::Form);
        }
        let info = text.into_connection_info().map_err(|_| AddressError::Form)?;
        let shown = match info.addr() {
            ConnectionAddr::Tcp(host, port) => {
                format!("redis://{host}:{port}/{}", info.redis_settings().db())
            }
            ConnectionAddr::Unix(path) => format!("unix://{}", path.display()),
            _ => return Err(AddressError::Form),
        };
        Ok(RedisAddress { place: Arc::new(Place::Server(info)), shown: shown.into() })
    }
}

fn parse_sentinels(rest: &str) -> Option<RedisAddress> {
    let (credentials, rest) = rest.rsplit_once('@').map_or((None, rest), |(left, right)| (Some(left), right));
    let (hosts, path) = rest.split_once('/')?;
    let (name, database) = path.split_once('/').unwrap_or((path, "0"));
    let host_of = |text: &str| {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (text, SENTINEL_PORT),
        };
        (!host.is_empty()).then(|| (host.to_owned(), port))
    };
    let sentinels: Vec<(String, u16)> = hosts.split(',').map(host_of).collect::<Option<_>>()?;
    let is_name = |name: &str| !name.is_empty() && !name.contains(['/', '?', '#']);
    if sentinels.len() > SENTINELS_MAX || !is_name(name) || database.parse::<u16>().is_err() {
        return None;
    }
    let credentials = credentials.map(|credentials| format!("{credentials}@")).unwrap_or_default();
    let primary = format!("redis://{credentials}primary:6379/{database}").into_connection_info().ok()?;
    let shown = format!("redis+sentinel://{hosts}/{name}/{database}");
    let place = Place::Sentinels { sentinels, name: name.to_owned(), primary };
    Some(RedisAddress { place: Arc::new(place), shown: shown.into() })
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
    /// A client of the primary as it is now. Sentinels are asked anew each time, for they know of failovers.
    pub(super) async fn client(&self, timeout: Duration) -> Result<Client, Fault> {
        let info = match &*self.place {
            Place::Server(info) => info.clone(),
            Place::Sentinels { sentinels, name, primary } => {
                let (host, port) = ask_sentinels(sentinels, name, timeout).await?;
                primary.clone().set_addr(ConnectionAddr::Tcp(host, port))
            }
        };
        Client::open(info).map_err(|error| Fault::of_error(&error))
    }
}

/// Where the primary is, by the first Sentinel that knows.
async fn ask_sentinels(
    sentinels: &[(String, u16)],
    name: &str,
    timeout: Duration,
) -> Result<(String, u16), Fault> {
    let mut fault = Fault::not_done("no Sentinel is named");
    for (host, port) in sentinels {
        let asked = bounded(timeout, async {
            let client = Client::open((host.as_str(), *port))?;
            let mut connection = client.get_multiplexed_async_connection().await?;
            let mut command = redis::cmd("SENTINEL");
            command.arg("get-master-addr-by-name").arg(name);
            command.query_async::<Option<(String, u16)>>(&mut connection).await
        });
        match asked.await {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => fault = Fault::not_done(&format!("the Sentinels know of no primary named {name}")),
            Err(problem) => fault = problem,
        }
    }
    Err(fault)
}

/// What all keys of a store begin with, so that several can live in one Redis: 1 to 40 lower-case letters, digits, `-` and `_`.
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
    /// The prefix as text.
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
        ];
        for (text, shown) in rows {
            let address: RedisAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("secret"));
        }
    }

    #[test]
    fn what_is_no_address_is_told_without_repeating_it() {
        for text in [
            "",
            "cloud",
            "http://a",
            "redis+sentinel://a",
            "redis+sentinel:///main",
            "redis+sentinel://a:x/m",
        ] {
            assert_eq!(text.parse::<RedisAddress>().unwrap_err(), AddressError::Form, "{text}");
        }
        assert_eq!("rediss://a".parse::<RedisAddress>().unwrap_err(), AddressError::Tls);
    }

    #[test]
    fn prefixes_have_nothing_a_pattern_or_a_hash_tag_could_trip_over() {
        for text in ["", "a:b", "a*", "{a}", "A", "a b", &"a".repeat(41)] {
            assert!(text.parse::<Prefix>().is_err(), "{text}");
        }
        assert_eq!("arena-2_b".parse::<Prefix>().map(|prefix| prefix.0), Ok("arena-2_b".to_owned()));
    }
}
