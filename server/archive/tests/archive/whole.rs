//! Tests of the whole archive: games are added, found, read and removed.

use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use flagfall_archive::{Archive, ArchiveError, Check, Encoded, Found, Location, Settings, decode, encode};
use flagfall_board::GameId;
use flagfall_rules::rulesets::BARRAGE;

use super::memory::Memory;
use super::played::game_of;

pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

pub(crate) fn settings() -> Settings {
    Settings { pause: Duration::ZERO, ..Settings::default() }
}

/// Returns settings that keep none of the index in memory, and soon move segments to tables.
pub(crate) fn frugal() -> Settings {
    Settings { cache_bytes: 0, resident_games: 0, listed_segments: 2, ..settings() }
}

pub(crate) fn id(number: u8) -> GameId {
    // The order of the ids differs from the order of the numbers.
    GameId::from_random([number.wrapping_mul(5), number, number >> 5, 0, 0, 0, 0, 0, 0, 0, 0, 1])
}

/// The number of games.
const GAMES: u8 = 48;

/// The encoded games. Only a few different logs are used. Each of them is archived under many ids.
static ENCODED: LazyLock<Vec<Encoded>> = LazyLock::new(|| {
    let played: Vec<_> = (0..4).map(|seed| game_of(&BARRAGE, seed, 6)).collect();
    let log = |number: u8| &played[usize::from(number % 4)].log;
    (0..GAMES).map(|number| encode(id(number), log(number), None).expect("an encoded game")).collect()
});

/// Returns the game with this number. Every call returns the same game.
pub(crate) fn game(number: u8) -> (GameId, Encoded) {
    (id(number), ENCODED[usize::from(number)].clone())
}

pub(crate) fn games(numbers: impl IntoIterator<Item = u8>) -> Vec<(GameId, Encoded)> {
    numbers.into_iter().map(game).collect()
}

pub(crate) async fn open(store: &Arc<Memory>, settings: Settings) -> Archive {
    Archive::open(store.clone(), settings).await.expect("an archive")
}

/// Checks that a game can be read and is unchanged.
pub(crate) async fn assert_readable(archive: &Archive, number: u8) {
    let (id, encoded) = game(number);
    let log = archive.read(id).await.expect("an answer").unwrap_or_else(|| panic!("game {number} is lost"));
    assert_eq!(*log, decode(encoded.expose()).expect("a log"), "game {number}");
}

/// Returns all games that a walk over the archive finds. The index must name the same games.
pub(crate) async fn walk(archive: &Archive) -> Vec<GameId> {
    let (mut all, mut after) = (Vec::new(), None);
    while let Some(page) = archive.games(after).await.expect("a page") {
        assert!(page.damage.is_none(), "{:?}", page.damage);
        for (game, location) in page.games {
            assert_eq!(archive.find(game).await.expect("an answer"), Some(Found::At(location)));
            all.push(game);
        }
        after = Some(page.segment);
    }
    all.sort_unstable();
    assert_eq!(archive.all_games().await.expect("games"), all);
    all
}

