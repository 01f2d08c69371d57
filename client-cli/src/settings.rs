//! The settings file, `settings.toml`: a person's own defaults for options.
//!
//! The file's values replace the defaults of the options. An option on the command line or an
//! environment variable overrides the file. See ADR 93.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::{fs, ops};

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches};
use serde::Serialize;
use toml_edit::{Array, Document, DocumentMut, Item, Value};

use crate::cli::{Cli, help, parse_switch, with_small_commands};
use crate::config::{ConfigDir, ConfigError, write_private};
use crate::text;

/// The name of the file in the client's folder.
const FILE: &str = "settings.toml";
/// Maximum size of the file, in bytes.
const SIZE_MAX: u64 = 64 << 10;

#[derive(Debug)]
struct Setting {
    key: &'static str,
    /// The option whose default this setting is.
    option: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Text,
    /// A path. A relative path is relative to the folder of the settings file.
    Path,
    List,
    /// True or false, with the same meaning as the option.
    Switch,
    /// True or false, with the opposite meaning of the option. For example, `colors = false`
    /// means `--no-color=yes`.
    Opposite,
}

const SETTINGS: [Setting; 11] = [
    Setting { key: "server", option: "server", kind: Kind::Text },
    Setting { key: "ca", option: "ca", kind: Kind::Path },
    Setting { key: "name", option: "name", kind: Kind::Text },
    Setting { key: "language", option: "language", kind: Kind::Text },
    Setting { key: "plain", option: "plain", kind: Kind::Switch },
    Setting { key: "colors", option: "no_color", kind: Kind::Opposite },
    Setting { key: "numbers", option: "numbers", kind: Kind::Text },
    Setting { key: "flip", option: "noflip", kind: Kind::Opposite },
    Setting { key: "alerts", option: "alerts", kind: Kind::List },
    Setting { key: "mouse", option: "no_mouse", kind: Kind::Opposite },
    Setting { key: "editing", option: "no_editing", kind: Kind::Opposite },
];

/// An error in the command line or the settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}", text!("settings-wrong-line", path = path.display().to_string(), line = *line, why))]
    Line {
        path: PathBuf,
        line: usize,
        /// A sentence that says what is wrong with the line.
        why: String,
    },
    /// A key or a value on the command line is wrong.
    #[error("{0}")]
    Wrong(String),
    #[error(transparent)]
    Unwritable(#[from] ConfigError),
    /// The command line is wrong or asks for help.
    #[error(transparent)]
    Arguments(#[from] clap::Error),
}

/// Reads the settings file, which provides the defaults, and a command line.
pub fn read_command_line(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(Cli, Settings), SettingsError> {
    let arguments = with_small_commands(arguments);
    let first = help::command().try_get_matches_from(&arguments)?;
    let mut settings = Settings::read(Cli::from_arg_matches(&first)?.common.config_dir)?;
    // The values of the file become the defaults.
    let with_defaults = |command: Command, (setting, values): &(&Setting, Vec<String>)| {
        command.mut_arg(setting.option, |arg| arg.default_values(values))
    };
    let command = settings.kept.iter().fold(help::command(), with_defaults);
    let matches = command.try_get_matches_from(&arguments)?;
    let cli = Cli::from_arg_matches(&matches)?;
    settings.note_origins(&matches);
    Ok((cli, settings))
}

/// The origin of a setting's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Option,
    Environment,
    File,
    Default,
}

/// A setting with its current value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Shown {
    pub key: &'static str,
    pub value: Option<String>,
    pub origin: Origin,
}

