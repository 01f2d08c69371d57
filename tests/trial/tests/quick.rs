//! A short trial as part of the test suite. It must find no faults. The first run has one real
//! server, which is killed three times. The second run has three servers on a Redis, and all
//! mishaps that are possible there. The third one has three servers on a Redis Cluster, and what
//! can happen only to a cluster.

mod common;

use std::ffi::OsStr;

use common::{run_trial, server_program};

fn run_short(words: &[&str]) {
    let program = server_program();
    let mut all: Vec<&OsStr> = vec!["--quick".as_ref(), "--server".as_ref(), program.as_os_str()];
    all.extend(words.iter().map(OsStr::new));
    run_trial(&all);
}

// Tests run in the order of their names, and the two longest ones come first.

/// These limits are generous, because other load on this machine may delay the servers. The long
/// trial uses the promised limits.
const PATIENT: [&str; 4] = ["--elsewhere-ms", "20000", "--told-ms", "20000"];

#[test]
fn a_short_trial_of_a_cluster_counts_no_fault() {
    run_short(&[&["--seed", "8", "--store", "cluster"], &PATIENT[..]].concat());
}

#[test]
fn a_short_trial_of_a_redis_counts_no_fault() {
    run_short(&[&["--seed", "7", "--store", "redis"], &PATIENT[..]].concat());
}

#[test]
fn a_short_trial_of_one_server_counts_no_fault() {
    run_short(&["--seed", "6"]);
}
