//! Texts for people, in the language of [Project Fluent](https://projectfluent.org).
//!
//! The files in `en/` contain the texts that the server and all clients share: names, events,
//! refusals. These texts never name a client's commands or controls. A client adds files for its
//! own texts with [`Words::with`]. Each text is a whole sentence with arguments, so that it can
//! be translated.
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

use std::sync::LazyLock;

use flagfall_protocol::Refusal;
use fluent_bundle::FluentResource;
use fluent_bundle::concurrent::FluentBundle;
use unic_langid::LanguageIdentifier;

#[doc(no_inline)]
pub use fluent_bundle::{FluentArgs as Args, FluentValue as Value};

/// The English texts that all clients share.
pub const ENGLISH: &[&str] = &[
    include_str!("../en/events.ftl"),
    include_str!("../en/names.ftl"),
    include_str!("../en/players.ftl"),
    include_str!("../en/refusals.ftl"),
    include_str!("../en-more/pictures.ftl"),
    include_str!("../en-more/rules.ftl"),
];

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

/// The texts in one language.
pub struct Words {
    bundle: FluentBundle<FluentResource>,
}

impl Words {
    /// Creates the English texts: those that all clients share, and those in the client's files.
    ///
    /// Lines that are not valid Fluent, and texts whose id already exists, are left out. The
    /// client's tests make sure that its files contain neither of these.
    pub fn with(files: &[&str]) -> Words {
        let mut bundle =
            FluentBundle::new_concurrent(vec!["en".parse::<LanguageIdentifier>().unwrap_or_default()]);
        // Fluent's isolation characters are turned off. They are needed only for text of mixed
        // direction, and some terminals do not hide them.
        bundle.set_use_isolating(false);
        for file in ENGLISH.iter().chain(files) {
            let resource = FluentResource::try_new((*file).to_owned());
            let resource = resource.unwrap_or_else(|(readable, _)| readable);
            bundle.add_resource(resource).ok();
        }
        Words { bundle }
    }

    /// True if there is a text with this id.
    pub fn has(&self, id: &str) -> bool {
        self.bundle.get_message(id).is_some_and(|message| message.value().is_some())
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
        let Some(value) = self.bundle.get_message(id).and_then(|message| message.value()) else {
            return (id.to_owned(), vec!["there is no such text".to_owned()]);
        };
        let mut errors = Vec::new();
        let text = self.bundle.format_pattern(value, Some(args), &mut errors).into_owned();
        (text, errors.iter().map(ToString::to_string).collect())
    }
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

/// Returns the id of a refusal's text: `refusal-`, then the code with hyphens instead of
/// underscores.
pub fn refusal_id(code: &str) -> String {
    format!("refusal-{}", code.replace('_', "-"))
}
