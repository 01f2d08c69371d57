//! Documents for developers: the OpenAPI document, and the JSON Schemas of messages and records.
//!
//! They change only with the server's version. Each document has an `ETag`. A request that has
//! this tag gets status 304 without a body.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use flagfall_protocol::{HexBytes, SCHEMAS, Schema};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::answer::{AnyJson, NoSuchPath};
use super::openapi::OPENAPI;
use super::request::Path;

struct Document {
    text: &'static str,
    media_type: &'static str,
    tag: String,
}

impl Document {
    fn new(text: &'static str, media_type: &'static str) -> Document {
        Document { text, media_type, tag: format!("\"{}\"", HexBytes(Sha256::digest(text).into())) }
    }

    fn answer(&'static self, headers: &HeaderMap) -> AnyJson {
        let kept = [(ETAG, self.tag.as_str()), (CACHE_CONTROL, "no-cache")];
        if headers.get_all(IF_NONE_MATCH).iter().any(|tags| names(tags, &self.tag)) {
            return AnyJson((StatusCode::NOT_MODIFIED, kept).into_response());
        }
        AnyJson((kept, [(CONTENT_TYPE, self.media_type)], self.text).into_response())
    }
}

/// True if a list of tags contains `tag` (RFC 9110 §13.1.2). A weak tag counts like a strong one.
fn names(tags: &HeaderValue, tag: &str) -> bool {
    let Ok(tags) = tags.to_str() else { return false };
    tags.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

static OPENAPI_DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::new(OPENAPI, "application/json"));

static SCHEMA_DOCUMENTS: LazyLock<[Document; SCHEMAS.len()]> =
    LazyLock::new(|| SCHEMAS.map(|schema| Document::new(schema.text, "application/schema+json")));

pub(super) async fn openapi(headers: HeaderMap) -> AnyJson {
    OPENAPI_DOCUMENT.answer(&headers)
}

/// The schemas that the server has.
#[derive(Serialize)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
pub(super) struct SchemaList {
    schemas: Vec<SchemaLink>,
}

/// A schema and where it is.
#[derive(Serialize)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
struct SchemaLink {
    name: Cow<'static, str>,
    /// Its path on this server.
    path: String,
}

pub(super) async fn schemas() -> Json<SchemaList> {
    let link = |Schema { name, .. }| SchemaLink { name: name.into(), path: format!("/api/schema/{name}") };
    Json(SchemaList { schemas: SCHEMAS.map(link).into() })
}

pub(super) async fn schema(Path(name): Path<String>, headers: HeaderMap) -> Result<AnyJson, NoSuchPath> {
    let mut documents = SCHEMAS.iter().zip(&*SCHEMA_DOCUMENTS);
    let found = documents.find(|(schema, _)| schema.name == name);
    Ok(found.ok_or(NoSuchPath)?.1.answer(&headers))
}
