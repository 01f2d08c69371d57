//! Tests of the contract of [`Store`]: small cases that run on every implementation.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../common/mod.rs"]
mod common;
mod retiring;
mod world;

use std::task::{Context, Waker};

use common::{append, append_ok, body, game, key, log, put, texts, until};
use flagfall_board::Stamp;
use flagfall_store::limits::{
    BODIES_MAX, BODY_BYTES_MAX, CONDITIONS_MAX, LimitError, NOTICE_BYTES_MAX, READ_MAX, VALUE_BYTES_MAX,
    WRITES_MAX,
};
use flagfall_store::{
    Append, AppendOutcome, Expect, Hash, Head, Store, StoreError, StoreMessage, Update, UpdateOutcome, Write,
};
use retiring::*;
use world::{NOON, World};

/// Defines one test for each case and each store.
macro_rules! contract {
    ($($case:ident),* $(,)?) => {
        mod on_embedded {
            $(#[tokio::test] async fn $case() { super::$case(crate::world::embedded().await).await; })*
        }
        mod on_embedded_with_checkpoints {
            $(#[tokio::test] async fn $case() {
                super::$case(crate::world::embedded_with_checkpoints().await).await;
            })*
        }
        mod in_redis {
            $(#[tokio::test] async fn $case() { super::$case(crate::world::in_redis().await).await; })*
        }
        mod in_buckets {
            $(#[tokio::test] async fn $case() { super::$case(crate::world::in_buckets().await).await; })*
        }
        mod in_memory {
            $(#[tokio::test] async fn $case() { super::$case(crate::world::memory().await).await; })*
        }

        /// All cases share one cluster, because it takes seconds to start.
        #[tokio::test]
        async fn all_in_a_cluster() {
            let cluster = crate::common::cluster::Cluster::start().await;
            let mut number = 0;
            $(
                number += 1;
                $case(crate::world::in_cluster(&cluster, number).await).await;
            )*
        }
    };
}

contract! {
    an_unknown_game_is_empty,
    entries_are_numbered_from_one_and_read_back,
    a_batch_of_entries_is_one_append,
    the_head_follows_the_chain,
    a_wrong_number_is_a_conflict,
    a_wrong_hash_is_a_conflict,
    a_conflict_writes_nothing,
    a_conflict_comes_before_the_deadline,
    of_two_writers_one_wins,
    games_do_not_mix,
    reading_goes_on_from_any_entry,
    reading_beyond_the_head_is_empty,
    reading_has_a_limit,
    the_deadline_itself_is_in_time,
    after_the_deadline_nothing_is_written,
    appends_wait_for_their_earliest_moment,
    stamps_never_go_back,
    stamps_do_not_go_behind_the_heartbeat,
    stamps_are_not_in_the_hash,
    too_much_is_refused_and_writes_nothing,
    the_limits_themselves_are_allowed,
    an_empty_body_is_a_body,
    side_records_come_with_the_append,
    records_are_put_and_deleted,
    of_two_writes_to_a_key_the_later_stays,
    conditions_hold_exactly_or_nothing_happens,
    of_two_creators_one_wins,
    scans_are_ordered_and_paged,
    expired_records_do_not_exist,
    a_record_lives_until_its_expiry,
    sweeping_takes_what_expired_and_nothing_else,
    a_record_written_again_has_the_new_expiry,
    the_epoch_only_rises,
    a_new_store_has_no_heartbeat,
    nothing_is_in_quarantine,
    a_caller_that_goes_away_leaves_all_or_nothing,
    notices_reach_other_servers,
    a_log_reads_the_same_in_pieces,
    a_deleted_log_is_gone_and_no_other_is,
    a_retired_log_is_gone_and_only_its_guard_stays,
    only_a_log_with_the_guards_head_is_retired,
    a_guard_can_be_deleted,
    a_damaged_log_is_not_retired,
}

async fn an_unknown_game_is_empty(world: World) {
    assert_eq!(world.store.head(game(1)).await, Ok(Head::START));
    assert_eq!(log(&*world.store, game(1)).await, []);
}

async fn entries_are_numbered_from_one_and_read_back(world: World) {
    let mut head = Head::START;
    for text in ["a", "b", "c"] {
        head = append_ok(&*world.store, append(game(1), head, &[text])).await;
    }
    let entries = log(&*world.store, game(1)).await;
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(texts(&*world.store, game(1)).await, ["a", "b", "c"]);
    assert!(entries.iter().all(|entry| entry.at == NOON));
}

async fn a_batch_of_entries_is_one_append(world: World) {
    let head = append_ok(&*world.store, append(game(1), Head::START, &["a", "b", "c"])).await;
    assert_eq!(head.seq, 3);
    assert_eq!(texts(&*world.store, game(1)).await, ["a", "b", "c"]);
}

async fn the_head_follows_the_chain(world: World) {
    let expected = Head::START.then(game(1), &body("a")).then(game(1), &body("b"));
    let head = append_ok(&*world.store, append(game(1), Head::START, &["a", "b"])).await;
    assert_eq!(head, expected);
    assert_eq!(world.store.head(game(1)).await, Ok(expected));
}

async fn a_wrong_number_is_a_conflict(world: World) {
    let head = append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    for seq in [0, 2, 3, u64::MAX - 100] {
        let outcome = world.store.append(append(game(1), Head { seq, ..head }, &["x"])).await;
        assert_eq!(outcome, Ok(AppendOutcome::Conflict { head }), "{seq}");
    }
    let ahead = Head { seq: 1, hash: Hash::ZERO };
    let outcome = world.store.append(append(game(2), ahead, &["x"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Conflict { head: Head::START }));
}

async fn a_wrong_hash_is_a_conflict(world: World) {
    let head = append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    let other = Head::START.then(game(1), &body("A"));
    let outcome = world.store.append(append(game(1), other, &["x"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Conflict { head }));
}

async fn a_conflict_writes_nothing(world: World) {
    append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    let late = Append { writes: vec![put("k", "v")], ..append(game(1), Head::START, &["x"]) };
    assert!(matches!(world.store.append(late).await, Ok(AppendOutcome::Conflict { .. })));
    assert_eq!(texts(&*world.store, game(1)).await, ["a"]);
    assert_eq!(world.store.get(key("k")).await, Ok(None));
}

async fn a_conflict_comes_before_the_deadline(world: World) {
    let head = append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    let both = Append { deadline: Some(Stamp(1)), ..append(game(1), Head::START, &["x"]) };
    assert_eq!(world.store.append(both).await, Ok(AppendOutcome::Conflict { head }));
}

async fn of_two_writers_one_wins(world: World) {
    for number in 0..50 {
        let (a, b) = tokio::join!(
            world.store.append(append(game(number), Head::START, &["a"])),
            world.store.append(append(game(number), Head::START, &["b"])),
        );
        let outcomes = [a.unwrap(), b.unwrap()];
        let wins = outcomes.iter().filter(|outcome| matches!(outcome, AppendOutcome::Ok { .. })).count();
        assert_eq!(wins, 1, "{outcomes:?}");
        let head = world.store.head(game(number)).await.unwrap();
        assert!(outcomes.contains(&AppendOutcome::Conflict { head }), "{outcomes:?}");
        assert_eq!(log(&*world.store, game(number)).await.len(), 1);
    }
}

async fn games_do_not_mix(world: World) {
    for number in [0, 1, 31, 32, 1023] {
        append_ok(&*world.store, append(game(number), Head::START, &[&number.to_string(), "end"])).await;
    }
    for number in [0, 1, 31, 32, 1023] {
        assert_eq!(texts(&*world.store, game(number)).await, [number.to_string(), "end".to_owned()]);
    }
}

async fn reading_goes_on_from_any_entry(world: World) {
    append_ok(&*world.store, append(game(1), Head::START, &["a", "b", "c", "d"])).await;
    for after_seq in 0..4 {
        let entries = world.store.read(game(1), after_seq, 2).await.unwrap();
        let seqs: Vec<u64> = entries.iter().map(|entry| entry.seq).collect();
        let expected: Vec<u64> = (after_seq + 1..=4).take(2).collect();
        assert_eq!(seqs, expected);
    }
}

async fn reading_beyond_the_head_is_empty(world: World) {
    append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    for after_seq in [1, 2, 1000, u64::MAX] {
        assert_eq!(world.store.read(game(1), after_seq, 10).await, Ok(Vec::new()));
    }
}

async fn reading_has_a_limit(world: World) {
    let mut head = Head::START;
    let bodies = vec!["x"; BODIES_MAX];
    while head.seq <= READ_MAX as u64 {
        head = append_ok(&*world.store, append(game(1), head, &bodies)).await;
    }
    assert_eq!(log(&*world.store, game(1)).await.len(), READ_MAX);
    assert_eq!(world.store.read(game(1), 0, 3).await.unwrap().len(), 3);
    assert_eq!(world.store.read(game(1), 0, 0).await.unwrap().len(), 0);
}

async fn the_deadline_itself_is_in_time(world: World) {
    let append = Append { deadline: Some(NOON), ..append(game(1), Head::START, &["a"]) };
    append_ok(&*world.store, append).await;
}

async fn after_the_deadline_nothing_is_written(world: World) {
    world.clock.advance_ms(1);
    let late =
        Append { deadline: Some(NOON), writes: vec![put("k", "v")], ..append(game(1), Head::START, &["a"]) };
    assert_eq!(world.store.append(late).await, Ok(AppendOutcome::Late { at: NOON.plus_ms(1) }));
    assert_eq!(world.store.head(game(1)).await, Ok(Head::START));
    assert_eq!(world.store.get(key("k")).await, Ok(None));
}

async fn appends_wait_for_their_earliest_moment(world: World) {
    let first = NOON.plus_ms(1);
    let early = Append {
        not_before: Some(first),
        writes: vec![put("k", "v")],
        ..append(game(1), Head::START, &["a"])
    };
    assert_eq!(world.store.append(early.clone()).await, Ok(AppendOutcome::Early { at: NOON }));
    assert_eq!(world.store.head(game(1)).await, Ok(Head::START));
    assert_eq!(world.store.get(key("k")).await, Ok(None));
    world.clock.advance_ms(1);
    let head = append_ok(&*world.store, early.clone()).await;
    assert_eq!(log(&*world.store, game(1)).await[0].at, first, "the first moment itself is in time");
    let other = Append { not_before: Some(NOON.plus_ms(9)), ..early };
    assert_eq!(world.store.append(other).await, Ok(AppendOutcome::Conflict { head }), "the head comes first");
}

async fn stamps_never_go_back(world: World) {
    let mut head = Head::START;
    for now in [5_000, 3_000, 1, 5_001, 4_999] {
        world.clock.set(NOON.plus_ms(now));
        head = append_ok(&*world.store, append(game(1), head, &["a"])).await;
    }
    let stamps: Vec<u64> =
        log(&*world.store, game(1)).await.iter().map(|entry| entry.at.ms_since(NOON)).collect();
    assert!(stamps.is_sorted(), "{stamps:?}");
}

async fn stamps_do_not_go_behind_the_heartbeat(world: World) {
    world.clock.advance_ms(500);
    assert_eq!(world.store.heartbeat().await, Ok(NOON.plus_ms(500)));
    world.clock.set(NOON);
    append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    assert_eq!(log(&*world.store, game(1)).await[0].at, NOON.plus_ms(500));
}

async fn stamps_are_not_in_the_hash(world: World) {
    let one = append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    assert_eq!(one, Head::START.then(game(1), &body("a")));
    world.clock.advance_ms(77);
    let two = append_ok(&*world.store, append(game(1), one, &["b"])).await;
    assert_eq!(two, one.then(game(1), &body("b")));
}

async fn too_much_is_refused_and_writes_nothing(world: World) {
    let start = append(game(1), Head::START, &["a"]);
    let long = body(vec![0; BODY_BYTES_MAX + 1]);
    let value = vec![0; VALUE_BYTES_MAX + 1];
    let big = Write::Put { key: key("k"), value, expires: None };
    let puts = vec![put("k", "v"); WRITES_MAX + 1];
    let cases = [
        (Append { bodies: vec![], ..start.clone() }, LimitError::NoBodies),
        (
            Append { bodies: vec![body("x"); BODIES_MAX + 1], ..start.clone() },
            LimitError::TooManyBodies { count: BODIES_MAX + 1 },
        ),
        (
            Append { bodies: vec![body("x"), long], ..start.clone() },
            LimitError::BodyLength { bytes: BODY_BYTES_MAX + 1 },
        ),
        (
            Append { writes: vec![big.clone()], ..start.clone() },
            LimitError::ValueLength { bytes: VALUE_BYTES_MAX + 1 },
        ),
        (
            Append { writes: puts.clone(), ..start.clone() },
            LimitError::TooManyWrites { count: WRITES_MAX + 1 },
        ),
    ];
    for (append, error) in cases {
        assert_eq!(world.store.append(append).await, Err(StoreError::Limit(error)));
    }
    for writes in [vec![big], puts] {
        let update = Update { writes, ..Update::default() };
        assert!(matches!(world.store.update(update).await, Err(StoreError::Limit(_))));
    }
    let conditions = vec![(key("k"), Expect::Absent); CONDITIONS_MAX + 1];
    let update = Update { conditions, writes: vec![put("k", "v")] };
    let error = LimitError::TooManyConditions { count: CONDITIONS_MAX + 1 };
    assert_eq!(world.store.update(update).await, Err(StoreError::Limit(error)));
    assert_eq!(world.store.head(game(1)).await, Ok(Head::START));
    assert_eq!(world.store.get(key("k")).await, Ok(None));
}

async fn the_limits_themselves_are_allowed(world: World) {
    let bodies = vec![body(vec![7; BODY_BYTES_MAX]); BODIES_MAX];
    let put = |number: usize| Write::Put {
        key: key(&format!("k{number:03}")),
        value: vec![9; VALUE_BYTES_MAX],
        expires: None,
    };
    let writes: Vec<Write> = (0..WRITES_MAX).map(put).collect();
    let start = append(game(1), Head::START, &[]);
    append_ok(&*world.store, Append { bodies: bodies.clone(), writes, ..start }).await;
    let entries = log(&*world.store, game(1)).await;
    assert!(entries.iter().map(|entry| &entry.body).eq(&bodies));
    assert_eq!(world.store.get(key("k063")).await, Ok(Some(vec![9; VALUE_BYTES_MAX])));
}

async fn an_empty_body_is_a_body(world: World) {
    append_ok(&*world.store, append(game(1), Head::START, &["", ""])).await;
    assert_eq!(texts(&*world.store, game(1)).await, ["", ""]);
}

async fn side_records_come_with_the_append(world: World) {
    let writes = vec![put("live/1", "x"), put("player/1", "y")];
    let head = append_ok(&*world.store, Append { writes, ..append(game(1), Head::START, &["a"]) }).await;
    assert_eq!(world.store.get(key("live/1")).await, Ok(Some(b"x".to_vec())));
    let writes = vec![Write::Delete { key: key("live/1") }];
    append_ok(&*world.store, Append { writes, ..append(game(1), head, &["b"]) }).await;
    assert_eq!(world.store.get(key("live/1")).await, Ok(None));
    assert_eq!(world.store.get(key("player/1")).await, Ok(Some(b"y".to_vec())));
}

async fn update_ok(store: &dyn Store, writes: Vec<Write>) {
    let update = Update { conditions: Vec::new(), writes };
    assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
}

async fn records_are_put_and_deleted(world: World) {
    update_ok(&*world.store, vec![put("a", "1"), put("b", "")]).await;
    assert_eq!(world.store.get(key("a")).await, Ok(Some(b"1".to_vec())));
    assert_eq!(world.store.get(key("b")).await, Ok(Some(Vec::new())));
    update_ok(&*world.store, vec![put("a", "2"), Write::Delete { key: key("b") }]).await;
    assert_eq!(world.store.get(key("a")).await, Ok(Some(b"2".to_vec())));
    assert_eq!(world.store.get(key("b")).await, Ok(None));
    update_ok(&*world.store, vec![Write::Delete { key: key("never") }]).await;
    update_ok(&*world.store, vec![]).await;
}

async fn of_two_writes_to_a_key_the_later_stays(world: World) {
    update_ok(&*world.store, vec![put("a", "1"), put("a", "2")]).await;
    assert_eq!(world.store.get(key("a")).await, Ok(Some(b"2".to_vec())));
    update_ok(&*world.store, vec![put("a", "3"), Write::Delete { key: key("a") }]).await;
    assert_eq!(world.store.get(key("a")).await, Ok(None));
    update_ok(&*world.store, vec![Write::Delete { key: key("a") }, put("a", "4")]).await;
    assert_eq!(world.store.get(key("a")).await, Ok(Some(b"4".to_vec())));
}

async fn conditions_hold_exactly_or_nothing_happens(world: World) {
    update_ok(&*world.store, vec![put("a", "1")]).await;
    let value = |text: &str| Expect::Value(text.into());
    let cases = [
        (vec![(key("a"), value("1"))], true),
        (vec![(key("a"), value("2"))], false),
        (vec![(key("a"), value(""))], false),
        (vec![(key("a"), Expect::Absent)], false),
        (vec![(key("b"), Expect::Absent)], true),
        (vec![(key("b"), value(""))], false),
        (vec![(key("a"), value("1")), (key("b"), Expect::Absent)], true),
        (vec![(key("a"), value("1")), (key("b"), value("1"))], false),
    ];
    for (number, (conditions, holds)) in cases.into_iter().enumerate() {
        let target = format!("t{number}");
        let update = Update { conditions, writes: vec![put(&target, "x")] };
        let expected = if holds { UpdateOutcome::Ok } else { UpdateOutcome::Conflict };
        assert_eq!(world.store.update(update).await, Ok(expected), "{number}");
        assert_eq!(world.store.get(key(&target)).await.unwrap().is_some(), holds, "{number}");
    }
}

async fn of_two_creators_one_wins(world: World) {
    let create = |value: &str| Update {
        conditions: vec![(key("name"), Expect::Absent)],
        writes: vec![put("name", value)],
    };
    let (a, b) = tokio::join!(world.store.update(create("a")), world.store.update(create("b")));
    let mut outcomes = [a.unwrap(), b.unwrap()];
    let winner = if outcomes[0] == UpdateOutcome::Ok { "a" } else { "b" };
    outcomes.sort_by_key(|outcome| *outcome == UpdateOutcome::Conflict);
    assert_eq!(outcomes, [UpdateOutcome::Ok, UpdateOutcome::Conflict]);
    assert_eq!(world.store.get(key("name")).await, Ok(Some(winner.into())));
}

async fn scans_are_ordered_and_paged(world: World) {
    let names = ["a", "b/", "b/1", "b/2", "b/20", "b/3", "b0", "c"];
    update_ok(&*world.store, names.iter().rev().map(|name| put(name, name)).collect()).await;
    let scan = async |prefix: &str, after: Option<&str>, limit| {
        let found = world.store.scan(key(prefix), after.map(key), limit).await.unwrap();
        assert!(found.iter().all(|(key, value)| key.as_bytes() == value));
        found.into_iter().map(|(_, value)| String::from_utf8(value).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(scan("b/", None, 100).await, ["b/", "b/1", "b/2", "b/20", "b/3"]);
    assert_eq!(scan("b/", None, 2).await, ["b/", "b/1"]);
    assert_eq!(scan("b/", Some("b/1"), 2).await, ["b/2", "b/20"]);
    assert_eq!(scan("b/", Some("b/20"), 2).await, ["b/3"]);
    assert_eq!(scan("b/", Some("b/15"), 1).await, ["b/2"]);
    assert_eq!(scan("b/", Some("a"), 1).await, ["b/"]);
    assert_eq!(scan("b/", Some("b/3"), 1).await, [""; 0]);
    assert_eq!(scan("b/", Some("b0"), 1).await, [""; 0]);
    assert_eq!(scan("b/", Some("c"), 1).await, [""; 0]);
    assert_eq!(scan("d", None, 100).await, [""; 0]);
    assert_eq!(scan("a", None, 0).await, [""; 0]);
}

fn put_until(name: &str, expires: Stamp) -> Write {
    Write::Put { key: key(name), value: name.into(), expires: Some(expires) }
}

async fn expired_records_do_not_exist(world: World) {
    update_ok(&*world.store, vec![put_until("a/1", NOON.plus_ms(10)), put("a/2", "a/2")]).await;
    world.clock.advance_ms(10);
    assert_eq!(world.store.get(key("a/1")).await, Ok(None));
    assert_eq!(world.store.scan(key("a/"), None, 10).await, Ok(vec![(key("a/2"), b"a/2".to_vec())]));
    let update = Update { conditions: vec![(key("a/1"), Expect::Absent)], writes: vec![put("a/1", "new")] };
    assert_eq!(world.store.update(update).await, Ok(UpdateOutcome::Ok));
    assert_eq!(world.store.get(key("a/1")).await, Ok(Some(b"new".to_vec())));
}

async fn a_record_lives_until_its_expiry(world: World) {
    update_ok(&*world.store, vec![put_until("a", NOON.plus_ms(10)), put_until("b", NOON)]).await;
    world.clock.advance_ms(9);
    assert_eq!(world.store.get(key("a")).await, Ok(Some(b"a".to_vec())));
    assert_eq!(world.store.get(key("b")).await, Ok(None));
}

async fn sweeping_takes_what_expired_and_nothing_else(world: World) {
    let later = NOON.plus_ms(1_000);
    for number in 0..1_100 {
        let expires = if number % 11 == 0 { later } else { NOON.plus_ms(number) };
        update_ok(&*world.store, vec![put_until(&format!("x/{number}"), expires)]).await;
        if number == 1_020 {
            break;
        }
    }
    update_ok(&*world.store, vec![put("y", "stays")]).await;
    world.clock.advance_ms(999);
    let kept = (0..=1_020).filter(|number| number % 11 == 0 || *number > 999).count();
    assert_eq!(world.store.sweep().await, Ok((1_021 - kept) as u64));
    assert_eq!(world.store.sweep().await, Ok(0));
    assert_eq!(world.store.scan(key("x/"), None, READ_MAX).await.unwrap().len(), kept);
    world.clock.advance_ms(1_001);
    assert_eq!(world.store.sweep().await, Ok(kept as u64));
    assert_eq!(world.store.get(key("y")).await, Ok(Some(b"stays".to_vec())));
}

async fn a_record_written_again_has_the_new_expiry(world: World) {
    update_ok(&*world.store, vec![put_until("a", NOON.plus_ms(10)), put_until("b", NOON.plus_ms(10))]).await;
    update_ok(&*world.store, vec![put_until("a", NOON.plus_ms(20)), put("b", "b")]).await;
    world.clock.advance_ms(15);
    assert_eq!(world.store.sweep().await, Ok(0));
    assert_eq!(world.store.get(key("a")).await, Ok(Some(b"a".to_vec())));
    assert_eq!(world.store.get(key("b")).await, Ok(Some(b"b".to_vec())));
    world.clock.advance_ms(15);
    assert_eq!(world.store.sweep().await, Ok(1));
    assert_eq!(world.store.get(key("b")).await, Ok(Some(b"b".to_vec())));
}

async fn the_epoch_only_rises(world: World) {
    let mut epoch = world.store.epoch().await.unwrap();
    assert!(epoch > 0);
    for now in [NOON, NOON.plus_ms(1_000), Stamp(1)] {
        world.clock.set(now);
        let next = world.store.bump_epoch().await.unwrap();
        assert!(next > epoch);
        assert_eq!(world.store.epoch().await, Ok(next));
        epoch = next;
    }
}

async fn a_new_store_has_no_heartbeat(world: World) {
    assert_eq!(world.store.last_heartbeat().await, Ok(None));
    world.store.heartbeat().await.unwrap();
    assert_eq!(world.store.last_heartbeat().await, Ok(None), "it is what was found at open");
}

async fn nothing_is_in_quarantine(world: World) {
    append_ok(&*world.store, append(game(1), Head::START, &["a"])).await;
    log(&*world.store, game(1)).await;
    assert_eq!(world.store.quarantined().await, Ok(Vec::new()));
}

async fn a_caller_that_goes_away_leaves_all_or_nothing(world: World) {
    for number in 0..100 {
        let append = Append {
            writes: vec![put(&format!("k{number}"), "v")],
            ..append(game(number), Head::START, &["a", "b"])
        };
        let mut future = world.store.append(append);
        for _ in 0..number % 3 {
            if future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    for number in 0..100 {
        // If a store processes requests in order, then after this append it has also processed the
        // earlier ones. A store of several buckets may need a moment more for side records in other
        // buckets.
        append_ok(&*world.store, append(game(1_000 + number), Head::START, &["end"])).await;
        until("all or nothing", async || {
            let count = log(&*world.store, game(number)).await.len();
            let record = world.store.get(key(&format!("k{number}"))).await.unwrap();
            matches!((count, record), (0, None) | (2, Some(_))).then_some(())
        })
        .await;
    }
}

async fn notices_reach_other_servers(world: World) {
    let beyond = vec![0; NOTICE_BYTES_MAX + 1];
    let notices = world.store.notices();
    world.store.tell(b"early".to_vec()).await.unwrap();
    if let Some(mut notices) = notices {
        let told = loop {
            match notices.recv().await.unwrap() {
                StoreMessage::Told(told) => break told,
                // The subscription may have begun only after the first message, so the message is
                // sent again.
                StoreMessage::Missed => world.store.tell(b"early".to_vec()).await.unwrap(),
            }
        };
        assert_eq!(&*told, b"early");
        assert!(matches!(world.store.tell(beyond).await, Err(StoreError::Limit(_))));
    }
}

async fn a_log_reads_the_same_in_pieces(world: World) {
    let store = &*world.store;
    let mut head = Head::START;
    for number in 0..12 {
        head =
            append_ok(store, append(game(1), head, &[&format!("{number}"), &"x".repeat(number * 100)])).await;
        world.clock.advance_ms(7);
    }
    let whole = log(store, game(1)).await;
    assert_eq!(whole.len() as u64, head.seq);
    for after in 0..=head.seq + 1 {
        for limit in [1, 3, READ_MAX] {
            let piece = store.read(game(1), after, limit).await.unwrap();
            let expected = whole.iter().filter(|entry| entry.seq > after).take(limit);
            assert!(piece.iter().eq(expected), "{after} {limit}");
        }
    }
}

async fn a_deleted_log_is_gone_and_no_other_is(world: World) {
    let store = &*world.store;
    let mut heads = Vec::new();
    for (number, texts) in [(1, &["a", "b"][..]), (2, &["d"][..]), (3, &["e", "f"][..])] {
        heads.push(append_ok(store, append(game(number), Head::START, texts)).await);
    }
    for number in [1, 3, 3] {
        assert_eq!(store.delete_log(game(number)).await, Ok(()));
        assert_eq!(store.head(game(number)).await, Ok(Head::START));
        assert_eq!(log(store, game(number)).await, []);
    }
    assert_eq!(texts(store, game(2)).await, ["d"]);
    append_ok(store, append(game(2), heads[1], &["g"])).await;
    assert_left_of(&world, 3, heads[2]).await;
}
