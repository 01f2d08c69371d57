//! Measures the effect that attacks from one address have on all other players.
//!
//! The server runs with its defaults on one core. The attacker runs on the other core, together
//! with honest players, who each have their own address. Some are pairs that move at an even
//! pace. Others are newcomers who offer a game, withdraw it, and begin a game against a house
//! player. Each attack is compared with a run in which the attacker uses the same share of its
//! core on a closed port. All addresses are loopback.

mod attackers;
mod honest;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::duel::median;
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::{LISTENING, Measured};
use attackers::ATTACKING;
pub(crate) use attackers::{Attack, Attacker};
use honest::Noticed;

/// The core of the server, and the core of all clients.
const SERVER_CORE: usize = 0;
const CLIENT_CORE: usize = 1;
/// The limit for honest moves: the 99th percentile under attack, as a multiple of the percentile
/// without an attack.
const LATENCY_RATIO_MAX: f64 = 2.0;

/// The attacks to run, and their sizes.
#[derive(Clone, clap::Args)]
pub(crate) struct Plan {
    /// The attacks to run. If none is named, all of them run.
    #[arg(value_enum)]
    attacks: Vec<Attack>,
    /// How long each run lasts, in seconds.
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Number of runs of each attack. Each run is paired with a comparison run, and the median of
    /// the results counts.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Number of honest pairs.
    #[arg(long, default_value_t = 4)]
    pairs: u32,
    /// The time between two moves of an honest pair, in milliseconds.
    #[arg(long, default_value_t = 100)]
    pace_ms: u64,
    /// The server program. The default is the one beside this program, built with the same
    /// profile.
    #[arg(long, env = "FLAGFALL_SERVER_BIN", default_value_os_t = crate::stand::server_beside())]
    server: PathBuf,
    /// More arguments for the server, such as `--server-arg=--max-connections --server-arg=500`.
    #[arg(long, allow_hyphen_values = true)]
    server_arg: Vec<String>,
}

struct Run {
    noticed: Noticed,
    share: f64,
    server_share: f64,
    /// The server's memory at the end, in MiB.
    server_mib: f64,
    /// Growth of the data folder, in MiB.
    disk_mib: f64,
}

/// Runs all attacks and prints a line for each. The server withstands the attacks if all figures
/// meet their targets.
///
/// # Errors
/// [`LoadError`] if a program does not start, or an honest player gets an unexpected answer.
#[expect(clippy::print_stdout, reason = "a program for the terminal")]
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    pin_to(CLIENT_CORE)?;
    let attacks = if plan.attacks.is_empty() { Attack::ALL.to_vec() } else { plan.attacks.clone() };
    println!(
        "{} honest pairs, a move every {} ms each; {} s a run; 99 of 100 moves reach the opponent within",
        plan.pairs, plan.pace_ms, plan.seconds
    );
    let mut figures = Vec::new();
    for attack in attacks {
        let (mut ratios, mut refused) = (Vec::new(), 0);
        for round in 1..=plan.rounds.max(1) {
            let attacked = one(plan, attack, None).await?;
            let beside = one(plan, Attack::ClosedPort, Some(attacked.share)).await?;
            let [with, without] = [&attacked, &beside].map(|run| run.noticed.p99_us());
            refused += attacked.noticed.refused.len();
            ratios.push(with as f64 / without.max(1) as f64);
            println!(
                "{:<12} round {round}: {with:>7} µs, without {without:>6} µs; {:>2} newcomers in, slowest {:>5} ms, {} refused; \
                 attacker {:>3.0} % of its core, server {:>3.0} %, {:>4.0} MiB, disk +{:.1} MiB",
                attack.name(),
                attacked.noticed.newcomers_ms.len(),
                attacked.noticed.newcomers_ms.iter().max().copied().unwrap_or(0),
                attacked.noticed.refused.len(),
                attacked.share * 100.0,
                attacked.server_share * 100.0,
                attacked.server_mib,
                attacked.disk_mib,
            );
            for why in attacked.noticed.refused.iter().take(2) {
                println!("{:<12}   a newcomer was refused: {why}", "");
            }
            for why in beside.noticed.refused.iter().take(2) {
                println!("{:<12}   a newcomer was refused without an attack: {why}", "");
            }
        }
        let ratio = median(ratios.into_iter()).unwrap_or(f64::INFINITY);
        let holds = ratio <= LATENCY_RATIO_MAX && refused == 0;
        println!(
            "{:<12} {ratio:.2} × (at most {LATENCY_RATIO_MAX:.1}), {refused} newcomers refused: {}",
            attack.name(),
            if holds { "holds" } else { "DOES NOT HOLD" }
        );
        let time = Figure::ratio(format!("99 % to the opponent under `{}`", attack.name()), ratio);
        figures.push(time.with_target(Target::AtMost(LATENCY_RATIO_MAX)));
        let refused = Figure::of(format!("newcomers refused under `{}`", attack.name()), refused as f64, "");
        figures.push(refused.with_target(Target::AtMost(0.0)));
    }
    Ok(figures)
}

