//! Files that are generated from the code and checked in.

use std::env;
use std::fs;
use std::path::Path;

/// Fails if the file differs from `wanted`.
///
/// With `FLAGFALL_UPDATE=1`, writes the file instead. The file is replaced in one step, so a test
/// that reads it at the same time gets either the old or the new content.
///
/// # Panics
/// If the file differs or cannot be written.
pub fn check_generated(path: &Path, wanted: &str, package: &str) {
    let found = fs::read_to_string(path).unwrap_or_default();
    if found == wanted {
        return;
    }
    assert!(
        env::var_os("FLAGFALL_UPDATE").is_some(),
        "{} is stale: regenerate it with FLAGFALL_UPDATE=1 cargo test -p {package}, and read the diff",
        path.display()
    );
    let new = path.with_extension(format!("new-{}", std::process::id()));
    fs::write(&new, wanted).expect("a file beside it can be written");
    fs::rename(&new, path).expect("the file can be replaced");
}
