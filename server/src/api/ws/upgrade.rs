//! The WebSocket endpoint `/ws`.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{HOST, SET_COOKIE};
use axum::response::Response;
use flagfall_protocol::Refusal;
use futures_util::FutureExt;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use metrics::counter;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;

use super::connection::{Connection, Socket};
use super::listener::Lingering;
use super::wire::FrameSink;
use crate::api::own_page::{OwnPage, page_origin};
use crate::app::{App, report_panic};
use flagfall_base::admission::Client;
use flagfall_base::identity::Token;
use flagfall_base::origin::Origin;
use flagfall_base::refusals;
use flagfall_base::telemetry::UPGRADES;

impl From<&UpgradeRefusal> for Refusal {
    fn from(refusal: &UpgradeRefusal) -> Refusal {
        match refusal {
            UpgradeRefusal::ForeignOrigin => Refusal::new("foreign_origin").because("page"),
            UpgradeRefusal::NotAsked => Refusal::new("upgrade_expected"),
            UpgradeRefusal::NoClient => refusals::defect(),
        }
    }
}

/// Why a request did not become a WebSocket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UpgradeRefusal {
    ForeignOrigin,
    NotAsked,
    /// The listener did not record the request's origin.
    NoClient,
}

/// Accepts a WebSocket connection, unless it comes from a page of a foreign origin.
pub(crate) fn upgrade(app: Arc<App>, mut request: Request) -> Result<Response, UpgradeRefusal> {
    let page = request.extensions_mut().remove::<OwnPage>();
    if page.is_none() && !is_origin_allowed(request.headers(), &app.settings.allowed_origins) {
        counter!(UPGRADES, "result" => "foreign_origin").increment(1);
        return Err(UpgradeRefusal::ForeignOrigin);
    }
    let refused = || {
        counter!(UPGRADES, "result" => "refused").increment(1);
        UpgradeRefusal::NotAsked
    };
    let client = *request.extensions().get::<Client>().ok_or(UpgradeRefusal::NoClient)?;
    let mut response = create_response_with_body(&request, Body::empty).map_err(|_| refused())?;
    let upgraded = request.extensions_mut().remove::<OnUpgrade>().ok_or_else(refused)?;
    counter!(UPGRADES, "result" => "opened").increment(1);
    let session = page.and_then(|OwnPage { cookie, token }| {
        let token = token?;
        // Extends the session in the browser by another year.
        response.headers_mut().extend(cookie.set(&token).map(|cookie| (SET_COOKIE, cookie)));
        Some(token)
    });
    tokio::spawn(serve(upgraded, app, client, session));
    Ok(response)
}

async fn serve(upgraded: OnUpgrade, app: Arc<App>, client: Client, session: Option<Token>) {
    let socket = match upgraded.await {
        Ok(upgraded) => socket_of(upgraded),
        Err(_) => None,
    };
    let Some(connection) = socket.and_then(|socket| Connection::open(socket, app, client, session)) else {
        counter!(UPGRADES, "result" => "failed").increment(1);
        return;
    };
    let served = AssertUnwindSafe(connection.serve()).catch_unwind().await;
    if served.is_err() {
        report_panic("connection");
    }
}

fn socket_of(upgraded: Upgraded) -> Option<Socket> {
    let parts = upgraded.downcast::<TokioIo<Lingering>>().ok()?;
    let mut input = parts.io.into_inner();
    let sink = FrameSink::new(input.take_writing()?);
    Some(Socket::new(input, sink, &parts.read_buf))
}

/// True if the request's `Origin` is the server's own host or an origin that the operator allows.
/// Also true for a request without an origin, because it does not come from a page.
fn is_origin_allowed(headers: &HeaderMap, allowed: &[Origin]) -> bool {
    let Ok(origin) = page_origin(headers) else { return false };
    let Some(origin) = origin else { return true };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let own = host.and_then(|host| Origin::of_host(origin.is_https(), host).ok());
    own.as_ref() == Some(&origin) || allowed.contains(&origin)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::ORIGIN;

    use super::*;

    fn is_allowed(origins: &[&'static str], allowed: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("play.example.org:7171"));
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_static(origin));
        }
        let allowed: Vec<Origin> = allowed.iter().map(|origin| origin.parse().unwrap()).collect();
        is_origin_allowed(&headers, &allowed)
    }

    /// Returns the size in bytes of the future that a function returns.
    fn size_of_output<A, B, C, D, F: Future>(_: impl FnOnce(A, B, C, D) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn a_connection_and_its_task_take_less_than_2_kib() {
        let sizes = [size_of_output(serve), size_of::<Connection>()];
        println!("the task's future {} bytes, the connection {}", sizes[0], sizes[1]);
        assert!(sizes.iter().sum::<usize>() < 2_048, "{sizes:?}");
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
        for named in ["https://evil.example", "https://Evil.example:443"] {
            assert!(is_allowed(&["https://evil.example"], &[named]), "{named}");
        }
        assert!(!is_allowed(&["https://evil.example", "http://play.example.org:7171"], &[]));
    }
}
