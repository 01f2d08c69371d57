//! Long files, and the number of lines in the product.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::StructureError;
use crate::modules::{SourceFile, Tree};
use crate::workspace::{Package, Workspace};

/// A file with more lines must state a reason.
pub const LINES_MAX: usize = 600;

/// The words with which a module's documentation introduces the reason.
pub const REASON: &str = "Over 600 lines:";

/// The reason must be within this many lines from the top.
const REASON_WITHIN: usize = 20;

/// A long file without a reason.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LongFile {
    /// The file.
    pub path: PathBuf,
    /// The number of lines in the file.
    pub lines: usize,
}

/// Returns the long files of a package that do not state a reason, including tests and examples.
///
/// # Errors
/// If a file or folder cannot be read.
pub fn long_files(package: &Package) -> Result<Vec<LongFile>, StructureError> {
    let mut long = Vec::new();
    let mut folders = vec![package.folder.clone()];
    while let Some(folder) = folders.pop() {
        let read_error = |source| StructureError::Read { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(read_error)? {
            let path = entry.map_err(read_error)?.path();
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            if is_source {
                long.extend(long_file(&path)?);
            } else if path.is_dir() && is_own(&path, package) {
                folders.push(path);
            }
        }
    }
    long.sort_unstable();
    Ok(long)
}

/// True if a folder belongs to the package. Folders with build output, other packages or other
/// workspaces do not.
fn is_own(folder: &Path, package: &Package) -> bool {
    let is_output = folder.file_name().is_some_and(|name| name == "target");
    !is_output && !package.others.contains(&folder.to_owned()) && !folder.join("Cargo.toml").is_file()
}

fn long_file(path: &Path) -> Result<Option<LongFile>, StructureError> {
    let text = read(path)?;
    let lines = text.lines().count();
    let mut first = text.lines().take(REASON_WITHIN);
    let says_why = first.any(|line| {
        let reason = line.strip_prefix("//!").and_then(|line| line.trim().strip_prefix(REASON));
        reason.is_some_and(|reason| !reason.trim().is_empty())
    });
    Ok((lines > LINES_MAX && !says_why).then(|| LongFile { path: path.to_owned(), lines }))
}

/// The product lines of each crate: lines of its sources that are neither blank nor only for tests.
///
/// Crates of tests have no product lines.
///
/// # Errors
/// If a source cannot be read.
pub fn product_lines(workspace: &Workspace) -> Result<BTreeMap<String, usize>, StructureError> {
    let mut lines = BTreeMap::new();
    for package in product(workspace) {
        let mut count = 0;
        for (path, file) in sources(package)? {
            count += (read(&path)?.lines().enumerate())
                .filter(|(index, line)| !line.trim().is_empty() && !file.is_for_tests(index + 1))
                .count();
        }
        lines.insert(package.name.clone(), count);
    }
    Ok(lines)
}

/// Returns the packages of the product, which are all except those of tests.
pub(crate) fn product(workspace: &Workspace) -> impl Iterator<Item = &Package> {
    let tests = workspace.folder.join("tests");
    workspace.packages.iter().filter(move |package| !package.folder.starts_with(&tests))
}

/// Returns the files of a package's library and programs.
pub(crate) fn sources(package: &Package) -> Result<BTreeMap<PathBuf, SourceFile>, StructureError> {
    let mut files = BTreeMap::new();
    for root in &package.roots {
        files.extend(Tree::read(root)?.files);
    }
    Ok(files)
}

pub(crate) fn read(path: &Path) -> Result<String, StructureError> {
    std::fs::read_to_string(path).map_err(|source| StructureError::Read { path: path.to_owned(), source })
}
