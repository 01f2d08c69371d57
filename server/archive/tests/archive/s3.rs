//! A simple S3-compatible server in the process of the test.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use flagfall_archive::{Archive, ArchiveStore as _, ObjectStoreArchive, RemoteError};
use flagfall_tls::Trust;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, ETAG, IF_NONE_MATCH, LAST_MODIFIED, RANGE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use object_store::aws::AmazonS3Builder;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::stores::name;
use super::whole::{assert_readable, games, settings};

/// The number of objects in each page of a list.
const PAGE: usize = 10;

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Bytes>,
    connections: usize,
    /// The number of upcoming writes that are done, but whose answers are lost.
    lost_answers: usize,
    /// The number of upcoming requests that are refused because the storage is busy.
    busy: usize,
}

/// A server with one bucket.
pub(crate) struct Storage {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    _tasks: JoinSet<()>,
}

impl Storage {
    pub(crate) async fn start() -> Storage {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State::default()));
        let (mut tasks, shared) = (JoinSet::new(), state.clone());
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().connections += 1;
                let state = shared.clone();
                connections.spawn(async move {
                    let service = service_fn(move |request| answer(state.clone(), request));
                    // If an answer is lost, the connection ends with an error.
                    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
                });
            }
        });
        Storage { address, state, _tasks: tasks }
    }

    pub(crate) fn archive(&self, address: &str) -> ObjectStoreArchive {
        let settings = AmazonS3Builder::new()
            .with_endpoint(format!("http://{}", self.address))
            .with_access_key_id("key")
            .with_secret_access_key("secret");
        ObjectStoreArchive::s3_with(address, &Trust::default(), settings).expect("settings")
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.lock().connections
    }
}

/// The answer is lost.
#[derive(Debug, thiserror::Error)]
#[error("lost")]
struct Lost;

async fn answer(state: Arc<Mutex<State>>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Lost> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Lost)?.to_bytes();
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut state = state.lock();
    let respond = |status: StatusCode, body: Bytes| {
        let response = Response::builder().status(status).header(ETAG, "\"tag\"");
        let response = response.header(LAST_MODIFIED, "Thu, 26 Nov 2026 00:00:00 GMT");
        Ok(response.body(Full::new(body)).expect("a response"))
    };
    let empty = |status| respond(status, Bytes::new());
    if state.busy > 0 {
        state.busy -= 1;
        return empty(StatusCode::SERVICE_UNAVAILABLE);
    }
    if !header(AUTHORIZATION).starts_with("AWS4-HMAC-SHA256 Credential=key/") {
        return empty(StatusCode::FORBIDDEN);
    }
    let Some(key) = parts.uri.path().strip_prefix("/games") else { return empty(StatusCode::NOT_FOUND) };
    let key = key.trim_start_matches('/').to_owned();
    let found = state.objects.get(&key).cloned();
    match (&parts.method, found) {
        (&Method::GET, _) if key.is_empty() => {
            respond(StatusCode::OK, list(&state.objects, parts.uri.query().unwrap_or_default()).into())
        }
        (&Method::PUT, Some(_)) if header(IF_NONE_MATCH) == "*" => empty(StatusCode::PRECONDITION_FAILED),
        (&Method::PUT, _) => {
            state.objects.insert(key, body);
            if state.lost_answers > 0 {
                state.lost_answers -= 1;
                return Err(Lost);
            }
            empty(StatusCode::OK)
        }
        (&Method::DELETE, _) => {
            state.objects.remove(&key);
            empty(StatusCode::NO_CONTENT)
        }
        (_, None) => empty(StatusCode::NOT_FOUND),
        (&Method::HEAD, Some(bytes)) => {
            let mut response = empty(StatusCode::OK)?;
            response.headers_mut().insert(CONTENT_LENGTH, bytes.len().into());
            Ok(response)
        }
        (_, Some(bytes)) => {
            let range = header(RANGE).strip_prefix("bytes=").and_then(|range| range.split_once('-'));
            let (first, last) = range.expect("the archive reads ranges only");
            let (first, last): (usize, usize) =
                (first.parse().expect("a number"), last.parse().expect("a number"));
            if first >= bytes.len() {
                return empty(StatusCode::RANGE_NOT_SATISFIABLE);
            }
            let last = last.min(bytes.len() - 1);
            let mut response = respond(StatusCode::PARTIAL_CONTENT, bytes.slice(first..=last))?;
            let range = format!("bytes {first}-{last}/{}", bytes.len()).parse().expect("a header");
            response.headers_mut().insert("content-range", range);
            Ok(response)
        }
    }
}

