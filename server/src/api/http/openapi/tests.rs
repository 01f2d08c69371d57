//! Generates the OpenAPI document and compares it with the checked-in file.

use std::collections::{BTreeMap, BTreeSet};

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::OPENAPI;
use super::described::{Shape, Token};
use crate::api::http::ApiError;
use crate::api::http::endpoints::checks::{OF_ALL, is_listed};
use crate::api::http::endpoints::{Endpoint, endpoints};
use crate::api::http::error::ErrorBody;
use crate::refusals::errors;
use flagfall_protocol::Refusal;

/// The groups of operations, each with its tag, description and path prefixes.
const TAGS: &[(&str, &str, &[&str])] = &[
    (
        "server",
        "The server's state and its own documents",
        &["/health", "/ready", "/api/about", "/api/openapi.json", "/api/schema"],
    ),
    ("rulesets", "The rulesets that can be played", &["/api/rulesets"]),
    ("queue", "Queued moves in games with days per move", &["/api/games/{id}/queue"]),
    ("games", "Running and finished games, and their records", &["/api/games", "/api/keys"]),
    (
        "account",
        "Signing up and logging in, sessions, passwords and tokens",
        &["/api/account", "/api/log", "/api/recover", "/api/session", "/api/tokens"],
    ),
    (
        "notices",
        "Webhooks, feeds, e-mail and notices to browsers",
        &["/api/me/webhook", "/api/me/feed", "/api/feeds", "/api/me/email", "/api/push"],
    ),
    ("me", "The caller's own data", &["/api/me", "/api/blocks"]),
    ("players", "Players, histories, ratings and leaderboards", &["/api/players", "/api/leaderboards"]),
];

/// Returns the first group with a matching prefix.
fn tag_of(path: &str) -> &'static str {
    let fits = |starts: &&[&str]| starts.iter().any(|start| path.starts_with(start));
    let found = TAGS.iter().find(|(_, _, starts)| fits(starts));
    found.map(|(name, ..)| *name).unwrap_or_else(|| panic!("{path} belongs to no group"))
}

/// The parameters in paths, each with its name, description and example.
const PATH_PARAMETERS: &[(&str, &str, &str)] = &[
    ("code", "The code of a challenge", "vzshy7nhwfjd"),
    ("id", "The id of a game, or of a token", "s0rdj8wzn1km"),
    ("name", "The name of a player, a deployment or a schema", "ana"),
    ("other", "The name of another player", "bo"),
    ("ruleset", "The id of a ruleset", "classic"),
    ("secret", "The secret of a feed", "the-last-part-of-its-path"),
    ("speed", "A speed: bullet, blitz, rapid, classical or correspondence", "blitz"),
];

fn path_parameters(path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let described = names.map(|name| {
        let known = PATH_PARAMETERS.iter().find(|(known, ..)| *known == name);
        let (_, about, example) = known.unwrap_or_else(|| panic!("what is {{{name}}}?"));
        json!({ "name": name, "in": "path", "required": true, "description": about, "example": example,
                "schema": { "type": "string" } })
    });
    described.collect()
}

/// Returns the refusals of an operation, grouped by status code.
fn refusals_of(endpoint: &Endpoint, shape: &Shape<'_>) -> BTreeMap<u16, Vec<Refusal>> {
    let mut listed: Vec<&str> = endpoint.refusals.to_vec();
    listed.extend(shape.refusals.iter().map(String::as_str));
    listed.extend(["host_expected", "timed_out"]);
    let is_check = matches!(endpoint.path, "/health" | "/ready");
    if !is_check {
        listed.extend(["too_many/requests", "foreign_origin/session"]);
    }
    if endpoint.method != "GET" {
        // The body is read even if the handler does not use it, so it can always be malformed.
        listed.push("malformed/body");
    }
    let mut found = BTreeMap::<u16, Vec<Refusal>>::new();
    let mut met = BTreeSet::<&str>::new();
    for error in errors() {
        let refusal = Refusal::from(&error);
        let fits = listed.iter().copied().filter(|one| is_listed(&refusal, &[one])).collect::<Vec<_>>();
        met.extend(&fits);
        let of_status = found.entry(error.status().as_u16()).or_default();
        if !fits.is_empty() && !of_status.contains(&refusal) {
            of_status.push(refusal);
        }
    }
    found.retain(|_, refusals| !refusals.is_empty());
    let unknown: Vec<&&str> = listed.iter().filter(|one| !met.contains(**one)).collect();
    assert!(unknown.is_empty(), "{}: no error of HTTP has these codes: {unknown:?}", endpoint.id);
    found
}

