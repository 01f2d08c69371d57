//! Tests of the Redis store with a real Redis, which is killed, frozen, demoted, full, wiped,
//! restored to an earlier state, or used by several servers.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod announcements;
mod clocks;
#[path = "../common/mod.rs"]
mod common;
mod losses;
mod overwritten;
mod packing;
mod retiring;
mod settings;
mod size;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use common::redis::RedisServer;
use common::{TIMEOUT, append, append_ok, append_soon, body, copy_folder, game, key, log, put, texts, until};
use flagfall_board::GameId;
use flagfall_store::redis::Demand;
use flagfall_store::{
    Announcement, Append, AppendOutcome, Expect, Head, ReadError, RedisAddress, RedisOptions, RedisStore,
    Store, StoreError, StoreMessage, StoredEntry, Topic, Update, UpdateOutcome,
};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

/// Returns options with which a frozen Redis is soon detected.
fn impatient() -> RedisOptions {
    RedisOptions {
        answer_timeout: Duration::from_millis(300),
        connect_timeout: Duration::from_millis(300),
        ..RedisOptions::default()
    }
}

/// Waits until the store can return the head of a log.
async fn head(store: &RedisStore, number: u32) -> Head {
    until("a head", async || store.head(game(number)).await.ok()).await
}

/// Opens a store. Use this for a store that is not patient enough for a busy machine.
async fn open_soon(address: &RedisAddress, options: &RedisOptions) -> RedisStore {
    until("a store", async || RedisStore::open(address.clone(), options.clone()).await.ok()).await
}

fn unavailable<T: std::fmt::Debug>(outcome: Result<T, StoreError>) -> String {
    match outcome {
        Err(StoreError::Unavailable { why }) => why,
        outcome => panic!("{outcome:?}"),
    }
}

/// Returns the only valid content of entry `seq` of a game.
fn text(number: u32, seq: u64) -> String {
    format!("{number}:{seq} {}", "x".repeat((seq % 90) as usize))
}

async fn logs(store: &RedisStore, games: std::ops::Range<u32>) -> Vec<Vec<StoredEntry>> {
    let mut logs = Vec::new();
    for number in games {
        logs.push(log(store, game(number)).await);
    }
    logs
}

/// Appends entries with side records to these games.
async fn fill(store: &RedisStore, games: std::ops::Range<u32>, entries: u64) {
    for number in games {
        let mut at = store.head(game(number)).await.unwrap();
        for _ in 0..entries {
            let writes = vec![put(&format!("last/{number}"), &(at.seq + 1).to_string())];
            let next = Append { writes, ..append(game(number), at, &[&text(number, at.seq + 1)]) };
            at = append_ok(store, next).await;
        }
    }
}

/// Replaces the files of a killed Redis with an earlier copy, and starts Redis again.
fn set_back(redis: &mut RedisServer, copy: &Path) {
    redis.wipe();
    copy_folder(copy, redis.folder());
    redis.start_again();
}

