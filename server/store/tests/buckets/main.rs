//! Tests of the store in several buckets, with a real Redis and a real Redis Cluster. A server is
//! lost at each possible step, several servers work at once, a slot moves, and a master does not
//! answer.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cluster;
#[path = "../common/mod.rs"]
mod common;

use std::sync::Arc;

use common::redis::RedisServer;
use common::{append, append_ok, append_soon, game, key, put, until};
use flagfall_board::Stamp;
use flagfall_store::redis::buckets::BucketStore;
use flagfall_store::{
    Append, Expect, Guard, Head, OUTAGES_KEY, Outage, OutageList, RedisOptions, RetireOutcome, Store, Topic,
    Transfer, Update, UpdateOutcome, Write,
};
use flagfall_store_testing::ManualClock;

const BUCKETS: usize = 4;
const NOON: Stamp = Stamp(1_700_000_000_000);
/// A time that is longer than a transaction may take.
const LIFETIME_MS: u64 = 2_001;

fn with_clock(clock: &Arc<ManualClock>, prefix: &str) -> RedisOptions {
    RedisOptions { clock: Some(clock.clone()), prefix: prefix.parse().unwrap(), ..RedisOptions::default() }
}

/// Returns the names of some records. Each bucket contains at least one of them.
fn names() -> Vec<String> {
    (0..12).map(|number| format!("record/{number}")).collect()
}

fn put_all(value: &str) -> Vec<Write> {
    names().iter().map(|name| put(name, value)).collect()
}

fn all_are(value: &str) -> Vec<(flagfall_store::Key, Expect)> {
    names().iter().map(|name| (key(name), Expect::Value(value.into()))).collect()
}

/// Checks that all these records have the same value, and returns it.
async fn common_value(store: &BucketStore) -> String {
    let found = store.scan(key("record/"), None, 100).await.unwrap();
    assert_eq!(found.len(), names().len());
    let mut values: Vec<String> = Vec::new();
    for (name, value) in found {
        assert_eq!(store.get(name).await, Ok(Some(value.clone())));
        values.push(String::from_utf8(value).unwrap());
    }
    values.dedup();
    let [value] = &values[..] else { panic!("{values:?}") };
    value.clone()
}

/// Waits for a request to a store that acts as if its process ends after some steps. Returns true
/// if the request was completed.
async fn is_completed(store: &BucketStore, request: impl Future<Output = ()>) -> bool {
    let is_completed = tokio::select! {
        () = request => true,
        () = until("the stop", async || store.is_stopped().then_some(())) => false,
    };
    // Each bucket handles its requests in order. So after this sweep, everything that was sent
    // before has been carried out.
    store.sweep().await.unwrap();
    is_completed
}

/// Finishes unfinished work in all buckets.
async fn finish_left_behind(store: &BucketStore) {
    for look in 0..5 {
        store.finish_left_behind(look).await;
    }
}

#[tokio::test]
async fn an_update_of_several_buckets_is_made_or_not_wherever_its_server_is_lost() {
    let redis = RedisServer::start();
    let mut made = Vec::new();
    for steps in 0.. {
        let clock = Arc::new(ManualClock::new(NOON));
        let options = with_clock(&clock, &format!("s{steps}"));
        let lost = redis.open_buckets(options.clone(), BUCKETS).await;
        let other = redis.open_buckets(options, BUCKETS).await;
        let update = Update { conditions: Vec::new(), writes: put_all("old") };
        assert_eq!(other.update(update).await, Ok(UpdateOutcome::Ok));
        lost.stop_after(steps);
        let update = Update { conditions: all_are("old"), writes: put_all("new") };
        let updating = async { assert_eq!(lost.update(update).await, Ok(UpdateOutcome::Ok)) };
        let is_completed = is_completed(&lost, updating).await;
        drop(lost);
        let value = common_value(&other).await;
        // Until the deadline, the lost server could still make a decision.
        clock.advance_ms(LIFETIME_MS);
        let update = Update { conditions: all_are(&value), writes: put_all("newer") };
        assert_eq!(other.update(update).await, Ok(UpdateOutcome::Ok), "{steps}");
        assert_eq!(common_value(&other).await, "newer");
        made.push(value);
        if is_completed {
            break;
        }
    }
    // Three buckets are prepared, one decides, three are finished, and one forgets. So there are
    // eight steps, and in the last round, the update is completed.
    assert_eq!(made, ["old", "old", "old", "old", "new", "new", "new", "new", "new"]);
}

