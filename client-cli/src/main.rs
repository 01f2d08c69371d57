//! `flagfall`: the subcommands, and the terminal and files around the library of the same name.

mod commands;
mod screen;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use flagfall::cli::{Cli, with_small_commands};
use flagfall::words;
use flagfall_protocol::Exit;

use commands::CommandError;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(with_small_commands(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            drop(error.print());
            return ExitCode::from(code.code());
        }
    };
    match commands::run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(CommandError { code, message }) => {
            drop(writeln!(io::stderr(), "flagfall: {}", words::clean(&message)));
            ExitCode::from(code.code())
        }
    }
}
