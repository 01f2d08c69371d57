//! Tests of backups. A backup is either complete or refused, and never replaces a better one.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use flagfall_board::{GameId, Stamp};
use flagfall_store::embedded::backup::{BackedUp, BackupError, back_up, check, restore};
use flagfall_store::{EmbeddedOpenError, EmbeddedOptions, EmbeddedStore, Head, Store, SystemClock, Update};
use flagfall_store_testing::ManualClock;

use crate::common::{append, append_ok, game, key, put, scratch, texts};
use crate::{NOON, fill, length, open, segment};

/// A time later than all stamps in these tests.
const LATER: Stamp = Stamp(4_000_000_000_000);

/// Options with short segments and frequent checkpoints, so that the tests contain many of them.
fn busy(compact_bytes: u64) -> EmbeddedOptions {
    EmbeddedOptions {
        segment_bytes: 1_000,
        checkpoint_bytes: 500,
        compact_bytes,
        ..EmbeddedOptions::default()
    }
}

fn open_busy(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, SystemClock, &busy(u64::MAX)).unwrap()
}

fn back(data: &Path, target: &Path) -> Result<BackedUp, BackupError> {
    back_up(data, &["signing.key"], target, NOON, &mut |_, _| {})
}

fn restored(backup: &Path) -> (tempfile::TempDir, EmbeddedStore) {
    let folder = scratch();
    let data = folder.path().join("data");
    restore(backup, &data, LATER, &mut |_, _| {}).unwrap();
    let store = open(&data).unwrap();
    assert_eq!(store.losses(), [""; 0]);
    (folder, store)
}

