//! Tokens, and the identities that they prove.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use flagfall_protocol::{HexBytes, Player, Scope, Secret};
use sha2::{Digest, Sha256};

use crate::random::{ChanceError, random_bytes};

/// A secret that identifies a player: 256 bits, written as 64 hexadecimal digits. The server
/// keeps only its SHA-256.
///
/// Tokens of accounts are random; tokens of guests describe the guest (`guest.rs`). `Debug` does
/// not show a token. Hashes of tokens need not be compared in constant time, because the timing
/// only reveals information about hashes, and an attacker cannot choose the hash of a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a token has 64 hexadecimal digits")]
pub struct TokenError;

impl Token {
    pub fn random() -> Result<Token, ChanceError> {
        random_bytes().map(Token)
    }

    pub fn from_bytes(bytes: [u8; 32]) -> Token {
        Token(bytes)
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the text of the token. It must be sent to the owner only once, and must not be
    /// written anywhere.
    pub fn expose(&self) -> String {
        HexBytes(self.0).to_string()
    }

    pub fn to_secret(&self) -> Secret {
        Secret::new(self.expose())
    }

    /// Returns the hash of the token as text, as it is written in the store.
    pub fn hash(&self) -> String {
        self.digest().as_text()
    }

    pub fn digest(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0).into())
    }
}

/// The SHA-256 of a token. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    pub fn as_text(&self) -> String {
        HexBytes(self.0).to_string()
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(hidden)")
    }
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Token, TokenError> {
        text.parse().map(|HexBytes(bytes)| Token(bytes)).map_err(|_| TokenError)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// The player who sent a request or opened a connection, identified by their token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Principal {
    pub player: Player,
    /// The id of the token, which is not secret.
    pub token_id: String,
    pub scope: Scope,
    /// The data needed to store the guest. `None` if the token does not describe a guest.
    pub pass: Option<Arc<GuestPass>>,
}

/// The data needed to store the guest later. `Debug` does not show the hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuestPass {
    pub token_id: String,
    pub hash: TokenHash,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_from_their_text_and_hide_in_debug() {
        let token = Token::random().unwrap();
        assert_eq!(token.expose().parse(), Ok(token.clone()));
        assert_eq!(format!("{token:?}, {:?}", token.digest()), "Token(hidden), TokenHash(hidden)");
        assert_ne!(token.hash(), token.expose());
        assert_ne!(Token::random().unwrap(), token);
    }

    #[test]
    fn other_texts_are_no_tokens() {
        for text in ["", "abc", &"g".repeat(64), &"0".repeat(63), &"0".repeat(65), &"é".repeat(32)] {
            assert_eq!(text.parse::<Token>(), Err(TokenError));
        }
    }
}
