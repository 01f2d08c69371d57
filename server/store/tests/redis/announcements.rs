//! Tests of many appends in one call. Each append has its own answer, and listeners on either
//! channel receive every append.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;

use super::*;

/// A number of appends that does not fit into one call.
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

/// Appends to new games, one after the other, until the receiver gets an announcement. `first` is
/// the number of the first game.
async fn append_until_heard(
    store: &RedisStore,
    heard: &mut tokio::sync::broadcast::Receiver<Announcement>,
    first: u32,
) {
    for number in first.. {
        append_to_all(store, number..number + 1).await;
        if timeout(Duration::from_millis(50), next_appended(heard)).await.is_ok() {
            return;
        }
    }
}

#[tokio::test]
async fn appends_are_announced_to_other_servers_only() {
    const FENCE: u32 = 5_000;
    let redis = RedisServer::start();
    let one = redis.open(RedisOptions::default()).await;
    let two = redis.open(RedisOptions::default()).await;
    let (mut heard_by_one, mut heard_by_two) = (one.announcements().unwrap(), two.announcements().unwrap());
    append_until_heard(&two, &mut heard_by_one, 10_000).await;
    append_until_heard(&one, &mut heard_by_two, 20_000).await;
    append_to_all(&one, 0..MANY).await;
    append_to_all(&two, FENCE..FENCE + 1).await;
    let appended = |number| Announcement::Appended { game: game(number), seq: 1 };
    let mut missing: Vec<Announcement> = (0..MANY).map(appended).collect();
    while !missing.is_empty() {
        let next = next_appended(&mut heard_by_two).await;
        missing.retain(|appended| *appended != next);
    }
    loop {
        let next = next_appended(&mut heard_by_one).await;
        assert!(!(0..MANY).any(|number| appended(number) == next), "{next:?} is its own");
        if next == appended(FENCE) {
            return;
        }
    }
}

#[tokio::test]
async fn servers_of_the_version_before_hear_of_every_append_by_itself() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let client = redis::Client::open(format!("redis://127.0.0.1:{}", redis.port())).unwrap();
    let mut former = client.get_async_pubsub().await.unwrap();
    former.subscribe("flagfall:appended").await.unwrap();
    append_to_all(&store, 0..MANY).await;
    let mut missing: BTreeSet<String> = (0..MANY).map(|number| format!("{} 1", game(number))).collect();
    let mut messages = former.on_message();
    while !missing.is_empty() {
        let message = timeout(TIMEOUT, messages.next()).await.unwrap().unwrap();
        // Servers of the previous version must be able to parse the message. Otherwise they would
        // check every game.
        let line = String::from_utf8(message.get_payload_bytes().to_vec()).unwrap();
        assert!(missing.remove(&line), "{line}");
    }
}
