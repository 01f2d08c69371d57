//! Walks through all games of the archive, segment by segment.

use flagfall_board::GameId;

use super::error::ArchiveError;
use super::location::Location;
use super::manifest::{SegmentLine, Table};
use super::view::View;
use super::{Archive, error, tables};
use crate::frame::decode;
use crate::game::Log;
use crate::segment::{Segment, SegmentError, check as check_segment};

/// The games of a segment.
#[derive(Debug)]
pub struct Page {
    /// The number of the segment. Pass it to [`Archive::games`] to get the next page.
    pub segment: u32,
    /// The games with their places, sorted by id. Removed games are left out.
    pub games: Vec<(GameId, Location)>,
    /// Why `games` is empty, if the segment is damaged.
    pub damage: Option<ArchiveError>,
}

impl Archive {
    pub(super) async fn table(&self, view: &View, table: &Table) -> Result<Vec<SegmentLine>, ArchiveError> {
        let lines = tables::read(self.objects(), view.archive, table).await?;
        Ok(lines.into_iter().map(|line| line.segment).collect())
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

    /// Returns the games of the next segment after `after`, or of the first segment. Returns
    /// `None` after the last segment.
    ///
    /// Segments come in the order in which they were begun, so games that are added during a walk
    /// come last.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read, or a list of segments is damaged.
    pub async fn games(&self, after: Option<u32>) -> Result<Option<Page>, ArchiveError> {
        let view = self.newest().await?;
        let Some(segment) = self.segment_after(&view, after).await? else { return Ok(None) };
        let object = view.segment(segment);
        let opened = Segment::open(self.objects(), &object, view.seal(segment)).await;
        let (games, damage) = match opened.map_err(|error| of_segment(&view, segment, error)) {
            Ok(opened) => (opened.games().to_vec(), None),
            Err(error) if error.is_damage() => (Vec::new(), Some(error)),
            Err(error) => return Err(error),
        };
        let games = games.into_iter().filter(|(game, _)| view.removed(*game).is_none());
        let place = |at, length| Location { segment, at, length };
        let games = games.map(|(game, at)| (game, place(at.at, at.length))).collect();
        Ok(Some(Page { segment, games, damage }))
    }

    /// Reads a whole segment in one read. Calls `each` with each game, or with the reason why the
    /// game cannot be decoded.
    ///
    /// # Errors
    /// [`ArchiveError`] if the segment cannot be read. If the segment is damaged, the error is the
    /// first damage, and `each` was not called with damaged games.
    pub async fn read_segment(
        &self,
        segment: u32,
        mut each: impl FnMut(GameId, Result<Log, ArchiveError>),
    ) -> Result<(), ArchiveError> {
        let view = self.newest().await?;
        let bytes = self.whole(&view.segment(segment)).await?;
        let checked = check_segment(view.seal(segment), &bytes, |game, encoded| {
            if view.removed(game).is_none() {
                let log = decode(encoded.expose()).map_err(|error| ArchiveError::Decode { game, error });
                each(game, log);
            }
        });
        checked.map(drop).map_err(|error| of_segment(&view, segment, error))
    }

    /// Returns the number of the first segment after this one.
    async fn segment_after(&self, view: &View, after: Option<u32>) -> Result<Option<u32>, ArchiveError> {
        let is_after = |number: u32| after.is_none_or(|after| number > after);
        let listed = view.manifest.segments.iter().map(|segment| segment.number);
        let mut least = listed.filter(|number| is_after(*number)).min();
        for table in &view.manifest.tables {
            if is_after(table.last) && least.is_none_or(|least| table.first < least) {
                let lines = self.table(view, table).await?;
                let numbers = lines.iter().map(|segment| segment.number);
                least = numbers.filter(|number| is_after(*number)).chain(least).min();
            }
        }
        Ok(least)
    }
}

/// Converts the error of a segment, and adds the name of its object.
pub(super) fn of_segment(view: &View, segment: u32, error: SegmentError) -> ArchiveError {
    let object = view.segment(segment);
    match error {
        SegmentError::Object(error) => error.into(),
        SegmentError::Damaged { what } => error::damaged(&object, what),
        SegmentError::Game { game } => ArchiveError::Game { game, object },
    }
}
