//! The commands and their arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use flagfall_board::{GameId, Numbering};

use super::account::{
    AccountCommand, HistoryArgs, LeaderboardArgs, LoginArgs, ProfileArgs, SignUpArgs, TokensCommand,
    WebhookCommand,
};
use super::deployments::DeploymentsCommand;
use super::play::{PlayArgs, SeekArgs};
use super::programs::{BotArgs, UmpireArgs};
use super::read::{parse_no_color, parse_switch};
use super::records::{CheckArgs, ConvertArgs, RecordArgs};
use super::values::{AlertName, Numbers};
use crate::alerts::Alerts;
use crate::model::DEFAULT_SERVER;

/// A command line.
#[derive(Clone, Debug, Parser)]
#[command(name = "flagfall", version)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// The options of all commands.
    #[command(flatten)]
    pub common: Common,
}

/// Options of all commands.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// The server's addresses, separated by commas.
    #[arg(long, global = true, env = "FLAGFALL_SERVER", default_value = DEFAULT_SERVER, value_name = "URL")]
    pub server: String,
    /// A file with certificates of authorities to trust.
    #[arg(long, global = true, env = "FLAGFALL_CA", value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// The player's name.
    #[arg(long, global = true, value_name = "NAME")]
    pub name: Option<String>,
    /// Lines instead of the full screen.
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub plain: bool,
    /// No colors.
    #[arg(long, global = true, env = "NO_COLOR", value_name = "yes|no", value_parser = parse_no_color, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub no_color: bool,
    /// The figures on the pieces.
    #[arg(long, global = true, value_enum, ignore_case = true, hide_possible_values = true,
        default_value_t = Numbers::Us)]
    pub numbers: Numbers,
    /// Red always at the bottom.
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub noflip: bool,
    /// How the full screen calls the player.
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
    pub alerts: Vec<AlertName>,
    /// Leave the mouse to the terminal.
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub no_mouse: bool,
    /// Leave the editing of typed lines to the terminal.
    #[arg(long, global = true, value_name = "yes|no", value_parser = parse_switch, default_value = "no",
        num_args = 0..=1, require_equals = true, default_missing_value = "yes", hide_default_value = true)]
    pub no_editing: bool,
    /// The folder with credentials, settings and saved deployments.
    #[arg(long, global = true, env = "FLAGFALL_CONFIG_DIR", value_name = "DIR")]
    pub config_dir: Option<PathBuf>,
}

impl Common {
    /// How the player is called.
    #[must_use]
    pub fn alerts(&self) -> Alerts {
        Alerts::new(self.alerts.iter().filter_map(|name| name.alert()).collect())
    }
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Play a game.
    Play(PlayArgs),
    /// Wait in the pool.
    Seek(SeekArgs),
    /// Follow a running game.
    Watch {
        /// The game.
        game: Option<GameId>,
    },
    /// List running games.
    Games {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Go on with the most urgent game.
    Next,
    /// Many games at one prompt.
    Mail,
    /// Show a record.
    Record(RecordArgs),
    /// Check records.
    Check(CheckArgs),
    /// Convert a game to another format.
    Convert(ConvertArgs),
    /// Explain a ruleset, or list all.
    Rules {
        /// The ruleset's id.
        ruleset: Option<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Let programs play each other.
    Umpire(Box<UmpireArgs>),
    /// Let a program play on a server, or a house player over the line protocol.
    Bot(Box<BotArgs>),
    /// Saved deployments.
    #[command(visible_alias = "setups")]
    Deployments {
        /// What to do with them.
        #[command(subcommand)]
        command: Option<DeploymentsCommand>,
    },
    /// Make an account.
    Signup(SignUpArgs),
    /// Log in.
    Login(LoginArgs),
    /// Log out.
    Logout,
    /// Show who the player is.
    Whoami {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a leaderboard.
    Leaderboard(LeaderboardArgs),
    /// Show a player's public profile.
    Profile(ProfileArgs),
    /// List finished games.
    History(HistoryArgs),
    /// Notices of turns for a program.
    Webhook {
        /// What to do with it.
        #[command(subcommand)]
        command: WebhookCommand,
    },
    /// A feed of turns and finished games.
    Feed {
        /// Remove it instead.
        #[arg(long)]
        remove: bool,
    },
    /// Show the player's own figures.
    Stats {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Block a player.
    Block {
        /// The player's name.
        #[arg(value_name = "NAME")]
        player: String,
    },
    /// Unblock a player.
    Unblock {
        /// The player's name.
        #[arg(value_name = "NAME")]
        player: String,
    },
    /// List the blocked players.
    Blocks {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Tokens of the account.
    Tokens {
        /// What to do with them.
        #[command(subcommand)]
        command: Option<TokensCommand>,
    },
    /// Replace a lost password.
    Recover {
        /// The account's name.
        #[arg(value_name = "NAME")]
        account: String,
    },
    /// Export, change or delete the account.
    Account {
        /// What to do.
        #[command(subcommand)]
        command: AccountCommand,
    },
    /// Answer requests about games, without a network.
    Referee,
    /// Show or change the settings.
    Settings {
        /// What to do with them.
        #[command(subcommand)]
        command: Option<SettingsCommand>,
    },
    /// Print a script of completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages.
    Man {
        /// Into this folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// What to do with the settings.
#[derive(Clone, Debug, Subcommand)]
pub enum SettingsCommand {
    /// Show them.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set one.
    Set {
        /// Its name.
        key: String,
        /// Its value.
        value: String,
    },
    /// Go back to the default of one.
    Unset {
        /// Its name.
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
