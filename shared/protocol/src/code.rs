use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason for a refusal. Codes never change, so programs may branch on them. The codes of the
/// rules engine are used unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Code(String);

impl Code {
    /// The text is not JSON or not a message, has an unknown field, is nested too deeply, or is
    /// too long.
    pub const MALFORMED: &'static str = "malformed";
    /// The first message of a connection was not a hello, or a later message was another hello.
    pub const HELLO_EXPECTED: &'static str = "hello_expected";
    /// The client uses a protocol version that the server does not support.
    pub const PROTOCOL_VERSION: &'static str = "protocol_version";
    /// An anonymous client can only watch.
    pub const SIGN_IN_EXPECTED: &'static str = "sign_in_expected";
    /// The server is a relay, which admits only anonymous spectators.
    pub const WATCH_ONLY: &'static str = "watch_only";
    /// The token is unknown.
    pub const BAD_TOKEN: &'static str = "bad_token";
    /// The player's name is not allowed.
    pub const BAD_NAME: &'static str = "bad_name";
    /// There are too many messages, seeks, games or connections. Try again later.
    pub const TOO_MANY: &'static str = "too_many";
    /// No game has this id, or the requester is not allowed to see the game.
    pub const NO_SUCH_GAME: &'static str = "no_such_game";
    /// The record contains hidden ranks that the requester is not allowed to see.
    pub const RECORD_NOT_OPENED: &'static str = "record_not_opened";
    /// No seek has this id. Another player may have accepted it.
    pub const NO_SUCH_SEEK: &'static str = "no_such_seek";
    /// No challenge has this code. It may have expired or been accepted.
    pub const NO_SUCH_CHALLENGE: &'static str = "no_such_challenge";
    /// Players cannot play against themselves.
    pub const OWN_OFFER: &'static str = "own_offer";
    /// No ruleset has this id.
    pub const NO_SUCH_RULESET: &'static str = "no_such_ruleset";
    /// The ruleset does not allow this change in a custom game.
    pub const BAD_RULE_CHANGE: &'static str = "bad_rule_change";
    /// A value of the time control is out of bounds.
    pub const BAD_TIME: &'static str = "bad_time";
    /// No house player has this level.
    pub const NO_SUCH_BOT: &'static str = "no_such_bot";
    /// The player is not one of the players in this game.
    pub const NOT_YOUR_GAME: &'static str = "not_your_game";
    /// A newer connection of the same player has taken over the game.
    pub const SUPERSEDED: &'static str = "superseded";
    /// The command id was already used for a different command.
    pub const CMD_ID_REUSED: &'static str = "cmd_id_reused";
    /// The client's command is based on moves that the server has since lost.
    pub const STALE_EPOCH: &'static str = "stale_epoch";
    /// The game has not ended yet, so no rematch can be offered.
    pub const NOT_OVER: &'static str = "not_over";
    /// The server is stopping and does not start new games.
    pub const STOPPING: &'static str = "stopping";
    /// The server has no room for new games at the moment. Running games continue.
    pub const SERVER_FULL: &'static str = "server_full";
    /// The server cannot reach its store. The command may have been carried out.
    pub const STORE_UNAVAILABLE: &'static str = "store_unavailable";
    /// The game's log is damaged. An operator must repair the game.
    pub const GAME_QUARANTINED: &'static str = "game_quarantined";
    /// A newer version of the server wrote the game's log, and this server cannot read it.
    pub const SERVER_TOO_OLD: &'static str = "server_too_old";
    /// Another player already has the name.
    pub const NAME_TAKEN: &'static str = "name_taken";
    /// The password is too short, too long, or equal to the name.
    pub const BAD_PASSWORD: &'static str = "bad_password";
    /// No account has this name, or the password is wrong. The answer does not say which.
    pub const WRONG_PASSWORD: &'static str = "wrong_password";
    /// No account has this name, or the recovery code is wrong. The answer does not say which.
    pub const WRONG_RECOVERY_CODE: &'static str = "wrong_recovery_code";
    /// There were too many login attempts for this name or from this address. Try again later.
    pub const TOO_MANY_ATTEMPTS: &'static str = "too_many_attempts";
    /// The player already has an account.
    pub const ALREADY_ACCOUNT: &'static str = "already_account";
    /// The request needs an account, but the player is a guest.
    pub const ACCOUNT_EXPECTED: &'static str = "account_expected";
    /// No token has this id.
    pub const NO_SUCH_TOKEN: &'static str = "no_such_token";
    /// The token's name is empty or too long, or the account cannot have a token of this scope.
    pub const BAD_TOKEN_TERMS: &'static str = "bad_token_terms";
    /// The token's scope allows only playing.
    pub const SCOPE_MISSING: &'static str = "scope_missing";
    /// No player has this name.
    pub const NO_SUCH_PLAYER: &'static str = "no_such_player";
    /// A game on these terms or between these players cannot be rated.
    pub const NOT_RATED: &'static str = "not_rated";
    /// The player is not waiting in a pool.
    pub const NOT_IN_POOL: &'static str = "not_in_pool";
    /// The player was already paired, and that game is still running.
    pub const ALREADY_PAIRED: &'static str = "already_paired";
    /// The speed does not exist. The speeds are bullet, blitz, rapid, classical and
    /// correspondence.
    pub const NO_SUCH_SPEED: &'static str = "no_such_speed";
    /// The player has left games and must wait before they can be paired or play a rated game.
    pub const LEFT_GAMES: &'static str = "left_games";
    /// The operators of the server have closed the account.
    pub const ACCOUNT_CLOSED: &'static str = "account_closed";
    /// Some text in the request is empty, too long, or contains characters that cannot be
    /// printed.
    pub const BAD_TEXT: &'static str = "bad_text";
    /// House players cannot be reported or blocked, and they do not receive chat messages.
    pub const HOUSE_PLAYER: &'static str = "house_player";
    /// One of the two players has blocked the other.
    pub const BLOCKED: &'static str = "blocked";
    /// The player has already reported this game.
    pub const REPORTED_BEFORE: &'static str = "reported_before";
    /// The account still has running games.
    pub const GAMES_RUNNING: &'static str = "games_running";
    /// These moves cannot be queued, or the game does not support queues.
    pub const BAD_QUEUE: &'static str = "bad_queue";
    /// It is the player's turn, so they must move instead of queueing a move.
    pub const OWN_TURN: &'static str = "own_turn";
    /// The text is not a deployment in this ruleset, or the deployment's name is not allowed.
    pub const BAD_DEPLOYMENT: &'static str = "bad_deployment";
    /// No deployment is saved under this name.
    pub const NO_SUCH_DEPLOYMENT: &'static str = "no_such_deployment";
    /// The address is not allowed for a webhook.
    pub const BAD_WEBHOOK: &'static str = "bad_webhook";
    /// The player has no webhook, or the feed does not exist.
    pub const NO_SUCH_WEBHOOK: &'static str = "no_such_webhook";
    /// This server sends no e-mail.
    pub const MAIL_OFF: &'static str = "mail_off";
    /// The text is not an e-mail address to which the server can send.
    pub const BAD_EMAIL: &'static str = "bad_email";
    /// The name or the value of a preference is not allowed, or there would be too many.
    pub const BAD_PREFERENCES: &'static str = "bad_preferences";
    /// The player has set no e-mail address.
    pub const NO_SUCH_EMAIL: &'static str = "no_such_email";
    /// The range of ratings is invalid: it has no bounds, its bounds are in the wrong order, it
    /// is relative to a rating that the player does not have, or the game has no ratings.
    pub const BAD_RATING_RANGE: &'static str = "bad_rating_range";
    /// The player's rating is outside the offer's range.
    pub const OUTSIDE_RATING_RANGE: &'static str = "outside_rating_range";
    /// The server has failed because of a bug.
    pub const INTERNAL: &'static str = "internal";

