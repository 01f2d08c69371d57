//! Records of runs: a file for each run in `docs/benchmarks/runs`, and a page of trends made from
//! these files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use flagfall_board::Stamp;
use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::figure::{Figure, quantity};

/// The folder of the runs, and the page beside it.
const FOLDER: &str = "docs/benchmarks/runs";
const PAGE: &str = "docs/benchmarks/trends.md";
/// The maximum number of runs that the page shows for each command. These are the newest runs.
const SHOWN_MAX: usize = 5;

#[derive(Serialize, Deserialize)]
struct Run {
    /// The day, in UTC.
    date: String,
    /// The commit that was measured. `+` marks uncommitted changes.
    commit: String,
    /// The program's arguments, without those that do not change what is measured.
    command: String,
    cores: usize,
    processor: String,
    /// The average number of processes that were running or waiting in the minute before the run.
    /// On a quiet machine, it is well below 1.
    load_before: f64,
    figures: Vec<Figure>,
}

/// Facts that are collected before the run.
pub(crate) struct Recorder {
    root: PathBuf,
    command: String,
    load_before: f64,
}

impl Recorder {
    /// Prepares to record a run in this checkout.
    ///
    /// # Errors
    /// The current folder is not a checkout of Flagfall.
    pub(crate) fn new() -> Result<Recorder, LoadError> {
        let root = std::env::current_dir()?;
        if !root.join("docs/benchmarks").is_dir() {
            return Err(LoadError::NoCheckout);
        }
        // Where the server's program is differs between machines and is not measured.
        let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--record").collect();
        if let Some(at) = words.iter().position(|word| word == "--server") {
            words.drain(at..words.len().min(at + 2));
        }
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load_before = load.split(' ').next().and_then(|minute| minute.parse().ok()).unwrap_or_default();
        Ok(Recorder { root, command: words.join(" "), load_before })
    }

    /// Writes the run's file and the page. Returns the file's path.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(crate) fn write(self, figures: Vec<Figure>) -> Result<PathBuf, LoadError> {
        let run = Run {
            date: today(),
            commit: self.commit(),
            command: self.command,
            cores: std::thread::available_parallelism()?.get(),
            processor: processor(),
            load_before: self.load_before,
            figures,
        };
        let folder = self.root.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let subject = run.command.split(' ').next().filter(|word| !word.is_empty() && !word.starts_with('-'));
        let name = format!("{}-{}", run.date, subject.unwrap_or("moves"));
        let path = (1_u32..).map(|number| folder.join(format!("{name}-{number}.json")));
        let path = path.into_iter().find(|path| !path.exists()).unwrap_or_else(|| folder.join("run.json"));
        fs::write(&path, serde_json::to_string_pretty(&run).map_err(std::io::Error::from)? + "\n")?;
        fs::write(self.root.join(PAGE), page(&runs(&folder)?))?;
        Ok(path)
    }

    fn commit(&self) -> String {
        let git = |words: &[&str]| {
            let output = Command::new("git").args(words).current_dir(&self.root).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let commit = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
        let changes = git(&["status", "--porcelain", "--untracked-files=no"]).unwrap_or_default();
        if changes.is_empty() { commit } else { commit + "+" }
    }
}

/// Today's date in UTC, as YYYY-MM-DD.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Stamp(u64::try_from(since.as_millis()).unwrap_or_default()).utc();
    now.chars().take(10).collect()
}

fn processor() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned())
}

/// All runs of a folder, ordered by file name, so the oldest comes first.
fn runs(folder: &Path) -> Result<Vec<Run>, LoadError> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path)?;
        serde_json::from_str(&text).map_err(|error| LoadError::Run(path.clone(), error))
    };
    paths.iter().map(read).collect()
}

fn page(runs: &[Run]) -> String {
    let mut page = String::from(
        "# Trends\n\nWritten by `flagfall-load … --record` from the files in [runs](runs/); do not edit.\n\
         A run's column names its commit (`+`: with changes beside it) and the load before it; below 1\n\
         the machine was quiet. Ratios within one run are worth more than absolute figures.\n",
    );
    let commands: BTreeSet<&str> = runs.iter().map(|run| run.command.as_str()).collect();
    for command in commands {
        let of_command: Vec<&Run> = runs.iter().filter(|run| run.command == command).collect();
        let shown = &of_command[of_command.len().saturating_sub(SHOWN_MAX)..];
        let title = if command.is_empty() { "flagfall-load" } else { command };
        let _infallible = write!(page, "\n## `{title}`\n\n| figure | target |");
        for run in shown {
            let _infallible = write!(page, " {} {}, load {:.1} |", run.date, run.commit, run.load_before);
        }
        let _infallible = writeln!(page, "\n|---|---|{}", "---|".repeat(shown.len()));
        let Some(newest) = shown.last() else { continue };
        for figure in &newest.figures {
            let target = figure.target.map_or_else(|| "–".to_owned(), |target| target.text(&figure.unit));
            let _infallible = write!(page, "| {} | {target} |", figure.name);
            for run in shown {
                let then = run.figures.iter().find(|then| then.name == figure.name);
                let _infallible = write!(page, " {} |", then.map_or_else(|| "–".to_owned(), cell));
            }
            page.push('\n');
        }
        let _infallible = writeln!(page, "\nNewest run: {} cores, {}.", newest.cores, newest.processor);
    }
    page
}

fn cell(figure: &Figure) -> String {
    let mut cell = quantity(figure.value, &figure.unit);
    if !figure.detail.is_empty() {
        let _infallible = write!(cell, " ({})", figure.detail);
    }
    if figure.is_met() == Some(false) {
        cell.push_str(", missed");
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Target;

    fn run(date: &str, value: f64) -> Run {
        let figure = Figure::ratio("processor time a move, in memory", value);
        Run {
            date: date.to_owned(),
            commit: "abc1234".to_owned(),
            command: "targets".to_owned(),
            cores: 2,
            processor: "a processor".to_owned(),
            load_before: 0.12,
            figures: vec![figure.with_target(Target::AtMost(1.0)).with_detail("21.0 µs".to_owned())],
        }
    }

    #[test]
    fn the_page_shows_the_newest_runs_and_what_is_missed() {
        let days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05", "2026-01-06"];
        let runs: Vec<Run> =
            days.iter().zip(0_u32..).map(|(day, n)| run(day, 1.2 - 0.05 * f64::from(n))).collect();
        let page = page(&runs);
        assert!(!page.contains("2026-01-01"), "{page}");
        assert!(page.contains("| 2026-01-06 abc1234, load 0.1 |"), "{page}");
        assert!(
            page.contains("| processor time a move, in memory | at most 1.00 × | 1.15 × (21.0 µs), missed |"),
            "{page}"
        );
        assert!(page.contains("| 0.95 × (21.0 µs) |"), "{page}");
    }

    #[test]
    fn the_page_of_this_checkout_is_current() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let runs = runs(&root.join(FOLDER)).expect("the runs can be read");
        flagfall_tests::check_generated(&root.join(PAGE), &page(&runs), "flagfall-load");
    }
}
