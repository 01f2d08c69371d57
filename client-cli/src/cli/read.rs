//! Parsers for option values such as names and clocks. They ignore the case of letters.

use flagfall_board::Side;
use flagfall_protocol::{RecordScope, Speed, Time};
use flagfall_records::Format;

use crate::{names, text, words};

pub(super) fn parse_side(text: &str) -> Result<Side, String> {
    Side::from_name(&text.to_lowercase()).ok_or_else(|| text!("not-a-side", text))
}

pub(super) fn parse_scope(text: &str) -> Result<RecordScope, String> {
    let scope = RecordScope::ALL.into_iter().find(|scope| scope.name().eq_ignore_ascii_case(text));
    scope.ok_or_else(|| text!("not-a-scope", text))
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

/// Parses a clock and checks that the server allows it.
pub(super) fn parse_time(text: &str) -> Result<Time, String> {
    let time = words::parse_time(text)?;
    words::check_time(time).map(|()| time)
}

/// Parses yes or no, as on the command line or in the settings file.
pub(crate) fn parse_switch(text: &str) -> Result<bool, String> {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Ok(true),
        "no" | "false" | "off" | "0" => Ok(false),
        _ => Err(text!("not-a-switch", text)),
    }
}

/// Parses the switch that turns colors off. An unknown value counts as yes, because the
/// environment variable `NO_COLOR` may have any value.
pub(super) fn parse_no_color(text: &str) -> Result<bool, String> {
    Ok(!text.is_empty() && parse_switch(text).unwrap_or(true))
}
