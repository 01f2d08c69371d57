//! What clients talk to: WebSockets and HTTP.

pub mod http;
pub mod ws;
