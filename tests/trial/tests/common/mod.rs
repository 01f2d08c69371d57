//! Code that the tests of the trial share: the trial's process, the server's program, and the
//! build folder.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A child process that is killed when the test ends or panics.
pub(crate) struct Guarded(pub(crate) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // Ignore errors, because after a successful test, the process has already ended.
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}

/// The folder of this test's build: `target/debug` for `target/debug/deps/quick-1234`.
pub(crate) fn built_folder() -> PathBuf {
    let own = std::env::current_exe().expect("the test's own path");
    let folder = own.parent().and_then(|deps| deps.parent());
    folder.expect("a folder inside the target folder").to_owned()
}

/// Returns the path of the server program. The environment may name it. Otherwise, it is the
/// program beside this test's own program, which is built if it is missing.
pub(crate) fn server_program() -> PathBuf {
    if let Some(named) = std::env::var_os("FLAGFALL_SERVER_BIN") {
        return named.into();
    }
    let folder = built_folder();
    let program = folder.join(format!("flagfall-server{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "flagfall-server"]);
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        if let Some(target) = folder.parent() {
            build.env("CARGO_TARGET_DIR", target);
        }
        if folder.ends_with("release") {
            build.arg("--release");
        }
        let status = Guarded(build.spawn().expect("cargo runs")).0.wait().expect("cargo ends");
        assert!(status.success(), "the server could not be built");
    }
    program
}

/// Runs the trial with these arguments, and fails if the trial fails.
pub(crate) fn run_trial(words: &[&OsStr]) {
    let trial = Command::new(env!("CARGO_BIN_EXE_flagfall-trial"))
        .args(words)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .stdin(Stdio::null())
        .spawn()
        .expect("the trial runs");
    let status = Guarded(trial).0.wait().expect("the trial ends");
    assert!(status.success(), "the trial failed; its figures and its seed are above");
}
