//! The door of `/ws`.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use axum::response::Response;
use futures_util::FutureExt;
use metrics::counter;

use super::connection;
use super::payload::PAYLOAD_BYTES_MAX;
use crate::http::ApiError;
use crate::metrics::UPGRADES;
use crate::server::{App, report_panic};

/// Bytes in the longest message and the longest frame a client may send.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;
/// Bytes read at a time: most messages fit. From 512 bytes to 8 KiB the work for a move is the same, but every idle connection
/// holds such a buffer.
const READ_BUFFER_BYTES: usize = 1024;
/// Bytes of messages and their frames that are gathered before the socket is written to; a flush writes fewer. What came of one event goes out in one write: a
/// system call less for every move.
const WRITE_BUFFER_BYTES: usize = 4 * 1024;
/// Bytes that may wait in a socket's write buffer: what is gathered, one message and its frame.
const WRITE_BUFFER_BYTES_MAX: usize = 68 * 1024;
const _: () = assert!(WRITE_BUFFER_BYTES + PAYLOAD_BYTES_MAX + 1024 < WRITE_BUFFER_BYTES_MAX);

/// Takes a WebSocket connection, unless it comes from a page of a foreign origin.
pub(crate) async fn upgrade(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    if !is_origin_allowed(&headers, &app.settings.allowed_origins) {
        counter!(UPGRADES, "result" => "foreign_origin").increment(1);
        return Err(ApiError::ForeignOrigin);
    }
    let upgrade = upgrade.map_err(|_| {
        counter!(UPGRADES, "result" => "refused").increment(1);
        ApiError::UpgradeExpected
    })?;
    counter!(UPGRADES, "result" => "opened").increment(1);
    Ok(upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_write_buffer_size(WRITE_BUFFER_BYTES_MAX)
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(MESSAGE_BYTES_MAX)
        .on_failed_upgrade(|_| counter!(UPGRADES, "result" => "failed").increment(1))
        .on_upgrade(|socket| async move {
            let served = AssertUnwindSafe(connection::serve(socket, app)).catch_unwind().await;
            if served.is_err() {
                report_panic("connection");
            }
        }))
}

/// Whether the `Origin` may connect: none (no page sent this), the server's own host, or one the operator has named.
fn is_origin_allowed(headers: &HeaderMap, allowed: &[String]) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return true };
    let (Ok(origin), None) = (origin.to_str(), origins.next()) else { return false };
    if allowed.iter().any(|known| known.eq_ignore_ascii_case(origin)) {
        return true;
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    authority.zip(host).is_some_and(|(authority, host)| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn is_allowed(origins: &[&'static str], allowed: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("play.example.org:7171"));
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_static(origin));
        }
        let allowed: Vec<String> = allowed.iter().map(|origin| (*origin).to_owned()).collect();
        is_origin_allowed(&headers, &allowed)
    }

    #[test]
    fn no_origin_and_the_own_host_are_fine() {
        assert!(is_allowed(&[], &[]));
        assert!(is_allowed(&["http://play.example.org:7171"], &[]));
        assert!(is_allowed(&["https://Play.Example.org:7171"], &[]));
    }

    #[test]
    fn foreign_origins_are_not_unless_named() {
        for origin in
            ["https://evil.example", "https://play.example.org", "null", "play.example.org:7171", ""]
        {
            assert!(!is_allowed(&[origin], &[]), "{origin}");
        }
        assert!(is_allowed(&["https://evil.example"], &["https://evil.example"]));
        assert!(!is_allowed(&["https://evil.example", "http://play.example.org:7171"], &[]));
    }
}
