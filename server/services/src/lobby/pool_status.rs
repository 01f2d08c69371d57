//! Pool status for waiting players: since when they wait, the ratings in reach, and how many wait.

use std::collections::HashSet;

use flagfall_pairing::{Settings, Waiting, reach};
use flagfall_protocol::{PoolStatus, RatingRange};

use super::pool::{Pool, Waiter, rated_speed};

impl Pool {
    /// The status of each player of one class who is connected here.
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

    /// Sends players their status, and clears it for those who stopped waiting.
    pub(super) fn tell_statuses(&self, statuses: Vec<(String, PoolStatus)>) {
        let mut told = self.told_status.lock();
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

/// The range of ratings that a player can be paired with now.
fn range(place: &Waiting<usize>, settings: &Settings) -> RatingRange {
    let reach = reach(place, settings);
    let points = |points: f64| Some(points.round().clamp(0.0, f64::from(RatingRange::POINTS_MAX)) as u32);
    RatingRange { min: points(place.rating - reach), max: points(place.rating + reach) }
}
