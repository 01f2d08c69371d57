//! The interfaces for clients: WebSockets and HTTP.

pub mod http;
pub mod ws;
