//! Sends a document plain or compressed, as the client prefers, or answers 304 if the client
//! already has it.

use std::cmp::Ordering;
use std::io::{self, Write as _};

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The encoding of a body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

impl Encoding {
    /// The value of `Content-Encoding`.
    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Encoding::Identity => None,
            Encoding::Gzip => Some("gzip"),
            Encoding::Brotli => Some("br"),
        }
    }

    /// Returns the encoding in `offered` that the client prefers (RFC 9110 §12.5.3). If the
    /// client has no preference, returns the one with the smallest result. If the client accepts
    /// none of them, returns `Identity`.
    pub(super) fn preferred(request: &HeaderMap, offered: &[Encoding]) -> Encoding {
        let accepted: Vec<(&str, f32)> = request
            .get_all(ACCEPT_ENCODING)
            .iter()
            .filter_map(|list| list.to_str().ok())
            .flat_map(|list| list.split(','))
            .map(weighted)
            .collect();
        let listed = |name: &str| accepted.iter().find(|(one, _)| one.eq_ignore_ascii_case(name));
        let weight = |name: &str| listed(name).or_else(|| listed("*")).map_or(0.0, |(_, weight)| *weight);
        let with_weights = offered.iter().filter_map(|one| Some((weight(one.name()?), *one)));
        let best =
            with_weights.filter(|(weight, _)| *weight > 0.0).max_by(|(first, one), (second, other)| {
                first.partial_cmp(second).unwrap_or(Ordering::Equal).then(one.cmp(other))
            });
        let is_plain_better = |of_best: f32| listed("identity").is_some_and(|(_, plain)| *plain > of_best);
        best.filter(|(weight, _)| !is_plain_better(*weight)).map_or(Encoding::Identity, |(_, best)| best)
    }
}

/// Parses an entry of a list. Returns the name and its weight, which is 1 if the entry has none.
fn weighted(entry: &str) -> (&str, f32) {
    let mut parts = entry.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    // An encoding whose weight cannot be parsed counts as not accepted.
    let weight = weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0));
    (name, weight)
}

/// True if the client already has the version with this tag (RFC 9110 §13.1.2). Weak and strong
/// tags are compared as equal.
fn is_known(request: &HeaderMap, tag: &str) -> bool {
    let bare = |tag: &str| tag.trim_start_matches("W/").to_owned();
    let tags = request.get_all(IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    tags.flat_map(|tags| tags.split(',')).map(str::trim).any(|one| one == "*" || bare(one) == bare(tag))
}

/// Compresses bytes with gzip at run time. Files of the page are compressed at build time instead.
pub(super) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes)?;
    packer.finish()
}

/// Marks an answer as dependent on the encodings that the client accepts.
pub(super) fn vary_by_encoding(headers: &mut HeaderMap) {
    headers.append(VARY, HeaderValue::from_static("accept-encoding"));
}

/// A document in its plain and compressed forms.
#[derive(Clone, Debug)]
pub(super) struct Representation {
    pub(super) media_type: &'static str,
    /// The tag, which is weak because all forms share it. Without a tag, the answer is never 304.
    pub(super) tag: Option<String>,
    pub(super) plain: Bytes,
    pub(super) gzip: Option<Bytes>,
    pub(super) brotli: Option<Bytes>,
}

impl Representation {
    /// Makes a document from text that does not change while the server runs.
    pub(super) fn of_text(text: &'static str, media_type: &'static str, hash: &str) -> Representation {
        Representation {
            media_type,
            tag: Some(format!("W/\"{hash}\"")),
            plain: Bytes::from_static(text.as_bytes()),
            gzip: gzip(text.as_bytes()).ok().map(Bytes::from),
            brotli: None,
        }
    }

    /// Answers a request with the form that the client prefers, and with this `Cache-Control`.
    pub(super) fn answer(&self, request: &HeaderMap, cache: &'static str) -> Response {
        let mut response = match &self.tag {
            Some(tag) if is_known(request, tag) => StatusCode::NOT_MODIFIED.into_response(),
            _ => self.full_answer(request),
        };
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        headers.extend(self.tag.as_ref().and_then(|tag| Some((ETAG, HeaderValue::try_from(tag).ok()?))));
        vary_by_encoding(headers);
        response
    }

