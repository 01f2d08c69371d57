//! Backs up and restores a data folder, and reports the results to the person who started the
//! command.

use std::path::Path;

use flagfall_services::proof::{DAMAGED_KEY_FILE, KEY_FILE};
use flagfall_store::embedded::backup::{self, BackupError, Summary};
use flagfall_store::{SystemClock, WallClock};
use flagfall_words::counted;

use super::report::{Progress, say};

const MIB: u64 = 1024 * 1024;

/// Backs up a data folder to another folder. Returns the number of damaged parts.
pub(super) fn back_up(data: &Path, target: &Path) -> Result<usize, BackupError> {
    let others = [KEY_FILE, DAMAGED_KEY_FILE];
    let made = backup::back_up(data, &others, target, SystemClock.now(), &mut progress("backed up"))?;
    for damage in &made.damage {
        say(&format!("damage in the store: {damage}"));
    }
    let (copied, summary) = (size(made.copied), text(&made.summary));
    say(&format!("backed up to {}: {summary}; copied {copied} that were new", target.display()));
    Ok(made.damage.len())
}

/// Creates a data folder from a backup. Describes what was restored.
pub(super) fn restore(source: &Path, data: &Path) -> Result<String, BackupError> {
    let restored = backup::restore(source, data, SystemClock.now(), &mut progress("checked and copied"))?;
    let (summary, moment) = (text(&restored), restored.moment.utc());
    Ok(format!("restored into {}: {summary}\nall changes after {moment} are lost", data.display()))
}

/// Copies a backup to an empty folder, as a store that can be opened.
pub(super) fn copy(source: &Path, target: &Path) -> Result<(), BackupError> {
    backup::restore(source, target, SystemClock.now(), &mut progress("copied")).map(drop)
}

/// Checks every file of a backup against its checksum. Returns the number of damaged files.
pub(super) fn check(folder: &Path) -> Result<usize, BackupError> {
    let (summary, damage) = backup::check(folder, &mut progress("read"))?;
    damage.iter().for_each(|damage| say(damage));
    say(&format!("read a backup: {}", text(&summary)));
    Ok(damage.len())
}

fn text(summary: &Summary) -> String {
    let files = counted(summary.files, "file", "files");
    format!("{files} with {} of {}", size(summary.bytes), summary.moment.utc())
}

fn size(bytes: u64) -> String {
    match bytes {
        0..MIB => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{}.{} MiB", bytes / MIB, bytes % MIB * 10 / MIB),
    }
}

fn progress(what: &'static str) -> impl FnMut(u64, u64) {
    let mut progress = Progress::begin();
    move |done, total| progress.tell(format_args!("{what} so far: {} of {}", size(done), size(total)))
}
