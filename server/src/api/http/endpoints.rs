//! Every operation of the HTTP API. The router and the OpenAPI document are made from this list:
//! the handlers say what they take and answer, and the list what each is called and what it refuses
//! with.

use std::sync::Arc;

use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};

use super::openapi::Described;
#[cfg(test)]
use super::openapi::Shape;
use super::{accounts, deployments, documents, games, health, histories, invitations, notices};
use super::{own_games, queue, ratings};
use crate::app::App;

/// An operation: a method on a path.
pub(super) struct Endpoint {
    pub(super) path: &'static str,
    /// The path's handler for this method.
    pub(super) routed: MethodRouter<Arc<App>>,
    #[cfg(test)]
    pub(super) about: About,
}

/// What only the OpenAPI document needs.
#[cfg(test)]
pub(super) struct About {
    pub(super) method: &'static str,
    /// The name of the operation, for generated clients.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    /// The codes that the handler refuses with, each with a reason if not with all of them. What
    /// every operation and every extractor may refuse is not listed.
    pub(super) refusals: &'static [&'static str],
    /// Describes what the handler takes and answers.
    pub(super) describe: fn(&mut Shape<'_>),
}

#[cfg_attr(not(test), allow(dead_code, reason = "only the OpenAPI document needs the name"))]
struct Verb {
    name: &'static str,
    filter: MethodFilter,
}

const GET: Verb = Verb { name: "get", filter: MethodFilter::GET };
const POST: Verb = Verb { name: "post", filter: MethodFilter::POST };
const PUT: Verb = Verb { name: "put", filter: MethodFilter::PUT };
const DELETE: Verb = Verb { name: "delete", filter: MethodFilter::DELETE };

#[cfg_attr(not(test), allow(unused_variables, reason = "only the OpenAPI document needs the summary"))]
fn endpoint<H, T, A>(
    verb: Verb,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    handler: H,
    refusals: &'static [&'static str],
) -> Endpoint
where
    H: Handler<T, Arc<App>> + Described<A>,
    T: 'static,
{
    let routed = on(verb.filter, handler);
    #[cfg(any(test, debug_assertions))]
    let routed = checks::held_to(routed, id, refusals);
    #[cfg(test)]
    let about = About { method: verb.name, id, summary, refusals, describe: H::describe };
    Endpoint {
        path,
        routed,
        #[cfg(test)]
        about,
    }
}

