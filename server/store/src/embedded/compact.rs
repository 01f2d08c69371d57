//! Compaction: copies the live data of the oldest segment to the end of the log, and removes the
//! segment.
//!
//! Deletions need not be copied, because the deleted data could only be in an older segment, and
//! there is none.

use std::io;
use std::sync::atomic::Ordering;

use super::access_error::AccessError;
use super::change::Change;
use super::files::{Place, Point};
use super::index::Lost;
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
    /// True if the data of the damaged parts was looked up in the index.
    is_rescued: bool,
    /// The end of the log after the last copy; `None` until everything is copied. The segment may
    /// be removed only after a checkpoint covers the log up to this point.
    pub(super) copied: Option<Point>,
}

impl Compaction {
    pub(super) fn begin(reader: &Reader, number: u32) -> io::Result<Compaction> {
        let (seal, bytes) = (reader.segments.seal(number), reader.segments.bytes(number)?);
        let is_damaged = Seal::of_header(&bytes) != Some(seal);
        let at = HEADER_BYTES as u64;
        Ok(Compaction { seal, bytes, at, is_damaged, is_rescued: false, copied: None })
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
        if self.at > begun {
            return Ok(Some(live));
        }
        if self.is_damaged && !self.is_rescued {
            self.is_rescued = true;
            return Ok(Some(rescue(self.seal.number, reader, shared)?));
        }
        Ok(None)
    }
}

/// Returns the changes that make up for the damaged parts of a segment. All that could be read was
/// copied before, so everything that the index still finds in the segment is in these parts.
fn rescue(number: u32, reader: &Reader, shared: &Shared) -> Result<Vec<Change>, AccessError> {
    let Lost { games, records } = reader.index.lost(|place| place.segment == number)?;
    tracing::error!(
        segment = number,
        games = games.len(),
        records = records.len(),
        "a segment is damaged: its games go into quarantine, and its records are written again"
    );
    for (game, seq) in games {
        if shared.quarantine_of(game).is_none() {
            shared.quarantine(game, &format!("entry {seq}: its frame is damaged"));
        }
    }
    let at = shared.clock.stamp();
    let records = records.into_iter().map(|write| Change::Records { at, writes: vec![write] });
    // The parts may have contained the epoch and any quarantine.
    let epoch = Change::Epoch(shared.epoch.load(Ordering::SeqCst));
    let quarantined = shared.quarantined.read().clone().into_iter();
    let quarantines = quarantined.map(|(game, reason)| Change::Quarantine { game, reason });
    Ok(records.chain([epoch]).chain(quarantines).collect())
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
            let is_current = shared.epoch.load(Ordering::SeqCst) == epoch;
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
