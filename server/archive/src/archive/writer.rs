//! The steps that all writers share: they reserve numbers, write objects, and publish a manifest.

use std::sync::Arc;

use super::Archive;
use super::error::ArchiveError;
use super::manifest::Manifest;
use super::manifests::TRIES;
use super::reserved::Reserved;
use super::view::View;
use crate::objects::ObjectName;

/// The minimum number of numbers that are reserved at a time.
const RESERVED: u32 = 64;
/// If fewer reserved numbers are left, the next manifest also reserves more.
const LOW: usize = 16;

impl Archive {
    /// Reserves more numbers if the writer has fewer than `count`.
    pub(super) async fn reserve(&self, writer: &mut Reserved, count: usize) -> Result<(), ArchiveError> {
        for tried in 0..TRIES {
            if writer.len() >= count {
                return Ok(());
            }
            let base = self.newest().await?;
            let more = u32::try_from(count).map_err(|_| ArchiveError::Full)?.max(RESERVED);
            match self.publish_reserving(writer, &base, base.manifest.clone(), more).await? {
                Some(_) => {}
                None => self.pause(tried).await?,
            }
        }
        Err(ArchiveError::Busy)
    }

    async fn publish_reserving(
        &self,
        writer: &mut Reserved,
        base: &View,
        mut next: Manifest,
        more: u32,
    ) -> Result<Option<Arc<View>>, ArchiveError> {
        let from = next.next;
        next.next = from.checked_add(more).ok_or(ArchiveError::Full)?;
        let reserved = from..next.next;
        let published = self.publish(base, next).await?;
        if published.is_some() {
            writer.extend(reserved);
        }
        Ok(published)
    }

    /// Publishes a manifest like [`Archive::publish`]. Also reserves numbers if few are left.
    pub(super) async fn commit(
        &self,
        writer: &mut Reserved,
        base: &View,
        next: Manifest,
    ) -> Result<Option<Arc<View>>, ArchiveError> {
        let more = if writer.len() < LOW { RESERVED } else { 0 };
        self.publish_reserving(writer, base, next, more).await
    }

    /// Writes an object, and verifies it by reading it.
    pub(super) async fn put(&self, name: &ObjectName, bytes: Vec<u8>) -> Result<(), ArchiveError> {
        // If the object exists, an earlier attempt of the same request has written it, because no
        // other writer uses its number.
        self.objects().put_if_absent(name, bytes.clone()).await?;
        let read = self.objects().get(name, 0..bytes.len() as u64).await?;
        if read == bytes { Ok(()) } else { Err(ArchiveError::ReadBack(name.clone())) }
    }

    /// True if the objects exist and this view does not condemn them, so that the next manifest may
    /// name them. This is safe, because a manifest condemns objects before they are deleted.
    pub(super) async fn has_all(&self, view: &View, names: &[ObjectName]) -> Result<bool, ArchiveError> {
        for name in names {
            let is_condemned = view.manifest.has_condemned(name);
            if is_condemned || self.objects().length(name).await?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
