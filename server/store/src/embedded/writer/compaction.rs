//! When the writer compacts the log, and its steps between groups.

use super::{Stage, Writer};
use crate::embedded::access_error::AccessError;
use crate::embedded::compact::Compaction;

impl Writer {
    /// Begins to compact the oldest segment if too much of the log is obsolete, unless a
    /// compaction is running. The threshold is usually one half; while the store pauses because
    /// the disk is full, it is one eighth.
    pub(super) fn look_at_size(&mut self) {
        if self.compaction.is_some() || self.shared.room.check_usable().is_err() {
            return;
        }
        match self.find_compaction() {
            Ok(compaction) => self.compaction = compaction,
            Err(error) => {
                self.shared
                    .fail(&format!("the log cannot be looked at ({error:?}); start the process again"));
            }
        }
    }

    fn find_compaction(&self) -> Result<Option<Compaction>, AccessError> {
        let total = self.reader.segments.total_bytes()? - self.tail.unused_bytes();
        let dead = total.saturating_sub(self.reader.index.live_bytes()?);
        let is_worth_it = match self.shared.room.is_paused() {
            true => dead > total / 8,
            false => total >= self.compact_bytes && dead > total / 2,
        };
        let oldest = self.reader.segments.numbers().first().copied();
        let oldest = oldest.filter(|oldest| is_worth_it && *oldest < self.tail.point.segment);
        Ok(oldest.map(|oldest| Compaction::begin(&self.reader, oldest)).transpose()?)
    }

    /// Performs one step of the compaction. Stops the compaction if the store has failed.
    pub(super) fn compact(&mut self) {
        let Some(mut compaction) = self.compaction.take() else { return };
        if self.shared.check_available().is_err() {
            return;
        }
        match self.compact_step(&mut compaction) {
            Ok(true) => {}
            Ok(false) => self.compaction = Some(compaction),
            // A new compaction begins when there is space again.
            Err(_) if self.shared.room.check_usable().is_err() => {}
            Err(error) => drop(self.shared.note_failed("the log cannot be compacted", error)),
        }
    }

    /// Copies the next part of the segment. Once everything is copied and a checkpoint covers the
    /// copies, removes the segment and returns true.
    fn compact_step(&mut self, compaction: &mut Compaction) -> Result<bool, AccessError> {
        let Some(copied) = compaction.copied else {
            match compaction.step(&self.reader, &self.shared)? {
                Some(changes) => {
                    let mut stage = Stage { group: Some(self.tail.group()), ..Stage::default() };
                    changes.into_iter().for_each(|change| stage.push(change));
                    self.write(&mut stage, Vec::new()).check()?;
                }
                None => compaction.finish(self.tail.point),
            }
            return Ok(false);
        };
        let stored = self.reader.index.state()?.unwrap_or_default();
        if stored.until < copied {
            self.begin_checkpoint();
            return Ok(false);
        }
        let segment = compaction.seal.number;
        // The next start looks for all segments from this number on.
        self.shared.alive.lock().note_first(self.reader.segments.after(segment))?;
        let bytes = self.reader.segments.remove(segment, compaction.is_damaged)?;
        tracing::info!(segment, bytes, "a segment of the log is compacted");
        Ok(true)
    }
}
