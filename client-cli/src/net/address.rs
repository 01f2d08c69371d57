//! Server addresses as people type them.

use std::fmt;
use std::net::IpAddr;

use tokio_tungstenite::tungstenite::http::Uri;

use crate::text;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    pub authority: String,
    pub host: String,
    pub port: u16,
    /// The path of the WebSocket.
    pub path: String,
    /// True if the client connects with TLS.
    pub is_encrypted: bool,
}

/// The addresses of the servers of one service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// The first address. The paths of saved credentials and commitments contain its name.
    pub first: Address,
    pub others: Vec<Address>,
}

impl Addresses {
    /// Returns all addresses. The number `turn` determines which address comes first.
    pub fn beginning_with(&self, turn: u64) -> impl Iterator<Item = &Address> {
        let count = 1 + self.others.len();
        let skipped = usize::try_from(turn % count as u64).unwrap_or(0);
        std::iter::once(&self.first).chain(&self.others).cycle().skip(skipped).take(count)
    }
}

/// Default port of a server that has no proxy in front of it.
const OWN_PORT: u16 = 7171;
const TLS_PORT: u16 = 443;
const PLAIN_PORT: u16 = 80;

impl Address {
    /// Parses an address.
    ///
    /// `https://host` and `wss://host/ws` mean TLS; `http://host` and `ws://host/ws` mean no TLS.
    /// Without a scheme, a public name such as `play.example.org` or the port 443 means TLS. Any
    /// other port, an IP address or a name in the local network means no TLS.
    pub fn parse(text: &str) -> Result<Address, String> {
        let malformed = || not_an_address(text);
        let is_bare = !text.contains("://");
        let full = if is_bare { format!("bare://{text}") } else { text.to_owned() };
        let uri: Uri = full.parse().map_err(|_| malformed())?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(malformed)?.to_owned();
        let port = uri.port_u16();
        // Look only after the bracket, because an IPv6 address in brackets contains colons that
        // do not start a port.
        let has_bad_port = port.is_none()
            && uri
                .authority()
                .is_some_and(|it| it.as_str().rsplit(']').next().is_some_and(|end| end.contains(':')));
        if has_bad_port {
            return Err(malformed());
        }
        let is_encrypted = match uri.scheme_str() {
            Some("wss" | "https") => true,
            Some("ws" | "http") => false,
            Some("bare") if is_bare => port.map_or_else(|| is_public_name(&host), |port| port == TLS_PORT),
            _ => return Err(malformed()),
        };
        let usual_port = match (is_encrypted, is_bare) {
            (true, _) => TLS_PORT,
            (false, true) => OWN_PORT,
            (false, false) => PLAIN_PORT,
        };
        let is_page = matches!(uri.scheme_str(), Some("http" | "https")) || matches!(uri.path(), "" | "/");
        let path = if is_page { "/ws".to_owned() } else { uri.path().to_owned() };
        let port = port.unwrap_or(usual_port);
        Ok(Address { authority: format!("{host}:{port}"), host, port, path, is_encrypted })
    }

    /// Parses the addresses of one service, separated by commas. The first address is preferred.
    pub fn parse_all(text: &str) -> Result<Addresses, String> {
        let mut all = text.split(',').map(|one| Address::parse(one.trim()));
        let first = all.next().unwrap_or_else(|| Err(not_an_address(text)))?;
        Ok(Addresses { first, others: all.collect::<Result<_, _>>()? })
    }

    /// Splits a challenge into its code and, if it is a link, the server's address. A link
    /// without a server or a code is an error.
    pub fn parse_challenge(text: &str) -> Result<(String, Option<Address>), String> {
        let Some((_, rest)) = text.split_once("://") else { return Ok((text.to_owned(), None)) };
        let code = rest.rsplit(['/', '#', '=', '?']).find(|part| !part.is_empty()).unwrap_or_default();
        let authority = rest.split(['/', '#', '?']).next().unwrap_or_default();
        if code.is_empty() || code == authority {
            return Err(not_an_address(text));
        }
        let scheme = text.split("://").next().unwrap_or_default();
        Ok((code.to_owned(), Some(Address::parse(&format!("{scheme}://{authority}"))?)))
    }

    pub fn page(&self, path: &str) -> String {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        format!("{scheme}://{}{path}", self.authority)
    }

    /// Returns this address as a person types it, but with TLS if this address has none, and
    /// otherwise without TLS.
    pub fn other_way(&self) -> String {
        Address { is_encrypted: !self.is_encrypted, ..self.clone() }.page("")
    }

