//! Where the programs are.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The server's program.
#[must_use]
pub fn server_program() -> PathBuf {
    named("FLAGFALL_SERVER_BIN").unwrap_or_else(|| built().join("flagfall-server"))
}

/// The client's program.
#[must_use]
pub fn client_program() -> PathBuf {
    named("FLAGFALL_CLIENT_BIN").unwrap_or_else(|| built().join("flagfall"))
}

/// A command with none of the settings of whoever runs the tests.
#[must_use]
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The folder with both programs, built once, as the tests themselves were built.
fn built() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // The test lies in TARGET/PROFILE/deps.
        let test = env::current_exe().expect("the test's own path");
        let folder = test.parent().and_then(Path::parent).expect("the profile's folder").to_owned();
        let target = folder.parent().expect("the target folder");
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build
            .args(["build", "--quiet", "-p", "flagfall-server", "-p", "flagfall", "--target-dir"])
            .arg(target);
        build.arg("--manifest-path").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"));
        if folder.file_name() == Some(OsStr::new("release")) {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo runs").success(), "the programs could not be built");
        folder
    })
}
