//! The pool with few bots, as a part of the test suite: bounded by games, not by time.

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
    let own = std::env::current_exe().expect("a test knows where it lies");
    let folder =
        own.parent().and_then(|deps| deps.parent()).expect("tests lie in a folder of the target folder");
    let program = folder.join(format!("flagfall-server{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "--quiet", "--package", "flagfall-server"])
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if let Some(target) = folder.parent() {
            build.env("CARGO_TARGET_DIR", target);
        }
        let status = Guarded(build.spawn().expect("cargo runs")).0.wait().expect("cargo ends");
        assert!(status.success(), "the server could not be built");
    }
    program
}

#[test]
fn forty_bots_are_paired_rated_and_listed_as_their_records_say() {
    let pool = Command::new(env!("CARGO_BIN_EXE_flagfall-load"))
        .args([
            "pool",
            "--bots",
            "40",
            "--games",
            "300",
            "--minutes",
            "10",
            "--wave-seconds",
            "1",
            "--server",
        ])
        .arg(server_program())
        .stdin(Stdio::null())
        .spawn()
        .expect("the pool runs");
    let status = Guarded(pool).0.wait().expect("the pool ends");
    assert!(status.success(), "the pool found faults; they are above");
}