/// Returns a page of a list, as XML.
fn list(objects: &BTreeMap<String, Bytes>, query: &str) -> String {
    let query = query.replace("%2F", "/");
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    };
    let (prefix, after) = (value("prefix").unwrap_or_default(), value("continuation-token"));
    let all = objects.iter().filter(|(key, _)| key.starts_with(&prefix));
    let mut left = all.filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after)).peekable();
    let mut xml = String::from("<ListBucketResult>");
    let mut last = String::new();
    for (key, bytes) in left.by_ref().take(PAGE) {
        last.clone_from(key);
        xml += &format!(
            "<Contents><Key>{key}</Key><LastModified>2026-11-26T00:00:00.000Z</LastModified>\
             <ETag>\"tag\"</ETag><Size>{}</Size></Contents>",
            bytes.len()
        );
    }
    if left.peek().is_some() {
        xml +=
            &format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{last}</NextContinuationToken>");
    }
    xml + "</ListBucketResult>"
}

#[tokio::test]
async fn games_are_kept_in_s3() {
    let storage = Storage::start().await;
    let objects = Arc::new(storage.archive("s3://games/flagfall"));
    let archive = Archive::open(objects.clone(), settings()).await.expect("an archive");
    archive.add(games(0..3)).await.expect("added");
    // Set-up: the storage is busy for a moment. Later, the answer to a write is lost.
    (storage.state.lock().busy, storage.state.lock().lost_answers) = (2, 0);
    archive.add(games(3..5)).await.expect("added");
    storage.state.lock().lost_answers = 1;
    while archive.add(games(5..7)).await.is_err() {}
    let archive = Archive::open(objects, settings()).await.expect("an archive");
    for number in 0..7 {
        assert_readable(&archive, number).await;
    }
    assert!(storage.connections() <= 4, "{} connections", storage.connections());
    assert!(storage.state.lock().objects.keys().all(|key| key.starts_with("flagfall/")));
}

#[tokio::test]
async fn storage_that_refuses_is_not_an_empty_archive() {
    let storage = Storage::start().await;
    let settings = AmazonS3Builder::new()
        .with_endpoint(format!("http://{}", storage.address))
        .with_access_key_id("other")
        .with_secret_access_key("secret");
    let archive = ObjectStoreArchive::s3_with("s3://games", &Trust::default(), settings).expect("settings");
    let manifest = name("manifest/1");
    assert!(archive.list(&name("manifest")).await.is_err());
    assert!(archive.length(&manifest).await.is_err());
    assert!(archive.get(&manifest, 0..9).await.is_err());
    assert!(archive.put_if_absent(&manifest, b"first".to_vec()).await.is_err());
    assert!(archive.delete(&manifest).await.is_err());
}

#[test]
fn an_address_in_storage_is_checked() {
    let address = |address: &str, endpoint: &str| {
        let settings = AmazonS3Builder::new().with_endpoint(endpoint);
        ObjectStoreArchive::s3_with(address, &Trust::default(), settings).map(drop)
    };
    for good in ["s3://games", "s3://games/", "s3://games/a/b"] {
        assert!(address(good, "https://storage.example.com").is_ok(), "{good}");
    }
    for bad in ["", "s3:games", "s3://", "s3:///prefix", "http://games", "s3://games/a//b"] {
        let refused = address(bad, "https://storage.example.com");
        assert!(matches!(refused, Err(RemoteError::Address)), "{bad}");
    }
    let refused = address("s3://games", "http://storage.example.com");
    assert!(matches!(refused, Err(RemoteError::Plain)));
}
