//! The crates of a workspace, as listed by Cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::StructureError;

/// A package of the workspace.
#[derive(Debug)]
pub struct Package {
    /// The package's name.
    pub name: String,
    /// The package's folder.
    pub folder: PathBuf,
    /// The root files of the package's library and programs, but not of tests, examples and
    /// benchmarks.
    pub roots: Vec<PathBuf>,
    /// Folders of other packages inside this package's folder.
    pub others: Vec<PathBuf>,
}

/// A workspace.
#[derive(Debug)]
pub struct Workspace {
    /// The workspace's folder.
    pub folder: PathBuf,
    /// The workspace's packages, by name.
    pub packages: Vec<Package>,
}

impl Workspace {
    /// Reads the workspace of a folder.
    ///
    /// # Errors
    /// If Cargo cannot read the workspace.
    pub fn read(folder: &Path) -> Result<Workspace, StructureError> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(folder)
            .output()
            .map_err(|error| StructureError::Metadata(error.to_string()))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(StructureError::Metadata(message));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| StructureError::Metadata(error.to_string()))?;
        Workspace::from_metadata(&metadata)
            .ok_or_else(|| StructureError::Metadata("a field is missing".to_owned()))
    }

    fn from_metadata(metadata: &Value) -> Option<Workspace> {
        let mut packages = metadata["packages"]
            .as_array()?
            .iter()
            .map(|package| {
                let manifest = PathBuf::from(package["manifest_path"].as_str()?);
                let targets = package["targets"].as_array()?.iter().filter(|target| is_product(target));
                let roots = targets.filter_map(|target| Some(PathBuf::from(target["src_path"].as_str()?)));
                Some(Package {
                    name: package["name"].as_str()?.to_owned(),
                    folder: manifest.parent()?.to_owned(),
                    roots: roots.collect(),
                    others: Vec::new(),
                })
            })
            .collect::<Option<Vec<Package>>>()?;
        packages.sort_by(|one, other| one.name.cmp(&other.name));
        let folders: Vec<PathBuf> = packages.iter().map(|package| package.folder.clone()).collect();
        for package in &mut packages {
            let is_inside =
                |folder: &&PathBuf| **folder != package.folder && folder.starts_with(&package.folder);
            package.others = folders.iter().filter(is_inside).cloned().collect();
        }
        Some(Workspace { folder: PathBuf::from(metadata["workspace_root"].as_str()?), packages })
    }

    /// A path relative to the workspace.
    #[must_use]
    pub fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.folder).unwrap_or(path).display()
    }
}

/// True if a target is a library or a program.
fn is_product(target: &Value) -> bool {
    let kinds = target["kind"].as_array().into_iter().flatten();
    kinds.filter_map(Value::as_str).any(|kind| ["lib", "bin", "rlib", "cdylib", "proc-macro"].contains(&kind))
}
