//! `flagfall completions` and `flagfall man`, generated from the definition of the command line.

use std::fs;
use std::path::Path;

use clap_complete::Shell;
use flagfall::cli::help;
use flagfall::text;

use super::output::{Done, file_error, print, print_as_it_is, usage};

const PROGRAM: &str = "flagfall";

pub(crate) fn completions(shell: Shell) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), PROGRAM, &mut script);
    print_as_it_is(&String::from_utf8(script).map_err(usage)?)
}

pub(crate) fn pages(folder: &Path) -> Done {
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(help::command(), folder));
    written.map_err(|error| file_error(folder, &error))?;
    print(&text!("man-written", folder = folder.display().to_string()))
}