#[derive(Debug)]
pub struct Settings {
    pub path: PathBuf,
    /// The values of the file, in the format of their options.
    kept: Vec<(&'static Setting, Vec<String>)>,
    /// All settings, once [`Settings::note_origins`] has been called.
    pub shown: Vec<Shown>,
}

impl Settings {
    /// Reads the file in the client's folder. If there is no file, there are no settings. The
    /// error says which line is wrong, or why the file cannot be read.
    pub fn read(folder: Option<PathBuf>) -> Result<Settings, SettingsError> {
        let path = ConfigDir::new(folder).root.join(FILE);
        let text = read(&path)?;
        let kept = parse(&text, &path)?;
        Ok(Settings { path, kept, shown: Vec::new() })
    }

    /// Records the origin of each setting's value on a command line.
    pub fn note_origins(&mut self, matches: &ArgMatches) {
        let origin = |setting: &Setting| match matches.value_source(setting.option) {
            Some(ValueSource::CommandLine) => Origin::Option,
            Some(ValueSource::EnvVariable) => Origin::Environment,
            _ if self.kept.iter().any(|(kept, _)| kept.key == setting.key) => Origin::File,
            _ => Origin::Default,
        };
        let shown = SETTINGS.iter().map(|setting| Shown {
            key: setting.key,
            value: value_of(matches, setting),
            origin: origin(setting),
        });
        self.shown = shown.collect();
    }

    /// Sets a setting in the file. Keeps the file's comments.
    pub fn set(&self, key: &str, value: &str) -> Result<(), SettingsError> {
        let setting = find(key)?;
        let item = item(setting, value).map_err(SettingsError::Wrong)?;
        let values = option_values(setting, &item, &self.path);
        values.and_then(|values| check(setting, &values)).map_err(SettingsError::Wrong)?;
        self.change(|document| {
            let kept = document.get_mut(setting.key).and_then(Item::as_value_mut);
            match (kept, Item::Value(item)) {
                // Keep the comment after the value.
                (Some(kept), Item::Value(mut new)) => {
                    *new.decor_mut() = kept.decor().clone();
                    *kept = new;
                }
                (_, new) => drop(document.insert(setting.key, new)),
            }
        })
    }

    pub fn unset(&self, key: &str) -> Result<(), SettingsError> {
        let setting = find(key)?;
        self.change(|document| drop(document.remove(setting.key)))
    }

    fn change(&self, change: impl FnOnce(&mut DocumentMut)) -> Result<(), SettingsError> {
        let text = read(&self.path)?;
        let mut document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| syntax(&error, &text, &self.path))?;
        change(&mut document);
        Ok(write_private(&self.path, document.to_string().as_bytes())?)
    }
}

/// Returns the language that the file names. `None` if the file names none or cannot be read;
/// [`Settings::read`] reports errors.
pub(crate) fn language(folder: Option<PathBuf>) -> Option<String> {
    let text = read(&ConfigDir::new(folder).root.join(FILE)).ok()?;
    Some(Document::parse(text).ok()?.get("language")?.as_str()?.to_owned())
}

fn read(path: &Path) -> Result<String, SettingsError> {
    let unreadable = |source| SettingsError::Unreadable { path: path.to_owned(), source };
    match fs::metadata(path) {
        // The file or its folder may be missing. A player without settings can still play.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(String::new());
        }
        Ok(file) if file.len() > SIZE_MAX => {
            return Err(unreadable(io::Error::from(io::ErrorKind::FileTooLarge)));
        }
        _ => {}
    }
    fs::read_to_string(path).map_err(unreadable)
}

/// Reads the values, and refuses unknown keys and invalid values.
fn parse(text: &str, path: &Path) -> Result<Vec<(&'static Setting, Vec<String>)>, SettingsError> {
    let document = Document::parse(text).map_err(|error| syntax(&error, text, path))?;
    let mut kept = Vec::new();
    for (key, item) in document.as_table() {
        let span = document.as_table().key(key).and_then(toml_edit::Key::span);
        let wrong = |why| wrong_line(text, path, span.clone(), why);
        let setting = SETTINGS.iter().find(|setting| setting.key == key);
        let setting = setting.ok_or_else(|| wrong(unknown(key)))?;
        let value = item.as_value().ok_or_else(|| wrong(wanted(setting)))?;
        let values = option_values(setting, value, path).map_err(wrong)?;
        check(setting, &values).map_err(wrong)?;
        kept.push((setting, values));
    }
    Ok(kept)
}

