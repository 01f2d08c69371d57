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
    /// The first message was no hello, or a second hello came.
    pub const HELLO_EXPECTED: &'static str = "hello_expected";
    /// Another protocol version.
    pub const PROTOCOL_VERSION: &'static str = "protocol_version";
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
    /// No seek of this id; somebody else may have taken it.
    pub const NO_SUCH_SEEK: &'static str = "no_such_seek";
    /// No challenge of this code, or it expired or was taken.
    pub const NO_SUCH_CHALLENGE: &'static str = "no_such_challenge";
    /// One cannot play against oneself.
    pub const OWN_OFFER: &'static str = "own_offer";
    /// No ruleset of this id.
    pub const NO_SUCH_RULESET: &'static str = "no_such_ruleset";
    /// A custom game's change that its ruleset does not let be made.
    pub const BAD_RULE_CHANGE: &'static str = "bad_rule_change";
    /// The clock is out of bounds.
    pub const BAD_TIME: &'static str = "bad_time";
    /// No house player of this level.
    pub const NO_SUCH_BOT: &'static str = "no_such_bot";
    /// The asker has no seat in the game, or a newer connection drives it.
    pub const NOT_YOUR_GAME: &'static str = "not_your_game";
    /// A newer connection of the player drives the game.
    pub const SUPERSEDED: &'static str = "superseded";
    /// The id was used for another command.
    pub const CMD_ID_REUSED: &'static str = "cmd_id_reused";
    /// The command was made before the server lost the last moves of the game.
    pub const STALE_EPOCH: &'static str = "stale_epoch";
    /// A rematch is offered after the end.
    pub const NOT_OVER: &'static str = "not_over";
    /// The server is stopping: no new games.
    pub const STOPPING: &'static str = "stopping";
    /// The server has no room for new games now. Running games go on.
    pub const SERVER_FULL: &'static str = "server_full";
    /// The store cannot take anything now; nothing was done that was not acknowledged.
    pub const STORE_UNAVAILABLE: &'static str = "store_unavailable";
    /// The game's log is damaged; an operator must look at it.
    pub const GAME_QUARANTINED: &'static str = "game_quarantined";
    /// The name is another player's.
    pub const NAME_TAKEN: &'static str = "name_taken";
    /// The password is too short, too long, or the name itself.
    pub const BAD_PASSWORD: &'static str = "bad_password";
    /// No account of this name, or not this password: nobody is told which.
    pub const WRONG_PASSWORD: &'static str = "wrong_password";
    /// No account of this name, or not this recovery code: nobody is told which.
    pub const WRONG_RECOVERY_CODE: &'static str = "wrong_recovery_code";
    /// Too many attempts for this name or from this address; try again later.
    pub const TOO_MANY_ATTEMPTS: &'static str = "too_many_attempts";
    /// Who asks has an account already.
    pub const ALREADY_ACCOUNT: &'static str = "already_account";
    /// Only an account can do that: a guest has no password.
    pub const ACCOUNT_EXPECTED: &'static str = "account_expected";
    /// No token of this id.
    pub const NO_SUCH_TOKEN: &'static str = "no_such_token";
    /// The name of a token is empty or too long, or its scope is not for this account.
    pub const BAD_TOKEN_TERMS: &'static str = "bad_token_terms";
    /// The token is good for playing alone.
    pub const SCOPE_MISSING: &'static str = "scope_missing";
    /// No player of this name.
    pub const NO_SUCH_PLAYER: &'static str = "no_such_player";
    /// A game of these terms or players cannot be rated.
    pub const NOT_RATED: &'static str = "not_rated";
    /// Who asks waits in no pool.
    pub const NOT_IN_POOL: &'static str = "not_in_pool";
    /// Who asks has been paired, and that game runs.
    pub const ALREADY_PAIRED: &'static str = "already_paired";
    /// No such speed; there is bullet, blitz, rapid, classical and correspondence.
    pub const NO_SUCH_SPEED: &'static str = "no_such_speed";
    /// Who asks has left games and waits before the next one.
    pub const LEFT_GAMES: &'static str = "left_games";
    /// The operators of the server have closed the account.
    pub const ACCOUNT_CLOSED: &'static str = "account_closed";
    /// A text is empty, too long, or has characters that cannot be printed.
    pub const BAD_TEXT: &'static str = "bad_text";
    /// One talks to people, and reports and blocks people, not house players.
    pub const HOUSE_PLAYER: &'static str = "house_player";
    /// One of both players has blocked the other one.
    pub const BLOCKED: &'static str = "blocked";
    /// Who asks has reported this game.
    pub const REPORTED_BEFORE: &'static str = "reported_before";
    /// The account has running games.
    pub const GAMES_RUNNING: &'static str = "games_running";
    /// Moves that cannot be queued, or a game in which none are.
    pub const BAD_QUEUE: &'static str = "bad_queue";
    /// It is the asker's turn: a move is made, not queued.
    pub const OWN_TURN: &'static str = "own_turn";
    /// A text that is no deployment of its ruleset, or a name under which none is kept.
    pub const BAD_DEPLOYMENT: &'static str = "bad_deployment";
    /// No deployment is kept under this name.
    pub const NO_SUCH_DEPLOYMENT: &'static str = "no_such_deployment";
    /// An address to which no webhook leads.
    pub const BAD_WEBHOOK: &'static str = "bad_webhook";
    /// The asker has no webhook, or there is no such feed.
    pub const NO_SUCH_WEBHOOK: &'static str = "no_such_webhook";
    /// A range of ratings that no offer can have: without bounds, with bounds out of order, around a rating that the asker does not have, or of
    /// games that have no ratings.
    pub const BAD_RATING_RANGE: &'static str = "bad_rating_range";
    /// The offer is for players of other ratings than the asker's.
    pub const OUTSIDE_RATING_RANGE: &'static str = "outside_rating_range";
    /// A defect of the server.
    pub const INTERNAL: &'static str = "internal";

    /// The code of this text.
    pub fn new(code: impl Into<String>) -> Code {
        Code(code.into())
    }

    /// The code's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&flagfall_rules::Refusal> for Code {
    fn from(refusal: &flagfall_rules::Refusal) -> Code {
        Code::new(refusal.code())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why the server closed a WebSocket. 4000–4099: connect again; 4100–4199: do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum CloseCode {
    /// The server stops; it or another will be back.
    Shutdown = 4000,
    /// The client read too slowly.
    Slow = 4001,
    /// No pong came.
    NoPong = 4002,
    /// Too many messages.
    TooManyRequests = 4003,
    /// No hello came in time.
    HelloTimeout = 4004,
    /// A guest has become an account: the same token comes back as that.
    Renewed = 4005,
    /// The token is unknown.
    BadToken = 4100,
    /// The token was revoked: its owner logged out or took it back.
    TokenRevoked = 4101,
    /// The client's protocol version is not spoken here.
    ProtocolVersion = 4102,
    /// The operators of the server have closed the account.
    Banned = 4103,
    /// The name is not allowed.
    BadName = 4104,
    /// Too many connections of one player.
    TooManyConnections = 4105,
    /// The first message was no hello.
    HelloExpected = 4106,
}

impl CloseCode {
    /// Whether a client should connect again after this code, be it of the protocol or of WebSockets themselves. Where the client is wrong, it would be wrong again.
    #[must_use]
    pub const fn is_to_reconnect(code: u16) -> bool {
        !matches!(code, 4100..=4199 | 1002 | 1003 | 1007..=1009)
    }

    /// Whether a client should let some time go by before it does.
    #[must_use]
    pub const fn is_to_wait(code: u16) -> bool {
        const LATER: u16 = 1013;
        code == LATER || code == CloseCode::TooManyRequests as u16
    }
}
