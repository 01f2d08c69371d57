//! Merges the volumes of a history, and moves them to the archive. This is the work of the job
//! `history_due/PLAYER`, which is written together with each volume.

use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::transact::Transaction;
use flagfall_store::{StoreError, Update};

use super::Histories;
use super::book::{Opened, TRIES, Volume, VolumeRef, delete_volumes, missing, read_volume, volume_key};

/// The number of unmerged volumes that are merged at a time. So after the job, a history has fewer
/// unmerged volumes than this.
const MERGED: usize = 32;
/// The maximum size of a merged volume in bytes. It must fit into a record of the store.
const BYTES_MAX: usize = 56 * 1024;

impl Histories {
    /// Does the job of a player. Repeating it does no harm.
    pub(crate) async fn shelve(&self, job: &Claimed) -> Result<(), JobError> {
        let (store, player) = (&*self.store, job.subject::<String>()?);
        let mut transaction = Transaction::new(store, "the history of this player");
        loop {
            let opened = Opened::read(store, &player).await?;
            if opened.is_absent() {
                // The account was deleted while this job moved a volume.
                delete_volumes(store, &player).await?;
                store.update(job.finish()).await?;
                return Ok(());
            }
            let mut update = Update { writes: Vec::new(), ..job.finish() };
            let changed = match self.merge(&player, opened, &mut update).await? {
                Some(merged) => Some(merged),
                None => self.archive(&player, &mut update).await?,
            };
            let is_last = changed.is_none();
            match changed {
                Some(opened) => {
                    opened.save(&mut update)?;
                    // Adding volumes also wrote this job. Drop that write, because the job is
                    // already in the store.
                    update.writes.retain(|write| write.key() != job.key());
                }
                None => update.writes.extend(job.finish().writes),
            }
            if transaction.commit(update).await? && is_last || !job.is_held().await? {
                return Ok(());
            }
        }
    }

    /// Merges the oldest small volumes, and returns the changed history. Returns `None` if there
    /// are too few small volumes.
    async fn merge(
        &self,
        player: &str,
        mut opened: Opened,
        update: &mut Update,
    ) -> Result<Option<Opened>, StoreError> {
        let small = |opened: &Opened| opened.book.volumes.iter().filter(|volume| !volume.is_merged).count();
        for _ in 0..TRIES {
            if small(&opened) < MERGED {
                return Ok(None);
            }
            match self.merged(player, &opened).await? {
                Some((numbers, volumes)) => {
                    let now = self.store.now();
                    for number in numbers {
                        opened.retire(number, now, update)?;
                    }
                    for volume in volumes {
                        opened.add(volume, true, update)?;
                    }
                    return Ok(Some(opened));
                }
                None => opened = Opened::read(&*self.store, player).await?,
            }
        }
        Err(missing())
    }

    /// Returns the numbers of the oldest small volumes, and the volumes that will replace them.
    /// `None` if one of the small volumes was replaced in the meantime.
    async fn merged(
        &self,
        player: &str,
        opened: &Opened,
    ) -> Result<Option<(Vec<u32>, Vec<Volume>)>, StoreError> {
        let mut small: Vec<_> = opened.book.volumes.iter().filter(|volume| !volume.is_merged).collect();
        small.sort_by_key(|volume| volume.last);
        small.truncate(MERGED);
        let mut all = Volume::default();
        for place in &small {
            let Some(volume) = read_volume(&*self.store, player, place.number).await? else {
                return Ok(None);
            };
            all.add_figures(&volume);
            all.lines.extend(volume.lines);
        }
        all.lines.sort_by_cached_key(|line| std::cmp::Reverse(line.place()));
        let mut volumes = Vec::new();
        split(all, &mut volumes)?;
        Ok(Some((small.iter().map(|volume| volume.number).collect(), volumes)))
    }

    /// Moves all volumes to the archive, if there is an archive that all servers can use. Deletes
    /// archived volumes that were replaced long ago. Returns the changed history if a volume must
    /// get another number first.
    async fn archive(&self, player: &str, update: &mut Update) -> Result<Option<Opened>, StoreError> {
        let store = &*self.store;
        if !store.archives_records() || !self.tables.peers().can_archive() {
            return Ok(None);
        }
        let mut opened = Opened::read(store, player).await?;
        let now = store.now();
        for at in 0..opened.book.volumes.len() {
            let VolumeRef { number, is_merged, .. } = opened.book.volumes[at];
            if store.archive_record(volume_key(player, number)?).await? {
                continue;
            }
            // The store was set back to a backup, and numbers are given out again. The archive has
            // an earlier volume with this number, which no history names any more.
            let volume = read_volume(store, player, number).await?.ok_or_else(missing)?;
            opened.retire(number, now, update)?;
            opened.add(volume, is_merged, update)?;
            return Ok(Some(opened));
        }
        for retired in opened.book.retired.iter().filter(|retired| retired.is_old(now)) {
            store.delete_archived(volume_key(player, retired.number)?).await?;
        }
        opened.book.retired.retain(|retired| !retired.is_old(now));
        opened.save(update)?;
        Ok(None)
    }
}

/// Divides a volume until each part is short enough.
fn split(mut volume: Volume, parts: &mut Vec<Volume>) -> Result<(), StoreError> {
    if volume.bytes()?.len() <= BYTES_MAX || volume.lines.len() < 2 {
        parts.push(volume);
        return Ok(());
    }
    let later = volume.lines.split_off(volume.lines.len() / 2);
    split(volume, parts)?;
    split(Volume { lines: later, figures: Vec::new() }, parts)
}
