//! The HTTP API as an OpenAPI document, made from the table of endpoints below and the types of
//! requests and answers. It is checked in as `server/openapi.json`, a test keeps that file fresh,
//! and `GET /api/openapi.json` serves it.

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
        /// The token is ignored.
        Unused,
        /// With a token, the answer shows what its player may see.
        Allowed,
        /// Without a token, the request is refused.
        Needed,
    }

    /// The parameters of a page of a list. They may have any value.
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

    /// An endpoint that deletes something of the player's.
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
            get("/health", "Checks the store; 503 if it cannot be read or written", Unused, schema::<Health>),
            get(
                "/ready",
                "Tells if the server accepts players, regardless of the store; 503 while it stops",
                Unused,
                schema::<Ready>,
            ),
            get("/api/openapi.json", "This document", Unused, |_| json!({ "type": "object" })),
            get(
                "/api/rulesets",
                "The rulesets, with the rules that a custom game may change",
                Unused,
                schema::<Rulesets>,
            ),
            get(
                "/api/keys",
                "The public keys with which finished games are or were signed",
                Unused,
                schema::<SigningKeys>,
            ),
            get("/api/games", "The running public games", Unused, schema::<Games>),
            get("/api/games/{id}", "A game, as its viewer may see it", Allowed, schema::<Game>),
            Endpoint {
                query: &[("format", &["json", "text"]), ("as", &["red", "blue", "public", "all"])],
                ..get(
                    "/api/games/{id}/record",
                    "A game's record with every event's change: as an audience saw it live (as=red, blue or public), or opened (as=all)",
                    Allowed,
                    schema::<GameRecord>,
                )
            },
            get("/api/games/{id}/record.txt", "The record as text", Allowed, |_| json!({ "type": "string" })),
            get(
                "/api/games/{id}/ratings",
                "How a rated game changed ratings",
                Allowed,
                schema::<RatingChange>,
            ),
            Endpoint {
                status: 201,
                token: Allowed,
                ..post(
                    "/api/account",
                    "Makes an account: of the guest whose token comes with the request, or a new one",
                    schema::<SignUp>,
                    schema::<SignedUp>,
                )
            },
            get(
                "/api/account",
                "Everything that the server keeps of the account, without its secrets",
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
                    "Deletes the account; its games stay without its name",
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
                    "Changes the password and revokes all other tokens",
                    schema::<NewPassword>,
                    |_| Value::Null,
                )
            },
            Endpoint {
                token: Needed,
                ..post(
                    "/api/account/recovery_code",
                    "Makes a new recovery code; the previous one is void",
                    schema::<Confirmation>,
                    schema::<NewRecoveryCode>,
                )
            },
            post(
                "/api/login",
                "Logs in with a password and makes a token",
                schema::<Login>,
                schema::<LoggedIn>,
            ),
            Endpoint {
                status: 204,
                token: Needed,
                body: None,
                answer: None,
                ..post("/api/logout", "Revokes the token of the request", |_| Value::Null, |_| Value::Null)
            },
            post(
                "/api/recover",
                "Sets a new password with the recovery code",
                schema::<Recover>,
                schema::<Recovered>,
            ),
            get("/api/me", "Who asks", Needed, schema::<Me>),
            get(
                "/api/me/games",
                "The player's running games, most urgent first",
                Needed,
                schema::<flagfall_protocol::OwnGames>,
            ),
            get(
                "/api/me/deployments",
                "The deployments that the player keeps, which only they can see",
                Needed,
                schema::<SavedDeployments>,
            ),
            Endpoint {
                method: "put",
                token: Needed,
                ..post(
                    "/api/me/deployments/{ruleset}/{name}",
                    "Keeps a deployment; it replaces one of the same name",
                    schema::<SaveDeployment>,
                    schema::<SavedDeployment>,
                )
            },
            removal("/api/me/deployments/{ruleset}/{name}", "Deletes a kept deployment"),
            get("/api/me/webhook", "The player's webhook", Needed, schema::<WebhookInfo>),
            Endpoint {
                method: "put",
                token: Needed,
                ..post(
                    "/api/me/webhook",
                    "Sets the address that gets notices of the player's turns in games with days per move: signed POSTs of Notice",
                    schema::<NewWebhook>,
                    schema::<WebhookSet>,
                )
            },
            removal("/api/me/webhook", "Removes the player's webhook"),
            Endpoint {
                token: Needed,
                body: None,
                ..post(
                    "/api/me/webhook/test",
                    "Sends a test to the player's webhook and reports the result",
                    |_| Value::Null,
                    schema::<WebhookAttempt>,
                )
            },
            Endpoint {
                token: Needed,
                body: None,
                ..post(
                    "/api/me/feed",
                    "Makes the player's feed; the address of an earlier one is void",
                    |_| Value::Null,
                    schema::<MadeFeed>,
                )
            },
            removal("/api/me/feed", "Removes the player's feed"),
            get(
                "/api/feeds/{secret}",
                "A player's turns and ended games, for anyone who has the secret: JSON Feed 1.1",
                Unused,
                schema::<Feed>,
            ),
            get(
                "/api/me/statistics",
                "The player's own statistics, by ruleset, side and deployment",
                Needed,
                schema::<Statistics>,
            ),
            get(
                "/api/me/challenges",
                "The challenges addressed to the player",
                Needed,
                schema::<Invitations>,
            ),
            Endpoint {
                token: Needed,
                ..post(
                    "/api/me/challenges",
                    "Addresses an open challenge to another player",
                    schema::<Invite>,
                    schema::<Invitation>,
                )
            },
            removal("/api/me/challenges/{code}", "Declines and closes a challenge"),
            get(
                "/api/games/{id}/queue",
                "The player's queue for their next turns in a game with days per move",
                Needed,
                schema::<MoveQueue>,
            ),
            Endpoint {
                method: "put",
                token: Needed,
                ..post(
                    "/api/games/{id}/queue",
                    "Queues the player's next turns; refused as stale_ply if the game has moved on, as stale_epoch if its last moves were lost",
                    schema::<NewQueue>,
                    schema::<MoveQueue>,
                )
            },
            removal("/api/games/{id}/queue", "Empties the player's queue"),
            get(
                "/api/tokens",
                "The tokens of the account, without the tokens themselves",
                Needed,
                schema::<TokenList>,
            ),
            Endpoint {
                status: 201,
                token: Needed,
                ..post("/api/tokens", "Makes another token", schema::<NewToken>, schema::<MadeToken>)
            },
            Endpoint {
                method: "delete",
                status: 204,
                token: Needed,
                body: None,
                answer: None,
                ..post(
                    "/api/tokens/{id}",
                    "Revokes a token and closes its WebSockets",
                    |_| Value::Null,
                    |_| Value::Null,
                )
            },
            get("/api/blocks", "The players that the player has blocked", Needed, schema::<BlockList>),
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
                ..post("/api/blocks/{name}", "Unblocks a player", |_| Value::Null, |_| Value::Null)
            },
            get("/api/players/{name}", "What anyone may know of a player", Unused, schema::<Profile>),
            Endpoint {
                query: PAGE,
                ..get(
                    "/api/players/{name}/games",
                    "A player's ended games, latest first; only they can see private ones",
                    Allowed,
                    schema::<PlayedGames>,
                )
            },
            Endpoint {
                query: PAGE,
                ..get(
                    "/api/players/{name}/against/{other}",
                    "Two players' games against each other; only they can see private ones",
                    Allowed,
                    schema::<HeadToHead>,
                )
            },
            get(
                "/api/players/{name}/ratings/{ruleset}/{speed}",
                "A player's latest rated games; only they can see private ones",
                Allowed,
                schema::<RatingHistory>,
            ),
            Endpoint {
                query: &[("bots", &["true", "false"])],
                ..get(
                    "/api/leaderboards/{ruleset}/{speed}",
                    "The best players in a ruleset at a speed",
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
        let error = json!({ "description": "Refused: a stable code, and an explanation for people", "content": content(schema::<ErrorBody>(generator)) });
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
        let source = include_str!("../http.rs");
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