    /// Returns the host name as certificates contain it: an IPv6 address without brackets.
    pub fn certified_name(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Returns a file name: host, port and whether TLS is used. Because TLS is part of the name,
    /// a secret that arrived over TLS is never sent without TLS.
    pub fn file_name(&self) -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '.' || letter == '-';
        let host: String = self.host.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        format!("{host}_{}{}", self.port, if self.is_encrypted { "_tls" } else { "" })
    }
}

fn not_an_address(text: &str) -> String {
    text!("not-an-address", address = text)
}

/// True for a public internet name, whose server should use TLS. IP addresses and names of this
/// machine or the local network are not public.
fn is_public_name(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let is_local =
        [".localhost", ".local", ".lan", ".internal", ".home.arpa"].iter().any(|end| name.ends_with(end));
    name.contains('.') && !is_local && name.parse::<IpAddr>().is_err()
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "wss" } else { "ws" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (text, full) in [
            ("ws://127.0.0.1:7171/ws", "ws://127.0.0.1:7171/ws"),
            ("http://play.example:8080", "ws://play.example:8080/ws"),
            ("http://play.example/", "ws://play.example:80/ws"),
            ("ws://play.example/flagfall/ws", "ws://play.example:80/flagfall/ws"),
            ("localhost:9000", "ws://localhost:9000/ws"),
            ("localhost", "ws://localhost:7171/ws"),
            ("[::1]:7171", "ws://[::1]:7171/ws"),
            ("[::1]", "ws://[::1]:7171/ws"),
            ("192.168.1.7", "ws://192.168.1.7:7171/ws"),
            ("club-server", "ws://club-server:7171/ws"),
            ("Club.local", "ws://Club.local:7171/ws"),
            ("play.example:7171", "ws://play.example:7171/ws"),
            ("play.example", "wss://play.example:443/ws"),
            ("play.example:443", "wss://play.example:443/ws"),
            ("https://play.example", "wss://play.example:443/ws"),
            ("https://play.example:8443/", "wss://play.example:8443/ws"),
            ("wss://play.example/flagfall/ws", "wss://play.example:443/flagfall/ws"),
            ("wss://localhost", "wss://localhost:443/ws"),
            ("https://[::1]:8443", "wss://[::1]:8443/ws"),
        ] {
            assert_eq!(
                Address::parse(text).map(|address| address.to_string()),
                Ok(full.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn several_addresses_take_turns() {
        let all = Address::parse_all("a:1, ws://b:2/ws,c:3").expect("three addresses");
        let hosts =
            |turn: u64| -> String { all.beginning_with(turn).map(|address| address.host.as_str()).collect() };
        assert_eq!([0, 1, 2, 3].map(hosts), ["abc", "bca", "cab", "abc"]);
        let one = Address::parse_all("a:1").expect("an address");
        assert_eq!(one.beginning_with(7).count(), 1);
        for text in ["", "a:1,", "a:1,b:port"] {
            assert!(Address::parse_all(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn invalid_addresses_are_refused_with_a_reason() {
        for text in
            ["", "ftp://a", "bare://a", "ws://", "wss://", "a b", "host:port", "host:99999", "wss://host:/ws"]
        {
            assert_eq!(Address::parse(text), Err(not_an_address(text)), "{text:?}");
        }
    }

    #[test]
    fn a_challenge_is_a_code_or_a_link_that_names_its_server() {
        assert_eq!(Address::parse_challenge("abc123"), Ok(("abc123".to_owned(), None)));
        let (code, address) =
            Address::parse_challenge("http://h.example:81/challenge/abc123").expect("a link");
        assert_eq!(code, "abc123");
        assert_eq!(address.expect("a server").to_string(), "ws://h.example:81/ws");
        assert!(Address::parse_challenge("http://h.example:81/").is_err());
        let (_, address) = Address::parse_challenge("https://h.example/challenge/abc123").expect("a link");
        assert_eq!(address.expect("a server").to_string(), "wss://h.example:443/ws");
    }

    #[test]
    fn file_names_have_no_odd_characters() {
        assert_eq!(
            Address::parse("[::1]:7171").expect("an address").file_name(),
            "_::1__7171".replace(':', "_")
        );
    }

    #[test]
    fn data_of_tls_servers_is_kept_apart() {
        let names = ["ws://a.example:8443", "wss://a.example:8443"]
            .map(|text| Address::parse(text).expect("an address").file_name());
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn the_other_way_is_typed_as_a_page() {
        let other = |text: &str| Address::parse(text).expect("an address").other_way();
        assert_eq!(other("a.example:8443"), "https://a.example:8443");
        assert_eq!(other("https://a.example"), "http://a.example:443");
    }
}