/// Makes one run with its own server.
async fn one(plan: &Plan, attack: Attack, share: Option<f64>) -> Result<Run, LoadError> {
    let folder = tempfile::tempdir()?;
    let server = start_server(plan, &folder).await?;
    let mut words = vec!["attacker".to_owned(), attack.name().to_owned(), server.address.clone()];
    words.extend(share.map(|share| format!("--share={share:.3}")));
    let program = std::env::current_exe()?;
    let pairs = honest::pairs(&server.address, plan.pairs).await?;
    let attacker = Measured::start_on(CLIENT_CORE, &program, &words, ATTACKING).await?;
    let (began, disk) = (Instant::now(), disk_bytes(&folder));
    let before = [attacker.cpu_seconds()?, server.cpu_seconds()?];
    let pace = Duration::from_millis(plan.pace_ms.max(1));
    let lasting = Duration::from_secs(plan.seconds.max(1));
    let noticed = honest::play(&server.address, pairs, pace, lasting).await?;
    let seconds = began.elapsed().as_secs_f64();
    let after = [attacker.cpu_seconds()?, server.cpu_seconds()?];
    Ok(Run {
        noticed,
        share: (after[0] - before[0]) / seconds,
        server_share: (after[1] - before[1]) / seconds,
        server_mib: server.memory_bytes()? / 1024.0 / 1024.0,
        disk_mib: (disk_bytes(&folder) - disk) / 1024.0 / 1024.0,
    })
}

async fn start_server(plan: &Plan, folder: &TempDir) -> Result<Measured, LoadError> {
    let data = folder.path().join("data").display().to_string();
    let words = ["--listen", "127.0.0.1:0", "--metrics-listen", "none", "--log", "warn", "--data", &data];
    let words: Vec<String> =
        words.into_iter().map(str::to_owned).chain(plan.server_arg.iter().cloned()).collect();
    Measured::start_on(SERVER_CORE, &plan.server, &words, LISTENING).await
}

/// Pins this process and all its threads to one core.
fn pin_to(core: usize) -> Result<(), LoadError> {
    let id = std::process::id().to_string();
    let pinned = std::process::Command::new("taskset")
        .args(["-acp", &core.to_string(), &id])
        .stdout(std::process::Stdio::null())
        .status()?;
    if pinned.success() { Ok(()) } else { Err(LoadError::Answer("taskset failed".to_owned())) }
}

/// The total size of the files in a folder.
fn disk_bytes(folder: &TempDir) -> f64 {
    fn of(folder: &std::path::Path) -> u64 {
        let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
        let sizes = entries.flatten().filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            Some(if metadata.is_dir() { of(&entry.path()) } else { metadata.len() })
        });
        sizes.sum()
    }
    of(folder.path()) as f64
}
