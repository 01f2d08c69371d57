//! Checks that webhooks do not lead into private networks, unless the operator allows this.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use flagfall_protocol::{Code, Refusal};
use hyper::Uri;

use crate::Refused;
use crate::settings::Reach;

const URL_LEN_MAX: usize = 500;

/// A webhook address whose text is valid. Each call must also check the IP addresses to which the
/// name resolves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Target {
    pub(super) url: String,
    /// The host name, or an IP address without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Path and query.
    pub(super) path: String,
    /// The host and port, as in the `Host` header.
    pub(super) authority: String,
    pub(super) is_encrypted: bool,
}

impl Target {
    pub(super) fn parse(url: &str, reach: Reach) -> Result<Target, Refused> {
        let url = url.trim();
        let is_plain = url.len() <= URL_LEN_MAX && url.bytes().all(|byte| byte.is_ascii_graphic());
        let uri: Uri = url.parse().ok().filter(|_| is_plain).ok_or_else(malformed)?;
        let is_encrypted = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if reach == Reach::Private => false,
            Some("http") => return Err(bad("not_encrypted")),
            _ => return Err(malformed()),
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let authority = authority.ok_or_else(malformed)?.as_str().to_owned();
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        // The colons within the brackets of an IPv6 address do not begin a port.
        let has_port = authority.rsplit(']').next().is_some_and(|end| end.contains(':'));
        let port = match (uri.port_u16(), has_port) {
            (Some(0), _) | (None, true) => return Err(malformed()),
            (Some(port), _) => port,
            (None, false) if is_encrypted => 443,
            (None, false) => 80,
        };
        if host.is_empty() {
            return Err(malformed());
        }
        if let Ok(address) = host.parse::<IpAddr>() {
            check_address(address, is_encrypted, reach)?;
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Target { url: url.to_owned(), host, port, path, authority, is_encrypted })
    }

    /// Returns the scheme, host and port.
    pub(super) fn origin(&self) -> String {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }
}

pub(super) fn check_address(address: IpAddr, is_encrypted: bool, reach: Reach) -> Result<(), Refused> {
    // Addresses in unknown ranges count as private.
    let is_public = match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    };
    match (is_public, reach) {
        (true, _) if is_encrypted => Ok(()),
        // A notice contains no secrets, but without TLS, an eavesdropper would learn who plays
        // when.
        (true, _) => Err(bad("not_encrypted")),
        (false, Reach::Private) => Ok(()),
        (false, Reach::Public) => Err(bad("private")),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        // Shared address space, used by carriers for NAT.
        || (a == 100 && (64..128).contains(&b))
        // Protocol assignments, benchmarks, and reserved ranges, including the broadcast address.
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (b == 18 || b == 19))
        || (a, b, c) == (192, 88, 99)
        || a >= 240;
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let segments = address.segments();
    // Global unicast addresses, except the ranges for tunnels, documentation and protocol
    // assignments.
    let is_global = segments[0] & 0xe000 == 0x2000;
    let is_special = segments[0] == 0x2002
        || (segments[0] == 0x2001 && segments[1] < 0x0200)
        || (segments[0] == 0x2001 && segments[1] == 0x0db8)
        || (segments[0] == 0x3fff && segments[1] < 0x1000);
    is_global && !is_special
}

fn bad(reason: &str) -> Refused {
    Refusal::new(Code::BAD_WEBHOOK).because(reason).into()
}

fn malformed() -> Refused {
    Refusal::new(Code::BAD_WEBHOOK).because("form").with("max", URL_LEN_MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_over_tls_are_called_unless_the_operator_says_otherwise() {
        for private in [
            "https://127.0.0.1/x",
            "https://10.1.2.3",
            "https://172.16.0.1",
            "https://192.168.1.1:8443/",
            "https://169.254.169.254/latest",
            "https://100.64.0.1",
            "https://0.0.0.0",
            "https://198.18.0.1",
            "https://224.0.0.1",
            "https://255.255.255.255",
            "https://192.0.2.1",
            "https://[::1]/",
            "https://[fe80::1]",
            "https://[fc00::1]",
            "https://[::ffff:10.0.0.1]",
            "https://[64:ff9b::a00:1]",
            "https://[2002:a00:1::]",
            "https://[2001:db8::1]",
            "https://[2001::1]",
            "https://[::]",
            "https://[ff02::1]",
            "https://[::127.0.0.1]",
        ] {
            assert_eq!(Target::parse(private, Reach::Public), Err(bad("private")), "{private}");
            assert!(Target::parse(private, Reach::Private).is_ok(), "{private}");
        }
        for public in
            ["https://example.org/a?b=c", "https://93.184.216.34", "https://[2606:4700::1]:8443/hook"]
        {
            assert!(Target::parse(public, Reach::Public).is_ok(), "{public}");
        }
        assert_eq!(Target::parse("http://example.org/", Reach::Public), Err(bad("not_encrypted")));
        assert_eq!(Target::parse("http://93.184.216.34/", Reach::Private), Err(bad("not_encrypted")));
        assert!(Target::parse("http://127.0.0.1:8080/", Reach::Private).is_ok());
    }

    #[test]
    fn invalid_webhook_addresses_are_refused() {
        let long = format!("https://example.org/{}", "x".repeat(500));
        for wrong in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "https:///x",
            "https://user:pass@example.org",
            "https://a b",
            "https://example.org:0",
            "https://example.org:99999",
            "https://example.org:",
            "javascript:alert(1)",
            "https://exämple.org",
            &long,
        ] {
            assert_eq!(Target::parse(wrong, Reach::Private), Err(malformed()), "{wrong}");
        }
    }

    #[test]
    fn the_parts_of_an_address_are_those_of_its_request() {
        let target = Target::parse("https://example.org:8443/turns?of=me", Reach::Public).unwrap();
        assert_eq!(
            (target.host.as_str(), target.port, target.path.as_str()),
            ("example.org", 8443, "/turns?of=me")
        );
        let target = Target::parse("https://[2606:4700::1]", Reach::Public).unwrap();
        assert_eq!((target.host.as_str(), target.port, target.path.as_str()), ("2606:4700::1", 443, "/"));
    }
}
