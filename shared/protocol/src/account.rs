//! Requests and answers of `/api` about players and their credentials.

use flagfall_board::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::deployment::SavedDeployment;
use crate::history::{PlayedGame, Statistics};
use crate::invitation::Invitation;
use crate::player::Player;
use crate::queue::MoveQueue;
use crate::rating::RatingInfo;
use crate::secret::Secret;
use crate::webhook::WebhookInfo;

/// The fewest characters of a password.
pub const PASSWORD_LEN_MIN: usize = 8;
/// The most characters of a password.
pub const PASSWORD_LEN_MAX: usize = 256;

flagfall_board::named! {
    /// What a token may do.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Scope, name {
        /// Everything that its player may do: play, and manage tokens and the account.
        #[default]
        Play = "play",
        /// Only play, as a bot account.
        Bot = "bot",
    }
}

/// Makes an account: of the guest whose token comes with the request, or a new one. `POST
/// /api/account`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignUp {
    /// The account's name: 2 to 20 letters, digits, `-` and `_`. Names that differ only in case are
    /// the same.
    pub name: String,
    /// The password: 8 to 256 characters.
    pub password: Secret,
    /// True if a program plays the account. This never changes, and everyone can see it.
    #[serde(default)]
    pub bot: bool,
}

/// A new account. Store the recovery code: it replaces a lost password.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SignedUp {
    /// The player.
    pub player: Player,
    /// A token. Absent if a guest signed up: their token stays valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    /// The recovery code, which is sent only once.
    pub recovery_code: Secret,
}

/// Logs in with a name and its password. `POST /api/login`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The account's name.
    pub name: String,
    /// The account's password.
    pub password: Secret,
    /// A name for the new token in the list of tokens, at most 40 characters.
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

/// Begins the session of a page in a browser. `POST /api/session`.
///
/// With `name` and `password` the player logs in. Without a password the player is the one whose
/// session the browser has, or else a new guest.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    /// The account's name, or the name that a new guest would like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The account's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// True to make the account: of the guest whose session the browser has, or a new one.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub sign_up: bool,
}

/// The player of a session. The token is in the cookie that came with the answer, where no script
/// can read it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// The player.
    pub player: Player,
    /// The recovery code of a new account, which is sent only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_code: Option<Secret>,
}

/// Replaces a lost password with the recovery code. `POST /api/recover`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recover {
    /// The account's name.
    pub name: String,
    /// The code from sign-up or from the last recovery.
    pub recovery_code: Secret,
    /// The new password: 8 to 256 characters.
    pub password: Secret,
}

/// The account after a recovery. All earlier tokens are revoked, and the recovery code that was
/// used is void.
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
    /// The new password: 8 to 256 characters.
    pub new_password: Secret,
}

/// Confirms an action with the password. `DELETE /api/account`, `POST /api/account/recovery_code`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// The account's password.
    pub password: Secret,
}

/// A new recovery code. The previous one is void.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NewRecoveryCode {
    /// The code, which is sent only once.
    pub recovery_code: Secret,
}

/// Makes another token. `POST /api/tokens`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// The token's name, at most 40 characters.
    pub name: String,
    /// What the token may do. Only bot accounts can have `bot`.
    #[serde(default)]
    pub scope: Scope,
}

/// A new token.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeToken {
    /// The token as lists show it.
    pub info: TokenInfo,
    /// The token itself, which is sent only once.
    pub token: Secret,
}

/// A token as its owner sees it in lists, without the token itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenInfo {
    /// The id with which it can be revoked.
    pub id: String,
    /// The name that its owner gave it.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// True for the token of this request.
    #[serde(default)]
    pub current: bool,
}

/// A player's tokens, oldest first. `GET /api/tokens`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenList {
    /// The tokens.
    pub tokens: Vec<TokenInfo>,
}

/// The player who makes the request. `GET /api/me`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Me {
    /// The player.
    pub player: Player,
    /// The token of the request.
    pub token: TokenInfo,
    /// What follows from games that the player left.
    pub conduct: Conduct,
}

/// The players that this player has blocked. `GET /api/blocks`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlockList {
    /// The players.
    pub players: Vec<Player>,
}

/// What follows from leaving games. Players who leave games, or do not deploy, wait longer and
/// longer for the next opponent. Only the player can see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Conduct {
    /// How many games they left, or did not deploy in, within a day.
    pub left_games: u32,
    /// Seconds until they can be paired, and play rated games, again.
    pub wait_s: u64,
}

/// What anyone may know of a player. `GET /api/players/NAME`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Profile {
    /// The player.
    pub player: Player,
    /// When they first came, in milliseconds since 1970.
    pub created: u64,
    /// Their current ratings.
    #[serde(default)]
    pub ratings: Vec<RatingInfo>,
}

/// Everything that the server keeps of an account, without its secrets. `GET /api/account`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AccountExport {
    /// The player.
    pub player: Player,
    /// When they first came, in milliseconds since 1970.
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
    /// The games that have ended, latest first, at most 1,000. `GET /api/players/NAME/games` has
    /// the rest, page by page.
    #[serde(default)]
    pub played: Vec<PlayedGame>,
    /// The player's own statistics.
    #[serde(default)]
    pub statistics: Statistics,
    /// The deployments that they keep.
    #[serde(default)]
    pub deployments: Vec<SavedDeployment>,
    /// Their webhook, without its secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookInfo>,
    /// True if they have a feed. Its address is not shown.
    #[serde(default)]
    pub has_feed: bool,
    /// The challenges that wait for their answer.
    #[serde(default)]
    pub challenges: Vec<Invitation>,
    /// The players that they have blocked.
    #[serde(default)]
    pub blocks: Vec<Player>,
    /// The moves that they have queued in running games.
    #[serde(default)]
    pub queues: Vec<MoveQueue>,
    /// What follows from games that they left.
    #[serde(default)]
    pub conduct: Conduct,
}
