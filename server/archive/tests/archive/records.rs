//! Side records in the archive.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use flagfall_archive::{ArchivedStore, Check};
use flagfall_store::{EmbeddedOptions, EmbeddedStore, Key, Store, SystemClock, Transfer, Update, Write};
use futures_util::StreamExt as _;

use super::memory::Memory;
use super::whole::{open, settings};

fn key(text: &str) -> Key {
    Key::new(text).expect("a key")
}

async fn put(store: &dyn Store, name: &str) {
    let write = Write::Put { key: key(name), value: name.as_bytes().to_vec(), expires: None };
    store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.expect("an answer");
}

#[tokio::test]
async fn a_record_in_the_archive_is_read_exported_checked_and_deleted() {
    let (objects, folder) = (Memory::new(), tempfile::tempdir().expect("a folder"));
    let archive = open(&objects, settings()).await;
    let inner = EmbeddedStore::open(folder.path(), SystemClock, &EmbeddedOptions::default());
    let inner = Arc::new(inner.expect("a store"));
    let store = ArchivedStore::new(inner.clone(), archive.clone());
    let names = ["history/ann", "volumes/ann/1", "volumes/ann/2", "volumes/bo b/1", "volumes/cid/1", "zoo/1"];
    for name in names {
        put(&*inner, name).await;
    }
    for name in [names[1], names[2], names[3], names[5], "volumes/nobody/1"] {
        store.archive_record(key(name)).await.expect("an answer");
        store.archive_record(key(name)).await.expect("repeating it does no harm");
    }
    for (name, is_stored) in names.into_iter().zip([true, false, false, true, true, true]) {
        assert_eq!(inner.get(key(name)).await.expect("an answer").is_some(), is_stored, "{name}");
        assert_eq!(store.get(key(name)).await, Ok(Some(name.as_bytes().to_vec())), "{name}");
    }
    for limit in 1..8 {
        let mut exported = Vec::new();
        let lists = objects.lists.load(Ordering::Relaxed);
        let mut pages = store.all_records(limit);
        while let Some(records) = pages.next().await.transpose().expect("records") {
            exported.extend(records.into_iter().map(|(_, value, _)| String::from_utf8(value).expect("text")));
        }
        // The store also remembers its archive.
        exported.retain(|value| !value.contains(r#""place""#));
        assert_eq!(exported, names, "{limit} at a time");
        // The manifests and the volumes are each listed once.
        assert_eq!(objects.lists.load(Ordering::Relaxed) - lists, 2, "{limit} at a time");
        assert_eq!(store.records(Some(key(names[3])), limit).await.expect("records").len(), limit.min(2));
    }
    let check = async || archive.check(Check::All, |_, _| ()).await.expect("a report");
    assert_eq!((check().await.records, check().await.damage.len()), (2, 0));

    objects.change("records/volumes/ann/2", |bytes| bytes.truncate(30));
    assert!(store.get(key("volumes/ann/2")).await.is_err());
    assert_eq!(check().await.damage.len(), 1);
    let archived = store.archived_records(key("volumes/ann/")).await.expect("keys");
    assert_eq!(archived, [key("volumes/ann/1"), key("volumes/ann/2")]);
    for key in archived {
        store.delete_archived(key).await.expect("an answer");
    }
    assert_eq!(store.get(key("volumes/ann/1")).await, Ok(None));
    assert_eq!(store.archived_records(key("volumes/")).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_record_does_not_replace_another_one_in_the_archive() {
    let (objects, folder) = (Memory::new(), tempfile::tempdir().expect("a folder"));
    let archive = open(&objects, settings()).await;
    let inner = EmbeddedStore::open(folder.path(), SystemClock, &EmbeddedOptions::default());
    let inner = Arc::new(inner.expect("a store"));
    let store = ArchivedStore::new(inner.clone(), archive.clone());
    let name = key("volumes/ann/1");
    assert_eq!(archive.add_record(&name, b"another").await.ok(), Some(true));
    put(&*inner, "volumes/ann/1").await;
    assert_eq!(store.archive_record(name.clone()).await, Ok(false));
    assert_eq!(store.get(name.clone()).await, Ok(Some(b"volumes/ann/1".to_vec())));
    assert_eq!(archive.record(&name).await.ok(), Some(Some(b"another".to_vec())));
}
