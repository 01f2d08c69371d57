//! Tables of segments, so that manifests stay small.

use flagfall_store::segment::Seal;

use super::error::{ArchiveError, damaged};
use super::manifest::{SegmentLine, Table};
use super::view::View;
use super::{Archive, names};
use crate::bytes::Reader;
use crate::error::DecodeError;

const TAG: u8 = 1;
/// The maximum number of segments in a table.
pub(super) const TABLE_SEGMENTS: usize = 16_384;

/// Builds a table. For each segment, it contains the segment's number and its number of games, as 4
/// bytes each, little-endian.
pub(super) fn write(seal: Seal, segments: &[SegmentLine]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(segments.len() * 8);
    for SegmentLine { number, games } in segments {
        payload.extend_from_slice(&number.to_le_bytes());
        payload.extend_from_slice(&games.to_le_bytes());
    }
    names::sealed(seal, TAG, &payload)
}

fn parse(payload: &[u8]) -> Result<Vec<SegmentLine>, DecodeError> {
    let mut reader = Reader::new(payload);
    let mut segments = Vec::with_capacity(payload.len() / 8);
    while reader.left() > 0 {
        let [number, games] = [u32::from_le_bytes(reader.array()?), u32::from_le_bytes(reader.array()?)];
        segments.push(SegmentLine { number, games });
    }
    Ok(segments)
}

impl Archive {
    pub(super) async fn table(&self, view: &View, table: &Table) -> Result<Vec<SegmentLine>, ArchiveError> {
        let name = names::table(table.number);
        let fault = || damaged(&name, "its checksum does not match");
        let length = self.objects().length(&name).await?.ok_or_else(|| damaged(&name, "it is missing"))?;
        let bytes = self.objects().get(&name, 0..length).await?;
        let (archive, payload) = names::unsealed(&bytes, table.number, TAG).ok_or_else(fault)?;
        let segments = parse(&payload).map_err(|_| fault())?;
        if archive != view.archive || segments.len() != table.segments as usize {
            return Err(fault());
        }
        Ok(segments)
    }

    /// Reads all tables. Returns all segments, ordered by number, and an error for each damaged
    /// table.
    pub(super) async fn segments(
        &self,
        view: &View,
    ) -> Result<(Vec<SegmentLine>, Vec<ArchiveError>), ArchiveError> {
        let (mut segments, mut faults) = (Vec::new(), Vec::new());
        for table in &view.manifest.tables {
            match self.table(view, table).await {
                Ok(lines) => segments.extend(lines),
                Err(error) if error.is_damage() => faults.push(error),
                Err(error) => return Err(error),
            }
        }
        segments.extend(&view.manifest.segments);
        segments.sort_unstable_by_key(|segment| segment.number);
        Ok((segments, faults))
    }
}
