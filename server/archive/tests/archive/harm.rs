//! Tests of damage to every kind of object. The damaged object is named, and everything else can
//! be read.

use std::sync::Arc;

use flagfall_archive::{Archive, ArchiveError, Check, Found, Report};

use super::memory::Memory;
use super::whole::{DAY_MS, assert_readable, frugal, game, games, id, open, settings, sorted};

fn destroy(store: &Memory, name: &str) {
    store.change(name, |bytes| {
        let middle = bytes.len() / 2;
        bytes[middle - 12..middle + 12].iter_mut().for_each(|byte| *byte = !*byte);
    });
}

async fn check(archive: &Archive) -> Report {
    let mut told = Vec::new();
    let report = archive.check(Check::All, |done, all| told.push((done, all))).await.expect("checked");
    let all = report.segments + report.index_parts;
    assert_eq!(told, (1..=all).map(|done| (done, all)).collect::<Vec<_>>());
    report
}

/// Returns an archive with the games 0 to 3, in two segments and two runs.
async fn archive() -> (Arc<Memory>, Archive) {
    let store = Memory::new();
    let archive = open(&store, settings()).await;
    archive.add(games(0..2)).await.expect("added");
    archive.add(games(2..4)).await.expect("added");
    (store, archive)
}

#[tokio::test]
async fn a_damaged_segment_leaves_the_other_games() {
    for missing in [false, true] {
        let (store, _) = archive().await;
        let segment = store.names("segments")[0].clone();
        if missing {
            store.drop_object(&segment);
        } else {
            store.change(&segment, |bytes| bytes[24..].fill(0x55));
        }
        let archive = open(&store, settings()).await;
        for number in 2..4 {
            assert_readable(&archive, number).await;
        }
        for number in 0..2 {
            let error = archive.read(id(number)).await.expect_err("damage");
            assert!(error.is_damage() && error.to_string().contains(&segment), "{error}");
        }
        let report = check(&archive).await;
        assert_eq!((report.games, report.damage.len()), (2, 1));
        let mut lost = report.damage[0].games.clone();
        lost.sort_unstable();
        let mut wanted = [id(0), id(1)];
        wanted.sort_unstable();
        assert_eq!((report.damage[0].object.as_str(), lost), (segment.as_str(), wanted.to_vec()));
        let page = archive.games(None).await.expect("a page").expect("a segment");
        assert!(page.games.is_empty() && page.damage.is_some());
        let page = archive.games(Some(page.segment)).await.expect("a page").expect("a segment");
        assert!(page.games.len() == 2 && page.damage.is_none());
        assert_eq!(archive.all_games().await.expect("games"), sorted(0..4), "the index names all games");
        // Games can still be added, and the archive can be tidied.
        archive.add(games([4])).await.expect("added");
        archive.tidy(DAY_MS).await.expect("tidied");
        assert_readable(&archive, 4).await;
    }
}

#[tokio::test]
async fn a_damaged_game_is_the_only_one_that_is_lost() {
    let (store, archive) = archive().await;
    let Some(Found::At(location)) = archive.find(id(1)).await.expect("an answer") else { panic!("no place") };
    let segment = store.names("segments")[0].clone();
    let at = location.at as usize + 20;
    store.change(&segment, |bytes| bytes[at..at + 24].fill(0x55));
    for number in [0, 2, 3] {
        assert_readable(&archive, number).await;
    }
    let read = archive.read(id(1)).await;
    assert!(matches!(&read, Err(ArchiveError::Game { game, .. }) if *game == id(1)), "{read:?}");
    let report = check(&archive).await;
    assert_eq!((report.games, report.replayed, report.damage.len()), (3, 3, 1));
    assert_eq!(report.damage[0].games, [id(1)]);
    // A removed game in the damaged segment cannot be overwritten, and the result says so.
    archive.remove(id(0), "a test").await.expect("removed");
    assert_eq!(archive.tidy(DAY_MS).await.expect("tidied").damage.len(), 1);
}

