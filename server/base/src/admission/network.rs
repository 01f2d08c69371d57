//! Networks: the addresses that count as one client.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use thiserror::Error;

/// The unit that counts as one client: an IPv4 address, or a 64-bit network of IPv6 addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Network(IpAddr);

impl Network {
    /// Returns the network of an address. For IPv6 this is a 64-bit network, because providers
    /// give each customer at least that.
    pub fn of(address: IpAddr) -> Network {
        Network(match address.to_canonical() {
            IpAddr::V6(six) => {
                let [a, b, c, d, ..] = six.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
            four @ IpAddr::V4(_) => four,
        })
    }
}

/// A range of addresses in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`, or one address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkRange {
    first: IpAddr,
    prefix: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("not a range of addresses: write 192.0.2.0/24, 2001:db8::/32 or one address")]
pub struct NotARange;

impl NetworkRange {
    /// True if the address is in the range. An IPv4 address may be given in its IPv6 form.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let bits = |address| match address {
            IpAddr::V4(four) => u128::from(four.to_bits()) << 96,
            IpAddr::V6(six) => six.to_bits(),
        };
        let high = |address| bits(address).checked_shr(128 - u32::from(self.prefix)).unwrap_or(0);
        self.first.is_ipv4() == address.is_ipv4() && high(self.first) == high(address)
    }
}

impl FromStr for NetworkRange {
    type Err = NotARange;

    fn from_str(text: &str) -> Result<NetworkRange, NotARange> {
        let (address, prefix) = text.split_once('/').unzip();
        let first: IpAddr = address.unwrap_or(text).parse().map_err(|_| NotARange)?;
        let bits = if first.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(bits), str::parse).map_err(|_| NotARange)?;
        if prefix > bits {
            return Err(NotARange);
        }
        Ok(NetworkRange { first, prefix })
    }
}

impl fmt::Display for NetworkRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Client {
    pub network: Network,
    /// True if the operator has exempted the client's network from per-address limits.
    pub is_trusted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str) -> Network {
        Network::of(address.parse().unwrap())
    }

    #[test]
    fn an_ipv4_address_and_an_ipv6_network_of_64_bits_count_as_one_client() {
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("2001:db8:1:2:3::4"), network("2001:db8:1:2:ffff::1"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
    }

    #[test]
    fn a_range_contains_what_its_prefix_says() {
        let rows = [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("192.0.2.130/25", "192.0.2.200", true),
            ("192.0.2.130/25", "192.0.2.1", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::1", "::1", true),
            ("::/0", "::1", true),
        ];
        for (range, address, expected) in rows {
            let range: NetworkRange = range.parse().unwrap();
            assert_eq!(range.contains(address.parse().unwrap()), expected, "{range} {address}");
        }
    }

    #[test]
    fn a_text_that_is_no_range_is_refused() {
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "host", "10.0.0.0/-1", "10.0.0.0/8/8", "/8"] {
            assert_eq!(text.parse::<NetworkRange>(), Err(NotARange), "{text}");
        }
    }
}
