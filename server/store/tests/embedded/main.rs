//! Tests of the embedded store that go beyond the contract. The data outlives the process, the
//! folder is locked, requests share syncs, and damage is detected.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod allocated;
mod backup;
#[path = "../common/mod.rs"]
mod common;
mod convert;
mod damage;
mod full_disk;
mod losses;
mod retiring;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{append, append_ok, body, copy_folder, game, key, put, scratch, texts, until};
use flagfall_board::Stamp;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedOpenError, EmbeddedOptions, EmbeddedStore, Head, OUTAGES_KEY, Outage,
    OutageList, Store, StoreError, SystemClock, Transfer, Update, UpdateOutcome, Write,
};
use flagfall_store_testing::ManualClock;

const NOON: Stamp = Stamp(1_700_000_000_000);

/// Opens a store that allocates no space in advance, so its log ends at the end of its last file.
fn open(folder: &Path) -> Result<EmbeddedStore, EmbeddedOpenError> {
    let options = EmbeddedOptions { allocate_bytes: 0, ..EmbeddedOptions::default() };
    EmbeddedStore::open(folder, SystemClock, &options)
}

fn segment(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("log/{number:08}.seg"))
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// Appends to two games in turn, with one frame for each entry. Returns the positions at which
/// the log ended after each append.
async fn fill(store: &EmbeddedStore, folder: &Path, rounds: u64) -> Vec<u64> {
    let mut ends = vec![length(&segment(folder, 1))];
    let mut heads = [Head::START; 2];
    for round in 0..rounds {
        for (number, head) in (1..).zip(&mut heads) {
            let text = format!("{number}:{round}");
            let writes = vec![put(&format!("last/{number}"), &text)];
            *head = append_ok(store, Append { writes, ..append(game(number), *head, &[&text]) }).await;
            ends.push(length(&segment(folder, 1)));
        }
    }
    ends
}

/// Copies a folder while the store is open. The copy is like the folder of a killed process.
fn killed(folder: &Path) -> tempfile::TempDir {
    let copy = scratch();
    copy_folder(folder, copy.path());
    copy
}

#[tokio::test]
async fn what_was_answered_is_there_after_an_open() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let epoch = store.epoch().await.unwrap();
    let start = Append { writes: vec![put("k", "v")], ..append(game(1), Head::START, &["a", "b"]) };
    let head = append_ok(&store, start).await;
    let killed = killed(folder.path());
    drop(store);
    for folder in [folder.path(), killed.path()] {
        let store = open(folder).unwrap();
        assert_eq!(store.head(game(1)).await, Ok(head));
        assert_eq!(texts(&store, game(1)).await, ["a", "b"]);
        assert_eq!(store.get(key("k")).await, Ok(Some(b"v".to_vec())));
        assert_eq!(store.epoch().await, Ok(epoch));
        assert_eq!(append_ok(&store, append(game(1), head, &["c"])).await.seq, 3);
    }
}

#[tokio::test]
async fn a_bumped_epoch_and_a_quarantine_stay() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let epoch = store.bump_epoch().await.unwrap();
    flagfall_store::Transfer::put_aside(&store, game(1), "as a test".to_owned()).await.unwrap();
    drop(store);
    let store = open(folder.path()).unwrap();
    assert_eq!(store.epoch().await, Ok(epoch));
    assert_eq!(store.quarantined().await, Ok(vec![(game(1), "as a test".to_owned())]));
}

#[tokio::test]
async fn a_creation_that_was_cut_short_is_begun_again() {
    let whole = scratch();
    drop(open(whole.path()).unwrap());
    for left in ["log", "nothing of the log"] {
        let folder = scratch();
        fs::create_dir(folder.path().join("log")).unwrap();
        if left == "log" {
            fs::copy(segment(whole.path(), 1), segment(folder.path(), 1)).unwrap();
        }
        fs::write(folder.path().join("log/00000002.new"), "unfinished").unwrap();
        let store = open(folder.path()).unwrap();
        append_ok(&store, append(game(1), Head::START, &["a"])).await;
        assert_eq!(store.quarantined().await, Ok(vec![]));
        assert!(store.losses().is_empty(), "{left}: {:?}", store.losses());
    }
}

#[tokio::test]
async fn the_last_sign_of_life_is_found_at_open() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let reopen = || EmbeddedStore::open(folder.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    let store = reopen();
    assert_eq!(store.last_heartbeat().await, Ok(None));
    store.heartbeat().await.unwrap();
    clock.advance_ms(100);
    store.heartbeat().await.unwrap();
    drop(store);
    clock.advance_ms(5_000);
    let store = reopen();
    assert_eq!(store.last_heartbeat().await, Ok(Some(NOON.plus_ms(100))));
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    drop(store);
    clock.advance_ms(5_000);
    let store = reopen();
    assert_eq!(store.last_heartbeat().await, Ok(Some(NOON.plus_ms(5_100))), "a write is a sign of life");
}

