//! Lists all games of the archive.

use flagfall_board::GameId;
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};

use super::Archive;
use super::error::ArchiveError;
use super::view::View;
use super::walk::of_segment;
use crate::segment::Segment;

/// The number of segments that are read at the same time.
const SEGMENTS_AT_ONCE: usize = 64;

impl Archive {
    /// Returns all games of the archive, sorted by id, including those that are damaged. Reads the
    /// index, and keeps it in memory, so that reading the games is faster. If a part of the index
    /// is damaged, also reads the lists of games in all segments.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read, or if the games of a damaged part of the index
    /// cannot be found because of other damage.
    pub async fn all_games(&self) -> Result<Vec<GameId>, ArchiveError> {
        let view = self.newest().await?;
        let (mut games, mut fault) = (Vec::new(), None);
        for part in view.parts() {
            match part.keep_all(self.objects()).await {
                Ok(lines) => games.extend(lines.iter().map(|(game, _)| *game)),
                Err(error) if error.is_damage() => fault = Some(error),
                Err(error) => return Err(error),
            }
        }
        if let Some(error) = fault {
            tracing::warn!(%error, "the index of the archive is damaged: reading the lists of all segments");
            games.extend(self.games_of_segments(&view).await?);
        }
        games.sort_unstable();
        games.dedup();
        games.retain(|game| view.removed(*game).is_none());
        Ok(games)
    }

    async fn games_of_segments(&self, view: &View) -> Result<Vec<GameId>, ArchiveError> {
        let (segments, faults) = self.segments(view).await?;
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault);
        }
        let all = segments.len();
        let read = |number| {
            let object = view.segment(number);
            async move {
                let opened = Segment::open(self.objects(), &object, view.seal(number)).await;
                opened.map_err(|error| of_segment(view, number, error))
            }
            .boxed()
        };
        let numbers = segments.into_iter().map(|segment| segment.number);
        let mut opened = stream::iter(numbers).map(read).buffer_unordered(SEGMENTS_AT_ONCE).enumerate();
        let mut games = Vec::new();
        while let Some((done, segment)) = opened.next().await {
            games.extend(segment?.games().iter().map(|(game, _)| *game));
            if done % 1_024 == 0 {
                tracing::info!("{done} of {all} segments read");
            }
        }
        Ok(games)
    }
}
