//! TLS for Flagfall's programs: the certificate authorities that they trust, and the reasons why
//! a handshake failed.
//!
//! Clients connect to servers behind a proxy, and servers connect to players' webhooks. Both
//! trust the authorities that browsers trust. They also trust those in a file, if an operator or
//! a club provides one.

mod fault;
mod trust;

pub use fault::HandshakeFault;
pub use trust::{AuthorityError, Trust};
