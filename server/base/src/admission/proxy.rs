//! The client address of a request: the address of the connection, or the address that a trusted
//! proxy names.

use std::net::IpAddr;

use clap::Args;
use http::HeaderMap;

use super::network::NetworkRange;

/// The proxies whose `X-Forwarded-For` is trusted.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
#[command(next_help_heading = "Limits per address and player")]
pub struct ProxyTrust {
    /// Take a client's address from the last entry of X-Forwarded-For on every connection. Use
    /// this only if clients can reach the server only through a proxy. --trusted-proxy is safer.
    #[arg(long = "trust-proxy", env = "FLAGFALL_TRUST_PROXY")]
    pub is_everyone: bool,
    /// The address or network of a trusted proxy, such as 10.0.0.0/8. The server reads the
    /// proxy's X-Forwarded-For from the end and takes the first address that is not a trusted
    /// proxy. The proxy's own connections have no per-address limit. To name several proxies,
    /// repeat the flag or separate them with commas.
    #[arg(
        long = "trusted-proxy",
        env = "FLAGFALL_TRUSTED_PROXY",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub ranges: Vec<NetworkRange>,
}

impl ProxyTrust {
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.is_everyone || self.is_named(peer)
    }

    /// Returns the address of the client behind a connection from `peer`.
    ///
    /// Each proxy appends the address that it sees to `X-Forwarded-For`. So the list is read from
    /// its end, as long as the addresses belong to trusted proxies. The client may have made up
    /// all entries further left. Reading also stops at an entry that is not an address.
    pub fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        let mut is_believed = self.is_proxy(peer);
        for header in headers.get_all("x-forwarded-for").iter().rev() {
            let Ok(entries) = header.to_str() else { return client };
            for entry in entries.rsplit(',') {
                if !is_believed {
                    return client;
                }
                let Some(address) = address_in(entry) else { return client };
                client = address;
                is_believed = self.is_named(address);
            }
        }
        client
    }

    /// True if the client came to the proxy over TLS. A trusted proxy states this in its
    /// `X-Forwarded-Proto`.
    pub fn is_https(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        let last = headers.get_all("x-forwarded-proto").iter().next_back();
        let scheme = last.and_then(|last| last.to_str().ok()?.rsplit(',').next());
        self.is_proxy(peer) && scheme.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"))
    }

    fn is_named(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|range| range.contains(address))
    }
}

/// Parses the address in an entry. Some proxies add a port, or write IPv6 in brackets.
fn address_in(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    if let Ok(address) = entry.parse() {
        return Some(address);
    }
    if let Ok(with_port) = entry.parse::<std::net::SocketAddr>() {
        return Some(with_port.ip());
    }
    entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trust: &ProxyTrust, peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        trust.client_address(peer.parse().unwrap(), &headers).to_string()
    }

    fn proxies(ranges: &[&str]) -> ProxyTrust {
        ProxyTrust { is_everyone: false, ranges: ranges.iter().map(|range| range.parse().unwrap()).collect() }
    }

    #[test]
    fn a_stranger_is_not_believed() {
        let trust = proxies(&["10.0.0.0/8"]);
        assert_eq!(client(&trust, "203.0.113.5", &["198.51.100.1"]), "203.0.113.5");
        assert_eq!(client(&ProxyTrust::default(), "10.0.0.1", &["198.51.100.1"]), "10.0.0.1");
    }

    #[test]
    fn the_list_is_read_from_its_end_past_trusted_proxies() {
        let trust = proxies(&["10.0.0.0/8", "2001:db8::/48"]);
        let rows: [(&[&str], &str); 9] = [
            (&["198.51.100.1"], "198.51.100.1"),
            (&["192.0.2.66, 198.51.100.1"], "198.51.100.1"),
            (&["198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            (&["192.0.2.66, 198.51.100.1", "10.0.0.3, 10.0.0.2"], "198.51.100.1"),
            (&["198.51.100.1, unknown"], "10.0.0.1"),
            (&["unknown, 10.0.0.2"], "10.0.0.2"),
            (&["198.51.100.1:4711, [2001:db8::1]:443"], "198.51.100.1"),
            (&["[2001:db8:1::7]"], "2001:db8:1::7"),
            (&[], "10.0.0.1"),
        ];
        for (forwarded, expected) in rows {
            assert_eq!(client(&trust, "10.0.0.1", forwarded), expected, "{forwarded:?}");
        }
    }

    #[test]
    fn the_scheme_is_what_the_last_trusted_proxy_says() {
        let is_https = |peer: &str, values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append("x-forwarded-proto", value.parse().unwrap());
            }
            proxies(&["10.0.0.0/8"]).is_https(peer.parse().unwrap(), &headers)
        };
        assert!(is_https("10.0.0.1", &["https"]) && is_https("10.0.0.1", &["http", "http, HTTPS"]));
        assert!(!is_https("10.0.0.1", &[]) && !is_https("10.0.0.1", &["https, http"]));
        assert!(!is_https("203.0.113.5", &["https"]), "a stranger is not believed");
    }

    #[test]
    fn trusting_every_proxy_takes_the_last_forwarded_entry() {
        let trust = ProxyTrust { is_everyone: true, ranges: Vec::new() };
        assert_eq!(client(&trust, "203.0.113.5", &["10.0.0.1, 192.0.2.7"]), "192.0.2.7");
        assert_eq!(client(&trust, "203.0.113.5", &["10.0.0.1", "2001:db8::1"]), "2001:db8::1");
        assert_eq!(client(&trust, "203.0.113.5", &["192.0.2.7, unknown"]), "203.0.113.5");
    }
}
