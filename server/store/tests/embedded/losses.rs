//! Tests of damage in old segments: it is named once, also by a compaction, and it costs nothing
//! else.

use std::fs;
use std::path::Path;

use flagfall_board::GameId;
use flagfall_store::embedded::Inspection;
use flagfall_store::{
    AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, Store, SystemClock, Transfer, Update, UpdateOutcome,
};

use crate::common::{append, append_ok, copy_folder, game, key, put, scratch, texts, until};
use crate::damage::{overwrite, remove_notes};
use crate::{fill, length, segment};

/// Opens a store with short segments.
fn open(folder: &Path) -> EmbeddedStore {
    let options = EmbeddedOptions {
        segment_bytes: 1_500,
        checkpoint_bytes: 1_000,
        compact_bytes: 10_000,
        allocate_bytes: 0,
        ..EmbeddedOptions::default()
    };
    EmbeddedStore::open(folder, SystemClock, &options).unwrap()
}

/// Makes the next start read the whole log, like after a kill.
fn unseal(folder: &Path) {
    fs::remove_file(folder.join("index.sum")).unwrap();
}

async fn update(store: &EmbeddedStore, name: &str, value: &str) {
    let update = Update { conditions: vec![], writes: vec![put(name, value)] };
    assert_eq!(store.update(update).await, Ok(UpdateOutcome::Ok));
}

async fn quarantined(store: &EmbeddedStore) -> Vec<GameId> {
    store.quarantined().await.unwrap().into_iter().map(|(game, _)| game).collect()
}

#[tokio::test]
async fn compacting_a_damaged_segment_names_its_games_and_keeps_its_records() {
    let folder = scratch();
    let path = segment(folder.path(), 1);
    let store = open(folder.path());
    append_ok(&store, append(game(1), Head::START, &["whole"])).await;
    let two = append_ok(&store, append(game(2), Head::START, &["first"])).await;
    let three = append_ok(&store, append(game(3), Head::START, &["first"])).await;
    let begun = length(&path);
    let epoch = store.bump_epoch().await.unwrap();
    Transfer::put_aside(&store, game(5), "as a test".to_owned()).await.unwrap();
    update(&store, "alone", "v").await;
    let two = append_ok(&store, append(game(2), two, &["middle"])).await;
    let three = append_ok(&store, append(game(3), three, &["last"])).await;
    let only = append(game(4), Head::START, &["only"]);
    append_ok(&store, flagfall_store::Append { writes: vec![put("beside", "w")], ..only }).await;
    let end = length(&path);
    append_ok(&store, append(game(2), two, &["last"])).await;
    assert!(length(&path) > end && !segment(folder.path(), 2).exists());
    drop(store);
    // The index is sealed, so the next start does not read the damaged part of the log.
    overwrite(&path, begun, &vec![0xee; (end - begun) as usize]);
    let store = open(folder.path());
    until("compaction", || async {
        update(&store, "large", &"x".repeat(300)).await;
        (!path.exists()).then_some(())
    })
    .await;
    assert!(path.with_extension("damaged").exists());
    let check = async |store: &EmbeddedStore| {
        assert_eq!((store.losses(), store.epoch().await), (&[][..], Ok(epoch)));
        assert_eq!(quarantined(store).await, [2, 3, 4, 5].map(game));
        assert_eq!(texts(store, game(1)).await, ["whole"]);
        assert_eq!(store.get(key("alone")).await, Ok(Some(b"v".to_vec())));
        assert_eq!(store.get(key("beside")).await, Ok(Some(b"w".to_vec())));
        let outcome = store.append(append(game(3), three, &["x"])).await;
        assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
    };
    check(&store).await;
    drop(store);
    unseal(folder.path());
    check(&open(folder.path())).await;
}

/// Makes a store of several segments. The game 5 and the record `first` are only in the first one.
async fn long(folder: &Path) -> (EmbeddedStore, u64) {
    let store = open(folder);
    let first = append(game(5), Head::START, &["a"]);
    append_ok(&store, flagfall_store::Append { writes: vec![put("first", "v")], ..first }).await;
    fill(&store, folder, 30).await;
    assert!(segment(folder, 3).exists());
    let epoch = store.epoch().await.unwrap();
    (store, epoch)
}

