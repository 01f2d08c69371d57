//! The list of allowed exceptions: maximum counts for each crate, which may only be lowered.

use std::collections::BTreeMap;
use std::path::Path;

use crate::StructureError;

/// The counts that a crate has, or the maximum counts that it may have.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Modules in cycles.
    pub in_cycles: usize,
    /// Files of more than 600 lines that do not state a reason for it.
    pub long_files: usize,
}

/// The maximum counts of the listed crates.
pub type Allowed = BTreeMap<String, Counts>;

/// Reads the list.
///
/// # Errors
/// If the file or one of its lines cannot be read.
pub fn read(path: &Path) -> Result<Allowed, StructureError> {
    let read_error = |source| StructureError::Read { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(read_error)?;
    let mut allowed = Allowed::new();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let error = || StructureError::Allowed { path: path.to_owned(), line: index + 1 };
        let [name, in_cycles, long_files] = words[..] else {
            if words.is_empty() {
                continue;
            }
            return Err(error());
        };
        let number = |text: &str| text.parse().map_err(|_| error());
        let counts = Counts { in_cycles: number(in_cycles)?, long_files: number(long_files)? };
        if allowed.insert(name.to_owned(), counts).is_some() {
            return Err(error());
        }
    }
    Ok(allowed)
}

/// Returns a sentence for each problem with the counts of a crate.
#[must_use]
pub fn compare(name: &str, found: Counts, allowed: Option<Counts>) -> Vec<String> {
    let ceiling = allowed.unwrap_or_default();
    let mut faults = Vec::new();
    for (what, found, ceiling) in [
        ("modules in cycles", found.in_cycles, ceiling.in_cycles),
        ("long files without a reason", found.long_files, ceiling.long_files),
    ] {
        if found > ceiling {
            faults.push(format!("{name}: {found} {what}, {ceiling} allowed"));
        }
        if found < ceiling {
            faults.push(format!("{name}: {found} {what}, {ceiling} allowed: lower the list"));
        }
    }
    if allowed == Some(Counts::default()) {
        faults.push(format!("{name}: nothing is left to allow: take it off the list"));
    }
    faults
}
