//! All operations of the HTTP API. The router and the OpenAPI document are generated from this
//! list. A handler's types describe its parameters and answers. The list adds the name and the
//! refusals of each operation.

use std::sync::Arc;

use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};

use super::openapi::Described;
#[cfg(test)]
use super::openapi::Shape;
use super::{accounts, documents, games, health, histories, me, ratings, session};
use crate::app::App;

/// An operation: a method on a path.
#[cfg_attr(not(test), allow(dead_code, reason = "only the OpenAPI document needs all of it"))]
pub(super) struct Endpoint {
    pub(super) path: &'static str,
    /// The path's handler for this method.
    pub(super) routed: MethodRouter<Arc<App>>,
    pub(super) method: &'static str,
    /// The name of the operation, for generated clients.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    /// The refusals of the handler, each as a code or as a code and reason. Refusals that are
    /// common to all operations or belong to an extractor are not listed.
    pub(super) refusals: &'static [&'static str],
    /// Describes the parameters and answers of the handler.
    #[cfg(test)]
    pub(super) describe: fn(&mut Shape<'_>),
}

fn endpoint<H, T, A>(
    filter: MethodFilter,
    method: &'static str,
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
    let routed = on(filter, handler);
    #[cfg(any(test, debug_assertions))]
    let routed = checks::held_to(routed, id, refusals);
    Endpoint {
        path,
        routed,
        method,
        id,
        summary,
        refusals,
        #[cfg(test)]
        describe: H::describe,
    }
}

/// Declares the operations. Each row consists of the method, the path, the operation's id, the
/// handler, a summary, and the handler's refusals.
macro_rules! endpoints {
    ($($verb:ident $path:literal $id:ident = $handler:path, $summary:literal$(, [$($code:literal),+])?;)+) => {
        /// Returns all operations under `/api`, `/health` and `/ready`.
        pub(super) fn endpoints() -> Vec<Endpoint> {
            vec![$(endpoint(
                MethodFilter::$verb,
                stringify!($verb),
                $path,
                stringify!($id),
                $summary,
                $handler,
                &[$($($code),+)?],
            )),+]
        }
    };
}

