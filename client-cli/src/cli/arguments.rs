//! The commands and their arguments.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use flagfall_board::{GameId, Numbering};
use flagfall_words::Language;

use super::account::{
    AccountCommand, EmailCommand, HistoryArgs, LeaderboardArgs, LoginArgs, ProfileArgs, SignUpArgs,
    TokensCommand, WebhookCommand,
};
use super::deployments::DeploymentsCommand;
use super::play::{PlayArgs, SeekArgs};
use super::programs::{BotArgs, UmpireArgs};
use super::read::{parse_no_color, parse_switch};
use super::records::{CheckArgs, ConvertArgs, RecordArgs};
use super::values::Numbers;
use crate::alerts::Alert;
use crate::model::DEFAULT_SERVER;
use crate::texts::language;

#[derive(Clone, Debug, Parser)]
#[command(name = "flagfall", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Clone, Debug, Args)]
pub struct Common {
    #[arg(long, global = true, env = "FLAGFALL_SERVER", default_value = DEFAULT_SERVER, value_name = "URL")]
    pub server: String,
    #[arg(long, global = true, env = "FLAGFALL_CA", value_name = "FILE")]
    pub ca: Option<PathBuf>,
    #[arg(long, global = true, value_name = "NAME")]
    pub name: Option<String>,
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub plain: bool,
    #[arg(long, global = true, env = "NO_COLOR", value_name = "yes|no", value_parser = parse_no_color, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub no_color: bool,
    #[arg(long, global = true, value_enum, ignore_case = true, hide_possible_values = true,
        default_value_t = Numbers::Us)]
    pub numbers: Numbers,
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub noflip: bool,
    #[arg(
        long,
        global = true,
        env = "FLAGFALL_ALERTS",
        value_name = "WAYS",
        value_enum,
        ignore_case = true,
        hide_possible_values = true,
        value_delimiter = ',',
        default_value = "bell,title"
    )]
    pub alerts: Vec<Alert>,
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub no_mouse: bool,
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub no_editing: bool,
    /// The code of the language. It is only validated here, because [`crate::language`] has
    /// already read it and chosen the language.
    #[arg(long, global = true, env = "FLAGFALL_LANGUAGE", value_name = "LANG", ignore_case = true,
        value_parser = PossibleValuesParser::new(Language::ALL.map(Language::code)),
        hide_possible_values = true, default_value = language().code(), hide_default_value = true)]
    pub language: String,
    #[arg(long, global = true, env = "FLAGFALL_CONFIG_DIR", value_name = "DIR")]
    pub config_dir: Option<PathBuf>,
}

#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    Play(PlayArgs),
    Seek(SeekArgs),
    Watch {
        game: Option<GameId>,
    },
    Games {
        #[arg(long)]
        json: bool,
    },
    Next,
    Mail,
    Record(RecordArgs),
    Check(CheckArgs),
    Convert(ConvertArgs),
    Rules {
        ruleset: Option<String>,
        #[arg(long)]
        json: bool,
    },
    Umpire(Box<UmpireArgs>),
    Bot(Box<BotArgs>),
    #[command(visible_alias = "setups")]
    Deployments {
        #[command(subcommand)]
        command: Option<DeploymentsCommand>,
    },
    Signup(SignUpArgs),
    Login(LoginArgs),
    Logout,
    Whoami {
        #[arg(long)]
        json: bool,
    },
    Leaderboard(LeaderboardArgs),
    Profile(ProfileArgs),
    History(HistoryArgs),
    Webhook {
        #[command(subcommand)]
        command: WebhookCommand,
    },
    Email {
        #[command(subcommand)]
        command: EmailCommand,
    },
    Feed {
        #[arg(long)]
        remove: bool,
    },
    Stats {
        #[arg(long)]
        json: bool,
    },
    Block {
        #[arg(value_name = "NAME")]
        player: String,
    },
    Unblock {
        #[arg(value_name = "NAME")]
        player: String,
    },
    Blocks {
        #[arg(long)]
        json: bool,
    },
    Tokens {
        #[command(subcommand)]
        command: Option<TokensCommand>,
    },
    Recover {
        #[arg(value_name = "NAME")]
        account: String,
    },
    Account {
        #[command(subcommand)]
        command: AccountCommand,
    },
    Referee,
    Settings {
        #[command(subcommand)]
        command: Option<SettingsCommand>,
    },
    Completions {
        shell: clap_complete::Shell,
    },
    Man {
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Clone, Debug, Subcommand)]
pub enum SettingsCommand {
    List {
        #[arg(long)]
        json: bool,
    },
    Set {
        key: String,
        value: String,
    },
    /// Resets one setting to its default.
    Unset {
        key: String,
    },
}

impl From<Numbers> for Numbering {
    fn from(numbers: Numbers) -> Numbering {
        match numbers {
            Numbers::Us => Numbering::Us,
            Numbers::Eu => Numbering::Eu,
        }
    }
}
