//! Tests of settings that change while Redis runs, and of a Redis that the store refuses.

use super::*;

/// Returns options with which the writer reads the settings again at every pulse.
fn watchful(demand: Demand) -> RedisOptions {
    RedisOptions { durability_every: Duration::ZERO, demand, ..RedisOptions::default() }
}

async fn set(redis: &RedisServer, name: &str, value: &str) {
    let _: String = redis.ask(&["CONFIG", "SET", name, value]).await;
}

#[tokio::test]
async fn a_redis_that_is_set_to_promise_less_takes_nothing_until_it_is_set_right() {
    let redis = RedisServer::start();
    let store = redis.open(watchful(Demand::Full)).await;
    let mut head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    for (name, weak, right) in [
        ("appendfsync", "everysec", "always"),
        ("appendonly", "no", "yes"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
        ("no-appendfsync-on-rewrite", "yes", "no"),
    ] {
        assert_eq!(store.weaknesses(), Vec::<String>::new());
        set(&redis, name, weak).await;
        let refused = until("a refusal", async || match store.heartbeat().await {
            Err(StoreError::Unavailable { why }) => Some(why),
            _ => None,
        });
        let why = refused.await;
        assert!(why.contains("promises less than a game needs"), "{why}");
        assert_eq!(store.weaknesses().len(), 1, "{:?}", store.weaknesses());
        let why = unavailable(store.append(append(game(1), head, &["b"])).await);
        assert!(why.contains("promises less than a game needs"), "{why}");
        set(&redis, name, right).await;
        head = append_soon(&store, append(game(1), head, &["b"])).await;
    }
}

#[tokio::test]
async fn an_accepted_weak_redis_is_reported_and_used() {
    let redis = RedisServer::start();
    let store = redis.open(watchful(Demand::Anything)).await;
    let head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    set(&redis, "appendfsync", "no").await;
    until("a look", async || (store.weaknesses().len() == 1).then_some(())).await;
    append_ok(&store, append(game(1), head, &["b"])).await;
    assert_eq!(store.stats().connections, 1);
    set(&redis, "appendfsync", "always").await;
    until("another look", async || store.weaknesses().is_empty().then_some(())).await;
}

#[test]
fn settings_are_read_again_within_a_minute() {
    assert!(RedisOptions::default().durability_every < Duration::from_secs(60));
}

#[tokio::test]
async fn a_cluster_node_is_refused_under_any_demand() {
    let redis = RedisServer::start_cluster_node();
    for demand in [Demand::Full, Demand::Anything] {
        let options = RedisOptions { demand, ..RedisOptions::default() };
        let Err(error) = RedisStore::open(redis.address(), options).await else { panic!("opened") };
        let text = error.to_string();
        assert!(text.contains("name nodes of the cluster with redis+cluster://"), "{text}");
    }
}

#[tokio::test]
async fn a_redis_that_comes_back_as_a_cluster_node_is_refused_until_it_is_none() {
    let mut redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    redis.start_again_as_cluster_node(true);
    for _ in 0..2 {
        let why = until("the refusal", async || match store.heartbeat().await {
            Err(StoreError::Unavailable { why }) if why.contains("Redis Cluster") => Some(why),
            _ => None,
        })
        .await;
        assert!(why.contains("name nodes of the cluster with redis+cluster://"), "{why}");
        unavailable(store.append(append(game(1), head, &["b"])).await);
    }
    redis.start_again_as_cluster_node(false);
    append_soon(&store, append(game(1), head, &["b"])).await;
    assert_eq!(texts(&store, game(1)).await, ["a", "b"]);
}

#[tokio::test]
async fn copies_of_records_are_given_back_when_redis_was_emptied() {
    let redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    let records = |value: &str| vec![put("players/ana", value), put("tokens/1", "ana")];
    one.update(Update { conditions: vec![], writes: records("1") }).await.unwrap();
    one.update(Update { conditions: vec![], writes: vec![put("lost", "x")] }).await.unwrap();
    one.keep_copies("ana", records("1"));
    one.update(Update { conditions: vec![], writes: vec![put("players/ana", "2")] }).await.unwrap();
    let _: String = redis.ask(&["FLUSHALL"]).await;
    // No server has noticed the loss yet, but even the first read must return the record.
    assert_eq!(one.get(key("tokens/1")).await, Ok(Some(b"ana".to_vec())));
    assert_eq!(one.get(key("players/ana")).await, Ok(Some(b"2".to_vec())), "the last value written");
    assert_eq!(one.get(key("lost")).await, Ok(None));
    until("the other server", async || two.heartbeat().await.ok()).await;
    assert_eq!(two.get(key("tokens/1")).await, Ok(Some(b"ana".to_vec())));
    // The copy of a record is not given back to Redis if the record was deleted, or if another
    // server has written it again.
    let delete = flagfall_store::Write::Delete { key: key("tokens/1") };
    one.update(Update { conditions: vec![], writes: vec![delete] }).await.unwrap();
    let _: String = redis.ask(&["FLUSHALL"]).await;
    until("the other server", async || two.heartbeat().await.ok()).await;
    two.update(Update { conditions: vec![], writes: vec![put("players/ana", "3")] }).await.unwrap();
    until("the first server", async || one.heartbeat().await.ok()).await;
    assert_eq!(one.get(key("players/ana")).await, Ok(Some(b"3".to_vec())));
    assert_eq!(one.get(key("tokens/1")).await, Ok(None));
    one.drop_copies("ana");
    let _: String = redis.ask(&["FLUSHALL"]).await;
    until("the first server", async || one.heartbeat().await.ok()).await;
    assert_eq!(one.get(key("players/ana")).await, Ok(None));
}
