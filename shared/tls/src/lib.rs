//! TLS for Flagfall's programs: the certificate authorities that they trust, and the reasons why
//! a handshake failed.
//!
//! Clients connect to servers behind a proxy, and servers connect to players' webhooks. Clients
//! and servers trust the authorities that browsers trust, and those in a file that an operator or
//! a club provides.

mod fault;
mod trust;

pub use fault::HandshakeFault;
pub use trust::{AuthorityError, Trust};
