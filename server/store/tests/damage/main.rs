//! Damage: bytes flipped, files cut, rows deleted. Either everything is still there, or the store
//! reports what is missing.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../common/mod.rs"]
mod common;
mod one_game_alone;
mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{append, append_ok, body, game, key, put, scratch, texts};
use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use flagfall_board::GameId;
use flagfall_store::embedded::LostTail;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedStore, Head, OpenError, Options, ReadError, Store, StoredEntry,
    SystemClock,
};

use samples::*;

const GAMES: u32 = 8;
const ENTRIES: u32 = 12;

#[tokio::test]
async fn an_undamaged_copy_is_whole() {
    let folder = scratch();
    sample(folder.path()).await;
    assert_eq!(examine(folder.path()).await, Ok(Outcome::Whole));
}

#[tokio::test]
async fn a_copy_without_its_empty_files_is_whole() {
    let folder = scratch();
    sample(folder.path()).await;
    let lock = folder.path().join("db/lock");
    assert_eq!(fs::metadata(&lock).unwrap().len(), 0);
    fs::remove_file(lock).unwrap();
    assert_eq!(examine(folder.path()).await, Ok(Outcome::Whole));
}

#[tokio::test]
async fn a_flipped_bit_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let bytes = fs::read(&file).unwrap();
        // A stride that is coprime to all sizes in the format.
        for at in (0..bytes.len()).step_by(if bytes.len() > 1_000 { 61 } else { 7 }) {
            let flip = |path: &Path| {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << (at % 8);
                fs::write(path, bytes).unwrap();
            };
            try_damage(folder.path(), &file, flip, &format!("bit flipped at {at}"), &mut tally).await;
        }
    }
    assert!(tally.mended > 300 && tally.told > 30, "{tally:?}");
}

/// Flips every bit of some of the lengths and numbers that the database trusts without a checksum.
#[tokio::test]
async fn a_flipped_bit_in_a_header_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let bytes = fs::read(&file).unwrap();
        let is_journal = file.extension().is_some_and(|extension| extension == "jnl");
        // Tag, count and sequence number of a batch follow the trailer of the batch before.
        let mark: &[u8] = if is_journal { b"FJL\x03" } else { b"TOC!" };
        let starts: Vec<usize> =
            bytes.windows(mark.len()).enumerate().filter(|(_, w)| *w == mark).map(|(at, _)| at).collect();
        for start in starts.iter().rev().skip(1).step_by(17).chain(starts.last()) {
            for bit in (mark.len() * 8..(mark.len() + 13) * 8).step_by(3) {
                let at = start + bit / 8;
                if at >= bytes.len() {
                    continue;
                }
                let flip = |path: &Path| {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= 1 << (bit % 8);
                    fs::write(path, bytes).unwrap();
                };
                try_damage(folder.path(), &file, flip, &format!("bit {bit} after {start}"), &mut tally).await;
            }
        }
    }
    assert!(tally.mended > 50, "{tally:?}");
}

#[tokio::test]
async fn a_file_cut_short_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let length = file.metadata().unwrap().len();
        for part in 0..12 {
            let cut = |path: &Path| {
                fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length * part / 12).unwrap();
            };
            try_damage(folder.path(), &file, cut, &format!("cut to {part}/12"), &mut tally).await;
        }
    }
    assert!(tally.mended > 50, "{tally:?}");
}

#[tokio::test]
async fn a_sector_of_zeros_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let bytes = fs::read(&file).unwrap();
        for start in (0..bytes.len()).step_by(512) {
            let zero = |path: &Path| {
                let mut bytes = bytes.clone();
                let end = bytes.len().min(start + 512);
                bytes[start..end].fill(0);
                fs::write(path, bytes).unwrap();
            };
            try_damage(folder.path(), &file, zero, &format!("zeros at {start}"), &mut tally).await;
        }
    }
    assert!(tally.mended > 30, "{tally:?}");
}

#[tokio::test]
async fn a_file_that_is_gone_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        try_damage(folder.path(), &file, |path| fs::remove_file(path).unwrap(), "removed", &mut tally).await;
    }
    assert!(tally.mended > 5 && tally.told > 0, "{tally:?}");
}

