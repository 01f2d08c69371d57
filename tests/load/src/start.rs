//! Measures how long the embedded store takes to open with many finished games in it, and with the
//! longest log that it reads completely after a kill.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use flagfall_board::GameId;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, SecretBytes, Store, SystemClock,
};

use crate::error::LoadError;
use crate::figure::{Figure, Target};

/// The number of bytes in an entry's body, which is the most that a plain move with its command
/// may have.
const BODY_BYTES: usize = 36;
/// Tasks that append at a time.
const TASKS: u32 = 1000;
/// The number of games in the process that is killed. With this number, the process dies shortly
/// before a checkpoint is due.
const LAST_GAMES: u32 = 3000;
const SECONDS_MOST: f64 = 2.0;
const MIB: u64 = 1024 * 1024;
/// After a kill, the store reads a log of up to this many MiB completely (`REREAD_BYTES_MAX` in
/// `server/store/src/embedded/open.rs`). Of a longer log, it reads only the last part.
const REREAD_MIB: u64 = 256;
/// The log stays this much shorter, because the store allocates space in advance, and because steps
/// differ in length.
const SPARE_MIB: u64 = 3;
/// The number of entries to write before looking at the length of the log again.
const STEP_ENTRIES: u32 = 100_000;

/// What to measure.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Plan {
    /// Finished games in the store.
    #[arg(long, default_value_t = 1_000_000)]
    games: u32,
    /// Entries of each game. Each entry is one append.
    #[arg(long, default_value_t = 100)]
    entries: u32,
    /// Folder of the store, on the disk to be measured. It needs about 100 bytes for each entry.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Run as the process that is killed (started by the measurement itself).
    #[arg(long, hide = true)]
    dies_in: Option<PathBuf>,
    /// In the process that is killed: write a log that is as long as possible, but that is still
    /// read completely.
    #[arg(long, hide = true)]
    rereads: bool,
}

/// Fills a store, and opens it after a planned stop and after a kill. Then kills a process with
/// the longest log that is read completely, and opens that store.
#[expect(clippy::print_stdout, reason = "a program for the terminal")]
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    let Plan { games, entries, .. } = *plan;
    if let Some(folder) = &plan.dies_in {
        let store = Arc::new(open(folder)?.0);
        match plan.rereads {
            false => fill_all(&store, games..games + LAST_GAMES, entries).await?,
            true => fill_log(&store, folder, entries).await?,
        }
        // Exit without closing anything, as a kill would.
        std::process::exit(0);
    }
    let scratch = match &plan.folder {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let folder = scratch.path().join("store");
    println!("{games} games with {entries} entries each are written first.");
    let begun = Instant::now();
    let store = Arc::new(open(&folder)?.0);
    fill_all(&store, 0..games, entries).await?;
    println!("They were written in {:.0} s.", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    drop(store);
    println!("The store stopped in {:.1} s.", begun.elapsed().as_secs_f64());
    let (store, planned) = open(&folder)?;
    drop(store);
    let killed = opened_after_kill(&folder, plan, &[])?;
    println!("Now a log of just under {REREAD_MIB} MiB is written.");
    let reread = opened_after_kill(&scratch.path().join("reread"), plan, &["--rereads"])?;
    let of = |name, seconds| Figure::of(name, seconds, "s").with_target(Target::AtMost(SECONDS_MOST));
    let figures = vec![
        of(format!("a start with {games} games after a planned stop"), planned),
        of(format!("a start with {games} games after a kill"), killed),
        of(format!("a start that reads a log of {REREAD_MIB} MiB after a kill"), reread),
    ];
    figures.iter().for_each(Figure::print);
    Ok(figures)
}

/// Runs the process that is killed. Returns the seconds that it then takes to open its store.
fn opened_after_kill(folder: &Path, plan: &Plan, more: &[&str]) -> Result<f64, LoadError> {
    let Plan { games, entries, .. } = *plan;
    let mut child = Command::new(std::env::current_exe()?);
    child.args(["start", "--games", &games.to_string(), "--entries", &entries.to_string(), "--dies-in"]);
    let status = child.arg(folder).args(more).status()?;
    if !status.success() {
        return Err(LoadError::Store(format!("the process that should die ended with {status}")));
    }
    Ok(open(folder)?.1)
}

/// Writes entries as long as the whole log is still read after a kill. Prints the length of the
/// log after each step.
#[expect(clippy::print_stdout, reason = "a program for the terminal")]
async fn fill_log(store: &Arc<EmbeddedStore>, folder: &Path, entries: u32) -> Result<(), LoadError> {
    let games = (STEP_ENTRIES / entries.max(1)).max(1);
    let (mut from, mut before, mut length) = (0, 0, 0);
    while 2 * length - before <= (REREAD_MIB - SPARE_MIB) * MIB {
        fill_all(store, from..from + games, entries).await?;
        from += games;
        before = length;
        let segments = std::fs::read_dir(folder.join("log"))?;
        length = segments.map(|entry| Ok(entry?.metadata()?.len())).sum::<std::io::Result<u64>>()?;
        println!("The log has {} of {REREAD_MIB} MiB.", length / MIB);
    }
    Ok(())
}

async fn fill_all(store: &Arc<EmbeddedStore>, games: Range<u32>, entries: u32) -> Result<(), LoadError> {
    let fill = |task| {
        let games = (games.start + task..games.end).step_by(TASKS as usize);
        tokio::spawn(fill(store.clone(), games, entries))
    };
    for task in (0..TASKS).map(fill).collect::<Vec<_>>() {
        task.await??;
    }
    Ok(())
}

fn open(folder: &Path) -> Result<(EmbeddedStore, f64), LoadError> {
    let begun = Instant::now();
    let opened = EmbeddedStore::open(folder, SystemClock, &EmbeddedOptions::default());
    let store = opened.map_err(|error| LoadError::Store(error.to_string()))?;
    Ok((store, begun.elapsed().as_secs_f64()))
}

/// Plays these games, one after the other.
async fn fill(
    store: Arc<EmbeddedStore>,
    games: impl Iterator<Item = u32>,
    entries: u32,
) -> Result<(), LoadError> {
    for number in games {
        let game = GameId::from_bits(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4);
        let game = game.ok_or_else(|| LoadError::Store("no id".to_owned()))?;
        let mut head = Head::START;
        for _ in 0..entries {
            let (bodies, writes) = (vec![SecretBytes::new(vec![7; BODY_BYTES])], Vec::new());
            let append = Append { game, expected: head, deadline: None, not_before: None, bodies, writes };
            head = match store.append(append).await {
                Ok(AppendOutcome::Ok { head, .. }) => head,
                other => return Err(LoadError::Store(format!("{other:?}"))),
            };
        }
    }
    Ok(())
}
