//! Tests of damage: every loss is reported, and undamaged data is kept.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use flagfall_store::embedded::Inspection;
use flagfall_store::{
    AppendOutcome, EmbeddedOpenError, EmbeddedOptions, EmbeddedStore, Head, ReadError, Store, SystemClock,
};
use flagfall_transfer::examine;

use crate::common::{append, append_ok, copy_folder, game, key, scratch, texts};
use crate::{files, fill, killed, length, open, segment};

fn accept(folder: &Path) -> EmbeddedStore {
    let options = EmbeddedOptions { accept_lost_tail: true, ..EmbeddedOptions::default() };
    EmbeddedStore::open(folder, SystemClock, &options).unwrap()
}

pub(crate) fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, at).unwrap();
}

pub(crate) fn remove_notes(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("notes-") {
            fs::remove_file(path).unwrap();
        }
    }
}

/// Makes a file longer, like a store that allocates space in advance.
fn allocate(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(length(path) + bytes).unwrap();
}

#[tokio::test]
async fn an_unfinished_write_is_cut_off() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let ends = fill(&store, folder.path(), 3).await;
    let epoch = store.epoch().await.unwrap();
    for garbage in [&[0; 100][..], &[0xff; 5], b"a frame that was being written", b"before space\0\0\0"] {
        let copy = killed(folder.path());
        overwrite(&segment(copy.path(), 1), *ends.last().unwrap(), garbage);
        let store = open(copy.path()).unwrap();
        assert_eq!(length(&segment(copy.path(), 1)), *ends.last().unwrap());
        assert_eq!(texts(&store, game(2)).await, ["2:0", "2:1", "2:2"]);
        assert_eq!((store.epoch().await, store.quarantined().await), (Ok(epoch), Ok(vec![])));
    }
}

#[tokio::test]
async fn a_write_that_is_torn_at_any_byte_is_cut_off() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let end = *fill(&store, folder.path(), 1).await.last().unwrap();
    let epoch = store.epoch().await.unwrap();
    let before = killed(folder.path());
    append_ok(&store, append(game(3), Head::START, &["torn"])).await;
    let frame = &fs::read(segment(folder.path(), 1)).unwrap()[end as usize..];
    for (written, allocated) in (0..=frame.len()).flat_map(|written| [(written, 0), (written, 1_000)]) {
        let copy = killed(before.path());
        overwrite(&segment(copy.path(), 1), end, &frame[..written]);
        allocate(&segment(copy.path(), 1), allocated);
        let store = open(copy.path()).unwrap();
        let is_whole =
            written == frame.len() || allocated > 0 && frame[written..].iter().all(|byte| *byte == 0);
        let expected: &[&str] = if is_whole { &["torn"] } else { &[] };
        assert_eq!(texts(&store, game(3)).await, expected, "{written} bytes");
        assert_eq!(texts(&store, game(2)).await, ["2:0"], "{written} bytes");
        let kept = if is_whole { end + frame.len() as u64 } else { end };
        assert_eq!(length(&segment(copy.path(), 1)), kept, "{written} bytes");
        assert_eq!((store.epoch().await, store.quarantined().await), (Ok(epoch), Ok(vec![])));
    }
}

#[tokio::test]
async fn a_damaged_frame_costs_its_game_and_no_other() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let ends = fill(&store, folder.path(), 4).await;
    let epoch = store.epoch().await.unwrap();
    let (is_killed, torn, stopped) = (killed(folder.path()), killed(folder.path()), folder);
    drop(store);
    overwrite(&segment(torn.path(), 1), *ends.last().unwrap(), b"half a frame");
    // The test damages the frame of game 1's second entry. After a kill, the store finds the
    // damage when it opens, even if an unfinished write follows. After a normal stop, a reader
    // finds it.
    for (folder, is_found_at_start) in [(is_killed, true), (torn, true), (stopped, false)] {
        overwrite(&segment(folder.path(), 1), ends[2] + 20, &[0xee; 30]);
        for _ in 0..2 {
            let store = open(folder.path()).unwrap();
            if is_found_at_start {
                assert!(store.epoch().await.unwrap() > epoch);
                assert_eq!(store.quarantined().await.unwrap().len(), 1);
            }
            assert_eq!(texts(&store, game(2)).await, ["2:0", "2:1", "2:2", "2:3"]);
            let damaged = store.read(game(1), 0, 100).await;
            assert!(matches!(damaged, Err(ReadError::Damaged { seq: 2, .. })), "{damaged:?}");
            assert_eq!(store.read(game(1), 0, 1).await.unwrap().len(), 1);
            assert_eq!(store.quarantined().await.unwrap()[0].0, game(1));
            let outcome = store.append(append(game(1), Head::START, &["x"])).await;
            assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
            let head = store.head(game(2)).await.unwrap();
            assert_eq!(store.read(game(2), head.seq, 1).await, Ok(vec![]));
        }
    }
}

