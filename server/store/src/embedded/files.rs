//! The files of the log: numbered segments. Only the last one grows.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use itertools::Itertools as _;
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};

use super::disk;
use super::place::Named;
use crate::segment::{Frame, FrameWriter, HEADER_BYTES, Seal, parse_or_repair};

const EXTENSION: &str = "seg";
const BUFFER_BYTES_KEPT: usize = 256 * 1024;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) segment: u32,
    pub(super) at: u32,
    pub(super) length: u32,
}

/// A position in the log, between two frames.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub(super) struct Point {
    pub(super) segment: u32,
    pub(super) at: u64,
}

impl Place {
    pub(super) fn of(segment: u32, at: u64, length: u32) -> Place {
        // Segments are far shorter than 4 GiB.
        Place { segment, at: u32::try_from(at).unwrap_or(u32::MAX), length }
    }

    pub(super) fn end(self) -> Point {
        Point { segment: self.segment, at: u64::from(self.at) + u64::from(self.length) }
    }
}

/// Data that is missing or damaged.
pub(super) struct Loss {
    pub(super) what: String,
    /// The end of the damage, if it stays in the log until a compaction removes its segment.
    /// `None` if the next start does not find it again.
    pub(super) end: Option<Point>,
}

pub(super) struct Segments {
    folder: PathBuf,
    pub(super) store: u64,
    files: RwLock<BTreeMap<u32, Arc<File>>>,
}

/// The end of the log, where new groups are written.
pub(super) struct Tail {
    segments: Arc<Segments>,
    file: Arc<File>,
    /// The file name of the last segment.
    pub(super) name: Named,
    pub(super) point: Point,
    /// A reusable buffer for groups.
    buffer: Vec<u8>,
    /// The length in bytes at which a segment is full and the next one begins.
    segment_bytes: u64,
    /// The length of the file. The last group is followed by zeros, because a sync takes less time
    /// if the preceding write has not changed the length of the file.
    allocated: u64,
    /// The space, in bytes, to allocate at a time; 0 if the file system cannot do that.
    allocate_bytes: u64,
}

impl Segments {
    /// Creates a log in an empty folder.
    pub(super) fn create(folder: &Path, store: u64) -> io::Result<Segments> {
        fs::create_dir_all(folder)?;
        Ok(Segments { folder: folder.to_owned(), store, files: RwLock::default() })
    }

    /// Opens the segments in this folder, and lists the problems found in them. `store` is the
    /// store's number, if it is known from another file, and `first` is the number of the first
    /// segment, or 0 if it is not known. If no segment tells the store's number either, it gets a
    /// new one.
    pub(super) fn open(folder: &Path, store: Option<u64>, first: u32) -> io::Result<(Segments, Vec<Loss>)> {
        let mut files = BTreeMap::new();
        let mut seals = BTreeMap::new();
        for entry in disk::if_there(fs::read_dir(folder))?.into_iter().flatten() {
            let path = entry?.path();
            let Some(number) = number_of(&path) else { continue };
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            let mut header = [0; HEADER_BYTES];
            // A header that cannot be read is treated like a damaged one.
            let header = file.read_exact_at(&mut header, 0).ok().and(Seal::of_header(&header));
            seals.insert(number, header);
            files.insert(number, Arc::new(file));
        }
        let sealed = seals.iter().find_map(|(number, seal)| seal.filter(|seal| seal.number == *number));
        let store = store.or(sealed.map(|seal| seal.store)).unwrap_or_else(new_number);
        let mut problems = Vec::new();
        if files.is_empty() {
            fs::create_dir_all(folder)?;
            problems.push(Loss { what: "the log is gone".to_owned(), end: None });
        }
        for (number, found) in seals {
            let what = match found {
                Some(seal) if seal == (Seal { store, number }) => continue,
                Some(_) => format!("segment {number} belongs to another store or another place"),
                None => format!("the header of segment {number} is damaged"),
            };
            let end = Some(Point { segment: number, at: HEADER_BYTES as u64 });
            problems.push(Loss { what, end });
        }
        problems.extend(missing(files.keys().copied(), first));
        let folder = folder.to_owned();
        Ok((Segments { folder, store, files: RwLock::new(files) }, problems))
    }

    pub(super) fn numbers(&self) -> Vec<u32> {
        self.files.read().keys().copied().collect()
    }

    /// Returns the number of the next segment after this one that exists.
    pub(super) fn after(&self, number: u32) -> u32 {
        self.files.read().range(number + 1..).next().map_or(number, |(next, _)| *next)
    }

    pub(super) fn seal(&self, number: u32) -> Seal {
        Seal { store: self.store, number }
    }

    pub(super) fn total_bytes(&self) -> io::Result<u64> {
        let files = self.files.read();
        files.values().map(|file| Ok(file.metadata()?.len())).sum()
    }

