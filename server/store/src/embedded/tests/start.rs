//! Tests of a start that finds the disk full, or whose syncs fail.

use super::*;
use crate::embedded::alive::Alive;
use crate::embedded::backup;
use crate::embedded::index::Index;

fn attempt(folder: &Path) -> Result<EmbeddedStore, String> {
    EmbeddedStore::open(folder, SystemClock, &small()).map_err(|error| error.to_string())
}

/// Opens a store. In each attempt, one more write succeeds before the disk is full. Passes a store
/// to `check` that was opened after each refusal, when there was room again, and the store of the
/// last attempt.
async fn assert_starts_wait_for_room(folder: &Path, check: impl AsyncFn(&EmbeddedStore, &str)) {
    for room_for in 0.. {
        let at = format!("room for {room_for} writes");
        fill(folder, Some(room_for));
        let opened = attempt(folder);
        fill(folder, None);
        match opened {
            Ok(store) => {
                assert!(room_for > 0);
                return check(&store, &at).await;
            }
            Err(refused) => {
                assert!(
                    refused.contains("Make room, then start again: nothing that was acknowledged is lost")
                );
                let copy = scratch();
                copy_folder(folder, copy.path());
                check(&attempt(copy.path()).unwrap(), &at).await;
            }
        }
    }
}

/// Makes a store with a log of several segments, and what it has acknowledged.
async fn filled(folder: &Path) -> (EmbeddedStore, Ledger) {
    let store = open(folder);
    let mut ledger = Ledger { epoch: store.epoch().await.unwrap(), ..Ledger::default() };
    for number in 0..20 {
        assert!(ledger.change(&store, number).await);
    }
    (store, ledger)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_a_full_disk_asks_for_room_and_loses_nothing() {
    let new = scratch();
    assert_starts_wait_for_room(new.path(), async |store, at| {
        assert_eq!((store.losses(), store.games().await), (&[][..], Ok(vec![])), "{at}");
    })
    .await;
    let (stopped, killed) = (scratch(), scratch());
    let (store, ledger) = filled(stopped.path()).await;
    copy_folder(stopped.path(), killed.path());
    drop(store);
    for folder in [&stopped, &killed] {
        assert_starts_wait_for_room(folder.path(), async |store, at| ledger.check(store, at).await).await;
        // The start has removed everything that only an unfinished start needs.
        assert!(!folder.path().join("index.before").exists());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_finds_damage_on_a_full_disk_names_it_when_there_is_room() {
    let folder = scratch();
    let (store, ledger) = filled(folder.path()).await;
    drop(store);
    // Without this file, the start reads the whole log.
    fs::remove_file(folder.path().join("index.sum")).unwrap();
    let path = segments(folder.path()).remove(0);
    let mut bytes = fs::read(&path).unwrap();
    bytes[60..].fill(0xee);
    fs::write(&path, bytes).unwrap();
    let check = async |store: &EmbeddedStore, at: &str| assert_damage_is_named(store, &ledger, at).await;
    assert_starts_wait_for_room(folder.path(), check).await;
}

/// Checks that the damage is reported, and that each game is complete or in quarantine. Deleted
/// games are left out, because the damage may have hit their deletion.
async fn assert_damage_is_named(store: &EmbeddedStore, ledger: &Ledger, at: &str) {
    assert!(!store.losses().is_empty() && store.epoch().await.unwrap() > ledger.epoch, "{at}");
    for (game, entries) in &ledger.games {
        let found = store.read(*game, 0, usize::MAX).await.map(|entries| entries.len());
        let quarantined = store.quarantined().await.unwrap();
        let is_named = quarantined.iter().any(|(named, _)| named == game);
        assert!(is_named || found == Ok(entries.len()), "{at}: {game}");
    }
}

#[tokio::test]
async fn a_sector_that_cannot_be_read_stops_neither_a_start_nor_a_backup() {
    let folder = scratch();
    let (store, ledger) = filled(folder.path()).await;
    drop(store);
    let path = segments(folder.path()).remove(0);
    planted::with(folder.path(), |disk| disk.unreadable = Some((path, 700)));
    let target = scratch();
    let made = backup::back_up(folder.path(), &[], target.path(), NOON, &mut |_, _| {}).unwrap();
    assert!(made.damage.len() == 1 && made.damage[0].starts_with("bytes "), "{:?}", made.damage);
    fs::remove_file(folder.path().join("index.sum")).unwrap();
    let store = attempt(folder.path()).unwrap();
    assert_eq!(store.losses(), made.damage);
    assert_damage_is_named(&store, &ledger, "opened").await;
}

#[tokio::test]
async fn a_start_makes_the_log_durable_before_anything_says_so() {
    let (folder, killed) = (scratch(), scratch());
    let (_store, ledger) = filled(folder.path()).await;
    copy_folder(folder.path(), killed.path());
    let alive = || Alive::look(&killed.path().join("alive")).unwrap();
    let before = alive();
    let end = before.unwrap().end;
    // Without allocated space, nothing is cut off, which would sync the file too.
    let last = segments(killed.path()).pop().unwrap();
    fs::OpenOptions::new().write(true).open(last).unwrap().set_len(end.at).unwrap();
    planted::with(killed.path(), |disk| disk.cannot_sync = true);
    let refused = attempt(killed.path()).map(drop).unwrap_err();
    assert!(refused.contains("Make room, then start again"), "{refused}");
    let until = |index: Index| index.state().unwrap().unwrap_or_default().until;
    let stored = until(Index::open(&killed.path().join("index"), 1024 * 1024).unwrap());
    assert!(alive() == before && stored < end, "{stored:?} {end:?}");
    planted::with(killed.path(), |disk| disk.cannot_sync = false);
    ledger.check(&attempt(killed.path()).unwrap(), "opened").await;
}

#[tokio::test]
async fn a_group_that_cannot_be_undone_is_cut_off_by_the_next_start() {
    let mut unknown = 0;
    for room_for in 0.. {
        let folder = scratch();
        let (store, mut ledger) = filled(folder.path()).await;
        let large = "x".repeat(300);
        planted::with(folder.path(), |disk| (disk.room_for, disk.cannot_sync) = (Some(room_for), true));
        let update = Update { conditions: vec![], writes: vec![put("large", &large)] };
        let outcome = store.update(update).await;
        match outcome {
            Ok(UpdateOutcome::Ok) => break,
            Ok(UpdateOutcome::Unknown) => unknown += 1,
            refused => assert!(refused.is_err(), "{refused:?}"),
        }
        drop(store);
        fill(folder.path(), None);
        let refused = attempt(folder.path()).map(drop).unwrap_err();
        assert!(refused.contains("Make room, then start again"), "{refused}");
        planted::with(folder.path(), |disk| disk.cannot_sync = false);
        let store = attempt(folder.path()).unwrap();
        // The change was not acknowledged, so it may be there or not.
        if store.get(Key::new("large").unwrap()).await == Ok(Some(large.clone().into_bytes())) {
            ledger.records.insert("large".to_owned(), large);
        }
        ledger.check(&store, &format!("room for {room_for} writes")).await;
    }
    assert!(unknown > 0);
}
