//! The help of commands and options, from the Fluent files.
//!
//! The id of a command's text is `help-` followed by its path, for example `help-tokens-new`. The
//! text after the list of options has the id `help-tokens-new-more`. The id of an argument's text
//! is `arg-`, the path of its command and its own id, for example `arg-tokens-new-scope`. If
//! several commands share the text, the id has no path, for example `arg-rules`.

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, ArgAction, Command, CommandFactory};
use flagfall_bots::Level;

use super::arguments::Cli;
use crate::text;
use crate::texts::{Args, words};

/// The commands by group: the id of the group's heading, and the names of its commands.
const GROUPS: [(&str, &[&str]); 6] = [
    ("help-group-play", &["play", "seek", "games", "next", "mail"]),
    ("help-group-watch", &["watch", "record", "check", "convert", "rules"]),
    ("help-group-deployments", &["deployments"]),
    ("help-group-players", &["leaderboard", "profile", "history", "stats", "block", "unblock", "blocks"]),
    (
        "help-group-account",
        &["signup", "login", "logout", "whoami", "recover", "tokens", "account", "email", "webhook", "feed"],
    ),
    ("help-group-programs", &["bot", "umpire", "referee", "settings", "completions", "man"]),
];

pub const EXAMPLE_REQUEST: &str = r#"{"type":"about"}"#;

/// The width of the column of command names.
const NAMES_WIDTH: usize = 12;

pub fn command() -> Command {
    let command = with_texts(Cli::command(), "");
    let template = overview(&command);
    command.help_template(StyledStr::from(template))
}

fn with_texts(command: Command, path: &str) -> Command {
    let mut command = command
        .about(help(&about_id(path)))
        .disable_help_flag(true)
        .disable_help_subcommand(!path.is_empty())
        .help_template(StyledStr::from(template()))
        .subcommand_help_heading(text!("help-heading-commands"))
        .arg(Arg::new("help").short('h').long("help").action(ArgAction::Help));
    if path.is_empty() {
        let version = Arg::new("version").short('V').long("version").action(ArgAction::Version);
        command = command.disable_version_flag(true).arg(version);
    }
    if let Some(more) = more_id(path) {
        command = command.after_help(help(&more));
    }
    command.mut_args(|arg| arg_with_text(arg, path)).mut_subcommands(|sub| {
        let path = below(path, sub.get_name());
        with_texts(sub, &path)
    })
}

fn arg_with_text(arg: Arg, path: &str) -> Arg {
    let heading = match (arg.is_global_set(), arg.is_positional()) {
        (true, _) => text!("help-heading-everywhere"),
        (false, true) => text!("help-heading-arguments"),
        (false, false) => text!("help-heading-options"),
    };
    let id = arg_id(path, arg.get_id().as_str());
    arg.help(help(&id)).long_help(Resettable::Reset).help_heading(heading).hide_env_values(true)
}

fn below(path: &str, name: &str) -> String {
    format!("{path}-{name}")
}

fn about_id(path: &str) -> String {
    format!("help{path}")
}

/// Returns the id of the text after a command's options, if there is one.
fn more_id(path: &str) -> Option<String> {
    Some(format!("help{path}-more")).filter(|id| words().has(id))
}

fn arg_id(path: &str, arg: &str) -> String {
    let arg = arg.replace('_', "-");
    let own = format!("arg{path}-{arg}");
    if words().has(&own) { own } else { format!("arg-{arg}") }
}

/// Returns a help text. All help texts get the same arguments.
fn help(id: &str) -> String {
    let mut args = Args::new();
    args.set("levels", Level::ALL.map(Level::name).join(", "));
    args.set("level", Level::default().name());
    args.set("request", EXAMPLE_REQUEST);
    words().format(id, &args)
}

/// Returns the template of a command's help, with a translated heading.
fn template() -> String {
    format!(
        "{{about-with-newline}}\n{} {{usage}}\n\n{{all-args}}{{after-help}}",
        heading("help-heading-usage")
    )
}

/// Returns the template of the program's own help, with the commands grouped under headings.
fn overview(command: &Command) -> String {
    let literal = command.get_styles().get_literal();
    let mut text = format!("{{about-with-newline}}\n{} {{usage}}\n", heading("help-heading-usage"));
    for (id, names) in GROUPS {
        text.push_str(&format!("\n{}\n", heading(id)));
        for name in names {
            let about = help(&about_id(&below("", name)));
            text.push_str(&format!(
                "  {literal}{name:NAMES_WIDTH$}{literal:#} {}\n",
                about.trim_end_matches('.')
            ));
        }
    }
    text + &format!("\n{}\n{{options}}{{after-help}}", heading("help-heading-everywhere-colon"))
}

fn heading(id: &str) -> String {
    let styles = Command::new("").get_styles().clone();
    let style = styles.get_header();
    format!("{style}{}{style:#}", words().text(id))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_stands_under_one_heading() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = command();
        let names: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), names);
        assert_eq!(grouped.len(), names.len(), "twice");
    }

    #[test]
    fn the_overview_fits_a_terminal_and_names_each_command_once() {
        let text = command().term_width(80).render_help().to_string();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for (_, names) in GROUPS {
            for name in names {
                let lines = text.lines().filter(|line| line.starts_with(&format!("  {name} ")));
                assert_eq!(lines.count(), 1, "{name}\n{text}");
            }
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn the_exit_codes_are_all_there() {
        let text = command().render_help().to_string();
        for exit in flagfall_protocol::Exit::ALL {
            let code = exit.code().to_string();
            assert!(text.lines().any(|line| line.split_whitespace().next() == Some(&code)), "{code}");
        }
    }
}
