//! Tests with a full disk. No matter which write fails, no acknowledged change is lost, no
//! refused change is stored, and the store resumes when there is space again.

mod start;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall_board::{GameId, Stamp};
use tempfile::TempDir;

use super::backup::{BackupError, back_up, restore};
use super::disk::planted;
use super::files::Point;
use super::notes::Notes;
use super::{EmbeddedOptions, EmbeddedStore};
use crate::clock::SystemClock;
use crate::clock::manual_clock::ManualClock;
use crate::store::{
    Append, AppendOutcome, DiskSpace, OUTAGES_KEY, Outage, ReadError, Store, StoreError, Update,
    UpdateOutcome, Write,
};
use crate::transfer::Transfer;
use crate::value::{Head, Key, SecretBytes};

/// The number of changes in a test, enough to include every kind of change.
const CHANGES: u64 = 48;
const MIB: u64 = 1024 * 1024;
const NOON: Stamp = Stamp(1_700_000_000_000);

/// Options with which a few changes are enough to cause every kind of write.
fn small() -> EmbeddedOptions {
    EmbeddedOptions {
        segment_bytes: 1_500,
        checkpoint_bytes: 700,
        compact_bytes: 3_000,
        allocate_bytes: 400,
        ..EmbeddedOptions::default()
    }
}

fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn open(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, SystemClock, &small()).unwrap()
}

fn fill(folder: &Path, room_for: Option<u64>) {
    planted::with(folder, |disk| disk.room_for = room_for);
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else if !path.components().any(|part| part.as_os_str() == "index") {
            // A checkpoint may remove files of notes during the copy.
            match fs::copy(&path, &target) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                copied => assert!(copied.is_ok(), "{copied:?}"),
            }
        }
    }
}

fn game(number: u64) -> GameId {
    GameId::from_random([number as u8; 12])
}

fn put(name: &str, value: &str) -> Write {
    Write::Put { key: Key::new(name).unwrap(), value: value.into(), expires: None }
}

/// The changes that the store has acknowledged.
#[derive(Default)]
struct Ledger {
    games: HashMap<GameId, Vec<String>>,
    heads: HashMap<GameId, Head>,
    records: BTreeMap<String, String>,
    epoch: u64,
}

impl Ledger {
    /// Makes the change with this number. If the store acknowledges the change, adds it to the
    /// ledger and returns true.
    async fn change(&mut self, store: &EmbeddedStore, number: u64) -> bool {
        let text = number.to_string();
        let done = match number % 4 {
            0 | 1 => {
                let game = game(number % 3);
                let body = SecretBytes::new(text.clone().into_bytes());
                let expected = self.heads.get(&game).copied().unwrap_or(Head::START);
                let writes = vec![put("last", &text)];
                let bodies = vec![body];
                let append = Append { game, expected, deadline: None, not_before: None, bodies, writes };
                store.append(append).await.map(|outcome| {
                    let AppendOutcome::Ok { head, .. } = outcome else { panic!("{number}: {outcome:?}") };
                    self.heads.insert(game, head);
                    self.games.entry(game).or_default().push(text.clone());
                    self.records.insert("last".to_owned(), text);
                })
            }
            2 => {
                let value = text.repeat(100);
                let update = Update { conditions: vec![], writes: vec![put("large", &value)] };
                store.update(update).await.map(|outcome| {
                    assert_eq!(outcome, UpdateOutcome::Ok);
                    self.records.insert("large".to_owned(), value);
                })
            }
            _ if number % 16 == 15 => store.bump_epoch().await.map(|epoch| self.epoch = epoch),
            _ => {
                let game = game(number % 3);
                store.delete_log(game).await.map(|()| {
                    self.heads.remove(&game);
                    self.games.remove(&game);
                })
            }
        };
        assert!(!matches!(done, Err(StoreError::Limit(_) | StoreError::Damaged { .. })), "{done:?}");
        done.is_ok()
    }

