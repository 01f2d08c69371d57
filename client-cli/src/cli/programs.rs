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

#[derive(Clone, Debug, Args)]
pub struct UmpireArgs {
    #[arg(long, value_name = "RULESET", value_parser = tellable_ruleset)]
    pub rules: &'static Ruleset,
    #[arg(long, value_name = "COMMAND", required_unless_present = "all", requires = "blue")]
    pub red: Option<String>,
    #[arg(long, value_name = "COMMAND", required_unless_present = "all", requires = "red")]
    pub blue: Option<String>,
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub red_name: Option<String>,
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub blue_name: Option<String>,
    #[arg(long, value_name = "DIR", conflicts_with_all = ["red", "blue", "swap"])]
    pub all: Option<PathBuf>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub games: Option<u32>,
    #[arg(long)]
    pub swap: bool,
    #[arg(long, value_name = "K", default_value = "1")]
    pub parallel: NonZeroUsize,
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_seconds)]
    pub turn_time: std::time::Duration,
    /// Time for the deployment; `None` to use the time of a turn.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub deploy_time: Option<std::time::Duration>,
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// The folder for move logs and the programs' standard error; `None` to use the folder for
    /// records.
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    #[arg(long, value_enum, ignore_case = true, hide_possible_values = true, default_value_t = ResultsFormat::Text)]
    pub format: ResultsFormat,
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
#[group(id = "who", required = true, multiple = false, args = ["line", "exec"])]
pub struct BotArgs {
    #[arg(long, value_name = "COMMAND")]
    pub exec: Option<String>,
    /// The number of games that the program plays; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["accept", "game"])]
    pub games: u32,
    /// Time for each answer; `None` for the game's clock.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub turn_time: Option<std::time::Duration>,
    /// Time for the deployment; `None` to use the time of a turn.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub deploy_time: Option<std::time::Duration>,
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    #[command(flatten)]
    pub wish: WishArgs,
    #[arg(
        long, value_name = "LEVEL", value_parser = names::level, requires = "rules",
        conflicts_with_all = ["games", "turn_time", "deploy_time", "log", "time", "side", "private", "secret", "how"]
    )]
    pub line: Option<Level>,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "exec")]
    pub nodes: Option<u32>,
    /// The house player's seed; `None` for a random one.
    #[arg(long, value_name = "N", conflicts_with = "exec")]
    pub seed: Option<u64>,
}

fn parse_seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| text!("not-seconds", text))?;
    if (0.001..=86_400.0).contains(&seconds) {
        Ok(std::time::Duration::from_secs_f64(seconds))
    } else {
        Err(text!("seconds-out-of-bounds"))
    }
}
