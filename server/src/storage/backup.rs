//! `store backup` and `store restore`: copies of a data folder.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use flagfall_game::note_outage;
use flagfall_services::proof::{DAMAGED_KEY_FILE, KEY_FILE};
use flagfall_store::embedded::backup;
use flagfall_store::{Store, SystemClock, WallClock};

use super::{OpenFailure, PROGRESS, StoreFailure, open_embedded, say};
use crate::config::{Config, StoreKind};

const MIB: u64 = 1024 * 1024;

/// Backs up the data folder into another folder.
pub(super) fn back_up(config: &Config, target: &Path) -> Result<(), StoreFailure> {
    let data = data_folder(config)?;
    let others = [KEY_FILE, DAMAGED_KEY_FILE];
    let made = backup::back_up(data, &others, target, SystemClock.now(), &mut progress("backed up"))?;
    for damage in &made.damage {
        say(&format!("damage in the store: {damage}"));
    }
    let (copied, summary) = (size(made.copied), text(&made.summary));
    say(&format!("backed up to {}: {summary}, of which {copied} were copied now", target.display()));
    match made.damage.len() {
        0 => Ok(()),
        files => Err(StoreFailure::Damaged { games: 0, files }),
    }
}

/// Makes the data folder from a backup.
pub(super) async fn restore(config: &Config, source: &Path) -> Result<(), StoreFailure> {
    let data = data_folder(config)?;
    let restored = backup::restore(source, data, SystemClock.now(), &mut progress("checked and copied"))?;
    let store = open_embedded(config, data).map_err(OpenFailure::from)?;
    // The clocks of running games have stood still since the backup.
    if let Some(since) = store.last_heartbeat().await? {
        note_outage(&store, since).await?;
    }
    say(&format!("restored into {}: {}", data.display(), text(&restored)));
    say(&format!("what happened after {} is gone", restored.moment.utc()));
    Ok(())
}

/// Checks a backup: every file of it against its checksum.
pub(super) fn check(folder: &Path) -> Result<(), StoreFailure> {
    let (summary, damage) = backup::check(folder, &mut progress("read"))?;
    damage.iter().for_each(|damage| say(damage));
    say(&format!("read a backup: {}", text(&summary)));
    if damage.is_empty() {
        say("nothing is wrong with it");
        return Ok(());
    }
    Err(StoreFailure::Damaged { games: 0, files: damage.len() })
}

fn data_folder(config: &Config) -> Result<&Path, StoreFailure> {
    match config.store {
        StoreKind::Embedded => Ok(&config.data),
        StoreKind::Memory => Err(StoreFailure::Memory),
        StoreKind::Redis(_) => Err(StoreFailure::NotOfRedis),
    }
}

fn text(summary: &backup::Summary) -> String {
    format!("{} files with {} of {}", summary.files, size(summary.bytes), summary.moment.utc())
}

fn size(bytes: u64) -> String {
    match bytes {
        0..MIB => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{}.{} MiB", bytes / MIB, bytes % MIB * 10 / MIB),
    }
}

/// Reports progress once a second.
fn progress(what: &'static str) -> impl FnMut(u64, u64) {
    let mut told = Instant::now();
    move |done, total| {
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            writeln!(io::stderr(), "{what} so far: {} of {}", size(done), size(total)).ok();
        }
    }
}
