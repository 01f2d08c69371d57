//! Backups: copies of a store on another disk, made while a server uses the store.
//!
//! ```text
//! manifest                            list of the files, and which store they are a copy of
//! log/00000001.seg.0123456789abcdef   a segment; its name ends with the checksum of its bytes
//! signing.key.0123456789abcdef        another file of the data folder
//! lock                                held while a backup is made
//! archive                             the archive of finished games (copied by the server)
//! ```
//!
//! A backup contains the log from its first segment to a point up to which it was acknowledged.
//! The rest of a data folder can be rebuilt from the log. Segments that no longer grow are copied
//! only once. The manifest is replaced last, in one atomic step, and the files that it names are
//! never written again. So an interrupted backup leaves the previous one intact.
//!
//! A running server holds the lock of the data folder, so a backup works without that lock. This
//! is safe: segments only grow at the end, and a compaction removes the oldest segment only after
//! all its live data was acknowledged at a later point of the log. If a segment disappears before
//! it is copied, the backup looks for the end of the log again.

mod error;
mod folders;
mod manifest;
mod restore;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use flagfall_board::Stamp;
use xxhash_rust::xxh3::xxh3_64;

pub use self::error::BackupError;
use self::folders::{check_apart, make_private, sync, write_private};
pub use self::manifest::{ARCHIVE, CopyProgress, Summary, check, is_backup};
use self::manifest::{FORM, Item, Manifest, copies};
pub use self::restore::restore;
use super::alive::{Alive, Signs};
use super::change::{Change, EPOCH};
use super::convert::WITNESS;
use super::disk;
use super::files::{Point, file_name, missing, number_of};
use super::folder_lock::FolderLock;
use super::open::{ALIVE, LOG};
use crate::segment::{Found, HEADER_BYTES, Seal, frames};

/// The maximum number of attempts to copy the log, or to read the last heartbeat.
const ATTEMPTS: usize = 10;
/// If the file with the heartbeat does not change for this long, no server is running, because a
/// running server writes the file every second.
const SILENCE: Duration = Duration::from_secs(3);
/// The time between two reads of the file with the heartbeat.
const LOOKS: Duration = Duration::from_millis(20);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackedUp {
    pub summary: Summary,
    pub copied: u64,
    /// Descriptions of the damage to the store that was found while copying.
    pub damage: Vec<String>,
}

/// Copies the store in a data folder, and the files `others` from that folder, to the folder
/// `target`. A server may be using the store. Blocks.
///
/// The backup contains everything that was acknowledged before the call.
///
/// # Errors
/// [`BackupError`]. A previous backup remains complete.
pub fn back_up(
    data: &Path,
    others: &[&str],
    target: &Path,
    now: Stamp,
    progress: &mut CopyProgress<'_>,
) -> Result<BackedUp, BackupError> {
    look(data)?;
    check_apart(target, data)?;
    copies(target)?;
    make_private(target)?;
    make_private(&target.join(LOG))?;
    let _lock = FolderLock::take(target).map_err(BackupError::of_lock)?;
    let before = Manifest::read(target)?;
    let known = before.as_ref().map(|before| before.files.clone()).unwrap_or_default();
    let epoch = before.as_ref().map_or(0, |before| before.epoch);
    let damage = BTreeSet::new();
    let mut copy = Copying { data, target, now, progress, before, known, epoch, copied: 0, damage };
    let made = copy.make(others);
    // Unneeded files are removed even if the backup has failed, because the disk may be full. If
    // the removal fails too, the caller gets the error of the backup.
    let cleaned = remove_unnamed(target, made.as_ref().ok().or(copy.before.as_ref()));
    let manifest = made?;
    cleaned?;
    let damage = copy.damage.into_iter().collect();
    Ok(BackedUp { summary: manifest.summary(), copied: copy.copied, damage })
}

struct Copying<'a, 'p> {
    data: &'a Path,
    target: &'a Path,
    now: Stamp,
    progress: &'a mut CopyProgress<'p>,
    before: Option<Manifest>,
    /// Complete copies.
    known: Vec<Item>,
    /// The highest epoch in the copied segments.
    epoch: u64,
    copied: u64,
    damage: BTreeSet<String>,
}

