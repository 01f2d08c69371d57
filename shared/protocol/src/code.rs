use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why something was refused. Codes are stable, so programs may branch on them. The rules engine's
/// codes are passed on unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Code(String);

impl Code {
    /// Not JSON, not a message, an unknown field, too deep or too long.
    pub const MALFORMED: &'static str = "malformed";
    /// The first message was not a hello, or a second hello came.
    pub const HELLO_EXPECTED: &'static str = "hello_expected";
    /// Another protocol version.
    pub const PROTOCOL_VERSION: &'static str = "protocol_version";
    /// An anonymous client can only look on.
    pub const SIGN_IN_EXPECTED: &'static str = "sign_in_expected";
    /// The token is unknown.
    pub const BAD_TOKEN: &'static str = "bad_token";
    /// The name is not allowed.
    pub const BAD_NAME: &'static str = "bad_name";
    /// Too many messages, seeks, games or connections; try again later.
    pub const TOO_MANY: &'static str = "too_many";
    /// No game of this id that the asker may see.
    pub const NO_SUCH_GAME: &'static str = "no_such_game";
    /// The record shows hidden ranks that are not open to the asker.
    pub const RECORD_NOT_OPENED: &'static str = "record_not_opened";
    /// No seek of this id. Another player may have taken it.
    pub const NO_SUCH_SEEK: &'static str = "no_such_seek";
    /// No challenge of this code. It may have expired or been taken.
    pub const NO_SUCH_CHALLENGE: &'static str = "no_such_challenge";
    /// Players cannot play against themselves.
    pub const OWN_OFFER: &'static str = "own_offer";
    /// No ruleset of this id.
    pub const NO_SUCH_RULESET: &'static str = "no_such_ruleset";
    /// A rule change that the ruleset does not allow in a custom game.
    pub const BAD_RULE_CHANGE: &'static str = "bad_rule_change";
    /// The clock is out of bounds.
    pub const BAD_TIME: &'static str = "bad_time";
    /// No house player of this level.
    pub const NO_SUCH_BOT: &'static str = "no_such_bot";
    /// The player has no seat in the game, or a newer connection drives it.
    pub const NOT_YOUR_GAME: &'static str = "not_your_game";
    /// A newer connection of the player drives the game.
    pub const SUPERSEDED: &'static str = "superseded";
    /// The id was used for another command.
    pub const CMD_ID_REUSED: &'static str = "cmd_id_reused";
    /// The command was made before the server lost the last moves of the game.
    pub const STALE_EPOCH: &'static str = "stale_epoch";
    /// A rematch can only be offered after the end.
    pub const NOT_OVER: &'static str = "not_over";
    /// The server is stopping and starts no new games.
    pub const STOPPING: &'static str = "stopping";
    /// The server has no room for new games now. Running games go on.
    pub const SERVER_FULL: &'static str = "server_full";
    /// The store takes no writes now. Nothing was done that was not acknowledged.
    pub const STORE_UNAVAILABLE: &'static str = "store_unavailable";
    /// The game's log is damaged; an operator must look at it.
    pub const GAME_QUARANTINED: &'static str = "game_quarantined";
    /// Another player has the name.
    pub const NAME_TAKEN: &'static str = "name_taken";
    /// The password is too short, too long, or the name itself.
    pub const BAD_PASSWORD: &'static str = "bad_password";
    /// No account of this name, or the wrong password. The answer does not say which.
    pub const WRONG_PASSWORD: &'static str = "wrong_password";
    /// No account of this name, or the wrong recovery code. The answer does not say which.
    pub const WRONG_RECOVERY_CODE: &'static str = "wrong_recovery_code";
    /// Too many attempts for this name or from this address; try again later.
    pub const TOO_MANY_ATTEMPTS: &'static str = "too_many_attempts";
    /// The player already has an account.
    pub const ALREADY_ACCOUNT: &'static str = "already_account";
    /// Only an account can do that: a guest has no password.
    pub const ACCOUNT_EXPECTED: &'static str = "account_expected";
    /// No token of this id.
    pub const NO_SUCH_TOKEN: &'static str = "no_such_token";
    /// The name of a token is empty or too long, or its scope is not for this account.
    pub const BAD_TOKEN_TERMS: &'static str = "bad_token_terms";
    /// The token may only be used to play.
    pub const SCOPE_MISSING: &'static str = "scope_missing";
    /// No player of this name.
    pub const NO_SUCH_PLAYER: &'static str = "no_such_player";
    /// A game of these terms or players cannot be rated.
    pub const NOT_RATED: &'static str = "not_rated";
    /// The player is not waiting in a pool.
    pub const NOT_IN_POOL: &'static str = "not_in_pool";
    /// The player has been paired, and that game is running.
    pub const ALREADY_PAIRED: &'static str = "already_paired";
    /// No such speed. The speeds are bullet, blitz, rapid, classical and correspondence.
    pub const NO_SUCH_SPEED: &'static str = "no_such_speed";
    /// The player has left games and must wait before the next one.
    pub const LEFT_GAMES: &'static str = "left_games";
    /// The operators of the server have closed the account.
    pub const ACCOUNT_CLOSED: &'static str = "account_closed";
    /// A text is empty, too long, or has characters that cannot be printed.
    pub const BAD_TEXT: &'static str = "bad_text";
    /// Players can talk to, report and block other people, but not house players.
    pub const HOUSE_PLAYER: &'static str = "house_player";
    /// One of the two players has blocked the other.
    pub const BLOCKED: &'static str = "blocked";
    /// The player has already reported this game.
    pub const REPORTED_BEFORE: &'static str = "reported_before";
    /// The account has running games.
    pub const GAMES_RUNNING: &'static str = "games_running";
    /// The moves cannot be queued, or the game has no queues.
    pub const BAD_QUEUE: &'static str = "bad_queue";
    /// It is the player's turn, so they must move instead of queueing.
    pub const OWN_TURN: &'static str = "own_turn";
    /// The text is no deployment of its ruleset, or the name is not allowed.
    pub const BAD_DEPLOYMENT: &'static str = "bad_deployment";
    /// No deployment is kept under this name.
    pub const NO_SUCH_DEPLOYMENT: &'static str = "no_such_deployment";
    /// The server sends no notices to this address.
    pub const BAD_WEBHOOK: &'static str = "bad_webhook";
    /// The player has no webhook, or there is no such feed.
    pub const NO_SUCH_WEBHOOK: &'static str = "no_such_webhook";
    /// A range of ratings that no offer can have: without bounds, with bounds out of order, around
    /// a rating that the player does not have, or for games without ratings.
    pub const BAD_RATING_RANGE: &'static str = "bad_rating_range";
    /// The player's rating is outside the offer's range.
    pub const OUTSIDE_RATING_RANGE: &'static str = "outside_rating_range";
    /// A defect of the server.
    pub const INTERNAL: &'static str = "internal";

