//! The server's address, as people type it.

use std::fmt;

use tokio_tungstenite::tungstenite::http::Uri;

/// Where a server is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// Host and port.
    pub authority: String,
    /// Host alone.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The path of the WebSocket.
    pub path: String,
}

/// Where the servers of one service are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// The first one: what is kept for the service is kept under its name.
    pub first: Address,
    /// All others.
    pub others: Vec<Address>,
}

impl Addresses {
    /// All of them, beginning with another one each time.
    pub fn beginning_with(&self, turn: u64) -> impl Iterator<Item = &Address> {
        let count = 1 + self.others.len();
        let skipped = usize::try_from(turn % count as u64).unwrap_or(0);
        std::iter::once(&self.first).chain(&self.others).cycle().skip(skipped).take(count)
    }
}

/// A text that names no server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddressError {
    /// Not an address at all.
    #[error("{0:?} is no server address: write it as in ws://127.0.0.1:7171/ws")]
    Malformed(String),
    /// An encrypted connection was asked for.
    #[error(
        "{0:?} wants an encrypted connection, which this build does not speak: use a ws:// address, through a tunnel where the way is not safe"
    )]
    Encrypted(String),
}

impl Address {
    /// Reads `ws://host:port/ws`, `http://host:port`, `host:port` or `host`.
    ///
    /// # Errors
    /// When it is none of these.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let malformed = || AddressError::Malformed(text.to_owned());
        let full = if text.contains("://") { text.to_owned() } else { format!("ws://{text}") };
        let uri: Uri = full.parse().map_err(|_| malformed())?;
        match uri.scheme_str() {
            Some("ws" | "http") => {}
            Some("wss" | "https") => return Err(AddressError::Encrypted(text.to_owned())),
            _ => return Err(malformed()),
        }
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(malformed)?.to_owned();
        // An address in brackets has colons of its own.
        let has_bad_port = uri.port_u16().is_none()
            && uri
                .authority()
                .is_some_and(|it| it.as_str().rsplit(']').next().is_some_and(|end| end.contains(':')));
        if has_bad_port {
            return Err(malformed());
        }
        let is_page = uri.scheme_str() == Some("http") || uri.path() == "/" || uri.path().is_empty();
        let port = match (uri.port_u16(), text.contains("://")) {
            (Some(port), _) => port,
            (None, true) => 80,
            (None, false) => 7171,
        };
        let path = if is_page { "/ws".to_owned() } else { uri.path().to_owned() };
        Ok(Address { authority: format!("{host}:{port}"), host, port, path })
    }

    /// Reads addresses of one service, separated by commas: any of its servers will do, the first one first.
    ///
    /// # Errors
    /// When one of them is none.
    pub fn parse_all(text: &str) -> Result<Addresses, AddressError> {
        let mut all = text.split(',').map(|one| Address::parse(one.trim()));
        let first = all.next().unwrap_or_else(|| Err(AddressError::Malformed(text.to_owned())))?;
        Ok(Addresses { first, others: all.collect::<Result<_, _>>()? })
    }

    /// The code of a challenge and, where it came in a link, the server it is on.
    ///
    /// # Errors
    /// When the link names no server or no code.
    pub fn parse_challenge(text: &str) -> Result<(String, Option<Address>), AddressError> {
        let Some((_, rest)) = text.split_once("://") else { return Ok((text.to_owned(), None)) };
        let code = rest.rsplit(['/', '#', '=', '?']).find(|part| !part.is_empty()).unwrap_or_default();
        let authority = rest.split(['/', '#', '?']).next().unwrap_or_default();
        if code.is_empty() || code == authority {
            return Err(AddressError::Malformed(text.to_owned()));
        }
        let scheme = text.split("://").next().unwrap_or_default();
        Ok((code.to_owned(), Some(Address::parse(&format!("{scheme}://{authority}"))?)))
    }

    /// A name for files: host and port.
    #[must_use]
    pub fn file_name(&self) -> String {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '.' || letter == '-';
        let host: String = self.host.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        format!("{host}_{}", self.port)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ws://{}{}", self.authority, self.path)
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
        ] {
            assert_eq!(
                Address::parse(text).map(|address| address.to_string()).as_deref(),
                Ok(full),
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
    fn what_is_no_address_is_refused_with_a_word() {
        for text in ["", "ftp://a", "ws://", "a b", "host:port", "host:99999", "ws://host:/ws"] {
            assert!(matches!(Address::parse(text), Err(AddressError::Malformed(_))), "{text:?}");
        }
        assert!(matches!(Address::parse("wss://a/ws"), Err(AddressError::Encrypted(_))));
    }

    #[test]
    fn a_challenge_is_a_code_or_a_link_that_names_its_server() {
        assert_eq!(Address::parse_challenge("abc123"), Ok(("abc123".to_owned(), None)));
        let (code, address) =
            Address::parse_challenge("http://h.example:81/challenge/abc123").expect("a link");
        assert_eq!(code, "abc123");
        assert_eq!(address.expect("a server").to_string(), "ws://h.example:81/ws");
        assert!(Address::parse_challenge("http://h.example:81/").is_err());
    }

    #[test]
    fn file_names_have_no_odd_characters() {
        assert_eq!(
            Address::parse("[::1]:7171").expect("an address").file_name(),
            "_::1__7171".replace(':', "_")
        );
    }
}
