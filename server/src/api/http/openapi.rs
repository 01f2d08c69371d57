//! The HTTP API as an OpenAPI document, generated from the list of endpoints, the types of their
//! handlers, and the server's refusals.
//!
//! The document is checked in as `server/openapi.json`, and a test checks that this file is up to
//! date. `GET /api/openapi.json` serves it.

#[cfg(test)]
mod described;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(super) use described::{Described, Shape};

/// The document, as JSON.
pub(super) const OPENAPI: &str = include_str!("../../../openapi.json");

/// A handler that the OpenAPI document can describe. `A` is the tuple of its argument types. The
/// document is generated only in tests, so in other builds every handler implements this trait.
#[cfg(not(test))]
pub(super) trait Described<A> {}

#[cfg(not(test))]
impl<H> Described<()> for H {}
