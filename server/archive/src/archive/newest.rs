//! Finds the newest manifest, and publishes the next one.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Archive;
use super::error::{ArchiveError, damaged};
use super::manifest::Manifest;
use super::manifests::{TRIES, find, numbers, probe, random, read};
use super::names;
use super::view::View;

impl Archive {
    /// Returns the view of the newest manifest.
    pub(super) async fn newest(&self) -> Result<Arc<View>, ArchiveError> {
        for _ in 0..TRIES {
            let view = self.view();
            if view.is_unread() {
                return self.read_first(view.archive).await;
            }
            let number = numbers(self.objects()).await?.last().copied().unwrap_or(0);
            if number == view.number {
                return Ok(view);
            }
            if number < view.number {
                return Err(damaged(&names::manifest(view.number), "it is missing"));
            }
            if let Some((archive, manifest)) = read(self.objects(), number).await? {
                if archive != view.archive {
                    return Err(damaged(&names::manifest(number), "it belongs to another archive"));
                }
                return self.adopt(number, manifest, &view).await;
            }
        }
        Err(ArchiveError::Busy)
    }

    /// Reads an archive of which nothing was read yet.
    async fn read_first(&self, archive: u64) -> Result<Arc<View>, ArchiveError> {
        let _opening = self.inner.opening.lock().await;
        let known = self.view();
        if !known.is_unread() {
            return Ok(known);
        }
        let found = find(self.objects(), self.inner.settings.resident_games).await?;
        let found_id = found.as_ref().map(|view| view.archive);
        let Some(view) = found.filter(|view| view.archive == archive) else {
            return Err(ArchiveError::Other { wanted: archive, found: found_id });
        };
        let view = Arc::new(view);
        self.load(&view).await?;
        *self.inner.view.write() = view.clone();
        Ok(view)
    }

    /// Checks once that the store does not overwrite objects.
    pub(super) async fn probe(&self) -> Result<(), ArchiveError> {
        if !self.inner.is_probed.load(Ordering::Relaxed) {
            probe(self.objects()).await?;
            self.inner.is_probed.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Builds the view of a manifest, and uses it from then on, unless a newer one is already in
    /// use.
    async fn adopt(&self, number: u32, manifest: Manifest, before: &View) -> Result<Arc<View>, ArchiveError> {
        let resident = self.inner.settings.resident_games;
        let parts = (number, before.archive, manifest);
        let view = Arc::new(View::build(self.objects(), parts, Some(before), resident).await?);
        self.load(&view).await?;
        let mut known = self.inner.view.write();
        if known.number < number {
            *known = view.clone();
        }
        Ok(view)
    }

    /// Publishes a manifest as the successor of `base`. Returns `None` if another writer was
    /// first. In that case, the caller must start again with the newest manifest.
    ///
    /// # Errors
    /// [`ArchiveError`]: the manifest may have been published, or may be published later.
    pub(super) async fn publish(
        &self,
        base: &View,
        mut next: Manifest,
    ) -> Result<Option<Arc<View>>, ArchiveError> {
        self.probe().await?;
        next.nonce = random()?;
        next.previous = base.manifest.nonce;
        let number = base.number.checked_add(1).ok_or(ArchiveError::Full)?;
        let name = names::manifest(number);
        let bytes = next.encode(base.seal(number))?;
        let put = self.objects().put_if_absent(&name, bytes).await;
        if !matches!(put, Ok(true)) {
            // The object may be this writer's own. The storage client may have repeated the
            // request, and the second request is refused because the first one succeeded.
            let found = match (read(self.objects(), number).await, put) {
                (Ok(found), put) => (found, put),
                (Err(_), Err(error)) => return Err(error.into()),
                (Err(error), Ok(_)) => return Err(error),
            };
            match found {
                (Some((_, manifest)), _) if manifest.nonce == next.nonce => {}
                (Some(_), _) | (None, Ok(_)) => return Ok(None),
                (None, Err(error)) => return Err(error.into()),
            }
        }
        // If `base` is so old that its successors were deleted, the name was free although
        // another manifest once had it.
        let newest = numbers(self.objects()).await?.last().copied().unwrap_or(0);
        if newest > number {
            let successor = read(self.objects(), number + 1).await?;
            if successor.is_none_or(|(_, successor)| successor.previous != next.nonce) {
                self.objects().delete(&name).await?;
                return Ok(None);
            }
        }
        self.adopt(number, next, base).await.map(Some)
    }

    /// Waits before another attempt. The time is random and grows with the number of attempts.
    pub(super) async fn pause(&self, tried: u32) -> Result<(), ArchiveError> {
        let pause = self.inner.settings.pause * (tried + 1);
        if !pause.is_zero() {
            let part = (random()? % 1_000) as u32;
            tokio::time::sleep(pause * 2 * part / 1_000).await;
        }
        Ok(())
    }
}