    /// Creates a code from its text.
    pub fn new(code: impl Into<String>) -> Code {
        Code(code.into())
    }

    /// The code's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if the server has failed because of a bug, damaged data, or a store that does not
    /// answer. The request itself is not at fault. Clients then show the id of the request, so
    /// that the user can report it.
    pub fn is_failure(&self) -> bool {
        matches!(
            self.as_str(),
            Code::INTERNAL | Code::GAME_QUARANTINED | Code::STORE_UNAVAILABLE | "timed_out"
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why the server closed a WebSocket. Clients should reconnect after the codes 4000 to 4099, but
/// not after the codes 4100 to 4199.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum CloseCode {
    /// The server is stopping. Clients can soon connect to this server or another one.
    Shutdown = 4000,
    /// The client read too slowly.
    Slow = 4001,
    /// The client did not answer a ping in time.
    NoPong = 4002,
    /// The client sent too many messages.
    TooManyRequests = 4003,
    /// The client did not send a hello in time.
    HelloTimeout = 4004,
    /// The player was a guest and now has an account. Clients should connect again with the same
    /// token.
    Renewed = 4005,
    /// The token is unknown.
    BadToken = 4100,
    /// The token was revoked, for example because the player logged out.
    TokenRevoked = 4101,
    /// The server does not support the client's protocol version.
    ProtocolVersion = 4102,
    /// The operators of the server have closed the account.
    Banned = 4103,
    /// The player's name is not allowed.
    BadName = 4104,
    /// The player has too many connections.
    TooManyConnections = 4105,
    /// The client's first message was not a hello.
    HelloExpected = 4106,
}

impl CloseCode {
    /// True if a client should connect again after this close code. The function also accepts the
    /// standard codes of WebSocket. The result is false if the client caused the error, because
    /// the error would recur.
    pub const fn is_to_reconnect(code: u16) -> bool {
        !matches!(code, 4100..=4199 | 1002 | 1003 | 1007..=1009)
    }

    /// True if a client should wait a while before it connects again.
    pub const fn is_to_wait(code: u16) -> bool {
        const LATER: u16 = 1013;
        code == LATER || code == CloseCode::TooManyRequests as u16
    }
}
