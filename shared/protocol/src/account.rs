//! Requests and answers of `/api` about players and their credentials.

use std::collections::BTreeMap;

use flagfall_board::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::deployment::SavedDeployment;
use crate::email::EmailInfo;
use crate::history::{PlayedGame, Statistics};
use crate::invitation::Invitation;
use crate::player::Player;
use crate::push::PushInfo;
use crate::queue::MoveQueue;
use crate::rating::RatingInfo;
use crate::secret::Secret;
use crate::webhook::WebhookInfo;

/// The minimum number of characters in a password.
pub const PASSWORD_LEN_MIN: usize = 8;
/// The maximum number of characters in a password.
pub const PASSWORD_LEN_MAX: usize = 256;

flagfall_board::named! {
    /// The permissions of a token.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Scope, name {
        /// The token permits everything that the player may do: play games, and manage their tokens
        /// and their account.
        #[default]
        Play = "play",
        /// The token permits only playing games. Only bot accounts can have tokens with this scope.
        Bot = "bot",
    }
}

/// Creates an account. If the request has a guest's token, the guest becomes this account. `POST
/// /api/account`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignUp {
    /// The account's name: 2 to 20 letters, digits, `-` and `_`. Names are compared without
    /// regard to case.
    pub name: String,
    /// The password, which has 8 to 256 characters.
    pub password: Secret,
    /// True if a program plays with this account. Everyone can see this, and it cannot be
    /// changed.
    #[serde(default)]
    pub bot: bool,
}

/// A new account. The player should store the recovery code, which lets them set a new password.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SignedUp {
    /// The player.
    pub player: Player,
    /// A token for the new account. Absent if a guest signed up, because the guest's token stays
    /// valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    /// The recovery code, which is sent only once.
    pub recovery_code: Secret,
}

/// Logs in with a name and a password. `POST /api/login`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The account's name.
    pub name: String,
    /// The account's password.
    pub password: Secret,
    /// The name of the new token, at most 40 characters. It appears in the list of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_name: Option<String>,
}

/// The player who logged in, with a new token.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoggedIn {
    /// The player.
    pub player: Player,
    /// The new token, which is sent only once.
    pub token: Secret,
}

/// Starts a session for the server's page in a browser. `POST /api/session`.
///
/// With `name` and `password`, the session belongs to that account. Without a password, it
/// belongs to the player who already has a session in this browser, or to a new guest if there is
/// none. With `recovery_code`, `password` becomes the account's new password.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    /// The account's name, or the requested name of a new guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The account's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// The account's recovery code. It is needed to set a new password if the old one is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_code: Option<Secret>,
    /// True to create the account. If the browser has a guest's session, the guest becomes the
    /// account.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub sign_up: bool,
}

/// The player of a session. The response also sets a cookie with the token. Scripts on the page
/// cannot read this cookie.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// The player.
    pub player: Player,
    /// The recovery code of a new account, or the next recovery code if the request used one. It
    /// is sent only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_code: Option<Secret>,
}

/// Sets a new password, using the recovery code. `POST /api/recover`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recover {
    /// The account's name.
    pub name: String,
    /// The recovery code that the player received at sign-up or after the last recovery.
    pub recovery_code: Secret,
    /// The new password, which has 8 to 256 characters.
    pub password: Secret,
}

/// The account after a recovery. All earlier tokens are revoked, and the recovery code just used
/// is no longer valid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Recovered {
    /// The player.
    pub player: Player,
    /// The new token, which is sent only once.
    pub token: Secret,
    /// The next recovery code, which is sent only once.
    pub recovery_code: Secret,
}

/// Changes the password and revokes all other tokens. `POST /api/account/password`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    /// The current password.
    pub password: Secret,
    /// The new password, which has 8 to 256 characters.
    pub new_password: Secret,
}

/// Confirms an action with the account's password. `DELETE /api/account`, `POST
/// /api/account/recovery_code`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// The account's password.
    pub password: Secret,
}

/// A new recovery code. It replaces the previous code, which becomes invalid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NewRecoveryCode {
    /// The recovery code, which is sent only once.
    pub recovery_code: Secret,
}

/// Creates an additional token. `POST /api/tokens`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// The token's name, at most 40 characters.
    pub name: String,
    /// The permissions of the token. Only bot accounts can have tokens with the scope `bot`.
    #[serde(default)]
    pub scope: Scope,
    /// The account's password. Required if the request uses the session cookie of the server's
    /// page. This prevents anyone who finds an open browser from creating a permanent token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
}

/// A new token.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeToken {
    /// The token's entry in lists, which does not contain the token itself.
    pub info: TokenInfo,
    /// The token itself, which is sent only once.
    pub token: Secret,
}

/// A token's entry in its owner's list. It does not contain the token itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenInfo {
    /// The token's id. The owner can use the id to revoke the token.
    pub id: String,
    /// The name that the owner gave the token.
    pub name: String,
    /// The permissions of the token.
    pub scope: Scope,
    /// The time at which the token was created, in milliseconds since 1970.
    pub created: u64,
    /// True if the client used this token for the request.
    #[serde(default)]
    pub current: bool,
}

