//! The tables of `docs/operating/configure.md`, which are generated from the settings.

use std::fmt::Write;
use std::path::Path;

use super::super::form::{explanation, headings};
use super::super::layers::{key, section, settings};
use super::*;

/// Compares a generated file with the checked-in file, or writes the file if `FLAGFALL_UPDATE` is
/// set.
pub(super) fn assert_generated(path: &Path, text: &str) {
    if std::env::var_os("FLAGFALL_UPDATE").is_some() {
        std::fs::write(path, text).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stored == text,
        "{} is stale: run FLAGFALL_UPDATE=1 cargo test -p flagfall-server --lib config",
        path.display()
    );
}

/// Returns the table of the settings with this heading.
fn table(heading: &str) -> String {
    let command = Config::command();
    let of_heading = || settings(&command).filter(|setting| setting.get_help_heading() == Some(heading));
    let mut text = String::new();
    if let Some(first) = of_heading().next() {
        write!(text, "In the file: `[{}]`.\n\n| flag | default | meaning |\n|---|---|---|\n", section(first))
            .unwrap();
    }
    for setting in of_heading() {
        let is_switch = matches!(setting.get_action(), clap::ArgAction::SetTrue);
        let value = setting.get_value_names().filter(|_| !is_switch).and_then(|names| names.first());
        let flag = match value {
            Some(value) => format!("--{} {}", key(setting), value.replace('|', "\\|")),
            None => format!("--{}", key(setting)),
        };
        let default = setting.get_default_values().first().filter(|_| !is_switch);
        let default = default.map(|value| format!(" `{}`", value.to_string_lossy())).unwrap_or_default();
        let meaning = explanation(setting).replace('|', "\\|");
        writeln!(text, "| `{flag}` |{default} | {meaning} |").unwrap();
    }
    text
}

#[test]
fn the_page_lists_every_setting() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operating/configure.md");
    let stored = std::fs::read_to_string(&path).unwrap();
    let command = Config::command();
    let mut page = String::new();
    let mut listed = Vec::new();
    let mut rest = stored.as_str();
    while let Some((before, after)) = rest.split_once("<!-- settings: ") {
        let (heading, after) = after.split_once(" -->\n").unwrap();
        let (_, after) = after.split_once("<!-- end -->").unwrap();
        write!(page, "{before}<!-- settings: {heading} -->\n{}<!-- end -->", table(heading)).unwrap();
        listed.push(heading);
        rest = after;
    }
    page.push_str(rest);
    assert_eq!(listed, headings(&command), "the page has one table for each heading of the help");
    assert_generated(&path, &page);
}
