//! Notices of a player's turns: webhooks and feeds.

use flagfall_board::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// Sets the address that receives notices of the player's turns. `PUT /api/me/webhook`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// An `https` address of at most 500 characters, without user and password.
    pub url: String,
}

/// A webhook that was just set, with the secret that signs its notices.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookSet {
    /// The address.
    pub url: String,
    /// The Standard Webhooks secret, `whsec_` and Base64, which is sent only once. The same text is
    /// the key of the older header `Flagfall-Signature`.
    pub secret: Secret,
}

/// A webhook as its owner sees it. `GET /api/me/webhook`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookInfo {
    /// The address.
    pub url: String,
    /// When it was set, in milliseconds since 1970.
    pub created: u64,
    /// True while the server sends notices. After several failures in a row, it stops until the
    /// webhook is set again.
    pub active: bool,
    /// How many notices in a row could not be delivered.
    pub lost: u32,
    /// How many notices wait to be delivered.
    pub waiting: u32,
    /// The result of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<WebhookAttempt>,
}

/// An attempt to deliver a notice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookAttempt {
    /// When the server made the attempt, in milliseconds since 1970.
    pub at: u64,
    /// True if the answer's status was in the 200s.
    pub delivered: bool,
    /// The result, for people.
    pub result: String,
}

/// A notice that is sent to a webhook as a POST. It contains no secrets. The same notice may
/// arrive twice, with the same id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// The notice's id, the same for every attempt.
    pub id: String,
    /// What the notice is about.
    pub kind: NoticeKind,
    /// The game. Absent in a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The ruleset's id. Absent in a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// Turns taken so far. Absent in a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u16>,
    /// When the player's time runs out, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
}

/// What a notice is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// It is the player's turn, or they have to deploy.
    YourTurn,
    /// A test of the webhook.
    Test,
}

/// A player's new feed. `POST /api/me/feed`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeFeed {
    /// The feed's path on this server, which is sent only once. Anyone who has it can read the
    /// feed.
    pub path: Secret,
}

/// A feed in the format JSON Feed 1.1. `GET /api/feeds/SECRET`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Feed {
    /// The address of the format's version.
    pub version: String,
    /// The feed's name in a reader.
    pub title: String,
    /// The games in which it is the player's turn, then the games that ended last.
    pub items: Vec<FeedItem>,
}

/// An entry of a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FeedItem {
    /// The entry's id. It changes only if the meaning of the entry changes.
    pub id: String,
    /// The entry in one line.
    pub title: String,
    /// The entry in a few more words.
    pub content_text: String,
    /// The time of what the entry reports, if known, in RFC 3339 format and UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_published: Option<String>,
}