#[tokio::test]
async fn stamps_go_on_from_the_last_one_when_the_clock_was_set_back_between_two_runs() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let reopen = || EmbeddedStore::open(folder.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    let store = reopen();
    let head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    drop(store);
    clock.set(Stamp(1));
    let store = reopen();
    append_ok(&store, append(game(1), head, &["b"])).await;
    let entries = common::log(&store, game(1)).await;
    assert!(entries.iter().all(|entry| entry.at == NOON), "{entries:?}");
    clock.advance_ms(50);
    assert_eq!(store.now(), NOON.plus_ms(50), "time does not stand still");
}

#[tokio::test]
async fn a_start_with_the_clock_400_days_ahead_does_no_harm_to_the_next_one() {
    const DAY_MS: u64 = 24 * 60 * 60_000;
    let folder = scratch();
    let open = |at| {
        let clock = Arc::new(ManualClock::new(at));
        (clock.clone(), EmbeddedStore::open(folder.path(), clock, &EmbeddedOptions::default()).unwrap())
    };
    let (_, store) = open(NOON);
    let expires = Some(NOON.plus_ms(30 * DAY_MS));
    let in_a_month = Write::Put { key: key("guest"), value: Vec::new(), expires };
    let update = Update { conditions: vec![], writes: vec![in_a_month] };
    assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
    let head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    drop(store);
    let (clock, store) = open(NOON.plus_ms(400 * DAY_MS));
    store.heartbeat().await.unwrap();
    clock.advance_ms(60_000);
    store.heartbeat().await.unwrap();
    let head = append_ok(&store, append(game(1), head, &["b"])).await;
    assert_eq!(store.sweep().await, Ok(0), "nothing expires early");
    drop(store);
    let (_, store) = open(NOON.plus_ms(120_000));
    append_ok(&store, append(game(1), head, &["c"])).await;
    let stamps: Vec<u64> =
        common::log(&store, game(1)).await.iter().map(|entry| entry.at.ms_since(NOON)).collect();
    assert_eq!(stamps, [0, 60_000, 120_000]);
}

#[tokio::test]
async fn a_freeze_is_kept_as_an_outage_with_the_first_thing_written_after_it() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let open = || EmbeddedStore::open(folder.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    let store = open();
    store.heartbeat().await.unwrap();
    clock.advance_ms(1_000);
    store.heartbeat().await.unwrap();
    clock.advance_ms(20_000);
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    let (since, until) = (NOON.plus_ms(1_000), NOON.plus_ms(21_000));
    assert_eq!(store.outage(), Some(Outage { since, until }));
    drop(store);
    let store = open();
    let kept = store.get(key(OUTAGES_KEY)).await.unwrap().unwrap();
    assert_eq!(kept, format!("[[{},{}]]", since.0, until.0).into_bytes());
    // If no append follows an outage, the next heartbeat stores the outage.
    store.heartbeat().await.unwrap();
    clock.advance_ms(30_000);
    store.heartbeat().await.unwrap();
    assert_eq!(OutageList::parse(store.get(key(OUTAGES_KEY)).await.unwrap().as_deref()).len(), 2);
}

#[tokio::test]
async fn a_folder_belongs_to_one_store() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let Err(error @ EmbeddedOpenError::Locked { .. }) = open(folder.path()) else { panic!("opened twice") };
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    drop(store);
    open(folder.path()).unwrap();
}

/// Checks that an open store acknowledges no request once `take` has removed or replaced a part
/// of the store's folder.
async fn assert_fails_without(take: impl FnOnce(&Path)) {
    let place = scratch();
    let folder = place.path().join("data");
    let store = open(&folder).unwrap();
    let head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    assert_eq!(store.failure(), None);
    take(&folder);
    let outcome = store.append(append(game(1), head, &["b"])).await;
    let is_refused = matches!(outcome, Ok(AppendOutcome::Unknown) | Err(StoreError::Unavailable { .. }));
    assert!(is_refused, "{outcome:?}");
    let why = store.failure().unwrap();
    assert!(why.contains("was deleted or replaced while the server ran"), "{why}");
    assert!(store.heartbeat().await.is_err() && store.head(game(1)).await.is_err());
    let update = Update { conditions: vec![], writes: vec![put("k", "v")] };
    assert!(store.update(update).await.is_err());
}

#[tokio::test]
async fn a_folder_that_is_gone_or_was_replaced_takes_nothing_any_more() {
    assert_fails_without(|folder| fs::remove_dir_all(folder).unwrap()).await;
    assert_fails_without(|folder| fs::rename(folder, folder.with_extension("old")).unwrap()).await;
    assert_fails_without(|folder| {
        let old = folder.with_extension("old");
        fs::rename(folder, &old).unwrap();
        copy_folder(&old, folder);
    })
    .await;
    assert_fails_without(|folder| {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
    })
    .await;
    for name in ["log", "log/00000001.seg"] {
        assert_fails_without(|folder| remove(&folder.join(name))).await;
    }
}

fn remove(path: &Path) {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
}

#[tokio::test]
async fn a_file_that_is_gone_is_noticed_by_the_next_heartbeat() {
    for name in ["", "lock", "alive", "log", "index"] {
        let place = scratch();
        let folder = place.path().join("data");
        let store = open(&folder).unwrap();
        store.heartbeat().await.unwrap();
        remove(&folder.join(name));
        let error = store.heartbeat().await.unwrap_err().to_string();
        assert!(error.contains("was deleted or replaced"), "{name}: {error}");
        assert!(store.failure().is_some());
    }
}

