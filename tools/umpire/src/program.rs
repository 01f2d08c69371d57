//! Finds the programs that are to play: the program of a command, or all programs in a folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::line::fit_name;

/// A program that can be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The program's name, which is a single word of the protocol.
    pub name: String,
    /// The file to execute.
    pub path: PathBuf,
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// The folder in which to start the program. `None` for the umpire's working folder.
    pub folder: Option<PathBuf>,
}

/// Why a command or a file cannot be used as a program.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum ProgramError {
    #[error("{0:?} is not a command: it is empty, or a quote is not closed")]
    Command(String),
    #[error("there is no program {0:?}: it is not a file and not in the PATH")]
    Missing(String),
    #[error("{0:?} is not executable: run chmod +x on it, or write its interpreter before it")]
    NotExecutable(PathBuf),
    #[error("{path:?} cannot be run: {why}")]
    Interpreter { path: PathBuf, why: String },
    #[error("there is no file {script:?} for {interpreter} to run")]
    NoScript { interpreter: String, script: String },
    #[error("{path:?}: {error}")]
    Unreadable { path: PathBuf, error: io::Error },
}

/// The programs that were found in a folder.
#[derive(Debug, Default)]
pub struct Found {
    /// The programs, sorted by name.
    pub programs: Vec<Program>,
    /// The files that were skipped, each with the reason.
    pub passed_over: Vec<(String, String)>,
}

impl Program {
    /// Returns the program for a command. The command is the path of a file, or words with quotes
    /// as in a shell.
    pub fn of_command(command: &str) -> Result<Program, ProgramError> {
        let words = if Path::new(command).is_file() {
            vec![command.to_owned()]
        } else {
            shlex::split(command).unwrap_or_default()
        };
        let Some((first, arguments)) = words.split_first() else {
            return Err(ProgramError::Command(command.to_owned()));
        };
        let path = if first.contains('/') { PathBuf::from(first) } else { in_path(first) };
        let path = if path.is_file() { path } else { own_program(first).unwrap_or(path) };
        if !path.is_file() {
            return Err(ProgramError::Missing(first.clone()));
        }
        let path = executable(&path)?;
        if let Some(script) = missing_script(&path, arguments) {
            return Err(ProgramError::NoScript { interpreter: first.clone(), script: script.to_owned() });
        }
        // The name comes from the script: `python3 bots/ann.py` is called ann.
        let script = words.iter().map(Path::new).find(|word| word.is_file());
        let name = name_of(script.unwrap_or(&path));
        Ok(Program { name, path, arguments: arguments.to_vec(), folder: None })
    }

    /// Returns the programs in a folder: every executable file, and every subfolder that contains
    /// an executable file `run`. Each program starts in the folder that contains its file.
    pub fn find_all(folder: &Path) -> Result<Found, ProgramError> {
        let unreadable = |error| ProgramError::Unreadable { path: folder.to_owned(), error };
        let folder = folder.canonicalize().map_err(unreadable)?;
        let mut paths = Vec::new();
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            paths.push(entry.map_err(unreadable)?.path());
        }
        paths.sort();
        let mut found = Found::default();
        for path in paths {
            let is_folder = path.is_dir();
            let file = if is_folder { path.join("run") } else { path.clone() };
            let label = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_folder && !file.is_file() {
                found.passed_over.push((label, "a folder without a file called run".to_owned()));
                continue;
            }
            match executable(&file) {
                Ok(file) => {
                    let name = name_of(&file);
                    let folder = file.parent().map(Path::to_owned);
                    found.programs.push(Program { name, path: file, arguments: Vec::new(), folder });
                }
                Err(ProgramError::NotExecutable { .. }) => {
                    let what = if is_folder { "its run is" } else { "it is" };
                    found.passed_over.push((label, format!("{what} not executable (chmod +x it)")));
                }
                Err(error) => found.passed_over.push((label, error.to_string())),
            }
        }
        set_apart(&mut found.programs);
        Ok(found)
    }
}

/// Renames programs that have the same name.
pub fn set_apart(programs: &mut [Program]) {
    let mut names = BTreeSet::new();
    for program in programs {
        let name = program.name.clone();
        let mut number = 1;
        while !names.insert(program.name.clone()) {
            number += 1;
            program.name = format!("{name}-{number}");
        }
    }
}

