//! TLS for Flagfall's programs: which authorities they trust, and why a handshake failed.
//!
//! The client connects to servers behind a proxy, and servers to players' webhooks. Both trust
//! the authorities that browsers trust, and those in a file that an operator or a club provides.

mod fault;
mod trust;

pub use fault::HandshakeFault;
pub use trust::{AuthorityError, Trust};
