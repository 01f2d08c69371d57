//! The short trial as a part of the test suite: the real server, killed three times, and no count of faults above zero; then several.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A child process that does not outlive the test, whatever happens.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It has ended already when all went well.
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}

/// The server's program: named by the environment, or beside this test's own program, where it is built if it is missing.
fn server_program() -> PathBuf {
    if let Some(named) = std::env::var_os("FLAGFALL_SERVER_BIN") {
        return named.into();
    }
    // target/debug/deps/quick-1234 lies one folder below target/debug/flagfall-server.
    let own = std::env::current_exe().expect("a test knows where it lies");
    let folder =
        own.parent().and_then(|deps| deps.parent()).expect("tests lie in a folder of the target folder");
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

fn run_trial(words: &[&str]) {
    let trial = Command::new(env!("CARGO_BIN_EXE_flagfall-trial"))
        .arg("--quick")
        .args(words)
        .arg("--server")
        .arg(server_program())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .stdin(Stdio::null())
        .spawn()
        .expect("the trial runs");
    let status = Guarded(trial).0.wait().expect("the trial ends");
    assert!(status.success(), "the trial failed; its figures and its seed are above");
}

#[test]
fn a_short_trial_counts_no_fault() {
    run_trial(&[]);
}

#[test]
fn a_short_trial_of_three_servers_before_a_redis_counts_no_fault() {
    run_trial(&["--store", "redis"]);
}