    async fn check(&self, store: &EmbeddedStore, at: &str) {
        for number in 0..3 {
            let game = game(number);
            let found = store.read(game, 0, usize::MAX).await.unwrap();
            let found = found.iter().map(|entry| String::from_utf8(entry.body.expose().to_vec()).unwrap());
            assert_eq!(found.collect::<Vec<_>>(), self.games.get(&game).cloned().unwrap_or_default(), "{at}");
        }
        for name in ["last", "large"] {
            let found = store.get(Key::new(name).unwrap()).await.unwrap();
            let known = self.records.get(name).map(|value| value.clone().into_bytes());
            assert_eq!(found, known, "{at}: {name}");
        }
        assert_eq!(store.epoch().await, Ok(self.epoch), "{at}");
        assert_eq!((store.losses(), store.failure()), (&[][..], None), "{at}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_full_at_any_write_loses_nothing() {
    let folder = scratch();
    let mut store = open(folder.path());
    let mut ledger = Ledger { epoch: store.epoch().await.unwrap(), ..Ledger::default() };
    let mut refusals = 0;
    for number in 0..CHANGES {
        // In each attempt, one more write succeeds before the disk is full.
        for room_for in 0.. {
            fill(folder.path(), Some(room_for));
            let is_taken = ledger.change(&store, number).await;
            let at = format!("change {number}, room for {room_for} writes");
            ledger.check(&store, &at).await;
            if !is_taken {
                refusals += 1;
                assert!(store.disk_space().unwrap().is_paused, "{at}");
            }
            if !is_taken && refusals % 8 == 1 {
                // This copy is like the folder of a killed process.
                let killed = scratch();
                copy_folder(folder.path(), killed.path());
                ledger.check(&open(killed.path()), &at).await;
            }
            // In each round, one more write succeeds, until the heartbeat is stored.
            let mut room = 0;
            while let Err(error) = store.heartbeat().await {
                assert!(room < 20, "{at}: {error}");
                fill(folder.path(), Some(room));
                room += 1;
            }
            ledger.check(&store, &at).await;
            fill(folder.path(), None);
            if is_taken {
                break;
            }
        }
        if number % 8 == 7 {
            drop(store);
            store = open(folder.path());
            ledger.check(&store, &format!("opened after change {number}")).await;
        }
    }
    // The store usually writes the index in the background, so only a stop is certain to write it
    // while the disk is full. A stop begins a new file of notes before it writes the index.
    fill(folder.path(), Some(1));
    drop(store);
    fill(folder.path(), None);
    ledger.check(&open(folder.path()), "opened after a stop on a full disk").await;
    let kinds = [".new", ".seg", "alive", "index", "notes-", "trial"].map(str::to_owned);
    let refused = planted::with(folder.path(), |disk| std::mem::take(&mut disk.refused));
    assert_eq!(refused.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from(kinds));
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_that_found_no_room_leave_no_gap() {
    let folder = scratch();
    let options = EmbeddedOptions { segment_bytes: 300, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap();
    let mut ledger = Ledger { epoch: store.epoch().await.unwrap(), ..Ledger::default() };
    for number in 0..CHANGES {
        for room_for in 0.. {
            fill(folder.path(), Some(room_for));
            let is_taken = ledger.change(&store, number).await;
            fill(folder.path(), None);
            store.heartbeat().await.unwrap();
            if is_taken {
                break;
            }
        }
    }
    let noted = Notes::look(folder.path()).unwrap().unwrap();
    assert!(noted.are_complete(Point { segment: 1, at: 1_000 }, None), "{noted:?}");
}

fn set_free(folder: &Path, free_bytes: u64) {
    planted::with(folder, |disk| disk.free_bytes = Some(free_bytes));
}

#[tokio::test]
async fn a_store_pauses_a_little_before_the_disk_is_full_and_makes_room() {
    let folder = scratch();
    set_free(folder.path(), 1024 * MIB);
    let store = open(folder.path());
    let mut ledger = Ledger { epoch: store.epoch().await.unwrap(), ..Ledger::default() };
    for number in 0..40 {
        assert!(ledger.change(&store, number).await);
    }
    store.heartbeat().await.unwrap();
    set_free(folder.path(), 127 * MIB);
    let refused = store.heartbeat().await.unwrap_err().to_string();
    assert!(
        refused.contains("almost full (127 MiB are free). Games go on by themselves when 192 MiB are free"),
        "{refused}"
    );
    assert_eq!(store.disk_space(), Some(DiskSpace { free_bytes: 127 * MIB, is_paused: true }));
    assert!(store.paused().is_some_and(|why| refused.ends_with(&why)));
    for number in [0, 2] {
        assert!(!ledger.change(&store, number).await);
    }
    // Even on a full disk, requests that free space are carried out.
    let (before, deletion) = (segments(folder.path()), 43);
    assert!(ledger.change(&store, deletion).await);
    assert_eq!(store.sweep().await, Ok(0));
    // Wait until the oldest segment is removed. If there is only one segment, compaction has
    // already removed all others, and the last one stays.
    while before.len() > 1 && segments(folder.path()).first() == before.first() {
        assert!(store.heartbeat().await.is_err());
    }
    ledger.check(&store, "while it pauses").await;
    set_free(folder.path(), 191 * MIB);
    assert!(store.heartbeat().await.is_err(), "clearly more must be free");
    set_free(folder.path(), 192 * MIB);
    store.heartbeat().await.unwrap();
    assert_eq!((ledger.change(&store, 0).await, store.paused()), (true, None));
}

fn segments(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn clocks_stand_still_while_the_disk_is_full() {
    for is_low in [false, true] {
        let folder = scratch();
        let clock = Arc::new(ManualClock::new(NOON));
        let store = EmbeddedStore::open(folder.path(), clock.clone(), &small()).unwrap();
        let mut ledger = Ledger { epoch: store.epoch().await.unwrap(), ..Ledger::default() };
        store.heartbeat().await.unwrap();
        clock.advance_ms(400);
        if is_low {
            set_free(folder.path(), MIB);
            assert!(store.heartbeat().await.is_err());
        } else {
            fill(folder.path(), Some(0));
        }
        assert!(!ledger.change(&store, 0).await);
        for _ in 0..60 {
            clock.advance_ms(1_000);
            assert!(store.heartbeat().await.is_err());
        }
        assert_eq!((store.outage(), store.silent_since()), (None, Some(NOON)));
        fill(folder.path(), None);
        set_free(folder.path(), 1024 * MIB);
        clock.advance_ms(600);
        store.heartbeat().await.unwrap();
        let outage = Outage { since: NOON, until: NOON.plus_ms(61_000) };
        assert_eq!((store.outage(), store.silent_since()), (Some(outage), None));
        let kept = store.get(Key::new(OUTAGES_KEY).unwrap()).await.unwrap();
        assert_eq!(kept, Some(format!("[[{},{}]]", outage.since.0, outage.until.0).into_bytes()));
    }
}

#[tokio::test]
async fn an_outage_that_finds_no_room_is_recorded_later() {
    let folder = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let store = EmbeddedStore::open(folder.path(), clock.clone(), &small()).unwrap();
    store.heartbeat().await.unwrap();
    clock.advance_ms(20_000);
    assert_eq!(store.outage(), None);
    // The disk has space for the heartbeat itself, but not for the record of outages.
    fill(folder.path(), Some(1));
    assert!(store.heartbeat().await.is_err());
    fill(folder.path(), None);
    store.heartbeat().await.unwrap();
    let kept = store.get(Key::new(OUTAGES_KEY).unwrap()).await.unwrap();
    assert_eq!(kept, Some(format!("[[{},{}]]", NOON.0, NOON.0 + 20_000).into_bytes()));
}

#[tokio::test]
async fn a_store_that_is_opened_on_a_full_disk_says_so_and_can_be_read() {
    let folder = scratch();
    let store = open(folder.path());
    let mut ledger = Ledger { epoch: store.epoch().await.unwrap(), ..Ledger::default() };
    assert!(ledger.change(&store, 0).await);
    drop(store);
    set_free(folder.path(), 63 * MIB);
    let refused =
        EmbeddedStore::open(folder.path(), SystemClock, &small()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("is full (63 MiB are free), and to open the store needs 64 MiB"), "{refused}");
    set_free(folder.path(), 100 * MIB);
    let store = open(folder.path());
    assert!(store.paused().is_some());
    ledger.check(&store, "opened").await;
    assert!(!ledger.change(&store, 1).await);
    set_free(folder.path(), 200 * MIB);
    store.heartbeat().await.unwrap();
    assert!(ledger.change(&store, 1).await);
}

fn folder_of_0_1() -> TempDir {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/0.1/data");
    let folder = scratch();
    copy_folder(&fixture, folder.path());
    for keyspace in fs::read_dir(folder.path().join("db/keyspaces")).unwrap() {
        fs::create_dir_all(keyspace.unwrap().path().join("tables")).unwrap();
    }
    folder
}

#[tokio::test]
async fn a_conversion_that_finds_no_room_asks_for_room_and_changes_nothing() {
    let mut refused = BTreeSet::new();
    for room_for in 0.. {
        let folder = folder_of_0_1();
        fill(folder.path(), Some(room_for));
        let opened = EmbeddedStore::open(folder.path(), SystemClock, &small()).map(drop);
        fill(folder.path(), None);
        let Err(refusal) = opened else { break };
        if !folder.path().join("log").exists() {
            let text = refusal.to_string();
            assert!(
                text.contains("Make room, then start again: what was there before is untouched"),
                "{text}"
            );
            refused.extend(planted::with(folder.path(), |disk| std::mem::take(&mut disk.refused)));
        }
        let store = open(folder.path());
        assert_eq!((store.games().await.map(|games| games.len()), store.losses()), (Ok(2), &[][..]));
    }
    let kinds = [".jnl", ".new", ".seg", "converted", "current", "lock", "v", "version"].map(str::to_owned);
    assert_eq!(refused, BTreeSet::from(kinds));
}

#[tokio::test]
async fn a_conversion_tells_its_progress() {
    let folder = folder_of_0_1();
    let (place, path) = (scratch(), "logs");
    let logs = fs::File::create(place.path().join(path)).unwrap();
    let logs = tracing_subscriber::fmt().with_writer(std::sync::Mutex::new(logs));
    tracing::subscriber::with_default(logs.with_ansi(false).finish(), || drop(open(folder.path())));
    let text = fs::read_to_string(place.path().join(path)).unwrap();
    for told in [
        "the data folder is of version 0.1: converting it",
        "converting the data folder games=2 total=2",
        "converting the data folder records=1",
        "the data folder is converted; its old files stay in version-0.1",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

/// Makes a backup of a store with one game.
async fn backup_of_a_game(data: &Path, target: &Path) -> Ledger {
    let store = open(data);
    let mut ledger = Ledger { epoch: store.epoch().await.unwrap(), ..Ledger::default() };
    assert!(ledger.change(&store, 0).await);
    back_up(data, &[], target, NOON, &mut |_, _| {}).unwrap();
    ledger
}

/// Checks that a backup contains exactly these changes.
async fn check_backup(target: &Path, mut ledger: Ledger) {
    let folder = scratch();
    restore(target, folder.path(), NOON, &mut |_, _| {}).unwrap();
    let store = open(folder.path());
    // A restore begins a new epoch.
    ledger.epoch = store.epoch().await.unwrap();
    ledger.check(&store, "restored").await;
}

#[tokio::test]
async fn a_backup_that_finds_no_room_leaves_the_one_before() {
    let mut refused = BTreeSet::new();
    for room_for in 0.. {
        let (data, target) = (scratch(), scratch());
        let mut ledger = backup_of_a_game(data.path(), target.path()).await;
        let before =
            Ledger { games: ledger.games.clone(), records: ledger.records.clone(), ..Ledger::default() };
        let store = open(data.path());
        for number in [1, 2, 4, 5, 6, 8] {
            assert!(ledger.change(&store, number).await);
        }
        let back_up = || back_up(data.path(), &[], target.path(), NOON, &mut |_, _| {}).map(drop);
        fill(target.path(), Some(room_for));
        let made = back_up();
        fill(target.path(), None);
        let Err(refusal) = made else { break };
        assert!(matches!(refusal, BackupError::NoRoom { .. }), "{refusal}");
        refused.extend(planted::with(target.path(), |disk| std::mem::take(&mut disk.refused)));
        check_backup(target.path(), before).await;
        back_up().unwrap();
        check_backup(target.path(), ledger).await;
    }
    assert!(refused.len() >= 3 && refused.contains("manifest.new"), "{refused:?}");
}

#[tokio::test]
async fn a_restore_that_finds_no_room_can_be_repeated() {
    let (data, target) = (scratch(), scratch());
    let mut ledger = backup_of_a_game(data.path(), target.path()).await;
    let mut refused = BTreeSet::new();
    for room_for in 0.. {
        let folder = scratch();
        let restore = || restore(target.path(), folder.path(), NOON, &mut |_, _| {}).map(drop);
        fill(folder.path(), Some(room_for));
        let restored = restore();
        fill(folder.path(), None);
        let Err(refusal) = restored else { break };
        assert!(matches!(refusal, BackupError::NoRoom { .. }), "{refusal}");
        refused.extend(planted::with(folder.path(), |disk| std::mem::take(&mut disk.refused)));
        restore().unwrap();
        let store = open(folder.path());
        ledger.epoch = store.epoch().await.unwrap();
        ledger.check(&store, "restored").await;
    }
    assert!(refused.contains("alive") && refused.contains(".new"), "{refused:?}");
}

#[tokio::test]
async fn a_write_that_fails_for_another_reason_fails_the_store() {
    let folder = scratch();
    // With these options, a checkpoint follows each group that succeeds.
    let options = EmbeddedOptions { checkpoint_bytes: 0, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap();
    planted::with(folder.path(), |disk| (disk.room_for, disk.is_broken) = (Some(0), true));
    let bodies = vec![SecretBytes::new(b"a".to_vec())];
    let (game, writes) = (game(1), Vec::new());
    let append = Append { game, expected: Head::START, deadline: None, not_before: None, bodies, writes };
    assert_eq!(store.append(append).await, Ok(AppendOutcome::Unknown));
    // The store fails, because the append may exist after a restart.
    assert!(store.failure().is_some() && store.heartbeat().await.is_err());
    assert!(matches!(store.head(game).await, Err(ReadError::Unavailable { .. })));
    drop(store);
    // The first write to fail allocates space in advance, and the second writes the group.
    assert_eq!(planted::with(folder.path(), |disk| disk.refused.clone()), [".seg"; 2]);
    fill(folder.path(), None);
    assert!(open(folder.path()).head(game).await.is_ok());
}

#[tokio::test]
async fn damage_found_on_a_full_disk_is_remembered() {
    let folder = scratch();
    let store = open(folder.path());
    fill(folder.path(), Some(0));
    let found = "as a test".to_owned();
    Transfer::put_aside(&store, game(1), found.clone()).await.unwrap();
    assert!(store.heartbeat().await.is_err() || store.heartbeat().await.is_err());
    fill(folder.path(), None);
    store.heartbeat().await.unwrap();
    drop(store);
    assert_eq!(open(folder.path()).quarantined().await, Ok(vec![(game(1), found)]));
}
