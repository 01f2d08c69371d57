//! Tests of data that Redis loses and servers give back.

use super::*;

#[tokio::test]
async fn a_wiped_redis_gets_back_what_a_server_holds() {
    let mut redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..20, 5).await;
    let before = logs(&store, 0..20).await;
    let epoch = store.epoch().await.unwrap();
    redis.kill();
    redis.wipe();
    redis.start_again();
    until("the store", async || store.heartbeat().await.ok()).await;
    assert!(store.stats().restored >= 100, "{:?}", store.stats());
    drop(store);
    let store = redis.open(RedisOptions::default()).await;
    assert_eq!(logs(&store, 0..20).await, before, "stamps and all");
    for number in 0..20 {
        assert_eq!(store.get(key(&format!("last/{number}"))).await, Ok(Some(b"5".to_vec())));
    }
    assert!(store.epoch().await.unwrap() > epoch, "what else was there is gone: an epoch ends");
}

#[tokio::test]
async fn losses_of_many_games_are_given_back_in_few_round_trips() {
    const GAMES: u32 = 40;
    let mut redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..GAMES, 10).await;
    let before = logs(&store, 0..GAMES).await;
    redis.kill();
    redis.wipe();
    redis.start_again();
    until("the store", async || store.heartbeat().await.ok()).await;
    let info: String = redis.ask(&["INFO", "stats"]).await;
    let reads = info.lines().find_map(|line| line.strip_prefix("total_reads_processed:"));
    let reads: u32 = reads.unwrap().trim().parse().unwrap();
    assert_eq!(store.stats().restored, u64::from(GAMES) * 10);
    // Redis reads from a connection in chunks of 16 KiB. Without pipelining, there would be at
    // least one read for each entry and each side record.
    assert!(reads < 200, "{reads} reads for {} entries", GAMES * 10);
    assert_eq!(logs(&store, 0..GAMES).await, before);
    for number in 0..GAMES {
        assert_eq!(store.get(key(&format!("last/{number}"))).await, Ok(Some(b"10".to_vec())));
    }
}

#[tokio::test]
async fn a_redis_that_is_emptied_while_it_runs_gets_back_what_servers_hold_and_takes_new_ones() {
    let redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    fill(&one, 0..5, 3).await;
    fill(&two, 5..10, 3).await;
    let before = logs(&one, 0..10).await;
    let epoch = one.epoch().await.unwrap();
    let _: String = redis.ask(&["FLUSHALL"]).await;
    // Each store gets one error, because its data is gone, and then reconnects.
    for store in [&one, &two] {
        assert!(store.heartbeat().await.unwrap_err().to_string().contains("was emptied"));
        until("the store", async || store.heartbeat().await.ok()).await;
        assert_eq!(store.stats().connections, 2);
    }
    assert_eq!(logs(&two, 0..10).await, before, "stamps and all");
    let three = redis.open(RedisOptions::default()).await;
    assert_eq!(three.get(key("last/7")).await, Ok(Some(b"3".to_vec())));
    assert!(three.epoch().await.unwrap() > epoch, "what else was there is gone: an epoch ends");
}

#[tokio::test]
async fn a_game_that_a_server_holds_is_not_reported_missing() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    fill(&store, 0..5, 3).await;
    let before = logs(&store, 0..5).await;
    let head = store.head(game(1)).await.unwrap();
    // No heartbeat comes before the first read, so the read itself must detect the loss.
    let _: String = redis.ask(&["FLUSHALL"]).await;
    assert_eq!(store.head(game(1)).await.unwrap(), head);
    let _: String = redis.ask(&["FLUSHALL"]).await;
    assert_eq!(logs(&store, 0..5).await, before);
    assert_eq!(store.stats().restored, 2 * 5 * 3);
    // A game that never existed still has no log.
    assert_eq!(store.head(game(9)).await.unwrap(), Head::START);
    // If only the logs are deleted and the rest of the store is intact, the logs are not given
    // back.
    let keys: Vec<String> = redis.ask(&["KEYS", "*:log"]).await;
    for key in &keys {
        let _: u32 = redis.ask(&["DEL", key]).await;
    }
    assert_eq!((keys.len(), store.head(game(1)).await.unwrap()), (5, Head::START));
}

#[tokio::test]
async fn two_servers_give_a_lost_tail_back_at_once_without_a_conflict() {
    let mut redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    fill(&one, 0..10, 3).await;
    let copy = common::scratch();
    copy_folder(redis.folder(), copy.path());
    fill(&one, 0..10, 4).await;
    // The second server reads the logs, so it holds all entries that exist at this point.
    logs(&two, 0..10).await;
    fill(&one, 0..5, 2).await;
    let before = logs(&one, 0..10).await;
    redis.kill();
    set_back(&mut redis, copy.path());
    let (a, b) = tokio::join!(
        until("the first", async || one.heartbeat().await.ok()),
        until("the second", async || two.heartbeat().await.ok()),
    );
    assert!(a.0 > 0 && b.0 > 0);
    assert_eq!(logs(&two, 0..10).await, before);
    assert_eq!(one.stats().restored.min(1), 1);
    for number in 0..10 {
        let last = if number < 5 { "9" } else { "7" };
        assert_eq!(two.get(key(&format!("last/{number}"))).await, Ok(Some(last.into())), "{number}");
        let at = one.head(game(number)).await.unwrap();
        append_ok(&one, append(game(number), at, &["on"])).await;
    }
}

