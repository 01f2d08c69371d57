//! Whom limits count.

use super::network::Network;

/// A client, as limits count it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Client {
    /// The network it counts by.
    pub network: Network,
    /// True if the operator exempted its network from limits per address.
    pub is_trusted: bool,
}