#[tokio::test]
async fn a_lost_oldest_segment_is_noticed() {
    let whole = scratch();
    let (store, epoch) = long(whole.path()).await;
    drop(store);
    for how in ["stopped", "killed", "killed, and without alive"] {
        let folder = scratch();
        copy_folder(whole.path(), folder.path());
        fs::remove_file(segment(folder.path(), 1)).unwrap();
        if how != "stopped" {
            unseal(folder.path());
        }
        if how.ends_with("alive") {
            fs::remove_file(folder.path().join("alive")).unwrap();
        }
        let store = open(folder.path());
        assert!(!store.losses().is_empty(), "{how}");
        store.acknowledge_losses();
        let later = store.epoch().await.unwrap();
        let named = quarantined(&store).await;
        assert!(later > epoch && named.contains(&game(5)), "{how}: {named:?}");
        let record = store.get(key("first")).await.unwrap();
        assert_eq!(record.is_some(), how == "stopped", "the index of a stopped store has it");
        drop(store);
        for _ in 0..2 {
            unseal(folder.path());
            let store = open(folder.path());
            assert_eq!((store.losses(), store.epoch().await), (&[][..], Ok(later)), "{how}");
            assert_eq!(quarantined(&store).await, named, "{how}");
            assert_eq!(store.get(key("first")).await, Ok(record.clone()), "{how}");
        }
    }
    // The check opens a copy without an index.
    fs::remove_file(segment(whole.path(), 1)).unwrap();
    let inspection = Inspection::of(whole.path()).unwrap();
    let copy = EmbeddedStore::open_copy(&inspection, SystemClock).unwrap();
    assert!(copy.losses().iter().any(|loss| loss == "segment 1 is missing"), "{:?}", copy.losses());
}

#[tokio::test]
async fn damage_that_the_index_covers_needs_no_notes() {
    let folder = scratch();
    let (store, epoch) = long(folder.path()).await;
    drop(store);
    let store = open(folder.path());
    append_ok(&store, append(game(6), Head::START, &["later"])).await;
    // This copy is like the folder after a power cut that came before the notes were on the disk.
    let copy = crate::killed(folder.path());
    remove_notes(copy.path());
    overwrite(&segment(copy.path(), 1), 100, &[0xee; 200]);
    let store = open(copy.path());
    assert!(store.epoch().await.unwrap() > epoch);
    assert!(quarantined(&store).await.contains(&game(1)));
    assert_eq!(texts(&store, game(6)).await, ["later"]);
}

#[tokio::test]
async fn damage_counts_once() {
    let folder = scratch();
    let (store, epoch) = long(folder.path()).await;
    drop(store);
    overwrite(&segment(folder.path(), 1), 200, &[0xee; 200]);
    fs::remove_file(segment(folder.path(), 2)).unwrap();
    unseal(folder.path());
    let store = open(folder.path());
    assert_eq!(store.losses().len(), 2, "{:?}", store.losses());
    let (later, named) = (store.epoch().await.unwrap(), quarantined(&store).await);
    assert!(later > epoch);
    store.acknowledge_losses();
    drop(store);
    for is_killed in [true, false, true] {
        if is_killed {
            unseal(folder.path());
        }
        let store = open(folder.path());
        assert_eq!((store.losses(), store.epoch().await), (&[][..], Ok(later)));
        assert_eq!(quarantined(&store).await, named);
        append_ok(&store, append(game(7), store.head(game(7)).await.unwrap(), &["x"])).await;
    }
    // More damage counts again.
    overwrite(&segment(folder.path(), 1), 700, &[0xee; 200]);
    unseal(folder.path());
    let store = open(folder.path());
    assert_eq!(store.losses().len(), 1, "{:?}", store.losses());
    assert!(store.epoch().await.unwrap() > later);
    assert_eq!(texts(&store, game(7)).await.len(), 3);
}
