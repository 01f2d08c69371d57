//! A simple S3-compatible server in the process of the test.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use flagfall_archive::ObjectStoreArchive;
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
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The number of objects in each page of a list.
const PAGE: usize = 10;

#[derive(Default)]
pub(crate) struct State {
    pub(crate) objects: BTreeMap<String, Bytes>,
    connections: usize,
    /// The time that every answer takes.
    pub(crate) delay: Duration,
    /// The number of reads of objects.
    pub(crate) reads: usize,
    /// The number of upcoming writes that are done, but whose answers are lost.
    pub(crate) lost_answers: usize,
    /// The number of upcoming requests that are refused because the storage is busy.
    pub(crate) busy: usize,
}

/// How the server treats requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Works,
    /// It answers to every request that it is unavailable.
    Refuses,
    /// It does not answer. When the mode changes, it closes the connections of these requests.
    IsSilent,
}

/// A server with one bucket.
pub(crate) struct Storage {
    pub(crate) address: SocketAddr,
    pub(crate) state: Arc<Mutex<State>>,
    mode: watch::Sender<Mode>,
    _tasks: JoinSet<()>,
}

impl Storage {
    pub(crate) async fn start() -> Storage {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (state, mode) = (Arc::new(Mutex::new(State::default())), watch::Sender::new(Mode::Works));
        let (mut tasks, shared, shared_mode) = (JoinSet::new(), state.clone(), mode.clone());
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().connections += 1;
                let (state, mode) = (shared.clone(), shared_mode.subscribe());
                connections.spawn(async move {
                    let service = service_fn(move |request| answer(state.clone(), mode.clone(), request));
                    // If an answer is lost, the connection ends with an error.
                    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
                });
            }
        });
        Storage { address, state, mode, _tasks: tasks }
    }

    pub(crate) fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
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

async fn answer(
    state: Arc<Mutex<State>>,
    mut mode: watch::Receiver<Mode>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Lost> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Lost)?.to_bytes();
    if *mode.borrow() == Mode::IsSilent {
        mode.wait_for(|mode| *mode != Mode::IsSilent).await.ok();
        return Err(Lost);
    }
    let delay = state.lock().delay;
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut state = state.lock();
    let respond = |status: StatusCode, body: Bytes| {
        let response = Response::builder().status(status).header(ETAG, "\"tag\"");
        let response = response.header(LAST_MODIFIED, "Thu, 26 Nov 2026 00:00:00 GMT");
        Ok(response.body(Full::new(body)).expect("a response"))
    };
    let empty = |status| respond(status, Bytes::new());
    if state.busy > 0 || *mode.borrow() == Mode::Refuses {
        state.busy = state.busy.saturating_sub(1);
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
            state.reads += 1;
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