#[tokio::test]
async fn damage_to_the_last_entry_is_noticed_by_the_first_append() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let ends = fill(&store, folder.path(), 2).await;
    let head = store.head(game(2)).await.unwrap();
    drop(store);
    overwrite(&segment(folder.path(), 1), ends[3] + 20, &[0xee; 30]);
    let store = open(folder.path()).unwrap();
    let outcome = store.append(append(game(2), head, &["x"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
}

#[tokio::test]
async fn one_flipped_bit_in_any_field_is_mended() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let ends = fill(&store, folder.path(), 2).await;
    let epoch = store.epoch().await.unwrap();
    let path = segment(folder.path(), 1);
    let bytes = fs::read(&path).unwrap();
    for at in ends[1]..ends[2] {
        let copy = killed(folder.path());
        overwrite(&segment(copy.path(), 1), at, &[bytes[at as usize] ^ (1 << (at % 8))]);
        let store = open(copy.path()).unwrap();
        for number in [1, 2] {
            assert_eq!(texts(&store, game(number)).await, [format!("{number}:0"), format!("{number}:1")]);
        }
        assert_eq!((store.epoch().await, store.quarantined().await), (Ok(epoch), Ok(vec![])), "{at}");
    }
}

#[tokio::test]
async fn one_flipped_bit_in_any_field_of_a_long_frame_is_named() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let before = append_ok(&store, append(game(1), Head::START, &["first"])).await;
    let begun = length(&segment(folder.path(), 1));
    append_ok(&store, append(game(1), before, &[&"x".repeat(3_000)])).await;
    append_ok(&store, append(game(2), Head::START, &["another"])).await;
    let path = segment(folder.path(), 1);
    let bytes = fs::read(&path).unwrap();
    for at in (begun..begun + 80).chain([begun + 1_000]) {
        let copy = killed(folder.path());
        overwrite(&segment(copy.path(), 1), at, &[bytes[at as usize] ^ (1 << (at % 8))]);
        let store = open(copy.path()).unwrap();
        let [(damaged, why)] = &store.quarantined().await.unwrap()[..] else { panic!("{at}") };
        assert!(*damaged == game(1) && why.starts_with("entry 2: "), "{at}: {why}");
        assert_eq!(store.read(game(1), 0, 1).await.unwrap().len(), 1, "{at}");
        assert!(store.read(game(1), 1, 1).await.unwrap_or_default().is_empty(), "{at}");
        let outcome = store.append(append(game(1), before, &["x"])).await;
        assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{at}: {outcome:?}");
        assert_eq!(texts(&store, game(2)).await, ["another"], "{at}");
    }
}

#[tokio::test]
async fn games_that_lost_their_end_are_told_by_the_notes() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let ends = fill(&store, folder.path(), 3).await;
    let epoch = store.epoch().await.unwrap();
    // The log is cut between two frames, and at every byte of a frame.
    for cut in ends[5]..ends[6] {
        let copy = killed(folder.path());
        OpenOptions::new().write(true).open(segment(copy.path(), 1)).unwrap().set_len(cut).unwrap();
        allocate(&segment(copy.path(), 1), cut % 2 * 1_000);
        // The damage that the first opening found is still known at the second one.
        let openings = if cut == ends[5] { 2 } else { 1 };
        for _ in 0..openings {
            let store = open(copy.path()).unwrap();
            assert!(store.epoch().await.unwrap() > epoch);
            let quarantined = store.quarantined().await.unwrap();
            assert_eq!(quarantined, [(game(2), "entry 3: it is missing".to_owned())]);
            assert_eq!(texts(&store, game(1)).await, ["1:0", "1:1", "1:2"]);
        }
    }
}