/// Tries something for which a server must reconnect before another one stops waiting for it. On a
/// busy machine, the server may be late. Then the other one waits longer in the next attempt.
async fn while_one_waits(attempt: impl AsyncFn(RedisOptions) -> Result<(), String>) {
    let mut why = String::new();
    for factor in [1, 4, 16] {
        let give_back = RedisOptions::default().give_back * factor;
        match attempt(RedisOptions { give_back, ..RedisOptions::default() }).await {
            Ok(()) => return,
            Err(error) => why = error,
        }
    }
    panic!("{why}");
}

#[tokio::test]
async fn a_server_that_holds_less_waits_for_one_that_holds_more() {
    while_one_waits(hold_less).await;
}

async fn hold_less(options: RedisOptions) -> Result<(), String> {
    let mut redis = RedisServer::start();
    let one = redis.open(options.clone()).await;
    let two = redis.open(options).await;
    fill(&one, 1..2, 3).await;
    let known = two.head(game(1)).await.unwrap();
    let copy = common::scratch();
    copy_folder(redis.folder(), copy.path());
    fill(&one, 1..2, 2).await;
    let held = one.head(game(1)).await.unwrap();
    redis.kill();
    set_back(&mut redis, copy.path());
    // While the second server sends appends without a pause, the first server reconnects by
    // itself.
    let outcome =
        until("an outcome", async || match two.append(append(game(1), known, &["too early"])).await {
            Ok(AppendOutcome::Unknown) | Err(StoreError::Unavailable { .. }) => None,
            outcome => Some(outcome),
        });
    let outcome = outcome.await;
    (outcome == Ok(AppendOutcome::Conflict { head: held })).then_some(()).ok_or(format!("{outcome:?}"))
}

#[tokio::test]
async fn no_server_reads_before_lost_entries_are_given_back() {
    while_one_waits(read_early).await;
}

async fn read_early(options: RedisOptions) -> Result<(), String> {
    let mut redis = RedisServer::start();
    let one = redis.open(options.clone()).await;
    let two = redis.open(options).await;
    fill(&one, 1..2, 3).await;
    // The second server reads once, so that both servers have a connection for reading.
    assert_eq!(two.head(game(1)).await.unwrap().seq, 3);
    let copy = common::scratch();
    copy_folder(redis.folder(), copy.path());
    fill(&one, 1..2, 2).await;
    redis.kill();
    set_back(&mut redis, copy.path());
    // The second server has not written anything since the restart, so it has not noticed the
    // restart yet.
    let read = until("the log", async || two.read(game(1), 0, 10).await.ok()).await;
    if read.len() < 5 {
        return Err(format!("{} entries", read.len()));
    }
    assert_eq!(two.get(key("last/1")).await, Ok(Some(b"5".to_vec())));
    assert_eq!(one.head(game(1)).await.unwrap().seq, 5);
    Ok(())
}

#[test]
fn a_new_server_on_a_restarted_redis_begins_an_epoch() {
    // Each server runs in its own runtime. Dropping the runtime ends the server.
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let mut redis = RedisServer::start();
    let first = runtime();
    let one = first.block_on(redis.open(RedisOptions::default()));
    first.block_on(one.heartbeat()).unwrap();
    let epoch = first.block_on(one.epoch()).unwrap();
    redis.kill();
    redis.start_again();
    first.block_on(until("Redis is back", async || one.heartbeat().await.ok()));
    let two = first.block_on(redis.open(RedisOptions::default()));
    for store in [&one, &two] {
        assert_eq!(first.block_on(store.epoch()).unwrap(), epoch, "an earlier server held everything");
    }
    drop((one, two, first));
    let second = runtime();
    let three = second.block_on(redis.open(RedisOptions::default()));
    assert_eq!(second.block_on(three.epoch()).unwrap(), epoch, "Redis was there all the time");
    drop((three, second));
    redis.kill();
    redis.start_again();
    let third = runtime();
    let four = third.block_on(redis.open(RedisOptions::default()));
    let later = third.block_on(four.epoch()).unwrap();
    assert!(later > epoch, "it is unknown what Redis has lost: {later} after {epoch}");
}

#[tokio::test]
async fn a_branch_that_was_lost_is_a_conflict_and_never_mixed_in() {
    let mut redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    fill(&one, 1..2, 3).await;
    let copy = common::scratch();
    copy_folder(redis.folder(), copy.path());
    fill(&one, 1..2, 2).await;
    let lost = one.head(game(1)).await.unwrap();
    redis.kill();
    // The server that holds the lost entries does not have the new password. So it cannot
    // reconnect before the other server has continued the game.
    redis.set_password("secret");
    set_back(&mut redis, copy.path());
    let two = RedisStore::open(redis.address(), RedisOptions::default()).await.unwrap();
    let at = two.head(game(1)).await.unwrap();
    assert_eq!(at.seq, 3);
    append_ok(&two, append(game(1), at, &["another way", "and on", "and on"])).await;
    let why = until("the refusal", async || match one.heartbeat().await {
        Err(StoreError::Unavailable { why }) if why.contains("password") => Some(why),
        _ => None,
    })
    .await;
    assert!(!why.contains("secret"), "{why}");
    let _: String = redis.ask(&["CONFIG", "SET", "requirepass", ""]).await;
    let there = head(&one, 1).await;
    assert_eq!(there.seq, 6);
    let outcome = one.append(append(game(1), lost, &["on the lost branch"])).await;
    assert_eq!(outcome, Ok(AppendOutcome::Conflict { head: there }));
    assert_eq!(texts(&one, game(1)).await[3..], ["another way", "and on", "and on"]);
    assert_eq!(one.get(key("last/1")).await, Ok(Some(b"3".to_vec())), "its side records are lost with it");
    append_ok(&one, append(game(1), there, &["together"])).await;
}