#[tokio::test]
async fn an_unfinished_write_at_the_end_of_the_journal_is_forgotten() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        if file.extension().is_none_or(|extension| extension != "jnl") {
            continue;
        }
        let bytes = fs::read(&file).unwrap();
        // An unfinished batch: a header with the next number, then part of an item.
        let mut begun = vec![1, 3, 0, 0, 0];
        begun.extend_from_slice(&100_000_u64.to_le_bytes());
        begun.extend_from_slice(&[
            2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 16, 0, 0, 0, 16, 0, 0, 0, b'c', b'o',
        ]);
        for length in 0..=begun.len() {
            let tear = |path: &Path| fs::write(path, [&bytes[..], &begun[..length]].concat()).unwrap();
            try_damage(folder.path(), &file, tear, &format!("{length} bytes more"), &mut tally).await;
        }
    }
    assert_eq!((tally.mended, tally.told), (0, 0), "{tally:?}");
    assert!(tally.whole > 30, "{tally:?}");
}

#[tokio::test]
async fn a_lost_tail_can_be_accepted_and_begins_an_epoch() {
    let folder = scratch();
    let files = sample_files(folder.path()).await;
    let journal =
        files.iter().rfind(|file| file.extension().is_some_and(|extension| extension == "jnl")).unwrap();
    let epoch = open(folder.path()).unwrap().epoch().await.unwrap();
    let length = journal.metadata().unwrap().len();
    fs::OpenOptions::new().write(true).open(journal).unwrap().set_len(length * 2 / 3).unwrap();
    fs::remove_dir_all(folder.path().join("mirror")).unwrap();
    let error = open(folder.path()).map(drop);
    assert!(matches!(error, Err(OpenError::LostTail { .. })), "{error:?}");
    let accept = Options { lost_tail: LostTail::Accept, ..Options::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &accept).unwrap();
    assert!(store.epoch().await.unwrap() > epoch);
    for number in 0..GAMES {
        let found = texts(&store, game(number)).await;
        let expected: Vec<String> = (1..=ENTRIES).map(|seq| text(number, seq)).collect();
        assert!(found.len() < expected.len() && expected.starts_with(&found), "{found:?}");
        let head = store.head(game(number)).await.unwrap();
        append_ok(&store, append(game(number), head, &["and on"])).await;
    }
    drop(store);
    open(folder.path()).unwrap();
}

/// A store whose journal consists of three files, as after the database has begun new ones.
async fn sample_of_journals(folder: &Path) -> Vec<PathBuf> {
    let store = open(folder).unwrap();
    fill(&store, 1, ENTRIES).await;
    drop(store);
    // Opened again, it is as long as what was written.
    drop(open(folder).unwrap());
    let whole = folder.join("db/0.jnl");
    let bytes = fs::read(&whole).unwrap();
    let marks = bytes.windows(4).enumerate().filter(|(_, window)| window == b"FJL\x03");
    let ends: Vec<usize> = marks.map(|(at, _)| at + 4).collect();
    let (one, two) = (ends[ends.len() / 3], ends[ends.len() * 2 / 3]);
    for (number, part) in [&bytes[..one], &bytes[one..two], &bytes[two..]].into_iter().enumerate() {
        fs::write(folder.join(format!("db/{number}.jnl")), part).unwrap();
    }
    journals(folder)
}

#[tokio::test]
async fn a_deleted_log_is_not_missed_where_the_mirror_reaches_further_back_than_the_journal() {
    let folder = scratch();
    old_sample(folder.path()).await;
    let store = open(folder.path()).unwrap();
    store.delete_log(game(0)).await.unwrap();
    drop(store);
    let store = open(folder.path()).unwrap();
    assert!(store.salvage().is_none(), "nothing is damaged");
    assert_eq!(store.head(game(0)).await, Ok(Head::START));
    assert_eq!(store.head(game(1)).await.unwrap().seq, u64::from(ENTRIES));
}

fn journals(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&folder.join("db"), &mut found);
    found.retain(|file| file.extension().is_some_and(|extension| extension == "jnl"));
    found
}

