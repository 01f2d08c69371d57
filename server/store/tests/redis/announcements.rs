//! Tests of many appends in one call, and of the servers that hear of them.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;

use super::*;

/// A number of appends that is too large for one call.
const MANY: u32 = 300;

/// Waits for the next announcement of an append.
async fn next_appended(heard: &mut tokio::sync::broadcast::Receiver<Announcement>) -> Announcement {
    loop {
        match timeout(TIMEOUT, heard.recv()).await.unwrap() {
            Ok(appended @ Announcement::Appended { .. }) => return appended,
            Ok(Announcement::Everything) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => panic!("closed"),
        }
    }
}

/// Appends one entry to each of several new games at the same time, so that the appends share
/// calls.
async fn append_to_all(store: &RedisStore, games: std::ops::Range<u32>) {
    let appends = games.map(|number| append_ok(store, append(game(number), Head::START, &["a"])));
    futures_util::future::join_all(appends).await;
}

#[tokio::test]
async fn of_appends_asked_at_once_each_gets_its_own_answer() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    append_to_all(&store, 0..MANY).await;
    let _: String = redis.ask(&["SET", &format!("flagfall:{{{}}}:quarantine", game(7)), "a test"]).await;
    // For each game, the test sends five appends: one that is late, one that is early, one that
    // is valid, one that follows the valid one, and one that conflicts.
    let asked = (0..MANY).map(async |number| {
        let at = store.head(game(number)).await.unwrap_or(Head::START);
        let next = at.then(game(number), &body("b"));
        let late = Append { deadline: Some(flagfall_board::Stamp(1)), ..append(game(number), at, &["late"]) };
        let early = Append {
            not_before: Some(flagfall_board::Stamp(1 << 50)),
            ..append(game(number), at, &["early"])
        };
        let fits = Append {
            writes: if number % 3 == 0 { vec![put(&format!("r/{number}"), "x")] } else { Vec::new() },
            ..append(game(number), at, &["b"])
        };
        let all =
            [late, early, fits, append(game(number), next, &["c", "d"]), append(game(number), at, &["x"])];
        let outcomes = futures_util::future::join_all(all.map(|append| store.append(append))).await;
        (number, next, outcomes)
    });
    for (number, next, outcomes) in futures_util::future::join_all(asked).await {
        let outcomes: Vec<AppendOutcome> = outcomes.into_iter().map(Result::unwrap).collect();
        if number == 7 {
            let is_kept_out = |outcome: &AppendOutcome| matches!(outcome, AppendOutcome::Quarantined { reason } if reason == "a test");
            assert!(outcomes.iter().all(is_kept_out), "{outcomes:?}");
            continue;
        }
        let last = next.then(game(number), &body("c")).then(game(number), &body("d"));
        assert!(matches!(outcomes[0], AppendOutcome::Late { .. }), "{number}: {outcomes:?}");
        assert!(matches!(outcomes[1], AppendOutcome::Early { .. }), "{number}: {outcomes:?}");
        assert!(
            matches!(outcomes[2], AppendOutcome::Ok { head, .. } if head == next),
            "{number}: {outcomes:?}"
        );
        assert!(
            matches!(outcomes[3], AppendOutcome::Ok { head, .. } if head == last),
            "{number}: {outcomes:?}"
        );
        assert!(
            matches!(outcomes[4], AppendOutcome::Conflict { head } if head == last),
            "{number}: {outcomes:?}"
        );
        assert_eq!(texts(&store, game(number)).await, ["a", "b", "c", "d"]);
        let expected = (number % 3 == 0).then(|| b"x".to_vec());
        assert_eq!(store.get(key(&format!("r/{number}"))).await, Ok(expected));
    }
}

async fn follow(store: &RedisStore, number: u32) {
    assert!(store.follow(Topic::Game(game(number))).await);
}

/// Opens a store whose servers all follow games.
async fn open(redis: &RedisServer) -> RedisStore {
    let store = redis.open(RedisOptions::default()).await;
    store.serve_former(false);
    store
}

#[tokio::test]
async fn appends_are_announced_to_other_servers_that_follow_the_game() {
    const FENCE: u32 = 5_000;
    let redis = RedisServer::start();
    let (one, two, three) = (open(&redis).await, open(&redis).await, open(&redis).await);
    let [mut one_hears, mut two_hears, mut three_hears] =
        [&one, &two, &three].map(|store| store.announcements().unwrap());
    for number in 0..MANY {
        follow(&one, number).await;
        follow(&two, number).await;
    }
    follow(&one, FENCE).await;
    follow(&three, FENCE).await;
    append_to_all(&one, 0..MANY).await;
    append_to_all(&two, FENCE..FENCE + 1).await;
    let appended = |number| Announcement::Appended { game: game(number), seq: 1 };
    let mut missing: Vec<Announcement> = (0..MANY).map(appended).collect();
    while !missing.is_empty() {
        let next = next_appended(&mut two_hears).await;
        missing.retain(|appended| *appended != next);
    }
    assert_eq!(next_appended(&mut one_hears).await, appended(FENCE), "the others are its own");
    assert_eq!(next_appended(&mut three_hears).await, appended(FENCE), "the others do not concern it");
    // A server does not hear of a game after it has stopped following it, but hears of the
    // games that it still follows.
    let at = one.head(game(1)).await.unwrap();
    two.unfollow(&Topic::Game(game(0)));
    follow(&two, 2).await;
    let at_0 = one.head(game(0)).await.unwrap();
    append_ok(&one, append(game(0), at_0, &["b"])).await;
    append_ok(&one, append(game(1), at, &["b"])).await;
    assert_eq!(next_appended(&mut two_hears).await, Announcement::Appended { game: game(1), seq: 2 });
}

