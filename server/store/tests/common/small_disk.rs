//! A small disk in memory that tests can fill.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::scratch;

/// A mounted file system of a few MiB.
pub(crate) struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts the disk. Returns `None` if this process has no permission to mount; the test is
    /// then skipped.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub(crate) fn mount(mib: u64) -> Option<SmallDisk> {
        let folder = scratch();
        let size = format!("size={mib}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("SKIPPED: this process may not mount a small file system");
        }
        mounted.then_some(SmallDisk(folder))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn other(&self) -> PathBuf {
        self.0.path().join("another program's file")
    }

    /// Fills the disk with another file until this many bytes are free.
    pub(crate) fn leave(&self, bytes: u64) {
        let other = File::create(self.other()).unwrap();
        loop {
            let found = rustix::fs::statvfs(self.0.path()).unwrap();
            let length = (found.f_bavail * found.f_frsize).saturating_sub(bytes);
            if length == 0 {
                return;
            }
            // The store writes in the background, so less space may be free than a moment ago.
            match rustix::fs::fallocate(&other, rustix::fs::FallocateFlags::empty(), 0, length) {
                Err(rustix::io::Errno::NOSPC) => {}
                filled => return filled.unwrap(),
            }
        }
    }

    /// Removes the file that filled the disk.
    pub(crate) fn make_room(&self) {
        fs::remove_file(self.other()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0.path()).status();
        assert!(std::thread::panicking() || unmounted.unwrap().success());
    }
}
