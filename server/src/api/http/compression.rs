//! Decides which answers of the HTTP API are compressed.
//!
//! The length of compressed text depends on repetitions in it. If a secret is compressed together
//! with text that an attacker chooses, the attacker can gradually guess the secret from the
//! lengths. So only answers without secrets are compressed. They are listed here: answers that
//! are the same for everyone, and public records.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, COOKIE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use flagfall_base::background::Background;
use http_body::Body as _;

use crate::api::representation::{Encoding, content_encoding, gzip, vary_by_encoding};

/// The routes whose answers are the same for everyone.
const SAME_FOR_ALL: &[&str] =
    &["/api/games", "/api/keys", "/api/leaderboards/{ruleset}/{speed}", "/api/rulesets", "/api/schema"];

/// The routes whose answers contain no secret if the request has no credential.
const PUBLIC_WITHOUT_CREDENTIAL: &[&str] = &["/api/games/{id}/record", "/api/games/{id}/record.txt"];

/// The minimum length of a compressed answer. Shorter answers fit into one packet anyway.
const BYTES_MIN: u64 = 1_024;
/// The maximum length of a compressed answer, so that one request cannot use much memory.
const BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The maximum length of an answer that is compressed immediately. Longer answers are compressed
/// in the background, so that they do not delay other connections.
const BYTES_AT_ONCE: u64 = 16 * 1024;

/// Permission to compress an answer, with the encoding that the client prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Compressed(Encoding);

/// Returns the permission to compress the answer to a request; `None` if the answer must not be
/// compressed.
pub(super) fn of(route: Option<&str>, request: &Request) -> Option<Compressed> {
    let (route, headers) = (route?, request.headers());
    let has_credential = headers.contains_key(AUTHORIZATION) || headers.contains_key(COOKIE);
    let is_open =
        SAME_FOR_ALL.contains(&route) || PUBLIC_WITHOUT_CREDENTIAL.contains(&route) && !has_credential;
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    (is_open && is_read).then(|| Compressed(Encoding::preferred(headers, &[Encoding::Gzip])))
}

impl Compressed {
    /// Compresses an answer if the client accepts compression and the length of the answer is
    /// suitable.
    pub(super) async fn apply(self, background: &Background, response: Response) -> Response {
        let (mut head, body) = response.into_parts();
        if head.status != StatusCode::OK || head.headers.contains_key(CONTENT_ENCODING) {
            return Response::from_parts(head, body);
        }
        vary_by_encoding(&mut head.headers);
        let length = body.size_hint().exact().unwrap_or_default();
        if self.0 == Encoding::Identity || !(BYTES_MIN..=BYTES_MAX).contains(&length) {
            return Response::from_parts(head, body);
        }
        let limit = usize::try_from(BYTES_MAX).unwrap_or(usize::MAX);
        // Reading the body neither waits nor fails, because the whole answer is already in memory.
        let Ok(plain) = to_bytes(body, limit).await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        match packed(background, length, plain.clone()).await {
            Some(packed) => {
                head.headers.remove(CONTENT_LENGTH);
                head.headers.extend(content_encoding(Encoding::Gzip));
                Response::from_parts(head, Body::from(packed))
            }
            None => Response::from_parts(head, Body::from(plain)),
        }
    }
}

async fn packed(background: &Background, length: u64, plain: Bytes) -> Option<Vec<u8>> {
    if length <= BYTES_AT_ONCE {
        return gzip(&plain).ok();
    }
    background.run(move || gzip(&plain)).await.ok()?.ok()
}

#[cfg(test)]
mod tests {
    use axum::http::header::{ACCEPT_ENCODING, HeaderName, VARY};

    use super::*;
    use crate::api::http::endpoints::endpoints;

    fn asked(method: Method, headers: &[(HeaderName, &str)]) -> Request {
        let mut request = Request::builder().method(method).uri("/");
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn only_answers_without_secrets_are_compressed() {
        let paths: Vec<&str> = endpoints().iter().map(|endpoint| endpoint.path).collect();
        let listed = [SAME_FOR_ALL, PUBLIC_WITHOUT_CREDENTIAL].concat();
        assert!(listed.iter().all(|path| paths.contains(path)), "{listed:?}");
        let anonymous = asked(Method::GET, &[(ACCEPT_ENCODING, "gzip")]);
        for path in paths {
            let may_be = of(Some(path), &anonymous).is_some();
            assert_eq!(may_be, listed.contains(&path), "{path}");
            for credential in [AUTHORIZATION, COOKIE] {
                let known = asked(Method::GET, &[(ACCEPT_ENCODING, "gzip"), (credential, "x")]);
                assert_eq!(of(Some(path), &known).is_some(), SAME_FOR_ALL.contains(&path), "{path}");
            }
            assert_eq!(of(Some(path), &asked(Method::POST, &[(ACCEPT_ENCODING, "gzip")])), None, "{path}");
        }
        assert_eq!(of(None, &anonymous), None);
    }

    #[tokio::test]
    async fn long_answers_are_compressed_for_those_who_accept_it() {
        let background = Background::new("test", 1);
        let answer = |length: usize, status: StatusCode| {
            let mut response = Response::new(Body::from("a".repeat(length)));
            *response.status_mut() = status;
            response
        };
        for (accepted, length, status, is_compressed) in [
            (Encoding::Gzip, 1_023, StatusCode::OK, false),
            (Encoding::Gzip, 1_024, StatusCode::OK, true),
            (Encoding::Gzip, 100_000, StatusCode::OK, true),
            (Encoding::Gzip, 9_000_000, StatusCode::OK, false),
            (Encoding::Gzip, 100_000, StatusCode::NOT_FOUND, false),
            (Encoding::Identity, 100_000, StatusCode::OK, false),
        ] {
            let compressed = Compressed(accepted).apply(&background, answer(length, status)).await;
            assert_eq!(compressed.headers().contains_key(CONTENT_ENCODING), is_compressed, "{length}");
            assert_eq!(compressed.headers().contains_key(VARY), status == StatusCode::OK, "{length}");
            let body = to_bytes(compressed.into_body(), 10_000_000).await.unwrap();
            assert_eq!(body.len() == length, !is_compressed, "{length}");
        }
    }
}