/// Returns the files of a backup, each with metadata that shows whether the file was written
/// again.
fn copies(backup: &Path) -> BTreeMap<PathBuf, (u64, i64)> {
    let mut copies = BTreeMap::new();
    for folder in [backup.to_owned(), backup.join("log")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let data = fs::metadata(&path).unwrap();
            let is_copy = path.to_str().unwrap().rsplit_once('.').is_some_and(|(_, end)| end.len() == 16);
            if is_copy && data.is_file() {
                assert_eq!(data.nlink(), 1, "{path:?} hangs on another file");
                copies.insert(path, (data.ino(), data.mtime_nsec()));
            }
        }
    }
    copies
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_before_a_backup_is_in_it_although_appends_go_on() {
    let (data, target) = (scratch(), scratch());
    let store = Arc::new(EmbeddedStore::open(data.path(), SystemClock, &busy(0)).unwrap());
    let ledger = Arc::new(Mutex::new(HashMap::<GameId, u64>::new()));
    let is_over = Arc::new(AtomicBool::new(false));
    let tasks: Vec<_> = (1..=4)
        .map(|number| {
            let (store, ledger, is_over) = (store.clone(), ledger.clone(), is_over.clone());
            tokio::spawn(async move {
                let mut head = Head::START;
                while !is_over.load(Ordering::Relaxed) {
                    let text = format!("{number}:{}", head.seq + 1);
                    let writes = vec![put(&format!("last/{number}"), &text)];
                    let append = flagfall_store::Append { writes, ..append(game(number), head, &[&text]) };
                    head = append_ok(&*store, append).await;
                    ledger.lock().unwrap().insert(game(number), head.seq);
                }
            })
        })
        .collect();
    for round in 1..=4 {
        let is_far =
            |ledger: &HashMap<_, u64>| ledger.len() == 4 && ledger.values().all(|seq| *seq >= round * 20);
        while !is_far(&ledger.lock().unwrap()) {
            tokio::task::yield_now().await;
        }
        let acknowledged = ledger.lock().unwrap().clone();
        let epoch = store.epoch().await.unwrap();
        let (from, to) = (data.path().to_owned(), target.path().to_owned());
        let made = tokio::task::spawn_blocking(move || back(&from, &to)).await.unwrap().unwrap();
        assert_eq!(made.damage, [""; 0]);
        let (_folder, restored) = restored(target.path());
        assert!(restored.epoch().await.unwrap() > epoch);
        assert_eq!(restored.quarantined().await, Ok(vec![]));
        for number in 1..=4 {
            let texts = texts(&restored, game(number)).await;
            let expected: Vec<_> = (1..=texts.len()).map(|seq| format!("{number}:{seq}")).collect();
            assert_eq!(texts, expected);
            assert!(texts.len() as u64 >= acknowledged[&game(number)]);
            let last = restored.get(key(&format!("last/{number}"))).await.unwrap();
            assert_eq!(last, texts.last().map(|text| text.clone().into_bytes()), "they are one write");
        }
    }
    is_over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_second_backup_copies_only_what_is_new() {
    let (data, target) = (scratch(), scratch());
    let store = open_busy(data.path());
    fs::write(data.path().join("signing.key"), "a key").unwrap();
    fill(&store, data.path(), 40).await;
    let first = back(data.path(), target.path()).unwrap();
    assert_eq!(first.copied, first.summary.bytes);
    let before = copies(target.path());
    assert!(before.len() > 4, "{before:?}");
    for path in before.keys() {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::metadata(target.path()).unwrap().permissions().mode() & 0o777, 0o700);

    assert_eq!(back(data.path(), target.path()).unwrap().copied, 0);
    assert_eq!(copies(target.path()), before);

    let last = format!("log/{:08}.seg", before.len() - 1);
    append_ok(&store, append(game(9), Head::START, &["new"])).await;
    let copied = back(data.path(), target.path()).unwrap().copied;
    // A stop cuts off the allocated space after the log. The backup must not contain this space
    // either.
    drop(store);
    assert_eq!(copied, length(&data.path().join(&last)), "the segment that grows");
    let after = copies(target.path());
    assert_eq!(after.len(), before.len(), "the shorter copy is gone");
    let new: Vec<_> = after.iter().filter(|copy| !before.iter().any(|before| before == *copy)).collect();
    assert!(new.len() == 1 && new[0].0.to_str().unwrap().contains(&last), "{new:?}");

    let (folder, store) = restored(target.path());
    assert_eq!(texts(&store, game(9)).await, ["new"]);
    assert_eq!(texts(&store, game(1)).await.len(), 40);
    assert_eq!(fs::read(folder.path().join("data/signing.key")).unwrap(), b"a key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_that_is_compacted_before_it_is_copied_is_not_missed() {
    let (data, target) = (scratch(), scratch());
    let store = Arc::new(EmbeddedStore::open(data.path(), SystemClock, &busy(0)).unwrap());
    let head = append_ok(&*store, append(game(1), Head::START, &["first"])).await;
    // These records stay live until they are overwritten, so a compaction copies them.
    let value = "x".repeat(900);
    for number in 0..40 {
        let writes = vec![put(&format!("record/{number}"), &value)];
        store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    }
    let (runtime, writer) = (tokio::runtime::Handle::current(), store.clone());
    let (from, to) = (data.path().to_owned(), target.path().to_owned());
    let backing = move || {
        let oldest = |folder: &Path| (1..).find(|number| segment(folder, *number).exists()).unwrap();
        let (begun, from) = (oldest(&from), &from);
        let mut steps = 0;
        let mut compact = |_, _| {
            steps += 1;
            let mut turn = 0;
            while steps == 1 && oldest(from) < begun + 3 {
                turn += 1;
                let writes = vec![put(&format!("record/{}", turn % 40), &value)];
                let update = Update { conditions: Vec::new(), writes };
                runtime.block_on(writer.update(update)).unwrap();
            }
        };
        let made = back_up(from, &[], &to, NOON, &mut compact).unwrap();
        (made, begun, oldest(from))
    };
    let (made, begun, oldest) = tokio::task::spawn_blocking(backing).await.unwrap();
    assert!(oldest >= begun + 3 && made.copied > made.summary.bytes, "{made:?}");
    let kept = copies(target.path()).len();
    assert_eq!(kept, made.summary.files, "what only the first attempt copied is gone");
    let (_folder, restored) = restored(target.path());
    assert_eq!(restored.head(game(1)).await, Ok(head));
    for number in 0..40 {
        assert!(restored.get(key(&format!("record/{number}"))).await.unwrap().is_some(), "{number}");
    }
}

#[tokio::test]
async fn a_backup_that_is_cut_short_leaves_the_one_before() {
    let (data, target) = (scratch(), scratch());
    let store = open_busy(data.path());
    fill(&store, data.path(), 8).await;
    back(data.path(), target.path()).unwrap();
    let mut head = append_ok(&store, append(game(5), Head::START, &["0"])).await;
    for number in 1..40 {
        head = append_ok(&store, append(game(5), head, &[&format!("{number}{}", "x".repeat(300))])).await;
    }
    // A panic stops the backup and leaves the files as they would be after a kill at that moment.
    for cut in 1..4 {
        let mut steps = 0;
        let mut stop = |_, _| {
            steps += 1;
            assert!(steps < cut, "planned");
        };
        let stopped = AssertUnwindSafe(|| back_up(data.path(), &[], target.path(), NOON, &mut stop));
        assert!(catch_unwind(stopped).is_err());
        fs::write(target.path().join("manifest.new"), "half a mani").unwrap();
        fs::write(target.path().join("log/00000003.seg.0123456789abcdef"), "half a seg").unwrap();
        let (_folder, store) = restored(target.path());
        assert_eq!(store.head(game(5)).await, Ok(Head::START));
        assert_eq!(texts(&store, game(1)).await.len(), 8);
    }
    let made = back(data.path(), target.path()).unwrap();
    assert_eq!(copies(target.path()).len(), made.summary.files);
    assert!(!target.path().join("manifest.new").exists());
    assert_eq!(restored(target.path()).1.head(game(5)).await, Ok(head));
}

#[tokio::test]
async fn a_flipped_bit_is_found_before_anything_is_restored() {
    let (data, target, new) = (scratch(), scratch(), scratch());
    let store = open_busy(data.path());
    fs::write(data.path().join("signing.key"), "a key").unwrap();
    fill(&store, data.path(), 15).await;
    back(data.path(), target.path()).unwrap();
    let new = new.path().join("data");
    let mut files: Vec<_> = copies(target.path()).into_keys().collect();
    files.push(target.path().join("manifest"));
    for path in files {
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 4 + 1).chain([whole.len() - 1]) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).unwrap();
            let refused = restore(target.path(), &new, LATER, &mut |_, _| {});
            assert!(matches!(refused, Err(BackupError::Damaged { .. })), "{path:?} {at}: {refused:?}");
            assert!(!new.exists());
        }
        fs::write(&path, &whole[1..]).unwrap();
        assert!(restore(target.path(), &new, LATER, &mut |_, _| {}).is_err());
        fs::write(&path, whole).unwrap();
    }
    assert_eq!(check(target.path(), &mut |_, _| {}).unwrap().1, [""; 0]);
    restored(target.path());
}

