//! The trial as a command: plays, checks, prints the figures; exit code 0 only if every count of faults is zero.
#![expect(clippy::print_stdout, reason = "the figures are what the command is for")]
#![expect(clippy::print_stderr, reason = "how far it is goes beside the figures")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;
use flagfall_trial::{News, Options, Storage, run};

/// Plays many games over real sockets against servers that are killed meanwhile, and counts what went wrong.
#[derive(Debug, Parser)]
#[command(name = "flagfall-trial", version)]
struct Arguments {
    /// Games to play.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Spectators of each game.
    #[arg(long, default_value_t = 10)]
    spectators: usize,
    /// How often the server is killed (kill -9) and restarted while games run.
    #[arg(long, default_value_t = 10)]
    kills: usize,
    /// Games played twice with two hidden pieces exchanged.
    #[arg(long, default_value_t = 24)]
    pairs: usize,
    /// Games at a time.
    #[arg(long, default_value_t = 48)]
    concurrency: usize,
    /// The ply at which most games are resigned at the latest.
    #[arg(long, default_value_t = 300)]
    resign_after: u16,
    /// What everything random is made of; printed, so that a run can be repeated.
    #[arg(long)]
    seed: Option<u64>,
    /// Few games, few spectators, three kills: for the test suite.
    #[arg(long)]
    quick: bool,
    /// 600 games, 204 kills, before three servers and a Redis unless said otherwise. It takes long, and a quiet machine.
    #[arg(long, conflicts_with = "quick")]
    long: bool,
    /// Where the games are kept: in the server's folder, or in a Redis of the trial's own, which is killed now and then like the servers.
    #[arg(long, value_enum)]
    store: Option<StoreName>,
    /// Servers before the Redis.
    #[arg(long, default_value_t = 3)]
    servers: usize,
    /// The server's program; beside this one by default.
    #[arg(long, env = "FLAGFALL_SERVER_BIN")]
    server: Option<PathBuf>,
    /// The folder with setups-classic.txt and setups-barrage.txt.
    #[arg(long, env = "FLAGFALL_TEST_DATA", default_value = "../shared/data")]
    data_dir: PathBuf,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StoreName {
    Embedded,
    Redis,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        since.as_secs() ^ u64::from(since.subsec_nanos()) << 20
    });
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("flagfall-server"));
    let Some(server) = arguments.server.clone().or_else(beside).filter(|path| path.is_file()) else {
        eprintln!(
            "no flagfall-server beside this program: build it (cargo build --release -p flagfall-server), or name it with --server"
        );
        return ExitCode::from(2);
    };
    let mut options = Options {
        games: arguments.games,
        spectators: arguments.spectators,
        kills: arguments.kills,
        pairs: arguments.pairs,
        concurrency: arguments.concurrency,
        resign_after: arguments.resign_after,
        seed,
        run_max: Duration::from_secs(20 * 60),
        storage: match arguments.store {
            Some(StoreName::Embedded) => Storage::Embedded,
            None if !arguments.long => Storage::Embedded,
            Some(StoreName::Redis) | None => Storage::Redis { servers: arguments.servers },
        },
        server,
        data: arguments.data_dir,
    };
    if arguments.quick {
        options = Options { games: 20, spectators: 3, kills: 3, pairs: 4, resign_after: 60, ..options };
    }
    if arguments.long {
        options = Options { games: 600, kills: 204, run_max: Duration::from_secs(3 * 60 * 60), ..options };
    }
    println!(
        "{} games, {} spectators each, {} kills, {} paired games; seed {seed}",
        options.games, options.spectators, options.kills, options.pairs
    );
    let report = Box::pin(run(&options, |news| match news {
        News::Progress(text) => eprintln!("{text}"),
        News::Planted(planted) => {
            let verdict = match planted.found {
                None => "no place to plant it".to_owned(),
                Some(0) => "NOT FOUND".to_owned(),
                Some(count) => format!("found ({count})"),
            };
            println!("  planted: {:<52} {verdict}", planted.what);
        }
    }))
    .await;
    match report {
        Ok(report) => {
            println!("{report}");
            let failures = report.failures();
            if failures.is_empty() {
                println!("all counts of faults are zero; seed {seed}");
                return ExitCode::SUCCESS;
            }
            println!("FAILED, seed {seed}: {}", failures.join("; "));
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("FAILED, seed {seed}: {error}");
            ExitCode::FAILURE
        }
    }
}
