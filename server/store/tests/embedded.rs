//! What the embedded store does beyond the contract: it outlives its process, guards its folder,
//! and shares fsyncs.

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::{append, append_ok, copy_folder, game, key, put, scratch, texts};
use fjall::{Database, KeyspaceCreateOptions};
use flagfall_board::Stamp;
use flagfall_store::embedded::LostTail;
use flagfall_store::limits::BODY_BYTES_MAX;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedStore, Head, ManualClock, OUTAGES_KEY, OpenError, Options, Outage,
    OutageList, SecretBytes, Store, StoreError, SystemClock, Update, UpdateOutcome, Write,
};

const NOON: Stamp = Stamp(1_700_000_000_000);

fn open(folder: &Path) -> Result<EmbeddedStore, OpenError> {
    EmbeddedStore::open(folder, SystemClock, &Options::default())
}

#[tokio::test]
async fn what_was_answered_is_there_after_an_open() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let epoch = store.epoch().await.unwrap();
    let start = Append { writes: vec![put("k", "v")], ..append(game(1), Head::START, &["a", "b"]) };
    let head = append_ok(&store, start).await;
    drop(store);
    let store = open(folder.path()).unwrap();
    assert_eq!(store.head(game(1)).await, Ok(head));
    assert_eq!(texts(&store, game(1)).await, ["a", "b"]);
    assert_eq!(store.get(key("k")).await, Ok(Some(b"v".to_vec())));
    assert_eq!(store.epoch().await, Ok(epoch));
    let next = append_ok(&store, append(game(1), head, &["c"])).await;
    assert_eq!(next.seq, 3);
}

#[tokio::test]
async fn a_bumped_epoch_stays() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let epoch = store.bump_epoch().await.unwrap();
    drop(store);
    assert_eq!(open(folder.path()).unwrap().epoch().await, Ok(epoch));
}

#[tokio::test]
async fn the_last_sign_of_life_is_found_at_open() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let reopen = || EmbeddedStore::open(folder.path(), clock.clone(), &Options::default()).unwrap();
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
    let reopen = || EmbeddedStore::open(folder.path(), clock.clone(), &Options::default()).unwrap();
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
        (clock.clone(), EmbeddedStore::open(folder.path(), clock, &Options::default()).unwrap())
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
async fn a_freeze_of_twenty_seconds_is_kept_as_an_outage_with_the_first_thing_written_after_it() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let open = || EmbeddedStore::open(folder.path(), clock.clone(), &Options::default()).unwrap();
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
    // An outage that no append follows is stored with a heartbeat.
    store.heartbeat().await.unwrap();
    clock.advance_ms(30_000);
    store.heartbeat().await.unwrap();
    assert_eq!(OutageList::parse(store.get(key(OUTAGES_KEY)).await.unwrap().as_deref()).len(), 2);
}

/// Fills a store and lets `take` remove all or part of its folder. Nothing is acknowledged any
/// more.
async fn assert_fails_without(take: impl FnOnce(&Path)) {
    let place = scratch();
    let folder = place.path().join("data");
    let store = open(&folder).expect("a store");
    let head = append_ok(&store, append(game(1), Head::START, &["a"])).await;
    assert_eq!(store.failure(), None);
    take(&folder);
    let outcome = store.append(append(game(1), head, &["b"])).await;
    assert!(
        matches!(outcome, Ok(AppendOutcome::Unknown) | Err(StoreError::Unavailable { .. })),
        "{outcome:?}"
    );
    let why = store.failure().expect("it has failed");
    assert!(why.contains("was deleted or replaced while the server ran"), "{why}");
    assert!(store.heartbeat().await.is_err() && store.head(game(1)).await.is_err());
    let update = Update { conditions: vec![], writes: vec![put("k", "v")] };
    assert!(store.update(update).await.is_err());
}

#[tokio::test]
async fn a_folder_that_is_gone_takes_nothing_any_more() {
    assert_fails_without(|folder| fs::remove_dir_all(folder).unwrap()).await;
    assert_fails_without(|folder| fs::rename(folder, folder.with_extension("old")).unwrap()).await;
}

#[tokio::test]
async fn a_folder_that_was_replaced_takes_nothing_any_more() {
    assert_fails_without(|folder| {
        fs::remove_dir_all(folder).unwrap();
        fs::create_dir(folder).unwrap();
    })
    .await;
    assert_fails_without(|folder| {
        let old = folder.with_extension("old");
        fs::rename(folder, &old).unwrap();
        copy_folder(&old, folder);
    })
    .await;
}

