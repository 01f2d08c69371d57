use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A secret: a token, a password or a recovery code.
///
/// `Debug` hides the text, and there is no `Display`. Code that needs the text must call
/// `expose`.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps the text of a secret.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// Returns the secret text. Callers must show it only to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerToClient;

    #[test]
    fn a_secret_shows_in_json_alone() {
        let secret = Secret::new("k33p");
        assert_eq!(format!("{secret:?}"), "Secret(hidden)");
        assert_eq!(serde_json::to_string(&secret).ok().as_deref(), Some("\"k33p\""));
        let welcome = r#"{"type":"welcome","protocol":1,"server":"s","player":{"id":"1","name":"a","kind":"bot"},"token":"k33p","server_time":1,"games":[]}"#;
        let welcome: ServerToClient = serde_json::from_str(welcome).unwrap_or_else(|error| panic!("{error}"));
        assert!(!format!("{welcome:?}").contains("k33p"));
    }
}