#[tokio::test]
async fn a_full_queue_makes_callers_wait() {
    let folder = scratch();
    let options = EmbeddedOptions { queue_length: 1, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap();
    let appends = (0..200).map(|number| append_ok(&store, append(game(number), Head::START, &["a"])));
    futures_util::future::join_all(appends).await;
}

#[tokio::test]
async fn a_thousand_appends_share_syncs() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    // All appends are sent before the first one is awaited.
    let appends = (0..1_000).map(|number| append_ok(&store, append(game(number), Head::START, &["a"])));
    futures_util::future::join_all(appends).await;
    assert!(store.groups() <= 500, "{}", store.groups());
}

#[tokio::test]
async fn appends_to_one_game_may_share_a_group() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let one = Head::START.then(game(1), &body("a"));
    let two = one.then(game(1), &body("b"));
    let (a, b, c) = tokio::join!(
        store.append(append(game(1), Head::START, &["a"])),
        store.append(append(game(1), one, &["b"])),
        store.append(append(game(1), two, &["c"])),
    );
    for outcome in [a, b, c] {
        assert!(matches!(outcome, Ok(AppendOutcome::Ok { .. })), "{outcome:?}");
    }
    assert_eq!(texts(&store, game(1)).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn expired_records_are_swept_from_memory_and_from_the_database() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let open = || EmbeddedStore::open(folder.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    let write = async |store: &EmbeddedStore, name: &str| {
        let expires = Some(NOON.plus_ms(10));
        let writes = (0..60)
            .map(|number| Write::Put { key: key(&format!("{name}/{number}")), value: vec![0; 10], expires })
            .collect();
        let update = Update { conditions: Vec::new(), writes };
        assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
    };
    let store = open();
    for hundred in 0..25 {
        write(&store, &format!("database{hundred}")).await;
    }
    drop(store);
    let store = open();
    write(&store, "memory").await;
    clock.advance_ms(1_000);
    assert_eq!(store.sweep().await, Ok(26 * 60));
    drop(store);
    assert_eq!(open().sweep().await, Ok(0));
}

#[tokio::test]
async fn a_log_of_which_little_counts_is_compacted() {
    let folder = scratch();
    let options = EmbeddedOptions {
        segment_bytes: 4_000,
        checkpoint_bytes: 1_000,
        compact_bytes: 20_000,
        ..EmbeddedOptions::default()
    };
    let open = || EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap();
    let store = open();
    let epoch = store.bump_epoch().await.unwrap();
    // This game and this record are never deleted, and they are at the beginning of the log.
    let kept = append_ok(&store, append(game(1), Head::START, &["a", "b"])).await;
    let kept =
        append_ok(&store, Append { writes: vec![put("kept", "v")], ..append(game(1), kept, &["c"]) }).await;
    Transfer::put_aside(&store, game(2), "as a test".to_owned()).await.unwrap();
    for round in 0..600 {
        let gone = game(1_000 + round);
        append_ok(
            &store,
            Append { writes: vec![put("changes", &round.to_string())], ..append(gone, Head::START, &["x"]) },
        )
        .await;
        store.delete_log(gone).await.unwrap();
        let update = Update { conditions: vec![], writes: vec![put("large", &"x".repeat(300))] };
        assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
    }
    // More than 300,000 bytes have been written. Checkpoints are made in the background, and
    // segments are removed by later changes, so the test makes more changes until the log is
    // short.
    until("compaction", || async {
        let update = Update { conditions: vec![], writes: vec![put("large", "x")] };
        assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
        // A segment may be removed while the files are listed.
        let lengths = files(&folder.path().join("log")).into_iter().flat_map(fs::metadata);
        (lengths.map(|data| data.len()).sum::<u64>() < 100_000).then_some(())
    })
    .await;
    assert!(!segment(folder.path(), 1).exists(), "the oldest segments are gone");
    assert_eq!(store.failure(), None, "segments that the store removes itself are no loss");
    let check = async |store: &EmbeddedStore| {
        assert_eq!(texts(store, game(1)).await, ["a", "b", "c"]);
        assert_eq!(store.head(game(1)).await, Ok(kept));
        assert_eq!(store.get(key("kept")).await, Ok(Some(b"v".to_vec())));
        assert_eq!(store.get(key("changes")).await, Ok(Some(b"599".to_vec())));
        assert_eq!(Transfer::games(store).await, Ok(vec![game(1)]));
        assert_eq!(store.quarantined().await, Ok(vec![(game(2), "as a test".to_owned())]));
        assert_eq!(store.epoch().await, Ok(epoch));
    };
    check(&store).await;
    drop(store);
    let store = open();
    check(&store).await;
    drop(store);
    // Without the index, the store reads the whole log, in which compaction has changed the
    // order.
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    let store = open();
    check(&store).await;
    let next = append_ok(&store, append(game(1), kept, &["d"])).await;
    assert_eq!(next.seq, 4);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    files.sort();
    files
}
