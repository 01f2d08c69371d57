//! Checks of the structure of the sources. They only parse the sources, so they take just
//! seconds.
//!
//! - [`modules`] reads the modules of a crate, and [`names`] finds the module that a path names.
//! - [`graph`] finds the cycles between modules.
//! - [`files`] finds long files and counts product lines.
//! - [`fields`] finds the fields of log lines.
//! - [`allowed`] is the list of allowed exceptions.
//! - [`check`] combines these parts.

pub mod allowed;
pub mod check;
pub mod fields;
pub mod files;
pub mod graph;
pub mod modules;
pub mod names;
pub mod workspace;

use std::path::PathBuf;

/// Why the sources could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StructureError {
    /// A file that could not be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file that is not Rust.
    #[error("{}:{line}: {message}", .path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// A module without a file.
    #[error("{}:{line}: no file for the module {module}", .path.display())]
    NoFile {
        /// The file that declares the module.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The module.
        module: String,
    },
    /// `cargo metadata` failed.
    #[error("cargo metadata: {0}")]
    Metadata(String),
    /// A line of the list that cannot be read.
    #[error("{}:{line}: a line has a crate, its modules in cycles, and its long files", .path.display())]
    Allowed {
        /// The list.
        path: PathBuf,
        /// The line.
        line: usize,
    },
}