/// A player's tokens, oldest first. `GET /api/tokens`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenList {
    /// The tokens.
    pub tokens: Vec<TokenInfo>,
}

/// The player who makes the request, with their token. `GET /api/me`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Me {
    /// The player.
    pub player: Player,
    /// The token that was used for the request.
    pub token: TokenInfo,
    /// The player's recent departures from games, and the wait that follows from them.
    pub conduct: Conduct,
}

/// The players whom this player has blocked. `GET /api/blocks`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlockList {
    /// The players.
    pub players: Vec<Player>,
}

/// What the operators have decided about a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportState {
    /// The operators have not decided yet.
    #[default]
    Open,
    /// The operators have taken measures.
    Acted,
    /// The operators saw no reason to act.
    Nothing,
}

impl ReportState {
    /// Returns the name that messages and commands use.
    pub fn name(self) -> &'static str {
        match self {
            ReportState::Open => "open",
            ReportState::Acted => "acted",
            ReportState::Nothing => "nothing",
        }
    }
}

/// A report that the player has sent to the operators.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnReport {
    /// The game.
    pub game: GameId,
    /// The time of the report, in milliseconds since 1970.
    pub at: u64,
    /// The reported player.
    pub reported: Player,
    /// The reason that the player gave.
    pub reason: String,
    /// What the operators have decided.
    pub state: ReportState,
}

/// The latest reports of the player, at most 50, latest first. Reports are deleted after 180 days.
/// `GET /api/me/reports`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnReports {
    /// The reports.
    pub reports: Vec<OwnReport>,
}

/// A player's recent departures from games, and the wait that follows from them. Players who
/// leave games or do not deploy must wait before they can be paired. The wait becomes longer each
/// time. Only the player can see these values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Conduct {
    /// The number of times within a day that the player left a game or did not deploy.
    pub left_games: u32,
    /// The number of seconds until the player can be paired and play rated games again.
    pub wait_s: u64,
}

/// The public profile of a player. `GET /api/players/NAME`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Profile {
    /// The player.
    pub player: Player,
    /// The time at which the player was created, in milliseconds since 1970.
    pub created: u64,
    /// The player's current ratings.
    #[serde(default)]
    pub ratings: Vec<RatingInfo>,
}

/// How the monthly dumps of public games show a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DumpListing {
    /// Dumps contain the player's id and name.
    Name,
    /// Dumps contain a pseudonym that changes each year.
    #[default]
    Pseudonym,
    /// Dumps leave out the player's games.
    None,
}

impl DumpListing {
    /// Returns the name that messages and commands use.
    pub fn name(self) -> &'static str {
        match self {
            DumpListing::Name => "name",
            DumpListing::Pseudonym => "pseudonym",
            DumpListing::None => "none",
        }
    }
}

/// How the monthly dumps show the caller. This is the answer from `GET /api/me/dump` and the body
/// of `PUT /api/me/dump`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DumpSetting {
    /// The player's choice.
    pub dump: DumpListing,
}

/// Everything that the server stores about a player, except secrets. `GET /api/account`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AccountExport {
    /// The player.
    pub player: Player,
    /// The time at which the player was created, in milliseconds since 1970.
    pub created: u64,
    /// True if the player has a password. Guests have none.
    pub has_password: bool,
    /// The tokens.
    pub tokens: Vec<TokenInfo>,
    /// The running games.
    pub games: Vec<GameId>,
    /// The current ratings.
    #[serde(default)]
    pub ratings: Vec<RatingInfo>,
    /// The player's finished games, latest first, at most 1,000. `GET /api/players/NAME/games`
    /// returns the rest, page by page.
    #[serde(default)]
    pub played: Vec<PlayedGame>,
    /// The player's private statistics.
    #[serde(default)]
    pub statistics: Statistics,
    /// The player's saved deployments.
    #[serde(default)]
    pub deployments: Vec<SavedDeployment>,
    /// The player's preferences, which clients keep on the server.
    #[serde(default)]
    pub preferences: BTreeMap<String, String>,
    /// The player's webhook, without its secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookInfo>,
    /// The browsers that are notified of the player's turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub push: Vec<PushInfo>,
    /// The address to which the server sends e-mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<EmailInfo>,
    /// True if the player has a feed. The feed's address is secret and not included.
    #[serde(default)]
    pub has_feed: bool,
    /// The challenges that other players have addressed to this player.
    #[serde(default)]
    pub challenges: Vec<Invitation>,
    /// The players whom this player has blocked.
    #[serde(default)]
    pub blocks: Vec<Player>,
    /// The player's latest reports to the operators, at most 50, latest first.
    #[serde(default)]
    pub reports: Vec<OwnReport>,
    /// The moves that the player has queued in running correspondence games.
    #[serde(default)]
    pub queues: Vec<MoveQueue>,
    /// The player's recent departures from games, and the wait that follows from them.
    #[serde(default)]
    pub conduct: Conduct,
    /// How the monthly dumps show the player.
    #[serde(default)]
    pub dump: DumpListing,
}
