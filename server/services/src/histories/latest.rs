//! The list of the public games that ended last, on all servers together.
//!
//! The update that enters a public game into its players' histories also adds the game to this
//! list, and removes the oldest games from it. So the list stays short, and a single scan reads
//! it.

use flagfall_base::keys::LATEST;
use flagfall_base::names::player_shown;
use flagfall_board::{GameId, Side};
use flagfall_protocol::{GameSummary, Phase, PlayerKind, SeenOutcome};
use flagfall_store::{Key, Reached, Store, StoreError, Update, Write};

use super::line::place;
use crate::records::{parse, put};
use flagfall_game::Finished;

/// The maximum number of games in one answer. At least this many games remain in the list, even
/// if several servers shorten it at the same time.
pub const LATEST_MAX: usize = 50;
/// The number of games to which an update shortens the list.
const KEPT: usize = 64;
/// The maximum number of games that one update removes. Each update adds one game, so the list
/// shrinks if it has become longer than [`KEPT`].
const REMOVED_MAX: usize = 8;

pub(super) fn latest_key(ended: u64, game: GameId) -> Result<Key, StoreError> {
    LATEST.key([&place(ended, game)])
}

/// Adds to the update the writes that list a finished game. Does nothing for a private game.
pub(super) async fn list(
    store: &dyn Store,
    id: GameId,
    game: &Finished,
    update: &mut Update,
) -> Result<(), StoreError> {
    let Finished { terms, players, winner, reason, plies, created, ended } = game;
    if terms.private {
        return Ok(());
    }
    let summary = GameSummary {
        id,
        terms: terms.clone(),
        players: players.clone(),
        created: created.0,
        phase: Phase::Over,
        ply: *plies,
        turn: None,
        outcome: Some(SeenOutcome { winner: *winner, reason: reason.code().to_owned() }),
    };
    update.writes.push(put(latest_key(ended.0, id)?, &summary, None)?);
    let listed = store.scan_reachable(LATEST.all()?, None, KEPT + REMOVED_MAX).await?.records;
    update.writes.extend(listed.into_iter().skip(KEPT).map(|(key, _)| Write::Delete { key }));
    Ok(())
}

/// Returns the public games that ended last, latest first, with the current names of their players.
/// The returned flag is false if games are missing because a part of the store is unreachable.
pub(super) async fn latest(store: &dyn Store, limit: usize) -> Result<(Vec<GameSummary>, bool), StoreError> {
    let Reached { records, mut is_whole } =
        store.scan_reachable(LATEST.all()?, None, limit.min(LATEST_MAX)).await?;
    let mut games = Vec::new();
    for (_, value) in records {
        match named(store, parse(&value, "a finished game")?).await {
            Ok(game) => games.push(game),
            // Leave this game out, because a deleted account must not be shown by its old name.
            Err(StoreError::Unavailable { .. }) => is_whole = false,
            Err(error) => return Err(error),
        }
    }
    if games.is_empty() && !is_whole {
        return Err(StoreError::Unavailable { why: "no finished game can be read".to_owned() });
    }
    Ok((games, is_whole))
}

/// Returns a game with the current names of its players.
async fn named(store: &dyn Store, mut game: GameSummary) -> Result<GameSummary, StoreError> {
    for side in Side::BOTH {
        let player = &mut game.players[side];
        if player.kind != PlayerKind::House {
            *player = player_shown(store, &player.id, player.kind).await?;
        }
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::{PerSide, Stamp};
    use flagfall_protocol::{Player, Terms, Time};
    use flagfall_rules::{EndReason, Ruleset};
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;

    #[tokio::test]
    async fn the_list_keeps_the_latest_games_and_stays_short() {
        let store = TestStore::new(Arc::new(ManualClock::new(Stamp(1))));
        let player = |id: &str| Player { id: id.to_owned(), name: id.to_owned(), kind: PlayerKind::House };
        let add = async |ended: u64| {
            let game = Finished {
                terms: Terms::casual(Ruleset::all()[0], Time::Unlimited {}),
                players: PerSide::new(player("a"), player("b")),
                winner: None,
                reason: EndReason::DrawAgreed,
                plies: 7,
                created: Stamp(ended),
                ended: Stamp(ended),
            };
            let mut update = Update::default();
            list(&store, GameId::from_random([1; 12]), &game, &mut update).await.unwrap();
            update.writes
        };
        for ended in 1..200 {
            let writes = add(ended).await;
            store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
        }
        let kept = store.scan(LATEST.all().unwrap(), None, 1_000).await.unwrap().len();
        assert!((KEPT..=KEPT + 1).contains(&kept), "{kept}");
        let shown: Vec<u64> =
            latest(&store, 1_000).await.unwrap().0.iter().map(|game| game.created).collect();
        assert_eq!(shown, (150..200).rev().collect::<Vec<u64>>());
    }

    #[tokio::test]
    async fn games_whose_part_of_the_store_is_away_are_missing_and_the_list_says_so() {
        let store = TestStore::new(Arc::new(ManualClock::new(Stamp(1))));
        let player = |id: &str, kind| Player { id: id.to_owned(), name: id.to_owned(), kind };
        for ended in 1..=3_u8 {
            let players = [format!("p{ended}"), "house".to_owned()].map(|id| match &*id {
                "house" => player(&id, PlayerKind::House),
                id => player(id, PlayerKind::Account),
            });
            let [red, blue] = players;
            let game = Finished {
                terms: Terms::casual(Ruleset::all()[0], Time::Unlimited {}),
                players: PerSide::new(red, blue),
                winner: None,
                reason: EndReason::DrawAgreed,
                plies: 7,
                created: Stamp(u64::from(ended)),
                ended: Stamp(u64::from(ended)),
            };
            let mut update = Update::default();
            list(&store, GameId::from_random([ended; 12]), &game, &mut update).await.unwrap();
            store.update(update).await.unwrap();
        }
        let shown = async || {
            let (games, is_whole) = latest(&store, 9).await?;
            Ok::<_, StoreError>((games.iter().map(|game| game.created).collect::<Vec<u64>>(), is_whole))
        };
        assert_eq!(shown().await, Ok((vec![3, 2, 1], true)));
        let listed = store.scan(LATEST.all().unwrap(), None, 9).await.unwrap();
        let newest = std::str::from_utf8(listed[0].0.as_bytes()).unwrap();
        store.take_away(&[newest]);
        assert_eq!(shown().await, Ok((vec![2, 1], false)));
        store.take_away(&["players/p2"]);
        assert_eq!(shown().await, Ok((vec![3, 1], false)), "a deleted player must not be named");
        store.take_away(&["players/"]);
        assert!(matches!(shown().await, Err(StoreError::Unavailable { .. })), "not an empty list");
    }
}
