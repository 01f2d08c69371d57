//! Tests with a disk that is really full: a small file system in memory, if the system lets tests
//! mount it.

use std::fs;
use std::path::Path;

use flagfall_board::GameId;
use flagfall_store::embedded::backup::{BackupError, back_up, restore};
use flagfall_store::{
    AppendOutcome, EmbeddedOpenError, EmbeddedOptions, EmbeddedStore, Head, Store, StoreError, SystemClock,
    Transfer, Update, UpdateOutcome,
};

use crate::common::small_disk::SmallDisk;
use crate::common::{append, copy_folder, game, key, put, scratch, texts};
use crate::convert::folder_of_0_1;
use crate::{NOON, fill};

fn open(folder: &Path) -> EmbeddedStore {
    try_open(folder).unwrap()
}

fn try_open(folder: &Path) -> Result<EmbeddedStore, EmbeddedOpenError> {
    // The store does not pause before the disk is full, so any write may be the one that finds it
    // full.
    let options = EmbeddedOptions {
        segment_bytes: 100_000,
        checkpoint_bytes: 30_000,
        compact_bytes: 300_000,
        pause_below: 0,
        resume_from: 0,
        ..EmbeddedOptions::default()
    };
    EmbeddedStore::open(folder, SystemClock, &options)
}

/// Appends to the game of the current round, and changes a record. An error means that the disk
/// is full.
async fn change(store: &EmbeddedStore, ledger: &mut Ledger, number: u32) -> Result<(), StoreError> {
    let (game, entries) = ledger.games.last_mut().unwrap();
    let text = number.to_string();
    match store.append(append(*game, ledger.head, &[&text])).await? {
        AppendOutcome::Ok { head, .. } => ledger.head = head,
        outcome => panic!("{text}: {outcome:?}"),
    }
    entries.push(text.clone());
    let value = text.repeat(300);
    let update = Update { conditions: vec![], writes: vec![put("large", &value)] };
    assert_eq!(store.update(update).await?, UpdateOutcome::Ok);
    ledger.large = Some(value.into_bytes());
    Ok(())
}

/// The acknowledged changes.
struct Ledger {
    /// The games, one for each round, with their entries.
    games: Vec<(GameId, Vec<String>)>,
    /// The head of the last game in `games`.
    head: Head,
    large: Option<Vec<u8>>,
}

impl Ledger {
    async fn check(&self, store: &EmbeddedStore) {
        for (game, entries) in &self.games {
            assert!(texts(store, *game).await == *entries, "{game}");
        }
        assert_eq!(store.get(key("large")).await, Ok(self.large.clone()));
        assert_eq!((store.losses(), store.failure()), (&[][..], None));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_really_full_loses_nothing() {
    let Some(disk) = SmallDisk::mount(48) else { return };
    let mut store = open(&disk.data());
    let mut ledger = Ledger { games: Vec::new(), head: Head::START, large: None };
    let mut refusals = Vec::new();
    for round in 0..24 {
        ledger.games.push((game(round), Vec::new()));
        ledger.head = Head::START;
        disk.leave(u64::from(round) % 10 * 37_000);
        // Compaction may free enough space for all changes, so not every round ends with a
        // refusal.
        for number in 0..200 {
            if let Err(refusal) = change(&store, &mut ledger, number).await {
                assert!(store.heartbeat().await.is_err(), "{round}: {refusal}");
                refusals.push(refusal.to_string());
                break;
            }
        }
        ledger.check(&store).await;
        disk.make_room();
        store.heartbeat().await.unwrap();
        if round % 8 == 7 {
            drop(store);
            store = open(&disk.data());
            ledger.check(&store).await;
        }
    }
    // Three rounds leave no space at all.
    assert!(refusals.len() >= 3, "{refusals:#?}");
}

/// Does something again and again, each time with a little more space on the disk, until it
/// succeeds. After each refusal, does it with enough space. Returns the number of refusals.
fn with_more_and_more_room<E>(
    disk: &SmallDisk,
    begin: impl Fn(),
    work: impl Fn() -> Result<(), E>,
    check_refusal: impl Fn(&E),
) -> usize {
    for step in 0.. {
        begin();
        disk.leave(step * 20_000);
        let worked = work();
        disk.make_room();
        let Err(refusal) = worked else { return step as usize };
        check_refusal(&refusal);
        assert!(work().is_ok());
    }
    unreachable!("the disk has an end")
}

#[tokio::test]
async fn a_conversion_a_backup_and_a_restore_that_find_the_disk_full_can_be_repeated() {
    let Some(disk) = SmallDisk::mount(48) else { return };
    let (old, data, backup, place) = (folder_of_0_1(), scratch(), scratch(), disk.data());
    let clear = || {
        if place.exists() {
            fs::remove_dir_all(&place).unwrap();
        }
    };
    let begin = || {
        clear();
        copy_folder(old.path(), &place);
    };
    let check = |refusal: &EmbeddedOpenError| {
        assert!(refusal.to_string().contains("No space left"), "{refusal}");
        assert!(place.join("log").exists() || place.join("db").exists());
    };
    assert!(with_more_and_more_room(&disk, begin, || try_open(&place).map(drop), check) > 1);
    let store = open(&place);
    assert_eq!((store.games().await.unwrap().len(), store.losses()), (2, &[][..]));
    drop(store);

    let store = open(data.path());
    fill(&store, data.path(), 200).await;
    let back = |target: &Path| back_up(data.path(), &[], target, NOON, &mut |_, _| {}).map(drop);
    back(backup.path()).unwrap();
    let restore = |from: &Path, to: &Path| restore(from, to, NOON, &mut |_, _| {}).map(drop);
    let check = |refusal: &BackupError| assert!(matches!(refusal, BackupError::NoRoom { .. }), "{refusal}");
    assert!(with_more_and_more_room(&disk, clear, || back(&place), check) > 1);
    let restored = scratch();
    restore(&place, restored.path()).unwrap();
    assert_eq!(texts(&open(restored.path()), game(2)).await.len(), 200);
    assert!(with_more_and_more_room(&disk, clear, || restore(backup.path(), &place), check) > 1);
    assert_eq!(texts(&open(&place), game(2)).await.len(), 200);
}
