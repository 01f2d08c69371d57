//! Texts for people, in the format of [Project Fluent](https://projectfluent.org).
//!
//! The files in `en/` contain the texts that the server and all clients share: names, events,
//! refusals. `ru/` has the same texts in Russian. Folders whose names end in `-more` hold the
//! texts that a player does not need at once. The shared texts never name a client's commands or
//! controls. A client adds files for its own texts with [`Words::with`]. Each text is a whole
//! sentence with arguments, so that it can be translated.
//!
//! ```
//! use flagfall_protocol::Refusal;
//! use flagfall_words::{args, english};
//!
//! assert_eq!(english().format("rank", &args! { "rank" => "colonel" }), "Colonel");
//! let wait = Refusal::new("claim_too_early").with("seconds", 42_u32);
//! assert!(english().refusal(&wait).contains("in 42 seconds"));
//! ```

mod rulesets;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::LazyLock;

use flagfall_protocol::Refusal;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentMessage, FluentResource};
use unic_langid::LanguageIdentifier;

#[doc(no_inline)]
pub use fluent_bundle::{FluentArgs as Args, FluentValue as Value};

/// Embeds the files of all shared texts in one language.
macro_rules! shared {
    ($language:literal) => {
        &[
            include_str!(concat!("../", $language, "/events.ftl")),
            include_str!(concat!("../", $language, "/names.ftl")),
            include_str!(concat!("../", $language, "/players.ftl")),
            include_str!(concat!("../", $language, "/refusals.ftl")),
            include_str!(concat!("../", $language, "/rulesets.ftl")),
            include_str!(concat!("../", $language, "-more/account.ftl")),
            include_str!(concat!("../", $language, "-more/pictures.ftl")),
            include_str!(concat!("../", $language, "-more/players.ftl")),
            include_str!(concat!("../", $language, "-more/refusals.ftl")),
            include_str!(concat!("../", $language, "-more/rules.ftl")),
        ]
    };
}

/// The English texts that all clients share.
pub const ENGLISH: &[&str] = shared!("en");

/// The Russian texts that all clients share.
pub const RUSSIAN: &[&str] = shared!("ru");

/// A language in which there are texts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Language {
    /// American English, in which all texts exist.
    #[default]
    English,
    /// Russian.
    Russian,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 2] = [Language::English, Language::Russian];

    /// The language's code: `en` or `ru`.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Russian => "ru",
        }
    }

    /// Returns the language with this code. Ignores the case of letters.
    pub fn from_code(code: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }

    /// The texts in this language that all clients share.
    pub const fn files(self) -> &'static [&'static str] {
        match self {
            Language::English => ENGLISH,
            Language::Russian => RUSSIAN,
        }
    }
}

/// Creates the arguments of a text, as in `args! { "rank" => "scout", "count" => 2 }`.
#[macro_export]
macro_rules! args {
    ($($name:literal => $value:expr),* $(,)?) => {{
        #[allow(unused_mut, reason = "there may be no arguments")]
        let mut args = $crate::Args::new();
        $(args.set($name, $value);)*
        args
    }};
}

/// The texts in one language. English texts replace those that the language lacks.
pub struct Words {
    /// The texts in the language, followed by the English texts unless the language is English.
    bundles: Vec<FluentBundle<FluentResource>>,
}

impl Words {
    /// Creates the English texts: those that all clients share, and those in the client's files.
    ///
    /// Lines that are not valid Fluent and texts whose id already exists are left out. Each
    /// client has tests which check that its files contain neither.
    pub fn with(files: &[&str]) -> Words {
        Words { bundles: vec![bundle(Language::English, files)] }
    }

