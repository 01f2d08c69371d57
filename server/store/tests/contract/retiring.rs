//! Retired logs.

use flagfall_store::limits::GUARD_BYTES_MAX;
use flagfall_store::{Append, AppendOutcome, Guard, Head, RetireOutcome, StoreError};

use crate::common::{append, append_ok, game, key, log, put, texts};
use crate::world::World;

fn guard(head: Head) -> Guard {
    Guard { head, place: b"segment 7".to_vec(), commands: vec![1, 2, 3] }
}

pub(crate) async fn a_retired_log_is_gone_and_only_its_guard_stays(world: World) {
    let store = &*world.store;
    let ended = Append { writes: vec![put("ended", "x")], ..append(game(1), Head::START, &["a", "b"]) };
    let head = append_ok(store, ended).await;
    append_ok(store, append(game(2), Head::START, &["another"])).await;
    assert_eq!(store.guard(game(1)).await, Ok(None));
    for _ in 0..2 {
        assert_eq!(store.retire(game(1), guard(head)).await, Ok(RetireOutcome::Ok), "again too");
        assert_eq!((store.head(game(1)).await, log(store, game(1)).await), (Ok(Head::START), vec![]));
        assert_eq!(store.guard(game(1)).await, Ok(Some(guard(head))));
    }
    for expected in [Head::START, head, Head { seq: 1, ..head }] {
        let outcome = store.append(append(game(1), expected, &["c"])).await;
        assert_eq!(outcome, Ok(AppendOutcome::Conflict { head }), "{expected:?}");
    }
    assert_eq!(texts(store, game(2)).await, ["another"]);
    assert_eq!(store.get(key("ended")).await, Ok(Some(b"x".to_vec())), "side records stay");
}

pub(crate) async fn only_a_log_with_the_guards_head_is_retired(world: World) {
    let store = &*world.store;
    let first = append_ok(store, append(game(1), Head::START, &["a"])).await;
    let head = append_ok(store, append(game(1), first, &["b"])).await;
    for wrong in [Head::START, first, Head { seq: 3, ..head }, Head { hash: first.hash, ..head }] {
        assert_eq!(store.retire(game(1), guard(wrong)).await, Ok(RetireOutcome::Conflict), "{wrong:?}");
    }
    assert_eq!(texts(store, game(1)).await, ["a", "b"]);
    assert_eq!(store.guard(game(1)).await, Ok(None));
    assert_eq!(store.retire(game(2), guard(head)).await, Ok(RetireOutcome::Conflict), "there is no log");
    let long = Guard { place: vec![0; GUARD_BYTES_MAX], ..guard(head) };
    assert!(matches!(store.retire(game(1), long).await, Err(StoreError::Limit(_))));
    assert_eq!(store.retire(game(1), guard(head)).await, Ok(RetireOutcome::Ok));
    assert_eq!(store.retire(game(1), guard(first)).await, Ok(RetireOutcome::Conflict), "another log");
}

/// Checks what is left of a deleted log: nothing, or in a shared store, only its head.
pub(crate) async fn assert_left_of(world: &World, number: u32, head: Head) {
    let (store, id) = (&*world.store, game(number));
    let begun = store.append(append(id, Head::START, &["x"])).await;
    if world.is_shared {
        let guard = Guard { head, place: Vec::new(), commands: Vec::new() };
        assert_eq!(store.guard(id).await, Ok(Some(guard)));
        assert_eq!(begun, Ok(AppendOutcome::Conflict { head }));
    } else {
        assert_eq!(store.guard(id).await, Ok(None));
        assert_eq!(texts(store, id).await, ["x"]);
    }
}

pub(crate) async fn a_guard_can_be_deleted(world: World) {
    let store = &*world.store;
    let head = append_ok(store, append(game(1), Head::START, &["a", "b", "c"])).await;
    assert_eq!(store.retire(game(1), guard(head)).await, Ok(RetireOutcome::Ok));
    assert_eq!((store.head(game(1)).await, log(store, game(1)).await), (Ok(Head::START), vec![]));
    assert_eq!(store.delete_log(game(1)).await, Ok(()));
    assert_left_of(&world, 1, head).await;
}

pub(crate) async fn a_damaged_log_is_not_retired(world: World) {
    let store = &*world.store;
    let head = append_ok(store, append(game(1), Head::START, &["a", "b"])).await;
    world.put_aside(game(1)).await;
    assert_eq!(store.retire(game(1), guard(head)).await, Ok(RetireOutcome::Quarantined));
    assert_eq!(store.guard(game(1)).await, Ok(None));
}
