//! When a group of requests has gathered.

use tokio::task::yield_now;

/// Rounds of the runtime that a group gathers, at most.
const ROUNDS_MAX: usize = 8;

/// Gives way to whoever is about to ask as well: as long as each round of the runtime brings more who wait, but not for ever.
///
/// A commit costs nearly the same for one request as for many, so a busy store works on few large groups. Where nothing else is to be done, a round is over
/// at once, and nobody waits.
pub(crate) async fn while_more_come(waiting: impl Fn() -> usize) {
    let mut before = waiting();
    for _ in 0..ROUNDS_MAX {
        yield_now().await;
        let now = waiting();
        if now <= before {
            return;
        }
        before = now;
    }
}
