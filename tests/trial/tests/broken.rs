//! Tests pairs whose connections break without a kill. Each pair is compared up to the break, and
//! the breaks are counted.

mod common;

use std::time::Duration;

use common::server_program;
use flagfall_trial::{Options, Paired, Patience, Storage, run_broken_pairs};

const MINUTE: Duration = Duration::from_secs(60);

fn options() -> Options {
    Options {
        games: 0,
        spectators: 0,
        kills: 0,
        pairs: 0,
        concurrency: 1,
        resign_after: 0,
        think_ms: 0,
        seed: 5,
        patience: Patience { run: MINUTE, stall: MINUTE, completion: MINUTE, archive: MINUTE },
        storage: Storage::Embedded,
        server: server_program(),
        environment: Vec::new(),
        elsewhere_max_ms: 2_000,
        told_max_ms: 2_500,
        rehearses: false,
        keeps: false,
        data: std::path::PathBuf::new(),
    }
}

#[tokio::test]
async fn a_pair_whose_line_breaks_is_compared_up_to_there_and_counted() {
    let (findings, broken) = Box::pin(run_broken_pairs(&options())).await.expect("the pairs are played");
    assert!(findings.is_clean(), "{:?}", findings.examples().collect::<Vec<_>>());
    assert_eq!((broken.len(), findings.by_ruleset.len()), (3, 4), "{broken:?}");
    for (ruleset, paired) in &findings.by_ruleset {
        let Paired { pairs, kills, messages, cut, differing, .. } = *paired;
        let is_broken = broken.contains(ruleset);
        assert_eq!((pairs, cut, differing), (1, u64::from(is_broken), 0), "{ruleset}");
        assert!(messages > 0, "{ruleset}");
        // The connections of the first pair are cut before any kill, and those of the others
        // between the two kills. A pair that was not cut survived both kills.
        let expected = if !is_broken { 2 } else { u64::from(*ruleset != broken[0]) };
        assert_eq!(kills, expected, "{ruleset}");
    }
}
