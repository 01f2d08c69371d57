//! The product's sources, for tests that read them.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the Rust files below a folder, with their contents. Tests are left out: folders and
/// files named `tests`, and a module `tests` at the end of a file.
///
/// # Panics
/// If a file cannot be read.
#[must_use]
pub fn product_sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["tests", "target", "benches"].contains(&name.as_str()) {
                found.extend(product_sources(&path));
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).expect("a source");
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
            found.push((path, product));
        }
    }
    found
}