#[tokio::test]
async fn side_records_in_other_buckets_are_written_wherever_the_server_is_lost() {
    let redis = RedisServer::start();
    let mut completed = Vec::new();
    for steps in 0.. {
        let clock = Arc::new(ManualClock::new(NOON));
        let options = with_clock(&clock, &format!("s{steps}"));
        let lost = redis.open_buckets(options.clone(), BUCKETS).await;
        let other = redis.open_buckets(options, BUCKETS).await;
        lost.stop_after(steps);
        let first = Append { writes: put_all("first"), ..append(game(1), Head::START, &["a"]) };
        let appending = async {
            append_ok(&lost, first).await;
        };
        completed.push(is_completed(&lost, appending).await);
        drop(lost);
        let head = other.head(game(1)).await.unwrap();
        assert_eq!(head.seq, 1, "the append itself is one step of the game's bucket");
        // The later append writes only one record. Before that, the other records of the first
        // append are also written.
        let second = Append { writes: vec![put("record/3", "second")], ..append(game(1), head, &["b"]) };
        let head = append_ok(&other, second).await;
        for name in names() {
            let value = if name == "record/3" { "second" } else { "first" };
            assert_eq!(other.get(key(&name)).await, Ok(Some(value.into())), "{name} after {steps}");
        }
        let guard = Guard { head, place: Vec::new(), commands: Vec::new() };
        assert_eq!(other.retire(game(1), guard).await, Ok(RetireOutcome::Ok), "nothing is pending");
        if completed.last() == Some(&true) {
            break;
        }
    }
    assert_eq!(completed, [false, false, false, true]);
}

#[tokio::test]
async fn a_log_is_not_retired_before_its_side_records_are_written() {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let lost = redis.open_buckets(with_clock(&clock, "s"), BUCKETS).await;
    let other = redis.open_buckets(with_clock(&clock, "s"), BUCKETS).await;
    lost.stop_after(1);
    let ending = Append { writes: put_all("x"), ..append(game(1), Head::START, &["a"]) };
    let appending = async {
        append_ok(&lost, ending).await;
    };
    assert!(!is_completed(&lost, appending).await);
    drop(lost);
    let head = other.head(game(1)).await.unwrap();
    let guard = || Guard { head, place: Vec::new(), commands: Vec::new() };
    assert_eq!(other.retire(game(1), guard()).await, Ok(RetireOutcome::Later));
    // After a while, any server writes the side records.
    until("the rest", async || {
        finish_left_behind(&other).await;
        (other.retire(game(1), guard()).await == Ok(RetireOutcome::Ok)).then_some(())
    })
    .await;
    assert_eq!(common_value(&other).await, "x");
}

#[tokio::test]
async fn side_records_that_a_master_lost_after_the_end_are_written_before_the_log_is_retired() {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let store = redis.open_buckets(with_clock(&clock, "s"), BUCKETS).await;
    let head =
        append_ok(&store, Append { writes: put_all("x"), ..append(game(1), Head::START, &["a"]) }).await;
    for pattern in ["s:*:values", "s:*:names", "s:*:applied"] {
        for key in redis.ask::<Vec<String>>(&["KEYS", pattern]).await {
            redis.ask::<u64>(&["DEL", &key]).await;
        }
    }
    assert_eq!(store.get(key("record/3")).await, Ok(None));
    let guard = Guard { head, place: Vec::new(), commands: Vec::new() };
    assert_eq!(store.retire(game(1), guard).await, Ok(RetireOutcome::Ok));
    assert_eq!(common_value(&store).await, "x");
    assert_eq!(redis.ask::<Vec<String>>(&["KEYS", "s:*:applied"]).await, [""; 0]);
}

#[tokio::test]
async fn no_server_gives_back_a_deleted_log() {
    let mut redis = RedisServer::start();
    let one = redis.open_buckets(RedisOptions::default(), BUCKETS).await;
    let two = redis.open_buckets(RedisOptions::default(), BUCKETS).await;
    let head = append_ok(&one, append(game(1), Head::START, &["a"])).await;
    // The second server reads the log, so it holds it as well.
    assert_eq!(two.read(game(1), 0, 10).await.unwrap().len(), 1);
    assert_eq!(one.delete_log(game(1)).await, Ok(()));
    redis.kill();
    redis.start_again();
    for store in [&one, &two] {
        let found = until("the head", async || store.head(game(1)).await.ok()).await;
        assert_eq!(found, Head::START);
        let guard = Guard { head, place: Vec::new(), commands: Vec::new() };
        assert_eq!(store.guard(game(1)).await, Ok(Some(guard)));
    }
}