    fn full_answer(&self, request: &HeaderMap) -> Response {
        let forms = [(Encoding::Gzip, &self.gzip), (Encoding::Brotli, &self.brotli)];
        let offered = forms.iter().filter(|(_, form)| form.is_some()).map(|(encoding, _)| *encoding);
        let encoding = Encoding::preferred(request, &offered.collect::<Vec<_>>());
        let form = forms.iter().find(|(one, _)| *one == encoding).and_then(|(_, form)| form.as_ref());
        let mut response = Body::from(form.unwrap_or(&self.plain).clone()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.extend(content_encoding(encoding));
        response
    }
}

/// Returns the header `Content-Encoding`; `None` for plain bytes.
pub(super) fn content_encoding(encoding: Encoding) -> Option<(HeaderName, HeaderValue)> {
    encoding.name().map(|name| (CONTENT_ENCODING, HeaderValue::from_static(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(lists: &[&'static str]) -> HeaderMap {
        lists.iter().map(|list| (ACCEPT_ENCODING, HeaderValue::from_static(list))).collect()
    }

    #[test]
    fn the_encoding_is_the_one_that_the_client_likes_best() {
        let both = [Encoding::Gzip, Encoding::Brotli];
        for (lists, offered, chosen) in [
            (&[][..], &both[..], Encoding::Identity),
            (&["gzip, deflate, br, zstd"], &both, Encoding::Brotli),
            (&["gzip, deflate, br, zstd"], &[Encoding::Gzip], Encoding::Gzip),
            (&["gzip, deflate, br, zstd"], &[], Encoding::Identity),
            (&["gzip"], &both, Encoding::Gzip),
            (&["GZIP"], &both, Encoding::Gzip),
            (&["deflate"], &both, Encoding::Identity),
            (&["gzip;q=1.0, br;q=0.5"], &both, Encoding::Gzip),
            (&["br;q=0, gzip"], &both, Encoding::Gzip),
            (&["br ; q=0.1"], &both, Encoding::Brotli),
            (&["gzip;q=0, br;q=0, identity"], &both, Encoding::Identity),
            (&["gzip;q=0.5, identity;q=0.8"], &both, Encoding::Identity),
            (&["*"], &both, Encoding::Brotli),
            (&["*;q=0"], &both, Encoding::Identity),
            (&["br;q=0, *"], &both, Encoding::Gzip),
            (&["gzip", "br"], &both, Encoding::Brotli),
            (&["br;q=high"], &both, Encoding::Identity),
            (&[""], &both, Encoding::Identity),
        ] {
            assert_eq!(Encoding::preferred(&accepting(lists), offered), chosen, "{lists:?}");
        }
    }

    #[test]
    fn a_tag_is_known_weak_or_strong_alone_or_in_a_list() {
        let asking =
            |tags: &'static str| HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static(tags))]);
        for tags in ["W/\"a\"", "\"a\"", "\"b\", W/\"a\"", "*"] {
            assert!(is_known(&asking(tags), "W/\"a\""), "{tags}");
        }
        for tags in ["\"b\"", "a", "", "W/\"ab\""] {
            assert!(!is_known(&asking(tags), "W/\"a\""), "{tags}");
        }
        assert!(!is_known(&HeaderMap::new(), "W/\"a\""));
    }

    #[test]
    fn an_answer_has_its_form_its_tag_and_what_it_depends_on() {
        let text = "All the same. ".repeat(100).leak();
        let document = Representation::of_text(text, "text/plain", "a");
        let head = |response: &Response, name: HeaderName| {
            response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
        };
        let packed = document.answer(&accepting(&["gzip"]), "no-cache");
        assert_eq!(head(&packed, CONTENT_ENCODING).as_deref(), Some("gzip"));
        let plain = document.answer(&HeaderMap::new(), "no-cache");
        assert_eq!(head(&plain, CONTENT_ENCODING), None);
        let known = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static("W/\"a\""))]);
        let unchanged = document.answer(&known, "no-cache");
        assert_eq!((unchanged.status().as_u16(), head(&unchanged, CONTENT_TYPE)), (304, None));
        for response in [packed, plain, unchanged] {
            assert_eq!(head(&response, ETAG).as_deref(), Some("W/\"a\""));
            assert_eq!(head(&response, VARY).as_deref(), Some("accept-encoding"));
            assert_eq!(head(&response, CACHE_CONTROL).as_deref(), Some("no-cache"));
        }
    }
}