impl Copying<'_, '_> {
    /// Copies the missing files and replaces the manifest.
    fn make(&mut self, others: &[&str]) -> Result<Manifest, BackupError> {
        let copied = (0..ATTEMPTS).find_map(|_| self.copy_log().transpose());
        let mut manifest = copied.ok_or_else(|| BackupError::Moving(self.data.to_owned()))??;
        for name in others.iter().chain([&WITNESS]) {
            let path = self.data.join(name);
            if let Some(bytes) = if_there(&path, fs::read(&path))? {
                manifest.files.push(self.put((*name).to_owned(), &bytes, None, None)?);
            }
        }
        let is_older = |before: &Manifest| (manifest.epoch, manifest.end) < (before.epoch, before.end);
        if self.before.as_ref().is_some_and(is_older) {
            return Err(BackupError::Older(self.target.to_owned()));
        }
        sync(&self.target.join(LOG)).map_err(BackupError::at(self.target))?;
        sync(self.target).map_err(BackupError::at(self.target))?;
        manifest.write(self.target)?;
        Ok(manifest)
    }

    /// Copies the log. Returns `None` if part of the log disappeared before it was copied.
    fn copy_log(&mut self) -> Result<Option<Manifest>, BackupError> {
        // List the segments before determining the end of the log. A segment that disappears in
        // between was compacted, so its live data was copied to the log before that end.
        let mut numbers = segments(self.data)?;
        let (signs, end) = acknowledged(self.data, SILENCE, || look(self.data))?;
        if self.before.as_ref().is_some_and(|before| before.store != signs.store) {
            return Err(BackupError::OtherStore(self.target.to_owned()));
        }
        numbers.retain(|number| *number <= end.segment);
        if numbers.last() != Some(&end.segment) {
            return Ok(None);
        }
        self.damage.extend(missing(numbers.iter().copied(), signs.first).map(|loss| loss.what));
        // The backup of before may have the only copy of a lost segment. Compacted segments are no
        // loss: they come before the first one.
        let first = if signs.first > 0 { signs.first } else { numbers[0] };
        let copied = self.before.iter().flat_map(|before| &before.files);
        let mut copied = copied.filter_map(|item| number_of(Path::new(&item.name)));
        if let Some(segment) =
            copied.find(|number| (first..end.segment).contains(number) && !numbers.contains(number))
        {
            return Err(BackupError::LostSegment { segment, target: self.target.to_owned() });
        }
        let mut originals = Vec::new();
        for number in numbers {
            let path = self.data.join(LOG).join(file_name(number));
            let Some(data) = if_there(&path, fs::metadata(&path))? else { return Ok(None) };
            let modified = (number < end.segment).then(|| (data.mtime(), data.mtime_nsec()));
            let length = if number < end.segment { data.len() } else { end.at };
            originals.push((number, path, length, modified));
        }
        let total = originals.iter().map(|(.., length, _)| length).sum();
        let mut files = Vec::new();
        let mut done = 0;
        for (number, path, length, modified) in originals {
            let name = format!("{LOG}/{}", file_name(number));
            let is_same =
                |item: &&Item| (&item.name, item.length, item.modified) == (&name, length, modified);
            let is_examined = |item: &&Item| item.modified.is_some() && item.damage.is_some();
            let known = self.known.iter().filter(is_examined).find(is_same).cloned();
            let item = match known.filter(|item| self.is_there(item)) {
                Some(item) => item,
                None => {
                    let read = File::open(&path).and_then(|file| disk::read_around_damage(&file));
                    let Some(mut bytes) = if_there(&path, read)? else { return Ok(None) };
                    if (bytes.len() as u64) < length {
                        return Err(BackupError::Short(self.data.to_owned()));
                    }
                    bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
                    let damage = self.examine(&bytes, Seal { store: signs.store, number });
                    self.put(name, &bytes, modified, Some(damage))?
                }
            };
            self.damage.extend(item.damage.iter().flatten().cloned());
            files.push(item);
            done += length;
            (self.progress)(done, total);
        }
        let Signs { store, heartbeat, .. } = signs;
        Ok(Some(Manifest { form: FORM, store, epoch: self.epoch, end, heartbeat, moment: self.now, files }))
    }