#[tokio::test]
async fn a_server_that_begins_to_follow_a_game_during_appends_misses_none() {
    const ENTRIES: u64 = 200;
    let redis = RedisServer::start();
    let (one, two) = (open(&redis).await, open(&redis).await);
    let mut heard = two.announcements().unwrap();
    let appending = async {
        let mut at = Head::START;
        for _ in 0..ENTRIES {
            at = append_ok(&one, append(game(1), at, &["a"])).await;
        }
    };
    let following = async {
        until("half of the entries", async || {
            (two.head(game(1)).await.unwrap().seq > ENTRIES / 2).then_some(())
        })
        .await;
        follow(&two, 1).await;
        two.head(game(1)).await.unwrap().seq
    };
    let ((), read) = tokio::join!(appending, following);
    let mut reached = read;
    while reached < ENTRIES {
        let Announcement::Appended { seq, .. } = next_appended(&mut heard).await else { unreachable!() };
        assert!(seq <= reached + 1, "{seq} was announced after {reached}");
        reached = reached.max(seq);
    }
}

#[tokio::test]
async fn a_server_whose_listener_was_cut_off_is_told_and_follows_its_games_again() {
    let redis = RedisServer::start();
    let two = open(&redis).await;
    let (mut heard, mut notices) = (two.announcements().unwrap(), two.notices().unwrap());
    let mut hear_of_gap = async || {
        timeout(TIMEOUT, async { while heard.recv().await.unwrap() != Announcement::Everything {} })
            .await
            .unwrap();
        timeout(TIMEOUT, async { while notices.recv().await.unwrap() != StoreMessage::Missed {} })
            .await
            .unwrap();
    };
    hear_of_gap().await;
    let one = open(&redis).await;
    follow(&two, 1).await;
    redis.ask::<u64>(&["CLIENT", "KILL", "TYPE", "pubsub"]).await;
    let at = append_ok(&one, append(game(1), Head::START, &["a"])).await;
    // When the listener has subscribed again, it reports that announcements may have been missed.
    hear_of_gap().await;
    append_ok(&one, append(game(1), at, &["b"])).await;
    assert_eq!(next_appended(&mut heard).await, Announcement::Appended { game: game(1), seq: 2 });
    let told = one.tell_followers(Topic::Game(game(1)), b"hello".to_vec()).await;
    assert_eq!(told, Ok(1), "one server follows it");
    assert_eq!(timeout(TIMEOUT, notices.recv()).await.unwrap(), Ok(StoreMessage::Told(b"hello"[..].into())));
}

#[tokio::test]
async fn without_servers_of_earlier_versions_their_channel_is_silent() {
    let redis = RedisServer::start();
    let store = open(&redis).await;
    let client = redis::Client::open(format!("redis://127.0.0.1:{}", redis.port())).unwrap();
    let mut former = client.get_async_pubsub().await.unwrap();
    former.subscribe("flagfall:appends").await.unwrap();
    append_to_all(&store, 0..3).await;
    redis.ask::<u64>(&["PUBLISH", "flagfall:appends", "the end"]).await;
    let message = timeout(TIMEOUT, former.on_message().next()).await.unwrap().unwrap();
    assert_eq!(message.get_payload_bytes(), b"the end");
}

#[tokio::test]
async fn servers_that_follow_games_hear_servers_of_earlier_versions() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let mut heard = store.announcements().unwrap();
    // Publish until Redis reports a subscriber. The test cannot wait for a sign of the subscription
    // in `heard`, because the store may have subscribed before `heard` existed.
    until("the subscription", async || {
        let message = format!("7\n{} 4", game(1));
        (redis.ask::<u64>(&["PUBLISH", "flagfall:appends", &message]).await > 0).then_some(())
    })
    .await;
    assert_eq!(next_appended(&mut heard).await, Announcement::Appended { game: game(1), seq: 4 });
}

#[tokio::test]
async fn servers_of_earlier_versions_hear_of_every_append() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let client = redis::Client::open(format!("redis://127.0.0.1:{}", redis.port())).unwrap();
    let mut former = client.get_async_pubsub().await.unwrap();
    former.subscribe("flagfall:appends").await.unwrap();
    append_to_all(&store, 0..MANY).await;
    let mut missing: BTreeSet<String> = (0..MANY).map(|number| format!("{} 1", game(number))).collect();
    let mut messages = former.on_message();
    while !missing.is_empty() {
        let message = timeout(TIMEOUT, messages.next()).await.unwrap().unwrap();
        // Servers of version 0.1 must be able to parse the message. Otherwise they would check
        // every game.
        let text = String::from_utf8(message.get_payload_bytes().to_vec()).unwrap();
        let (sender, lines) = text.split_once('\n').unwrap();
        assert!(sender.parse::<u64>().is_ok(), "{text}");
        for line in lines.split('\n') {
            assert!(missing.remove(line), "{line}");
        }
    }
}
