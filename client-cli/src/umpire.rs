//! `flagfall umpire` and `flagfall bot`: matches between programs over the line protocol, and house
//! players that speak it.

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use flagfall_board::{Side, SquareSet};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_rules::Ruleset;
use flagfall_umpire::environment;
use flagfall_umpire::lines::{Cut, LineCutter};
use flagfall_umpire::player::LinePlayer;

use crate::cli::WishArgs;
use crate::names;
use crate::program::session::tellable_ruleset;

/// The end of the umpire's help.
pub const UMPIRE_EXAMPLES: &str = "\
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
pub const BOT_EXAMPLES: &str = "\
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

/// Plays one game as a house player over standard input and output.
///
/// # Errors
/// Why it cannot go on.
pub fn bot(level: Level, args: &BotArgs, seed: u64) -> Result<u8, String> {
    let ruleset = tellable_ruleset(args.wish.rules.as_deref().unwrap_or_default())?;
    let effort = args.nodes.map_or_else(Effort::default, |nodes| Effort { nodes });
    let seed = args.seed.unwrap_or(seed);
    let make = move |side: Side| HousePlayer::new(level, side, seed, effort);
    let mut player = LinePlayer::new(ruleset, make);
    if let Some(lakes) = known_lakes(ruleset)? {
        player = player.with_lakes(lakes);
    }
    let mut cutter = LineCutter::default();
    let mut buffer = [0; 4096];
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut cuts = Vec::new();
    loop {
        let count = input.read(&mut buffer).map_err(|error| format!("standard input: {error}"))?;
        if count == 0 {
            // The umpire is gone, so there is no one to play with.
            return Ok(0);
        }
        cutter.push(&buffer[..count], |cut| cuts.push(cut));
        for cut in cuts.drain(..) {
            let Cut::Line(line) = cut else { return Err("the umpire says what is no line".to_owned()) };
            let (next, reaction) = player.hear(&line).map_err(|error| error.to_string())?;
            player = next;
            for line in &reaction.lines {
                if writeln!(output, "{line}").is_err() {
                    return Ok(0);
                }
            }
            if output.flush().is_err() || reaction.is_over {
                return Ok(0);
            }
        }
    }
}

/// The lakes from the environment, if the umpire put them there.
fn known_lakes(ruleset: &Ruleset) -> Result<Option<SquareSet>, String> {
    let Ok(text) = std::env::var(environment::LAKES) else { return Ok(None) };
    let lakes = environment::read_lakes(&text).filter(|lakes| ruleset.allows_lakes(*lakes));
    lakes
        .map(Some)
        .ok_or_else(|| format!("{}={text:?}: {} has no such lakes", environment::LAKES, ruleset.id))
}

#[cfg(not(unix))]
/// Not supported: the umpire ends programs by process group, which this system does not have.
///
/// # Errors
/// Always.
pub fn umpire(
    _args: UmpireArgs,
    _stop: impl FnOnce() -> tokio::sync::mpsc::Receiver<()>,
) -> Result<u8, String> {
    Err("the umpire needs a Unix system: Linux, macOS, or WSL on Windows".to_owned())
}

