//! Files that are made from the code and checked in.

use std::path::Path;

/// Fails when the file differs from what the code makes of it; with `FLAGFALL_UPDATE=1` it is written instead.
pub(crate) fn check(path: &Path, wanted: &str) {
    if std::env::var_os("FLAGFALL_UPDATE").is_some() {
        std::fs::write(path, wanted).unwrap();
        return;
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is stale: make it anew with FLAGFALL_UPDATE=1 cargo test -p flagfall-referee, and read the difference",
        path.display()
    );
}
