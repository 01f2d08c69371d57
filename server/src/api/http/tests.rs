//! Tests that a request continues when its connection closes.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;

use axum::http::Method;
use flagfall_store::{MemoryStore, SystemClock};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;

use super::*;
use crate::server::Server;
use flagfall_services::settings::Settings;

const NEW: &str = r#"{"name":"ana","password":"a quiet lighthouse keeper"}"#;

fn post(path: &str) -> Request {
    let request = Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(CONTENT_TYPE, "application/json")
        .header(HOST, "localhost");
    request.body(Body::from(NEW)).unwrap()
}

#[tokio::test]
async fn a_request_that_has_begun_is_carried_out_even_if_its_connection_closes() {
    let store = Arc::new(MemoryStore::new(SystemClock));
    let server = Server::start(Settings::default(), store, None).await.unwrap();
    let service = TowerToHyperService::new(router(server.app()));
    {
        let mut answered = pin!(service.call(post("/api/account")));
        assert!(
            poll_fn(|cx| Poll::Ready(answered.as_mut().poll(cx).is_pending())).await,
            "a password takes time"
        );
    }
    server.app().committed.finished().await;
    let answer = service.call(post("/api/login")).await.unwrap();
    assert!(answer.status().is_success(), "the account is there");
}
