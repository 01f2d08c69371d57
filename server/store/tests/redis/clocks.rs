//! Tests of outages, and of a Redis whose clock jumps.

use flagfall_board::Stamp;
use flagfall_store_testing::ManualClock;

use super::*;

/// Returns options with a clock that shows only the time that a test lets pass.
fn with_clock() -> (Arc<ManualClock>, RedisOptions) {
    let clock = Arc::new(ManualClock::new(Stamp(1_000_000)));
    (clock.clone(), RedisOptions { clock: Some(clock), ..RedisOptions::default() })
}

async fn refuses(store: &RedisStore) {
    until("a refusal", async || store.heartbeat().await.err()).await;
}

/// Redis is down for longer than the allowed silence while two servers use it.
#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_known_to_all_servers_before_anything_is_taken() {
    let mut redis = RedisServer::start();
    let (clock, options) = with_clock();
    let (one, two) = (redis.open(options.clone()).await, redis.open(options).await);
    let _followed = (one.announcements(), two.announcements());
    one.heartbeat().await.unwrap();
    let last = two.heartbeat().await.unwrap();
    let head = append_ok(&one, append(game(1), Head::START, &["before"])).await;
    assert_eq!((one.outage(), two.outage()), (None, None));
    redis.kill();
    refuses(&one).await;
    refuses(&two).await;
    clock.advance_ms(2_501);
    redis.start_again();
    append_soon(&one, append(game(1), head, &["after"])).await;
    let outage = one.outage().expect("known before anything was accepted");
    let written = log(&one, game(1)).await[1].at;
    assert!(outage.since >= last && outage.until <= written, "{outage:?}");
    until("the other server", async || two.heartbeat().await.ok()).await;
    assert_eq!(two.outage(), Some(outage), "both know the same");
}

#[tokio::test]
async fn a_server_learns_of_all_outages_since_its_last_heartbeat() {
    let redis = RedisServer::start();
    let (clock, options) = with_clock();
    let (one, two) = (redis.open(options.clone()).await, redis.open(options).await);
    one.heartbeat().await.unwrap();
    let mut expected = Vec::new();
    for _ in 0..3 {
        let since = two.heartbeat().await.unwrap();
        clock.advance_ms(2_501);
        let until = two.heartbeat().await.unwrap();
        expected.push(flagfall_store::Outage { since, until });
    }
    one.heartbeat().await.unwrap();
    assert_eq!(one.outages_of(game(1), Stamp(0)), expected);
    assert_eq!(one.outages_of(game(1), expected[0].until), expected[1..]);
}

/// A server opens the store, and Redis goes down before the server's first heartbeat.
#[tokio::test(flavor = "multi_thread")]
async fn an_outage_after_the_opening_and_before_the_first_heartbeat_is_known_before_anything_is_taken() {
    let mut redis = RedisServer::start();
    let (clock, options) = with_clock();
    let (one, two) = (redis.open(options.clone()).await, redis.open(options).await);
    let _followed = (one.announcements(), two.announcements());
    let last = one.heartbeat().await.unwrap();
    redis.kill();
    refuses(&two).await;
    clock.advance_ms(2_501);
    redis.start_again();
    append_soon(&two, append(game(1), Head::START, &["after"])).await;
    let outage = two.outage().expect("known before anything was accepted");
    let written = log(&two, game(1)).await[0].at;
    assert!(outage.since <= last && outage.until <= written, "{outage:?}");
    assert!(outage.until.ms_since(outage.since) > 2_500, "{outage:?}");
}

#[tokio::test]
async fn reads_after_a_silence_wait_for_the_check_of_clocks() {
    let redis = RedisServer::start();
    let options = RedisOptions { silence: Duration::from_millis(400), ..impatient() };
    let (one, two) =
        (open_soon(&redis.address(), &options).await, open_soon(&redis.address(), &options).await);
    let _followed = (one.announcements(), two.announcements());
    for store in [&one, &two] {
        until("a heartbeat", async || store.heartbeat().await.ok()).await;
    }
    append_soon(&two, append(game(1), Head::START, &["before"])).await;
    redis.freeze();
    // The silence must be longer than usual, because Redis may have accepted a heartbeat whose
    // answer was lost.
    until("a long silence", async || {
        let is_silent = |store: &RedisStore| store.now().ms_since(store.silent_since()?).checked_sub(1_500);
        is_silent(&one).and(is_silent(&two))
    })
    .await;
    let reading = async || one.head(game(1)).await.ok();
    // The timing decides whether the read is sent before or after Redis continues. Both must
    // work.
    let (head, ()) = tokio::join!(until("a head", reading), async { redis.thaw() });
    assert_eq!(head.seq, 1);
    assert_eq!(one.silent_since(), None);
    assert!(one.outage().is_some(), "known before anything is read");
}

