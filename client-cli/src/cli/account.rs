//! Arguments of the commands about accounts and players.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use flagfall_protocol::Speed;

use super::read::{parse_ruleset, parse_speed};
use super::values::{ListingName, ScopeName};

#[derive(Clone, Debug, Args)]
pub struct SignUpArgs {
    #[arg(value_name = "NAME")]
    pub account: String,
    #[arg(long)]
    pub bot: bool,
    #[arg(long)]
    pub new: bool,
}

#[derive(Clone, Debug, Args)]
pub struct LoginArgs {
    #[arg(value_name = "NAME", required_unless_present = "token")]
    pub account: Option<String>,
    #[arg(long, conflicts_with = "account")]
    pub token: bool,
    #[arg(long, value_name = "TEXT", conflicts_with = "token")]
    pub label: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct LeaderboardArgs {
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset, default_value = "classic")]
    pub rules: String,
    #[arg(long, value_name = "SPEED", value_parser = parse_speed, default_value = "rapid")]
    pub speed: Speed,
    #[arg(long)]
    pub bots: bool,
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ProfileArgs {
    #[arg(value_name = "NAME")]
    pub player: String,
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset, requires = "speed")]
    pub rules: Option<String>,
    #[arg(long, value_name = "SPEED", value_parser = parse_speed, requires = "rules")]
    pub speed: Option<Speed>,
    #[arg(long, conflicts_with_all = ["rules", "speed"])]
    pub json: bool,
}

#[derive(Clone, Debug, Args)]
pub struct HistoryArgs {
    /// The name of a player; `None` for the user's own games.
    #[arg(value_name = "NAME")]
    pub player: Option<String>,
    #[arg(value_name = "OPPONENT")]
    pub opponent: Option<String>,
    #[arg(long, value_name = "PLACE")]
    pub after: Option<String>,
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Debug, Subcommand)]
pub enum TokensCommand {
    List {
        #[arg(long)]
        json: bool,
    },
    New {
        #[arg(value_name = "TEXT")]
        label: String,
        #[arg(long, value_enum, ignore_case = true, hide_possible_values = true, default_value_t = ScopeName::Play)]
        scope: ScopeName,
    },
    Revoke {
        id: String,
    },
}

#[derive(Clone, Debug, Subcommand)]
pub enum WebhookCommand {
    Set {
        #[arg(value_name = "URL")]
        url: String,
    },
    Show {
        #[arg(long)]
        json: bool,
    },
    Remove,
    Test,
}

#[derive(Clone, Debug, Subcommand)]
pub enum EmailCommand {
    Set {
        #[arg(value_name = "ADDRESS")]
        address: String,
    },
    Show {
        #[arg(long)]
        json: bool,
    },
    Again,
    Remove,
}

#[derive(Clone, Debug, Subcommand)]
pub enum AccountCommand {
    Export {
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    Password,
    RecoveryCode,
    Dump {
        /// The new choice; `None` to show the current one.
        #[arg(
            value_name = "name|pseudonym|none",
            value_enum,
            ignore_case = true,
            hide_possible_values = true
        )]
        listing: Option<ListingName>,
    },
    Delete,
}
