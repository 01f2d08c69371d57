//! What players who wait in the pool are told: since when, whom they may be paired with, and how many wait.

use std::collections::HashSet;
use std::sync::PoisonError;

use flagfall_pairing::{Settings, Waiting, reach};
use flagfall_protocol::{PoolStatus, RatingRange};

use super::pool::{Pool, Waiter, rated_speed};

impl Pool {
    /// How the players of one class wait who are connected here.
    pub(super) fn statuses(
        &self,
        waiters: &[Waiter],
        pool: &[Waiting<usize>],
        waiting: usize,
    ) -> Vec<(String, PoolStatus)> {
        let settings = Settings::default();
        let status = |(waiter, place): (&Waiter, &Waiting<usize>)| {
            let range = rated_speed(&waiter.record).map(|_| range(place, &settings));
            let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
            let status = PoolStatus { since: waiter.record.since, range, waiting };
            (waiter.record.player.id.clone(), status)
        };
        let here =
            |(waiter, _): &(&Waiter, &Waiting<usize>)| self.connections.is_online(&waiter.record.player.id);
        waiters.iter().zip(pool).filter(here).map(status).collect()
    }

    /// Tells players how they wait, and those who do not wait any more that they do not.
    pub(super) fn tell_statuses(&self, statuses: Vec<(String, PoolStatus)>) {
        let mut told = self.told_status.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone = std::mem::take(&mut *told);
        for (player, status) in statuses {
            self.connections.set_pool(&player, Some(status));
            gone.remove(&player);
            told.insert(player);
        }
        let gone: HashSet<String> = gone;
        gone.iter().for_each(|player| self.connections.set_pool(player, None));
    }
}

/// The ratings in reach.
fn range(place: &Waiting<usize>, settings: &Settings) -> RatingRange {
    let reach = reach(place, settings);
    let points = |points: f64| Some(points.round().clamp(0.0, f64::from(RatingRange::POINTS_MAX)) as u32);
    RatingRange { min: points(place.rating - reach), max: points(place.rating + reach) }
}
