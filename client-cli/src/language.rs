//! Chooses the language of the texts.
//!
//! The language is chosen before the command line is read, because the help and the errors of the
//! command line are translated too. An unknown language is ignored here, and refused when the
//! command line is read.

use std::ffi::OsString;
use std::path::PathBuf;

use flagfall_words::Language;

use crate::settings;

/// The environment variables that name the system's language, in order of precedence.
const LOCALE: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// Returns the language that the option `--language`, the variable `FLAGFALL_LANGUAGE` or the
/// settings file names, in this order of precedence.
///
/// If none of them names a language, or there are no texts in that language, returns the system's
/// language, or else English.
pub fn wanted(arguments: &[OsString], variable: impl Fn(&str) -> Option<String>) -> Language {
    let folder = || option(arguments, "--config-dir").or_else(|| variable("FLAGFALL_CONFIG_DIR"));
    let named = option(arguments, "--language")
        .or_else(|| variable("FLAGFALL_LANGUAGE"))
        .or_else(|| settings::language(folder().map(PathBuf::from)));
    named.and_then(|code| Language::from_code(&code)).unwrap_or_else(|| {
        let locale = LOCALE.into_iter().filter_map(variable).find(|locale| !locale.is_empty());
        locale.and_then(|locale| of_locale(&locale)).unwrap_or_default()
    })
}

/// Returns the value of an option, as in `--language ru` or `--language=ru`.
fn option(arguments: &[OsString], name: &str) -> Option<String> {
    let mut texts = arguments.iter().map(|argument| argument.to_string_lossy());
    let value = texts.by_ref().take_while(|text| text != "--").find_map(|text| {
        let rest = text.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with('=')).then(|| rest.strip_prefix('=').map(str::to_owned))
    })?;
    value.or_else(|| texts.next().map(String::from))
}

/// Returns the language of a locale such as `ru_RU.UTF-8`.
fn of_locale(locale: &str) -> Option<Language> {
    locale.split(['_', '.', '@', '-']).next().and_then(Language::from_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_source_names_the_language() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("settings.toml"), "language = \"ru\"\n").expect("written");
        let folder = folder.path().to_str().expect("text");
        let language = |line: &str, variables: &[(&str, &str)]| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            wanted(&arguments, variable).code()
        };
        let (empty, file) = (("FLAGFALL_CONFIG_DIR", "/nowhere"), ("FLAGFALL_CONFIG_DIR", folder));
        let own = |code| ("FLAGFALL_LANGUAGE", code);
        let russian = ("LANG", "ru_RU.UTF-8");
        for (line, variables, code) in [
            ("flagfall games", &[empty][..], "en"),
            ("flagfall games", &[empty, russian], "ru"),
            ("flagfall games", &[empty, russian, ("LC_ALL", "C")], "en"),
            ("flagfall games", &[empty, russian, ("LC_ALL", "")], "ru"),
            ("flagfall games", &[empty, russian, ("LC_MESSAGES", "de_DE")], "en"),
            ("flagfall games", &[file], "ru"),
            ("flagfall games", &[file, own("en")], "en"),
            ("flagfall games --language=RU", &[file, own("en")], "ru"),
            ("flagfall --language en games", &[file, own("ru")], "en"),
            ("flagfall games --language de", &[file], "en"),
            ("flagfall bot -- --language ru", &[empty], "en"),
        ] {
            assert_eq!(language(line, variables), code, "{line} {variables:?}");
        }
        assert_eq!(language(&format!("flagfall games --config-dir {folder}"), &[empty]), "ru");
    }
}
