//! The short trial as a part of the test suite, and no count of faults above zero: the real server, killed three times; then three servers
//! before a Redis, and everything that can go wrong there.

mod common;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use common::{Guarded, built_folder, run_trial};

/// The server's program: named by the environment, or beside this test's own program, where it is built if it is missing.
fn server_program() -> PathBuf {
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

fn run_short(words: &[&str]) {
    let program = server_program();
    let mut all: Vec<&OsStr> = vec!["--quick".as_ref(), "--server".as_ref(), program.as_os_str()];
    all.extend(words.iter().map(OsStr::new));
    run_trial(&all);
}

#[test]
fn a_short_trial_counts_no_fault() {
    run_short(&["--seed", "6"]);
}

#[test]
fn a_short_trial_of_three_servers_before_a_redis_counts_no_fault() {
    // What else the machine does is no fault of the servers; the long trial keeps to what is promised.
    run_short(&["--seed", "7", "--store", "redis", "--elsewhere-ms", "20000"]);
}
