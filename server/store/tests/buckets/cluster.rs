//! Tests of a store in a cluster of three masters.

use std::collections::BTreeSet;

use flagfall_store::{AppendOutcome, Key, StoreError, StoreMessage};
use futures_util::FutureExt as _;
use redis::Value;

use super::*;
use crate::common::cluster::Cluster;
use crate::common::{TIMEOUT, append_ok, append_soon, texts};

/// Moves all slots with data from a node to another one, as an operator's tool does.
async fn move_slots(cluster: &Cluster, from: usize, to: usize) {
    let mut ids: Vec<String> = Vec::new();
    for node in &cluster.0 {
        ids.push(node.ask(&["CLUSTER", "MYID"]).await);
    }
    let (source, target) = (&cluster.0[from], &cluster.0[to]);
    let keys: Vec<String> = source.ask(&["KEYS", "*"]).await;
    let mut slots: Vec<u64> = Vec::new();
    for key in &keys {
        slots.push(source.ask(&["CLUSTER", "KEYSLOT", key]).await);
    }
    slots.sort_unstable();
    slots.dedup();
    assert!(!slots.is_empty());
    for slot in slots.iter().map(u64::to_string) {
        let set = |words: [String; 2]| {
            ["CLUSTER".to_owned(), "SETSLOT".to_owned(), slot.clone()].into_iter().chain(words)
        };
        let words =
            |action: &str, node: usize| set([action.to_owned(), ids[node].clone()]).collect::<Vec<_>>();
        let ask = async |node: &RedisServer, words: Vec<String>| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let _: Value = node.ask(&words).await;
        };
        ask(target, words("IMPORTING", from)).await;
        ask(source, words("MIGRATING", to)).await;
        loop {
            let keys: Vec<String> = source.ask(&["CLUSTER", "GETKEYSINSLOT", &slot, "100"]).await;
            if keys.is_empty() {
                break;
            }
            let port = target.port().to_string();
            let mut migrate = vec!["MIGRATE", "127.0.0.1", &port, "", "0", "5000", "KEYS"];
            migrate.extend(keys.iter().map(String::as_str));
            let _: Value = source.ask(&migrate).await;
        }
        ask(target, words("NODE", to)).await;
        ask(source, words("NODE", to)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_go_on_while_their_slots_move() {
    const GAMES: u32 = 12;
    let cluster = Cluster::start().await;
    let store = Arc::new(cluster.open(RedisOptions::default(), 6).await);
    store.heartbeat().await.unwrap();
    let epoch = store.epoch().await.unwrap();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let play = |number: u32| {
        let (store, stopped) = (store.clone(), stopped.clone());
        tokio::spawn(async move {
            let mut head = Head::START;
            while !*stopped.borrow() || head.seq < 5 {
                let record = [put(&format!("last/{number}"), &(head.seq + 1).to_string())];
                let writes = record.into_iter().chain([put("shared", "x")]).collect();
                let next = Append { writes, ..append(game(number), head, &[&(head.seq + 1).to_string()]) };
                head = append_soon(&*store, next).await;
            }
            head.seq
        })
    };
    let players: Vec<_> = (0..GAMES).map(play).collect();
    move_slots(&cluster, 0, 1).await;
    stop.send(true).unwrap();
    let mut lengths = Vec::new();
    for player in players {
        lengths.push(player.await.unwrap());
    }
    assert_eq!(cluster.0[0].ask::<Vec<String>>(&["KEYS", "*"]).await, [""; 0]);
    let other = cluster.open(RedisOptions::default(), 6).await;
    for (number, length) in (0..).zip(lengths) {
        let expected: Vec<String> = (1..=length).map(|seq| seq.to_string()).collect();
        assert_eq!(texts(&*store, game(number)).await, expected);
        until("the side record", async || {
            finish_left_behind(&other).await;
            let found = other.get(key(&format!("last/{number}"))).await.ok()?;
            (found == Some(length.to_string().into())).then_some(())
        })
        .await;
    }
    assert_eq!(store.epoch().await, Ok(epoch), "nothing was lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_is_opened_while_a_master_is_away_but_not_the_one_with_the_outages() {
    const GAMES: u32 = 12;
    // With eight buckets, the record of outages is in the first one.
    const BUCKETS: usize = 8;
    let mut cluster = Cluster::start().await;
    for node in &cluster.0 {
        let _: Value = node.ask(&["CONFIG", "SET", "cluster-require-full-coverage", "no"]).await;
    }
    let store = cluster.open(RedisOptions::default(), BUCKETS).await;
    let mut heads = Vec::new();
    for number in 0..GAMES {
        heads.push(append_ok(&store, append(game(number), Head::START, &["before"])).await);
    }
    store.heartbeat().await.unwrap();
    let epoch = store.epoch().await.unwrap();
    drop(store);
    cluster.0[2].kill();
    let address = cluster.address();
    let reopen = async |may_lack_buckets: bool| {
        let options = RedisOptions { may_lack_buckets, ..RedisOptions::default() };
        BucketStore::open(&address, options, BUCKETS).await
    };
    let ports: Vec<u16> = cluster.0.iter().map(RedisServer::port).collect();
    let master = |number: usize| format!("the master 127.0.0.1:{}: ", ports[number]);
    let refused = reopen(false).await.err().unwrap().to_string();
    assert!(refused.contains(&master(2)), "{refused}");
    let store = reopen(true).await.unwrap();
    assert!(store.last_heartbeat().await.unwrap().is_some(), "no server was running");
    assert!(!store.silent_parts().is_empty());
    store.heartbeat().await.unwrap();
    let mut away = Vec::new();
    for number in 0..GAMES {
        match store.append(append(game(number), heads[number as usize], &["meanwhile"])).await {
            Ok(AppendOutcome::Ok { head, .. }) => heads[number as usize] = head,
            Err(StoreError::Unavailable { why }) => {
                assert!(why.contains(&master(2)), "{why}");
                away.push(number);
            }
            outcome => panic!("{outcome:?}"),
        }
    }
    assert!(!away.is_empty() && away.len() < GAMES as usize, "{away:?}");
    for number in 0..GAMES {
        assert_eq!(store.silent_since_of(game(number)).is_some(), away.contains(&number), "{number}");
    }
    cluster.0[2].start_again();
    for number in away {
        append_soon(&store, append(game(number), heads[number as usize], &["after"])).await;
        assert_eq!(texts(&store, game(number)).await, ["before", "after"]);
        let outages = OutageList::parse(store.outages_record(game(number)).await.unwrap().as_deref());
        assert_eq!(outages.len(), 1, "no server reached the master");
    }
    until("all buckets", async || {
        store.heartbeat().await.ok()?;
        store.silent_parts().is_empty().then_some(())
    })
    .await;
    assert!(store.epoch().await.unwrap() > epoch, "the master may have lost something");
    drop(store);
    cluster.0[0].kill();
    let refused = reopen(true).await.err().unwrap().to_string();
    assert!(refused.contains("the list of outages") && refused.contains(&master(0)), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_master_is_away_games_of_the_others_go_on() {
    const GAMES: u32 = 12;
    // With eight buckets, the record of outages is in the first bucket.
    const BUCKETS: usize = 8;
    // Returns the key of a record that is in the same bucket as this game.
    let at = |number| format!("at/{}", game(number));
    let mut cluster = Cluster::start().await;
    // With this setting, masters serve their slots even if other slots have no master.
    for node in &cluster.0 {
        let _: Value = node.ask(&["CONFIG", "SET", "cluster-require-full-coverage", "no"]).await;
    }
    let store = cluster.open(RedisOptions::default(), BUCKETS).await;
    let other = cluster.open(RedisOptions::default(), BUCKETS).await;
    let mut notices = other.notices().unwrap();
    until("the subscriptions of both stores", async || {
        let mut count = 0;
        for node in &cluster.0 {
            let list: String = node.ask(&["CLIENT", "LIST", "TYPE", "pubsub"]).await;
            count += list.lines().count();
        }
        (count == 2 * BUCKETS).then_some(())
    })
    .await;
    let mut heads = vec![Head::START; GAMES as usize];
    for (number, head) in (0..).zip(&mut heads) {
        let writes = vec![put(&at(number), "")];
        *head = append_ok(&store, Append { writes, ..append(game(number), *head, &["before"]) }).await;
    }
    store.heartbeat().await.unwrap();
    let mut outages = OutageList::default();
    outages.add(Outage { since: Stamp(5), until: Stamp(7) });
    let record = Write::Put { key: key(OUTAGES_KEY), value: outages.to_record(), expires: None };
    let update = Update { conditions: Vec::new(), writes: vec![record] };
    assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
    cluster.0[0].kill();
    store.tell(b"at once".to_vec()).await.unwrap();
    let before_it_is_known = store.scan_reachable(key("at/"), None, 100).await.unwrap();
    let mut away = Vec::new();
    for number in 0..GAMES {
        let head = heads[number as usize];
        let appending = store.append(append(game(number), head, &["meanwhile"]));
        match tokio::time::timeout(TIMEOUT, appending).await.unwrap() {
            Ok(AppendOutcome::Ok { head, .. }) => heads[number as usize] = head,
            Ok(AppendOutcome::Unknown) | Err(StoreError::Unavailable { .. }) => away.push(number),
            outcome => panic!("{outcome:?}"),
        }
    }
    assert!(!away.is_empty() && away.len() < GAMES as usize, "{away:?}");
    assert!(store.heartbeat().await.is_ok(), "two masters are there");
    // The first bucket, which has the record of outages, may have no game.
    until("the silence", async || {
        store.heartbeat().await.unwrap();
        let is_silent = away.iter().all(|number| store.silent_since_of(game(*number)).is_some());
        (is_silent && store.silent_parts().contains(&0)).then_some(())
    })
    .await;
    for number in 0..GAMES {
        assert_eq!(store.silent_since_of(game(number)).is_some(), away.contains(&number), "{number}");
    }
    assert_eq!(store.silent_since(), None);
    store.tell(b"later".to_vec()).await.unwrap();
    for expected in ["at once", "later"] {
        let mut told = async || match notices.recv().await.unwrap() {
            StoreMessage::Told(told) => told == Arc::from(expected.as_bytes()),
            StoreMessage::Missed => false,
        };
        tokio::time::timeout(TIMEOUT, async { while !told().await {} }).await.unwrap();
    }
    let found = store.scan_reachable(key("at/"), None, 100).await.unwrap();
    assert_eq!(found, before_it_is_known);
    assert!(!found.is_whole);
    for number in 0..GAMES {
        let record = store.outages_record(game(number)).now_or_never();
        let record = record.expect("the silent bucket is not asked").unwrap();
        assert_eq!(OutageList::parse(record.as_deref()), outages, "games can be opened");
    }
    let reachable = (0..GAMES).filter(|number| !away.contains(number)).map(|number| key(&at(number)));
    let reachable: BTreeSet<Key> = reachable.collect();
    assert_eq!(found.records.into_iter().map(|(name, _)| name).collect::<BTreeSet<Key>>(), reachable);
    assert!(store.scan(key("at/"), None, 100).await.is_err(), "some records cannot be read");
    cluster.0[0].start_again();
    for (number, head) in (0..).zip(&heads) {
        append_soon(&store, append(game(number), *head, &["after"])).await;
        let texts = texts(&store, game(number)).await;
        let middle =
            if away.contains(&number) { &["before", "after"][..] } else { &["before", "meanwhile", "after"] };
        assert_eq!(texts, middle, "{number}");
    }
}
