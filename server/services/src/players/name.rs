//! Player names.

use flagfall_protocol::{Code, Refusal};

const NAME_LEN_MIN: usize = 2;
pub(super) const NAME_LEN_MAX: usize = 20;
pub(super) const TOKEN_NAME_LEN_MAX: usize = 40;

/// The names that no player gets, because they suggest an official role. The names of house
/// players are reserved as well.
const RESERVED: &[&str] = &[
    "admin",
    "administrator",
    "deleted",
    "flagfall",
    "house",
    "moderator",
    "operator",
    "server",
    "system",
    "umpire",
];

/// A player's name: 2 to 20 letters of the English alphabet, digits, `-` and `_`, starting with a
/// letter or digit.
///
/// Names that differ only in case are the same name to the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name(String);

impl Name {
    pub(super) fn new(text: &str) -> Result<Name, Refusal> {
        let bad = |reason| Refusal::new(Code::BAD_NAME).because(reason);
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !text.bytes().all(is_allowed) || text.starts_with(['-', '_']) {
            return Err(bad("characters"));
        }
        if !(NAME_LEN_MIN..=NAME_LEN_MAX).contains(&text.len()) {
            return Err(bad("length").with("min", NAME_LEN_MIN).with("max", NAME_LEN_MAX));
        }
        Ok(Name(text.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the form in which names are compared.
    pub(super) fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    pub(super) fn is_reserved(&self) -> bool {
        let folded = self.folded();
        RESERVED.contains(&folded.as_str()) || flagfall_bots::Level::from_name(&folded).is_some()
    }

    /// Returns this name with a number at the end, for a guest whose name is taken.
    pub(super) fn numbered(&self, number: u32) -> Name {
        let number = format!("-{number}");
        let base: String = self.0.chars().take(NAME_LEN_MAX.saturating_sub(number.len())).collect();
        Name(base + &number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_hyphens_and_underscores_make_a_name() {
        for text in ["Al", "ana", "Ana-Maria_7", "7of9", "abcdefghijklmnopqrst"] {
            assert_eq!(Name::new(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn invalid_names_say_what_is_wrong() {
        for text in ["", "a", "abcdefghijklmnopqrstu"] {
            assert_eq!(Name::new(text).unwrap_err().reason(), Some("length"), "{text:?}");
        }
        for text in ["a b", "änne", "-ana", "_ana", "a\n", "a\u{202e}b", "ana!", "а-cyrillic"] {
            assert_eq!(Name::new(text).unwrap_err().reason(), Some("characters"), "{text:?}");
        }
    }

    #[test]
    fn names_that_differ_in_case_are_one() {
        assert_eq!(Name::new("AnA").unwrap().folded(), Name::new("aNa").unwrap().folded());
        assert!(Name::new("Admin").unwrap().is_reserved());
        assert!(Name::new("RANDOM").unwrap().is_reserved());
    }

    #[test]
    fn a_numbered_name_is_a_name() {
        for text in ["al", "abcdefghijklmnopqrst"] {
            let numbered = Name::new(text).unwrap().numbered(9_999);
            assert_eq!(Name::new(numbered.as_str()), Ok(numbered.clone()));
            assert!(numbered.as_str().starts_with(&text[..2]));
        }
    }
}