/// Appends to a game until the store fails. Returns the number of acknowledged entries.
async fn play(
    store: Arc<RedisStore>,
    number: u32,
    mut head: Head,
    acknowledged: Arc<AtomicUsize>,
) -> (u32, u64) {
    loop {
        let next = body(text(number, head.seq + 1));
        let writes = vec![put(&format!("last/{number}"), &(head.seq + 1).to_string())];
        let append = Append {
            game: game(number),
            expected: head,
            deadline: None,
            not_before: None,
            bodies: vec![next],
            writes,
        };
        match store.append(append).await {
            Ok(AppendOutcome::Ok { head: next, .. }) => {
                head = next;
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
            Ok(AppendOutcome::Unknown) | Err(StoreError::Unavailable { .. }) => return (number, head.seq),
            outcome => panic!("{outcome:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_redis_is_killed() {
    const GAMES: u32 = 40;
    let mut redis = RedisServer::start();
    let mut known: HashMap<u32, u64> = HashMap::new();
    for round in 0..6 {
        let store = Arc::new(redis.open(RedisOptions::default()).await);
        let acknowledged = Arc::new(AtomicUsize::new(0));
        // Every head is read before the first append: otherwise Redis could be killed between an
        // acknowledgement of one game and the first reading of another.
        let mut heads = Vec::new();
        for number in 0..GAMES {
            heads.push((number, store.head(game(number)).await.unwrap()));
        }
        let tasks: Vec<_> = heads
            .into_iter()
            .map(|(number, head)| tokio::spawn(play(store.clone(), number, head, acknowledged.clone())))
            .collect();
        until("acknowledgements", async || (acknowledged.load(Ordering::SeqCst) > round * 97).then_some(()))
            .await;
        redis.kill();
        for task in tasks {
            let (number, seq) = task.await.unwrap();
            known.insert(number, seq);
        }
        drop(store);
        redis.start_again();
        // The new store acts like another process, because it holds no entries in memory.
        let store = redis.open(RedisOptions::default()).await;
        for (number, seq) in &mut known {
            let entries = log(&store, game(*number)).await;
            for (at, entry) in (1..).zip(&entries) {
                assert_eq!((entry.seq, entry.body.expose()), (at, text(*number, at).as_bytes()));
            }
            let last = entries.len() as u64;
            assert!(last == *seq || last == *seq + 1, "game {number}: {seq} acknowledged, {last} there");
            let record = store.get(key(&format!("last/{number}"))).await.unwrap();
            assert_eq!(record, (last > 0).then(|| last.to_string().into_bytes()), "game {number}");
            *seq = last;
        }
        assert_eq!(store.quarantined().await, Ok(Vec::new()));
    }
    assert!(known.values().sum::<u64>() > 300, "{known:?}");
}

#[tokio::test]
async fn a_frozen_redis_leaves_an_unknown_that_reading_resolves_for_good() {
    let redis = RedisServer::start();
    let store = open_soon(&redis.address(), &impatient()).await;
    let mut at = append_soon(&store, append(game(1), Head::START, &["a"])).await;
    let mut beside = Head::START;
    for round in 0..3 {
        let doubtful = Append { writes: vec![put("record", "x")], ..append(game(1), at, &["b"]) };
        loop {
            // This append succeeds once the connection for appends is back.
            beside = append_soon(&store, append(game(2), beside, &["c"])).await;
            redis.freeze();
            match store.append(doubtful.clone()).await {
                Ok(AppendOutcome::Unknown) => break,
                // The store was sending another request when Redis froze, so this append was
                // never sent. The test tries again.
                Err(StoreError::Unavailable { .. }) => redis.thaw(),
                outcome => panic!("{outcome:?}"),
            }
            assert_eq!(head(&store, 1).await, at, "round {round}");
        }
        assert!(matches!(store.head(game(1)).await, Err(ReadError::Unavailable { .. })));
        assert!(matches!(store.get(key("record")).await, Err(StoreError::Unavailable { .. })));
        redis.thaw();
        let found = head(&store, 1).await;
        // The result is final, because the old connection is also closed on Redis's side.
        for _ in 0..20 {
            assert_eq!(redis.ask::<String>(&["PING"]).await, "PONG");
            assert_eq!(head(&store, 1).await, found, "round {round}");
        }
        at = if found == at { append_soon(&store, doubtful).await } else { found };
        assert_eq!(at.seq, round + 2);
        let record = until("the record", async || store.get(key("record")).await.ok()).await;
        assert_eq!(record, Some(b"x".to_vec()));
    }
    let store = redis.open(RedisOptions::default()).await;
    assert_eq!(texts(&store, game(1)).await, ["a", "b", "b", "b"]);
}

#[tokio::test]
async fn many_readers_of_a_frozen_redis_share_one_failed_connection() {
    let redis = RedisServer::start();
    let store = open_soon(&redis.address(), &impatient()).await;
    let connections = async || {
        let stats: String = redis.ask(&["INFO", "stats"]).await;
        let count = stats.lines().find_map(|line| line.strip_prefix("total_connections_received:"));
        count.unwrap().parse::<u64>().unwrap()
    };
    let before = connections().await;
    redis.freeze();
    let reads = (0..100).map(|number| store.get(key(&format!("record/{number}"))));
    for read in futures_util::future::join_all(reads).await {
        assert!(matches!(read, Err(StoreError::Unavailable { .. })), "{read:?}");
    }
    redis.thaw();
    // The reads share their attempts to connect. The writer and the listener connect as well, but
    // with pauses between their attempts.
    let made = connections().await - before;
    assert!(made < 50, "{made} connections for one outage");
}

#[tokio::test]
async fn a_redis_that_becomes_a_replica_takes_nothing_and_says_why() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let at = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    let _: String = redis.ask(&["REPLICAOF", "127.0.0.1", "1"]).await;
    for _ in 0..3 {
        let why = unavailable(store.append(append(game(1), at, &["b"])).await);
        assert!(why.contains("replica"), "{why}");
        let update = Update { conditions: Vec::new(), writes: vec![put("k", "v")] };
        unavailable(store.update(update).await);
    }
    let _: String = redis.ask(&["REPLICAOF", "NO", "ONE"]).await;
    assert_eq!(append_soon(&store, append(game(1), at, &["b"])).await.seq, 2);
    assert_eq!(texts(&store, game(1)).await, ["a", "b"]);
    assert_eq!(store.get(key("k")).await, Ok(None));
}

#[tokio::test]
async fn a_full_redis_refuses_appends_and_loses_nothing() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    // This store treats every moment without an answer as a silence, so it checks the clocks
    // before each append.
    let silence = Duration::from_millis(1);
    let doubting = redis.open(RedisOptions { silence, ..RedisOptions::default() }).await;
    let at = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    let _: String = redis.ask(&["CONFIG", "SET", "maxmemory", "1"]).await;
    let full = Append { writes: vec![put("k", "v")], ..append(game(1), at, &["b", "c"]) };
    for store in [&store, &store, &doubting, &doubting] {
        let why = unavailable(store.append(full.clone()).await);
        assert!(why.contains("memory is full"), "{why}");
    }
    assert_eq!(texts(&store, game(1)).await, ["a"], "reads still work");
    assert_eq!(store.get(key("k")).await, Ok(None));
    let _: String = redis.ask(&["CONFIG", "SET", "maxmemory", "0"]).await;
    assert_eq!(append_ok(&store, full).await.seq, 3);
    assert_eq!(store.get(key("k")).await, Ok(Some(b"v".to_vec())));
    assert_eq!(store.stats().connections, 1, "a refusal is no reason to reconnect");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_servers_that_race_one_appends() {
    let redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    let mut at = Head::START;
    for _ in 0..200 {
        let (a, b) = tokio::join!(
            one.append(append(game(1), at, &["one"])),
            two.append(append(game(1), at, &["two"])),
        );
        let outcomes = [a.unwrap(), b.unwrap()];
        let wins: Vec<Head> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                AppendOutcome::Ok { head, .. } => Some(*head),
                _ => None,
            })
            .collect();
        let [head] = wins[..] else { panic!("{outcomes:?}") };
        assert!(outcomes.contains(&AppendOutcome::Conflict { head }), "{outcomes:?}");
        at = head;
    }
    assert_eq!(log(&two, game(1)).await.len(), 200);
}

#[tokio::test]
async fn of_two_servers_that_create_a_record_one_does() {
    let redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    for number in 0..50 {
        let name = format!("name/{number}");
        let create = |value: &str| Update {
            conditions: vec![(key(&name), Expect::Absent)],
            writes: vec![put(&name, value)],
        };
        let (a, b) = tokio::join!(one.update(create("one")), two.update(create("two")));
        let mut outcomes = [a.unwrap(), b.unwrap()];
        outcomes.sort_by_key(|outcome| *outcome == UpdateOutcome::Conflict);
        assert_eq!(outcomes, [UpdateOutcome::Ok, UpdateOutcome::Conflict]);
    }
}

#[tokio::test]
async fn a_redis_that_promises_less_is_refused_in_words_unless_that_is_agreed_to() {
    let rows = [
        (&["--appendonly", "no"][..], "set appendonly yes"),
        (&["--appendonly", "yes", "--appendfsync", "everysec"], "set appendfsync always"),
        (
            &["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "allkeys-lru"],
            "set maxmemory-policy noeviction",
        ),
    ];
    for (flags, word) in rows {
        let redis = RedisServer::start_with(flags);
        let refused = RedisStore::open(redis.address(), RedisOptions::default()).await;
        let why = refused.err().unwrap().to_string();
        assert!(why.contains(word), "{why}");
        let agreed = RedisOptions { demand: Demand::Anything, ..RedisOptions::default() };
        let store = redis.open(agreed).await;
        append_ok(&store, append(game(1), Head::START, &["a"])).await;
        assert_eq!(store.durability().weaknesses().len(), 1);
    }
}

#[tokio::test]
async fn a_redis_that_promises_less_after_a_reconnect_takes_nothing_until_it_does() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let at = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    let _: String = redis.ask(&["CONFIG", "SET", "appendfsync", "everysec"]).await;
    let _: u64 = redis.ask(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]).await;
    // Ignore the outcome of this append, because its connection may be lost after the append was
    // sent.
    store.append(append(game(1), at, &["b"])).await.ok();
    let why = until("the refusal", async || match store.append(append(game(1), at, &["b"])).await {
        Err(StoreError::Unavailable { why }) if why.contains("appendfsync") => Some(why),
        _ => None,
    })
    .await;
    assert!(why.contains("set appendfsync always"), "{why}");
    let _: String = redis.ask(&["CONFIG", "SET", "appendfsync", "always"]).await;
    let at = head(&store, 1).await;
    append_soon(&store, append(game(1), at, &["c"])).await;
}