#[tokio::test]
async fn damage_in_any_of_several_journals_is_mended() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_of_journals(folder.path()).await {
        let bytes = fs::read(&file).unwrap();
        let length = bytes.len();
        for (what, from, to) in [
            ("start", 0, 40),
            ("middle", length / 2, length / 2 + 1),
            ("end", length - 1, length),
            ("all", 0, length),
        ] {
            let zero = |path: &Path| {
                let mut bytes = bytes.clone();
                bytes[from..to].fill(0);
                fs::write(path, bytes).unwrap();
            };
            try_damage(folder.path(), &file, zero, &format!("zeros at the {what}"), &mut tally).await;
            let cut = |path: &Path| fs::write(path, &bytes[..from]).unwrap();
            try_damage(folder.path(), &file, cut, &format!("cut at the {what}"), &mut tally).await;
        }
        try_damage(folder.path(), &file, |path| fs::remove_file(path).unwrap(), "removed", &mut tally).await;
    }
    assert_eq!(tally.told, 0, "{tally:?}");
    assert!(tally.mended > 20, "{tally:?}");
}

/// Flips a bit at the first occurrence of these bytes in a file under a folder.
fn flip_at(folder: &Path, wanted: &[u8]) {
    let mut found = Vec::new();
    files(folder, &mut found);
    for file in found {
        let mut bytes = fs::read(&file).unwrap();
        let at = bytes.windows(wanted.len()).position(|window| window == wanted);
        if let Some(at) = at {
            bytes[at + wanted.len() / 2] ^= 1;
            return fs::write(file, bytes).unwrap();
        }
    }
    panic!("{wanted:?} stands nowhere");
}

/// A store in which all games have entry 1 in one or two commits, and then likewise entry 2.
async fn sample_of_groups() -> tempfile::TempDir {
    for _ in 0..100 {
        let folder = scratch();
        if is_filled_by_groups(folder.path()).await {
            return folder;
        }
    }
    panic!("the writer never commits several games together");
}

