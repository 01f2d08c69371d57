//! Makes one short attack, to check that attacks still reach the server. It does not measure
//! speed.

mod common;

use common::run_load;

#[test]
fn a_short_attack_comes_to_a_verdict() {
    let words = "attack seeks --seconds 1 --rounds 1 --pairs 1";
    let (_, printed) = run_load(words);
    let is_verdict = |line: &str| line.starts_with("seeks") && line.contains("newcomers refused: ");
    assert!(printed.lines().any(is_verdict), "no verdict; an error is above, and before it came:\n{printed}");
}