#[tokio::test]
async fn a_restore_that_is_cut_short_is_no_store() {
    let (data, target) = (scratch(), scratch());
    fill(&open_busy(data.path()), data.path(), 15).await;
    let files = back(data.path(), target.path()).unwrap().summary.files;
    for cut in files + 1..=2 * files {
        let folder = scratch();
        let mut steps = 0;
        let mut stop = |_, _| {
            steps += 1;
            assert!(steps < cut, "planned");
        };
        let stopped = AssertUnwindSafe(|| restore(target.path(), folder.path(), LATER, &mut stop));
        assert!(catch_unwind(stopped).is_err());
        let opened = open(folder.path());
        assert!(
            matches!(opened, Err(EmbeddedOpenError::LostTail { .. })),
            "{cut} of {files}: {:?}",
            opened.err()
        );
        let again = restore(target.path(), folder.path(), LATER, &mut |_, _| {});
        assert!(matches!(again, Err(BackupError::NotEmpty { .. })), "{again:?}");
    }
}

#[tokio::test]
async fn the_time_after_a_backup_counts_as_an_outage_and_an_epoch_begins() {
    let (data, target, new) = (scratch(), scratch(), scratch());
    let clock = Arc::new(ManualClock::new(NOON));
    let store = EmbeddedStore::open(data.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    clock.advance_ms(500);
    store.heartbeat().await.unwrap();
    let epoch = store.epoch().await.unwrap();
    back(data.path(), target.path()).unwrap();
    clock.advance_ms(5_000);
    store.heartbeat().await.unwrap();
    // The machine that restores the backup has a clock that is behind the backup's stamps.
    restore(target.path(), new.path(), Stamp(5), &mut |_, _| {}).unwrap();
    clock.advance_ms(5_000);
    let store = EmbeddedStore::open(new.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    assert_eq!(store.last_heartbeat().await, Ok(Some(NOON.plus_ms(500))));
    assert_eq!(store.epoch().await, Ok(epoch + 1));
    // A backup of the restored store may replace the backup from which the store was restored.
    append_ok(&store, append(game(2), Head::START, &["b"])).await;
    back(new.path(), target.path()).unwrap();
    assert_eq!(texts(&restored(target.path()).1, game(2)).await, ["b"]);
}

#[tokio::test]
async fn damage_in_the_store_is_told_and_copied() {
    let (data, target, new) = (scratch(), scratch(), scratch());
    let store = open_busy(data.path());
    fill(&store, data.path(), 15).await;
    let path = segment(data.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[500..600].fill(0xee);
    fs::write(&path, bytes).unwrap();
    let made = back(data.path(), target.path()).unwrap();
    assert!(made.damage.len() == 1 && made.damage[0].contains("of segment 1"), "{:?}", made.damage);
    restore(target.path(), new.path(), LATER, &mut |_, _| {}).unwrap();
    assert!(matches!(open(new.path()), Err(EmbeddedOpenError::LostTail { .. })));
    let options = EmbeddedOptions { accept_lost_tail: true, ..EmbeddedOptions::default() };
    EmbeddedStore::open(new.path(), SystemClock, &options).unwrap();
}

#[tokio::test]
async fn damage_is_told_by_every_backup() {
    let (data, target) = (scratch(), scratch());
    fill(&open_busy(data.path()), data.path(), 15).await;
    let path = segment(data.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[500..600].fill(0xee);
    fs::write(&path, bytes).unwrap();
    let first = back(data.path(), target.path()).unwrap();
    assert_eq!(first.damage.len(), 1, "{:?}", first.damage);
    let again = back(data.path(), target.path()).unwrap();
    assert_eq!((again.damage, again.copied), (first.damage.clone(), 0));

    // A program that does not know the list of damage writes a manifest without it.
    let manifest = target.path().join("manifest");
    let text = fs::read_to_string(&manifest).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
    for item in json["files"].as_array_mut().unwrap() {
        item.as_object_mut().unwrap().remove("damage");
    }
    let json = json.to_string();
    let sum = xxhash_rust::xxh3::xxh3_64(json.as_bytes());
    fs::write(&manifest, format!("{sum:016x}\n{json}")).unwrap();
    let again = back(data.path(), target.path()).unwrap();
    assert_eq!((again.damage, again.copied), (first.damage, 0));
}

#[tokio::test]
async fn an_archive_in_a_backup_is_left_alone() {
    let (data, target) = (scratch(), scratch());
    fill(&open_busy(data.path()), data.path(), 15).await;
    back(data.path(), target.path()).unwrap();
    let archived = target.path().join("archive/manifest/1");
    fs::create_dir_all(archived.parent().unwrap()).unwrap();
    fs::write(&archived, "games").unwrap();
    back(data.path(), target.path()).unwrap();
    assert!(archived.exists());
    fs::create_dir(target.path().join("log/archive")).unwrap();
    assert!(matches!(back(data.path(), target.path()), Err(BackupError::Foreign { .. })));
}

#[tokio::test]
async fn a_store_that_has_lost_a_segment_does_not_replace_the_backup_that_has_it() {
    for lost in [1, 2] {
        let (data, target, other) = (scratch(), scratch(), scratch());
        let store = open_busy(data.path());
        fill(&store, data.path(), 15).await;
        back(data.path(), target.path()).unwrap();
        drop(store);
        fs::remove_file(segment(data.path(), lost)).unwrap();
        // The second attempt comes after a start that has reported the loss.
        for _ in 0..2 {
            let refused = back(data.path(), target.path()).unwrap_err();
            assert!(matches!(refused, BackupError::LostSegment { .. }), "{lost}: {refused}");
            drop(open_busy(data.path()));
        }
        assert_eq!(texts(&restored(target.path()).1, game(1)).await.len(), 15);
        let made = back(data.path(), other.path()).unwrap();
        assert_eq!(made.damage, [format!("segment {lost} is missing")]);
    }
}

#[tokio::test]
async fn a_backup_is_refused_where_it_would_do_harm() {
    let (place, target) = (scratch(), scratch());
    let data = place.path().join("data");
    let refused = |data: &Path, target: &Path| back(data, target).unwrap_err();
    assert!(matches!(refused(&data, target.path()), BackupError::NoStore { .. }));
    let store = open(&data).unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    for inside in [data.clone(), data.join("backup"), data.join("log/../backup"), data.join("log")] {
        assert!(matches!(refused(&data, &inside), BackupError::Inside { .. }), "{inside:?}");
        assert!(inside.exists() != inside.ends_with("backup"), "nothing is created");
    }
    assert!(matches!(refused(&data, &target.path().join("no/such")), BackupError::Io { .. }));
    assert!(matches!(refused(&data, place.path()), BackupError::Foreign { .. }));

    back(&data, target.path()).unwrap();
    let other = scratch();
    drop(open(other.path()).unwrap());
    assert!(matches!(refused(other.path(), target.path()), BackupError::OtherStore { .. }));
    fs::write(target.path().join("log/notes.txt"), "mine").unwrap();
    assert!(matches!(refused(&data, target.path()), BackupError::Foreign { .. }));
    fs::remove_file(target.path().join("log/notes.txt")).unwrap();
    let lock = fs::File::open(target.path().join("lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(refused(&data, target.path()), BackupError::Locked { .. }));
    lock.unlock().unwrap();

    // An older copy of the data folder must not replace a newer backup.
    let older = crate::killed(&data);
    append_ok(&store, append(game(2), Head::START, &["b"])).await;
    back(&data, target.path()).unwrap();
    assert!(matches!(refused(older.path(), target.path()), BackupError::Older { .. }));
    assert_eq!(texts(&restored(target.path()).1, game(2)).await, ["b"]);
    // A data folder whose log has lost its end must not replace the backup either.
    let last = segment(older.path(), 1);
    fs::write(&last, &fs::read(&last).unwrap()[..40]).unwrap();
    assert!(matches!(refused(older.path(), target.path()), BackupError::Short { .. }));
}

#[tokio::test]
async fn only_a_backup_of_a_form_that_is_known_is_restored() {
    let (data, target, new) = (scratch(), scratch(), scratch());
    let refused = || restore(target.path(), new.path(), LATER, &mut |_, _| {}).unwrap_err();
    assert!(matches!(refused(), BackupError::NoBackup { .. }));
    drop(open(data.path()).unwrap());
    back(data.path(), target.path()).unwrap();
    let inside = restore(target.path(), &target.path().join("data"), LATER, &mut |_, _| {}).unwrap_err();
    assert!(matches!(inside, BackupError::Inside { .. }), "{inside}");
    let json = r#"{"form":2,"parts":[]}"#;
    let sum = xxhash_rust::xxh3::xxh3_64(json.as_bytes());
    fs::write(target.path().join("manifest"), format!("{sum:016x}\n{json}")).unwrap();
    assert!(matches!(refused(), BackupError::Newer { form: 2, .. }));
    let later = back(data.path(), target.path()).unwrap_err();
    assert!(matches!(later, BackupError::Newer { .. }), "{later}");
    assert_eq!(fs::read_dir(new.path()).unwrap().count(), 0);
}
