//! Tests of the failures that a test can request from the store in memory.

mod common;

use std::task::{Context, Poll, Waker};

use common::{append, append_ok, game, put, texts};
use flagfall_store::memory::Fault;
use flagfall_store::{AppendOutcome, Head, MemoryStore, ReadError, Store, StoreError, Update, UpdateOutcome};

#[tokio::test]
async fn an_unknown_append_may_have_been_written() {
    let store = MemoryStore::default();
    store.fail_next(Fault::UnknownAfterWriting);
    let outcome = store.append(append(game(1), Head::START, &["a"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Unknown));
    assert_eq!(texts(&store, game(1)).await, ["a"]);
}

#[tokio::test]
async fn an_unknown_append_may_not_have_been_written() {
    let store = MemoryStore::default();
    store.fail_next(Fault::UnknownBeforeWriting);
    let outcome = store.append(append(game(1), Head::START, &["a"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Unknown));
    assert_eq!(texts(&store, game(1)).await, [""; 0]);
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
}

#[tokio::test]
async fn faults_come_in_order_and_updates_have_them_too() {
    let store = MemoryStore::default();
    store.fail_next(Fault::Unavailable);
    store.fail_next(Fault::UnknownAfterWriting);
    let outcome = store.append(append(game(1), Head::START, &["a"])).await;
    assert!(matches!(outcome, Err(StoreError::Unavailable { .. })));
    let update = Update { conditions: Vec::new(), writes: vec![put("k", "v")] };
    assert_eq!(store.update(update).await, Ok(UpdateOutcome::Unknown));
    assert_eq!(store.get(common::key("k")).await, Ok(Some(b"v".to_vec())));
}

#[tokio::test]
async fn appends_wait_while_they_are_held() {
    let store = MemoryStore::default();
    let held = store.hold_appends().await;
    let mut waiting = store.append(append(game(1), Head::START, &["a"]));
    let context = &mut Context::from_waker(Waker::noop());
    assert!(matches!(waiting.as_mut().poll(context), Poll::Pending));
    assert_eq!(texts(&store, game(1)).await, [""; 0]);
    drop(held);
    assert!(matches!(waiting.await, Ok(AppendOutcome::Ok { .. })));
}

#[tokio::test]
async fn a_lost_tail_conflicts_with_writers_that_had_it() {
    let store = MemoryStore::default();
    let one = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    let two = append_ok(&store, append(game(1), one, &["b"])).await;
    store.lose_tail(game(1), 1);
    let outcome = store.append(append(game(1), two, &["c"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Conflict { head: one }));
}

#[tokio::test]
async fn a_damaged_entry_puts_its_game_into_quarantine() {
    let store = MemoryStore::default();
    let head = append_ok(&store, append(game(1), Head::START, &["a", "b", "c"])).await;
    store.damage(game(1), 2);
    let found = store.read(game(1), 0, 10).await;
    assert!(matches!(found, Err(ReadError::Damaged { seq: 2, .. })), "{found:?}");
    assert_eq!(store.read(game(1), 0, 1).await.unwrap().len(), 1);
    let outcome = store.append(append(game(1), head, &["d"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })));
    assert_eq!(store.quarantined().await.unwrap()[0].0, game(1));
    append_ok(&store, append(game(2), Head::START, &["a"])).await;
}

#[tokio::test]
async fn a_restart_finds_the_last_sign_of_life() {
    let store = MemoryStore::default();
    let at = store.heartbeat().await.unwrap();
    store.reopen();
    assert_eq!(store.last_heartbeat().await, Ok(Some(at)));
}
