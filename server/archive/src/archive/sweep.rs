//! Deletes objects that do not belong to the archive.

use std::collections::HashSet;

use super::Archive;
use super::error::ArchiveError;
use super::manifests::{TRIES, numbers};
use super::names;
use super::tidy::Tidied;
use super::view::View;
use crate::objects::ObjectName;

/// The minimum time between two sweeps.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The maximum number of unnamed objects that a manifest lists. Further objects are left for the
/// next sweep.
const UNNAMED_MAX: usize = 50_000;
/// The number of manifests to keep.
const MANIFESTS_KEPT: usize = 8;

/// The names of all objects that belong to the archive.
struct Named {
    objects: HashSet<String>,
}

impl Named {
    fn has(&self, name: &str) -> bool {
        self.objects.contains(name)
    }
}

impl Archive {
    /// Deletes the objects that no manifest named at the last sweep and that none names now. Does
    /// nothing if the last sweep was less than a day ago.
    ///
    /// Before the deletion, a manifest is published that condemns the objects. If a writer was
    /// about to name one of them, its manifest is then too late. The newest manifest shows the
    /// writer that it must write the object again.
    pub(super) async fn sweep(&self, now_ms: u64, tidied: &mut Tidied) -> Result<(), ArchiveError> {
        let base = self.newest().await?;
        let swept_ms = base.manifest.swept_ms;
        if now_ms < swept_ms.saturating_add(DAY_MS) {
            return Ok(());
        }
        let listed = self.listed(&base).await?;
        for tried in 0..TRIES {
            let base = self.newest().await?;
            if base.manifest.swept_ms != swept_ms {
                // Another server has done the sweep.
                return Ok(());
            }
            let Some(named) = self.named(&base, tidied).await? else { return Ok(()) };
            let before: HashSet<&str> =
                base.manifest.unnamed.iter().chain(&base.manifest.condemned).map(String::as_str).collect();
            let unnamed = listed.iter().filter(|name| !named.has(name.as_str()));
            let (old, new): (Vec<&ObjectName>, Vec<_>) =
                unnamed.partition(|name| before.contains(name.as_str()));
            let mut next = base.manifest.clone();
            next.swept_ms = now_ms;
            next.condemned = old.iter().map(ToString::to_string).collect();
            next.unnamed = new.iter().take(UNNAMED_MAX).map(ToString::to_string).collect();
            let mut writer = self.inner.writer.lock().await;
            if self.commit(&mut writer, &base, next).await?.is_some() {
                drop(writer);
                for name in &old {
                    self.objects().delete(name).await?;
                }
                tidied.deleted_objects += old.len();
                return Ok(());
            }
            drop(writer);
            self.pause(tried).await?;
        }
        Err(ArchiveError::Busy)
    }

    /// Lists all objects except manifests.
    async fn listed(&self, view: &View) -> Result<Vec<ObjectName>, ArchiveError> {
        let mut listed = Vec::new();
        let segments = (0..names::groups(view.manifest.next)).map(names::segments);
        for folder in ["index", "tables", "deleted", "probe"].map(names::folder).into_iter().chain(segments) {
            listed.extend(self.objects().list(&folder).await?);
        }
        Ok(listed)
    }

    /// Returns the names of all objects of the archive. `None` if a table is damaged, because
    /// then some names are unknown.
    async fn named(&self, view: &View, tidied: &mut Tidied) -> Result<Option<Named>, ArchiveError> {
        let (segments, faults) = self.segments(view).await?;
        if !faults.is_empty() {
            tidied.damage.extend(faults);
            return Ok(None);
        }
        let manifest = &view.manifest;
        let segments = segments.iter().map(|segment| view.segment(segment.number));
        let index = view.parts().map(|part| names::index(part.line.number));
        let tables = manifest.tables.iter().map(|table| names::table(table.number));
        let removals = manifest.removals.iter().map(|number| names::removal(*number));
        let all = segments.chain(index).chain(tables).chain(removals);
        Ok(Some(Named { objects: all.map(|name| name.to_string()).collect() }))
    }

    /// Deletes all manifests except the newest ones, oldest first.
    pub(super) async fn delete_manifests(&self, tidied: &mut Tidied) -> Result<(), ArchiveError> {
        let found = numbers(self.objects()).await?;
        for number in &found[..found.len().saturating_sub(MANIFESTS_KEPT)] {
            self.objects().delete(&names::manifest(*number)).await?;
            tidied.deleted_objects += 1;
        }
        Ok(())
    }
}