    /// Makes a code from its text.
    pub fn new(code: impl Into<String>) -> Code {
        Code(code.into())
    }

    /// The code's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why the server closed a WebSocket. After 4000 to 4099, connect again; after 4100 to 4199, do
/// not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum CloseCode {
    /// The server is stopping. It or another server will be back.
    Shutdown = 4000,
    /// The client read too slowly.
    Slow = 4001,
    /// The client did not answer a ping in time.
    NoPong = 4002,
    /// Too many messages.
    TooManyRequests = 4003,
    /// No hello came in time.
    HelloTimeout = 4004,
    /// A guest has become an account. Connect again with the same token.
    Renewed = 4005,
    /// The token is unknown.
    BadToken = 4100,
    /// The token was revoked: the player logged out or revoked it.
    TokenRevoked = 4101,
    /// The server does not speak the client's protocol version.
    ProtocolVersion = 4102,
    /// The operators of the server have closed the account.
    Banned = 4103,
    /// The name is not allowed.
    BadName = 4104,
    /// Too many connections of one player.
    TooManyConnections = 4105,
    /// The first message was not a hello.
    HelloExpected = 4106,
}

impl CloseCode {
    /// True if a client should connect again after this close code, of this protocol or of
    /// WebSocket itself. If the client was at fault, the same fault would happen again.
    pub const fn is_to_reconnect(code: u16) -> bool {
        !matches!(code, 4100..=4199 | 1002 | 1003 | 1007..=1009)
    }

    /// True if a client should wait a while before it connects again.
    pub const fn is_to_wait(code: u16) -> bool {
        const LATER: u16 = 1013;
        code == LATER || code == CloseCode::TooManyRequests as u16
    }
}
