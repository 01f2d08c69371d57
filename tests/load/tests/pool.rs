//! Runs the pool with few bots, and with a limit on games instead of time.

mod common;

use common::run_load;

#[test]
fn forty_bots_are_paired_rated_and_listed_as_their_records_say() {
    let (is_ok, printed) = run_load("pool --bots 40 --games 300 --minutes 10 --wave-seconds 1");
    assert!(is_ok, "the pool found faults:\n{printed}");
}
