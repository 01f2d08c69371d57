//! The checksum of the index's files, which is written when the store is closed.
//!
//! The database does not detect all damage to its files: some damage silently removes rows. So an
//! index is used only if it has not changed since the store was closed. The checksum is removed
//! before the index changes, so a store that was not closed properly has no checksum.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::disk;

const PIECE: usize = 1024 * 1024;

/// Writes the checksum of the files in a folder.
pub(super) fn write(path: &Path, folder: &Path) -> io::Result<()> {
    fs::write(path, of(folder)?.to_le_bytes())
}

/// Durably removes the checksum. Returns true if it matched the files.
pub(super) fn take(path: &Path, folder: &Path) -> io::Result<bool> {
    let Some(written) = disk::if_there(fs::read(path))? else { return Ok(false) };
    fs::remove_file(path)?;
    if let Some(parent) = path.parent() {
        File::open(parent)?.sync_all()?;
    }
    Ok(folder.is_dir() && written == of(folder)?.to_le_bytes())
}

/// Computes the checksum of the names, lengths and bytes of all files.
fn of(folder: &Path) -> io::Result<u64> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    let mut sum = Xxh3::new();
    let mut piece = vec![0; PIECE];
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).as_os_str().as_encoded_bytes();
        sum.update(name);
        let mut file = File::open(&path)?;
        sum.update(&file.metadata()?.len().to_le_bytes());
        loop {
            match file.read(&mut piece)? {
                0 => break,
                read => sum.update(&piece[..read]),
            }
        }
    }
    Ok(sum.digest())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_is_noticed_and_a_sum_counts_once() {
        let place = tempfile::tempdir().unwrap();
        let (path, folder) = (place.path().join("sum"), place.path().join("index"));
        fs::create_dir_all(folder.join("tables")).unwrap();
        let fill = || {
            fs::write(folder.join("tables/1"), "rows").unwrap();
            fs::write(folder.join("version"), "3").unwrap();
        };
        let is_as_after = |change: &dyn Fn()| {
            fill();
            write(&path, &folder).unwrap();
            change();
            take(&path, &folder).unwrap()
        };
        assert!(is_as_after(&|| {}));
        assert!(!take(&path, &folder).unwrap(), "it counts once");
        assert!(!is_as_after(&|| fs::write(folder.join("tables/1"), "rowt").unwrap()));
        assert!(!is_as_after(&|| fs::remove_file(folder.join("version")).unwrap()));
        assert!(!is_as_after(&|| fs::write(folder.join("more"), "").unwrap()));
        fs::remove_file(folder.join("more")).unwrap();
        assert!(!is_as_after(&|| fs::rename(folder.join("version"), folder.join("ver")).unwrap()));
        fs::remove_file(folder.join("ver")).unwrap();
        assert!(!is_as_after(&|| fs::write(&path, "").unwrap()));
        assert!(!is_as_after(&|| fs::remove_dir_all(&folder).unwrap()));
    }
}
