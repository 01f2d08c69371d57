//! Tests of the stores for objects. The same cases run on every store.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use flagfall_archive::{ArchiveStore, FolderStore, ObjectError, ObjectName, ObjectStoreArchive};
use futures_util::future::join_all;
use object_store::memory::InMemory;
use object_store::path::Path;
use tempfile::TempDir;

use super::memory::Memory;
use super::s3_server::Storage;

pub(crate) fn name(text: &str) -> ObjectName {
    text.parse().expect("a name")
}

async fn contract(store: &dyn ArchiveStore) {
    let [one, two] = ["segments/2026/11/26/1", "manifest/1"].map(name);
    assert!(store.put_if_absent(&one, b"first".to_vec()).await.expect("an answer"));
    assert!(!store.put_if_absent(&one, b"second".to_vec()).await.expect("an answer"));
    assert!(store.put_if_absent(&two, Vec::new()).await.expect("an answer"));
    assert_eq!(store.get(&one, 1..4).await.expect("bytes"), b"irs");
    assert_eq!(store.get(&one, 0..5).await.expect("bytes"), b"first");
    assert_eq!(store.get(&one, 5..5).await.expect("bytes"), b"");
    for outside in [1..6, 5..6, 9..10, 0..u64::MAX] {
        let read = store.get(&one, outside.clone()).await;
        assert!(matches!(read, Err(ObjectError::Range(_))), "{outside:?}: {read:?}");
    }
    let absent = name("segments/2");
    assert!(matches!(store.get(&absent, 0..1).await, Err(ObjectError::Absent(_))));
    assert!(matches!(store.get(&absent, 0..0).await, Err(ObjectError::Absent(_))));
    assert_eq!(store.length(&one).await.expect("a length"), Some(5));
    assert_eq!(store.length(&two).await.expect("a length"), Some(0));
    assert_eq!(store.length(&absent).await.expect("a length"), None);
    assert_eq!(store.list(&name("segments")).await.expect("a list"), std::slice::from_ref(&one));
    assert_eq!(store.list(&name("segment")).await.expect("a list"), []);
    assert_eq!(store.list(&name("index")).await.expect("a list"), []);

    // A list is complete and sorted.
    let many: Vec<_> = (0..25).map(|number| name(&format!("index/{number:03}"))).collect();
    for name in many.iter().rev() {
        assert!(store.put_if_absent(name, b"part".to_vec()).await.expect("an answer"));
    }
    assert_eq!(store.list(&name("index")).await.expect("a list"), many);

    store.delete(&one).await.expect("deleted");
    store.delete(&one).await.expect("deleted");
    assert_eq!(store.length(&one).await.expect("a length"), None);
    assert!(store.put_if_absent(&one, b"again".to_vec()).await.expect("an answer"));

    // If several writers write the same object, one of them succeeds, and the object is
    // complete.
    let race = name("manifest/2");
    let writers = (0_u8..8).map(|number| store.put_if_absent(&race, vec![number; 100_000]));
    let won = join_all(writers).await.into_iter().map(|won| won.expect("an answer"));
    let won: Vec<_> = (0_u8..).zip(won).filter_map(|(number, won)| won.then_some(number)).collect();
    assert_eq!(won.len(), 1);
    assert_eq!(store.get(&race, 0..100_000).await.expect("bytes"), vec![won[0]; 100_000]);
}

#[tokio::test]
async fn a_folder_is_a_store() {
    let folder = TempDir::new().expect("a folder");
    contract(&FolderStore::open(folder.path()).expect("a store")).await;
    let unfinished = fs::read_dir(folder.path().join(".unfinished")).expect("a folder");
    assert_eq!(unfinished.count(), 0);
}

#[tokio::test]
async fn a_folder_that_is_gone_is_not_damaged() {
    let folder = TempDir::new().expect("a folder");
    let [root, elsewhere] = ["archive", "elsewhere"].map(|name| folder.path().join(name));
    let store = FolderStore::open(&root).expect("a store");
    let [one, two] = ["manifest/1", "manifest/2"].map(name);
    assert!(store.put_if_absent(&one, b"first".to_vec()).await.expect("an answer"));
    fs::rename(&root, &elsewhere).expect("gone");
    for is_empty in [false, true] {
        if is_empty {
            // An unmounted file system leaves an empty folder.
            fs::create_dir(&root).expect("a folder");
        }
        for failed in [
            store.get(&one, 0..5).await.map(drop),
            store.length(&one).await.map(drop),
            store.list(&name("manifest")).await.map(drop),
            store.put_if_absent(&two, b"second".to_vec()).await.map(drop),
            store.delete(&one).await,
        ] {
            assert!(matches!(failed, Err(ObjectError::Unavailable { .. })), "{failed:?}");
        }
    }
    fs::remove_dir(&root).expect("nothing was written");
    fs::rename(&elsewhere, &root).expect("back");
    assert_eq!(store.get(&one, 0..5).await.expect("bytes"), b"first");
}

/// Servers that share a folder must not use the same names for unfinished files.
#[tokio::test]
async fn servers_can_share_a_folder() {
    let folder = TempDir::new().expect("a folder");
    let unfinished = folder.path().join(".unfinished");
    fs::create_dir(&unfinished).expect("a folder");
    let old = fs::File::create(unfinished.join("old")).expect("a file");
    old.set_modified(SystemTime::now() - Duration::from_hours(25)).expect("an old file");
    fs::write(unfinished.join("new"), "of another server").expect("a file");
    let stores = [(); 4].map(|()| FolderStore::open(folder.path()).expect("a store"));
    assert!(!unfinished.join("old").exists() && unfinished.join("new").exists());
    let puts = (0_u8..80).map(|number| {
        let store = &stores[usize::from(number % 4)];
        store.put_if_absent(&name(&format!("index/{number}")), vec![number; 50_000])
    });
    for is_new in join_all(puts).await {
        assert!(is_new.expect("written"));
    }
    for number in 0_u8..80 {
        let bytes = stores[0].get(&name(&format!("index/{number}")), 0..50_000).await.expect("bytes");
        assert_eq!(bytes, vec![number; 50_000]);
    }
}

#[tokio::test]
async fn the_tests_memory_is_a_store() {
    contract(&*Memory::new()).await;
}

#[tokio::test]
async fn what_object_store_supports_is_a_store() {
    for prefix in ["", "flagfall/archive"] {
        let prefix = Path::from(prefix);
        contract(&ObjectStoreArchive::new(Arc::new(InMemory::new()), prefix)).await;
    }
}

#[tokio::test]
async fn s3_is_a_store() {
    for address in ["s3://games", "s3://games/some/prefix"] {
        let storage = Storage::start().await;
        contract(&storage.archive(address)).await;
        assert!(storage.connections() <= 8, "{} connections", storage.connections());
    }
}
