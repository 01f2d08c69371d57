//! What players say to each other.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something a player says to the opponent. `Debug` does not show a text: logs are no business of theirs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    /// One of the phrases that every client knows, in whatever language.
    Phrase {
        /// Which.
        phrase: Phrase,
    },
    /// Own words.
    Text {
        /// 1 to 200 characters that can be printed.
        text: String,
    },
}

impl Said {
    /// Characters of a text.
    pub const TEXT_LEN_MAX: usize = 200;

    /// Whether it may be said: a text is neither empty nor too long, and has no characters that steer a terminal or hide others.
    #[must_use]
    pub fn is_fit(&self) -> bool {
        match self {
            Said::Phrase { phrase: _ } => true,
            Said::Text { text } => is_printable(text, Said::TEXT_LEN_MAX),
        }
    }
}

/// Whether a text has between one and so many characters, not all of them blanks, and none that steers a terminal or turns the direction of others.
#[must_use]
pub fn is_printable(text: &str, len_max: usize) -> bool {
    let steers = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    !text.trim().is_empty() && text.chars().count() <= len_max && !text.chars().any(steers)
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Phrase { phrase } => write!(f, "Phrase({phrase:?})"),
            Said::Text { text: _ } => f.write_str("Text(…)"),
        }
    }
}

/// What is said most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phrase {
    /// Hello.
    Hello,
    /// Good luck, have fun.
    GoodLuck,
    /// Well played.
    WellPlayed,
    /// Thank you.
    Thanks,
    /// Sorry.
    Sorry,
    /// I have to be away for a moment.
    AwayForAMoment,
    /// Good game.
    GoodGame,
}

impl Phrase {
    /// All of them, as clients number them from 1.
    pub const ALL: [Phrase; 7] = [
        Phrase::Hello,
        Phrase::GoodLuck,
        Phrase::WellPlayed,
        Phrase::Thanks,
        Phrase::Sorry,
        Phrase::AwayForAMoment,
        Phrase::GoodGame,
    ];

    /// In English.
    #[must_use]
    pub const fn english(self) -> &'static str {
        match self {
            Phrase::Hello => "Hello!",
            Phrase::GoodLuck => "Good luck, have fun!",
            Phrase::WellPlayed => "Well played!",
            Phrase::Thanks => "Thank you!",
            Phrase::Sorry => "Sorry!",
            Phrase::AwayForAMoment => "I have to be away for a moment.",
            Phrase::GoodGame => "Good game!",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_steers_a_terminal_or_hides_others_is_not_said() {
        let text = |text: &str| Said::Text { text: text.to_owned() }.is_fit();
        for fit in ["hi", "schöner Zug!", "はい", "a".repeat(200).as_str(), "1 < 2 & \"3\""] {
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
