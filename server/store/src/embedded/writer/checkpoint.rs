//! Checkpoints of the index, and recovery after a full disk.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use super::{Unstored, Writer};
use crate::embedded::access_error::AccessError;
use crate::embedded::index::Index;
use crate::embedded::notes;

impl Unstored {
    fn store(&self, index: &Index, folder: &Path) -> Result<(), AccessError> {
        index.store(&self.checkpoint)?;
        self.drop_notes(folder)
    }

    /// Removes the notes that are not needed after this checkpoint.
    fn drop_notes(&self, folder: &Path) -> Result<(), AccessError> {
        Ok(notes::remove_until(folder, self.noted)?)
    }
}

impl Writer {
    /// Completes the index, so that the next start need not read the log.
    pub(super) fn finish(&mut self) {
        self.wait_for_checkpoint();
        if self.shared.check_place().is_err() {
            return;
        }
        // After an error, the next start removes the unused space.
        self.tail.release_unused().ok();
        // If a checkpoint found the disk full, the database accepts no more writes.
        let is_complete = self.unstored.is_none()
            && self
                .freeze()
                .is_some_and(|last| self.is_stored(last.store(&self.reader.index, &self.shared.folder)));
        self.shared.is_complete.store(is_complete, Ordering::SeqCst);
        if !is_complete {
            tracing::warn!("the index could not be completed: the next start reads more of the log");
        }
    }

    pub(super) fn wait_for_checkpoint(&mut self) {
        match self.checkpoint.take().map(JoinHandle::join) {
            Some(Ok(unstored)) => self.unstored = unstored,
            None => {}
            Some(Err(_)) => {
                self.shared.fail("writing the index panicked; the process must be started again");
            }
        }
    }

    /// Begins a checkpoint and a new file of notes.
    fn freeze(&mut self) -> Option<Unstored> {
        if self.reader.index.is_frozen() {
            return None;
        }
        match self.notes.turn() {
            Ok(noted) => {
                let checkpoint = self.reader.index.freeze(self.tail.point)?;
                Some(Unstored { checkpoint, noted })
            }
            Err(error) => {
                self.shared.note_failed("the notes cannot be begun", error.into());
                None
            }
        }
    }

    /// Writes the latest changes into the index's database, in the background.
    pub(super) fn begin_checkpoint(&mut self) {
        if self.checkpoint.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        self.wait_for_checkpoint();
        let Some(unstored) = self.freeze() else { return };
        let (index, shared) = (self.reader.index.clone(), self.shared.clone());
        let work = move || {
            let error = unstored.store(&index, &shared.folder).err()?;
            shared.note_failed("the index cannot be written", error);
            Some(unstored)
        };
        match std::thread::Builder::new().name("store-index".to_owned()).spawn(work) {
            Ok(thread) => self.checkpoint = Some(thread),
            Err(error) => {
                drop(self.shared.fail(&format!("no thread for the index: {error}")));
            }
        }
    }

    /// Repeats all writes that found no space. Resumes if enough space is free. Otherwise, checks
    /// whether to compact a segment, with a lower threshold than usual.
    pub(super) fn look_for_room(&mut self) {
        if self.shared.check_available().is_err() {
            return;
        }
        if self.shared.room.is_worth_a_trial() {
            let written = self.catch_up();
            if self.is_stored(written) {
                self.shared.room.note_usable();
            }
        }
        if self.shared.room.is_enough() {
            // The outage ends first, so that all later stamps come after it.
            self.shared.clock.resume();
            self.shared.room.resume();
        } else {
            self.look_at_size();
        }
    }

    /// Repeats the writes that found no space.
    fn catch_up(&mut self) -> Result<(), AccessError> {
        self.shared.room.try_disk()?;
        self.wait_for_checkpoint();
        if let Some(unstored) = &self.unstored {
            let (index, folder) = (&self.reader.index, &self.shared.folder);
            match index.reopen(&unstored.checkpoint)? {
                true => unstored.drop_notes(folder)?,
                false => unstored.store(index, folder)?,
            }
            self.unstored = None;
        }
        self.shared.note_end(self.end)?;
        Ok(())
    }

    /// Returns true if a write outside the log succeeded. If it failed, the store pauses or
    /// fails.
    fn is_stored(&self, written: Result<(), AccessError>) -> bool {
        written.map_err(|error| self.shared.note_failed("the index cannot be written", error)).is_ok()
    }
}
