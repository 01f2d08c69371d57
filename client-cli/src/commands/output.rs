//! Functions that all commands share: output, errors, and input from files.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use flagfall::cli::Common;
use flagfall::net::dial::Dialer;
use flagfall::shell::{folded, terminal_columns};
use flagfall::{names, text, words};
use flagfall_protocol::Exit;
use flagfall_rules::Ruleset;
use serde::Serialize;

pub(crate) struct CommandError {
    pub(crate) code: Exit,
    pub(crate) message: String,
}

/// The result of a command or of a part of it. By default, the value is an exit code.
pub(crate) type Done<T = u8> = Result<T, CommandError>;

pub(crate) fn usage(error: impl std::fmt::Display) -> CommandError {
    CommandError { code: Exit::Usage, message: error.to_string() }
}

pub(crate) fn network(error: impl std::fmt::Display) -> CommandError {
    CommandError { code: Exit::Network, message: error.to_string() }
}

pub(crate) fn storage(error: impl std::fmt::Display) -> CommandError {
    CommandError { code: Exit::Storage, message: error.to_string() }
}

/// Handles the result of writing output. A closed pipe is not an error.
pub(crate) fn written(result: io::Result<u8>) -> Done {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        other => other.map_err(storage),
    }
}

/// Prints text for the user, without terminal control characters, ending with a line break.
pub(crate) fn print(text: &str) -> Done {
    let text = folded(words::clean(text).trim_end_matches('\n'), terminal_columns());
    print_as_it_is(&format!("{text}\n"))
}

/// Prints an answer from the server: as JSON, or in words.
pub(crate) fn show<T: Serialize>(json: bool, answer: &T, words: impl FnOnce(&T) -> String) -> Done {
    if json { print_json(answer) } else { print(&words(answer)) }
}

/// Prints a value as JSON, for programs.
pub(crate) fn print_json(value: &impl Serialize) -> Done {
    print_as_it_is(&pretty_json(value)?)
}

/// Returns JSON that ends with a line break.
pub(crate) fn pretty_json(value: &impl Serialize) -> Done<String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(usage)
}

/// Writes a line for the user to standard error.
pub(crate) fn warn(text: &str) -> Done<()> {
    writeln!(io::stderr(), "{}", words::clean(text)).map_err(storage)
}

pub(crate) fn file_error(path: &Path, error: &io::Error) -> CommandError {
    storage(text!("file-error", path = path.display().to_string(), why = error.to_string()))
}

/// Prints output for programs, such as JSON.
pub(crate) fn print_as_it_is(text: &str) -> Done {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()).map(|()| Exit::Done.code()))
}

/// Writes output for programs to the given file, and prints a message. Without a file, prints the
/// output.
pub(crate) fn print_or_write(text: &str, out: Option<&Path>) -> Done {
    let Some(path) = out else { return print_as_it_is(text) };
    fs::write(path, text).map_err(|error| file_error(path, &error))?;
    print(&text!("file-written", path = path.display().to_string()))
}

/// Returns the contents of the file with this name, or `text` itself if there is no such file.
pub(crate) fn file_or_text(text: &str) -> Done<String> {
    if Path::new(text).is_file() {
        fs::read_to_string(text).map_err(|error| file_error(Path::new(text), &error))
    } else {
        Ok(text.to_owned())
    }
}

pub(crate) fn find_ruleset(id: &str) -> Done<&'static Ruleset> {
    names::ruleset(id).map_err(usage)
}

pub(crate) fn runtime() -> Done<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(usage)
}

/// Returns a dialer that trusts the certificate authorities given on the command line.
pub(crate) fn dialer(common: &Common) -> Done<Dialer> {
    Dialer::new(common.ca.as_deref()).map_err(|error| usage(text!("ca-error", why = error.to_string())))
}