#[tokio::test]
async fn a_lost_end_that_nothing_tells_of_is_refused_until_it_is_accepted() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    let ends = fill(&store, folder.path(), 3).await;
    let epoch = store.epoch().await.unwrap();
    let copy = killed(folder.path());
    // After a normal stop, the index shows which entries existed, even without the notes.
    let stopped = killed(folder.path());
    drop(open(stopped.path()).unwrap());
    let cut = |folder: &Path| {
        OpenOptions::new().write(true).open(segment(folder, 1)).unwrap().set_len(ends[5]).unwrap();
    };
    cut(stopped.path());
    remove_notes(stopped.path());
    let store = open(stopped.path()).unwrap();
    let quarantined = store.quarantined().await.unwrap();
    assert_eq!(quarantined, [(game(2), "entry 3: it is missing".to_owned())]);
    // After a kill, only the notes show which entries existed. Without the notes, the store does
    // not open.
    remove_notes(copy.path());
    cut(copy.path());
    for _ in 0..2 {
        let refused = open(copy.path()).map(drop);
        assert!(matches!(refused, Err(EmbeddedOpenError::LostTail { .. })), "{refused:?}");
    }
    let accepted = accept(copy.path());
    assert!(accepted.epoch().await.unwrap() > epoch);
    assert_eq!(texts(&accepted, game(2)).await, ["2:0", "2:1"]);
    drop(accepted);
    open(copy.path()).unwrap();
    // If no data is missing, the store opens even without its notes or without `alive`, but not
    // without both.
    fs::remove_file(copy.path().join("alive")).unwrap();
    assert!(open(copy.path()).is_ok());
    remove_notes(copy.path());
    open(copy.path()).unwrap();
    remove_notes(copy.path());
    fs::remove_file(copy.path().join("alive")).unwrap();
    fs::remove_file(copy.path().join("index.sum")).unwrap();
    let refused = open(copy.path()).map(drop);
    assert!(matches!(refused, Err(EmbeddedOpenError::LostTail { .. })), "{refused:?}");
}

#[tokio::test]
async fn an_index_that_is_gone_or_damaged_is_rebuilt() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, folder.path(), 3).await;
    let epoch = store.epoch().await.unwrap();
    drop(store);
    let whole = killed(folder.path());
    for damage in 0..3 {
        let copy = killed(whole.path());
        let index = copy.path().join("index");
        match damage {
            0 => fs::remove_dir_all(&index).unwrap(),
            1 => {
                fs::remove_dir_all(&index).unwrap();
                fs::write(&index, "a file").unwrap();
                fs::remove_file(&index).unwrap();
            }
            _ => fs::write(index.join("version"), "no version").unwrap(),
        }
        let store = open(copy.path()).unwrap();
        assert_eq!(texts(&store, game(1)).await, ["1:0", "1:1", "1:2"]);
        assert_eq!(store.get(key("last/2")).await, Ok(Some(b"2:2".to_vec())));
        assert_eq!((store.epoch().await, store.quarantined().await), (Ok(epoch), Ok(vec![])));
    }
}

