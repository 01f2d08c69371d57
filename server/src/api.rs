//! What clients talk to: WebSockets and HTTP.

pub mod http;
mod own_page;
pub mod ws;
