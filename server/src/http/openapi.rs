//! The OpenAPI document of the HTTP API.
//!
//! It is generated from the table below and the types of bodies and answers. `server/openapi.json`
//! is checked in, and a test checks that it is fresh. `GET /api/openapi.json` returns it.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// The document.
const DOCUMENT: &str = include_str!("../../openapi.json");

pub(super) async fn openapi() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use flagfall_protocol::{
        AccountExport, BlockList, Confirmation, Feed, GameRecord, HeadToHead, Invitation, Invitations,
        Invite, LoggedIn, Login, MadeFeed, MadeToken, Me, MoveQueue, NewPassword, NewQueue, NewRecoveryCode,
        NewToken, NewWebhook, PlayedGames, Profile, RatingChange, RatingHistory, Recover, Recovered,
        SaveDeployment, SavedDeployment, SavedDeployments, SignUp, SignedUp, SigningKeys, Statistics,
        TokenList, WebhookAttempt, WebhookInfo, WebhookSet,
    };
    use schemars::generate::SchemaSettings;
    use schemars::{JsonSchema, SchemaGenerator};
    use serde_json::{Map, Value, json};

    use super::super::error::ErrorBody;
    use super::super::health::{Health, Ready};
    use super::super::{Game, Games, Rulesets};
    use super::DOCUMENT;

    type Schema = fn(&mut SchemaGenerator) -> Value;

    fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
        generator.subschema_for::<T>().to_value()
    }

    /// Whether a request needs a token.
    #[derive(Clone, Copy, PartialEq)]
    enum Token {
        /// A token is ignored.
        Unused,
        /// With a token, the answer is what its player may know.
        Allowed,
        /// Without a token the request is refused.
        Needed,
    }

    /// Query parameters of a page: any text.
    const PAGE: &[(&str, &[&str])] = &[("after", &[]), ("limit", &[])];

    struct Endpoint {
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        token: Token,
        body: Option<Schema>,
        status: u16,
        answer: Option<Schema>,
        query: &'static [(&'static str, &'static [&'static str])],
    }

    const fn get(path: &'static str, summary: &'static str, token: Token, answer: Schema) -> Endpoint {
        Endpoint {
            method: "get",
            path,
            summary,
            token,
            body: None,
            status: 200,
            answer: Some(answer),
            query: &[],
        }
    }

    const fn post(path: &'static str, summary: &'static str, body: Schema, answer: Schema) -> Endpoint {
        let (token, body, answer) = (Token::Unused, Some(body), Some(answer));
        Endpoint { method: "post", path, summary, token, body, status: 200, answer, query: &[] }
    }

    /// An endpoint that deletes something of the caller's.
    const fn removal(path: &'static str, summary: &'static str) -> Endpoint {
        Endpoint {
            method: "delete",
            path,
            summary,
            token: Token::Needed,
            body: None,
            status: 204,
            answer: None,
            query: &[],
        }
    }

    /// Every endpoint under `/api`, `/health` and `/ready`.
    fn endpoints() -> Vec<Endpoint> {
        use Token::{Allowed, Needed, Unused};
        vec![
            get(
                "/health",
                "Whether the store takes and gives; 503 when it does not",
                Unused,
                schema::<Health>,
            ),
            get(
                "/ready",
                "Whether the server lets players in, whatever the store does; 503 while it stops",
                Unused,
                schema::<Ready>,
            ),
            get("/api/openapi.json", "This document", Unused, |_| json!({ "type": "object" })),
            get(
                "/api/rulesets",
                "The rulesets, and what a custom game may change of each",
                Unused,
                schema::<Rulesets>,
            ),
            get(
                "/api/keys",
                "The public keys that finished games are or were signed with",
                Unused,
                schema::<SigningKeys>,
            ),
            get("/api/games", "The public games that are running", Unused, schema::<Games>),
            get("/api/games/{id}", "A game as the asker may know it", Allowed, schema::<Game>),
            Endpoint {
                query: &[("format", &["json", "text"]), ("as", &["red", "blue", "public", "all"])],
                ..get(
                    "/api/games/{id}/record",
                    "A game's record, with the change of every event: as an audience saw it live (as=red, blue or public), or opened (as=all)",
                    Allowed,
                    schema::<GameRecord>,
                )
            },
            get("/api/games/{id}/record.txt", "The record as text", Allowed, |_| json!({ "type": "string" })),
            get("/api/games/{id}/ratings", "What a rated game changed", Allowed, schema::<RatingChange>),
            Endpoint {
                status: 201,
                token: Allowed,
                ..post(
                    "/api/account",
                    "Makes an account: of the guest whose token is sent along, or a new one",
                    schema::<SignUp>,
                    schema::<SignedUp>,
                )
            },
            get(
                "/api/account",
                "Everything that is kept of the account, but for what is secret",
                Needed,
                schema::<AccountExport>,
            ),
            Endpoint {
                method: "delete",
                status: 204,
                token: Needed,
                answer: None,
                ..post(
                    "/api/account",
                    "Deletes the account; its games stay, without its name",
                    schema::<Confirmation>,
                    |_| Value::Null,
                )
            },
            Endpoint {
                status: 204,
                token: Needed,
                answer: None,
                ..post(
                    "/api/account/password",
                    "Changes the password; all other tokens are revoked",
                    schema::<NewPassword>,
                    |_| Value::Null,
                )
            },
            Endpoint {
                token: Needed,
                ..post(
                    "/api/account/recovery_code",
                    "Another recovery code; the one before is void",
                    schema::<Confirmation>,
                    schema::<NewRecoveryCode>,
                )
            },
            post("/api/login", "A token for whoever knows the password", schema::<Login>, schema::<LoggedIn>),
            Endpoint {
                status: 204,
                token: Needed,
                body: None,
                answer: None,
                ..post("/api/logout", "Revokes the token of the request", |_| Value::Null, |_| Value::Null)
            },
            post(
                "/api/recover",
                "A new password for whoever has the recovery code",
                schema::<Recover>,
                schema::<Recovered>,
            ),
            get("/api/me", "Who asks", Needed, schema::<Me>),
            get(
                "/api/me/games",
                "The running games of whoever asks, the most urgent first",
                Needed,
                schema::<flagfall_protocol::OwnGames>,
            ),
            get(
                "/api/me/deployments",
                "The deployments that the asker keeps; nobody else is told",
                Needed,
                schema::<SavedDeployments>,
            ),
            Endpoint {
                method: "put",
                token: Needed,
                ..post(
                    "/api/me/deployments/{ruleset}/{name}",
                    "Keeps a deployment, in the place of one of the same name",
                    schema::<SaveDeployment>,
                    schema::<SavedDeployment>,
                )
            },
            removal("/api/me/deployments/{ruleset}/{name}", "Keeps a deployment no longer"),
            get("/api/me/webhook", "The asker's webhook", Needed, schema::<WebhookInfo>),
            Endpoint {
                method: "put",
                token: Needed,
                ..post(
                    "/api/me/webhook",
                    "Sets where the asker is told of his turns in games with days per move: signed POSTs of Notice",
                    schema::<NewWebhook>,
                    schema::<WebhookSet>,
                )
            },
            removal("/api/me/webhook", "Removes the asker's webhook"),
            Endpoint {
                token: Needed,
                body: None,
                ..post(
                    "/api/me/webhook/test",
                    "Sends the asker's webhook a test, and tells what came of it",
                    |_| Value::Null,
                    schema::<WebhookAttempt>,
                )
            },
            Endpoint {
                token: Needed,
                body: None,
                ..post(
                    "/api/me/feed",
                    "Makes the asker's feed, or makes it anew: the address before is void",
                    |_| Value::Null,
                    schema::<MadeFeed>,
                )
            },
            removal("/api/me/feed", "Removes the asker's feed"),
            get(
                "/api/feeds/{secret}",
                "A player's turns and ended games, for whoever has the secret: JSON Feed 1.1",
                Unused,
                schema::<Feed>,
            ),
            get(
                "/api/me/statistics",
                "The asker's own figures, by ruleset, side and deployment",
                Needed,
                schema::<Statistics>,
            ),
            get(
                "/api/me/challenges",
                "The challenges addressed to whoever asks",
                Needed,
                schema::<Invitations>,
            ),
            Endpoint {
                token: Needed,
                ..post(
                    "/api/me/challenges",
                    "Addresses an open challenge to a player",
                    schema::<Invite>,
                    schema::<Invitation>,
                )
            },
            removal("/api/me/challenges/{code}", "Declines a challenge: it is closed"),
            get(
                "/api/games/{id}/queue",
                "What the asker has queued for his next turns in a game with days per move",
                Needed,
                schema::<MoveQueue>,
            ),
            Endpoint {
                method: "put",
                token: Needed,
                ..post(
                    "/api/games/{id}/queue",
                    "Queues plies for the asker's next turns; refused as stale_ply when the game has gone on, as stale_epoch when its last moves are lost",
                    schema::<NewQueue>,
                    schema::<MoveQueue>,
                )
            },
            removal("/api/games/{id}/queue", "Queues nothing any more"),
            get(
                "/api/tokens",
                "The tokens of the account, never the tokens themselves",
                Needed,
                schema::<TokenList>,
            ),
            Endpoint {
                status: 201,
                token: Needed,
                ..post("/api/tokens", "One more token", schema::<NewToken>, schema::<MadeToken>)
            },
            Endpoint {
                method: "delete",
                status: 204,
                token: Needed,
                body: None,
                answer: None,
                ..post(
                    "/api/tokens/{id}",
                    "Revokes a token and closes its sockets",
                    |_| Value::Null,
                    |_| Value::Null,
                )
            },
            get("/api/blocks", "Whom the asker has blocked", Needed, schema::<BlockList>),
            Endpoint {
                method: "put",
                status: 204,
                token: Needed,
                body: None,
                answer: None,
                ..post("/api/blocks/{name}", "Blocks a player", |_| Value::Null, |_| Value::Null)
            },
            Endpoint {
                method: "delete",
                status: 204,
                token: Needed,
                body: None,
                answer: None,
                ..post("/api/blocks/{name}", "Lets a blocked player go", |_| Value::Null, |_| Value::Null)
            },
            get("/api/players/{name}", "What everybody may know of a player", Unused, schema::<Profile>),
            Endpoint {
                query: PAGE,
                ..get(
                    "/api/players/{name}/games",
                    "A player's games that are over, the latest first; private ones for him alone",
                    Allowed,
                    schema::<PlayedGames>,
                )
            },
            Endpoint {
                query: PAGE,
                ..get(
                    "/api/players/{name}/against/{other}",
                    "Two players' games against each other; private ones for the two alone",
                    Allowed,
                    schema::<HeadToHead>,
                )
            },
            get(
                "/api/players/{name}/ratings/{ruleset}/{speed}",
                "A player's latest rated games; private ones for him alone",
                Allowed,
                schema::<RatingHistory>,
            ),
            Endpoint {
                query: &[("bots", &["true", "false"])],
                ..get(
                    "/api/leaderboards/{ruleset}/{speed}",
                    "The best in a ruleset at a speed",
                    Unused,
                    schema::<flagfall_protocol::Leaderboard>,
                )
            },
        ]
    }

    fn parameters(endpoint: &Endpoint) -> Vec<Value> {
        let in_path = endpoint.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let in_path = in_path.map(
            |name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }),
        );
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
        let error = json!({ "description": "Refused: a stable code, and why for a person", "content": content(schema::<ErrorBody>(generator)) });
        let mut operation = json!({
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
            assert!(made == DOCUMENT, "stale: FLAGFALL_UPDATE=1 cargo test -p flagfall-server openapi");
        }
    }

    #[test]
    fn every_route_is_documented_and_nothing_else() {
        let source = include_str!("mod.rs");
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
}
