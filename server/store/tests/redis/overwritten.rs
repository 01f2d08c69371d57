//! Tests of keys that contain values of another type: a damaged key of one game does not affect
//! other games.

use super::*;

/// Replaces the value of a key of the store with a string.
async fn overwrite(redis: &RedisServer, key: &str) {
    let _: String = redis.ask(&["SET", key, "something else"]).await;
}

fn log_key(number: u32) -> String {
    format!("flagfall:{{{}}}:log", game(number))
}

fn shared_key(name: &str) -> String {
    format!("flagfall:{{flagfall}}:{name}")
}

/// Checks that the game `damaged` is in quarantine, and that all other games in `games` continue.
async fn assert_alone(store: &RedisStore, games: std::ops::Range<u32>, damaged: u32) {
    for number in games.filter(|number| *number != damaged) {
        let at = store.head(game(number)).await.unwrap();
        let writes = vec![put(&format!("last/{number}"), "on")];
        append_ok(store, Append { writes, ..append(game(number), at, &["on"]) }).await;
    }
    assert!(matches!(store.read(game(damaged), 0, 10).await, Err(ReadError::Damaged { .. })));
    assert!(matches!(store.head(game(damaged)).await, Err(ReadError::Damaged { .. })));
    let outcome = store.append(append(game(damaged), Head::START, &["on"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
    let quarantined: Vec<_> = store.quarantined().await.unwrap().into_iter().map(|(game, _)| game).collect();
    assert_eq!(quarantined, [game(damaged)]);
}

#[tokio::test]
async fn a_log_that_was_overwritten_while_servers_run_stops_this_game_alone() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..5, 3).await;
    let at = store.head(game(2)).await.unwrap();
    overwrite(&redis, &log_key(2)).await;
    // These appends are sent at the same time, so they share one call.
    let asked = (0..5).map(|number| {
        let store = &store;
        async move {
            let at = if number == 2 { at } else { store.head(game(number)).await.unwrap() };
            store.append(append(game(number), at, &["together"])).await
        }
    });
    let outcomes = futures_util::future::join_all(asked).await;
    for (number, outcome) in outcomes.iter().enumerate() {
        let is_fit = match outcome {
            Ok(AppendOutcome::Ok { .. }) => number != 2,
            Ok(AppendOutcome::Quarantined { reason }) => number == 2 && reason.contains("another type"),
            _ => false,
        };
        assert!(is_fit, "{number}: {outcome:?}");
    }
    assert_alone(&store, 0..5, 2).await;
    assert_eq!(store.stats().connections, 1, "the connection is as good as before");
}

#[tokio::test]
async fn a_log_that_was_overwritten_keeps_no_server_from_connecting_and_giving_back_the_others() {
    let mut redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..5, 3).await;
    overwrite(&redis, &log_key(2)).await;
    // The damaged game is also listed as having side records that have not been applied yet.
    let member = format!("{} 3", game(2));
    let _: u32 = redis.ask(&["ZADD", &shared_key("pending"), "1", &member]).await;
    redis.kill();
    redis.start_again();
    until("the store", async || store.heartbeat().await.ok()).await;
    assert_alone(&store, 0..5, 2).await;
    let other = redis.open(RedisOptions::default()).await;
    assert_alone(&other, 0..5, 2).await;
    let games = flagfall_store::Transfer::games(&other).await.unwrap();
    assert_eq!(games.len(), 5, "an export reports it");
}

#[tokio::test]
async fn other_keys_of_a_game_that_were_overwritten_stop_this_game_alone() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..3, 3).await;
    // The key for the reason of the quarantine has another type.
    let quarantine = format!("flagfall:{{{}}}:quarantine", game(1));
    let _: u32 = redis.ask(&["LPUSH", &quarantine, "x"]).await;
    let heads = [head(&store, 0).await, head(&store, 1).await];
    let (other, damaged) = tokio::join!(
        store.append(append(game(0), heads[0], &["on"])),
        store.append(append(game(1), heads[1], &["on"])),
    );
    assert!(matches!(other, Ok(AppendOutcome::Ok { .. })), "{other:?}");
    assert!(matches!(damaged, Ok(AppendOutcome::Quarantined { .. })), "{damaged:?}");
    // The key of a packed log has another type.
    packing::pack(&redis, &store, 2).await;
    let packed = format!("flagfall:{{{}}}:packed", game(2));
    let _: u32 = redis.ask(&["DEL", &packed]).await;
    let _: u32 = redis.ask(&["LPUSH", &packed, "x"]).await;
    let read = store.read(game(2), 0, 10).await;
    assert!(matches!(read, Err(ReadError::Damaged { .. })), "{read:?}");
    assert_eq!(store.stats().connections, 1);
}

#[tokio::test]
async fn a_damaged_side_record_is_left_out_of_lists_and_told_where_it_is_asked_for() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let writes = ["a/1", "a/2", "a/3"].map(|name| put(name, name)).to_vec();
    store.update(Update { conditions: vec![], writes }).await.unwrap();
    let _: u32 = redis.ask(&["HSET", &shared_key("values"), "a/2", "short"]).await;
    let _: u32 = redis.ask(&["ZADD", &shared_key("expiries"), "1", "a/2"]).await;
    let found = store.scan(key("a/"), None, 10).await.unwrap();
    assert_eq!(found, [(key("a/1"), b"a/1".to_vec()), (key("a/3"), b"a/3".to_vec())]);
    let error = store.get(key("a/2")).await.unwrap_err().to_string();
    // The error shows only the kind in the key, because the rest of the key may be a secret.
    assert!(error.contains("Key(a/"), "{error}");
    assert_eq!(store.sweep().await, Ok(0));
    let update = Update { conditions: vec![(key("a/2"), Expect::Absent)], writes: vec![put("a/2", "new")] };
    assert_eq!(store.update(update).await, Ok(UpdateOutcome::Conflict));
    store.update(Update { conditions: vec![], writes: vec![put("a/2", "new")] }).await.unwrap();
    assert_eq!(store.get(key("a/2")).await, Ok(Some(b"new".to_vec())));
    assert_eq!(store.stats().connections, 1);
}

#[tokio::test]
async fn of_the_keys_that_all_share_those_that_can_be_done_without_are_left_out() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..2, 2).await;
    for name in ["expiries", "applied", "pending", "quarantined"] {
        let _: u32 = redis.ask(&["DEL", &shared_key(name)]).await;
        overwrite(&redis, &shared_key(name)).await;
    }
    let other = redis.open(RedisOptions::default()).await;
    for store in [&store, &other] {
        fill(store, 0..2, 2).await;
        until("a heartbeat", async || store.heartbeat().await.ok()).await;
    }
    assert_eq!(other.get(key("last/1")).await, Ok(Some(b"6".to_vec())));
    // The store cannot work without its records, so it does not open. The error names their key.
    let _: u32 = redis.ask(&["DEL", &shared_key("values")]).await;
    overwrite(&redis, &shared_key("values")).await;
    let Err(error) = RedisStore::open(redis.address(), RedisOptions::default()).await else {
        panic!("opened")
    };
    assert!(error.to_string().contains(&shared_key("values")), "{error}");
}