/// Every operation under `/api`, `/health` and `/ready`.
pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(
            GET,
            "/health",
            "checkHealth",
            "Checks the store; 503 if it cannot be read or written",
            health::health,
            &[],
        ),
        endpoint(
            GET,
            "/ready",
            "checkReadiness",
            "Tells if the server accepts players, regardless of the store; 503 while it stops",
            health::ready,
            &[],
        ),
        endpoint(GET, "/api/openapi.json", "getOpenApi", "This document", documents::openapi, &[]),
        endpoint(
            GET,
            "/api/schema",
            "listSchemas",
            "Where the JSON Schemas of messages and records are",
            documents::schemas,
            &[],
        ),
        endpoint(
            GET,
            "/api/schema/{name}",
            "getSchema",
            "The JSON Schema of what clients send, of what servers send, or of records; with an ETag",
            documents::schema,
            &[],
        ),
        endpoint(
            GET,
            "/api/rulesets",
            "listRulesets",
            "The rulesets, with the rules that a custom game may change",
            games::rulesets,
            &[],
        ),
        endpoint(
            GET,
            "/api/keys",
            "listSigningKeys",
            "The public keys with which finished games are or were signed",
            games::keys,
            &[],
        ),
        endpoint(GET, "/api/games", "listGames", "The running public games", games::games, &[]),
        endpoint(
            GET,
            "/api/games/{id}",
            "getGame",
            "A game, as its viewer may see it",
            games::game,
            &["no_such_game", "game_quarantined"],
        ),
        endpoint(
            GET,
            "/api/games/{id}/record",
            "getRecord",
            "A game's record with every event's change: as an audience saw it live (as=red, blue or public), or opened (as=all)",
            games::record,
            &["no_such_game", "game_quarantined", "record_not_opened"],
        ),
        endpoint(
            GET,
            "/api/games/{id}/record.txt",
            "getRecordText",
            "The record as text",
            games::record_as_text,
            &["no_such_game", "game_quarantined"],
        ),
        endpoint(
            GET,
            "/api/games/{id}/ratings",
            "getRatingChange",
            "How a rated game changed ratings",
            ratings::change,
            &["not_rated/unchanged", "game_quarantined"],
        ),
        endpoint(
            POST,
            "/api/account",
            "signUp",
            "Makes an account: of the guest whose token comes with the request, or a new one",
            accounts::sign_up,
            &[
                "bad_name/characters",
                "bad_name/length",
                "bad_password",
                "name_taken",
                "already_account",
                "too_many_attempts",
                "too_many/logins",
            ],
        ),
        endpoint(
            GET,
            "/api/account",
            "exportAccount",
            "Everything that the server keeps of the account, without its secrets",
            accounts::export,
            &[],
        ),
        endpoint(
            DELETE,
            "/api/account",
            "deleteAccount",
            "Deletes the account; its games stay without its name",
            accounts::delete,
            &[
                "account_expected/other",
                "wrong_password",
                "games_running",
                "too_many_attempts",
                "too_many/logins",
            ],
        ),
        endpoint(
            POST,
            "/api/account/password",
            "changePassword",
            "Changes the password and revokes all other tokens",
            accounts::change_password,
            &[
                "bad_password",
                "account_expected/other",
                "wrong_password",
                "too_many_attempts",
                "too_many/logins",
            ],
        ),
        endpoint(
            POST,
            "/api/account/recovery_code",
            "renewRecoveryCode",
            "Makes a new recovery code; the previous one is void",
            accounts::renew_recovery_code,
            &["account_expected/other", "wrong_password", "too_many_attempts", "too_many/logins"],
        ),
        endpoint(
            POST,
            "/api/login",
            "logIn",
            "Logs in with a password and makes a token",
            accounts::log_in,
            &[
                "wrong_password",
                "account_closed",
                "bad_token_terms/name",
                "too_many_attempts",
                "too_many/logins",
            ],
        ),
        endpoint(
            POST,
            "/api/logout",
            "logOut",
            "Revokes the token of the request",
            accounts::log_out,
            &["account_expected/other", "no_such_token"],
        ),
        endpoint(
            POST,
            "/api/recover",
            "recoverAccount",
            "Sets a new password with the recovery code",
            accounts::recover,
            &[
                "wrong_recovery_code",
                "account_closed",
                "bad_password",
                "too_many_attempts",
                "too_many/logins",
            ],
        ),
        endpoint(GET, "/api/me", "getMe", "Who asks", accounts::me, &[]),
        endpoint(
            GET,
            "/api/me/games",
            "listOwnGames",
            "The player's running games, most urgent first",
            own_games::list,
            &[],
        ),
        endpoint(
            GET,
            "/api/me/deployments",
            "listDeployments",
            "The deployments that the player keeps, which only they can see",
            deployments::list,
            &[],
        ),
        endpoint(
            PUT,
            "/api/me/deployments/{ruleset}/{name}",
            "saveDeployment",
            "Keeps a deployment; it replaces one of the same name",
            deployments::save,
            &[
                "account_expected/deployments",
                "no_such_ruleset/saved",
                "bad_deployment",
                "too_many/deployments",
            ],
        ),
        endpoint(
            DELETE,
            "/api/me/deployments/{ruleset}/{name}",
            "deleteDeployment",
            "Deletes a kept deployment",
            deployments::remove,
            &["no_such_ruleset/saved", "no_such_deployment"],
        ),
        endpoint(
            GET,
            "/api/me/webhook",
            "getWebhook",
            "The player's webhook",
            notices::show,
            &["no_such_webhook/webhook"],
        ),
        endpoint(
            PUT,
            "/api/me/webhook",
            "setWebhook",
            "Sets the address that gets notices of the player's turns in games with days per move: signed POSTs of Notice",
            notices::set,
            &["account_expected/webhooks", "bad_webhook"],
        ),
        endpoint(
            DELETE,
            "/api/me/webhook",
            "deleteWebhook",
            "Removes the player's webhook",
            notices::remove,
            &["no_such_webhook/webhook"],
        ),
        endpoint(
            POST,
            "/api/me/webhook/test",
            "testWebhook",
            "Sends a test to the player's webhook and reports the result",
            notices::test,
            &["no_such_webhook/webhook", "too_many/webhook_test", "too_many/webhook_busy"],
        ),
        endpoint(
            POST,
            "/api/me/feed",
            "makeFeed",
            "Makes the player's feed; the address of an earlier one is void",
            notices::make_feed,
            &["account_expected/webhooks"],
        ),
        endpoint(
            DELETE,
            "/api/me/feed",
            "deleteFeed",
            "Removes the player's feed",
            notices::remove_feed,
            &["no_such_webhook/feed"],
        ),
        endpoint(
            GET,
            "/api/feeds/{secret}",
            "getFeed",
            "A player's turns and ended games, for anyone who has the secret: JSON Feed 1.1",
            notices::feed,
            &["no_such_webhook/feed"],
        ),
        endpoint(
            GET,
            "/api/me/statistics",
            "getStatistics",
            "The player's own statistics, by ruleset, side and deployment",
            histories::statistics,
            &[],
        ),
        endpoint(
            GET,
            "/api/me/challenges",
            "listInvitations",
            "The challenges addressed to the player",
            invitations::list,
            &[],
        ),
        endpoint(
            POST,
            "/api/me/challenges",
            "invitePlayer",
            "Addresses an open challenge to another player",
            invitations::invite,
            &[
                "no_such_player",
                "no_such_challenge",
                "own_offer/offer",
                "not_rated",
                "blocked/offer",
                "too_many/opponent",
            ],
        ),
        endpoint(
            DELETE,
            "/api/me/challenges/{code}",
            "declineInvitation",
            "Declines and closes a challenge",
            invitations::decline,
            &["no_such_challenge"],
        ),
        endpoint(
            GET,
            "/api/games/{id}/queue",
            "getMoveQueue",
            "The player's queue for their next turns in a game with days per move",
            queue::show,
            &["no_such_game", "game_quarantined", "bad_queue/game"],
        ),
        endpoint(
            PUT,
            "/api/games/{id}/queue",
            "setMoveQueue",
            "Queues the player's next turns; refused as stale_ply if the game has moved on, as stale_epoch if its last moves were lost",
            queue::replace,
            &["no_such_game", "game_quarantined", "bad_queue", "own_turn", "stale_ply/queue", "stale_epoch"],
        ),
        endpoint(
            DELETE,
            "/api/games/{id}/queue",
            "clearMoveQueue",
            "Empties the player's queue",
            queue::clear,
            &["no_such_game", "game_quarantined", "bad_queue/game"],
        ),
        endpoint(
            GET,
            "/api/tokens",
            "listTokens",
            "The tokens of the account, without the tokens themselves",
            accounts::tokens,
            &[],
        ),
        endpoint(
            POST,
            "/api/tokens",
            "makeToken",
            "Makes another token",
            accounts::make_token,
            &["account_expected/other", "bad_token_terms", "too_many/tokens", "too_many_attempts"],
        ),
        endpoint(
            DELETE,
            "/api/tokens/{id}",
            "revokeToken",
            "Revokes a token and closes its WebSockets",
            accounts::revoke_token,
            &["account_expected/other", "no_such_token"],
        ),
        endpoint(
            GET,
            "/api/blocks",
            "listBlocks",
            "The players that the player has blocked",
            accounts::blocks,
            &[],
        ),
        endpoint(
            PUT,
            "/api/blocks/{name}",
            "blockPlayer",
            "Blocks a player",
            accounts::block,
            &["no_such_player", "own_offer/block", "too_many/blocks", "bad_name/taken"],
        ),
        endpoint(
            DELETE,
            "/api/blocks/{name}",
            "unblockPlayer",
            "Unblocks a player",
            accounts::unblock,
            &["no_such_player", "own_offer/block", "bad_name/taken"],
        ),
        endpoint(
            GET,
            "/api/players/{name}",
            "getPlayer",
            "What anyone may know of a player",
            accounts::profile,
            &["no_such_player"],
        ),
        endpoint(
            GET,
            "/api/players/{name}/games",
            "listPlayedGames",
            "A player's ended games, latest first; only they can see private ones",
            histories::games,
            &["no_such_player"],
        ),
        endpoint(
            GET,
            "/api/players/{name}/against/{other}",
            "getHeadToHead",
            "Two players' games against each other; only they can see private ones",
            histories::head_to_head,
            &["no_such_player"],
        ),
        endpoint(
            GET,
            "/api/players/{name}/ratings/{ruleset}/{speed}",
            "getRatingHistory",
            "A player's latest rated games; only they can see private ones",
            ratings::history,
            &["no_such_player", "no_such_ruleset/rated", "no_such_speed"],
        ),
        endpoint(
            GET,
            "/api/leaderboards/{ruleset}/{speed}",
            "getLeaderboard",
            "The best players in a ruleset at a speed",
            ratings::leaderboard,
            &["no_such_ruleset/rated", "no_such_speed"],
        ),
    ]
}

