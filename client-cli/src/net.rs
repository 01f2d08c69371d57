//! Networking: addresses, connections, the WebSocket and HTTP.

pub mod address;
pub mod dial;
pub mod http;
pub mod socket;
