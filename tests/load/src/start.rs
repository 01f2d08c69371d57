//! Measures how long the embedded store takes to open with many finished games in it.

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
}

/// Fills a store, and opens it after a planned stop and after a kill.
#[expect(clippy::print_stdout, reason = "a program for the terminal")]
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    let Plan { games, entries, .. } = *plan;
    if let Some(folder) = &plan.dies_in {
        let store = Arc::new(open(folder)?.0);
        fill_all(&store, games..games + LAST_GAMES, entries).await?;
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
    let mut child = Command::new(std::env::current_exe()?);
    child.args(["start", "--games", &games.to_string(), "--entries", &entries.to_string(), "--dies-in"]);
    let status = child.arg(&folder).status()?;
    if !status.success() {
        return Err(LoadError::Store(format!("the process that should die ended with {status}")));
    }
    let (_store, killed) = open(&folder)?;
    let of = |seconds, how| {
        let name = format!("a start with {games} games after {how}");
        Figure::of(name, seconds, "s").with_target(Target::AtMost(SECONDS_MOST))
    };
    let figures = vec![of(planned, "a planned stop"), of(killed, "a kill")];
    figures.iter().for_each(Figure::print);
    Ok(figures)
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
