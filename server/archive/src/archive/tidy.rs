//! Keeps the archive in order: overwrites removed games, merges runs of the index, and moves the
//! lists of segments and of removed games out of the manifest.
//!
//! Several servers may do the same step at the same time. Only one of them can publish its
//! result, and the others then skip the step.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use flagfall_board::GameId;

use super::error::{ArchiveError, damaged};
use super::manifest::{Manifest, Run, SegmentLine, Table};
use super::manifests::TRIES;
use super::merge::{Merged, first_to_merge};
use super::part::{self, Line, PART_GAMES, Part};
use super::tables::TableLine;
use super::view::{View, write_removals};
use super::{Archive, names, tables};
use crate::objects::ObjectName;
use crate::segment::{SegmentError, without};

/// The maximum number of short lists of removed games. If there are more, they are merged.
const REMOVALS_MAX: usize = 16;
/// The number of games below which a list is short. Two short lists fit into one frame, even with
/// long reasons.
pub(super) const SHORT: usize = 1_000;
/// The maximum number of segments that are written again for one manifest.
const OVERWRITTEN: usize = 64;

/// The results of [`Archive::tidy`].
#[derive(Debug, Default)]
pub struct Tidied {
    /// The runs of the index that were merged.
    pub merged_runs: usize,
    /// The segments that were written again to overwrite removed games.
    pub rewritten_segments: usize,
    /// The objects that were deleted, including old manifests.
    pub deleted_objects: usize,
    /// The damage that prevented some of the work.
    pub damage: Vec<ArchiveError>,
}

impl Archive {
    /// Overwrites removed games, merges runs of the index, and deletes objects that no manifest
    /// has named for a day. `now_ms` is the time in milliseconds since 1970. Every server may call
    /// this every few minutes.
    ///
    /// An object is deleted if two calls at least a day apart find that no manifest names it. So
    /// the clock of the server that wrote the object does not matter. An object that the newest
    /// manifest names is never deleted, even if clocks are wrong.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read or written. Damage is not an error, but is
    /// part of the result.
    pub async fn tidy(&self, now_ms: u64) -> Result<Tidied, ArchiveError> {
        let mut tidied = Tidied::default();
        self.overwrite_removed(&mut tidied).await?;
        self.merge_runs(&mut tidied).await?;
        self.merge_removals().await?;
        self.move_segments(&mut tidied).await?;
        self.move_rewritten(&mut tidied).await?;
        self.sweep(now_ms, &mut tidied).await?;
        self.delete_manifests(&mut tidied).await?;
        Ok(tidied)
    }

    pub(super) async fn new_number(&self) -> Result<u32, ArchiveError> {
        let mut writer = self.inner.writer.lock().await;
        self.reserve(&mut writer, 1).await?;
        writer.number()
    }

    /// Publishes a manifest with a change that names these new objects. `change` returns false if
    /// the change does not fit the newest manifest, because another server has made it. Returns
    /// true if the manifest was published.
    pub(super) async fn change(
        &self,
        objects: &[ObjectName],
        change: impl Fn(&View, &mut Manifest) -> bool,
    ) -> Result<bool, ArchiveError> {
        for tried in 0..TRIES {
            let base = self.newest().await?;
            let mut next = base.manifest.clone();
            if !change(&base, &mut next) || !self.has_all(&base, objects).await? {
                return Ok(false);
            }
            let mut writer = self.inner.writer.lock().await;
            if self.commit(&mut writer, &base, next).await?.is_some() {
                return Ok(true);
            }
            drop(writer);
            self.pause(tried).await?;
        }
        Err(ArchiveError::Busy)
    }

    /// Writes segments again without their removed games.
    async fn overwrite_removed(&self, tidied: &mut Tidied) -> Result<(), ArchiveError> {
        let base = self.newest().await?;
        let mut segments: BTreeMap<u32, HashSet<GameId>> = BTreeMap::new();
        for pending in &base.manifest.pending {
            segments.entry(pending.segment).or_default().insert(pending.game);
        }
        for group in segments.into_iter().collect::<Vec<_>>().chunks(OVERWRITTEN) {
            let mut written = Vec::new();
            for (segment, games) in group {
                match self.overwrite(&base, *segment, games).await {
                    Ok(number) => written.push((*segment, number, games)),
                    Err(error) if error.is_damage() => tidied.damage.push(error),
                    Err(error) => return Err(error),
                }
            }
            if written.is_empty() {
                continue;
            }
            let name = |(segment, number, _): &(u32, u32, _)| names::segment(*segment, *number);
            let objects: Vec<ObjectName> = written.iter().map(name).collect();
            let is_published = self.change(&objects, |view, next| {
                for (segment, number, games) in &written {
                    next.rewritten.insert(*segment, *number);
                    next.pending
                        .retain(|pending| pending.segment != *segment || !games.contains(&pending.game));
                }
                written.iter().all(|(segment, ..)| view.object(*segment) == base.object(*segment))
            });
            if is_published.await? {
                tidied.rewritten_segments += written.len();
            }
        }
        Ok(())
    }

