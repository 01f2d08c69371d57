//! Removes games from the archive.

use flagfall_board::GameId;

use super::error::ArchiveError;
use super::manifest::Pending;
use super::manifests::TRIES;
use super::view::{Removal, write_removals};
use super::{Archive, Found, names};

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
        let reason = reason.chars().take(REASON_CHARS_MAX).collect::<String>();
        let mut writer = self.inner.writer.lock().await;
        for tried in 0..TRIES {
            // Reserve the number first, because reserving may publish a manifest.
            self.reserve(&mut writer, 1).await?;
            let base = self.newest().await?;
            let segment = match self.find_in(&base, game).await {
                Ok(Some(Found::At(location))) => location.segment,
                Ok(Some(Found::Removed { .. }) | None) => return Ok(false),
                // Another server may have merged and deleted the part.
                Err(error) if error.is_damage() && self.newest().await?.number != base.number => continue,
                Err(error) => return Err(error),
            };
            let number = writer.number()?;
            let removal = Removal { game, reason: reason.clone() };
            self.put(&names::removal(number), write_removals(base.seal(number), &[removal])?).await?;
            let mut next = base.manifest.clone();
            next.removals.push(number);
            next.pending.push(Pending { game, segment });
            if self.commit(&mut writer, &base, next).await?.is_some() {
                self.inner.cache.lock().remove(game);
                return Ok(true);
            }
            self.pause(tried).await?;
        }
        Err(ArchiveError::Busy)
    }
}
