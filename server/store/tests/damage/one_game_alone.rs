//! Damage to the rows of one game, which stops that game and no other.

use super::*;

fn entry_key(number: u32, seq: u64) -> Vec<u8> {
    [game(number).as_str().as_bytes(), &seq.to_be_bytes()].concat()
}

/// Damages the log of game 1 in the database. A read reports it, and only this game is stopped,
/// also after reopening.
async fn one_game_alone(seq: u64, damage: impl FnOnce(&Keyspace, &Keyspace)) -> (tempfile::TempDir, Head) {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, 1, 6).await;
    let head = store.head(game(1)).await.unwrap();
    drop(store);
    with_database(folder.path(), |db| damage(&keyspace(db, "logs"), &keyspace(db, "heads")));
    let store = open(folder.path()).unwrap();
    let found = store.read(game(1), 0, 100).await;
    let Err(ReadError::Damaged { game: named, seq: at, .. }) = found else { panic!("{found:?}") };
    assert_eq!((named, at), (game(1), seq));
    drop(store);
    for _ in 0..2 {
        let store = open(folder.path()).unwrap();
        let outcome = store.append(append(game(1), head, &["x"])).await;
        assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
        let listed = store.quarantined().await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].0, game(1));
        let other = store.head(game(2)).await.unwrap();
        append_ok(&store, append(game(2), other, &["goes on"])).await;
        assert!(store.recheck(game(1)).await.is_err());
    }
    (folder, head)
}

#[tokio::test]
async fn a_missing_entry_stops_its_game_alone() {
    one_game_alone(3, |logs, _| logs.remove(entry_key(1, 3)).unwrap()).await;
}

#[tokio::test]
async fn a_vanished_tail_stops_its_game_alone() {
    one_game_alone(6, |logs, _| logs.remove(entry_key(1, 6)).unwrap()).await;
}

#[tokio::test]
async fn a_vanished_log_stops_its_game_alone() {
    let all = |logs: &Keyspace, _: &Keyspace| {
        for seq in 1..=6 {
            logs.remove(entry_key(1, seq)).unwrap();
        }
    };
    one_game_alone(1, all).await;
}

#[tokio::test]
async fn an_altered_entry_stops_its_game_alone() {
    let alter = |logs: &Keyspace, _: &Keyspace| {
        let mut value = logs.get(entry_key(1, 4)).unwrap().unwrap().to_vec();
        *value.last_mut().unwrap() ^= 1;
        logs.insert(entry_key(1, 4), value).unwrap();
    };
    one_game_alone(4, alter).await;
}

#[tokio::test]
async fn an_entry_of_another_game_stops_its_game_alone() {
    let exchange = |logs: &Keyspace, _: &Keyspace| {
        let value = logs.get(entry_key(2, 1)).unwrap().unwrap();
        logs.insert(entry_key(1, 1), value).unwrap();
    };
    one_game_alone(1, exchange).await;
}

#[tokio::test]
async fn an_entry_too_short_stops_its_game_alone() {
    one_game_alone(2, |logs, _| logs.insert(entry_key(1, 2), b"short").unwrap()).await;
}

#[tokio::test]
async fn an_entry_beyond_the_head_stops_its_game_alone() {
    let add = |logs: &Keyspace, _: &Keyspace| {
        let value = logs.get(entry_key(1, 6)).unwrap().unwrap();
        logs.insert(entry_key(1, 7), value).unwrap();
    };
    one_game_alone(7, add).await;
}

#[tokio::test]
async fn a_missing_head_stops_its_game_alone() {
    one_game_alone(1, |_, heads| heads.remove(game(1).as_str()).unwrap()).await;
}

#[tokio::test]
async fn a_head_that_makes_no_sense_stops_its_game_alone() {
    one_game_alone(1, |_, heads| heads.insert(game(1).as_str(), b"?").unwrap()).await;
}

#[tokio::test]
async fn damage_is_noticed_by_the_first_append_as_well() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, 1, 6).await;
    let head = store.head(game(1)).await.unwrap();
    drop(store);
    with_database(folder.path(), |db| keyspace(db, "logs").remove(entry_key(1, 6)).unwrap());
    let store = open(folder.path()).unwrap();
    let outcome = store.append(append(game(1), head, &["x"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
    drop(store);
    assert_eq!(open(folder.path()).unwrap().quarantined().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_log_that_is_whole_again_leaves_quarantine() {
    let mut kept = None;
    let take = |logs: &Keyspace, _: &Keyspace| {
        kept = logs.get(entry_key(1, 3)).unwrap();
        logs.remove(entry_key(1, 3)).unwrap();
    };
    let (folder, head) = one_game_alone(3, take).await;
    with_database(folder.path(), |db| keyspace(db, "logs").insert(entry_key(1, 3), kept.unwrap()).unwrap());
    let store = open(folder.path()).unwrap();
    let outcome = store.append(append(game(1), head, &["x"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "not before an operator has looked");
    assert_eq!(store.recheck(game(1)).await, Ok(head));
    let next = append_ok(&store, append(game(1), head, &["x"])).await;
    assert_eq!(next, head.then(game(1), &body("x")));
    drop(store);
    assert_eq!(open(folder.path()).unwrap().quarantined().await, Ok(Vec::new()));
}
