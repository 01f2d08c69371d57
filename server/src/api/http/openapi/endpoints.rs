//! Every endpoint of the HTTP API, with the types of its body and its answer.

use flagfall_protocol::{
    AccountExport, BlockList, Confirmation, Feed, GameRecord, HeadToHead, Invitation, Invitations, Invite,
    LoggedIn, Login, MadeFeed, MadeToken, Me, MoveQueue, NewPassword, NewQueue, NewRecoveryCode, NewToken,
    NewWebhook, PlayedGames, Profile, RatingChange, RatingHistory, Recover, Recovered, SaveDeployment,
    SavedDeployment, SavedDeployments, SignUp, SignedUp, SigningKeys, Statistics, TokenList, WebhookAttempt,
    WebhookInfo, WebhookSet,
};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::api::http::documents::SchemaList;
use crate::api::http::health::{Health, Ready};
use crate::api::http::{Game, Games, Rulesets};

pub(super) type Schema = fn(&mut SchemaGenerator) -> Value;

pub(super) fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

/// Whether a request needs a token.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Token {
    /// The token is ignored.
    Unused,
    /// With a token, the answer shows what its player may see.
    Allowed,
    /// Without a token, the request is refused.
    Needed,
}

/// The parameters of a page of a list. They may have any value.
const PAGE: &[(&str, &[&str])] = &[("after", &[]), ("limit", &[])];

pub(super) struct Endpoint {
    /// The name of the operation, for generated clients.
    pub(super) id: &'static str,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) token: Token,
    pub(super) body: Option<Schema>,
    pub(super) status: u16,
    pub(super) answer: Option<Schema>,
    pub(super) query: &'static [(&'static str, &'static [&'static str])],
}

