//! Parsers for option values: names and clocks, in any case.

use std::ffi::OsString;

use clap::CommandFactory;
use flagfall_board::Side;
use flagfall_protocol::{RecordScope, Speed, Time};
use flagfall_records::Format;

use super::Cli;
use crate::{names, words};

pub(super) fn parse_side(text: &str) -> Result<Side, String> {
    Side::from_name(&text.to_lowercase()).ok_or_else(|| "red or blue is wanted".to_owned())
}

pub(super) fn parse_scope(text: &str) -> Result<RecordScope, String> {
    let scope = RecordScope::ALL.into_iter().find(|scope| scope.name().eq_ignore_ascii_case(text));
    scope.ok_or_else(|| "red, blue, public or all is wanted".to_owned())
}

pub(super) fn parse_speed(text: &str) -> Result<Speed, String> {
    Speed::from_name(&text.to_lowercase())
        .ok_or_else(|| names::unknown("speed", text, Speed::ALL.map(Speed::name).into_iter()))
}

pub(super) fn parse_format(text: &str) -> Result<Format, String> {
    Format::ALL
        .into_iter()
        .find(|format| format.name().eq_ignore_ascii_case(text))
        .ok_or_else(|| names::unknown("format", text, Format::ALL.map(Format::name).into_iter()))
}

pub(super) fn parse_ruleset(text: &str) -> Result<String, String> {
    names::ruleset(text).map(|ruleset| ruleset.id.to_owned())
}

pub(super) fn parse_level(text: &str) -> Result<String, String> {
    names::level(text).map(|level| level.name().to_owned())
}

/// Parses a clock and checks that it may be played.
pub(super) fn parse_time(text: &str) -> Result<Time, String> {
    let time = words::parse_time(text).map_err(|error| error.to_string())?;
    words::check_time(time).map(|()| time)
}

/// Lower-cases the names of commands, so that `flagfall Play` works.
///
/// Values of options stay as they are.
#[must_use]
pub fn with_small_commands(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
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
            let takes_value =
                |arg: &clap::Arg| arg.get_long() == Some(option) && arg.get_action().takes_values();
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
