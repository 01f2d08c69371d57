//! Adds advice to refusals, because the server's sentences do not mention a client's commands.

use flagfall_protocol::{Code, PlayerKind};

use crate::{text, words};

/// Returns the server's sentence, followed by advice on what the player can type, if there is
/// any.
///
/// `kind` is the player's kind, if it is known.
pub fn advised(code: &str, sentence: String, kind: Option<PlayerKind>) -> String {
    let advice = match code {
        Code::ACCOUNT_EXPECTED => text!("advice-signup"),
        Code::NOT_RATED | Code::BAD_RATING_RANGE | Code::OUTSIDE_RATING_RANGE
            if kind == Some(PlayerKind::Guest) =>
        {
            text!("advice-signup")
        }
        Code::NO_SUCH_WEBHOOK => text!("advice-webhook"),
        _ => return sentence,
    };
    format!("{} {advice}", words::sentence(&sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_get_advice_to_sign_up_when_an_account_is_needed() {
        let advised = |code, kind| advised(code, "Refused.".to_owned(), kind);
        assert!(advised(Code::ACCOUNT_EXPECTED, None).contains("flagfall signup NAME"));
        assert!(advised(Code::NOT_RATED, Some(PlayerKind::Guest)).contains("flagfall signup NAME"));
        assert_eq!(advised(Code::NOT_RATED, Some(PlayerKind::Account)), "Refused.");
        assert_eq!(advised(Code::BAD_TOKEN, Some(PlayerKind::Guest)), "Refused.");
    }
}