#[cfg(unix)]
pub use self::unix::umpire;

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::io::{self, IsTerminal, Write};
    use std::sync::Arc;

    use flagfall_protocol::Exit;
    use flagfall_umpire::bout::Limits;
    use flagfall_umpire::line::fit_name;
    use flagfall_umpire::process::{self, Arena};
    use flagfall_umpire::program::{Program, set_apart};
    use flagfall_umpire::progress::Progress;
    use flagfall_umpire::series::{self, Plan, duel, round_robin};
    use flagfall_umpire::table::{Format, results};
    use tokio::sync::{mpsc, watch};

    use super::{ResultsFormat, UmpireArgs};

    /// Plays the games and prints the results.
    ///
    /// `stop` makes the receiver of signals that ask the program to end.
    ///
    /// # Errors
    /// What cannot be started or written.
    pub fn umpire(args: UmpireArgs, stop: impl FnOnce() -> mpsc::Receiver<()>) -> Result<u8, String> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| e.to_string())?;
        let arena = Arena::adopting();
        let result = runtime.block_on(run(args, arena.clone(), stop));
        // Every remaining program is dropped here and thereby killed.
        drop(runtime);
        arena.sweep();
        result
    }

    async fn run(
        args: UmpireArgs,
        arena: Arena,
        stop: impl FnOnce() -> mpsc::Receiver<()>,
    ) -> Result<u8, String> {
        let stop = until(stop());
        let plan = Arc::new(plan(&args).await?);
        let is_terminal = io::stderr().is_terminal();
        let mut progress = Progress::new(io::stderr(), is_terminal);
        let watch = {
            let plan = Arc::clone(&plan);
            move |played: &[series::Played], under_way| {
                // The games go on even if progress cannot be written.
                let _unseen = progress.tell(&plan, played, under_way);
                if under_way == 0 {
                    let _unseen = progress.clear();
                }
            }
        };
        let played = series::play(arena, Arc::clone(&plan), stop.clone(), watch).await;
        let played = played.map_err(|error| error.to_string())?;
        let format = match args.format {
            ResultsFormat::Text => Format::Text,
            ResultsFormat::Markdown => Format::Markdown,
            ResultsFormat::Csv => Format::Csv,
        };
        let shown = if args.out.is_some() { Format::Text } else { format };
        let mut text = results(&plan, &played, shown);
        if let Some(path) = &args.out {
            fs::write(path, results(&plan, &played, format))
                .map_err(|error| format!("{}: {error}", path.display()))?;
            text.push_str(&format!("\nWritten to {}.\n", path.display()));
        }
        print(&text)?;
        if *stop.borrow() {
            let (played, all) = (played.len(), plan.fixtures.len());
            // Standard error may be closed.
            let _unseen = writeln!(
                io::stderr(),
                "flagfall: stopped: {played} of {all} games were played to their end; the others do not count"
            );
            return Ok(Exit::Interrupted.code());
        }
        Ok(Exit::Done.code())
    }

    fn print(text: &str) -> Result<(), String> {
        match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    /// Turns true at the first signal.
    fn until(mut signals: mpsc::Receiver<()>) -> watch::Receiver<bool> {
        let (sender, stop) = watch::channel(false);
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                sender.send_replace(true);
            }
            // Keep consuming later signals; the umpire is already stopping.
            while signals.recv().await.is_some() {}
        });
        stop
    }

    /// The games to play, with programs that can be started.
    async fn plan(args: &UmpireArgs) -> Result<Plan, String> {
        let games = |without| args.games.map_or(without, |games| games as usize);
        let (programs, fixtures) = match (&args.all, &args.red, &args.blue) {
            (Some(folder), _, _) => {
                let programs = class(folder).await?;
                let fixtures = round_robin(programs.len(), games(2));
                (programs, fixtures)
            }
            (None, Some(red), Some(blue)) => {
                let red = program(red, args.red_name.as_deref()).await?;
                let blue = program(blue, args.blue_name.as_deref()).await?;
                let mut programs = vec![red, blue];
                set_apart(&mut programs);
                (programs, duel(games(1), args.swap))
            }
            (None, _, _) => return Err("--red and --blue, or --all, are wanted".to_owned()),
        };
        let deploy = args.deploy_time.unwrap_or(args.turn_time);
        Ok(Plan {
            ruleset: args.rules,
            limits: Limits { turn: args.turn_time, deploy },
            programs,
            fixtures,
            parallel: args.parallel.get(),
            records: args.record.clone(),
            logs: args.log.clone().or_else(|| args.record.clone()),
        })
    }

    async fn program(command: &str, name: Option<&str>) -> Result<Program, String> {
        let mut program = Program::of_command(command).map_err(|error| error.to_string())?;
        process::probe(&program)
            .await
            .map_err(|error| format!("{} cannot be started: {error}", program.path.display()))?;
        if let Some(name) = name {
            program.name = fit_name(name);
        }
        Ok(program)
    }

    /// The programs of a folder. Reports which ones were accepted and which were not.
    async fn class(folder: &std::path::Path) -> Result<Vec<Program>, String> {
        let found = Program::find_all(folder).map_err(|error| error.to_string())?;
        let mut passed_over = found.passed_over;
        let mut programs = Vec::new();
        for program in found.programs {
            match process::probe(&program).await {
                Ok(()) => programs.push(program),
                Err(error) => passed_over.push((program.name, format!("it cannot be started: {error}"))),
            }
        }
        let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        let mut words = format!("Playing: {}.\n", names.join(", "));
        for (name, why) in &passed_over {
            words.push_str(&format!("Not playing: {name}: {why}.\n"));
        }
        let words: String = words
            .chars()
            .map(|letter| if letter.is_control() && letter != '\n' { '?' } else { letter })
            .collect();
        let _unseen = io::stderr().write_all(words.as_bytes());
        if programs.len() < 2 {
            return Err(format!("{} has fewer than two programs that can be started", folder.display()));
        }
        Ok(programs)
    }
}
