//! `flagfall`: the subcommands on top of the library of the same name.

mod commands;

use std::ffi::OsString;
use std::process::ExitCode;

use flagfall::settings::{SettingsError, read_command_line};
use flagfall::{language, text, texts};
use flagfall_protocol::Exit;

use commands::CommandError;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    texts::choose_language(language::wanted(&arguments, |name| std::env::var(name).ok()));
    let result = match read_command_line(arguments) {
        Ok((cli, settings)) => commands::run(cli, &settings),
        Err(SettingsError::Arguments(error)) => {
            // Help and version are not errors.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            drop(error.print());
            return ExitCode::from(code.code());
        }
        Err(error) => Err(commands::settings_failure(error)),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(CommandError { code, message }) => {
            // If standard error is closed, there is no way to report the error.
            drop(commands::warn(&text!("error-line", message)));
            ExitCode::from(code.code())
        }
    }
}