    /// True if the segment that should contain this point exists and is long enough.
    pub(super) fn reach(&self, point: Point) -> bool {
        let data = self.file(point.segment).and_then(|file| file.metadata());
        data.is_ok_and(|data| point.at <= data.len())
    }

    pub(super) fn path(&self, number: u32) -> PathBuf {
        self.folder.join(file_name(number))
    }

    fn file(&self, number: u32) -> io::Result<Arc<File>> {
        let files = self.files.read();
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("segment {number} is gone"));
        files.get(&number).cloned().ok_or_else(missing)
    }

    /// Returns a whole segment. Sectors that the disk cannot read are zeros, like other damage.
    pub(super) fn bytes(&self, number: u32) -> io::Result<Vec<u8>> {
        disk::read_around_damage(&*self.file(number)?)
    }

    /// Returns the frame at this position; `None` if it is not valid.
    pub(super) fn frame(&self, place: Place) -> io::Result<Option<Frame<'static>>> {
        let mut bytes = vec![0; place.length as usize];
        match self.file(place.segment)?.read_exact_at(&mut bytes, u64::from(place.at)) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let frame = parse_or_repair(&bytes, self.seal(place.segment), u64::from(place.at));
        Ok(frame.filter(|frame| frame.length == place.length).map(Frame::into_owned))
    }

    pub(super) fn cut(&self, from: Point) -> io::Result<()> {
        disk::cut(&*self.file(from.segment)?, from.at)
    }

    /// Makes everything that was written to a segment durable.
    pub(super) fn sync(&self, number: u32) -> io::Result<()> {
        disk::sync(&*self.file(number)?)
    }

    /// Removes a segment without live data, and returns its length. A damaged segment is only
    /// renamed, so that an operator can examine it.
    pub(super) fn remove(&self, number: u32, is_damaged: bool) -> io::Result<u64> {
        let length = self.file(number)?.metadata()?.len();
        let path = self.path(number);
        if is_damaged {
            fs::rename(&path, path.with_extension("damaged"))?;
        } else {
            fs::remove_file(&path)?;
        }
        self.files.write().remove(&number);
        Ok(length)
    }

    /// Durably creates a segment, and returns its end. The file gets its final name when it is
    /// complete.
    pub(super) fn begin(&self, number: u32, fill: impl FnOnce(&mut FrameWriter)) -> io::Result<Point> {
        let seal = self.seal(number);
        let path = self.path(number);
        let unfinished = path.with_extension("new");
        let mut options = OpenOptions::new();
        let file = disk::open(&unfinished, options.create(true).truncate(true).read(true).write(true))?;
        let mut frames = FrameWriter::new(seal, HEADER_BYTES as u64, Vec::new());
        fill(&mut frames);
        disk::write_all_at(&file, &[&seal.header(), frames.bytes()].concat(), 0)?;
        file.sync_all()?;
        fs::rename(&unfinished, &path)?;
        File::open(&self.folder)?.sync_all()?;
        self.files.write().insert(number, Arc::new(file));
        Ok(Point { segment: number, at: frames.end() })
    }
}

/// Returns a random number for a store.
pub(super) fn new_number() -> u64 {
    RandomState::new().hash_one("a store")
}

impl Tail {
    /// Opens the log for writing at its end. `point` must be the end of the last segment.
    pub(super) fn new(
        segments: Arc<Segments>,
        point: Point,
        segment_bytes: u64,
        allocate_bytes: u64,
    ) -> io::Result<Tail> {
        let file = segments.file(point.segment)?;
        let name = Named::of_open(segments.path(point.segment), &file)?;
        let (buffer, allocated) = (Vec::new(), point.at);
        Ok(Tail { segments, file, name, point, buffer, segment_bytes, allocated, allocate_bytes })
    }

    /// Returns a new group. The caller fills it, and passes it to [`write`](Self::write) or
    /// [`drop_group`](Self::drop_group) before it asks for the next one.
    pub(super) fn group(&mut self) -> FrameWriter {
        let (segment, at) = match self.is_full() {
            true => (self.point.segment + 1, HEADER_BYTES as u64),
            false => (self.point.segment, self.point.at),
        };
        FrameWriter::new(self.segments.seal(segment), at, std::mem::take(&mut self.buffer))
    }

    fn is_full(&self) -> bool {
        self.point.at >= self.segment_bytes
    }

    /// Begins the next segment if the current one is full. Must be called before
    /// [`write`](Self::write). After an error, nothing has been written.
    pub(super) fn make_ready(&mut self) -> io::Result<()> {
        if self.is_full() {
            self.release_unused()?;
            self.point = self.segments.begin(self.point.segment + 1, |_| {})?;
            self.allocated = self.point.at;
            self.file = self.segments.file(self.point.segment)?;
            self.name = Named::of_open(self.segments.path(self.point.segment), &self.file)?;
        }
        Ok(())
    }

