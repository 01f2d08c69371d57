//! Adds games to the archive.

use std::collections::HashMap;

use flagfall_board::GameId;

use super::error::ArchiveError;
use super::location::Location;
use super::manifest::{Manifest, Run, SegmentLine};
use super::manifests::TRIES;
use super::part::{self, Line, PART_GAMES};
use super::reserved::Reserved;
use super::view::View;
use super::{Archive, names};
use crate::game::Encoded;
use crate::objects::ObjectName;
use crate::segment::{BYTES_MAX, GAMES_MAX, SegmentWriter};

/// The position of the game's id in an encoded game, after the byte for the format.
const ID_AT: std::ops::Range<usize> = 1..9;

/// Objects that no manifest names yet.
struct Written {
    objects: Vec<ObjectName>,
    segments: Vec<SegmentLine>,
    run: Run,
    /// Sorted by id.
    places: Vec<Line>,
}

impl Archive {
    /// Adds games, and returns their places. After a success, the games survive a crash, and
    /// other servers find them.
    ///
    /// For games that are already in the archive, returns the existing places. Games that were
    /// removed are not added, and are missing in the result.
    ///
    /// # Errors
    /// [`ArchiveError`]: all games or none were added. Adding them again is safe.
    pub async fn add(&self, games: Vec<(GameId, Encoded)>) -> Result<Vec<(GameId, Location)>, ArchiveError> {
        for (game, encoded) in &games {
            if encoded.expose().get(ID_AT) != Some(&game.bits().to_le_bytes()[..]) {
                return Err(ArchiveError::WrongGame(*game));
            }
        }
        let mut ids: Vec<GameId> = games.iter().map(|(game, _)| *game).collect();
        ids.sort_unstable_by_key(GameId::bits);
        ids.dedup();
        let mut writer = self.inner.writer.lock().await;
        for _ in 0..TRIES {
            let base = self.newest().await?;
            let mut places = self.known(&base, &ids).await?;
            let is_new = |game: GameId| !places.contains_key(&game) && base.removed(game).is_none();
            // A map, so that a game that was given twice is written only once.
            let new: HashMap<GameId, &Encoded> =
                games.iter().filter(|(id, _)| is_new(*id)).map(|(id, encoded)| (*id, encoded)).collect();
            if !new.is_empty() {
                let new = ids.iter().filter_map(|game| Some((*game, *new.get(game)?))).collect::<Vec<_>>();
                let written = self.write(&mut writer, &new).await?;
                if !self.publish_games(&mut writer, &written).await? {
                    continue;
                }
                places.extend(written.places);
            }
            let found = games.iter().filter_map(|(game, _)| Some((*game, *places.get(game)?)));
            return Ok(found.collect());
        }
        Err(ArchiveError::Busy)
    }

    /// Looks up games. Ignores damaged parts of the index, because otherwise no game could be
    /// added.
    async fn known(&self, view: &View, ids: &[GameId]) -> Result<HashMap<GameId, Location>, ArchiveError> {
        let (mut places, _) = view.places(self.objects(), ids).await?;
        places.retain(|game, _| view.removed(*game).is_none());
        Ok(places)
    }

    /// Writes segments and a run of the index. No manifest names these objects yet.
    async fn write(
        &self,
        writer: &mut Reserved,
        games: &[(GameId, &Encoded)],
    ) -> Result<Written, ArchiveError> {
        let bytes: usize = games.iter().map(|(_, encoded)| encoded.len()).sum();
        // This is an upper limit, because each segment and the next one are together larger than
        // `BYTES_MAX`, unless the first of the two is full of games.
        let segments = games.len() / GAMES_MAX + 2 * bytes.div_ceil(BYTES_MAX / 2) + 1;
        self.reserve(writer, segments + games.len() / PART_GAMES + 1).await?;
        let archive = self.view();
        let mut written =
            Written { objects: Vec::new(), segments: Vec::new(), run: Run(Vec::new()), places: Vec::new() };
        let mut games = games.iter().peekable();
        while games.peek().is_some() {
            let number = writer.number()?;
            let mut segment = SegmentWriter::new(archive.seal(number));
            while games.next_if(|(game, encoded)| segment.add(*game, encoded)).is_some() {}
            let (bytes, places) = segment.finish();
            let name = names::segment(number, number);
            self.put(&name, bytes.into_exposed()).await?;
            written.objects.push(name);
            written.segments.push(SegmentLine { number, games: places.len() as u32 });
            let place = |at, length| Location { segment: number, at, length };
            written.places.extend(places.into_iter().map(|(game, at)| (game, place(at.at, at.length))));
        }
        written.places.sort_unstable_by_key(|(game, _)| game.bits());
        for lines in written.places.chunks(PART_GAMES) {
            let number = writer.number()?;
            if let Some((bytes, line)) = part::write(archive.seal(number), lines) {
                let name = names::index(number);
                self.put(&name, bytes).await?;
                written.objects.push(name);
                written.run.0.push(line);
            }
        }
        Ok(written)
    }

    /// Publishes a manifest that names the objects. Returns false if the games must be written
    /// again, because another server has added or removed one of them, or because the objects are
    /// gone.
    async fn publish_games(&self, writer: &mut Reserved, written: &Written) -> Result<bool, ArchiveError> {
        let ids: Vec<GameId> = written.places.iter().map(|(game, _)| *game).collect();
        for tried in 0..TRIES {
            let base = self.newest().await?;
            let is_known = !self.known(&base, &ids).await?.is_empty();
            if is_known || ids.iter().any(|game| base.removed(*game).is_some()) {
                return Ok(false);
            }
            if !self.has_all(&base, &written.objects).await? {
                return Ok(false);
            }
            let mut next: Manifest = base.manifest.clone();
            next.runs.push(written.run.clone());
            next.segments.extend(&written.segments);
            next.segments.sort_unstable_by_key(|segment| segment.number);
            if self.commit(writer, &base, next).await?.is_some() {
                return Ok(true);
            }
            self.pause(tried).await?;
        }
        Err(ArchiveError::Busy)
    }
}
