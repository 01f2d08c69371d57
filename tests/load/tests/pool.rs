//! Runs the pool with few bots, and with a limit on games instead of time.

mod common;

use std::process::{Command, Stdio};

use common::Guarded;
use flagfall_tests::server_program;

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
