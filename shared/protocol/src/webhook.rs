//! Webhooks and feeds, which notify a player of their turns.

use flagfall_board::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// Sets the address to which the server sends notices of the player's turns. `PUT
/// /api/me/webhook`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// An `https` address of at most 500 characters, without a user name or password.
    pub url: String,
}

/// A webhook that was just set, and the secret that the server uses to sign its notices.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookSet {
    /// The address.
    pub url: String,
    /// The secret in the format of Standard Webhooks: `whsec_`, then Base64. It is sent only
    /// once. The same text is the key for the older header `Flagfall-Signature`.
    pub secret: Secret,
}

/// A webhook, with the facts that its owner may see. `GET /api/me/webhook`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookInfo {
    /// The address.
    pub url: String,
    /// The time at which the webhook was set, in milliseconds since 1970.
    pub created: u64,
    /// True if the server sends notices. After several failures in a row, the server stops
    /// sending them until the player sets the webhook again.
    pub active: bool,
    /// The number of consecutive notices that could not be delivered.
    pub lost: u32,
    /// The number of notices that have not been delivered yet.
    pub waiting: u32,
    /// The last attempt to deliver a notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<WebhookAttempt>,
}

/// An attempt to deliver a notice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookAttempt {
    /// The time of the attempt, in milliseconds since 1970.
    pub at: u64,
    /// True if the receiver answered with a status from 200 to 299.
    pub delivered: bool,
    /// The result of the attempt, for people.
    pub result: String,
}

/// A notice that the server sends to a webhook as a POST request. It contains no secrets. The
/// same notice may arrive twice, with the same id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// The notice's id, which is the same for every attempt.
    pub id: String,
    /// The subject of the notice.
    pub kind: NoticeKind,
    /// The game. Absent in a test notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The ruleset's id. Absent in a test notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// The number of turns taken so far. Absent in a test notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u16>,
    /// The player's deadline, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
}

/// The subject of a notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// It is the player's turn, or they have to deploy.
    YourTurn,
    /// The player has asked for a test of the webhook.
    Test,
}

/// A player's new feed. `POST /api/me/feed`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeFeed {
    /// The feed's path on this server, which is sent only once. Anyone who has the path can read
    /// the feed.
    pub path: Secret,
}

/// A feed in JSON Feed 1.1 format. `GET /api/feeds/SECRET`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Feed {
    /// The URL that identifies the version of JSON Feed.
    pub version: String,
    /// The feed's title, which feed readers show.
    pub title: String,
    /// The games in which it is the player's turn, followed by the player's latest finished
    /// games.
    pub items: Vec<FeedItem>,
}

/// An entry of a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FeedItem {
    /// The entry's id. It changes only when the meaning of the entry changes.
    pub id: String,
    /// A one-line summary of the entry.
    pub title: String,
    /// A more detailed description of the entry.
    pub content_text: String,
    /// The time of the reported event, if known, in UTC and RFC 3339 format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_published: Option<String>,
}
