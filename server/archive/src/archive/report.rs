//! The results of checking the archive.

use flagfall_board::GameId;

use super::error::ArchiveError;
use super::names;
use crate::objects::{ObjectError, ObjectName};

/// Damage to one object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The damaged object.
    pub object: ObjectName,
    /// A description of the damage. Quotes nothing from the object.
    pub what: String,
    /// The games that cannot be read or found because of the damage.
    pub games: Vec<GameId>,
}

/// The results of checking the archive. The numbers count what was checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The segments.
    pub segments: usize,
    /// The parts of the index.
    pub index_parts: usize,
    /// The games whose bytes are undamaged.
    pub games: u64,
    /// The games that were replayed.
    pub replayed: u64,
    /// The games that were chosen but not replayed, because this version does not support their
    /// ruleset or format.
    pub unsupported: u64,
    /// The records that were moved to the archive.
    pub records: u64,
    /// All damage.
    pub damage: Vec<Damage>,
}

impl Report {
    /// Adds the damage that an error describes.
    pub(super) fn add(&mut self, error: &ArchiveError, games: Vec<GameId>) {
        let object = match error {
            ArchiveError::Damaged { object, .. } | ArchiveError::Game { object, .. } => object.clone(),
            ArchiveError::Object(ObjectError::Absent(name) | ObjectError::Range(name)) => name.clone(),
            _ => names::folder(names::MANIFESTS),
        };
        self.damage.push(Damage { object, what: error.to_string(), games });
    }
}
