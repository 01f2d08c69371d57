//! Whom Flagfall's programs trust when they speak TLS, and in words why a handshake failed.
//!
//! The client speaks it to servers behind a proxy, servers speak it to players' webhooks. Both trust the authorities that browsers trust and those an operator or a club names in a file.

mod fault;
mod trust;

pub use fault::HandshakeFault;
pub use trust::{AuthorityError, Trust};
