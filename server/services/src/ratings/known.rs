//! Ratings of players in running games, kept for a short time.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::record::Class;

/// The time for which a rating is cached after it was read. Ratings are cached because lists are
/// requested often and ratings change slowly.
const KEPT: Duration = Duration::from_secs(30);
/// The largest number of cached ratings.
const KEPT_MAX: usize = 4_096;

/// Cached ratings of players in running games, and the times at which they were read. The rating
/// is 0 for a player who has not played rated games in the class.
#[derive(Default)]
pub(super) struct Known {
    points: HashMap<(String, Class), (Instant, u32)>,
}

impl Known {
    pub(super) fn get(&self, key: &(String, Class)) -> Option<u32> {
        self.points.get(key).filter(|(read, _)| read.elapsed() < KEPT).map(|(_, points)| *points)
    }

    pub(super) fn put(&mut self, key: (String, Class), points: u32) {
        if self.points.len() >= KEPT_MAX {
            self.points.retain(|_, (read, _)| read.elapsed() < KEPT);
        }
        if self.points.len() < KEPT_MAX {
            self.points.insert(key, (Instant::now(), points));
        }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::Speed;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn ratings_are_read_again_after_a_while_and_few_are_kept() {
        let key = |player: usize| {
            (player.to_string(), Class { ruleset: "classic".to_owned(), speed: Speed::Blitz })
        };
        let mut known = Known::default();
        for player in 0..2 * KEPT_MAX {
            known.put(key(player), 1_500);
        }
        assert_eq!((known.points.len(), known.get(&key(0))), (KEPT_MAX, Some(1_500)));
        tokio::time::advance(KEPT).await;
        assert_eq!(known.get(&key(0)), None);
        known.put(key(0), 1_600);
        assert_eq!((known.points.len(), known.get(&key(0))), (1, Some(1_600)));
    }
}
