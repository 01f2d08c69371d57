//! Notices of turns by e-mail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maximum number of characters of an e-mail address.
pub const EMAIL_LEN_MAX: usize = 254;

/// Sets the address to which the server sends e-mail when it is the player's turn. `PUT
/// /api/me/email`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEmail {
    /// An address of at most 254 ASCII characters, such as `ann@example.org`.
    pub address: String,
    /// The language of the mails.
    #[serde(default)]
    pub language: MailLanguage,
}

/// The language of mails.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MailLanguage {
    /// English.
    #[default]
    En,
    /// Russian.
    Ru,
}

/// The player's e-mail address, if the player has set one. `GET /api/me/email`.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EmailSetting {
    /// The address. Absent if none is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<EmailInfo>,
}

/// The address to which the server sends e-mail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EmailInfo {
    /// The address.
    pub address: String,
    /// The language of the mails.
    pub language: MailLanguage,
    /// Whether the server sends mail to the address.
    pub state: EmailState,
    /// The time at which the address was set, in milliseconds since 1970.
    pub created: u64,
}

/// Whether the server sends mail to an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmailState {
    /// The address gets no notices, because it has not been confirmed yet.
    Pending,
    /// The address is confirmed and gets notices.
    Active,
    /// The address gets no notices, because its mail server refused a mail permanently.
    Suspended,
}