#[tokio::test]
async fn an_append_is_acknowledged_when_the_replica_has_it_and_unknown_otherwise() {
    let redis = RedisServer::start();
    let replica = redis.start_replica();
    until("the replica", async || {
        let info: String = redis.ask(&["INFO", "replication"]).await;
        info.contains("connected_slaves:1").then_some(())
    })
    .await;
    let store =
        redis.open(RedisOptions { replicas: 1, answer_timeout: Duration::from_secs(1), ..impatient() }).await;
    // A replica that has just connected confirms nothing for a moment.
    until("a confirmation", async || store.heartbeat().await.ok()).await;
    // On a busy machine, the replica may be late.
    let at = append_soon(&store, append(game(1), Head::START, &["a"])).await;
    let length: u64 = replica.ask(&["XLEN", &format!("flagfall:{{{}}}:log", game(1))]).await;
    assert_eq!(length, 1);
    replica.freeze();
    assert_eq!(store.append(append(game(1), at, &["b"])).await, Ok(AppendOutcome::Unknown));
    assert!(matches!(store.head(game(1)).await, Err(ReadError::Unavailable { .. })), "it may still be lost");
    replica.thaw();
    assert_eq!(head(&store, 1).await.seq, 2, "now it is told");
    let at = head(&store, 1).await;
    append_soon(&store, append(game(1), at, &["c"])).await;
}

