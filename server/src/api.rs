//! The interfaces for clients: WebSockets, HTTP and the page for browsers.

pub mod http;
mod own_page;
pub(crate) mod page;
mod representation;
pub mod ws;
