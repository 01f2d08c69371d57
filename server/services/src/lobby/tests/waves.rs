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