async fn kept_outages(store: &RedisStore) -> Vec<(u64, u64)> {
    let record = store.get(key(flagfall_store::OUTAGES_KEY)).await.unwrap();
    record.map_or_else(Vec::new, |record| serde_json::from_slice(&record).unwrap())
}

#[tokio::test]
async fn outages_are_kept_in_the_step_that_finds_them_the_latest_of_them() {
    let redis = RedisServer::start();
    let (clock, options) = with_clock();
    let store = redis.open(options).await;
    store.heartbeat().await.unwrap();
    assert_eq!(kept_outages(&store).await, []);
    clock.advance_ms(2_500);
    let since = store.heartbeat().await.unwrap().0;
    assert_eq!(kept_outages(&store).await, [], "not long enough");
    clock.advance_ms(2_501);
    let until = store.heartbeat().await.unwrap().0;
    assert_eq!(kept_outages(&store).await, [(since, until)]);
    // New outages must be added to the record without removing the outage that a starting server
    // has written there.
    let noted = serde_json::to_vec(&[(5, 6), (since, until)]).unwrap();
    let writes = vec![flagfall_store::Write::Put {
        key: key(flagfall_store::OUTAGES_KEY),
        value: noted,
        expires: None,
    }];
    store.update(Update { conditions: vec![], writes }).await.unwrap();
    let mut expected = vec![(5, 6), (since, until)];
    for _ in 0..flagfall_store::OUTAGES_MAX {
        let since = expected.last().unwrap().1;
        clock.advance_ms(3_000);
        expected.push((since, store.heartbeat().await.unwrap().0));
    }
    let surplus = expected.len() - flagfall_store::OUTAGES_MAX;
    assert_eq!(kept_outages(&store).await, expected[surplus..]);
    let listed = store.scan(key(flagfall_store::OUTAGES_KEY), None, 10).await.unwrap();
    assert_eq!(listed.len(), 1, "it is listed like any other record");
}

#[tokio::test]
async fn the_heartbeats_of_a_server_without_games_end_no_outage() {
    let redis = RedisServer::start();
    let clock = Arc::new(flagfall_store_testing::ManualClock::new(flagfall_board::Stamp(1_000_000)));
    let options =
        RedisOptions { clock: Some(clock.clone()), pulse: Duration::ZERO, ..RedisOptions::default() };
    let store = redis.open(options.clone()).await;
    let since = store.heartbeat().await.unwrap();
    let onlooker = redis.open(RedisOptions { is_onlooker: true, ..options.clone() }).await;
    for _ in 0..5 {
        clock.advance_ms(1_000);
        let now = flagfall_store::WallClock::now(&*clock);
        assert_eq!(onlooker.heartbeat().await.unwrap(), now, "it learns the time");
    }
    assert_eq!((onlooker.outage(), kept_outages(&onlooker).await), (None, Vec::new()));
    let next = redis.open(options).await;
    assert_eq!(next.last_heartbeat().await.unwrap(), Some(since), "no server was there in the meantime");
    let until = store.heartbeat().await.unwrap();
    onlooker.heartbeat().await.unwrap();
    assert_eq!(onlooker.outage(), Some(flagfall_store::Outage { since, until }));
    assert_eq!(kept_outages(&store).await, [(since.0, until.0)]);
}

#[tokio::test]
async fn time_goes_on_when_the_clock_of_redis_is_set_back() {
    let redis = RedisServer::start();
    let hour_ms = 3_600_000;
    let before = redis.open(RedisOptions::default()).await.heartbeat().await.unwrap();
    // The stored heartbeat is an hour ahead, as if Redis's clock was set back afterwards.
    let ahead = (before.0 + hour_ms).to_string();
    let added: u64 = redis.ask(&["HSET", "flagfall:{flagfall}:meta", "heartbeat", &ahead]).await;
    assert_eq!(added, 0, "it was there");
    let store = redis.open(RedisOptions::default()).await;
    let mut head = append_ok(&store, append(game(1), Head::START, &["first"])).await;
    let first = log(&store, game(1)).await[0].at;
    assert!(first.0 >= before.0 + hour_ms, "stamps never go back");
    let going_on = async {
        for number in 0_u32.. {
            let thought = store.now();
            head = append_ok(&store, append(game(1), head, &[&number.to_string()])).await;
            let stamped = log(&store, game(1)).await.last().unwrap().at;
            assert!(stamped >= thought, "time that passed here also passed in the log");
            if stamped > first {
                return;
            }
        }
    };
    timeout(TIMEOUT, going_on).await.expect("stamps go on");
}