#[tokio::test]
async fn a_folder_that_was_emptied_takes_nothing_any_more() {
    assert_fails_without(|folder| {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
    })
    .await;
    for name in ["lock", "witness", "mirror", "db"] {
        assert_fails_without(|folder| {
            let path = folder.join(name);
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        })
        .await;
    }
    assert_fails_without(|folder| {
        for entry in fs::read_dir(folder.join("db")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "jnl") {
                fs::remove_file(path).unwrap();
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_folder_that_is_gone_is_noticed_when_nobody_writes() {
    let place = scratch();
    let folder = place.path().join("data");
    let store = open(&folder).unwrap();
    store.heartbeat().await.unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let error = store.heartbeat().await.unwrap_err().to_string();
    assert!(error.contains("was deleted or replaced"), "{error}");
}

#[tokio::test]
async fn journals_that_the_database_begins_and_deletes_are_no_loss() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let journals = || {
        let names = fs::read_dir(folder.path().join("db")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name.ends_with(".jnl"));
        names
    };
    let first = journals();
    // Until there is another journal, and a little further. The database compresses repetitions.
    let (mut further, mut noise) = (20, 1_u32);
    for number in 0..3_000_u32 {
        let mut next = || {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            noise.to_be_bytes()[0]
        };
        let value = (0..60_000).map(|_| next()).collect();
        let key = key(&format!("k/{number}"));
        let writes = vec![Write::Put { key, value, expires: None }];
        let update = Update { conditions: vec![], writes };
        assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok), "{:?}", store.failure());
        further -= u32::from(journals() != first);
        if further == 0 {
            break;
        }
    }
    assert_ne!(journals(), first, "the database has begun another journal");
    assert_eq!(store.failure(), None);
}

#[tokio::test]
async fn a_folder_belongs_to_one_store() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let Err(error @ OpenError::Locked { .. }) = open(folder.path()) else { panic!("opened twice") };
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    drop(store);
    open(folder.path()).unwrap();
}

#[tokio::test]
async fn a_store_of_another_version_is_refused() {
    let folder = scratch();
    drop(open(folder.path()).unwrap());
    {
        let db = Database::builder(folder.path().join("db")).open().unwrap();
        let meta = db.keyspace("meta", KeyspaceCreateOptions::default).unwrap();
        meta.insert("schema", 7_u64.to_le_bytes()).unwrap();
    }
    assert!(matches!(open(folder.path()), Err(OpenError::Schema { found: 7, .. })));
}

#[tokio::test]
async fn a_creation_that_was_cut_short_is_begun_again() {
    let folder = scratch();
    drop(open(folder.path()).unwrap());
    std::fs::rename(folder.path().join("db"), folder.path().join("db.new")).unwrap();
    std::fs::remove_file(folder.path().join("db.new/version")).unwrap();
    let store = open(folder.path()).unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
}

