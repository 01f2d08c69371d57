//! The check: compares the counts of each crate of a workspace with the allowed counts.

use std::fmt::Write as _;

use crate::StructureError;
use crate::allowed::{Allowed, Counts, compare};
use crate::files::{LINES_MAX, LongFile, REASON, long_files};
use crate::graph::{Component, components};
use crate::modules::Tree;
use crate::workspace::{Package, Workspace};

/// The findings in a crate.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Findings {
    /// The crate's cycles.
    pub components: Vec<Component>,
    /// The crate's long files without a reason.
    pub long_files: Vec<LongFile>,
}

impl Findings {
    /// Examines a package.
    ///
    /// # Errors
    /// If its sources cannot be read.
    pub fn of(package: &Package) -> Result<Findings, StructureError> {
        let mut findings = Findings { components: Vec::new(), long_files: long_files(package)? };
        for root in &package.roots {
            findings.components.extend(components(&Tree::read(root)?));
        }
        Ok(findings)
    }

    /// The number of findings.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            in_cycles: self.components.iter().map(|component| component.modules.len()).sum(),
            long_files: self.long_files.len(),
        }
    }
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The text for people.
    pub text: String,
    /// True if no crate exceeds its maximum counts.
    pub is_sound: bool,
}

/// Checks every crate of a workspace against the list.
///
/// # Errors
/// If a source cannot be read.
pub fn check(workspace: &Workspace, allowed: &Allowed) -> Result<Report, StructureError> {
    let mut text = String::new();
    let mut is_sound = true;
    for package in &workspace.packages {
        let findings = Findings::of(package)?;
        let counts = findings.counts();
        let ceiling = allowed.get(&package.name).copied();
        let faults = compare(&package.name, counts, ceiling);
        for fault in &faults {
            text += &format!("{fault}\n");
        }
        if faults.is_empty() && counts != Counts::default() {
            let Counts { in_cycles, long_files } = counts;
            text += &format!(
                "{}: modules in cycles: {in_cycles}, long files: {long_files} (allowed)\n",
                package.name
            );
        }
        let ceiling = ceiling.unwrap_or_default();
        if counts.in_cycles > ceiling.in_cycles {
            text += &cycles_text(workspace, &findings.components);
        }
        if counts.long_files > ceiling.long_files {
            text += &long_files_text(workspace, &findings.long_files);
        }
        is_sound &= faults.is_empty();
    }
    for name in allowed.keys() {
        if !workspace.packages.iter().any(|package| package.name == *name) {
            text += &format!("{name}: there is no such crate: take it off the list\n");
            is_sound = false;
        }
    }
    Ok(Report { text, is_sound })
}

/// The cycles as a list of `module -> module (file:line)`.
#[must_use]
pub fn cycles_text(workspace: &Workspace, components: &[Component]) -> String {
    let mut text = String::new();
    for Component { modules, cycles } in components {
        text += &format!("  {} modules import each other: {}\n", modules.len(), modules.join(", "));
        for cycle in cycles {
            let mut indent = "    upward: ";
            for step in cycle {
                let site = format!("{}:{}", workspace.shown(&step.site.file), step.site.line);
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{indent}{} -> {} ({site})", step.from, step.to);
                indent = "            ";
            }
        }
    }
    text
}

fn long_files_text(workspace: &Workspace, files: &[LongFile]) -> String {
    let mut text = format!("  more than {LINES_MAX} lines, and no \"//! {REASON} ...\" at the top:\n");
    for LongFile { path, lines } in files {
        text += &format!("    {} ({lines} lines)\n", workspace.shown(path));
    }
    text
}
