//! Tests of packed logs in Redis, which earlier versions wrote and this version only reads.

use lz4_flex::block::compress_prepend_size;

use super::*;

/// Packs a game's log as earlier versions did: the packed entries in a string, and the last entry
/// alone in the stream.
pub(crate) async fn pack(redis: &RedisServer, store: &RedisStore, number: u32) {
    let entries = log(store, game(number)).await;
    let head = head(store, number).await;
    let mut bytes = Vec::new();
    for StoredEntry { at, body, .. } in &entries {
        bytes.extend(at.0.to_le_bytes());
        bytes.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
        bytes.extend(body.expose());
    }
    let mut packed = vec![1];
    packed.extend(head.seq.to_le_bytes());
    packed.extend(head.hash.0);
    packed.extend(compress_prepend_size(&bytes));
    const SCRIPT: &str = "redis.call('SET', KEYS[2], (string.gsub(ARGV[1], '..', function(two) return string.char(tonumber(two, 16)) end)))
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
        redis.call('DEL', KEYS[1])
        return redis.call('XADD', KEYS[1], last[1], unpack(last[2]))";
    let key = |kind: &str| format!("flagfall:{{{}}}:{kind}", game(number));
    let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
    let _: String = redis.ask(&["EVAL", SCRIPT, "2", &key("log"), &key("packed"), &hex]).await;
}

#[tokio::test]
async fn packed_logs_read_as_before_and_no_server_brings_back_what_they_were() {
    let mut redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    fill(&one, 0..4, 200).await;
    let before = logs(&one, 0..4).await;
    for number in 0..4 {
        pack(&redis, &one, number).await;
        assert_eq!(redis.ask::<u64>(&["XLEN", &format!("flagfall:{{{}}}:log", game(number))]).await, 1);
    }
    assert_eq!(logs(&two, 0..4).await, before, "stamps and all");
    assert_eq!(two.read(game(0), 150, 10).await.unwrap(), before[0][150..160]);
    drop(one);
    redis.kill();
    redis.start_again();
    until("the store", async || two.heartbeat().await.ok()).await;
    assert_eq!(logs(&two, 0..4).await, before);
    assert_eq!(two.stats().restored, 0);
    for number in 0..4 {
        assert_eq!(two.get(key(&format!("last/{number}"))).await, Ok(Some(b"200".to_vec())));
    }
}

#[tokio::test]
async fn a_packed_log_goes_on_and_nothing_begins_under_its_id() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let at = append_ok(&store, append(game(1), Head::START, &["a", "b", "c"])).await;
    pack(&redis, &store, 1).await;
    let outcome = store.append(append(game(1), Head::START, &["another game"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Conflict { head: at }));
    append_ok(&store, append(game(1), at, &["d", "e"])).await;
    assert_eq!(texts(&store, game(1)).await, ["a", "b", "c", "d", "e"]);
    assert_eq!(store.delete_log(game(1)).await, Ok(()));
    assert_eq!(log(&store, game(1)).await, []);
}

#[tokio::test]
async fn a_damaged_packed_log_is_found_and_puts_its_game_alone_into_quarantine() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..2, 50).await;
    for number in 0..2 {
        pack(&redis, &store, number).await;
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