fn example_name(refusal: &Refusal) -> String {
    [Some(refusal.code.as_str()), refusal.reason()].into_iter().flatten().collect::<Vec<_>>().join(".")
}

struct Document {
    generator: SchemaGenerator,
    /// An example of each refusal that at least one operation can return.
    examples: Map<String, Value>,
    /// The error responses that operations share, by name. A response combines refusals with the
    /// same status code.
    refused: Map<String, Value>,
}

impl Document {
    /// Returns a reference to the response with these refusals.
    fn refused(&mut self, status: u16, refusals: &[Refusal]) -> Value {
        let names: BTreeSet<String> = refusals.iter().map(example_name).collect();
        let name = format!("{status}-{}", Vec::from_iter(names).join("-"));
        let mut examples = Map::new();
        for refusal in refusals {
            let name = example_name(refusal);
            let mut body = json!({
                "code": refusal.code,
                "message": flagfall_words::english().refusal(refusal),
                "request": "4f7d20a1c96be358",
            });
            if !refusal.args.is_empty() {
                body["args"] = json!(refusal.args);
            }
            self.examples.entry(&name).or_insert_with(|| json!({ "value": body }));
            examples.insert(name.clone(), json!({ "$ref": format!("#/components/examples/{name}") }));
        }
        let codes: BTreeSet<&str> = refusals.iter().map(|refusal| refusal.code.as_str()).collect();
        let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
        let schema = self.generator.subschema_for::<ErrorBody>().to_value();
        let refused = json!({
            "description": format!("Refused: {}", codes.join(", ")),
            "content": { "application/json": { "schema": schema, "examples": examples } },
        });
        self.refused.insert(name.clone(), refused);
        json!({ "$ref": format!("#/components/responses/{name}") })
    }

    fn operation(&mut self, endpoint: &Endpoint) -> Value {
        let mut shape = Shape::new(&mut self.generator);
        (endpoint.describe)(&mut shape);
        let refusals = refusals_of(endpoint, &shape);
        let Shape { token, query, body, answers, .. } = shape;
        let mut responses = Map::new();
        for (status, content) in answers {
            let text = match status {
                304 => "Unchanged since the client's copy",
                503 => "Not healthy, or stopping",
                _ => endpoint.summary,
            };
            let mut answer = json!({ "description": text });
            if !content.is_null() {
                answer["content"] = content;
            }
            responses.insert(status.to_string(), answer);
        }
        for (status, refusals) in refusals {
            // The answer to a failed health check is already in the list, with its own body.
            if !responses.contains_key(&status.to_string()) {
                responses.insert(status.to_string(), self.refused(status, &refusals));
            }
        }
        let mut parameters = path_parameters(endpoint.path);
        parameters.extend(query);
        let mut operation = json!({
            "operationId": endpoint.id,
            "tags": [tag_of(endpoint.path)],
            "summary": endpoint.summary,
            "parameters": parameters,
            "responses": responses,
        });
        if let Some(content) = body {
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        match token {
            Token::Unused => {}
            Token::Allowed => operation["security"] = json!([{}, { "token": [] }]),
            Token::Needed => operation["security"] = json!([{ "token": [] }]),
        }
        operation
    }
}

fn document() -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let generator = settings.into_generator();
    let mut document = Document { generator, examples: Map::new(), refused: Map::new() };
    let mut paths = Map::new();
    for endpoint in endpoints() {
        let operation = document.operation(&endpoint);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method.to_lowercase()] = operation;
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
            "schemas": document.generator.take_definitions(true),
            "examples": document.examples,
            "responses": document.refused,
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
fn what_extractors_refuse_is_allowed_everywhere() {
    let mut generator = SchemaGenerator::default();
    for endpoint in endpoints() {
        let mut shape = Shape::new(&mut generator);
        (endpoint.describe)(&mut shape);
        for code in &shape.refusals {
            let (code, reason) = code.split_once('/').map_or((code.as_str(), None), |(a, b)| (a, Some(b)));
            let refusal = Refusal::new(code);
            let refusal = match reason {
                Some(reason @ ("body" | "session")) => refusal.because(reason),
                _ => refusal,
            };
            assert!(is_listed(&refusal, OF_ALL), "{code}");
        }
    }
}

#[test]
fn an_unlisted_refusal_is_noticed() {
    let refusal = Refusal::from(&ApiError::NotRated);
    assert!(is_listed(&refusal, &["not_rated"]) && is_listed(&refusal, &["not_rated/unchanged"]));
    assert!(!is_listed(&refusal, &["not_rated/other"]) && !is_listed(&refusal, OF_ALL));
}
