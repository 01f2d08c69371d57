//! Documents for developers, and the operator's text for players.
//!
//! The documents for developers are the OpenAPI document and the JSON Schemas of messages and
//! records. They change only with the server's version. Each document has an `ETag`. A request
//! that contains this tag gets status 304 without a body. Each document is compressed only once.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use flagfall_protocol::{HexBytes, SCHEMAS, Schema};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::answer::{AnyJson, NoSuchPath};
use super::openapi::OPENAPI;
use super::request::{Path, Shared};
use crate::api::representation::Representation;

/// Lets clients cache a document, but they must check before each use whether it has changed.
const ASK_AGAIN: &str = "no-cache";

fn document(text: &'static str, media_type: &'static str) -> Representation {
    Representation::of_text(text, media_type, &HexBytes(Sha256::digest(text).into()).to_string())
}

static OPENAPI_DOCUMENT: LazyLock<Representation> = LazyLock::new(|| document(OPENAPI, "application/json"));

static SCHEMA_DOCUMENTS: LazyLock<[Representation; SCHEMAS.len()]> =
    LazyLock::new(|| SCHEMAS.map(|schema| document(schema.text, "application/schema+json")));

pub(super) async fn openapi(headers: HeaderMap) -> AnyJson {
    AnyJson(OPENAPI_DOCUMENT.answer(&headers, ASK_AGAIN))
}

/// The operator's text about the server.
#[derive(Serialize)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
pub(super) struct AboutText {
    /// Plain text. Blank lines separate paragraphs, and lines that begin with `# ` are headings.
    text: String,
}

pub(super) async fn about(State(app): Shared) -> Result<Json<AboutText>, NoSuchPath> {
    let about = app.settings.about.as_ref().ok_or(NoSuchPath)?;
    Ok(Json(AboutText { text: about.text().to_owned() }))
}

/// The schemas that the server offers.
#[derive(Serialize)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
pub(super) struct SchemaList {
    schemas: Vec<SchemaLink>,
}

/// A schema and its path.
#[derive(Serialize)]
#[cfg_attr(test, derive(serde::Deserialize, schemars::JsonSchema))]
struct SchemaLink {
    name: Cow<'static, str>,
    /// The schema's path on this server.
    path: String,
}

pub(super) async fn schemas() -> Json<SchemaList> {
    let link = |Schema { name, .. }| SchemaLink { name: name.into(), path: format!("/api/schema/{name}") };
    Json(SchemaList { schemas: SCHEMAS.map(link).into() })
}

pub(super) async fn schema(Path(name): Path<String>, headers: HeaderMap) -> Result<AnyJson, NoSuchPath> {
    let mut documents = SCHEMAS.iter().zip(&*SCHEMA_DOCUMENTS);
    let found = documents.find(|(schema, _)| schema.name == name);
    Ok(AnyJson(found.ok_or(NoSuchPath)?.1.answer(&headers, ASK_AGAIN)))
}