/// Fills the store. Returns true if the writer committed the games together, which depends on what
/// waits when it is free.
async fn is_filled_by_groups(folder: &Path) -> bool {
    let store = Arc::new(open(folder).unwrap());
    for seq in 1..=2 {
        let before = store.stats().commits;
        let mut appends = Vec::new();
        for number in 0..GAMES {
            let expected = store.head(game(number)).await.unwrap();
            let writes = vec![put(&format!("r/{number}/{seq}"), &format!("record {number}/{seq}"))];
            appends.push(Append { writes, ..append(game(number), expected, &[&text(number, seq)]) });
        }
        // The writer takes what waits while it commits, so the first request has to be alone.
        let tasks: Vec<_> = appends
            .into_iter()
            .map(|append| {
                let store = store.clone();
                tokio::spawn(async move { append_ok(&*store, append).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        if store.stats().commits - before > 2 {
            return false;
        }
    }
    true
}

async fn quarantined_games(store: &EmbeddedStore) -> Vec<GameId> {
    store.quarantined().await.unwrap().into_iter().map(|(game, _)| game).collect()
}

#[tokio::test]
async fn an_entry_that_is_damaged_in_both_copies_stops_its_game_alone() {
    let folder = sample_of_groups().await;
    let wanted = text(5, 2);
    flip_at(&folder.path().join("db"), wanted.as_bytes());
    flip_at(&folder.path().join("mirror"), wanted.as_bytes());
    let epoch = {
        let store = open(folder.path()).unwrap();
        let salvage = store.salvage().unwrap();
        assert_eq!((salvage.games_whole, salvage.records_lost, salvage.commits_lost), (7, 0, 0), "{salvage}");
        assert_eq!(quarantined_games(&store).await, [game(5)]);
        assert!(salvage.to_string().contains(game(5).as_str()), "{salvage}");
        let report = fs::read_to_string(salvage.kept.join("report.txt")).unwrap();
        assert_eq!(report.trim_end(), salvage.to_string());
        assert!(salvage.kept.join("db").is_dir() && salvage.kept.join("mirror").is_dir());
        store.epoch().await.unwrap()
    };
    // It stays so, and is reported once.
    let store = open(folder.path()).unwrap();
    assert!(store.salvage().is_none());
    assert_eq!(store.epoch().await, Ok(epoch));
    assert!(matches!(store.read(game(5), 0, 9).await, Err(ReadError::Damaged { seq: 2, .. })));
    assert_eq!(store.read(game(5), 0, 1).await.unwrap().len(), 1);
    for number in (0..GAMES).filter(|number| *number != 5) {
        assert_eq!(texts(&store, game(number)).await, [text(number, 1), text(number, 2)]);
        let head = store.head(game(number)).await.unwrap();
        append_ok(&store, append(game(number), head, &["and on"])).await;
    }
    for number in 0..GAMES {
        let value = store.get(key(&format!("r/{number}/2"))).await.unwrap().unwrap();
        assert_eq!(value, format!("record {number}/2").into_bytes());
    }
}

#[tokio::test]
async fn a_record_that_is_damaged_in_both_copies_is_counted() {
    let folder = sample_of_groups().await;
    for place in ["db", "mirror"] {
        flip_at(&folder.path().join(place), b"record 3/2");
    }
    let store = open(folder.path()).unwrap();
    let salvage = store.salvage().unwrap();
    assert_eq!((salvage.games_whole, salvage.records_lost), (8, 1), "{salvage}");
    assert!(!salvage.is_complete() && salvage.to_string().contains("register anew"), "{salvage}");
    assert_eq!(store.get(key("r/3/2")).await, Ok(None));
    assert_eq!(store.get(key("r/4/2")).await, Ok(Some(b"record 4/2".to_vec())));
    assert_eq!(quarantined_games(&store).await, []);
}

#[tokio::test]
async fn a_head_that_is_damaged_in_both_copies_is_known_from_its_log() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    append_ok(&store, append(game(1), Head::START, &["a"])).await;
    let head = append_ok(&store, append(game(2), Head::START, &["b"])).await;
    drop(store);
    // A head's value begins with its number; an entry's value has the stamp there.
    let value = [game(2).as_str().as_bytes(), &1_u64.to_le_bytes(), &head.hash.0[..4]].concat();
    for place in ["db", "mirror"] {
        flip_at(&folder.path().join(place), &value);
    }
    let store = open(folder.path()).unwrap();
    assert!(store.salvage().unwrap().is_complete());
    assert_eq!(store.head(game(2)).await, Ok(head));
}

#[tokio::test]
async fn a_commit_of_which_nothing_is_left_needs_the_operators_word() {
    let folder = sample_of_groups().await;
    fs::remove_dir_all(folder.path().join("mirror")).unwrap();
    flip_at(&folder.path().join("db"), text(5, 1).as_bytes());
    for _ in 0..2 {
        let error = open(folder.path()).map(drop);
        assert!(matches!(error, Err(OpenError::LostTail { lost: 1, .. })), "{error:?}");
    }
    let accept = Options { lost_tail: LostTail::Accept, ..Options::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &accept).unwrap();
    let salvage = store.salvage().unwrap();
    assert!(salvage.has_new_epoch && salvage.commits_lost == 1, "{salvage}");
    // Entry 2 of the games whose entry 1 was in that commit is there, which shows that 1 is
    // missing.
    assert!(quarantined_games(&store).await.contains(&game(5)));
    let games = salvage.games_whole + salvage.games_quarantined.len() as u64;
    assert_eq!(games, u64::from(GAMES));
}

#[tokio::test]
async fn a_salvage_that_was_interrupted_is_begun_again_or_ended() {
    let folder = scratch();
    old_sample(folder.path()).await;
    let journal = journals(folder.path()).pop().unwrap();
    // Interrupted before everything was ready: the new files are thrown away.
    fs::create_dir(folder.path().join("db.salvaged")).unwrap();
    fs::write(folder.path().join("db.salvaged/version"), b"?").unwrap();
    let bytes = fs::read(&journal).unwrap();
    fs::write(&journal, [&bytes[..200], &[0; 9], &bytes[209..]].concat()).unwrap();
    drop(open(folder.path()).unwrap());
    assert!(!folder.path().join("db.salvaged").exists());
    // Interrupted between the two renames: the new folder is used.
    fs::rename(folder.path().join("db"), folder.path().join("db.salvaged")).unwrap();
    assert_eq!(examine(folder.path()).await, Ok(Outcome::Whole));
}

#[tokio::test]
async fn a_block_that_could_not_be_read_is_worked_around_at_the_next_start() {
    let folder = scratch();
    old_sample(folder.path()).await;
    let table =
        folder.path().join("db/keyspaces/2/tables").read_dir().unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&table).unwrap();
    bytes[300] ^= 1;
    fs::write(&table, bytes).unwrap();
    let store = open(folder.path()).unwrap();
    assert!(store.salvage().is_none());
    look_at_games(&store).await.unwrap();
    let before = quarantined_games(&store).await;
    assert!(!before.is_empty());
    drop(store);
    let store = open(folder.path()).unwrap();
    assert_eq!(store.salvage().unwrap().tables_damaged, ["logs"]);
    let after = quarantined_games(&store).await;
    assert!(!after.is_empty() && after.len() <= before.len(), "{before:?} {after:?}");
    // Nothing is left for a later clean-up to find.
    with_database_closed(store, folder.path(), |db| keyspace(db, "logs").major_compact().unwrap());
    assert_eq!(quarantined_games(&open(folder.path()).unwrap()).await, after);
}

/// Pseudorandom numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
    }
}

