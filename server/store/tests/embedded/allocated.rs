//! Tests of the space that is allocated in advance.

use std::path::Path;

use flagfall_store::embedded::Inspection;
use flagfall_store::{EmbeddedOptions, EmbeddedStore, Store, SystemClock};

use crate::common::{game, scratch, texts};
use crate::{fill, killed, length, segment};

/// The space that the stores of these tests allocate.
const AHEAD: u64 = 4096;

fn ahead(folder: &Path, segment_bytes: u64) -> EmbeddedStore {
    let options = EmbeddedOptions { allocate_bytes: AHEAD, segment_bytes, ..EmbeddedOptions::default() };
    EmbeddedStore::open(folder, SystemClock, &options).unwrap()
}

#[tokio::test]
async fn space_after_the_log_is_cut_off_when_a_store_opens_or_closes() {
    let folder = scratch();
    let store = ahead(folder.path(), u64::MAX);
    fill(&store, folder.path(), 2).await;
    let epoch = store.epoch().await.unwrap();
    let copy = killed(folder.path());
    drop(store);
    let end = length(&segment(folder.path(), 1));
    assert!(length(&segment(copy.path(), 1)) > end, "nothing was allocated");
    let store = crate::open(copy.path()).unwrap();
    assert_eq!(length(&segment(copy.path(), 1)), end);
    assert_eq!(texts(&store, game(2)).await, ["2:0", "2:1"]);
    assert_eq!((store.epoch().await, store.quarantined().await), (Ok(epoch), Ok(vec![])));
}

#[tokio::test]
async fn a_full_segment_has_no_space_left() {
    let folder = scratch();
    let store = ahead(folder.path(), 300);
    let ends = fill(&store, folder.path(), 5).await;
    drop(store);
    assert!(segment(folder.path(), 2).exists());
    assert!(ends.iter().all(|end| *end < 300 + AHEAD), "{ends:?}");
    // A reader of the whole log would report zeros between frames as damage.
    let inspection = Inspection::of(folder.path()).unwrap();
    let copy = EmbeddedStore::open_copy(&inspection, SystemClock).unwrap();
    assert!(copy.losses().is_empty(), "{:?}", copy.losses());
}
