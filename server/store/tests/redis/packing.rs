//! Tests of packed logs in Redis.

use super::*;

/// Returns the memory that a game takes up in Redis, in bytes.
async fn bytes_of(redis: &RedisServer, number: u32) -> u64 {
    let mut bytes = 0;
    for kind in ["log", "packed"] {
        let name = format!("flagfall:{{{}}}:{kind}", game(number));
        bytes += redis.ask::<Option<u64>>(&["MEMORY", "USAGE", &name, "SAMPLES", "0"]).await.unwrap_or(0);
    }
    bytes
}

#[tokio::test]
async fn packed_logs_are_small_and_no_server_brings_back_what_they_were() {
    let mut redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    fill(&one, 0..4, 200).await;
    // The second server reads all logs, so it holds them as well.
    let before = logs(&two, 0..4).await;
    let bytes = bytes_of(&redis, 0).await;
    for number in 0..4 {
        let (a, b) = tokio::join!(one.pack_log(game(number)), two.pack_log(game(number)));
        assert_eq!((a, b), (Ok(true), Ok(true)), "two at once");
        assert_eq!(redis.ask::<u64>(&["XLEN", &format!("flagfall:{{{}}}:log", game(number))]).await, 1);
    }
    assert!(bytes_of(&redis, 0).await < bytes / 2);
    assert_eq!(logs(&one, 0..4).await, before, "stamps and all");
    // The third server has read only packed logs. All servers reconnect to the restarted Redis.
    let three = redis.open(RedisOptions::default()).await;
    assert_eq!(logs(&three, 0..4).await, before);
    redis.kill();
    redis.start_again();
    for store in [&one, &two, &three] {
        until("the store", async || store.heartbeat().await.ok()).await;
        assert_eq!(logs(store, 0..4).await, before);
        assert_eq!(store.stats().restored, 0);
    }
    assert_eq!(redis.ask::<u64>(&["XLEN", &format!("flagfall:{{{}}}:log", game(3))]).await, 1);
    for number in 0..4 {
        assert_eq!(one.get(key(&format!("last/{number}"))).await, Ok(Some(b"200".to_vec())));
    }
}

#[tokio::test]
async fn a_log_that_a_redis_set_back_has_again_is_packed_again() {
    let mut redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..1, 50).await;
    let before = logs(&store, 0..1).await;
    let copy = common::scratch();
    copy_folder(redis.folder(), copy.path());
    assert_eq!(store.pack_log(game(0)).await, Ok(true));
    redis.kill();
    set_back(&mut redis, copy.path());
    until("the store", async || store.heartbeat().await.ok()).await;
    assert_eq!(logs(&store, 0..1).await, before);
    assert_eq!(store.pack_log(game(0)).await, Ok(true));
    assert_eq!(logs(&store, 0..1).await, before);
}

#[tokio::test]
async fn a_log_whose_side_records_are_not_carried_out_yet_is_packed_later() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    assert_eq!(store.pack_log(game(0)).await, Ok(false), "there is none");
    fill(&store, 0..1, 5).await;
    let (applied, id) = ("flagfall:{flagfall}:applied", game(0));
    redis.ask::<u64>(&["HSET", applied, id.as_str(), "4"]).await;
    assert_eq!(store.pack_log(game(0)).await, Ok(false));
    redis.ask::<u64>(&["HSET", applied, id.as_str(), "5"]).await;
    assert_eq!(store.pack_log(game(0)).await, Ok(true));
}

#[tokio::test]
async fn a_damaged_packed_log_is_found_and_puts_its_game_alone_into_quarantine() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..2, 50).await;
    for number in 0..2 {
        assert_eq!(store.pack_log(game(number)).await, Ok(true));
    }
    let packed = format!("flagfall:{{{}}}:packed", game(0));
    redis.ask::<u64>(&["SETRANGE", &packed, "100", "!!!!"]).await;
    assert!(matches!(store.read(game(0), 0, 10).await, Err(ReadError::Damaged { .. })));
    assert_eq!(store.quarantined().await.unwrap().len(), 1);
    assert_eq!(logs(&store, 1..2).await.len(), 1);
    redis.ask::<u64>(&["DEL", &packed]).await;
    assert!(matches!(store.read(game(0), 0, 10).await, Err(ReadError::Damaged { seq: 1, .. })));
    assert!(matches!(store.head(game(0)).await, Err(ReadError::Damaged { .. })));
}