/// Returns a file's name without its extension. For a file `run`, returns the name of its folder.
fn name_of(file: &Path) -> String {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = file.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned));
    match (stem(file), folder.as_deref().and_then(Path::file_name)) {
        (name, Some(folder)) if name == "run" => fit_name(&folder.to_string_lossy()),
        (name, _) => fit_name(&name),
    }
}

/// Returns the path of the current executable if it has this name. The command `flagfall bot`
/// then works even if `flagfall` is not installed.
fn own_program(name: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    (own.file_stem()? == name).then_some(own)
}

/// Returns the path of the program with this name, which contains no slash. The search covers the
/// folders in `PATH`.
fn in_path(name: &str) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| executable(path).is_ok())
        .unwrap_or_else(|| PathBuf::from(name))
}

/// Returns the absolute path of a file, after checking that the file is executable.
fn executable(path: &Path) -> Result<PathBuf, ProgramError> {
    let unreadable = |error| ProgramError::Unreadable { path: path.to_owned(), error };
    let whole = std::path::absolute(path).map_err(unreadable)?;
    let attributes = fs::metadata(&whole).map_err(unreadable)?;
    if !attributes.is_file() || !may_execute(&attributes) {
        return Err(ProgramError::NotExecutable(path.to_owned()));
    }
    match missing_interpreter(&whole) {
        Some(why) => Err(ProgramError::Interpreter { path: path.to_owned(), why }),
        None => Ok(whole),
    }
}

/// Number of bytes of a script's first line that the system reads.
const FIRST_LINE_BYTES: u64 = 256;

/// Returns an explanation if the system cannot find a script's interpreter. `None` if it can, or
/// if the file is not a script.
///
/// For a script that starts with `env`, this also checks the program that `env` runs, because
/// `env` itself starts without an error.
fn missing_interpreter(script: &Path) -> Option<String> {
    let mut start = Vec::new();
    fs::File::open(script).ok()?.take(FIRST_LINE_BYTES).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    if line.ends_with('\r') {
        return Some(
            "its first line has a Windows line end (\\r\\n): save the file with \\n line ends".to_owned(),
        );
    }
    let mut words = line.split_ascii_whitespace();
    let interpreter = Path::new(words.next()?);
    if interpreter.is_absolute() && !interpreter.exists() {
        return Some(format!("its interpreter {} is not installed", interpreter.display()));
    }
    if interpreter.file_name()? != "env" {
        return None;
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let found = if name.contains('/') { PathBuf::from(name) } else { in_path(name) };
    (!found.is_file()).then(|| format!("its interpreter {name} is not installed: it is not in the PATH"))
}

/// Interpreters whose first argument, apart from options, is the file to run.
const INTERPRETERS: [&str; 9] = ["bash", "lua", "node", "perl", "php", "pypy", "python", "ruby", "sh"];

/// Returns the script that an interpreter is to run, if the script does not exist.
fn missing_script<'a>(path: &Path, arguments: &'a [String]) -> Option<&'a str> {
    let name = path.file_name()?.to_string_lossy();
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if !INTERPRETERS.contains(&name) {
        return None;
    }
    // Skip only these flags, because after other options, such as `-c`, the next argument may not
    // be a file.
    let flags = ["-u", "-O", "-B", "-E", "-s", "-S", "-w"];
    let script = arguments.iter().find(|argument| !flags.contains(&argument.as_str()))?;
    (!script.starts_with('-') && !Path::new(script).exists()).then_some(script)
}

