//! Compaction: copies the live data of the oldest segment to the end of the log, and removes the
//! segment.
//!
//! Deletions need not be copied, because the deleted data could only be in an older segment, and
//! there is none.

use std::io;

use super::access_error::AccessError;
use super::change::Change;
use super::files::{Place, Point};
use super::reader::Reader;
use super::shared::Shared;
use crate::segment::{Found, HEADER_BYTES, Seal, frames};
use crate::store::Write;

/// The number of bytes of a segment to process in one step.
const STEP_BYTES: u64 = 256 * 1024;

pub(super) struct Compaction {
    pub(super) seal: Seal,
    bytes: Vec<u8>,
    /// The position in the segment up to which the data has been processed.
    at: u64,
    /// True if parts of the segment could not be read.
    pub(super) is_damaged: bool,
    /// The end of the log after the last copy; `None` until everything is copied. The segment may
    /// be removed only after a checkpoint covers the log up to this point.
    pub(super) copied: Option<Point>,
}

impl Compaction {
    pub(super) fn begin(reader: &Reader, number: u32) -> io::Result<Compaction> {
        Ok(Compaction {
            seal: reader.segments.seal(number),
            bytes: reader.segments.bytes(number)?,
            at: HEADER_BYTES as u64,
            is_damaged: false,
            copied: None,
        })
    }

    /// Records that all live data has been copied, and that the log ends at this point.
    pub(super) fn finish(&mut self, end: Point) {
        self.copied = Some(end);
        self.bytes = Vec::new();
    }

    /// Returns the live data of the next part of the segment. Returns `None` if the whole segment
    /// has been processed.
    pub(super) fn step(
        &mut self,
        reader: &Reader,
        shared: &Shared,
    ) -> Result<Option<Vec<Change>>, AccessError> {
        let begun = self.at;
        let mut live = Vec::new();
        for found in frames(&self.bytes, self.seal, begun) {
            if self.at >= begun + STEP_BYTES {
                return Ok(Some(live));
            }
            let frame = match found {
                Found::Damage { to, .. } => {
                    (self.at, self.is_damaged) = (to, true);
                    continue;
                }
                Found::Frame(frame) => frame,
            };
            self.at = frame.at + u64::from(frame.length);
            let place = Place::of(self.seal.number, frame.at, frame.length);
            match Change::parse(frame.tag, &frame.payload) {
                Ok(change) => copy(change, place, reader, shared, &mut live)?,
                Err(_) => self.is_damaged = true,
            }
        }
        // This is the last part of the segment, so the next step returns `None`.
        Ok((self.at > begun).then_some(live))
    }
}

/// Adds the live data of a change to `live`, the list of changes to write.
fn copy(
    change: Change,
    place: Place,
    reader: &Reader,
    shared: &Shared,
    live: &mut Vec<Change>,
) -> Result<(), AccessError> {
    let mut records = Vec::new();
    match change {
        Change::Entries { entries, writes } => {
            records = writes;
            live.extend(reader.is_at(&entries, place)?.then_some(Change::Moved(entries)));
        }
        Change::Moved(entries) => {
            live.extend(reader.is_at(&entries, place)?.then_some(Change::Moved(entries)));
        }
        Change::Records { writes, .. } => records = writes,
        Change::Epoch(epoch) => {
            let is_current = shared.epoch.load(std::sync::atomic::Ordering::SeqCst) == epoch;
            live.extend(is_current.then_some(Change::Epoch(epoch)));
        }
        Change::Quarantine { game, .. } => {
            let reason = shared.quarantine_of(game);
            live.extend(reason.map(|reason| Change::Quarantine { game, reason }));
        }
        Change::Release(_) | Change::DeleteLog(_) => {}
    }
    let mut writes = Vec::new();
    for write in records {
        if let Write::Put { key, .. } = &write
            && reader.index.record(key)?.is_some_and(|row| row.place == place)
        {
            writes.push(write);
        }
    }
    if !writes.is_empty() {
        live.push(Change::Records { at: shared.clock.stamp(), writes });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
