//! Being told of one's turns: webhooks and feeds.

use flagfall_board::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// Where the server is to tell of the asker's turns. `PUT /api/me/webhook`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// An `https` address, at most 500 characters, without user and password.
    pub url: String,
}

/// A webhook as it was set. The secret signs what is sent, and is told this once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookSet {
    /// The address.
    pub url: String,
    /// The secret of Standard Webhooks, `whsec_` and Base64. As the text it is, it is also the key of the older header
    /// `Flagfall-Signature`.
    pub secret: Secret,
}

/// A webhook as its owner sees it. `GET /api/me/webhook`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookInfo {
    /// The address.
    pub url: String,
    /// When it was set, in milliseconds since 1970.
    pub created: u64,
    /// Whether it is used: after several notices in a row that could not be delivered it is not, until it is set again.
    pub active: bool,
    /// Notices in a row that could not be delivered.
    pub lost: u32,
    /// Notices that wait to be delivered.
    pub waiting: u32,
    /// What came of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<WebhookAttempt>,
}

/// An attempt at a delivery.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WebhookAttempt {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Whether it was taken: answered with a status of the 200s.
    pub delivered: bool,
    /// What came of it, for a person.
    pub result: String,
}

/// What a webhook is sent, as a POST. Nothing in it is secret. The same notice may come twice, with the same id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// The same for every attempt at this notice.
    pub id: String,
    /// What it is about.
    pub kind: NoticeKind,
    /// The game; none in a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The ruleset's id; none in a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// Turns taken; none in a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u16>,
    /// Until when the player has time, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
}

/// What a notice is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// It is the player's turn, or he is to deploy.
    YourTurn,
    /// Somebody tries whether the webhook works.
    Test,
}

/// The path of a player's feed, which holds its secret. `POST /api/me/feed`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MadeFeed {
    /// On this server: whoever has it may read the feed. Told this once.
    pub path: Secret,
}

/// A feed in the format JSON Feed 1.1. `GET /api/feeds/SECRET`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Feed {
    /// The format.
    pub version: String,
    /// What a reader calls it.
    pub title: String,
    /// The games in which it is the player's turn, then those that ended last.
    pub items: Vec<FeedItem>,
}

/// An entry of a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FeedItem {
    /// The same as long as the entry means the same.
    pub id: String,
    /// In one line.
    pub title: String,
    /// A little more.
    pub content_text: String,
    /// When it became so, where that is known: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_published: Option<String>,
}