#[tokio::test]
async fn a_thousand_appends_share_fsyncs() {
    let folder = scratch();
    let store: Arc<EmbeddedStore> = Arc::new(open(folder.path()).unwrap());
    let tasks: Vec<_> = (0..1_000)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move { append_ok(&*store, append(game(number), Head::START, &["a"])).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let stats = store.stats();
    assert_eq!((stats.appends, stats.entries), (1_000, 1_000));
    assert!(stats.commits <= 100, "{stats:?}");
}

#[tokio::test]
async fn appends_to_one_game_may_share_a_commit() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let one = Head::START.then(game(1), &common::body("a"));
    let two = one.then(game(1), &common::body("b"));
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
async fn a_full_queue_makes_callers_wait() {
    let folder = scratch();
    let options = Options { queue_length: 1, ..Options::default() };
    let store = Arc::new(EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap());
    let tasks: Vec<_> = (0..200)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move { append_ok(&*store, append(game(number), Head::START, &["a"])).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(store.stats().appends, 200);
}

#[tokio::test]
async fn heads_that_were_forgotten_are_read_again() {
    let folder = scratch();
    let options = Options { heads_cached: 2, ..Options::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap();
    let mut heads = vec![Head::START; 10];
    for round in 0..5 {
        for number in 0..10 {
            let head = &mut heads[number as usize];
            *head = append_ok(&store, append(game(number), *head, &["a"])).await;
            assert_eq!(head.seq, round + 1);
        }
    }
}

#[tokio::test]
async fn what_expired_is_purged_at_open() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let store = EmbeddedStore::open(folder.path(), clock.clone(), &Options::default()).unwrap();
    for hundred in 0..25 {
        let writes = (0..60)
            .map(|number| Write::Put {
                key: key(&format!("{hundred}/{number}")),
                value: vec![0; 10],
                expires: Some(NOON.plus_ms(10)),
            })
            .collect();
        let update = Update { conditions: Vec::new(), writes };
        assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
    }
    drop(store);
    clock.advance_ms(1_000);
    let store = EmbeddedStore::open(folder.path(), clock.clone(), &Options::default()).unwrap();
    // Each answer lets the writer take another step of its sweep.
    for number in 0..5 {
        append_ok(&store, append(game(number), Head::START, &["a"])).await;
    }
    drop(store);
    let db = Database::builder(folder.path().join("db")).open().unwrap();
    for name in ["records", "expiries"] {
        assert!(db.keyspace(name, KeyspaceCreateOptions::default).unwrap().is_empty().unwrap(), "{name}");
    }
}

#[tokio::test]
async fn a_database_that_is_gone_comes_back_from_a_mirror_that_goes_back_to_its_beginning() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    drop(store);
    std::fs::remove_dir_all(folder.path().join("db")).unwrap();
    let store = open(folder.path()).unwrap();
    assert_eq!(texts(&store, game(1)).await, ["a"]);
    assert!(store.salvage().is_some_and(|salvage| salvage.is_complete()));
}

#[tokio::test]
async fn a_database_that_is_gone_is_missed() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let epoch = store.epoch().await.unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    drop(store);
    std::fs::remove_dir_all(folder.path().join("db")).unwrap();
    std::fs::remove_dir_all(folder.path().join("mirror")).unwrap();
    for _ in 0..2 {
        let error = open(folder.path()).map(drop);
        assert!(matches!(error, Err(OpenError::LostTail { acknowledged: 1, lost: 1, .. })), "{error:?}");
    }
    let accept = Options { lost_tail: LostTail::Accept, ..Options::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &accept).unwrap();
    assert!(store.epoch().await.unwrap() > epoch);
    drop(store);
    open(folder.path()).unwrap();
}

#[tokio::test]
async fn a_witness_that_is_gone_is_missed_unless_the_mirror_tells() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let epoch = store.epoch().await.unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    drop(store);
    std::fs::remove_file(folder.path().join("witness")).unwrap();
    let store = open(folder.path()).unwrap();
    assert_eq!(store.epoch().await, Ok(epoch));
    assert_eq!(texts(&store, game(1)).await, ["a"]);
    drop(store);
    std::fs::remove_file(folder.path().join("witness")).unwrap();
    std::fs::remove_dir_all(folder.path().join("mirror")).unwrap();
    assert!(matches!(open(folder.path()), Err(OpenError::NoWitness { found: 1, .. })));
    let accept = Options { lost_tail: LostTail::Accept, ..Options::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &accept).unwrap();
    assert!(store.epoch().await.unwrap() > epoch);
    assert_eq!(texts(&store, game(1)).await, ["a"]);
}

/// Incompressible bytes.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

#[tokio::test]
async fn a_store_with_tables_and_several_journals_opens_again() {
    // On disk, because this store is large.
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    for round in 0..2_u64 {
        for number in 0..11 {
            let expected = store.head(game(number)).await.unwrap();
            let bodies = (0..64).map(|at| SecretBytes::new(noise(round * 64 + at, BODY_BYTES_MAX))).collect();
            append_ok(&store, Append { bodies, ..append(game(number), expected, &[]) }).await;
        }
    }
    drop(store);
    let tables = folder.path().join("db/keyspaces/2/tables");
    assert!(std::fs::read_dir(tables).unwrap().count() > 0, "nothing was flushed: write more");
    for _ in 0..2 {
        let store = open(folder.path()).unwrap();
        for number in 0..11 {
            let entries = store.read(game(number), 0, 200).await.unwrap();
            assert_eq!(entries.len(), 128);
            assert_eq!(entries[127].body.expose(), noise(127, BODY_BYTES_MAX));
        }
    }
}
