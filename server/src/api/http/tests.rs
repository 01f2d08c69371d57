//! Tests that apply to every route, and tests of requests whose connection closes early.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;

use axum::body::to_bytes;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use flagfall_services::settings::PageSettings;
use flagfall_store::{MemoryStore, SystemClock};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;

use super::*;
use crate::server::Server;
use flagfall_services::settings::Settings;

type Service = TowerToHyperService<Router>;

async fn service(settings: Settings) -> Service {
    let store = Arc::new(MemoryStore::new(SystemClock));
    let server = Server::start(settings, store, None).await.unwrap();
    TowerToHyperService::new(router(server.app()))
}

async fn ask(service: &Service, method: Method, path: &str) -> Response {
    let request = Request::builder().method(method).uri(path).header(HOST, "localhost");
    service.call(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn text(response: Response) -> String {
    String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap()
}

/// Returns a method and a path for every route, and for some addresses that have no route.
fn every_route() -> Vec<(Method, String)> {
    let mut routes: Vec<(Method, String)> = endpoints()
        .iter()
        .map(|endpoint| (endpoint.method.parse().unwrap(), endpoint.path.to_owned()))
        .collect();
    let pages = page::ADDRESSES.iter().map(|address| address.path.to_owned());
    let root = ROOT_FILES.iter().map(|name| format!("/{name}"));
    let others =
        [ASSETS, "/ws", well_known::CHANGE_PASSWORD, well_known::SECURITY, "/nothing", "/api/nothing"];
    let asset = format!("/assets/{}/main.js", flagfall_page::hash());
    let read = pages.chain(root).chain(others.map(str::to_owned)).chain([asset]);
    routes.extend(read.map(|path| (Method::GET, path)));
    routes.into_iter().map(|(method, path)| (method, filled(&path))).collect()
}

/// Returns the path of a route, with an `x` for each of its variable parts.
fn filled(route: &str) -> String {
    let mut path = route.to_owned();
    while let Some((before, rest)) = path.split_once('{') {
        path = format!("{before}x{}", rest.split_once('}').unwrap().1);
    }
    path
}

#[tokio::test]
async fn every_answer_has_the_headers_that_guard_browsers() {
    for is_off in [false, true] {
        let page = PageSettings { is_off, folder: None };
        let service = service(Settings { page, ..Settings::default() }).await;
        for (method, path) in every_route() {
            for method in [method, Method::HEAD, Method::OPTIONS, Method::PATCH] {
                let response = ask(&service, method.clone(), &path).await;
                for (name, value) in &page::SECURITY_HEADERS {
                    let told: Vec<_> = response.headers().get_all(name).iter().collect();
                    assert_eq!(told, [value], "{method} {path}: {name}");
                }
            }
        }
    }
}

#[tokio::test]
async fn only_addresses_of_the_page_answer_a_document() {
    let service = service(Settings::default()).await;
    let type_of = |response: &Response| response.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
    for (method, path) in every_route() {
        let response = ask(&service, method, &path).await;
        let is_document =
            response.headers().contains_key(CONTENT_TYPE) && type_of(&response).starts_with("text/html");
        let is_page =
            page::ADDRESSES.iter().any(|address| filled(address.path) == path) || path == "/nothing";
        assert_eq!(is_document, is_page, "{path}");
    }
    for path in ["/api", "/api/x", "/assets", "/assets/", "/assets/x", "/assets/x/main.js", "/ws/"] {
        let response = ask(&service, Method::GET, path).await;
        let told =
            (response.status().as_u16(), type_of(&response), response.headers()[CACHE_CONTROL].clone());
        assert_eq!(
            told,
            (404, "application/json".to_owned(), HeaderValue::from_static("no-store")),
            "{path}"
        );
    }
    for path in ["/apis", "/nothing", "/%00", "/..//etc/passwd"] {
        let response = ask(&service, Method::GET, path).await;
        assert_eq!(
            (response.status().as_u16(), type_of(&response).as_str()),
            (404, "text/html; charset=utf-8")
        );
        assert_eq!(ask(&service, Method::POST, path).await.headers()[CONTENT_TYPE], "application/json");
    }
}

#[tokio::test]
async fn without_a_page_its_addresses_do_not_exist() {
    let page = PageSettings { is_off: true, folder: None };
    let service = service(Settings { page, ..Settings::default() }).await;
    let asset = format!("/assets/{}/main.js", flagfall_page::hash());
    for path in ["/", "/play", "/nothing", &asset, well_known::CHANGE_PASSWORD] {
        let response = ask(&service, Method::GET, path).await;
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json", "{path}");
    }
    assert_eq!(ask(&service, Method::GET, "/api/rulesets").await.status(), 200);
}

#[tokio::test]
async fn well_known_addresses_lead_where_they_should() {
    let contact = Some("mailto:ann@example.org".to_owned());
    let told = service(Settings { security_contact: contact, ..Settings::default() }).await;
    let security = ask(&told, Method::GET, well_known::SECURITY).await;
    assert_eq!(security.headers()[CONTENT_TYPE], "text/plain; charset=utf-8");
    assert!(text(security).await.starts_with("Contact: mailto:ann@example.org\nExpires: "));
    let password = ask(&told, Method::GET, well_known::CHANGE_PASSWORD).await;
    assert_eq!(password.status(), StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(password.headers()[LOCATION], page::ACCOUNT);
    let silent = service(Settings::default()).await;
    assert_eq!(ask(&silent, Method::GET, well_known::SECURITY).await.status(), 404);
}

#[tokio::test]
async fn documents_and_lists_come_compressed() {
    let service = service(Settings::default()).await;
    for path in ["/api/openapi.json", "/api/rulesets"] {
        let request = Request::builder().uri(path).header(HOST, "localhost");
        let packed = request.header("accept-encoding", "gzip, br").body(Body::empty()).unwrap();
        let packed = service.call(packed).await.unwrap();
        assert_eq!(packed.headers()[CONTENT_ENCODING], "gzip", "{path}");
        let plain = ask(&service, Method::GET, path).await;
        assert!(!plain.headers().contains_key(CONTENT_ENCODING), "{path}");
        let packed = to_bytes(packed.into_body(), 1 << 20).await.unwrap();
        assert!(packed.len() * 3 < text(plain).await.len(), "{path}: {}", packed.len());
    }
}

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
