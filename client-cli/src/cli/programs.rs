//! Arguments of the commands for outside programs.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use flagfall_bots::Level;
use flagfall_rules::Ruleset;

use super::play::WishArgs;
use super::values::ResultsFormat;
use crate::names::tellable_ruleset;
use crate::{names, text};

/// Which programs play, and where the results go.
#[derive(Clone, Debug, Args)]
pub struct UmpireArgs {
    /// The ruleset.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: &'static Ruleset,
    /// The program that plays Red.
    #[arg(long, value_name = "COMMAND", required_unless_present = "all", requires = "blue")]
    pub red: Option<String>,
    /// The program that plays Blue.
    #[arg(long, value_name = "COMMAND", required_unless_present = "all", requires = "red")]
    pub blue: Option<String>,
    /// The name of Red's program.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub red_name: Option<String>,
    /// The name of Blue's program.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub blue_name: Option<String>,
    /// A round robin of all programs of this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["red", "blue", "swap"])]
    pub all: Option<PathBuf>,
    /// How many games, or how many of each pair.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub games: Option<u32>,
    /// The programs change sides after each game.
    #[arg(long)]
    pub swap: bool,
    /// Games at once.
    #[arg(long, value_name = "K", default_value = "1")]
    pub parallel: NonZeroUsize,
    /// Time for each answer at a turn.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_seconds)]
    pub turn_time: std::time::Duration,
    /// Time for the deployment; `None` for the time of a turn.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub deploy_time: Option<std::time::Duration>,
    /// The folder for records.
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// The folder for moves and standard errors; `None` for the folder for records.
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// The format of the results.
    #[arg(long, value_enum, ignore_case = true, hide_possible_values = true, default_value_t = ResultsFormat::Text)]
    pub format: ResultsFormat,
    /// The file for the results; the terminal gets them as text.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// A program for a server, or a house player for the line protocol.
#[derive(Clone, Debug, Args)]
#[group(id = "who", required = true, multiple = false, args = ["line", "exec"])]
pub struct BotArgs {
    /// The program that plays on the server.
    #[arg(long, value_name = "COMMAND")]
    pub exec: Option<String>,
    /// How many games the program plays; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["accept", "game"])]
    pub games: u32,
    /// Time for each answer; `None` for the game's clock.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub turn_time: Option<std::time::Duration>,
    /// Time for the deployment; `None` for the time of a turn.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub deploy_time: Option<std::time::Duration>,
    /// The folder for the program's standard error.
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// What to play.
    #[command(flatten)]
    pub wish: WishArgs,
    /// The level of the house player that plays over standard input and output.
    #[arg(
        long, value_name = "LEVEL", value_parser = parse_level, requires = "rules",
        conflicts_with_all = ["games", "turn_time", "deploy_time", "log", "time", "side", "private", "secret", "how"]
    )]
    pub line: Option<Level>,
    /// How many positions the house player may look at for one move.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "exec")]
    pub nodes: Option<u32>,
    /// The house player's seed; `None` for a random one.
    #[arg(long, value_name = "N", conflicts_with = "exec")]
    pub seed: Option<u64>,
}

/// Parses a ruleset that the line protocol can express.
fn parse_ruleset(text: &str) -> Result<&'static Ruleset, String> {
    tellable_ruleset(text)
}

fn parse_level(text: &str) -> Result<Level, String> {
    names::level(text)
}

fn parse_seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| text!("not-seconds", text))?;
    if (0.001..=86_400.0).contains(&seconds) {
        Ok(std::time::Duration::from_secs_f64(seconds))
    } else {
        Err(text!("seconds-out-of-bounds"))
    }
}
