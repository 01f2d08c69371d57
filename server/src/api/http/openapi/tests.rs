//! Makes the document and compares it with what is checked in and with the router.

use std::collections::BTreeSet;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::OPENAPI;
use super::endpoints::{Endpoint, TAGS, Token, endpoints, schema, tag_of};
use crate::api::http::error::ErrorBody;

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let in_path = endpoint.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let in_query = endpoint.query.iter().map(|(name, values)| {
        let schema = match values {
            [] => json!({ "type": "string" }),
            values => json!({ "type": "string", "enum": values }),
        };
        json!({ "name": name, "in": "query", "required": false, "schema": schema })
    });
    in_path.chain(in_query).collect()
}

fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let content = |schema: Value| {
        let kind = if schema == json!({ "type": "string" }) { "text/plain" } else { "application/json" };
        json!({ kind: { "schema": schema } })
    };
    let mut answer = json!({ "description": endpoint.summary });
    if let Some(schema) = endpoint.answer {
        answer["content"] = content(schema(generator));
    }
    let error = json!({ "description": "Refused: a stable code, and an explanation for people", "content": content(schema::<ErrorBody>(generator)) });
    let mut operation = json!({
        "operationId": endpoint.id,
        "tags": [tag_of(endpoint.path)],
        "summary": endpoint.summary,
        "parameters": parameters(endpoint),
        "responses": { endpoint.status.to_string(): answer, "default": error },
    });
    if let Some(schema) = endpoint.body {
        operation["requestBody"] = json!({ "required": true, "content": content(schema(generator)) });
    }
    match endpoint.token {
        Token::Unused => {}
        Token::Allowed => operation["security"] = json!([{}, { "token": [] }]),
        Token::Needed => operation["security"] = json!([{ "token": [] }]),
    }
    operation
}

fn document() -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for endpoint in endpoints() {
        let operation = operation(&endpoint, &mut generator);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method] = operation;
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Flagfall",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The HTTP API of a Flagfall server. Games are played over the WebSocket at /ws: see docs/protocol/README.md."
        },
        "tags": TAGS.iter().map(|(name, description, _)| json!({ "name": name, "description": description })).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } }
        }
    });
    format!("{document:#}\n")
}

#[test]
fn the_document_is_fresh() {
    let made = document();
    if std::env::var_os("FLAGFALL_UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), &made).unwrap();
    } else {
        assert!(made == OPENAPI, "stale: FLAGFALL_UPDATE=1 cargo test -p flagfall-server openapi");
    }
}

#[test]
fn operations_have_names_of_their_own() {
    let endpoints = endpoints();
    let ids: BTreeSet<&str> = endpoints.iter().map(|endpoint| endpoint.id).collect();
    assert_eq!(ids.len(), endpoints.len());
}

#[test]
fn every_route_is_documented_and_nothing_else() {
    let source = include_str!("../../http.rs");
    let router = source.split("fn metrics_router").next().unwrap().replace(char::is_whitespace, "");
    let mut routes = BTreeSet::new();
    for route in router.split(".route(\"").skip(1) {
        let (path, handlers) = route.split_once("\",").unwrap();
        let handlers = handlers.split(".route(\"").next().unwrap();
        for method in ["get", "post", "put", "delete"] {
            if handlers.starts_with(&format!("{method}(")) || handlers.contains(&format!(").{method}(")) {
                routes.insert(format!("{method} {path}"));
            }
        }
    }
    routes.remove("get /");
    let documented: BTreeSet<String> =
        endpoints().iter().map(|endpoint| format!("{} {}", endpoint.method, endpoint.path)).collect();
    assert_eq!(routes, documented);
}
