//! The configuration as a TOML file, for `--check-config` and the example in `deploy/`.

use std::fmt::Write;

use clap::{Arg, ArgAction, CommandFactory};

use super::layers::{Loaded, key, section, settings};
use super::{Config, StoreKind};
use flagfall_services::mail_relay::without_password;
use flagfall_services::secret_or_file::SecretOrFile;

/// Maximum width of a comment line.
const WIDTH: usize = 98;

const CHECKED: &str = "\
# The configuration is valid. Saved as a file, it can be used with --config.
# Each value is followed by its source. Secrets are not shown.
";

#[cfg(test)]
const EXAMPLE: &str = "\
# Settings of flagfall-server, with their defaults. To use this file, start the server with
# --config FILE, or set FLAGFALL_CONFIG=FILE. Flags and environment variables override the file.
# To set a value, remove the # at the start of its line. Generated from the program.
";

impl Loaded {
    /// Returns the configuration as a TOML file, with the source of each value. Secrets are left
    /// out.
    #[must_use]
    pub fn to_toml(&self) -> String {
        write_sections(CHECKED, |setting| {
            let source = self.source(setting);
            if let Some(shown) = self.secret(setting) {
                return format!("#{} = {shown}  # {source}; the secret is not shown\n", key(setting));
            }
            match self.value(setting) {
                Some(value) => format!("{} = {value}  # {source}\n", key(setting)),
                None => format!("#{} =  # not set\n", key(setting)),
            }
        })
    }

    /// Returns the value of a setting, as TOML.
    fn value(&self, setting: &Arg) -> Option<String> {
        let values = self.matches.get_raw(setting.get_id().as_str()).into_iter().flatten();
        let values: Option<Vec<String>> =
            values.map(|value| value.to_str().map(|text| toml_value(setting, text))).collect();
        match (setting.get_action(), values?.as_slice()) {
            (ArgAction::Append, values) => Some(format!("[{}]", values.join(", "))),
            (_, [value, ..]) => Some(value.clone()),
            (_, []) => None,
        }
    }

    /// Returns a replacement for a value that is, or may contain, a secret.
    fn secret(&self, setting: &Arg) -> Option<String> {
        if !setting.is_hide_env_values_set() {
            return None;
        }
        let raw = self.matches.get_raw(setting.get_id().as_str())?.next()?.to_string_lossy();
        if setting.get_id() == "smtp" {
            let shown = self.config.smtp.as_ref().and_then(without_password);
            return shown.map(|shown| toml_value(setting, &shown));
        }
        match (setting.get_id().as_str(), &self.config.store, &self.config.signing_key) {
            ("store", StoreKind::Redis(address), _) if raw.contains(['@', '?']) => {
                Some(toml_value(setting, &address.to_string()))
            }
            ("store", _, _) | ("signing_key", _, Some(SecretOrFile::File(_))) => None,
            _ => Some("\"\"".to_owned()),
        }
    }
}

/// Returns the example configuration file, which lists every setting with its default in a
/// comment.
#[cfg(test)]
pub(super) fn example() -> String {
    write_sections(EXAMPLE, |setting| {
        let defaults = setting.get_default_values().iter().map(|value| value.to_string_lossy());
        let value = match (setting.get_action(), defaults.collect::<Vec<_>>().as_slice()) {
            (ArgAction::SetTrue, _) => "false".to_owned(),
            (ArgAction::Append, _) => "[]".to_owned(),
            (_, [value, ..]) => toml_value(setting, value),
            (_, []) => String::new(),
        };
        format!("#{} = {value}\n", key(setting)).replace(" = \n", " =\n")
    })
}

/// Returns the headings of the settings, in the order of the help.
pub(super) fn headings(command: &clap::Command) -> Vec<&str> {
    let mut headings = Vec::new();
    for heading in settings(command).filter_map(Arg::get_help_heading) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings
}

/// Returns the explanation of a setting from the help.
pub(super) fn explanation(setting: &Arg) -> String {
    let help = setting.get_long_help().or(setting.get_help()).map(ToString::to_string).unwrap_or_default();
    format!("{}.", help.trim_end_matches('.'))
}

fn write_sections(head: &str, line: impl Fn(&Arg) -> String) -> String {
    let command = Config::command();
    let mut text = head.to_owned();
    for heading in headings(&command) {
        let of_section = || settings(&command).filter(|setting| setting.get_help_heading() == Some(heading));
        if let Some(first) = of_section().next() {
            write!(text, "\n[{}]\n", section(first)).ok();
        }
        for setting in of_section() {
            write_comment(&mut text, &explanation(setting));
            text.push_str(&line(setting));
        }
    }
    text
}

fn write_comment(text: &mut String, comment: &str) {
    let mut column = WIDTH;
    for word in comment.split_whitespace() {
        if column + 1 + word.len() > WIDTH {
            text.push_str(if column == WIDTH && text.ends_with('\n') { "#" } else { "\n#" });
            column = 1;
        }
        text.push(' ');
        text.push_str(word);
        column += 1 + word.len();
    }
    text.push('\n');
}

/// Formats a value as TOML: a number, true or false, or a string.
fn toml_value(setting: &Arg, value: &str) -> String {
    let is_number = value.parse::<u32>().is_ok_and(|number| number.to_string() == value);
    match setting.get_action() {
        ArgAction::SetTrue => value.to_owned(),
        _ if is_number => value.to_owned(),
        _ => toml::Value::from(value).to_string(),
    }
}
