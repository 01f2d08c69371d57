//! The client's texts for people, by their ids in the Fluent files of `words/` and
//! `shared/words/`.

use std::sync::{LazyLock, OnceLock};

use flagfall_board::{ChipColor, GameId, Rank, Side, Square};
use flagfall_protocol::{Code, Refusal, RefusalArgs};
use flagfall_rules::Move;
use flagfall_words::{Language, Words};

#[doc(no_inline)]
pub use flagfall_words::{Args, Value};

/// Embeds the client's files in one language.
macro_rules! own {
    ($language:literal) => {
        &[
            include_str!(concat!("../words/", $language, "/advice.ftl")),
            include_str!(concat!("../words/", $language, "/board.ftl")),
            include_str!(concat!("../words/", $language, "/commands.ftl")),
            include_str!(concat!("../words/", $language, "/games.ftl")),
            include_str!(concat!("../words/", $language, "/help.ftl")),
            include_str!(concat!("../words/", $language, "/keys.ftl")),
            include_str!(concat!("../words/", $language, "/link.ftl")),
            include_str!(concat!("../words/", $language, "/lists.ftl")),
            include_str!(concat!("../words/", $language, "/mail.ftl")),
            include_str!(concat!("../words/", $language, "/network.ftl")),
            include_str!(concat!("../words/", $language, "/options.ftl")),
            include_str!(concat!("../words/", $language, "/pictures.ftl")),
            include_str!(concat!("../words/", $language, "/play.ftl")),
            include_str!(concat!("../words/", $language, "/programs.ftl")),
            include_str!(concat!("../words/", $language, "/records.ftl")),
            include_str!(concat!("../words/", $language, "/replay.ftl")),
            include_str!(concat!("../words/", $language, "/rules.ftl")),
            include_str!(concat!("../words/", $language, "/screen.ftl")),
            include_str!(concat!("../words/", $language, "/settings.ftl")),
            include_str!(concat!("../words/", $language, "/umpire.ftl")),
            include_str!(concat!("../words/", $language, "/waiting.ftl")),
        ]
    };
}

/// The client's English files.
pub const FILES: &[&str] = own!("en");

/// Returns the client's files in a language.
pub const fn files(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => FILES,
        Language::Russian => own!("ru"),
    }
}

static LANGUAGE: OnceLock<Language> = OnceLock::new();
static WORDS: LazyLock<Words> = LazyLock::new(|| Words::in_language(language(), files));

/// Chooses the language of all texts. Only the first call has an effect. Without a choice, the
/// texts are English.
pub fn choose_language(language: Language) {
    LANGUAGE.get_or_init(|| language);
}

/// Returns the language of all texts.
pub fn language() -> Language {
    *LANGUAGE.get_or_init(Language::default)
}

pub fn words() -> &'static Words {
    &WORDS
}

pub fn refusal(why: impl Into<Refusal>) -> String {
    words().refusal(&why.into())
}

/// Returns the text of a server's refusal.
///
/// Uses the server's message if the client has no text for the code, or if an older server sent
/// no arguments. If the server has failed, adds the id of the request, for a report to the
/// operators.
pub fn server_refusal(code: &Code, args: &RefusalArgs, message: &str, request: Option<&str>) -> String {
    let refusal = Refusal { code: code.clone(), args: args.clone() };
    let text = words().try_refusal(&refusal).unwrap_or_else(|| message.to_owned());
    match request {
        Some(request) if code.is_failure() => crate::text!("report-request", text, request),
        _ => text,
    }
}

/// Formats the text with an id and arguments: `text!("claim-own", side, left = clock(ms))`.
#[macro_export]
macro_rules! text {
    (@ $name:ident) => { $name };
    (@ $name:ident, $value:expr) => { $value };
    ($id:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        #[allow(unused_mut, reason = "there may be no arguments")]
        let mut args = $crate::texts::Args::new();
        $(args.set(stringify!($name), $crate::texts::Arg::value($crate::text!(@ $name $(, $value)?)));)*
        $crate::texts::words().format($id, &args)
    }};
}

/// A type whose values can be arguments of a text.
///
/// A side, a rank and a color are passed as keys, so that each language can use its own words.
pub trait Arg {
    fn value(self) -> Value<'static>;
}

macro_rules! args_by {
    ($($type:ty: $value:expr),* $(,)?) => {
        $(impl Arg for $type {
            fn value(self) -> Value<'static> {
                let value: fn($type) -> _ = $value;
                Value::from(value(self))
            }
        })*
    };
}

args_by! {
    String: |text| text,
    &String: |text| text.clone(),
    &str: |text| text.to_owned(),
    u8: |number| number,
    u16: |number| number,
    u32: |number| number,
    u64: |number| number,
    usize: |number| number,
    i64: |number| number,
    bool: |is_so| if is_so { "yes" } else { "no" },
    Side: Side::name,
    Rank: Rank::name,
    ChipColor: ChipColor::name,
    Square: |square| square.to_string(),
    Move: |squares| squares.to_string(),
    GameId: |game| game.to_string(),
}
