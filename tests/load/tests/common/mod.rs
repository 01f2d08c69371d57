//! Code that the tests of the benchmarks share.

use std::process::{Child, Command, Stdio};

use flagfall_tests::server_program;

/// A child process that is killed when the test ends or panics.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // Ignore errors, because after a successful test, the process has already ended.
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}

/// Runs `flagfall-load` with these words, on the server that was built with the tests. Returns
/// true if it succeeded, and what it printed.
pub(crate) fn run_load(words: &str) -> (bool, String) {
    let bench = Command::new(env!("CARGO_BIN_EXE_flagfall-load"))
        .args(words.split_whitespace())
        .arg("--server")
        .arg(server_program())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut bench = Guarded(bench);
    let printed = std::io::read_to_string(bench.0.stdout.take().expect("piped")).expect("text");
    (bench.0.wait().expect("the program ends").success(), printed)
}