fn syntax(error: &toml_edit::TomlError, text: &str, path: &Path) -> SettingsError {
    let why = text!("settings-not-toml", why = error.message());
    wrong_line(text, path, error.span(), why)
}

fn wrong_line(text: &str, path: &Path, span: Option<ops::Range<usize>>, why: String) -> SettingsError {
    let start = span.map_or(0, |span| span.start).min(text.len());
    let line = text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
    SettingsError::Line { path: path.to_owned(), line, why }
}

fn find(key: &str) -> Result<&'static Setting, SettingsError> {
    let found = SETTINGS.iter().find(|setting| setting.key == key);
    found.ok_or_else(|| SettingsError::Wrong(unknown(key)))
}

fn unknown(key: &str) -> String {
    let keys = SETTINGS.map(|setting| setting.key).join(", ");
    text!("settings-unknown-key", key, keys)
}

fn wanted(setting: &Setting) -> String {
    let kind = match setting.kind {
        Kind::Text | Kind::Path => "text",
        Kind::List => "list",
        Kind::Switch | Kind::Opposite => "switch",
    };
    text!("settings-wrong-kind", key = setting.key, kind)
}

/// Converts a value from the file to the format of the option that it sets.
fn option_values(setting: &Setting, value: &Value, path: &Path) -> Result<Vec<String>, String> {
    let switch = |is_on: bool| vec![if is_on { "yes" } else { "no" }.to_owned()];
    let values = match setting.kind {
        Kind::Text => value.as_str().map(|text| vec![text.to_owned()]),
        Kind::Path => value.as_str().map(|text| {
            let folder = path.parent().unwrap_or(Path::new(""));
            vec![folder.join(text).display().to_string()]
        }),
        Kind::List => value.as_array().and_then(|array| {
            array.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        }),
        Kind::Switch => value.as_bool().map(switch),
        Kind::Opposite => value.as_bool().map(|is_on| switch(!is_on)),
    };
    values.filter(|values| !values.is_empty()).ok_or_else(|| wanted(setting))
}

/// Checks values as if they were on a command line.
fn check(setting: &Setting, values: &[String]) -> Result<(), String> {
    let option = setting.option.replace('_', "-");
    let line = ["flagfall".to_owned(), format!("--{option}={}", values.join(",")), "next".to_owned()];
    Cli::read(line).map(drop).map_err(|_| {
        let command = help::command();
        let arg = command.get_arguments().find(|arg| arg.get_id() == setting.option);
        let names = arg.map(|arg| arg.get_possible_values()).unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|name| name.get_name()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        text!("settings-wrong-value", key = setting.key, names)
    })
}

/// Converts a typed value to a value for the file.
fn item(setting: &Setting, value: &str) -> Result<Value, String> {
    Ok(match setting.kind {
        Kind::Text | Kind::Path => Value::from(value),
        Kind::List => Value::Array(value.split(',').map(str::trim).collect::<Array>()),
        Kind::Switch | Kind::Opposite => Value::from(parse_switch(value)?),
    })
}

/// Returns the current value of a setting, in the format that a person types.
fn value_of(matches: &ArgMatches, setting: &Setting) -> Option<String> {
    let is_on = || matches.get_one::<bool>(setting.option).copied();
    let written = |is_on: bool| if is_on { "yes" } else { "no" }.to_owned();
    match setting.kind {
        Kind::Switch => is_on().map(written),
        Kind::Opposite => is_on().map(|is_on| written(!is_on)),
        Kind::Text | Kind::Path | Kind::List => {
            let values = matches.get_raw(setting.option)?;
            Some(values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(","))
        }
    }
}

#[cfg(test)]
mod tests;
