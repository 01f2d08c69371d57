//! The command line.
//!
//! The texts `help-…` and `arg-…` in `words/` describe every command and option; see [`help`].
//! The comments here cover only what those texts leave out.

mod account;
mod arguments;
mod deployments;
pub mod help;
mod play;
mod programs;
mod read;
mod records;
mod values;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};

pub use account::{
    AccountCommand, EmailCommand, HistoryArgs, LeaderboardArgs, LoginArgs, ProfileArgs, SignUpArgs,
    TokensCommand, WebhookCommand,
};
pub use arguments::{Cli, Command, Common, SettingsCommand};
pub use deployments::DeploymentsCommand;
pub use play::{PlayArgs, SeekArgs, WishArgs};
pub use programs::{BotArgs, UmpireArgs};
pub(crate) use read::parse_switch;
pub use records::{CheckArgs, ConvertArgs, RecordArgs, RecordSource};
pub use values::{ListingName, Numbers, ResultsFormat, ScopeName};

impl Cli {
    pub fn read<T: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = T>,
    ) -> Result<Cli, clap::Error> {
        let arguments = with_small_commands(arguments.into_iter().map(Into::into));
        Cli::from_arg_matches(&help::command().try_get_matches_from(arguments)?)
    }
}

/// Lowercases the names of commands, so that `flagfall Play` works.
///
/// Does not change the values of options.
pub(crate) fn with_small_commands(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let root = Cli::command();
    let mut command = &root;
    let mut is_value = false;
    for argument in arguments.iter_mut().skip(1) {
        let Some(text) = argument.to_str() else { continue };
        if std::mem::take(&mut is_value) {
            continue;
        }
        if let Some(option) = text.strip_prefix("--") {
            let takes_value = |arg: &clap::Arg| {
                arg.get_long() == Some(option)
                    && arg.get_action().takes_values()
                    && !arg.is_require_equals_set()
            };
            is_value = root.get_arguments().any(takes_value);
            continue;
        }
        let small = text.to_lowercase();
        match command.find_subcommand(&small) {
            Some(found) => {
                command = found;
                *argument = small.into();
            }
            None => break,
        }
    }
    arguments
}

#[cfg(test)]
mod tests;