    /// Writes a segment again without these games. Returns the number of the new object, which no
    /// manifest names yet.
    async fn overwrite(
        &self,
        base: &View,
        segment: u32,
        games: &HashSet<GameId>,
    ) -> Result<u32, ArchiveError> {
        // If the table with the number of the newest object is damaged, an older object must not
        // be written again, because it still contains games that were overwritten since.
        if let Some(error) = base.damaged_table(segment) {
            return Err(error);
        }
        let old = base.segment(segment);
        let bytes = self.whole(&old).await?;
        let bytes =
            without(base.seal(segment), &bytes, |game| games.contains(&game)).map_err(
                |error| match error {
                    SegmentError::Object(error) => error.into(),
                    SegmentError::Damaged { what } => damaged(&old, what),
                    SegmentError::Game { game } => ArchiveError::Game { game, object: old.clone() },
                },
            )?;
        let number = self.new_number().await?;
        let name = names::segment(segment, number);
        self.put(&name, bytes.into_exposed()).await?;
        Ok(number)
    }

    pub(super) async fn whole(&self, name: &ObjectName) -> Result<Vec<u8>, ArchiveError> {
        let length = self.objects().length(name).await?.ok_or_else(|| damaged(name, "it is missing"))?;
        Ok(self.objects().get(name, 0..length).await?)
    }

