//! Records which players leave games. A player who often leaves games must wait before they are
//! paired again.
//!
//! A marker with the key `left/PLAYER/GAME` is written in the append that ends the game. So a
//! player has at most one marker per game, even after a crash. Markers expire automatically. No
//! other count is stored. The wait is computed from the markers when the player wants to be
//! paired.

use flagfall_base::keys::LEFT;
use flagfall_board::{GameId, Stamp};
use flagfall_protocol::Conduct;
use flagfall_store::{Store, StoreError, Write};

const MARK_MS: u64 = 24 * 60 * 60 * 1_000;
const MARKS_MAX: usize = 64;
/// The wait after the latest marker, in seconds. The index into this list is the number of
/// earlier markers. The first marker causes no wait, because anyone may have to leave a game
/// once.
const WAITS_S: [u64; 5] = [0, 120, 600, 1_800, 3_600];

/// Returns a write that stores the marker of a player who left this game or did not deploy.
/// `None` if the player's id does not fit into a key.
pub(crate) fn mark(player: &str, game: GameId, at: Stamp) -> Option<Write> {
    let key = LEFT.key([&player, &game]).ok()?;
    Some(Write::Put { key, value: at.0.to_string().into_bytes(), expires: Some(at.plus_ms(MARK_MS)) })
}

pub async fn conduct_of(store: &dyn Store, player: &str) -> Result<Conduct, StoreError> {
    let marks = store.scan(LEFT.under([&player])?, None, MARKS_MAX).await?;
    let at = |value: &[u8]| std::str::from_utf8(value).ok()?.parse::<u64>().ok();
    // A marker that cannot be read counts as a very old one.
    let latest = marks.iter().map(|(_, value)| at(value).unwrap_or(0)).max();
    Ok(conduct(marks.len(), latest.unwrap_or(0), store.now()))
}

fn conduct(count: usize, latest: u64, now: Stamp) -> Conduct {
    let wait_s = count.checked_sub(1).map_or(0, |more| WAITS_S[more.min(WAITS_S.len() - 1)]);
    let until = Stamp(latest).plus_ms(wait_s * 1_000);
    Conduct {
        left_games: u32::try_from(count).unwrap_or(u32::MAX),
        wait_s: until.ms_since(now).div_ceil(1_000),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_store::Update;
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;

    #[test]
    fn the_wait_grows_with_every_game_that_was_left_and_ends() {
        let waits =
            |ms: u64| [0, 1, 2, 3, 4, 5, 60].map(|count| conduct(count, 1_000, Stamp(1_000 + ms)).wait_s);
        assert_eq!(waits(0), [0, 0, 120, 600, 1_800, 3_600, 3_600]);
        assert_eq!(waits(119_001), [0, 0, 1, 481, 1_681, 3_481, 3_481]);
        assert_eq!(waits(3_600_000), [0; 7]);
    }

    #[tokio::test]
    async fn each_game_marks_once_and_a_mark_fades_after_a_day() {
        let clock = Arc::new(ManualClock::new(Stamp(1_000_000)));
        let store = TestStore::new(clock.clone());
        let game = |n: u8| GameId::from_random([n; 12]);
        let leave = async |n: u8| {
            let writes = vec![mark("ana", game(n), store.now()).unwrap()];
            store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
        };
        leave(1).await;
        leave(1).await;
        assert_eq!(conduct_of(&store, "ana").await.unwrap(), Conduct { left_games: 1, wait_s: 0 });
        clock.advance_ms(MARK_MS / 2);
        leave(2).await;
        assert_eq!(conduct_of(&store, "ana").await.unwrap(), Conduct { left_games: 2, wait_s: 120 });
        assert_eq!(conduct_of(&store, "an").await.unwrap(), Conduct::default());
        clock.advance_ms(MARK_MS / 2);
        assert_eq!(conduct_of(&store, "ana").await.unwrap(), Conduct { left_games: 1, wait_s: 0 });
        clock.advance_ms(MARK_MS / 2);
        assert_eq!(conduct_of(&store, "ana").await.unwrap(), Conduct::default());
    }
}
