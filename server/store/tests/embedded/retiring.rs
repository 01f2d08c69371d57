//! Tests of retired logs in the embedded store.

use flagfall_store::{Guard, RetireOutcome};

use super::*;

fn guard(head: Head) -> Guard {
    Guard { head, place: vec![7; 12], commands: vec![1; 200] }
}

#[tokio::test]
async fn a_retired_log_stays_retired_until_its_guard_expires() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let open = || EmbeddedStore::open(folder.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    let store = open();
    let head = append_ok(&store, append(game(1), Head::START, &["a", "b"])).await;
    append_ok(&store, append(game(2), Head::START, &["another"])).await;
    assert_eq!(store.retire(game(1), guard(head)).await, Ok(RetireOutcome::Ok));
    drop(store);
    for is_rebuilt in [false, true] {
        if is_rebuilt {
            fs::remove_dir_all(folder.path().join("index")).unwrap();
        }
        let store = open();
        assert_eq!((store.losses(), store.quarantined().await), (&[][..], Ok(vec![])));
        assert_eq!(store.games().await, Ok(vec![game(2)]));
        assert_eq!(store.guard(game(1)).await, Ok(Some(guard(head))));
        let outcome = store.append(append(game(1), Head::START, &["c"])).await;
        assert_eq!(outcome, Ok(AppendOutcome::Conflict { head }));
    }
    clock.advance_ms(60 * 60 * 1_000);
    let store = open();
    assert_eq!(store.guard(game(1)).await, Ok(None));
    assert_eq!(store.sweep().await, Ok(1));
}

#[tokio::test]
async fn a_process_that_is_killed_while_it_retires_a_log_leaves_the_log_or_the_guard() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let head = append_ok(&store, append(game(1), Head::START, &["a", "b"])).await;
    let before = killed(folder.path());
    let begun = length(&segment(folder.path(), 1));
    assert_eq!(store.retire(game(1), guard(head)).await, Ok(RetireOutcome::Ok));
    let written = fs::read(segment(folder.path(), 1)).unwrap();
    drop(store);
    let mut found = (0, 0);
    for cut in usize::try_from(begun).unwrap()..=written.len() {
        let copy = scratch();
        copy_folder(before.path(), copy.path());
        fs::write(segment(copy.path(), 1), &written[..cut]).unwrap();
        let store = open(copy.path()).unwrap();
        if store.head(game(1)).await == Ok(head) {
            assert_eq!(texts(&store, game(1)).await, ["a", "b"]);
            found.0 += 1;
        } else {
            assert_eq!(store.guard(game(1)).await, Ok(Some(guard(head))), "cut at {cut}");
            found.1 += 1;
        }
        assert_eq!(store.quarantined().await, Ok(vec![]));
        assert_eq!(store.retire(game(1), guard(head)).await, Ok(RetireOutcome::Ok), "again");
        assert_eq!(store.head(game(1)).await, Ok(Head::START));
    }
    assert!(found.0 > 0 && found.1 > 0, "{found:?}");
}