pub(crate) fn sorted(numbers: impl IntoIterator<Item = u8>) -> Vec<GameId> {
    let mut ids: Vec<GameId> = numbers.into_iter().map(id).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn games_are_added_found_and_read() {
    let store = Memory::new();
    let archive = open(&store, settings()).await;
    assert_eq!(archive.find(id(1)).await.expect("an answer"), None);
    let places = archive.add(games([3, 1, 2, 1])).await.expect("added");
    assert_eq!(places.iter().map(|(game, _)| *game).collect::<Vec<_>>(), [3, 1, 2, 1].map(id));
    // Games that are already in the archive are not written again.
    let objects = store.names("segments").len();
    let again = archive.add(games([1, 2])).await.expect("added");
    assert_eq!((again[0], again[1]), (places[1], places[2]));
    assert_eq!(store.names("segments").len(), objects);
    let more = archive.add(games([2, 4])).await.expect("added");
    assert_eq!(more[0], places[2]);
    // A server that opened the archive earlier finds a new game.
    let other = open(&store.sibling(), frugal()).await;
    archive.add(games([5])).await.expect("added");
    for archive in [&archive, &other] {
        for number in 1..=5 {
            assert_readable(archive, number).await;
        }
        assert_eq!(archive.read(id(6)).await.expect("an answer"), None);
        assert_eq!(walk(archive).await, sorted(1..=5));
        assert_eq!(archive.games_len(), 5);
    }
    let (one, wrong) = (game(1), game(2).1);
    let refused = archive.add(vec![(one.0, wrong)]).await;
    assert!(matches!(refused, Err(ArchiveError::WrongGame(_))));
    assert!(archive.add(Vec::new()).await.expect("nothing is added").is_empty());
}

#[tokio::test]
async fn few_reads_are_needed() {
    let store = Memory::new();
    let archive = open(&store, settings()).await;
    let mut places = Vec::new();
    for number in 0..12 {
        places.extend(archive.add(vec![game(number)]).await.expect("added"));
    }
    assert!(archive.tidy(DAY_MS).await.expect("tidied").merged_runs > 0);
    assert_eq!(store.names("index").len(), 12 + 1);
    for settings in [frugal(), settings()] {
        let store = store.sibling();
        let archive = open(&store, settings.clone()).await;
        for (number, (game, location)) in (0..).zip(&places) {
            let read = async { archive.read_at(*game, location).await.expect("a log").game };
            assert_eq!(count(&store, read).await, (1, *game));
            let (reads, ()) = count(&store, assert_readable(&archive, number)).await;
            assert_eq!(reads, if settings.cache_bytes > 0 { 0 } else { 2 });
        }
    }
}

/// Returns the number of reads of objects, and the result.
async fn count<T>(store: &Memory, read: impl Future<Output = T>) -> (usize, T) {
    let before = store.reads.load(Ordering::Relaxed);
    let result = read.await;
    (store.reads.load(Ordering::Relaxed) - before, result)
}

#[tokio::test]
async fn removed_games_cannot_be_read_and_are_overwritten() {
    let store = Memory::new();
    let archive = open(&store, settings()).await;
    let places = archive.add(games(0..4)).await.expect("added");
    archive.add(games([4, 6])).await.expect("added");
    let other = open(&store.sibling(), frugal()).await;
    assert_readable(&archive, 1).await;

    assert!(archive.remove(id(1), "by order of a court").await.expect("removed"));
    assert!(!archive.remove(id(1), "again").await.expect("an answer"));
    assert!(!archive.remove(id(9), "never there").await.expect("an answer"));
    other.refresh().await.expect("the newest manifest");
    for archive in [&archive, &other, &open(&store, settings()).await] {
        let removed = Found::Removed { reason: "by order of a court".to_owned() };
        assert_eq!(archive.find(id(1)).await.expect("an answer"), Some(removed));
        assert_eq!(archive.read(id(1)).await.expect("an answer"), None);
        let read = archive.read_at(id(1), &places[1].1).await;
        assert!(matches!(read, Err(ArchiveError::Removed(_))), "{read:?}");
    }
    // A removed game is not added again.
    let added = archive.add(games([1, 2])).await.expect("added");
    assert_eq!(added, [places[2]]);

    let secret = game(1).1.expose()[20..60].to_vec();
    let has = |name: &str| store.bytes(name).windows(secret.len()).any(|window| window == secret);
    let has_secret = || store.names("segments").iter().filter(|name| has(name)).count();
    assert_eq!(has_secret(), 1);
    let tidied = archive.tidy(DAY_MS).await.expect("tidied");
    assert_eq!((tidied.rewritten_segments, tidied.damage.len()), (1, 0));
    // The old segment is deleted after a day.
    assert_eq!(archive.tidy(2 * DAY_MS - 1).await.expect("tidied").rewritten_segments, 0);
    assert_eq!(has_secret(), 1);
    archive.tidy(2 * DAY_MS).await.expect("tidied");
    assert_eq!(has_secret(), 0);
    assert_eq!(walk(&archive).await, sorted([0, 2, 3, 4, 6]));
    // The other games keep their places, so a server with an old manifest finds them.
    for (game, location) in places.into_iter().filter(|(game, _)| *game != id(1)) {
        assert_eq!(other.read_at(game, &location).await.expect("a log").game, game);
    }
    assert!(matches!(archive.find(id(1)).await, Ok(Some(Found::Removed { .. }))));
    let report = archive.check(Check::All, |_, _| ()).await.expect("checked");
    assert_eq!((report.games, report.replayed, report.damage), (5, 5, vec![]));
}

#[tokio::test]
async fn manifests_stay_few_and_short() {
    let store = Memory::new();
    let archive = open(&store, frugal()).await;
    for number in 0..40 {
        archive.add(vec![game(number)]).await.expect("added");
        if number % 2 == 0 && number < 36 {
            archive.remove(id(number), "a test").await.expect("removed");
        }
        if number % 5 == 4 {
            archive.tidy(DAY_MS * u64::from(number)).await.expect("tidied");
        }
    }
    for day in 100..103 {
        archive.tidy(DAY_MS * day).await.expect("tidied");
    }
    assert!(store.names("manifest").len() <= 8);
    assert!(store.names("deleted").len() <= 16);
    assert_eq!((store.names("index").len(), store.names("tables").len()), (1, 1));
    assert_eq!(store.names("segments").len(), 40);
    let archive = open(&store, frugal()).await;
    assert_eq!(walk(&archive).await, sorted((0..40).filter(|number| number % 2 == 1 || *number >= 36)));
    for number in (0..36).step_by(2) {
        let found = archive.find(id(number)).await;
        assert!(matches!(found, Ok(Some(Found::Removed { .. }))), "{found:?}");
    }
}

#[tokio::test]
async fn the_numbers_of_rewritten_segments_move_to_tables() {
    let store = Memory::new();
    let archive = open(&store, frugal()).await;
    let mut places = Vec::new();
    for number in 0..40 {
        places.extend(archive.add(vec![game(number)]).await.expect("added"));
    }
    archive.tidy(DAY_MS).await.expect("tidied");
    let newest = || store.bytes(store.names("manifest").last().expect("a manifest"));
    let lists_none = || newest().windows(14).any(|bytes| bytes == b"\"rewritten\":{}");
    let before = newest().len();
    for day in 2_u8..8 {
        let removed: Vec<GameId> = (0..5).map(|number| id(day * 5 + number)).collect();
        assert_eq!(archive.remove_all(&removed, "a test").await.expect("removed"), 5);
        let tidied = archive.tidy(u64::from(day) * DAY_MS).await.expect("tidied");
        assert_eq!((tidied.rewritten_segments, tidied.damage.len()), (5, 0));
        assert!(lists_none(), "the manifest still names rewritten segments");
    }
    for day in 8..11 {
        archive.tidy(day * DAY_MS).await.expect("tidied");
    }
    assert!(newest().len() < before + 200, "{} bytes, then {}", before, newest().len());
    assert_eq!((store.names("segments").len(), store.names("tables").len()), (40, 1));
    for archive in [&archive, &open(&store, frugal()).await, &open(&store, settings()).await] {
        assert_eq!(walk(archive).await, sorted(0..10));
        for (game, place) in &places {
            let read = archive.read_at(*game, place).await;
            assert_eq!(read.is_ok(), sorted(0..10).contains(game), "{read:?}");
        }
        let report = archive.check(Check::All, |_, _| ()).await.expect("checked");
        assert_eq!((report.games, report.segments, report.damage), (10, 40, vec![]));
    }
}

#[tokio::test]
async fn many_games_are_removed_by_one_manifest() {
    let store = Memory::new();
    let archive = open(&store, settings()).await;
    archive.add(games(0..20)).await.expect("added");
    let before = archive.manifest();
    let removed: Vec<GameId> = [1, 30, 3, 5, 1].map(id).to_vec();
    assert_eq!(archive.remove_all(&removed, "a test").await.expect("removed"), 3);
    assert_eq!(archive.manifest(), before + 1);
    assert_eq!(archive.remove_all(&removed, "again").await.expect("removed"), 0);
    assert_eq!((archive.manifest(), store.names("deleted").len()), (before + 1, 1));
    assert_eq!(walk(&archive).await, sorted((0..20).filter(|number| ![1, 3, 5].contains(number))));
}

#[tokio::test]
async fn removing_games_that_were_never_archived_writes_nothing() {
    let store = Memory::new();
    open(&store, settings()).await.add(games(0..3)).await.expect("added");
    let (archive, before) = (open(&store, settings()).await, store.names(""));
    assert_eq!(archive.remove_all(&[id(30), id(31)], "a test").await.expect("an answer"), 0);
    assert_eq!(store.names(""), before);
    assert_eq!(archive.remove_all(&[id(30), id(1)], "a test").await.expect("removed"), 1);
}

#[tokio::test]
async fn an_archive_that_was_not_read_yet_is_never_created_and_never_another_one() {
    let (store, empty, other) = (Memory::new(), Memory::new(), Memory::new());
    let archive = open(&store, settings()).await;
    let places = archive.add(games(0..3)).await.expect("added");
    archive.remove(id(1), "a test").await.expect("removed");
    open(&other, settings()).await.add(games(0..3)).await.expect("added");
    for (objects, found) in [(&empty, false), (&other, true)] {
        let objects_before = objects.names("");
        let unread = Archive::unread(objects.clone(), settings(), archive.id());
        let refused = |error: ArchiveError| {
            assert!(!error.is_damage(), "{error}");
            assert!(
                matches!(error, ArchiveError::Other { found: id, .. } if id.is_some() == found),
                "{error}"
            );
        };
        refused(unread.refresh().await.expect_err("refused"));
        refused(unread.read(id(0)).await.expect_err("refused"));
        refused(unread.find(id(9)).await.expect_err("refused"));
        refused(unread.read_at(id(0), &places[0].1).await.expect_err("refused"));
        refused(unread.add(games([7])).await.expect_err("refused"));
        refused(unread.remove(id(0), "a test").await.expect_err("refused"));
        assert_eq!(objects.names(""), objects_before);
    }
    // The place of a game may be known before the archive was read, and the game may be removed.
    let unread = || Archive::unread(store.sibling(), settings(), archive.id());
    let removed = unread().read_at(id(1), &places[1].1).await;
    assert!(matches!(removed, Err(ArchiveError::Removed(_))), "{removed:?}");
    assert_eq!(unread().read_at(id(0), &places[0].1).await.expect("a log").game, id(0));
    assert_eq!(unread().find(id(9)).await.expect("an answer"), None);
    let unread = unread();
    unread.add(games([4])).await.expect("added");
    assert_readable(&unread, 4).await;
    // Storage that overwrites objects is noticed before the first manifest.
    let overwrites = store.sibling();
    overwrites.overwrite();
    let unread = Archive::unread(overwrites, settings(), archive.id());
    assert_readable(&unread, 0).await;
    assert!(matches!(unread.add(games([5])).await, Err(ArchiveError::Overwrites)));
}

#[tokio::test]
async fn a_segment_is_read_at_once() {
    let store = Memory::new();
    let archive = open(&store, settings()).await;
    let places = archive.add(games(0..4)).await.expect("added");
    archive.remove(id(2), "a test").await.expect("removed");
    let mut seen = Vec::new();
    let each = |game, log: Result<flagfall_archive::Log, _>| seen.push((game, log.expect("a log").game));
    archive.read_segment(places[0].1.segment, each).await.expect("a segment");
    seen.sort_unstable();
    assert_eq!(seen, sorted([0, 1, 3]).into_iter().map(|game| (game, game)).collect::<Vec<_>>());
}

/// Checks that the futures are `Send`, because the server's tasks may move between threads.
#[tokio::test]
async fn operations_may_move_between_threads() {
    fn assert_send(_: impl Send) {}
    let archive = open(&Memory::new(), settings()).await;
    let place = Location { segment: 0, at: 0, length: 0 };
    assert_send(Archive::open(Memory::new(), settings()));
    assert_send(archive.add(Vec::new()));
    assert_send(archive.read(id(1)));
    assert_send(archive.read_at(id(1), &place));
    assert_send(archive.remove(id(1), "a test"));
    assert_send(archive.tidy(DAY_MS));
    assert_send(archive.check(Check::All, |_, _| ()));
    assert_send(archive.games(None));
    assert_send(archive.read_segment(1, |_, _| ()));
}
