//! Tests of retired logs in Redis.

use flagfall_board::Stamp;
use flagfall_store::{Guard, RetireOutcome};
use flagfall_store_testing::ManualClock;

use super::*;

const NOON: Stamp = Stamp(1_700_000_000_000);
const APPLIED: &str = "flagfall:{flagfall}:applied";

fn key_of(number: u32, kind: &str) -> String {
    format!("flagfall:{{{}}}:{kind}", game(number))
}

async fn guard_of(store: &RedisStore, number: u32) -> Guard {
    let head = store.head(game(number)).await.unwrap();
    Guard { head, place: vec![7; 12], commands: vec![1; 200] }
}

/// Starts a Redis with three logs of this length, and two servers that hold them: one has written
/// them, and the other has read them.
async fn servers_that_hold_logs(entries: u64) -> (RedisServer, [RedisStore; 2]) {
    let redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    fill(&one, 0..3, entries).await;
    logs(&two, 0..3).await;
    (redis, [one, two])
}

async fn is_kept(redis: &RedisServer, number: u32) -> bool {
    redis.ask::<u64>(&["EXISTS", &key_of(number, "log"), &key_of(number, "packed")]).await > 0
}

#[tokio::test]
async fn a_retired_log_leaves_only_a_guard_and_no_server_gives_it_back() {
    let (mut redis, [one, two]) = servers_that_hold_logs(200).await;
    let before = logs(&two, 0..3).await;
    packing::pack(&redis, &one, 1).await;
    for number in 0..2 {
        let guard = guard_of(&one, number).await;
        assert_eq!(one.retire(game(number), guard).await, Ok(RetireOutcome::Ok));
        assert!(!is_kept(&redis, number).await);
        let name = key_of(number, "guard");
        let bytes: u64 = redis.ask(&["MEMORY", "USAGE", &name, "SAMPLES", "0"]).await;
        assert!(bytes < 400, "{bytes}");
        let lifetime: i64 = redis.ask(&["PTTL", &name]).await;
        assert!((3_500_000..=3_600_000).contains(&lifetime), "{lifetime}");
        assert_eq!(redis.ask::<u64>(&["HEXISTS", APPLIED, game(number).as_str()]).await, 0);
    }
    assert!(two.read(game(0), 0, 10).await.unwrap().is_empty(), "held, and not taken for lost");
    // All servers reconnect to the restarted Redis.
    redis.kill();
    redis.start_again();
    for store in [&one, &two] {
        until("the store", async || store.heartbeat().await.ok()).await;
        assert_eq!(store.stats().restored, 0);
    }
    for number in 0..2 {
        assert!(!is_kept(&redis, number).await);
    }
    assert_eq!(logs(&two, 2..3).await, before[2..]);
}

#[tokio::test]
async fn a_server_that_holds_a_log_hears_that_it_was_retired() {
    let redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    let mut notices = two.notices().unwrap();
    until("both subscriptions", async || {
        (redis.ask::<u64>(&["PUBLISH", "flagfall:notices", "hello"]).await == 2).then_some(())
    })
    .await;
    fill(&one, 0..1, 20).await;
    // The second server reads the log, so it holds it as well.
    logs(&two, 0..1).await;
    assert_eq!(one.retire(game(0), guard_of(&one, 0).await).await, Ok(RetireOutcome::Ok));
    // The message comes after the announcement of the retired log.
    one.tell(b"the end".to_vec()).await.unwrap();
    while timeout(TIMEOUT, notices.recv()).await.unwrap() != Ok(StoreMessage::Told(b"the end"[..].into())) {}
    redis.ask::<u64>(&["DEL", &key_of(0, "guard")]).await;
    assert!(two.read(game(0), 0, 10).await.unwrap().is_empty(), "not held, so not given back");
}

#[tokio::test]
async fn a_log_that_a_redis_set_back_has_again_is_retired_again() {
    let mut redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..1, 50).await;
    let guard = guard_of(&store, 0).await;
    let copy = common::scratch();
    copy_folder(redis.folder(), copy.path());
    assert_eq!(store.retire(game(0), guard.clone()).await, Ok(RetireOutcome::Ok));
    redis.kill();
    set_back(&mut redis, copy.path());
    until("the store", async || store.heartbeat().await.ok()).await;
    assert_eq!(store.head(game(0)).await, Ok(guard.head));
    assert_eq!(store.retire(game(0), guard).await, Ok(RetireOutcome::Ok));
    assert!(!is_kept(&redis, 0).await);
}

#[tokio::test]
async fn a_log_whose_side_records_are_not_carried_out_yet_is_retired_later() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..1, 5).await;
    let (guard, id) = (guard_of(&store, 0).await, game(0));
    redis.ask::<u64>(&["HSET", APPLIED, id.as_str(), "4"]).await;
    assert_eq!(store.retire(id, guard.clone()).await, Ok(RetireOutcome::Later));
    assert!(is_kept(&redis, 0).await);
    redis.ask::<u64>(&["HSET", APPLIED, id.as_str(), "5"]).await;
    assert_eq!(store.retire(id, guard).await, Ok(RetireOutcome::Ok));
}