endpoints! {
    GET "/health" checkHealth = health::health,
        "Checks the store; answers 503 if the store cannot be read or written";
    GET "/ready" checkReadiness = health::ready,
        "Reports whether the server accepts players, regardless of the store; answers 503 while the server stops";
    GET "/api/openapi.json" getOpenApi = documents::openapi, "This document";
    GET "/api/schema" listSchemas = documents::schemas,
        "The JSON Schemas of messages and records, with their paths";
    GET "/api/schema/{name}" getSchema = documents::schema,
        "The JSON Schema of client messages, of server messages, or of records, with an ETag";
    GET "/api/about" getAbout = documents::about,
        "The operator's text about the server: who runs it, privacy, house rules; 404 if there is none";
    GET "/api/rulesets" listRulesets = games::rulesets,
        "The rulesets as data, with the rules that a custom game may change, and the house players";
    GET "/api/rulesets/{ruleset}/deployments/suggested" suggestDeployments = games::suggested,
        "Three sensible deployments to start from, different each time, or always the same for a seed",
        ["no_such_ruleset/suggested"];
    GET "/api/keys" listSigningKeys = games::keys,
        "The public keys for the signatures of finished games, including earlier keys";
    GET "/api/games" listGames = games::games,
        "The running public games: newest first, or those of the highest rated players first (order=rating). Or the public games that ended last (phase=over)";
    GET "/api/games/{id}" getGame = games::game, "A game, as the caller may see it",
        ["no_such_game", "game_quarantined", "server_too_old"];
    GET "/api/games/{id}/record" getRecord = games::record,
        "A game's record with the changes of every event: as an audience saw the game live (as=red, blue or public), or with all ranks (as=all)",
        ["no_such_game", "game_quarantined", "server_too_old", "record_not_opened"];
    GET "/api/games/{id}/record.txt" getRecordText = games::record_as_text, "The record as text",
        ["no_such_game", "game_quarantined", "server_too_old"];
    GET "/api/games/{id}/ratings" getRatingChange = ratings::change,
        "The changes that a rated game made to its players' ratings", ["not_rated/unchanged", "game_quarantined", "server_too_old"];
    POST "/api/account" signUp = accounts::sign_up,
        "Creates an account; with a guest's token, the guest becomes the account",
        ["bad_name/characters", "bad_name/length", "bad_password", "name_taken", "already_account",
            "too_many_attempts", "too_many/logins"];
    GET "/api/account" exportAccount = accounts::export,
        "All data that the server stores about the account, except secrets";
    DELETE "/api/account" deleteAccount = accounts::delete,
        "Deletes the account; its games are kept without the player's name",
        ["account_expected/other", "wrong_password", "games_running", "too_many_attempts",
            "too_many/logins"];
    POST "/api/account/password" changePassword = accounts::change_password,
        "Changes the password and revokes all other tokens",
        ["bad_password", "account_expected/other", "wrong_password", "too_many_attempts",
            "too_many/logins"];
    POST "/api/account/recovery_code" renewRecoveryCode = accounts::renew_recovery_code,
        "Creates a new recovery code; the previous code becomes invalid",
        ["account_expected/other", "wrong_password", "too_many_attempts", "too_many/logins"];
    POST "/api/login" logIn = accounts::log_in, "Logs in with a password and creates a token",
        ["wrong_password", "account_closed", "bad_token_terms/name", "too_many_attempts",
            "too_many/logins"];
    POST "/api/logout" logOut = accounts::log_out, "Revokes the token of the request",
        ["account_expected/other", "no_such_token"];
    POST "/api/recover" recoverAccount = accounts::recover,
        "Sets a new password with the recovery code",
        ["wrong_recovery_code", "account_closed", "bad_password", "too_many_attempts",
            "too_many/logins"];
    GET "/api/me" getMe = accounts::me, "The player that the token belongs to";
    GET "/api/me/games" listOwnGames = me::games,
        "The player's running games, most urgent first";
    GET "/api/me/deployments" listDeployments = me::deployments,
        "The player's saved deployments, which only the player can see";
    PUT "/api/me/deployments/{ruleset}/{name}" saveDeployment = me::save_deployment,
        "Saves a deployment, and replaces any earlier deployment with the same name",
        ["account_expected/deployments", "no_such_ruleset/saved", "bad_deployment",
            "too_many/deployments"];
    DELETE "/api/me/deployments/{ruleset}/{name}" deleteDeployment = me::remove_deployment,
        "Deletes a saved deployment", ["no_such_ruleset/saved", "no_such_deployment"];
    GET "/api/me/reports" listOwnReports = me::reports,
        "The player's reports to the operators, and what the operators have decided";
    GET "/api/me/dump" getDumpSetting = me::dump_setting,
        "How the monthly dumps of public games show the player";
    PUT "/api/me/dump" setDumpSetting = me::set_dump,
        "Sets how the monthly dumps of public games show the player: with their name, under a pseudonym, or not at all",
        ["account_expected/other"];
    GET "/api/me/preferences" getPreferences = me::preferences,
        "The preferences that the account keeps for its clients", ["account_expected/preferences"];
    PATCH "/api/me/preferences" changePreferences = me::change_preferences,
        "Changes the named preferences, and answers all of them; a value of null removes a preference",
        ["account_expected/preferences", "bad_preferences"];
    GET "/api/me/webhook" getWebhook = me::webhook, "The player's webhook",
        ["no_such_webhook/webhook"];
    PUT "/api/me/webhook" setWebhook = me::set_webhook,
        "Sets the address for notices of the player's turns in games with days per move; each notice is a signed POST request with a Notice as its body",
        ["account_expected/webhooks", "bad_webhook"];
    DELETE "/api/me/webhook" deleteWebhook = me::remove_webhook, "Removes the player's webhook",
        ["no_such_webhook/webhook"];
    POST "/api/me/webhook/test" testWebhook = me::test_webhook,
        "Sends a test to the player's webhook and reports the result",
        ["no_such_webhook/webhook", "too_many/webhook_test", "too_many/webhook_busy"];
    GET "/api/me/email" getEmail = me::email,
        "The address to which the server sends e-mail when it is the player's turn in a game with days per move",
        ["mail_off"];
    PUT "/api/me/email" setEmail = me::set_email,
        "Sets this address, and sends a mail to it; until its owner has opened the link in that mail and confirmed, the address gets no other mail. If the address is confirmed already, only the language changes",
        ["mail_off", "account_expected/email", "bad_email", "too_many/mails_of_account",
            "too_many/mails_to_address"];
    DELETE "/api/me/email" deleteEmail = me::remove_email, "Removes this address",
        ["mail_off", "no_such_email"];
    POST "/api/me/email/confirmation" confirmEmailAgain = me::confirm_email_again,
        "Sends another confirmation mail; sends nothing if the address is confirmed",
        ["mail_off", "no_such_email", "too_many/mails_of_account", "too_many/mails_to_address"];
    POST "/api/me/feed" makeFeed = me::make_feed,
        "Creates the player's feed; the address of an earlier feed becomes invalid",
        ["account_expected/webhooks"];
    GET "/api/me/feed" feedInfo = me::feed_info, "Says whether the player has a feed";
    DELETE "/api/me/feed" deleteFeed = me::remove_feed, "Removes the player's feed",
        ["no_such_webhook/feed"];
    GET "/api/feeds/{secret}" getFeed = me::feed,
        "A player's turns and finished games as JSON Feed 1.1, for anyone who has the secret",
        ["no_such_webhook/feed"];
    GET "/api/push" getPushKey = me::push_key,
        "The server's key for Web Push, which a browser needs to subscribe";
    POST "/api/push" subscribe = me::subscribe,
        "Makes the server notify a browser of the player's turns in games with days per move; replaces the oldest of five browsers",
        ["account_expected/webhooks", "bad_webhook"];
    DELETE "/api/push" unsubscribe = me::unsubscribe,
        "Ends the notices to a browser; changes nothing if it gets none";
    GET "/api/me/statistics" getStatistics = histories::statistics,
        "The player's own statistics, by ruleset, side and deployment";
    GET "/api/me/challenges" listInvitations = me::invitations,
        "The challenges addressed to the player";
    POST "/api/me/challenges" invitePlayer = me::invite,
        "Addresses an open challenge to another player",
        ["no_such_player", "no_such_challenge", "own_offer/offer", "not_rated", "blocked/offer",
            "too_many/opponent"];
    DELETE "/api/me/challenges/{code}" declineInvitation = me::decline,
        "Declines and closes a challenge", ["no_such_challenge"];
    GET "/api/games/{id}/queue" getMoveQueue = me::queue,
        "The player's queued turns in a game with days per move",
        ["no_such_game", "game_quarantined", "server_too_old", "bad_queue/game"];
    PUT "/api/games/{id}/queue" setMoveQueue = me::set_queue,
        "Queues the player's next turns; refused with stale_ply if the game has moved on, or with stale_epoch if the game's last moves were lost",
        ["no_such_game", "game_quarantined", "server_too_old", "bad_queue", "own_turn", "stale_ply/queue",
            "stale_epoch"];
    DELETE "/api/games/{id}/queue" clearMoveQueue = me::clear_queue, "Empties the player's queue",
        ["no_such_game", "game_quarantined", "server_too_old", "bad_queue/game"];
    POST "/api/session" beginSession = session::begin,
        "Begins a session of this server's own page and sets its cookie. The session is that of the browser's current player or a new guest, of an account (with a password, or with a recovery code and a new password), or of a new account",
        ["bad_name", "bad_password", "name_taken", "already_account", "wrong_password",
            "wrong_recovery_code", "account_closed", "too_many_attempts", "too_many/logins", "too_many/new_guests", "too_many/guests"];
    DELETE "/api/session" endSession = session::end,
        "Ends the session of this server's own page: revokes its token and closes its connections";
    GET "/api/tokens" listTokens = accounts::tokens,
        "The account's tokens, without the secret tokens themselves";
    POST "/api/tokens" makeToken = accounts::make_token,
        "Creates an additional token; with a session cookie, the account's password is required",
        ["account_expected/other", "bad_token_terms", "wrong_password", "too_many/tokens",
            "too_many_attempts", "too_many/logins"];
    DELETE "/api/tokens/{id}" revokeToken = accounts::revoke_token,
        "Revokes a token and closes its WebSockets", ["account_expected/other", "no_such_token"];
    GET "/api/blocks" listBlocks = accounts::blocks, "The players whom the caller has blocked";
    PUT "/api/blocks/{name}" blockPlayer = accounts::block, "Blocks a player",
        ["no_such_player", "own_offer/block", "too_many/blocks", "bad_name/taken"];
    DELETE "/api/blocks/{name}" unblockPlayer = accounts::unblock, "Unblocks a player",
        ["no_such_player", "own_offer/block", "bad_name/taken"];
    GET "/api/players/{name}" getPlayer = accounts::profile, "A player's public profile",
        ["no_such_player"];
    GET "/api/players/{name}/games" listPlayedGames = histories::games,
        "A player's finished games, latest first; only the player can see their private games", ["no_such_player"];
    GET "/api/players/{name}/against/{other}" getHeadToHead = histories::head_to_head,
        "Two players' games against each other; only these players can see private games", ["no_such_player"];
    GET "/api/players/{name}/ratings/{ruleset}/{speed}" getRatingHistory = ratings::history,
        "A player's latest rated games; only the player can see their private games",
        ["no_such_player", "no_such_ruleset/rated", "no_such_speed"];
    GET "/api/leaderboards/{ruleset}/{speed}" getLeaderboard = ratings::leaderboard,
        "The best players in a ruleset at a speed", ["no_such_ruleset/rated", "no_such_speed"];
}

/// Checks in tests and debug builds that handlers return only the refusals in the list.
#[cfg(any(test, debug_assertions))]
pub(super) mod checks {
    use std::sync::Arc;

    use axum::middleware::map_response;
    use axum::response::Response;
    use axum::routing::MethodRouter;
    use flagfall_protocol::Refusal;

    use crate::api::http::error::UnwrittenRefusal;
    use crate::app::App;

    /// The refusals of extractors, and those that every operation on the store can return.
    pub(in crate::api::http) const OF_ALL: &[&str] = &[
        "account_closed",
        "bad_query",
        "bad_token",
        "body_too_large",
        "foreign_origin/session",
        "internal",
        "malformed/body",
        "no_such_path",
        "scope_missing",
        "store_unavailable",
    ];

    /// True if the list contains the refusal's code alone, or its code with its reason.
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
            if let Some(UnwrittenRefusal(refusal)) = response.extensions().get() {
                let is_known = is_listed(refusal, refusals) || is_listed(refusal, OF_ALL);
                assert!(is_known, "{id} does not list the refusal {refusal:?}");
            }
            response
        }))
    }
}
