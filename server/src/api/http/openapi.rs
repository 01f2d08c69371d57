//! The HTTP API as an OpenAPI document, made from the list of endpoints, the types of their
//! handlers and the refusals of the server.
//!
//! It is checked in as `server/openapi.json`, a test keeps that file fresh, and `GET
//! /api/openapi.json` serves it.

#[cfg(test)]
mod described;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(super) use described::{Described, Shape};

/// The document: a JSON text.
pub(super) const OPENAPI: &str = include_str!("../../../openapi.json");

/// A handler that the document can describe, where `A` stands for the types of its arguments.
/// Outside of tests there is no document to make, so every handler is one.
#[cfg(not(test))]
pub(super) trait Described<A> {}

#[cfg(not(test))]
impl<H> Described<()> for H {}
