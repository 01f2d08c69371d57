//! What a check of the archive finds.

use flagfall_board::GameId;

use super::error::ArchiveError;
use super::names;
use crate::objects::{ObjectError, ObjectName};

/// Something that is damaged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The damaged object.
    pub object: ObjectName,
    /// What is damaged. Quotes nothing from the object.
    pub what: String,
    /// The games that cannot be read or found because of it.
    pub games: Vec<GameId>,
}

/// What a check of the archive has found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The segments.
    pub segments: usize,
    /// The parts of the index.
    pub index_parts: usize,
    /// The games whose bytes are whole.
    pub games: u64,
    /// The games that were replayed.
    pub replayed: u64,
    /// The games that were to be replayed, but whose ruleset or format this version does not know.
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