    /// Merges runs until there is nothing to merge. A run with a damaged part stays as it is.
    async fn merge_runs(&self, tidied: &mut Tidied) -> Result<(), ArchiveError> {
        let mut skipped = HashSet::new();
        loop {
            let base = self.newest().await?;
            let mut runs: Vec<Vec<Arc<Part>>> = base.runs.clone();
            runs.retain(|parts| !parts.iter().any(|part| skipped.contains(&part.line.number)));
            let games = |parts: &Vec<Arc<Part>>| parts.iter().map(|part| u64::from(part.line.games)).sum();
            let Some(first) = first_to_merge(&runs.iter().map(games).collect::<Vec<_>>()) else {
                return Ok(());
            };
            let merged = runs.split_off(first);
            let (objects, run) = match self.write_merged(&base, &merged).await {
                Ok(written) => written,
                Err(error) if error.is_damage() => {
                    // Find the damaged runs, and continue without them.
                    let before = skipped.len();
                    for part in merged.iter().flatten() {
                        match part.read_all(self.objects()).await {
                            Err(error) if error.is_damage() => {
                                skipped.insert(part.line.number);
                                tidied.damage.push(error);
                            }
                            Err(error) => return Err(error),
                            Ok(_) => {}
                        }
                    }
                    if skipped.len() == before {
                        return Err(error);
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            let old: HashSet<u32> = merged.iter().flatten().map(|part| part.line.number).collect();
            let is_old = |run: &Run| run.0.iter().any(|part| old.contains(&part.number));
            let is_published = self.change(&objects, |view, next| {
                next.runs.retain(|run| !is_old(run));
                if !run.0.is_empty() {
                    next.runs.push(run.clone());
                }
                view.manifest.runs.iter().filter(|run| is_old(run)).count() == merged.len()
            });
            if !is_published.await? {
                // Another server has merged these runs.
                return Ok(());
            }
            tidied.merged_runs += merged.len();
        }
    }

    /// Writes a run that contains all games of these runs, without removed games. No manifest
    /// names it yet.
    async fn write_merged(
        &self,
        base: &View,
        runs: &[Vec<Arc<Part>>],
    ) -> Result<(Vec<ObjectName>, Run), ArchiveError> {
        let (mut objects, mut run) = (Vec::new(), Run(Vec::new()));
        let mut merged = Merged::new(runs);
        let mut lines: Vec<Line> = Vec::new();
        loop {
            let line = merged.next(self.objects()).await?;
            let is_last = line.is_none();
            lines.extend(line.filter(|(game, _)| base.removed(*game).is_none()));
            if lines.len() >= PART_GAMES || is_last && !lines.is_empty() {
                let number = self.new_number().await?;
                if let Some((bytes, line)) = part::write(base.seal(number), &lines) {
                    let name = names::index(number);
                    self.put(&name, bytes).await?;
                    objects.push(name);
                    run.0.push(line);
                }
                lines.clear();
            }
            if is_last {
                return Ok((objects, run));
            }
        }
    }

    /// Merges short lists of removed games into one.
    async fn merge_removals(&self) -> Result<(), ArchiveError> {
        let base = self.newest().await?;
        let whole = base.removals.iter().filter_map(|(number, list)| Some((*number, list.as_ref()?)));
        let short: Vec<_> = whole.filter(|(_, list)| list.len() < SHORT).collect();
        if short.len() <= REMOVALS_MAX {
            return Ok(());
        }
        let (mut old, mut removals) = (Vec::new(), Vec::new());
        for (number, list) in short {
            if removals.len() < SHORT {
                old.push(number);
                removals.extend(list.iter().cloned());
            }
        }
        let number = self.new_number().await?;
        let name = names::removal(number);
        self.put(&name, write_removals(base.seal(number), &removals)?).await?;
        self.change(&[name], |view, next| {
            next.removals.retain(|other| !old.contains(other));
            next.removals.push(number);
            old.iter().all(|number| view.manifest.removals.contains(number))
        })
        .await?;
        Ok(())
    }

    /// Moves the list of segments from the manifest to tables.
    async fn move_segments(&self, tidied: &mut Tidied) -> Result<(), ArchiveError> {
        let base = self.newest().await?;
        let moved = &base.manifest.segments;
        if moved.len() <= self.inner.settings.listed_segments as usize {
            return Ok(());
        }
        // If the last table has room, replace it with a larger one.
        let mut lines = moved.clone();
        let last = base.manifest.tables.last();
        let mut replaced = None;
        if let Some(table) = last.filter(|table| (table.segments as usize) < tables::TABLE_SEGMENTS) {
            match self.table(&base, table).await {
                Ok(before) => {
                    lines.extend(before.iter());
                    replaced = Some(*table);
                }
                Err(error) if error.is_damage() => tidied.damage.push(error),
                Err(error) => return Err(error),
            }
        }
        self.write_tables(&base, moved, replaced, lines).await
    }

    /// Moves the numbers of segments that were written again from the manifest to tables.
    async fn move_rewritten(&self, tidied: &mut Tidied) -> Result<(), ArchiveError> {
        let base = self.newest().await?;
        let rewritten = &base.manifest.rewritten;
        if rewritten.len() <= self.inner.settings.listed_segments as usize {
            return Ok(());
        }
        for table in &base.manifest.tables {
            if rewritten.range(table.first..=table.last).next().is_none() {
                continue;
            }
            match self.table(&base, table).await {
                Ok(segments) => self.write_tables(&base, &[], Some(*table), segments).await?,
                Err(error) if error.is_damage() => tidied.damage.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes tables with these segments, which take the place of the list `moved` and of the table
    /// `replaced`.
    async fn write_tables(
        &self,
        base: &View,
        moved: &[SegmentLine],
        replaced: Option<Table>,
        segments: Vec<SegmentLine>,
    ) -> Result<(), ArchiveError> {
        let line = |segment: SegmentLine| TableLine { segment, object: base.object(segment.number) };
        let mut lines: Vec<TableLine> = segments.into_iter().map(line).collect();
        lines.sort_unstable_by_key(|line| line.segment.number);
        let (mut objects, mut written) = (Vec::new(), Vec::new());
        for lines in lines.chunks(tables::TABLE_SEGMENTS) {
            let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
            let number = self.new_number().await?;
            let name = names::table(number);
            self.put(&name, tables::write(base.seal(number), lines)).await?;
            objects.push(name);
            let segments = lines.len() as u32;
            let rewritten = lines.iter().filter(|line| line.is_rewritten()).count() as u32;
            let (first, last) = (first.segment.number, last.segment.number);
            written.push(Table { number, segments, first, last, rewritten });
        }
        let numbers: HashSet<u32> = moved.iter().map(|segment| segment.number).collect();
        let is_moved = |segment: &SegmentLine| numbers.contains(&segment.number);
        self.change(&objects, |view, next| {
            next.segments.retain(|segment| !is_moved(segment));
            next.tables.retain(|table| Some(*table) != replaced);
            next.tables.extend(&written);
            next.tables.sort_by_key(|table| table.first);
            for line in &lines {
                next.rewritten.remove(&line.segment.number);
            }
            let manifest = &view.manifest;
            manifest.segments.iter().filter(|segment| is_moved(segment)).count() == moved.len()
                && replaced.is_none_or(|table| manifest.tables.contains(&table))
                && lines.iter().all(|line| view.object(line.segment.number) == line.object)
        })
        .await?;
        Ok(())
    }
}
