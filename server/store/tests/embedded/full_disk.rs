//! Tests with a disk that is really full: a small file system in memory, if the system lets tests
//! mount it.

use std::path::Path;

use flagfall_board::GameId;
use flagfall_store::{
    AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, Store, StoreError, SystemClock, Update,
    UpdateOutcome,
};

use crate::common::small_disk::SmallDisk;
use crate::common::{append, game, key, put, texts};

fn open(folder: &Path) -> EmbeddedStore {
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
    EmbeddedStore::open(folder, SystemClock, &options).unwrap()
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
    assert!(refusals.len() >= 10, "{refusals:#?}");
}
