//! The damage in the log that was reported to the operator before.
//!
//! Damage stays in a segment until the segment is compacted, so every start that reads the segment
//! finds it again. It is reported, and begins a new epoch, only once.
//!
//! The file begins with the number of the store. Each of the other lines describes the damage at
//! one place. If the file is gone or damaged, the damage is reported again.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::disk;
use super::files::Loss;

const NAME: &str = "damage";
const UNFINISHED: &str = "damage.new";

pub(super) struct KnownDamage {
    folder: PathBuf,
    first_line: String,
    lines: BTreeSet<String>,
}

impl KnownDamage {
    pub(super) fn read(folder: &Path, store: u64) -> io::Result<KnownDamage> {
        let bytes = disk::if_there(fs::read(folder.join(NAME)))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let first_line = format!("store {store:016x}");
        let mut lines = text.lines();
        let is_of_store = lines.next() == Some(&first_line);
        let lines = lines.filter(|_| is_of_store).map(str::to_owned).collect();
        Ok(KnownDamage { folder: folder.to_owned(), first_line, lines })
    }

    pub(super) fn contains(&self, loss: &Loss) -> bool {
        loss.end.is_some() && self.lines.contains(&loss.what)
    }

    /// Adds the damage that stays in the log. Other losses are not found again.
    pub(super) fn add(&mut self, loss: &Loss) {
        self.lines.extend(loss.end.map(|_| loss.what.clone()));
    }

    /// Durably replaces the file.
    pub(super) fn write(&self) -> io::Result<()> {
        let lines = std::iter::once(&self.first_line).chain(&self.lines);
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        let unfinished = self.folder.join(UNFINISHED);
        let file = disk::open(&unfinished, OpenOptions::new().create(true).truncate(true).write(true))?;
        disk::write_all_at(&file, text.as_bytes(), 0)?;
        disk::sync(&file)?;
        fs::rename(&unfinished, self.folder.join(NAME))?;
        File::open(&self.folder)?.sync_all()
    }
}
