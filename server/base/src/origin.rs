//! Origins of web pages: scheme, host and port.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use thiserror::Error;

/// The origin of a page, in the form that browsers use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    is_https: bool,
    /// The host in lowercase. An IPv6 address is in brackets.
    host: String,
    port: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("wanted: https://HOST or https://HOST:PORT, or the same with http, with nothing behind it")]
pub struct NotAnOrigin;

impl Origin {
    /// Returns the origin of the pages that a server with this `Host` header serves.
    pub fn of_host(is_https: bool, authority: &str) -> Result<Origin, NotAnOrigin> {
        let (host, port) = host_and_port(authority)?;
        Ok(Origin { is_https, host, port: port.unwrap_or(default_port(is_https)) })
    }

    /// Parses an origin that an operator has written as a URL, which may end with a slash.
    pub fn of_url(url: &str) -> Result<Origin, NotAnOrigin> {
        url.strip_suffix('/').unwrap_or(url).parse()
    }

    pub fn is_https(&self) -> bool {
        self.is_https
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// True if this host always leads browsers to their own machine, no matter what a name server
    /// says.
    pub fn is_loopback(&self) -> bool {
        let six = self.host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let address = match six {
            Some(six) => six.parse().ok().map(IpAddr::V6),
            None => self.host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
        };
        match address {
            Some(address) => address.is_loopback(),
            None => self.host == "localhost" || self.host.ends_with(".localhost"),
        }
    }
}

/// Splits an authority into its host, in lowercase, and its port. An IPv6 address keeps its
/// brackets.
pub fn host_and_port(authority: &str) -> Result<(String, Option<u16>), NotAnOrigin> {
    let has_port = !authority.ends_with(']');
    let (host, port) = match authority.rsplit_once(':').filter(|_| has_port) {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let is_number = |port: &&str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let number = port.filter(is_number).and_then(|port| port.parse().ok()).filter(|number| *number > 0);
    let six = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match six {
        Some(six) => six.parse::<Ipv6Addr>().is_ok(),
        None => is_name(host),
    };
    let is_valid = is_host && number.is_some() == port.is_some();
    is_valid.then(|| (host.to_ascii_lowercase(), number)).ok_or(NotAnOrigin)
}

fn default_port(is_https: bool) -> u16 {
    if is_https { 443 } else { 80 }
}

/// True if this is a host name or an IPv4 address.
fn is_name(host: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    (1..=253).contains(&host.len()) && host.bytes().all(is_letter)
}

impl FromStr for Origin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Origin, NotAnOrigin> {
        let (scheme, authority) = text.split_once("://").ok_or(NotAnOrigin)?;
        match scheme.to_ascii_lowercase().as_str() {
            "https" => Origin::of_host(true, authority),
            "http" => Origin::of_host(false, authority),
            _ => Err(NotAnOrigin),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { is_https, host, port } = self;
        let scheme = if *is_https { "https" } else { "http" };
        write!(f, "{scheme}://{host}")?;
        if *port == default_port(*is_https) { Ok(()) } else { write!(f, ":{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_come_back_as_browsers_write_them() {
        for (text, written) in [
            ("https://play.example.org", "https://play.example.org"),
            ("HTTPS://Play.Example.org:443", "https://play.example.org"),
            ("http://play.example.org:443", "http://play.example.org:443"),
            ("http://127.0.0.1:7171", "http://127.0.0.1:7171"),
            ("http://[::1]:7171", "http://[::1]:7171"),
            ("http://[::1]", "http://[::1]"),
            ("http://a_b.local:80", "http://a_b.local"),
        ] {
            let origin: Origin = text.parse().unwrap();
            assert_eq!(origin.to_string(), written);
            assert_eq!(written.parse(), Ok(origin));
        }
        assert_eq!(Origin::of_url("https://a.example/"), "https://a.example".parse());
    }

    #[test]
    fn what_is_more_or_less_than_an_origin_is_none() {
        for text in [
            "",
            "null",
            "play.example.org",
            "https://",
            "https://:443",
            "https://a.example:",
            "https://a.example:0",
            "https://a.example:+1",
            "https://a.example:65536",
            "https://a.example/page",
            "https://a.example?x",
            "https://a.example#x",
            "https://user@a.example",
            "https://a example",
            "ws://a.example",
            "https://::1",
            "https://[::1",
            "https://[a.example]",
        ] {
            assert_eq!(text.parse::<Origin>(), Err(NotAnOrigin), "{text}");
        }
        for url in ["https://a.example//", "https://a.example/page", "/"] {
            assert!(Origin::of_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn loopback_names_cannot_lead_elsewhere() {
        let is_loopback = |text: &str| text.parse::<Origin>().unwrap().is_loopback();
        for text in [
            "http://localhost:7171",
            "http://a.localhost",
            "http://127.0.0.1",
            "http://127.9.9.9:1",
            "http://[::1]",
        ] {
            assert!(is_loopback(text), "{text}");
        }
        for text in [
            "http://localhost.example.org",
            "http://notlocalhost",
            "http://127.0.0.1.example.org",
            "http://192.168.0.1",
            "http://[::2]",
        ] {
            assert!(!is_loopback(text), "{text}");
        }
    }
}
