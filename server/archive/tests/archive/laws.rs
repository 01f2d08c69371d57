//! Tests that no published game is lost if a write fails, or if several servers write at the same
//! time.

use std::collections::BTreeSet;
use std::sync::Arc;

use flagfall_archive::{Archive, ArchiveError, Check, Found};
use flagfall_tests::Chance;
use futures_util::future::join_all;
use tokio::sync::oneshot;

use super::memory::{Before, Failure, Memory};
use super::whole::{DAY_MS, assert_readable, frugal, games, id, open, settings, walk};

/// An operation of a server on the archive.
#[derive(Clone, Copy, Debug)]
enum Act {
    Add(&'static [u8]),
    Remove(u8),
    Tidy(u64),
}

const ACTS: [Act; 12] = [
    Act::Add(&[0, 1, 2]),
    Act::Add(&[2, 3]),
    Act::Add(&[4]),
    Act::Remove(1),
    Act::Tidy(DAY_MS),
    Act::Add(&[5, 6]),
    Act::Remove(5),
    Act::Add(&[7]),
    Act::Add(&[8, 1]),
    Act::Tidy(2 * DAY_MS),
    Act::Add(&[9]),
    Act::Tidy(3 * DAY_MS),
];

async fn run(archive: &Archive, act: Act) -> Result<(), ArchiveError> {
    match act {
        Act::Add(numbers) => archive.add(games(numbers.iter().copied())).await.map(drop),
        Act::Remove(number) => archive.remove(id(number), "a test").await.map(drop),
        Act::Tidy(now_ms) => {
            let tidied = archive.tidy(now_ms).await?;
            assert!(tidied.damage.is_empty(), "{:?}", tidied.damage);
            Ok(())
        }
    }
}

/// Checks that every game was either removed or is in the archive exactly once.
async fn assert_whole(archive: &Archive, games: impl IntoIterator<Item = u8>, removed: &[u8]) {
    let games: BTreeSet<u8> = games.into_iter().collect();
    for number in &games {
        if removed.contains(number) {
            let found = archive.find(id(*number)).await;
            assert!(matches!(found, Ok(Some(Found::Removed { .. }))), "game {number}: {found:?}");
            assert_eq!(archive.read(id(*number)).await.expect("an answer"), None);
        } else {
            assert_readable(archive, *number).await;
        }
    }
    let left = games.iter().filter(|number| !removed.contains(number)).map(|number| id(*number));
    let left: BTreeSet<_> = left.collect();
    assert_eq!(walk(archive).await, left.into_iter().collect::<Vec<_>>());
    let report = archive.check(Check::All, |_, _| ()).await.expect("checked");
    assert_eq!(report.damage, []);
}

/// Tidies for a few days. Checks that the manifest then names every object.
async fn assert_swept(store: &Memory, archive: &Archive) {
    let mut last = usize::MAX;
    for day in 1_000..1_004 {
        archive.tidy(day * DAY_MS).await.expect("tidied");
        last = archive.tidy(day * DAY_MS).await.expect("tidied").deleted_objects;
    }
    assert_eq!(last, 0);
    let report = archive.check(Check::Hashes, |_, _| ()).await.expect("checked");
    assert_eq!(store.names("segments").len(), report.segments);
    assert_eq!(store.names("index").len(), report.index_parts);
}

#[tokio::test]
async fn every_single_write_may_fail() {
    let writes = {
        let store = Memory::new();
        let archive = open(&store, frugal()).await;
        for act in ACTS {
            run(&archive, act).await.expect("done");
        }
        assert_whole(&archive, 0..10, &[1, 5]).await;
        store.writes.load(std::sync::atomic::Ordering::Relaxed)
    };
    assert!(writes > 50, "{writes}");
    for nth in 0..writes {
        for failure in [Failure::Before, Failure::After, Failure::Repeated] {
            // After the failure, the process continues, or it crashes and another process opens the
            // archive.
            for crashes in [false, true] {
                one_failure(nth, failure, crashes).await;
            }
        }
    }
}

async fn one_failure(nth: usize, failure: Failure, crashes: bool) {
    let store = Memory::new();
    store.fail(Some((nth, failure)));
    let mut archive = match Archive::open(store.clone(), frugal()).await {
        Ok(archive) => archive,
        Err(_) => open(&store, frugal()).await,
    };
    for act in ACTS {
        while let Err(error) = run(&archive, act).await {
            assert!(matches!(error, ArchiveError::Object(_)), "write {nth}, {failure:?}: {error}");
            if crashes {
                archive = open(&store, frugal()).await;
            }
        }
    }
    assert_whole(&archive, 0..10, &[1, 5]).await;
    assert_whole(&open(&store, settings()).await, 0..10, &[1, 5]).await;
    assert_swept(&store, &archive).await;
    assert_whole(&archive, 0..10, &[1, 5]).await;
}

/// Repeats an operation until it succeeds. The clocks in these tests run too fast, so an object
/// may be deleted before it is read, and the server must then start again.
async fn patiently(archive: &Archive, act: Act) {
    for _ in 0..100 {
        let done = match act {
            Act::Tidy(now_ms) => archive.tidy(now_ms).await.map(drop),
            Act::Add(_) | Act::Remove(_) => run(archive, act).await,
        };
        let Err(error) = done else { return };
        assert!(matches!(error, ArchiveError::Busy) || error.is_damage(), "{act:?}: {error}");
    }
    panic!("{act:?} is never done");
}

/// Two servers add games, one of them also removes a game, and two other servers tidy
/// with clocks that run too fast. Their operations are interleaved at random.
#[tokio::test]
async fn several_servers_write_at_the_same_time() {
    const FIRST: [Act; 5] =
        [Act::Add(&[0, 1]), Act::Add(&[2, 3]), Act::Remove(3), Act::Add(&[4]), Act::Add(&[5, 6])];
    const SECOND: [Act; 4] = [Act::Add(&[3]), Act::Add(&[4, 2]), Act::Add(&[7]), Act::Add(&[6, 8])];
    let tidies = |days: std::ops::Range<u64>| days.map(|day| Act::Tidy(2 * day * DAY_MS)).collect::<Vec<_>>();
    for seed in 0..40 {
        let store = Memory::new();
        let acts = [FIRST.to_vec(), SECOND.to_vec(), tidies(1..12), tidies(2..9)];
        let servers = (0..).zip(acts).map(|(nth, acts)| {
            let store = store.sibling();
            store.delay(Chance::new(4 * seed + nth));
            async move {
                let settings = if nth == 1 { settings() } else { frugal() };
                let archive = open(&store, settings).await;
                for act in acts {
                    patiently(&archive, act).await;
                }
            }
        });
        join_all(servers).await;
        let archive = open(&store, settings()).await;
        assert_whole(&archive, 0..9, &[3]).await;
        assert_swept(&store, &archive).await;
        assert_whole(&archive, 0..9, &[3]).await;
    }
}

/// Before a server publishes a manifest, it stops for so long that another server uses
/// the manifest's number and deletes that manifest again.
#[tokio::test]
async fn a_late_manifest_does_not_count() {
    let store = Memory::new();
    let slow_store = store.sibling();
    let slow = open(&slow_store, settings()).await;
    slow.add(games([0])).await.expect("added");
    let others = store.clone();
    slow_store.gate(Before::Manifest, async move {
        let quick = open(&others, settings()).await;
        for number in 2..20 {
            quick.add(games([number])).await.expect("added");
        }
        for day in 1..4 {
            quick.tidy(day * DAY_MS).await.expect("tidied");
        }
    });
    let before = store.names("manifest").len();
    slow.add(games([1, 2])).await.expect("added");
    assert!(before > 0 && store.names("manifest").len() <= 10);
    // The objects of the slow server were deleted in the meantime, so it has written them again.
    for archive in [&slow, &open(&store, settings()).await] {
        assert_whole(archive, 0..20, &[]).await;
    }
}

/// A server has written a segment that no manifest names yet. Another server publishes a
/// manifest that condemns the segment. Before it deletes the segment, the first server publishes
/// its manifest.
#[tokio::test]
async fn condemned_objects_are_not_named_again() {
    let store = Memory::new();
    let slow_store = store.sibling();
    let slow = open(&slow_store, settings()).await;
    slow.add(games([0])).await.expect("added");
    let (condemned, is_condemned) = oneshot::channel();
    let (added, is_added) = oneshot::channel::<()>();
    let sweeper_store = store.sibling();
    sweeper_store.gate(Before::Deletion, async move {
        condemned.send(()).expect("the slow server waits");
        is_added.await.expect("the slow server goes on");
    });
    let (others, sweeper) = (store.clone(), Arc::new(parking_lot::Mutex::new(None)));
    let task = sweeper.clone();
    slow_store.gate(Before::Manifest, async move {
        open(&others, settings()).await.tidy(DAY_MS).await.expect("tidied");
        let sweep = async move { open(&sweeper_store, settings()).await.tidy(2 * DAY_MS).await };
        *task.lock() = Some(tokio::spawn(sweep));
        is_condemned.await.expect("objects are condemned");
    });
    slow.add(games([1])).await.expect("added");
    added.send(()).expect("the sweeper waits");
    let sweeper = sweeper.lock().take().expect("a sweeper");
    let tidied = sweeper.await.expect("a task").expect("tidied");
    assert!(tidied.deleted_objects >= 2, "the segment and the run that were written first");
    assert_whole(&open(&store, settings()).await, 0..2, &[]).await;
}

/// A slow server has written a segment but no manifest yet. Before it writes one, another
/// server tidies several times within a day.
#[tokio::test]
async fn objects_of_a_slow_writer_are_kept_for_a_day() {
    let store = Memory::new();
    let slow_store = store.sibling();
    let slow = open(&slow_store, settings()).await;
    slow.add(games([0])).await.expect("added");
    let (others, names) = (store.clone(), Arc::new(parking_lot::Mutex::new(Vec::new())));
    let seen = names.clone();
    slow_store.gate(Before::Manifest, async move {
        let quick = open(&others, settings()).await;
        quick.tidy(DAY_MS).await.expect("tidied");
        quick.tidy(2 * DAY_MS - 1).await.expect("tidied");
        *seen.lock() = others.names("segments");
    });
    slow.add(games([1])).await.expect("added");
    assert_eq!(*names.lock(), store.names("segments"), "its segment is the one that it wrote first");
    assert_whole(&slow, 0..2, &[]).await;
}

#[tokio::test]
async fn storage_must_not_overwrite_objects() {
    let store = Memory::new();
    store.overwrite();
    let opened = Archive::open(store.clone(), settings()).await;
    assert!(matches!(opened, Err(ArchiveError::Overwrites)), "{opened:?}");
    assert_eq!(store.names(""), Vec::<String>::new());
}