#[tokio::test]
async fn side_records_of_an_append_whose_server_was_lost_are_carried_out_by_the_next() {
    let redis = RedisServer::start();
    let (address, process) = (redis.address(), redis.process());
    // The store runs in a runtime of its own, which ends with all its tasks once the request has
    // been sent.
    let lost = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = open_soon(&address, &impatient()).await;
            process.signal("STOP");
            let append = Append { writes: vec![put("live/1", "x")], ..append(game(1), Head::START, &["a"]) };
            store.append(append).await
        })
    });
    let lost = lost.await.unwrap();
    assert_eq!(lost, Ok(AppendOutcome::Unknown), "it was sent, and its answer was lost");
    redis.thaw();
    until("the append", async || {
        let length: u64 = redis.ask(&["XLEN", &format!("flagfall:{{{}}}:log", game(1))]).await;
        (length == 1).then_some(())
    })
    .await;
    let next = redis.open(RedisOptions::default()).await;
    assert_eq!(next.get(key("live/1")).await, Ok(Some(b"x".to_vec())));
    let pending: u64 = redis.ask(&["ZCARD", "flagfall:{flagfall}:pending"]).await;
    assert_eq!(pending, 0);
}

#[tokio::test]
async fn others_hear_of_appends_and_of_having_been_deaf() {
    let mut redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    let mut heard = two.announcements().unwrap();
    assert!(two.follow(Topic::Game(game(7))).await);
    append_ok(&one, append(game(7), Head::START, &["a", "b"])).await;
    let told = Announcement::Appended { game: game(7), seq: 2 };
    timeout(TIMEOUT, async { while heard.recv().await.unwrap() != told {} }).await.unwrap();
    redis.start_again();
    let everything = Announcement::Everything;
    timeout(TIMEOUT, async { while heard.recv().await.unwrap() != everything {} }).await.unwrap();
}

