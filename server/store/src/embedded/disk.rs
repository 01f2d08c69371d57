//! Functions for writing to a disk that may be full.
//!
//! All writes of the store use these functions, so that tests can make each write fail.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The smallest part of a file that a disk reads.
const SECTOR_BYTES: usize = 512;

/// True if a write failed because the disk is full, a quota is used up, or the file is too large.
pub(super) fn is_no_room(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

pub(super) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    #[cfg(test)]
    planted::before_write(file, bytes, at)?;
    file.write_all_at(bytes, at)
}

/// Allocates `bytes` bytes of disk space in a file, from position `at` on. The file grows if
/// necessary.
pub(super) fn allocate(file: &File, at: u64, bytes: u64) -> io::Result<()> {
    #[cfg(test)]
    planted::before_write(file, &[], at)?;
    Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), at, bytes)?)
}

/// True if the disk works, but cannot read this part of a file.
pub(super) fn is_damaged_sector(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

/// Reads a whole file. Sectors that the disk cannot read are zeros in the result.
pub(super) fn read_around_damage(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?];
    match read_exact_at(file, &mut bytes, 0) {
        Err(error) if is_damaged_sector(&error) => {}
        read => return read.map(|()| bytes),
    }
    for (at, sector) in (0..).step_by(SECTOR_BYTES).zip(bytes.chunks_mut(SECTOR_BYTES)) {
        match read_exact_at(file, sector, at) {
            Err(error) if is_damaged_sector(&error) => sector.fill(0),
            read => read?,
        }
    }
    Ok(bytes)
}

fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    #[cfg(test)]
    planted::before_read(file, at, bytes.len())?;
    file.read_exact_at(bytes, at)
}

/// Makes the content and the length of a file durable.
pub(super) fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    planted::before_sync(file)?;
    file.sync_data()
}

/// Durably cuts off everything in a file from position `at` on.
pub(super) fn cut(file: &File, at: u64) -> io::Result<()> {
    #[cfg(test)]
    planted::before_sync(file)?;
    file.set_len(at)?;
    file.sync_all()
}

pub(super) fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    #[cfg(test)]
    planted::check(path)?;
    options.open(path)
}

pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    planted::check(to)?;
    std::fs::copy(from, to).map(drop)
}

/// Returns `None` if the file or folder does not exist.
pub(super) fn if_there<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

/// A simulated full disk for tests.
#[cfg(test)]
pub(super) mod planted {
    use std::collections::HashMap;
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;
    use std::path::{Path, PathBuf};
    use std::sync::{LazyLock, Mutex, MutexGuard};

    /// The state of the simulated disk that contains a folder.
    #[derive(Clone, Default)]
    pub(in crate::embedded) struct Disk {
        /// The number of further writes that succeed before the disk is full; `None` if it never
        /// becomes full.
        pub(in crate::embedded) room_for: Option<u64>,
        /// True if writes fail with an I/O error instead of the error of a full disk.
        pub(in crate::embedded) is_broken: bool,
        /// The names of the files that could not be written. Numbers in the names are left out.
        pub(in crate::embedded) refused: Vec<String>,
        /// A file, and a position in it that cannot be read.
        pub(in crate::embedded) unreadable: Option<(PathBuf, u64)>,
        /// True if files cannot be synced or cut.
        pub(in crate::embedded) cannot_sync: bool,
        /// The number of free bytes that the disk pretends to have.
        pub(in crate::embedded) free_bytes: Option<u64>,
    }

    static DISKS: LazyLock<Mutex<HashMap<PathBuf, Disk>>> = LazyLock::new(Mutex::default);

    fn disks() -> MutexGuard<'static, HashMap<PathBuf, Disk>> {
        DISKS.lock().unwrap()
    }

    /// Changes the state of the simulated disk that contains a folder.
    pub(in crate::embedded) fn with<T>(folder: &Path, change: impl FnOnce(&mut Disk) -> T) -> T {
        change(disks().entry(folder.to_owned()).or_default())
    }

    pub(in crate::embedded) fn free_bytes(folder: &Path) -> Option<u64> {
        disks().get(folder)?.free_bytes
    }

    /// The kinds of errors that a full disk may report, used in turn.
    const ERRORS: [io::ErrorKind; 3] =
        [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];

    pub(in crate::embedded) fn check(path: &Path) -> io::Result<()> {
        let mut disks = disks();
        let Some((_, disk)) = disks.iter_mut().find(|(folder, _)| path.starts_with(folder)) else {
            return Ok(());
        };
        match &mut disk.room_for {
            None => Ok(()),
            Some(0) => {
                let name = path.file_name().unwrap().to_string_lossy();
                disk.refused.push(name.trim_matches(|letter: char| letter.is_ascii_digit()).to_owned());
                match disk.is_broken {
                    true => Err(io::Error::from_raw_os_error(5)),
                    false => Err(ERRORS[disk.refused.len() % ERRORS.len()].into()),
                }
            }
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }

    pub(super) fn before_read(file: &File, at: u64, bytes: usize) -> io::Result<()> {
        let path = path_of(file)?;
        let is_there =
            |damage: &(PathBuf, u64)| damage.0 == path && (at..at + bytes as u64).contains(&damage.1);
        match disks().values().filter_map(|disk| disk.unreadable.as_ref()).any(is_there) {
            true => Err(io::Error::from_raw_os_error(5)),
            false => Ok(()),
        }
    }

    pub(super) fn before_sync(file: &File) -> io::Result<()> {
        let path = path_of(file)?;
        let cannot = disks().iter().any(|(folder, disk)| disk.cannot_sync && path.starts_with(folder));
        if cannot { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn path_of(file: &File) -> io::Result<PathBuf> {
        fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }

    /// If the simulated disk is full, writes none, half or all of the bytes and then returns an
    /// error. All bytes may be written, because a real disk may report the error only at the
    /// sync.
    pub(super) fn before_write(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        let refused = check(&path_of(file)?);
        if refused.is_err() {
            let left = bytes.len() * (at as usize % 3) / 2;
            file.write_all_at(&bytes[..left], at)?;
        }
        refused
    }
}
