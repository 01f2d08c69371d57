//! The trial as a command. Plays, checks, and prints the figures. The exit code is 0 only if
//! every count of faults is zero.
#![expect(clippy::print_stdout, reason = "the figures are what the command is for")]
#![expect(clippy::print_stderr, reason = "how far it is goes beside the figures")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;
use flagfall_trial::{News, Options, Patience, PlantedServer, Storage, run, run_planted};

/// Plays many games over real sockets against servers that are killed again and again, and counts
/// the errors.
#[derive(Debug, Parser)]
#[command(name = "flagfall-trial", version)]
struct Arguments {
    /// Number of games to play.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Number of spectators of each game.
    #[arg(long, default_value_t = 10)]
    spectators: usize,
    /// Number of times that the server is killed (kill -9) and restarted while games run.
    #[arg(long, default_value_t = 10)]
    kills: usize,
    /// Number of games that are played twice, with the same public moves but different secrets.
    /// They take all rulesets in turn.
    #[arg(long, default_value_t = 24)]
    pairs: usize,
    /// Number of games at a time.
    #[arg(long, default_value_t = 48)]
    concurrency: usize,
    /// Most games are resigned at this ply at the latest.
    #[arg(long, default_value_t = 300)]
    resign_after: u16,
    /// The longest time that players think about a move, in milliseconds.
    #[arg(long, default_value_t = 0)]
    think_ms: usize,
    /// The seed of all random choices. It is printed, so that a run can be repeated.
    #[arg(long)]
    seed: Option<u64>,
    /// Run with few games, few spectators and few kills, for the test suite. With --store redis,
    /// each kind of failure happens at least once; with --store cluster, each kind that only a
    /// cluster can have.
    #[arg(long)]
    quick: bool,
    /// Run with at least 200 kills and 100,000 acknowledged commands. Unless other flags say
    /// otherwise, there are three servers and a Redis.
    #[arg(long, conflicts_with = "quick")]
    long: bool,
    /// The store of the games: the server's data folder, or the trial's own Redis or Redis Cluster,
    /// which is killed from time to time like the servers.
    #[arg(long, value_enum)]
    store: Option<StoreName>,
    /// Number of servers that share the Redis or the cluster.
    #[arg(long, default_value_t = 3)]
    servers: usize,
    /// The server program. The default is the one beside this program.
    #[arg(long, env = "FLAGFALL_SERVER_BIN")]
    server: Option<PathBuf>,
    /// Only check that the trial finds the faults planted in this server program, which must be
    /// built with the feature planted-faults.
    #[arg(long, conflicts_with_all = ["long", "quick"])]
    planted_server: Option<PathBuf>,
    /// Time in milliseconds within which clients of a killed server must see their game on another
    /// server, if nothing else fails. On a busy machine, set it higher than the promised time.
    #[arg(long, default_value_t = 2_000)]
    elsewhere_ms: u64,
    /// Time in milliseconds within which clients must be told that the store is away; for a part of
    /// a cluster, two seconds more. On a busy machine, set it higher than the promised time.
    #[arg(long, default_value_t = 2_500)]
    told_ms: u64,
    /// Keep the servers' logs and data at the end, and print where they are.
    #[arg(long)]
    keep: bool,
    /// The folder with setups-classic.txt and setups-barrage.txt.
    #[arg(long, env = "FLAGFALL_TEST_DATA", default_value = "../shared/data")]
    data_dir: PathBuf,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StoreName {
    Embedded,
    Redis,
    Cluster,
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
        think_ms: arguments.think_ms,
        seed,
        patience: patience(20),
        storage: match arguments.store {
            Some(StoreName::Embedded) => Storage::Embedded,
            None if !arguments.long => Storage::Embedded,
            Some(StoreName::Redis) | None => Storage::Redis { servers: arguments.servers },
            Some(StoreName::Cluster) => Storage::Cluster { servers: arguments.servers },
        },
        server,
        environment: Vec::new(),
        elsewhere_max_ms: arguments.elsewhere_ms,
        told_max_ms: arguments.told_ms,
        rehearses: true,
        keeps: arguments.keep,
        data: arguments.data_dir,
    };
    let is_shared = options.storage != Storage::Embedded;
    if arguments.quick {
        options = Options { games: 20, spectators: 3, kills: 3, pairs: 12, resign_after: 60, ..options };
    }
    if arguments.quick && is_shared {
        // One round of all mishaps, with games that last as long as the round. The checker
        // rehearses in the short run with a data folder.
        let rehearses = false;
        options = Options { games: 48, kills: 9, concurrency: 16, think_ms: 1_000, rehearses, ..options };
    }
    if arguments.quick && matches!(options.storage, Storage::Cluster { .. }) {
        options = Options { games: 18, kills: 5, concurrency: 18, pairs: 2, ..options };
    }
    if arguments.long {
        let patience = patience(2 * 60);
        options = Options { games: 440, kills: 204, think_ms: 1_500, resign_after: 320, patience, ..options };
    }
    if let Some(program) = arguments.planted_server {
        return look_for_planted(Options { server: program, ..options }).await;
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

/// The time limits of an ordinary run, in minutes for all games.
fn patience(minutes: u64) -> Patience {
    let run = Duration::from_secs(minutes * 60);
    // Servers forget an append that was listed, but not made, after a minute.
    let (completion, archive) = (Duration::from_secs(90), Duration::from_secs(60));
    Patience { run, stall: run, completion, archive }
}

/// Makes short runs on servers with planted faults. The check for each fault must find it.
async fn look_for_planted(options: Options) -> ExitCode {
    let options = Options {
        games: 14,
        spectators: 2,
        concurrency: 14,
        resign_after: 40,
        think_ms: 200,
        patience: Patience {
            run: Duration::from_secs(5 * 60),
            // With some faults, games stand still. They would be waited for to the end.
            stall: Duration::from_secs(8),
            completion: Duration::from_secs(15),
            archive: Duration::ZERO,
        },
        ..options
    };
    println!("servers with planted faults; seed {}", options.seed);
    let planted = match Box::pin(run_planted(&options, |text| eprintln!("{text}"))).await {
        Ok(planted) => planted,
        Err(error) => {
            println!("FAILED, seed {}: {error}", options.seed);
            return ExitCode::FAILURE;
        }
    };
    let mut are_all_found = true;
    for PlantedServer { name, is_found, found } in planted {
        are_all_found &= is_found;
        println!("  {name:<20} {}", if is_found { "found" } else { "NOT FOUND" });
        for (fault, count, example) in found {
            println!("    {} ({count}): {}", fault.words(), example.chars().take(200).collect::<String>());
        }
    }
    if are_all_found { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