    /// Creates the texts in a language, as [`Words::with`] does. `files` returns the client's
    /// files in a language.
    pub fn in_language(language: Language, files: impl Fn(Language) -> &'static [&'static str]) -> Words {
        let english = Some(Language::English).filter(|_| language != Language::English);
        let bundles = std::iter::once(language).chain(english);
        Words { bundles: bundles.map(|language| bundle(language, files(language))).collect() }
    }

    /// True if there is a text with this id.
    pub fn has(&self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// Returns a text that has no arguments. If the id is unknown, the result is the id.
    pub fn text(&self, id: &str) -> String {
        self.format(id, &Args::new())
    }

    /// Returns a text with its arguments inserted. If the id is unknown, the result is the id. A
    /// missing argument appears as its name.
    pub fn format(&self, id: &str, args: &Args<'_>) -> String {
        let (text, errors) = self.format_with_errors(id, args);
        debug_assert!(errors.is_empty(), "{id}: {errors:?}");
        text
    }

    /// Returns a text with its arguments inserted, or `None` if the id is unknown or an argument
    /// is missing.
    ///
    /// This function is for ids and arguments that come from another program.
    pub fn try_format(&self, id: &str, args: &Args<'_>) -> Option<String> {
        let (text, errors) = self.format_with_errors(id, args);
        errors.is_empty().then_some(text)
    }

    /// Returns the text of a refusal.
    pub fn refusal(&self, refusal: &Refusal) -> String {
        let text = self.try_refusal(refusal);
        debug_assert!(text.is_some(), "there is no text for {refusal}");
        text.unwrap_or_else(|| self.format("refusal-unknown", &args! { "code" => refusal.code.to_string() }))
    }

    /// Returns the text of a refusal that comes from another program. Returns `None` if the code
    /// is unknown or an argument is missing.
    pub fn try_refusal(&self, refusal: &Refusal) -> Option<String> {
        let args = refusal.args.values::<Value<'_>>().collect();
        self.try_format(&refusal_id(refusal.code.as_str()), &args)
    }

    fn format_with_errors(&self, id: &str, args: &Args<'_>) -> (String, Vec<String>) {
        let found = self.find(id);
        let Some((bundle, value)) = found.as_ref().and_then(|(bundle, text)| Some((bundle, text.value()?)))
        else {
            return (id.to_owned(), vec!["there is no such text".to_owned()]);
        };
        let mut errors = Vec::new();
        let text = bundle.format_pattern(value, Some(args), &mut errors).into_owned();
        (text, errors.iter().map(ToString::to_string).collect())
    }

    /// Finds a text, and the language's bundle that contains it.
    fn find(&self, id: &str) -> Option<(&FluentBundle<FluentResource>, FluentMessage<'_>)> {
        let has_value = |text: &FluentMessage<'_>| text.value().is_some();
        self.bundles.iter().find_map(|bundle| Some((bundle, bundle.get_message(id).filter(has_value)?)))
    }
}

fn bundle(language: Language, files: &[&str]) -> FluentBundle<FluentResource> {
    let id = language.code().parse::<LanguageIdentifier>().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![id]);
    // Fluent's isolation marks are turned off, because terminals show them as garbage. Only text
    // of mixed writing direction needs them.
    bundle.set_use_isolating(false);
    for file in language.files().iter().chain(files) {
        let resource = FluentResource::try_new((*file).to_owned());
        let resource = resource.unwrap_or_else(|(readable, _)| readable);
        bundle.add_resource(resource).ok();
    }
    bundle
}

/// Returns the English texts that all clients share.
pub fn english() -> &'static Words {
    static WORDS: LazyLock<Words> = LazyLock::new(|| Words::with(&[]));
    &WORDS
}

/// Returns the English text of a refusal from the rules engine.
pub fn refusal_text(refusal: impl Into<Refusal>) -> String {
    english().refusal(&refusal.into())
}

/// Writes a number with its noun, for messages that exist only in English: `1 game`, `2 games`.
pub fn counted<N: Copy + PartialEq + From<u8> + fmt::Display>(
    number: N,
    one: &'static str,
    many: &'static str,
) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "{number} {}", if number == N::from(1) { one } else { many }))
}

/// Returns the id of a refusal's text: `refusal-`, then the code with hyphens instead of
/// underscores.
pub fn refusal_id(code: &str) -> String {
    format!("refusal-{}", code.replace('_', "-"))
}
