//! Tests of data folders of version 0.1.
//!
//! `tests/fixtures/0.1` contains a folder written by that version, with an account, a finished
//! game and a running game. It also contains an export of the same folder, made by the same
//! version.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall_store::embedded::Inspection;
use flagfall_store::{EmbeddedOpenError, EmbeddedOptions, EmbeddedStore, Store, SystemClock, Transfer};
use flagfall_store_testing::ManualClock;
use flagfall_transfer::{alive_at_export, examine, export};

use crate::common::{copy_folder, scratch};
use crate::files;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/0.1").join(name)
}

pub(crate) fn folder_of_0_1() -> tempfile::TempDir {
    let folder = scratch();
    copy_folder(&fixture("data"), folder.path());
    // Adds the parts that the repository lacks: the empty folders, which Git does not store, and
    // a mirror, which may be empty because it is never read.
    for keyspace in fs::read_dir(folder.path().join("db/keyspaces")).unwrap() {
        fs::create_dir_all(keyspace.unwrap().path().join("tables")).unwrap();
    }
    fs::create_dir(folder.path().join("mirror")).unwrap();
    folder
}

/// Opens a store one second after version 0.1 stopped.
fn open(folder: &Path) -> Result<EmbeddedStore, EmbeddedOpenError> {
    let exported = fs::read(fixture("export")).unwrap();
    let alive = alive_at_export(&mut &exported[..]).unwrap().unwrap();
    EmbeddedStore::open(folder, Arc::new(ManualClock::new(alive.plus_ms(1_000))), &EmbeddedOptions::default())
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files(folder).into_iter().filter(|path| !path.ends_with("lock"));
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Returns the lines of an export without the first one, which contains the last heartbeat, and
/// without the checksum.
fn lines(bytes: &[u8]) -> Vec<&str> {
    let lines = std::str::from_utf8(bytes).unwrap().lines().skip(1);
    lines.filter(|line| !line.contains("sha256")).collect()
}

#[tokio::test]
async fn a_folder_of_0_1_is_converted_with_everything_in_it() {
    let folder = folder_of_0_1();
    // These files are left by an interrupted conversion, which must start over.
    fs::create_dir(folder.path().join("log.new")).unwrap();
    fs::write(folder.path().join("log.new/00000001.seg"), "unfinished").unwrap();
    fs::create_dir(folder.path().join("db.copy")).unwrap();
    let before = fs::read(fixture("export")).unwrap();
    let whole = folder_of_0_1();
    for _ in 0..2 {
        let store = open(folder.path()).unwrap();
        assert_eq!((store.losses(), store.quarantined().await), (&[][..], Ok(vec![])));
        let mut after = Vec::new();
        export(&store, &mut after, None, None, |_| {}).await.unwrap();
        assert_eq!(lines(&before), lines(&after));
        assert!(lines(&after).len() > 20);
        assert_eq!(store.last_heartbeat().await, Ok(alive_at_export(&mut &before[..]).unwrap()));
        drop(store);
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        assert!(!names.iter().any(|name| name.starts_with("db") || name == "mirror"), "{names:?}");
        assert!(names.iter().any(|name| name == "witness"), "version 0.1 must refuse this folder: {names:?}");
        // The database library does not find all damage, so nothing of the old folder is deleted.
        assert_eq!(old_files(&folder.path().join("version-0.1")), old_files(whole.path()));
    }
}

/// Returns the files of a data folder of version 0.1, by their paths in it.
fn old_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let inside = |(path, bytes): (PathBuf, _)| (path.strip_prefix(folder).unwrap().to_owned(), bytes);
    contents(folder).into_iter().map(inside).collect()
}

#[tokio::test]
async fn a_conversion_that_was_killed_before_the_old_files_were_put_aside_is_completed() {
    let whole = folder_of_0_1();
    let store = open(whole.path()).unwrap();
    let games = BTreeSet::from_iter(store.games().await.unwrap());
    drop(store);
    let kept = whole.path().join("version-0.1");
    for moved in [&[][..], &["mirror"], &["mirror", "db"]] {
        let folder = folder_of_0_1();
        // The log is complete, and nothing else exists yet.
        copy_folder(&whole.path().join("log"), &folder.path().join("log"));
        fs::write(folder.path().join("log/converted"), "").unwrap();
        for name in moved {
            fs::create_dir_all(folder.path().join("version-0.1")).unwrap();
            fs::rename(folder.path().join(name), folder.path().join("version-0.1").join(name)).unwrap();
        }
        let inspection = Inspection::of(folder.path()).unwrap();
        let copy = EmbeddedStore::open_copy(&inspection, SystemClock).unwrap();
        assert_eq!(copy.losses(), [""; 0], "{moved:?}");
        drop((copy, inspection));
        let store = open(folder.path()).unwrap();
        assert_eq!(store.losses(), [""; 0], "{moved:?}");
        assert_eq!(BTreeSet::from_iter(store.games().await.unwrap()), games, "{moved:?}");
        assert_eq!(old_files(&folder.path().join("version-0.1")), old_files(&kept), "{moved:?}");
        assert!(!folder.path().join("db").exists() && !folder.path().join("log/converted").exists());
    }
}

