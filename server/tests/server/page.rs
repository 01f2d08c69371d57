//! Tests of the page for browsers, and of connections that stay open, over the network.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::common::{House, TIMEOUT, dial, http, in_time, settings};

const GET_GAMES: &str = "GET /api/games HTTP/1.1\r\nHost: x\r\n\r\n";

/// Sends a request and reads the whole answer, whose length is in its head.
async fn exchange(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let whole = async {
        loop {
            let mut part = [0; 4096];
            let length = stream.read(&mut part).await.unwrap();
            assert!(length > 0, "closed in the middle of {answer:?}");
            answer.push_str(std::str::from_utf8(&part[..length]).unwrap());
            let Some((head, body)) = answer.split_once("\r\n\r\n") else { continue };
            let named = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if named.map_or(0, |length| length.parse().unwrap()) == body.len() {
                return;
            }
        }
    };
    in_time("the whole answer", whole).await;
    answer
}

/// True if the server closes the connection without sending anything more.
async fn is_closed(stream: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    in_time("the close", stream.read_to_end(&mut rest)).await.is_ok() && rest.is_empty()
}

#[tokio::test]
async fn a_connection_stays_open_for_a_limited_number_of_requests() {
    let mut settings = settings();
    settings.limits.requests_per_connection = 3;
    let house = House::open(settings).await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    for closes in [false, false, true] {
        let answer = exchange(&mut stream, GET_GAMES).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert_eq!(answer.contains("connection: close"), closes, "{answer}");
    }
    assert!(is_closed(&mut stream).await);
    house.close().await;
}

#[tokio::test]
async fn a_connection_that_waits_too_long_is_closed() {
    let mut settings = settings();
    settings.times.http_idle = Some(Duration::from_millis(100));
    let house = House::open(settings).await;
    // The client sends nothing more, or only the beginning of another request. In both cases, the
    // server stops waiting.
    for rest in ["", "GET /api/games HTTP/1.1\r\nHost"] {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        exchange(&mut stream, GET_GAMES).await;
        stream.write_all(rest.as_bytes()).await.unwrap();
        assert!(is_closed(&mut stream).await, "{rest}");
    }
    house.close().await;
}

#[tokio::test]
async fn requests_that_change_something_errors_and_proxies_close_the_connection() {
    let house = House::open(settings()).await;
    for request in [
        "POST /api/logout HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        "GET /api/nothing HTTP/1.1\r\nHost: x\r\n\r\n",
        // The answer to a health check closes the connection, because health checks are only
        // limited by the number of connections.
        "GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
        "GET /api/games HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /api/games HTTP/1.0\r\nHost: x\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        exchange(&mut stream, request).await;
        assert!(is_closed(&mut stream).await, "{request}");
    }
    house.close().await;
    let mut of_proxy = settings();
    of_proxy.proxies.is_everyone = true;
    let mut never = settings();
    never.times.http_idle = None;
    for settings in [of_proxy, never] {
        let house = House::open(settings).await;
        let answer = http(house.address, GET_GAMES).await;
        assert!(answer.head.contains("connection: close"), "{}", answer.head);
        house.close().await;
    }
}

#[tokio::test]
async fn a_server_that_stops_closes_connections_that_wait() {
    let mut settings = settings();
    settings.times.http_idle = Some(2 * TIMEOUT);
    let house = House::open(settings).await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    exchange(&mut stream, GET_GAMES).await;
    let began = tokio::time::Instant::now();
    house.close().await;
    assert!(is_closed(&mut stream).await && began.elapsed() < TIMEOUT);
}

#[tokio::test]
async fn a_connection_that_waits_makes_room_for_another() {
    let mut settings = settings();
    settings.admission.strangers_per_address = 2;
    let house = House::open(settings).await;
    let mut first = dial([127, 0, 0, 7], house.address).await.unwrap();
    let mut second = dial([127, 0, 0, 7], house.address).await.unwrap();
    exchange(&mut first, GET_GAMES).await;
    exchange(&mut second, GET_GAMES).await;
    let mut third = dial([127, 0, 0, 7], house.address).await.unwrap();
    assert!(exchange(&mut third, GET_GAMES).await.starts_with("HTTP/1.1 200"));
    let mut rest = Vec::new();
    // The first connection is closed without an answer.
    in_time("the close", first.read_to_end(&mut rest)).await.ok();
    assert!(rest.is_empty());
    assert!(exchange(&mut second, GET_GAMES).await.starts_with("HTTP/1.1 200"));
    house.close().await;
}

#[tokio::test]
async fn a_browser_gets_the_page_and_its_files() {
    let house = House::open(settings()).await;
    let page = house.get("/").await;
    assert!(page.status == 200 && page.body.contains("flagfall play"), "{}", page.head);
    let start = page.body.split("src=\"").nth(1).unwrap().split('"').next().unwrap();
    let module = house.get(start).await;
    assert!(module.status == 200 && module.head.contains("immutable"), "{}", module.head);
    let old = house.get("/assets/0000000000000000/main.js").await;
    assert!(old.status == 404 && old.head.contains("no-store"), "{}", old.head);
    assert_eq!(house.get("/nothing").await.status, 404);
    house.close().await;
}

#[tokio::test]
async fn files_of_the_page_have_a_limit_of_their_own() {
    let mut settings = settings();
    settings.admission.requests_per_minute = 2;
    settings.admission.assets_per_minute = 10;
    let house = House::open(settings).await;
    let asset = format!("/assets/{}/main.js", flagfall_page::hash());
    for _ in 0..10 {
        assert_eq!(house.get(&asset).await.status, 200);
    }
    let refused = house.get(&asset).await;
    assert_eq!((refused.status, refused.json()["code"].as_str()), (429, Some("too_many")));
    assert_eq!(house.get("/api/rulesets").await.status, 200);
    house.close().await;
}