#[tokio::test]
async fn damage_in_redis_is_noticed_and_stays_with_its_game() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..4, 5).await;
    drop(store);
    let name = |number| format!("flagfall:{{{}}}:log", game(number));
    // The logs get three kinds of damage: a missing entry, a missing last entry, and an entry
    // with other content.
    let _: u64 = redis.ask(&["XDEL", &name(0), "3-0"]).await;
    let _: u64 = redis.ask(&["XDEL", &name(1), "5-0"]).await;
    let _: String = redis.ask(&["XADD", &name(2), "6-0", "e", &"x".repeat(60)]).await;
    let store = redis.open(RedisOptions::default()).await;
    let found = store.read(game(0), 0, 100).await;
    assert!(matches!(found, Err(ReadError::Damaged { seq: 3, .. })), "{found:?}");
    assert_eq!(store.read(game(0), 0, 2).await.unwrap().len(), 2, "the entries before it can be read");
    let at = store.head(game(1)).await.unwrap();
    let outcome = store.append(append(game(1), at, &["x"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
    assert!(matches!(store.head(game(2)).await, Err(ReadError::Damaged { .. })));
    // Another server must refuse appends as well, because the quarantine is stored.
    let other = redis.open(RedisOptions::default()).await;
    let damaged: Vec<_> = other.quarantined().await.unwrap().into_iter().map(|(game, _)| game).collect();
    assert_eq!(damaged.len(), 3);
    let outcome = other.append(append(game(0), Head { seq: 5, ..at }, &["x"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
    fill(&other, 3..4, 1).await;
}

#[tokio::test]
async fn a_store_of_another_schema_is_refused() {
    let redis = RedisServer::start();
    let _: u64 = redis.ask(&["HSET", "flagfall:{flagfall}:meta", "schema", "2", "epoch", "5"]).await;
    let refused = RedisStore::open(redis.address(), RedisOptions::default()).await;
    let why = refused.err().unwrap().to_string();
    assert!(why.contains("schema 2") && why.contains("import"), "{why}");
    let other = RedisOptions { prefix: "second".parse().unwrap(), ..RedisOptions::default() };
    append_ok(&redis.open(other).await, append(game(1), Head::START, &["a"])).await;
}

#[tokio::test]
async fn scripts_that_redis_forgot_are_given_to_it_again() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let mut at = Head::START;
    for _ in 0..3 {
        let _: String = redis.ask(&["SCRIPT", "FLUSH"]).await;
        let append = Append { writes: vec![put("k", "v")], ..append(game(1), at, &["a"]) };
        at = append_ok(&store, append).await;
        let _: String = redis.ask(&["SCRIPT", "FLUSH"]).await;
        assert_eq!(store.get(key("k")).await, Ok(Some(b"v".to_vec())));
    }
    assert_eq!(log(&store, game(1)).await.len(), 3);
}

#[tokio::test]
async fn an_unreachable_address_is_named() {
    let mut redis = RedisServer::start();
    redis.kill();
    let refused = RedisStore::open(redis.address(), RedisOptions::default()).await;
    let why = refused.err().unwrap().to_string();
    assert!(why.contains("cannot be reached") && why.contains(&redis.port().to_string()), "{why}");
}

#[tokio::test]
async fn notices_reach_other_servers_and_a_restart_is_reported_as_a_gap() {
    let mut redis = RedisServer::start();
    let (one, other) = (redis.open(RedisOptions::default()).await, redis.open(RedisOptions::default()).await);
    let mut notices = other.notices().unwrap();
    let mut heard = async || timeout(TIMEOUT, notices.recv()).await.unwrap().unwrap();
    assert_eq!(heard().await, StoreMessage::Missed, "the subscription begins");
    one.tell(b"hello".to_vec()).await.unwrap();
    assert_eq!(heard().await, StoreMessage::Told(b"hello"[..].into()));
    redis.kill();
    unavailable(until("the loss", async || Some(one.tell(b"x".to_vec()).await).filter(Result::is_err)).await);
    redis.start_again();
    assert_eq!(heard().await, StoreMessage::Missed);
    until("the way back", async || one.tell(b"again".to_vec()).await.ok()).await;
    assert_eq!(heard().await, StoreMessage::Told(b"again"[..].into()));
}

#[tokio::test]
async fn the_records_of_a_server_that_died_in_between_are_written_without_a_new_connection() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    let with_record = Append { writes: vec![put("last/1", "b")], ..append(game(1), head, &["b"]) };
    append_ok(&store, with_record).await;
    forget_records(&redis, game(1), 2, &["last/1"]).await;
    let connections = store.stats().connections;
    until("the record", async || store.get(key("last/1")).await.unwrap()).await;
    assert_eq!(store.stats().connections, connections, "there was no new connection");
    until("the end of the list", async || {
        (redis.ask::<i64>(&["ZCARD", "flagfall:{flagfall}:pending"]).await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_later_append_does_not_displace_the_records_of_an_earlier_one() {
    let redis = RedisServer::start();
    let (lost, other) =
        (redis.open(RedisOptions::default()).await, redis.open(RedisOptions::default()).await);
    let head = append_ok(&lost, append(game(1), Head::START, &["a"])).await;
    let mut first = append(game(1), head, &["b"]);
    first.writes = vec![put("one", "first"), put("both", "first")];
    let head = append_ok(&lost, first).await;
    forget_records(&redis, game(1), head.seq, &["one", "both"]).await;
    let head = append_ok(&other, append(game(1), head, &["c"])).await;
    let mut second = append(game(1), head, &["d"]);
    second.writes = vec![put("both", "second"), put("other", "second")];
    append_ok(&other, second).await;
    for (name, value) in [("one", "first"), ("both", "second"), ("other", "second")] {
        assert_eq!(other.get(key(name)).await, Ok(Some(value.into())), "{name}");
    }
    assert_eq!(redis.ask::<i64>(&["ZCARD", "flagfall:{flagfall}:pending"]).await, 0);
}

/// Makes the state that a server leaves behind if it dies after making an append and before
/// writing its side records.
async fn forget_records(redis: &RedisServer, game: GameId, seq: u64, names: &[&str]) {
    let of = |name: &str| format!("flagfall:{{flagfall}}:{name}");
    for name in names {
        redis.ask::<i64>(&["HDEL", &of("values"), name]).await;
        redis.ask::<i64>(&["ZREM", &of("names"), name]).await;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis().to_string();
    redis.ask::<i64>(&["HDEL", &of("applied"), game.as_str()]).await;
    redis.ask::<i64>(&["ZADD", &of("pending"), &since, &format!("{game} {seq}")]).await;
}