    /// Durably writes a group. After an error, parts of it may be in the file; [`cut`](Self::cut)
    /// removes them.
    pub(super) fn write(&mut self, group: FrameWriter) -> io::Result<()> {
        if self.allocated < group.end() && self.allocate_bytes > 0 {
            self.allocate((group.end() + self.allocate_bytes).min(self.segment_bytes.max(group.end())));
        }
        disk::write_all_at(&self.file, group.bytes(), self.point.at)?;
        self.file.sync_data()?;
        self.point.at = group.end();
        self.drop_group(group);
        Ok(())
    }

    /// Allocates disk space up to `end`. An error is ignored, because the next write makes the file
    /// longer itself, and then reports if the disk is full.
    fn allocate(&mut self, end: u64) {
        match disk::allocate(&self.file, self.allocated, end - self.allocated) {
            Ok(()) => self.allocated = end,
            Err(error) if disk::is_no_room(&error) => {}
            Err(_) => self.allocate_bytes = 0,
        }
    }

    /// The allocated space after the last group, in bytes.
    pub(super) fn unused_bytes(&self) -> u64 {
        self.allocated.saturating_sub(self.point.at)
    }

    /// Durably removes the allocated space after the last group.
    pub(super) fn release_unused(&mut self) -> io::Result<()> {
        if self.unused_bytes() > 0 {
            self.cut(self.point)?;
        }
        Ok(())
    }

    /// Drops a group, but keeps its memory for the next one.
    pub(super) fn drop_group(&mut self, group: FrameWriter) {
        self.buffer = group.into_buffer();
        // Large groups are rare, so their memory is not kept.
        self.buffer.shrink_to(BUFFER_BYTES_KEPT);
    }

    /// Durably removes everything after a point in the last segment. After an error, the data may
    /// still be in the file.
    pub(super) fn cut(&mut self, from: Point) -> io::Result<()> {
        self.segments.cut(from)?;
        (self.point, self.allocated) = (from, from.at);
        Ok(())
    }

    /// Treats the current segment as full, because its file cannot grow. The next group begins a
    /// new segment.
    pub(super) fn end_segment(&mut self) {
        if self.point.at > HEADER_BYTES as u64 {
            self.segment_bytes = self.segment_bytes.min(self.point.at);
        }
    }
}

/// Returns the gaps between the numbers of the segments, which must be in order. `first` is the
/// number of the first segment, or 0 if it is not known.
pub(super) fn missing(numbers: impl Iterator<Item = u32>, first: u32) -> impl Iterator<Item = Loss> {
    let before = first.checked_sub(1);
    before.into_iter().chain(numbers).tuple_windows().filter_map(|(before, next)| {
        let what = match next.saturating_sub(before) {
            0 | 1 => return None,
            2 => format!("segment {} is missing", next - 1),
            _ => format!("segments {} to {} are missing", before + 1, next - 1),
        };
        Some(Loss { what, end: Some(Point { segment: next - 1, at: u64::MAX }) })
    })
}

pub(super) fn file_name(number: u32) -> String {
    format!("{number:08}.{EXTENSION}")
}

/// Returns the number in the file name of a segment; `None` for other files.
pub(super) fn number_of(path: &Path) -> Option<u32> {
    path.extension().filter(|extension| *extension == EXTENSION)?;
    path.file_stem()?.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::place::DataFolder;
    use super::*;

    fn tail(folder: &Path) -> (Arc<Segments>, Point) {
        let segments = Segments::create(folder, 7).unwrap();
        let point = segments.begin(1, |_| {}).unwrap();
        (Arc::new(segments), point)
    }

    #[test]
    fn a_segment_that_was_replaced_before_it_grows_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (segments, point) = tail(folder.path());
        let path = segments.path(1);
        fs::copy(&path, path.with_extension("other")).unwrap();
        fs::rename(path.with_extension("other"), &path).unwrap();
        let tail = Tail::new(segments, point, 1_000, 0).unwrap();
        let place = DataFolder::new(folder.path(), &[]).unwrap();
        let found = place.check_one(&tail.name).unwrap_err();
        assert!(found.contains("00000001.seg was replaced"), "{found}");
    }

    #[test]
    fn the_memory_of_a_huge_group_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let (segments, point) = tail(folder.path());
        let mut tail = Tail::new(segments, point, u64::MAX, 0).unwrap();
        for bytes in [4 * BUFFER_BYTES_KEPT, 10] {
            let mut group = tail.group();
            group.push(1, |buffer| buffer.resize(bytes, 0));
            tail.write(group).unwrap();
            assert!(tail.buffer.capacity() <= BUFFER_BYTES_KEPT, "{}", tail.buffer.capacity());
        }
    }
}
