//! Tables of segments, so that manifests stay small.

use flagfall_store::segment::Seal;

use super::error::{ArchiveError, damaged};
use super::manifest::{SegmentLine, Table};
use super::names;
use crate::bytes::Reader;
use crate::error::DecodeError;
use crate::objects::ArchiveStore;

/// The tag of a table in which no segment was written again.
const TAG: u8 = 1;
/// The tag of a table whose lines also have the numbers of objects.
const TAG_REWRITTEN: u8 = 2;
/// The maximum number of segments in a table.
pub(super) const TABLE_SEGMENTS: usize = 16_384;

/// A line of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TableLine {
    pub(super) segment: SegmentLine,
    /// The number of the object that contains the segment.
    pub(super) object: u32,
}

impl TableLine {
    pub(super) fn is_rewritten(&self) -> bool {
        self.object != self.segment.number
    }
}

/// Builds a table. For each segment, it contains the segment's number and its number of games, as 4
/// bytes each, little-endian. If one of the segments was written again, the number of each
/// segment's object follows, in 4 bytes.
pub(super) fn write(seal: Seal, lines: &[TableLine]) -> Vec<u8> {
    let has_objects = lines.iter().any(TableLine::is_rewritten);
    let mut payload = Vec::with_capacity(lines.len() * 12);
    for TableLine { segment: SegmentLine { number, games }, object } in lines {
        payload.extend_from_slice(&number.to_le_bytes());
        payload.extend_from_slice(&games.to_le_bytes());
        if has_objects {
            payload.extend_from_slice(&object.to_le_bytes());
        }
    }
    names::sealed(seal, if has_objects { TAG_REWRITTEN } else { TAG }, &payload)
}

fn parse(payload: &[u8], has_objects: bool) -> Result<Vec<TableLine>, DecodeError> {
    let mut reader = Reader::new(payload);
    let mut lines = Vec::with_capacity(payload.len() / 8);
    while reader.left() > 0 {
        let [number, games] = [u32::from_le_bytes(reader.array()?), u32::from_le_bytes(reader.array()?)];
        let object = if has_objects { u32::from_le_bytes(reader.array()?) } else { number };
        lines.push(TableLine { segment: SegmentLine { number, games }, object });
    }
    Ok(lines)
}

pub(super) fn fault(table: &Table) -> ArchiveError {
    damaged(&names::table(table.number), "its checksum does not match")
}

pub(super) async fn read(
    store: &dyn ArchiveStore,
    archive: u64,
    table: &Table,
) -> Result<Vec<TableLine>, ArchiveError> {
    let name = names::table(table.number);
    let length = store.length(&name).await?.ok_or_else(|| damaged(&name, "it is missing"))?;
    let bytes = store.get(&name, 0..length).await?;
    let has_objects = table.rewritten > 0;
    let tag = if has_objects { TAG_REWRITTEN } else { TAG };
    let (found, payload) = names::unsealed(&bytes, table.number, tag).ok_or_else(|| fault(table))?;
    let lines = parse(&payload, has_objects).map_err(|_| fault(table))?;
    if found != archive || lines.len() != table.segments as usize {
        return Err(fault(table));
    }
    Ok(lines)
}