#[tokio::test]
async fn an_inspection_says_what_is_wrong_and_changes_nothing() {
    let folder = scratch();
    let options = EmbeddedOptions { segment_bytes: 200, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap();
    fill(&store, folder.path(), 4).await;
    assert!(matches!(Inspection::of(folder.path()), Err(EmbeddedOpenError::Locked { .. })));
    drop(store);
    let contents = || {
        let files = files(folder.path());
        files.iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect::<Vec<_>>()
    };
    for (is_unfinished, is_damaged) in [(false, false), (true, false), (true, true)] {
        if is_unfinished {
            // The store was killed when it began a new segment.
            let last = (1..).take_while(|number| segment(folder.path(), *number).exists()).last().unwrap();
            fs::write(segment(folder.path(), last + 1).with_extension("new"), "unfinished").unwrap();
            let last = segment(folder.path(), last);
            overwrite(&last, length(&last), b"a frame that was being written");
        }
        if is_damaged {
            overwrite(&segment(folder.path(), 2), 60, &[0xee; 30]);
        }
        let before = contents();
        let inspection = Inspection::of(folder.path()).unwrap();
        let copy = EmbeddedStore::open_copy(&inspection, SystemClock).unwrap();
        assert_eq!(copy.losses().is_empty(), !is_damaged, "{:?}", copy.losses());
        let examined = examine(&copy, |_| {}).await.unwrap();
        assert_eq!(examined.damaged.is_empty(), !is_damaged, "{examined:?}");
        assert_eq!(examined.tally.games, 2);
        drop(copy);
        drop(inspection);
        assert!(before == contents());
    }
    assert!(Inspection::of(scratch().path()).is_err(), "there is no store to inspect");
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    FlipMiddle,
    FlipEnd,
    Half,
    Empty,
    Gone,
    Zeros,
}

/// Damages a file. Returns false if that does not change the file.
fn harm(path: &Path, damage: Damage) -> bool {
    let mut bytes = fs::read(path).unwrap();
    let before = bytes.clone();
    let middle = bytes.len() / 2;
    match damage {
        Damage::FlipMiddle => bytes.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 0x10),
        Damage::FlipEnd => bytes.iter_mut().rev().take(1).for_each(|byte| *byte ^= 1),
        Damage::Half => bytes.truncate(middle),
        Damage::Empty => bytes.clear(),
        Damage::Zeros => bytes.iter_mut().skip(middle).take(64).for_each(|byte| *byte = 0),
        Damage::Gone => {
            fs::remove_file(path).unwrap();
            return true;
        }
    }
    fs::write(path, &bytes).unwrap();
    bytes != before
}

/// Damages these files, one after the other. Checks that the store opens and reports all losses.
async fn assert_nothing_is_kept_quiet(whole: &Path, files: Vec<PathBuf>, epoch: u64, rounds: usize) {
    use Damage::{Empty, FlipEnd, FlipMiddle, Gone, Half, Zeros};
    for file in files {
        for damage in [FlipMiddle, FlipEnd, Half, Empty, Gone, Zeros] {
            let copy = scratch();
            copy_folder(whole, copy.path());
            let file = file.strip_prefix(whole).unwrap();
            if !harm(&copy.path().join(file), damage) {
                continue;
            }
            let at = format!("{} {damage:?}", file.display());
            // The store is opened twice, because the second start depends on what the first one
            // has stored.
            for _ in 0..2 {
                let store = open(copy.path()).unwrap_or_else(|error| panic!("{at}: {error}"));
                assert_all_is_there_or_named(&store, epoch, rounds, &at).await;
            }
        }
    }
}

/// Checks that each game is either complete or in quarantine, and that the records are complete
/// unless a new epoch has begun.
async fn assert_all_is_there_or_named(store: &EmbeddedStore, epoch: u64, rounds: usize, at: &str) {
    for number in [1, 2] {
        let read = store.read(game(number), 0, 100).await;
        let quarantined = store.quarantined().await.unwrap();
        let is_named = quarantined.iter().any(|(named, _)| *named == game(number));
        assert_eq!(read.map(|read| read.len()) != Ok(rounds), is_named, "{at}: {quarantined:?}");
        let record = store.get(key(&format!("last/{number}"))).await.unwrap();
        let is_there = record == Some(format!("{number}:{}", rounds - 1).into_bytes());
        assert!(is_there || store.epoch().await.unwrap() > epoch, "{at}");
    }
}

#[tokio::test]
async fn whatever_happens_to_one_file_nothing_is_kept_quiet() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, folder.path(), 4).await;
    let epoch = store.epoch().await.unwrap();
    // The index's files are left out: after a kill, the index is rebuilt, so damage to them has
    // no effect.
    let killed = killed(folder.path());
    let is_index = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "index");
    let others = files(killed.path()).into_iter().filter(|path| !is_index(path)).collect();
    assert_nothing_is_kept_quiet(killed.path(), others, epoch, 4).await;
    drop(store);
    // The long journal is skipped, because the shorter files already cover damage to the
    // database.
    let is_short = |path: &PathBuf| length(path) < 1_000_000;
    let short = files(folder.path()).into_iter().filter(is_short).collect();
    assert_nothing_is_kept_quiet(folder.path(), short, epoch, 4).await;
}