#[tokio::test]
async fn a_database_that_version_0_1_created_beside_a_log_is_neither_used_nor_deleted() {
    let folder = folder_of_0_1();
    let other = scratch();
    drop(EmbeddedStore::open(other.path(), SystemClock, &EmbeddedOptions::default()).unwrap());
    copy_folder(other.path(), folder.path());
    let before = contents(folder.path());
    let refused = open(folder.path()).map(drop).unwrap_err();
    assert!(matches!(refused, EmbeddedOpenError::TwoStores { .. }), "{refused}");
    let text = refused.to_string();
    assert!(["/log", "/db", "Move"].iter().all(|part| text.contains(part)), "{text}");
    assert!(before == contents(folder.path()));
    // After the old files were moved away, each of the two is a store.
    let elsewhere = scratch();
    for name in ["db", "mirror", "witness"] {
        fs::rename(folder.path().join(name), elsewhere.path().join(name)).unwrap();
    }
    assert_eq!(open(folder.path()).unwrap().games().await.unwrap().len(), 0);
    assert_eq!(open(elsewhere.path()).unwrap().games().await.unwrap().len(), 2);
}

#[tokio::test]
async fn files_that_an_earlier_conversion_kept_are_not_replaced() {
    let folder = folder_of_0_1();
    fs::create_dir(folder.path().join("version-0.1")).unwrap();
    let before = contents(folder.path());
    let refused = open(folder.path()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("move") && refused.contains("version-0.1"), "{refused}");
    assert!(before == contents(folder.path()));
}

#[tokio::test]
async fn a_damaged_folder_of_0_1_is_left_as_it_is() {
    let journal = |folder: &Path| {
        let is_journal = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "jnl");
        let written = |path: &PathBuf| fs::metadata(path).unwrap().len();
        files(&folder.join("db")).into_iter().filter(is_journal).max_by_key(written).unwrap()
    };
    let half = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    let flip = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let damages: [&dyn Fn(&Path); 6] = [
        &|folder| fs::write(folder.join("witness"), "nothing").unwrap(),
        &|folder| fs::remove_file(folder.join("witness")).unwrap(),
        &|folder| fs::remove_dir_all(folder.join("db")).unwrap(),
        &|folder| fs::remove_dir_all(folder.join("db/keyspaces")).unwrap(),
        &|folder| half(&journal(folder)),
        &|folder| flip(&journal(folder)),
    ];
    for (number, damage) in (1..).zip(damages) {
        let folder = folder_of_0_1();
        damage(folder.path());
        let before = contents(folder.path());
        let refused = open(folder.path()).map(drop);
        assert!(matches!(refused, Err(EmbeddedOpenError::Convert { .. })), "damage {number}: {refused:?}");
        let inspected =
            Inspection::of(folder.path()).and_then(|copy| EmbeddedStore::open_copy(&copy, SystemClock));
        let named = format!("the store in {} ", folder.path().display());
        let inspected = inspected.map(drop).unwrap_err().to_string();
        assert!(inspected.starts_with(&named), "damage {number}: {inspected}");
        assert!(before == contents(folder.path()), "damage {number} changed something");
    }
}

#[tokio::test]
async fn an_inspection_of_a_folder_of_0_1_changes_nothing() {
    let folder = folder_of_0_1();
    let before = contents(folder.path());
    let inspection = Inspection::of(folder.path()).unwrap();
    let copy = EmbeddedStore::open_copy(&inspection, SystemClock).unwrap();
    let examined = examine(&copy, |_| {}).await.unwrap();
    assert_eq!((examined.tally.games, examined.damaged.len()), (2, 0));
    drop(copy);
    drop(inspection);
    assert!(before == contents(folder.path()));
}