/// Subtracts one from a counter and adds it to another. Tries again until this succeeds.
async fn move_one(store: &BucketStore, from: &str, to: &str) {
    loop {
        let mut values = Vec::new();
        for name in [from, to] {
            let found = store.get(key(name)).await.unwrap().unwrap();
            values.push(String::from_utf8(found).unwrap());
        }
        let number = |text: &str| text.parse::<i64>().unwrap();
        let writes = vec![
            put(from, &(number(&values[0]) - 1).to_string()),
            put(to, &(number(&values[1]) + 1).to_string()),
        ];
        let condition = |(name, value): (&str, String)| (key(name), Expect::Value(value.into()));
        let conditions = [from, to].into_iter().zip(values).map(condition).collect();
        if store.update(Update { conditions, writes }).await == Ok(UpdateOutcome::Ok) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transfers_between_buckets_keep_the_sum() {
    const ROUNDS: usize = 20;
    let redis = RedisServer::start();
    let mut stores = Vec::new();
    for _ in 0..2 {
        stores.push(Arc::new(redis.open_buckets(RedisOptions::default(), BUCKETS).await));
    }
    let update = Update { conditions: Vec::new(), writes: put_all("100") };
    assert_eq!(stores[0].update(update).await, Ok(UpdateOutcome::Ok));
    let names = names();
    let transfer = |number: usize| {
        let (store, names) = (stores[number % 2].clone(), names.clone());
        tokio::spawn(async move {
            for round in 0..ROUNDS {
                let (from, to) = ((number + round) % names.len(), (number * 5 + round * 7 + 1) % names.len());
                if from != to {
                    move_one(&store, &names[from], &names[to]).await;
                }
            }
        })
    };
    for task in (0..4).map(transfer).collect::<Vec<_>>() {
        task.await.unwrap();
    }
    for store in stores {
        let found = store.scan(key("record/"), None, 100).await.unwrap();
        let values =
            found.iter().map(|(_, value)| std::str::from_utf8(value).unwrap().parse::<i64>().unwrap());
        assert_eq!(values.sum::<i64>(), 100 * names.len() as i64);
    }
}

#[tokio::test]
async fn a_scan_of_all_buckets_is_in_order_whatever_its_pages() {
    let redis = RedisServer::start();
    let store = redis.open_buckets(RedisOptions::default(), BUCKETS).await;
    let all: Vec<String> = (0..150).map(|number| format!("list/{number:03}/x")).collect();
    for chunk in all.chunks(50) {
        let writes = chunk.iter().map(|name| put(name, name)).collect();
        let update = Update { conditions: Vec::new(), writes };
        assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
    }
    for limit in [1, 7, 64, 150, 1_000] {
        let mut found: Vec<String> = Vec::new();
        loop {
            let after = found.last().map(|name| key(name));
            let page = store.scan(key("list/"), after, limit).await.unwrap();
            let count = page.len();
            found.extend(page.into_iter().map(|(_, value)| String::from_utf8(value).unwrap()));
            if count < limit {
                break;
            }
        }
        assert_eq!(found, all, "{limit} at a time");
    }
}

#[tokio::test]
async fn outages_of_buckets_are_known_to_their_games() {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let store = redis.open_buckets(with_clock(&clock, "s"), BUCKETS).await;
    store.heartbeat().await.unwrap();
    clock.advance_ms(60_000);
    store.heartbeat().await.unwrap();
    let outage = Outage { since: NOON, until: NOON.plus_ms(60_000) };
    let outages = async |store: &BucketStore, number| {
        let record = store.outages_record(game(number)).await.unwrap();
        OutageList::parse(record.as_deref()).to_vec()
    };
    assert_eq!((store.outages_of(game(1), Stamp(0)), outages(&store, 1).await), (vec![outage], vec![outage]));
    // An outage in which no server ran concerns all games.
    let stopped = Outage { since: NOON.plus_ms(70_000), until: NOON.plus_ms(80_000) };
    let value = [stopped].into_iter().collect::<OutageList>().to_record();
    let writes = vec![Write::Put { key: key(OUTAGES_KEY), value, expires: None }];
    let update = Update { conditions: vec![(key(OUTAGES_KEY), Expect::Absent)], writes };
    assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
    drop(store);
    let store = redis.open_buckets(with_clock(&clock, "s"), BUCKETS).await;
    for number in 1..9 {
        assert_eq!(outages(&store, number).await, [outage, stopped]);
    }
    // Other kinds of stores have no list for each bucket, so an export has one list of all outages.
    let mut records = store.records(None, 10).await.unwrap();
    records.retain(|(name, ..)| *name == key(OUTAGES_KEY));
    let [(_, value, None)] = &records[..] else { panic!("{records:?}") };
    assert_eq!(OutageList::parse(Some(value.as_slice())).to_vec(), [outage, stopped]);
    assert_eq!(store.records(Some(key(OUTAGES_KEY)), 10).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_server_that_hears_nothing_for_a_while_learns_of_all_outages_in_it() {
    let redis = RedisServer::start();
    let clock = Arc::new(ManualClock::new(NOON));
    let one = redis.open_buckets(with_clock(&clock, "s"), BUCKETS).await;
    let other = redis.open_buckets(with_clock(&clock, "s"), BUCKETS).await;
    let onlooker = RedisOptions { is_onlooker: true, ..with_clock(&clock, "s") };
    let onlooker = redis.open_buckets(onlooker, BUCKETS).await;
    let mut expected = Vec::new();
    for store in [&one, &other, &onlooker] {
        store.heartbeat().await.unwrap();
    }
    for number in 0..4 {
        let since = other.now();
        clock.advance_ms(2_501);
        let until = other.heartbeat().await.unwrap();
        expected.push(Outage { since, until });
        if number == 1 {
            one.heartbeat().await.unwrap();
            assert_eq!(one.outages_of(game(1), Stamp(0)), expected);
        }
    }
    for store in [&one, &other, &onlooker] {
        store.heartbeat().await.unwrap();
        assert_eq!(store.outages_of(game(1), Stamp(0)), expected);
        assert_eq!(store.outages_of(game(1), expected[1].until), expected[2..]);
        let record = store.outages_record(game(1)).await.unwrap();
        assert_eq!(OutageList::parse(record.as_deref()).to_vec(), expected);
    }
}

#[tokio::test]
async fn writers_share_a_connection_and_survive_what_becomes_of_it() {
    let redis = RedisServer::start();
    let store = redis.open_buckets(RedisOptions::default(), BUCKETS).await;
    let append_all = async |seq: u64, heads: &mut [Head]| {
        for (number, head) in (0..).zip(heads) {
            *head = append_soon(&store, append(game(number), *head, &[&seq.to_string()])).await;
        }
    };
    // Sends a message by each writer, and returns the connections that sent one last.
    let writers = async || {
        until("messages", async || {
            for number in 0..12 {
                store.tell_followers(Topic::Game(game(number)), vec![1]).await.ok()?;
            }
            let clients: String = redis.ask(&["CLIENT", "LIST"]).await;
            let senders = clients.lines().filter(|client| client.contains("cmd=spublish"));
            let id = |sender: &str| sender.split([' ', '=']).nth(1).map(str::to_owned);
            senders.map(id).collect::<Option<Vec<String>>>().filter(|ids| !ids.is_empty())
        })
        .await
    };
    let mut heads = [Head::START; 12];
    append_all(1, &mut heads).await;
    let first = writers().await;
    assert_eq!(first.len(), 1);

    // A bucket that was emptied is set up again. Nothing over the connection was left unanswered,
    // so the other buckets keep it.
    let metas: Vec<String> = redis.ask(&["KEYS", "*:meta"]).await;
    assert_eq!(redis.ask::<u64>(&["DEL", &metas[0]]).await, 1);
    until("the bucket", async || {
        store.heartbeat().await.unwrap();
        (redis.ask::<u64>(&["EXISTS", &metas[0]]).await == 1).then_some(())
    })
    .await;
    append_all(2, &mut heads).await;
    assert_eq!(writers().await, first);

    let _: u64 = redis.ask(&["CLIENT", "KILL", "ID", &first[0]]).await;
    append_all(3, &mut heads).await;
    let second = writers().await;
    assert!(second.len() == 1 && second != first, "{second:?}");
    assert_eq!(heads.map(|head| head.seq), [3; 12]);
}
