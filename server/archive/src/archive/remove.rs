//! Removes games from the archive.

use flagfall_board::GameId;

use super::error::ArchiveError;
use super::manifest::Pending;
use super::manifests::TRIES;
use super::tidy::SHORT;
use super::view::{Removal, write_removals};
use super::{Archive, names};

/// The maximum number of characters of a reason. Longer reasons are cut off.
const REASON_CHARS_MAX: usize = 500;

impl Archive {
    /// Removes a game. After that, the game cannot be read, and can never be added again. Its
    /// bytes are overwritten by [`Archive::tidy`]. Returns false if the game is not in the
    /// archive.
    ///
    /// The reason is public: it can be shown to everyone who asks for the game.
    ///
    /// # Errors
    /// [`ArchiveError`]: the game may have been removed. Removing it again is safe.
    pub async fn remove(&self, game: GameId, reason: &str) -> Result<bool, ArchiveError> {
        Ok(self.remove_all(&[game], reason).await? > 0)
    }

    /// Removes games like [`Archive::remove`], in one manifest. Returns how many of them were in
    /// the archive.
    ///
    /// # Errors
    /// [`ArchiveError`]: all games or none were removed. Removing them again is safe.
    pub async fn remove_all(&self, games: &[GameId], reason: &str) -> Result<usize, ArchiveError> {
        let reason = reason.chars().take(REASON_CHARS_MAX).collect::<String>();
        let mut games = games.to_vec();
        games.sort_unstable_by_key(GameId::bits);
        games.dedup();
        let mut writer = self.inner.writer.lock().await;
        for tried in 0..TRIES {
            let base = self.newest().await?;
            games.retain(|game| base.removed(*game).is_none());
            let (places, fault) = base.places(self.objects(), &games).await?;
            if places.len() < games.len()
                && let Some(error) = fault.or_else(|| base.damaged_removals())
            {
                // Another server may have merged and deleted the part.
                if self.newest().await?.number != base.number {
                    continue;
                }
                return Err(error);
            }
            if places.is_empty() {
                return Ok(0);
            }
            let lists = places.len().div_ceil(SHORT);
            if writer.len() < lists {
                // This publishes a manifest, so everything has to be looked up again.
                self.reserve(&mut writer, lists).await?;
                continue;
            }
            let mut next = base.manifest.clone();
            let removal = |game: GameId| Removal { game, reason: reason.clone() };
            let removals: Vec<Removal> = places.keys().copied().map(removal).collect();
            for removals in removals.chunks(SHORT) {
                let number = writer.number()?;
                self.put(&names::removal(number), write_removals(base.seal(number), removals)?).await?;
                next.removals.push(number);
            }
            next.pending.extend(places.iter().map(|(game, at)| Pending { game: *game, segment: at.segment }));
            if self.commit(&mut writer, &base, next).await?.is_some() {
                let mut cache = self.inner.cache.lock();
                places.keys().for_each(|game| drop(cache.remove(game)));
                return Ok(places.len());
            }
            self.pause(tried).await?;
        }
        Err(ArchiveError::Busy)
    }
}