#[tokio::test]
async fn a_damaged_run_hides_its_games_only() {
    for settings in [settings(), frugal()] {
        let (store, _) = archive().await;
        let run = store.names("index")[0].clone();
        destroy(&store, &run);
        let archive = open(&store, settings).await;
        for number in 2..4 {
            assert_readable(&archive, number).await;
        }
        for number in 0..2 {
            let error = archive.find(id(number)).await.expect_err("not certain");
            assert!(error.is_damage() && error.to_string().contains(&run), "{error}");
        }
        let report = check(&archive).await;
        let mut lost = [id(0), id(1)];
        lost.sort_unstable();
        assert_eq!((report.games, report.damage.len()), (4, 1), "{report:?}");
        assert_eq!(
            (report.damage[0].object.as_str(), &report.damage[0].games),
            (run.as_str(), &lost.to_vec())
        );
        assert_eq!(archive.all_games().await.expect("games"), sorted(0..4), "the segments name all games");
        // The other runs are merged, and the damaged one stays.
        archive.add(games([4])).await.expect("added");
        let tidied = archive.tidy(DAY_MS).await.expect("tidied");
        assert_eq!((tidied.merged_runs, tidied.damage.len()), (2, 1), "{tidied:?}");
        for number in 2..5 {
            assert_readable(&archive, number).await;
        }
        assert!(archive.find(id(0)).await.is_err());
        // A game that is added again can be found again.
        archive.add(games([0])).await.expect("added");
        assert_readable(&archive, 0).await;
    }
}

#[tokio::test]
async fn with_a_damaged_manifest_nothing_is_written() {
    let (store, before) = archive().await;
    let manifest = store.names("manifest").last().expect("a manifest").clone();
    destroy(&store, &manifest);
    let archive = open(&store, settings()).await;
    for number in 0..2 {
        assert_readable(&archive, number).await;
    }
    for refused in [
        archive.find(id(2)).await.map(drop),
        archive.add(games([4])).await.map(drop),
        archive.remove(id(0), "a test").await.map(drop),
        archive.tidy(DAY_MS).await.map(drop),
        archive.games(None).await.map(drop),
        archive.refresh().await.map(drop),
    ] {
        let error = refused.expect_err("the newest manifest is damaged");
        assert!(error.is_damage() && error.to_string().contains(&manifest), "{error}");
    }
    assert_eq!(check(&archive).await.damage[0].object.as_str(), manifest);
    // A server that had already read the manifest can still read games.
    assert_readable(&before, 3).await;
    // A server detects that its manifest has disappeared.
    store.drop_object(&manifest);
    assert!(before.refresh().await.is_err());
}

#[tokio::test]
async fn a_damaged_list_of_removed_games_gives_nothing_back() {
    let (store, archive) = archive().await;
    archive.remove(id(1), "a test").await.expect("removed");
    for tidied in [false, true] {
        if tidied {
            archive.tidy(DAY_MS).await.expect("tidied");
        }
        let list = store.names("deleted")[0].clone();
        let sibling = store.sibling();
        let whole = sibling.bytes(&list);
        sibling.change(&list, |bytes| bytes[40..].fill(0x55));
        let archive = open(&sibling, settings()).await;
        assert!(!matches!(archive.read(id(1)).await, Ok(Some(_))));
        assert_readable(&archive, 0).await;
        // The game may be one of the removed games.
        assert!(archive.find(id(9)).await.expect_err("not certain").is_damage());
        assert_eq!(check(&archive).await.damage[0].object.as_str(), list);
        sibling.change(&list, |bytes| *bytes = whole);
    }
}

#[tokio::test]
async fn with_a_damaged_table_nothing_is_swept() {
    let store = Memory::new();
    let archive = open(&store, frugal()).await;
    for number in 0..4 {
        archive.add(vec![game(number)]).await.expect("added");
    }
    archive.tidy(DAY_MS).await.expect("tidied");
    destroy(&store, &store.names("tables")[0]);
    let archive = open(&store, frugal()).await;
    for day in 2..6 {
        let tidied = archive.tidy(day * DAY_MS).await.expect("tidied");
        assert_eq!(tidied.damage.len(), 1, "{tidied:?}");
    }
    for number in 0..4 {
        assert_readable(&archive, number).await;
    }
    assert_eq!(store.names("segments").len(), 4);
    assert_eq!(check(&archive).await.damage.len(), 1);
}

#[tokio::test]
async fn a_damaged_table_gives_nothing_back() {
    let store = Memory::new();
    let archive = open(&store, frugal()).await;
    let mut places = Vec::new();
    for number in 0..8 {
        places.extend(archive.add(games([2 * number, 2 * number + 1])).await.expect("added"));
    }
    let removed = [0, 2, 4].map(id);
    archive.remove_all(&removed, "a test").await.expect("removed");
    archive.tidy(DAY_MS).await.expect("tidied");
    destroy(&store, &store.names("tables")[0]);
    let archive = open(&store, frugal()).await;
    // The first objects still exist, but must not be read or written again.
    archive.remove(id(1), "a test").await.expect("removed");
    let tidied = archive.tidy(DAY_MS).await.expect("tidied");
    assert_eq!((tidied.rewritten_segments, tidied.damage.len()), (0, 1), "{tidied:?}");
    for (game, place) in &places {
        let read = archive.read_at(*game, place).await;
        assert_eq!(read.is_ok(), !removed.contains(game) && *game != id(1), "{read:?}");
    }
}
