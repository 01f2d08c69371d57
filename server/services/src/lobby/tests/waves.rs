//! Waves of the pool on two servers: who pairs a class, and who creates the games of pairs.

use flagfall_base::cluster::OTHERS_WAIT_MS;
use flagfall_base::keys::{BLOCKS, PAIRED, POOL_RETURNS, POOL_WAVES, POOLED};
use flagfall_base::random::random_game_id;
use flagfall_base::transact::{delete, write};
use flagfall_board::PerSide;
use flagfall_game::NewGame;

use super::returns::{clocked, enter};
use super::*;
use crate::lobby::wave::class_of;
use crate::records::{mark, put};

/// Makes each server learn that the other one announces new games.
async fn meet_and_tell(houses: [&House; 2]) {
    for house in [houses[0], houses[1], houses[0]] {
        house.lobby.inner.peers().meet(&MemberInfo::of_this_version()).await.unwrap();
    }
}

#[tokio::test]
async fn the_guardian_of_a_class_pairs_it_and_others_only_if_it_has_not_done_so_lately() {
    let (one, other) = two_houses().await;
    meet_and_tell([&one, &other]).await;
    let _lines = [one.connect("ana"), one.connect("bo")];
    for who in ["ana", "bo"] {
        one.ask(who, "enter", enter()).await.unwrap();
    }
    let class = class_of(&one.waits("ana").await.unwrap()).unwrap();
    let is_first = one.lobby.inner.peers().guards(&class);
    let (guardian, helper) = if is_first { (&one, &other) } else { (&other, &one) };
    // The guardian has held a wave in which the two players could not be paired.
    let block = || BLOCKS.key([&"ana", &"bo"]).unwrap();
    write(&one.store, vec![mark(block(), None)]).await.unwrap();
    guardian.lobby.hold_wave().await.unwrap();
    delete(&one.store, vec![block()]).await.unwrap();
    helper.lobby.hold_wave().await.unwrap();
    assert!(one.waits("ana").await.is_some(), "left to the guardian");
    // The record of the guardian's wave has expired.
    let waves = one.store.scan(POOL_WAVES.all().unwrap(), None, 9).await.unwrap();
    assert_eq!(waves.len(), 1);
    delete(&one.store, waves.into_iter().map(|(key, _)| key).collect()).await.unwrap();
    helper.lobby.hold_wave().await.unwrap();
    assert!(one.waits("ana").await.is_none() && one.games_of("ana").await.len() == 1);
}

#[tokio::test]
async fn players_are_paired_while_records_of_others_are_away() {
    let (one, other) = two_houses().await;
    meet_and_tell([&one, &other]).await;
    let _lines = [one.connect("ana"), one.connect("bo")];
    for who in ["ana", "bo"] {
        one.ask(who, "enter", enter()).await.unwrap();
    }
    let aborted = random_game_id().unwrap();
    let note = put(POOL_RETURNS.key([&aborted]).unwrap(), &["cy"], None).unwrap();
    write(&one.store, vec![note]).await.unwrap();
    let pooled = String::from_utf8(POOLED.key([&aborted]).unwrap().as_bytes().to_vec()).unwrap();
    one.store.take_away(&["pool_waves/", &pooled]);
    for house in [&one, &other] {
        house.lobby.hold_wave().await.unwrap();
    }
    one.store.take_away(&[]);
    assert!(one.waits("ana").await.is_none() && one.games_of("ana").await.len() == 1);
}

#[tokio::test(start_paused = true)]
async fn the_game_of_a_pair_is_left_to_the_server_that_made_the_pair() {
    let (one, other) = two_houses().await;
    meet_and_tell([&one, &other]).await;
    let plan = NewGame {
        id: random_game_id().unwrap(),
        terms: clocked(),
        players: PerSide::new(player("ana"), player("bo")),
        secret: PerSide::default(),
        previous: None,
    };
    let record = put(PAIRED.key([&plan.id]).unwrap(), &plan, None).unwrap();
    write(&one.store, vec![record]).await.unwrap();
    one.lobby.hold_wave().await.unwrap();
    assert_eq!(one.games_of("ana").await, []);
    // The server that made the pair has failed.
    tokio::time::advance(Duration::from_millis(OTHERS_WAIT_MS)).await;
    one.lobby.hold_wave().await.unwrap();
    assert_eq!(one.games_of("ana").await, [plan.id]);
}

#[tokio::test]
async fn a_full_server_pairs_no_players_and_shows_that_they_wait() {
    let full = full_house(TestStore::new(SystemClock)).await;
    let (_bo, (_ana, reader)) = (full.connect("bo"), full.connect("ana"));
    for who in ["ana", "bo"] {
        full.ask(who, "enter", enter()).await.unwrap();
    }
    full.lobby.hold_wave().await.unwrap();
    assert!(full.waits("ana").await.is_some() && full.waits("bo").await.is_some());
    assert_eq!(reader.pool().unwrap().waiting, 2);
    // A server with room pairs them.
    let other = house_on(full.store.clone()).await;
    other.lobby.hold_wave().await.unwrap();
    assert_eq!(other.games_of("ana").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn players_whose_game_finds_no_room_wait_again_as_long_as_before() {
    let house = house().await;
    for who in ["ana", "bo"] {
        house.ask(who, "enter", enter()).await.unwrap();
    }
    let since = house.waits("ana").await.unwrap().since;
    let pool = &house.lobby.inner.pool;
    let waiters = pool.waiters().await.unwrap();
    assert!(pool.seal(&waiters[0], &waiters[1], house.store.now()).await.unwrap().is_some());
    assert_eq!(house.waits("ana").await, None);
    // The server that made the pair has failed, and the other one has no room.
    let full = full_house(house.store.clone()).await;
    for _ in 0..2 {
        full.lobby.hold_wave().await.unwrap();
        tokio::time::advance(Duration::from_millis(OTHERS_WAIT_MS)).await;
    }
    assert_eq!(house.waits("ana").await.unwrap().since, since);
    house.ask("bo", "leave", LobbyCommand::LeavePool {}).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    assert_eq!(house.games_of("ana").await, []);
}

#[tokio::test]
async fn a_player_with_too_many_games_costs_the_opponent_no_place() {
    let house = house().await;
    for who in ["ana", "bo"] {
        house.ask(who, "enter", enter()).await.unwrap();
    }
    for number in 0..Settings::default().limits.games_per_player {
        let bot = LobbyCommand::PlayBot { bot: "random".to_owned(), terms: terms(), side: None };
        house.ask("ana", &format!("bot-{number}"), bot).await.unwrap();
    }
    let waited = house.waits("bo").await;
    house.lobby.hold_wave().await.unwrap();
    assert_eq!((house.waits("ana").await, house.waits("bo").await), (None, waited));
    house.ask("cy", "enter", enter()).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    assert_eq!(house.games_of("bo").await.len(), 1);
}
