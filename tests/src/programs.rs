//! The paths of the product's programs.

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The server's program. `FLAGFALL_SERVER_BIN` can name it. Otherwise it is built with the
/// profile of the tests.
///
/// # Panics
/// If it cannot be built.
#[must_use]
pub fn server_program() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    named("FLAGFALL_SERVER_BIN").unwrap_or_else(|| BUILT.get_or_init(|| built("flagfall-server")).clone())
}

/// The client's program. `FLAGFALL_CLIENT_BIN` can name it. Otherwise it is built.
///
/// # Panics
/// If it cannot be built.
#[must_use]
pub fn client_program() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    named("FLAGFALL_CLIENT_BIN").unwrap_or_else(|| BUILT.get_or_init(|| built("flagfall")).clone())
}

/// The two programs of an earlier version.
#[derive(Clone, Debug)]
pub struct OlderPrograms {
    /// `flagfall-server`.
    pub server: PathBuf,
    /// `flagfall`.
    pub client: PathBuf,
}

/// The programs of version 0.1.0, from the folder that `FLAGFALL_OLDER` names or as built by
/// `tests/older`. If they are missing, prints a note and returns `None`.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
pub fn older_programs() -> Option<OlderPrograms> {
    let folder = named("FLAGFALL_OLDER").or_else(|| {
        let test = env::current_exe().expect("the test's own path");
        Some(test.ancestors().nth(3)?.join("older/0.1.0"))
    })?;
    let program = |name: &str| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let programs = OlderPrograms { server: program("flagfall-server"), client: program("flagfall") };
    if programs.server.is_file() && programs.client.is_file() {
        return Some(programs);
    }
    eprintln!("skipped: the programs of 0.1.0 are not in {}: tests/older builds them", folder.display());
    None
}

/// Writes a script that can be executed at once.
///
/// Another process writes it. If this process did, a child that another thread starts at that
/// moment would keep the file open for writing, and such a file cannot be executed.
///
/// # Panics
/// If it cannot be written.
pub fn write_script(path: &Path, text: &str) {
    let mut install = Command::new("install");
    let install = install.args(["-m", "755", "/dev/stdin"]).arg(path).stdin(Stdio::piped());
    let mut install = install.spawn().expect("install runs");
    install.stdin.take().expect("its input").write_all(text.as_bytes()).expect("it reads");
    assert!(install.wait().expect("it ends").success(), "{} could not be written", path.display());
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Builds the program that has the same name as its package.
fn built(package: &str) -> PathBuf {
    // The test is in TARGET/PROFILE/deps.
    let test = env::current_exe().expect("the test's own path");
    let folder = test.parent().and_then(Path::parent).expect("the profile's folder");
    let target = folder.parent().expect("the target folder");
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", package, "--target-dir"]).arg(target);
    build.arg("--manifest-path").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
    if folder.file_name() == Some(OsStr::new("release")) {
        build.arg("--release");
    }
    assert!(build.status().expect("cargo runs").success(), "{package} could not be built");
    folder.join(format!("{package}{}", env::consts::EXE_SUFFIX))
}