const fn get(
    id: &'static str,
    path: &'static str,
    summary: &'static str,
    token: Token,
    answer: Schema,
) -> Endpoint {
    Endpoint {
        id,
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

const fn post(
    id: &'static str,
    path: &'static str,
    summary: &'static str,
    body: Schema,
    answer: Schema,
) -> Endpoint {
    let (token, body, answer) = (Token::Unused, Some(body), Some(answer));
    Endpoint { id, method: "post", path, summary, token, body, status: 200, answer, query: &[] }
}

/// An endpoint that deletes something of the player's.
const fn removal(id: &'static str, path: &'static str, summary: &'static str) -> Endpoint {
    Endpoint {
        id,
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
pub(super) fn endpoints() -> Vec<Endpoint> {
    use Token::{Allowed, Needed, Unused};
    vec![
        get(
            "checkHealth",
            "/health",
            "Checks the store; 503 if it cannot be read or written",
            Unused,
            schema::<Health>,
        ),
        get(
            "checkReadiness",
            "/ready",
            "Tells if the server accepts players, regardless of the store; 503 while it stops",
            Unused,
            schema::<Ready>,
        ),
        get("getOpenApi", "/api/openapi.json", "This document", Unused, |_| json!({ "type": "object" })),
        get(
            "listSchemas",
            "/api/schema",
            "Where the JSON Schemas of messages and records are",
            Unused,
            schema::<SchemaList>,
        ),
        get(
            "getSchema",
            "/api/schema/{name}",
            "The JSON Schema of what clients send, of what servers send, or of records; with an ETag",
            Unused,
            |_| json!({ "type": "object" }),
        ),
        get(
            "listRulesets",
            "/api/rulesets",
            "The rulesets, with the rules that a custom game may change",
            Unused,
            schema::<Rulesets>,
        ),
        get(
            "listSigningKeys",
            "/api/keys",
            "The public keys with which finished games are or were signed",
            Unused,
            schema::<SigningKeys>,
        ),
        get("listGames", "/api/games", "The running public games", Unused, schema::<Games>),
        get("getGame", "/api/games/{id}", "A game, as its viewer may see it", Allowed, schema::<Game>),
        Endpoint {
            query: &[("format", &["json", "text"]), ("as", &["red", "blue", "public", "all"])],
            ..get(
                "getRecord",
                "/api/games/{id}/record",
                "A game's record with every event's change: as an audience saw it live (as=red, blue or public), or opened (as=all)",
                Allowed,
                schema::<GameRecord>,
            )
        },
        get(
            "getRecordText",
            "/api/games/{id}/record.txt",
            "The record as text",
            Allowed,
            |_| json!({ "type": "string" }),
        ),
        get(
            "getRatingChange",
            "/api/games/{id}/ratings",
            "How a rated game changed ratings",
            Allowed,
            schema::<RatingChange>,
        ),
        Endpoint {
            status: 201,
            token: Allowed,
            ..post(
                "signUp",
                "/api/account",
                "Makes an account: of the guest whose token comes with the request, or a new one",
                schema::<SignUp>,
                schema::<SignedUp>,
            )
        },
        get(
            "exportAccount",
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
                "deleteAccount",
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
                "changePassword",
                "/api/account/password",
                "Changes the password and revokes all other tokens",
                schema::<NewPassword>,
                |_| Value::Null,
            )
        },
        Endpoint {
            token: Needed,
            ..post(
                "renewRecoveryCode",
                "/api/account/recovery_code",
                "Makes a new recovery code; the previous one is void",
                schema::<Confirmation>,
                schema::<NewRecoveryCode>,
            )
        },
        post(
            "logIn",
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
            ..post(
                "logOut",
                "/api/logout",
                "Revokes the token of the request",
                |_| Value::Null,
                |_| Value::Null,
            )
        },
        post(
            "recoverAccount",
            "/api/recover",
            "Sets a new password with the recovery code",
            schema::<Recover>,
            schema::<Recovered>,
        ),
        get("getMe", "/api/me", "Who asks", Needed, schema::<Me>),
        get(
            "listOwnGames",
            "/api/me/games",
            "The player's running games, most urgent first",
            Needed,
            schema::<flagfall_protocol::OwnGames>,
        ),
        get(
            "listDeployments",
            "/api/me/deployments",
            "The deployments that the player keeps, which only they can see",
            Needed,
            schema::<SavedDeployments>,
        ),
        Endpoint {
            method: "put",
            token: Needed,
            ..post(
                "saveDeployment",
                "/api/me/deployments/{ruleset}/{name}",
                "Keeps a deployment; it replaces one of the same name",
                schema::<SaveDeployment>,
                schema::<SavedDeployment>,
            )
        },
        removal("deleteDeployment", "/api/me/deployments/{ruleset}/{name}", "Deletes a kept deployment"),
        get("getWebhook", "/api/me/webhook", "The player's webhook", Needed, schema::<WebhookInfo>),
        Endpoint {
            method: "put",
            token: Needed,
            ..post(
                "setWebhook",
                "/api/me/webhook",
                "Sets the address that gets notices of the player's turns in games with days per move: signed POSTs of Notice",
                schema::<NewWebhook>,
                schema::<WebhookSet>,
            )
        },
        removal("deleteWebhook", "/api/me/webhook", "Removes the player's webhook"),
        Endpoint {
            token: Needed,
            body: None,
            ..post(
                "testWebhook",
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
                "makeFeed",
                "/api/me/feed",
                "Makes the player's feed; the address of an earlier one is void",
                |_| Value::Null,
                schema::<MadeFeed>,
            )
        },
        removal("deleteFeed", "/api/me/feed", "Removes the player's feed"),
        get(
            "getFeed",
            "/api/feeds/{secret}",
            "A player's turns and ended games, for anyone who has the secret: JSON Feed 1.1",
            Unused,
            schema::<Feed>,
        ),
        get(
            "getStatistics",
            "/api/me/statistics",
            "The player's own statistics, by ruleset, side and deployment",
            Needed,
            schema::<Statistics>,
        ),
        get(
            "listInvitations",
            "/api/me/challenges",
            "The challenges addressed to the player",
            Needed,
            schema::<Invitations>,
        ),
        Endpoint {
            token: Needed,
            ..post(
                "invitePlayer",
                "/api/me/challenges",
                "Addresses an open challenge to another player",
                schema::<Invite>,
                schema::<Invitation>,
            )
        },
        removal("declineInvitation", "/api/me/challenges/{code}", "Declines and closes a challenge"),
        get(
            "getMoveQueue",
            "/api/games/{id}/queue",
            "The player's queue for their next turns in a game with days per move",
            Needed,
            schema::<MoveQueue>,
        ),
        Endpoint {
            method: "put",
            token: Needed,
            ..post(
                "setMoveQueue",
                "/api/games/{id}/queue",
                "Queues the player's next turns; refused as stale_ply if the game has moved on, as stale_epoch if its last moves were lost",
                schema::<NewQueue>,
                schema::<MoveQueue>,
            )
        },
        removal("clearMoveQueue", "/api/games/{id}/queue", "Empties the player's queue"),
        get(
            "listTokens",
            "/api/tokens",
            "The tokens of the account, without the tokens themselves",
            Needed,
            schema::<TokenList>,
        ),
        Endpoint {
            status: 201,
            token: Needed,
            ..post("makeToken", "/api/tokens", "Makes another token", schema::<NewToken>, schema::<MadeToken>)
        },
        removal("revokeToken", "/api/tokens/{id}", "Revokes a token and closes its WebSockets"),
        get(
            "listBlocks",
            "/api/blocks",
            "The players that the player has blocked",
            Needed,
            schema::<BlockList>,
        ),
        Endpoint {
            method: "put",
            status: 204,
            token: Needed,
            body: None,
            answer: None,
            ..post("blockPlayer", "/api/blocks/{name}", "Blocks a player", |_| Value::Null, |_| Value::Null)
        },
        removal("unblockPlayer", "/api/blocks/{name}", "Unblocks a player"),
        get(
            "getPlayer",
            "/api/players/{name}",
            "What anyone may know of a player",
            Unused,
            schema::<Profile>,
        ),
        Endpoint {
            query: PAGE,
            ..get(
                "listPlayedGames",
                "/api/players/{name}/games",
                "A player's ended games, latest first; only they can see private ones",
                Allowed,
                schema::<PlayedGames>,
            )
        },
        Endpoint {
            query: PAGE,
            ..get(
                "getHeadToHead",
                "/api/players/{name}/against/{other}",
                "Two players' games against each other; only they can see private ones",
                Allowed,
                schema::<HeadToHead>,
            )
        },
        get(
            "getRatingHistory",
            "/api/players/{name}/ratings/{ruleset}/{speed}",
            "A player's latest rated games; only they can see private ones",
            Allowed,
            schema::<RatingHistory>,
        ),
        Endpoint {
            query: &[("bots", &["true", "false"])],
            ..get(
                "getLeaderboard",
                "/api/leaderboards/{ruleset}/{speed}",
                "The best players in a ruleset at a speed",
                Unused,
                schema::<flagfall_protocol::Leaderboard>,
            )
        },
    ]
}

/// The groups of operations, with what begins the paths of each.
pub(super) const TAGS: &[(&str, &str, &[&str])] = &[
    (
        "server",
        "The server's state and its own documents",
        &["/health", "/ready", "/api/openapi.json", "/api/schema"],
    ),
    ("rulesets", "What can be played", &["/api/rulesets"]),
    ("queue", "Moves prepared for games with days per move", &["/api/games/{id}/queue"]),
    ("games", "Running and finished games, and their records", &["/api/games", "/api/keys"]),
    (
        "account",
        "Signing up and logging in, passwords and tokens",
        &["/api/account", "/api/log", "/api/recover", "/api/tokens"],
    ),
    ("notices", "Webhooks and feeds", &["/api/me/webhook", "/api/me/feed", "/api/feeds"]),
    ("me", "What belongs to the player who asks", &["/api/me", "/api/blocks"]),
    ("players", "Players, histories, ratings and leaderboards", &["/api/players", "/api/leaderboards"]),
];

/// The first group that fits.
pub(super) fn tag_of(path: &str) -> &'static str {
    let fits = |starts: &&[&str]| starts.iter().any(|start| path.starts_with(start));
    let found = TAGS.iter().find(|(_, _, starts)| fits(starts));
    found.map(|(name, ..)| *name).unwrap_or_else(|| panic!("{path} belongs to no group"))
}
