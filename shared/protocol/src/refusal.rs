//! Refusals, each with a code and the arguments of its text.

use std::collections::BTreeMap;
use std::fmt;

use flagfall_rules::{NoSuchRuleset, SetupRefusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Code;

/// A refusal, which says why a request or command was refused.
///
/// A refusal contains no text for people. The code selects a text in `shared/words`, and the
/// arguments are inserted into this text. If a code covers several reasons, the argument `reason`
/// names the one that applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The stable code.
    pub code: Code,
    /// The values to insert into the refusal's text.
    pub args: RefusalArgs,
}

/// The values to insert into a refusal's text, by name. docs/protocol/messages.md lists them.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RefusalArgs(BTreeMap<String, RefusalArg>);

/// A value to insert into a refusal's text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RefusalArg {
    /// A number, such as a count, a limit or a time in seconds.
    Number(u64),
    /// A name, or a key such as a reason.
    Text(String),
}

impl Refusal {
    /// Creates a refusal without arguments.
    pub fn new(code: impl Into<String>) -> Refusal {
        Refusal { code: Code::new(code), args: RefusalArgs::default() }
    }

    /// Adds the argument `reason`, which codes with several reasons need.
    #[must_use]
    pub fn because(self, reason: &str) -> Refusal {
        self.with("reason", reason)
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<RefusalArg>) -> Refusal {
        self.args.0.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the argument `reason`, if it is present.
    pub fn reason(&self) -> Option<&str> {
        match self.args.get("reason") {
            Some(RefusalArg::Text(reason)) => Some(reason),
            _ => None,
        }
    }
}

/// Writes the code and the arguments for logs and error messages.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        for (index, (name, value)) in self.args.0.iter().enumerate() {
            let before = if index == 0 { " (" } else { " " };
            write!(f, "{before}{name}=")?;
            match value {
                RefusalArg::Number(number) => write!(f, "{number}")?,
                RefusalArg::Text(text) => write!(f, "{text}")?,
            }
        }
        if self.args.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

impl RefusalArgs {
    /// True if there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the argument with this name.
    pub fn get(&self, name: &str) -> Option<&RefusalArg> {
        self.0.get(name)
    }

    /// Returns the arguments, converted to the value type of a localization library.
    pub fn values<V: From<u64> + From<String>>(&self) -> impl Iterator<Item = (&str, V)> {
        self.0.iter().map(|(name, value)| {
            let value = match value {
                RefusalArg::Number(number) => V::from(*number),
                RefusalArg::Text(text) => V::from(text.clone()),
            };
            (name.as_str(), value)
        })
    }
}

impl From<&str> for RefusalArg {
    fn from(text: &str) -> RefusalArg {
        RefusalArg::Text(text.to_owned())
    }
}

impl From<String> for RefusalArg {
    fn from(text: String) -> RefusalArg {
        RefusalArg::Text(text)
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {
        $(impl From<$type> for RefusalArg {
            fn from(number: $type) -> RefusalArg {
                RefusalArg::Number(u64::try_from(number).unwrap_or(u64::MAX))
            }
        })*
    };
}

numbers!(u8, u16, u32, u64, usize);

impl From<&flagfall_rules::Refusal> for Refusal {
    fn from(refusal: &flagfall_rules::Refusal) -> Refusal {
        let coded = Refusal::new(refusal.code());
        match refusal {
            flagfall_rules::Refusal::Setup(setup) => Refusal::from(setup),
            flagfall_rules::Refusal::StalePly { named, current } => {
                coded.because("command").with("named", *named).with("current", *current)
            }
            flagfall_rules::Refusal::DrawOfferedRecently { plies_left } => coded.with("plies", *plies_left),
            flagfall_rules::Refusal::ClaimTooEarly { seconds_left } => coded.with("seconds", *seconds_left),
            flagfall_rules::Refusal::Blocked => coded.because("move"),
            flagfall_rules::Refusal::NotInPool => coded.because("piece"),
            _ => coded,
        }
    }
}

impl From<&SetupRefusal> for Refusal {
    fn from(refusal: &SetupRefusal) -> Refusal {
        let coded = Refusal::new(refusal.code());
        match *refusal {
            SetupRefusal::TooShort { have, want } | SetupRefusal::TooLong { have, want } => {
                coded.with("have", have).with("want", want)
            }
            SetupRefusal::UnknownLetter { letter } => coded.with("letter", letter.to_string()),
            SetupRefusal::Outside { square }
            | SetupRefusal::Double { square }
            | SetupRefusal::Empty { square } => coded.with("square", square.to_string()),
            SetupRefusal::WrongCount { rank, have, want } => {
                coded.with("rank", rank.name()).with("have", have).with("want", want)
            }
            SetupRefusal::TooMany { rank, have, most } => {
                coded.with("rank", rank.name()).with("have", have).with("most", most)
            }
        }
    }
}

impl From<&NoSuchRuleset> for Refusal {
    fn from(error: &NoSuchRuleset) -> Refusal {
        let coded = Refusal::new(error.code());
        let known = || error.known().join(", ");
        match error {
            NoSuchRuleset::NotAnOption => coded.because("form"),
            NoSuchRuleset::NoSuchOption { base } => {
                coded.because("no_such_option").with("base", *base).with("known", known())
            }
            NoSuchRuleset::Fixed { base, option } => coded
                .because("fixed")
                .with("base", *base)
                .with("option", option.name())
                .with("known", known()),
            NoSuchRuleset::NoSuchValue { option } => {
                coded.because("no_such_value").with("option", option.name()).with("known", known())
            }
            NoSuchRuleset::Twice { option } => coded.because("twice").with("option", option.name()),
            // This arm covers `Unknown` and any variant that a later version of the rules engine
            // adds.
            _ => coded.because("known").with("known", known()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_shows_its_code_and_arguments() {
        let full = Refusal::new(Code::TOO_MANY).because("games").with("count", 20_u64);
        assert_eq!(full.to_string(), "too_many (count=20 reason=games)");
        assert_eq!(Refusal::new(Code::BAD_TOKEN).to_string(), "bad_token");
        assert_eq!(full.reason(), Some("games"));
    }

    #[test]
    fn arguments_are_numbers_and_texts_in_json() {
        let full = Refusal::new(Code::TOO_MANY).because("games").with("count", 20_u64);
        let json = serde_json::to_string(&full.args).unwrap();
        assert_eq!(json, r#"{"count":20,"reason":"games"}"#);
        assert_eq!(serde_json::from_str::<RefusalArgs>(&json).unwrap(), full.args);
    }
}
