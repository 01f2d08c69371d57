//! The sources of values: flags override the environment, the environment overrides the
//! configuration file, and the file overrides the defaults.
//!
//! clap handles flags, environment and defaults. The values of the file are passed to clap as
//! defaults, so clap's parser checks all four sources.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{OsStr, Resettable};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use toml::de::{DeTable, DeValue};

use super::Config;

const FILE_FLAG: &str = "config";

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The flags or the environment are wrong, or the flags ask for help.
    #[error(transparent)]
    Flags(#[from] clap::Error),
    #[error("--config {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    /// A line of the file is wrong. Lines are numbered from 1. The reason never repeats a secret
    /// value.
    #[error("{}:{line}: {reason}", path.display())]
    Line { path: PathBuf, line: usize, reason: String },
}

/// A configuration with the source of each value.
pub struct Loaded {
    pub config: Config,
    pub(super) matches: ArgMatches,
    file: Option<File>,
}

impl Loaded {
    /// Reads the flags, the environment, and the file that they name.
    pub fn from_args<A>(args: impl IntoIterator<Item = A> + Clone) -> Result<Loaded, LoadError>
    where
        A: Into<OsString> + Clone,
    {
        let command = Config::command();
        let mut matches = command.clone().try_get_matches_from(args.clone())?;
        let file = match matches.get_one::<PathBuf>(FILE_FLAG) {
            Some(path) => Some(File::read(path, &command)?),
            None => None,
        };
        if let Some(file) = &file {
            let command = file.lines.iter().fold(command, |command, line| {
                command.mut_arg(&line.id, |arg| arg.default_values(line.values.clone()))
            });
            matches = command.try_get_matches_from(args)?;
        }
        Ok(Loaded { config: Config::from_arg_matches(&matches)?, matches, file })
    }

    /// Describes the source of a setting's value, for a person.
    pub(super) fn source(&self, setting: &Arg) -> String {
        let id = setting.get_id().as_str();
        let line = || self.file.as_ref()?.lines.iter().find(|line| line.id == id);
        match self.matches.value_source(id) {
            Some(ValueSource::CommandLine) => "flag".to_owned(),
            Some(ValueSource::EnvVariable) => {
                setting.get_env().unwrap_or_default().to_string_lossy().into_owned()
            }
            _ => match (&self.file, line()) {
                (Some(file), Some(line)) => format!("{}:{}", file.path.display(), line.number),
                _ => "default".to_owned(),
            },
        }
    }
}

/// Returns the settings: all flags that can also be set in the environment and the file.
pub(super) fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| arg.get_env().is_some() && arg.get_id() != FILE_FLAG)
}

/// Returns the file section that contains a setting: the first word of the setting's heading in
/// the help.
pub(super) fn section(setting: &Arg) -> String {
    let heading = setting.get_help_heading().unwrap_or_default();
    heading.split(' ').next().unwrap_or_default().to_lowercase()
}

/// Returns the key of a setting in its section: the name of the flag.
pub(super) fn key(setting: &Arg) -> &str {
    setting.get_long().unwrap_or_default()
}

/// A configuration file whose keys and values are valid.
struct File {
    path: PathBuf,
    lines: Vec<Line>,
}

struct Line {
    id: String,
    number: usize,
    values: Vec<String>,
}

impl File {
    fn read(path: &Path, command: &Command) -> Result<File, LoadError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| LoadError::Unreadable { path: path.to_owned(), error })?;
        let lines = lines(&text, command).map_err(|(offset, reason)| LoadError::Line {
            path: path.to_owned(),
            line: line_at(&text, offset),
            reason,
        })?;
        Ok(File { path: path.to_owned(), lines })
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

/// Parses the settings in a file. The error contains the offset of the first mistake and its
/// reason.
fn lines(text: &str, command: &Command) -> Result<Vec<Line>, (usize, String)> {
    let table = DeTable::parse(text).map_err(|error| {
        (error.span().map_or(0, |span| span.start), format!("not TOML: {}", error.message()))
    })?;
    let mut lines = Vec::new();
    for (name, content) in table.get_ref() {
        let (name, place) = (name.get_ref().as_ref(), name.span().start);
        if !settings(command).any(|setting| section(setting) == name) {
            let mut sections: Vec<String> = Vec::new();
            for setting in settings(command).map(|setting| format!("[{}]", section(setting))) {
                if !sections.contains(&setting) {
                    sections.push(setting);
                }
            }
            return Err((place, format!("there is no section [{name}]; there are {}", sections.join(", "))));
        }
        let Some(content) = content.get_ref().as_table() else {
            return Err((place, format!("{name} is a section: write [{name}] on a line of its own")));
        };
        for (key_text, value) in content {
            let (key_text, place) = (key_text.get_ref().as_ref(), key_text.span().start);
            let of_section = || settings(command).filter(|setting| section(setting) == name);
            let Some(setting) = of_section().find(|setting| key(setting) == key_text) else {
                let keys: Vec<&str> = of_section().map(key).collect();
                return Err((
                    place,
                    format!("there is no setting {key_text} in [{name}]; there are {}", keys.join(", ")),
                ));
            };
            let values = values(setting, value.get_ref()).map_err(|reason| (value.span().start, reason))?;
            lines.push(Line { id: setting.get_id().to_string(), number: line_at(text, place), values });
        }
    }
    Ok(lines)
}

/// Converts a value in the file to values of the flag, and checks them as the flag would.
fn values(setting: &Arg, value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let is_list = matches!(setting.get_action(), ArgAction::Append);
    let values = match value {
        DeValue::Array(items) if is_list => {
            items.iter().map(|item| scalar(item.get_ref())).collect::<Option<Vec<_>>>()
        }
        other => scalar(other).map(|value| vec![value]),
    };
    let values = values.ok_or_else(|| {
        let wanted = if is_list { "a list of strings" } else { "one string, number, true or false" };
        format!("--{} must be {wanted}", key(setting))
    })?;
    let alone = setting.clone().env(Resettable::<OsStr>::Reset).default_values(values.clone());
    match Command::new("file").no_binary_name(true).arg(alone).try_get_matches_from(Vec::<OsString>::new()) {
        Ok(_) => Ok(values),
        Err(error) => {
            let text = error.render().to_string();
            let text = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
            Err(text.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    }
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Boolean(is_set) => Some(is_set.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
        }
        _ => None,
    }
}
