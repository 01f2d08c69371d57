//! A server's view of the archive: one manifest, and the parts of the index that it names.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use flagfall_board::GameId;
use flagfall_store::segment::Seal;
use serde::{Deserialize, Serialize};

use super::error::{ArchiveError, damaged};
use super::location::Location;
use super::manifest::{Manifest, Table};
use super::part::Part;
use super::{names, tables};
use crate::objects::{ArchiveStore, ObjectName};

const TAG: u8 = 1;

/// A removed game, as listed in an object in `deleted/`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Removal {
    pub(crate) game: GameId,
    pub(crate) reason: String,
}

/// The content of an object in `deleted/`. `None` if the object is damaged.
pub(crate) type Removals = Option<Arc<Vec<Removal>>>;

/// The segments of a table that were written again, and the numbers of their objects, sorted.
/// `None` if the table is damaged.
type Rewritten = Option<Arc<[(u32, u32)]>>;

pub(crate) fn write_removals(seal: Seal, removals: &[Removal]) -> Result<Vec<u8>, ArchiveError> {
    let name = names::removal(seal.number);
    let payload = serde_json::to_vec(removals).map_err(|_| damaged(&name, "it cannot be written"))?;
    Ok(names::sealed(seal, TAG, &payload))
}

pub(crate) fn parse_removals(bytes: &[u8], seal: Seal) -> Option<Vec<Removal>> {
    let (archive, payload) = names::unsealed(bytes, seal.number, TAG)?;
    if archive != seal.store {
        return None;
    }
    serde_json::from_slice(&payload).ok()
}

/// A manifest, and the data of the objects that it names.
#[derive(Debug)]
pub(crate) struct View {
    /// The number of the manifest.
    pub(crate) number: u32,
    /// The random number of the archive, which is in every checksum.
    pub(crate) archive: u64,
    pub(crate) manifest: Manifest,
    /// The runs of the index, largest first.
    pub(crate) runs: Vec<Vec<Arc<Part>>>,
    /// The lists of removed games, by the numbers of their objects.
    pub(crate) removals: BTreeMap<u32, Removals>,
    /// The tables with segments that were written again, by the numbers of the tables.
    rewritten: BTreeMap<u32, Rewritten>,
    removed: Arc<HashMap<GameId, Arc<str>>>,
}

impl View {
    /// Returns the view of an archive of which nothing was read yet. No manifest has its number.
    pub(crate) fn unread(archive: u64) -> View {
        View {
            number: 0,
            archive,
            manifest: Manifest::default(),
            runs: Vec::new(),
            removals: BTreeMap::new(),
            rewritten: BTreeMap::new(),
            removed: Arc::default(),
        }
    }

    pub(crate) fn is_unread(&self) -> bool {
        self.number == 0
    }

    /// Builds a view. Reuses the parts and lists that `before` already has in memory.
    pub(crate) async fn build(
        store: &dyn ArchiveStore,
        (number, archive, manifest): (u32, u64, Manifest),
        before: Option<&View>,
        resident_games: u32,
    ) -> Result<View, ArchiveError> {
        let old: HashMap<u32, &Arc<Part>> = before.into_iter().flat_map(View::parts_by_number).collect();
        let part = |line| {
            let seal = Seal { store: archive, number: line };
            (seal, old.get(&line).copied().cloned())
        };
        let mut runs = Vec::with_capacity(manifest.runs.len());
        for run in &manifest.runs {
            let is_resident = run.games() <= u64::from(resident_games);
            let parts = run.0.iter().map(|line| match part(line.number) {
                (_, Some(known)) => known,
                (seal, None) => Arc::new(Part::new(seal, *line, is_resident)),
            });
            runs.push((run.games(), parts.collect::<Vec<_>>()));
        }
        // Look in the largest run first, because most games are in it.
        runs.sort_by_key(|(games, _)| std::cmp::Reverse(*games));
        let mut removals = BTreeMap::new();
        for number in &manifest.removals {
            let known = before.and_then(|before| before.removals.get(number)).cloned().flatten();
            let read = match known {
                Some(known) => Some(known),
                None => read_removals(store, Seal { store: archive, number: *number }).await?,
            };
            removals.insert(*number, read);
        }
        let mut rewritten = BTreeMap::new();
        for table in manifest.tables.iter().filter(|table| table.rewritten > 0) {
            let known = before.and_then(|before| before.rewritten.get(&table.number)).cloned().flatten();
            let read = match known {
                Some(known) => Some(known),
                None => read_rewritten(store, archive, table).await?,
            };
            rewritten.insert(table.number, read);
        }
        let is_same = |before: &&View| {
            before.manifest.removals == manifest.removals
                && before.manifest.pending == manifest.pending
                && before.removals.values().all(Option::is_some)
        };
        let removed = match before.filter(is_same) {
            Some(before) => before.removed.clone(),
            None => Arc::new(removed_games(&removals, &manifest)),
        };
        let runs = runs.into_iter().map(|(_, parts)| parts).collect();
        Ok(View { number, archive, manifest, runs, removals, rewritten, removed })
    }

