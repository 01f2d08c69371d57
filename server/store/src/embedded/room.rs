//! Watches the free space on the disk, and decides when the store pauses and resumes.
//!
//! The store pauses a little before the disk is full, to leave some space for compaction and for
//! other programs. It resumes when clearly more space is free.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
use rustix::fs::statvfs;

use super::disk;
use super::error::EmbeddedOpenError;
use super::options::EmbeddedOptions;
use crate::store::{DiskSpace, StoreError};

const MIB: u64 = 1024 * 1024;
/// The size of a test file that shows whether a full disk accepts writes again. The free space
/// that the file system reports is not enough, because it does not include quotas.
const TRIAL_BYTES: usize = MIB as usize;
const TRIAL: &str = "trial";

#[derive(Clone, PartialEq, Eq, Debug)]
enum State {
    Open,
    /// Little space is left, so the store accepts only requests that free space.
    Low,
    /// A write found no space, so the store accepts no requests. The field describes that write.
    Full(String),
}

pub(super) struct Room {
    folder: PathBuf,
    pause_below: u64,
    resume_from: u64,
    /// The number of free bytes at the last check.
    free: AtomicU64,
    state: RwLock<State>,
}

impl Room {
    /// Checks the disk for the first time.
    pub(super) fn new(folder: &Path, options: &EmbeddedOptions) -> io::Result<Room> {
        let EmbeddedOptions { pause_below, resume_from, .. } = *options;
        let free = AtomicU64::new(0);
        let state = RwLock::new(State::Open);
        let room = Room { folder: folder.to_owned(), pause_below, resume_from, free, state };
        room.look()?;
        Ok(room)
    }

    /// Asks the file system for the number of free bytes, and pauses the store if there are too
    /// few.
    pub(super) fn look(&self) -> io::Result<()> {
        let found = statvfs(&self.folder)?;
        let free = found.f_bavail.saturating_mul(found.f_frsize);
        #[cfg(test)]
        let free = disk::planted::free_bytes(&self.folder).unwrap_or(free);
        self.free.store(free, Ordering::Relaxed);
        let mut state = self.state.write();
        if *state == State::Open && free < self.pause_below {
            tracing::error!(bytes = free, "the disk is almost full: games pause until there is room again");
            *state = State::Low;
        }
        Ok(())
    }

    pub(super) fn space(&self) -> DiskSpace {
        DiskSpace { free_bytes: self.free.load(Ordering::Relaxed), is_paused: self.is_paused() }
    }

    pub(super) fn is_paused(&self) -> bool {
        *self.state.read() != State::Open
    }

    /// Returns an error if the store pauses.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match &*self.state.read() {
            State::Open => Ok(()),
            State::Low => {
                let free = self.free.load(Ordering::Relaxed) / MIB;
                Err(StoreError::Unavailable { why: self.why(&format!("almost full ({free} MiB are free)")) })
            }
            State::Full(what) => Err(StoreError::Unavailable { why: self.why(&format!("full: {what}")) }),
        }
    }

    /// Returns an error if the disk has too little space to open the store.
    pub(super) fn check_start(&self) -> Result<(), EmbeddedOpenError> {
        let (free, least) = (self.free.load(Ordering::Relaxed), self.pause_below / 2);
        if free >= least {
            return Ok(());
        }
        let (free_mib, least_mib) = (free / MIB, least / MIB);
        Err(EmbeddedOpenError::DiskFull { folder: self.folder.clone(), free_mib, least_mib })
    }

    /// Returns an error if a write has found no space.
    pub(super) fn check_usable(&self) -> Result<(), StoreError> {
        let is_full = matches!(*self.state.read(), State::Full(_));
        if is_full { self.check() } else { Ok(()) }
    }

    fn why(&self, how: &str) -> String {
        let (folder, enough) = (self.folder.display(), self.resume_from / MIB);
        format!("the disk of {folder} is {how}. Games go on by themselves when {enough} MiB are free")
    }

    /// Records that a write found no space. Returns the reason to give to callers.
    pub(super) fn note_full(&self, what: &str, error: &dyn Display) -> String {
        let what = format!("{what} ({error})");
        let mut state = self.state.write();
        if !matches!(*state, State::Full(_)) {
            tracing::error!(reason = what, "the disk is full: games pause until there is room again");
            *state = State::Full(what.clone());
        }
        self.why(&format!("full: {what}"))
    }

    /// True if a write has found no space, but some space seems to be free again.
    pub(super) fn is_worth_a_trial(&self) -> bool {
        matches!(*self.state.read(), State::Full(_))
            && self.free.load(Ordering::Relaxed) >= self.pause_below / 2
    }

    /// Writes a test file and removes it. Returns an error if the disk is still full.
    pub(super) fn try_disk(&self) -> io::Result<()> {
        let path = self.folder.join(TRIAL);
        // The bytes look random, because some file systems compress repeated bytes.
        let mut bytes = Vec::with_capacity(TRIAL_BYTES);
        let words = (0_u64..).map(|number| xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes()));
        words.take(TRIAL_BYTES / 8).for_each(|word| bytes.extend(word.to_le_bytes()));
        let mut options = std::fs::OpenOptions::new();
        let tried = disk::open(&path, options.create(true).truncate(true).write(true))
            .and_then(|file| disk::write_all_at(&file, &bytes, 0).and_then(|()| file.sync_all()));
        disk::if_there(std::fs::remove_file(&path))?;
        tried
    }

    /// Records that a write could succeed again. Before this call, all writes that found no space
    /// must have been repeated.
    pub(super) fn note_usable(&self) {
        *self.state.write() = State::Low;
    }

    /// True if the store pauses but could resume.
    pub(super) fn is_enough(&self) -> bool {
        *self.state.read() == State::Low && self.free.load(Ordering::Relaxed) >= self.resume_from
    }

    /// Accepts changes again, unless a write has just found no space.
    pub(super) fn resume(&self) {
        let mut state = self.state.write();
        if *state == State::Low {
            tracing::info!("there is room on the disk again: games go on");
            *state = State::Open;
        }
    }
}
