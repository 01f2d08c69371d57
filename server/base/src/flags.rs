//! Helpers for settings that are command-line flags: parsers for their values, and default
//! settings.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::builder::{OsStr, Resettable};
use clap::{Args, Command};

/// Returns a parser for whole numbers in this range.
pub fn number(
    range: RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("wanted: a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Returns a parser for counts in this range.
pub fn count(
    range: RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    let number = number(range);
    move |text| number(text).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
}

/// Returns a parser for durations, given as a whole number of this unit.
pub fn time(
    unit: Duration,
    range: RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<Duration, String> + Clone + Send + Sync + 'static {
    let number = number(range);
    move |text| number(text).map(|count| unit.saturating_mul(count))
}

/// Returns a parser for durations, given as a whole number of this unit. The value 0 means never.
pub fn time_or_never(
    unit: Duration,
    range: RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<Option<Duration>, String> + Clone + Send + Sync + 'static {
    let time = time(unit, range);
    move |text| time(text).map(|time| Some(time).filter(|time| !time.is_zero()))
}

/// Returns the settings of a server for which no flag, environment variable or file is given.
///
/// # Panics
/// If a flag has no default or an invalid one. Every test that uses the settings detects this.
pub fn defaults<T: Args>() -> T {
    let command = T::augment_args(Command::new("defaults").no_binary_name(true))
        .mut_args(|setting| setting.env(Resettable::<OsStr>::Reset));
    let matches = command.try_get_matches_from(std::iter::empty::<&str>());
    match matches.and_then(|matches| T::from_arg_matches(&matches)) {
        Ok(settings) => settings,
        Err(error) => unreachable!("a default is wrong: {error}"),
    }
}
