//! Makes one short attack, to check that attacks still reach the server. It does not measure
//! speed.

mod common;

use std::process::{Command, Stdio};

use common::Guarded;
use flagfall_tests::server_program;

#[test]
fn a_short_attack_comes_to_a_verdict() {
    let words = "attack seeks --seconds 1 --rounds 1 --pairs 1 --server";
    let bench = Command::new(env!("CARGO_BIN_EXE_flagfall-load"))
        .args(words.split(' '))
        .arg(server_program())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the attack runs");
    let mut bench = Guarded(bench);
    let printed = std::io::read_to_string(bench.0.stdout.take().expect("piped")).expect("text");
    bench.0.wait().expect("the attack ends");
    let is_verdict = |line: &str| line.starts_with("seeks") && line.contains("newcomers refused: ");
    assert!(printed.lines().any(is_verdict), "no verdict; an error is above, and before it came:\n{printed}");
}
