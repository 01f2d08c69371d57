//! Tests that the trial finds the faults planted in servers. Each fault must be found by the check
//! meant for it.

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{Guarded, built_folder, run_trial};

/// Returns the path of the server in which faults can be planted. The environment may name it.
/// Otherwise, it is built here under a separate name, so that it does not replace the real
/// server.
fn planted_server() -> PathBuf {
    if let Some(named) = std::env::var_os("FLAGFALL_PLANTED_SERVER_BIN") {
        return named.into();
    }
    let folder = built_folder();
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", "flagfall-server", "--features", "planted-faults"]);
    build.args(["--bin", "flagfall-server-planted"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if let Some(target) = folder.parent() {
        build.env("CARGO_TARGET_DIR", target);
    }
    if folder.ends_with("release") {
        build.arg("--release");
    }
    let status = Guarded(build.spawn().expect("cargo runs")).0.wait().expect("cargo ends");
    assert!(status.success(), "the server with planted faults could not be built");
    folder.join(format!("flagfall-server-planted{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn a_server_that_acknowledges_first_forgets_ids_or_does_not_check_is_found_out() {
    let program = planted_server();
    run_trial(&["--seed".as_ref(), "3".as_ref(), "--planted-server".as_ref(), program.as_os_str()]);
}