    /// Returns the name of the object that contains this segment.
    pub(crate) fn segment(&self, number: u32) -> ObjectName {
        names::segment(number, self.object(number))
    }

    /// Returns the number of the object that contains this segment. It differs from the number of
    /// the segment if the segment was written again.
    pub(crate) fn object(&self, segment: u32) -> u32 {
        let in_table = |table: &Table| {
            let rewritten = self.rewritten.get(&table.number)?.as_ref()?;
            let at = rewritten.binary_search_by_key(&segment, |(segment, _)| *segment).ok()?;
            Some(rewritten[at].1)
        };
        let mut tables = self.manifest.tables.iter().filter(|table| table.covers(segment));
        let listed = self.manifest.rewritten.get(&segment).copied();
        listed.or_else(|| tables.find_map(in_table)).unwrap_or(segment)
    }

    /// Returns an error if the number of this segment's object may be in a damaged table.
    pub(crate) fn damaged_table(&self, segment: u32) -> Option<ArchiveError> {
        if self.manifest.rewritten.contains_key(&segment) {
            return None;
        }
        let is_lost = |table: &&Table| self.rewritten.get(&table.number).is_some_and(Option::is_none);
        let mut tables = self.manifest.tables.iter().filter(|table| table.covers(segment));
        Some(tables::fault(tables.find(is_lost)?))
    }

    pub(crate) fn seal(&self, number: u32) -> Seal {
        Seal { store: self.archive, number }
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Arc<Part>> {
        self.runs.iter().flatten()
    }

    fn parts_by_number(&self) -> impl Iterator<Item = (u32, &Arc<Part>)> {
        self.parts().map(|part| (part.line.number, part))
    }

    /// Returns why a game was removed. `None` if it was not removed.
    pub(crate) fn removed(&self, game: GameId) -> Option<&str> {
        self.removed.get(&game).map(AsRef::as_ref)
    }

    /// Returns an error if a list of removed games is damaged. A game that is not found may then
    /// be in that list.
    pub(crate) fn damaged_removals(&self) -> Option<ArchiveError> {
        let (number, _) = self.removals.iter().find(|(_, list)| list.is_none())?;
        Some(damaged(&names::removal(*number), "its checksum does not match"))
    }

    /// Looks up games, including removed ones. The ids must be sorted. If a game was not found
    /// and may be in a damaged part of the index, also returns the damage of that part.
    pub(crate) async fn places(
        &self,
        store: &dyn ArchiveStore,
        games: &[GameId],
    ) -> Result<(HashMap<GameId, Location>, Option<ArchiveError>), ArchiveError> {
        let mut places = HashMap::new();
        let mut fault: Option<(ArchiveError, &Arc<Part>)> = None;
        let mut left = games.to_vec();
        for part in self.parts() {
            let mut found = Vec::new();
            if !left.iter().any(|game| part.covers(*game)) {
                continue;
            }
            match part.find(store, &left, &mut found).await {
                Ok(()) => {}
                Err(error) if error.is_damage() => fault = Some((error, part)),
                Err(error) => return Err(error),
            }
            places.extend(found);
            left.retain(|game| !places.contains_key(game));
        }
        let fault = fault.filter(|(_, part)| left.iter().any(|game| part.covers(*game)));
        Ok((places, fault.map(|(error, _)| error)))
    }
}

fn removed_games(removals: &BTreeMap<u32, Removals>, manifest: &Manifest) -> HashMap<GameId, Arc<str>> {
    let listed = removals.values().flatten().flat_map(|list| list.iter());
    let mut removed: HashMap<GameId, Arc<str>> =
        listed.map(|removal| (removal.game, removal.reason.as_str().into())).collect();
    // Even if the list with the reason is damaged, a removed game must not be read.
    for pending in &manifest.pending {
        removed.entry(pending.game).or_insert_with(|| "".into());
    }
    removed
}

/// Reads which segments of a table were written again. `None` if the table is damaged.
async fn read_rewritten(
    store: &dyn ArchiveStore,
    archive: u64,
    table: &Table,
) -> Result<Rewritten, ArchiveError> {
    let lines = match tables::read(store, archive, table).await {
        Ok(lines) => lines,
        Err(error) if error.is_damage() => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut rewritten: Vec<(u32, u32)> =
        lines.iter().map(|line| (line.segment.number, line.object)).collect();
    rewritten.retain(|(segment, object)| segment != object);
    rewritten.sort_unstable();
    Ok(Some(rewritten.into()))
}

/// Reads a list of removed games. `None` if the list is damaged.
async fn read_removals(store: &dyn ArchiveStore, seal: Seal) -> Result<Removals, ArchiveError> {
    let name = names::removal(seal.number);
    let Some(length) = store.length(&name).await? else { return Ok(None) };
    let bytes = match store.get(&name, 0..length).await.map_err(ArchiveError::from) {
        Ok(bytes) => bytes,
        Err(error) if error.is_damage() => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(parse_removals(&bytes, seal).map(Arc::new))
}
