//! `flagfall settings`: shows and changes the settings file.

use flagfall::cli::SettingsCommand;
use flagfall::settings::{Origin, Settings, SettingsError, Shown};
use flagfall::{listing, text};

use super::output::{CommandError, Done, print, print_json, storage, usage};

pub(crate) fn run(command: SettingsCommand, settings: &Settings) -> Done {
    let path = settings.path.display().to_string();
    match command {
        SettingsCommand::List { json: true } => print_json(&settings.shown),
        SettingsCommand::List { json: false } => {
            print(&format!("{}\n\n{}", table(&settings.shown), text!("settings-file", path)))
        }
        SettingsCommand::Set { key, value } => {
            settings.set(&key, &value).map_err(failure)?;
            print(&text!("settings-set", key, path))
        }
        SettingsCommand::Unset { key } => {
            settings.unset(&key).map_err(failure)?;
            print(&text!("settings-unset", key, path))
        }
    }
}

pub(crate) fn failure(error: SettingsError) -> CommandError {
    match error {
        SettingsError::Line { .. } | SettingsError::Wrong(_) | SettingsError::Arguments(_) => usage(error),
        SettingsError::Unreadable { .. } | SettingsError::Unwritable(_) => storage(error),
    }
}

fn table(shown: &[Shown]) -> String {
    let row = |shown: &Shown| {
        let value = shown.value.clone().unwrap_or_else(|| text!("settings-no-value"));
        let origin = match shown.origin {
            Origin::Option => text!("settings-origin-option"),
            Origin::Environment => text!("settings-origin-environment"),
            Origin::File => text!("settings-origin-file"),
            Origin::Default => text!("settings-origin-default"),
        };
        [shown.key.to_owned(), value, origin]
    };
    listing::table(
        ["settings-column-key", "settings-column-value", "settings-column-origin"],
        shown.iter().map(row),
    )
    .join("\n")
}
