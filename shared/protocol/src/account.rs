//! What `/api` takes and answers about players and their credentials.

use flagfall_board::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::deployment::SavedDeployment;
use crate::history::{PlayedGame, Statistics};
use crate::invitation::Invitation;
use crate::queue::MoveQueue;
use crate::rating::RatingInfo;
use crate::secret::Secret;

/// Characters in the shortest password.
pub const PASSWORD_LEN_MIN: usize = 8;
/// Characters in the longest password.
pub const PASSWORD_LEN_MAX: usize = 256;
use crate::server_to_client::Player;
use crate::webhook::WebhookInfo;

/// What a token may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everything its player may: play, and manage tokens and account.
    #[default]
    Play,
    /// Play as a bot account, and nothing else.
    Bot,
}

impl Scope {
    /// Its name, as messages write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Play => "play",
            Scope::Bot => "bot",
        }
    }
}

/// Makes an account: of the guest whose token is sent along, or a new one. `POST /api/account`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignUp {
    /// What the account is called: 2 to 20 letters, digits, `-` and `_`; names that differ in case alone are one.
    pub name: String,
    /// 8 to 256 characters.
    pub password: Secret,
    /// Whether a program plays it. That never changes, and everybody sees it.
    #[serde(default)]
    pub bot: bool,
}

/// What an account is told once. The recovery code replaces a lost password.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SignedUp {
    /// Who it is.
    pub player: Player,
    /// A token, unless a guest signed up: his goes on to be good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    /// To be written down: it is not told again.
    pub recovery_code: Secret,
}

/// A name and its password. `POST /api/login`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The account's name.
    pub name: String,
    /// Its password.
    pub password: Secret,
    /// What the new token is to be called in the list of tokens; at most 40 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_name: Option<String>,
}

/// Who logged in, and the credential.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoggedIn {
    /// Who it is.
    pub player: Player,
    /// The credential, told once.
    pub token: Secret,
}

/// A lost password is replaced by the recovery code. `POST /api/recover`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recover {
    /// The account's name.
    pub name: String,
    /// The code told at sign-up, or by the last recovery.
    pub recovery_code: Secret,
    /// The new password: 8 to 256 characters.
    pub password: Secret,
}

/// The account after a recovery: all earlier tokens are revoked, and the code that was used is used up.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Recovered {
    /// Who it is.
    pub player: Player,
    /// The credential, told once.
    pub token: Secret,
    /// The next recovery code, told once.
    pub recovery_code: Secret,
}

/// Another password; all other tokens are revoked. `POST /api/account/password`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    /// The password so far.
    pub password: Secret,
    /// The one from now on: 8 to 256 characters.
    pub new_password: Secret,
}

/// The password, for what wants it again. `DELETE /api/account`, `POST /api/account/recovery_code`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// The account's password.
    pub password: Secret,
}

/// A new recovery code; the one before is void.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NewRecoveryCode {
    /// Told once.
    pub recovery_code: Secret,
}

/// Asks for one more token. `POST /api/tokens`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What it is to be called; at most 40 characters.
    pub name: String,
    /// What it may do; `bot` for bot accounts alone.
    #[serde(default)]
    pub scope: Scope,
}

/// A new token.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeToken {
    /// As it is listed.
    pub info: TokenInfo,
    /// The credential, told once.
    pub token: Secret,
}

/// A token as its owner sees it in a list: never the token itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenInfo {
    /// To revoke it by.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// Whether the request that asks came with it.
    #[serde(default)]
    pub current: bool,
}

/// The tokens of a player, oldest first. `GET /api/tokens`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenList {
    /// All of them.
    pub tokens: Vec<TokenInfo>,
}

/// Who asks. `GET /api/me`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Me {
    /// Who it is.
    pub player: Player,
    /// The token of the request.
    pub token: TokenInfo,
    /// What follows from games that were left.
    pub conduct: Conduct,
}

/// Whom the asker has blocked. `GET /api/blocks`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlockList {
    /// The players.
    pub players: Vec<Player>,
}

/// Who leaves games, or does not deploy, waits longer and longer for the next opponent. Told to the player alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Conduct {
    /// Games he left, or did not deploy in, within a day.
    pub left_games: u32,
    /// Seconds until he can be paired, and play for ratings, again.
    pub wait_s: u64,
}

/// What everybody may know of a player. `GET /api/players/NAME`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Profile {
    /// Who it is.
    pub player: Player,
    /// When he first came, in milliseconds since 1970.
    pub created: u64,
    /// His ratings now.
    #[serde(default)]
    pub ratings: Vec<RatingInfo>,
}

/// Everything the server keeps of an account, but for what is secret. `GET /api/account`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AccountExport {
    /// Who it is.
    pub player: Player,
    /// When he first came, in milliseconds since 1970.
    pub created: u64,
    /// Whether there is a password: a guest has none.
    pub has_password: bool,
    /// The tokens.
    pub tokens: Vec<TokenInfo>,
    /// The running games.
    pub games: Vec<GameId>,
    /// The ratings now.
    #[serde(default)]
    pub ratings: Vec<RatingInfo>,
    /// The games that are over, the latest first; of more than 1,000 the rest is read page by page (`GET /api/players/NAME/games`).
    #[serde(default)]
    pub played: Vec<PlayedGame>,
    /// The player's own figures.
    #[serde(default)]
    pub statistics: Statistics,
    /// The deployments he keeps.
    #[serde(default)]
    pub deployments: Vec<SavedDeployment>,
    /// His webhook; never its secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookInfo>,
    /// Whether there is a feed of his; never its address.
    #[serde(default)]
    pub has_feed: bool,
    /// The challenges that wait for his answer.
    #[serde(default)]
    pub challenges: Vec<Invitation>,
    /// The players he has blocked.
    #[serde(default)]
    pub blocks: Vec<Player>,
    /// What he has queued in running games.
    #[serde(default)]
    pub queues: Vec<MoveQueue>,
    /// What follows from games that he left.
    #[serde(default)]
    pub conduct: Conduct,
}