#[tokio::test]
async fn an_overwritten_log_is_not_retired() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..1, 5).await;
    let guard = guard_of(&store, 0).await;
    let _: String = redis.ask(&["SET", &key_of(0, "log"), "another"]).await;
    assert!(matches!(store.retire(game(0), guard).await, Err(StoreError::Damaged { .. })));
    assert_eq!(redis.ask::<String>(&["GET", &key_of(0, "log")]).await, "another");
}

#[tokio::test]
async fn no_server_gives_back_a_deleted_log() {
    let (mut redis, [one, two]) = servers_that_hold_logs(20).await;
    let before = logs(&two, 0..3).await;
    // The second log was retired before.
    assert_eq!(one.retire(game(1), guard_of(&one, 1).await).await, Ok(RetireOutcome::Ok));
    for number in 0..2 {
        assert_eq!(one.delete_log(game(number)).await, Ok(()));
        assert_eq!(redis.ask::<u64>(&["HEXISTS", APPLIED, game(number).as_str()]).await, 0);
    }
    redis.kill();
    redis.start_again();
    for store in [&one, &two] {
        until("the store", async || store.heartbeat().await.ok()).await;
        assert_eq!(store.stats().restored, 0);
    }
    for number in 0..2 {
        assert!(!is_kept(&redis, number).await);
        let head = before[number as usize].last().unwrap().seq;
        let guard = two.guard(game(number)).await.unwrap().unwrap();
        assert_eq!((guard.head.seq, guard.place, guard.commands), (head, vec![], vec![]));
    }
    assert_eq!(logs(&two, 2..3).await, before[2..]);
}

/// A time after which the guards of logs that were retired meanwhile may have expired.
const LONG_MS: u64 = 75 * 60 * 1_000;

/// Retires a log as if that had happened so long ago that its guard has expired.
async fn retire_long_ago(redis: &RedisServer, number: u32) {
    redis.ask::<u64>(&["DEL", &key_of(number, "log")]).await;
    redis.ask::<u64>(&["HDEL", APPLIED, game(number).as_str()]).await;
}

#[tokio::test]
async fn a_server_that_was_away_for_long_does_not_give_back_retired_logs() {
    let mut redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let options = RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() };
    let away = redis.open(options.clone()).await;
    fill(&away, 0..2, 20).await;
    away.heartbeat().await.unwrap();
    redis.kill();
    // The first server does not have the new password, so it stays away.
    redis.set_password("secret");
    redis.start_again();
    let other = redis.open(options).await;
    for _ in 0..LONG_MS / 2_000 {
        other.heartbeat().await.unwrap();
        clock.advance_ms(2_000);
    }
    retire_long_ago(&redis, 0).await;
    let _: String = redis.ask(&["CONFIG", "SET", "requirepass", ""]).await;
    until("the store", async || away.heartbeat().await.ok()).await;
    assert_eq!((away.stats().connections, away.stats().restored), (2, 0));
    assert_eq!(away.head(game(0)).await, Ok(Head::START));
    assert_eq!(away.head(game(1)).await.unwrap().seq, 20);
}

#[tokio::test]
async fn a_server_that_slept_for_long_does_not_give_back_a_retired_log() {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let options = RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() };
    let store = redis.open(options).await;
    fill(&store, 0..1, 20).await;
    let head = guard_of(&store, 0).await.head;
    retire_long_ago(&redis, 0).await;
    clock.advance_ms(LONG_MS);
    let outcome = store.append(append(game(0), head, &["on"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Conflict { head: Head::START }));
    assert!(!is_kept(&redis, 0).await);
}

#[tokio::test]
async fn after_a_long_outage_a_redis_set_back_gets_what_began_later_and_no_retired_log() {
    let mut redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let options = RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() };
    let one = redis.open(options.clone()).await;
    let two = redis.open(options).await;
    fill(&one, 0..1, 20).await;
    retire_long_ago(&redis, 0).await;
    clock.advance_ms(60_000);
    one.heartbeat().await.unwrap();
    let copy = common::scratch();
    copy_folder(redis.folder(), copy.path());
    clock.advance_ms(60_000);
    fill(&one, 1..2, 20).await;
    fill(&two, 2..3, 20).await;
    let before = logs(&one, 1..3).await;
    for store in [&one, &two] {
        store.heartbeat().await.unwrap();
    }
    redis.kill();
    clock.advance_ms(LONG_MS);
    set_back(&mut redis, copy.path());
    for store in [&one, &two] {
        until("the store", async || store.heartbeat().await.ok()).await;
    }
    assert_eq!(logs(&two, 1..3).await, before);
    assert!(!is_kept(&redis, 0).await);
}