#[cfg(unix)]
fn may_execute(attributes: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    attributes.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_execute(_attributes: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn put(folder: &Path, name: &str, mode: u32) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(&path, "#!/bin/sh\n").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
    }

    #[test]
    fn the_running_program_is_found_by_its_name() {
        let own = std::env::current_exe().unwrap();
        let name = own.file_stem().unwrap().to_str().unwrap();
        let program = Program::of_command(&format!("{name} bot --line random")).unwrap();
        assert_eq!(program.path.canonicalize().unwrap(), own.canonicalize().unwrap());
        assert_eq!(program.arguments, ["bot", "--line", "random"]);
        assert!(Program::of_command("no-such-program bot").is_err());
    }

    #[test]
    fn a_folder_says_what_was_taken_and_what_was_not() {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "ann.py", 0o755);
        put(folder.path(), "ann.sh", 0o755);
        put(folder.path(), "notes.txt", 0o644);
        put(folder.path(), "bob/run", 0o755);
        put(folder.path(), "bob/data", 0o644);
        put(folder.path(), "carl/run", 0o644);
        put(folder.path(), "dora/main.py", 0o755);
        let found = Program::find_all(folder.path()).expect("found");
        let names: Vec<&str> = found.programs.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["ann", "ann-2", "bob"]);
        let home = folder.path().canonicalize().expect("a path").join("bob");
        assert_eq!(found.programs[2].folder.as_deref(), Some(home.as_path()));
        let passed: Vec<&str> = found.passed_over.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(passed, ["carl", "dora", "notes.txt"]);
        assert!(found.passed_over[1].1.contains("run"));
        assert!(Program::find_all(&folder.path().join("nowhere")).is_err());
    }

    #[test]
    fn a_command_is_a_file_or_words() {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "my bot.sh", 0o755);
        put(folder.path(), "plain.py", 0o644);
        let spaced = folder.path().join("my bot.sh");
        let spaced = spaced.to_str().expect("text");
        assert_eq!(Program::of_command(spaced).expect("a program").name, "my-bot");
        let quoted = Program::of_command(&format!("'{spaced}' --depth '3 4'")).expect("a program");
        assert_eq!(quoted.arguments, ["--depth", "3 4"]);
        let plain = folder.path().join("plain.py").to_str().expect("text").to_owned();
        assert_eq!(Program::of_command(&format!("sh {plain}")).expect("a program").name, "plain");
        assert!(matches!(Program::of_command(&plain), Err(ProgramError::NotExecutable { .. })));
        for wrong in ["sh no-such-file.sh", "sh -u ./no-such-file.sh 7"] {
            let error = Program::of_command(wrong).expect_err(wrong).to_string();
            assert!(error.starts_with("there is no file \"") && error.ends_with("for sh to run"), "{error}");
        }
        assert!(Program::of_command("sh -c 'echo hello'").is_ok());
        assert!(matches!(Program::of_command("no-such-program-here"), Err(ProgramError::Missing { .. })));
        assert!(matches!(Program::of_command("/nowhere/at/all"), Err(ProgramError::Missing { .. })));
        assert!(matches!(Program::of_command(" "), Err(ProgramError::Command { .. })));
        assert!(matches!(Program::of_command("'open"), Err(ProgramError::Command { .. })));
    }

    #[test]
    fn a_script_without_its_interpreter_is_named_as_such() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, first, why) in [
            ("env.py", "#!/usr/bin/env nopython", "its interpreter nopython is not installed"),
            ("flags.py", "#!/usr/bin/env -S nopython -u", "its interpreter nopython is not installed"),
            ("plain.py", "#!/nowhere/python3", "its interpreter /nowhere/python3 is not installed"),
            ("windows.sh", "#!/bin/sh\r", "its first line has a Windows line end"),
        ] {
            put(folder.path(), name, 0o755);
            let path = folder.path().join(name);
            fs::write(&path, format!("{first}\necho\n")).expect("written");
            let error = Program::of_command(path.to_str().expect("text")).expect_err(name);
            assert!(matches!(error, ProgramError::Interpreter { .. }), "{error}");
            assert!(error.to_string().contains(why), "{error}");
        }
        let found = Program::find_all(folder.path()).expect("found");
        assert!(found.programs.is_empty());
        assert!(found.passed_over.iter().all(|(_, why)| why.contains("cannot be run")), "{found:?}");
        for first in ["#!/bin/sh", "#! /usr/bin/env sh", "#!/usr/bin/env -S sh -e", "echo", ""] {
            let path = folder.path().join("fine");
            put(folder.path(), "fine", 0o755);
            fs::write(&path, format!("{first}\n")).expect("written");
            assert!(Program::of_command(path.to_str().expect("text")).is_ok(), "{first}");
        }
    }

    #[test]
    fn duplicate_names_are_told_apart() {
        let program = Program::of_command("sh").expect("a program");
        let mut programs = [program.clone(), program.clone(), program];
        set_apart(&mut programs);
        assert_eq!(programs.map(|program| program.name), ["sh", "sh-2", "sh-3"]);
    }
}
