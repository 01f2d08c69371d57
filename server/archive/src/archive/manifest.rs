//! The manifest: the list of the objects that belong to the archive.

use std::collections::BTreeMap;

use flagfall_board::GameId;
use flagfall_store::segment::Seal;
use serde::{Deserialize, Serialize};

use super::error::{ArchiveError, damaged};
use super::names;
use crate::objects::ObjectName;

const FORMAT: u32 = 1;
const TAG: u8 = 1;
/// The maximum length of a manifest. Longer frames cannot be read.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// The content of a manifest. A manifest never changes, but is replaced by the next one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// A random number that distinguishes this manifest from others that servers tried to publish
    /// under the same number.
    pub(crate) nonce: u64,
    /// The nonce of the previous manifest.
    pub(crate) previous: u64,
    /// The lowest number that no writer has reserved for an object.
    pub(crate) next: u32,
    /// The runs of the index.
    pub(crate) runs: Vec<Run>,
    /// The newest segments, which are not in a table yet, ordered by number.
    pub(crate) segments: Vec<SegmentLine>,
    /// The tables of all other segments, oldest first.
    pub(crate) tables: Vec<Table>,
    /// The segments that were written again, each with the number of its current object. Tables
    /// have these numbers too; this list, which is newer, counts.
    pub(crate) rewritten: BTreeMap<u32, u32>,
    /// The objects that list removed games.
    pub(crate) removals: Vec<u32>,
    /// The removed games whose bytes are still in their segments.
    pub(crate) pending: Vec<Pending>,
    /// The time of the last sweep, which looks for objects that no manifest names.
    pub(crate) swept_ms: u64,
    /// The objects that no manifest named at the time of the last sweep.
    pub(crate) unnamed: Vec<String>,
    /// The objects that are being deleted. Later manifests must not name them.
    pub(crate) condemned: Vec<String>,
}

/// A run of the index. Its parts are in ascending order of the games' ids.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Run(pub(crate) Vec<PartLine>);

impl Run {
    pub(crate) fn games(&self) -> u64 {
        self.0.iter().map(|part| u64::from(part.games)).sum()
    }
}

/// A part of a run. Each part is one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartLine {
    pub(crate) number: u32,
    pub(crate) games: u32,
    pub(crate) first: GameId,
    pub(crate) last: GameId,
    pub(crate) bytes: u32,
}

/// A segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentLine {
    pub(crate) number: u32,
    /// The number of games when the segment was first written.
    pub(crate) games: u32,
}

/// A table of segments. Each table is one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    pub(crate) number: u32,
    pub(crate) segments: u32,
    /// The lowest number of a segment in the table.
    pub(crate) first: u32,
    /// The highest number of a segment in the table.
    pub(crate) last: u32,
    /// The number of segments in the table that were written again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) rewritten: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Table {
    /// True if the segment may be in this table.
    pub(crate) fn covers(&self, segment: u32) -> bool {
        (self.first..=self.last).contains(&segment)
    }
}

/// A removed game whose bytes are still in its segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pending {
    pub(crate) game: GameId,
    pub(crate) segment: u32,
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[derive(Serialize, Deserialize)]
struct Whole<M> {
    format: u32,
    manifest: M,
}

impl Manifest {
    pub(crate) fn encode(&self, seal: Seal) -> Result<Vec<u8>, ArchiveError> {
        let name = names::manifest(seal.number);
        let whole = Whole { format: FORMAT, manifest: self };
        let payload = serde_json::to_vec(&whole).map_err(|_| damaged(&name, "it cannot be written"))?;
        if payload.len() > BYTES_MAX {
            return Err(ArchiveError::Full);
        }
        Ok(names::sealed(seal, TAG, &payload))
    }

    /// Returns the id of the archive and the manifest.
    pub(crate) fn decode(number: u32, bytes: &[u8]) -> Result<(u64, Manifest), ArchiveError> {
        let fault = |what| damaged(&names::manifest(number), what);
        let (archive, payload) =
            names::unsealed(bytes, number, TAG).ok_or_else(|| fault("its checksum does not match"))?;
        let Format { format } =
            serde_json::from_slice(&payload).map_err(|_| fault("it is not a manifest"))?;
        if format != FORMAT {
            return Err(ArchiveError::NewerFormat(format));
        }
        let whole: Whole<Manifest> =
            serde_json::from_slice(&payload).map_err(|_| fault("it is not a manifest"))?;
        Ok((archive, whole.manifest))
    }

    /// True if the object is being deleted.
    pub(crate) fn has_condemned(&self, name: &ObjectName) -> bool {
        self.condemned.iter().any(|other| other == name.as_str())
    }
}