#[tokio::test]
async fn whatever_happens_to_two_files_nothing_is_kept_quiet() {
    use Damage::{Empty, FlipEnd, FlipMiddle, Gone, Half, Zeros};
    const KINDS: [Damage; 6] = [FlipMiddle, FlipEnd, Half, Empty, Gone, Zeros];
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, folder.path(), 4).await;
    let epoch = store.epoch().await.unwrap();
    let whole = killed(folder.path());
    // The index's files are left out: after a kill, the index is rebuilt, so damage to them has
    // no effect.
    let names = |path: PathBuf| path.strip_prefix(whole.path()).unwrap().to_owned();
    let mut names: Vec<PathBuf> = files(whole.path()).into_iter().map(names).collect();
    names.retain(|name| !name.starts_with("index") && !name.ends_with("lock"));
    let mut refused = 0;
    for (number, first) in names.iter().enumerate() {
        for second in &names[number + 1..] {
            for kinds in KINDS.iter().flat_map(|one| KINDS.map(|other| [*one, other])) {
                let copy = killed(whole.path());
                let at = format!("{} and {}: {kinds:?}", first.display(), second.display());
                harm(&copy.path().join(first), kinds[0]);
                harm(&copy.path().join(second), kinds[1]);
                let store = match open(copy.path()) {
                    Err(EmbeddedOpenError::LostTail { .. }) => {
                        refused += 1;
                        // After the operator has accepted the loss, the remaining data must be
                        // what was written.
                        let store = accept(copy.path());
                        assert!(store.epoch().await.unwrap() > epoch, "{at}");
                        for number in [1, 2] {
                            let expected: Vec<_> = (0..4).map(|round| format!("{number}:{round}")).collect();
                            let read = store.read(game(number), 0, 1).await;
                            let is_read = read.is_ok_and(|read| !read.is_empty());
                            let found = if is_read && store.quarantined().await.unwrap().is_empty() {
                                texts(&store, game(number)).await
                            } else {
                                vec![]
                            };
                            assert!(expected.starts_with(&found), "{at}: {found:?}");
                        }
                        continue;
                    }
                    opened => opened.unwrap_or_else(|error| panic!("{at}: {error}")),
                };
                assert_all_is_there_or_named(&store, epoch, 4, &at).await;
            }
        }
    }
    assert!(refused > 0, "no damage was too much");
}

/// An operator copies a damaged backup into a new data folder. It has only the log.
#[tokio::test]
async fn a_log_whose_only_header_is_damaged_is_not_taken_for_a_new_store() {
    let whole = scratch();
    let store = open(whole.path()).unwrap();
    fill(&store, whole.path(), 1).await;
    drop(store);
    let folder = scratch();
    let log = segment(folder.path(), 1);
    fs::create_dir(log.parent().unwrap()).unwrap();
    fs::copy(segment(whole.path(), 1), &log).unwrap();
    overwrite(&log, 0, &[0xff; 8]);
    let damaged = fs::read(&log).unwrap();
    let error = open(folder.path()).err().expect("a refusal");
    assert!(matches!(error, EmbeddedOpenError::LostTail { .. }), "{error}");
    let store = accept(folder.path());
    append_ok(&store, append(game(9), Head::START, &["new"])).await;
    drop(store);
    assert_eq!(fs::read(&log).unwrap(), damaged);
}

#[tokio::test]
async fn a_segment_of_another_store_is_nobodys() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, folder.path(), 2).await;
    let epoch = store.epoch().await.unwrap();
    drop(store);
    let other = scratch();
    let store = open(other.path()).unwrap();
    append_ok(&store, append(game(9), Head::START, &["theirs"])).await;
    drop(store);
    fs::copy(segment(other.path(), 1), segment(folder.path(), 2)).unwrap();
    let store = open(folder.path()).unwrap();
    assert_eq!(texts(&store, game(1)).await, ["1:0", "1:1"]);
    assert_eq!(store.head(game(9)).await, Ok(Head::START));
    assert!(store.epoch().await.unwrap() > epoch);
}
