//! Tests of retired logs in Redis.

use flagfall_store::{Guard, RetireOutcome};

use super::*;

const APPLIED: &str = "flagfall:{flagfall}:applied";

fn key_of(number: u32, kind: &str) -> String {
    format!("flagfall:{{{}}}:{kind}", game(number))
}

async fn guard_of(store: &RedisStore, number: u32) -> Guard {
    let head = store.head(game(number)).await.unwrap();
    Guard { head, place: vec![7; 12], commands: vec![1; 200] }
}

async fn is_kept(redis: &RedisServer, number: u32) -> bool {
    redis.ask::<u64>(&["EXISTS", &key_of(number, "log"), &key_of(number, "packed")]).await > 0
}

#[tokio::test]
async fn a_retired_log_leaves_only_a_guard_and_no_server_gives_it_back() {
    let mut redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    fill(&one, 0..3, 200).await;
    // The second server reads all logs, so it holds them as well.
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