    /// Looks for epochs in a segment. Returns descriptions of the damage in it.
    fn examine(&mut self, bytes: &[u8], seal: Seal) -> Vec<String> {
        let (number, mut damage) = (seal.number, Vec::new());
        if Seal::of_header(bytes) != Some(seal) {
            damage.push(format!("the header of segment {number} is damaged"));
        }
        for found in frames(bytes, seal, HEADER_BYTES as u64) {
            match found {
                Found::Damage { from, to } => {
                    damage.push(format!("bytes {from} to {to} of segment {number} are damaged"));
                }
                Found::Frame(frame) if frame.tag == EPOCH => {
                    if let Ok(Change::Epoch(epoch)) = Change::parse(frame.tag, &frame.payload) {
                        self.epoch = self.epoch.max(epoch);
                    }
                }
                Found::Frame(_) => {}
            }
        }
        damage
    }

    /// Copies a file, unless the backup already contains the same bytes.
    fn put(
        &mut self,
        name: String,
        bytes: &[u8],
        modified: Option<(i64, i64)>,
        damage: Option<Vec<String>>,
    ) -> Result<Item, BackupError> {
        let item = Item { name, length: bytes.len() as u64, checksum: xxh3_64(bytes), modified, damage };
        let is_known = self.known.iter().any(|known| known.path() == item.path());
        if !is_known || !self.is_there(&item) {
            write_private(&self.target.join(item.path()), bytes)?;
            self.copied += item.length;
        }
        self.known.push(item.clone());
        Ok(item)
    }

    /// True if the backup still contains this file in its full length.
    fn is_there(&self, item: &Item) -> bool {
        fs::metadata(self.target.join(item.path())).is_ok_and(|data| data.len() == item.length)
    }
}

/// Removes all files that the manifest does not name.
fn remove_unnamed(target: &Path, manifest: Option<&Manifest>) -> Result<(), BackupError> {
    let files = manifest.map(|manifest| manifest.files.as_slice()).unwrap_or_default();
    let named: BTreeSet<_> = files.iter().map(|item| target.join(item.path())).collect();
    for path in copies(target)?.into_iter().filter(|path| !named.contains(path)) {
        fs::remove_file(&path).map_err(BackupError::at(&path))?;
    }
    Ok(())
}

/// Reads the file with the store's last heartbeat.
fn look(data: &Path) -> Result<Signs, BackupError> {
    let path = data.join(ALIVE);
    // A server may be writing to the file at this moment, so try again if there is no valid slot.
    for _ in 0..ATTEMPTS {
        if let Some(signs) = Alive::look(&path).map_err(BackupError::at(&path))? {
            return Ok(signs);
        }
    }
    Err(BackupError::NoStore(data.to_owned()))
}

/// Returns the content of the file with the last heartbeat, and a point up to which the whole log
/// was acknowledged.
///
/// Usually the point is the one in the file. After a power cut, that point may be too early. So
/// if the log is longer and no server is running, all frames before the first damaged one count
/// as acknowledged, as they do when a server starts.
#[expect(clippy::disallowed_methods, reason = "the server is another process: only its file can be watched")]
fn acknowledged(
    data: &Path,
    silence: Duration,
    mut look: impl FnMut() -> Result<Signs, BackupError>,
) -> Result<(Signs, Point), BackupError> {
    let (begun, signs) = (Instant::now(), look()?);
    loop {
        let is_silent = begun.elapsed() >= silence;
        let end = whole_until(data, signs.store, signs.end)?;
        if end == signs.end || look()? != signs {
            return Ok((signs, signs.end));
        }
        if is_silent {
            return Ok((signs, end));
        }
        std::thread::sleep(LOOKS);
    }
}

