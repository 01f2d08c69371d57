//! Chat messages between players.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthChar as _;

/// A chat message from a player to the opponent.
///
/// `Debug` hides the text, so that logs never contain it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    /// A standard phrase, which every client can translate.
    Phrase {
        /// The phrase.
        phrase: Phrase,
    },
    /// Text that the player wrote.
    Text {
        /// The text, which has 1 to 200 printable characters.
        text: String,
    },
}

impl Said {
    /// The maximum number of characters in text that a player writes.
    pub const TEXT_LEN_MAX: usize = 200;

    /// True if the server accepts the message. Text must be printable and must not be too long.
    pub fn is_fit(&self) -> bool {
        match self {
            Said::Phrase { phrase: _ } => true,
            Said::Text { text } => is_printable(text, Said::TEXT_LEN_MAX),
        }
    }
}

/// The maximum number of combining marks on one character. No language needs more, and longer
/// stacks of marks could cover the line above.
const MARKS_MAX: usize = 3;

/// True if `text` has 1 to `len_max` characters, is not blank, and is safe to print. Control
/// characters, characters that change the writing direction, invisible characters and stacks of
/// combining marks are not safe.
pub fn is_printable(text: &str, len_max: usize) -> bool {
    let steers = |letter: char| {
        letter.is_control()
            || matches!(
                letter,
                '\u{61c}'
                    | '\u{200b}'..='\u{200f}'
                    | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}'
                    | '\u{feff}'
                    | '\u{e0000}'..='\u{e007f}'
            )
    };
    !text.trim().is_empty()
        && text.chars().count() <= len_max
        && !text.chars().any(steers)
        && marks_in_a_row(text) <= MARKS_MAX
}

/// Returns the length of the longest sequence of combining marks, which have a width of zero.
fn marks_in_a_row(text: &str) -> usize {
    let (mut row, mut longest) = (0, 0);
    for letter in text.chars() {
        row = if letter.width() == Some(0) { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Phrase { phrase } => write!(f, "Phrase({phrase:?})"),
            Said::Text { text: _ } => f.write_str("Text(…)"),
        }
    }
}

flagfall_board::named! {
    /// A standard phrase, which every client can translate.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Phrase, name {
        /// Hello.
        Hello = "hello",
        /// Good luck, have fun.
        GoodLuck = "good_luck",
        /// Well played.
        WellPlayed = "well_played",
        /// Thank you.
        Thanks = "thanks",
        /// Sorry.
        Sorry = "sorry",
        /// I have to be away for a moment.
        AwayForAMoment = "away_for_a_moment",
        /// Good game.
        GoodGame = "good_game",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_named_as_in_messages() {
        for phrase in Phrase::ALL {
            assert_eq!(serde_json::to_value(phrase).unwrap(), phrase.name());
        }
    }

    #[test]
    fn a_text_that_steers_a_terminal_or_hides_others_is_not_said() {
        let text = |text: &str| Said::Text { text: text.to_owned() }.is_fit();
        for fit in [
            "hi",
            "schöner Zug!",
            "scho\u{308}ner Zug",
            "はい",
            "ที่นี่",
            "क्षत्रिय",
            "a\u{302}\u{301}\u{323}",
            "שָׁלוֹם",
            "❤\u{fe0f}",
            "a".repeat(200).as_str(),
            "1 < 2 & \"3\"",
        ] {
            assert!(text(fit), "{fit:?}");
        }
        for unfit in [
            "",
            "  ",
            "a\nb",
            "\u{1b}[2J",
            "\u{9b}1m",
            "a\u{202e}b",
            "a\u{200b}",
            "a\u{61c}b",
            "a\u{e0041}",
            "\u{e007f}",
            "a\u{300}\u{301}\u{302}\u{303}",
            "\u{7f}",
            "a".repeat(201).as_str(),
        ] {
            assert!(!text(unfit), "{unfit:?}");
        }
    }

    #[test]
    fn debug_shows_no_words() {
        assert_eq!(format!("{:?}", Said::Text { text: "a secret".to_owned() }), "Text(…)");
    }
}