/// Damages a few files at random places.
fn damage_at_random(files: &[PathBuf], from: &Path, to: &Path, numbers: &mut Numbers) -> Vec<String> {
    let mut done = Vec::new();
    for _ in 0..=numbers.below(4) {
        let file = to.join(files[numbers.below(files.len())].strip_prefix(from).unwrap());
        let Ok(mut bytes) = fs::read(&file) else { continue };
        let at = numbers.below(bytes.len());
        let kind = numbers.below(8);
        match kind {
            0..=3 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << numbers.below(8)),
            4 => bytes
                .iter_mut()
                .skip(at)
                .take(1 + numbers.below(100))
                .for_each(|byte| *byte = numbers.below(256) as u8),
            5 => bytes.iter_mut().skip(at / 512 * 512).take(512).for_each(|byte| *byte = 0),
            6 => bytes.truncate(at),
            _ => drop(bytes.drain(at..(at + 1 + numbers.below(64)).min(bytes.len()))),
        }
        done.push(format!("{} kind {kind} at {at}", file.strip_prefix(to).unwrap().display()));
        fs::write(&file, bytes).unwrap();
    }
    done
}

#[tokio::test]
async fn whatever_is_damaged_at_once_nothing_is_kept_quiet() {
    let mut tally = Tally::default();
    for (kind, seeds) in [(0, 1..100_u64), (1, 100..200)] {
        let folder = scratch();
        if kind == 0 {
            old_sample(folder.path()).await;
        } else {
            drop(sample_of_journals(folder.path()).await);
        }
        let mut found = Vec::new();
        files(folder.path(), &mut found);
        // Half of the damage hits the newest appends.
        let newest: Vec<PathBuf> = found
            .iter()
            .filter(|file| file.extension().is_some_and(|it| it == "jnl" || it == "mirror"))
            .cloned()
            .collect();
        for seed in seeds {
            let broken = scratch();
            copy(folder.path(), broken.path());
            let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let files = if seed % 2 == 0 { &newest } else { &found };
            let done = damage_at_random(files, folder.path(), broken.path(), &mut numbers);
            let outcome =
                examine(broken.path()).await.unwrap_or_else(|quiet| panic!("seed {seed}, {done:?}: {quiet}"));
            tally.count(&outcome);
            if matches!(outcome, Outcome::Refused(_)) {
                accept(broken.path()).await.unwrap_or_else(|quiet| panic!("seed {seed}, {done:?}: {quiet}"));
            }
        }
    }
    assert!(tally.mended > 50 && tally.told > 2 && tally.refused > 2, "{tally:?}");
}

/// With the operator's consent the store opens in a new epoch, and the entries that a game has are
/// those that were written.
async fn accept(folder: &Path) -> Result<(), String> {
    let options = Options { lost_tail: LostTail::Accept, ..Options::default() };
    let store = EmbeddedStore::open(folder, SystemClock, &options).map_err(|error| error.to_string())?;
    for number in 0..GAMES {
        let expected: Vec<String> = (1..=ENTRIES).map(|seq| text(number, seq)).collect();
        match store.read(game(number), 0, usize::MAX).await {
            Ok(_) => {
                let found = texts(&store, game(number)).await;
                if !expected.starts_with(&found) {
                    return Err(format!("game {number} has other entries"));
                }
            }
            Err(ReadError::Damaged { .. }) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    drop(store);
    open(folder).map(drop).map_err(|error| format!("it does not open again: {error}"))
}