/// Holds handlers to the refusals that their endpoints list, in tests and other debug builds.
#[cfg(any(test, debug_assertions))]
pub(super) mod checks {
    use std::sync::Arc;

    use axum::middleware::map_response;
    use axum::response::Response;
    use axum::routing::MethodRouter;
    use flagfall_protocol::Refusal;

    use crate::api::http::error::Refused;
    use crate::app::App;

    /// What extractors and every use of the store may refuse with.
    pub(in crate::api::http) const OF_ALL: &[&str] = &[
        "account_closed",
        "bad_query",
        "bad_token",
        "body_too_large",
        "internal",
        "malformed/body",
        "no_such_path",
        "scope_missing",
        "store_unavailable",
    ];

    /// True if a refusal is listed: its code, or its code and reason.
    pub(in crate::api::http) fn is_listed(refusal: &Refusal, listed: &[&str]) -> bool {
        listed.iter().any(|one| match one.split_once('/') {
            Some((code, reason)) => refusal.code.as_str() == code && refusal.reason() == Some(reason),
            None => refusal.code.as_str() == *one,
        })
    }

    pub(super) fn held_to(
        routed: MethodRouter<Arc<App>>,
        id: &'static str,
        refusals: &'static [&'static str],
    ) -> MethodRouter<Arc<App>> {
        routed.layer(map_response(move |response: Response| async move {
            if let Some(Refused(refusal)) = response.extensions().get() {
                let is_known = is_listed(refusal, refusals) || is_listed(refusal, OF_ALL);
                assert!(is_known, "{id} does not list the refusal {refusal:?}");
            }
            response
        }))
    }
}
