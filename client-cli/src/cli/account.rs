//! Arguments of the commands about accounts and players.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use flagfall_protocol::Speed;

use super::read::{parse_ruleset, parse_speed};
use super::values::ScopeName;

/// The account to make.
#[derive(Clone, Debug, Args)]
pub struct SignUpArgs {
    /// Its name.
    #[arg(value_name = "NAME")]
    pub account: String,
    /// A bot account.
    #[arg(long)]
    pub bot: bool,
    /// A new account, not the guest's.
    #[arg(long)]
    pub new: bool,
}

/// The account to log in to.
#[derive(Clone, Debug, Args)]
pub struct LoginArgs {
    /// Its name.
    #[arg(value_name = "NAME", required_unless_present = "token")]
    pub account: Option<String>,
    /// With a token instead of name and password.
    #[arg(long, conflicts_with = "account")]
    pub token: bool,
    /// The name of this login in the list of tokens.
    #[arg(long, value_name = "TEXT", conflicts_with = "token")]
    pub label: Option<String>,
}

/// Which leaderboard.
#[derive(Clone, Debug, Args)]
pub struct LeaderboardArgs {
    /// The ruleset's id.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset, default_value = "classic")]
    pub rules: String,
    /// The speed.
    #[arg(long, value_name = "SPEED", value_parser = parse_speed, default_value = "rapid")]
    pub speed: Speed,
    /// The list of bots.
    #[arg(long)]
    pub bots: bool,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// Which profile.
#[derive(Clone, Debug, Args)]
pub struct ProfileArgs {
    /// The player's name.
    #[arg(value_name = "NAME")]
    pub player: String,
    /// The ruleset of the chart.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset, requires = "speed")]
    pub rules: Option<String>,
    /// The speed of the chart.
    #[arg(long, value_name = "SPEED", value_parser = parse_speed, requires = "rules")]
    pub speed: Option<Speed>,
    /// As JSON.
    #[arg(long, conflicts_with_all = ["rules", "speed"])]
    pub json: bool,
}

/// Which finished games.
#[derive(Clone, Debug, Args)]
pub struct HistoryArgs {
    /// The player's name; `None` for the player's own games.
    #[arg(value_name = "NAME")]
    pub player: Option<String>,
    /// Only games against this player.
    #[arg(value_name = "OPPONENT")]
    pub opponent: Option<String>,
    /// Where the previous page ended.
    #[arg(long, value_name = "PLACE")]
    pub after: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// What to do with tokens.
#[derive(Clone, Debug, Subcommand)]
pub enum TokensCommand {
    /// List them.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make one.
    New {
        /// Its name in the list.
        #[arg(value_name = "TEXT")]
        label: String,
        /// What it may do.
        #[arg(long, value_enum, ignore_case = true, hide_possible_values = true, default_value_t = ScopeName::Play)]
        scope: ScopeName,
    },
    /// Revoke one.
    Revoke {
        /// Its id in the list.
        id: String,
    },
}

/// What to do with the webhook.
#[derive(Clone, Debug, Subcommand)]
pub enum WebhookCommand {
    /// Set it.
    Set {
        /// Its address.
        #[arg(value_name = "URL")]
        url: String,
    },
    /// Show it.
    Show {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove it.
    Remove,
    /// Test it.
    Test,
}

/// What to do with the account.
#[derive(Clone, Debug, Subcommand)]
pub enum AccountCommand {
    /// Export it.
    Export {
        /// Into this file instead of the terminal.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Change its password.
    Password,
    /// Make a new recovery code.
    RecoveryCode,
    /// Delete it.
    Delete,
}
