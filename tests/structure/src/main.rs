//! Checks the structure of the sources.
//!
//! ```text
//! structure                 module cycles and long files of every crate, against the list
//! structure cycles [CRATE]  every cycle, allowed or not
//! structure lines           product lines of every crate
//! ```
//!
//! `--workspace FOLDER` reads another workspace, `--allowed FILE` another list.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use flagfall_structure::check::{Findings, check, cycles_text};
use flagfall_structure::files::product_lines;
use flagfall_structure::workspace::Workspace;
use flagfall_structure::{StructureError, allowed};

fn main() -> ExitCode {
    let mut folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut list = Path::new(env!("CARGO_MANIFEST_DIR")).join("allowed.txt");
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let place = match argument.as_str() {
            "--workspace" => &mut folder,
            "--allowed" => &mut list,
            _ => {
                words.push(argument);
                continue;
            }
        };
        let Some(value) = arguments.next() else { return usage() };
        *place = PathBuf::from(value);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        [] => check_all(&folder, &list),
        ["cycles"] => show_cycles(&folder, None),
        ["cycles", name] => show_cycles(&folder, Some(name)),
        ["lines"] => show_lines(&folder),
        _ => return usage(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("structure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: structure [cycles [CRATE] | lines] [--workspace FOLDER] [--allowed FILE]");
    ExitCode::from(2)
}

fn check_all(folder: &Path, list: &Path) -> Result<bool, StructureError> {
    let report = check(&Workspace::read(folder)?, &allowed::read(list)?)?;
    print!("{}", report.text);
    Ok(report.is_sound)
}

fn show_cycles(folder: &Path, name: Option<&str>) -> Result<bool, StructureError> {
    let workspace = Workspace::read(folder)?;
    for package in workspace.packages.iter().filter(|package| name.is_none_or(|name| name == package.name)) {
        let findings = Findings::of(package)?;
        if !findings.components.is_empty() {
            println!("{}", package.name);
            print!("{}", cycles_text(&workspace, &findings.components));
        }
    }
    Ok(true)
}

fn show_lines(folder: &Path) -> Result<bool, StructureError> {
    let lines = product_lines(&Workspace::read(folder)?)?;
    for (name, count) in &lines {
        println!("{count:>7} {name}");
    }
    println!("{:>7} in total", lines.values().sum::<usize>());
    Ok(true)
}
