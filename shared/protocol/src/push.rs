//! Web Push: notifies players of their turns even while the page is closed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// The key that a browser needs to subscribe. `GET /api/push`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PushKey {
    /// The server's public key (`applicationServerKey`), as Base64url without padding.
    pub key: String,
}

/// Makes the server notify a browser of the player's turns. The values come from the browser's
/// `PushSubscription`. `POST /api/push`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPush {
    /// The `https` address of the browser's push service, at most 500 characters.
    pub endpoint: String,
    /// The browser's public key, as Base64url without padding.
    pub p256dh: Secret,
    /// The browser's authentication secret, as Base64url without padding.
    pub auth: Secret,
}

/// Stops notifying a browser. `DELETE /api/push`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovePush {
    /// The address that was given to `POST /api/push`.
    pub endpoint: String,
}

/// A browser that is notified of the player's turns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PushInfo {
    /// The host of the browser's push service.
    pub service: String,
    /// The time at which the browser subscribed, in milliseconds since 1970.
    pub created: u64,
}
