//! The HTTP API as an OpenAPI document, made from the table of endpoints below and the types of
//! requests and answers. It is checked in as `server/openapi.json`, a test keeps that file fresh,
//! and `GET /api/openapi.json` serves it.

/// The document: a JSON text.
pub(super) const OPENAPI: &str = include_str!("../../../openapi.json");

#[cfg(test)]
mod endpoints;
#[cfg(test)]
mod tests;