/// Reads intact frames from the point `from` on, also in later segments. Returns the end of the
/// last intact frame.
fn whole_until(data: &Path, store: u64, from: Point) -> Result<Point, BackupError> {
    let mut end = from;
    loop {
        let seal = Seal { store, number: end.segment };
        let path = data.join(LOG).join(file_name(end.segment));
        let bytes = if_there(&path, fs::read(&path))?.unwrap_or_default();
        for found in frames(&bytes, seal, end.at) {
            match found {
                Found::Frame(frame) => end.at = frame.at + u64::from(frame.length),
                Found::Damage { .. } => return Ok(end),
            }
        }
        let next = Seal { number: end.segment + 1, ..seal };
        let path = data.join(LOG).join(file_name(next.number));
        match if_there(&path, fs::read(&path))? {
            Some(bytes) if Seal::of_header(&bytes) == Some(next) => {
                end = Point { segment: next.number, at: HEADER_BYTES as u64 };
            }
            Some(_) | None => return Ok(end),
        }
    }
}

fn segments(data: &Path) -> Result<Vec<u32>, BackupError> {
    let log = data.join(LOG);
    let listed = fs::read_dir(&log).and_then(|listed| {
        listed.map(|entry| entry.map(|entry| number_of(&entry.path()))).collect::<io::Result<Vec<_>>>()
    });
    let mut numbers: Vec<u32> = listed.map_err(BackupError::at(&log))?.into_iter().flatten().collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns `None` if the file does not exist.
fn if_there<T>(path: &Path, done: io::Result<T>) -> Result<Option<T>, BackupError> {
    disk::if_there(done).map_err(BackupError::at(path))
}

#[cfg(test)]
mod tests {
    use flagfall_board::GameId;
    use futures_util::FutureExt as _;

    use super::*;
    use crate::{Append, EmbeddedOptions, EmbeddedStore, Head, SecretBytes, Store, SystemClock};

    async fn append(store: &EmbeddedStore, number: u8) {
        let game = GameId::from_random([number; 12]);
        let bodies = vec![SecretBytes::new(vec![number])];
        let append = Append {
            game,
            expected: Head::START,
            deadline: None,
            not_before: None,
            bodies,
            writes: Vec::new(),
        };
        store.append(append).await.unwrap();
    }

    fn now(data: &Path) -> Result<(Signs, Point), BackupError> {
        acknowledged(data, Duration::ZERO, || look(data))
    }

    /// The test puts back an older version of the file with the last heartbeat, because a power
    /// cut may leave this file older than the last acknowledged write.
    #[tokio::test]
    async fn without_a_server_the_log_counts_up_to_the_first_damage() {
        let folder = tempfile::tempdir().unwrap();
        let (data, alive) = (folder.path(), folder.path().join(ALIVE));
        let options = EmbeddedOptions { segment_bytes: 100, ..EmbeddedOptions::default() };
        let store = EmbeddedStore::open(data, SystemClock, &options).unwrap();
        append(&store, 1).await;
        let before = fs::read(&alive).unwrap();
        append(&store, 2).await;
        append(&store, 3).await;
        let (signs, end) = now(data).unwrap();
        assert_eq!(signs.end, end);
        assert!(end.segment > 1, "{end:?}");
        fs::write(&alive, before).unwrap();
        let (signs, found) = now(data).unwrap();
        assert!(signs.end < end);
        assert_eq!(found, end);
        let last = data.join(LOG).join(file_name(end.segment));
        let whole = fs::read(&last).unwrap();
        fs::write(&last, [&whole[..], b"half a fra"].concat()).unwrap();
        assert_eq!(now(data).unwrap().1, end);
    }

    /// The log may contain a write that is still in progress and not acknowledged yet.
    #[tokio::test]
    async fn with_a_server_at_work_its_last_sign_counts() {
        let folder = tempfile::tempdir().unwrap();
        let (data, alive) = (folder.path(), folder.path().join(ALIVE));
        let store = EmbeddedStore::open(data, SystemClock, &EmbeddedOptions::default()).unwrap();
        append(&store, 1).await;
        let before = fs::read(&alive).unwrap();
        let signs = look(data).unwrap();
        append(&store, 2).await;
        fs::write(&alive, before).unwrap();
        let mut looks = 0;
        let look = || {
            looks += 1;
            if looks == 3 {
                store.heartbeat().now_or_never().unwrap().unwrap();
            }
            look(data)
        };
        let patient = acknowledged(data, Duration::from_secs(3_600), look).unwrap();
        assert_eq!(patient, (signs, signs.end));
    }
}
