//! Where the product's programs are.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The server's program: the one that `FLAGFALL_SERVER_BIN` names, or one that is built first, as the tests themselves were built.
///
/// # Panics
/// When it cannot be built.
#[must_use]
pub fn server_program() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    named("FLAGFALL_SERVER_BIN").unwrap_or_else(|| BUILT.get_or_init(|| built("flagfall-server")).clone())
}

/// The client's program: the one that `FLAGFALL_CLIENT_BIN` names, or one that is built first.
///
/// # Panics
/// When it cannot be built.
#[must_use]
pub fn client_program() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    named("FLAGFALL_CLIENT_BIN").unwrap_or_else(|| BUILT.get_or_init(|| built("flagfall")).clone())
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The program of a package of the same name.
fn built(package: &str) -> PathBuf {
    // The test lies in TARGET/PROFILE/deps.
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
