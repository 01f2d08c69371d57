//! Arguments of the commands for outside programs.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use flagfall_bots::Level;
use flagfall_rules::Ruleset;

use super::play::WishArgs;
use crate::names;
use crate::program::session::tellable_ruleset;

/// The end of the umpire's help.
pub(super) const UMPIRE_EXAMPLES: &str = "\
Examples:
  flagfall umpire --rules pbm --red ./ann --blue 'python3 bob.py' --games 20 --swap
  flagfall umpire --rules pbm --red ./ann --blue 'flagfall bot --line random --rules pbm'
  flagfall umpire --rules pbm --all class/ --games 4 --parallel 2 --record games/ --log logs/
  flagfall umpire --rules pbm --all class/ --format markdown --out table.md

A program reads its standard input and writes its standard output without buffering: see docs/protocol/UMPIRE.md.
--red and --blue take a file, or words with quotes as in a shell.
Programs that know no repetition rule want pbm.
More games at once than processors make programs late.
Ctrl-C ends all programs and counts what was played.";

/// The end of the bot's help.
pub(super) const BOT_EXAMPLES: &str = "\
Examples:
  flagfall bot --exec ./ann --rules pbm --name ann --games 0 --server play.example
  flagfall bot --exec 'python3 -u bob.py' --rules barrage --time 5+3 --bot simple
  flagfall bot --exec ./ann --accept CODE
  flagfall bot --line random --rules pbm
  flagfall umpire --rules pbm --red 'flagfall bot --line random --rules pbm --seed 7' --blue ./ann

With --exec the program plays on the server as a guest: it is started anew for each game, and told and asked as by flagfall umpire (docs/protocol/UMPIRE.md).
It hears nothing of lost connections and restarts of the server. A program that fails gives its game up, and no other one is begun.
Exit codes as of all commands (flagfall --help), 130 when stopped during a game; and for a program that failed 5 garbage,
6 an illegal move, 7 an illegal deployment, 8 late, 9 dead. Ctrl-C gives the running game up and ends the program; once more ends both at once.

With --line it is a program itself: it plays one game over standard input and output. Why it cannot go on is said on the standard error.";

/// Who plays whom, how often, and where it is written down.
#[derive(Clone, Debug, Args)]
pub struct UmpireArgs {
    /// The ruleset: see flagfall rules.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: &'static Ruleset,
    /// The program that plays Red.
    #[arg(long, value_name = "COMMAND", required_unless_present = "all", requires = "blue")]
    pub red: Option<String>,
    /// The program that plays Blue.
    #[arg(long, value_name = "COMMAND", required_unless_present = "all", requires = "red")]
    pub blue: Option<String>,
    /// What Red's program is called; without it like its file.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub red_name: Option<String>,
    /// What Blue's program is called; without it like its file.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub blue_name: Option<String>,
    /// A round robin of all programs of a folder: every executable file, and every folder in it
    /// with an executable run.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["red", "blue", "swap"])]
    pub all: Option<PathBuf>,
    /// Games; with --all games of each pair, whose sides alternate. Without it one, with --all two.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub games: Option<u32>,
    /// The programs change sides after each game.
    #[arg(long)]
    pub swap: bool,
    /// Games at once.
    #[arg(long, value_name = "K", default_value = "1")]
    pub parallel: NonZeroUsize,
    /// Seconds for each answer at a turn.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_seconds)]
    pub turn_time: std::time::Duration,
    /// Seconds for the deployment; as long as for a turn without it.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub deploy_time: Option<std::time::Duration>,
    /// Write a record of each game into this folder (see flagfall check).
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Write the moves of each game and the programs' standard errors into this folder; without it
    /// into that of --record.
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// The form of the results.
    #[arg(long, value_enum, ignore_case = true, default_value_t = ResultsFormat::Text)]
    pub format: ResultsFormat,
    /// Write the results into this file in that form; the terminal gets them as text.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// In which form results are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ResultsFormat {
    /// For a terminal.
    Text,
    /// For a page.
    Markdown,
    /// For a spreadsheet: a line for each program.
    Csv,
}

/// Which program plays on a server, or which house player over the line protocol.
#[derive(Clone, Debug, Args)]
#[group(id = "who", required = true, multiple = false, args = ["line", "exec"])]
pub struct BotArgs {
    /// Let this program play on the server: a file, or words with quotes as in a shell.
    #[arg(long, value_name = "COMMAND")]
    pub exec: Option<String>,
    /// Games to play with --exec, one after another; 0 for as many as come.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with_all = ["accept", "game"])]
    pub games: u32,
    /// Seconds the program has for each answer. Without it the game's clock is its limit, or 2
    /// seconds where there is none.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub turn_time: Option<std::time::Duration>,
    /// Seconds the program has for its deployment; as --turn-time without it.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub deploy_time: Option<std::time::Duration>,
    /// Keep what the program says on its standard error in this folder, a file a game.
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// What to play.
    #[command(flatten)]
    pub wish: WishArgs,
    /// Play over the line protocol, on standard input and output, as a house player of this level.
    #[arg(
        long, value_name = "LEVEL", value_parser = parse_level, requires = "rules",
        conflicts_with_all = ["games", "turn_time", "deploy_time", "log", "time", "side", "private", "secret", "how"]
    )]
    pub line: Option<Level>,
    /// Positions that house player may look at for one move.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "exec")]
    pub nodes: Option<u32>,
    /// The same seed makes that house player play the same game; chance decides without one.
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
    let seconds: f64 = text.parse().map_err(|_| "seconds are wanted, as in 2 or 0.5".to_owned())?;
    if (0.001..=86_400.0).contains(&seconds) {
        Ok(std::time::Duration::from_secs_f64(seconds))
    } else {
        Err("0.001 to 86400 seconds are wanted".to_owned())
    }
}
